"""A pytest plugin: makes sure that the copy with the bug is what is tested, and notes what failed."""

import json
import os
from pathlib import Path

import pytest

import interplay

COPY = "SEEDED_BUGS_COPY"  # names the folder that holds the copied package
NOTES = "SEEDED_BUGS_NOTES"  # and this one the file for what failed, a JSON object a line
ANOTHER_PACKAGE = 90  # the exit code where another package than the copy was imported


def pytest_sessionstart() -> None:
    """Runs when conftest.py is read, which sets the path of the Pythons that tests start: the copy goes before it."""
    copy = os.environ[COPY]
    if not Path(interplay.__file__).is_relative_to(copy):
        pytest.exit(f"{interplay.__file__} is tested, not the copy in {copy}", returncode=ANOTHER_PACKAGE)
    os.environ["PYTHONPATH"] = os.pathsep.join([copy, os.environ["PYTHONPATH"]])


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        _note(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        _note(report)


def _note(report: pytest.TestReport | pytest.CollectReport) -> None:
    crash = getattr(report.longrepr, "reprcrash", None)
    said = crash.message if crash is not None else str(report.longrepr)
    line = {"test": report.nodeid, "said": said, "collecting": isinstance(report, pytest.CollectReport)}
    with Path(os.environ[NOTES]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
