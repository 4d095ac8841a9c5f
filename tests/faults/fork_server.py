"""Has the whole program imported, and forks a process for every start that it is asked for.

`python -m tests.faults.fork_server SOCKET [MODULE ...]`; the modules are imported before the program is. Each child is
a process like one that was started by itself: its own id, signals, streams, environment, folder and exit code. Only
what takes long, the imports, is behind it. Who asks gets two lines through a pipe of the start's own: the child's id,
and, when it has ended, its exit code.
"""

import gc
import importlib
import io
import json
import os
import pkgutil
import runpy
import signal
import socket
import sys
from contextlib import suppress
from dataclasses import dataclass
from selectors import EVENT_READ, DefaultSelector
from typing import Any

FDS = 4  # input, output, errors, and the pipe for what is told
HEAD = 4  # bytes that say how long a message is
LATE = ("scipy.special", "scipy.optimize")  # imported by the program when the first number needs them


@dataclass(frozen=True)
class Start:
    """What a child is to become."""

    words: list[str]
    script: str  # a file of Python, or empty for the program itself
    environment: dict[str, str]
    folder: str


class Server:
    """Forks on demand, and tells how each child ended."""

    def __init__(self, asked: socket.socket) -> None:
        self._asked = asked
        self._told: dict[int, int] = {}  # the pipe of each child that lives
        self._ended, self._woken = socket.socketpair()
        for end in (self._ended, self._woken):
            end.setblocking(False)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asks decides when this ends
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._woken.fileno(), warn_on_full_buffer=False)

    def serve(self) -> Start | None:
        """Go on until nobody asks any more: None; but in a child, what it is to become."""
        selector = DefaultSelector()
        selector.register(self._asked, EVENT_READ)
        selector.register(self._ended, EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is self._ended:
                    self._ended.recv(4096)
                    self._reap()
                    continue
                head, fds, _, _ = socket.recv_fds(self._asked, HEAD, FDS)
                if not head:
                    self._end()
                    return None
                start = Start(**json.loads(_all_of(self._asked, int.from_bytes(head))))
                if not self._fork(fds):
                    selector.close()
                    return start

    def _fork(self, fds: list[int]) -> int:
        """The id of the child, or 0 in the child."""
        pid = os.fork()
        if not pid:
            self._let_go()
            for number, fd in enumerate(fds[:3]):
                os.dup2(fd, number)
            for fd in fds:
                os.close(fd)
            return 0
        for fd in fds[:3]:
            os.close(fd)
        self._told[pid] = fds[3]
        os.write(fds[3], f"{pid}\n".encode())
        return pid

    def _let_go(self) -> None:
        """A child has nothing of the server's."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for end in (self._asked, self._ended, self._woken):
            end.close()
        for fd in self._told.values():
            os.close(fd)

    def _reap(self) -> None:
        for pid in list(self._told):
            found, status = os.waitpid(pid, os.WNOHANG)
            if found:
                told = self._told.pop(pid)
                with suppress(BrokenPipeError):  # nobody may wait for it any more
                    os.write(told, f"{os.waitstatus_to_exitcode(status)}\n".encode())
                os.close(told)

    def _end(self) -> None:
        """Nobody will ask for these any more."""
        for pid in self._told:
            os.kill(pid, signal.SIGKILL)


def _all_of(sent: socket.socket, size: int) -> bytes:
    got = b""
    while len(got) < size:
        piece = sent.recv(size - len(got))
        if not piece:
            raise EOFError("the message was cut off")
        got += piece
    return got


def import_all() -> None:
    """All that a command imports sooner or later, but for extras that few of them need."""
    for name in ("interplay.cli", "interplay.web"):
        for found in pkgutil.iter_modules(importlib.import_module(name).__path__, f"{name}."):
            importlib.import_module(found.name)
    for name in LATE:
        importlib.import_module(name)


def become(start: Start) -> None:
    """Be the program, or the script, as if started by itself."""
    os.environ.clear()
    os.environ.update(start.environment)
    os.chdir(start.folder)
    sys.stdin = sys.__stdin__ = _text(0, "r")  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = _text(1, "w")  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _text(2, "w", "backslashreplace")  # type: ignore[misc]
    if start.script:
        sys.argv = [start.script, *start.words]
        runpy.run_path(start.script, run_name="__main__")
    else:
        sys.path.insert(0, start.folder)
        sys.argv = ["interplay", *start.words]
        runpy.run_module("interplay", run_name="__main__", alter_sys=True)


def _text(fd: int, mode: Any, errors: str = "strict") -> io.TextIOWrapper:
    """A standard stream as Python opens it: by lines at a terminal and for errors."""
    by_lines = fd == 2 or os.isatty(fd)
    opened = open(fd, mode + "b", closefd=False)  # noqa: SIM115  # no path, and open to the end
    return io.TextIOWrapper(opened, encoding="utf-8", errors=errors, line_buffering=by_lines)


if __name__ == "__main__":
    for module in sys.argv[2:]:
        importlib.import_module(module)
    import_all()
    gc.freeze()  # what is there now is not looked through again in every child
    start = Server(socket.socket(fileno=int(sys.argv[1]))).serve()
    if start is not None:
        become(start)
