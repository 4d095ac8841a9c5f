"""Simulated experiments with two word-guessing models, whose true difference is known."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

ROUNDS = 5
DIFFICULTY = 0.7  # how much word pairs of a topic differ, in logits, for both models alike
SPAN = 1.6  # from the hardest topic to the easiest


@dataclass(frozen=True)
class Pairing:
    """Two models that guess right in each round with these chances, on a middling word pair.

    A score is 1 / log2(round + 1) of the round in which the guess was right and 0 where none of five was, so
    that the differences take few values, many of them 0, and lean to one side where one model is near 1.
    """

    first: float
    second: float

    def differences(self, rng: np.random.Generator, sizes: Sequence[int]) -> list[list[float]]:
        """One experiment: the first model's score less the second's on the word pairs of each topic."""
        groups = []
        for size, easier in zip(sizes, _topics(len(sizes)), strict=True):
            pairs = rng.normal(easier, DIFFICULTY, size)
            groups.append((_scores(rng, self.first, pairs) - _scores(rng, self.second, pairs)).tolist())
        return groups

    def truth(self, topics: int) -> float:
        """The mean over topics of the expected difference."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(60)
        pairs = _topics(topics)[:, np.newaxis] + DIFFICULTY * nodes
        expected = _expected(self.first, pairs) - _expected(self.second, pairs)
        return float(np.mean(expected @ weights / weights.sum()))


def _topics(count: int) -> np.ndarray:
    return np.linspace(-SPAN / 2, SPAN / 2, count) if count > 1 else np.zeros(1)


def _chance(middling: float, pairs: np.ndarray) -> np.ndarray:
    return special.expit(special.logit(middling) + pairs)


def _scores(rng: np.random.Generator, middling: float, pairs: np.ndarray) -> np.ndarray:
    rounds = rng.geometric(_chance(middling, pairs))
    return np.where(rounds <= ROUNDS, 1 / np.log2(rounds + 1.0), 0.0)


def _expected(middling: float, pairs: np.ndarray) -> np.ndarray:
    chance = _chance(middling, pairs)
    return sum(chance * (1 - chance) ** (k - 1) / np.log2(k + 1) for k in range(1, ROUNDS + 1))


def spread_over(units: int, topics: int) -> list[int]:
    """As many word pairs in all, as evenly as the topics allow."""
    return [units // topics + (topic < units % topics) for topic in range(topics)]
