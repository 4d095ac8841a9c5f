"""Simulated runs in which a judge valued every item and people a few of them, with a known truth."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from interplay.core.board import Estimate
from interplay.statistics.correcting import Correction, Labels, correct

SCALE = (0.05, 0.10, 0.20, 0.35, 0.30)  # how often people choose 1 to 5, 3.75 on average
Run = Callable[[np.random.Generator], Labels]


def labelled(
    rng: np.random.Generator, judge: np.ndarray, people: np.ndarray, n: int
) -> tuple[list[float], list[float | None]]:
    """The judge's values, and those of people on n items drawn at random."""
    shown: list[float | None] = [None] * len(judge)
    for place in rng.choice(len(judge), n, replace=False).tolist():
        shown[place] = float(people[place])
    return judge.astype(float).tolist(), shown


@dataclass(frozen=True)
class YesOrNo:
    """A judge that is right on this share of people's yes, and on this of their no."""

    yes: float
    sensitivity: float
    specificity: float
    items: int = 1_000
    labels: int = 100

    def draw(self, rng: np.random.Generator, items: int) -> tuple[np.ndarray, np.ndarray]:
        people = rng.random(items) < self.yes
        judge = np.where(people, rng.random(items) < self.sensitivity, rng.random(items) >= self.specificity)
        return judge, people

    def __call__(self, rng: np.random.Generator) -> Labels:
        return Labels(*labelled(rng, *self.draw(rng, self.items), self.labels), yes_or_no=True)


@dataclass(frozen=True)
class Graded:
    """A judge that adds a bias and noise of this width to people's grades of 1 to 5, and rounds."""

    width: float
    bias: float
    items: int = 1_000
    labels: int = 100

    def __call__(self, rng: np.random.Generator) -> Labels:
        people = rng.choice(5, self.items, p=SCALE) + 1.0
        judge = np.clip(np.round(people + self.bias + rng.normal(0, self.width, self.items)), 1, 5)
        return Labels(*labelled(rng, judge, people, self.labels))


@dataclass(frozen=True)
class Correlated:
    """Values of judge and people that have this correlation; people's are 0 on average."""

    correlation: float
    items: int = 10_000
    labels: int = 50

    def __call__(self, rng: np.random.Generator) -> Labels:
        people = rng.normal(size=self.items)
        noise = np.sqrt(1 - self.correlation**2) * rng.normal(size=self.items)
        return Labels(*labelled(rng, self.correlation * people + noise, people, self.labels))


@dataclass(frozen=True)
class InScenarios:
    """Scenarios that differ in how often people say yes and in how often the judge says yes to a no."""

    scenarios: int
    each: int
    labels: int
    known: bool = True

    def __call__(self, rng: np.random.Generator) -> Labels:
        way = np.repeat(np.arange(self.scenarios), self.each)
        people = rng.random(len(way)) < rng.beta(1.5, 1.5, self.scenarios)[way]
        lenient = rng.random(len(way)) < rng.beta(0.6, 2.4, self.scenarios)[way]
        ways = (way.tolist(),) if self.known else ()
        return Labels(*labelled(rng, people | lenient, people, self.labels), ways, yes_or_no=True)


@dataclass(frozen=True)
class Crossed:
    """Grades of characters in situations, both of which please people and sway the judge; 0 on average."""

    side: int
    each: int
    labels: int
    known: bool = True

    def __call__(self, rng: np.random.Generator) -> Labels:
        cells = np.repeat(np.arange(self.side**2), self.each)
        one, other = cells // self.side, cells % self.side
        pleases = rng.normal(0, 0.5, (2, self.side))
        sways = rng.normal(0, 0.4, (2, self.side))
        people = pleases[0][one] + pleases[1][other] + rng.normal(0, 0.7, len(cells))
        judge = people + sways[0][one] + sways[1][other] + rng.normal(0.4, 0.5, len(cells))
        ways = (one.tolist(), other.tolist()) if self.known else ()
        return Labels(*labelled(rng, judge, people, self.labels), ways)


@dataclass(frozen=True)
class Found:
    """How often, over many runs, each interval held the truth, and how often the judge was flagged."""

    judge: float
    people: float
    together: float
    flagged: float
    effective: float  # the median


def holds(estimate: Estimate, truth: float) -> bool:
    return estimate.low is not None and estimate.high is not None and estimate.low <= truth <= estimate.high


def repeat(run: Run, truth: float, seeds: int) -> Found:
    rng = np.random.default_rng(31)
    found = [correct(run(rng)) for _ in range(seeds)]

    def share(of: Callable[[Correction], bool]) -> float:
        return float(np.mean([of(one) for one in found]))

    return Found(
        share(lambda one: holds(one.judge, truth)),
        share(lambda one: holds(one.people, truth)),
        share(lambda one: holds(one.together, truth)),
        share(lambda one: one.flagged),
        float(np.median([one.effective for one in found])),
    )


def hand_picked(run: Labels, places: Iterable[int], truth: Iterable[float]) -> Labels:
    """The same judge with people's values of items that someone chose."""
    chosen = set(places)
    people = [value if place in chosen else None for place, value in enumerate(truth)]
    return Labels(run.judge, people, run.ways, run.yes_or_no)
