"""The verb pipeline: from tasks to scores in one command; each of its stages is also a verb of its own."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from interplay.benchmarks import find
from interplay.cli import terminal
from interplay.cli.carry_out import carry_out
from interplay.cli.collecting import COLLECTORS, check_out, extract_for, taken
from interplay.cli.edge import STOPPED
from interplay.cli.flags import HOW, HTML, JSON, ROLE, STORE, flag, how_of, roles_in, with_flags
from interplay.cli.showing import check_html, show_run
from interplay.core.benchmark import Benchmark
from interplay.core.failures import Mistake, nearest
from interplay.core.making import Collector
from interplay.running.engine import Engine
from interplay.running.how import How
from interplay.running.spec import EMBEDDED, make_spec
from interplay.running.tally import Tally
from interplay.store.records import Records


@click.command("pipeline")
@click.argument("benchmark")
@flag("--model", "models_", multiple=True, metavar="NAME", help="A model to measure; may be repeated.")
@flag("--data", type=click.Path(path_type=Path), help="Tasks of your own, in place of those that ship.")
@flag(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where the scripts go.  [default: scripts.jsonl]",
)
@flag("--force", is_flag=True, help="Replace a file that is there.")
@flag("--limit", type=int, help="Only so many tasks.")
@flag("--epochs", type=int, help="How many dialogues of each task.")
@with_flags(ROLE, *HOW, STORE, HTML, JSON)
def pipeline_verb(benchmark: str, **given: Any) -> int:
    """From tasks to scores: collect dialogues, extract scripts from them, evaluate models on these.

    Roles: simulator answers while dialogues are collected, user is the user agent, judge names challenging turns and
    rates answers. The same command again goes on where it stopped. With nobody named, it is a tryout: the small
    embedded model plays every role of a few short dialogues, with no key.
    """
    found = find(benchmark)
    if found.name not in COLLECTORS:
        raise Mistake(f"{found.name} has no stages before its run; {nearest(found.name, COLLECTORS)}")
    collector = COLLECTORS[found.name]
    given["out"] = given["out"] or Path(f"{collector.what}{collector.ending}")
    roles, how = roles_in(given["model_roles"]), how_of(given)
    check_html(given)
    _check(found, collector, given["models_"], roles)
    check_out(given, collector)
    code, run = _collect(collector, given, roles, how)
    if code == STOPPED:
        return code
    terminal.remark(f"Collected: {run}. Scripts are cut from it next.")
    judges = tuple(roles.get("judge", (EMBEDDED,)))
    with Records(given["store"]) as records:
        collected = records.find(run)
    extracted, there = extract_for(collected, {**given, "json": False, "html": None}, how, judges)
    code = max(code, extracted)
    return max(code, _evaluate(found, given, roles, how)) if there else code


def _check(
    benchmark: Benchmark, collector: Collector, models: Sequence[str], roles: Mapping[str, Sequence[str]]
) -> None:
    """All roles are named, or nobody is."""
    if not models and not roles:
        return
    wanted = [role.name for role in collector.collecting.roles(collector.collecting.settle({}))]
    for name in roles:
        if name not in wanted:
            raise Mistake(f"{benchmark.name}'s stages have no role {name!r}; {nearest(name, wanted)}")
    for name in wanted:
        if not roles.get(name):
            raise Mistake(
                f"name the {name} with --model-role {name}=NAME; {EMBEDDED} works offline, to try things out"
            )
    if not models:
        raise Mistake("no model to measure; name one with --model, as in --model openai/NAME")


def _collect(
    collector: Collector, given: Mapping[str, Any], roles: Mapping[str, Sequence[str]], how: How
) -> tuple[int, str]:
    (subject,) = (role.name for role in collector.collecting.subjects(collector.collecting.settle({})))
    spec = make_spec(
        collector.collecting,
        models=roles.get(subject, ()),
        roles={name: names for name, names in roles.items() if name not in (subject, "judge")},
        data=given["data"],
        sampling_of=how.directory.sampling_of,
        limit=given["limit"],
        epochs=given["epochs"],
    )
    if not given["force"] and given["out"].exists() and spec.run_id not in _text_of(given["out"]):
        raise taken(given["out"])  # before anything is spent on what could not be written
    for remark in spec.material.remarks:
        terminal.remark(f"Note: {remark}")
    return carry_out(Engine(collector.collecting, spec, how, Tally()))


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _evaluate(
    benchmark: Benchmark, given: Mapping[str, Any], roles: Mapping[str, Sequence[str]], how: How
) -> int:
    spec = make_spec(
        benchmark,
        models=given["models_"],
        roles={"judge": roles["judge"]} if roles else {},
        data=given["out"],
        sampling_of=how.directory.sampling_of,
    )
    code, run = carry_out(Engine(benchmark, spec, how, Tally()))
    if code != STOPPED:
        show_run(given, run, benchmark)
    return code
