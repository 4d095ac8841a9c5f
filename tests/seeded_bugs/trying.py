"""Planting a bug in a copy of the package, and running the tests that should see it."""

import compileall
import json
import os
import py_compile
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.seeded_bugs import watching
from tests.seeded_bugs.listing import PACKAGE, ROOT, TESTS, Bug
from tests.seeded_bugs.watching import COPY, NOTES

LIMIT, LIMIT_OF_ALL = 120.0, 900.0  # seconds for the tests of one bug, and for those of all without any
# What Python says of a mistake in the edit itself: it would be seen by any test, and shows nothing of the suite.
STUMBLES = re.compile(r"(?:Name|UnboundLocal|Import|ModuleNotFound|Syntax|Indentation)Error\b")
ASSERTED = re.compile(r"^E +(?:AssertionError\b|assert )", re.MULTILINE)

State = Literal["caught", "not caught", "broken", "out of time"]


@dataclass(frozen=True)
class Failure:
    """A test that failed, or a module that could not be collected, and what was said."""

    test: str
    said: str
    collecting: bool

    @property
    def is_ours(self) -> bool:
        """Is it a test that says so, rather than an edit that does not work at all?"""
        if self.collecting:
            return bool(ASSERTED.search(self.said))
        return not STUMBLES.match(self.said)


@dataclass(frozen=True)
class Outcome:
    """What came of a run of tests; its code is None where it ran out of time."""

    code: int | None
    failures: tuple[Failure, ...]
    seconds: float
    said: str  # the end of what pytest printed

    @property
    def state(self) -> State:
        if self.code is None:
            return "out of time"
        if self.code == 0:
            return "not caught"
        seen = self.failures and self.failures[0].is_ours
        return "caught" if seen and self.code in (1, 2) else "broken"

    @property
    def told(self) -> str:
        """The first test that failed, or why there is none."""
        if self.state == "caught":
            return self.failures[0].test.removeprefix(f"{TESTS.name}/")
        if self.state != "broken":
            return self.state.upper()
        why = self.failures[0].said if self.failures else self.said
        return f"BROKEN (exit code {self.code}): {in_a_line(why)}"


class Copy:
    """A copy of the package that bugs are planted in, one at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PACKAGE, folder / PACKAGE.name, ignore=ignored)
        # By default Python tells a changed file by its size and its time in seconds, and would not see an edit that
        # keeps the length, made within a second. Checked by a hash, the file with the bug alone is compiled again.
        mode = py_compile.PycInvalidationMode.CHECKED_HASH
        if not compileall.compile_dir(folder / PACKAGE.name, quiet=1, invalidation_mode=mode):
            raise ValueError(f"{PACKAGE} does not compile without any bug")

    @contextmanager
    def planted(self, bug: Bug) -> Iterator[None]:
        path = self.folder / PACKAGE.name / bug.file
        source = path.read_text(encoding="utf-8")
        path.write_text(bug.planted(source), encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(source, encoding="utf-8")

    def tested(self, tests: Sequence[str], without: Sequence[str] = ()) -> Outcome:
        """Run these tests, but for some, against the copy as it stands, up to the first that fails."""
        return self._run(tests, ["-x", *(f"--deselect={one}" for one in without)], LIMIT)

    def tested_to_the_end(self, tests: Sequence[str]) -> Outcome:
        """Run all of these tests, whatever fails."""
        return self._run(tests, [], LIMIT_OF_ALL)

    def _run(self, tests: Sequence[str], flags: Sequence[str], limit: float) -> Outcome:
        notes = self.folder / "notes.jsonl"
        notes.unlink(missing_ok=True)
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.folder),  # goes before the installed package
            "HYPOTHESIS_STORAGE_DIRECTORY": str(self.folder / "examples"),  # none of a bug may stay
            COPY: str(self.folder),
            NOTES: str(notes),
        }
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", watching.__name__]
        command += ["-q", "--tb=short", "-m", "not slow and not soak", *flags]
        command += [f"{TESTS.name}/{one}" for one in tests]
        started = time.monotonic()
        code, said = _finished(command, environment, limit)
        return Outcome(code, _noted(notes), time.monotonic() - started, said[-2_000:])


def _finished(command: Sequence[str], environment: dict[str, str], limit: float) -> tuple[int | None, str]:
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            said, _ = process.communicate(timeout=limit)
            return process.returncode, said
        except subprocess.TimeoutExpired:
            return None, ""
        finally:
            if process.poll() is None:  # with all that the tests have started
                os.killpg(process.pid, signal.SIGKILL)


def in_a_line(text: str) -> str:
    """The beginning of a text, for a table."""
    return " ".join(text.split())[:200]


def _noted(notes: Path) -> tuple[Failure, ...]:
    if not notes.exists():
        return ()
    return tuple(Failure(**json.loads(line)) for line in notes.read_text(encoding="utf-8").splitlines())
