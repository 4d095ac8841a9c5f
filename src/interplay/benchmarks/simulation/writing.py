"""New tasks: what a model wrote is checked, gathered, and made a file that dialogues can be collected on."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import tomli_w

from interplay.benchmarks.generating import SEED, WRITER, best_pieces, board_of_writing, told_of
from interplay.benchmarks.simulation.drafting import (
    Draft,
    calls,
    digest,
    examples_of,
    play,
    read_examples,
    scenarios,
)
from interplay.benchmarks.simulation.scenarios import shipped_tasks
from interplay.benchmarks.simulation.task_checks import Shelf, about_task
from interplay.benchmarks.simulation.tasks import KINDS, STATELESS, Task
from interplay.core.benchmark import (
    Benchmark,
    Option,
    Options,
    Played,
    Role,
    Scenario,
    Score,
    Tryout,
    Verdict,
)
from interplay.core.board import Board
from interplay.core.making import Generator, Origin, Piece
from interplay.core.wire import Sampling, digest_of

MOST = 500
OPTIONS = (
    Option(
        "kind",
        STATELESS,
        "stateless: each request stands alone; stateful: the simulated world changes from turn to turn",
        choices=KINDS,
    ),
    Option("n", "10", "how many tasks", number=(1, MOST)),
    Option(
        "examples",
        "",
        "a file of tasks, .toml or the authors' .jsonl, to draw the five examples of each call from in place of ours",
        read=read_examples,
        shape="FILE",
        path=True,
    ),
    SEED,
)


def gather(played: Sequence[Played], options: Options) -> list[Piece]:
    """Every task by the best of its tries; no two that pass are alike, or like one that ships or was an example."""
    shelf = Shelf(dict.fromkeys((*shipped_tasks(), *examples_of(options))))
    return best_pieces(played, _place, lambda one: _piece(one, shelf))


def _place(scenario: Scenario) -> int:
    number: int = scenario.content["number"]
    return number


def _piece(one: Played, shelf: Shelf) -> Piece:
    """A try as it was written, with what the checks say of it; one that passes is put on the shelf."""
    draft: Draft = one.outcome
    content = one.scenario.content
    task = draft.task(_slug(draft.name) or f"task-{content['number']}", content["kind"])
    complaints = (*about_task(task), *shelf.about(task))
    if not complaints:
        shelf.put(task)
    return Piece(one.scenario.id, one.scenario.label, draft.laid_out(), _entry(task), complaints)


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40].strip("-")


def _entry(task: Task) -> dict[str, Any]:
    """A task as a file has it."""
    return {
        "id": task.id,
        "name": task.name,
        "kind": task.kind,
        "request": task.request,
        "description": task.description,
        "keeps": list(task.keeps),
    }


def score(outcome: Draft, verdicts: Sequence[Verdict], options: Options) -> list[Score]:
    """How many checks a task fails by itself; whether it is like another, only the whole can tell."""
    complaints = about_task(outcome.task("task", options["kind"]))
    return [Score("complaints", float(len(complaints)), "rule: the checks of one task")]


def summarize(played: Sequence[Played], options: Options) -> Board:
    """A row for each model: how many of its tasks passed, and what became of its tries."""
    title = f"simulation_writing ({options['kind']}, seed {options['seed']})"
    return board_of_writing(title, played, lambda tries: gather(tries, options))


def lacking(pieces: Sequence[Piece]) -> str:
    """What a file of these pieces would lack to be used."""
    return "" if pieces else "a task"


def write(pieces: Sequence[Piece], origin: Origin) -> str:
    """The file that `interplay collect simulation --data FILE` reads, with a canary of its own."""
    tasks = [{**piece.entry, "id": id} for piece, id in zip(pieces, _ids(pieces), strict=True)]
    head = {**told_of(origin, "simulation tasks"), **_told_of_examples(origin.options)}
    return tomli_w.dumps({**head, "tasks": tasks}, multiline_strings=True)


def _told_of_examples(options: Options) -> dict[str, str]:
    """Examples that are not ours may bind who uses what was made after them: the file says so."""
    kept = options["examples"]
    return {"examples": f"{len(examples_of(options))} of a user's own, {digest_of(kept)}"} if kept else {}


def _ids(pieces: Iterable[Piece]) -> list[str]:
    """The tasks' ids; one that is another's, also of a task that ships, is numbered."""
    taken = {task.id for task in shipped_tasks()}
    found: list[str] = []
    for piece in pieces:
        id = plain = piece.entry["id"]
        count = 1
        while id in taken:
            count += 1
            id = f"{plain}-{count}"
        taken.add(id)
        found.append(id)
    return found


writing = Benchmark(
    name="simulation_writing",
    paper="SimulBench's tasks",
    meaning="a model writes tasks, each from five examples, which are checked",
    roles=lambda options: (Role(WRITER, "subject", Sampling(1.0, 0.95, 2048), "writes the tasks"),),
    options=OPTIONS,
    outcome=Draft,
    scenarios=scenarios,
    protocol=digest,
    play=play,
    calls=calls,
    score=score,
    summarize=summarize,
    spread=lambda options: 1.0,
    tryout=Tryout(limit=2, options={"n": "2"}, sampling={}),
)
generator = Generator(writing, gather, lacking, write, verb="collect")
