"""The goals that ship: sound against the city, told in full, in proportion; and what the checks find in bad ones."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from interplay.benchmarks.task_dialogue.city import City, no_matter, own_city
from interplay.benchmarks.task_dialogue.drawing import draw_goals
from interplay.benchmarks.task_dialogue.goal_checks import VENUES, Shelf, about
from interplay.benchmarks.task_dialogue.goal_making import APART, COUNT, FILE, main, make_goals
from interplay.benchmarks.task_dialogue.goal_plans import STRUCTURES
from interplay.benchmarks.task_dialogue.goals import PLACE, Goal, read_goals
from interplay.benchmarks.task_dialogue.message_checks import (
    about_message,
    hub_of,
    values_of,
)
from interplay.benchmarks.task_dialogue.office import is_free
from interplay.benchmarks.task_dialogue.phrase_book import article, both, fill, joined, phrases
from interplay.benchmarks.task_dialogue.phrasing import tell
from interplay.core.failures import Mistake

GOALS = read_goals(FILE)
CITY = own_city()
PARTS = [wish for goal in GOALS for wish in goal.wishes]
LEAST_WORDINGS = 6


def share(found: int, of: int) -> float:
    return found / of


def test_the_file_is_what_the_script_makes(tmp_path: Path) -> None:
    file = tmp_path / "goals.jsonl"
    assert main([], file) == []
    assert file.read_bytes() == FILE.read_bytes()
    file.write_text(file.read_text(encoding="utf-8").replace("You ", "They ", 1), encoding="utf-8")
    assert main(["--check"], file) == ["goals.jsonl is not what the script makes"]


def test_every_line_has_the_canary_and_a_number() -> None:
    lines = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    assert [line["id"] for line in lines] == [f"G{number:03}" for number in range(1, COUNT + 1)]
    assert {line["canary"].split()[0:3][-1] for line in lines} == {"task_dialogue"}
    assert len({line["canary"] for line in lines}) == 1


@pytest.mark.parametrize("goal", GOALS, ids=[goal.id for goal in GOALS])
def test_every_goal_that_ships_is_sound(goal: Goal) -> None:
    assert about(goal, CITY) == []


def test_no_two_goals_ask_for_the_same_or_say_it_in_the_same_words() -> None:
    shelf = Shelf()
    for goal in GOALS:
        assert shelf.about(goal.wishes) == []
        shelf.put(goal.wishes, goal.id)
        assert shelf.about(goal.wishes) == [f"it asks for the same as {goal.id}"]
    assert len({goal.message[1:] for goal in GOALS}) == len(GOALS)


def test_success_hangs_on_no_luck() -> None:
    """Said without the checks: whatever place a system offers, the last booking is made and the first is not."""
    for wish in (wish for wish in PARTS if wish.book):
        rows = CITY.query(wish.domain, wish.info)
        assert rows
        assert all(is_free(CITY, wish.domain, row, wish.book) for row in rows)
        if wish.first_book:
            assert not any(is_free(CITY, wish.domain, row, wish.first_book) for row in rows)


def test_first_wishes_fail_and_differ_in_little() -> None:
    changed = Counter()
    for wish in (wish for wish in PARTS if wish.first_info):
        assert CITY.query(wish.domain, wish.first_info) == []
        assert wish.first_info.keys() == wish.info.keys()
        changed[sum(wish.info[slot] != value for slot, value in wish.first_info.items())] += 1
    assert set(changed) <= {1, 2}
    assert 0 < changed[2] < changed[1] / 10


def test_there_are_as_many_of_each_kind_as_there_should_be() -> None:
    sizes = Counter(len(goal.wishes) for goal in GOALS)
    assert (sizes[1], sizes[2], sizes[3], sum(sizes.values())) == (60, 144, 36, 240)
    domains = Counter(wish.domain for wish in PARTS)
    assert set(domains) == {"restaurant", "hotel", "attraction", "train", "taxi", "hospital", "police"}
    assert min(domains.values()) >= 8
    found = Counter(frozenset(wish.domain for wish in goal.wishes) for goal in GOALS)
    assert found == {frozenset(domains): count for domains, count in STRUCTURES.items()}


def test_the_shares_are_those_of_the_public_goals() -> None:
    failing = sum(any(wish.first_info for wish in goal.wishes) for goal in GOALS)
    refused = sum(any(wish.first_book for wish in goal.wishes) for goal in GOALS)
    bookable = [wish for wish in PARTS if wish.domain in ("restaurant", "hotel", "train")]
    venues = [wish for wish in PARTS if wish.domain in VENUES]
    indifferent = sum(any(map(no_matter, wish.info.values())) for wish in PARTS)
    assert 0.34 <= share(failing, len(GOALS)) <= 0.42
    assert 0.08 <= share(refused, len(GOALS)) <= 0.12
    assert 0.44 <= share(sum(bool(wish.book) for wish in bookable), len(bookable)) <= 0.56
    assert 0.2 <= share(sum("name" in wish.info for wish in venues), len(venues)) <= 0.3
    assert 0.08 <= share(indifferent, len(PARTS)) <= 0.12


def test_the_parts_of_a_goal_fit_together() -> None:
    for goal in GOALS:
        assert len({wish.book["people"] for wish in goal.wishes if wish.book}) <= 1, goal.id
        taxi, table = goal.wish("taxi"), goal.wish("restaurant")
        times = [value for wish in goal.wishes for value in (*wish.info.values(), *wish.book.values())]
        clocks = [value for value in times if re.fullmatch(r"\d\d:\d\d", value)]
        assert all("06:00" <= clock <= "23:00" for clock in clocks), goal.id
        if taxi and table and table.book and taxi.info["destination"] == f"{PLACE}restaurant":
            assert taxi.info["arriveBy"] == table.book["time"]
        if taxi and table and table.book and taxi.info["departure"] == f"{PLACE}restaurant":
            assert taxi.info["leaveAt"] > table.book["time"]


def test_messages_have_no_slips() -> None:
    for goal in GOALS:
        text = goal.text
        assert not re.search(r"\b1 (?:nights|people|stars)\b|\b[2-9] (?:night|person|star)\b", text), goal.id
        for found in re.finditer(r"\b(an?) (\w+)", text):
            assert found[1] == article(found[2]), (goal.id, found[0])
        for sentence in goal.message:
            words = re.findall(r"[a-z']+", sentence.casefold())
            assert not [one for one, other in pairwise(words) if one == other], (goal.id, sentence)
        assert not re.search(r"[{}|]|\s[,.?!]|\.\.", " ".join(goal.message)), goal.id
        assert all(sentence[0].isupper() for sentence in goal.message), goal.id


def test_openings_are_many_and_do_not_follow_each_other_closely() -> None:
    openings = [goal.message[0] for goal in GOALS]
    assert len(set(openings)) >= 50
    plain_ones = {text.replace("{city}", "Marlhythe") for name in ("any", "company", "here", "coming", "local")
                  for text in phrases()["openings"][name]}  # fmt: skip
    for place, opening in enumerate(openings):
        if opening in plain_ones:
            assert opening not in openings[max(0, place - APART) : place]


def test_references_to_other_parts_are_used_and_true() -> None:
    said = Counter(
        phrase for goal in GOALS for phrase in goal.phrases if "same" in phrase or "booked" in phrase
    )
    for phrase in ("same area", "same part of town", "same day", "booked time"):
        assert said[phrase] >= 3, said


def lists_of(table: Mapping[str, Any], path: str = "") -> dict[str, list[str]]:
    found = {}
    for name, inner in table.items():
        found |= {f"{path}{name}": inner} if isinstance(inner, list) else lists_of(inner, f"{path}{name}.")
    return found


def test_there_are_enough_wordings_and_none_twice() -> None:
    for path, wordings in lists_of(phrases()).items():
        assert all(text == text.strip() and text for text in wordings), path
        if not path.startswith("heads."):
            assert len(set(wordings)) == len(wordings), path
    tables = phrases()
    assert sum(map(len, tables["openings"].values())) >= 25
    for kind in ("lead", "lead_named", "lead_train", "named", "second", "book", "reference", "rebook", "ask"):
        assert all(len(wordings) >= LEAST_WORDINGS for wordings in tables[kind].values()), kind
    for kind in ("any", "taxi", "hospital", "police"):
        for path, wordings in lists_of(tables[kind]).items():
            assert len(wordings) >= LEAST_WORDINGS, (kind, path)
    for slot, table in tables["request"].items():
        assert sum(map(len, table.values())) >= LEAST_WORDINGS, slot
    for domain, slots in tables["slot"].items():
        for slot, table in slots.items():
            if not slot.startswith("same_"):
                assert sum(map(len, table.values())) >= LEAST_WORDINGS, (domain, slot)


def test_what_is_said_to_be_absent_is() -> None:
    absent = phrases()["absent"]
    for domain in VENUES:
        assert not [name for name in absent[domain] if CITY.named_in(name)]
    assert not set(absent["food"]) & set(CITY.values("restaurant", "food"))


def test_wordings_name_nothing_of_the_city() -> None:
    """A wording that says north or a food would say it in goals that have it not."""
    for path, wordings in lists_of(phrases()).items():
        if path.startswith(("absent.", "slot.any.c", "slot.any.moderate", "slot.any.expensive", "kinds.")):
            continue
        for wording in wordings:
            said = f" {re.sub('[^a-z]+', ' ', wording.casefold())} "
            assert not [value for value in values_of(CITY) if f" {value} " in said], (path, wording)
            assert not CITY.named_in(wording), (path, wording)


@pytest.mark.parametrize("seed", ["1", "2", "3", "4"])
def test_other_seeds_make_other_goals_that_are_as_sound(seed: str) -> None:
    goals = make_goals(CITY, 60, seed)
    assert [complaint for goal in goals for complaint in about(goal, CITY)] == []
    assert goals == make_goals(CITY, 60, seed)
    shelf = Shelf(GOALS)
    assert sum(bool(shelf.about(goal.wishes)) for goal in goals) <= 6  # of the police there is little to ask


def test_goals_that_are_there_are_not_drawn_again() -> None:
    first = list(draw_goals(CITY, phrases()["absent"], 40, "x"))
    taken = [Goal(f"T{number}", wishes, ()) for number, wishes in enumerate(first)]
    again = list(draw_goals(CITY, phrases()["absent"], 40, "x", taken))
    assert not [wishes for wishes in again if Shelf(taken).about(wishes)]


def test_a_city_without_a_domain_is_a_mistake() -> None:
    lacking = City({domain: rows for domain, rows in CITY.rows.items() if domain != "police"})
    with pytest.raises(Mistake, match="the city has no police"):
        list(draw_goals(lacking, phrases()["absent"], 1, "0"))


def test_a_city_that_is_too_small_for_a_goal_says_so() -> None:
    nameless = City({domain: ({"id": "1"},) for domain in CITY.rows})
    with pytest.raises(Mistake, match="the city is too small for a goal with"):
        list(draw_goals(nameless, phrases()["absent"], 240, "0"))


def test_the_same_wishes_are_told_in_many_ways() -> None:
    goal = next(goal for goal in GOALS if len(goal.wishes) == 3)
    told = {tell(goal.wishes, hub_of(CITY), Random(seed)) for seed in range(200)}
    assert len(told) > 190
    for message in told:
        assert about_message(replace(goal, message=message), CITY) == []


def test_small_words() -> None:
    assert [article(word) for word in ("italian", "museum", "hour", "university", "european", "8", "4", "old")] == [
        "an", "a", "an", "a", "a", "an", "a", "an"
    ]  # fmt: skip
    assert fill("{a} **{value}** place", value="indian") == "an **indian** place"
    assert [joined(["x"]), joined(["x", "y"]), joined(["x", "y", "z"])] == ["x", "x and y", "x, y and z"]
    assert (
        both(["serves|serve **thai** food", "is|be in the **north**"], 1)
        == "serve **thai** food and be in the **north**"
    )
    assert both(["is|be **cheap**", "is|be in the **north**"], 0) == "is **cheap** and in the **north**"
    assert both(["is|be known for **thai** food", "is|be in the **north**"], 0).endswith(
        "and is in the **north**"
    )
    with pytest.raises(KeyError):
        fill("{nothing}")
