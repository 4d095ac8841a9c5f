"""The verbs that call models: run, judge and pair."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from interplay.benchmarks import ALL, OTHERS, find, find_playable, others
from interplay.cli import terminal
from interplay.cli.carry_out import carry_out, show_forecast
from interplay.cli.edge import DONE, STOPPED
from interplay.cli.flags import (
    HOW,
    HTML,
    JSON,
    NEW_ALONE,
    ROLE,
    STORE,
    UNTIL_DECIDED,
    Decorator,
    flag,
    flag_of,
    help_of,
    how_of,
    options_in,
    roles_in,
    sampling_in,
    set_in,
    with_flags,
)
from interplay.cli.reading import read_on
from interplay.cli.showing import check_html, show_run
from interplay.cli.study import read_study
from interplay.core.benchmark import Benchmark
from interplay.core.failures import Mistake, nearest
from interplay.models.null import NULL
from interplay.running.engine import Engine
from interplay.running.following import check_sequel, follows, foretold, sharing_budget
from interplay.running.how import Again, How
from interplay.running.pairing import judges_of_pairs, pairing_of
from interplay.running.plan import Anew
from interplay.running.spec import RunSpec, make_spec, spec_of
from interplay.running.tally import Tally
from interplay.store.records import Records, Run

MERGED = ("model_roles", "sampling")  # of these, what is typed goes before the file's part by part
NOT_READ = (
    "Not all was played, so nobody reads it yet: the same command goes on. What there is can be read with: "
    "interplay read {run}"
)
PLAN = flag("--plan", is_flag=True, help="Print calls, tokens, cost and what the run can show; send nothing.")


class Benchmarks(click.Group):
    """run's sub-commands: one for each benchmark, with the flags of its own options; or a study's file.

    A benchmark of one's own is also named by the path of its file or folder.
    """

    def list_commands(self, context: click.Context) -> list[str]:
        return [*(benchmark.name for benchmark in ALL), *OTHERS.names()]

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(one.name, f"{one.paper}: {one.meaning}.") for one in ALL]
        for one in others():
            rows.append((one.name, terminal.harmless(f"{one.told}." if one.benchmark else one.told)))
        with formatter.section("Benchmarks"):
            formatter.write_dl(rows)

    def get_command(self, context: click.Context, name: str) -> click.Command:
        if not name.endswith(".toml"):
            return _run_command(find_playable(name, terminal.remark), {})
        return _run_command(*read_study(Path(name)))


@click.command("run", cls=Benchmarks, subcommand_metavar="BENCHMARK|PATH|STUDY.toml [FLAGS]")
def run_verb() -> None:
    """Play, judge and score a benchmark, or what a study's file asks for.

    PATH is a benchmark of your own: a file, as in ./my_benchmark.py, or a folder; "interplay new" writes one.

    The same command again goes on where it stopped; a larger --limit or more --epochs extends the run. With no
    model named, it is a tryout: the small embedded model plays every role of a few short conversations, with no key.
    """


def _run_command(benchmark: Benchmark, defaults: Mapping[str, Any]) -> click.Command:
    flags = [
        flag("--model", "models_", multiple=True, metavar="NAME", help="A model to measure; may be repeated."),
        flag("--null", is_flag=True,
             help=f"Measure {NULL} too, which says the same to everything: a floor for every score."),
        ROLE,
        flag("--preset", default="", help="A cast with a name; what --model-role says goes before it."),
        _data_flag(benchmark),
        flag("--limit", type=int, help="Only so many scenarios."),
        flag("--epochs", type=int,
             help=f"How often each scenario is played.  [default: {benchmark.epochs}]"),
        flag("--seed", type=int, default=0, show_default=True, help="For all that is drawn."),
        flag("--sampling", multiple=True, metavar="WHO.KEY=VALUE",
             help="Change sampling of a role or a model, as in player.temperature=0; none leaves it to the endpoint."),
        *(flag_of(option) for option in benchmark.options),
        PLAN,
    ]  # fmt: skip

    of_file = {name: tuple(defaults.get(name, ())) for name in MERGED}
    default_map = {name: value for name, value in defaults.items() if name not in MERGED}

    @click.command(benchmark.name, help=help_of(benchmark), context_settings={"default_map": default_map})
    @with_flags(*flags, UNTIL_DECIDED, *HOW, STORE, HTML, JSON)
    def run_one(**given: Any) -> int:
        how = how_of(given)
        spec = _spec(benchmark, given, how, of_file)
        for remark in spec.material.remarks:
            terminal.remark(f"Note: {remark}")
        if given["plan"]:
            then = foretold(benchmark, spec)
            show_forecast(Engine(benchmark, spec, how, Tally()), as_json=given["json"], then=then)
            return DONE
        check_html(given)
        check_sequel(benchmark, spec, how)
        code, run = carry_out(Engine(benchmark, spec, sharing_budget(how, spec.run_id), Tally()))
        if follows(benchmark, {**spec.options, **spec.sequel}):
            if code == DONE:
                code = read_on(benchmark, run, spec.sequel, how)
            elif code != STOPPED:
                terminal.remark(NOT_READ.format(run=run))
        if code != STOPPED:
            show_run(given, run, benchmark, spec.table)
        return code

    return run_one


def _data_flag(benchmark: Benchmark) -> Decorator:
    names = ["--data", *([benchmark.data_flag] if benchmark.data_flag else [])]
    return flag(
        *names,
        "data",
        type=click.Path(path_type=Path),
        help="Scenarios of your own, in place of those that ship.",
    )


def _spec(
    benchmark: Benchmark, given: Mapping[str, Any], how: How, of_file: Mapping[str, tuple[str, ...]]
) -> RunSpec:
    return make_spec(
        benchmark,
        models=given["models_"],
        roles={**roles_in(of_file["model_roles"]), **roles_in(given["model_roles"])},
        options=options_in(given),
        preset=given["preset"],
        data=given["data"],
        sampling=sampling_in((*of_file["sampling"], *given["sampling"])),
        sampling_of=how.directory.sampling_of,
        seed=given["seed"],
        limit=given["limit"],
        epochs=given["epochs"],
        null=given["null"],
    )


@click.command("judge")
@click.argument("run")
@flag("--rubric", default="", metavar="NAME|FILE",
      help="Judge by another rubric: one of the benchmark's, or a file of your own.")  # fmt: skip
@flag("--set", "changed", multiple=True, metavar="OPTION=VALUE",
      help="Judge with another value of an option that concerns judging, as in goal_shown=yes.")  # fmt: skip
@with_flags(ROLE, PLAN, *HOW[:-1], NEW_ALONE, STORE, HTML, JSON)
def judge_verb(run: str, rubric: str, changed: tuple[str, ...], **given: Any) -> int:
    """Let another judge score RUN, or judge it by another rubric; what was played and judged before costs nothing.

    RUN is an id, the beginning of one, a name, or last.
    """
    roles = roles_in(given["model_roles"])
    if roles.keys() - {"judge"} or not (roles or rubric or changed):
        raise Mistake(
            "name the judges to add with --model-role judge=NAME, and no other role, or a --rubric, or --set"
        )
    how = _how_of_judging("judge", given)
    with Records(given["store"]) as records:
        found = records.find(run)
    benchmark = find(found.benchmark)
    of_judging = [option for option in benchmark.options if option.of_judging]
    asked = set_in(changed, of_judging, "what concerns judging")
    changes = benchmark.read({**({"rubric": rubric} if rubric else {}), **asked})
    again = Again(found, tuple(roles.get("judge", ())), changes)
    return _judge_again(Engine(benchmark, spec_of(found.identity, found.extent), how, Tally(), again), given)


@click.command("pair")
@click.argument("run")
@flag("--model", "models_", multiple=True, metavar="NAME",
      help="Compare only models that are named so; two or more.  [default: all of the run]")  # fmt: skip
@with_flags(ROLE, PLAN, UNTIL_DECIDED, *HOW[:-1], NEW_ALONE, STORE, HTML, JSON)
def pair_verb(run: str, models_: tuple[str, ...], **given: Any) -> int:
    """Let judges compare what every two models of RUN answered, in both orders; a win counts if both orders agree.

    RUN is an id, the beginning of one, a name, or last. What was compared before costs nothing; with no judge named,
    those who compared before go on.
    """
    roles = roles_in(given["model_roles"])
    if roles.keys() - {"judge"}:
        raise Mistake("name the judges who compare with --model-role judge=NAME, and no other role")
    how = _how_of_judging("pair", given)
    with Records(given["store"]) as records:
        found = records.find(run)
    benchmark = find(found.benchmark)
    pairing_of(benchmark)
    between = _rivals(found, models_)
    before = judges_of_pairs(found)
    if not roles and not before:
        raise Mistake(f"nobody has compared {found.id} yet; name a judge with --model-role judge=NAME")
    spec = spec_of(found.identity, {**found.extent, "judges": before})
    again = Again(found, tuple(roles.get("judge", ())), between=between)
    return _judge_again(Engine(benchmark, spec, how, Tally(), again), given)


def _rivals(run: Run, typed: tuple[str, ...]) -> tuple[str, ...]:
    """The models that are compared: those that were typed, or all of the run."""
    known = run.identity["models"]
    for name in typed:
        if name not in known:
            raise Mistake(f"{run.id} has no model {name!r}; {nearest(name, known)}")
    chosen = tuple(dict.fromkeys(typed)) or tuple(known)
    if len(chosen) < 2:
        there = f"only {chosen[0]} is named" if typed else f"{run.id} has only {chosen[0]}"
        raise Mistake(f"two models or more are compared, and {there}")
    return chosen


def _how_of_judging(verb: str, given: Mapping[str, Any]) -> How:
    how = how_of(given)
    if how.anew not in (Anew(), Anew(diverged=True)):
        raise Mistake(
            f"{verb} plays nothing, so it takes --new alone, to judge anew what no longer fits; not {given['new']!r}"
        )
    return how


def _judge_again(engine: Engine, given: Mapping[str, Any]) -> int:
    """Judge a recorded run, or say what that would take."""
    if given["plan"]:
        show_forecast(engine, as_json=given["json"])
        return DONE
    check_html(given)
    code, run = carry_out(engine)
    if code != STOPPED:
        show_run(given, run, engine.benchmark)
    return code
