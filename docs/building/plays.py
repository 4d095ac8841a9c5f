"""Small runs on the loopback provider, by which the site learns what scores and tables a benchmark has."""

import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from interplay.benchmarks import find
from interplay.cli import main
from interplay.cli.edge import DONE, UNANSWERED
from interplay.core.benchmark import Benchmark, Score
from interplay.core.board import Board
from interplay.models.loopback import Loopback, serving
from interplay.running.results import board_of, judged_of
from interplay.store.records import ConversationRow, Records
from interplay.testing import steady

STORE = Path("plays.db")
MUTE = "mute"  # says nothing that could be read, so that what comes to nothing has its tables too
JUDGED = "--model-role judge=openai/judge"
# What is played so that every table is there once; a test holds them against the columns in the code.
LINES: Mapping[str, Sequence[str]] = {
    "role_play": (
        f"run role_play --model openai/A --model-role interrogator=openai/user {JUDGED} --limit 1",
        "run role_play --version v1 --model openai/A --model-role interrogator=openai/user --limit 1",
    ),
    "simulation": (
        f"run simulation --model openai/A --model openai/B {JUDGED} --limit 8",
        f"pair last {JUDGED}",
        "collect simulation --model openai/A --model-role user=openai/user --limit 6",
        f"extract last {JUDGED} --out scripts.jsonl",
    ),
    "word_guessing": (
        "run word_guessing --model openai/A --model openai/B --model-role opponent=openai/C --limit 20 --epochs 1 "
        "--rounds 1",
    ),
    "task_dialogue": (f"run task_dialogue --system rules --simulator agenda {JUDGED} --limit 2 --epochs 2",),
    "social_interaction": (
        f"run social_interaction --model openai/A --model openai/B {JUDGED} {JUDGED}-2 --limit 2 --moves 8",
        f"run social_interaction --model openai/{MUTE} {JUDGED} --limit 1 --moves 4",
        "run social_interaction --scene intentions --model openai/A --model openai/B --sessions 84 --moves 4 "
        "--dm api:openai/reader --held-out 10 --curve all",
        f"read last --dm examples:openai/{MUTE} --held-out 10 --shots 1",
    ),
}


@dataclass(frozen=True)
class Seen:
    """What was seen of a benchmark: its tables, and the scores of its conversations."""

    boards: tuple[
        tuple[str, Board], ...
    ]  # each with the name of what was run: the benchmark, or what goes with it
    scores: tuple[Score, ...]


@cache
def seen_of(name: str) -> Seen:
    """Play a benchmark's lines in a folder that is thrown away, and look at what came of them."""
    benchmark = find(name)
    with TemporaryDirectory() as folder, chdir(folder), _a_provider():
        for line in LINES[name]:
            _type(line)
        with Records(STORE) as records:
            boards, scores = [], []
            for run in records.runs():
                mine = find(run.benchmark)
                rows = records.conversations(run)
                changes = _of_table(mine, rows)
                boards += _whole(mine.name, board_of(records, run, mine, changes))
                if mine is benchmark:
                    scores += [
                        score for one in judged_of(records, run, mine, lines=False) for score in one.scores
                    ]
    return Seen(tuple(boards), tuple(scores))


@contextmanager
def _a_provider() -> Iterator[None]:
    """The loopback provider in the place of every OpenAI-shaped model."""
    before = dict(os.environ)
    with serving(Loopback({"*": steady, MUTE: lambda asked: "..."})) as url:
        os.environ.update(OPENAI_BASE_URL=url, OPENAI_API_KEY="none")
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


def _type(line: str) -> None:
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = main([*line.split(), "--store", str(STORE)])
    if code not in (DONE, UNANSWERED):
        raise RuntimeError(f"interplay {line} ended with {code}:\n{said.getvalue()}")


def _whole(name: str, board: Board) -> list[tuple[str, Board]]:
    return [(name, board), *(one for part in board.parts for one in _whole(name, part))]


# Files that a table can be given, written of the very conversations that are in it.


def _of_table(benchmark: Benchmark, rows: Sequence[ConversationRow]) -> dict[str, str]:
    typed = {}
    for option in benchmark.options:
        if option.of_table and option.path:
            path = Path(f"{benchmark.name}-{option.name}.csv")
            path.write_text(FILES[benchmark.name, option.name](rows), encoding="utf-8")
            typed[option.name] = str(path)
    return benchmark.read(typed)


def _csv(heading: str, lines: Sequence[Sequence[object]]) -> str:
    return "\n".join([heading, *(",".join(f'"{cell}"' for cell in line) for line in lines)]) + "\n"


def _ratings(rows: Sequence[ConversationRow]) -> str:
    lines = [(row.scenario.id, row.subject, "ada", 3 + at % 5, "yes") for at, row in enumerate(rows)]
    return _csv("scenario,model,rater,rating,reasonable", lines)


def _labels(rows: Sequence[ConversationRow]) -> str:
    said = {"completed": "yes", "naturalness_user": 4}
    lines = [
        (row.scenario.id, row.subject, row.repeat + 1, "ada", criterion, value)
        for row in rows
        for criterion, value in said.items()
    ]
    return _csv("scenario,model,repeat,rater,criterion,value", lines)


def _other_scores(rows: Sequence[ConversationRow]) -> str:
    return _csv("model,another", [("openai/A", 0.5), ("openai/B", 0.6)])


def _words(rows: Sequence[ConversationRow]) -> str:
    lines = [(row.scenario.id, row.subject, "ada", "evasive") for row in rows]
    return _csv("session,model,rater,word", lines)


FILES: Mapping[tuple[str, str], Callable[[Sequence[ConversationRow]], str]] = {
    ("simulation", "human"): _ratings,
    ("task_dialogue", "human"): _labels,
    ("word_guessing", "other_scores"): _other_scores,
    ("social_interaction", "words"): _words,
}
