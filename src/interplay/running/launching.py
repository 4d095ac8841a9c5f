"""Starting the processes in which conversations are played, on this machine."""

import asyncio
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import IO, Any, Protocol

from interplay.core.benchmark import Benchmark
from interplay.core.failures import Mistake
from interplay.models.calling import Model
from interplay.models.connecting import Directory
from interplay.running.channel import Channel
from interplay.running.how import RAY, How
from interplay.running.plan import Plan
from interplay.running.setup import check_shared

PATIENCE = 2.0  # seconds that a process has to end by itself
LONGEST_LINE = 300


class Launched(Protocol):
    """A process that was started, and the channel to it."""

    channel: Channel

    async def end(self) -> None:
        """See to it that the process is gone."""

    def how_it_ended(self) -> str:
        """In a few words, once it has."""


class NoRoom(Mistake):
    """There is no room for another process; those that are there can do the work."""


class Launcher(Protocol):
    """Starts processes that play conversations."""

    count: int  # of processes, once it is open
    same_folder: bool  # are they where this process is, so that a file means the same there?

    async def open(self, plan: Plan) -> None:
        """Be ready to start processes for this; a Mistake where that is plainly impossible."""

    def connect(self, directory: Directory, name: str) -> Model:
        """The model of this name, as this process asks it."""

    async def launch(self, make: Callable[[], Channel]) -> Launched: ...

    async def close(self) -> None: ...


def launcher_of(how: How) -> Launcher | None:
    """What starts processes for a run; None where it is carried out by this one alone."""
    if how.games_alone:
        return None
    if sys.platform == "win32" and (how.on or how.workers > 1):
        raise Mistake("--workers and --on need Linux or macOS; leave them out")
    if how.on == RAY:
        from interplay.running.on_ray import RayLauncher  # it is large, and an extra

        return RayLauncher(how)
    return LocalLauncher(how.workers) if how.workers > 1 else None


async def opened(
    launcher: Launcher | None, plan: Plan, stack: AsyncExitStack, benchmark: Benchmark
) -> Launcher | None:
    """What starts processes for this plan, open until the stack is unwound; for no work, none."""
    if launcher is None or not plan.works:
        return None
    check_shared(benchmark)
    stack.push_async_callback(launcher.close)
    await launcher.open(plan)
    return launcher


class LocalLauncher:
    """Processes on this machine, each at the other end of a pair of sockets."""

    same_folder = True

    def __init__(self, count: int):
        self.count = count

    async def open(self, plan: Plan) -> None:
        pass

    def connect(self, directory: Directory, name: str) -> Model:
        return directory.connect(name)

    async def launch(self, make: Callable[[], Channel]) -> "LocalProcess":
        return await start_process("interplay.running.branch", make)

    async def close(self) -> None:
        pass


async def start_process(module: str, make: Callable[[], Channel]) -> "LocalProcess":
    """Start a module of this program at the other end of a pair of sockets."""
    ours, theirs = socket.socketpair()
    said = tempfile.TemporaryFile()  # noqa: SIM115  # closed when the process has ended
    try:
        process = await asyncio.create_subprocess_exec(
            *(
                sys.executable,
                "-P",
                "-m",
                module,
                str(theirs.fileno()),
            ),  # nothing is imported from this folder
            pass_fds=[theirs.fileno()],
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,  # Ctrl-C is for the process that drives them
        )
    except OSError as error:
        ours.close()
        said.close()
        raise Mistake(
            f"a worker process cannot be started ({error.strerror}); ask for fewer with --workers"
        ) from error
    finally:
        theirs.close()
    _, channel = await asyncio.get_running_loop().create_connection(make, sock=ours)
    return LocalProcess(process, channel, said)


class LocalProcess:
    """One process on this machine."""

    def __init__(self, process: asyncio.subprocess.Process, channel: Channel, said: IO[Any]):
        self.channel = channel
        self._process = process
        self._said = said
        self._last: list[str] = []  # line that it said, once it has ended

    async def end(self, patience: float = PATIENCE) -> None:
        self.channel.close()
        try:
            await asyncio.wait_for(asyncio.shield(self._process.wait()), patience)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
        if not self._said.closed:
            self._said.seek(0)
            self._last = self._said.read().decode(errors="replace").strip().splitlines()[-1:]
            self._said.close()

    def how_it_ended(self) -> str:
        code, last = self._process.returncode, self._last
        if code is not None and code < 0:
            return f"killed by {signal.Signals(-code).name}"
        return f"exit code {code}{', ' + last[0][:LONGEST_LINE] if last else ''}"


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
