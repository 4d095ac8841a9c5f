"""Sources of variance: against the analysis of variance by hand, planted shares, refusals and foresight."""

import random
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from interplay.core.board import Estimate
from interplay.statistics.variance import (
    CLIPPED,
    IN_RESIDUAL,
    METHOD,
    RESIDUAL,
    Component,
    Score,
    foreseen,
    usual_terms,
    variance_components,
)
from tests.statistics.studies import PLANTED, SHARES, studied

FACTORS = ("subject", "scenario", "judge", "repeat")
TERMS = usual_terms(FACTORS)


def value(estimate: Estimate) -> float:
    assert estimate.value is not None
    return estimate.value


def variances(found: Mapping[str, Component]) -> dict[str, float]:
    return {name: value(part.variance) for name, part in found.items()}


def refused(part: Component) -> str:
    assert (part.variance.value, part.share.value) == (None, None)
    assert part.variance.method == part.share.method
    return part.share.method


class TestByHand:
    def test_two_crossed_factors(self) -> None:
        # Means 3 and 7 of two subjects, 4, 5 and 6 of three scenarios, and no interplay but in the last cell.
        table = np.array([[2.0, 3.0, 4.0], [6.0, 7.0, 8.0]]) + np.array([[0, 0, 0], [0, 0, 3.0]])
        scores = [
            Score(table[place], {"subject": place[0], "scenario": place[1]}) for place in np.ndindex(2, 3)
        ]
        found = variances(variance_components(scores, {"a": ("subject",), "b": ("scenario",)}, seed=1))
        rows, columns = table.mean(axis=1), table.mean(axis=0)
        between_rows = 3 * rows.var(ddof=1)
        between_columns = 2 * columns.var(ddof=1)
        rest = table - rows[:, np.newaxis] - columns + table.mean()
        error = float(np.sum(rest**2)) / 2
        expected = {"a": (between_rows - error) / 3, "b": (between_columns - error) / 2, RESIDUAL: error}
        assert found == pytest.approx(expected)

    def test_one_uneven_factor(self) -> None:
        # The textbook's estimate: (between - within) / (n - sum of squared sizes / n) times (groups - 1).
        groups = {"a": [1.0, 2.0, 3.0], "b": [5.0, 7.0], "c": [2.0, 2.0, 3.0, 5.0]}
        scores = [Score(each, {"group": name}) for name, values in groups.items() for each in values]
        found = variances(variance_components(scores, {"group": ("group",)}, seed=1))
        everything = np.concatenate(list(map(np.array, groups.values())))
        within = sum(float(np.var(values)) * len(values) for values in groups.values()) / 6
        between = (float(np.var(everything)) * 9 - within * 6) / 2
        assert found == pytest.approx({"group": (between - within) / ((9 - 29 / 9) / 2), RESIDUAL: within})

    def test_a_source_within_another(self) -> None:
        rng = np.random.default_rng(1)
        teams, players = rng.normal(0, 1, 200), rng.normal(0, 2, (200, 4))
        scores = [
            Score(
                teams[team] + players[team, player] + rng.normal(), {"team": team, "player": (team, player)}
            )
            for team, player in np.ndindex(200, 4)
            for _ in range(3)
        ]
        found = variances(variance_components(scores, {"team": ("team",), "player": ("player",)}, seed=1))
        assert found == pytest.approx({"team": 1.0, "player": 4.0, RESIDUAL: 1.0}, rel=0.35)

    def test_what_stands_beside_a_share(self) -> None:
        found = variance_components(studied(np.random.default_rng(2), (6, 10, 2, 2)), TERMS, seed=1)
        assert set(found) == {*TERMS, RESIDUAL}
        assert sum(value(part.share) for part in found.values()) == pytest.approx(1)
        part = found["scenario"]
        assert (part.factors, part.share.n, part.share.clusters) == (("scenario",), 240, (10,))
        assert part.share.method == METHOD
        assert found["repeat"].share.clusters == (120,)
        for each in found.values():
            assert each.share.low is not None and each.share.high is not None
            assert 0 <= each.share.low <= value(each.share) <= each.share.high <= 1

    def test_below_zero_is_given_as_zero_and_said(self) -> None:
        # Subjects' means are equal while their scores differ: less between than chance makes of nothing.
        scores = [Score(float(number), {"subject": subject}) for subject in "ab" for number in (1, 2, 3, 4)]
        part = variance_components(scores, {"subject": ("subject",)}, seed=1)["subject"]
        assert (part.variance.value, part.share.value, part.share.low) == (0.0, 0.0, 0.0)
        assert part.share.method == CLIPPED
        assert part.share.high is not None and part.share.high >= 0

    def test_order_names_and_scale_do_not_show(self) -> None:
        scores = studied(np.random.default_rng(3), (5, 8, 2, 2), missing=0.1)
        shuffled = random.Random(1).sample(scores, len(scores))
        moved = [
            Score(100 - 10 * score.value, {key: f"level {level}" for key, level in score.levels.items()})
            for score in shuffled
        ]
        one, other = (variance_components(each, TERMS, seed=1) for each in (scores, moved))
        for name in one:
            assert one[name].share.value == pytest.approx(other[name].share.value)
            assert one[name].share.low == pytest.approx(other[name].share.low)
            assert value(other[name].variance) == pytest.approx(100 * value(one[name].variance))


