"""Planning: what so many scenarios cost, and the smallest difference between models that they can show."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb, fsum, sqrt
from statistics import median

from interplay.analysis.comparison import Compared
from interplay.analysis.entries import Entry
from interplay.core.benchmark import Benchmark, Options, Scenario
from interplay.core.board import Board, Cell, Column
from interplay.core.failures import Mistake
from interplay.running.forecast import Forecast
from interplay.statistics.power import detectable_difference, effective_n, n_needed, scenarios_needed

SMALLEST = 8
REPEATS_ALIKE = 0.5  # the correlation of two repeats of a scenario, where no run says


@dataclass(frozen=True)
class Spread:
    """How far two models' scores of one scenario differ, and how alike repeats of a scenario are."""

    size: float  # the standard deviation of the paired differences
    alike: float = REPEATS_ALIKE
    said_by: str = "the benchmark's own guess"


@dataclass(frozen=True)
class Design:
    """What is to be planned."""

    benchmark: Benchmark
    options: Options
    scenarios: Sequence[Scenario]
    models: int
    epochs: int
    spread: Spread
    difference: float | None = None  # that one wants to see
    named: int = 1  # of the models, from which is foretold what all of them take

    @property
    def seats(self) -> int:
        """How many of the models sit down together."""
        return len(self.benchmark.subjects(self.options))

    @cached_property
    def clusters(self) -> Sequence[int]:
        """The fewest clusters, of the ways that have several, among the first n scenarios; for n from 0."""
        seen: list[set[str]] = [set() for _ in self.benchmark.ways(self.scenarios[0])]
        found = [0]
        for scenario in self.scenarios:
            for clusters, way in zip(seen, self.benchmark.ways(scenario), strict=True):
                clusters.add(way)
            found.append(min((len(one) for one in seen if len(one) > 1), default=0))
        return found

    @property
    def pairs(self) -> int:
        return self.models * (self.models - 1) // 2


def spread_of(found: Compared, run: str) -> Spread:
    """What the models of a recorded run showed: the median over pairs."""
    models = sorted(found.entries)
    sizes, alike = [], []
    for place, one in enumerate(models):
        for other in models[place + 1 :]:
            size, same = _between(found.entries[one], found.entries[other])
            sizes += [size] if size is not None else []
            alike += [same] if same is not None else []
    if not sizes:
        raise Mistake(f"{run} has no two models with two or more scenarios in common")
    if not median(sizes):
        raise Mistake(
            f"most models of {run} differ by the same on every scenario: it shows no spread to plan by"
        )
    return Spread(median(sizes), median(alike) if alike else REPEATS_ALIKE, f"what {run} showed")


def _between(one: Sequence[Entry], other: Sequence[Entry]) -> tuple[float | None, float | None]:
    """The spread of single differences, and the correlation of differences of one scenario's repeats."""
    values = {entry.unit: entry.value for entry in other if entry.value is not None}
    by_scenario: dict[str, list[float]] = {}
    for entry in one:
        if entry.value is not None and entry.unit in values:
            by_scenario.setdefault(entry.scenario.id, []).append(entry.value - values[entry.unit])
    all_ = [value for mine in by_scenario.values() for value in mine]
    if len(by_scenario) < 2:
        return None, None
    total = _variance(all_)
    repeated = [mine for mine in by_scenario.values() if len(mine) > 1]
    if not repeated or not total:
        return sqrt(total), None
    within = fsum(_variance(mine) for mine in repeated) / len(repeated)
    return sqrt(total), min(1.0, max(0.0, 1 - within / total))


def _variance(values: Sequence[float]) -> float:
    average = fsum(values) / len(values)
    return fsum((value - average) ** 2 for value in values) / (len(values) - 1)


