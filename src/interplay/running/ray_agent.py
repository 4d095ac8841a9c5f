"""A process between a run and its Ray cluster, so that nothing of Ray is in the driver: neither threads nor output.

It starts or joins the cluster, starts processes there, and tells how they ended. When the driver lets go, or is gone,
it ends, and with it all that it started.
"""

import asyncio
import contextlib
import logging
import os
import secrets
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from interplay.core.failures import Mistake
from interplay.running.channel import Channel
from interplay.running.launching import LONGEST_LINE
from interplay.running.ray_actor import Actor

ROOM_WITHIN = 60.0  # seconds that a cluster which is busy has to give room to a process
MOST_STARTS, PAUSE = 10, 1.0  # of one process that is lost before it answers; seconds between
LOST, KILLED = "its node was lost", "its process was killed or crashed"
OBJECTS = 80 * 2**20  # bytes of shared memory: nothing of ours goes through it
SHORT = "/tmp"  # noqa: S108  # a folder of our own is made in it
_KEPT_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nothing is told to anybody
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_SCHEDULER_EVENTS": "0",
    "RAY_ENABLE_AUTO_CONNECT": "0",  # what comes too late must not start a cluster of its own
}
MODE = "RAY_AUTH_MODE"
LOOPBACK = ("127.", "localhost", "[::1]")
_ON_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}  # Ray's word for it, on whatever system

_SAID = {
    "No module named 'interplay": "a node of the cluster has no Interplay, or another version of it",
    "its node has died": LOST,
    "low on memory": "Ray ended it for want of memory",
    "worker process has died": KILLED,
}


