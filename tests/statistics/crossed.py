"""Simulated boards: models on the same characters and situations, whose true order is known."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

CHARACTERS, SITUATIONS = 8, 8
UNITS = [(character, situation) for character in range(CHARACTERS) for situation in range(SITUATIONS)]
WAYS = {unit: unit for unit in UNITS}

Table = dict[str, dict[tuple[int, int], float]]


@dataclass(frozen=True)
class Board:
    """Models scored from 1 to 5 on every character in every situation; each number is a standard deviation.

    Some characters and situations are harder, for all models alike. Beyond that a model may have characters
    and situations that suit it, which it keeps in all of their scenarios, and luck in each scenario.
    """

    character: float = 0.5
    situation: float = 0.5
    own_character: float = 0.0
    own_situation: float = 0.0
    luck: float = 0.8

    def scores(self, rng: np.random.Generator, strengths: Sequence[float]) -> np.ndarray:
        """One experiment: model x character x situation, in whole points."""
        models = len(strengths)
        latent = (
            np.reshape(strengths, (models, 1, 1))
            + rng.normal(0, self.character, (1, CHARACTERS, 1))
            + rng.normal(0, self.situation, (1, 1, SITUATIONS))
            + rng.normal(0, self.own_character, (models, CHARACTERS, 1))
            + rng.normal(0, self.own_situation, (models, 1, SITUATIONS))
            + rng.normal(0, self.luck, (models, CHARACTERS, SITUATIONS))
        )
        return np.clip(np.rint(latent), 1, 5)


ALIKE = Board()  # what is hard is hard for all: the differences of two models are independent
SUITED = Board(own_character=0.3, own_situation=0.3)  # the differences depend on each other in both ways
BY_CHARACTER = Board(own_character=0.6, luck=0.6)  # and these strongly in one


def table_of(scores: np.ndarray) -> Table:
    """The scores of each model by character and situation."""
    return {
        f"model {number:02}": dict(zip(UNITS, own.ravel().tolist(), strict=True))
        for number, own in enumerate(scores)
    }