class TestRefusals:
    def test_subjects_that_each_have_their_own_simulator(self) -> None:
        scores = self._with_simulator(lambda subject: f"simulator of {subject}")
        terms = usual_terms([*FACTORS, "simulator"])
        found = variance_components(scores, terms, seed=1)
        assert refused(found["subject"]) == "none: always changes together with simulator"
        assert refused(found["simulator"]) == "none: always changes together with subject"
        alone = variance_components(scores, TERMS, seed=1)
        assert value(found["subject = simulator"].variance) == pytest.approx(value(alone["subject"].variance))
        assert value(found[RESIDUAL].variance) == pytest.approx(value(alone[RESIDUAL].variance))

    def test_all_but_one_have_their_own_simulator(self) -> None:
        scores = self._with_simulator(lambda subject: min(subject, 6))
        scores = [
            replace(score, levels={**score.levels, "simulator": 0})
            if score.levels["subject"] == 7 and score.levels["scenario"] == 1
            else score
            for score in scores
        ]
        found = variance_components(scores, usual_terms([*FACTORS, "simulator"]), seed=1)
        assert refused(found["simulator"]) == "none: almost always changes together with subject"
        assert refused(found["subject"]) == "none: almost always changes together with simulator"
        assert value(found["subject = simulator"].variance) > 0

    def test_simulators_shared_by_several_subjects_are_no_such_thing(self) -> None:
        scores = self._with_simulator(lambda subject: subject % 2)
        found = variance_components(scores, usual_terms([*FACTORS, "simulator"]), seed=1)
        assert found["simulator"].share.clusters == (2,)
        assert found["subject"].share.clusters == (8,)

    def test_without_repeats_the_interplay_is_in_the_residual(self) -> None:
        scores = studied(np.random.default_rng(5), (6, 20, 1, 1))
        found = variance_components(scores, TERMS, seed=1)
        assert refused(found["judge"]) == "none: a single level"
        assert refused(found["subject x scenario"]) == IN_RESIDUAL
        assert refused(found["repeat"]) == IN_RESIDUAL
        rest = PLANTED["subject x scenario"] + PLANTED["repeat"] + PLANTED["residual"]
        assert value(found[RESIDUAL].variance) == pytest.approx(rest, rel=0.35)

    def test_nothing_to_see(self) -> None:
        same = [replace(score, value=2.7) for score in studied(np.random.default_rng(6), (3, 4, 2, 2))]
        found = variance_components(same, TERMS, seed=1)
        assert {refused(part) for part in found.values()} == {"none: no variation"}
        assert refused(variance_components([], TERMS, seed=1)[RESIDUAL]) == "none: too few values"
        alone = variance_components(same[:1], TERMS, seed=1)
        assert refused(alone[RESIDUAL]) == "none: too few values"

    def test_mistakes(self) -> None:
        scores = studied(np.random.default_rng(7), (2, 3, 1, 1))
        with pytest.raises(ValueError, match="no level of 'simulator'"):
            variance_components(scores, {"simulator": ("simulator",)}, seed=1)
        with pytest.raises(ValueError, match="no source"):
            variance_components(scores, {RESIDUAL: ("subject",)}, seed=1)
        with pytest.raises(ValueError, match="finite"):
            variance_components([Score(float("nan"), {})], {}, seed=1)

    @staticmethod
    def _with_simulator(of: Callable[[int], object]) -> list[Score]:
        return [
            replace(score, levels={**score.levels, "simulator": of(score.levels["subject"])})  # type: ignore
            for score in studied(np.random.default_rng(4), (8, 12, 2, 2))
        ]


class TestRecovery:
    def test_planted_shares_in_a_large_study(self) -> None:
        found = variance_components(
            studied(np.random.default_rng(8), (40, 40, 12, 2)), TERMS, seed=1, draws=200
        )
        shares = {name: value(part.share) for name, part in found.items()}
        assert shares == pytest.approx(SHARES, abs=0.08)

    def test_components_are_unbiased_with_holes_in_the_design(self) -> None:
        rng = np.random.default_rng(9)
        found = [
            variances(variance_components(studied(rng, (8, 12, 4, 2), missing=0.3), TERMS, seed=1, draws=1))
            for _ in range(80)
        ]
        for name, truth in PLANTED.items():
            drawn = [each[name] for each in found]
            error = float(np.std(drawn)) / np.sqrt(len(drawn))
            assert abs(np.mean(drawn) - truth) < 4 * error + 0.003, name


