"""Biases: planted likings of judges are recovered, and where nothing can be told there is a reason."""

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from interplay.analysis.biases import ALL_JUDGES, NOBODY, OTHERS, PEOPLE, bias_board
from interplay.benchmarks import find
from interplay.core.benchmark import Verdict
from interplay.core.board import Board, Estimate
from interplay.core.failures import Mistake
from interplay.running.pairing import KEPT_AS, item_of
from interplay.store.journal import Journal
from interplay.store.labels import Given, Labels
from interplay.store.records import Records
from interplay.store.writer import Writer
from tests.analysis.planted import Talk, acted, measure_of, rated, record, void

SHORT, LONG = 99, 899  # characters: half of each makes one standard deviation a factor of three
FAIR, FOND, KIN = "openai/judge", "openai/warden", "openai/claude-3"
PAIRS = "What sways judges of pairs"
REFUSES = "I can't help with that. "
Judges = Mapping[str, Callable[["Answered"], int]]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


class Answered:
    """An answer of planted merit, whose length, family and refusal have nothing to do with it."""

    def __init__(self, number: int, model: str, *, refusing: bool = False):
        rng = Random(f"{number} {model}")
        self.number, self.model = number, model
        self.merit = rng.randint(4, 7)
        self.long = 1 if rng.random() < 0.5 else -1
        self.refused = refusing and rng.random() < 0.4

    def noise(self, judge: str) -> int:
        return Random(f"{self.number} {self.model} {judge}").choice((-1, 0, 1))

    @property
    def text(self) -> str:
        start = REFUSES if self.refused else ""
        return start + "x" * ((LONG if self.long > 0 else SHORT) - len(start))


def fair(one: Answered) -> int:
    return one.merit + one.noise("fair")


def fond_of_length(one: Answered) -> int:
    return one.merit + one.noise("fond") + one.long


def answers(models: Sequence[str], count: int, *, refusing: bool = False) -> list[Answered]:
    return [Answered(number, model, refusing=refusing) for number in range(count) for model in models]


def judged(all_: Sequence[Answered], judges: Judges) -> list[Talk]:
    return [
        rated(one.number, one.model, text=one.text, **{name: judge(one) for name, judge in judges.items()})
        for one in all_
    ]


def board(store: Path, by: str = "", run_: str = "last", **families: str) -> Board:
    with Records(store) as records, Labels(store) as labels:
        run = records.find(run_)
        said = {name.replace("__", "/"): family for name, family in families.items()}
        return bias_board(records, labels, run, find(run.benchmark), measure_of(run, by), said)


def row(found: Board, **cells: str) -> Mapping[str, Any]:
    (one,) = [row for row in found.rows if all(row[key] == value for key, value in cells.items())]
    return one


def recovers(cell: Any, truth: float) -> bool:
    """Is the planted effect within an interval that could have missed it?"""
    assert isinstance(cell, Estimate)
    if cell.value is None or cell.low is None or cell.high is None:
        return False
    return cell.low <= truth <= cell.high and cell.high - cell.low < 1.2


def label(store: Path, all_: Sequence[Answered], count: int) -> None:
    """People see merit alone; of the first conversations."""
    with Records(store) as records:
        rows = {(one.scenario.label, one.subject): one for one in records.conversations(records.find("last"))}
    given = [
        Given(rows[f"script {one.number}", one.model].number, "ann", "rating", float(one.merit))
        for one in all_[:count]
    ]
    with Labels(store) as labels:
        labels.add(given)


