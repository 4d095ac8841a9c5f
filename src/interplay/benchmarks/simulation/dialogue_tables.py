"""The board of collected dialogues: a row for each simulator, and what user agents called strategies of their own."""

from collections import Counter
from collections.abc import Callable, Sequence

from interplay.benchmarks.simulation.dialogues import OTHER, STRATEGIES, Dialogue, DialogueTurn
from interplay.benchmarks.simulation.extraction import FIELD, RULE, missing_of, turn_of, types_of
from interplay.benchmarks.simulation.scripts import FIRST_CHAN, LAST_ONLY, SUBSEQ_CHAN
from interplay.core.benchmark import Options, Played, Score, Verdict
from interplay.core.board import Board, Cell, Column, Estimate
from interplay.statistics.intervals import clustered_mean, rate

MOST_NAMES = 10  # of strategies that user agents named themselves
_BY_TASK = "95% interval clustered by task"
_STRATEGY_TITLES = {
    "improvement": ("improvement", "point at an error of the last answer"),
    "next_step": ("next step", "go on from earlier results"),
    "new_request": ("new request", "ask for something rarer or harder"),
    OTHER: ("other", "follow a strategy that the user agent names itself"),
}
_SCRIPT_COLUMNS = {"last_only": LAST_ONLY, "first_chan": FIRST_CHAN, "subseq_chan": SUBSEQ_CHAN}
COLUMNS = (
    Column("model", "simulator", "the model that simulates", "text"),
    Column("dialogues", "dialogues", "dialogues that were collected", "count"),
    *(
        Column(name, title, f"share of the user agent's requests that {meaning}; {_BY_TASK}", "share")
        for name, (title, meaning) in _STRATEGY_TITLES.items()
    ),
    Column("request_characters", "request chars", "mean length of the user agent's requests", "amount"),
    Column("answer_characters", "answer chars", "mean length of the simulator's answers", "amount"),
    Column("empty", "empty", "share of answers without any text; a simulated system may rightly show nothing", "share"),
    Column("void", "void", "share of dialogues that came to nothing", "share"),
    Column("causes", "void by cause", "how many dialogues came to nothing for which reason", "text", detail=True),
)  # fmt: skip
JUDGED_COLUMNS = (
    Column(
        "challenging",
        "challenging",
        f"share of judged dialogues with a turn whose request is extremely hard and whose answer is wrong; {_BY_TASK}",
        "share",
    ),
    *(
        Column(key, type_.replace("Only", " Only").replace("Chan", " Chan"),
               f"{type_} scripts that they give, word for word the same ones included", "count")
        for key, type_ in _SCRIPT_COLUMNS.items()
    ),
    Column("unjudged", "unjudged", "dialogues that lack a verdict; they give no script", "count"),
)  # fmt: skip
NAME_COLUMNS = (
    Column("name", "strategy", "as user agents named it", "text"),
    Column("requests", "requests", "requests that followed it", "count"),
)


def score(outcome: Dialogue, verdicts: Sequence[Verdict], options: Options) -> list[Score]:
    """What can be counted in one dialogue, and the turn that each judge named."""
    used = Counter(turn.strategy for turn in outcome.asked)
    found = [Score(name, float(used[name]), "rule: requests of this strategy") for name in STRATEGIES]
    found.append(
        Score("empty", float(sum(not turn.answer for turn in outcome.turns)), "rule: answers without text")
    )
    found += [Score(FIELD, float(one.data[FIELD]), one.judge) for one in verdicts if one.data is not None]
    return found


def summarize(played: Sequence[Played], options: Options) -> Board:
    """A row for each simulator; what judges said of its dialogues stands beside them once they were judged."""
    judges = sorted({verdict.judge for one in played for verdict in one.verdicts})
    models = sorted({one.subject for one in played})
    rows = [_row([one for one in played if one.subject == model], model, judges) for model in models]
    notes = ["Requests are counted from the second turn on: the first is the task itself."]
    if len(judges) > 1:
        notes.append(RULE)
    return Board(
        f"simulation_dialogues (SimulBench, {options['turns']} turns)",
        COLUMNS + JUDGED_COLUMNS if judges else COLUMNS,
        tuple(rows),
        tuple(notes),
        tuple(_named_strategies(played)),
    )


def _row(mine: Sequence[Played], model: str, judges: Sequence[str]) -> dict[str, Cell]:
    finished = [one for one in mine if one.outcome is not None]
    asked = [(turn, one.scenario.id) for one in finished for turn in one.outcome.asked]
    turns = [(turn, one.scenario.id) for one in finished for turn in one.outcome.turns]
    causes = Counter(one.failure for one in mine if one.outcome is None)
    return {
        "model": model,
        "dialogues": len(finished),
        **{name: _mean(asked, _uses(name)) for name in STRATEGIES},
        "request_characters": _mean(asked, lambda turn: len(turn.request)),
        "answer_characters": _mean(turns, lambda turn: len(turn.answer)),
        "empty": _mean(turns, lambda turn: not turn.answer),
        "void": rate(len(mine) - len(finished), len(mine)).value,
        "causes": ", ".join(f"{name} {count}" for name, count in sorted(causes.items())),
        **(_judged(finished, judges) if judges else {}),
    }


def _uses(name: str) -> Callable[[DialogueTurn], float]:
    return lambda turn: turn.strategy == name


def _mean(turns: Sequence[tuple[DialogueTurn, str]], of: Callable[[DialogueTurn], float]) -> Estimate:
    """The mean over turns, clustered by task."""
    return clustered_mean([float(of(turn)) for turn, _ in turns], [task for _, task in turns])


def _judged(finished: Sequence[Played], judges: Sequence[str]) -> dict[str, Cell]:
    judged = [one for one in finished if not missing_of(one.verdicts, judges)]
    turns = [turn_of(one.verdicts) for one in judged]
    types: Counter[str] = Counter()
    for one, turn in zip(judged, turns, strict=True):
        types.update(types_of(one.outcome, turn))
    share: Estimate = clustered_mean([float(turn > 0) for turn in turns], [one.scenario.id for one in judged])
    scripts: dict[str, Cell] = {key: types[type_] for key, type_ in _SCRIPT_COLUMNS.items()}
    return {"challenging": share, **scripts, "unjudged": len(finished) - len(judged)}


def _named_strategies(played: Sequence[Played]) -> list[Board]:
    """What user agents called the strategies of their own, the most frequent first."""
    names = Counter(
        turn.other.casefold()
        for one in played
        if one.outcome is not None
        for turn in one.outcome.asked
        if turn.strategy == OTHER
    )
    if not names:
        return []
    ranked = sorted(names.items(), key=lambda item: (-item[1], item[0]))
    rows = [{"name": name, "requests": count} for name, count in ranked[:MOST_NAMES]]
    left = len(ranked) - len(rows)
    notes = (f"{left} more names, each with no more requests than these.",) if left else ()
    return [Board("Other strategies, as user agents named them", NAME_COLUMNS, tuple(rows), notes)]
