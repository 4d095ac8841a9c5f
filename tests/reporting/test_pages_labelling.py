"""What raters are asked and shown: the benchmark's own words, and nothing that tells whose words they read."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interplay.benchmarks import find
from interplay.benchmarks.role_play.rubrics import AGREEMENT
from interplay.benchmarks.task_dialogue.judges import RATINGS
from interplay.core.conversation import Line
from interplay.core.failures import Mistake
from interplay.core.measures import YES_OR_NO, Scale
from interplay.reporting.pages.blind import HIDDEN, Blind, blind
from interplay.reporting.pages.labelling import Rater, asked, told, twice
from interplay.reporting.pages.questions import questions_of
from interplay.reporting.sheets import heard, write_sheet
from interplay.store.passes import Pass
from interplay.store.records import Records, Run
from interplay.store.rounds import Question, Round, Said, Standing
from tests.analysis.planted import acted, rated, record

GOOD = Question("good", "Is it good?", Scale(1, 5))
BAD = Question("bad", "Is it bad?", YES_OR_NO)


def run_of(benchmark: str, **options: str) -> Run:
    identity = {"models": ["m"], "roles": {}, "options": options}
    return Run(1, f"{benchmark}-1", benchmark, identity, {"judges": [], "rubric": ""}, b"", "")


class TestQuestions:
    def test_role_play_is_asked_by_its_rubric_with_the_words_of_its_scale(self) -> None:
        found = {one.name: one for one in questions_of(run_of("role_play"), find("role_play"))}
        assert list(found) == ["in_character", "entertaining", "fluency", "refused"]
        assert found["fluency"].text.startswith("The language is flawless")
        assert found["fluency"].steps == tuple(
            (float(step), float(step), words) for step, words in AGREEMENT.items()
        )
        assert (found["refused"].scale, found["refused"].steps) == (YES_OR_NO, ())

    def test_another_rubric_is_asked_on_its_own_scale(self) -> None:
        (first, *_) = questions_of(run_of("role_play", rubric="v1"), find("role_play"))
        assert first.scale == Scale(1, 10)
        assert [step[0] for step in first.steps] == [1, 5, 8, 10]

    def test_task_dialogue_has_words_for_every_step_of_its_ratings(self) -> None:
        found = {one.name: one for one in questions_of(run_of("task_dialogue"), find("task_dialogue"))}
        for name, bands in RATINGS.items():
            assert [words for _, _, words in found[name].steps] == list(bands.values())
        assert all(len(one.text) > 20 for one in found.values())

    def test_bands_of_a_scale_are_told_together(self) -> None:
        (question,) = asked(questions_of(run_of("simulation"), find("simulation")), {"rating": "7"})
        assert [choice.value for choice in question.choices] == [str(step) for step in range(1, 11)]
        assert question.bands[0][0] == "1 or 2"
        assert (question.answer, question.ends) == ("7", None)

    def test_a_number_is_typed_where_the_scale_has_no_steps(self) -> None:
        (question,) = asked(questions_of(run_of("social_interaction", scene="exchange"), find("anteval")), {})
        assert (question.choices, question.low, question.high, question.step) == ((), "0", "1", "any")

    def test_some_can_be_chosen_and_others_are_refused(self) -> None:
        run, benchmark = run_of("role_play"), find("role_play")
        assert [one.name for one in questions_of(run, benchmark, ["refused", "fluency"])] == [
            "fluency",
            "refused",
        ]
        with pytest.raises(Mistake, match="no criterion 'fluent'; did you mean 'fluency'"):
            questions_of(run, benchmark, ["fluent"])
        with pytest.raises(Mistake, match="nothing for people to label"):
            questions_of(run_of("word_guessing"), find("word_guessing"))

    def test_a_question_is_kept_as_it_is(self) -> None:
        for one in questions_of(run_of("task_dialogue"), find("task_dialogue")):
            assert Question.of(one.as_json()) == one


class TestBlind:
    COVERS = Blind(frozenset(["openai/gpt-4o", "openai/user", "meta/llama-3.1-8b", "m"]))

    @pytest.mark.parametrize(
        ("said", "shown"),
        [
            ("I am openai/gpt-4o.", f"I am {HIDDEN}."),
            ("I am GPT-4o, you know", f"I am {HIDDEN}, you know"),
            ("llama-3.1-8b", HIDDEN),
            ("(meta/llama-3.1-8b)", f"({HIDDEN})"),
            ("the user said m", "the user said m"),
            ("openai/user here", f"{HIDDEN} here"),
            ("megpt-4other", "megpt-4other"),
        ],
    )
    def test_names_are_covered_and_words_stay(self, said: str, shown: str) -> None:
        assert self.COVERS.text(said) == shown

    @given(
        st.recursive(
            st.text() | st.integers() | st.none(), lambda one: st.lists(one) | st.dictionaries(st.text(), one)
        )
    )
    def test_no_name_is_left_in_any_data(self, value: object) -> None:
        found = self.COVERS.data({"a": [value, {"gpt-4o": "by openai/gpt-4o", "b": [value, "gpt-4o"]}]})
        assert "gpt-4o" not in str(found)

    def test_where_a_scenario_came_from_is_left_out(self) -> None:
        assert self.COVERS.data(
            {"id": "x", "origin": "written by somebody", "goal": {"city": "y", "area": "z"}}
        ) == {"goal": {"area": "z"}}

    def test_all_models_of_a_run_are_covered(self, tmp_path: Path) -> None:
        talks = [acted(1, "openai/one-1", **{"openai/judge-1": (1, 2, 3)}), acted(1, "openai/two-2")]
        run = record(tmp_path / "a.db", "role_play", talks)
        with Records(tmp_path / "a.db") as records:
            row = records.conversation(1)
        extent = {
            **run.extent,
            "panels": {"r": {"judges": ["openai/judge-2"]}},
            "pairs": {"judges": ["openai/judge-3"]},
        }
        row = replace(row, cast={**row.cast, "interrogator": "openai/asker-1"})
        names = blind(replace(run, extent=extent), row).names
        assert names == {
            "openai/one-1", "openai/two-2", "openai/asker-1", "openai/judge-1", "openai/judge-2", "openai/judge-3"
        }  # fmt: skip

    def test_what_is_told_to_the_parts_of_a_speaker_alone_is_left_out(self) -> None:
        lines = [
            Line("user", ("system",), "Hello."),
            Line("", ("system state",), "Hello."),
            Line("system state", ("system state",), "{}"),
            Line("", (), "The user frowned."),
            Line("system", ("user",), "Good day."),
        ]
        assert [line.text for line in self.COVERS.lines(lines)] == [
            "Hello.",
            "The user frowned.",
            "Good day.",
        ]


def test_an_answer_that_nobody_heard_is_shown_where_nobody_spoke_to_anybody() -> None:
    lines = [Line("", ("simulator",), "print 1"), Line("simulator", ("simulator",), "1")]
    assert [line.text for line in heard(lines)] == ["print 1", "1"]
    spoken = [*lines, Line("user", ("simulator",), "thanks")]
    assert [line.text for line in heard(spoken)] == ["print 1", "thanks"]


class TestTwice:
    RATER = Rater(
        Pass("s", "rater", "round-1", "ada", ""),
        Standing(Round("round-1", 1, "draw-1", (GOOD, BAD), 2, "", (7, 8)), {}),
    )

    def test_one_answer_is_none(self) -> None:
        assert twice(self.RATER, 1, {}, 0) is None
        assert twice(self.RATER, 1, {"good": [Said(1, 3.0, "a")], "bad": [Said(2, 1.0, "a")]}, 0) is None

    def test_the_last_two_different_ones_are_told_and_the_earlier_can_be_taken_back(self) -> None:
        said = {
            "good": [Said(3, 2.0, "a"), Said(5, 3.0, "b"), Said(7, 5.0, "c")],
            "bad": [Said(4, 1.0, "a")],
        }
        found = twice(self.RATER, 1, said, 2)
        assert found is not None
        assert found["told"] == [
            {"title": "good", "before": "3", "before_at": "b", "now": "5", "now_at": "c"}
        ]
        assert found["answers"] == {"answer_1": "3", "answer_2": "1"}
        assert found["newest"] == 7

    def test_yes_and_no_are_words(self) -> None:
        assert (told(1.0, YES_OR_NO), told(0.0, YES_OR_NO), told(2.5, Scale(1, 5))) == ("yes", "no", "2.5")


def test_the_sheet_of_a_simulation_has_the_answer_that_is_to_be_rated(tmp_path: Path) -> None:
    lines = (Line("", ("simulator",), "1 + 1"), Line("simulator", ("simulator",), "it is 2"))
    record(tmp_path / "a.db", "simulation", [replace(rated(1, j=5), lines=lines)])
    with Records(tmp_path / "a.db") as records:
        write_sheet(tmp_path / "a.csv", records, "draw-1", [1], {"rating": Scale(1, 10)})
    assert "simulator: it is 2" in (tmp_path / "a.csv").read_text()