class TestRatings:
    def test_a_liking_of_length_shows_against_people_and_against_other_judges(self, store: Path) -> None:
        all_ = answers(("m", "n"), 50)
        record(store, "simulation", judged(all_, {FAIR: fair, FOND: fond_of_length}))
        label(store, all_, 80)
        found = board(store)
        assert found.title == "What sways judges, by rating"
        for against in (PEOPLE, OTHERS):
            fond = row(found, judge=FOND, against=against)
            assert recovers(fond["length"], 1.0)
            assert fond["length"].low > 0
            assert fond["n"] == {PEOPLE: 80, OTHERS: 100}[against]
        assert recovers(row(found, judge=FAIR, against=PEOPLE)["length"], 0.0)
        assert recovers(
            row(found, judge=FAIR, against=OTHERS)["length"], -1.0
        )  # one's more is the other's less
        assert "One standard deviation of length: 3 times as long." in found.notes
        assert len(found.rows) == 4

    def test_few_labels_are_not_held_against_a_judge(self, store: Path) -> None:
        all_ = answers(("m", "n"), 20)
        record(store, "simulation", judged(all_, {FAIR: fair, FOND: fond_of_length}))
        label(store, all_, 9)
        assert {line["against"] for line in board(store).rows} == {OTHERS}
        label(store, all_[9:], 1)
        assert {line["against"] for line in board(store).rows} == {OTHERS, PEOPLE}

    def test_a_judge_alone_has_a_trend_that_may_be_merit(self, store: Path) -> None:
        record(store, "simulation", judged(answers(("m", "n"), 60), {FOND: fond_of_length}))
        found = board(store)
        [only] = found.rows
        assert (only["judge"], only["against"], only["n"]) == (FOND, NOBODY, 120)
        assert recovers(only["length"], 1.0)
        assert "merit is not ruled out" in only["length"].method
        assert only["same_family"].value is None
        assert any("Against nobody it may be merit" in note for note in found.notes)
        told = f"No value for {FOND} against nobody, same family: nobody else rated the same answers."
        assert told in found.notes

    def test_a_refusal_s_points_are_found_by_how_messages_begin(self, store: Path) -> None:
        def harsh(one: Answered) -> int:
            return one.merit + one.noise("harsh") - 2 * one.refused

        all_ = answers(("m", "n"), 50, refusing=True)
        record(store, "simulation", judged(all_, {FAIR: fair, FOND: harsh}))
        found = row(board(store), judge=FOND)
        assert recovers(found["refusal"], -2.0)
        assert recovers(found["length"], 0.0)

    def test_a_family_is_told_by_names_or_by_the_user(self, store: Path) -> None:
        kin, stranger = "openai/claude-2", "openai/mine"

        def loyal(one: Answered) -> int:
            return one.merit + one.noise("loyal") + (one.model == kin)

        record(store, "simulation", judged(answers((kin, stranger), 50), {FAIR: fair, KIN: loyal}))
        found = board(store)
        assert recovers(row(found, judge=KIN)["same_family"], 1.0)
        assert row(found, judge=FAIR)["same_family"].value is None
        assert any(f"{KIN} claude, {FAIR} judge, {stranger} mine" in note for note in found.notes)
        turned = board(store, **{"openai__mine": "claude", "openai__claude-2": "other"})
        assert recovers(row(turned, judge=KIN)["same_family"], -1.0)
        both = board(store, **{"openai__mine": "claude"})
        assert row(both, judge=KIN)["same_family"].value is None
        told = f"No value for {KIN} against the other judges, same family: no answer sets the judge's family apart."
        assert told in both.notes


@pytest.mark.parametrize(
    ("talks", "words"),
    [
        ([rated(1, j=5)], "equally long"),
        ([rated(1, j=5, k=6)], "equally long"),
        ([rated(n, m, j=5, k=6) for n in range(12) for m in "ab"], "equally long"),
        ([rated(1, text="", j=5), rated(2, text="", j=6)], "equally long"),
        ([rated(1, j=5), rated(2, k=6), void(3)], "nobody else rated"),
        ([rated(1, j=5, k=None), rated(2, j=6, k=6)], "equally long"),
    ],
)
def test_where_nothing_can_be_told_there_is_a_reason(store: Path, talks: list[Talk], words: str) -> None:
    record(store, "simulation", talks)
    found = board(store)
    assert found.rows
    for line in found.rows:
        assert (line["length"].value, line["same_family"].value, line["refusal"].value) == (None, None, None)
    assert words in " ".join(found.notes)
    assert sum(note.startswith("No value for") for note in found.notes) == 3 * len(found.rows)


def test_two_answers_have_a_slope_but_no_interval(store: Path) -> None:
    record(store, "simulation", [rated(1, text="a", j=5, k=5), rated(2, text="b" * 80, j=9, k=2)])
    found = board(store)
    slope = row(found, judge="j")["length"]
    assert (slope.value, slope.low, slope.high) == (pytest.approx(3.5), None, None)
    assert "No interval for j against the other judges, length: rests on a single cluster." in found.notes


def test_no_lines_are_no_length(store: Path) -> None:
    talks = [rated(n, j=5 + n % 3, k=5) for n in range(6)]
    record(store, "simulation", [Talk(one.scenario, "m", one.outcome, one.verdicts) for one in talks])
    assert {line["length"].value for line in board(store).rows} == {None}


def test_each_measure_of_judges_can_be_looked_at(store: Path) -> None:
    record(store, "role_play", [acted(n, j=(3, 4, 5), k=(4, 4, 4)) for n in range(12)])
    assert board(store).title == "What sways judges, by final"
    assert board(store, "fluency").title == "What sways judges, by fluency"


def test_what_no_judge_saw_is_a_mistake(store: Path) -> None:
    record(store, "simulation", [rated(1), void(2)])
    with pytest.raises(
        Mistake, match=r"was not judged by rating; judge it with: interplay judge simulation-"
    ):
        board(store)
    ruled = record(store, "word_guessing", []).id
    with pytest.raises(Mistake, match="age is measured by rule: there is no judge to be swayed"):
        board(store, run_=ruled)


