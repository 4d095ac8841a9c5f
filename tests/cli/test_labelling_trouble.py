"""interplay labels with rows and files that are wrong: one line, exit code 2, and nothing comes in."""

import pytest

from tests.analysis.planted import Office, office, write_csv
from tests.cli.labelled import bytes_of, filled, given, played, run

__all__ = ["office", "played", "run"]  # fixtures


def test_a_bad_row_keeps_all_rows_out(office: Office, run: str) -> None:
    rows = filled(office.draws(5))
    path = write_csv(office.folder / "bad.csv", [*rows[:4], {**rows[4], "value": "11"}])
    told = office.mistakes("labels", "import", "last", path)
    assert "rating is a whole number from 1 to 10, not '11'" in told
    assert given(office) == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"value": "good"}, "rating is a whole number from 1 to 10, not 'good'"),
        ({"value": "7.5"}, "rating is a whole number from 1 to 10, not '7.5'"),
        ({"criterion": "ratings"}, "there is no criterion 'ratings'; did you mean 'rating'?"),
        ({"criterion": ""}, "criterion is empty"),
        ({"rater": ""}, "rater is empty"),
        ({"conversation": "one"}, "conversation is a whole number from 1, not 'one'"),
        ({"conversation": "0"}, "conversation is a whole number from 1, not '0'"),
        ({"drawn": "draw-00000000"}, "'draw-00000000' is no draw of this run"),
    ],
)
def test_mistakes_are_one_line_and_write_nothing(
    office: Office, run: str, change: dict[str, str], told: str
) -> None:
    rows = filled(office.draws(3))
    path = write_csv(office.folder / "bad.csv", [rows[0], {**rows[1], **change}])
    before = bytes_of(office)
    complaint = office.mistakes("labels", "import", "last", path)
    assert told in complaint
    assert "bad.csv, line " in complaint
    assert bytes_of(office) == before


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("none.csv", None, "none.csv cannot be read: no such file"),
        ("a.txt", "", "read from a .csv or a .jsonl file"),
        ("a.csv", "", "is empty"),
        ("a.csv", "conversation,rater,criterion,valu\n", "has the column 'valu'; did you mean 'value'?"),
        ("a.csv", "conversation,rater,criterion,value\n", "has no labels"),
        ("a.csv", "conversation,rater,criterion,value\n1,ann\n", "line 2 has 2 cells, not 4"),
        ("a.jsonl", "{", "line 1 is no JSON"),
        ("a.jsonl", "[1]", "line 1 is no JSON object"),
        (
            "a.jsonl",
            '{"conversation": 1, "rater": "a", "criterion": "rating", "value": [5]}',
            "not a list",
        ),
    ],
)
def test_files_that_are_none(office: Office, run: str, name: str, text: str | None, told: str) -> None:
    path = office.folder / name
    if text is not None:
        path.write_text(text)
    assert told in office.mistakes("labels", "import", "last", str(path))
