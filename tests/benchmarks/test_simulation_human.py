"""Judges and people: numbers worked by hand, several raters and judges, files with mistakes, and the typed flag."""

import json
from collections.abc import Callable, Sequence
from math import atanh, sqrt, tanh
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks import find
from interplay.benchmarks.simulation.evaluation import Answer
from interplay.benchmarks.simulation.human import read_human
from interplay.benchmarks.simulation.tables import summarize
from interplay.core.benchmark import Played, Scenario, Verdict
from interplay.core.board import Board, Cell, Estimate
from interplay.core.failures import Mistake
from interplay.models.loopback import Loopback, serving
from tests.cli.duelists import MODELS, answers, write_scripts
from tests.cli.provider import Typist

BENCHMARK = find("simulation")
Held = Callable[..., Board]


def answer(number: int, task: str, *, repeat: int = 0, model: str = "m", **ratings: float | None) -> Played:
    """An answer with the ratings of its judges; None where a judge failed."""
    content = {"task": task, "name": task.title(), "kind": "stateful", "type": "LastOnly", "number": number}
    verdicts = [
        Verdict(judge, "r", None if rating is None else {"explanation": "so", "rating": rating})
        for judge, rating in ratings.items()
    ]
    return Played(Scenario(content, "label"), model, repeat, Answer("text"), verdicts=tuple(verdicts))


@pytest.fixture
def held(tmp_path: Path) -> Held:
    """Holds answers against lines of a file; the table that comes of it."""

    def hold(played: Sequence[Played], *lines: str, columns: str = "scenario,model,rater,rating") -> Board:
        path = tmp_path / "people.csv"
        path.write_text("\n".join([columns, *lines]), encoding="utf-8")
        options = BENCHMARK.settle(BENCHMARK.read({"human": str(path)}))
        (found,) = [part for part in summarize(played, options).parts if part.title == "Judges and people"]
        return found

    return hold


def row(board: Board, judge: str = "j") -> dict[str, Cell]:
    return dict(next(found for found in board.rows if found["judge"] == judge))


def estimate(cell: Cell) -> Estimate:
    assert isinstance(cell, Estimate)
    return cell


FOUR = [answer(1, "x", j=8), answer(2, "x", j=6), answer(3, "y", j=9), answer(4, "z", j=4)]


def line(played: Played, *more: Any, length: int | None = 8) -> str:
    return ",".join(map(str, (played.scenario.id[:length], played.subject, *more)))


def test_without_a_file_there_is_no_table() -> None:
    titles = [part.title for part in summarize(FOUR, BENCHMARK.settle({})).parts]
    assert "Judges and people" not in titles


def test_differences_and_correlations_are_as_worked_by_hand(held: Held) -> None:
    """Two people on the first answer: 7 and 5, so 6. Differences 2, 0, 3, -1; sums by task about the mean 0, 2, -2."""
    one, two, three, four = FOUR
    board = held(
        FOUR,
        line(one, "ann", 7),
        line(one, "bob", 5, length=None),
        line(two, "ann", 6),
        line(three, "ann", "6.0"),
        line(four, "ann", 5, length=12),
    )
    (only,) = board.rows
    assert (only["judge"], only["n"], only["checked"], only["ties"]) == ("j", 4, 0, 0)
    difference = estimate(only["difference"])
    half = 4.302653 * sqrt(3 / 2 * (0 + 4 + 4) / 16)
    assert (difference.value, difference.clusters) == (1.0, (3,))
    assert difference.high == pytest.approx(1 + half, abs=1e-5)
    assert difference.low == pytest.approx(1 - half, abs=1e-5)
    pearson, spearman = estimate(only["pearson"]), estimate(only["spearman"])
    assert pearson.value == pytest.approx(2.75 / sqrt(14.75 * 0.75))
    assert pearson.low == pytest.approx(tanh(atanh(0.826807) - 1.959964), abs=1e-5)
    assert spearman.value == pytest.approx(3 / sqrt(5 * 3))
    assert spearman.high == pytest.approx(tanh(atanh(0.774597) + 1.959964 * sqrt(1.3)), abs=1e-5)
    assert estimate(only["reasonable"]).value is None
    assert board.notes[0] == "people.csv: raters 2, answers 4."


