"""The verb labels: conversations are drawn for people, and what people say of them comes into the store."""

from collections import Counter
from pathlib import Path
from typing import Any

import click

from interplay.benchmarks import find
from interplay.cli import terminal
from interplay.cli.edge import DONE
from interplay.cli.flags import JSON, STORE, flag, with_flags
from interplay.core.benchmark import Benchmark
from interplay.core.failures import Mistake, nearest
from interplay.core.measures import Scale, criteria_of
from interplay.judging.labels import Label, Stray, labels_of_file, numbers_of
from interplay.reporting.sheets import check_ending, write_labels, write_sheet
from interplay.reporting.writing import check_path
from interplay.running.results import options_of, played_of
from interplay.store.labels import Draw, Given, Labels
from interplay.store.places import Store
from interplay.store.records import Records, Run

MOST_STRAYS = 10  # that are named
SHEET = click.Path(path_type=Path, dir_okay=False)


@click.group("labels")
def labels_verb() -> None:
    """Draw conversations of a run for people to label, take in what they say, and write it out.

    The format is the same for all benchmarks: .csv or .jsonl rows of conversation (or scenario, model and repeat),
    rater, criterion, value, when, drawn.
    """


@labels_verb.command("draw")
@click.argument("run")
@click.argument("file", type=SHEET)
@flag("--count", type=click.IntRange(1), default=100, show_default=True, metavar="N",
      help="How many conversations; a larger number goes on in the same draw.")  # fmt: skip
@flag("--criterion", "criteria", multiple=True, metavar="NAME",
      help="What to ask for; may be repeated.  [default: all that judges go by]")  # fmt: skip
@flag("--seed", type=click.IntRange(-(2**62), 2**62), default=0, show_default=True, help="For the draw.")
@with_flags(STORE)
def draw_verb(run: str, file: Path, count: int, criteria: tuple[str, ...], seed: int, store: Store) -> int:
    """Draw conversations of RUN at random, write the draw down, and write FILE for raters to fill in.

    The draw is over all conversations that were played to their end, of all models together; the models' names are not
    on the sheet. Only labels of a draw can correct a judge's numbers: interplay correct.
    """
    check_path(file, "sheet")
    check_ending(file)
    _refuse_existing(file)
    with Records(store) as records, Labels(store) as labels:
        found = records.find(run)
        wanted = _criteria(find(found.benchmark), found, criteria)
        played = [row.number for row in records.conversations(found) if row.state == "done"]
        if not played:
            raise Mistake(f"{found.id} has no conversation that was played to its end")
        before = {draw.id: draw.reach for draw in labels.draws(found)}
        draw = labels.draw(found, played, count, seed)
        done = before.get(draw.id, 0) if before.get(draw.id, 0) < count else 0
        write_sheet(file, records, draw.id, draw.order[done:count], wanted)
    after = f", after the first {done}" if done else ""
    terminal.remark(
        f"Wrote {file}: {count - done} conversations of {len(played)}, drawn at random as {draw.id}{after}. Fill in "
        f"rater and value, then: interplay labels import {found.id} {file}"
    )
    return DONE


def _refuse_existing(file: Path) -> None:
    if file.exists():
        raise Mistake(f"{file} is there already, perhaps filled in; name another file")


def _criteria(benchmark: Benchmark, run: Run, wanted: tuple[str, ...] = ()) -> dict[str, Scale]:
    known = criteria_of(benchmark.measures(options_of(run, benchmark)))
    if not known:
        raise Mistake(f"{benchmark.name} is scored by rule: there is nothing for people to label")
    for name in wanted:
        if name not in known:
            raise Mistake(f"{benchmark.name} has no criterion {name!r}; {nearest(name, known)}")
    return {name: known[name] for name in wanted} if wanted else known


@labels_verb.command("import")
@click.argument("run")
@click.argument("file", type=SHEET)
@flag("--rater", default="", metavar="NAME", help="Who said it, where the file does not say.")
@flag(
    "--replace", is_flag=True, help="Take a label that differs from the same rater's earlier one; both stay."
)
@with_flags(STORE, JSON)
def import_verb(run: str, file: Path, rater: str, replace: bool, store: Store, json: bool) -> int:
    """Take the labels of FILE into the store, all or none; the same file again changes nothing.

    Labels of conversations that RUN does not have are listed and left out.
    """
    with Records(store) as records, Labels(store) as labels:
        found = records.find(run)
        benchmark = find(found.benchmark)
        said, waiting = labels_of_file(str(file), _criteria(benchmark, found), rater.strip())
        placed, strays = _placed(records, found, benchmark, said)
        _check_draws(placed, labels.draws(found))
        added = labels.add(placed, replace=replace)
    told = {"new": added.new, "changed": added.changed, "known": added.known, "waiting": waiting}
    if json:
        terminal.say_json(
            {"run": found.id, **told, "left_out": [f"{one.where}: {why}" for one, why in strays]}
        )
        return DONE
    terminal.remark(
        f"Labels of {found.id}: {added.new} new, {added.changed} changed, {added.known} known before; "
        f"{waiting} rows have no value yet."
    )
    for label, reason in strays[:MOST_STRAYS]:
        terminal.remark(f"Left out, {label.where}: {reason}")
    if len(strays) > MOST_STRAYS:
        terminal.remark(f"Left out, {len(strays) - MOST_STRAYS} more.")
    return DONE


