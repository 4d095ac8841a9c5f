"""Writing new tasks, killed at several events of the ledger and resumed: nothing is lost, and nothing paid twice."""

import json
from pathlib import Path
from signal import SIGKILL
from typing import Any

import pytest

from interplay.benchmarks.simulation.tasks import read_tasks
from interplay.models.loopback import Asked, Loopback, serving
from tests.benchmarks.new_tasks import BAD, Writer, said
from tests.faults.harness import (
    Killer,
    Recorded,
    check_record,
    finish,
    finished_rows,
    in_flight,
    start,
    start_anew,
)

STORE = Path("interplay.db")
CALLS = 1 + 3 + 1 + 9  # two tasks pass at once, one fails three times, one is never in form


def writer(asked: Asked) -> str:
    """Answers by nothing but what it is asked: an insult, a refusal, and good tasks."""
    return Writer({2: [said(BAD["an insult"][0])], 4: ["I would rather not."]})(asked)


def line(url: str, *more: str) -> list[str]:
    typed = ["generate", "simulation", "--model", "openai/writer", "--base-url", url, "--n", "4", "--yes"]
    return [*typed, "--json", *more]


@pytest.mark.fault("kill -9")
@pytest.mark.parametrize(
    "events",
    [
        pytest.param((1, 4, 7, 10, 13), marks=pytest.mark.soak),
        (2, 3, 5, 8),
        pytest.param((6, 6, 6), marks=pytest.mark.soak),
    ],
)
def test_killed_again_and_again_it_ends_as_if_nothing_had_been(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, events: tuple[int, ...], record_property: Recorded
) -> None:
    record_property("times", len(events))
    monkeypatch.chdir(tmp_path)
    killer = Killer()
    loopback = Loopback(writer, latency=0.003, watch=killer)
    kept: set[tuple[Any, ...]] = set()
    with serving(loopback) as url:
        code, calm, err = finish(start_anew(line(url, "--store", "calm.db", "--out", "calm.toml")))
        assert (code, loopback.calls) == (0, CALLS), err
        for at in events:
            killer.aim(at)
            killer.process = start(line(url, "--out", "new.toml"))
            killer.started.set()
            code, _, err = finish(killer.process)
            assert code == -SIGKILL
            assert "Traceback" not in err
            assert not Path("new.toml").exists()
            assert kept <= finished_rows(STORE), "a finished row was lost"
            kept = finished_rows(STORE)
        killer.aim(0)
        code, told, err = finish(start(line(url, "--out", "new.toml")))
    assert code == 0, err
    assert loopback.calls - CALLS <= CALLS + in_flight(STORE)
    check_record(STORE)
    assert json.loads(told) | {"file": "calm.toml"} == json.loads(calm)
    assert read_tasks(Path("new.toml")) == read_tasks(Path("calm.toml"))
