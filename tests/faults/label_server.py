"""A round of labels, and servers of it that are killed and started again at once."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from interplay.benchmarks import find
from interplay.reporting.pages.questions import questions_of
from interplay.store.passes import Passes
from interplay.store.rounds import Round, Rounds
from tests.faults.harness import PATIENCE
from tests.web.labelled import store_to_label

RATERS = ("ada", "bob")
AGAIN = Path(__file__).with_name("serve_again.py")


class Starts(Protocol):
    """Starts a server, and says by which process id."""

    def __call__(self) -> int: ...


def round_of(store: Path) -> tuple[Round, dict[str, str]]:
    run = store_to_label(store)
    with Rounds(store) as rounds, Passes(store) as passes:
        numbers = rounds.can_be_drawn(run)
        draw = rounds.labels.draw(run, numbers, len(numbers), seed=0)
        round = rounds.begin(run, draw, questions_of(run, find(run.benchmark)), len(RATERS))
        return round, {name: f"/label/{passes.issue('rater', round.id, name).secret}/" for name in RATERS}


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def servers_that_start_at_once(store: Path, port: int) -> Iterator[Starts]:
    """Each is a process of its own, forked from one that has all imports behind it; the last is ended in the end."""
    command = [sys.executable, str(AGAIN), "--no-open", "--port", str(port), "--store", str(store)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdin is not None and process.stdout is not None

    def begin() -> int:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
        return int(process.stdout.readline())

    try:
        yield begin
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait(PATIENCE)
