"""A plugin of pytest that keeps what became of the tests of faults: `-p tests.faults.recording`.

FAULT_ROWS names the rows whose tests are run, one in a line, FAULT_TESTS the tests where not all of those are wanted,
and FAULT_RESULTS the file that is written.
"""

import json
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

KEY = "fault"
TIMES = "times"  # a property that a test records where it is known only afterwards how often it injected its fault
NOTHING = {"passed": 0, "failed": 0, "skipped": 0, "known": 0, "times": 0, "seconds": 0.0}


def name_of(nodeid: str) -> str:
    """A test without its parameters."""
    return nodeid.partition("[")[0]


def _wanted(variable: str) -> set[str]:
    return set(filter(None, os.environ.get(variable, "").split("\n")))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    rows, tests = _wanted("FAULT_ROWS"), _wanted("FAULT_TESTS")
    kept, left_out = [], []
    for item in items:
        faults = [(mark.args[0], mark.kwargs.get("times", 1)) for mark in item.iter_markers(KEY)]
        faults = [(row, times) for row, times in faults if row in rows]
        if faults and (not tests or name_of(item.nodeid) in tests):
            item.user_properties.append((KEY, faults))
            kept.append(item)
        else:
            left_out.append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left_out)


class Recorder:
    """Counts, row by row and test by test."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.found: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        properties: dict[str, Any] = dict(report.user_properties)
        for row, times in properties.get(KEY, []):
            test = self.found[row].setdefault(name_of(report.nodeid), dict(NOTHING))
            test["seconds"] = round(test["seconds"] + report.duration, 1)
            outcome = self._outcome(report)
            if outcome:
                test[outcome] += 1
            if outcome == "passed":
                test["times"] += properties.get(TIMES, times)

    def _outcome(self, report: pytest.TestReport) -> str:
        if hasattr(report, "wasxfail") and report.skipped:
            return "known"
        if report.failed:
            return "failed"
        if report.skipped:
            return "skipped"
        return "passed" if report.when == "call" else ""

    def pytest_sessionfinish(self) -> None:
        self.file.write_text(json.dumps(self.found))


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # the one that hears of all
        config.pluginmanager.register(Recorder(Path(os.environ["FAULT_RESULTS"])))
