"""Sheets for raters: blind, harmless, complete; and files of labels that say again what was said."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from interplay.core.benchmark import Scenario
from interplay.core.conversation import Line
from interplay.core.failures import Mistake
from interplay.core.measures import YES_OR_NO, Scale
from interplay.judging.labels import labels_of_file
from interplay.reporting.sheets import LABELS, SHEET, write_labels, write_sheet
from interplay.store.labels import Given
from interplay.store.records import Records
from tests.analysis.planted import Talk, rated, record, sheet

CRITERIA = {"rating": Scale(1, 10), "good": YES_OR_NO, "share": Scale(0, 1, whole=False)}
SECRET = "openai/secret-model"
FORMULA = '=HYPERLINK("http://evil.example")'
ENDINGS = (".csv", ".jsonl")


def talk(number: int, content: Any, label: str, *lines: Line) -> Talk:
    """A conversation of the model whose name nobody is to see."""
    played = rated(number, SECRET)
    return Talk(Scenario(content, label), SECRET, played.outcome, lines=lines)


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Records]:
    content = {
        "task": "a clock",
        "keeps": ["time", "date"],
        "history": [{"request": "=1+1", "answer": "2"}],
        "none": "",
    }
    hostile = {"task": "@task", "request": "-2+3"}
    (tmp_path / "store").mkdir()
    store = tmp_path / "store" / "a.db"
    record(
        store,
        "simulation",
        [
            talk(
                *(1, content, "The clock"),
                Line("", ("simulator",), "What time is it?"),
                Line("simulator", ("simulator",), "I shall say noon, and tell nobody."),
                Line("simulator", ("simulator", "user"), "Noon.\n=2+2 \x1b[31m\u202e"),
                Line("user", ("user", "simulator"), "Thank you; +3"),
            ),
            talk(2, hostile, FORMULA, Line("simulator", ("simulator",), "Only I have heard this.")),
        ],
    )
    with Records(store) as found:
        yield found


def written(records: Records, folder: Path, ending: str = ".csv", *numbers: int) -> list[dict[str, str]]:
    path = folder / f"sheet{ending}"
    write_sheet(path, records, "draw-1", numbers or (1, 2), CRITERIA)
    return sheet(path)


@pytest.mark.parametrize("ending", ENDINGS)
class TestOfBothKinds:
    def test_a_row_for_each_criterion_waits_for_rater_and_value(
        self, records: Records, tmp_path: Path, ending: str
    ) -> None:
        rows = written(records, tmp_path, ending, 2, 1)
        assert [tuple(row) for row in rows] == [SHEET] * 6
        assert [(str(row["conversation"]), row["criterion"]) for row in rows] == [
            (number, name) for number in ("2", "1") for name in CRITERIA
        ]
        assert [row["scale"] for row in rows[:3]] == [str(scale) for scale in CRITERIA.values()]
        assert {(row["drawn"], row["rater"], row["value"]) for row in rows} == {("draw-1", "", "")}
        assert [bool(row["text"]) for row in rows] == [True, False, False] * 2  # a text is there once

    def test_no_model_is_named_anywhere(self, records: Records, tmp_path: Path, ending: str) -> None:
        assert records.conversation(1).subject == SECRET
        written(records, tmp_path, ending)
        text = (tmp_path / f"sheet{ending}").read_text(encoding="utf-8")
        assert "secret" not in text
        assert "openai" not in text

    def test_it_tells_the_scenario_and_what_was_heard(
        self, records: Records, tmp_path: Path, ending: str
    ) -> None:
        text = written(records, tmp_path, ending)[0]["text"]
        about, _, said = text.partition("\n\n* * *\n\n")
        lines = {line.removeprefix("'") for line in about.splitlines()}
        told = {"task: a clock", "keeps: time, date", "history 1 request: =1+1", "history 1 answer: 2"}
        assert lines == told  # and nothing of what is empty
        assert said.startswith("(told): What time is it?\n\nsimulator: Noon.")
        assert "user: Thank you" in said
        assert "tell nobody" not in said

    def test_where_all_is_private_it_is_shown(self, records: Records, tmp_path: Path, ending: str) -> None:
        assert "Only I have heard this." in written(records, tmp_path, ending, 2)[0]["text"]

    def test_another_store_or_a_broken_path_is_refused(
        self, records: Records, tmp_path: Path, ending: str
    ) -> None:
        with pytest.raises(Mistake, match="its folder does not exist"):
            write_sheet(tmp_path / f"no/sheet{ending}", records, "draw-1", (1,), CRITERIA)
        link = tmp_path / f"link{ending}"
        link.symlink_to(records.path)
        with pytest.raises(Mistake, match="is the store"):
            write_labels(link, records, [Given(1, "ann", "good", 1)])


def test_cells_of_a_table_are_no_formulas(records: Records, tmp_path: Path) -> None:
    rows = written(records, tmp_path)
    assert rows[3]["scenario"] == f"'{FORMULA}"
    raw = (tmp_path / "sheet.csv").read_text(encoding="utf-8")
    for cell in (cell for row in csv.reader(raw.splitlines(keepends=True)) for cell in row):
        assert not any(
            part.lstrip().startswith(("=", "+", "-", "@")) for part in cell.splitlines() + cell.split(";")
        )
    assert "\x1b" not in raw
    assert "\u202e" not in raw


def test_lines_of_json_keep_every_text(records: Records, tmp_path: Path) -> None:
    rows = written(records, tmp_path, ".jsonl")
    assert rows[3]["scenario"] == FORMULA
    assert "Noon.\n=2+2" in rows[0]["text"]


@pytest.mark.parametrize("name", ["sheet.txt", "sheet", "sheet.xlsx"])
def test_other_endings_are_refused(records: Records, tmp_path: Path, name: str) -> None:
    with pytest.raises(Mistake, match=r"to a \.csv or a \.jsonl file"):
        write_labels(tmp_path / name, records, [Given(1, "ann", "good", 1)])
    assert not (tmp_path / name).exists()


def test_labels_are_written_with_all_that_names_their_conversation(records: Records, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    write_labels(path, records, [Given(2, "ann", "rating", 7, "2025-01-31", "draw-1", "x.csv, line 2")])
    [row] = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert tuple(row) == LABELS
    assert row == {
        **{"conversation": 2, "scenario": FORMULA, "model": SECRET, "repeat": 1},
        **{"rater": "ann", "criterion": "rating", "value": "7", "when": "2025-01-31", "drawn": "draw-1"},
    }


RATERS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=8)
SHARES = st.integers(0, 10**15).map(lambda number: number / 10**15)


@pytest.fixture(scope="module")
def shelf() -> Iterator[Records]:
    """A store that examples share: nothing is written into it."""
    with TemporaryDirectory() as folder:
        store = Path(folder) / "a.db"
        record(store, "simulation", [rated(1, SECRET)])
        with Records(store) as found:
            yield found


@settings(max_examples=60, deadline=None)
@given(RATERS.map(str.strip).filter(bool), SHARES, st.sampled_from(ENDINGS))
@example("@ann", 1 / 3, ".csv")
@example("-ann;=bob", 1e-5, ".csv")
@example("＝ann", 1e-15, ".csv")
def test_what_is_written_is_read_again(shelf: Records, rater: str, share: float, ending: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"labels{ending}"
        said = [
            Given(1, rater, "share", share, "today", "draw-1"),
            Given(1, rater, "good", 1.0, "", ""),
            Given(1, rater, "rating", 10.0, "", "by hand"),
        ]
        write_labels(path, shelf, said)
        found, waiting = labels_of_file(str(path), CRITERIA)
    again = [
        Given(one.conversation, one.rater, one.criterion, one.value, one.when, one.drawn) for one in found
    ]
    assert (again, waiting) == (said, 0)
