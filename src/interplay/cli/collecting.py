"""The verbs collect and extract: dialogues are collected, judged, and made into a file of a benchmark's data."""

from collections.abc import Mapping
from dataclasses import dataclass
from os.path import realpath
from pathlib import Path
from shlex import quote
from typing import Any

import click

from interplay.benchmarks import ALL, find
from interplay.cli import terminal
from interplay.cli.carry_out import carry_out, show_forecast
from interplay.cli.edge import DONE, STOPPED, UNANSWERED
from interplay.cli.flags import (
    HOW,
    HTML,
    JSON,
    NEW_ALONE,
    ROLE,
    STORE,
    flag,
    flag_of,
    help_of,
    how_of,
    options_in,
    roles_in,
    sampling_in,
    with_flags,
)
from interplay.cli.showing import check_html, show_run
from interplay.core.benchmark import Benchmark
from interplay.core.failures import Mistake, nearest
from interplay.core.making import Collected, Collector, Extract
from interplay.reporting.writing import check_path, holds, refuse_store, write_whole
from interplay.running.engine import Engine
from interplay.running.how import Again, How
from interplay.running.plan import Anew
from interplay.running.results import played_of
from interplay.running.spec import RunSpec, make_spec, spec_of
from interplay.running.tally import Tally
from interplay.store.records import Records, Run

COLLECTORS: Mapping[str, Collector] = {one.name: one.collector for one in ALL if one.collector}
PLAN = flag("--plan", is_flag=True, help="Print calls, tokens and cost; send nothing.")
OF_JUDGING = with_flags(
    *(
        flag_of(option)
        for option in {
            o.name: o for one in COLLECTORS.values() for o in one.collecting.options if o.of_judging
        }.values()
    )
)


