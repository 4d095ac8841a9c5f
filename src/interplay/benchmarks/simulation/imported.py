"""Answers that were given elsewhere: every answered turn in the histories of the authors' scripts is one to judge."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from interplay.benchmarks.simulation.evaluation import SIMULATOR, Answer, told_before
from interplay.benchmarks.simulation.scenarios import scenario_of
from interplay.benchmarks.simulation.scripts import (
    HARD,
    Dialogue,
    Script,
    authors_dialogue,
    authors_script,
    earliest_of,
)
from interplay.core.benchmark import Played
from interplay.core.conversation import Line
from interplay.core.failures import Mistake
from interplay.core.import_files import Row, Skipped, rows_in
from interplay.core.importing import Imported, Importer, Reading

UNLISTED = "Unlisted"  # the type of a turn for which the file has no script
KEYS = ("source_id", "source_file_name", "turn_num", "dialogue_history")
REMARK = (
    "These answers stand in the histories of scripts, where whoever simulated at that time gave them. All counts every "
    f"turn that was answered, also those for which the file has no script ({UNLISTED}); the last turn of a dialogue, "
    "and so every LastOnly script, has no answer in such a file."
)


@dataclass(frozen=True)
class Placed:
    """A script of the file, where it stands there, and the dialogue it was cut from."""

    where: str
    dialogue: Dialogue
    script: Script


def read(reading: Reading) -> Iterator[Imported | Skipped]:
    """Each answered turn of each dialogue once, however many of the file's scripts have it in their history."""
    if not reading.model:
        raise Mistake(
            "a file of SimulBench's scripts does not say who answered in their histories: name the model with "
            "--model NAME"
        )
    placed = []
    for one in _scripts(reading):
        if isinstance(one, Skipped):
            yield one
        else:
            placed.append(one)
    listed = {(one.dialogue, one.script.history, one.script.request): one.script for one in placed}
    seen = set()
    for one in placed:
        for number, turn in enumerate(one.script.history, 1):
            history = one.script.history[: number - 1]
            key = (one.dialogue, history, turn.request)
            if (key, turn.answer) in seen:
                continue
            seen.add((key, turn.answer))
            script = listed.get(key) or _unlisted(one.script, number)
            if script.type in HARD or reading.options["set"] != "hard":
                yield _answered(script, turn.answer, reading.model, f"{one.where}, turn {number}")


def _scripts(reading: Reading) -> Iterator[Placed | Skipped]:
    """The scripts of the file; their types follow from the turn numbers of all of them."""
    rows = []
    for row in rows_in(reading.path):
        if problem := _problem(row):
            yield problem
        elif isinstance(row, Row):
            rows.append(row)
    earliest = earliest_of((authors_dialogue(row.value), row.value["turn_num"]) for row in rows)
    for row in rows:
        yield _read(row, earliest)


def _problem(row: Row | Skipped) -> Skipped | None:
    """Why a row is none of the authors' scripts at all."""
    if isinstance(row, Skipped):
        return row
    if not isinstance(row.value, Mapping):
        return Skipped(row.where, "it is no object")
    if missing := [key for key in KEYS if key not in row.value]:
        return Skipped(row.where, f"it has no {' and no '.join(missing)}, as SimulBench's scripts have")
    read = _read(row, {})
    return read if isinstance(read, Skipped) else None


def _read(row: Row, earliest: Mapping[Dialogue, int]) -> Placed | Skipped:
    content: Mapping[str, Any] = row.value
    try:
        script = authors_script(content, row.where, earliest)
    except Mistake as problem:
        return Skipped(row.where, str(problem).removeprefix(f"{row.where}: "))
    return Placed(row.where, authors_dialogue(content), script)


def _unlisted(later: Script, number: int) -> Script:
    """An earlier turn of a script's dialogue; the same words in several dialogues of a task are one scenario."""
    return replace(
        later,
        type=UNLISTED,
        turn=number,
        history=later.history[: number - 1],
        request=later.history[number - 1].request,
        origin=f"SimulBench, {later.task}",
    )


def _answered(script: Script, answer: str, model: str, where: str) -> Imported:
    scenario = scenario_of(script)
    lines = [Line("", (), told) for told in told_before(scenario.content)]
    lines += [Line("", (SIMULATOR,), script.request), Line(SIMULATOR, (SIMULATOR,), answer)]
    played = Played(scenario, model, 0, outcome=Answer(answer), cast={SIMULATOR: model})
    return Imported(where, played, tuple(lines))


IMPORTERS = (
    Importer(
        name="simulbench",
        meaning="SimulBench's scripts (simulbench_all.jsonl): every answer in their histories, of --model NAME",
        read=read,
        remarks=(REMARK,),
    ),
)
