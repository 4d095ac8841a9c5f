"""For pytest: a run as a fixture, and assertions about the ends of its intervals."""

import hashlib
import re
import time
from argparse import ArgumentTypeError
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:  # whoever installed Interplay loads this in every session, and the rest when a test plays
    from interplay.api import Run
    from interplay.models.editions import Editions
    from interplay.running.how import How
    from interplay.store.places import Store

FIXTURE = "interplay_run"
FOLDER, FILE = ".interplay", "runs.db"
TEMPORARY = "tmp"
LOCKED = 0.2  # seconds until the lock of a run is tried again
MOST_WAITED = 600.0  # seconds in which nobody makes a call: more than any call takes
MOST_DOLLARS = 1e9
BEGUN = pytest.StashKey[str]()  # when the session did
SUMMARIES = pytest.StashKey[dict[str, list[str]]]()  # of the runs that were played, by their ids
EDITIONS = pytest.StashKey["Editions"]()
_PLAIN_NAME = re.compile(r"[a-z0-9_.-]{1,64}")  # which no file system takes for another
_NOT_IN_NAMES = re.compile(r"[^a-z0-9_.-]+")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("interplay", "runs of Interplay (the fixture interplay_run)")
    store = f"Where runs are kept: a file, a PostgreSQL URL, or {TEMPORARY} for a new one each time."
    group.addoption("--interplay-store", metavar="STORE", help=f"{store} Else {FOLDER}/{FILE}.")
    group.addoption(
        "--interplay-version",
        metavar="NAME",
        help="What is tested, as by a commit: another version has a file of its own, and is played anew.",
    )
    group.addoption(
        "--interplay-budget", type=_dollars, metavar="DOLLARS", help="The most that a run may cost."
    )
    group.addoption(
        "--interplay-budget-calls", type=_calls, metavar="N", help="The most calls that a run may make."
    )
    group.addoption("--interplay-skip", action="store_true", help=f"Skip every test that uses {FIXTURE}.")
    group.addoption(
        "--interplay-skip-unreachable",
        action="store_true",
        help="Skip a test where a model's key is not set or nothing answers at its place.",
    )
    parser.addini("interplay_store", store)
    parser.addini("interplay_budget", "The most dollars that a run may cost.")


def _dollars(typed: str) -> float:
    try:
        found = float(typed)
    except ValueError:
        found = float("nan")
    if not 0 <= found <= MOST_DOLLARS:
        raise ArgumentTypeError(f"a number of dollars from 0, not {typed!r}")
    return found


def _calls(typed: str) -> int:
    if not (typed.isascii() and typed.isdecimal() and len(typed) < 19):
        raise ArgumentTypeError(f"a number of calls from 0, not {typed!r}")
    return int(typed)


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
    if pytestconfig.getoption("interplay_skip"):
        pytest.skip("--interplay-skip")  # where a test asks for the fixture only when it runs
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
    from dataclasses import replace

    from interplay.api import run, setup
    from interplay.core.failures import RunLocked

    how = _within(config, how or setup(), place)
    if not config.getoption("interplay_version") and _store_named(config) != TEMPORARY:
        directory, model, named = _editions(config).of_call(how.directory, model, named)
        how = replace(how, directory=directory)
    waiting = _Waiting(place)
    while True:
        try:
            return run(benchmark, model, how=how, **named)
        except RunLocked as error:
            if not hasattr(config, "workerinput"):
                raise
            if waiting.is_in_vain():
                raise RunLocked(f"{error}; for {MOST_WAITED:g} seconds it made no call") from None
            time.sleep(LOCKED)


def _editions(config: pytest.Config) -> "Editions":
    """Those of functions, whose names do not tell which code a kept run was played with."""
    from interplay.models.editions import Editions

    version = (
        "say which version is tested with --interplay-version, or keep nothing with --interplay-store tmp"
    )
    return config.stash.setdefault(EDITIONS, Editions(version))


class _Waiting:
    """Waits as long as somebody makes calls."""

    def __init__(self, place: "Store") -> None:
        self._place = place
        self._seen, self._since = -1, time.monotonic()

    def is_in_vain(self) -> bool:
        """Was there no call between two looks at the store, of which each is as long after the one before?"""
        if time.monotonic() - self._since <= MOST_WAITED:
            return False
        before, self._seen, self._since = self._seen, self._calls(), time.monotonic()
        return before == self._seen

    def _calls(self) -> int:
        from interplay.store.records import Records

        if not self._place.exists():  # which whoever holds the lock makes in a moment
            return 0
        with Records(self._place) as records:
            return int(records.rows("SELECT count(*) FROM calls")[0][0])


def _within(config: pytest.Config, how: "How", place: "Store") -> "How":
    """How the test wants it, in the session's store, within the session's budget and its own."""
    from dataclasses import replace

    from interplay.api import STORE

    if how.store != place and str(how.store) != STORE:
        raise pytest.UsageError(
            f"the runs of a session are in one store, not in {how.store}: name it with --interplay-store or "
            "interplay_store, and leave it out of interplay.setup"
        )
    limits = how.limits
    if (money := _budget(config)) is not None:
        limits = replace(limits, money=money if limits.money is None else min(money, limits.money))
    if (calls := config.getoption("interplay_budget_calls")) is not None:
        limits = replace(limits, calls=calls if limits.calls is None else min(calls, limits.calls))
    return replace(how, store=place, limits=limits)


def _budget(config: pytest.Config) -> float | None:
    typed: float | None = config.getoption("interplay_budget")
    written = str(config.getini("interplay_budget") or "")
    if typed is not None or not written:
        return typed
    try:
        return _dollars(written)
    except ArgumentTypeError as error:
        raise pytest.UsageError(f"interplay_budget is {error}") from None


def _store(config: pytest.Config, temporary: pytest.TempPathFactory) -> "Store":
    """Where the session's runs are kept."""
    from interplay.store.places import place_of

    written, version = _store_named(config), str(config.getoption("interplay_version") or "")
    if written == TEMPORARY:
        return _temporary(config, temporary)
    if "://" in written:
        if version:
            raise pytest.UsageError("--interplay-version goes with a store that is a file")
        return place_of(written)
    above = config.invocation_params.dir if config.getoption("interplay_store") else config.rootpath
    path = above / written if written else config.rootpath / FOLDER / FILE
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not written:
            _keep_out_of_git(path.parent)
    except OSError as error:
        raise pytest.UsageError(
            f"no store can be made in {path.parent} ({error.strerror}); name another with --interplay-store"
        ) from None
    return path.with_stem(f"{path.stem}-{_as_name(version)}") if version else path


def _store_named(config: pytest.Config) -> str:
    return str(config.getoption("interplay_store") or config.getini("interplay_store") or "")


def _temporary(config: pytest.Config, temporary: pytest.TempPathFactory) -> Path:
    """A new store, which the workers of one session share."""
    worker: dict[str, Any] | None = getattr(config, "workerinput", None)
    if worker is None:
        return temporary.mktemp("interplay") / FILE
    folder = temporary.getbasetemp().parent / f"interplay-{worker['testrunuid']}"
    folder.mkdir(exist_ok=True)
    return folder / FILE


def _as_name(version: str) -> str:
    """A version as part of a file's name; whatever cannot be one has a digest, so that no two are the same."""
    if _PLAIN_NAME.fullmatch(version):
        return version
    digest = hashlib.sha256(version.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return f"{_NOT_IN_NAMES.sub('-', version.lower())[:40]}-{digest}"


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
