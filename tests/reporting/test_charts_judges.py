"""Judges against people: each judge's points, moved a little and always in the same way."""

from typing import Any

import pytest

from interplay.analysis.entries import Entry
from interplay.core.benchmark import Scenario
from interplay.core.measures import YES_OR_NO, Measure, Scale
from interplay.reporting.charts import judge_pairs, judge_scatter, svg
from interplay.reporting.charts.judges import MOST_DOTS, MOST_JUDGES

FIVE = Scale(1, 5)
PAIRS = [(float(one), float(two), judge) for judge in ("b", "a") for one in range(1, 6) for two in (one, 3)]


def dots(plot: Any) -> list[tuple[float, float]]:
    return [(dot["human"], dot["judge"]) for dot in plot["layer"][1]["data"]["values"]]


def test_each_judge_has_a_plot_with_all_that_both_said() -> None:
    chart = judge_scatter(PAIRS, "fluency", FIVE)
    assert chart is not None
    assert [plot["title"]["text"] for plot in chart.spec["concat"]] == ["a", "b"]
    for plot in chart.spec["concat"]:
        nearest = sorted((round(human), round(judge)) for human, judge in dots(plot))
        assert nearest == sorted((one, two) for one, two, judge in PAIRS if judge == "a")


def test_points_are_moved_within_their_step_and_the_same_on_every_page() -> None:
    first, second = (judge_scatter(order, "fluency", FIVE) for order in (PAIRS, PAIRS[::-1]))
    assert first is not None and second is not None
    assert first.spec == second.spec
    (plot, _) = first.spec["concat"]
    moved = [abs(number - round(number)) for both in dots(plot) for number in both]
    assert 0 < max(moved) < 0.2
    assert len(set(dots(plot))) == len(dots(plot))  # though two of them say the same


def test_values_between_steps_are_hardly_moved() -> None:
    chart = judge_scatter([(1.25, 4.75, "a")], "final", FIVE)
    assert chart is not None
    assert dots(chart.spec["concat"][0])[0] == pytest.approx((1.25, 4.75), abs=0.04)


def test_no_point_leaves_its_plot_and_the_line_of_equals_goes_right_across() -> None:
    for pairs, scale in ((PAIRS, FIVE), ([(0.0, 1.0, "a"), (1.0, 1.0, "a")], YES_OR_NO)):
        chart = judge_scatter(pairs, "x", scale)
        assert chart is not None
        for plot in chart.spec["concat"]:
            line, cloud = plot["layer"]
            low, high = cloud["encoding"]["x"]["scale"]["domain"]
            assert line["data"]["values"] == [{"from": low, "to": high}]
            assert all(low <= number <= high for both in dots(plot) for number in both)


def test_yes_and_no_are_the_only_ticks_where_there_is_nothing_between() -> None:
    chart = judge_scatter([(0.0, 1.0, "a")], "refused", YES_OR_NO)
    assert chart is not None
    axis = chart.spec["concat"][0]["layer"][1]["encoding"]["y"]["axis"]
    assert axis["values"] == [0, 1]
    drawn = svg(chart, dark=False)
    assert ">yes<" in drawn and ">no<" in drawn


def test_who_does_not_see_it_is_told_on_which_side_judges_are() -> None:
    chart = judge_scatter(
        [(2.0, 3.0, "mild"), (2.0, 2.5, "mild"), (4.0, 2.0, "strict"), (3.0, 3.0, "fair")], "it"
    )
    assert chart is not None
    assert "mild is on average 0.75 above people, over 2" in chart.alt
    assert "strict is on average 2.00 below people, over 1" in chart.alt
    assert "fair is on average level with people, over 1" in chart.alt


def test_of_very_many_points_and_judges_some_are_drawn_and_all_are_told() -> None:
    many = [(1.0, 2.0, f"judge {judge}") for judge in range(MOST_JUDGES + 2) for _ in range(MOST_DOTS + 1)]
    chart = judge_scatter(many, "it")
    assert chart is not None
    assert [len(dots(plot)) for plot in chart.spec["concat"]] == [MOST_DOTS] * MOST_JUDGES
    assert f"over {MOST_DOTS + 1}" in chart.alt and f"judge {MOST_JUDGES + 1}" in chart.alt


def test_without_a_pair_that_can_be_drawn_there_is_no_chart() -> None:
    assert judge_scatter([], "it") is None
    assert (
        judge_scatter([(float("nan"), 1.0, "a"), (1.0, float("inf"), "a"), (1e300, 1.0, "a")], "it") is None
    )


def test_hostile_names_are_text() -> None:
    chart = judge_scatter([(1.0, 2.0, "<script>\x00\ud800" + "x" * 10_000), (1.0, 2.0, "")], "\x00<b>")
    assert chart is not None
    drawn = svg(chart, dark=True)
    assert "<script" not in drawn and "&lt;script&gt;" in drawn
    assert "\x00" not in chart.title + chart.alt


def entry(number: int, **values: float) -> Entry:
    scenario = Scenario({"n": number}, str(number))
    return Entry("run", number, scenario, "model", 0, (), {}, values, "scored")


def test_pairs_are_of_conversations_that_people_labelled_and_judges_judged() -> None:
    measure = Measure("fluency", "how fluent", FIVE)
    people = {(1, "fluency"): 4.0, (2, "fluency"): 2.0, (1, "other"): 1.0, (9, "fluency"): 5.0}
    entries = [entry(1, a=3.0, b=5.0), entry(2), entry(3, a=1.0)]
    assert judge_pairs(entries, people, measure) == [(4.0, 3.0, "a"), (4.0, 5.0, "b")]
