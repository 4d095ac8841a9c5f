"""Servers of pages that are killed and started again at once, and who asks them until they answer."""

import http.client
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlencode

from tests.faults.forked import Forked
from tests.faults.harness import PATIENCE


class Starts(Protocol):
    """Starts a server, and says by which process id."""

    def __call__(self) -> int: ...


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def servers_that_start_at_once(*line: str) -> Iterator[Starts]:
    """Each is a process of its own, forked from one that has all imports behind it; the last is ended in the end."""
    started: list[Forked] = []

    def begin() -> int:
        if started:
            started[-1].wait(PATIENCE)
        words = ["view", "--no-open", *line]
        started.append(Forked(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return started[-1].pid

    try:
        yield begin
    finally:
        if started:
            started[-1].kill()
            started[-1].wait(PATIENCE)


@dataclass
class Asker:
    """Asks a server; what has no answer is sent again, as the page does it."""

    port: int
    cookie: str = ""
    lost: int = 0  # requests without an answer

    def ask(self, method: str, path: str, fields: Mapping[str, str] | None = None) -> tuple[str, str]:
        """Where the answer leads and what it says; there is no answer but the server's own."""
        headers = {
            "Cookie": self.cookie,
            "Origin": f"http://127.0.0.1:{self.port}",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
            try:
                connection.request(method, path, urlencode(fields) if fields else None, headers)
                answer = connection.getresponse()
                return answer.headers.get("Location", ""), answer.read().decode()
            except (OSError, http.client.HTTPException):
                self.lost += 1
                time.sleep(0.01)
            finally:
                connection.close()
        raise AssertionError("the server did not come back")
