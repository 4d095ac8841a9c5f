"""import, within: who judged how many, what is left to judge of uneven files, and rows that are all alike."""

import os
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from interplay.benchmarks import find
from interplay.benchmarks.role_play.protocol import Dialogue, Turn
from interplay.core.benchmark import Played, Scenario
from interplay.core.importing import Imported
from interplay.models.loopback import Loopback, serving
from interplay.running import import_sorting
from interplay.running.import_sorting import Sorting
from interplay.running.plan import make_plan
from interplay.running.spec import spec_of
from interplay.store.records import Records
from tests.cli.provider import Typist
from tests.interop.elsewhere import STORM, annotated, four, log, result, scores, write_json, write_lines
from tests.running.job import answer

HIGH, LOW = [scores((5, 5))] * 4, [scores((1, 1))] * 4


@pytest.fixture
def typist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Typist:
    return Typist(tmp_path / "interplay.db", capsys)


def judged(folder: Path, player: str, judge: str, marks: list[Any], count: int = 4) -> str:
    """A file of the first of four conversations."""
    outputs = four(f"It is {player}", marks)[:count]
    return str(write_json(folder / f"{player}-{judge}.json", result(player, judge, outputs)))


def test_a_judge_of_a_part_makes_no_board_of_two_models(typist: Typist, tmp_path: Path) -> None:
    whole = [
        judged(tmp_path, player, judge, marks)
        for player in ("player-a", "player-b")
        for judge, marks in (("lenient", HIGH), ("severe", LOW))
    ]
    part = judged(tmp_path, "player-b", "severe", LOW, count=1)
    assert part == whole[3]
    assert (
        "severe judged 1 of 4 conversations of player-b: not one board; import each model by itself, "
        "or leave out what severe said" in typist.mistakes("import", *whole, "--as", "pingpong")
    )
    without = typist.reads("import", whole[0], whole[2], "--as", "pingpong")
    assert (without["models"], without["verdicts"]) == (["player-a", "player-b"], 8)


def test_a_board_says_who_judged_how_many_until_it_is_judged_here(typist: Typist, tmp_path: Path) -> None:
    files = [judged(tmp_path, "player-a", "lenient", HIGH), judged(tmp_path, "player-a", "severe", LOW, 1)]
    run = typist.reads("import", *files, "--as", "pingpong")["run"]
    note = "of 4 conversations that were judged, lenient judged 4, severe judged 1."
    assert note in " ".join(typist.reads("show", run)["notes"])
    with Records(typist.store) as records:
        counts = records.find(run).extent["imported"]
    assert (counts["judged"], counts["judges"]) == (4, {"lenient": 4, "severe": 1})
    with serving(Loopback(answer)) as url:
        board = typist.reads("judge", run, "--model-role", "judge=openai/judge-1", "--base-url", url)
    assert "judged 1" not in " ".join(board["notes"])


def test_one_that_was_judged_in_part_stands_apart_on_boards(typist: Typist, tmp_path: Path) -> None:
    for player, count in (("player-a", 4), ("player-b", 1), ("player-c", 4)):
        files = [judged(tmp_path, player, "lenient", HIGH), judged(tmp_path, player, "severe", LOW, count)]
        typist.reads("import", *files, "--as", "pingpong")
    groups = typist.reads("board", "role_play")
    assert [sorted(row["model"] for row in one["rows"]) for one in groups] == [
        ["player-a", "player-c"],
        ["player-b"],
    ]
    assert "judged in part" in groups[1]["apart"]


def test_a_plan_counts_what_there_is(typist: Typist, tmp_path: Path) -> None:
    rows = [log("a", "Is it warm?" if number else "Is it cold?", f"answer {number}") for number in range(6)]
    run = typist.reads("import", str(write_lines(tmp_path / "logs.jsonl", rows)), "--as", "openai")["run"]
    told = typist.reads("judge", run, "--model-role", "judge=openai/j", "--plan")
    assert told["scenarios"] == 6, "one prompt once and one five times, not each five times"


def test_what_was_only_labelled_is_nothing_that_a_judge_left_out(typist: Typist, tmp_path: Path) -> None:
    files = [
        judged(tmp_path, player, judge, HIGH)
        for player in ("player-a", "player-b")
        for judge in ("one", "two")
    ]
    named = {"interrogator": {"model_name": "user-mini"}}
    labels = write_lines(tmp_path / "people.jsonl", [annotated("Ada", STORM, {"fluency": 4}, **named)])
    made = typist.reads("import", *files, str(labels), "--as", "pingpong")
    assert (made["conversations"], made["verdicts"], made["labels"]) == (9, 16, 1)
    assert "Not all of its judges" not in " ".join(typist.reads("show", made["run"])["notes"])


def test_a_plan_has_what_the_files_have_and_not_the_product(typist: Typist, tmp_path: Path) -> None:
    once = [log(model, f"question {n}", f"answer {n}") for n in range(100) for model in ("a", "b")]
    often = [log("a", "hello", f"answer {n}") for n in range(500)]
    file = write_lines(tmp_path / "logs.jsonl", [*often, *once])
    run = typist.reads("import", str(file), "--as", "openai")["run"]
    transcripts = find("transcripts")
    with Records(typist.store) as records:
        found = records.find(run)
        scenarios, extent = records.scenarios(found), {**found.extent, "judges": ["j"], "rubric": "r"}
        assert (extent["limit"], extent["epochs"]) == (101, 500)
        spec = spec_of(found.identity, found.extent)
        works = make_plan(transcripts, spec, scenarios, records, found, extent).works
    assert not any(work.play for work in works)
    order = [(work.place.repeat, work.place.scenario.id, work.place.subject) for work in works]
    assert order == sorted(order)  # the scenarios come by their ids, the models take turns
    assert Counter(subject for _, _, subject in order) == {"a": 600, "b": 100}


def test_many_rows_of_one_scenario_cost_as_much_as_of_many() -> None:
    def row(number: int) -> Imported:
        outcome = Dialogue((Turn("Hello", f"answer {number}"),))
        return Imported(
            f"line {number}", Played(Scenario({}, "x"), "m", 0, outcome, cast={"player": "m"}), ()
        )

    def steps(count: int) -> int:
        """Lines of our own that are gone through to place so many rows."""
        rows, sorting, found = [row(number) for number in range(count)], Sorting(), 0

        def trace(frame: FrameType, event: str, arg: object) -> Any:
            nonlocal found
            found += event == "line"
            return trace if frame.f_code.co_filename == import_sorting.__file__ else None

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            repeats = [sorting.place("a.jsonl", one).repeat for one in rows]
        finally:
            sys.settrace(before)
        assert repeats == list(range(count))
        return found

    assert steps(400) <= 4.4 * steps(100)


def test_what_can_be_read_only_once_is_refused(typist: Typist, tmp_path: Path) -> None:
    plain = write_lines(tmp_path / "logs.jsonl", [log("a", "hello", "hi")])
    out, into = os.pipe()
    try:
        os.write(into, plain.read_bytes())
        os.close(into)
        pipe = f"/dev/fd/{out}"
        said = typist.mistakes("import", pipe, "--as", "openai")
        assert f"{pipe} is no plain file, and it is read more than once; write it to a file first" in said
        assert pipe in typist.mistakes("import", str(plain), "--as", "openai", "--data", pipe)
    finally:
        os.close(out)
    assert typist.reads("import", str(plain), "--as", "openai")["conversations"] == 1