def _placed(
    records: Records, run: Run, benchmark: Benchmark, said: list[Label]
) -> tuple[list[Given], list[tuple[Label, str]]]:
    """The labels by number of conversation, and those of none."""
    rows = records.conversations(run)
    numbers = [row.number for row in rows]
    placed: list[Given] = []
    strays: list[tuple[Label, str]] = []
    for label, place in zip(said, numbers_of(said, played_of(records, run, benchmark), numbers), strict=True):
        if isinstance(place, Stray):
            strays.append((label, str(place)))
        else:
            where = f"{label.file}, line {label.line}"
            placed.append(
                Given(place, label.rater, label.criterion, label.value, label.when, label.drawn, where)
            )
    return placed, strays


def _check_draws(labels: list[Given], draws: list[Draw]) -> None:
    """A label that names a draw must be of one of its conversations; other words are taken as they are."""
    known = {draw.id: frozenset(draw.items) for draw in draws}
    for label in labels:
        if not label.is_of_draw:
            continue
        if label.drawn not in known:
            raise Mistake(
                f"{label.came_from}: {label.drawn!r} is no draw of this run; {nearest(label.drawn, known)}"
            )
        if label.conversation not in known[label.drawn]:
            raise Mistake(
                f"{label.came_from}: conversation {label.conversation} was not drawn in {label.drawn}"
            )


@labels_verb.command("export")
@click.argument("run")
@click.argument("file", type=SHEET)
@with_flags(STORE)
def export_verb(run: str, file: Path, store: Store) -> int:
    """Write the labels of RUN, each rater's newest, to FILE, .csv or .jsonl, as they can be imported again."""
    _refuse_existing(file)
    with Records(store) as records, Labels(store) as labels:
        found = records.find(run)
        given = labels.of(found)
        if not given:
            raise Mistake(f"{found.id} has no labels; draw some with: interplay labels draw {found.id} FILE")
        write_labels(file, records, given)
    terminal.remark(f"Wrote {len(given)} labels to {file}.")
    return DONE


@labels_verb.command("list")
@click.argument("run")
@with_flags(STORE, JSON)
def list_verb(run: str, store: Store, json: bool) -> int:
    """Say what was drawn of RUN, and how much of it was labelled by whom."""
    with Records(store) as records, Labels(store) as labels:
        found = records.find(run)
        draws, given = labels.draws(found), labels.of(found)
    rows = [_line(draw, given) for draw in draws]
    ids = {draw.id for draw in draws}
    by_rater = Counter((label.rater, label.criterion) for label in given)
    if json:
        said: list[dict[str, Any]] = [
            {"rater": rater, "criterion": criterion, "labels": count}
            for (rater, criterion), count in sorted(by_rater.items())
        ]
        terminal.say_json({"run": found.id, "draws": rows, "labels": said})
        return DONE
    if not rows and not given:
        terminal.say(
            f"Nothing was drawn from {found.id} or labelled yet: interplay labels draw {found.id} FILE"
        )
    if rows:
        terminal.show_table(
            ["draw", "of", "drawn", "labelled", "seed", "made"],
            [[str(row[key]) for key in ("id", "of", "drawn", "labelled", "seed", "made")] for row in rows],
        )
    if given:
        terminal.show_table(
            ["rater", "criterion", "labels"],
            [[rater, criterion, str(count)] for (rater, criterion), count in sorted(by_rater.items())],
        )
    apart = sum(label.drawn not in ids for label in given)
    if apart:
        terminal.say(
            f"· {apart} labels are of conversations that were not drawn here: they correct no numbers."
        )
    return DONE


def _line(draw: Draw, given: list[Given]) -> dict[str, Any]:
    labelled = {label.conversation for label in given if label.drawn == draw.id}
    known = {"id": draw.id, "of": len(draw.order), "drawn": draw.reach, "labelled": len(labelled)}
    return {**known, "seed": draw.seed, "made": draw.made}
