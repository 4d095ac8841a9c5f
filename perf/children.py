"""Starting the processes that are measured.

This process imports nothing large: where a system starts a child by sharing its parent's memory for a moment, the
parent's peak is the least that the child's peak can be.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, build_opener

from perf.meter import PEAK_UNIT

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Provider:
    """A provider that is running."""

    url: str

    def calls(self) -> int:
        """How many calls have reached it; the word that counts."""
        return int(self._said()["calls"])

    def cpu(self) -> float:
        """CPU seconds that it has used itself."""
        return float(self._said()["cpu"])

    def _said(self) -> dict[str, float]:
        direct = build_opener(ProxyHandler({}))
        with direct.open(self.url, timeout=10) as response:
            said: dict[str, float] = json.load(response)
            return said


@contextmanager
def provider(latency: float = 0.0, keep: Path | None = None, warm: Path | None = None) -> Iterator[Provider]:
    """A provider in a process of its own, gone at the end."""
    command = [sys.executable, "-m", "perf.provider", "--latency", str(latency)]
    command += ["--keep", str(keep)] if keep else []
    command += ["--warm", str(warm)] if warm else []
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=_environment()
    )
    assert process.stdin and process.stdout
    try:
        url = process.stdout.readline().strip()
        if not url:
            raise SystemExit("the provider did not start")
        yield Provider(url)
    finally:
        process.stdin.close()
        process.wait(timeout=10)
        process.stdout.close()


def client(
    what: str, at: Provider, *, settings: Mapping[str, str] | None = None, **task: Any
) -> dict[str, Any]:
    """Run a client to its end; what it says it took, and what it took of the provider, where its calls are counted."""
    before, served = at.calls(), at.cpu()
    command = [sys.executable, "-m", f"perf.{what}", json.dumps({"url": at.url, **task})]
    environment = _environment() | dict(settings or {})
    ended = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=False, env=environment)
    if ended.returncode:
        raise SystemExit(f"the {what} ended with {ended.returncode}; nothing was measured")
    took: dict[str, Any] = json.loads(ended.stdout)
    came, made = at.calls() - before, took["calls"] + took.get("before", 0)
    if came != made:
        raise SystemExit(f"{what}: {made} calls were counted here and {came} at the provider")
    return {**took, "served": at.cpu() - served}


def watched(*arguments: str) -> tuple[float, int]:
    """Seconds and peak memory in bytes of one start of Python with these arguments."""
    command = [sys.executable, *arguments]
    with tempfile.TemporaryFile() as said:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=said, env=_environment()
        )
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            why = said.read().decode(errors="replace")
            raise SystemExit(f"python {' '.join(arguments)} ended with {process.returncode}: {why}")
    return seconds, used.ru_maxrss * PEAK_UNIT


def said_by(code: str) -> str:
    """What a fresh Python prints that runs this code."""
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        env=_environment(),
    )
    return ended.stdout


def made_store(path: Path, conversations: int) -> str:
    """Write a store with a run of so many conversations, by SQL, and without a call; the run's name."""
    making = f"make_store(Path({str(path)!r}), {conversations}).id"
    return said_by(
        f"from pathlib import Path; from tests.web.big_store import make_store; print({making})"
    ).strip()


def _environment() -> dict[str, str]:
    """Nothing that the person who runs this has set for their own runs."""
    theirs = ("INTERPLAY_", "OPENAI_", "INSPECT_")
    return {key: value for key, value in os.environ.items() if not key.startswith(theirs)}