def logistic(logits: float) -> float:
    return 1 / (1 + math.exp(-logits))


def compare_in_pairs(store: Path, liking: Mapping[str, Callable[[Any, Any], float]]) -> None:
    """Every judge sees every two answers in both orders, and is for the first by so many logits."""
    with Records(store) as records:
        run = records.find("last")
        rows = records.conversations(run)
    by_scenario: dict[str, list[Any]] = {}
    for one in rows:
        by_scenario.setdefault(one.scenario.id, []).append(one)

    async def write() -> None:
        writer = Writer(store)
        journal = Journal(writer, run.number)
        try:
            await journal.extend({**run.extent, KEPT_AS: {"judges": sorted(liking), "rubric": "pairs"}})
            for met in by_scenario.values():
                for first, second in ((a, b) for a in met for b in met if a is not b):
                    for judge, logits in liking.items():
                        chance = Random(f"{judge} {first.number} {second.number}").random()
                        better = "A" if chance < logistic(logits(first, second)) else "B"
                        said = Verdict(judge, "pairs", {"explanation": "", "better": better})
                        await journal.judged(first.number, item_of(first.number, second.number), said)
        finally:
            await writer.close()

    asyncio.run(write())


class TestPairs:
    MODELS = ("openai/claude-2", "openai/mine", "openai/other")

    def test_position_length_and_family_are_recovered(self, store: Path) -> None:
        record(store, "simulation", judged(answers(self.MODELS, 40), {}))
        lengths = {}
        with Records(store) as records:
            for one in records.conversations(records.find("last")):
                lengths[one.number] = math.log1p(sum(len(line.text) for line in one.lines if line.source))
        ratios = [lengths[a] - lengths[b] for a in lengths for b in lengths]
        typical = math.sqrt(sum(ratio**2 for ratio in ratios) / len(ratios))

        def placed(first: Any, second: Any) -> float:
            return 1.0

        def fond(first: Any, second: Any) -> float:
            return 0.8 * (lengths[first.number] - lengths[second.number]) / typical

        def loyal(first: Any, second: Any) -> float:
            return float((first.subject == self.MODELS[0]) - (second.subject == self.MODELS[0]))

        compare_in_pairs(store, {FAIR: placed, FOND: fond, KIN: loyal})
        found = board(store)
        assert (found.title, found.parts) == (PAIRS, ())  # nobody rated
        assert [line["judge"] for line in found.rows] == [*sorted((FAIR, FOND, KIN)), ALL_JUDGES]
        place = row(found, judge=FAIR)
        assert recovers(place["position"], 1.0)
        assert recovers(place["length"], 0.0)
        assert place["first"].value == pytest.approx(logistic(1.0), abs=0.08)
        # Both orders agree where one of them goes against the place.
        agree = 2 * logistic(1.0) * (1 - logistic(1.0))
        assert place["consistent"].value == pytest.approx(agree, abs=0.1)
        assert place["tied"].value == pytest.approx(1 - place["consistent"].value)
        assert place["by_order"].value == 1.0
        assert place["n"] == 240
        length = row(found, judge=FOND)
        assert recovers(length["length"], 0.8)
        assert recovers(length["position"], 0.0)
        alone = row(found, judge=KIN)
        assert alone["same_family"].value is None  # a judge's kin may as well be better
        told = f"No value for {KIN}, same family: family and strength always go together"
        assert any(note.startswith(told) for note in found.notes)
        together = row(found, judge=ALL_JUDGES)
        assert together["n"] == 3 * 240
        assert recovers(together["same_family"], 1.0)
        assert any("The typical ratio of two lengths" in note for note in found.notes)

    def test_pairs_stand_beside_ratings_and_one_judge_has_no_row_of_all(self, store: Path) -> None:
        record(store, "simulation", judged(answers(("m", "n"), 10), {FAIR: fair}))
        compare_in_pairs(store, {FAIR: lambda first, second: 0.0})
        found = board(store)
        [pairs] = found.parts
        assert (found.title, pairs.title) == ("What sways judges, by rating", PAIRS)
        assert [line["judge"] for line in pairs.rows] == [FAIR]

    def test_a_single_pair_has_reasons(self, store: Path) -> None:
        record(store, "simulation", judged(answers(("m", "n"), 1), {}))
        compare_in_pairs(store, {FAIR: lambda first, second: 9.0})
        found = board(store)
        [only] = found.rows
        assert (only["n"], only["consistent"].value, only["first"].value) == (2, 0.0, 1.0)
        assert {only[name].value for name in ("position", "length", "same_family")} == {None}
        assert sum(note.startswith("No value for") for note in found.notes) == 3
