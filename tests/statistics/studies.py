"""Simulated studies in which subjects meet scenarios before judges, with planted variances."""

from collections.abc import Iterator, Mapping

import numpy as np

from interplay.statistics.variance import Score

PLANTED = {
    "subject": 0.25,
    "scenario": 0.16,
    "judge": 0.09,
    "subject x scenario": 0.16,
    "repeat": 0.09,
    "residual": 0.25,
}
SHARES = {name: variance / sum(PLANTED.values()) for name, variance in PLANTED.items()}


def studied(
    rng: np.random.Generator,
    sizes: tuple[int, int, int, int],
    planted: Mapping[str, float] = PLANTED,
    *,
    missing: float = 0.0,
    on_five_points: bool = False,
) -> list[Score]:
    """So many subjects, scenarios, judges and repeats, all crossed but for what is missing."""
    subjects, scenarios, judges, repeats = sizes

    def effects(name: str, *shape: int) -> np.ndarray:
        return np.sqrt(planted[name]) * rng.normal(size=shape)

    values = 3 + effects("subject", subjects, 1, 1, 1) + effects("scenario", 1, scenarios, 1, 1)
    values = (
        values + effects("judge", 1, 1, judges, 1) + effects("subject x scenario", subjects, scenarios, 1, 1)
    )
    values = values + effects("repeat", subjects, scenarios, 1, repeats) + effects("residual", *sizes)
    if on_five_points:
        values = np.clip(np.round(values), 1, 5)
    kept = rng.random(sizes) >= missing
    return list(_scores(values, kept))


def _scores(values: np.ndarray, kept: np.ndarray) -> Iterator[Score]:
    for place in zip(*(axis.tolist() for axis in np.nonzero(kept)), strict=True):
        levels = dict(zip(("subject", "scenario", "judge", "repeat"), place, strict=True))
        yield Score(float(values[place]), levels)
