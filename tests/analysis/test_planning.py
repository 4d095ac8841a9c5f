"""Planning: rows by hand from the formulas of power, costs as a plan has them, mistakes in a line, nothing written."""

import re
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from interplay.analysis.planning import Design, Spread, power_board
from interplay.benchmarks import find
from interplay.core.board import Board
from interplay.running.forecast import Forecast
from interplay.statistics.power import detectable_difference, effective_n, scenarios_needed
from tests.analysis.planted import Office, office, rated, record, script
from tests.cli.duelists import write_scripts
from tests.cli.provider import write_prices

__all__ = ["office"]  # a fixture
SPREAD = 2.0  # of a simulation, as the benchmark guesses
PRICES = {"cheap": (1, 2), "dear": (30, 90), "judge": (3, 15)}
NOTHING = Forecast(0, 0, (), 0, 0.0)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none is used")


def by_n(board: Any) -> dict[int, Any]:
    return {row["n"]: row for row in board["rows"]}


def needed(board: Any) -> int:
    [told] = [note for note in board["notes"] if note.startswith("A true difference of")]
    found = re.search(r"needs ([0-9,]+) scenarios", told)
    assert found is not None
    return int(found[1].replace(",", ""))


class TestRows:
    def test_two_rows_by_hand(self, office: Office) -> None:
        data = write_scripts(office.folder, 40)  # of five tasks: clusters
        board = office.reads("power", "simulation", "--data", str(data), "--compare", "3")
        assert list(by_n(board)) == [8, 16, 32, 40]
        for n, row in by_n(board).items():
            freedom = 4 if n > 8 else 3  # the first eight are of four tasks
            assert row["one"] == pytest.approx(detectable_difference(SPREAD, n, freedom=freedom))
            assert row["all"] == pytest.approx(
                detectable_difference(SPREAD, n, comparisons=3, freedom=freedom)
            )
            assert row["conversations"] == 3 * n
            assert row["calls"] == 2 * 3 * n  # an answer and a rating
        assert board["title"] == "simulation: what n scenarios cost and can show, 3 models"
        assert "cost" not in board["columns"]
        assert any("Scenarios share what they are made of" in note for note in board["notes"])

    def test_two_models_are_one_pair(self, office: Office) -> None:
        board = office.reads("power", "task_dialogue")
        assert "all" not in board["columns"]
        row = by_n(board)[16]
        assert row["one"] == pytest.approx(detectable_difference(0.6, 16, freedom=15))
        assert row["conversations"] == 32

    def test_repeats_count_for_less_than_scenarios(self, office: Office) -> None:
        data = write_scripts(office.folder, 16)
        once = by_n(office.reads("power", "simulation", "--data", str(data)))[16]
        board = office.reads("power", "simulation", "--data", str(data), "--epochs", "4")
        four = by_n(board)[16]
        worth = effective_n(16, 4, 0.5)
        assert four["one"] == pytest.approx(detectable_difference(SPREAD, worth, freedom=4))
        assert once["one"] / 2 < four["one"] < once["one"]
        assert (four["conversations"], four["calls"]) == (4 * 32, 4 * 64)
        assert any("alike by a correlation of 0.5" in note for note in board["notes"])

    def test_fewer_than_two_clusters_show_nothing(self, office: Office) -> None:
        data = write_scripts(office.folder, 1)
        [row] = office.reads("power", "simulation", "--data", str(data))["rows"]
        assert (row["n"], row["one"]) == (1, None)

    def test_an_option_of_the_benchmark_changes_the_plan(self, office: Office) -> None:
        some = office.reads("power", "word_guessing", "--set", "rounds=1", "--epochs", "1")
        most = office.reads("power", "word_guessing", "--set", "rounds=5", "--epochs", "1")
        assert 0 < by_n(some)[8]["calls"] < by_n(most)[8]["calls"]


