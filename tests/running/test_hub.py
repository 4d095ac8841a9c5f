"""Runs played by several branches: the same record and tables as by one process, whichever of them is lost."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks import find
from interplay.core.failures import Divergence, Mistake
from interplay.core.wire import Message, Reply, Request
from interplay.models.connecting import Directory
from interplay.models.entries import Entry
from interplay.models.loopback import Asked, Event, Loopback, serving
from interplay.models.scripted import Scripted
from interplay.running.budget import Limits
from interplay.running.channel import Channel
from interplay.running.engine import Engine
from interplay.running.how import Again, How
from interplay.running.hub import MOST_LOSSES, elsewhere
from interplay.running.launching import Launched, LocalLauncher
from interplay.running.plan import Anew
from interplay.running.results import board_of
from interplay.running.setup import setup_of
from interplay.running.spec import RunSpec, make_spec
from interplay.running.tally import Tally
from interplay.store.moves import Moves
from interplay.store.records import Records
from tests.faults.harness import check_record, finished_rows, in_flight
from tests.running.job import answer
from tests.running.side_by_side import BesideLauncher, EngineBeside
from tests.running.typed import steady

ROLE_PLAY = find("role_play")
ROLES = {"interrogator": ["openai/user"], "judge": ["openai/judge-1", "openai/judge-2"]}


def spec_of_job(limit: int = 6, **more: Any) -> RunSpec:
    return make_spec(
        ROLE_PLAY,
        **{"models": ["openai/player"], "roles": ROLES, "options": {"turns": "3"}, "limit": limit, **more},
    )


@dataclass
class Start:
    """One start of a job: by this process alone, or by branches beside it."""

    store: Path
    url: str
    spec: RunSpec
    how: dict[str, Any]
    again: Again | None = None

    def engine(self, beside: BesideLauncher | None) -> Engine:
        how = How(
            **{"store": self.store, "directory": Directory(base_url=self.url, environment={}), **self.how}
        )
        kind = EngineBeside if beside else Engine
        engine = kind(ROLE_PLAY, self.spec, how, Tally(), self.again)
        if beside and isinstance(engine, EngineBeside):
            engine.beside = beside
        return engine

    def carry_out(self, beside: BesideLauncher | None = None) -> Tally:
        engine = self.engine(beside)
        asyncio.run(engine.carry_out())
        return engine.tally


def start(store: Path, url: str, spec: RunSpec | None = None, **how: Any) -> Start:
    return Start(store, url, spec or spec_of_job(), how)


def shown(store: Path) -> str:
    with Records(store) as records:
        run = records.find("last")
        return json.dumps(board_of(records, run, ROLE_PLAY).record(), sort_keys=True)


def cutting(beside: BesideLauncher, at: set[int]) -> Callable[[Event], None]:
    """Cut a branch off at these events of the ledger, in the loop that it lives in."""
    seen = 0

    def cut_one() -> None:
        alive = [one for one in beside.launched if one not in beside.cut_off]
        alive[0].cut()
        beside.cut_off.append(alive[0])

    def watch(event: Event) -> None:
        nonlocal seen
        seen += 1
        if seen in at:
            loop: asyncio.AbstractEventLoop = beside.launched[-1].channel._loop
            loop.call_soon_threadsafe(cut_one)

    return watch


def most_at_once(loopback: Loopback) -> int:
    under_way = most = 0
    for event in loopback.events:
        under_way += 1 if event.kind == "request" else -1
        most = max(most, under_way)
    return most


def test_branches_give_the_table_and_the_record_of_one_process(tmp_path: Path) -> None:
    loopback = Loopback(answer, latency=0.002, jitter=0.004, seed=3)
    with serving(loopback) as url:
        start(tmp_path / "alone.db", url).carry_out()
        ideal = loopback.calls
        tally = start(tmp_path / "beside.db", url).carry_out(BesideLauncher(3))
        assert loopback.calls == 2 * ideal
        assert tally.calls == ideal
        assert (tally.conversations_done, tally.verdicts_done) == (6, 12)
        start(tmp_path / "beside.db", url).carry_out(BesideLauncher(2))
        assert loopback.calls == 2 * ideal, "what was recorded was paid for again"
    assert shown(tmp_path / "beside.db") == shown(tmp_path / "alone.db")
    found = [{row[:-1] for row in finished_rows(tmp_path / f"{name}.db")} for name in ("alone", "beside")]
    assert found[0] == found[1]
    check_record(tmp_path / "beside.db")


@pytest.mark.parametrize("at", [{1}, {2}, {7, 20, 33}, {10, 11}, {30, 60}])
def test_a_lost_branch_costs_no_more_than_its_calls_under_way(tmp_path: Path, at: set[int]) -> None:
    calm = Loopback(answer)
    with serving(calm) as url:
        start(tmp_path / "calm.db", url).carry_out()
    beside = BesideLauncher(2)
    loopback = Loopback(answer, latency=0.01, jitter=0.01, seed=1, watch=cutting(beside, at))
    with serving(loopback) as url:
        tally = start(tmp_path / "lost.db", url).carry_out(beside)
    assert tally.lost_workers == len(at)
    assert len(beside.launched) == 2 + len(at)
    check_record(tmp_path / "lost.db")
    assert loopback.calls - calm.calls <= in_flight(tmp_path / "lost.db")
    assert shown(tmp_path / "lost.db") == shown(tmp_path / "calm.db")
    assert tally.in_flight == 0


def test_a_conversation_that_is_played_anew_is_begun_once_whatever_is_lost(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    with serving(Loopback(answer)) as url:
        start(store, url).carry_out()
    beside = BesideLauncher(2)
    with serving(Loopback(answer, latency=0.01, watch=cutting(beside, {9, 25}))) as url:
        start(store, url, anew=Anew(all=True)).carry_out(beside)
    with Records(store) as records:
        takes = [row.take for row in records.conversations(records.find("last"))]
    assert takes == [1] * 6


def test_branches_that_end_again_and_again_stop_the_run_with_one_line(tmp_path: Path) -> None:
    beside = BesideLauncher(2, ends_at_once=lambda number: True)
    with (
        serving(Loopback(answer)) as url,
        pytest.raises(Mistake, match=r"worker processes keep ending \(cut off\)"),
    ):
        start(tmp_path / "a.db", url).carry_out(beside)
    assert MOST_LOSSES <= len(beside.launched) <= MOST_LOSSES + 2


@pytest.mark.parametrize("calls", [1, 17, 40])
def test_a_budget_in_calls_holds_over_all_branches_and_ends_with_finished_conversations(
    tmp_path: Path, calls: int
) -> None:
    loopback = Loopback(answer, latency=0.002)
    with serving(loopback) as url:
        tally = start(tmp_path / "a.db", url, limits=Limits(calls=calls)).carry_out(BesideLauncher(3))
    assert loopback.calls <= calls
    assert tally.used_up
    with Records(tmp_path / "a.db") as records:
        run = records.find("last")
        states = records.states(run)
    assert (
        states.get("done", 0) == calls // 8
    )  # three turns of two and two judges: begun only where all is covered
    assert states.get("open", 0) == 0


def test_no_more_calls_at_once_than_the_gate_lets_through_over_all_branches(tmp_path: Path) -> None:
    loopback = Loopback(answer, latency=0.01)
    with serving(loopback) as url:
        start(tmp_path / "a.db", url, max_connections=3).carry_out(BesideLauncher(3))
    assert 2 <= most_at_once(loopback) <= 3


def test_a_wrong_key_stops_all_branches_with_the_line_of_one(tmp_path: Path) -> None:
    loopback = Loopback(answer, keys=frozenset({"right"}))
    with serving(loopback) as url, pytest.raises(Mistake, match="openai/user: key: HTTP 401"):
        start(tmp_path / "a.db", url).carry_out(BesideLauncher(2))


def test_what_changed_since_the_record_is_told_by_the_branch_that_sees_it(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    with serving(Loopback(answer)) as url:
        first = start(store, url)
        first.carry_out(BesideLauncher(2))
        with Records(store) as records:
            run = records.find("last")
            records.db.execute("UPDATE conversations SET state = 'open'")
            records.db.execute("UPDATE messages SET text = text || ' edited' WHERE role = 'system'")
            records.db.execute("UPDATE calls SET digest = zeroblob(16) WHERE stage = 'play'")
        with pytest.raises(
            Divergence, match=r"was begun differently.*message 1 \(system\).*nothing was sent"
        ):
            start(store, url, replace(first.spec)).carry_out(BesideLauncher(2))
    assert run.id == first.spec.run_id


def test_a_person_is_waited_for_and_goes_on_at_a_branch(tmp_path: Path) -> None:
    spec = spec_of_job(2, roles={**ROLES, "interrogator": ["human/ada"]})
    store = tmp_path / "a.db"
    loopback = Loopback(steady)
    with serving(loopback) as url:
        tally = start(store, url, spec).carry_out(BesideLauncher(2))
        assert (tally.parked, loopback.calls) == (2, 0)
        for _ in range(10):
            with Moves(store) as moves:
                waiting = moves.waiting()
                for number, move in enumerate(waiting):
                    said = {"next_utterance": f"Tell me more about room {loopback.calls + number}."}
                    assert moves.answer(move.call, json.dumps(said))
            if not waiting:
                break
            tally = start(store, url, spec).carry_out(BesideLauncher(2))
    assert tally.parked == 0
    assert loopback.calls_by_model() == {"player": 6, "judge-1": 2, "judge-2": 2}


def test_a_run_is_judged_again_and_its_rubric_is_the_same_at_every_branch(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    loopback = Loopback(answer)
    with serving(loopback) as url:
        first = start(store, url)
        first.carry_out()
        before = loopback.calls
        with Records(store) as records:
            run = records.find("last")
        Start(store, url, first.spec, {}, Again(run, ("openai/judge-3",))).carry_out(BesideLauncher(2))
    assert loopback.calls - before == 6
    assert "openai/judge-3" in shown(store)


def test_a_function_of_this_process_stays_here_and_answers_every_branch(tmp_path: Path) -> None:
    heard: list[int] = []

    def said(messages: Any) -> str:
        heard.append(len(messages))
        assert all(isinstance(message, Message) for message in messages)
        return f"Well, {len(heard)} times I was asked."

    spec = spec_of_job(3, models=["mine"])
    with serving(Loopback(answer)) as url:
        directory = Directory(base_url=url, environment={}, made={"mine": Scripted("mine", said)})
        start(tmp_path / "a.db", url, spec, directory=directory).carry_out(BesideLauncher(2))
    assert len(heard) == 9
    with Records(tmp_path / "a.db") as records:
        totals = records.totals(records.find("last"))
    assert totals.finished == 9 + 9 + 6


def test_stopping_lets_calls_under_way_come_back_and_begins_no_other(tmp_path: Path) -> None:
    loopback = Loopback(answer, latency=0.05)
    with serving(loopback) as url:
        engine = start(tmp_path / "a.db", url).engine(BesideLauncher(2))

        async def stopped() -> None:
            running = asyncio.create_task(engine.carry_out())
            while loopback.calls < 3:  # noqa: ASYNC110  # they are counted in the server's thread
                await asyncio.sleep(0.01)
            engine.stop()
            await running

        asyncio.run(stopped())
        assert in_flight(tmp_path / "a.db") == 0
        begun = loopback.calls
        assert len(finished_rows(tmp_path / "a.db")) == begun
        start(tmp_path / "a.db", url).carry_out(BesideLauncher(2))
        assert loopback.calls == 6 * 8
    check_record(tmp_path / "a.db")


def test_only_what_the_models_need_of_the_environment_travels(tmp_path: Path) -> None:
    directory = Directory(
        entries={"mine": Entry("openai/x", key="MY_KEY"), "other": Entry("openai/y", key="OTHER_KEY")},
        environment={"MY_KEY": "m", "OTHER_KEY": "o", "OPENAI_API_KEY": "k", "HOME": "/root", "SECRET": "s"},
    )
    engine = Engine(ROLE_PLAY, spec_of_job(), How(tmp_path / "a.db", directory), Tally())
    with serving(Loopback(answer)) as url:
        start(tmp_path / "a.db", url).carry_out()
    with Records(tmp_path / "a.db") as records:
        run = records.find("last")
    setting = engine._setting(run, engine._reach(run, 6))
    found = setup_of(setting, directory, {"mine"}, pairs=False)
    assert found.directory["environment"] == {"MY_KEY": "m", "OPENAI_API_KEY": "k"}
    assert set(found.directory["entries"]) == {"mine"}
    assert found.models().entry("mine") == directory.entry("mine")
    assert found.setting().protocol == setting.protocol
    stranger = replace(setting, benchmark=replace(ROLE_PLAY, name="mine alone"))
    with pytest.raises(Mistake, match="mine alone is known to this process alone"):
        setup_of(stranger, directory, set(), pairs=False)


def test_weights_are_loaded_once_and_functions_in_files_go_where_the_files_are(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("def answer(messages):\n    return 'hm'\n")
    names = ["local/smollm2-135m", f"python/{tmp_path}/bot.py:answer", "openai/x", "human/ada"]
    directory = Directory(environment={})
    models = [directory.connect(name) for name in names]
    here = LocalLauncher(2)
    stays = [one is model for one, model in zip(elsewhere(models, directory, here), models, strict=True)]
    assert stays == [True, False, False, True]
    far = BesideLauncher(2, same_folder=False)
    stays = [one is model for one, model in zip(elsewhere(models, directory, far), models, strict=True)]
    assert stays == [True, True, False, True]


def test_a_judge_who_fails_is_counted_by_its_name(tmp_path: Path) -> None:
    def script(asked: Asked) -> str:
        return "no form at all" if asked.model == "judge-2" else answer(asked)

    with serving(Loopback(script)) as url:
        tally = start(tmp_path / "a.db", url).carry_out(BesideLauncher(2))
    assert tally.failures == {"judge error": 6}


def test_all_branches_may_be_lost_at_one_time(tmp_path: Path) -> None:
    beside = BesideLauncher(6)
    seen = 0

    def cut_all() -> None:
        for one in beside.launched[:6]:
            one.cut()

    def watch(event: Event) -> None:
        nonlocal seen
        seen += 1
        if seen == 10:
            beside.launched[-1].channel._loop.call_soon_threadsafe(cut_all)

    loopback = Loopback(answer, latency=0.01, watch=watch)
    with serving(loopback) as url:
        tally = start(tmp_path / "a.db", url).carry_out(beside)
    assert tally.lost_workers == 6
    assert (tally.conversations_done, len(beside.launched)) == (6, 12)
    assert loopback.calls - 6 * 8 <= in_flight(tmp_path / "a.db")


def test_where_no_other_branch_can_be_started_the_run_ends_with_the_reason(tmp_path: Path) -> None:
    class Refusing(BesideLauncher):
        async def launch(self, make: Callable[[], Channel]) -> Launched:
            if len(self.launched) == 1:
                raise Mistake("no process can be started any more")
            return await super().launch(make)

    beside = Refusing(1)
    loopback = Loopback(answer, latency=0.01, watch=cutting(beside, {5}))
    with serving(loopback) as url, pytest.raises(Mistake, match="no process can be started any more"):
        start(tmp_path / "a.db", url).carry_out(beside)


def test_a_model_that_stays_here_is_told_which_conversation_it_is_in(tmp_path: Path) -> None:
    sessions: list[str] = []

    class Mine(Scripted):
        async def reply(self, request: Request) -> Reply:
            sessions.append(request.session)
            return await super().reply(request)

    spec = spec_of_job(3, models=["mine"])
    with serving(Loopback(answer)) as url:
        made = {"mine": Mine("mine", lambda messages: f"{len(messages)} and {len(sessions)}")}
        directory = Directory(base_url=url, environment={}, made=made)
        start(tmp_path / "a.db", url, spec, directory=directory).carry_out(BesideLauncher(2))
    assert all(sessions)
    assert len(set(sessions)) == 3


def test_a_benchmark_of_this_process_alone_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    with serving(Loopback(answer)) as url:
        first = start(store, url)
        engine = EngineBeside(replace(ROLE_PLAY), first.spec, first.engine(None).how, Tally())
        engine.beside = BesideLauncher(2)
        with pytest.raises(Mistake, match="known to this process alone"):
            asyncio.run(engine.carry_out())
    assert not store.exists()
