"""Goals: what a file may hold, key phrases, and MultiWOZ's form with what its messages leave unsaid."""

import json
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.task_dialogue.city import read_city
from interplay.benchmarks.task_dialogue.goals import goal_of, read_goals
from interplay.benchmarks.task_dialogue.scenarios import scenarios
from interplay.core.failures import Mistake

CONTENT: dict[str, Any] = {
    "id": "G1",
    "goal": {
        "taxi": {"info": {"departure": "@hotel", "destination": "@restaurant", "leaveAt": "18:00"}, "reqt": ["phone"]},
        "restaurant": {
            "info": {"food": "indian", "area": "centre"},
            "fail_info": {"food": "greek", "area": "centre"},
            "book": {"people": 4, "day": "saturday", "time": "19:00"},
            "fail_book": {"time": "18:30"},
            "reqt": ["phone", "address"],
        },
    },
    "message": ["You want **greek** food in the **centre**",
                "If there is none, **indian**, for **4  people**.", "**indian**"],
}  # fmt: skip


def changed(**parts: Any) -> dict[str, Any]:
    return {**CONTENT, **parts}


def test_a_goal_holds_its_wishes_with_the_taxi_last() -> None:
    goal = goal_of(CONTENT)
    table, taxi = goal.wishes
    assert (table.domain, taxi.domain) == ("restaurant", "taxi")
    assert table.first_info == {"food": "greek", "area": "centre"}
    assert table.book == {"people": "4", "day": "saturday", "time": "19:00"}
    assert table.first_book == {"people": "4", "day": "saturday", "time": "18:30"}
    assert taxi.first_book == {}


def test_a_goal_comes_back_out_of_its_own_content() -> None:
    assert goal_of(goal_of(CONTENT).content()) == goal_of(CONTENT)


def test_the_message_is_told_without_marks_and_its_phrases_once() -> None:
    goal = goal_of(CONTENT)
    assert goal.phrases == ("greek", "centre", "indian", "4 people")
    assert goal.text == "You want greek food in the centre. If there is none, indian, for 4 people. indian."


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (changed(id=""), "needs an id"),
        (changed(goal={}), "1 to 8 domains"),
        (changed(goal={"hotel": []}), "must be an object"),
        (changed(goal={"hotel": {"inform": {}}}), "has 'inform'; did you mean 'info'"),
        (changed(goal={"hotel": {"info": {"area": ["north"]}}}), "area must be a text"),
        (changed(goal={"hotel": {"info": {"area": ""}}}), "area must be a text"),
        (changed(goal={"hotel": {"reqt": "phone"}}), "reqt must be a list"),
        (changed(goal={"hotel": {"fail_book": {"stay": "2"}}}), "fail_book and no book"),
        (changed(message=[]), "needs message"),
        (changed(message=["nothing is marked"]), "marks no key phrase"),
        (changed(message=["**x**" * 3000]), "longer than"),
    ],
)
def test_a_goal_that_is_none_is_a_mistake(content: dict[str, Any], said: str) -> None:
    with pytest.raises(Mistake, match=said):
        goal_of(content)


def test_a_file_of_lines_is_read_and_a_bad_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "goals.jsonl"
    path.write_text(json.dumps(CONTENT) + "\n\n" + json.dumps(changed(id="G2")) + "\n")
    assert [goal.id for goal in read_goals(path)] == ["G1", "G2"]
    path.write_text(json.dumps(CONTENT) + "\n{broken\n")
    with pytest.raises(Mistake, match="line 2 is no JSON"):
        read_goals(path)
    path.write_text(json.dumps(CONTENT) + "\n" + json.dumps(CONTENT))
    with pytest.raises(Mistake, match="two goals have the id 'G1'"):
        read_goals(path)
    path.write_text("\n")
    with pytest.raises(Mistake, match="holds no goal"):
        read_goals(path)


def test_a_missing_file_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="cannot be read"):
        read_goals(tmp_path / "none.jsonl")


def multiwoz(**domains: Any) -> dict[str, Any]:
    return {"MUL1": {**domains}}


def read_as_multiwoz(tmp_path: Path, content: Any) -> Any:
    path = tmp_path / "goals.json"
    path.write_text(json.dumps(content))
    return read_goals(path)[0]


def marked(text: str) -> str:
    return f"<span class='emphasis'>{text}</span>"


def test_multiwoz_goals_are_read_with_their_emphasis(tmp_path: Path) -> None:
    table = {
        "info": {"food": "thai"},
        "book": {"people": "2", "day": "monday", "time": "12:00", "invalid": False},
    }
    goal = read_as_multiwoz(tmp_path, multiwoz(restaurant=table, message=[f"You want {marked('thai')} food"]))
    assert goal.id == "MUL1"
    assert goal.phrases == ("thai",)
    assert goal.wishes[0].book == {"people": "2", "day": "monday", "time": "12:00"}


@pytest.mark.parametrize("said", [True, False])
def test_a_first_wish_counts_only_where_the_message_speaks_of_it(tmp_path: Path, said: bool) -> None:
    table = {
        "info": {"food": "thai"},
        "fail_info": {"food": "greek"},
        "book": {"time": "12:00"},
        "fail_book": {"time": "11:00"},
    }
    more = ["If there is no such restaurant, thai", "If the booking fails how about 12:00"] if said else []
    goal = read_as_multiwoz(tmp_path, multiwoz(restaurant=table, message=[f"{marked('greek')} food", *more]))
    assert goal.wishes[0].first_info == ({"food": "greek"} if said else {})
    assert goal.wishes[0].first_book == ({"time": "11:00"} if said else {})


@pytest.mark.parametrize(
    ("sentence", "departure", "destination"),
    [
        (f"You want to leave the {marked('hotel')} by 09:00", "@hotel", "@attraction"),
        (f"You want to leave the {marked('attraction')} by 09:00", "@attraction", "@hotel"),
        (f"Make sure it arrives the {marked('hotel')} by 09:00", "@attraction", "@hotel"),
    ],
)
def test_a_taxi_between_two_places_knows_its_way(
    tmp_path: Path, sentence: str, departure: str, destination: str
) -> None:
    parts = {
        "hotel": {"info": {"area": "east"}},
        "attraction": {"info": {}},
        "taxi": {"info": {"leaveAt": "09:00"}},
    }
    goal = read_as_multiwoz(tmp_path, multiwoz(**parts, message=[sentence]))
    assert goal.wish("taxi").info == {"leaveAt": "09:00", "departure": departure, "destination": destination}


def test_the_authors_goals_and_database_make_scenarios(originals: Path) -> None:
    material = scenarios({}, originals / "multiwoz")
    assert len(material.scenarios) == 999
    (remark,) = material.remarks
    assert "the database cannot meet 30 of 999 goals" in remark
    goals = read_goals(originals / "multiwoz" / "goals_val.json")
    first = [wish for goal in goals for wish in goal.wishes if wish.first_info]
    city = read_city(originals / "multiwoz" / "db")
    assert len(first) == 245
    assert not any(
        city.query(wish.domain, wish.first_info) for wish in first
    )  # none can be met, as the goals say


def test_goals_without_a_database_are_remarked_on(tmp_path: Path) -> None:
    path = tmp_path / "goals.jsonl"
    path.write_text(json.dumps(changed(goal={"pizza": {"info": {"size": "large"}}})))
    material = scenarios({}, path)
    assert "no database of pizza" in material.remarks[0]


def test_a_folder_without_goals_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match=r"holds no goals; they are in a file as in goals\.jsonl"):
        scenarios({}, tmp_path)
