"""Starting the processes in which conversations are played, on this machine."""

import asyncio
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable
from typing import IO, Any, Protocol

from interplay.running.channel import Channel
from interplay.running.how import How

PATIENCE = 2.0  # seconds that a process has to end by itself
LONGEST_LINE = 300


class Launched(Protocol):
    """A process that was started, and the channel to it."""

    channel: Channel

    async def end(self) -> None:
        """See to it that the process is gone."""

    def how_it_ended(self) -> str:
        """In a few words, once it has."""


class Launcher(Protocol):
    """Starts processes that play conversations."""

    count: int
    same_folder: bool  # are they where this process is, so that a file means the same there?

    async def launch(self, make: Callable[[], Channel]) -> Launched: ...

    async def close(self) -> None: ...


def launcher_of(how: How) -> Launcher | None:
    """What starts processes for a run; None where it is carried out by this one alone."""
    if how.games_alone:
        return None
    if how.on == "ray":
        from interplay.running.on_ray import RayLauncher  # it is large, and an extra

        return RayLauncher(how)
    return LocalLauncher(how.workers) if how.workers > 1 else None


class LocalLauncher:
    """Processes on this machine, each at the other end of a pair of sockets."""

    same_folder = True

    def __init__(self, count: int):
        self.count = count

    async def launch(self, make: Callable[[], Channel]) -> "LocalProcess":
        ours, theirs = socket.socketpair()
        said = tempfile.TemporaryFile()  # noqa: SIM115  # closed when the process has ended
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "interplay.running.branch", str(theirs.fileno())),
                pass_fds=[theirs.fileno()],
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=said,
                start_new_session=True,  # Ctrl-C is for the process that drives them
            )
        finally:
            theirs.close()
        _, channel = await asyncio.get_running_loop().create_connection(make, sock=ours)
        return LocalProcess(process, channel, said)

    async def close(self) -> None:
        pass


class LocalProcess:
    """One process on this machine."""

    def __init__(self, process: asyncio.subprocess.Process, channel: Channel, said: IO[Any]):
        self.channel = channel
        self._process = process
        self._said = said

    async def end(self) -> None:
        self.channel.close()
        try:
            await asyncio.wait_for(asyncio.shield(self._process.wait()), PATIENCE)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    def how_it_ended(self) -> str:
        code = self._process.returncode
        self._said.seek(0)
        last = self._said.read().decode(errors="replace").strip().splitlines()[-1:]
        if code is not None and code < 0:
            return f"killed by {signal.Signals(-code).name}"
        return f"exit code {code}{', ' + last[0][:LONGEST_LINE] if last else ''}"


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
