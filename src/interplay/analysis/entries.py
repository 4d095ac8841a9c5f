"""Entries: what each conversation of recorded runs comes to by one measure, judge by judge."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal

from interplay.core.benchmark import Benchmark, Scenario
from interplay.core.board import Estimate
from interplay.core.measures import Measure
from interplay.judging.refusals import is_refusal
from interplay.running.results import Judged, judged_of, options_of
from interplay.statistics.clustered_rates import mean_or_rate
from interplay.store.records import ConversationRow, Records, Run

State = Literal["scored", "set aside", "unjudged", "void"]
Unit = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Entry:
    """One model's part in one conversation.

    It is void where it was not played to its end, unjudged where no judge gave a verdict, and set aside where the
    benchmark gives no such score to what was played, as a refusal has no criteria. Only the first two are missing.
    """

    run: str
    number: int
    scenario: Scenario
    model: str
    repeat: int
    ways: tuple[str, ...]  # its clusters
    cast: Mapping[str, str]
    values: Mapping[str, float]  # by judge, in the order of names; or by rule
    state: State
    length: float | None = None  # characters of what the model said, all its messages together
    refused: bool = False  # did one of its messages begin by declining? By rule: see judging.refusals

    @property
    def unit(self) -> Unit:
        """What two models have in common: a scenario, played for the same time."""
        return self.scenario.id, self.repeat

    @property
    def value(self) -> float | None:
        """The mean over the judges who gave one."""
        return fsum(self.values.values()) / len(self.values) if self.values else None

    @property
    def is_missing(self) -> bool:
        return self.state in ("void", "unjudged")


def entries_of(
    records: Records, runs: Iterable[Run], benchmark: Benchmark, measure: Measure, *, words: bool = True
) -> list[Entry]:
    """The entries of several runs; a model that two of them measured in the same place counts once, the newest.

    Without their words, how long these are and whether they refuse is not told, and much less is read.
    """
    return entries_by(records, runs, benchmark, [measure], words=words)[measure.name]


def entries_by(
    records: Records,
    runs: Iterable[Run],
    benchmark: Benchmark,
    measures: Sequence[Measure],
    *,
    words: bool = True,
) -> dict[str, list[Entry]]:
    """The same by several measures; every conversation is read and scored once."""
    found: dict[str, dict[tuple[str, str, str, int], Entry]] = {measure.name: {} for measure in measures}
    for run in sorted(runs, key=lambda run: run.number):
        roles = {role.name for role in benchmark.subjects(options_of(run, benchmark))}
        for one in judged_of(records, run, benchmark, lines=words):
            for measure in measures:
                for entry in _entries(one, run, benchmark, measure, roles):
                    place = (entry.model, entry.scenario.id, _table(entry, roles), entry.repeat)
                    found[measure.name][place] = entry
    return {name: list(entries.values()) for name, entries in found.items()}


def _table(entry: Entry, roles: set[str]) -> str:
    """Who else was measured in the same conversation."""
    return (
        " ".join(sorted(entry.cast[role] for role in roles if role in entry.cast)) if len(roles) > 1 else ""
    )


def _entries(
    one: Judged, run: Run, benchmark: Benchmark, measure: Measure, roles: set[str]
) -> Iterator[Entry]:
    row = one.row
    measured = sorted({row.cast[role] for role in roles if role in row.cast}) or [row.subject]
    for model in measured:
        mine = [score for score in one.scores if (score.model or row.subject) in (model, row.subject)]
        values = measure.by_source(mine)
        own = {role for role in roles if row.cast.get(role) == model}
        said = said_by(row, own) if row.lines_text else []
        yield Entry(
            run=run.id,
            number=row.number,
            scenario=row.scenario,
            model=model,
            repeat=row.repeat,
            ways=benchmark.ways(row.scenario),
            cast=row.cast,
            values=values,
            state="scored" if values else _why_not(one, run, measure),
            length=float(sum(map(len, said))) if said else None,
            refused=any(map(is_refusal, said)),
        )


def _why_not(one: Judged, run: Run, measure: Measure) -> State:
    if one.row.state != "done":
        return "void"
    rubric = run.extent["rubric"]
    heard = any(
        verdict.data is not None for item, verdict in one.verdicts if not item and verdict.rubric == rubric
    )
    return "set aside" if heard or measure.by == "rule" else "unjudged"


def said_by(row: ConversationRow, roles: set[str]) -> list[str]:
    """What the seats of these roles said: ROLE, ROLE 2, ROLE 3; what is passed on to others is there once."""
    said = {(line.source, line.text): None for line in row.lines if line.source.split(" ")[0] in roles}
    return [text for _, text in said]


def told_of_missing(entries: Sequence[Entry]) -> list[str]:
    """What is left out of the numbers, in a sentence; nothing where nothing is."""
    states = Counter[str](entry.state for entry in entries)
    told = [
        f"{states[state]} {meaning}"
        for state, meaning in (
            ("void", "not played to the end"),
            ("unjudged", "without a verdict"),
            ("set aside", "without such a score, as where a model refused"),
        )
        if states[state]
    ]
    return [f"Left out, of {len(entries)} conversations: {', '.join(told)}."] if told else []


def estimated(entries: Sequence[Entry], measure: Measure) -> Estimate:
    """The mean over entries that have a value, clustered as the benchmark's design is."""
    scored = [(entry.value, entry.ways) for entry in entries if entry.value is not None]
    values = [value for value, _ in scored if value is not None]
    return mean_or_rate(values, [ways for _, ways in scored], is_rate=measure.scale.is_yes_or_no)