class TestForesight:
    def test_the_mean_error_comes_out_as_foreseen(self) -> None:
        rng = np.random.default_rng(11)
        components = {
            name: Component(*[TERMS.get(name, ())] * 2, *[Estimate(planted, None, None, 1)] * 2)
            for name, planted in PLANTED.items()
        }
        mean, difference = [], []
        for _ in range(800):
            # Subjects are all worth the same: what is left of their means is error.
            scores = _means(rng, scenarios=16, judges=4, repeats=2)
            mean.append(scores[0])
            difference.append(scores[0] - scores[1])
        plan = foreseen(components, {"scenario": 16, "judge": 4, "repeat": 2})
        assert plan.mean == pytest.approx(2 * 1.96 * float(np.std(mean)), rel=0.1)
        assert plan.difference == pytest.approx(2 * 1.96 * float(np.std(difference)), rel=0.1)

    def test_twice_as_many_of_each(self) -> None:
        components = variance_components(studied(np.random.default_rng(12), (12, 64, 3, 2)), TERMS, seed=1)
        counts = {"scenario": 64, "judge": 3, "repeat": 2}
        now = foreseen(components, counts)
        twice = {name: foreseen(components, {**counts, name: 2 * counts[name]}) for name in counts}
        assert all(more.mean < now.mean for more in twice.values())
        assert twice["scenario"].difference == pytest.approx(now.difference / np.sqrt(2))
        assert twice["judge"].mean < twice["scenario"].mean  # three judges are the bottleneck of a mean
        assert twice["scenario"].difference < twice["judge"].difference  # and not of a difference
        assert now.dependability is not None and twice["judge"].dependability is not None
        assert now.dependability < twice["judge"].dependability < 1

    def test_fixed_judges_add_nothing(self) -> None:
        components = variance_components(studied(np.random.default_rng(13), (12, 64, 3, 2)), TERMS, seed=1)
        counts = {"scenario": 64, "judge": 3, "repeat": 2}
        fixed, drawn = (foreseen(components, counts, fixed=judges) for judges in (["judge"], []))
        expected = (drawn.mean / 2 / 1.959964) ** 2 - value(components["judge"].variance) / 3
        assert (fixed.mean / 2 / 1.959964) ** 2 == pytest.approx(expected, rel=1e-5)
        assert fixed.difference == drawn.difference

    def test_judges_do_not_make_up_for_an_interplay_that_is_in_the_residual(self) -> None:
        components = variance_components(studied(np.random.default_rng(14), (12, 64, 1, 1)), TERMS, seed=1)
        one, ten = (
            foreseen(components, {"scenario": 64, "judge": judges, "repeat": judges}) for judges in (1, 10)
        )
        assert one == ten

    def test_more_repeats_do_not_shrink_an_interplay_that_they_were_not_told_apart_from(self) -> None:
        components = variance_components(studied(np.random.default_rng(16), (12, 30, 3, 1)), TERMS, seed=1)
        assert value(components["subject x scenario = repeat"].variance) > 0
        counts = {"scenario": 30, "judge": 3}
        one, ten = (foreseen(components, {**counts, "repeat": repeats}) for repeats in (1, 10))
        residual = value(components[RESIDUAL].variance) / 90
        assert (one.difference**2 - ten.difference**2) / (2 * 1.959964) ** 2 == pytest.approx(
            2 * residual * 0.9, rel=1e-5
        )

    def test_subjects_that_each_have_their_own_simulator_are_refused(self) -> None:
        scores = [
            replace(score, levels={**score.levels, "simulator": score.levels["subject"]})
            for score in studied(np.random.default_rng(17), (6, 8, 2, 2))
        ]
        components = variance_components(scores, usual_terms([*FACTORS, "simulator"]), seed=1)
        with pytest.raises(ValueError, match="'subject = simulator'"):
            foreseen(components, {"scenario": 8, "judge": 2, "repeat": 2, "simulator": 1})

    def test_every_factor_has_a_number(self) -> None:
        components = variance_components(studied(np.random.default_rng(15), (4, 6, 2, 2)), TERMS, seed=1)
        with pytest.raises(ValueError, match="'repeat'"):
            foreseen(components, {"scenario": 64, "judge": 3})
        with pytest.raises(ValueError, match="'judge'"):
            foreseen(components, {"scenario": 64, "judge": 0, "repeat": 1})


def _means(rng: np.random.Generator, scenarios: int, judges: int, repeats: int) -> np.ndarray:
    scores = studied(rng, (2, scenarios, judges, repeats), {**PLANTED, "subject": 0.0})
    table = np.array([score.value for score in scores]).reshape(2, -1)
    return np.asarray(table.mean(axis=1))
