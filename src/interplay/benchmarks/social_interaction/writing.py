"""New characters and knowledge: what a model wrote is checked, gathered, and made a file that can be played."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import wrap
from typing import Any

import tomli_w

from interplay.benchmarks.generating import SEED, WRITER, best_pieces, board_of_writing, told_of
from interplay.benchmarks.social_interaction import character_checks, characters, knowledge, knowledge_checks
from interplay.benchmarks.social_interaction.characters import ABILITIES, Character
from interplay.benchmarks.social_interaction.drafting import (
    KNOWLEDGE,
    WHAT,
    Written,
    calls,
    digest,
    play,
    scenarios,
)
from interplay.benchmarks.social_interaction.knowledge import Knowledge
from interplay.benchmarks.social_interaction.scenarios import PARTY
from interplay.core.benchmark import (
    Benchmark,
    Option,
    Options,
    Played,
    Role,
    Scenario,
    Score,
    Tryout,
    Verdict,
)
from interplay.core.board import Board
from interplay.core.failures import Mistake
from interplay.core.making import Generator, Origin, Piece
from interplay.core.wire import Sampling

MOST = 500
LINE = 116  # characters of a text's line in a file
_PIECE_KEYS = ("kind", "title", "text", "points")
_CHARACTER_KEYS = (
    "name", "race", "calling", "background", "alignment", "trait", "ideal", "bond", "flaw", "abilities", "skills",
    "description",
)  # fmt: skip
OPTIONS = (
    Option("what", KNOWLEDGE, "what is written: characters to play, or what one of them knows", choices=WHAT),
    Option("n", "10", f"how many; of characters at least {PARTY}", number=(1, MOST)),
    SEED,
)


class Shelf:
    """What is there already, shipped or new: a new character or piece must differ from all of its sort."""

    def __init__(self) -> None:
        self._people = character_checks.Shelf(characters.shipped())
        self._pieces = knowledge_checks.Shelf(knowledge.shipped())

    def about(self, made: Character | Knowledge) -> list[str]:
        """How it is too much like something that is there."""
        return self._people.about(made) if isinstance(made, Character) else self._pieces.about(made)

    def put(self, made: Character | Knowledge) -> None:
        if isinstance(made, Character):
            self._people.put(made)
        else:
            self._pieces.put(made)


def gather(played: Sequence[Played], options: Options) -> list[Piece]:
    """Every piece by the best of its tries; no two that pass are alike, or like one that ships."""
    shelf = Shelf()
    return _offered(best_pieces(played, _place, lambda one: _piece(one, shelf)))


def _place(scenario: Scenario) -> int:
    number: int = scenario.content["number"]
    return number


def _piece(one: Played, shelf: Shelf) -> Piece:
    """A try as it was written, with what the checks say of it; one that passes is put on the shelf."""
    written: Written = one.outcome
    made = written.made()
    complaints = (*_about(made), *shelf.about(made))
    if not complaints:
        shelf.put(made)
    text = "" if _refusals(made) else written.laid_out()
    return Piece(one.scenario.id, one.scenario.label, text, written.entry, complaints)


def _about(made: Character | Knowledge) -> list[str]:
    """What is wrong with a piece by itself; nothing passes that a file could not have."""
    if isinstance(made, Character):
        return character_checks.complaints(made) or _refusals(made)
    return knowledge_checks.complaints(made) or _refusals(made)


def _refusals(made: Character | Knowledge) -> list[str]:
    """Why the reader of files would refuse it, whatever else is said of it; the form has seen to its lengths."""
    if isinstance(made, Character):
        texts = {"name": made.name, "description": made.description}
        unfit = [
            key for key, text in texts.items() if not (text.isprintable() and any(map(str.isalnum, text)))
        ]
        found = [f"no file can have the {key}" for key in unfit]
        return [*found, "a name has no colon"] if ":" in made.name else found
    try:
        knowledge.piece_of(knowledge.entry_of(made), made.kind, "no file can have it")
    except Mistake as mistake:
        return [str(mistake)]
    return []


def _offered(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces, with a text for those alone that a person may keep, so that all of them fit into one file.

    No file has a name or a title twice. A piece that failed stands back behind those that passed, and behind an
    earlier one that failed.
    """
    taken = {_called(piece) for piece in pieces if not piece.complaints}
    found = []
    for piece in pieces:
        if piece.complaints and piece.text:
            if _called(piece) in taken:
                told = dict.fromkeys((*piece.complaints, "a file has another of this name already"))
                piece = replace(piece, text="", complaints=tuple(told))
            taken.add(_called(piece))
        found.append(piece)
    return found