def test_the_papers_check_of_its_judge_83_of_100(held: Held) -> None:
    """Of the 17 that are not reasonable 14 are too high, 2 too low, and one has the very rating of people."""
    played = [answer(n, f"t{n}", j=7) for n in range(100)]
    people = [7] * 83 + [4] * 14 + [9] * 2 + [7]
    lines = [
        line(one, "ann", rating, "yes" if n < 83 else "No")
        for n, (one, rating) in enumerate(zip(played, people, strict=True))
    ]
    found = row(held(played, *lines, columns="scenario,model,rater,rating,reasonable"))
    reasonable, too_high = estimate(found["reasonable"]), estimate(found["too_high"])
    assert (reasonable.value, reasonable.n, reasonable.method) == (0.83, 100, "wilson")
    assert reasonable.low == pytest.approx(0.744512, abs=1e-5)
    assert reasonable.high == pytest.approx(0.891068, abs=1e-5)
    assert (too_high.value, too_high.n) == (14 / 17, 17)
    assert (found["n"], found["checked"], found["ties"]) == (100, 100, 0)


def test_more_than_half_decide_and_ties_stand_apart(held: Held) -> None:
    one, two, three, _ = FOUR
    lines = [line(one, rater, "yes") for rater in "ab"] + [line(one, "c", "no")]
    lines += [line(two, "a", "yes"), line(two, "b", "no"), line(three, "a", "no")]
    found = row(held(FOUR, *lines, columns="Scenario, Model, Rater, Reasonable"))
    reasonable, too_high = estimate(found["reasonable"]), estimate(found["too_high"])
    assert (reasonable.value, found["checked"], found["ties"], found["n"]) == (0.5, 2, 1, 0)
    assert (too_high.value, too_high.n) == (None, 0)  # nobody rated the one that is not reasonable


def test_every_judge_and_the_panel_have_a_line(held: Held) -> None:
    """The panel is the mean of those who rated; what is said of a judgement is of the panel or of the judge named."""
    one, two = answer(1, "x", j=8, k=4), answer(2, "y", j=6, k=None)
    board = held(
        [one, two],
        line(one, "ann", 5, "no", ""),
        line(one, "ann", "", "no", "j"),
        line(one, "ann", 5, "yes", "k"),
        line(two, "ann", 8, "yes", "k"),
        columns="scenario,model,rater,rating,reasonable,judge",
    )
    assert [found["judge"] for found in board.rows] == ["j", "k", "the panel"]
    j, k, panel = (row(board, name) for name in ("j", "k", "the panel"))
    assert [estimate(found["difference"]).value for found in (j, k, panel)] == [0.5, -1.0, -0.5]
    assert [found["n"] for found in (j, k, panel)] == [2, 1, 2]
    assert [estimate(found["reasonable"]).value for found in (j, k, panel)] == [0.0, 1.0, 0.0]
    assert [estimate(found["too_high"]).value for found in (j, k, panel)] == [1.0, None, 1.0]
    assert k["checked"] == 1  # it gave no judgement of the second answer that could be reasonable


def test_what_is_said_of_other_answers_is_left_out_and_counted(held: Held) -> None:
    void = Played(answer(9, "v").scenario, "m", 0, failure="provider")
    one = FOUR[0]
    board = held(
        [*FOUR, void],
        line(one, "ann", 7),
        "00000000,m,ann,7",
        f"{one.scenario.id},M2,ann,7",
        line(void, "ann", 7),
    )
    assert board.notes[0] == (
        "people.csv: raters 1, answers 1. 3 of its 4 lines are left out, the first of them line 3: there is no "
        "scenario '00000000' here."
    )
    assert row(board)["n"] == 1
    empty = held(FOUR, f"{one.scenario.id},mm,ann,7")
    assert row(empty)["n"] == 0
    assert "line 2: there is no model 'mm' here; did you mean 'm'?" in empty.notes[0]


def test_repeats_are_told_apart(held: Held) -> None:
    played = [answer(1, "x", j=8), answer(1, "x", j=3, repeat=1)]
    with pytest.raises(Mistake, match="line 2: the model answered this several times; a column repeat"):
        held(played, line(played[0], "ann", 5))
    board = held(played, line(played[1], "ann", 5, 2), columns="scenario,model,rater,rating,repeat")
    assert estimate(row(board)["difference"]).value == -2.0
    board = held(played, line(played[1], "ann", 5, 3), columns="scenario,model,rater,rating,repeat")
    assert row(board)["n"] == 0
    assert "m has no such answer" in board.notes[0]


def test_a_beginning_of_two_ids_is_refused(held: Held) -> None:
    played = []
    for end in "ab":
        scenario = Scenario({"task": "x", "name": "X", "kind": "stateful", "type": "LastOnly"}, "label")
        vars(scenario)["id"] = "0123456789" + end  # where the hash of its content would be kept
        played.append(Played(scenario, "m", 0, Answer("t"), verdicts=answer(1, "x", j=5).verdicts))
    with pytest.raises(Mistake, match="line 2: 2 scenarios begin with '01234567'; write more of the id"):
        held(played, "01234567,m,ann,5")


