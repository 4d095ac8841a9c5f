"""Validating a benchmark: bots with a planted ability go through the whole product, and must come out as planted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from interplay.core.benchmark import Benchmark
from interplay.core.failures import Cancelled
from interplay.core.trials import Finding, Trial, Tried, averaged
from interplay.models.connecting import Directory
from interplay.models.loopback import Loopback, Script, serving
from interplay.running.engine import Engine
from interplay.running.following import check_sequel, follow, follows
from interplay.running.how import How
from interplay.running.looping import carried_out
from interplay.running.results import board_of, played_of
from interplay.running.spec import make_spec
from interplay.running.tally import Tally
from interplay.store.records import Records

CONNECTIONS = 64  # bots answer at once: more calls share a commit
SEEDS_PER_MISS = 100  # one in so many seeds may bring the models out in another order


@dataclass(frozen=True)
class Held:
    """What one seed of a trial found."""

    findings: tuple[Finding, ...]
    in_order: bool


@dataclass(frozen=True)
class Recovery:
    """What all seeds of a trial found together."""

    trial: Tried
    findings: tuple[Finding, ...]
    seeds: int
    in_order: int  # the seeds in which the models came out as they must

    @property
    def order_passed(self) -> bool:
        return SEEDS_PER_MISS * (self.seeds - self.in_order) <= self.seeds

    @property
    def passed(self) -> bool:
        return all(finding.passed for finding in self.findings) and self.order_passed


def hold(benchmark: Benchmark, trial: Trial, seed: int, tally: Tally) -> Held:
    """Play a trial into a store of its own and read its board; nothing is left behind, nor if it is stopped."""
    with TemporaryDirectory(prefix="interplay-") as folder:
        store = Path(folder) / "trial.db"
        run = play_into(store, benchmark, trial, seed, tally)
        if tally.stopping:
            raise Cancelled(f"{trial.name} was stopped before its end")
        return read_off(benchmark, trial, store, run)


def play_into(store: Path, benchmark: Benchmark, trial: Trial, seed: int, tally: Tally) -> str:
    """Let the bots of a trial play, over HTTP on loopback, and make of the run what follows from it; the run's id."""
    with serving(Loopback(by_endpoint_name(trial.scripts(seed)))) as url:
        # Neither keys nor entries of the user: the bots are on this machine, whatever else is set.
        how = How(store, Directory(base_url=url, environment={}), CONNECTIONS)
        spec = make_spec(
            benchmark,
            models=trial.models,
            roles=trial.roles,
            options={**trial.options, **trial.files(seed, store.parent)},
            seed=seed,
            limit=trial.limit,
            epochs=trial.epochs,
        )
        check_sequel(benchmark, spec, how)
        run = carried_out(Engine(benchmark, spec, how, tally).carry_out()).id
        if not tally.stopping and follows(benchmark, {**spec.options, **spec.sequel}):
            follow(benchmark, run, spec.sequel, how, partial(_carry_out, tally), _unheard)
        return run


def _carry_out(tally: Tally, engine: Engine) -> bool:
    """Carry out what follows from a run, watched and stopped as the run itself was."""
    tally.conversations_done = tally.verdicts_done = 0
    engine.tally = tally
    carried_out(engine.carry_out())
    return not tally.stopping


def _unheard(remark: str) -> None:
    """Remarks are for people who read a board; what matters of them to a trial is in its findings."""


def read_off(benchmark: Benchmark, trial: Trial, store: Path, run: str) -> Held:
    """What the board of a trial's run says of what was planted."""
    with Records(store) as records:
        found = records.find(run)
        board = board_of(records, found, benchmark)
        findings = trial.findings(board, played_of(records, found, benchmark))
    return Held(tuple(findings), trial.came_in_order(board))


def by_endpoint_name(scripts: Mapping[str, Script]) -> dict[str, Script]:
    """The endpoint knows openai/NAME as NAME."""
    return {name.partition("/")[2]: script for name, script in scripts.items()}


def recovery(trial: Tried, held: Sequence[Held]) -> Recovery:
    """What the seeds of a trial found, number by number."""
    together = zip(*(one.findings for one in held), strict=True)
    return Recovery(trial, tuple(map(averaged, together)), len(held), sum(one.in_order for one in held))
