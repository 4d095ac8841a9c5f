"""MultiWOZ's dialogues: what is read of its file, with a database beside it or without, and what is left out."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.task_dialogue.dialogue import COMPLETED, UNTOLD, Exchange
from interplay.benchmarks.task_dialogue.goals import read_goals
from interplay.benchmarks.task_dialogue.imported_multiwoz import CHUNK, MULTIWOZ, VISITOR, WIZARD, entries_in
from interplay.benchmarks.task_dialogue.scenarios import scenarios
from interplay.benchmarks.task_dialogue.scoring import objective_scores, rule_scores
from interplay.benchmarks.task_dialogue.tables import summarize
from interplay.core.conversation import Line
from interplay.core.failures import Mistake
from interplay.core.import_files import Row, Skipped
from interplay.core.importing import Imported
from tests.benchmarks.elsewhere import (
    BENCHMARK,
    GOAL,
    OPTIONS,
    SERVED,
    UNSERVED,
    left_in,
    log,
    multiwoz,
    played_in,
    read,
    unified,
    write,
    write_database,
)


def test_people_hold_a_dialogue_of_multiwoz(tmp_path: Path) -> None:
    path = write(tmp_path / "data.json", {"SNG1.json": multiwoz(*SERVED)})
    [one] = read(MULTIWOZ, path, model="")
    assert isinstance(one, Imported)
    assert (one.where, one.played.subject, one.played.scenario.label) == ("SNG1.json", WIZARD, "SNG1")
    assert one.played.cast == {"system": WIZARD, "user": VISITOR}
    dialogue = one.played.outcome
    assert dialogue.exchanges == (Exchange(*SERVED[:2]), Exchange(*SERVED[2:]))
    assert (dialogue.ended, dialogue.closing, dialogue.has_office) == (UNTOLD, "", False)
    assert one.lines[:2] == (Line("user", ("system",), SERVED[0]), Line("system", ("user",), SERVED[1]))


def test_with_a_database_beside_it_inform_and_request_are_told_and_nothing_of_bookings(
    tmp_path: Path,
) -> None:
    write_database(tmp_path)
    booked = {**GOAL, "restaurant": {**GOAL["restaurant"], "book": {"people": "2", "invalid": False}}}
    dialogues = {
        "served": multiwoz(*SERVED),
        "unserved": multiwoz(*UNSERVED),
        "booked": multiwoz(*SERVED, goal=booked),
    }
    found = played_in(read(MULTIWOZ, write(tmp_path / "data.json", dialogues)))
    assert [objective_scores(one.outcome) for one in found] == [
        {"success": 1.0, "inform": 1.0, "request": 1.0},
        {"success": 0.0, "inform": 0.0, "request": 0.0},
        {"inform": 1.0, "request": 1.0},
    ]


def test_without_a_database_they_are_absent_and_no_zeros(tmp_path: Path) -> None:
    found = played_in(read(MULTIWOZ, write(tmp_path / "data.json", {"a": multiwoz(*UNSERVED)})))
    numbers = rule_scores(found[0].outcome)
    assert not {"success", "inform", "book", "request", "ended_early"} & numbers.keys()
    assert numbers["match"] == 1.0
    board = summarize(found, OPTIONS)
    assert "Success is not known" in " ".join(board.notes)


def test_the_database_may_be_named_and_goals_are_the_same_as_when_they_are_played(tmp_path: Path) -> None:
    town, dialogues = tmp_path / "town", tmp_path / "dialogues"
    (town / "db").mkdir(parents=True)
    dialogues.mkdir()
    write_database(town / "db")
    write(town / "goals.json", {"SNG1": GOAL})
    path = write(dialogues / "data.json", {"SNG1.json": multiwoz(*SERVED)})
    [one] = played_in(read(MULTIWOZ, path, data=town))
    [played] = scenarios(OPTIONS, town).scenarios
    assert one.scenario == played
    with pytest.raises(Mistake, match="no folder with a database"):
        read(MULTIWOZ, path, data=path)


def test_the_unified_form_has_its_goals_in_words_alone(tmp_path: Path) -> None:
    write_database(tmp_path)
    found = played_in(read(MULTIWOZ, write(tmp_path / "dialogues.json", [unified(*SERVED)])))
    [one] = found
    assert one.scenario.label == "SNG1"
    assert one.scenario.content["goal"] == {}
    assert one.outcome.exchanges == (Exchange(*SERVED[:2]), Exchange(*SERVED[2:]))
    numbers = rule_scores(one.outcome)
    assert numbers["match"] == 3 / 4  # that food is of restaurants is known of domains, not of words
    assert not {"success", "inform", "request", "pace", "ended_early"} & numbers.keys()
    summary = summarize(found, OPTIONS)
    assert "By kind of goal" not in [part.title for part in summary.parts]
    [row] = next(part for part in summary.parts if part.title == "How dialogues ended").rows
    assert (row[UNTOLD], row[COMPLETED]) == (1, 0)


def test_a_goal_without_marked_phrases_can_be_judged_and_last_words_may_be_unanswered(tmp_path: Path) -> None:
    goal = {**GOAL, "message": "Task 7: You want italian food in the centre."}
    path = write(tmp_path / "data.json", {"WOZ1.json": multiwoz(*SERVED, "Goodbye.", goal=goal)})
    [one] = played_in(read(MULTIWOZ, path))
    assert one.outcome.closing == "Goodbye."
    assert BENCHMARK.judging(OPTIONS).calls(one.scenario, {}, "openai/judge") == (3, 3)
    assert "match" not in rule_scores(one.outcome)


def test_parts_that_are_nothing_are_left_out(tmp_path: Path) -> None:
    places = {"restaurant": {"info": {}, "book": None}, "hotel": {"info": {}, "book": None}}
    goal = {**GOAL, **places, "taxi": {"info": None}}
    [one] = played_in(read(MULTIWOZ, write(tmp_path / "data.json", {"a": multiwoz(*SERVED, goal=goal)})))
    info = one.outcome.goal["goal"]["taxi"]["info"]
    assert info == {"departure": "@restaurant", "destination": "@hotel"}


def nested(depth: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


BROKEN: Mapping[str, tuple[object, str]] = {
    "no object": (["a"], "it is no object"),
    "a goal alone": (GOAL, "it has no log of turns"),
    "no log": (multiwoz(log=[]), "nobody answers in it"),
    "one side": (multiwoz(SERVED[0]), "nobody answers in it"),
    "no goal": (multiwoz(*SERVED, goal=None), "its goal needs a message and domains"),
    "a strange part": (
        multiwoz(*SERVED, goal={**GOAL, "hotel": {"infos": {}}}),
        "its goal, hotel has 'infos'",
    ),
    "a strange value": (
        multiwoz(*SERVED, goal={**GOAL, "hotel": {"info": {"stars": [4]}}}),
        "stars must be a text",
    ),
    **{
        f"a {domain} that is {kind}": (
            multiwoz(*SERVED, goal={**GOAL, domain: parts}),
            f"its goal, {domain} must be an object",
        )
        for domain in ("taxi", "restaurant", "hotel")
        for kind, parts in (("a text", "to the station"), ("a list", [1]), ("a number", 7))
    },
    **{
        f"a taxi whose {name} is {kind}": (
            multiwoz(*SERVED, goal={**GOAL, "taxi": {name: content}}),
            f"its goal, taxi, {name} must be an object",
        )
        for name in ("info", "book")
        for kind, content in (("a text", "now"), ("a list", ["now"]), ("a number", 7))
    },
    "a booking at a place that is no object": (
        multiwoz(*SERVED, goal={**GOAL, "taxi": {"info": {}}, "hotel": {"info": {}, "book": "two nights"}}),
        "its goal, hotel, book must be an object",
    ),
    "a goal that is nested deeply": (
        multiwoz(*SERVED, goal={**GOAL, "hotel": nested(600)}),
        "its goal is nested too deeply",
    ),
    "no text": (multiwoz(log=[{"metadata": {}}, *log(*SERVED)[1:]]), "log[0].text must be a text, not nothing"),
    "the user says nothing": (multiwoz("", "Hello."), "log[0].text is empty"),
    "the system first": (multiwoz(log=log(*SERVED)[1:]), "log[0] should be the user's"),
    "unified, no words for the goal": (unified(*SERVED, goal={"inform": {}}), "goal.description must be a text"),
    "unified, out of turn": (
        unified(turns=[{"speaker": "system", "utterance": "Hello."}]),
        "they do not take turns",
    ),
    "unified, nobody": (unified(turns=[{"speaker": "USER", "utterance": "x"}]), "not 'USER'"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_dialogue_is_named_and_the_others_are_taken(tmp_path: Path, name: str) -> None:
    entry, why = BROKEN[name]
    found = read(MULTIWOZ, write(tmp_path / "data.json", {"bad": entry, "good": multiwoz(*SERVED)}))
    [(where, told)] = left_in(found)
    assert where == "bad"
    assert why in told
    assert len(found) == 2


def test_texts_that_no_store_could_hold_are_cleaned(tmp_path: Path) -> None:
    goal = {**GOAL, "restaurant": {"info": {"food": "ital\ud800ian"}, "reqt": ["ph\0one"]}}
    path = write(tmp_path / "data.json", {"od\ud800d": multiwoz("Half \udfff.", "No\0thing.", goal=goal)})
    [one] = read(MULTIWOZ, path)
    assert isinstance(one, Imported)
    kept = json.dumps([one.played.scenario.content, [line.text for line in one.lines]], ensure_ascii=False)
    assert kept.encode()
    assert "\\u0000" not in kept


def test_a_large_file_is_read_entry_by_entry(tmp_path: Path) -> None:
    long = "a word " * (CHUNK // 20)  # three entries are more than one piece of the file
    content = {f"D{number}.json": {"log": [number], "x": f'{long}"}},{{\\'} for number in range(7)}
    path = tmp_path / "data.json"
    path.write_text(json.dumps(content, indent=1), encoding="utf-8-sig")
    assert list(entries_in(path)) == [Row(name, value) for name, value in content.items()]
    path.write_text(json.dumps(list(content.values())))
    assert [row.where for row in entries_in(path)] == [f"entry {number}" for number in range(1, 8)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1, "b": }', [Row("a", 1), Skipped("after a", "it is no JSON, and nothing from there on is read")]),
        ('{"a": 1', [Row("a", 1), Skipped("after a", "it is no JSON, and nothing from there on is read")]),
        ('{"a": {}, "a": {}}', [Row("a", {}), Skipped("a", "its name is there twice")]),
        ('[{"x": NaN}, [], {"y": 1, "y": 2}]', [
            Skipped("entry 1", "NaN in it is no number"), Row("entry 2", []),
            Skipped("entry 3", "it has a name twice in one object"),
        ]),
        ('{"a": 1}\n{"b": 2}', [
            Row("a", 1), Skipped("after a", "it is no JSON, and nothing from there on is read"),
        ]),
        (f'[{{"x": {"9" * 5_000}}}, [{"9" * 4_000}]]', [
            Skipped("entry 1", "a number in it is too long"), Row("entry 2", [10**4_000 - 1]),
        ]),
        ("{}", []),
        (" [ ] \n", []),
    ],
)  # fmt: skip
def test_what_is_no_json_is_named_where_it_begins(
    tmp_path: Path, text: str, expected: list[Row | Skipped]
) -> None:
    path = tmp_path / "data.json"
    path.write_text(text)
    assert list(entries_in(path)) == expected


@pytest.mark.parametrize("text", ["version https://git-lfs", "12", ""])
def test_what_is_no_object_and_no_list_is_a_mistake_or_has_nothing(tmp_path: Path, text: str) -> None:
    path = tmp_path / "data.json"
    path.write_text(text)
    if text:
        with pytest.raises(Mistake, match="no JSON object or list"):
            list(entries_in(path))
    else:
        assert [one.where for one in entries_in(path)] == ["after the beginning"]
    with pytest.raises(Mistake, match="cannot be read"):
        list(entries_in(tmp_path / "nowhere.json"))


def test_bytes_that_are_no_text_end_a_file(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    path.write_bytes(b'{"a": "' + b"x" * 20 + b'\xff"}')
    [left] = entries_in(path)
    assert isinstance(left, Skipped)
    assert "no UTF-8 text" in left.why


def test_every_goal_of_multiwoz_can_be_that_of_a_dialogue(originals: Path, tmp_path: Path) -> None:
    path = originals / "multiwoz" / "goals_val.json"
    goals = json.loads(path.read_text())
    held = {f"{name}.json": {"goal": {**goal, "topic": {"taxi": True}}, "log": log("Hello.", "Yes?")}
            for name, goal in goals.items()}  # fmt: skip
    found = read(MULTIWOZ, write(tmp_path / "data.json", held), data=originals / "multiwoz")
    assert [one.outcome.goal for one in played_in(found)] == [goal.content() for goal in read_goals(path)]
    assert len(found) == 999
