"""The fault table: runs the tests that are marked with a fault, and writes what became of them to docs/faults.md.

`python -m tests.faults.table --write` runs them all, those of make soak with them; --rows only some rows, --missing
only tests that have not been run yet. What came of earlier runs stays in results.json until a row is run again.
"""

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.faults import recording
from tests.faults.rows import ALWAYS, NAMES, ROWS, Row

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("results.json")
PAGE = ROOT / "docs" / "faults.md"
Results = dict[str, dict[str, dict[str, Any]]]  # by row and test
NOT_RUN = "not run yet"


def marked() -> dict[str, list[str]]:
    """The tests of every row, read off the source."""
    found: dict[str, list[str]] = defaultdict(list)
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        text = file.read_text(encoding="utf-8")
        if "mark.fault(" not in text:
            continue
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for row in _rows_in(node.decorator_list):
                    found[row].append(f"{file.relative_to(ROOT)}::{node.name}")
    return {row: list(dict.fromkeys(tests)) for row, tests in found.items()}


def _rows_in(decorators: Sequence[ast.expr]) -> list[str]:
    calls = [node for one in decorators for node in ast.walk(one) if isinstance(node, ast.Call)]
    return [
        str(ast.literal_eval(call.args[0])) for call in calls if ast.unparse(call.func) == "pytest.mark.fault"
    ]


def results() -> Results:
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}


def run(row: str, tests: Sequence[str], processes: int) -> dict[str, dict[str, Any]]:
    """Run these tests of a row, all of their parameters; what became of each, with the day."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "results.json"
        settings = {"FAULT_ROWS": row, "FAULT_TESTS": "\n".join(tests), "FAULT_RESULTS": str(file)}
        files = sorted({test.partition("::")[0] for test in tests})
        how = ["-n", str(processes), "--dist", "worksteal"] if processes > 1 else ["-p", "no:xdist"]
        command = [sys.executable, "-m", "pytest", "-p", recording.__name__, *how, "--durations=5", *files]
        subprocess.run(command, cwd=ROOT, env={**os.environ, **settings}, check=False)
        found: Results = json.loads(file.read_text()) if file.exists() else {}
    day = datetime.now(UTC).date().isoformat()
    return {test: {**one, "date": day} for test, one in found.get(row, {}).items()}


def total(tests: Mapping[str, Mapping[str, Any]], what: str) -> int:
    return int(sum(one[what] for one in tests.values()))


def in_words(tests: Mapping[str, Mapping[str, Any]]) -> str:
    """What became of the tests of a row."""
    if not tests:
        return NOT_RUN
    parts = [f"{total(tests, 'passed'):,} passed"]
    for what, word in (("failed", "FAILED"), ("known", "known to fail"), ("skipped", "skipped")):
        if total(tests, what):
            parts.append(f"{total(tests, what):,} {word}")
    days = sorted({str(one["date"]) for one in tests.values()})
    return f"{', '.join(parts)} ({' to '.join(dict.fromkeys((days[0], days[-1])))})"


def line(row: Row, tests: Mapping[str, Mapping[str, Any]], shown_by: Sequence[str]) -> str:
    links = [
        _link(file, [test for test in shown_by if test.startswith(f"{file}::")]) for file in _files(shown_by)
    ]
    cells = [
        row.name,
        row.injected,
        f"{total(tests, 'times'):,}",
        row.holds,
        in_words(tests),
        ", ".join(links),
    ]
    return "| " + " | ".join(cells) + " |"


def _files(tests: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(test.partition("::")[0] for test in tests))


def _link(file: str, tests: Sequence[str]) -> str:
    return f"[{Path(file).name}](../{file}) ({len(tests)})"


def page(found: Results, shown_by: Mapping[str, Sequence[str]]) -> str:
    """The whole of docs/faults.md."""
    rows = "\n".join(line(row, found.get(row.name, {}), shown_by.get(row.name, ())) for row in ROWS)
    return f"""# Faults

What is done to the program, how often, and what came of it. The witness is the ledger of a loopback server that every
call goes to, never the program's own word. {ALWAYS}

| fault | how injected | times | what must hold | result | shown by |
|---|---|---|---|---|---|
{rows}

*Times* counts injected faults in tests that passed; *result* counts tests and their parameters, with the day of the
run; in *shown by*, the number of tests in a file.

## Run it again

`make faults` runs every test of this table, the long ones too, and writes this page. In parts:

```
python -m tests.faults.table --rows "kill -9" "database locked" --write
python -m tests.faults.table --missing --write
```

Without `--write` nothing is kept.
"""


def write(found: Results) -> None:
    RESULTS.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    PAGE.write_text(page(found, marked()), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.table", description=__doc__)
    parser.add_argument(
        "--rows", nargs="+", choices=NAMES, default=NAMES, metavar="ROW", help="only these rows"
    )
    parser.add_argument("--missing", action="store_true", help="only tests that have not been run yet")
    parser.add_argument("--write", action="store_true", help="keep the results, and write docs/faults.md")
    parser.add_argument("--processes", type=int, default=2, help="that run tests side by side")
    asked = parser.parse_args(arguments)
    failed = 0
    for row in asked.rows:
        tests, found = marked().get(row, []), results()
        old = {test: one for test, one in found.get(row, {}).items() if test in tests}
        wanted = [test for test in tests if not (asked.missing and test in old)]
        if not wanted:
            continue
        new = run(row, wanted, asked.processes)
        failed += total(new, "failed") + len(set(wanted) - set(new))
        sys.stdout.write(f"{row}: {in_words(new)}\n")
        if asked.write:
            write({**results(), row: {**old, **new}})
    if asked.write:
        write(results())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