class TestDifference:
    @pytest.mark.parametrize("difference", [0.2, 0.3, 0.5, 0.7])
    @pytest.mark.parametrize("models", [2, 4])
    def test_the_answer_is_where_the_table_first_sees_it(self, difference: float, models: int) -> None:
        found = find("task_dialogue")
        options = found.settle({})
        scenarios = found.scenarios(options, None).scenarios

        def board(scenarios: Sequence[Any]) -> Board:
            spread = Spread(found.spread(options))
            return power_board(
                Design(found, options, scenarios, models, 1, spread, difference), NOTHING, False
            )

        n = needed(board(scenarios).as_json())
        column = "one" if models == 2 else "all"
        assert n < len(scenarios)
        assert board(scenarios[:n]).as_json()["rows"][-1][column] <= difference
        assert board(scenarios[: n - 1]).as_json()["rows"][-1][column] > difference

    def test_more_than_there_are_says_so(self, office: Office) -> None:
        data = write_scripts(office.folder, 40)
        words = ("power", "simulation", "--data", str(data), "--difference")
        board = office.reads(*words, "0.1")
        n = needed(board)
        assert n > 40
        assert (
            detectable_difference(SPREAD, n, freedom=4)
            <= 0.1
            < detectable_difference(SPREAD, n - 1, freedom=4)
        )
        assert any(
            "there are 40: more --epochs, or data of your own, go further" in x for x in board["notes"]
        )
        repeated = office.reads(*words, "0.1", "--epochs", "2")
        assert needed(repeated) == pytest.approx(scenarios_needed(n, 2, 0.5), abs=1)
        assert any("each played 2 times" in note for note in repeated["notes"])
        among = office.reads(*words, "0.1", "--compare", "4")
        assert needed(among) > n
        assert any("A true difference of 0.1 among 6 pairs" in note for note in among["notes"])


class TestLikeARun:
    def test_the_spread_that_a_run_showed(self, office: Office) -> None:
        differences = [Random(n).choice((-1, 0, 1, 2)) for n in range(20)]
        talks = [rated(n, "a", j=5 + one) for n, one in enumerate(differences)]
        run = record(office.store, "simulation", [*talks, *(rated(n, "b", j=5) for n in range(20))]).id
        mean = sum(differences) / 20
        size = (sum((one - mean) ** 2 for one in differences) / 19) ** 0.5
        data = write_scripts(office.folder, 16)
        board = office.reads("power", "simulation", "--like", run, "--data", str(data))
        assert by_n(board)[16]["one"] == pytest.approx(detectable_difference(size, 16, freedom=4))
        assert any(
            f"spread by {size:.2g} (standard deviation): what {run} showed" in x for x in board["notes"]
        )

    def test_and_how_alike_its_repeats_were(self, office: Office) -> None:
        talks = [rated(n, "a", repeat=r, j=5 + n % 3) for n in range(12) for r in (0, 1)]
        talks += [rated(n, "b", repeat=r, j=5) for n in range(12) for r in (0, 1)]
        record(office.store, "simulation", talks)
        board = office.reads("power", "simulation", "--like", "last", "--epochs", "2")
        assert any("alike by a correlation of 1." in note for note in board["notes"])

    def test_mistakes(self, office: Office) -> None:
        assert "there is no store" in office.mistakes("power", "simulation", "--like", "last")
        run = record(office.store, "simulation", [rated(1, m, j=5) for m in "ab"]).id
        told = office.mistakes("power", "simulation", "--like", "last")
        assert f"{run} has no two models with two or more scenarios in common" in told
        assert f"{run} is a run of simulation, not of role_play" in office.mistakes(
            "power", "role_play", "--like", "last"
        )
        assert "there is no run 'nobody'" in office.mistakes("power", "simulation", "--like", "nobody")
        record(office.store, "simulation", [rated(n, m, j=5 + n % 3) for n in range(9) for m in "cd"])
        assert "shows no spread to plan by" in office.mistakes("power", "simulation", "--like", "last")


