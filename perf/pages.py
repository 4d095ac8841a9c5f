"""Pages of a small and of a large store, asked for in turn of two servers that run side by side."""

import http.client
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from perf.bench import Bench
from perf.children import made_store
from perf.measures import Measure, Part, load

SMALL = 200  # conversations
MOST_TIMES, MOST_SECONDS = 5.0, 0.5
LONGEST = 600.0  # seconds until a large board is computed
ROUNDS = 41
WANDERING = 400  # conversations that are looked at, to see whether memory grows


@dataclass(frozen=True)
class Server:
    """Pages of one store, served by a process of its own."""

    process: "subprocess.Popen[str]"
    port: int
    cookie: str
    run: str
    conversations: int

    def ask(self, path: str) -> tuple[float, str]:
        """One page: how long it took, and what it says."""
        began = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request("GET", path, headers={"Cookie": self.cookie})
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        if answer.status != 200:
            raise RuntimeError(f"{path} answered {answer.status}")
        return time.perf_counter() - began, body

    def memory(self) -> int:
        """Resident bytes now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        return int(found.group(1)) * 1024 if found else 0

    def pages(self) -> Mapping[str, str]:
        middle = self.conversations // 2
        return {
            "first page": "/",
            "board": "/boards/role_play/",
            "run": f"/runs/{self.run}/",
            "list of conversations": f"/runs/{self.run}/conversations/?after={middle}",
            "conversation": f"/runs/{self.run}/conversations/{middle}/",
        }

    def compute(self) -> float:
        """Wait until the boards are there; how long that took."""
        began = time.monotonic()
        while time.monotonic() < began + LONGEST:
            texts = [self.ask(self.pages()[name])[1] for name in ("board", "run")]
            if not any("being computed" in text or "being counted" in text for text in texts):
                return time.monotonic() - began
            time.sleep(0.5)
        raise RuntimeError("the board was not there in time")


@contextmanager
def serving(store: Path, run: str, conversations: int) -> Iterator[Server]:
    """A server as a user starts it."""
    command = [sys.executable, "-m", "interplay", "view", "--no-open", "--port", "0", "--store", str(store)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            line = process.stderr.readline() if process.stderr else ""
            found = re.search(r"http://127\.0\.0\.1:(\d+)/enter/(\S+)", line)
            if found is None:
                raise RuntimeError(f"no link was printed: {line}")
            port, secret = int(found.group(1)), found.group(2)
            yield Server(process, port, f"interplay_{port}={secret}", run, conversations)
        finally:
            process.terminate()


def pages(bench: Bench) -> Part:
    """Both stores are made, served, and their pages asked for in turn."""
    before, folder, size = load(), bench.folder, bench.size
    with ExitStack() as stack:
        servers = []
        for count in (SMALL, size.pages_conversations):
            store = folder / f"pages-{count}.db"
            bench.tell(f"a store with {count:,} conversations is made")
            run = made_store(store, count)
            servers.append(stack.enter_context(serving(store, run, count)))
        small, large = servers
        bench.tell("boards are computed, pages asked for")
        small.compute()
        waited = large.compute()
        taken = {name: _in_turn(small, large, name) for name in large.pages()}
        rested = large.memory()
        step = max(1, size.pages_conversations // WANDERING)
        for number in range(1, size.pages_conversations + 1, step):
            large.ask(f"/runs/{large.run}/conversations/{number}/")
        memory = (small.memory(), rested, large.memory())
    work = (
        f"a store with {SMALL:,} conversations and one with {size.pages_conversations:,}, each served by a process of "
        f"its own; every page is asked for {ROUNDS} times of each in turn"
    )
    return Part("pages", work, (before, load()), (*_of_pages(taken), *_of_memory(memory, waited)))


def _in_turn(small: Server, large: Server, name: str) -> tuple[float, float]:
    taken: tuple[list[float], list[float]] = ([], [])
    for server in (small, large):
        server.ask(server.pages()[name])  # the first time is not counted
    for _ in range(ROUNDS):
        for server, times in zip((small, large), taken, strict=True):
            times.append(server.ask(server.pages()[name])[0])
    return median(taken[0]), median(taken[1])


def _of_pages(taken: Mapping[str, tuple[float, float]]) -> Iterator[Measure]:
    for name, (few, many) in taken.items():
        yield Measure(
            f"{name}, large : small",
            f"{many / few:.2f} x ({1000 * many:.0f} ms : {1000 * few:.0f} ms)",
            "the median time of the page over HTTP in the large store, divided by that in the small one",
            f"at most {MOST_TIMES:g} x, under {MOST_SECONDS:g} s",
            many / few <= MOST_TIMES and many < MOST_SECONDS,
        )


def _of_memory(memory: tuple[int, int, int], waited: float) -> Iterator[Measure]:
    small, rested, after = (f"{one / 1e6:.0f} MB" for one in memory)
    yield Measure(
        "memory of the server, large",
        f"{after} ({rested} before {WANDERING} conversations were looked at; {small} with the small store)",
        "resident memory; large boards are computed by a process of their own",
    )
    yield Measure(
        "until a large board was there",
        f"{waited:.0f} s",
        "once after every change of the run, in the background",
    )
