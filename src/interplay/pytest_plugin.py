"""For pytest: a run as a fixture, and assertions about the ends of its intervals."""

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:  # whoever installed Interplay loads this in every session, and the rest when a test plays
    from interplay.api import Run
    from interplay.running.how import How
    from interplay.store.places import Store

FIXTURE = "interplay_run"
FOLDER, FILE = ".interplay", "runs.db"
TEMPORARY = "tmp"
LOCKED = 0.2  # seconds until the lock of a run is tried again
BEGUN = pytest.StashKey[str]()  # when the session did
SUMMARIES = pytest.StashKey[dict[str, list[str]]]()  # of the runs that were played, by their ids
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("interplay", "runs of Interplay (the fixture interplay_run)")
    store = f"Where runs are kept: a file, a PostgreSQL URL, or {TEMPORARY} for a new one each time."
    group.addoption("--interplay-store", metavar="STORE", help=f"{store} Else {FOLDER}/{FILE}.")
    group.addoption(
        "--interplay-version",
        metavar="NAME",
        help="What is tested, as by a commit: another version has a file of its own, and is played anew.",
    )
    group.addoption("--interplay-budget", type=float, metavar="DOLLARS", help="The most that a run may cost.")
    group.addoption(
        "--interplay-budget-calls", type=int, metavar="N", help="The most calls that a run may make."
    )
    group.addoption("--interplay-skip", action="store_true", help=f"Skip every test that uses {FIXTURE}.")
    group.addoption(
        "--interplay-skip-unreachable",
        action="store_true",
        help="Skip a test where a model's key is not set or nothing answers at its place.",
    )
    parser.addini("interplay_store", store)
    parser.addini("interplay_budget", "The most dollars that a run may cost.")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[SUMMARIES] = {}
    config.stash[BEGUN] = datetime.now(UTC).isoformat(timespec="milliseconds")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("interplay_skip"):
        for item in items:
            if FIXTURE in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.skip(reason="--interplay-skip"))


@pytest.fixture(scope="session")
def interplay_run(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> "Callable[..., Run]":
    """Play a benchmark as interplay.run does, in a store that is kept: what was played before costs nothing.

    interplay_run("task_dialogue", "openai/gpt-4o", roles={...}).expect("success").at_least(0.8)
    """
    place = _store(pytestconfig, tmp_path_factory)

    def play(benchmark: str, model: Any = (), *, how: "How | None" = None, **named: Any) -> "Run":
        __tracebackhide__ = True
        from interplay.models.calling import Unreachable

        try:
            played = _played(pytestconfig, place, benchmark, model, how, named)
        except Unreachable as error:
            if not pytestconfig.getoption("interplay_skip_unreachable"):
                raise
            pytest.skip(str(error))
        pytestconfig.stash[SUMMARIES][played.id] = _told(played, pytestconfig.stash[BEGUN])
        return played

    return play


def _played(
    config: pytest.Config,
    place: "Store",
    benchmark: str,
    model: Any,
    how: "How | None",
    named: dict[str, Any],
) -> "Run":
    """Play, or go on; where another worker of the same session plays this run, wait for it."""
    __tracebackhide__ = True
    from interplay.api import run, setup
    from interplay.core.failures import RunLocked

    how = _within(config, how or setup(), place)
    while True:
        try:
            return run(benchmark, model, how=how, **named)
        except RunLocked:
            if not hasattr(config, "workerinput"):
                raise
            time.sleep(LOCKED)


def _within(config: pytest.Config, how: "How", place: "Store") -> "How":
    """How the test wants it, in the session's store and within its budget."""
    from dataclasses import replace

    limits = how.limits
    if (money := _budget(config)) is not None:
        limits = replace(limits, money=money)
    if (calls := config.getoption("interplay_budget_calls")) is not None:
        limits = replace(limits, calls=calls)
    return replace(how, store=place, limits=limits)


def _budget(config: pytest.Config) -> float | None:
    typed: float | None = config.getoption("interplay_budget")
    written = str(config.getini("interplay_budget") or "")
    if typed is not None or not written:
        return typed
    try:
        return float(written)
    except ValueError:
        raise pytest.UsageError(f"interplay_budget is a number of dollars, not {written!r}") from None


def _store(config: pytest.Config, temporary: pytest.TempPathFactory) -> "Store":
    """Where the session's runs are kept."""
    from interplay.store.places import place_of

    typed = str(config.getoption("interplay_store") or "")
    written = typed or str(config.getini("interplay_store") or "")
    version = str(config.getoption("interplay_version") or "")
    if written == TEMPORARY:
        return temporary.mktemp("interplay") / FILE
    if "://" in written:
        if version:
            raise pytest.UsageError("--interplay-version goes with a store that is a file")
        return place_of(written)
    above = config.invocation_params.dir if typed else config.rootpath
    path = above / written if written else config.rootpath / FOLDER / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    if not written:
        _keep_out_of_git(path.parent)
    return path.with_stem(f"{path.stem}-{_NOT_IN_NAMES.sub('-', version)}") if version else path


def _keep_out_of_git(folder: Path) -> None:
    ignored = folder / ".gitignore"
    if not ignored.exists():
        ignored.write_text("*\n", encoding="utf-8")


# What is told at the end


def _told(run: "Run", begun: str) -> list[str]:
    """A run's measures with their intervals, what it cost, and how much of it is of this session."""
    from interplay.cli.terminal import harmless
    from interplay.core.board import Estimate
    from interplay.reporting.cells import interval, written

    board = run.leaderboard()
    lines = [f"{board.title}: {run.id} in {run.store}, {_calls_since(begun, run):,} calls in this session"]
    for row in board.rows:
        told = [
            f"{column.key} {written(column, cell)} ({interval(column, cell)})"
            for column in board.columns
            if isinstance(cell := row[column.key], Estimate) and cell.value is not None and not column.detail
        ]
        told += [f"n {row['n']}"] if "n" in row else []
        told += [
            f"{key} {share:.0%}" for key in ("void", "unscored") if isinstance(share := row.get(key), float)
        ]
        told.append(f"cost ${cost:,.2f}" if isinstance(cost := row["cost"], float) else "cost unknown")
        lines.append(f"  {row['model']}: {', '.join(told)}")
    return [harmless(line) for line in lines]


def _calls_since(begun: str, run: "Run") -> int:
    """Calls of a run that were made in this session, by whichever of its workers."""
    from interplay.store.records import Records

    with Records(run.store) as records:
        mine = (
            "SELECT count(*) FROM calls k JOIN conversations c ON c.number = k.conversation WHERE c.run = ?"
        )
        return int(records.rows(f"{mine} AND k.sent >= ?", records.find(run.id).number, begun)[0][0])


def pytest_sessionfinish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)
    if output is not None:  # of a worker of xdist, whose terminal is elsewhere
        output["interplay"] = session.config.stash[SUMMARIES]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take in what a worker of xdist has played."""
    summaries = getattr(node, "workeroutput", {}).get("interplay", {})
    node.config.stash[SUMMARIES].update(summaries)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    summaries = config.stash[SUMMARIES]
    if summaries:
        terminalreporter.section("interplay")
        for line in (line for lines in summaries.values() for line in lines):
            terminalreporter.write_line(line)
