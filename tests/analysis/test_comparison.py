"""Comparison: paired on what models have in common, claims with all pairs looked at, and what is missing shown."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

from interplay.analysis.comparison import compare, comparison_board
from interplay.benchmarks import find
from interplay.core.board import Board, Estimate
from interplay.core.failures import Mistake
from interplay.store.records import Records
from tests.analysis.planted import acted, measure_of, rated, record, void

UNITS = 24


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


def board(store: Path, benchmark: str, by: str = "", runs: tuple[str, ...] = ()) -> Board:
    with Records(store) as records:
        found = [records.find(run) for run in runs] or records.runs()
        return comparison_board(compare(records, found, find(benchmark), measure_of(found[0], by)))


def models(found: Board) -> dict[str, Any]:
    return {str(row["model"]): row for row in found.rows}


def pairs(found: Board) -> dict[tuple[str, str], Any]:
    return {(str(row["first"]), str(row["second"])): row for row in found.parts[0].rows}


def keys(found: Board) -> list[str]:
    return [column.key for column in found.columns]


def estimate(cell: Any) -> Estimate:
    assert isinstance(cell, Estimate)
    return cell


def noise(number: int) -> int:
    return (number * 7) % 3


class TestPairing:
    def test_the_difference_is_over_common_units_alone(self, store: Path) -> None:
        common = [rated(n, "a", j=5 + noise(n)) for n in range(8)] + [rated(n, "b", j=4) for n in range(8)]
        record(store, "simulation", [*common, *(rated(n, "a", j=1) for n in range(8, 30))])
        found = board(store, "simulation")
        by_hand = sum(1 + noise(n) for n in range(8)) / 8
        [pair] = pairs(found).values()
        assert (pair["first"], pair["second"], pair["n"]) == ("a", "b", 8)
        assert estimate(pair["difference"]).value == pytest.approx(by_hand)
        assert list(models(found)) == ["b", "a"]  # by its own mean a is the lower
        assert (models(found)["a"]["n"], models(found)["b"]["n"]) == (30, 8)

    def test_models_of_two_runs_meet_on_the_same_scenarios(self, store: Path) -> None:
        record(store, "simulation", [rated(n, "a", j=6 + noise(n)) for n in range(UNITS)])
        record(store, "simulation", [rated(n, "b", j=5) for n in range(UNITS)])
        [pair] = pairs(board(store, "simulation")).values()
        assert pair["n"] == UNITS
        assert pair["claim"] == "yes"

    def test_repeats_meet_their_like(self, store: Path) -> None:
        talks = [rated(1, m, repeat=r, j=5 + r) for m in "ab" for r in (0, 1)]
        record(store, "simulation", [*talks, rated(1, "a", repeat=2, j=9)])
        [pair] = pairs(board(store, "simulation")).values()
        assert pair["n"] == 2
        assert estimate(pair["difference"]).value == 0.0


class TestClaims:
    def test_a_better_model_is_claimed_and_equal_ones_are_not(self, store: Path) -> None:
        talks = [rated(n, "good", j=7 + noise(n)) for n in range(UNITS)]
        talks += [
            rated(n, m, j=5 + noise(n + shift)) for n in range(UNITS) for m, shift in (("b", 1), ("c", 2))
        ]
        record(store, "simulation", talks)
        found = board(store, "simulation")
        assert {name: row["ranks"] for name, row in models(found).items()} == {
            "good": "1",
            "b": "2–3",
            "c": "2–3",
        }
        assert next(iter(models(found))) == "good"
        rows = pairs(found)
        assert {pair for pair, row in rows.items() if row["claim"]} == {("good", "b"), ("good", "c")}
        for row in rows.values():
            assert row["p"] <= row["bh"] <= row["holm"] <= 1

    def test_identical_models_are_not_claimed(self, store: Path) -> None:
        record(store, "simulation", [rated(n, m, j=5 + noise(n)) for n in range(UNITS) for m in "abc"])
        found = board(store, "simulation")
        assert {row["ranks"] for row in found.rows} == {"1–3"}
        for row in pairs(found).values():
            assert (row["claim"], estimate(row["difference"]).value) == ("", 0.0)
        assert "the scenarios are all the same" in " ".join(found.notes)

    def test_too_few_units_are_said_to_be_too_few(self, store: Path) -> None:
        record(store, "simulation", [rated(1, "a", j=9), rated(2, "b", j=1)])
        found = board(store, "simulation")
        [pair] = pairs(found).values()
        assert (pair["p"], pair["holm"], pair["claim"], pair["n"]) == (None, None, "", 0)
        assert {row["ranks"] for row in found.rows} == {""}  # a number without an interval is not ranked
        assert "No two models have enough scenarios in common to compare them." in found.notes

    def test_more_units_see_less_of_a_difference_and_more_pairs_need_more(self, tmp_path: Path) -> None:
        def seen(name: str, units: int, names: str) -> float:
            store = tmp_path / name
            talks = [rated(n, m, j=Random(f"{n}/{m}").randint(1, 10)) for n in range(units) for m in names]
            record(store, "simulation", talks)
            found = pairs(board(store, "simulation"))
            return float((found.get(("a", "b")) or found["b", "a"])["seen"])

        few, many, crowded = seen("1.db", 24, "ab"), seen("2.db", 96, "ab"), seen("3.db", 24, "abcd")
        assert many < few < crowded

    def test_of_flaws_the_fewer_are_better(self, store: Path) -> None:
        talks = [acted(n, "frank", j=(3, 3, 3)) for n in range(UNITS)]
        talks += [acted(n, "coy", refused=bool(n % 8), j=None) for n in range(UNITS)]
        record(store, "role_play", talks)
        found = board(store, "role_play", "refused")
        assert {name: row["ranks"] for name, row in models(found).items()} == {"frank": "1", "coy": "2"}
        assert next(iter(models(found))) == "frank"
        [pair] = pairs(found).values()
        assert (pair["first"], pair["second"], pair["claim"]) == ("frank", "coy", "yes")
        apart = estimate(pair["difference"])
        assert apart.value == pytest.approx(-21 / 24)
        assert apart.low is not None
        assert apart.high is not None
        assert apart.low < -21 / 24 < apart.high < 0


class TestMissing:
    def test_where_nothing_is_missing_there_are_no_bounds(self, store: Path) -> None:
        record(store, "simulation", [rated(n, m, j=5 + noise(n)) for n in range(6) for m in "ab"])
        found = board(store, "simulation")
        assert not {"worst", "best"} & set(keys(found))
        assert {row["missing"] for row in found.rows} == {0.0}

    @pytest.mark.parametrize("kind", ["void", "unjudged"])
    def test_bounds_by_hand(self, store: Path, kind: str) -> None:
        lost = [void(n, "a") if kind == "void" else rated(n, "a", j=None) for n in (8, 9)]
        talks = [rated(n, "a", j=5 + noise(n)) for n in range(8)] + [rated(n, "b", j=5) for n in range(10)]
        record(store, "simulation", [*talks, *lost])
        found = board(store, "simulation")
        assert {"worst", "best"} <= set(keys(found))
        row = models(found)["a"]
        total = sum(5 + noise(n) for n in range(8))
        assert estimate(row["value"]).value == pytest.approx(total / 8)
        worst, best = estimate(row["worst"]), estimate(row["best"])
        assert (worst.value, best.value) == (
            pytest.approx((total + 2) / 10),
            pytest.approx((total + 20) / 10),
        )
        assert worst.low is not None
        assert best.high is not None
        assert worst.low < worst.value < best.value < best.high <= 10  # type: ignore[operator]
        assert (row["n"], row["missing"]) == (8, 0.2)
        assert estimate(models(found)["b"]["worst"]).value == estimate(models(found)["b"]["best"]).value == 5
        reason = "2 not played to the end" if kind == "void" else "2 without a verdict"
        assert f"Left out, of 20 conversations: {reason}." in found.notes

    def test_a_refusal_is_set_aside_and_not_missing(self, store: Path) -> None:
        talks = [acted(n, m, j=(3, 4, 3 + noise(n))) for n in range(8) for m in "ab"]
        record(store, "role_play", [*talks, acted(8, "a", refused=True, j=None), acted(8, "b", j=(3, 3, 3))])
        found = board(store, "role_play")
        assert not {"worst", "best"} & set(keys(found))
        assert (models(found)["a"]["n"], models(found)["a"]["missing"]) == (8, 0.0)
        assert "1 without such a score, as where a model refused" in " ".join(found.notes)
        assert next(iter(pairs(found).values()))["n"] == 8

    def test_a_refusal_is_in_no_bound_either(self, store: Path) -> None:
        talks = [acted(n, m, j=(3, 3, 3)) for n in range(8) for m in "ab"]
        record(store, "role_play", [*talks, acted(8, "a", refused=True, j=None), acted(9, "a")])
        row = models(board(store, "role_play"))["a"]
        assert row["missing"] == pytest.approx(1 / 9)  # the one without a verdict
        worst, best = (estimate(row[key]).value for key in ("worst", "best"))
        assert (worst, best) == (pytest.approx((8 * 3 + 1) / 9), pytest.approx((8 * 3 + 5) / 9))

    def test_bounds_of_a_rate_leave_doubt_where_none_was_seen(self, store: Path) -> None:
        talks = [acted(n, m, j=(3, 3, 3)) for n in range(UNITS) for m in "ab"]
        lost = acted(UNITS, "a")
        record(store, "role_play", [*talks, lost, acted(UNITS, "b", j=(3, 3, 3))])
        found = models(board(store, "role_play", "refused"))
        best, worst = (
            estimate(found["a"][key]) for key in ("best", "worst")
        )  # of refusals, fewer are better
        assert (best.value, worst.value) == (0.0, pytest.approx(1 / 25))
        whole = estimate(found["b"]["worst"])  # of which nothing is missing
        assert whole.value == 0.0
        for one in (worst, whole):
            assert one.high is not None
            assert one.high > 0.1

    def test_a_model_of_which_all_is_missing_comes_last(self, store: Path) -> None:
        record(
            store, "simulation", [*(rated(n, "a", j=1) for n in range(4)), *(void(n, "b") for n in range(4))]
        )
        for by in ("", "rating"):
            found = board(store, "simulation", by)
            assert [row["model"] for row in found.rows] == ["a", "b"]
            assert estimate(models(found)["b"]["worst"]).value == 1.0
            assert estimate(models(found)["b"]["best"]).value == 10.0


class TestRuns:
    def test_runs_that_cannot_be_compared_stand_apart_with_the_reason(self, store: Path) -> None:
        first = record(store, "simulation", [rated(n, "a", j=5) for n in range(4)])
        second = record(store, "simulation", [rated(n, "b", j=6) for n in range(4)])
        other = record(store, "simulation", [rated(n, m, k=7) for n in range(4) for m in "cde"])
        found = board(store, "simulation", runs=(first.id, other.id, second.id))
        assert set(models(found)) == {
            "a",
            "b",
        }  # those of the first that was named, though the other has more
        assert f"Apart, not compared: {other.id}: other judges (k not j)." in found.notes

    def test_one_model_is_no_comparison(self, store: Path) -> None:
        first = record(store, "simulation", [rated(n, "a", j=5) for n in range(4)])
        with pytest.raises(Mistake, match=r"only a is there: a comparison needs two models$"):
            board(store, "simulation")
        other = record(store, "simulation", [rated(n, "b", k=5) for n in range(4)])
        with pytest.raises(Mistake, match=f"needs two models; apart: {other.id}: other judges"):
            board(store, "simulation", runs=(first.id, other.id))

    def test_nothing_played_is_nothing_to_compare(self, store: Path) -> None:
        record(store, "simulation", [void(1, "a"), void(1, "b")])
        with pytest.raises(Mistake, match="nothing was played to its end yet"):
            board(store, "simulation")
