"""New characters and situations: what a model wrote is checked, gathered, and made a file that can be played."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import tomli_w

from interplay.benchmarks.generating import SEED, WRITER, best_pieces, board_of_writing, told_of
from interplay.benchmarks.role_play.card_files import MOST, read_cards
from interplay.benchmarks.role_play.cards import LANGUAGE_NAMES, LANGUAGES, Character
from interplay.benchmarks.role_play.checks import Card, Shelf, about_character, about_situation
from interplay.benchmarks.role_play.drafting import (
    CHARACTER,
    FOLDER,
    SITUATION,
    Written,
    calls,
    digest,
    play,
    scenarios,
)
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
from interplay.core.making import Generator, Origin, Piece
from interplay.core.wire import Sampling

OPTIONS = (
    Option("language", "en", "the language of what is written", choices=LANGUAGES),
    Option("characters", "8", "how many characters", number=(1, MOST)),
    Option("situations", "8", "how many situations", number=(1, MOST)),
    SEED,
)


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
    """Every piece by the best of its tries; no two that pass are alike, or like one that ships."""
    shelf = Shelf(_shipped(options["language"]))
    return best_pieces(played, _place, lambda one: _piece(one, shelf, options["language"]))


def _place(scenario: Scenario) -> tuple[str, int]:
    return scenario.content["kind"], scenario.content["number"]


@cache
def _shipped(language: str) -> tuple[Card, ...]:
    cards = read_cards(FOLDER / "data" / f"{language}.toml", language)
    return (*cards.characters, *cards.situations)


def _piece(one: Played, shelf: Shelf, language: str) -> Piece:
    """A try as it was written, with what the checks say of it; one that passes is put on the shelf."""
    written: Written = one.outcome
    complaints = (*_about(written, language), *shelf.about(written.card()))
    if not complaints:
        shelf.put(written.card())
    entry = {**written.entry, "tags": one.scenario.content["tags"]}
    return Piece(one.scenario.id, one.scenario.label, written.laid_out(), entry, complaints)


def summarize(played: Sequence[Played], options: Options) -> Board:
    """A row for each model: how many of its pieces passed, and what became of its tries."""
    title = f"role_play_writing ({LANGUAGE_NAMES[options['language']]}, seed {options['seed']})"
    return board_of_writing(title, played, lambda tries: gather(tries, options))


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
        **told_of(origin, f"role_play {language}"),
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
    score=score,
    summarize=summarize,
    spread=lambda options: 1.0,
    tryout=Tryout(limit=2, options={"characters": "1", "situations": "1"}, sampling={}),
)
generator = Generator(writing, gather, lacking, write)
