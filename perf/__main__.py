"""Measure the program: `python -m perf`, from the root of the repository."""

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from perf.measures import FULL, QUICK, Measure, Part, Size
from perf.page import PAGE, write_page
from perf.pages import pages
from perf.parts import cpu, latency, memory, record_bodies

PARTS = ("cpu", "latency", "memory", "pages")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m perf", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all of them by default"
    )
    parser.add_argument(
        "--quick", action="store_true", help="a smoke run of seconds; its numbers mean little"
    )
    parser.add_argument("--write", action="store_true", help=f"write the results to docs/{PAGE.name}")
    given = parser.parse_args()
    for part in given.parts:
        if part not in PARTS:
            parser.error(f"there is no part {part!r}; there are {', '.join(PARTS)}")
    if given.write and (given.quick or set(given.parts) not in (set(), set(PARTS))):
        parser.error("--write needs all parts at their full size")
    started = time.monotonic()
    results, sqlite = run(given.parts or PARTS, QUICK if given.quick else FULL)
    if given.quick:
        print("\nThis was a quick run: it shows that everything works; measure without --quick.")
    if given.write:
        write_page(results, sqlite, (time.monotonic() - started) / 60)


def run(wanted: Sequence[str], size: Size) -> tuple[list[Part], str]:
    """Run the parts one after the other, and print each when it is done."""
    results: list[Part] = []
    sqlite = ""
    with tempfile.TemporaryDirectory(prefix="interplay-perf-") as name:
        folder = Path(name)
        bodies = record_bodies(folder) if {"cpu", "latency"} & set(wanted) else folder
        for part in [part for part in PARTS if part in wanted]:
            if part == "memory":
                result, sqlite = memory(folder, size)
            elif part == "pages":
                result = pages(folder, size)
            else:
                result = {"cpu": cpu, "latency": latency}[part](folder, bodies, size)
            show(result, judged=size is FULL)
            results.append(result)
    return results, sqlite


def show(part: Part, *, judged: bool) -> None:
    """Print the numbers of one part as a small table; a quick run is not held against the targets."""
    print(f"\n{part.name}: {part.heading}")
    rows = [_cells(one, judged) for one in part.measures]
    widths = [max(len(text) for text in column) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
        print("  " + "  ".join(cells).rstrip(), flush=True)


def _cells(one: Measure, judged: bool) -> tuple[str, str, str, str]:
    return one.name.replace("`", ""), one.value, one.target, one.judgement if judged else ""


if __name__ == "__main__":
    main()