class Collections(click.Group):
    """collect's sub-commands: one for each benchmark whose data can be collected."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COLLECTORS)

    def get_command(self, context: click.Context, name: str) -> click.Command:
        benchmark = find(name)
        if benchmark.name not in COLLECTORS:
            raise Mistake(f"nothing can be collected for {benchmark.name}; {nearest(name, COLLECTORS)}")
        return _collect_command(benchmark, COLLECTORS[benchmark.name])


@click.command("collect", cls=Collections, subcommand_metavar="BENCHMARK [FLAGS]")
def collect_verb() -> None:
    """Let models talk to each other, to collect what a benchmark's data is cut from: interplay extract does that.

    The same command again goes on where it stopped; a larger --limit or more --epochs extends the run. With no
    model named, it is a tryout: the small embedded model plays every role of a few short dialogues, with no key.
    """


def _collect_command(benchmark: Benchmark, collector: Collector) -> click.Command:
    collecting = collector.collecting
    flags = [
        flag("--model", "models_", multiple=True, metavar="NAME",
             help="A model that is talked to; may be repeated."),
        ROLE,
        flag("--data", type=click.Path(path_type=Path), help="Tasks of your own, in place of those that ship."),
        flag("--limit", type=int, help="Only so many tasks."),
        flag("--epochs", type=int, help=f"How many dialogues of each task.  [default: {collecting.epochs}]"),
        flag("--seed", type=int, default=0, show_default=True, help="For all that is drawn."),
        flag("--sampling", multiple=True, metavar="WHO.KEY=VALUE",
             help="Change sampling of a role or a model, as in user.temperature=1; none leaves it to the endpoint."),
        *(flag_of(option) for option in collecting.options if not option.of_judging),
        PLAN,
    ]  # fmt: skip

    @click.command(benchmark.name, help=help_of(collecting))
    @with_flags(*flags, *HOW, STORE, HTML, JSON)
    def collect_one(**given: Any) -> int:
        how = how_of(given)
        spec = _spec(collecting, given, how)
        for remark in spec.material.remarks:
            terminal.remark(f"Note: {remark}")
        engine = Engine(collecting, spec, how, Tally())
        if given["plan"]:
            show_forecast(engine, as_json=given["json"])
            return DONE
        check_html(given)
        code, run = carry_out(engine)
        if code != STOPPED:
            show_run(given, run, collecting)
            terminal.remark(
                f"Next: interplay extract {run} --model-role judge=NAME --out {collector.what}{collector.ending}"
            )
        return code

    return collect_one


def _spec(collecting: Benchmark, given: Mapping[str, Any], how: How) -> RunSpec:
    roles = roles_in(given["model_roles"])
    for role in collecting.roles(collecting.settle({})):
        if role.later and role.name in roles:
            raise Mistake(
                f"collect judges nothing; the {role.name} comes in with: interplay extract RUN "
                f"--model-role {role.name}=NAME"
            )
    return make_spec(
        collecting,
        models=given["models_"],
        roles=roles,
        options=options_in(given),
        data=given["data"],
        sampling=sampling_in(given["sampling"]),
        sampling_of=how.directory.sampling_of,
        seed=given["seed"],
        limit=given["limit"],
        epochs=given["epochs"],
    )


@click.command("extract", epilog=f"Several judges: {' '.join(one.rule for one in COLLECTORS.values())}")
@click.argument("run")
@flag("--out", type=click.Path(path_type=Path), metavar="FILE", help="Where to write what comes of it.")
@flag("--force", is_flag=True, help="Replace a file that is there.")
@with_flags(ROLE, OF_JUDGING, PLAN, *HOW[:-1], NEW_ALONE, STORE, HTML, JSON)
def extract_verb(run: str, **given: Any) -> int:
    """Let judges go through what RUN collected, and write the data that comes of it to a file.

    RUN is an id, the beginning of one, a name, or last. What was judged before costs nothing: the same command again
    changes nothing, and goes on where it stopped. What lacks a verdict is left out, and named. The judges that are
    named decide, whoever else has judged RUN; with none named, all who have.
    """
    how = how_of(given)
    if how.anew not in (Anew(), Anew(diverged=True)):
        raise Mistake(
            f"extract plays nothing, so it takes --new alone, to judge anew what no longer fits; not {given['new']!r}"
        )
    with Records(given["store"]) as records:
        found = records.find(run)
    job = _job(found, given, how)
    if given["plan"]:
        show_forecast(job.engine, as_json=given["json"])
        return DONE
    check_html(given)
    return _carry_out(job, given)


def extract_for(run: Run, given: Mapping[str, Any], how: How, judges: tuple[str, ...]) -> tuple[int, bool]:
    """Extract as the verb does, for who has collected just now; the exit code, and whether the file holds it."""
    named = tuple(f"judge={name}" for name in judges)
    job = _job(run, {**given, "model_roles": named, "plan": False}, how)
    code = _carry_out(job, given, show=False)
    text = job.extract().text
    return code, bool(text) and holds(given["out"], text)


@dataclass(frozen=True)
class Job:
    """What is to be extracted from a run, and the start that judges what is unjudged."""

    benchmark: str  # whose data it will be
    collector: Collector
    engine: Engine
    again: Again

    def extract(self) -> Extract:
        """What the record has of it."""
        with Records(self.engine.how.store) as records:
            run = records.find(self.again.run.id)
            played = played_of(records, run, self.collector.collecting)
            numbers = [row.number for row in records.conversations(run)]
        collected = [Collected(*one) for one in zip(numbers, played, strict=True)]
        return self.collector.extract(collected, run.id, sorted(self.again.judges) or run.extent["judges"])

    @property
    def left(self) -> int:
        """How many verdicts are to be asked for."""
        return self.engine.look_ahead(self.engine.scenarios()).to_judge

    @property
    def only_adds(self) -> bool:
        """Can this start but add to what was extracted before: the same judges, asked the same?"""
        extent = self.again.run.extent
        return extent["rubric"] == self.engine.judging.digest and {*self.again.judges} <= {*extent["judges"]}


def _job(run: Run, given: Mapping[str, Any], how: How) -> Job:
    name = next((n for n, one in COLLECTORS.items() if one.collecting.name == run.benchmark), "")
    if not name:
        raise Mistake(
            f"{run.id} is a run of {run.benchmark}; extract takes what interplay collect has played"
        )
    collecting = COLLECTORS[name].collecting
    roles = roles_in(given["model_roles"])
    judges = tuple(dict.fromkeys(roles.pop("judge", ())))
    if roles or not (judges or run.extent["judges"]):
        raise Mistake("name the judges with --model-role judge=NAME, and no other role")
    if not given["plan"]:
        check_out(given, COLLECTORS[name])
    options = collecting.read(options_in(given))
    collecting.settle(options)
    again = Again(run, judges, options)
    engine = Engine(collecting, spec_of(run.identity, run.extent), how, Tally(), again)
    return Job(name, COLLECTORS[name], engine, again)


def check_out(given: Mapping[str, Any], collector: Collector) -> None:
    """Refuse what could not be written before anything is spent."""
    out: Path | None = given["out"]
    example = f"{collector.what}{collector.ending}"
    if out is None:
        raise Mistake(f"name the file to write with --out, as in --out {example}")
    if out.suffix.lower() != collector.ending:
        raise Mistake(f"--out {out} must end in {collector.ending}, as in --out {example}")
    check_path(out, collector.what)
    refuse_store(out, given["store"])
    if given["html"] and realpath(given["html"]) == realpath(out):
        raise Mistake(f"--html and --out cannot both write {out}")


def _carry_out(job: Job, given: Mapping[str, Any], *, show: bool = True) -> int:
    """Have what is unjudged judged, write the file, say what came of it."""
    out: Path = given["out"]
    free = given["force"] or not out.exists() or (job.only_adds and _grows_to(out, job.extract().text))
    if not free and job.left:
        raise taken(out)  # before anything is spent on what could not be written
    code, _ = carry_out(job.engine)
    if code == STOPPED:
        terminal.remark(f"{out} is not written yet.")
        return code
    found = job.extract()
    if found.text and not holds(out, found.text):
        if not free and not _grows_to(out, found.text):
            raise taken(out)
        write_whole(out, [found.text], job.collector.what)
    also = {"file": str(out) if found.text else None, **found.counts}
    if show:
        show_run(given, job.again.run.id, job.collector.collecting, also=also)
    for line in found.told:
        terminal.remark(line)
    if not found.text:
        earlier = " What it holds is of an earlier extract." if out.exists() else ""
        terminal.remark(f"{out} is not written: there is nothing to write.{earlier}")
        return UNANSWERED
    count = found.text.count("\n")
    terminal.remark(
        f"{out} has {count} {job.collector.what}. Play them: interplay run {job.benchmark} --data {quote(str(out))}"
    )
    return code


def taken(out: Path) -> Mistake:
    return Mistake(f"{out} is there already, and holds something else; --force replaces it")


def _grows_to(path: Path, text: str) -> bool:
    """Is a file such that this text only adds lines to it?"""
    try:
        return {*path.read_bytes().split(b"\n")} <= {*text.encode().split(b"\n")}
    except OSError:
        return False