def power_board(design: Design, forecast: Forecast, priced: bool) -> Board:
    """A row for each number of scenarios: what it takes, and what it can show."""
    available = len(design.scenarios)
    sizes = [SMALLEST * 2**step for step in range(20) if SMALLEST * 2**step < available] + [available]
    rows = [_row(design, forecast, n, priced) for n in sizes]
    columns = [
        Column("n", "scenarios", "how many of the benchmark's scenarios are played", "count"),
        Column("conversations", "conversations", "of all models, repeats counted", "count"),
        Column("calls", "calls", "of all roles, second tries apart", "count"),
        Column("tokens", "tokens", "likely, as a plan estimates them", "count"),
        Column("cost", "cost $", "likely; unknown where a price is", "money"),
        Column("one", "sees", "the smallest true difference of two models that is seen 4 times in 5, one pair alone",
               "score"),
        Column("all", f"sees, {design.pairs} pairs", "the same with all pairs looked at, by Bonferroni's share of "
               "the error, which Holm's adjustment makes the most of", "score"),
    ]  # fmt: skip
    shown = [
        column
        for column in columns
        if (column.key != "cost" or priced) and (column.key != "all" or design.pairs > 1)
    ]
    title = f"{design.benchmark.name}: what n scenarios cost and can show, {design.models} models"
    return Board(title, tuple(shown), tuple(rows), tuple(_notes(design)))


def _row(design: Design, forecast: Forecast, n: int, priced: bool) -> dict[str, Cell]:
    share = n / len(design.scenarios) * comb(design.models, design.seats) / comb(design.named, design.seats)
    cost = forecast.cost if priced else None
    return {
        "n": n,
        "conversations": round(forecast.conversations * share),
        "calls": round(forecast.calls[1] * share),
        "tokens": round(forecast.tokens[0] * share),
        "cost": None if cost is None else cost[0] * share,
        "one": _seen(design, n, 1),
        "all": _seen(design, n, design.pairs),
    }


def _seen(design: Design, n: int, comparisons: int) -> float | None:
    """By the t of the fewest clusters that the first n scenarios have; None where there is no test."""
    fewest = design.clusters[n]
    if fewest < 2:
        return None
    worth = effective_n(n, design.epochs, design.spread.alike)
    return detectable_difference(design.spread.size, worth, comparisons=comparisons, freedom=fewest - 1)


def _needed(design: Design, difference: float) -> int:
    """The fewest scenarios that see a difference among all pairs; beyond those there are, by as many clusters."""

    def needed(freedom: float | None) -> int:
        n = n_needed(difference, design.spread.size, comparisons=design.pairs, freedom=freedom)
        return scenarios_needed(n, design.epochs, design.spread.alike)

    there = len(design.scenarios)
    for n in range(needed(None), there + 1):  # by the normal distribution it is never more
        seen = _seen(design, n, design.pairs)
        if seen is not None and seen <= difference:
            return n
    fewest = design.clusters[there]
    return max(there + 1, needed(fewest - 1 if fewest > 1 else None))


def _notes(design: Design) -> list[str]:
    spread = design.spread
    told = [
        f"Differences of two models on one scenario spread by {spread.size:.2g} (standard deviation): "
        f"{spread.said_by}; --like RUN takes a run's. 5% error, 80% power, paired on the same scenarios."
    ]
    if design.epochs > 1:
        told.append(f"Repeats of a scenario are taken to be alike by a correlation of {spread.alike:.2g}.")
    if design.difference is not None:
        scenarios = _needed(design, design.difference)
        there = len(design.scenarios)
        enough = (
            ""
            if scenarios <= there
            else f"; there are {there}: more --epochs, or data of your own, go further"
        )
        among = f" among {design.pairs} pairs" if design.pairs > 1 else ""
        played = "" if design.epochs == 1 else f", each played {design.epochs} times"
        told.append(
            f"A true difference of {design.difference:g}{among} needs {scenarios:,} scenarios{played}{enough}."
        )
    ways = design.benchmark.ways(design.scenarios[0])
    if len(ways) > 1 or ways[0] != design.scenarios[0].id:
        told.append(
            "Scenarios share what they are made of (clusters), which costs certainty in a run: with a run of yours, "
            "interplay compare says what its design can see."
        )
    return told
