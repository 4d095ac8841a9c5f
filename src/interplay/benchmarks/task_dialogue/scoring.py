"""Scores of task dialogues: what judges say, what the database and the office show, and how good the user was."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import comb, fsum

from interplay.benchmarks.task_dialogue.dialogue import Dialogue, placeholders
from interplay.benchmarks.task_dialogue.judges import RATINGS, scores_of
from interplay.benchmarks.task_dialogue.objective import achieved, succeeded
from interplay.benchmarks.task_dialogue.quality import faults_told, quality_of
from interplay.core.benchmark import Options, Played, Score, Verdict
from interplay.core.board import Estimate
from interplay.core.measures import YES_OR_NO, Measure, Scale
from interplay.statistics.clustered_rates import clustered_rate
from interplay.statistics.intervals import clustered_mean

BY_JUDGES = ("completed", "user_agent", *RATINGS)
BY_DATABASE = ("success", "inform", "book", "request")
SHARES = frozenset(
    ("completed", "user_agent", *BY_DATABASE, "placeholder", "match", "repeats")
)  # from 0 to 1


def measures(options: Options) -> tuple[Measure, ...]:
    share = Scale(0, 1, whole=False)
    return (
        Measure("success", "all that the goal asks for was found and booked, by the database", YES_OR_NO, "rule"),
        *(Measure(name, f"share of domains in which this was achieved: {name}", share, "rule")
          for name in BY_DATABASE[1:]),
        Measure("completed", "the user's task was completed", YES_OR_NO),
        Measure("user_agent", "share of the goal's phrases that the user passed on", share),
        *(Measure(name, name.replace("_", " of the "), Scale(min(bands), max(bands)))
          for name, bands in RATINGS.items()),
    )  # fmt: skip


def objective_scores(dialogue: Dialogue) -> dict[str, float]:
    """What was achieved, of all domains that ask for it; a score is not there where nobody can tell."""
    found: dict[str, float] = {}
    for name in BY_DATABASE[1:]:
        parts = [getattr(one, name) for one in achieved(dialogue) or ()]
        told = [bool(part) for part in parts if part is not None]
        if told:
            found[name] = sum(told) / len(told)
    success = succeeded(dialogue)
    return found if success is None else {"success": float(success), **found}


def rule_scores(dialogue: Dialogue) -> dict[str, float]:
    """All that is known of a dialogue without a judge."""
    raw = sum(bool(placeholders(exchange.system)) for exchange in dialogue.exchanges)
    return {
        **objective_scores(dialogue),
        "placeholder": float(raw > 0),
        "placeholders": float(raw),
        "exchanges": float(len(dialogue.exchanges)),
        **quality_of(dialogue),
    }


def score(outcome: Dialogue, verdicts: Sequence[Verdict], options: Options) -> list[Score]:
    """The scores of one dialogue, judge by judge and by rule."""
    found = [Score(name, value, "rule") for name, value in rule_scores(outcome).items()]
    found += [
        Score(f"user {name}", float(is_there), "rule: the user's fault")
        for name, is_there in faults_told(outcome).items()
    ]
    for verdict in verdicts:
        if verdict.data is not None:
            found += [Score(name, value, verdict.judge) for name, value in scores_of(verdict.data).items()]
    return found


@dataclass(frozen=True)
class Scored:
    """A dialogue with its numbers; those of judges are means over the judges who gave a verdict."""

    model: str
    goal: str  # the scenario's id
    repeat: int
    dialogue: Dialogue
    numbers: dict[str, float]


def scored_of(played: Sequence[Played]) -> list[Scored]:
    """Every dialogue that came to an end."""
    found = []
    for one in played:
        if one.outcome is not None:
            numbers = {**rule_scores(one.outcome), **_of_panel(one.verdicts)}
            found.append(Scored(one.subject, one.scenario.id, one.repeat, one.outcome, numbers))
    return found


def _of_panel(verdicts: Iterable[Verdict]) -> dict[str, float]:
    given = [scores_of(verdict.data) for verdict in verdicts if verdict.data is not None]
    told = {name: [one[name] for one in given if name in one] for name in BY_JUDGES}
    return {name: fsum(values) / len(values) for name, values in told.items() if values}


def estimate(scored: Sequence[Scored], name: str) -> Estimate:
    """A mean over dialogues, or a share of them, clustered by goal."""
    mine = [(one.numbers[name], one.goal) for one in scored if name in one.numbers]
    values, goals = [value for value, _ in mine], [goal for _, goal in mine]
    if name in SHARES and all(value in (0.0, 1.0) for value in values):
        return clustered_rate([bool(value) for value in values], goals)
    return clustered_mean(values, goals)


def pass_k(scored: Sequence[Scored], name: str, k: int) -> Estimate:
    """How likely k dialogues in a row succeed with the same goal, over goals that were played at least k times."""
    shares = []
    for values in _by_goal(scored, name):
        n, right = len(values), sum(value == 1.0 for value in values)
        if n >= k:
            shares.append(comb(right, k) / comb(n, k))
    if all(share in (0.0, 1.0) for share in shares):
        return clustered_rate([bool(share) for share in shares], range(len(shares)))
    return clustered_mean(shares, range(len(shares)))


def _by_goal(scored: Sequence[Scored], name: str) -> Iterator[list[float]]:
    found: dict[str, list[float]] = {}
    for one in scored:
        if name in one.numbers:
            found.setdefault(one.goal, []).append(one.numbers[name])
    yield from found.values()
