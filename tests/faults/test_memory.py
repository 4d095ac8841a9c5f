"""What a run takes of memory: little, and not more the longer it is."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from interplay.models.loopback import Loopback, serving
from tests.running.job import JUDGES, answer, command

PEAK = Path(__file__).with_name("peak.py")
MOST = 400e6  # bytes
LATER = 10e3  # bytes that one more conversation may add
SCENARIOS = 50
PATIENCE = 3600


def peak_of(conversations: int, folder: Path) -> int:
    """The most memory that a run of so many conversations ever took."""
    loopback, store = Loopback(answer), folder / f"{conversations}.db"
    with serving(loopback) as url:
        more = ("--epochs", str(conversations // SCENARIOS), "--max-connections", "64")
        words = command(url, store, limit=SCENARIOS, judges=JUDGES[:1], more=more)
        done = subprocess.run(
            [sys.executable, str(PEAK), *words],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env=dict(os.environ),
            check=False,
        )
    assert done.returncode == 0, done.stderr
    found = re.search(r"^peak (\d+)$", done.stderr, re.MULTILINE)
    assert found, done.stderr
    assert loopback.calls >= 9 * conversations
    return int(found.group(1))


@pytest.mark.fault("memory of 10,000 conversations")
def test_a_longer_run_takes_hardly_more_memory(tmp_path: Path) -> None:
    short, longer = peak_of(SCENARIOS, tmp_path), peak_of(4 * SCENARIOS, tmp_path)
    assert longer < MOST
    added = (longer - short) / (3 * SCENARIOS)
    assert added <= MOST / 10_000, f"each conversation added {added:.0f} bytes"


@pytest.mark.soak
@pytest.mark.fault("memory of 10,000 conversations")
def test_ten_thousand_conversations_take_less_than_400_megabytes(tmp_path: Path) -> None:
    some, all_of_them = peak_of(1_000, tmp_path), peak_of(10_000, tmp_path)
    assert all_of_them < MOST, f"{all_of_them / 1e6:.0f} MB"
    added = (all_of_them - some) / 9_000
    assert added <= LATER, f"each conversation added {added:.0f} bytes"
