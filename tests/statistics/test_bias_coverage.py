"""The coverage of the intervals of biases, and of naive ways that leave out strengths, orders or other judges."""

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from interplay.core.board import Estimate
from interplay.statistics.bias import Comparison, Rating, pairwise_bias, rating_bias
from interplay.statistics.regression import least_squares, logistic
from tests.statistics.judged import Leaning, Taste, compared, rated

PAIRWISE = {"position": 0.5, "length": 0.4, "same family": 0.6}
POINTS = {"length": 0.25, "same family": 0.5, "refusal": -0.4}
PANEL = (Taste("ant", 0.3, 0.25, 0.5, -0.4), Taste("bee", -0.2, 0.0, 0.7, 0.0), Taste("people"))

Found = Mapping[str, Estimate]


def of_pairs(rows: list[Comparison]) -> Found:
    found = pairwise_bias(rows)
    return {"position": found.position, "length": found.length, "same family": found.same_family}


def of_ratings(ratings: list[Rating], against: tuple[str, ...] = ()) -> Found:
    found = rating_bias(ratings, "ant", against=against)
    return {"length": found.length, "same family": found.same_family, "refusal": found.refusal}


def without_strengths(rows: list[Comparison]) -> Found:
    """The naive way: the same regression as though all models were equally good."""
    ratios = np.array([np.log1p(row.lengths[0]) - np.log1p(row.lengths[1]) for row in rows])
    own = [float(row.own[0]) - float(row.own[1]) for row in rows]
    columns = np.column_stack([np.ones(len(rows)), ratios / np.sqrt(np.mean(ratios**2)), own])
    fit = logistic(columns, np.array([row.won for row in rows]), [row.scenario for row in rows])
    return {name: fit.estimate(place, 0.95, "") for place, name in enumerate(PAIRWISE)}


def without_others(ratings: list[Rating]) -> Found:
    """The naive way: the judge's own ratings alone, as though all answers were equally good."""
    mine = [one for one in ratings if one.judge == "ant"]
    lengths = np.log1p([one.length for one in mine])
    standard = (lengths - lengths.mean()) / lengths.std()
    columns = np.column_stack(
        [standard, [one.own for one in mine], [one.refused for one in mine], np.ones(len(mine))]
    ).astype(float)
    fit = least_squares(columns, np.array([one.value for one in mine]), [one.scenario for one in mine])
    return {name: fit.estimate(place, 0.95, "") for place, name in enumerate(POINTS)}


def coverage(
    draw: Callable[[np.random.Generator], Found], truths: Mapping[str, float], seeds: int
) -> dict[str, float]:
    rng = np.random.default_rng(17)
    hits = dict.fromkeys(truths, 0)
    for _ in range(seeds):
        found = draw(rng)
        for name, truth in truths.items():
            low, high = found[name].low, found[name].high
            assert low is not None and high is not None
            hits[name] += low <= truth <= high
    return {name: count / seeds for name, count in hits.items()}


def test_pairs_quickly() -> None:
    found = coverage(lambda rng: of_pairs(compared(rng, 20, Leaning())), PAIRWISE, 80)
    assert all(0.87 <= share <= 1 for share in found.values()), found


def test_ratings_quickly() -> None:
    found = coverage(lambda rng: of_ratings(rated(rng, 20, PANEL)), POINTS, 100)
    assert all(0.88 <= share <= 1 for share in found.values()), found


def test_naive_ways_fail() -> None:
    # One judge's family writes the best answers, the other judge has none: strength looks like favour.
    naive = coverage(
        lambda rng: without_strengths(compared(rng, 40, Leaning(), judges=["ant", "dog"])), PAIRWISE, 40
    )
    assert max(naive["length"], naive["same family"]) < 0.6
    naive = coverage(lambda rng: without_others(rated(rng, 40, PANEL)), POINTS, 60)
    assert max(naive["length"], naive["same family"], naive["refusal"]) < 0.6


def test_one_order_with_the_stronger_model_first_fails() -> None:
    """The naive way: how often the first wins, as though the places had been drawn by lot."""

    def intercept(rng: np.random.Generator) -> Found:
        rows = compared(rng, 40, Leaning(), both_orders=False)  # models are listed from strong to weak
        fit = logistic(
            np.ones((len(rows), 1)), np.array([row.won for row in rows]), [row.scenario for row in rows]
        )
        return {"position": fit.estimate(0, 0.95, "")}

    assert coverage(intercept, {"position": 0.5}, 40)["position"] < 0.1


@pytest.mark.slow
@pytest.mark.parametrize("scenarios", [20, 64])
def test_pairs(scenarios: int) -> None:
    found = coverage(lambda rng: of_pairs(compared(rng, scenarios, Leaning())), PAIRWISE, 2_000)
    assert all(0.93 <= share <= 0.97 for share in found.values()), found


@pytest.mark.slow
@pytest.mark.parametrize("scenarios", [20, 64])
@pytest.mark.parametrize("against", [(), ("people",)])
def test_ratings(scenarios: int, against: tuple[str, ...]) -> None:
    found = coverage(
        lambda rng: of_ratings(rated(rng, scenarios, PANEL, missing=0.1), against), POINTS, 2_000
    )
    assert all(0.93 <= share <= 0.97 for share in found.values()), found
