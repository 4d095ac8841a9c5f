"""The engine: plays what is unplayed, judges what is unjudged, and records all of it, in one event loop."""

import asyncio
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from interplay.core.benchmark import Benchmark, Judging, Scenario, Verdict
from interplay.core.conversation import Conversation
from interplay.core.failures import Cancelled, Divergence, Failure
from interplay.judging.fence import mark_of
from interplay.models.calling import Model
from interplay.models.connecting import Directory
from interplay.running.desk import RecordedDesk
from interplay.running.gate import Gate
from interplay.running.plan import Plan, Work, make_plan
from interplay.running.sending import Send, journaled, limited, retrying
from interplay.running.spec import RunSpec
from interplay.running.tally import Tally
from interplay.store.database import check_new
from interplay.store.journal import Journal
from interplay.store.lock import run_lock
from interplay.store.records import Records, Run
from interplay.store.writer import Writer

DEFAULT_CONNECTIONS = 32
PATIENCE_WHEN_STOPPING = 8.0  # seconds


@dataclass(frozen=True)
class How:
    """How a run is carried out; none of it changes what the run is."""

    store: Path
    directory: Directory = field(default_factory=Directory)
    max_connections: int = DEFAULT_CONNECTIONS
    play_anew: bool = False  # play conversations anew whose record no longer fits


