"""Measure the program: `python -m perf`, from the root of the repository."""

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from perf.bench import Bench
from perf.cpu import cpu
from perf.grid import grid
from perf.growth import growth
from perf.long import long
from perf.measures import Measure, Part
from perf.memory import memory
from perf.page import PAGE, write_page
from perf.pages import pages
from perf.postgres import postgres
from perf.sizes import FULL, QUICK

PARTS: dict[str, Callable[[Bench], Part]] = {
    "cpu": cpu,
    "grid": grid,
    "memory": memory,
    "growth": growth,
    "long": long,
    "postgres": postgres,
    "pages": pages,
}
OPEN_FILES = 16_384  # more than a grid of connections needs


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m perf", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all of them by default"
    )
    parser.add_argument(
        "--quick", action="store_true", help="a smoke run of a minute; its numbers mean little"
    )
    parser.add_argument("--alone", action="store_true", help="run no other program beside it")
    parser.add_argument("--write", action="store_true", help=f"write the results to docs/{PAGE.name}")
    given = parser.parse_args()
    for part in given.parts:
        if part not in PARTS:
            parser.error(f"there is no part {part!r}; there are {', '.join(PARTS)}")
    if given.write and (given.quick or given.alone or set(given.parts) not in (set(), set(PARTS))):
        parser.error("--write needs all parts at their full size, and the other programs")
    started = time.monotonic()
    results = run(given.parts or list(PARTS), quick=given.quick, peers=not given.alone)
    if given.quick:
        print("\nThis was a quick run: it shows that everything works; measure without --quick.")
    if given.write:
        write_page(results, list(PARTS), (time.monotonic() - started) / 60)


def run(wanted: Sequence[str], *, quick: bool, peers: bool) -> list[Part]:
    """Run the parts one after the other, and print each when it is done."""
    _allow_files()
    results: list[Part] = []
    with tempfile.TemporaryDirectory(prefix="interplay-perf-", ignore_cleanup_errors=True) as name:
        bench = Bench(Path(name), QUICK if quick else FULL, peers)
        for part in [part for part in PARTS if part in wanted]:
            started = time.monotonic()
            results.append(PARTS[part](bench))
            bench.tell(f"{part} took {time.monotonic() - started:.0f} s")
            show(results[-1], judged=not quick)
    return results


def show(part: Part, *, judged: bool) -> None:
    """Print the numbers of one part as a small table; a quick run is not held against the targets."""
    print(f"\n{part.name}: {part.heading}")
    rows = [_cells(one, judged) for one in part.measures]
    widths = [max(len(text) for text in column) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
        print("  " + "  ".join(cells).rstrip(), flush=True)


def _cells(one: Measure, judged: bool) -> tuple[str, str, str, str]:
    plain = one.name.replace("`", ""), one.value.replace("`", ""), one.target
    return *plain, one.judgement if judged else ""


def _allow_files() -> None:
    """Let this process and those it starts have more sockets open than many systems allow at first."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        print(f"open files: at most {wanted:,} instead of {soft:,}", file=sys.stderr)


if __name__ == "__main__":
    main()
