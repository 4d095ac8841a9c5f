"""A Ray cluster of several nodes on this machine, in a process of its own; and the processes that belong to it.

`python -m tests.running.ray_cluster FOLDER CPUS ...` starts it, prints its address, and obeys what it reads: `add CPUS`
and `lose`, which kills the newest node but the first.
"""

import logging
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 60
ACTOR = "ray::Actor"
ON_LOOPBACK = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
QUICK_TO_NOTICE = {  # a node that is lost, in a second or two
    "RAY_health_check_initial_delay_ms": "0",
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_timeout_ms": "1000",
    "RAY_health_check_failure_threshold": "3",
}
FIELDS_BEFORE_PARENT = 1  # after the name of a process in its stat: the state


def main(folder: str, *cpus: str) -> None:
    from ray.cluster_utils import Cluster  # here: whoever only asks for a cluster does not need Ray

    logging.disable(logging.CRITICAL)
    common = {"include_dashboard": False, "object_store_memory": 80 * 2**20, "temp_dir": folder}
    first = {"num_cpus": int(cpus[0]), **common}
    cluster = Cluster(initialize_head=True, head_node_args=first)
    nodes = [cluster.add_node(num_cpus=int(count), **common) for count in cpus[1:]]
    _say(cluster.address)
    for line in sys.stdin:
        verb, *count = line.split()
        if verb == "lose":
            node = nodes.pop()
            raylet = node.all_processes["raylet"][0].process.pid
            for pid in (*descendants(raylet), raylet):  # those that it started would live on for a moment
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            cluster.remove_node(node, allow_graceful=False)
        else:
            nodes.append(cluster.add_node(num_cpus=int(count[0]), **common))
        _say("done")
    cluster.shutdown()


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


@dataclass
class RayCluster:
    """A cluster that was started for tests."""

    process: subprocess.Popen[str]
    environment: dict[str, str]  # with the word that lets a process join
    address: str = ""

    def heard(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def tell(self, what: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        assert self.heard() == "done"

    def lose_a_node(self) -> None:
        self.tell("lose")

    def add_a_node(self, cpus: int) -> None:
        self.tell(f"add {cpus}")

    def actors(self) -> list[int]:
        return actors_below(self.process.pid)


@contextmanager
def cluster_of(*cpus: int) -> Iterator[RayCluster]:
    """A cluster with a node for each of these numbers of processors."""
    word = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    with tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        Path(folder, "ray").mkdir()  # Ray writes down where its cluster is, and takes the folder for granted
        process = subprocess.Popen(
            [sys.executable, "-m", __name__, folder, *map(str, cpus)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=Path(__file__).parents[2],
            env={**os.environ, **ON_LOOPBACK, **QUICK_TO_NOTICE, **word, "RAY_TMPDIR": folder},
        )
        with process:
            cluster = RayCluster(process, word)
            try:
                cluster.address = cluster.heard()
                assert cluster.address, "the cluster did not start"
                yield cluster
            finally:
                below = descendants(process.pid)
                assert process.stdin is not None
                process.stdin.close()
                process.wait(PATIENCE)
        assert gone_within(below, 10), "processes of the cluster were left running"


def descendants(pid: int) -> set[int]:
    """The processes that this one started, and those that they did."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        children.setdefault(int(fields[FIELDS_BEFORE_PARENT]), []).append(int(stat.parent.name))
    found: set[int] = set()
    left = [pid]
    while left:
        new = children.get(left.pop(), [])
        found.update(new)
        left += new
    return found


def actors_below(pid: int) -> list[int]:
    """The processes on Ray that play for a run, of all that this one started."""
    return sorted(one for one in descendants(pid) if _title(one).startswith(ACTOR))


def _title(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def gone_within(pids: set[int], seconds: float) -> bool:
    until = time.monotonic() + seconds
    while any(map(_is_alive, pids)):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def kill_an_actor(pid: int, turn: int = 0) -> bool:
    """Kill one of the processes that play, of all that this one started, if there is any."""
    found = actors_below(pid)
    if not found:
        return False
    victim = found[turn % len(found)]
    os.kill(victim, signal.SIGKILL)
    assert gone_within({victim}, 10)
    return True


if __name__ == "__main__":
    main(*sys.argv[1:])
