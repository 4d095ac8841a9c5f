"""Role play with bugs: benchmarks that sum up, play or judge otherwise than they should."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from interplay.benchmarks.role_play.panel import JudgingByTurns, JudgingWhole, judging
from interplay.benchmarks.role_play.protocol import Dialogue, Turn
from interplay.core.benchmark import Benchmark, Judging, Options, Played, Verdict
from interplay.core.board import Board, Cell, Estimate
from interplay.core.conversation import Conversation
from tests.benchmarks.stage import BENCHMARK, CRITERIA

Entry = Mapping[str, Any]


def sums_up(change: Callable[[Played], Sequence[Played]]) -> Benchmark:
    """A benchmark whose board is made of something else than what was played."""

    def summarize(played: Sequence[Played], options: Options) -> Board:
        return BENCHMARK.summarize([new for one in played for new in change(one)], options)

    return replace(BENCHMARK, summarize=summarize, in_one_pass=None)


def reads(change: Callable[[Sequence[Entry]], Sequence[Entry]]) -> Benchmark:
    """A benchmark that reads something else in verdicts than is there."""

    def read(verdict: Verdict) -> Verdict:
        return (
            verdict
            if verdict.data is None
            else replace(verdict, data={"turns": change(verdict.data["turns"])})
        )

    return sums_up(lambda one: [replace(one, verdicts=tuple(map(read, one.verdicts)))])


def keeps(columns: set[str], broken: Benchmark) -> Benchmark:
    """A broken benchmark whose bug leaves these columns as they should be."""

    def summarize(played: Sequence[Played], options: Options) -> Board:
        right = {row["model"]: row for row in BENCHMARK.summarize(played, options).rows}
        wrong = broken.summarize(played, options)
        rows = [{**row, **{key: right[row["model"]][key] for key in columns}} for row in wrong.rows]
        return replace(wrong, rows=tuple(rows))

    return replace(BENCHMARK, summarize=summarize, in_one_pass=None)


def says(
    change: Callable[[Mapping[str, Cell], Sequence[Mapping[str, Cell]]], Mapping[str, Cell]],
) -> Benchmark:
    """A benchmark whose board has other rows; each is made of what it was and of all."""

    def summarize(played: Sequence[Played], options: Options) -> Board:
        board = BENCHMARK.summarize(played, options)
        return replace(board, rows=tuple({**row, **change(row, board.rows)} for row in board.rows))

    return replace(BENCHMARK, summarize=summarize, in_one_pass=None)


def with_zeros(one: Played) -> list[Played]:
    """A verdict that is missing is one of zeros."""
    if one.outcome is None:
        return [one]
    entry = {"is_refusal": False, **{f"{name}_score": 0 for name in CRITERIA}}
    zeros = {"turns": [entry for _ in one.outcome.turns]}
    return [replace(one, verdicts=tuple(replace(v, data=v.data or zeros) for v in one.verdicts))]


def with_void_as_zero(one: Played) -> list[Played]:
    """A conversation that came to nothing is one of zeros."""
    if one.outcome is not None:
        return [one]
    empty = replace(
        one, outcome=Dialogue((Turn("", ""),)), verdicts=(Verdict("openai/mild-judge", "v2", None),)
    )
    return with_zeros(empty)


def never_refused(turns: Sequence[Entry]) -> list[Entry]:
    return [{**entry, "is_refusal": False} for entry in turns]


def swapped(turns: Sequence[Entry]) -> list[Entry]:
    return [
        {**entry, "in_character_score": entry["fluency_score"], "fluency_score": entry["in_character_score"]}
        for entry in turns
    ]


def with_turns_pooled(one: Played) -> list[Played]:
    """Every turn counts by itself, so that a long conversation weighs more."""
    if one.outcome is None:
        return [one]
    return [
        replace(one, verdicts=tuple(v if v.data is None else replace(v, data={"turns": [v.data["turns"][place]]})
                                    for v in one.verdicts))
        for place in range(len(one.outcome.turns))
    ]  # fmt: skip


def refused_by_all(one: Played) -> list[Played]:
    """A refusal that only one judge saw is none."""
    given = [v for v in one.verdicts if v.data is not None]
    if all(any(entry["is_refusal"] for entry in v.data["turns"]) for v in given if v.data):
        return [one]
    calm = [
        v if v.data is None else replace(v, data={"turns": never_refused(v.data["turns"])})
        for v in one.verdicts
    ]
    return [replace(one, verdicts=tuple(calm))]


def dropped_by_any(one: Played) -> list[Played]:
    """A refusal that one judge saw takes away the scores of the other too."""
    flags = [entry["is_refusal"] for v in one.verdicts if v.data for entry in v.data["turns"]]
    if not any(flags):
        return [one]
    return [replace(one, verdicts=tuple(replace(v, data=v.data and _refused(v.data)) for v in one.verdicts))]


def _refused(data: Mapping[str, Any]) -> dict[str, Any]:
    return {"turns": [{**entry, "is_refusal": True} for entry in data["turns"]]}


def of_the_user(one: Played) -> list[Played]:
    """The user's messages are taken for the player's."""
    if one.outcome is None:
        return [one]
    turns = tuple(Turn(turn.player, turn.user) for turn in one.outcome.turns)
    return [replace(one, outcome=replace(one.outcome, turns=turns))]


def number(cell: Cell) -> float:
    value = cell.value if isinstance(cell, Estimate) else cell
    assert isinstance(value, float)
    return value


def middle(rows: Sequence[Mapping[str, Cell]]) -> float:
    lengths = sorted(number(row["length"]) for row in rows)
    half = len(lengths) // 2
    return (lengths[half - 1] + lengths[half]) / 2


def unclipped(row: Mapping[str, Cell], rows: Sequence[Mapping[str, Cell]]) -> Mapping[str, Cell]:
    factor = 1 + 0.07 * (middle(rows) / number(row["length"]) - 1)
    return {"ln_score": number(row["aggregate"]) * factor}


def by_the_mean(row: Mapping[str, Cell], rows: Sequence[Mapping[str, Cell]]) -> Mapping[str, Cell]:
    """The length rule with the mean of the models' lengths in the place of their median."""
    mean = fmean(number(one["length"]) for one in rows)
    return {"ln_score": number(row["aggregate"]) * min(1, 1 + 0.07 * (mean / number(row["length"]) - 1))}


