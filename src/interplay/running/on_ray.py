"""Starting the processes of a run on a Ray cluster, on this machine or on several."""

import asyncio
import secrets
import socket
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from itertools import count
from pathlib import Path
from typing import Any

from interplay.core.failures import Mistake
from interplay.models.calling import Model
from interplay.models.connecting import Directory
from interplay.running import depending
from interplay.running.channel import Channel, ChannelClosed
from interplay.running.door import Caller, Door
from interplay.running.how import MOST_WORKERS, How
from interplay.running.launching import LocalProcess, NoRoom, cores, start_process
from interplay.running.plan import Plan
from interplay.running.ray_models import LocalOnRay, is_local
from interplay.store.places import Store

AGENT = "interplay.running.ray_agent"
REACHED_WITHIN = 5.0  # seconds to reach the port that is named
JOINED_WITHIN = 60.0  # to start a cluster, or to join one
COMES_WITHIN = 30.0  # for a process that was started to come to the door
ENDS_WITHIN = 2.0
LINGERS = 1.0
MOST_STARTS = 4  # of one process
SHUT_DOWN_WITHIN = 10.0
DEFAULT_PORT = 6379  # Ray's own


@dataclass(frozen=True)
class Node:
    """A node of a cluster; several may be on one machine."""

    host: str
    address: str
    cpus: int


def machines_of(nodes: Iterable[Node]) -> int:
    """On how many machines these nodes are: those of other names, or of one name with other addresses."""
    addresses: dict[str, set[str]] = defaultdict(set)
    for node in nodes:
        addresses[node.host] |= {node.address} if not _is_loopback(node.address) else set()
    return sum(max(1, len(found)) for found in addresses.values())


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def check_store(store: Store, nodes: Iterable[Node]) -> None:
    """Several machines need a store that all of them reach."""
    if isinstance(store, Path) and machines_of(nodes) > 1:
        raise Mistake(
            "a cluster of several machines needs a store that all of them reach: "
            f"--store postgresql://..., not the file {store}"
        )


class _LostOnItsWay(Mistake):
    """A process was started, and ended before it came."""