class Engine:
    """One start of a run."""

    def __init__(
        self,
        benchmark: Benchmark,
        spec: RunSpec,
        how: How,
        tally: Tally,
        *,
        recorded: Run | None = None,
        more_judges: tuple[str, ...] = (),
    ):
        """With a recorded run, only its finished conversations are judged, by its judges and some more."""
        self.benchmark = benchmark
        self._recorded = recorded
        self._more_judges = more_judges
        self.spec = spec
        self.how = how
        self.tally = tally
        self.judging: Judging = benchmark.judging(spec.options)
        self.protocol = benchmark.protocol(spec.options)
        self._sends: dict[str, Send] = {}
        self._gates: dict[str, Gate] = {}
        self._workers: list[asyncio.Task[None]] = []

    async def carry_out(self) -> Run:
        """Do all that is left to do of the run; what was recorded costs nothing."""
        named = [
            *self.spec.models,
            *self._more_judges,
            *(n for names in self.spec.roles.values() for n in names),
        ]
        for name in named:
            self.how.directory.check(name)
        scenarios = await asyncio.to_thread(self._scenarios)
        id = self._recorded.id if self._recorded else self.spec.run_id
        async with AsyncExitStack() as stack:
            locked = self.how.store.exists()
            if locked:
                await asyncio.to_thread(self._check_store)
                stack.enter_context(run_lock(self.how.store, id))
            models = await self._connect(await asyncio.to_thread(self._look_ahead, id, scenarios), stack)
            # nothing was written until here: a mistake leaves no trace
            if not locked:
                stack.enter_context(run_lock(self.how.store, id))
            records = await asyncio.to_thread(self._open_store)
            stack.push(records)
            run = await asyncio.to_thread(self._begin, records, scenarios)
            writer = await asyncio.to_thread(Writer, self.how.store)
            stack.push_async_callback(writer.close)
            journal = Journal(writer, run.number)
            plan = self._plan(scenarios, records, run)
            await journal.extend(_grown(run.extent, self._extent(run, len(scenarios))))
            self.tally.conversations, self.tally.verdicts = plan.to_play, plan.to_judge
            self._wire(models, journal)
            await self._work_through(plan, records, journal, run)
            return records.find(run.id)

    def _scenarios(self) -> Sequence[Scenario]:
        """What is to be played; of a recorded run, what was played, whatever the data is today."""
        if self._recorded is None:
            return self.benchmark.scenarios(self.spec.options)
        with Records(self.how.store) as records:
            return records.scenarios(self._recorded)

    def _check_store(self) -> None:
        Records(self.how.store).close()

    def _open_store(self) -> Records:
        return Records(self.how.store, create=self._recorded is None)

    def _begin(self, records: Records, scenarios: Sequence[Scenario]) -> Run:
        if self._recorded is not None:
            return self._recorded
        extent = self._extent(None, len(scenarios))
        return records.begin(self.spec.run_id, self.benchmark.name, self.spec.identity(), extent)

    def _look_ahead(self, id: str, scenarios: Sequence[Scenario]) -> set[str]:
        """The models that this start will need, found without writing anything."""
        if not self.how.store.exists():
            check_new(self.how.store)
            return self._plan(scenarios, None, None).models
        with Records(self.how.store) as records:
            run = next((run for run in records.runs() if run.id == id), None)
            return self._plan(scenarios, records, run).models

    def _plan(self, scenarios: Sequence[Scenario], records: Records | None, run: Run | None) -> Plan:
        """What this start has to do; judged with the rubric of the record, unless all is to be judged anew."""
        extent = self._extent(run, len(scenarios))
        plan = make_plan(self.benchmark, self.spec, scenarios, records, run, extent)
        if self._recorded is not None:
            plan = plan.of_finished()
        if plan.to_judge and extent["rubric"] != self.judging.digest:
            raise Divergence(
                f"the rubric or the judges' prompts changed since run {run.id if run else ''} was judged; nothing was "
                "sent. Judge all of it anew with --new, or undo the change"
            )
        return plan

    def _extent(self, run: Run | None, available: int) -> dict[str, Any]:
        """How far this start reaches: its own limit and repeats, the judges of the run and its own."""
        before: Mapping[str, Any] = run.extent if run else {"judges": [], "rubric": self.judging.digest}
        judges = sorted({*before["judges"], *self.spec.judges(), *self._more_judges})
        rubric = self.judging.digest if self.how.play_anew else before["rubric"]
        if self._recorded is not None:
            return {**before, "judges": judges, "rubric": rubric}
        limit = available if self.spec.limit is None else min(self.spec.limit, available)
        return {"limit": limit, "epochs": self.spec.epochs, "judges": judges, "rubric": rubric}

    def _wire(self, models: list[Model], journal: Journal) -> None:
        """Put each model behind its endpoint's gate, which is as narrow as its narrowest model asks."""
        for model in models:
            narrowest = min(self._most(other) for other in models if other.endpoint == model.endpoint)
            gate = self._gates.setdefault(model.endpoint, Gate(narrowest))
            self._sends[model.name] = retrying(limited(journaled(model, journal), gate, self.tally))

    async def _connect(self, names: Iterable[str], stack: AsyncExitStack) -> list[Model]:
        models = []
        for name in sorted(names):
            model = self.how.directory.connect(name)
            stack.push_async_callback(model.close)
            await model.check()
            models.append(model)
        return models

    def _most(self, model: Model) -> int:
        return min(self.how.max_connections, model.most_connections or self.how.max_connections)

    async def _work_through(self, plan: Plan, records: Records, journal: Journal, run: Run) -> None:
        """Enough workers to keep every endpoint's gate busy, each with one conversation at a time."""
        waiting = iter(plan.works)
        table = _Table(self, records, journal, run)

        async def worker() -> None:
            for work in waiting:
                if self.tally.stopping:
                    return
                await table.attend(work)

        places = sum(gate.most for gate in self._gates.values())
        self._workers = [asyncio.create_task(worker()) for _ in range(min(places, len(plan.works)))]
        try:
            await self._all_done()
        finally:
            for task in self._workers:
                task.cancel()
            await asyncio.gather(*self._workers, return_exceptions=True)

    async def _all_done(self) -> None:
        """Wait for all workers; if one cannot go on, calls of the others that are under way may come back."""
        if not self._workers:
            return
        done, others = await asyncio.wait(self._workers, return_when=asyncio.FIRST_EXCEPTION)
        if others:
            self.stop()
            await asyncio.wait(others, timeout=PATIENCE_WHEN_STOPPING)
        for task in done:
            task.result()

    def stop(self) -> None:
        """Send nothing more; calls on their way may come back."""
        self.tally.stopping = True

    def drop(self) -> None:
        """Wait for nothing more."""
        for task in self._workers:
            task.cancel()

    def send_to(self, model: str) -> Send:
        return self._sends[model]