class Agent:
    """Does on the cluster what the driver asks for."""

    def __init__(self) -> None:
        self._ray: ModuleType
        self._actors: dict[int, Any] = {}
        self._cpus: dict[int, int] = {}  # that they take
        self._start_actor: Any = None
        self._folder: TemporaryDirectory[str] | None = None  # of a cluster that was started here

    async def serve(self, verb: str, body: list[Any]) -> Any:
        verbs: dict[str, Callable[..., Awaitable[Any]]] = {
            "join": self._join,
            "start": self._start,
            "serve": self._serve,
            "end": self._end,
        }
        return await verbs[verb](*body)

    async def _join(self, address: str, cpus: int, namespace: str) -> dict[str, Any]:
        """Start a cluster here, or join the one at the address; which nodes it has."""
        loopback = not address or address.startswith(LOOPBACK)
        os.environ.update(_KEPT_QUIET | (_ON_LOOPBACK if loopback else {}))
        if not address and MODE not in os.environ:  # else Ray keeps one token for all, in the user's folder
            os.environ.update({MODE: "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)})
        try:
            import ray  # here, not above: it is an extra, and reads these settings
        except ImportError as error:
            raise Mistake('--on ray needs Ray: pip install "interplay[ray]"') from error
        self._ray = ray
        quiet: dict[str, Any] = {
            "log_to_driver": False,
            "logging_level": logging.CRITICAL,
            "namespace": namespace,
        }
        try:
            if address:
                ray.init(address=address, **quiet)
            else:
                ray.init(
                    address="local",
                    num_cpus=cpus,
                    include_dashboard=False,
                    object_store_memory=OBJECTS,
                    _temp_dir=self._own_folder(),
                    **quiet,
                )
        except (ray.exceptions.RayError, RuntimeError, ValueError, OSError) as error:
            raise Mistake(_no_cluster(address, error)) from error
        decorate = ray.remote(max_restarts=0, max_task_retries=0, scheduling_strategy="SPREAD")
        self._start_actor = decorate(Actor)
        return {"ip": ray.util.get_node_ip_address() if address else "127.0.0.1", "nodes": self._nodes()}

    def _nodes(self) -> list[dict[str, Any]]:
        return [
            {
                "host": str(node["NodeManagerHostname"]),
                "address": str(node["NodeManagerAddress"]),
                "cpus": int(node["Resources"].get("CPU", 0)),
            }
            for node in self._ray.nodes()
            if node["Alive"]
        ]

    async def _start(self, number: int, cpus: int) -> dict[str, Any]:
        """Start a process: its machine and its program; or how much room the cluster has, where that is too little."""
        there = sum(node["cpus"] for node in self._nodes())
        if there < sum(self._cpus.values()) + cpus:
            return self._room()
        try:
            async with asyncio.timeout(ROOM_WITHIN):
                host, program = await self._started(number, cpus)
        except TimeoutError:
            await self._end(number)
            return self._room()
        return {"host": host, "program": program}

    async def _started(self, number: int, cpus: int) -> tuple[str, str]:
        """A process that answers; Ray may take a node that is lost for a living one for a while."""
        for attempt in range(1, MOST_STARTS + 1):
            self._cpus[number] = cpus
            actor = self._actors[number] = self._start_actor.options(num_cpus=cpus).remote()
            try:
                host, program = await asyncio.wrap_future(actor.program.remote().future())
                return host, program
            except self._ray.exceptions.RayError as error:
                await self._end(number)
                why = _in_words(error)
                if why not in (LOST, KILLED) or attempt == MOST_STARTS:
                    raise Mistake(f"a process cannot start on the cluster: {why}") from error
            await asyncio.sleep(PAUSE)
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _room(self) -> dict[str, Any]:
        free = self._ray.available_resources().get("CPU", 0)
        return {"there": sum(node["cpus"] for node in self._nodes()), "free": int(free)}

    async def _serve(self, number: int, kind: str, *door: Any) -> str:
        """Have a process come to the driver's door and serve; how it ended."""
        actor = self._actors.get(number)
        if actor is None:
            return "it was ended"
        try:
            await asyncio.wrap_future(actor.serve.remote(kind, *door).future())
        except self._ray.exceptions.RayError as error:
            return _in_words(error)
        finally:
            await self._end(number)
        return "it let go"

    async def _end(self, number: int) -> None:
        self._cpus.pop(number, None)
        actor = self._actors.pop(number, None)
        if actor is not None:
            with contextlib.suppress(self._ray.exceptions.RayError, ValueError):  # it is gone already
                self._ray.kill(actor, no_restart=True)

    def _own_folder(self) -> str:
        """Where the cluster keeps its sockets, whose paths must be short, and its logs, which go with it."""
        short = SHORT if Path(SHORT).is_dir() else None
        self._folder = TemporaryDirectory(prefix="ray-", dir=short, ignore_cleanup_errors=True)
        return self._folder.name

    def close(self) -> None:
        self._actors.clear()  # they end with the connection
        if self._start_actor is not None:
            self._ray.shutdown()
        if self._folder is not None:
            self._folder.cleanup()


def _no_cluster(address: str, error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    why = lines[0] if lines else type(error).__name__
    if not address:
        return f"a Ray cluster cannot be started here: {why}"
    if "InvalidAuthToken" in f"{error}{error.__cause__}{error.__context__}":
        return (
            f"the Ray cluster at {address} wants its token: set RAY_AUTH_MODE=token, and RAY_AUTH_TOKEN or "
            "RAY_AUTH_TOKEN_PATH, as on its machines"
        )
    if "ersion mismatch" in why:
        return f"the Ray cluster at {address} has another version: {' '.join(lines)[:LONGEST_LINE]}"
    return f"there is no Ray cluster at {address} that this machine is part of: {why}"


def _in_words(error: Exception) -> str:
    """What Ray says of a process that failed, shorter."""
    said = str(error)
    for found, words in _SAID.items():
        if found in said:
            return words
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1][:LONGEST_LINE] if lines else type(error).__name__


async def _work(end: socket.socket) -> None:
    agent = Agent()
    _, channel = await asyncio.get_running_loop().create_connection(lambda: Channel(agent.serve), sock=end)
    await channel.closed.wait()
    agent.close()


def main() -> None:
    """A process that was started with one end of a pair of sockets."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asyncio.run(_work(socket.socket(fileno=int(sys.argv[1]))))
    os._exit(0)  # nothing is left to say


if __name__ == "__main__":
    main()
