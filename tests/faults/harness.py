"""Running the program as a process of its own, killing it, and reading what is true afterwards."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from interplay.models.loopback import Event, Loopback, serving
from tests.faults.forked import Forked
from tests.running.job import answer, command

PATIENCE = 120
Process = Forked | subprocess.Popen[bytes]
Recorded = Callable[
    [str, object], None
]  # what a test can say of itself, such as how often it injected its fault


@dataclass
class Killer:
    """Kills a process at the k-th event of the ledger."""

    at: int = 0
    seen: int = 0
    process: Process | None = None
    started: threading.Event = field(default_factory=threading.Event)

    def __call__(self, event: Event) -> None:
        self.seen += 1
        if self.at and self.seen == self.at:
            self.started.wait(PATIENCE)
            assert self.process is not None
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(PATIENCE)  # no event happens between the kill and the death

    def aim(self, at: int) -> None:
        self.at, self.seen, self.process = at, 0, None
        self.started.clear()


def start(
    line: list[str], script: Path | None = None, prepared: tuple[str, ...] = (), **environment: str
) -> Forked:
    """Start the program, or a script around it, from a process that has all imports behind it."""
    settings = {**os.environ, **environment}
    return Forked(
        line, script=script, prepared=prepared, env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def start_anew(line: list[str], **environment: str) -> subprocess.Popen[bytes]:
    """Start the program as people do: with its imports, and an order of sets that is drawn anew."""
    words = [sys.executable, "-m", "interplay", *line]
    settings = {**os.environ, **environment}
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=settings)


def finish(process: Process, patience: float = PATIENCE) -> tuple[int, str, str]:
    """Wait for the program: its exit code, what it printed, what it said."""
    out, err = process.communicate(timeout=patience)
    return process.wait(patience), out.decode(), err.decode()


def allowed(seconds: float) -> float:
    """So many seconds, and more where more processes want to run than there are cores to run them."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def finished_rows(store: Path) -> set[tuple[Any, ...]]:
    """Every finished call, as its address and its reply."""
    return set(
        _rows_of_calls(
            store,
            "SELECT c.scenario, c.subject, c.repeat, stage, participant, step, text, hex(raw)"
            " FROM calls JOIN conversations c ON c.number = conversation WHERE calls.state = 'done'",
        )
    )


def in_flight(store: Path) -> int:
    """Intents without a reply."""
    return len(_rows_of_calls(store, "SELECT number FROM calls WHERE state = 'sent'"))


def _rows_of_calls(store: Path, query: str) -> list[tuple[Any, ...]]:
    """What a query of the calls finds; nothing where the store was not made yet."""
    if not store.exists():
        return []
    with_store = apsw.Connection(str(store))
    try:
        if not with_store.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'calls'").get:
            return []
        return list(with_store.execute(query))
    finally:
        with_store.close()


def check_record(store: Path) -> None:
    """Integrity, and at most one finished row for a step."""
    with_store = apsw.Connection(str(store))
    try:
        assert with_store.pragma("integrity_check") == "ok"
        doubles = with_store.execute(
            "SELECT count(*) FROM (SELECT 1 FROM calls WHERE state = 'done'"
            " GROUP BY conversation, stage, item, participant, step HAVING count(*) > 1)"
        ).get
        assert doubles == 0
    finally:
        with_store.close()


@dataclass
class Job:
    """One job that is disturbed again and again, and its undisturbed twin."""

    folder: Path
    limit: int
    latency: float = 0.003
    table: str = ""
    calls: int = 0

    def undisturbed(self) -> None:
        loopback = Loopback(answer, latency=self.latency)
        with serving(loopback) as url:
            code, out, err = finish(start_anew(command(url, self.folder / "calm.db", limit=self.limit)))
        assert code == 0, err
        self.table, self.calls = out, loopback.calls

    def killed_at(self, events: list[int], name: str) -> None:
        """Kill at each of these events in turn, then let it finish; all that TRUST promises must hold."""
        store = self.folder / f"{name}.db"
        killer = Killer()
        loopback = Loopback(answer, latency=self.latency, jitter=self.latency, seed=events[0], watch=killer)
        kept: set[tuple[Any, ...]] = set()
        with serving(loopback) as url:
            line = command(url, store, limit=self.limit)
            for at in events:
                killer.aim(at)
                killer.process = start(line)
                killer.started.set()
                code, _, err = finish(killer.process)
                assert "Traceback" not in err
                now = finished_rows(store)
                assert kept <= now, "a finished row was lost"
                kept = now
                if code != -signal.SIGKILL:
                    break  # it had finished before the event came
            killer.aim(0)
            code, out, err = finish(start(line))
        assert code == 0, err
        assert kept <= finished_rows(store), "a finished row was lost"
        check_record(store)
        assert json.loads(out) == json.loads(self.table)
        assert out == self.table, "the table differs from the undisturbed run's"
        assert loopback.calls - self.calls <= in_flight(store), "more was paid for again than was in flight"
