"""Recorded runs made by hand: what was played and judged is planted, so that every number can be told beforehand."""

import asyncio
import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks import find
from interplay.benchmarks.simulation.evaluation import Answer
from interplay.core.benchmark import Benchmark, Scenario, Verdict
from interplay.core.conversation import Line
from interplay.core.failures import SimulatorFailure
from interplay.core.measures import measure_called
from interplay.core.wire import digest_of
from interplay.running.results import options_of
from interplay.store.journal import Journal, Place
from interplay.store.places import Store
from interplay.store.records import Records, Run
from interplay.store.writers import writer_of
from tests.benchmarks.stage import SCENARIOS
from tests.benchmarks.verdicts import dialogue, verdict
from tests.cli.provider import Typist

RUBRIC = "rubric"
TASKS = 12  # of the scripts of a simulation: clusters


@dataclass(frozen=True)
class Talk:
    """One conversation that is to be written down; without an outcome it is void."""

    scenario: Scenario
    model: str
    outcome: Any = None
    verdicts: tuple[Verdict, ...] = ()
    repeat: int = 0
    anew: bool = False
    lines: tuple[Line, ...] = ()


def script(number: int) -> Scenario:
    """A script of a simulation; those of one task are a cluster."""
    content = {
        "task": f"task {number % TASKS}",
        "type": "LastOnly",
        "kind": "stateful",
        "request": f"number {number}",
    }
    return Scenario(content, f"script {number}")


def rated(
    number: int, model: str = "m", *, repeat: int = 0, text: str = "done", **ratings: int | None
) -> Talk:
    """An answer to a script with what each judge gave it; None where a judge failed."""
    verdicts = tuple(
        Verdict(judge, RUBRIC, None, "judge error", "no JSON")
        if rating is None
        else Verdict(judge, RUBRIC, {"explanation": "", "rating": rating})
        for judge, rating in ratings.items()
    )
    lines = (Line("", ("simulator",), "begin"), Line("simulator", ("simulator", "user"), text))
    return Talk(script(number), model, Answer(text), verdicts, repeat, lines=lines)


def void(number: int, model: str = "m") -> Talk:
    return Talk(script(number), model)


def acted(
    number: int, model: str = "m", *, refused: bool = False, **scores: tuple[int, int, int] | None
) -> Talk:
    """A role play of one turn with what each judge gave it by the three criteria."""
    verdicts = tuple(
        verdict(judge, (3, 3, 3) if three is None else three, refused=(0,) if refused else ())
        for judge, three in scores.items()
    )
    lines = (
        Line("interrogator", ("interrogator", "player"), "Who are you?"),
        Line("player", ("player", "interrogator"), "I am a knight."),
    )
    return Talk(SCENARIOS[number], model, dialogue(10), verdicts, lines=lines)


def record(store: Store, benchmark: str, talks: Sequence[Talk], **options: str) -> Run:
    """Write a run down as if it had been played; the same models and options again go on with it."""
    found = find(benchmark)
    models = sorted({talk.model for talk in talks})
    judges = sorted({one.judge for talk in talks for one in talk.verdicts})
    identity = {
        **{"benchmark": benchmark, "models": models, "roles": {"judge": judges} if judges else {}},
        **{"options": options, "scenarios": "0123456789", "sampling": {}, "seed": 0},
    }
    extent = {"limit": 999, "epochs": 1, "judges": judges, "rubric": RUBRIC}
    with Records(store, create=True) as records:
        run = records.begin(f"{benchmark}-{digest_of(identity)[:8]}", benchmark, identity, extent)
        asyncio.run(_write(store, run, found, talks))
        return records.find(run.id)


async def _write(store: Store, run: Run, benchmark: Benchmark, talks: Sequence[Talk]) -> None:
    writer = writer_of(store)
    journal = Journal(writer, run.number)
    role = benchmark.subjects(benchmark.settle(run.identity["options"]))[0].name
    try:
        for talk in talks:
            place = Place(talk.scenario, talk.model, {role: talk.model}, talk.repeat)
            number = await journal.open_conversation(place, "p", anew=talk.anew)
            if talk.outcome is None:
                await journal.void(number, SimulatorFailure("it went wrong"), [])
                continue
            await journal.finish(number, talk.outcome, list(talk.lines), "p")
            for one in talk.verdicts:
                await journal.judged(number, "", one)
    finally:
        await writer.close()


def measure_of(run: Run, name: str = "") -> Any:
    benchmark = find(run.benchmark)
    return measure_called(name, benchmark.measures(options_of(run, benchmark)), benchmark.name)


def numbers(store: Path, run: str = "last") -> dict[tuple[str, str], int]:
    """The number of each conversation, by the label of its scenario and the model."""
    with Records(store) as records:
        return {
            (row.scenario.label, row.subject): row.number for row in records.conversations(records.find(run))
        }


def write_csv(path: Path, rows: Iterable[Mapping[str, Any]]) -> str:
    kept = list(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(kept[0]))
        writer.writeheader()
        writer.writerows(kept)
    return str(path)


def sheet(path: Path) -> list[dict[str, str]]:
    """The rows of a sheet for raters."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    return list(csv.DictReader(text.splitlines(keepends=True)))


@dataclass
class Office(Typist):
    """Somebody who types commands, hands sheets to raters, and takes in what they fill in."""

    folder: Path = Path()

    def draws(
        self, count: int, *more: str, name: str = "sheet.csv", run: str = "last"
    ) -> list[dict[str, str]]:
        """The rows of the sheet of a new draw, or of what is new in it."""
        path = self.folder / name
        path.unlink(missing_ok=True)
        self.types("labels", "draw", run, str(path), "--count", str(count), *more)
        return sheet(path)

    def takes_in(self, rows: Iterable[Mapping[str, Any]], *more: str, run: str = "last") -> Any:
        """Import what raters filled in; what the command says of it."""
        return self.reads("labels", "import", run, write_csv(self.folder / "filled.csv", rows), *more)

    def labels(self, values: Mapping[int, Any], criterion: str, rater: str = "ann", **more: str) -> Any:
        """Import a value of each conversation by its number."""
        said = {"rater": rater, "criterion": criterion, **more}
        return self.takes_in(
            {"conversation": number, **said, "value": value} for number, value in values.items()
        )


@pytest.fixture
def office(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Office:
    return Office(tmp_path / "interplay.db", capsys, folder=tmp_path)


def part(board: Any, title: str) -> Any:
    return next(one for one in (board, *board["parts"]) if one["title"].startswith(title))


def row(board: Any, **cells: str) -> Any:
    """The one row of a board with these cells."""
    (found,) = [one for one in board["rows"] if all(one[key] == value for key, value in cells.items())]
    return found
