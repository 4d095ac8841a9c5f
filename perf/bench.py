"""What every part is given: where to write, how much to run, and the clients that it compares."""

import importlib.util
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from perf.children import Provider, client, provider
from perf.sizes import CONNECTIONS, SCENARIOS, Size

Taken = dict[str, Any]  # what a client said it took


@dataclass
class Bench:
    """One run of perf."""

    folder: Path
    size: Size
    peers: bool = True  # are other programs run as well?

    @cached_property
    def bodies(self) -> Path:
        """The bodies of one job's requests, which the bare loop then posts."""
        kept = self.folder / "bodies"
        with provider(keep=kept) as at:
            self.play(at, "bodies", epochs=1)
        return kept

    def play(self, at: Provider, name: str, **task: Any) -> Taken:
        """The reference job, into a new store of this name unless one is given."""
        usual: dict[str, Any] = {
            "store": str(self.folder / f"{name}.db"),
            "limit": SCENARIOS,
            "connections": CONNECTIONS,
        }
        self.tell(f"{name}: the job")
        return client("job", at, **usual | task)

    def post(self, at: Provider, calls: int, connections: int, bodies: Path | None = None) -> Taken:
        """The bare loop."""
        self.tell(f"the bare loop, {calls:,} calls")
        return client("floor", at, bodies=str(bodies or self.bodies), calls=calls, connections=connections)

    def inspect(self, at: Provider, epochs: int) -> Taken:
        """The job as it is written for Inspect AI."""
        self.tell("Inspect AI")
        task = {"bodies": str(self.bodies), "folder": str(self.folder / "inspect-logs")}
        settings = {
            "INSPECT_HTTP_KEEPALIVE_EXPIRY": "60",  # after the usual 5 s it would close what it needs again
            "INSPECT_TRACE_LEVEL": "warning",
            "XDG_DATA_HOME": str(self.folder),  # or it would leave files in the home of whoever runs this
        }
        return client("inspect_job", at, settings=settings, **task, epochs=epochs, connections=CONNECTIONS)

    def tell(self, doing: str) -> None:
        """Say on the screen of whoever waits what is being done."""
        print(f"  ... {doing}", file=sys.stderr, flush=True)


def is_installed(package: str) -> bool:
    """Can this be imported? It is not imported here."""
    return importlib.util.find_spec(package) is not None
