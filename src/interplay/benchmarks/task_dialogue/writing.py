"""New goals: what a model wrote is checked, gathered, and made a file that can be played."""

import json
from collections.abc import Sequence

from interplay.benchmarks.generating import SEED, WRITER, best_pieces, board_of_writing, told_of
from interplay.benchmarks.task_dialogue.city import own_city
from interplay.benchmarks.task_dialogue.drafting import (
    Draft,
    calls,
    digest,
    goal_in,
    laid_out,
    play,
    scenarios,
)
from interplay.benchmarks.task_dialogue.goal_checks import about
from interplay.benchmarks.task_dialogue.goals import goal_of
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
from interplay.core.failures import Mistake
from interplay.core.making import Generator, Origin, Piece
from interplay.core.wire import Sampling

MOST = 500
OPTIONS = (Option("n", "10", "how many goals", number=(1, MOST)), SEED)


def gather(played: Sequence[Played], options: Options) -> list[Piece]:
    """Every goal by the best of its tries; no two ask for the same, because they were drawn so."""
    return best_pieces(played, _place, _piece)


def _place(scenario: Scenario) -> int:
    number: int = scenario.content["number"]
    return number


def _piece(one: Played) -> Piece:
    draft: Draft = one.outcome
    goal = goal_in(one.scenario.content, draft.message)
    text = f"{laid_out(goal)}\n\n{' '.join(goal.message)}" if _can_be_kept(goal.content()) else ""
    return Piece(one.scenario.id, one.scenario.label, text, goal.content(), tuple(about(goal, own_city())))


def _can_be_kept(entry: dict[str, object]) -> bool:
    """Would a file with this goal be read, if a person wanted it whatever else is said of it?"""
    try:
        goal = goal_of(entry)
    except Mistake:
        return False
    return all(sentence.isprintable() for sentence in goal.message)


def score(outcome: Draft, verdicts: Sequence[Verdict], options: Options) -> list[Score]:
    """How many checks a message fails."""
    return [Score("complaints", float(len(outcome.complaints)), "rule: the checks of one message")]


def summarize(played: Sequence[Played], options: Options) -> Board:
    """A row for each model: how many of its messages passed, and what became of its tries."""
    title = f"task_dialogue_writing (seed {options['seed']})"
    return board_of_writing(title, played, lambda tries: gather(tries, options))


def lacking(pieces: Sequence[Piece]) -> str:
    """What a file of these pieces would lack to be played."""
    return "" if pieces else "a goal"


def write(pieces: Sequence[Piece], origin: Origin) -> str:
    """The file that `interplay run task_dialogue` reads, one goal a line, each with where it comes from."""
    told = told_of(origin, "task_dialogue goals")
    return "".join(f"{json.dumps({**piece.entry, **told}, ensure_ascii=False)}\n" for piece in pieces)


writing = Benchmark(
    name="task_dialogue_writing",
    paper="TOD's data",
    meaning="a model puts new goals into words, which are checked",
    roles=lambda options: (Role(WRITER, "subject", Sampling(1.0, 0.95, 2048), "writes the messages"),),
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
generator = Generator(writing, gather, lacking, write, ending=".jsonl")
