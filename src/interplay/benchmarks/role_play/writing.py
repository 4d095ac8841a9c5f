"""New characters and situations: what a model wrote is checked, gathered, and made a file that can be played."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import tomli_w

from interplay.benchmarks.role_play.card_files import MOST, read_cards
from interplay.benchmarks.role_play.cards import LANGUAGE_NAMES, LANGUAGES, Character
from interplay.benchmarks.role_play.checks import Card, Shelf, about_character, about_situation
from interplay.benchmarks.role_play.drafting import (
    CHARACTER,
    FOLDER,
    SITUATION,
    WRITER,
    Written,
    calls,
    digest,
    play,
    scenarios,
)
from interplay.core.benchmark import (
    Benchmark,
    Generator,
    Option,
    Options,
    Origin,
    Piece,
    Played,
    Role,
    Scenario,
    Score,
    Span,
    Tryout,
    Verdict,
)
from interplay.core.board import Board, Cell, Column
from interplay.core.conversation import Conversation
from interplay.core.failures import UnreadableFailure
from interplay.core.wire import Sampling

SHOWN_LEFT_OUT = 40  # reasons on a board
CANARY = "INTERPLAY CANARY role_play"
OPTIONS = (
    Option("language", "en", "the language of what is written", choices=LANGUAGES),
    Option("characters", "8", "how many characters", number=(1, MOST)),
    Option("situations", "8", "how many situations", number=(1, MOST)),
    Option(
        "seed", "0", "what pieces grow out of is drawn by it: another seed, other pieces", number=(0, 2**31)
    ),
)


@dataclass(frozen=True)
class Unjudged:
    """The judging step of what no judge looks at."""

    name: str = "none"
    digest: str = "none"

    def calls(self, scenario: Scenario, cast: Mapping[str, str], judge: str) -> Span:
        return 0, 0

    async def __call__(self, talk: Conversation, outcome: Written) -> Mapping[str, Any]:
        raise RuntimeError("what was written for role play is checked, not judged")


def score(outcome: Written, verdicts: Sequence[Verdict], options: Options) -> list[Score]:
    """How many checks a piece fails by itself; whether it is like another, only the whole can tell."""
    return [
        Score("complaints", float(len(_about(outcome, options["language"]))), "rule: the checks of one piece")
    ]


def _about(piece: Written, language: str) -> list[str]:
    card = piece.card()
    if isinstance(card, Character):
        return about_character(card, language, piece.secret)
    return about_situation(card, language)


def gather(played: Sequence[Played], options: Options) -> list[Piece]:
    """Every piece by its first try that passes all checks, else by the try with the fewest complaints.

    First tries come before second ones, whatever their number, so that a later try never changes what has passed.
    """
    shelf = Shelf(_shipped(options["language"]))
    best: dict[str, Piece] = {}
    for one in sorted(played, key=lambda one: (one.repeat, *_place(one.scenario))):
        before = best.get(one.scenario.id)
        if before is not None and not before.complaints:
            continue
        piece = _piece(one, shelf, options["language"])
        if (
            before is None
            or not before.text
            or (piece.text and len(piece.complaints) <= len(before.complaints))
        ):
            best[one.scenario.id] = piece
        if piece.text and not piece.complaints:
            shelf.put(one.outcome.card())
    order = {one.scenario.id: _place(one.scenario) for one in played}
    return [best[id] for id in sorted(best, key=order.__getitem__)]


def _place(scenario: Scenario) -> tuple[str, int]:
    return scenario.content["kind"], scenario.content["number"]


@cache
def _shipped(language: str) -> tuple[Card, ...]:
    cards = read_cards(FOLDER / "data" / f"{language}.toml", language)
    return (*cards.characters, *cards.situations)


def _piece(one: Played, shelf: Shelf, language: str) -> Piece:
    label = one.scenario.label
    if one.outcome is None:
        trouble = (
            "the writer never answered in form" if one.failure == UnreadableFailure.name else one.failure
        )
        return Piece(one.scenario.id, label, "", {}, (trouble,))
    written: Written = one.outcome
    complaints = (*_about(written, language), *shelf.about(written.card()))
    entry = {**written.entry, "tags": one.scenario.content["tags"]}
    return Piece(one.scenario.id, label, written.laid_out(), entry, complaints)


COLUMNS = (
    Column("model", "model", "the model that writes", "text"),
    Column("written", "written", "pieces that passed all checks", "count"),
    Column("pieces", "pieces", "pieces that were asked for and tried", "count"),
    Column("rejected", "rejected", "tries that failed a check", "count"),
    Column("unreadable", "unreadable", "tries that never came in form", "count"),
    Column("unanswered", "unanswered", "tries that got no answer", "count"),
)


def summarize(played: Sequence[Played], options: Options) -> Board:
    """A row for each model: how many of its pieces passed, and what became of its tries."""
    subjects = sorted({one.subject for one in played})
    gathered = {name: gather([one for one in played if one.subject == name], options) for name in subjects}
    notes = [
        f"{piece.label}: {'; '.join(piece.complaints)}."
        for pieces in gathered.values()
        for piece in pieces
        if piece.complaints
    ]
    rows = [_row(name, [one for one in played if one.subject == name], gathered[name]) for name in subjects]
    rows.sort(key=lambda row: -int(str(row["written"])))
    title = f"role_play_writing ({LANGUAGE_NAMES[options['language']]}, seed {options['seed']})"
    if len(notes) > SHOWN_LEFT_OUT:
        notes[SHOWN_LEFT_OUT:] = [f"{len(notes) - SHOWN_LEFT_OUT} more pieces failed their checks."]
    return Board(title, COLUMNS, tuple(rows), tuple(notes))


def _row(subject: str, tries: Sequence[Played], pieces: Sequence[Piece]) -> dict[str, Cell]:
    passed = sum(not piece.complaints for piece in pieces)
    finished = sum(one.outcome is not None for one in tries)
    unreadable = sum(one.failure == UnreadableFailure.name for one in tries)
    return {
        "model": subject,
        "written": passed,
        "pieces": len(pieces),
        "rejected": finished - passed,
        "unreadable": unreadable,
        "unanswered": len(tries) - finished - unreadable,
    }


def lacking(pieces: Sequence[Piece]) -> str:
    """What a file of these pieces would lack to be played."""
    kinds = {CHARACTER if "persona" in piece.entry else SITUATION for piece in pieces}
    return " and ".join(f"a {kind}" for kind in (CHARACTER, SITUATION) if kind not in kinds)


def write(pieces: Sequence[Piece], origin: Origin) -> str:
    """The file that `interplay run role_play --data FILE` reads, with a canary of its own."""
    language = origin.options["language"]
    entries = [{**piece.entry, "id": id} for piece, id in zip(pieces, _ids(pieces), strict=True)]
    found: dict[str, Any] = {
        "language": language,
        "canary": f"{CANARY} {language} {origin.canary}: benchmark data, keep out of training corpora",
        "written_by": origin.model,
        "run": origin.run,
        "started": origin.started,
        "seed": int(origin.options["seed"]),
        "reviewed": origin.reviewed,
        "characters": [_in_order(entry) for entry in entries if "persona" in entry],
        "situations": [_in_order(entry) for entry in entries if "text" in entry],
    }
    return tomli_w.dumps(found, multiline_strings=True)


def _ids(pieces: Iterable[Piece]) -> list[str]:
    """The pieces' ids; one that a person kept although it is another's is numbered."""
    found: list[str] = []
    for piece in pieces:
        id = number = piece.entry["id"]
        count = 1
        while number in found:
            count += 1
            number = f"{id}-{count}"
        found.append(number)
    return found


def _in_order(entry: Mapping[str, Any]) -> dict[str, Any]:
    order = ("id", "name", "summary", "persona", "example", "greeting", "text", "turns", "tags")
    return {key: entry[key] for key in order if entry.get(key)}


writing = Benchmark(
    name="role_play_writing",
    paper="PingPong's data",
    meaning="a model writes characters and situations for role_play, which are checked",
    roles=lambda options: (
        Role(WRITER, "subject", Sampling(1.0, 0.95, 4096), "writes the characters and situations"),
    ),
    options=OPTIONS,
    outcome=Written,
    scenarios=scenarios,
    protocol=digest,
    play=play,
    calls=calls,
    judging=lambda options: Unjudged(),
    score=score,
    summarize=summarize,
    spread=lambda options: 1.0,
    tryout=Tryout(limit=2, options={"characters": "1", "situations": "1"}, sampling={}),
)
generator = Generator(writing, gather, lacking, write)
