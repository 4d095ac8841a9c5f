"""social_interaction that is killed, stopped, stormed and started twice: in play, judging, training and reading."""

import json
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from interplay.models.loopback import ROUTES, Asked, Event, Fault, Loopback, Said, Script, Tuning, serving
from tests.cli.sessions import (
    MODELS,
    MOVES,
    READ,
    SCRIPTS,
    SESSIONS,
    exchange,
    gaps,
    intentions,
    jobs,
    of_models,
    read,
    serving_tables,
)
from tests.faults.harness import (
    Killer,
    allowed,
    check_record,
    finish,
    finished_rows,
    in_flight,
    start,
    start_anew,
)

PLAYED = len(MODELS) * SESSIONS * MOVES
READERS = 2 + len(MODELS)
JOBS = 1 + len(MODELS)
POLL = next(route for route in ROUTES if route.startswith("GET") and "{job}" in route)
QUICK = Tuning(polls=2)
Line = Callable[[str, Path], list[str]]


def exchanged(limit: int) -> Line:
    return lambda url, folder: exchange(url, "--limit", str(limit), "--json")


def read_by(dm: str, limit: int = SESSIONS) -> Line:
    return lambda url, folder: [*intentions(url, folder, dm=dm, limit=limit), "--json"]


@dataclass
class KillerAt(Killer):
    """Counts only some of the events."""

    counted: Callable[[Event], bool] = lambda event: True

    def __call__(self, event: Event) -> None:
        if self.counted(event):
            super().__call__(event)


@dataclass
class Twin:
    """A command that is disturbed, and what it came to undisturbed."""

    folder: Path
    line: Line
    board: str = ""
    calls: int = 0
    events: int = 0

    def __post_init__(self) -> None:
        calm = serving_tables(tuning=QUICK)
        with serving(calm) as url:
            code, self.board, err = finish(start_anew(self._words(url, "calm")))
        assert code == 0, err
        self.calls, self.events = of_models(calm), len(calm.events)

    def _words(self, url: str, name: str) -> list[str]:
        return [*self.line(url, self.folder), "--store", str(self.folder / f"{name}.db")]

    def killed(
        self, name: str, places: Sequence[int], counted: Callable[[Event], bool] = lambda event: True
    ) -> Loopback:
        """Kill at these events, each counted from a start, then let it finish: all that is promised must hold."""
        store, killer = self.folder / f"{name}.db", KillerAt(counted=counted)
        kept: set[tuple[Any, ...]] = set()
        loopback = serving_tables(latency=0.002, jitter=0.004, seed=len(places), watch=killer, tuning=QUICK)
        with serving(loopback) as url:
            words = self._words(url, name)
            for at in places:
                killer.aim(at)
                killer.process = start(words)
                killer.started.set()
                code, _, err = finish(killer.process)
                assert "Traceback" not in err
                now = finished_rows(store)
                assert kept <= now, "a finished row was lost"
                kept = now
                assert code in (0, -signal.SIGKILL), err
            killer.aim(0)
            code, out, err = finish(start(words))
            assert code == 0, err
            paid = of_models(loopback)
            assert finish(start(words))[1] == out
            assert of_models(loopback) == paid, "what is done is asked for again"
        assert kept <= finished_rows(store)
        check_record(store)
        assert json.loads(out) == json.loads(self.board)
        assert out == self.board
        assert paid - self.calls <= in_flight(store), "more was paid for again than was in flight"
        return loopback


def is_of_models(event: Event) -> bool:
    return event.route not in ROUTES


def is_of_reading(event: Event) -> bool:
    return is_of_models(event) and event.model.startswith(("dm", "ft:"))


def is_of_judging(event: Event) -> bool:
    return event.model.startswith("j")


def is_a_poll(event: Event) -> bool:
    return event.route == POLL and event.kind == "request"


def is_of_training(event: Event) -> bool:
    return event.route in ROUTES


@pytest.mark.fault("kill -9", times=4)
def test_an_exchange_killed_in_play_and_in_judging_comes_to_the_same(tmp_path: Path) -> None:
    twin = Twin(tmp_path, exchanged(3))
    twin.killed("play", [5, 23])
    twin.killed("judging", [3, 20], is_of_judging)


@pytest.mark.fault("kill -9", times=3)
def test_intentions_killed_in_play_and_in_reading_come_to_the_same(tmp_path: Path) -> None:
    twin = Twin(tmp_path, read_by("examples:openai/dm"))
    twin.killed("play", [60])
    twin.killed("reading", [4, 21], is_of_reading)


@pytest.mark.fault("kill -9", times=5)
def test_a_training_killed_while_it_is_waited_for_is_one_job(tmp_path: Path) -> None:
    twin = Twin(tmp_path, read_by("api:openai/dm"))
    for name, places, counted in (
        ("polling", [2, 1], is_a_poll),
        ("uploading", [2, 7], is_of_training),
        ("reading", [9], is_of_reading),
    ):
        loopback = twin.killed(name, places, counted)
        assert jobs(loopback) == JOBS, name
        assert len(loopback.workshop.files) == JOBS, name


