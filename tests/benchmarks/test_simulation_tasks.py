"""Community prompts, from which tasks can be drawn: a malformed row is told of and costs no other."""

from pathlib import Path

import pytest

from interplay.benchmarks.simulation.tasks import LONGEST_RECORD, read_prompt_rows
from interplay.core.failures import Mistake


def read(folder: Path, text: str) -> tuple[list[tuple[str, str]], list[str]]:
    path = folder / "prompts.csv"
    path.write_bytes(text.encode())
    rows, remarks = read_prompt_rows(path)
    return rows, [remark.removeprefix(f"{path}, ") for remark in remarks]


def test_the_community_prompts_and_their_malformed_row(originals: Path) -> None:
    path = originals / "simulbench" / "prompts.csv"
    rows, remarks = read_prompt_rows(path)
    assert len(rows) == 167
    assert remarks == [f"{path}, row 142 (line 143) is left out: its quotes do not match"]
    assert rows[0][0] == "An Ethereum Developer"
    assert rows[141][0] == "Speech-Language Pathologist (SLP)"  # the one after the malformed row
    assert all(act and len(prompt) > 40 for act, prompt in rows)


def test_quotes_commas_and_lines_in_a_prompt(tmp_path: Path) -> None:
    text = '\ufeff"act","prompt"\r\n"A ""b"", c","one\r\n\r\ntwo, ""three"""\r\nplain,also plain\r\n'
    assert read(tmp_path, text) == ([('A "b", c', 'one\n\ntwo, "three"'), ("plain", "also plain")], [])


@pytest.mark.parametrize(
    ("bad", "trouble"),
    [
        ('"a","said "so" to me"', "its quotes do not match"),
        ('"a","never closed', "its quotes do not match"),
        ("a,b,c", "it has 3 texts, not 2"),
        ("alone", "it has 1 texts, not 2"),
        ('"a"," "', "it has 1 texts, not 2"),
    ],
)
def test_a_malformed_row_costs_no_other(tmp_path: Path, bad: str, trouble: str) -> None:
    text = f'act,prompt\n"first","one"\n{bad}\n\n"second","two\nlines"\n"third","three"\n'
    rows, remarks = read(tmp_path, text)
    assert rows == [("first", "one"), ("second", "two\nlines"), ("third", "three")]
    assert remarks == [f"row 2 (line 3) is left out: {trouble}"]


def test_two_bad_quotes_do_not_hide_what_stands_between_them(tmp_path: Path) -> None:
    rows, remarks = read(tmp_path, 'act,prompt\n"a","open\n"b","two"\n"c","open\n"d","four"\n')
    assert rows == [("b", "two"), ("d", "four")]
    assert [remark.split(" is")[0] for remark in remarks] == ["row 1 (line 2)", "row 3 (line 4)"]


def test_a_quote_that_is_never_closed_is_not_looked_for_to_the_end_of_a_large_file(tmp_path: Path) -> None:
    lines = "".join(f'"{number}","row"\n' for number in range(3 * LONGEST_RECORD))
    rows, remarks = read(tmp_path, f'act,prompt\n"a","open\n{lines}')
    assert len(rows) == 3 * LONGEST_RECORD
    assert len(remarks) == 1


@pytest.mark.parametrize("text", ["", "name,text\na,b\n", "act\na\n", '"act,prompt\n'])
def test_what_is_no_file_of_prompts_is_a_mistake(tmp_path: Path, text: str) -> None:
    with pytest.raises(Mistake, match=r"its first line must be act,prompt"):
        read(tmp_path, text)


def test_a_file_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="cannot be read: no such file"):
        read_prompt_rows(tmp_path / "none.csv")
