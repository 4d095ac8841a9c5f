"""Runs made of runs: what is told before, shared budgets, locks, and the same from Python."""

import asyncio
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import interplay
from interplay.benchmarks import find, find_playable
from interplay.core.failures import Mistake, RunLocked
from interplay.models.connecting import Directory
from interplay.models.loopback import Loopback, serving
from interplay.running.budget import Amount, Limits
from interplay.running.comparing import comparability
from interplay.running.engine import Engine
from interplay.running.following import check_sequel, follow, follows, foretold, sharing_budget
from interplay.running.how import How
from interplay.running.results import board_of
from interplay.running.spec import RunSpec, make_spec
from interplay.running.tally import Tally
from interplay.store.lock import run_lock
from interplay.store.records import Records
from tests.cli.sessions import MODELS, MOVES, READ, SESSIONS, real_file, serving_tables

BENCHMARK = find("social_interaction")
PLAYED, READERS = 2 * SESSIONS * MOVES, 2 + len(MODELS)
OPTIONS = {"scene": "intentions", "moves": str(MOVES), "dm": "examples:openai/dm", "curve": "no"}


class Table:
    """A store, a provider, and hands to play and read."""

    def __init__(self, folder: Path, loopback: Loopback, url: str):
        self.loopback, self.told = loopback, list[str]()
        self.how = How(folder / "interplay.db", Directory(base_url=url, environment={}))
        self.options = {**OPTIONS, "real": real_file(folder)}

    def spec(self, **changed: str) -> RunSpec:
        return make_spec(BENCHMARK, models=MODELS, options={**self.options, **changed}, limit=SESSIONS)

    def plays(self) -> str:
        return asyncio.run(Engine(BENCHMARK, self.spec(), self.how, Tally()).carry_out()).id

    def reads(self, run: str, how: How | None = None, **changed: str) -> bool:
        options = {**self.spec().sequel, **changed}
        return follow(BENCHMARK, run, options, how or self.how, _carry_out, self.told.append)


def _carry_out(engine: Engine) -> bool:
    asyncio.run(engine.carry_out())
    return not engine.tally.stopping


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    loopback = serving_tables()
    with serving(loopback) as url:
        yield Table(tmp_path, loopback, url)


def test_what_follows_from_which_options(table: Table) -> None:
    assert follows(BENCHMARK, {"scene": "intentions"}) is BENCHMARK.sequel
    assert follows(BENCHMARK, {"scene": "exchange"}) is None
    assert follows(BENCHMARK, {"scene": "intentions", "dm": "none"}) is None
    assert follows(find("role_play"), {}) is None
    assert f"{READERS * READ} calls" in foretold(BENCHMARK, table.spec())
    assert foretold(BENCHMARK, table.spec(dm="none")) == ""
    check_sequel(BENCHMARK, table.spec(), table.how)
    with pytest.raises(Mistake, match="takes no budget"):
        check_sequel(BENCHMARK, table.spec(dm="api:openai/dm"), replace(table.how, limits=Limits(calls=1)))


def test_a_sequel_is_no_benchmark_to_run() -> None:
    assert find_playable("anteval") is BENCHMARK
    with pytest.raises(Mistake, match="made of what a run of social_interaction played"):
        find_playable("social_interaction_reading")


def test_reading_is_recorded_once_and_named_after_what_it_was_made_of(table: Table) -> None:
    run = table.plays()
    assert table.reads(run)
    assert table.loopback.calls == PLAYED + READERS * READ
    assert table.reads(run)
    assert table.loopback.calls == PLAYED + READERS * READ
    with Records(table.how.store) as records:
        (made,) = records.made_of(run)
        assert (made.made_of, records.find("last").id) == (run, run)
        parts = [part.title for part in board_of(records, records.find(run), BENCHMARK).parts]
        first = comparability(records, records.find(run), BENCHMARK)["options"]
    assert parts.count("Expressiveness gap (IEG)") == 1
    assert not first.keys() & {option.name for option in BENCHMARK.options if option.of_sequel}


def test_options_of_reading_are_no_part_of_what_the_run_is(table: Table) -> None:
    other = table.spec(dm="light", held_out="40", shots="3", curve="all")
    assert other.run_id == table.spec().run_id
    assert table.spec(moves="12").run_id != other.run_id


def test_whoever_reads_holds_the_run(table: Table) -> None:
    run = table.plays()
    with run_lock(table.how.store, run), pytest.raises(RunLocked, match=run):
        table.reads(run)
    assert table.loopback.calls == PLAYED

    def is_held(engine: Engine) -> bool:
        with pytest.raises(RunLocked), run_lock(table.how.store, run):
            pass
        return _carry_out(engine)

    assert follow(BENCHMARK, run, table.spec().sequel, table.how, is_held, table.told.append)
    with run_lock(table.how.store, run):
        pass