def _called(piece: Piece) -> str:
    """What a file tells a piece apart by."""
    name: str = piece.entry["name" if _is_character(piece) else "title"]
    return name.casefold()


def _is_character(piece: Piece) -> bool:
    return "description" in piece.entry


def score(outcome: Written, verdicts: Sequence[Verdict], options: Options) -> list[Score]:
    """How many checks a piece fails by itself; whether it is like another, only the whole can tell."""
    return [Score("complaints", float(len(_about(outcome.made()))), "rule: the checks of one piece")]


def summarize(played: Sequence[Played], options: Options) -> Board:
    """A row for each model: how many of its pieces passed, and what became of its tries."""
    title = f"social_interaction_writing ({options['what']}, seed {options['seed']})"
    return board_of_writing(title, played, lambda tries: gather(tries, options))


def lacking(pieces: Sequence[Piece]) -> str:
    """What a file of these pieces would lack to be played."""
    if not pieces:
        return "a piece"
    people = sum(map(_is_character, pieces))
    missing = PARTY - people if people else 0
    return "" if missing <= 0 else f"{missing} of the {PARTY} characters of a session"


def write(pieces: Sequence[Piece], origin: Origin) -> str:
    """The file that `interplay run social_interaction --data FILE` reads, with a canary of its own."""
    head = tomli_w.dumps(told_of(origin, f"social_interaction {origin.options['what']}"))
    blocks = [
        _block("characters", piece.entry, _CHARACTER_KEYS)
        if _is_character(piece)
        else _block("pieces", piece.entry, _PIECE_KEYS)
        for piece in pieces
    ]
    return "\n".join((head, *blocks))


def _block(heading: str, entry: Mapping[str, Any], keys: Sequence[str]) -> str:
    """An entry in the manner of our own files."""
    lines = [f"[[{heading}]]", *(f"{key} = {_shown(key, entry[key])}" for key in keys)]
    return "\n".join(lines) + "\n"


def _shown(key: str, value: Any) -> str:
    """A value as TOML: a long text in lines of its own, points one a line, all else in one line."""
    if key == "text":
        lines = wrap(value, LINE, break_long_words=False, break_on_hyphens=False)
        told = tomli_w.dumps({key: "\n".join((*lines, ""))}, multiline_strings=True)
        return told.removeprefix(f"{key} = ").rstrip("\n")
    if key == "points":
        points = "".join(f"    {_table(point, ('point', 'said', 'wrong'))},\n" for point in value)
        return f"[\n{points}]"
    if key == "abilities":
        return _table(value, ABILITIES)
    if key == "skills":
        return f"[{', '.join(map(_plain, value))}]"
    return _plain(value)


def _table(values: Mapping[str, Any], keys: Sequence[str]) -> str:
    """In one line, in the order of the keys, which a record does not keep."""
    return "{ " + ", ".join(f"{key} = {_plain(values[key])}" for key in keys) + " }"


def _plain(value: str | int) -> str:
    """A text or a number as TOML."""
    return tomli_w.dumps({"x": value}).removeprefix("x = ").rstrip("\n")


writing = Benchmark(
    name="social_interaction_writing",
    paper="AntEval's data",
    meaning="a model writes characters, or knowledge that one of them has, which are checked",
    roles=lambda options: (
        Role(WRITER, "subject", Sampling(1.0, 0.95, 4096), "writes the characters or the knowledge"),
    ),
    options=OPTIONS,
    outcome=Written,
    scenarios=scenarios,
    protocol=digest,
    play=play,
    calls=calls,
    score=score,
    summarize=summarize,
    spread=lambda options: 1.0,
    tryout=Tryout(limit=2, options={"n": "2"}, sampling={}),
)
generator = Generator(writing, gather, lacking, write)
