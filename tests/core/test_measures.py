"""Measures: what a scale takes from people, what scores come to judge by judge, and what the benchmarks measure."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interplay.benchmarks import find
from interplay.core.benchmark import Score
from interplay.core.failures import Mistake
from interplay.core.measures import YES_OR_NO, Measure, Scale, criteria_of, measure_called

STEPS, SHARE = Scale(1, 5), Scale(0, 1, whole=False)
FINAL = Measure("final", "mean of both", Scale(1, 5, whole=False), of=("warm", "clear"))
FIVE = ("role_play", "simulation", "word_guessing", "task_dialogue", "social_interaction")


def scores(**by_judge: dict[str, float]) -> list[Score]:
    return [Score(name, value, judge) for judge, said in by_judge.items() for name, value in said.items()]


class TestScale:
    @pytest.mark.parametrize(
        ("scale", "text", "value"),
        [
            (YES_OR_NO, "yes", 1.0),
            (YES_OR_NO, "NO", 0.0),
            (YES_OR_NO, "True", 1.0),
            (YES_OR_NO, "0", 0.0),
            (YES_OR_NO, "0.5", None),
            (YES_OR_NO, "maybe", None),
            (STEPS, "1", 1.0),
            (STEPS, "5.0", 5.0),
            (STEPS, "4.5", None),
            (STEPS, "6", None),
            (STEPS, "0", None),
            (STEPS, "yes", None),
            (STEPS, "٣", None),  # a digit, but none of ours
            (STEPS, "nan", None),
            (STEPS, "1e0", None),
            (SHARE, "0.25", 0.25),
            (SHARE, "1", 1.0),
            (SHARE, "1.01", None),
            (SHARE, "-0.5", None),
            (SHARE, "inf", None),
            (Scale(-1, 1), "-1", -1.0),
        ],
    )
    def test_takes_what_is_on_it_and_nothing_else(self, scale: Scale, text: str, value: float | None) -> None:
        assert scale.read(text) == value

    def test_0_to_1_is_yes_or_no_only_in_whole_steps(self) -> None:
        assert YES_OR_NO.is_yes_or_no
        assert not SHARE.is_yes_or_no
        assert not Scale(0, 2).is_yes_or_no

    def test_its_levels_are_its_whole_steps(self) -> None:
        assert STEPS.levels == (1.0, 2.0, 3.0, 4.0, 5.0)
        assert SHARE.levels == ()

    def test_says_what_it_is(self) -> None:
        assert [str(scale) for scale in (YES_OR_NO, STEPS, SHARE)] == [
            "yes or no",
            "a whole number from 1 to 5",
            "a number from 0 to 1",
        ]

    @given(st.text(max_size=12) | st.floats().map(str) | st.integers(-20, 20).map(str))
    def test_nothing_that_is_read_lies_off_it(self, text: str) -> None:
        for scale in (YES_OR_NO, STEPS, SHARE, Scale(-3, 3)):
            found = scale.read(text)
            assert found is None or scale.low <= found <= scale.high
            assert found is None or not scale.whole or found in scale.levels


class TestMeasure:
    def test_is_the_mean_of_the_scores_of_its_name(self) -> None:
        seats = [Score("warm", 2.0, "j"), Score("warm", 3.0, "j"), Score("clear", 5.0, "j")]
        assert Measure("warm", "", STEPS).value(seats) == 2.5
        assert Measure("dull", "", STEPS).value(seats) is None

    def test_a_mean_of_several_weighs_them_alike_and_needs_them_all(self) -> None:
        assert FINAL.value([Score("warm", 2, "j"), Score("warm", 3, "j"), Score("clear", 5, "j")]) == 3.75
        assert FINAL.value([Score("warm", 2, "j")]) is None

    def test_judges_speak_for_themselves_in_the_order_of_their_names(self) -> None:
        found = FINAL.by_source(
            scores(zoe={"warm": 1, "clear": 3}, amy={"warm": 5, "clear": 5}, bob={"warm": 5})
        )
        assert list(found.items()) == [("amy", 5.0), ("zoe", 2.0)]

    def test_a_rule_has_one_voice_whatever_its_scores_are_from(self) -> None:
        by_rule = Measure("age", "", SHARE, by="rule")
        assert by_rule.by_source([Score("age", 0.25, "rule: a"), Score("age", 0.75, "rule: b")]) == {
            "rule": 0.5
        }
        assert by_rule.by_source([]) == {}


class TestNames:
    MEASURES = (
        FINAL,
        Measure("warm", "", STEPS),
        Measure("clear", "", STEPS),
        Measure("age", "", SHARE, "rule"),
    )

    def test_without_a_name_it_is_the_first(self) -> None:
        assert measure_called("", self.MEASURES, "game") is FINAL
        assert measure_called("clear", self.MEASURES, "game").name == "clear"

    def test_a_name_that_is_not_there_is_told_the_nearest(self) -> None:
        with pytest.raises(Mistake, match="game has no measure 'waarm'; did you mean 'warm'"):
            measure_called("waarm", self.MEASURES, "game")

    def test_a_benchmark_without_measures_says_so(self) -> None:
        with pytest.raises(Mistake, match="game has no score of single conversations"):
            measure_called("", (), "game")

    def test_people_are_asked_for_the_single_criteria_of_judges(self) -> None:
        assert criteria_of(self.MEASURES) == {"warm": STEPS, "clear": STEPS}


class TestTheBenchmarks:
    @pytest.mark.parametrize("name", FIVE)
    def test_names_are_unique_and_means_are_of_criteria(self, name: str) -> None:
        benchmark = find(name)
        measures = benchmark.measures(benchmark.settle({}))
        names = [one.name for one in measures]
        assert names
        assert len(set(names)) == len(names)
        for one in measures:
            assert one.meaning
            assert set(one.of) <= set(criteria_of(measures))

    def test_what_judges_and_rules_measure(self) -> None:
        def told(name: str, **options: str) -> dict[str, Any]:
            benchmark = find(name)
            measures = benchmark.measures(benchmark.settle(options))
            return {by: [one.name for one in measures if one.by == by] for by in ("judges", "rule")}

        assert told("role_play") == {
            "judges": ["final", "in_character", "entertaining", "fluency", "refused"],
            "rule": [],
        }
        assert told("simulation") == {"judges": ["rating"], "rule": []}
        assert told("word_guessing")["judges"] == []
        assert told("word_guessing")["rule"][0] == "age"
        assert told("task_dialogue")["judges"][0] == "completed"
        assert told("task_dialogue")["rule"] == ["success", "inform", "book", "request"]
        assert told("social_interaction")["judges"] == ["iep"]
        assert told("social_interaction", scene="intentions")["judges"] == []

    def test_of_flaws_less_is_better(self) -> None:
        flaws = {
            (name, one.name)
            for name in FIVE
            for one in find(name).measures(find(name).settle({}))
            if one.less_is_better
        }
        assert flaws == {
            ("role_play", "refused"),
            ("word_guessing", "violations"),
            ("social_interaction", "passes"),
            ("social_interaction", "empty"),
            ("social_interaction", "repeated"),
        }

    @pytest.mark.parametrize("name", FIVE)
    def test_all_scenarios_are_clustered_in_the_same_number_of_ways(self, name: str) -> None:
        benchmark = find(name)
        scenarios = benchmark.scenarios(benchmark.settle({}), None).scenarios
        ways = [benchmark.ways(scenario) for scenario in scenarios]
        assert {len(way) for way in ways} == {2 if name == "role_play" else 1}
        if name in ("role_play", "simulation", "word_guessing"):
            assert len({way[0] for way in ways}) < len(ways)  # scenarios share a character, a task, two words
