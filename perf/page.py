"""The page that keeps the last results: docs/perf.md."""

import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from perf.bench import is_installed
from perf.children import said_by
from perf.measures import Part

PAGE = Path(__file__).resolve().parent.parent / "docs" / "perf.md"
SQLITE = "import apsw; print(apsw.sqlite_lib_version())"
TOP = """# How fast Interplay is

The numbers on this page were written by `python -m perf --write`, run from the root of the repository on {date}:
{machine}.

They compare things that ran side by side in one run, because seconds alone say more about a machine than about a
program. No test asserts them.

**The reference job** is `role_play` through the engine as a person would run it: per conversation eight calls of
simulator and subject in turn, then one call of a judge. It goes over real HTTP to a provider in a process of its
own on the same machine, and every call is recorded in a SQLite store on disk, intent before reply.

**The bare loop** is the floor that it is held against: as many workers as there are connections, each of which posts
the same requests as JSON with aiohttp, reads the answer and parses it. It keeps nothing and judges nothing. It runs in
Python's own event loop, as most scripts do; the job runs in uvloop's, as the program does.

**Inspect AI** is the peer: the same conversations of the same briefs and forms, written as a solver and a scorer
(`perf/inspect_job.py`), with settings that make it fast and leave its work whole. Other peers were not
run here.

Every client is a process of its own, so that its CPU time and its peak of memory are its own; the provider's are not
counted, and the calls that reached it are counted there. What a process takes to start and to import its modules is
not part of a run. Load is how many processes wanted a core in the last minute; where it is larger than the number of
cores, something else was running as well, and every number is worth less.
"""
BOTTOM = """
## Run it again

```
python -m perf                    # all parts, about {minutes} minutes
python -m perf cpu grid           # some of them: {parts}
python -m perf --alone            # all parts, without other programs
python -m perf --quick            # a minute: shows that it runs, its numbers mean little
python -m perf --write            # all parts, and write this page
```

`make perf` installs what is compared (`pip install --editable '.[dev,perf]'` does the same) and writes this page.

Stores are written to the folder for temporary files; set `TMPDIR` to measure another disk, and mind that a disk in
memory makes commits cheaper than they are.
"""


def write_page(results: Sequence[Part], parts: Sequence[str], minutes: float) -> None:
    """Write the page anew."""
    PAGE.write_text(page_of(results, parts, minutes), encoding="utf-8")


def page_of(results: Sequence[Part], parts: Sequence[str], minutes: float) -> str:
    """The page in Markdown: where and when, every part with its numbers and what they mean, how to run it again."""
    sections = [TOP.format(date=datetime.now(UTC).date().isoformat(), machine=machine())]
    sections += [_section(part) for part in results]
    sections.append(BOTTOM.format(minutes=max(1, round(minutes)), parts=", ".join(parts)))
    return "".join(sections)


def machine() -> str:
    """What it ran on, in words; no names of hosts or people."""
    packages = (
        ("aiohttp", "aiohttp"),
        ("Inspect AI", "inspect_ai"),
        ("openai", "openai"),
        ("psycopg", "psycopg"),
    )
    versions = [f"{name} {version(package)}" for name, package in packages if is_installed(package)]
    return (
        f"{_cores()} cores of {_processor()}, {platform.system()}, Python {platform.python_version()}, "
        f"SQLite {said_by(SQLITE).strip()}, {', '.join(versions)}, Interplay {version('interplay')}"
    )


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _processor() -> str:
    known = Path("/proc/cpuinfo")
    lines = known.read_text(encoding="utf-8").splitlines() if known.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def _section(part: Part) -> str:
    rows = [f"\n## {part.name}\n\n{part.heading[0].upper()}{part.heading[1:]}\n"]
    rows.append("\n| | measured | target | |\n|---|---|---|---|\n")
    rows += [f"| {one.name} | {one.value} | {one.target} | {one.judgement} |\n" for one in part.measures]
    rows.append("\n")
    named: dict[str, list[str]] = {}
    for one in part.measures:
        named.setdefault(one.meaning, []).append(one.name)
    rows += [f"- {'; '.join(names)}: {meaning}.\n" for meaning, names in named.items()]
    return "".join(rows)
