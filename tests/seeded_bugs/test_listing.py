"""The list of seeded bugs itself: every bug can be planted, and its tests are there."""

import ast
from collections import Counter

import pytest

from tests.seeded_bugs.listing import COUNT, PACKAGE, TESTS, Bug, bugs

FILES = 30  # that the bugs are spread over, at least


@pytest.mark.parametrize("bug", bugs(), ids=lambda bug: bug.id)
class TestEveryBug:
    def test_it_can_be_planted(self, bug: Bug) -> None:
        source = (PACKAGE / bug.file).read_text(encoding="utf-8")
        planted = bug.planted(source)
        assert ast.dump(ast.parse(planted)) != ast.dump(ast.parse(source))

    def test_it_keeps_to_one_place(self, bug: Bug) -> None:
        """A bug is a slip, not another program."""
        assert max(len(bug.old.splitlines()), len(bug.new.splitlines())) <= 6

    def test_its_tests_are_there(self, bug: Bug) -> None:
        assert bug.tests
        for name in bug.tests:
            path = TESTS / name
            modules = list(path.rglob("test_*.py")) if path.is_dir() else [path]
            assert modules and all(one.is_file() for one in modules), f"there are no tests {name}"

    def test_it_is_told_in_a_sentence(self, bug: Bug) -> None:
        assert len(bug.what) > 20
        assert bug.what == bug.what.strip().removesuffix(".")
        assert "|" not in bug.what and "\n" not in bug.what, "it stands in a table"


def test_there_are_sixty() -> None:
    found = bugs()
    assert len(found) == COUNT
    assert [id for id, times in Counter(bug.id for bug in found).items() if times > 1] == []
    assert len({bug.file for bug in found}) >= FILES


def test_a_text_that_is_there_twice_is_refused() -> None:
    bug = Bug("twice", "x.py", "what is wrong", "a", "b", ("core",))
    assert bug.planted("a = 1") == "b = 1"
    with pytest.raises(ValueError, match="twice: its old text occurs 2 times"):
        bug.planted("a = a")
    with pytest.raises(ValueError, match="occurs 0 times"):
        bug.planted("c = 1")
