"""What is made of all conversations of a run together: runs of its own, one after another, each recorded."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from interplay.core.benchmark import Benchmark, Errand, Finished, Played, Sequel
from interplay.core.failures import Mistake
from interplay.running.budget import Amount, Limits
from interplay.running.engine import Engine, How
from interplay.running.plan import Anew
from interplay.running.results import options_of, played_of
from interplay.running.sending import PERHAPS_BILLED
from interplay.running.spec import RunSpec, make_spec
from interplay.running.tally import Tally
from interplay.store.records import Records

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
        settled = benchmark.settle({**options_of(found, benchmark), **options})
        sequel = follows(benchmark, settled)
        if sequel is None:
            raise Mistake(f"{found.id}: nothing follows from a run of {benchmark.name} with these options")
        finished = Finished(
            run=found.id,
            models=tuple(found.identity["models"]),
            played=played_of(records, found, benchmark),
            options=settled,
            seed=found.identity["seed"],
            directory=how.directory,
            tell=tell,
        )
    spent = [found.id]

    def run_errand(errand: Errand) -> Sequence[Played] | None:
        spec = make_spec(errand.benchmark, models=errand.models, options=errand.options, seed=finished.seed)
        directory = replace(how.directory, made={**how.directory.made, **errand.made})
        left = _left(how, [one for one in spent if one != spec.run_id])
        own = replace(how, directory=directory, limits=left, anew=Anew(diverged=how.anew.diverged))
        if not carry_out(Engine(errand.benchmark, spec, own, Tally())):
            return None
        spent.append(spec.run_id)
        with Records(how.store) as records:
            return played_of(records, records.find(spec.run_id), errand.benchmark)

    return sequel.follow(finished, run_errand)


def _left(how: How, runs: Sequence[str]) -> Limits:
    """What these runs have left of the budget."""
    limits = how.limits
    if not limits:
        return limits
    with Records(how.store) as records:
        spent = [Amount(*records.spent(records.find(run), PERHAPS_BILLED)) for run in runs]
    return limits.less(sum(spent, Amount()))
