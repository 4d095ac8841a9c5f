"""Branches in the test's own process, at the other end of real sockets, that can be lost at any moment."""

import asyncio
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from interplay.models.calling import Model
from interplay.models.connecting import Directory
from interplay.running.branch import Branch
from interplay.running.channel import Channel
from interplay.running.engine import Engine
from interplay.running.launching import Launched, Launcher
from interplay.running.plan import Plan


@dataclass
class Beside:
    """One branch beside the hub."""

    channel: Channel
    theirs: Channel
    branch: Branch

    async def end(self) -> None:
        self.channel.close()
        await self.theirs.closed.wait()
        await self.branch.close()

    def how_it_ended(self) -> str:
        return "cut off"

    def cut(self) -> None:
        """As if its process were killed: nothing that it has not sent arrives."""
        transport: Any = self.theirs._transport
        transport.abort()


@dataclass
class BesideLauncher:
    """Starts branches in this process; begins to refuse where `ends_at_once` says so."""

    count: int = 2
    same_folder: bool = True
    launched: list[Beside] = field(default_factory=list)
    cut_off: list[Beside] = field(default_factory=list)
    ends_at_once: Callable[[int], bool] = lambda number: False

    async def open(self, plan: Plan) -> None:
        pass

    def connect(self, directory: Directory, name: str) -> Model:
        return directory.connect(name)

    async def launch(self, make: Callable[[], Channel]) -> Launched:
        ours, theirs = socket.socketpair()
        loop = asyncio.get_running_loop()
        branch = Branch()
        _, at_branch = await loop.create_connection(lambda: Channel(branch.serve), sock=theirs)
        branch.hub = at_branch
        _, at_hub = await loop.create_connection(make, sock=ours)
        started = Beside(at_hub, at_branch, branch)
        self.launched.append(started)
        if self.ends_at_once(len(self.launched)):
            started.cut()
        return started

    async def close(self) -> None:
        pass


class EngineBeside(Engine):
    """An engine whose conversations are played by branches in this process."""

    beside: BesideLauncher

    def launcher(self) -> Launcher | None:
        return self.beside
