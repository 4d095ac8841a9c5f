"""A wall clock that jumps by a day, and a model that changes behind its name: the record stays sane and says so."""

import json
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from interplay.models.loopback import Asked, Fault, Loopback, Said, serving
from tests.faults.network import (
    PROVIDERS,
    ROLES,
    Ended,
    Planted,
    calm_run,
    carried_out,
    check_every_call_is_a_row,
    command,
    hurried,
    models_file,
    rows,
    scores,
    steady,
    tries,
)

LOOKS_AT_A_TIME = 4  # at the calendar, before it jumps


def jumping(line: list[str], every: int = LOOKS_AT_A_TIME, speed: float = 1.0) -> tuple[Ended, float]:
    """The command under a calendar that jumps, and how long it took."""
    began = time.monotonic()
    return hurried(line, speed, jumps=every), time.monotonic() - began


def check_order(written: list[dict[str, Any]]) -> None:
    """By number, every conversation is in the order in which it was played."""
    for conversation in {row["conversation"] for row in written}:
        spoken = [
            (row["model"], row["step"])
            for row in written
            if row["conversation"] == conversation and not row["model"].startswith("judge")
        ]
        turns = [(model, step) for step in range(len(spoken) // 2) for model in ("user", "player")]
        assert spoken == turns, f"conversation {conversation} should be in the order it was played: {spoken}"


@pytest.mark.fault("clock jumps a day")
def test_a_wall_clock_that_jumps_a_day_forth_and_back_changes_nothing_but_dates(tmp_path: Path) -> None:
    calm = calm_run()
    loopback, store = Loopback(steady, latency=0.01), tmp_path / "interplay.db"
    with serving(loopback) as url:
        ended, took = jumping(command(models_file(tmp_path, url), store))
    assert ended.code == 0, ended.err
    check_every_call_is_a_row(loopback, store)
    assert (ended.board, scores(store)) == (calm.board, calm.scores), "the results should equal a calm run's"
    written = tries(store)
    dates = [row["sent"] for row in written]
    assert len({date[:10] for date in dates}) == 3, "the calendar should have jumped forth and back"
    assert dates != sorted(dates), "the dates should be out of order, or this says nothing"
    check_order(written)
    for row in written:
        assert 0 < row["latency"] < took, (
            f"call {row['number']} took {row['latency']} s in a run of {took:.1f} s"
        )
    said = float(ended.err.split(" tokens, ")[1].split(" s.")[0])
    assert 0 <= said <= took + 1, f"the run took {took:.1f} s, and says {said}"


@pytest.mark.fault("clock jumps a day")
def test_the_last_run_is_the_one_played_last_though_its_date_is_a_day_before(tmp_path: Path) -> None:
    store = tmp_path / "interplay.db"
    with serving(Loopback(steady)) as url:
        models = models_file(tmp_path, url)
        first = carried_out(command(models, store, limit=1)).board
        second, _ = jumping(command(models, store, limit=1, more=("--seed", "1")), every=-1)
        assert second.code == 0, second.err
    began = {row["id"]: row["created"] for row in rows(store, "SELECT id, created FROM runs")}
    assert began[second.board["run"]] < began[first["run"]], (
        "its date should be earlier, or this says nothing"
    )
    last = carried_out(["show", "last", "--store", str(store), "--json"]).board
    assert last["run"] == second.board["run"], "the run that was played last should be shown"


@pytest.mark.fault("clock jumps a day")
def test_a_retry_after_that_is_a_date_is_waited_for_a_minute_at_most_though_our_calendar_is_a_day_off(
    tmp_path: Path,
) -> None:
    def soon(_: Asked) -> Fault:
        date = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
        return Fault("status", status=429, headers={"Retry-After": date})

    calm, speed = calm_run(), 60
    loopback, store = Loopback(Planted({("player", 2): soon})), tmp_path / "interplay.db"
    with serving(loopback) as url:
        ended, _ = jumping(command(models_file(tmp_path, url), store), every=-1, speed=speed)
    assert ended.code == 0, ended.err
    check_every_call_is_a_row(loopback, store)
    assert ended.board == calm.board, "the board should equal a calm run's"
    longest = speed * max(later.at - event.at for event, later in pairwise(loopback.events))
    assert longest <= 60 + 2 * speed, f"a minute is the longest wait; nothing happened for {longest:.0f} s"


def fingerprinted(asked: Asked, fingerprint: str) -> Fault:
    """The usual answer, from a system that shows which one it is."""
    message = {"role": "assistant", "content": steady(asked)}
    body: dict[str, Any] = {
        "model": asked.model,
        "system_fingerprint": fingerprint,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1},
    }
    return Fault("raw", status=200, body=json.dumps(body).encode())


@pytest.mark.fault("model changes behind an alias")
@pytest.mark.parametrize("model", ROLES.values())
def test_a_fingerprint_that_changes_behind_a_name_is_noted_as_mixed(model: str, tmp_path: Path) -> None:
    def script(asked: Asked) -> str | Fault:
        return fingerprinted(asked, f"fp_{1 + (asked.number > 9)}") if asked.model == model else steady(asked)

    calm = calm_run()
    loopback, store = Loopback(script), tmp_path / "interplay.db"
    with serving(loopback) as url:
        # one at a time, so that every role is asked before and after the ninth request
        more = ("--max-connections", "1")
        board = carried_out(command(models_file(tmp_path, url), store, more=more)).board
    versions = {row["version"] for row in tries(store) if row["model"] == model}
    assert versions == {f"{model} fp_1", f"{model} fp_2"}, f"both fingerprints should be recorded: {versions}"
    note = f"Mixed: {model} answered as {model} fp_1, {model} fp_2."
    assert note in board["notes"], f"{note!r} should be on the board, which has {board['notes']}"
    assert scores(store) == calm.scores, "what was answered is the same, and so are the scores"


@pytest.mark.fault("model changes behind an alias")
@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("model", ROLES.values())
def test_a_model_that_changed_between_two_starts_of_a_run_is_noted_as_mixed(
    model: str, provider: str, tmp_path: Path
) -> None:
    boards = []
    for limit in (1, 2):
        today = Loopback(
            lambda asked, limit=limit: Said(steady(asked), version=f"{asked.model}-2026-0{limit}")
        )
        with serving(today) as url:
            models = models_file(tmp_path, url, provider)
            boards.append(carried_out(command(models, tmp_path / "interplay.db", limit)).board)
    first, second = boards
    assert not [note for note in first["notes"] if note.startswith("Mixed")], "one version is not mixed"
    note = f"Mixed: {model} answered as {model}-2026-01, {model}-2026-02."
    assert note in second["notes"], f"{note!r} should be on the board, which has {second['notes']}"