@pytest.mark.parametrize(
    "columns, lines, what",
    [
        ("scenario,model,rater,rating", ["{id},m,ann,5", "{id},m,ann,6"], "line 3: 'ann' rated .* on line 2"),
        ("scenario,model,rater,reasonable", ["{id},m,ann,no", "{id},m,ann,no"], "line 3: 'ann' .* on line 2"),
        ("scenario,model,rater,rating", [], "has no ratings"),
        ("scenario,model,rater", ["{id},m,ann"], "lacks a column rating or reasonable"),
        ("scenario,model,rating", ["{id},m,5"], "lacks the column rater"),
        ("scenario,model,rater,resonable", ["{id},m,ann,no"], "did you mean 'reasonable'"),
        ("scenario,model,rater,rating,rating", ["{id},m,ann,5,5"], "the column rating twice"),
        ("scenario,model,rater,rating", ["{id},m,ann"], "line 2 has 3 cells, not 4"),
        ("scenario,model,rater,rating", ["{id},m,ann,11"], "line 2: rating is a number from 1 to 10, not '11'"),
        ("scenario,model,rater,rating", ["{id},m,ann,nan"], "from 1 to 10, not 'nan'"),
        ("scenario,model,rater,rating", ["{id},m,ann,good"], "from 1 to 10, not 'good'"),
        ("scenario,model,rater,rating", ["{id},m,ann,"], "neither a rating nor reasonable"),
        ("scenario,model,rater,rating", ["{id},m,,5"], "rater is empty"),
        ("scenario,model,rater,rating", ["abc,m,ann,5"], "its first 8 characters or more, not 'abc'"),
        ("scenario,model,rater,reasonable", ["{id},m,ann,maybe"], "reasonable is yes or no, not 'maybe'"),
        ("scenario,model,rater,rating,repeat", ["{id},m,ann,5,0"], "repeat is a whole number from 1, not '0'"),
        ("scenario,model,rater,rating", ['{id},m,"ann,5'], "line 2 is no line of a .csv file"),
        ("", [], "is empty; its first line must be scenario,model,rater,rating,reasonable"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_file_is_one_line(held: Held, columns: str, lines: list[str], what: str) -> None:
    filled = [one.format(id=FOUR[0].scenario.id) for one in lines]
    with pytest.raises(Mistake, match=what) as found:
        held(FOUR, *filled, columns=columns)
    assert "\n" not in str(found.value)
    assert "people.csv" in str(found.value)


def test_a_file_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match=r"nowhere\.csv cannot be read"):
        read_human(str(tmp_path / "nowhere.csv"))


def test_show_holds_a_run_against_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The judge's rating is the quality that an answer names; people here find every answer two worse."""
    typist = Typist(tmp_path / "interplay.db", capsys)
    cast = [part for name in MODELS for part in ("--model", name)]
    with serving(Loopback(answers)) as url:
        typist.reads(
            *("run", "simulation", "--data", str(write_scripts(tmp_path)), *cast),
            *("--model-role", "judge=openai/fair", "--base-url", url),
        )
    exported = [
        json.loads(text) for text in typist.types("export", "last", "-", "--format", "jsonl").splitlines()
    ]
    rated = [one for one in exported if one["kind"] == "conversation" and one["scores"][1]["value"] > 2]
    lines = [
        f"{one['scenario']['id'][:8]},{one['model']},ann,{one['scores'][1]['value'] - 2},no" for one in rated
    ]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["scenario,model,rater,rating,reasonable", *lines]), encoding="utf-8")
    board = typist.reads("show", "last", "--human", str(path))
    (table,) = [part for part in board["parts"] if part["title"] == "Judges and people"]
    (only,) = table["rows"]
    assert (only["judge"], only["n"], only["difference"]["value"]) == ("openai/fair", len(rated), 2.0)
    assert (only["pearson"]["value"], only["spearman"]["value"]) == (1.0, 1.0)
    assert (only["reasonable"]["value"], only["too_high"]["value"]) == (0.0, 1.0)
    assert "Judges and people" in typist.types("show", "last", "--human", str(path))
    assert "Judges and people" not in typist.types("show", "last")
    path.write_text("scenario,model,rating\n", encoding="utf-8")
    assert "lacks the column rater" in typist.mistakes("show", "last", "--human", str(path))
