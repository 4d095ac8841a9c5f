"""Stopping as soon as it is decided: the error that is kept, the order that counts, and what is said of it."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from statistics import median
from typing import Any

import numpy as np
import pytest
from scipy import stats

from interplay.benchmarks import find
from interplay.core.benchmark import Scenario
from interplay.core.failures import Mistake
from interplay.running.decided import told
from interplay.running.deciding import Bout, Results, Watch, check_deciding, drawn
from interplay.running.plan import Plan, Work
from interplay.statistics.sequences import MeanSequence, WinSequence
from interplay.store.journal import Place

MANY, SHIPPED = 400, 165  # seeds, and scenarios
ALPHA, BETA, GAMMA = "alpha", "beta", "gamma"
PAIRS = ((ALPHA, BETA), (ALPHA, GAMMA), (BETA, GAMMA))


def watching(bouts: Sequence[Bout], scenarios: int, look: Callable[[str], Results | None]) -> Watch:
    return Watch(bouts, [f"s{number}" for number in range(scenarios)], look, "points")


def looked_through(watch: Watch) -> Watch:
    """With nothing left to do, all is looked at, up to the decision."""
    watch.planned(Plan(()))
    return watch


def mean_bout(names: tuple[str, str] = (ALPHA, BETA), comparisons: int = 1) -> Bout:
    return Bout(names, MeanSequence(-4, 4, comparisons=comparisons, steps=8))


# The error that is kept


def stars(rng: Random, mean: float) -> float:
    """What somebody gives on a scale from 1 to 5."""
    return float(min(5, max(1, round(rng.gauss(mean, 1)))))


def first_peek(values: Sequence[float]) -> int | None:
    """After how many values a t test, made after every one, would first have said that there is a difference."""
    n = np.arange(1, len(values) + 1)
    mean = np.cumsum(values) / n
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = (np.cumsum(np.square(values)) - n * mean**2) / (n - 1)
        p_values = 2 * stats.t.sf(np.abs(mean) / np.sqrt(variance / n), n - 1)
    found = np.flatnonzero((p_values <= 0.05) & (n >= 5))
    return int(n[found[0]]) if len(found) else None


def test_equal_models_are_decided_in_few_runs_and_by_a_t_test_at_every_look_in_many() -> None:
    ours = peeking = 0
    for seed in range(MANY):
        rng = Random(f"equal {seed}")
        values = [stars(rng, 3) - stars(rng, 3) for _ in range(SHIPPED)]
        watch = looked_through(
            watching([mean_bout()], SHIPPED, lambda id, values=values: {(ALPHA, BETA): values[int(id[1:])]})
        )
        assert watch.is_decided or watch.seen == SHIPPED
        ours += watch.is_decided
        peeking += first_peek(values) is not None
    assert ours <= 0.05 * MANY
    assert peeking >= 0.25 * MANY
    assert peeking >= 5 * ours


def test_of_three_equal_models_no_pair_is_decided_in_more_than_one_run_of_twenty() -> None:
    wrong = unshared = 0
    for seed in range(MANY // 2):
        rng = Random(f"three {seed}")
        rows = [{name: stars(rng, 3) for name in (ALPHA, BETA, GAMMA)} for _ in range(SHIPPED)]

        def look(id: str, rows: list[dict[str, float]] = rows) -> Results:
            row = rows[int(id[1:])]
            return {(one, other): row[one] - row[other] for one, other in PAIRS}

        watch = looked_through(watching([mean_bout(two, len(PAIRS)) for two in PAIRS], SHIPPED, look))
        wrong += any(bout.sequence.decided for bout in watch.bouts)
        unshared += any(bout.sequence.p_value <= 0.05 * len(PAIRS) for bout in watch.bouts)
    assert wrong <= 0.05 * MANY / 2
    assert unshared > wrong  # as it would be if each pair had the whole error to itself


def test_seven_wins_in_ten_are_decided_in_few_pairs_and_for_the_right_model() -> None:
    needed, ahead = [], Counter[tuple[str, str]]()
    for seed in range(MANY // 2):
        rng = Random(f"wins {seed}")
        wins = [float(rng.random() < 0.3) for _ in range(MANY)]
        bout = Bout((ALPHA, BETA), WinSequence())
        watch = watching([bout], MANY, lambda id, wins=wins: {(ALPHA, BETA): wins[int(id[1:])]})
        needed.append(looked_through(watch).seen)
        assert bout.interval is not None
        assert not bout.sequence.decided or bout.interval[0] >= 0.5
        ahead[bout.ahead] += bout.sequence.decided
    assert median(needed) <= 80
    assert ahead[BETA, ALPHA] >= 0.95 * MANY / 2
    assert ahead[ALPHA, BETA] <= 0.025 * MANY / 2


# The order that counts


def works(scenarios: int, each: int = 2) -> list[Work]:
    found = []
    for number in range(scenarios):
        place = Place(Scenario({"number": number}, str(number)), "model", {}, 0)
        found += [Work(replace(place, repeat=repeat), True, ()) for repeat in range(each)]
    return found


def id_of(work: Work) -> str:
    return work.place.scenario.id


@pytest.mark.parametrize("seed", range(20))
def test_scenarios_count_in_their_order_whichever_is_done_first(seed: int) -> None:
    rng = Random(seed)
    todo = works(30)
    order = drawn({id_of(work) for work in todo}, seed=3)
    finished: Counter[str] = Counter()
    looked: list[str] = []

    def look(id: str) -> Results:
        assert finished[id] == 2  # nothing counts by halves
        looked.append(id)
        return {(ALPHA, BETA): 2 + Random(id).gauss(0, 0.5)}

    watch = Watch([mean_bout()], order, look, "points")
    planned = watch.planned(Plan(tuple(todo))).works
    assert [id_of(work) for work in planned] == [id for id in order for _ in range(2)]
    for work in sorted(planned, key=lambda work: order.index(id_of(work)) + rng.uniform(0, 12)):
        finished[id_of(work)] += 1
        watch.done(work)
        assert looked == order[: len(looked)] == order[: watch.seen]
    assert watch.is_decided
    assert len(looked) < 30
    calm = looked_through(Watch([mean_bout()], order, look, "points"))
    assert calm.as_json() == watch.as_json()


def test_a_scenario_without_a_result_is_passed_over_and_one_that_was_broken_off_is_waited_for() -> None:
    results: dict[str, Results | None] = {
        "s0": {(ALPHA, BETA): 1.0},
        "s1": {},
        "s2": {(ALPHA, GAMMA): 4.0},
        "s3": {(ALPHA, BETA): 2.0},
        "s4": None,
        "s5": {(ALPHA, BETA): 4.0},
    }
    watch = looked_through(watching([mean_bout()], 6, results.__getitem__))
    found = watch.bouts[0].sequence.estimate
    assert (watch.seen, found.n, found.value) == (4, 2, 1.5)


def test_scenarios_that_were_drawn_before_stay_where_they_were() -> None:
    ids = [f"{number:032x}"[::-1] for number in range(60)]
    first = drawn(ids[:20], seed=1)
    assert sorted(first) == sorted(ids[:20])
    assert first != ids[:20]
    assert drawn(reversed(ids[:20]), seed=1) == first
    assert drawn(ids[:20], seed=2) != first
    assert drawn([*ids[:20], *ids[:3]], seed=1) == first
    watch = Watch([], first, lambda id: {}, "")
    more = drawn(ids, 1, watch.drawn)
    assert more[:20] == first
    assert sorted(more) == sorted(ids)
    fewer = drawn(ids[:7], 1, watch.drawn)
    assert fewer == [id for id in first if id in ids[:7]]
    grown = Watch([], more, lambda id: {}, "", watch.drawn).drawn
    assert drawn(ids, 1, Watch([], fewer, lambda id: {}, "", grown).drawn) == more


# What is said of it


def test_the_better_model_comes_first_with_the_interval_that_is_its_own() -> None:
    bout = mean_bout()
    for _ in range(40):
        bout.sequence.add(-3.0)
    found = bout.sequence.estimate
    assert bout.sequence.decided
    assert bout.ahead == (BETA, ALPHA)
    assert found.low is not None
    assert found.high is not None
    assert bout.interval == (-found.high, -found.low)
    assert bout.interval[0] > 0
    even = Bout((ALPHA, BETA), WinSequence())
    assert (even.ahead, even.interval) == ((ALPHA, BETA), None)
    for won in (1.0, 0.0, 0.0):
        even.sequence.add(won)
    assert even.ahead == (BETA, ALPHA)
    assert not even.sequence.decided


@pytest.mark.parametrize("sign", [1, -1])
def test_what_was_decided_for_one_model_is_not_said_for_the_other_later(sign: int) -> None:
    bout = mean_bout()
    while not bout.sequence.decided:
        bout.sequence.add(1.0 * sign)
    said = bout.ahead
    while bout.sequence.estimate.value != 0:  # all in all they come to be alike
        bout.sequence.add(-0.1 * sign)
        assert bout.ahead == said
    assert bout.sequence.decided
    assert said == ((ALPHA, BETA) if sign > 0 else (BETA, ALPHA))


def test_the_record_tells_in_words_what_was_seen_and_what_was_not() -> None:
    def pair(**known: Any) -> dict[str, Any]:
        return {"models": [ALPHA, BETA], "decided": False, "p": 1.0, "value": None, "low": None, "high": None,
                "n": 0, **known}  # fmt: skip

    kept = {"by": "points", "decided": False, "seen": 3, "of": 9}
    first, *lines = told({**kept, "pairs": [
        pair(),
        pair(value=0.25, low=-1.0, high=1.5, n=3, p=0.4),
        pair(value=2.0, n=8, p=1e-9, decided=True),
    ]})  # fmt: skip
    assert "by points (--until-decided), 3 of 9 scenarios, and not all is decided" in first
    assert lines == [
        "alpha against beta: nothing was seen, not decided (p 1.0000).",
        "alpha against beta: 0.250 (-1.000 to 1.500, n 3), not decided (p 0.4000).",
        "alpha against beta: 2.000 (n 8; no interval, as the results changed on the way), decided (p below 0.0001).",
    ]


def test_what_cannot_be_decided_is_a_mistake() -> None:
    simulation, social = find("simulation"), find("social_interaction")
    options = simulation.settle({})
    check_deciding(simulation, [ALPHA, BETA], options, pairs=False)
    with pytest.raises(Mistake, match="name two or more with --model"):
        check_deciding(simulation, [ALPHA], options, pairs=True)
    check_deciding(social, [ALPHA, BETA], social.settle({"scene": "exchange"}), pairs=False)
    with pytest.raises(Mistake, match="social_interaction gives no score to single conversations"):
        check_deciding(social, [ALPHA, BETA], social.settle({"scene": "intentions"}), pairs=False)