def mixed_up(row: Mapping[str, Cell], rows: Sequence[Mapping[str, Cell]]) -> Mapping[str, Cell]:
    others = {"openai/steady": "openai/rambler", "openai/rambler": "openai/steady"}
    return {"model": others.get(str(row["model"]), row["model"])}


# Bugs of play and of judging


async def one_turn_less(talk: Conversation, options: Options) -> Dialogue:
    """A conversation whose record lacks its last turn."""
    dialogue: Dialogue = await BENCHMARK.play(talk, options)
    return replace(
        dialogue, turns=dialogue.turns[:-1] or dialogue.turns, marks=dialogue.marks[:-1] or dialogue.marks
    )


async def who_was_who(talk: Conversation, options: Options) -> Dialogue:
    """A conversation whose record has the player's words in the user's mouth."""
    dialogue: Dialogue = await BENCHMARK.play(talk, options)
    return replace(dialogue, turns=tuple(Turn(turn.player, turn.user) for turn in dialogue.turns))


@dataclass(frozen=True)
class Misshown:
    """A judging step that shows its judges another dialogue than was held."""

    right: JudgingWhole | JudgingByTurns
    change: Callable[[tuple[Turn, ...]], tuple[Turn, ...]]

    name = property(lambda self: self.right.name)
    digest = property(lambda self: self.right.digest)
    calls = property(lambda self: self.right.calls)

    async def __call__(self, talk: Conversation, outcome: Dialogue) -> Mapping[str, Any]:
        return await self.right(talk, replace(outcome, turns=self.change(outcome.turns)))


def shows(change: Callable[[tuple[Turn, ...]], tuple[Turn, ...]]) -> Benchmark:
    def misshown(options: Options) -> Judging:
        right = judging(options)
        assert isinstance(right, JudgingWhole | JudgingByTurns)
        return Misshown(right, change)

    return replace(BENCHMARK, judging=misshown)
