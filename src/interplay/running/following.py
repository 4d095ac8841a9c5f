"""What is made of all conversations of a run together: runs of its own, one after another, each recorded."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from interplay.core.benchmark import Benchmark, Played
from interplay.core.failures import Mistake
from interplay.core.making import Errand, Finished, Sequel
from interplay.running.budget import Amount
from interplay.running.engine import Engine
from interplay.running.how import How
from interplay.running.plan import Anew
from interplay.running.results import options_of, played_of
from interplay.running.sending import PERHAPS_BILLED
from interplay.running.spec import RunSpec, make_spec
from interplay.running.tally import Tally
from interplay.store.lock import run_lock
from interplay.store.records import Records, Run

CarryOut = Callable[[Engine], bool]  # was it carried out to its end?


def follows(benchmark: Benchmark, options: Mapping[str, str]) -> Sequel | None:
    """The sequel of a run with these options, if it has one."""
    if benchmark.sequel is None or not benchmark.sequel.wanted(benchmark.settle(options)):
        return None
    return benchmark.sequel


def check_sequel(benchmark: Benchmark, spec: RunSpec, how: How) -> None:
    """Raise a Mistake before anything is played where the sequel could not be carried out."""
    options = benchmark.settle({**spec.options, **spec.sequel})
    sequel = follows(benchmark, options)
    if sequel is not None:
        sequel.check(options, how.directory, bool(how.limits))


def foretold(benchmark: Benchmark, spec: RunSpec) -> str:
    """What the sequel of a run will take, in a line; empty where nothing follows."""
    options = benchmark.settle({**spec.options, **spec.sequel})
    sequel = follows(benchmark, options)
    return sequel.foretell(options, sorted(spec.models), spec.seed) if sequel else ""


def sharing_budget(how: How, run: str, own: str = "") -> How:
    """How a run is carried out that shares a budget with the run of this id and all that was made of that.

    Its own calls are counted by itself; with no id of its own, it is that run.
    """
    if not how.limits or not how.store.exists():
        return how
    with Records(how.store) as records:
        first = [one for one in records.runs() if one.id == run]
        others = [one for one in (*first, *records.made_of(run)) if one.id != (own or run)]
        used = [Amount(*records.spent(one, PERHAPS_BILLED)) for one in others]
    return replace(how, used_beside=sum(used, Amount()))


def follow(
    benchmark: Benchmark,
    run: str,
    options: Mapping[str, str],
    how: How,
    carry_out: CarryOut,
    tell: Callable[[str], None],
) -> bool:
    """Carry out the sequel of a recorded run with these options of it; was it done to its end?"""
    with Records(how.store) as records:
        found = records.find(run)
    # Whoever plays the run on meanwhile, or makes something else of it, would spend the same budget.
    with run_lock(how.store, found.id):
        finished = _finished(benchmark, found, options, how, tell)
        sequel = follows(benchmark, finished.options)
        if sequel is None:
            raise Mistake(f"{found.id}: nothing is made of a run of {benchmark.name} with these options")
        return sequel.follow(finished, lambda errand: _run_errand(errand, finished, how, carry_out))


def _finished(
    benchmark: Benchmark, run: Run, options: Mapping[str, str], how: How, tell: Callable[[str], None]
) -> Finished:
    with Records(how.store) as records:
        return Finished(
            run=run.id,
            models=tuple(run.identity["models"]),
            played=played_of(records, run, benchmark),
            options=benchmark.settle({**options_of(run, benchmark), **options}),
            seed=run.identity["seed"],
            directory=how.directory,
            tell=tell,
        )


def _run_errand(errand: Errand, finished: Finished, how: How, carry_out: CarryOut) -> Sequence[Played] | None:
    """Carry out one run that another asks for; what was played, or None where it was stopped."""
    spec = make_spec(errand.benchmark, models=errand.models, options=errand.options, seed=finished.seed)
    directory = replace(how.directory, made={**how.directory.made, **errand.made})
    own = replace(how, directory=directory, anew=Anew(diverged=how.anew.diverged))
    engine = Engine(errand.benchmark, spec, sharing_budget(own, finished.run, spec.run_id), Tally())
    if not carry_out(engine):
        return None
    with Records(how.store) as records:
        return played_of(records, records.find(spec.run_id), errand.benchmark)
