"""Rows of the PingPong authors' files: what is read of them, and why the others are not."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.role_play import benchmark
from interplay.benchmarks.role_play.imported import read
from interplay.core.failures import Mistake
from interplay.core.import_files import Skipped
from interplay.core.importing import Imported, Opinion, Reading
from tests.interop.elsewhere import STORM, annotated, card, output, result, scores, write_json, write_lines

Change = Callable[[dict[str, Any]], object]


def reading(path: Path, **more: Any) -> Reading:
    options = more.pop("options", {})
    return Reading(path, benchmark.settle(options), **more)


def one_output(folder: Path, change: Change, **more: Any) -> list[Imported | Skipped]:
    """What is read of a file with one output that was changed."""
    made = output("Ada", STORM, "Fair wind", scores((5, 4), (3, 2), (4, 1), (0, 1)))
    change(made)
    file = write_json(folder / "a.json", result("player-a", "judge-one", [made]))
    return list(read(reading(file, **more)))


def test_a_result_is_the_dialogue_the_scene_and_the_verdict(tmp_path: Path) -> None:
    (found,) = one_output(tmp_path, lambda made: None)
    assert isinstance(found, Imported)
    played = found.played
    assert (found.where, played.subject) == ("output 1", "player-a")
    assert played.cast == {"player": "player-a", "interrogator": "user-mini"}
    assert [(turn.user, turn.player) for turn in played.outcome.turns] == [
        ("storm, first question?", "Ada: Fair wind."),
        ("storm, second question?", "Ada: Fair wind."),
    ]
    assert [(line.source, line.heard_by) for line in found.lines[:2]] == [
        ("interrogator", ("player",)),
        ("player", ("interrogator",)),
    ]
    assert played.scenario.label == "ada / storm"
    assert played.scenario.content == {
        "language": "en",
        "character": {
            "id": "ada",
            "name": "Ada",
            "summary": "Ada keeps a lighthouse.",
            "persona": "You are Ada. You keep a lighthouse and waste no words.",
            "example": "",
            "greeting": "Mind the step.",
        },
        "situation": {"id": "storm", "text": "Ask about the storm that is coming.", "turns": 2},
    }
    (verdict,) = played.verdicts
    assert (verdict.judge, verdict.rubric) == ("judge-one", "imported")
    assert verdict.data == {
        "turns": [
            {"is_refusal": False, "in_character_score": 5, "entertaining_score": 3, "fluency_score": 4},
            {"is_refusal": True, "in_character_score": 4, "entertaining_score": 2, "fluency_score": 1},
        ]
    }
    by_name = {
        (one.name, one.source): one.value
        for one in benchmark.score(played.outcome, [verdict], benchmark.settle({}))
    }
    assert by_name["refused", "judge-one"] == 1.0


BROKEN: dict[str, tuple[Change, str]] = {
    "nothing said": (lambda made: made.update(messages=[]), "messages is empty"),
    "no list": (lambda made: made.update(messages="hello"), "messages must be a list, not a text"),
    "unanswered": (lambda made: made["messages"].pop(), "it has 3 messages; both sides speak in turn"),
    "roles out of order": (
        lambda made: made["messages"].reverse(),
        "messages[0] is by 'assistant', where it is the turn of user",
    ),
    "a system message": (
        lambda made: made["messages"][0].update(role="system"),
        "messages[0] is by 'system', where it is the turn of user",
    ),
    "no message": (lambda made: made["messages"].__setitem__(1, "hm"), "messages[1] is by None"),
    "no text": (
        lambda made: made["messages"][1].update(content=["a"]),
        "messages[1].content must be a text, not a list",
    ),
    "an empty text": (lambda made: made["messages"][1].update(content=" \n"), "messages[1].content is empty"),
    "a long text": (
        lambda made: made["messages"][1].update(content="x" * 100_001),
        "messages[1].content is longer than 100,000 characters",
    ),
    "too few scores": (
        lambda made: made["scores"].update(fluency=[4]),
        "scores.fluency must have a score for each of the player's 2 turns, not 1",
    ),
    "off the scale": (
        lambda made: made["scores"].update(fluency=[4, 9]),
        "scores.fluency has 9, which is not a whole number from 1 to 5",
    ),
    "zero": (lambda made: made["scores"].update(fluency=[0, 4]), "scores.fluency has 0"),
    "half a point": (lambda made: made["scores"].update(fluency=[3.5, 4]), "scores.fluency has 3.5"),
    "a truth for a score": (lambda made: made["scores"].update(fluency=[True, 4]), "scores.fluency has True"),
    "the word false": (
        lambda made: made["scores"].update(is_refusal=["false", 0]),
        "scores.is_refusal has 'false', which is not 0 or 1",
    ),
    "a criterion less": (lambda made: made["scores"].pop("fluency"), "scores must be an object with entertaining"),
    "a criterion more": (lambda made: made["scores"].update(wit=[1, 1]), "scores must be an object with entertaining"),
    "no card": (lambda made: made.pop("character"), "character must be a card or the name of one, not nothing"),
    "a card without text": (
        lambda made: made["character"].pop("system_prompt"),
        "character.system_prompt must be a text, not nothing",
    ),
    "an unknown name": (
        lambda made: made.update(character="Nobody At All"),
        "no --data names the cards, and ours have no character 'Nobody At All'",
    ),
    "no turns": (
        lambda made: made["situation"].update(num_turns=0),
        "situation.num_turns is 0, which is not a whole number from 1 to 100",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_row_is_skipped_with_the_reason(tmp_path: Path, case: str) -> None:
    change, why = BROKEN[case]
    (found,) = one_output(tmp_path, change)
    assert isinstance(found, Skipped)
    assert found.where == "output 1"
    assert found.why.startswith(why), found.why


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ({"version": 1}, "it is a result of version 1; results of version 2 are read"),
        ({"outputs": {}}, "outputs must be a list, not an object"),
        ({"player": {"params": {}}}, "player.model_name must be a text, not nothing"),
        (
            {"judge": {"model_name": "http://x/?key=1"}},
            "judge.model_name is 'http://x/?key=1'; a name is no URL",
        ),
    ],
)
def test_a_head_that_cannot_be_read_skips_the_file(tmp_path: Path, head: dict[str, Any], why: str) -> None:
    file = write_json(tmp_path / "a.json", result("p", "j", [output("Ada", STORM, "x", None)]) | head)
    (found,) = read(reading(file))
    assert isinstance(found, Skipped)
    assert found.where == "the file" and found.why.startswith(why), found.why


def test_who_took_part_may_be_a_name_or_said_beside_the_file(tmp_path: Path) -> None:
    made = result("p", "j", [output("Ada", STORM, "x", scores((4, 4)))])
    file = write_json(tmp_path / "a.json", made | {"player": "plain", "judge": None, "interrogator": ""})
    (left,) = [one for one in read(reading(file)) if isinstance(one, Skipped)]
    assert (
        left.why == "its scores have no judge: name one with --judge NAME; the dialogue is taken without them"
    )
    (found,) = read(reading(file, judge="somebody", model="not this one"))
    assert isinstance(found, Imported)
    assert found.played.cast == {"player": "plain", "interrogator": "unknown"}
    assert found.played.verdicts[0].judge == "somebody"
    del made["player"]
    (nameless,) = read(reading(write_json(tmp_path / "b.json", made)))
    assert isinstance(nameless, Skipped) and "with --model NAME" in nameless.why
    (named,) = read(reading(tmp_path / "b.json", model="m"))
    assert isinstance(named, Imported) and named.played.subject == "m"


def test_cards_that_ship_can_be_named(tmp_path: Path) -> None:
    scenario = benchmark.scenarios(benchmark.settle({}), None).scenarios[3]

    def change(made: dict[str, Any]) -> None:
        made["character"] = scenario.content["character"]["name"]
        made["situation"] = scenario.content["situation"]["id"]

    (found,) = one_output(tmp_path, change)
    assert isinstance(found, Imported)
    assert found.played.scenario.id == scenario.id


def test_rows_of_annotators(tmp_path: Path) -> None:
    human = {"fluency": 4, "in_character": 2.5}
    rows = [
        annotated("Ada", STORM, human, scores=scores((4, 4)), judge="j"),
        annotated("Ada", STORM, human, annotator="bea"),
        annotated("Ada", STORM, {"fluency": 6}),
        annotated("Ada", STORM, {"wit": 3}),
        annotated("Ada", STORM, {"fluency": True}),
        {"messages": [], "character": card("Ada")},
        ["no row"],
    ]
    found = list(read(reading(write_lines(tmp_path / "a.jsonl", rows))))
    taken = [one for one in found if isinstance(one, Imported)]
    assert taken[0].opinions == (Opinion("", "fluency", 4.0), Opinion("", "in_character", 2.5))
    assert taken[0].played.verdicts[0].judge == "j"
    assert {one.rater for one in taken[1].opinions} == {"bea"}
    assert [(one.where, one.why) for one in found if isinstance(one, Skipped)] == [
        ("line 3", "human_scores.fluency is 6, which is not a number from 1 to 5"),
        ("line 4", "human_scores must be an object with some of in_character, entertaining, fluency"),
        ("line 5", "human_scores.fluency is True, which is not a number from 1 to 5"),
        ("line 6", "it does not say who plays the character: name the model with --model NAME"),
        ("line 7", "it is a list; a row is an object with messages, character and situation"),
    ]


def test_another_rubric_would_misread_the_scores(tmp_path: Path) -> None:
    file = write_json(tmp_path / "a.json", result("p", "j", []))
    for options in ({"version": "v1"}, {"rubric": "v1"}):
        with pytest.raises(Mistake, match="by the rubric v2"):
            list(read(reading(file, options=options)))
