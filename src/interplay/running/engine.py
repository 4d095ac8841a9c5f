"""The engine: plays what is unplayed, judges what is unjudged, and records all of it, in one event loop."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Any

from interplay.core.benchmark import Benchmark, Judging, Scenario
from interplay.core.failures import Divergence, Mistake
from interplay.core.people import is_person
from interplay.models.calling import Model
from interplay.running.allowance import Allowance
from interplay.running.budget import Amount, Budget
from interplay.running.checking import check_lengths, check_models, check_prices, names_asked
from interplay.running.collecting import rare_collections
from interplay.running.counting import Done, calls_left
from interplay.running.decided import DRAWN
from interplay.running.decided import KEPT_AS as DECIDED
from interplay.running.deciding import JudgedRun, Watch, check_deciding, watch_pairs, watch_scores
from interplay.running.divergence import explained_by
from interplay.running.edition_note import editions_after
from interplay.running.how import Again, How
from interplay.running.hub import Hub, Office, elsewhere
from interplay.running.import_note import is_imported
from interplay.running.launching import Launcher, launcher_of, opened
from interplay.running.pairing import (
    SideBySide,
    pairing_of,
    pairs_extended,
    pairs_reached,
    plan_pairs,
)
from interplay.running.parking import Parking
from interplay.running.plan import Anew, Plan, Work, make_plan
from interplay.running.reach import Reach, grown, reach_of
from interplay.running.results import rescore
from interplay.running.sending import PERHAPS_BILLED
from interplay.running.setup import setup_of
from interplay.running.spec import RunSpec
from interplay.running.table import Attend, Setting, Table, stage_of
from interplay.running.tally import Tally
from interplay.running.wiring import Lines, wire
from interplay.running.workers import Workers
from interplay.store.database import check_new
from interplay.store.journal import Journal
from interplay.store.lock import run_lock
from interplay.store.records import Records, Run
from interplay.store.writers import writer_of


@dataclass(frozen=True)
class _Begun:
    """A run whose record is open and locked, and what is to do of it."""

    records: Records
    journal: Journal
    run: Run
    reach: Reach
    plan: Plan
    models: Sequence[Model]


class Engine:
    """One start of a run."""

    def __init__(
        self, benchmark: Benchmark, spec: RunSpec, how: How, tally: Tally, again: Again | None = None
    ):
        self.benchmark = benchmark
        self.spec = spec
        self.how = how
        self.tally = tally
        self.again = again
        self.options = spec.settled(benchmark)
        self.judging_options = self._judging_options()
        self.judging = self._judging()
        self.budget = Budget(how.limits, Amount())
        self.watch: Watch | None = None  # where the run stops as soon as it is decided
        self._done: Done = {}
        self._lines = Lines()
        self._workers: Workers | None = None
        self._launcher: Launcher | None = None
        self._hub: Hub | None = None  # where conversations are played in processes of their own

    def _judging_options(self) -> dict[str, str]:
        """The options that judges go by: the run's own, as it was last judged, as this start asks for."""
        if self.again is None:
            return self.options
        kept = self._before(self.again.run).get("judging", {})
        return self.benchmark.settle({**self.spec.options, **kept, **self.again.options})

    @property
    def between(self) -> tuple[str, ...]:
        """The models whose conversations are compared two by two; none where each is judged by itself."""
        return self.again.between if self.again else ()

    def _judging(self) -> Judging:
        if self.between:
            return SideBySide(pairing_of(self.benchmark)(self.judging_options))
        return self.benchmark.judging(self.judging_options)

    def _before(self, run: Run) -> Mapping[str, Any]:
        """How far the run reaches in what this start does."""
        return pairs_reached(run) if self.between else run.extent

    async def carry_out(self) -> Run:
        """Do all that is left to do of the run; what was recorded costs nothing."""
        if self.how.games_alone:  # several may go on at once in one process
            return await self._carry_out()
        with rare_collections():
            return await self._carry_out()

    async def _carry_out(self) -> Run:
        async with AsyncExitStack() as stack:
            begun = await self._begin(stack)
            records, journal, run, reach = begun.records, begun.journal, begun.run, begun.reach
            self.tally.conversations, self.tally.verdicts = begun.plan.to_play, begun.plan.to_judge
            if self.budget.limited:
                spent = Amount(*records.spent(run, PERHAPS_BILLED))
                self.budget.spent = spent + self.how.used_beside
                self._done = records.finished_calls(run, stage_of(self.judging))
            parking = Parking(records, run, self.tally)
            attend = await self._attendant(stack, begun, parking)
            await self._work_through(begun.plan, attend, parking)
            rest_is_done = self._has_done_the_rest(run, reach)
            if self.watch is not None or rest_is_done:
                await journal.extend(self._extent(run, reach, rest_is_done=rest_is_done))
            after = records.find(run.id)
            if after.extent["rubric"] != run.extent["rubric"]:
                await rescore(records, journal, after, self.benchmark)
            return after

    def launcher(self) -> Launcher | None:
        return launcher_of(self.how)

    async def _attendant(self, stack: AsyncExitStack, begun: _Begun, parking: Parking) -> Attend:
        """What plays and judges one work: a table here, or one of the tables in processes of their own."""
        launcher = self._launcher
        models = elsewhere(begun.models, self.how.directory, launcher) if launcher else begun.models
        self._lines = wire(models, begun.journal, self.budget, self.tally, self.how.max_connections)
        setting = self._setting(begun.run, begun.reach)
        if launcher is None:
            explain = explained_by(begun.records)
            send_to = self._lines.sends.__getitem__
            return Table(
                setting, begun.journal, self.tally, send_to, explain=explain, park=parking.park
            ).attend
        self._hub = Hub(
            Office(begun.journal, begun.records, self._lines, self.tally, parking.park),
            setup_of(setting, self.how.directory, begun.plan.models, pairs=bool(self.between)),
            launcher,
        )
        await stack.enter_async_context(self._hub)
        return self._hub.attend

    async def lay_out(self) -> Run:
        """Write the run and its conversations down and play none of them: whoever plays goes by the record."""
        async with AsyncExitStack() as stack:
            begun = await self._begin(stack)
            protocol = self.benchmark.protocol(self.options)
            for work in begun.plan.works:
                if work.play:
                    await begun.journal.open_conversation(work.place, protocol, anew=work.anew)
            return begun.records.find(begun.run.id)

    async def _begin(self, stack: AsyncExitStack) -> _Begun:
        """Check all that can be wrong, lock the run, and open its record; a mistake leaves no trace."""
        self._check_names()
        if self.how.until_decided:
            measured = self.between or self.spec.models
            check_deciding(self.benchmark, measured, self.judging_options, bool(self.between))
        scenarios = await asyncio.to_thread(self.scenarios)
        locked = self.how.store.exists()
        if locked:
            await asyncio.to_thread(self._check_store)
            held = stack.enter_context(run_lock(self.how.store, self.run_id))
        plan = await asyncio.to_thread(self.look_ahead, scenarios)
        self._check_budget(plan)
        self._launcher = await opened(self.launcher(), plan, stack, self.benchmark)
        models = await self._connect(plan.models, stack)
        check_models(self.how.limits, models, [judge for work in plan.works for judge in work.judges])
        # nothing was written until here
        if not locked:
            held = stack.enter_context(run_lock(self.how.store, self.run_id))
        records = await asyncio.to_thread(self._open_store)
        stack.push(records)
        run = await asyncio.to_thread(self._first_row, records, scenarios)
        writer = await asyncio.to_thread(writer_of, self.how.store, held)
        stack.push_async_callback(writer.close)
        journal = Journal(writer, run.number)
        reach = self._reach(run, len(scenarios))
        plan = self._plan(scenarios, records, run)
        if self.how.until_decided:
            self.watch = self._watch(records, run, reach, scenarios)
            plan = self.watch.planned(plan)
        await journal.extend(self._extent(run, reach))
        return _Begun(records, journal, run, reach, plan, models)

    def scenarios(self) -> Sequence[Scenario]:
        """What is to be played; of a recorded run, what was played, whatever the data is today."""
        if self.again is None:
            return self.spec.material.scenarios
        with Records(self.how.store) as records:
            return records.scenarios(self.again.run)

    def look_ahead(self, scenarios: Sequence[Scenario]) -> Plan:
        """What this start has to do, found without writing anything."""
        if not self.how.store.exists():
            check_new(self.how.store)
            return self._plan(scenarios, None, None)
        with Records(self.how.store) as records:
            return self._plan(scenarios, records, self.recorded_in(records))

    @property
    def run_id(self) -> str:
        return self.again.run.id if self.again else self.spec.run_id

    def recorded_in(self, records: Records) -> Run | None:
        """The run as a store has it; None where it is new."""
        return next((run for run in records.runs() if run.id == self.run_id), None)

    def _setting(self, run: Run, reach: Reach) -> Setting:
        return Setting(
            benchmark=self.benchmark,
            spec=replace(self.spec, sampling={**reach.sampling, **self.spec.sampling}),
            run=run,
            options=self.options,
            judging_options=self.judging_options,
            judging=self.judging,
            protocol=self.benchmark.protocol(self.options),
            play_diverged=self.how.anew.diverged,
            remembering=self._lines.remembering,
        )

    def _check_names(self) -> None:
        if self.again and self.again.judges:
            self.benchmark.role("judge", self.judging_options)  # not every benchmark has one
        for name in names_asked(self.spec, self.again):
            self.how.directory.check(name)

    def _check_budget(self, plan: Plan) -> None:
        """A budget that cannot be kept is refused before the first call."""
        check_prices(self.how.limits, plan.models, self.how.directory)
        castings = [
            casting
            for _, cast in self.spec.casts(self.benchmark)
            for casting in self.spec.castings(self.benchmark, cast).items()
        ]
        judges = [self.spec.judge_casting(self.benchmark, n, self.judging_options) for n in self._judges()]
        check_lengths(self.how.limits, [*castings, *(("judge", one) for one in judges)])

    def _judges(self) -> tuple[str, ...]:
        return self.again.judges if self.again and self.again.judges else self.spec.judges()

    def _check_store(self) -> None:
        Records(self.how.store).close()

    def _open_store(self) -> Records:
        return Records(self.how.store, create=self.again is None)

    def _first_row(self, records: Records, scenarios: Sequence[Scenario]) -> Run:
        if self.again is not None:
            return records.find(self.again.run.id)  # as it is now that nobody else writes it
        extent = self._reach(None, len(scenarios)).extent()
        return records.begin(self.spec.run_id, self.benchmark.name, self.spec.identity(), extent)

    def _plan(self, scenarios: Sequence[Scenario], records: Records | None, run: Run | None) -> Plan:
        """What this start has to do; judged with the rubric of the record, unless another is asked for."""
        reach = self._reach(run, len(scenarios))
        anew = self.how.anew if self.again is None else Anew()
        if self.between and records and run:
            rows, verdicts = list(records.each(run)), records.verdicts(run)
            plan = plan_pairs(self.benchmark, rows, verdicts, reach.extent(), self.between)
        else:
            plan = make_plan(self.benchmark, self.spec, scenarios, records, run, reach.extent(), anew)
        if self.again is not None:
            plan = plan.of_finished()
        elif self._is_judged_later:
            plan = plan.of_unplayed()
        if self.how.games_alone:
            plan = plan.of_games()
        if plan.to_judge and reach.rubric != self.judging.digest:
            raise Divergence(
                f"the rubric or the judges' prompts changed since run {run.id if run else ''} was judged; nothing was "
                "sent. Judge all of it anew with --new, or undo the change"
            )
        return plan

    @property
    def _is_judged_later(self) -> bool:
        """Is all judging left to a verb of its own, whoever judged the run before?"""
        return not self.spec.judges() and any(role.later for role in self.benchmark.roles(self.options))

    def _reach(self, run: Run | None, available: int) -> Reach:
        """How far this start reaches: its own limit and repeats, the judges of the run and its own."""
        limit = available if self.spec.limit is None else min(self.spec.limit, available)
        return reach_of(
            self._before(run) if run else {},
            limit=None if self.again else limit,
            epochs=self.spec.epochs,
            judges=self.again.judges if self.again else self.spec.judges(),
            rubric=self.judging.digest,
            judging=_changed(self.judging_options, self.options),
            another_rubric=self.how.anew.diverged or bool(self.again and self.again.options),
            sampling=self._joining(),
        )

    def _extent(self, run: Run, reach: Reach, *, rest_is_done: bool = False) -> dict[str, Any]:
        """What the record keeps of how far the run reaches, from now on."""
        kept = self.watch.as_json() if self.watch else self._before(run).get(DECIDED)
        decided = {DECIDED: kept} if kept and not rest_is_done else {}
        order = {DRAWN: self.watch.drawn} if self.watch else {}
        if self.between:
            return pairs_extended(run, reach, decided) | order
        others = {name: value for name, value in run.extent.items() if name != DECIDED}
        noted = {"open": self._open_weights(run), **editions_after(run.extent, self.benchmark.name)}
        return grown(others, reach) | noted | decided | order

    def _has_done_the_rest(self, run: Run, reach: Reach) -> bool:
        """Has this start, which does not stop early, done all that an earlier one left out?"""
        kept = self._before(run).get(DECIDED)
        if kept is None or self.watch is not None or self.how.games_alone or not self.tally.is_finished:
            return False
        if self.between:
            return {name for pair in kept["pairs"] for name in pair["models"]} <= set(self.between)
        reached = run.extent["limit"] <= reach.limit and run.extent["epochs"] <= reach.epochs
        return self.again is None and reached

    def _watch(self, records: Records, run: Run, reach: Reach, scenarios: Sequence[Scenario]) -> Watch:
        """What looks at the results of this start as they come in."""
        judged = JudgedRun(run, self.benchmark, self.judging_options, reach.rubric, reach.epochs)
        if self.between:
            return watch_pairs(records, judged, self.between)
        wanted = [scenario.id for scenario in scenarios[: reach.limit]]
        return watch_scores(records, judged, wanted, self.spec.models)

    def _open_weights(self, run: Run) -> dict[str, bool]:
        """What is known of the models' weights, for the board."""
        asked = () if is_imported(run) else self.spec.models
        known = {name: self.how.directory.open_weights(name) for name in asked}
        given = {name: is_open for name, is_open in known.items() if is_open is not None}
        return {**run.extent.get("open", {}), **given}

    def _joining(self) -> dict[str, Any]:
        """How the judges who join are sampled, where that is their own."""
        judges = self.again.judges if self.again else ()
        return {name: dict(change) for name in judges if (change := self.how.directory.sampling_of(name))}

    async def _connect(self, names: Iterable[str], stack: AsyncExitStack) -> list[Model]:
        models, directory = [], self.how.directory
        for name in sorted(names):
            model = self._launcher.connect(directory, name) if self._launcher else directory.connect(name)
            stack.push_async_callback(model.close)
            for setting in sorted(model.ignores & self.spec.sampling.get(name, {}).keys()):
                raise Mistake(f"{name} does not take {setting}; leave it out of its sampling")
            await model.check()
            models.append(model)
        return models

    async def _work_through(self, plan: Plan, attend_to: Attend, parking: Parking) -> None:
        """Enough workers to keep every endpoint's gate busy, each with one conversation at a time."""
        allowance = Allowance(self.budget, self._is_over)

        async def attend(work: Work) -> None:
            async with allowance.covering(work.place.subject, self._most_calls(work)) as covered:
                if covered and await attend_to(work) and self.watch:
                    self.watch.done(work)

        self._workers = Workers(attend, parking.answered, lambda: self._is_over() or self.budget.used_up)
        try:
            await self._workers.work_through(plan.works, min(self._lines.places, len(plan.works)), self.stop)
        finally:
            self.tally.used_up = self.budget.used_up

    def _is_over(self) -> bool:
        """Is nothing more to be begun?"""
        return self.tally.stopping or (self.watch is not None and self.watch.is_decided)

    def _most_calls(self, work: Work) -> int:
        """How many calls a work still takes at most, second tries apart."""
        left = calls_left(
            self.benchmark, self.options, self.judging, work, self._done, self._lines.remembering
        )
        return sum(most for _, model, (_, most) in left if not is_person(model))

    def stop(self) -> None:
        """Send nothing more; calls on their way may come back."""
        self.tally.stopping = True
        if self._hub:
            self._hub.stop()

    def drop(self) -> None:
        """Wait for nothing more."""
        if self._workers:
            self._workers.drop()


def _changed(options: Mapping[str, str], before: Mapping[str, Any]) -> dict[str, str]:
    return {name: value for name, value in options.items() if value != before[name]}
