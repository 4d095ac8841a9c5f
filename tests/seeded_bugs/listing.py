"""The list of seeded bugs: small mistakes that a tired programmer could make, and the tests that should see them."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).parent.parent
ROOT = TESTS.parent
PACKAGE = ROOT / "src" / "interplay"
COUNT = 60  # bugs in the list
MAY_BE_MISSED = 3


@dataclass(frozen=True)
class Bug:
    """One mistake: in a file of the package, a text that occurs once and what stands there instead."""

    id: str
    file: str  # under the package
    what: str  # is wrong with it, in a sentence
    old: str
    new: str
    tests: tuple[str, ...]  # modules or folders under tests, the most specific first

    def planted(self, source: str) -> str:
        """The source with the bug in it."""
        if (times := source.count(self.old)) != 1:
            raise ValueError(f"{self.id}: its old text occurs {times} times in {self.file}, not once")
        return source.replace(self.old, self.new)


def bugs() -> list[Bug]:
    """All bugs, in the order of the list."""
    found = []
    for path in sorted(Path(__file__).parent.glob("*.toml")):
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["bug"]:
            found.append(Bug(**{**entry, "tests": tuple(entry["tests"])}))
    return found
