"""The charts of boards: which there are for each benchmark, and what they show."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interplay.benchmarks import ALL, WRITERS, find
from interplay.benchmarks.simulation.dialogue_tables import COLUMNS as DIALOGUES
from interplay.benchmarks.simulation.dialogue_tables import JUDGED_COLUMNS
from interplay.benchmarks.simulation.duel_tables import COLUMNS as DUELS
from interplay.benchmarks.social_interaction.gap_tables import board as gap_board
from interplay.core.board import Board, Cell, Column, Estimate
from interplay.reporting.charts import Chart, charts_of
from interplay.reporting.charts.chart import MOST_ROWS
from interplay.reporting.charts.choosing import BY_BENCHMARK, MOST_CHARTS
from interplay.running.results import board_of
from interplay.running.tally import Tally
from interplay.running.validating import play_into
from interplay.store.records import Records
from tests.benchmarks.social_interaction.test_gap_tables import READINGS, TOLD, WINDOWS

TRIALS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "role_play": ("players with faults", {"limit": 6}),
    "simulation": ("simulators that err", {"limit": 40, "epochs": 1}),
    "word_guessing": ("describers against a listener", {"limit": 33}),
    "task_dialogue": ("systems that mishear", {"limit": 4, "epochs": 2}),
    "social_interaction": ("judges who err", {}),
    "judge_probe": ("judges with planted weaknesses", {"limit": 120}),
}
SESSIONS = {"sessions": "6"}
MODEL = Column("model", "model", "who", "text")
SCORE = Column("score", "score", "how good", "score", (1.0, 5.0))
COST = Column("cost", "cost $", "what it cost", "money")


@cache
def board(name: str) -> Board:
    """The board of a small run, by bots that play over loopback."""
    trial_name, changes = TRIALS[name]
    benchmark = find(name)
    trial = next(one for one in benchmark.trials if one.name == trial_name)
    options = {**trial.options, **(SESSIONS if "sessions" in trial.options else {})}
    with TemporaryDirectory() as folder:
        store = Path(folder) / "trial.db"
        id = play_into(store, benchmark, replace(trial, options=options, **changes), 1, Tally())
        with Records(store) as records:
            return board_of(records, next(run for run in records.runs() if run.id == id), benchmark)


def with_costs(one: Board, *costs: float | None) -> Board:
    """The same board, whose first models cost so much, and the others a dollar."""
    known = [*costs, *[1.0] * len(one.rows)]
    return replace(one, rows=tuple({**row, "cost": cost} for row, cost in zip(one.rows, known, strict=False)))


def scores(count: int, **more: Cell) -> Board:
    rows = [
        {
            "model": f"model-{place}",
            "score": Estimate(5 - place / count, 1.0, 5.0, 9),
            "cost": 1.0 + place,
            **more,
        }
        for place in range(count)
    ]
    return Board("any", (MODEL, SCORE, COST), tuple(rows))


def named(charts: list[Chart], name: str) -> Chart:
    (found,) = (chart for chart in charts if chart.name == name)
    return found


def values(chart: Chart, key: str) -> list[Any]:
    """What the data of a chart have under a key, in order."""
    return [value[key] for data in _data(chart.spec) for value in data if key in value]


def _data(spec: Any) -> list[list[dict[str, Any]]]:
    if isinstance(spec, list):
        return [found for inner in spec for found in _data(inner)]
    if not isinstance(spec, dict):
        return []
    mine = [spec["data"]["values"]] if "data" in spec else []
    return mine + [found for key, inner in spec.items() if key != "data" for found in _data(inner)]


EXPECTED = {
    "role_play": ["score", "criteria", "cost"],
    "simulation": ["score", "scripts", "tasks", "cost"],
    "word_guessing": ["score", "abilities", "topics", "strength", "cost"],
    "task_dialogue": ["score", "endings", "goals", "users", "again", "cost"],
    "social_interaction": ["score", "corrected", "tellers", "matchers", "cost"],
    "judge_probe": ["score", "sees", "kinds", "families", "cost"],
}


@pytest.mark.parametrize("name", TRIALS)
def test_every_benchmark_has_its_charts(name: str) -> None:
    charts = charts_of(with_costs(board(name), 0.5), name)
    assert [chart.name for chart in charts] == EXPECTED[name]
    assert all(re.fullmatch("[a-z_]+", chart.name) for chart in charts)
    for chart in charts:
        assert chart.title and len(chart.alt) > 60 and chart.alt.endswith(".")
        models = [str(row["model"]) for row in board(name).rows]
        assert any(model in chart.alt for model in models) or chart.name in ("tasks", "matchers")


@pytest.mark.parametrize("name", TRIALS)
def test_without_known_costs_there_is_no_chart_of_costs(name: str) -> None:
    assert "cost" not in [chart.name for chart in charts_of(board(name), name)]


def test_charts_are_those_of_benchmarks_that_there_are() -> None:
    known = {one.name for one in (*ALL, *WRITERS)}
    assert set(BY_BENCHMARK) - known == {"agreement"}
    assert {one.name for one in ALL} <= set(BY_BENCHMARK)
    assert all(len(EXPECTED[name]) <= MOST_CHARTS for name in EXPECTED)


def test_the_score_of_each_model_is_drawn_and_told_best_first() -> None:
    one = board("role_play")
    chart = charts_of(one, "role_play")[0]
    models = [str(row["model"]) for row in one.rows]
    assert values(chart, "name") == models
    estimates = [row["ln_score"] for row in one.rows]
    assert all(isinstance(estimate, Estimate) for estimate in estimates)
    assert values(chart, "value") == [
        estimate.value for estimate in estimates if isinstance(estimate, Estimate)
    ]
    places = [chart.alt.index(model) for model in models]
    assert places == sorted(places)
    first = estimates[0]
    assert isinstance(first, Estimate) and f"{first.value:.2f} (" in chart.alt


def test_criteria_stand_side_by_side_by_their_full_names() -> None:
    chart = named(charts_of(board("role_play"), "role_play"), "criteria")
    assert [plot["title"]["text"] for plot in chart.spec["hconcat"]] == [
        "in character",
        "entertaining",
        "fluency",
    ]


def test_many_criteria_stand_in_several_lines() -> None:
    columns = [Column(f"c_{place}", f"c{place}", "", "score", (1.0, 5.0)) for place in range(12)]
    row: dict[str, Cell] = {column.key: Estimate(3.0, 2.0, 4.0, 5) for column in columns}
    aggregate = Column("aggregate", "aggr.", "", "score", (1.0, 5.0))
    rows = ({"model": "a", "aggregate": Estimate(3.0, 2.0, 4.0, 5), **row},)
    chart = named(charts_of(Board("b", (MODEL, aggregate, *columns), rows), "role_play"), "criteria")
    assert [len(line["hconcat"]) for line in chart.spec["vconcat"]] == [3, 3, 3]


def test_the_heat_map_has_every_topic_that_was_played() -> None:
    one = board("word_guessing")
    chart = named(charts_of(one, "word_guessing"), "topics")
    part = next(part for part in one.parts if part.title == "AGE by model and topic")
    topics = [column.title for column in part.columns if column.heat]
    assert set(values(chart, "at")) == set(topics) and len(topics) > 5
    assert min(values(chart, "warmth")) == 0 and max(values(chart, "warmth")) == 1
    assert str(part.rows[0]["model"]) in chart.alt and "has most in" in chart.alt


def test_a_map_of_many_columns_stands_in_several_lines_and_says_what_it_leaves_out() -> None:
    heads = tuple(Column(f"h{place}", f"h{place}", "", "score", (0.0, 1.0), heat=True) for place in range(40))
    rows = [{"model": f"m{place}", **{one.key: place / 40 for one in heads}} for place in range(12)]
    far = {
        "model": "far",
        **dict.fromkeys([one.key for one in heads]),
        "h39": 0.5,
    }  # its only number is not drawn
    part = Board("AGE by model and topic", (MODEL, *heads), (far, *rows))
    chart = named(charts_of(Board("b", (MODEL,), (), parts=(part,)), "word_guessing"), "topics")
    assert len(chart.spec["vconcat"]) == 3
    assert len(set(values(chart, "at"))) == 36 and "Not drawn: 4 rows and 4 columns." in chart.alt
    assert "far" not in values(chart, "name")


def test_tasks_go_from_the_hardest_to_the_easiest() -> None:
    chart = named(charts_of(board("simulation"), "simulation"), "tasks")
    ratings = values(chart, "value")
    assert ratings == sorted(ratings) and len(ratings) > 4
    assert any("(stateful)" in name for name in values(chart, "name"))


def test_dialogues_are_counted_by_how_they_ended() -> None:
    one = board("task_dialogue")
    chart = named(charts_of(one, "task_dialogue"), "endings")
    ends = [value["to"] for data in _data(chart.spec) for value in data if "to" in value]
    assert max(ends) == pytest.approx(1) and values(chart, "right") == ["8 dialogues"] * len(one.rows)
    assert set(values(chart, "part")) <= {"completed", "gave up", "loop", "cap"}


def test_pairs_of_models_share_a_bar() -> None:
    models = ["a v b", "c", "d"]
    rows = [{"model": model, "all": Estimate(5.0, 4.0, 6.0, 9)} for model in models]
    pairs = [
        {"models": f"{first} v {second}", "win": 50.0, "tie": 20.0, "lose": 30.0}
        for first, second in (("a v b", "c"), ("c", "d"))
    ]
    part = Board("Two models on the same scripts", DUELS, tuple(pairs))
    rating = Column("all", "all", "", "score", (1.0, 10.0))
    chart = named(charts_of(Board("b", (MODEL, rating), tuple(rows), (), (part,)), "simulation"), "pairs")
    assert values(chart, "left") == ["a v b", "c"] and values(chart, "right") == ["c", "d"]
    assert "a v b v c left wins 50%, tie 20%, right wins 30%" in chart.alt


def test_collected_dialogues_show_strategies_and_how_many_are_hard() -> None:
    shares = {"improvement": 0.4, "next_step": 0.3, "new_request": 0.2, "other": 0.1, "challenging": 0.6}
    row = {key: Estimate(share, share - 0.1, share + 0.1, 9) for key, share in shares.items()}
    one = Board("collected", DIALOGUES + JUDGED_COLUMNS, ({"model": "m", **row},))
    charts = charts_of(one, "simulation_dialogues")
    assert [chart.name for chart in charts] == ["score", "strategies"]
    assert "improvement 40%, next step 30%, new request 20%, other 10%" in charts[1].alt


@pytest.mark.parametrize("name", ["social_interaction", "social_interaction_reading"])
def test_the_gap_is_shown_with_how_readers_learned(name: str) -> None:
    one = gap_board(READINGS, WINDOWS, TOLD)
    if name == "social_interaction":  # as a run shows what was made of it
        one = Board("intentions", (MODEL,), (), parts=(replace(one, parts=()), *one.parts))
    charts = charts_of(one, name)
    assert [chart.name for chart in charts] == ["gap", "learning", "skills"]
    assert values(charts[0], "name") == ["good, read by light", "poor, read by light", "poor, read by tuned"]
    curve = named(charts, "learning")
    assert set(values(curve, "series")) == {"real play"} and "last speaker" in values(curve, "name")
    assert "real play goes from" in curve.alt


def test_a_board_that_nobody_knows_shows_its_first_score_and_its_costs() -> None:
    assert [chart.name for chart in charts_of(scores(3), "a new benchmark")] == ["score", "cost"]


@pytest.mark.parametrize(
    "costs, drawn",
    [
        ((1.0, 2.0), True),
        ((None, 2.0), False),
        ((0.0, 0.0), False),
        ((0.0, 3.0), True),
        ((None, None), False),
    ],
)
def test_costs_are_drawn_where_they_tell_something(costs: tuple[float | None, ...], drawn: bool) -> None:
    charts = charts_of(with_costs(scores(2), *costs), "")
    assert ("cost" in [chart.name for chart in charts]) == drawn


def test_costs_far_apart_stand_on_a_logarithmic_axis() -> None:
    def axis_of(*costs: float) -> str:
        chart = named(charts_of(with_costs(scores(2), *costs), ""), "cost")
        kind: str = chart.spec["vconcat"][0]["layer"][1]["encoding"]["x"]["scale"]["type"]
        return kind

    assert (axis_of(0.1, 0.2), axis_of(0.001, 10.0), axis_of(0.0, 10.0)) == ("linear", "log", "linear")


def test_numbers_beside_dots_cover_each_other_as_little_as_can_be() -> None:
    crowded = scores(8)
    rows = tuple({**row, "cost": 1.0, "score": Estimate(3.0, None, None, 1)} for row in crowded.rows)
    chart = named(charts_of(replace(crowded, rows=rows), ""), "cost")
    marks = [
        one["mark"] for one in chart.spec["vconcat"][0]["layer"] if one["mark"]["style"] == "mark_number"
    ]
    assert len({(mark["dx"], mark["dy"]) for mark in marks}) == len(rows)


def test_of_many_models_the_first_are_drawn_and_the_rest_is_told() -> None:
    chart = charts_of(scores(60), "")[0]
    assert len(values(chart, "value")) == MOST_ROWS
    assert f"the first {MOST_ROWS} of 60" in chart.alt and "60 models" in chart.alt
    assert "model-0 5.00" in chart.alt and "model-59" in chart.alt


def test_models_whose_cut_names_are_alike_are_told_apart() -> None:
    rows = tuple(
        {"model": f"{'a' * 30}{middle}{'b' * 30}", "score": Estimate(4.0, 3.0, 5.0, 9)} for middle in "xy"
    )
    chart = charts_of(Board("b", (MODEL, SCORE), rows), "")[0]
    first, second = values(chart, "name")
    assert second == f"{first} (2)"
    assert all(str(row["model"]) in chart.alt for row in rows)


@pytest.mark.parametrize("name", [*BY_BENCHMARK, "another"])
def test_a_board_without_numbers_has_no_charts(name: str) -> None:
    nothing = Estimate(None, None, None, 0)
    keys = ["ln_score", "age", "all", "success", "iep", "change", "sees", "challenging", "aggregate", "score"]
    columns = (MODEL, *(Column(key, key, "", "score", (-1.0, 1.0)) for key in keys), COST)
    rows = ({"model": "m", **dict.fromkeys(keys, nothing), "cost": None},)
    assert charts_of(Board("b", columns, rows), name) == []
    assert charts_of(Board("b", columns, ()), name) == []
    assert charts_of(Board("b", (), ()), name) == []


def test_a_row_without_a_number_is_left_out_and_nothing_is_made_of_it() -> None:
    one = scores(3)
    rows = (*one.rows[:1], {**one.rows[1], "score": Estimate(float("nan"), None, None, 0)}, one.rows[2])
    chart = charts_of(replace(one, rows=rows), "")[0]
    assert values(chart, "name") == ["model-0", "model-2"]


cells = st.one_of(
    st.none(),
    st.text(max_size=4),
    st.floats(),
    st.integers(),
    st.builds(
        Estimate,
        st.none() | st.floats(),
        st.none() | st.floats(),
        st.none() | st.floats(),
        st.integers(0, 9),
    ),
)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.text(max_size=9), cells, cells, cells), max_size=5),
    st.sampled_from([*BY_BENCHMARK, ""]),
)
def test_whatever_stands_in_a_cell_charts_are_made_of_what_can_be_drawn(rows: list[Any], name: str) -> None:
    keys = {
        "": ("score", "other"), "role_play": ("ln_score", "aggregate"), "simulation": ("all", "last_only"),
        "word_guessing": ("age", "confusion"), "task_dialogue": ("success", "inform"),
        "judge_probe": ("change", "sees"),
        "social_interaction": ("iep", "corrected"), "agreement": ("a", "b"),
        "simulation_dialogues": ("challenging", "improvement"), "social_interaction_reading": ("gap_o", "f_o"),
    }[name]  # fmt: skip
    columns = (MODEL, *(Column(key, key, "", "score", (-1.0, 1.0)) for key in keys), COST)
    made = tuple({"model": text, keys[0]: one, keys[1]: two, "cost": cost} for text, one, two, cost in rows)
    for chart in charts_of(Board("b", columns, made), name):
        assert all(abs(number) < 1e13 for number in values(chart, "value"))
        assert json.dumps(chart.spec, allow_nan=False)
