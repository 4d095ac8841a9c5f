"""Entries: what each conversation comes to by a measure, and why some come to nothing."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from interplay.analysis.entries import Entry, entries_of, estimated, said_by, told_of_missing
from interplay.benchmarks import find
from interplay.core.benchmark import Scenario
from interplay.core.conversation import Line
from interplay.core.measures import YES_OR_NO, Measure, Scale
from interplay.statistics.clustered_rates import clustered_rate
from interplay.store.records import ConversationRow, Records
from tests.analysis.planted import Talk, acted, measure_of, rated, record, script, void
from tests.benchmarks.verdicts import verdict

FLAG = Measure("refused", "", YES_OR_NO)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


def entries(store: Path, benchmark: str, by: str = "", order: tuple[str, ...] = ()) -> list[Entry]:
    with Records(store) as records:
        runs = [records.find(id) for id in order] or records.runs()
        return entries_of(records, runs, find(benchmark), measure_of(runs[0], by))


def entry(value: float | None, *ways: str) -> Entry:
    values = {} if value is None else {"j": value}
    return Entry("r", 1, Scenario({}, "s"), "m", 0, ways, {}, values, "scored" if values else "void")


def test_judges_speak_apart_and_the_value_is_their_mean(store: Path) -> None:
    record(store, "simulation", [rated(1, a=4, b=9), rated(2, a=None, b=3)])
    both, one = entries(store, "simulation")
    assert (dict(both.values), both.value, both.state) == ({"a": 4.0, "b": 9.0}, 6.5, "scored")
    assert (dict(one.values), one.value, one.state) == ({"b": 3.0}, 3.0, "scored")
    assert (both.ways, both.unit) == (("task 1",), (script(1).id, 0))
    assert both.length == len("done")


def test_void_unjudged_and_set_aside_are_told_apart(store: Path) -> None:
    record(store, "simulation", [rated(1, j=5), void(2), rated(3, j=None), rated(4)])
    found = sorted(entries(store, "simulation"), key=lambda one: one.number)
    assert [one.state for one in found] == ["scored", "void", "unjudged", "unjudged"]
    assert [one.is_missing for one in found] == [False, True, True, True]
    assert told_of_missing(found) == [
        "Left out, of 4 conversations: 1 not played to the end, 2 without a verdict."
    ]
    assert told_of_missing(found[:1]) == []


def test_a_refusal_has_no_criteria_but_is_a_refusal(store: Path) -> None:
    record(store, "role_play", [acted(1, j=(5, 4, 3)), acted(2, refused=True, j=None)])
    played, refused = entries(store, "role_play")
    assert (played.value, played.ways) == (4.0, find("role_play").ways(played.scenario))
    assert (refused.value, refused.state, refused.is_missing) == (None, "set aside", False)
    assert [one.value for one in entries(store, "role_play", "refused")] == [0.0, 1.0]
    assert [one.value for one in entries(store, "role_play", "fluency")] == [3.0, None]


def test_where_judges_differ_on_a_refusal_the_other_s_criteria_count(store: Path) -> None:
    talk = acted(1, a=(5, 5, 5))
    split = Talk(talk.scenario, "m", talk.outcome, (*talk.verdicts, verdict("b", (1, 1, 1), refused=(0,))))
    record(store, "role_play", [split])
    [one] = entries(store, "role_play")
    assert dict(one.values) == {"a": 5.0}
    assert entries(store, "role_play", "refused")[0].value == 0.5


@pytest.mark.parametrize("turned", [False, True])
def test_a_model_that_two_runs_measured_counts_once_by_the_newer(store: Path, turned: bool) -> None:
    old = record(store, "simulation", [rated(1, "m", j=2), rated(1, "n", j=3), rated(2, "m", j=2)])
    new = record(store, "simulation", [rated(1, "m", j=9), rated(1, "o", j=4)])
    order = (new.id, old.id) if turned else (old.id, new.id)
    found = {(one.model, one.scenario.label): one.value for one in entries(store, "simulation", order=order)}
    assert found == {
        ("m", "script 1"): 9.0,
        ("m", "script 2"): 2.0,
        ("n", "script 1"): 3.0,
        ("o", "script 1"): 4.0,
    }


def test_repeats_are_units_of_their_own(store: Path) -> None:
    record(store, "simulation", [rated(1, j=2), rated(1, repeat=1, j=4)])
    assert [(one.repeat, one.value) for one in entries(store, "simulation")] == [(0, 2.0), (1, 4.0)]


class TestEstimates:
    def test_of_nothing_there_is_none(self) -> None:
        assert estimated([entry(None, "a")], FLAG).value is None

    def test_a_rate_of_none_has_room_above_it_clustered_in_two_ways(self) -> None:
        mine = [entry(0.0, f"c{number % 8}", f"s{number // 8}") for number in range(24)]
        found = estimated(mine, FLAG)
        by_character, by_situation = (
            clustered_rate([False] * 24, [one.ways[way] for one in mine]) for way in (0, 1)
        )
        assert (found.value, found.low) == (0.0, 0.0)
        assert found == by_situation  # three clusters leave more doubt than eight
        assert found.high is not None
        assert by_character.high is not None
        assert found.high > by_character.high > 0.2

    def test_a_mean_is_clustered_in_all_ways(self) -> None:
        mine = [entry(float(number % 5), f"c{number % 8}", f"s{number // 8}") for number in range(24)]
        found = estimated([*mine, entry(None, "c9", "s9")], Measure("x", "", Scale(0, 4)))
        assert (found.n, found.clusters, found.method) == (24, (8, 3), "two-way t")


def test_what_is_passed_on_is_heard_once_and_seats_share_their_role() -> None:
    lines = [
        Line("player", ("player",), "I think."),
        Line("player", ("player", "user"), "I think."),
        Line("player 2", ("player",), "Me too."),
        Line("user", ("player",), "No."),
    ]
    kept = json.dumps([asdict(line) for line in lines])
    row = ConversationRow(1, script(1), "m", {}, 0, 0, "done", "", "", "p", None, kept)
    assert said_by(row, {"player"}) == ["I think.", "Me too."]
    assert said_by(row, {"judge"}) == []
