"""The verb read: game masters learn from what a run played, and read real play; run itself may end with it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import click

from interplay.benchmarks import ALL, find
from interplay.cli import terminal
from interplay.cli.carry_out import carry_out
from interplay.cli.edge import DONE, STOPPED
from interplay.cli.flags import (
    HOW,
    HTML,
    JSON,
    NEW_ALONE,
    STORE,
    flag,
    flag_of,
    how_of,
    options_in,
    with_flags,
)
from interplay.cli.showing import check_html, show_run
from interplay.core.benchmark import Benchmark
from interplay.core.failures import Mistake
from interplay.running.engine import Engine
from interplay.running.following import check_sequel, follow, follows, foretold
from interplay.running.how import How
from interplay.running.plan import Anew
from interplay.running.results import options_of
from interplay.running.spec import RunSpec, spec_of
from interplay.store.records import Records, Run

_OPTIONS = {option.name: option for one in ALL if one.sequel for option in one.options if option.of_sequel}
PLAN = flag("--plan", is_flag=True, help="Print what that would take; send nothing.")


@click.command("read")
@click.argument("run")
@with_flags(*(flag_of(option) for option in _OPTIONS.values()), PLAN, *HOW[:-1], NEW_ALONE, STORE, HTML, JSON)
def read_verb(run: str, **given: Any) -> int:
    """Let virtual game masters learn from what RUN played and from real play, and try them on real play (IEG).

    RUN is an id, the beginning of one, a name, or last. The same command again costs nothing; other game masters, or
    the same with others, are another reading, whose board stands beside the others.
    """
    how = how_of(given)
    if how.anew not in (Anew(), Anew(diverged=True)):
        raise Mistake(
            f"read plays nothing, so it takes --new alone, to read anew what no longer fits; not {given['new']!r}"
        )
    with Records(given["store"]) as records:
        found = records.find(run)
        benchmark = find(found.benchmark)
        spec = _spec(records, found, benchmark, options_in(given))
    if given["plan"]:
        then = foretold(benchmark, spec)
        if given["json"]:
            terminal.say_json({"run": found.id, "then": then})
        else:
            terminal.say(then)
        return DONE
    check_html(given)
    check_sequel(benchmark, spec, how)
    code = read_on(benchmark, found.id, spec.sequel, how)
    if code != STOPPED:
        show_run(given, found.id, benchmark)
    return code


def _spec(records: Records, run: Run, benchmark: Benchmark, typed: Mapping[str, str]) -> RunSpec:
    """The spec of a recorded run with the options of its reading; a Mistake where nobody could read it."""
    if benchmark.sequel is None:
        able = ", ".join(one.name for one in ALL if one.sequel)
        raise Mistake(f"{run.id} is a run of {benchmark.name}; game masters learn from runs of {able}")
    options = benchmark.read(typed)
    settled = benchmark.settle({**options_of(run, benchmark), **options})
    if not follows(benchmark, settled):
        usual = {option.name: option.default for option in benchmark.options if option.of_sequel}
        if follows(benchmark, {**settled, **usual}):
            raise Mistake(f"nobody would read {run.id} with these options; name who reads with --dm")
        raise Mistake(
            f"{run.id} is not played to be read: that is a run of {benchmark.name} with --scene intentions"
        )
    if not records.states(run).get("done"):
        raise Mistake(f"{run.id} has no finished conversation that could be learned from; play it first")
    return replace(spec_of(run.identity, run.extent), sequel=options)


def read_on(benchmark: Benchmark, run: str, options: Mapping[str, str], how: How) -> int:
    """Carry out what follows from a run; the exit code."""
    codes = [DONE]

    def one_run(engine: Engine) -> bool:
        code, _ = carry_out(engine)
        codes.append(code)
        return code != STOPPED

    follow(benchmark, run, options, how, one_run, terminal.remark)
    return max(codes)
