"""`python -m perf` from end to end, at its smallest, and what it refuses."""

import subprocess
import sys
from pathlib import Path

import pytest
from perf.bench import is_installed

ROOT = Path(__file__).resolve().parents[2]


def perf(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "perf", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.slow
def test_a_quick_run_measures_the_job_beside_the_bare_loop_and_needs_no_other_program() -> None:
    ended = perf("--quick", "--alone", "cpu")
    assert ended.returncode == 0, ended.stderr
    rows = {line.strip().split("  ")[0]: line for line in ended.stdout.splitlines() if line.startswith("  ")}
    assert {"CPU per call, job : bare loop", "bare loop", "job", "job, --workers 2"} <= rows.keys()
    assert "not run" in rows["CPU per call, Inspect AI : job"]
    assert "MISSED" not in ended.stdout  # so small a run is held against nothing
    assert "the bare loop, 900 calls" in ended.stderr  # whoever waits sees what is being done


@pytest.mark.slow
@pytest.mark.skipif(not is_installed("inspect_ai"), reason="whoever tests need not have Inspect AI")
def test_inspect_ai_makes_its_calls_of_the_same_conversations() -> None:
    ended = perf("--quick", "cpu")
    assert ended.returncode == 0, ended.stderr
    assert "Inspect AI makes 450 calls of the same conversations" in ended.stdout
    assert "not run" not in ended.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["cpv"], "there is no part 'cpv'; there are cpu, grid"),
        (["--write", "cpu"], "--write needs all parts"),
        (["--write", "--quick"], "--write needs all parts"),
        (["--write", "--alone"], "the other programs"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_runs(arguments: list[str], told: str) -> None:
    ended = perf(*arguments)
    assert ended.returncode == 2
    assert told in ended.stderr