class RayLauncher:
    """Processes on a cluster, each with a connection to a door here; Ray itself is in a process beside this one."""

    same_folder = False

    def __init__(self, how: How):
        self.count = how.workers
        self._how = how
        self._door = Door()
        self._agent: LocalProcess | None = None
        self._numbers = count()
        self._processes: set[RayProcess] = set()
        self._model_cpus = 1

    async def open(self, plan: Plan) -> None:
        """Start or join the cluster, and see how many processes it has room for."""
        address, models = self._how.ray_address, sum(is_local(self._how.directory, n) for n in plan.models)
        if address:
            await _reach(address)
        self._model_cpus = cores()
        here = (self._how.workers or cores()) + models * self._model_cpus
        joined = await self._join(address, here)
        nodes = [Node(**one) for one in joined["nodes"]]
        check_store(self._how.store, nodes)
        if address:  # its processors are for all: a model takes half of one node's
            self._model_cpus = max(1, max((node.cpus for node in nodes), default=1) // 2)
        free = sum(node.cpus for node in nodes) - models * self._model_cpus
        self.count = self._how.workers or max(1, min(free, len(plan.works), MOST_WORKERS))
        await self._door.open(joined["ip"])

    async def _join(self, address: str, cpus: int) -> dict[str, Any]:
        self._agent = await start_process(AGENT, lambda: Channel(_nothing_is_asked))
        namespace = f"interplay-{secrets.token_hex(8)}"
        try:
            asked = self._agent.channel.call("join", address, cpus, namespace)
            joined: dict[str, Any] = await asyncio.wait_for(asked, JOINED_WITHIN)
            return joined
        except TimeoutError:
            await self._agent.end(0)
            what = f"the Ray cluster at {address}" if address else "a Ray cluster that is started here"
            raise Mistake(f"{what} did not answer within {JOINED_WITHIN:.0f} s") from None
        except ChannelClosed:
            await self._agent.end()
            raise Mistake(f"Ray ended before it had begun: {self._agent.how_it_ended()}") from None

    def connect(self, directory: Directory, name: str) -> Model:
        """A model; one of this machine's files is held by a process of the cluster, and loaded once."""
        model = directory.connect(name)
        if not is_local(directory, name):
            return model
        return LocalOnRay(model, directory, self._model_cpus, self._start_model)

    def _start_model(self, make: Callable[[], Channel]) -> Any:
        return self._start("model", self._model_cpus, make)

    async def launch(self, make: Callable[[], Channel]) -> "RayProcess":
        return await self._start("branch", 1, make)

    async def _start(self, kind: str, cpus: int, make: Callable[[], Channel]) -> "RayProcess":
        """Start a process; one that is lost on its way here is no reason to give up."""
        for _ in range(MOST_STARTS - 1):
            with suppress(_LostOnItsWay):
                return await self._start_one(kind, cpus, make)
        return await self._start_one(kind, cpus, make)

    async def _start_one(self, kind: str, cpus: int, make: Callable[[], Channel]) -> "RayProcess":
        if self._agent is None:
            raise RuntimeError("the launcher is not open")
        agent, number = self._agent.channel, next(self._numbers)
        try:
            found = await agent.call("start", number, cpus)
            if "free" in found:
                raise NoRoom(
                    f"the Ray cluster has no room: a process needs {cpus} CPU, and {found['free']} of the "
                    f"{found['there']} that it has are free"
                )
            await _check_program(**found)
            caller = self._door.expect(make)
            process = RayProcess(number, kind, agent, caller, self._door)
            self._processes.add(process)
            process.gone.add_done_callback(lambda _: self._processes.discard(process))
            await process.come()
        except ChannelClosed:
            raise Mistake("the connection to the Ray cluster is lost; the same command goes on") from None
        except BaseException:
            agent.tell("end", number)
            raise
        return process

    async def close(self) -> None:
        await asyncio.gather(*(one.end() for one in self._processes), return_exceptions=True)
        await self._door.close()
        if self._agent is not None:
            await self._agent.end(SHUT_DOWN_WITHIN)


class RayProcess:
    """One process on the cluster."""

    def __init__(self, number: int, kind: str, agent: Channel, caller: Caller, door: Door):
        self.channel: Channel  # set when it has come
        self._number = number
        self._agent = agent
        self._caller = caller
        self._door = door
        self._how = ""
        asked = agent.call("serve", number, kind, door.host, door.port, caller.word)
        self.gone = asyncio.ensure_future(self._watch(asked))

    async def _watch(self, asked: "asyncio.Future[str]") -> None:
        """A machine that is lost closes no connection: Ray notices."""
        try:
            self._how = await asked
        except ChannelClosed:
            self._how = "the connection to the Ray cluster was lost"
        except RuntimeError as error:
            self._how = str(error)
        self._door.forget(self._caller)
        channel = self._caller.channel
        if channel is None:
            self._caller.came.cancel()
            return
        with suppress(TimeoutError):  # what it said before may still be on its way
            await asyncio.wait_for(channel.closed.wait(), LINGERS)
        self._caller.came.result().abort()

    async def come(self) -> None:
        """Wait until it is at the door."""
        try:
            async with asyncio.timeout(COMES_WITHIN):
                await asyncio.wait([self._caller.came])
        except TimeoutError:
            self._door.forget(self._caller)
        if not self._caller.came.done() or self._caller.came.cancelled() or self._caller.channel is None:
            how = (
                self._how
                or f"it cannot reach {self._door.host} port {self._door.port}, where this run listens"
            )
            problem = _LostOnItsWay if self._how else Mistake
            raise problem(f"a process of the Ray cluster did not come: {how}")
        self.channel = self._caller.channel

    async def end(self) -> None:
        self.channel.close()
        await asyncio.wait([self.gone], timeout=ENDS_WITHIN)
        if not self.gone.done():
            self._agent.tell("end", self._number)
            await asyncio.wait([self.gone], timeout=ENDS_WITHIN)
        self.gone.cancel()  # a node that is lost is no hurry of Ray's

    def how_it_ended(self) -> str:
        return self._how or "nothing more is heard of it"


async def _nothing_is_asked(verb: str, body: list[Any]) -> Any:
    raise RuntimeError(f"the process beside this one asks for nothing, and asked to {verb!r}")


async def _check_program(host: str, program: str) -> None:
    if program != await asyncio.to_thread(depending.program):
        raise Mistake(
            f"{host} has another version of Interplay than this process; install the same one on every machine "
            "of the cluster"
        )


async def _reach(address: str) -> None:
    """Raise a Mistake at once where nobody listens; Ray itself would try for long."""
    if address == "auto":
        return
    host, colon, port = address.rpartition(":")
    if "//" in address:
        raise Mistake(
            f"--ray-address {address}: start on a machine of the cluster, and name HOST:PORT or auto"
        )
    if not colon:
        host, port = address, str(DEFAULT_PORT)
    if not port.isdecimal() or not 0 < int(port) < 2**16:
        raise Mistake(
            f"--ray-address {address!r} is not HOST:PORT, such as 127.0.0.1:{DEFAULT_PORT}, and not auto"
        )
    try:
        async with asyncio.timeout(REACHED_WITHIN):
            _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
    except (OSError, TimeoutError, UnicodeError) as error:
        raise Mistake(f"no Ray cluster can be reached at {address}: {_why(error)}") from error
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


def _why(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer within {REACHED_WITHIN:.0f} s"
    if isinstance(error, socket.gaierror):
        return "there is no such host"
    if isinstance(error, ConnectionRefusedError):
        return "nobody listens there"
    return str(error)
