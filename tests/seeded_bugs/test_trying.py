"""Planting bugs: what counts as caught, and that the copy with the bug is what is tested."""

from pathlib import Path

import pytest

from tests.seeded_bugs.listing import PACKAGE, bugs
from tests.seeded_bugs.trying import Copy, Failure, Outcome


def outcome(code: int | None, *said: str, collecting: bool = False) -> Outcome:
    failures = tuple(Failure("tests/core/test_forms.py::test_one", one, collecting) for one in said)
    return Outcome(code, failures, 1.0, "printed")


@pytest.mark.parametrize(
    ("found", "state"),
    [
        (outcome(0), "not caught"),
        (outcome(1, "assert 1 == 2"), "caught"),
        (outcome(1, "ValueError: a program that fails on good data is seen as well"), "caught"),
        (outcome(None, "assert 1 == 2"), "out of time"),
        (outcome(1), "broken"),
        (outcome(5), "broken"),  # no test was found
        (outcome(90), "broken"),  # another package was tested
        (outcome(1, "NameError: name 'foo' is not defined"), "broken"),
        (outcome(2, "E   ImportError: cannot import name", collecting=True), "broken"),
        (outcome(2, "test_forms.py:3: in <module>\nE   assert 1 == 2", collecting=True), "caught"),
    ],
)
def test_what_counts_as_caught(found: Outcome, state: str) -> None:
    assert found.state == state


def test_a_catch_names_the_test_and_a_broken_bug_the_reason() -> None:
    assert outcome(1, "assert 1 == 2").told == "core/test_forms.py::test_one"
    assert outcome(1, "NameError: no\n  such name").told == "BROKEN (exit code 1): NameError: no such name"
    assert outcome(5).told == "BROKEN (exit code 5): printed"
    assert outcome(0).told == "NOT CAUGHT"


@pytest.mark.slow
def test_a_bug_is_seen_in_the_copy_alone_and_taken_out_again(tmp_path: Path) -> None:
    bug = next(bug for bug in bugs() if bug.id == "false-is-true")
    source = (PACKAGE / bug.file).read_text(encoding="utf-8")
    copy = Copy(tmp_path / "copy")
    with copy.planted(bug):
        caught = copy.tested(bug.tests)
        assert (tmp_path / "copy" / "interplay" / bug.file).read_text(encoding="utf-8") != source
    assert (caught.state, caught.told.split("::")[0]) == ("caught", bug.tests[0])
    assert copy.tested(bug.tests).state == "not caught"
    assert (PACKAGE / bug.file).read_text(encoding="utf-8") == source