@pytest.mark.fault("chains of kills", times=48)
@pytest.mark.soak
@pytest.mark.parametrize(
    "line",
    [exchanged(4), read_by("examples:openai/dm"), read_by("api:openai/dm,examples:openai/dm-2")],
    ids=["exchange", "examples", "api"],
)
def test_chains_of_kills_at_any_event(line: Line, tmp_path: Path) -> None:
    twin, lots = Twin(tmp_path, line), Random("kills")
    for chain in range(6):
        loopback = twin.killed(f"chain-{chain}", [lots.randint(1, twin.events // 4) for _ in range(8)])
        assert jobs(loopback) in (0, JOBS)


# Stopped by a person


def wait_until(held: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not held():
        assert time.monotonic() < deadline, "the program did not come so far"
        time.sleep(0.01)


@pytest.mark.fault("Ctrl-C once, SIGTERM")
@pytest.mark.soak
def test_a_signal_while_they_read_says_how_to_go_on(tmp_path: Path) -> None:
    store, loopback = tmp_path / "interplay.db", Loopback({**SCRIPTS, "dm": read}, latency=0.1)
    with serving(loopback) as url:
        words = [
            *read_by("examples:openai/dm")(url, tmp_path),
            "--store",
            str(store),
            "--max-connections",
            "4",
        ]
        process = start(words)
        wait_until(lambda: loopback.calls_by_model().get("dm", 0) > 5)
        process.send_signal(signal.SIGINT)
        code, out, err = finish(process)
        assert (code, out) == (130, "")
        assert "The same command goes on." in err
        assert in_flight(store) == 0
        assert len(finished_rows(store)) == loopback.calls < PLAYED + READERS * READ
        code, out, err = finish(start(words))
        assert code == 0, err
    assert loopback.calls == PLAYED + READERS * READ
    assert len(gaps(json.loads(out))) == 1


@pytest.mark.fault("Ctrl-C once, SIGTERM")
@pytest.mark.soak
def test_a_signal_while_a_training_is_waited_for(tmp_path: Path) -> None:
    store, loopback = tmp_path / "interplay.db", serving_tables(tuning=Tuning(polls=1, seconds=25))
    with serving(loopback) as url:
        words = [*read_by("api:openai/dm")(url, tmp_path), "--store", str(store)]
        process = start(words)
        wait_until(lambda: sum(map(is_a_poll, loopback.events)) >= JOBS)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        code, _, err = finish(process)
        assert time.monotonic() - began < allowed(10)
        assert code == 130
        assert "The same command goes on." in err
        code, out, err = finish(start(words))
        assert code == 0, err
    assert jobs(loopback) == JOBS
    assert len(gaps(json.loads(out))) == 1


# Storms


def stormed(share: float, usual: Script) -> Script:
    """Answers after faults of several kinds; which request is spoiled is drawn by its number."""
    faults = (
        Fault("status", status=429, headers={"Retry-After": "0"}),
        Fault("status", status=503),
        Fault("reset"),
        Fault("status", status=500),
    )

    def script(asked: Asked) -> str | Said | Fault:
        lots = Random(f"storm/{asked.number}")
        return lots.choice(faults) if lots.random() < share else usual(asked)

    return script


@pytest.mark.fault("30% of 5xx and resets")
@pytest.mark.soak
def test_a_storm_while_they_read_changes_nothing(tmp_path: Path) -> None:
    twin = Twin(tmp_path, read_by("examples:openai/dm"))
    loopback = Loopback({**SCRIPTS, "dm": stormed(0.3, read)})
    with serving(loopback) as url:
        words = [*twin.line(url, tmp_path), "--store", str(tmp_path / "stormed.db")]
        code, out, err = finish(start(words))
        while code == 1:  # some windows were given up for now
            assert "the same command tries them again" in err
            code, out, err = finish(start(words))
    assert code == 0, err
    assert out == twin.board
    assert loopback.calls > twin.calls
    assert len(finished_rows(tmp_path / "stormed.db")) == PLAYED + READERS * READ


@pytest.mark.soak
def test_an_endpoint_that_is_down_for_readers_leaves_windows_unread_until_it_is_back(tmp_path: Path) -> None:
    twin = Twin(tmp_path, read_by("examples:openai/dm"))
    down = Loopback({**SCRIPTS, "dm": lambda asked: Fault("status", status=400)})
    with serving(down) as url:
        words = [*twin.line(url, tmp_path), "--store", str(tmp_path / "down.db")]
        code, out, err = finish(start(words))
    assert code == 1, err
    assert json.loads(out)["rows"] == json.loads(twin.board)["rows"]
    back = serving_tables()
    with serving(back) as url:
        code, out, err = finish(start([*twin.line(url, tmp_path), "--store", str(tmp_path / "down.db")]))
    assert code == 0, err
    assert back.calls == READERS * READ
    assert json.loads(out)["parts"] == json.loads(twin.board)["parts"]


# Two at once


@pytest.mark.fault("two processes on one run", times=2)
@pytest.mark.soak
def test_a_second_process_while_they_read_exits_without_a_call(tmp_path: Path) -> None:
    store, loopback, silent = tmp_path / "interplay.db", serving_tables(latency=1.0), serving_tables()
    with serving(serving_tables()) as url:
        code, _, err = finish(start([*read_by("none")(url, tmp_path), "--store", str(store)]))
        assert code == 0, err
    with serving(loopback) as url, serving(silent) as other:
        words = read_by("examples:openai/dm")(url, tmp_path)
        first = start([*words, "--store", str(store), "--max-connections", "3"])
        wait_until(lambda: loopback.calls > 0)
        same = read_by("examples:openai/dm-2")(other, tmp_path)
        more = read_by("examples:openai/dm", SESSIONS + 4)(other, tmp_path)
        together = [start([*line, "--store", str(store)]) for line in (same, more)]
        for process in together:
            code, _, err = finish(process)
            assert code == 3, err
            assert f"process {first.pid}" in err
            assert err.count("\n") == 1
        code, _, err = finish(first)
        assert code == 0, err
    assert silent.calls == 0
    assert loopback.calls == READERS * READ
