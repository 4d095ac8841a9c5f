"""The verbs that ask what a run's numbers are worth; none calls a model."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from interplay.analysis.agreement import agreement_of
from interplay.analysis.biases import bias_board, measure_of_judges
from interplay.analysis.comparison import compare, comparison_board
from interplay.analysis.correction import correction_board
from interplay.analysis.planning import Design, Spread, power_board, spread_of
from interplay.analysis.sources import variance_board
from interplay.benchmarks import find, find_playable
from interplay.cli import terminal
from interplay.cli.edge import DONE
from interplay.cli.flags import (
    BASE_URL,
    HTML,
    JSON,
    MODELS,
    ROLE,
    STORE,
    Finite,
    directory_in,
    flag,
    roles_in,
    set_in,
    with_flags,
)
from interplay.cli.showing import check_html
from interplay.core.benchmark import Benchmark
from interplay.core.board import Board
from interplay.core.failures import Mistake
from interplay.core.measures import Measure, measure_called
from interplay.reporting.html import write_board
from interplay.running.engine import Engine
from interplay.running.forecast import forecast
from interplay.running.how import How
from interplay.running.results import options_of
from interplay.running.spec import EMBEDDED, make_spec
from interplay.running.tally import Tally
from interplay.store.labels import Labels
from interplay.store.places import Store
from interplay.store.records import Records, Run


def _show(board: Board, given: Mapping[str, Any]) -> int:
    """Show a board in the terminal or as JSON, and write it as a page where a file is named."""
    check_html(given)
    if given["json"]:
        terminal.say_json(board.as_json())
    else:
        terminal.show_board(board)
    if given["html"]:
        write_board(given["html"], board)
        terminal.remark(f"Page: {given['html']}")
    return DONE


BY = flag(
    "--by",
    default="",
    metavar="MEASURE",
    help="The score that is looked at.  [default: the benchmark's main one]",
)


def _measured(run: Run, by: str) -> tuple[Benchmark, Measure]:
    benchmark = find(run.benchmark)
    return benchmark, measure_called(by, benchmark.measures(options_of(run, benchmark)), benchmark.name)


def _of_one_benchmark(
    records: Records, runs: tuple[str, ...], by: str
) -> tuple[list[Run], Benchmark, Measure]:
    found = list({run.id: run for run in map(records.find, runs)}.values())
    benchmark, measure = _measured(found[0], by)
    for run in found:
        if run.benchmark != benchmark.name:
            raise Mistake(f"{run.id} is a run of {run.benchmark}, not of {benchmark.name} as {found[0].id}")
    return found, benchmark, measure


@click.command("compare")
@click.argument("runs", nargs=-1, required=True)
@with_flags(BY, STORE, HTML, JSON)
def compare_verb(runs: tuple[str, ...], by: str, **given: Any) -> int:
    """Compare the models of RUNS two by two on the scenarios they have in common.

    Differences are paired and clustered as the benchmark's design is; Holm's adjustment says which may be claimed, and
    rank sets follow from the claims. Runs that cannot be compared with the first stand apart, with the reason.
    """
    with Records(given["store"]) as records:
        found, benchmark, measure = _of_one_benchmark(records, runs, by)
        return _show(comparison_board(compare(records, found, benchmark, measure)), given)


@click.command("correct")
@click.argument("run")
@flag("--judge", default="", metavar="NAME", help="Whose numbers to correct.  [default: the panel's]")
@with_flags(BY, STORE, HTML, JSON)
def correct_verb(run: str, judge: str, by: str, **given: Any) -> int:
    """Correct what the judges of RUN say by people's labels of a part of it that was drawn at random.

    Beside each other: the judge alone, the judge corrected (PPI++, prediction-powered inference), and people alone. The
    judge alone is flagged where the labels show that it differs from people. Labels that were not drawn by
    interplay labels draw are refused: they correct nothing.
    """
    with Records(given["store"]) as records, Labels(given["store"]) as labels:
        found = records.find(run)
        benchmark, measure = _measured(found, by)
        return _show(correction_board(records, labels, found, benchmark, measure, judge), given)


@click.command("bias")
@click.argument("run")
@flag("--family", "families", multiple=True, metavar="NAME=FAMILY",
      help="Of which family a model or judge is, where its name does not say; may be repeated.")  # fmt: skip
@with_flags(BY, STORE, HTML, JSON)
def bias_verb(run: str, families: tuple[str, ...], by: str, **given: Any) -> int:
    """Say what sways the judges of RUN besides merit: length, own family, refusals; in pairs, also the place.

    Held against people's labels where there are ten or more, and against the other judges. What the data cannot tell
    apart has no number, and a note says why.
    """
    said = {}
    for pair in families:
        name, equals, family = pair.partition("=")
        if not equals or not name or not family:
            raise Mistake(f"--family is NAME=FAMILY, as in openai/gpt-4o=gpt, not {pair!r}")
        said[name] = family
    with Records(given["store"]) as records, Labels(given["store"]) as labels:
        found = records.find(run)
        benchmark = find(found.benchmark)
        measure = measure_of_judges(found, benchmark, by)
        return _show(bias_board(records, labels, found, benchmark, measure, said), given)


@click.command("variance")
@click.argument("runs", nargs=-1, required=True)
@with_flags(BY, STORE, HTML, JSON)
def variance_verb(runs: tuple[str, ...], by: str, **given: Any) -> int:
    """Say which share of what scores differ by comes from subject, simulator, judge, scenario and repeat.

    Several RUNS of one benchmark, alike but for their simulator, tell what the simulator adds.
    """
    with Records(given["store"]) as records:
        found, benchmark, measure = _of_one_benchmark(records, runs, by)
        return _show(variance_board(records, found, benchmark, measure), given)


@click.command("agreement")
@click.argument("run")
@with_flags(STORE, HTML, JSON)
def agreement_verb(run: str, **given: Any) -> int:
    """Hold each judge of RUN, and the panel, against people and against each other.

    People's labels come into the store by interplay labels. Of several raters of a conversation the majority counts,
    of scores else the median; Krippendorff's alpha says how far they agree among themselves.
    """
    with Records(given["store"]) as records, Labels(given["store"]) as labels:
        found = records.find(run)
        return _show(agreement_of(records, labels, found, find(found.benchmark)), given)


@click.command("power")
@click.argument("benchmark")
@flag("--model", "models_", multiple=True, metavar="NAME", help="A model to be compared; may be repeated.")
@flag("--compare", "count", type=click.IntRange(2, 1000), default=None, metavar="N",
      help="So many models are compared.  [default: those that are named, or 2]")  # fmt: skip
@flag("--difference", type=Finite(1e-6), default=None, metavar="D",
      help="A true difference that must be seen: how many scenarios does it need?")  # fmt: skip
@flag("--like", default="", metavar="RUN", help="Take the spread that a recorded run showed.")
@flag("--epochs", type=click.IntRange(1), default=None, help="How often each scenario is played.")
@flag("--set", "changed", multiple=True, metavar="OPTION=VALUE", help="An option of the benchmark.")
@flag("--data", type=click.Path(path_type=Path), help="Scenarios of your own, in place of those that ship.")
@with_flags(ROLE, BASE_URL, MODELS, STORE, HTML, JSON)
def power_verb(benchmark: str, **given: Any) -> int:
    """Say what n scenarios of BENCHMARK cost and which differences between models they can show; sends nothing.

    With models and judges named, and their prices known, the cost is in dollars.
    """
    found = find_playable(benchmark, terminal.remark)
    options = set_in(given["changed"], found.options, found.name)
    named = {role: list(names) for role, names in roles_in(given["model_roles"]).items()}
    priced = bool(given["models_"])
    models = tuple(dict.fromkeys(given["models_"])) or (EMBEDDED,)
    assumed = [
        role.name
        for role in found.roles(found.settle(found.read(options)))
        if role.kind != "subject" and not role.later and not role.optional and role.name not in named
    ]
    named |= {role: [models[0]] for role in assumed}
    directory = directory_in(given)
    spec = make_spec(
        found, models=models, roles=named, options=options, data=given["data"], epochs=given["epochs"]
    )
    settled = spec.settled(found)
    spread = Spread(found.spread(settled))
    if given["like"]:
        spread = _spread_like(given["like"], given["store"], found)
    if not spread.size:
        raise Mistake(
            f"{found.name} gives no score to single conversations here, so that there is nothing to plan by"
        )
    count = given["count"] or max(2, len(models))
    seats = len(found.subjects(settled))
    if count < seats:
        raise Mistake(
            f"{seats} different models sit down together here: --compare is {seats} or more, not {count}"
        )
    with TemporaryDirectory(prefix="interplay-") as folder:  # where nothing was played yet
        taken = asyncio.run(forecast(Engine(found, spec, How(Path(folder) / "new.db", directory), Tally())))
    scenarios, wanted = spec.material.scenarios, given["difference"]
    design = Design(found, settled, scenarios, count, spec.epochs, spread, wanted, len(models))
    board = power_board(design, taken, priced)
    if priced and assumed:
        note = f"Priced as {models[0]}: {', '.join(assumed)}. --model-role names who plays them."
        board = replace(board, notes=(*board.notes, note))
    return _show(board, given)


def _spread_like(run: str, store: Store, benchmark: Benchmark) -> Spread:
    with Records(store) as records:
        found = records.find(run)
        if found.benchmark != benchmark.name:
            raise Mistake(f"{found.id} is a run of {found.benchmark}, not of {benchmark.name}")
        measure = measure_called("", benchmark.measures(options_of(found, benchmark)), benchmark.name)
        return spread_of(compare(records, [found], benchmark, measure), found.id)