class TestCost:
    def words(self, office: Office, *models: str) -> tuple[str, ...]:
        data, prices = write_scripts(office.folder, 40), write_prices(office.folder, PRICES)
        named = [part for name in models for part in ("--model", f"openai/{name}")]
        judge = ("--model-role", "judge=openai/judge", "--models", str(prices))
        return ("simulation", "--data", str(data), *named, *judge)

    @pytest.mark.parametrize("models", [("cheap", "dear"), ("dear", "cheap")])
    def test_every_named_model_costs_its_own_price(self, office: Office, models: tuple[str, ...]) -> None:
        words = self.words(office, *models)
        board = office.reads("power", *words)
        plan = office.reads("run", *words, "--plan")
        rows = by_n(board)
        assert rows[40]["cost"] == pytest.approx(plan["cost"][0])
        assert rows[40]["tokens"] == plan["tokens"][0]
        assert rows[8]["cost"] == pytest.approx(plan["cost"][0] / 5)
        assert rows[40]["calls"] == plan["calls"][1]

    def test_unnamed_models_cost_as_much_as_named_ones(self, office: Office) -> None:
        words = self.words(office, "cheap")
        plan = office.reads("run", *words, "--plan")
        board = office.reads("power", *words, "--compare", "5")
        assert by_n(board)[40]["cost"] == pytest.approx(5 * plan["cost"][0])
        assert by_n(board)[40]["conversations"] == 200
        twice = office.reads("power", *words, "--model", "openai/cheap")
        assert by_n(twice)[40]["cost"] == pytest.approx(2 * plan["cost"][0])

    def test_an_unknown_price_is_unknown(self, office: Office) -> None:
        words = self.words(office, "cheap", "nameless")
        assert by_n(office.reads("power", *words))[40]["cost"] is None
        assert "unknown" in office.types("power", *words)


class TestTables:
    FOUR = ("power", "word_guessing", "--set", "experiment=four", "--epochs", "1", "--set", "rounds=1")

    def named(self, count: int) -> list[str]:
        return [part for n in range(count) for part in ("--model", f"openai/m{n}")]

    def test_every_choice_of_models_sits_down(self, office: Office) -> None:
        four = by_n(office.reads(*self.FOUR, *self.named(4)))
        five = by_n(office.reads(*self.FOUR, *self.named(5)))
        assert five[8]["conversations"] == 5 * four[8]["conversations"]
        assert five[8]["calls"] == pytest.approx(5 * four[8]["calls"], abs=5)
        planned = by_n(office.reads(*self.FOUR, *self.named(4), "--compare", "6"))
        assert planned[8]["conversations"] == 15 * four[8]["conversations"]

    def test_too_few_are_a_mistake(self, office: Office) -> None:
        assert "4 different models sit down together here, and 1 is named" in office.mistakes(*self.FOUR)
        told = office.mistakes(*self.FOUR, *self.named(4), "--compare", "3")
        assert "4 different models sit down together here: --compare is 4 or more, not 3" in told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("simulatio",), "there is no benchmark 'simulatio'; did you mean 'simulation'?"),
        (("simulation", "--set", "nope=1"), "--set takes OPTION=VALUE of simulation, not 'nope=1'"),
        (("simulation", "--difference", "-1"), "-1.0 is not in the range x>=1e-06"),
        (("simulation", "--difference", "0"), "0.0 is not in the range x>=1e-06"),
        (("simulation", "--difference", "nan"), "--difference"),
        (("simulation", "--compare", "1"), "1 is not in the range 2<=x<=1000"),
        (("simulation", "--epochs", "0"), "0 is not in the range x>=1"),
        (("simulation", "--data", "nowhere.jsonl"), "nowhere.jsonl cannot be read"),
        (("simulation", "--model-role", "jugde=openai/x"), "did you mean 'judge'?"),
        (
            ("social_interaction", "--set", "scene=intentions"),
            "social_interaction gives no score to single conversations here",
        ),
    ],
)
def test_mistakes_are_one_line(office: Office, words: tuple[str, ...], told: str) -> None:
    assert told in office.mistakes("power", *words)


def test_nothing_is_written(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(office.folder)
    shown = office.types("power", "simulation", "--difference", "1")
    board = office.reads("power", "simulation", "--difference", "1")
    assert board["title"] in shown
    assert all(f"{row['one']:.2f}" in shown for row in board["rows"])
    assert list(office.folder.iterdir()) == []


def test_scripts_of_one_task_are_one_cluster() -> None:
    """Eight scripts of one task have no test of their own, however many they are."""
    found = find("simulation")
    options = found.settle({})
    same = [script(12 * n) for n in range(8)]
    [row] = power_board(Design(found, options, same, 2, 1, Spread(SPREAD), 1.0), NOTHING, False).as_json()[
        "rows"
    ]
    assert row["one"] is None