def test_a_stopped_errand_ends_the_reading(table: Table) -> None:
    run = table.plays()
    assert not follow(BENCHMARK, run, table.spec().sequel, table.how, lambda engine: False, table.told.append)
    assert table.loopback.calls == PLAYED
    assert table.reads(run)


def test_what_shares_a_budget(table: Table) -> None:
    limited = replace(table.how, limits=Limits(calls=10_000))
    assert sharing_budget(limited, table.spec().run_id) == limited  # there is no store yet
    run = table.plays()
    table.reads(run)
    with Records(table.how.store) as records:
        (reading,) = records.made_of(run)
    assert sharing_budget(table.how, run) == table.how
    assert sharing_budget(limited, run).used_beside.calls == READERS * READ
    assert sharing_budget(limited, run, reading.id).used_beside.calls == PLAYED
    assert sharing_budget(limited, run, "a reading to be").used_beside.calls == PLAYED + READERS * READ
    assert sharing_budget(limited, "another run").used_beside == Amount()


def test_reading_ends_where_the_shared_budget_does(table: Table) -> None:
    run = table.plays()
    for calls in (PLAYED, PLAYED + 7, PLAYED + 20):
        table.reads(run, replace(table.how, limits=Limits(calls=calls)))
        assert table.loopback.calls == calls
    table.reads(run, replace(table.how, limits=Limits(calls=PLAYED + READERS * READ)))
    assert table.loopback.calls == PLAYED + READERS * READ


def test_nothing_is_made_of_an_exchange(table: Table) -> None:
    line = {"scene": "exchange", "moves": str(MOVES)}
    spec = make_spec(BENCHMARK, models=MODELS[:1], roles={"judge": ["openai/j1"]}, options=line, limit=1)
    run = asyncio.run(Engine(BENCHMARK, spec, table.how, Tally()).carry_out()).id
    with pytest.raises(Mistake, match="nothing is made of a run of social_interaction with these options"):
        table.reads(run, dm="none")


# From Python


def test_from_python_a_run_is_read_as_from_the_command_line(table: Table) -> None:
    how = replace(table.how, store=table.how.store.with_name("python.db"))
    with pytest.warns(UserWarning, match="below 200 a gap says little") as told:
        done = interplay.run("social_interaction", list(MODELS), limit=SESSIONS, how=how, **table.options)
    assert not any("Note:" in str(one.message) for one in told)
    assert table.loopback.calls == PLAYED + READERS * READ
    table.reads(table.plays())
    beside = interplay.load("last", table.how.store).leaderboard()
    assert done.leaderboard().rows == beside.rows
    assert [part.rows for part in done.leaderboard().parts] == [part.rows for part in beside.parts]
    assert "Expressiveness gap (IEG)" in [part.title for part in done.leaderboard().parts]
    assert "Expressiveness gap" in done._repr_html_()
    calls = table.loopback.calls
    with warnings.catch_warnings(action="ignore"):
        interplay.run("anteval", list(MODELS), limit=SESSIONS, how=how, **table.options)
    assert table.loopback.calls == calls


def test_from_python_mistakes_come_before_the_first_call(table: Table) -> None:
    with pytest.raises(Mistake, match=r"missing\.jsonl cannot be read"):
        interplay.run(
            "social_interaction", MODELS[0], how=table.how, **{**table.options, "real": "missing.jsonl"}
        )
    with pytest.raises(Mistake, match="is made of what a run"):
        interplay.run("social_interaction_reading", MODELS[0], how=table.how)
    assert table.loopback.calls == 0
    assert not table.how.store.exists()


def test_from_python_a_budget_holds_for_play_and_reading(table: Table) -> None:
    how = replace(table.how, limits=Limits(calls=PLAYED + 9))
    with warnings.catch_warnings(action="ignore"):
        interplay.run("social_interaction", list(MODELS), limit=SESSIONS, how=how, **table.options)
        assert table.loopback.calls == PLAYED + 9
        interplay.run("social_interaction", list(MODELS), limit=SESSIONS, how=table.how, **table.options)
    assert table.loopback.calls == PLAYED + READERS * READ


def test_from_python_in_a_running_loop(table: Table) -> None:
    async def notebook() -> interplay.Run:
        with warnings.catch_warnings(action="ignore"):
            return interplay.run("social_interaction", MODELS[0], limit=10, how=table.how, **table.options)

    assert asyncio.run(notebook()).leaderboard().parts
