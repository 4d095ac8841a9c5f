"""Processes that start at once: forked from one that has all imports behind it, and otherwise as any other."""

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import IO, Self, cast

from tests.faults.fork_server import HEAD

ROOT = Path(__file__).parents[2]
ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)  # forks need it
Stream = int | IO[bytes] | None


class Nursery:
    """The process that forks the others; one for each process that runs tests."""

    def __init__(self, *modules: str) -> None:
        self._asking, asked = socket.socketpair()
        with asked:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.faults.fork_server", str(asked.fileno()), *modules],
                pass_fds=[asked.fileno()],
                cwd=ROOT,
                env={**os.environ, **ONE_THREAD},
                stdin=subprocess.DEVNULL,
            )
        self._one_at_a_time = threading.Lock()
        atexit.register(self.close)

    def fork(self, asked: Mapping[str, object], fds: Sequence[int]) -> None:
        body = json.dumps(asked).encode()
        with self._one_at_a_time:
            socket.send_fds(self._asking, [len(body).to_bytes(HEAD)], list(fds))
            self._asking.sendall(body)

    def close(self) -> None:
        self._asking.close()
        self._process.wait(10)


@cache
def nursery(*modules: str) -> Nursery:
    """The one that has these modules imported before the program."""
    return Nursery(*modules)


class Forked:
    """A process, to be used as subprocess.Popen is."""

    def __init__(
        self,
        words: Sequence[str],
        *,
        script: Path | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        stdin: Stream = None,
        stdout: Stream = None,
        stderr: Stream = None,
        prepared: tuple[str, ...] = (),
    ) -> None:
        self.args, self.returncode = list(words), cast("int | None", None)
        self._reading = threading.Lock()
        self._told, tell = os.pipe()
        # open as long as this is: a thread may wait at it while another has heard already
        weakref.finalize(self, os.close, self._told)
        asked = {
            "words": self.args,
            "script": str(script or ""),
            "environment": dict(os.environ if env is None else env),
            "folder": str(cwd or Path.cwd()),
        }
        with ExitStack() as stack:
            stack.callback(os.close, tell)
            ends = [_ends(number, one, stack) for number, one in enumerate((stdin, stdout, stderr))]
            nursery(*prepared).fork(asked, [*(theirs for theirs, _ in ends), tell])
        self.stdin, self.stdout, self.stderr = (ours for _, ours in ends)
        self.pid = int(self._line())

    def _line(self) -> bytes:
        line = b""
        while not line.endswith(b"\n"):
            line += (piece := os.read(self._told, 1))
            assert piece, "the process that forks the others is gone"
        return line

    def poll(self) -> int | None:
        """The exit code, if it has ended."""
        return self._ended_within(0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._ended_within(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return code

    def _ended_within(self, seconds: float | None) -> int | None:
        if self.returncode is None and _ready([self._told], seconds):
            with self._reading:  # several threads may wait for it, or send it a signal meanwhile
                if self.returncode is None:
                    self.returncode = int(self._line())
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[bytes, bytes]:
        """All that it says until it ends."""
        deadline = None if timeout is None else time.monotonic() + timeout
        if self.stdin is not None:
            self.stdin.close()
        said: dict[IO[bytes], list[bytes]] = {
            one: [] for one in (self.stdout, self.stderr) if one is not None
        }
        reading = {one for one in said if not one.closed}
        while reading:
            left = None if deadline is None else deadline - time.monotonic()
            ready = _ready([one.fileno() for one in reading], left)
            if not ready:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            for one in [stream for stream in reading if stream.fileno() in ready]:
                piece = os.read(one.fileno(), 65536)
                said[one].append(piece)
                if not piece:
                    reading.discard(one)
                    one.close()
        self.wait(None if deadline is None else max(0.0, deadline - time.monotonic()))
        out, err = (b"".join(said.get(one, [])) if one else b"" for one in (self.stdout, self.stderr))
        return out, err

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None:
                stream.close()
        self.wait()


def _ready(fds: Iterable[int], seconds: float | None) -> set[int]:
    """Those that have something to read, or have come to their end, within so many seconds."""
    polling = select.poll()
    for fd in fds:
        polling.register(fd, select.POLLIN)
    return {fd for fd, _ in polling.poll(None if seconds is None else max(0.0, seconds) * 1000)}


def _ends(number: int, stream: Stream, stack: ExitStack) -> tuple[int, IO[bytes] | None]:
    """The child's end of a standard stream, which is let go of after the start, and ours where it is a pipe."""
    if stream is None:
        return number, None
    if stream == subprocess.DEVNULL:
        theirs = os.open(os.devnull, os.O_RDWR)
        stack.callback(os.close, theirs)
        return theirs, None
    if stream != subprocess.PIPE:
        return stream if isinstance(stream, int) else stream.fileno(), None
    read, write = os.pipe()
    theirs, ours = (read, write) if number == 0 else (write, read)
    stack.callback(os.close, theirs)
    return theirs, open(ours, "wb" if number == 0 else "rb", buffering=0)  # noqa: PTH123
