"""Trials of role play: what was planted comes out of the product, and a product with a bug is found out."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from interplay.benchmarks.role_play.protocol import Turn
from interplay.benchmarks.role_play.trials import TRIALS, examined, faulty
from interplay.core.benchmark import Benchmark
from interplay.core.board import Board
from interplay.core.trials import Trial
from interplay.running.tally import Tally
from interplay.running.validating import Held, hold, play_into, read_off, recovery
from tests.benchmarks import role_play_bugs as bugs
from tests.benchmarks.stage import BENCHMARK

V1, V2 = "v1", "v2"
TRIAL = {V2: TRIALS[0], V1: TRIALS[1]}
Recorded = Callable[[str], tuple[Path, str]]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """The store and the id of a trial that the product as it is has played."""

    @cache
    def played(version: str) -> tuple[Path, str]:
        store = tmp_path_factory.mktemp(version) / "trial.db"
        return store, play_into(store, BENCHMARK, TRIAL[version], 0, Tally())

    return played


def failed(found: Held) -> set[str]:
    return {finding.what for finding in found.findings if not finding.passed}


@pytest.mark.parametrize("version", TRIAL)
def test_the_product_as_it_is_recovers_what_was_planted(version: str, recorded: Recorded) -> None:
    trial = TRIAL[version]
    found = read_off(BENCHMARK, trial, *recorded(version))
    assert failed(found) == set()
    assert found.in_order
    assert len(found.findings) == 18 * len(trial.models)


def test_all_that_is_planted_is_there_to_be_found(recorded: Recorded) -> None:
    """Without it the findings would be equal for want of anything to count."""
    found = read_off(BENCHMARK, TRIAL[V2], *recorded(V2)).findings
    planted = {one.what: one.planted for one in found}
    for name in ("steady", "rambler", "careless"):
        assert 0 < planted[f"{name}: refusal ratio, as played"] < 1
    for name in ("steady", "rambler", "terse", "careless"):
        assert planted[f"{name}: void"] > 0
        assert planted[f"{name}: unscored, as played"] > 0
    assert planted["rambler: LN score, as played"] < 0.97 * planted["rambler: aggregate, as played"]
    assert planted["terse: LN score, as played"] == planted["terse: aggregate, as played"]
    assert planted["careless: conversations scored"] < planted["terse: conversations scored"]


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
def test_a_board_without_models_recovers_nothing(trial: Trial) -> None:
    findings = trial.findings(Board("empty", (), ()), [])
    assert findings
    assert not any(finding.passed for finding in findings)
    assert not trial.came_in_order(Board("empty", (), ()))


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
def test_everybody_who_sits_down_has_a_script(trial: Trial) -> None:
    named = {*trial.models, *(name for names in trial.roles.values() for name in names)}
    assert named == set(trial.scripts(0))
    assert set(trial.order) == set(trial.models)


def test_the_same_seed_finds_the_same_and_another_something_else() -> None:
    for small in (faulty(limit=4), examined(limit=4)):
        first, again, other = (hold(BENCHMARK, small, seed, Tally()).findings for seed in (0, 0, 1))
        assert first == again
        assert [one.recovered for one in other] != [one.recovered for one in first]


# Planted bugs of the board: what it is made of is changed, or what it says

SHARES = {"n", "void", "unscored", "refusal_ratio", "length"}
BUGS_OF_THE_BOARD: dict[str, tuple[Benchmark, str, set[str]]] = {
    "unscored verdicts are zeros": (
        bugs.sums_up(bugs.with_zeros),
        V2,
        {"terse: unscored, as played", "terse: aggregate", "terse: aggregate, as played"},
    ),
    "unscored verdicts are zeros, though counted": (
        bugs.keeps(SHARES, bugs.sums_up(bugs.with_zeros)),
        V2,
        {"terse: aggregate", "terse: fluency, as played", "steady: LN score, as played"},
    ),
    "void conversations are zeros": (
        bugs.keeps(SHARES, bugs.sums_up(bugs.with_void_as_zero)),
        V2,
        {"steady: aggregate", "steady: aggregate, as played", "terse: in_character, as played"},
    ),
    "void conversations are forgotten": (
        bugs.sums_up(lambda one: [one] if one.outcome is not None else []),
        V2,
        {"steady: void", "rambler: void", "terse: void", "careless: void"},
    ),
    "refusals stay in the means": (
        bugs.keeps(SHARES, bugs.reads(bugs.never_refused)),
        V2,
        {"careless: aggregate", "careless: aggregate, as played", "rambler: fluency, as played"},
    ),
    "refusals are not counted": (
        bugs.reads(bugs.never_refused),
        V2,
        {"careless: refusal ratio", "careless: refusal ratio, as played", "careless: conversations scored"},
    ),
    "all judges must see a refusal": (
        bugs.sums_up(bugs.refused_by_all),
        V2,
        {"careless: refusal ratio, as played", "careless: aggregate, as played"},
    ),
    "one judge's refusal drops the conversation": (
        bugs.sums_up(bugs.dropped_by_any),
        V2,
        {"careless: conversations scored", "careless: aggregate, as played"},
    ),
    "only the first judge counts": (
        bugs.sums_up(lambda one: [replace(one, verdicts=one.verdicts[:1])]),
        V2,
        {"terse: aggregate", "terse: aggregate, as played", "careless: refusal ratio, as played"},
    ),
    "verdicts are pooled over judges": (
        bugs.keeps(
            SHARES, bugs.sums_up(lambda one: [replace(one, verdicts=(v,)) for v in one.verdicts] or [one])
        ),
        V2,
        {"terse: aggregate, as played", "careless: aggregate, as played"},
    ),
    "the last turn is dropped": (
        bugs.keeps(SHARES, bugs.reads(lambda turns: turns[:-1])),
        V2,
        {"terse: entertaining, as played", "careless: aggregate, as played"},
    ),
    "turns are pooled over conversations": (
        bugs.keeps(SHARES, bugs.sums_up(bugs.with_turns_pooled)),
        V2,
        {"careless: aggregate, as played", "terse: aggregate, as played"},
    ),
    "two criteria are mixed up": (
        bugs.reads(bugs.swapped),
        V2,
        {"careless: in_character, as played", "careless: fluency, as played"},
    ),
    "the user's messages are measured": (
        bugs.sums_up(bugs.of_the_user),
        V2,
        {"rambler: length", "rambler: length, as played"},
    ),
    "short replies are rewarded": (
        bugs.says(bugs.unclipped),
        V2,
        {"terse: LN score, as played", "steady: LN score, as played"},
    ),
    "the length rule takes the mean": (bugs.says(bugs.by_the_mean), V2, {"rambler: LN score, as played"}),
    "length does not matter": (
        bugs.says(lambda row, rows: {"ln_score": row["aggregate"]}),
        V2,
        {"rambler: LN score, as played", "careless: LN score, as played"},
    ),
    "two models are mixed up": (bugs.says(bugs.mixed_up), V2, {"steady: length", "rambler: length"}),
    "unscored verdicts are zeros, version 1": (
        bugs.keeps(SHARES, bugs.sums_up(bugs.with_zeros)),
        V1,
        {"windy: aggregate, as played"},
    ),
    "the last turn is dropped, version 1": (
        bugs.keeps(SHARES, bugs.reads(lambda turns: turns[:-1] or turns)),
        V1,
        {"plain: aggregate, as played", "windy: aggregate, as played"},
    ),
    "refusals stay in the means, version 1": (
        bugs.keeps(SHARES, bugs.reads(bugs.never_refused)),
        V1,
        {"windy: aggregate, as played"},
    ),
    "version 1 goes by the rule of version 2": (
        bugs.says(bugs.by_the_mean),
        V1,
        {"windy: LN score, as played"},
    ),
}


@pytest.mark.parametrize("bug", BUGS_OF_THE_BOARD)
def test_a_bug_of_the_board_is_found_out(bug: str, recorded: Recorded) -> None:
    benchmark, version, where = BUGS_OF_THE_BOARD[bug]
    found = read_off(benchmark, TRIAL[version], *recorded(version))
    assert where <= failed(found)
    assert not recovery(TRIAL[version], [found]).passed
    assert not (found.in_order and "models are mixed up" in bug)


# Planted bugs of play and of judging

BUGS_OF_PLAY: dict[str, tuple[Benchmark, Trial, set[str]]] = {
    "the last turn is lost": (
        replace(BENCHMARK, play=bugs.one_turn_less),
        faulty(limit=8),
        {"steady: turns"},
    ),
    "the last turn is lost, version 1": (
        replace(BENCHMARK, play=bugs.one_turn_less),
        examined(limit=8),
        {"plain: turns"},
    ),
    "speakers are mixed up": (
        replace(BENCHMARK, play=bugs.who_was_who),
        faulty(limit=8),
        {"rambler: length"},
    ),
    "judges are shown the user's words as the player's": (
        bugs.shows(lambda turns: tuple(Turn(turn.player, turn.user) for turn in turns)),
        faulty(limit=8),
        {"terse: entertaining, as played", "careless: aggregate, as played"},
    ),
    "judges are not shown the first turn": (
        bugs.shows(lambda turns: turns[1:]),
        faulty(limit=8),
        {"careless: aggregate, as played"},
    ),
}


@pytest.mark.parametrize("bug", BUGS_OF_PLAY)
def test_a_bug_of_play_or_of_judging_is_found_out(bug: str) -> None:
    benchmark, trial, where = BUGS_OF_PLAY[bug]
    found = hold(benchmark, trial, 0, Tally())
    assert where <= failed(found)
    assert not recovery(trial, [found]).passed
