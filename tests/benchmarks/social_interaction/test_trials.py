"""Trials of social interaction: what was planted comes out of the product, and a product with a bug is found out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks import find
from interplay.benchmarks.social_interaction.following import sequel
from interplay.benchmarks.social_interaction.protocol import Move, Session
from interplay.benchmarks.social_interaction.trials import TRIALS, cues, erring, habits, tellers
from interplay.core.benchmark import Benchmark, Options, Played
from interplay.core.board import Board, Cell, Estimate
from interplay.core.conversation import Conversation
from interplay.core.trials import Trial
from interplay.running.tally import Tally
from interplay.running.validating import Held, hold, play_into, read_off, recovery

ANT = find("social_interaction")
SMALL = {
    "tellers": tellers((0.25, 0.9), sessions=24),
    "erring": erring(sessions=32),
    "habits": habits(sessions=2),
    "cues": cues((0.0, 0.4, 1.0), sessions=120, moves=12, near=0.15),
}
Recorded = Callable[[str], tuple[Path, str]]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """The store and the id of a trial that the product as it is has played."""

    @cache
    def played(trial: str) -> tuple[Path, str]:
        store = tmp_path_factory.mktemp(trial) / "trial.db"
        return store, play_into(store, ANT, SMALL[trial], 0, Tally())

    return played


def failed(found: Held) -> set[str]:
    return {finding.what for finding in found.findings if not finding.passed}


@pytest.mark.parametrize("trial", SMALL)
def test_the_product_as_it_is_recovers_what_was_planted(trial: str, recorded: Recorded) -> None:
    found = read_off(ANT, SMALL[trial], *recorded(trial))
    assert failed(found) == set()
    assert found.in_order
    assert len(found.findings) >= 5


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
def test_a_board_without_models_recovers_nothing(trial: Trial) -> None:
    findings = trial.findings(Board("empty", (), ()), [])
    assert findings
    assert not any(finding.passed for finding in findings)
    assert not trial.order or not trial.came_in_order(Board("empty", (), ()))


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
def test_everybody_who_sits_down_has_a_script(trial: Trial) -> None:
    named = {*trial.models, *(name for names in trial.roles.values() for name in names)}
    assert named == set(trial.scripts(0))
    assert set(trial.order) <= set(trial.models)


def test_the_same_seed_finds_the_same_and_another_something_else(recorded: Recorded) -> None:
    first = read_off(ANT, SMALL["erring"], *recorded("erring"))
    again, other = (hold(ANT, SMALL["erring"], seed, Tally()) for seed in (0, 1))
    assert again == first
    assert [one.recovered for one in other.findings] != [one.recovered for one in again.findings]


# Planted bugs of the board


def sums_up(change: Callable[[Played], Played], benchmark: Benchmark = ANT) -> Benchmark:
    """A benchmark whose board is made of something else than what was played."""

    def summarize(played: Sequence[Played], options: Options) -> Board:
        return benchmark.summarize([change(one) for one in played], options)

    return replace(benchmark, summarize=summarize)


def judged(change: Callable[[dict[str, Any]], Mapping[str, Any]]) -> Benchmark:
    """A benchmark that reads something else in verdicts than is there."""

    def changed(one: Played) -> Played:
        verdicts = [replace(v, data={**v.data, **change(dict(v.data))}) for v in one.verdicts if v.data]
        return replace(one, verdicts=tuple(verdicts))

    return sums_up(changed)


def moved(change: Callable[[Move], Move]) -> Benchmark:
    """A benchmark that sees other moves than were made."""
    return sums_up(
        lambda one: replace(one, outcome=replace(one.outcome, moves=tuple(map(change, one.outcome.moves))))
    )


def without_idle(verdict: dict[str, Any]) -> Mapping[str, Any]:
    return {"players": [one for one in verdict["players"] if one["pairs"]]}


def halved(verdict: dict[str, Any]) -> Mapping[str, Any]:
    return {"players": [{**one, "pairs": one["pairs"][::2]} for one in verdict["players"]]}


def mixed_up(verdict: dict[str, Any]) -> Mapping[str, Any]:
    planted = verdict["planted"]
    return {"planted": {**planted, "said": planted["said"] + planted["wrong"], "wrong": []}}


def uncorrected(played: Sequence[Played], options: Options) -> Board:
    """The board with IEP where corrected IEP should be."""
    board = ANT.summarize(played, options)
    parts = [
        replace(part, rows=tuple({**row, "corrected": row["iep"]} for row in part.rows))
        if part.title == "By judge"
        else part
        for part in board.parts
    ]
    return replace(board, parts=tuple(parts))


def reads(change: Callable[[Mapping[str, Cell]], Mapping[str, Cell]], title: str) -> Benchmark:
    """A benchmark in whose board of readings the rows of one table are others."""
    *before, reading = sequel.benchmarks

    def summarize(played: Sequence[Played], options: Options) -> Board:
        board = reading.summarize(played, options)
        tables = [
            replace(one, rows=tuple(map(change, one.rows))) if one.title == title else one
            for one in (board, *board.parts)
        ]
        return replace(tables[0], parts=tuple(tables[1:]))

    broken = replace(sequel, benchmarks=(*before, replace(reading, summarize=summarize)))
    return replace(ANT, sequel=broken)


def widened(row: Mapping[str, Cell]) -> Mapping[str, Cell]:
    return {**row, **{key: _plus(row[key], 20.0) for key in ("gap_c", "gap_o")}}


def _plus(cell: Cell, number: float) -> Cell:
    return cell.plus(number) if isinstance(cell, Estimate) else cell


def renamed(row: Mapping[str, Cell]) -> Mapping[str, Cell]:
    others = {"openai/faith-1.0": "openai/faith-0.4", "openai/faith-0.4": "openai/faith-1.0"}
    return {**row, "model": others.get(str(row["model"]), row["model"])}


def beaten(row: Mapping[str, Cell]) -> Mapping[str, Cell]:
    return {**row, "above_o": _plus(row["above_o"], -100.0)}


GAP = "Expressiveness gap (IEG)"
BUGS_OF_THE_BOARD: dict[str, tuple[Benchmark, str, set[str]]] = {
    "players who learned nothing are dropped": (
        judged(without_idle),
        "tellers",
        {"teller-0.25: IEP, by what was recited"},
    ),
    "every other pair is lost": (
        judged(halved),
        "tellers",
        {"teller-0.9: IEP", "teller-0.9: learned of told"},
    ),
    "moves are counted from the next one": (
        judged(lambda verdict: {"first": [move and move - 1 for move in verdict["first"]]}),
        "tellers",
        {"teller-0.9: told first by the NPC"},
    ),
    "what was told is not": (
        judged(lambda verdict: {"first": [0] * 5}),
        "tellers",
        {"teller-0.25: told", "teller-0.9: told", "teller-0.9: learned of told"},
    ),
    "wrong statements count as said": (judged(mixed_up), "erring", {"strict-judge: found"}),
    "nothing is corrected": (
        replace(ANT, summarize=uncorrected),
        "erring",
        {"teller-0.9 by strict-judge: corrected"},
    ),
    "empty moves are passes": (
        moved(lambda move: replace(move, kind="pass") if move.is_empty else move),
        "habits",
        {"passes moves", "empty moves"},
    ),
    "no two moves are alike": (
        moved(lambda move: replace(move, say=f"{move.say} {id(move) * 7919}" * 3 if move.say else "")),
        "habits",
        {"repeated moves"},
    ),
    "gaps are too wide": (reads(widened, GAP), "cues", {"faith-1.0: G^c", "faith-1.0: G^o"}),
    "two models are mixed up": (reads(renamed, GAP), "cues", {"f_g^o rises with faith (1 = yes)"}),
    "the reader of real play is not above last speaker": (
        reads(beaten, "Readers"),
        "cues",
        {"the reader of real play beats last speaker (1 = yes)"},
    ),
}


@pytest.mark.parametrize("bug", BUGS_OF_THE_BOARD)
def test_a_bug_of_the_board_is_found_out(bug: str, recorded: Recorded) -> None:
    benchmark, trial, where = BUGS_OF_THE_BOARD[bug]
    found = read_off(benchmark, SMALL[trial], *recorded(trial))
    assert where <= failed(found)
    assert not recovery(SMALL[trial], [found]).passed
    assert not (found.in_order and "mixed up" in bug)


# Planted bugs of play


async def deaf(talk: Conversation, options: Options) -> Session:
    """A session in which nobody hears anybody."""
    tell = talk.tell

    def tell_nobody(seats: Any, text: str, **more: Any) -> None:
        tell([] if more.get("source") else seats, text, **more)

    talk.tell = tell_nobody  # type: ignore[method-assign]
    return await ANT.play(talk, options)


async def mislabelled(talk: Conversation, options: Options) -> Session:
    """A session whose record has another player want what was wanted."""
    session = await ANT.play(talk, options)
    seats = [one.seat for one in session.seats if one.role == "player"]
    wants = [replace(one, seat=seats[seats.index(one.seat) - 1]) for one in session.wants]
    return replace(session, wants=tuple(wants))


BUGS_OF_PLAY: dict[str, tuple[Benchmark, Trial, set[str]]] = {
    "nobody hears what is told": (
        replace(ANT, play=deaf),
        tellers((0.9,), sessions=8),
        {"teller-0.9: IEP", "teller-0.9: learned of told"},
    ),
    "wants are put down to another player": (
        replace(ANT, play=mislabelled),
        cues((0.0, 1.0), sessions=60, moves=12, near=0.15),
        {"faith-1.0: G^o"},
    ),
}


@pytest.mark.parametrize("bug", BUGS_OF_PLAY)
def test_a_bug_of_play_is_found_out(bug: str) -> None:
    benchmark, trial, where = BUGS_OF_PLAY[bug]
    found = hold(benchmark, trial, 0, Tally())
    assert where <= failed(found)
    assert not recovery(trial, [found]).passed
