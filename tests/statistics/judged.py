"""Simulated judges with planted biases, of models whose strengths are known."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from scipy import special

from interplay.statistics.bias import Comparison, Rating

MODELS = ("ant 1", "ant 2", "bee 1", "bee 2", "cow 1")
STRENGTHS = np.array([0.9, 0.3, -0.1, -0.4, -0.7])
FAMILIES = tuple(model[:3] for model in MODELS)


@dataclass(frozen=True)
class Leaning:
    """What sways the judges, in logits."""

    position: float = 0.5
    length: float = 0.4
    same_family: float = 0.6
    ties: float = 0.0  # Davidson's: how readily a tie is called


def compared(
    rng: np.random.Generator,
    scenarios: int,
    leaning: Leaning,
    *,
    judges: Sequence[str] = ("ant", "bee"),
    both_orders: bool = True,
    shared: float = 0.5,
) -> list[Comparison]:
    """Every two models on every scenario; the stronger ones write longer.

    Half of a verdict's luck is how the scenario suits either model, which all judges and orders share. It is standard
    normal in each verdict, so that a verdict alone follows the logistic chance.
    """
    pairs = [
        (one, other, judge)
        for one, other in combinations(range(len(MODELS)), 2)
        for one, other in ([(one, other), (other, one)] if both_orders else [(one, other)])
        for judge in judges
    ]
    first, second = (np.array([pair[place] for pair in pairs]) for place in (0, 1))
    own = np.array([[FAMILIES[one] == judge, FAMILIES[other] == judge] for one, other, judge in pairs])
    lengths = answer_lengths(rng, scenarios)
    ratios = np.log1p(lengths[:, first]) - np.log1p(lengths[:, second])
    ratios = ratios / math.sqrt(float(np.mean(ratios**2)))
    logits = STRENGTHS[first] - STRENGTHS[second] + leaning.position + leaning.length * ratios
    logits = logits + leaning.same_family * (own[:, 0].astype(float) - own[:, 1])
    won = _won(rng, logits, first, second, shared)
    tied = rng.random(logits.shape) < leaning.ties / (leaning.ties + np.exp(logits / 2) + np.exp(-logits / 2))
    return [
        Comparison(
            MODELS[first[pair]],
            MODELS[second[pair]],
            0.5 if tied[scenario, pair] else float(won[scenario, pair]),
            (int(lengths[scenario, first[pair]]), int(lengths[scenario, second[pair]])),
            (bool(own[pair, 0]), bool(own[pair, 1])),
            scenario,
        )
        for scenario, pair in product(range(scenarios), range(len(pairs)))
    ]


def answer_lengths(rng: np.random.Generator, scenarios: int) -> np.ndarray:
    return np.round(np.exp(5 + 0.5 * STRENGTHS + rng.normal(0, 0.5, (scenarios, len(MODELS)))))


def _won(
    rng: np.random.Generator, logits: np.ndarray, first: np.ndarray, second: np.ndarray, shared: float
) -> np.ndarray:
    suits = rng.normal(size=(len(logits), len(MODELS)))
    common = (suits[:, second] - suits[:, first]) / math.sqrt(2)
    luck = math.sqrt(shared) * common + math.sqrt(1 - shared) * rng.normal(size=logits.shape)
    return np.asarray(special.ndtr(luck) < special.expit(logits))


@dataclass(frozen=True)
class Taste:
    """How many points one judge adds to what an answer is worth."""

    name: str
    level: float = 0.0
    length: float = 0.0  # for each standard deviation of log(1 + length)
    same_family: float = 0.0
    refusal: float = 0.0


def rated(
    rng: np.random.Generator, scenarios: int, tastes: Sequence[Taste], *, missing: float = 0.0
) -> list[Rating]:
    """Every model's answer to every scenario, rated by every judge but for some that are missing."""
    lengths = answer_lengths(rng, scenarios)
    standard = np.log1p(lengths)
    standard = (standard - standard.mean()) / standard.std()
    refused = rng.random(lengths.shape) < 0.2
    worth = 3 + STRENGTHS + 0.3 * standard - 1.0 * refused
    worth = worth + rng.normal(0, 0.5, (scenarios, 1)) + rng.normal(0, 0.5, lengths.shape)
    found = []
    for taste in tastes:
        own = np.array([family == taste.name for family in FAMILIES])
        points = worth + taste.level + taste.length * standard + taste.refusal * refused
        points = points + taste.same_family * own + rng.normal(0, 0.6, points.shape)
        # What a scenario does to one judge: its ratings of all models there depend on each other.
        points = points + rng.normal(0, 0.4, (scenarios, 1)) * standard
        for scenario, model in np.ndindex(points.shape):
            if rng.random() >= missing:
                rating = Rating(
                    float(points[scenario, model]),
                    taste.name,
                    (scenario, model),
                    MODELS[model],
                    scenario,
                    int(lengths[scenario, model]),
                    bool(own[model]),
                    bool(refused[scenario, model]),
                )
                found.append(rating)
    return found
