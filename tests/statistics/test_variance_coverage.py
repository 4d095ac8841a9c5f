"""The coverage of the intervals of shares, and of resampling scenarios, which fails."""

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from interplay.statistics.variance import Score, usual_terms, variance_components
from tests.statistics.studies import PLANTED, SHARES, studied

TERMS = usual_terms(("subject", "scenario", "judge", "repeat"))


def coverage(
    draw: Callable[[np.random.Generator], list[Score]], truths: Mapping[str, float], seeds: int
) -> dict[str, float]:
    rng = np.random.default_rng(19)
    hits = dict.fromkeys(truths, 0)
    for seed in range(seeds):
        found = variance_components(draw(rng), TERMS, seed=seed, draws=1_000)
        for name, truth in truths.items():
            low, high = found[name].share.low, found[name].share.high
            assert low is not None and high is not None
            hits[name] += low <= truth <= high
    return {name: count / seeds for name, count in hits.items()}


def shares_of(planted: Mapping[str, float]) -> dict[str, float]:
    return {name: variance / sum(planted.values()) for name, variance in planted.items()}


def resampled(scores: list[Score], rng: np.random.Generator, draws: int) -> dict[str, tuple[float, float]]:
    """The naive way: whole scenarios drawn again, subjects and judges as though there were no others."""
    of: dict[object, list[Score]] = {}
    for score in scores:
        of.setdefault(score.levels["scenario"], []).append(score)
    shares: dict[str, list[float]] = {}
    for _ in range(draws):
        chosen = rng.choice(np.array(list(of)), len(of)).tolist()
        again = [
            Score(score.value, {**score.levels, "scenario": number})
            for number, scenario in enumerate(chosen)
            for score in of[scenario]
        ]
        for name, part in variance_components(again, TERMS, seed=1, draws=1).items():
            shares.setdefault(name, []).append(part.share.value or 0.0)
    return {name: tuple(np.quantile(drawn, (0.025, 0.975)).tolist()) for name, drawn in shares.items()}


def test_quickly() -> None:
    found = coverage(lambda rng: studied(rng, (8, 16, 3, 2)), SHARES, 80)
    assert all(share >= 0.87 for share in found.values()), found


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(12, 64, 3, 2), (8, 20, 3, 2), (5, 12, 2, 2)])
def test_balanced(sizes: tuple[int, int, int, int]) -> None:
    found = coverage(lambda rng: studied(rng, sizes), SHARES, 1_000)
    assert all(0.9 <= share <= 0.985 for share in found.values()), found


@pytest.mark.slow
def test_with_holes_in_the_design() -> None:
    found = coverage(lambda rng: studied(rng, (8, 20, 3, 2), missing=0.2), SHARES, 1_000)
    assert all(0.89 <= share <= 0.985 for share in found.values()), found


@pytest.mark.slow
def test_small_components() -> None:
    small = {**PLANTED, "judge": 0.0, "subject x scenario": 0.01, "subject": 0.02}
    found = coverage(lambda rng: studied(rng, (8, 20, 3, 2), small), shares_of(small), 1_000)
    assert all(share >= 0.9 for share in found.values()), found


@pytest.mark.slow
def test_on_a_scale_of_five_points() -> None:
    def draw(rng: np.random.Generator) -> list[Score]:
        return studied(rng, (8, 20, 3, 2), on_five_points=True)

    # Rounding and the ends of the scale change the components; the estimates of many studies average to the truth.
    rng = np.random.default_rng(21)
    found = [variance_components(draw(rng), TERMS, seed=1, draws=1) for _ in range(600)]
    truth = {name: float(np.mean([each[name].variance.value or 0.0 for each in found])) for name in PLANTED}
    covered = coverage(draw, shares_of(truth), 1_000)
    assert all(share >= 0.9 for share in covered.values()), covered


@pytest.mark.slow
def test_resampling_scenarios_fails() -> None:
    rng = np.random.default_rng(20)
    hits = {"subject": 0, "judge": 0}
    for _ in range(60):
        ends = resampled(studied(rng, (8, 20, 3, 2)), rng, 60)
        for name in hits:
            hits[name] += ends[name][0] <= SHARES[name] <= ends[name][1]
    assert max(hits.values()) < 0.6 * 60
