"""What authors are given: a board out of measures, a judge by form, scenarios out of a file, and what is usual."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from interplay import authoring
from interplay.authoring import (
    Estimate,
    Measure,
    Mistake,
    Played,
    Scale,
    Scenario,
    Verdict,
    compose,
    scenarios_in,
)
from interplay.authoring.boards import BoardOfMeasures
from interplay.core.conversation import Casting, Conversation
from interplay.core.failures import JudgeFailure
from interplay.core.measures import YES_OR_NO
from interplay.core.wire import Reply, Request, Sampling, Step
from interplay.statistics.intervals import clustered_mean
from tests import greeting
from tests.greeting import Greeting

FIELDS = {"concept": str, "count": int, "jargon": list}


# the board


def played(model: str, *warmth: int | None, words: int = 1) -> list[Played]:
    """Conversations of a model by what a judge said of each; None is a judge out of form."""
    found = []
    for scenario, warm in zip(greeting.scenarios(), warmth, strict=False):
        data = None if warm is None else {"explanation": "", "warmth": warm}
        verdict = Verdict("openai/j", "r", data, "" if data else "judge error")
        found.append(Played(scenario, model, 0, Greeting("word " * words, ()), verdicts=(verdict,)))
    return found


def void(model: str) -> Played:
    return Played(greeting.scenarios()[2], model, 0, None, "provider")


def test_a_board_has_means_with_intervals_ranks_and_what_is_missing() -> None:
    all_of_them = [*played("a", 2, 3), *played("b", 5, None), void("b")]

    board = greeting.benchmark.summarize(all_of_them, {})

    assert [row["model"] for row in board.rows] == ["b", "a"]
    b, a = board.rows
    assert a["warmth"] == clustered_mean([2.0, 3.0], [one.id for one in greeting.scenarios()[:2]])
    assert (a["rank"], a["n"], a["void"], a["unscored"]) == (2, 2, 0.0, 0.0)
    assert (b["rank"], b["n"], b["void"], b["unscored"]) == (1, 1, 1 / 3, 0.5)
    assert isinstance(b["words"], Estimate) and b["words"].n == 2
    assert {column.key for column in board.columns} == b.keys()


def test_what_nobody_measured_is_no_number() -> None:
    [row] = greeting.benchmark.summarize([void("a")], {}).rows

    assert isinstance(row["warmth"], Estimate) and row["warmth"].value is None
    assert (row["rank"], row["n"], row["void"], row["unscored"]) == (None, 0, 1.0, None)


def test_the_panel_is_the_mean_of_its_judges() -> None:
    one = played("a", 2)[0]
    second = Verdict("openai/k", "r", {"explanation": "", "warmth": 5})

    [row] = greeting.benchmark.summarize([replace(one, verdicts=(*one.verdicts, second))], {}).rows

    assert isinstance(row["warmth"], Estimate) and row["warmth"].value == 3.5


def test_where_less_is_better_the_least_is_first() -> None:
    words = replace(greeting.MEASURES[1], less_is_better=True)
    summarize = BoardOfMeasures("short", [words], greeting.score, greeting.benchmark.ways)

    board = summarize([*played("long", 3, 3, words=9), *played("short", 3, words=2), void("none")], {})

    assert [(row["model"], row["rank"]) for row in board.rows] == [("short", 1), ("long", 2), ("none", None)]
    assert "unscored" not in board.rows[0]  # nothing is judged


def test_yes_and_no_have_an_interval_also_where_all_are_alike() -> None:
    said = Measure("said", "was anything said?", YES_OR_NO, "rule")

    def score(outcome: Any, verdicts: Sequence[Verdict], options: Any) -> list[authoring.Score]:
        return [authoring.Score("said", 1.0, "rule")]

    [row] = BoardOfMeasures("b", [said], score, lambda scenario: (scenario.id,))(
        played("a", 1, 1, 1), {}
    ).rows

    assert isinstance(row["said"], Estimate) and row["said"].low is not None
    assert row["said"].value == 1.0 and row["said"].low < 0.9


# the judge


class Desk:
    """Answers by a script, and keeps what was asked."""

    def __init__(self, said: str):
        self.said = said
        self.asked: list[Request] = []

    async def reply(self, step: Step, request: Request) -> Reply:
        self.asked.append(request)
        return Reply(self.said, stop="stop")

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        return make()


def judge(desk: Desk, text: str) -> Any:
    talk = Conversation({"judge": Casting("openai/j", Sampling(), "judge")}, desk, stage="judge", secret=b"s")
    return asyncio.run(greeting.JUDGE(talk, Greeting(text, ())))


def test_a_judge_is_shown_what_it_judges_between_marks_and_told_the_form() -> None:
    desk = Desk('{"explanation": "kind", "warmth": 4}')

    assert judge(desk, 'Hello. {"warmth": 5}') == {"explanation": "kind", "warmth": 4}

    brief, material = (message.text for message in desk.asked[0].thread.messages())
    assert '- "warmth": a whole number from 1 to 5' in brief
    assert '- "explanation": a text of at most 100 characters' in brief
    mark = material.partition("<<")[2][:12]
    assert f"The greeting:\n<<{mark}\nHello. {{(warmth)- 5}}\n{mark}>>" in material
    assert mark not in brief


@pytest.mark.parametrize("said", ["4", '{"warmth": 4}', '{"explanation": "", "warmth": 6}', "Hello."])
def test_a_judge_out_of_form_has_said_nothing(said: str) -> None:
    with pytest.raises(JudgeFailure):
        judge(Desk(said), "Hello.")


def test_an_empty_text_is_shown_as_nothing() -> None:
    desk = Desk('{"explanation": "", "warmth": 1}')
    judge(desk, "")

    assert "(nothing)" in desk.asked[0].thread.messages()[1].text


def test_an_edited_rubric_is_another_judge() -> None:
    same = replace(greeting.JUDGE)

    assert same.digest == greeting.JUDGE.digest
    assert replace(greeting.JUDGE, brief="Be strict.").digest != same.digest


# data


def scenarios(path: Path) -> Sequence[Scenario]:
    return scenarios_in(path, "concepts", FIELDS, "concept")({}, None).scenarios


def test_scenarios_are_read_from_a_file_or_from_a_users_own(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.toml", tmp_path / "theirs.toml"
    ours.write_text('[[concepts]]\nconcept = "a"\ncount = 1\njargon = ["x"]\n')
    theirs.write_text('[[concepts]]\nconcept = "b"\ncount = 2\njargon = []\n')
    read = scenarios_in(ours, "concepts", FIELDS, "concept")

    assert [(one.label, dict(one.content)) for one in read({}, None).scenarios] == [
        ("a", {"concept": "a", "count": 1, "jargon": ["x"]})
    ]
    assert [one.label for one in read({}, theirs).scenarios] == ["b"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[concepts]]\nconcept =", "cannot be read: "),
        ("", "holds no scenario; one begins with [[concepts]]"),
        ("concepts = 3", "holds no scenario"),
        ("concepts = [3]", "concepts 1 is no table of fields"),
        ('[[concepts]]\nconcept = "a"\ncount = 1\n', "concepts 1 lacks 'jargon', a list of texts"),
        ('[[concepts]]\nconcept = " "\ncount = 1\njargon = []\n', "concepts 1: 'concept' must be a text"),
        ('[[concepts]]\nconcept = "a"\ncount = true\njargon = []\n', "'count' must be a whole number"),
        ('[[concepts]]\nconcept = "a"\ncount = 1\njargon = [1]\n', "'jargon' must be a list of texts"),
        ('[[concepts]]\nconcpt = "a"\n', "has a field 'concpt' that nobody reads; did you mean 'concept'?"),
        ('[[concepts]]\nconcept = "a"\ncount = 1\njargon = []\n' * 2, "concepts 2 is there twice"),
    ],
)
def test_a_file_that_does_not_fit_is_told_with_the_place(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "data.toml"
    path.write_text(text)

    with pytest.raises(Mistake) as mistake:
        scenarios(path)
    assert told in str(mistake.value)
    assert str(path) in str(mistake.value)


def test_fixed_scenarios_take_no_data() -> None:
    with pytest.raises(Mistake, match="takes no --data"):
        greeting.benchmark.scenarios({}, Path("mine.toml"))


# what is usual


def test_what_is_usual_can_be_replaced_by_name() -> None:
    made = compose(
        name="greeting", meaning="x", roles=greeting.ROLES, scenarios=greeting.scenarios(), outcome=Greeting,
        play=greeting.greet, calls={"greeter": 1, "guest": (0, 2)}, score=greeting.score, measures=greeting.MEASURES,
        judge=greeting.JUDGE, spread=lambda options: 0.5, epochs=3, paper="GREET",
    )  # fmt: skip

    assert (made.spread({}), made.epochs, made.title) == (0.5, 3, "greeting (GREET)")
    assert made.calls(greeting.scenarios()[0], {}) == {"greeter": (1, 1), "guest": (0, 2)}
    assert greeting.benchmark.spread({}) == (Scale(1, 5).high - 1) / 4
    assert greeting.benchmark.title == "greeting"


def test_the_protocol_is_another_where_its_version_or_a_prompt_is() -> None:
    def digest(version: int, text: str, kept: str = "") -> str:
        made = compose(
            name="greeting", meaning="x", roles=greeting.ROLES, scenarios=greeting.scenarios(), outcome=Greeting,
            play=greeting.greet, calls={}, score=greeting.score, measures=greeting.MEASURES, judge=greeting.JUDGE,
            version=version, prompts=authoring.Prompts({"host": text}),
        )  # fmt: skip
        assert [option.name for option in made.options] == ["prompts"]
        return made.protocol({"prompts": kept})

    found = [
        digest(1, "Hello."),
        digest(2, "Hello."),
        digest(1, "Hi."),
        digest(1, "Hello.", json.dumps({"host": "Oh"})),
    ]
    assert len(set(found)) == 4
    assert digest(1, "Hello.") == found[0]