class _Table:
    """Where conversations are played and judged."""

    def __init__(self, engine: Engine, records: Records, journal: Journal, run: Run):
        self.engine, self.records, self.journal, self.run = engine, records, journal, run
        self.benchmark, self.spec, self.tally = engine.benchmark, engine.spec, engine.tally

    async def attend(self, work: Work) -> None:
        """Play a conversation if it is unplayed, then let every judge that is missing judge it."""
        number, outcome = work.conversation, work.outcome
        if work.play:
            number, outcome = await self._play(work)
            if outcome is None and self.tally.stopping:
                return
            self.tally.conversations_done += 1
        if number is None or outcome is None:
            self.tally.verdicts_done += len(work.judges)
            return
        fresh = await _together([self._judge(work, number, outcome, judge) for judge in work.judges])
        await self.journal.scored(number, self.benchmark.score(outcome, [*work.verdicts, *fresh]))

    async def _play(self, work: Work) -> tuple[int, Any]:
        number = await self.journal.open_conversation(work.place, self.engine.protocol, anew=False)
        try:
            return number, await self._play_as(number, work)
        except Divergence as problem:
            if not self.engine.how.play_anew:
                raise Divergence(
                    f"{work.place.scenario.label} ({work.place.subject}) was begun differently: {problem}; "
                    "nothing was sent for it. Play it anew with --new, or undo the change"
                ) from problem
        number = await self.journal.open_conversation(work.place, self.engine.protocol, anew=True)
        return number, await self._play_as(number, work)

    async def _play_as(self, number: int, work: Work) -> Any:
        place = work.place
        talk = Conversation(
            self.spec.cast(self.benchmark, place.subject),
            await self._desk(number, "play", ""),
            scenario=place.scenario.content,
            seed=f"{self.spec.seed}/{place.scenario.id}/{place.repeat}",
        )
        try:
            outcome = await self.benchmark.play(talk, self.spec.options)
        except Failure as failure:
            self.tally.failures[failure.name] += 1
            await self.journal.void(number, failure, talk.lines)
            return None
        await self.journal.finish(number, outcome, talk.lines, self.engine.protocol)
        return outcome

    async def _judge(self, work: Work, number: int, outcome: Any, judge: str) -> Verdict:
        judging = self.engine.judging
        stage = f"judge {judging.name} {judging.digest[:12]}"
        address = (self.run.id, work.place.scenario.id, work.place.cast_digest, str(work.place.repeat), judge)
        talk = Conversation(
            {"judge": self.spec.judge_casting(self.benchmark, judge)},
            await self._desk(number, stage, ""),
            scenario=work.place.scenario.content,
            stage=stage,
            secret=mark_of(self.run.secret, *address).encode(),
        )
        try:
            verdict = Verdict(judge, judging.digest, await judging(talk, outcome))
        except Failure as failure:
            self.tally.failures[failure.name] += 1
            verdict = Verdict(judge, judging.digest, None, failure.name, str(failure))
        await self.journal.judged(number, "", verdict)
        self.tally.verdicts_done += verdict.failure != Cancelled.name
        return verdict

    async def _desk(self, number: int, stage: str, item: str) -> RecordedDesk:
        recall = await self.journal.recall(number, stage, item)
        return RecordedDesk(recall, self.journal, self.records, self.engine.send_to)


async def _together(judging: list[Coroutine[Any, Any, Verdict]]) -> list[Verdict]:
    """All verdicts; if one judge cannot go on, the calls of the others still come back and are recorded."""
    came_to = await asyncio.gather(*judging, return_exceptions=True)
    for one in came_to:
        if isinstance(one, BaseException):
            raise one
    return [one for one in came_to if isinstance(one, Verdict)]


def _grown(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """A run never shrinks: the larger limit, the more repeats, all judges."""
    return {
        "limit": max(before["limit"], now["limit"]),
        "epochs": max(before["epochs"], now["epochs"]),
        "judges": sorted({*before["judges"], *now["judges"]}),
        "rubric": now["rubric"],
    }
