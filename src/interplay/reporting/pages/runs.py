"""The page of a run: what it is, where it stands, and what came of it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from interplay.core.benchmark import Benchmark
from interplay.core.board import Board
from interplay.core.people import is_person
from interplay.reporting.charts import Chart
from interplay.reporting.pages.boards import explainer
from interplay.reporting.pages.commands import OF_A_FILE, Command
from interplay.reporting.pages.links import Links
from interplay.reporting.pages.progress import Standing, counted, in_words
from interplay.running.import_note import format_of
from interplay.running.keeping import Kept
from interplay.running.pairing import judges_of_pairs
from interplay.store.records import Run

STATES = {
    "written": "Going on now",
    "waiting": "Waits for somebody to speak",
    "finished": "Finished",
    "decided": "Decided",
    "stopped": "Stopped",
}
LOOK_AGAIN = {"written": 2, "waiting": 4, "stopped": 6}  # seconds, while something may change
MOST_OF_A_VALUE = 200  # characters of an option


def name_of(run: Run) -> str:
    return run.name or run.id


def about(
    run: Run, benchmark: Benchmark, versions: Mapping[str, Sequence[str]] | None = None
) -> dict[str, Any]:
    """What a run is: all that would make another run another."""
    identity, extent = run.identity, run.extent
    others = {role: names for role, names in identity["roles"].items() if role != "judge"}
    return {
        "models": [_who(name, versions) for name in identity["models"]],
        "roles": [(role, [_who(name, versions) for name in names]) for role, names in others.items()],
        "judges": [_who(name, versions) for name in extent["judges"]],
        "comparing": [_who(name, versions) for name in judges_of_pairs(run)],
        "options": list(_options(run, benchmark)),
        "sampling": [
            f"{who}: {', '.join(f'{key} {_plain(value)}' for key, value in sorted(change.items()))}"
            for who, change in sorted(identity["sampling"].items())
        ],
        "limit": extent["limit"],
        "epochs": extent["epochs"],
        "seed": identity["seed"],
        "imported": format_of(run),
        "scenarios": identity["scenarios"],
        "rubric": "" if extent["rubric"] == "none" else extent["rubric"],
        "created": run.created[:16].replace("T", " "),
    }


def _who(name: str, versions: Mapping[str, Sequence[str]] | None) -> dict[str, Any]:
    """A model, and what it says it is where that is something else."""
    reported = [
        one for one in (versions or {}).get(name, ()) if one not in ("", name, name.partition("/")[2])
    ]
    return {"name": name, "versions": reported, "is_person": is_person(name)}


def _options(run: Run, benchmark: Benchmark) -> Iterator[tuple[str, str]]:
    """Options that differ from their defaults, as the run was last judged; a file's content is named, not quoted."""
    meant = {option.name: option for option in benchmark.options}
    for name, value in {**run.identity["options"], **run.extent.get("judging", {})}.items():
        if name in meant and value != meant[name].default:
            yield name, _named(value)


def _named(value: str) -> str:
    if not value.startswith(OF_A_FILE):
        return value if len(value) <= MOST_OF_A_VALUE else f"{value[:MOST_OF_A_VALUE]} ..."
    try:
        found = json.loads(value)
    except ValueError:
        return f"{value[:MOST_OF_A_VALUE]} ..."
    return str(found.get("name") or "of a file") if isinstance(found, dict) else "of a file"


def _plain(value: object) -> str:
    return "left to the endpoint" if value is None else str(value)


def progress(standing: Standing, command: Command) -> dict[str, Any]:
    """Where a run stands, as the part of its page that is fetched again and again."""
    sums, state = standing.sums, standing.state
    return {
        "stands": standing,
        "state": state,
        "state_in_words": STATES[state],
        "line": _line(standing),
        "time_left": "" if standing.seconds_left is None else in_words(standing.seconds_left),
        "command": command,
        "look_again": LOOK_AGAIN.get(state, 0),
        "failures": counted(sums.failures),
        "judge_failures": counted(sums.judge_failures),
        "causes": counted(sums.causes),
        "waiting": counted(standing.progress.waiting),
        "slowest": sums.slowest,
        "written": _clock(standing),
    }


def _line(standing: Standing) -> str:
    """One short line that says it all, for who hears the page too."""
    settled = standing.done + standing.void
    verdicts = f", {standing.sums.verdicts:,} verdicts" if standing.progress.judges else ""
    return f"{settled:,} of {standing.planned:,} conversations over{verdicts}"


def _clock(standing: Standing) -> str:
    last = standing.progress.last_written
    return "" if last is None else last.strftime("%Y-%m-%d %H:%M:%S UTC")


def page(
    run: Run,
    benchmark: Benchmark,
    kept: Kept[Board],
    links: Links,
    *,
    charts: Sequence[Chart] = (),
    versions: Mapping[str, Sequence[str]] | None = None,
    sequels: Sequence[Run] = (),
) -> dict[str, Any]:
    """What the page of a run shows besides where it stands."""
    return {
        "title": name_of(run),
        "here": "home",
        "run": run,
        "benchmark": benchmark,
        "about": about(run, benchmark, versions),
        "kept": kept,
        "charts_of_run": charts,
        "explain": explainer(links, [run]),
        "sequels": sequels,
    }
