"""The fault table in the docs: every fault has its tests, every test was run, and nothing has failed."""

import pytest

from tests.faults.rows import NAMES, ROWS, Row
from tests.faults.table import NOT_RUN, PAGE, in_words, marked, page, results, total


def test_no_test_names_a_row_that_is_not_there() -> None:
    assert set(marked()) <= set(NAMES)
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_has_tests_that_were_run_often_enough_and_did_not_fail(row: Row) -> None:
    tests, found = marked().get(row.name, []), results().get(row.name, {})
    assert tests, f"no test is marked with the fault {row.name!r}"
    assert set(tests) == set(found), f"python -m tests.faults.table --rows {row.name!r} --write"
    assert total(found, "failed") == 0, in_words(found)
    assert total(found, "times") >= row.least, f"{total(found, 'times')} times of {row.least}"


def test_the_page_says_what_was_found() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(results(), marked()), (
        "python -m tests.faults.table --write"
    )


def test_what_was_not_run_or_failed_is_said() -> None:
    one = {
        "passed": 2,
        "failed": 1,
        "skipped": 0,
        "known": 1,
        "times": 2,
        "seconds": 1.0,
        "date": "2026-01-02",
    }
    assert in_words({}) == NOT_RUN
    assert in_words({"a": one}) == "2 passed, 1 FAILED, 1 known to fail (2026-01-02)"
    later = {**one, "failed": 0, "known": 0, "date": "2026-02-01"}
    assert (
        in_words({"a": {**one, "failed": 0}, "b": later})
        == "4 passed, 1 known to fail (2026-01-02 to 2026-02-01)"
    )
