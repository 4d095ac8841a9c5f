"""The checks of simulation tasks: each finds its defect, and the measure of likeness tells copies from other tasks."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from random import Random
from statistics import median

import pytest

from interplay.benchmarks.simulation.scenarios import shipped_tasks
from interplay.benchmarks.simulation.task_checks import (
    MOST_LIKENESS,
    Shelf,
    about_task,
    are_alike,
    likeness,
    pairs_of,
    words_of,
)
from interplay.benchmarks.simulation.tasks import Task
from tests.benchmarks.new_tasks import BAD, REWORDED, good

SHIPPED = {task.id: task for task in shipped_tasks()}
SOUND = good(1).task("sound", "stateless")
FIRST = "The first entry is `7 knots, 30 seconds`."
Edit = Callable[[str, Random], str]


def share(one: str, other: str) -> float:
    return likeness(pairs_of(one), pairs_of(other))


@pytest.mark.parametrize("number", range(1, 7))
def test_a_sound_task_has_no_complaint(number: int) -> None:
    task = good(number).task("sound", "stateless")
    assert about_task(task) == []
    assert Shelf(SHIPPED.values()).about(task) == []


@pytest.mark.parametrize("kind", BAD)
def test_every_defect_is_found_and_named_and_nothing_else_is(kind: str) -> None:
    draft, complaint = BAD[kind]
    task = draft.task("bad", "stateless")
    found = [*about_task(task), *Shelf(SHIPPED.values()).about(task)]
    assert any(complaint in one for one in found), found
    assert len(found) == (2 if kind == "a shipped task" else 1)
    assert all(one.isprintable() for one in found)


@pytest.mark.parametrize("points, fine", [(0, False), (2, False), (3, True), (6, True), (7, False)])
def test_three_to_six_points_are_kept_to(points: int, fine: bool) -> None:
    task = replace(SOUND, keeps=tuple(f"point number {number}" for number in range(points)))
    assert about_task(task) == (
        [] if fine else [f"the list of what answers keep to has {points} points, not 3 to 6"]
    )


def test_names_and_requests_are_in_one_line() -> None:
    task = replace(SOUND, name="Knot\nclerk", request="a count\nof knots")
    assert about_task(task) == ["the name has several lines", "the request has several lines"]


def ending(text: str) -> list[str]:
    assert FIRST in SOUND.description
    return about_task(replace(SOUND, description=SOUND.description.replace(FIRST, text)))


@pytest.mark.parametrize(
    "text",
    [
        "My first entry is 9.",
        "My first move: d4",
        "My first call is `turn 3`",
        'My first call is `say "Stop. Now." and wait`.',
        "The first entry is: Two people fell ill. So the bakery is to blame! Is it?",
        "The first verse is:\nThe river slows.\nA heron waits.",
        "My first input is\n```\na = 1\nprint(a)\n```",
        "My first diff is:\n\n```\n- a. B\n+ c. D\n```",
        'The first guest says: "Tea, please. At nine."',
        "The first guest says ‘Tea. Now.’",
        "My first query is 'My cat isn't well. She sleeps.'",
        "My first orders are “one. Two.” and `three. Four.`.",
        "\n\nMy first entry goes to E5.",
        'Say "no.") The first thing I type is `start`.',
    ],
)
def test_a_first_request_may_be_made_in_many_ways(text: str) -> None:
    assert ending(text) == []


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("Here is my first entry: `7`.", "no sentence"),
        ("Note: My first entry is `7`.", "no sentence"),  # a riddle may say so of its letters
        ("My firstborn types `7`.", "no sentence"),
        ("My first entry is", "announced and not made"),
        ("The first entry is ...", "announced and not made"),
        ("My first order.", "announced and not made"),
        ("My first entry is `7`. Then `8`.", "not the last sentence"),
        ("My first entry is 7. The rest follows.", "not the last sentence"),
        ("My first entry is `7`\n\nbegin", "not the last sentence"),
        ('My first entry is: `7`! "Begin" now.', "not the last sentence"),
    ],
)
def test_what_is_no_first_request_at_the_end(text: str, complaint: str) -> None:
    [found] = ending(text)
    assert complaint in found


@pytest.mark.parametrize(
    "text",
    ["[your move here]", "<insert text>", "{TODO: a list}", "{{list}}", "[TASK_NAME]", "(fill in)",
     "insert your list here", "Lorem ipsum", "<|im_end|>", "[INST]"],
)  # fmt: skip
def test_a_place_that_was_not_filled_in_is_found(text: str) -> None:
    [found] = about_task(replace(SOUND, description=f"{text} {SOUND.description}"))
    assert found.startswith("the description has a place that was not filled in")


@pytest.mark.parametrize(
    "text",
    ["{stub}", "[wrong -> right]", '{"a":{"b":{}}}', "[place | fuel n]", "<svg width='9'>", "${x}", "[A1]",
     "(your turn)"],
)  # fmt: skip
def test_brackets_that_a_task_may_have_are_left_alone(text: str) -> None:
    assert about_task(replace(SOUND, description=f"{text} {SOUND.description}")) == []


@pytest.mark.parametrize("text", ["Idiots", "ïdiot", "i\u00addiot's", "BASTARDS"])
def test_an_insult_is_found_in_all_its_forms(text: str) -> None:
    found = about_task(replace(SOUND, description=f"{text} {SOUND.description}"))
    assert any("may offend" in one for one in found)
    assert about_task(replace(SOUND, description=f"Scunthorpe assassin {SOUND.description}")) == []


def test_words_are_folded() -> None:
    assert words_of("Ça, x_1 don't 10%") == ["ca", "x", "1", "don", "t", "10"]


# Copies of shipped tasks, as somebody in a hurry would make them.
ALL_WORDS = [word for task in SHIPPED.values() for word in task.description.split()]


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?:;])\s+", text)


def replaced(text: str, rng: Random) -> str:
    return " ".join(rng.choice(ALL_WORDS) if rng.random() < 0.3 else word for word in text.split())


def shuffled(text: str, rng: Random) -> str:
    parts = sentences(text)
    rng.shuffle(parts)
    return " ".join(parts)


def halved(text: str, rng: Random) -> str:
    parts = sentences(text)
    return " ".join(parts[: len(parts) // 2])


def grafted(text: str, rng: Random) -> str:
    other = rng.choice([task.description for task in SHIPPED.values() if task.description != text])
    parts = sentences(other)
    return f"{halved(text, rng)} {' '.join(parts[len(parts) // 2 :])}"


def shares(edit: Edit, rounds: int = 4) -> Sequence[float]:
    draws = [Random(seed) for seed in range(rounds)]
    return [share(one.description, edit(one.description, rng)) for rng in draws for one in SHIPPED.values()]


def test_no_two_shipped_tasks_are_alike() -> None:
    texts = [pairs_of(task.description) for task in SHIPPED.values()]
    assert max(likeness(one, other) for one, other in combinations(texts, 2)) < 0.05
    shelf = Shelf()
    for task in SHIPPED.values():
        assert shelf.about(task) == []
        shelf.put(task)


@pytest.mark.parametrize(
    "edit, least, middle, missed",
    [
        (replaced, 0.17, 0.32, 0.0),
        (shuffled, 0.69, 0.81, 0.0),
        (halved, 0.23, 0.5, 0.0),
        (grafted, 0.10, 0.33, 0.02),
    ],
)
def test_copies_share_what_the_measure_says(edit: Edit, least: float, middle: float, missed: float) -> None:
    found = shares(edit)
    assert min(found) >= least
    assert median(found) >= middle
    assert sum(one <= MOST_LIKENESS for one in found) <= missed * len(found)


def test_a_light_rewording_is_found_and_nothing_else_is_taken_for_it() -> None:
    for id, text in REWORDED["lightly"].items():
        assert share(text, SHIPPED[id].description) >= 0.23
        assert (
            about_task(replace(SHIPPED[id], description=text.strip())) == []
        )  # it is a task, but not a new one
        reworded = replace(SOUND, description=text.strip())
        [complaint] = Shelf(SHIPPED.values()).about(reworded)
        assert f"too much like that of {SHIPPED[id].name!r}" in complaint
        others = Shelf(task for task in SHIPPED.values() if task.id != id)
        assert others.about(reworded) == []


def test_what_is_said_anew_from_end_to_end_is_not_found() -> None:
    for id, text in REWORDED["thoroughly"].items():
        assert 0.01 < share(text, SHIPPED[id].description) < 0.09


def test_texts_without_words_share_nothing() -> None:
    assert share("", "") == share("?", "one word") == 0.0
    assert Shelf().about(Task("x", "?", "stateless", "?", "?")) == []


@pytest.mark.parametrize(
    "one, other",
    [
        ("Chess opponent", "chess OPPONENT"),
        ("Chess opponent", "Chess opponents"),
        ("Chess opponent", "The opponent of chess"),
        ("Chess opponent", "Chess oponent"),
        ("Chess opponent", "Virtual chess opponent"),
        ("City planner", "Dystopian city planner"),
        ("Set-list maker", "Setlist maker"),
        ("To-do keeper", "todo keeper"),
        ("The", "the"),
    ],
)
def test_names_that_are_alike(one: str, other: str) -> None:
    assert are_alike(one, other)
    assert are_alike(other, one)


@pytest.mark.parametrize(
    "one, other",
    [
        ("R console", "Reactor console"),
        ("PHP interpreter", "Python interpreter"),
        ("Chess opponent", "Chess clock"),
        ("Regex writer", "Commit message writer"),
        ("???", "!!!"),
    ],
)
def test_names_that_are_not(one: str, other: str) -> None:
    assert not are_alike(one, other)


def test_a_slip_of_one_letter_is_no_other_name() -> None:
    for task in SHIPPED.values():
        for place, letter in enumerate(task.name):
            if letter.isalpha():
                rest = task.name[place + 1 :]
                assert are_alike(task.name, task.name[:place] + rest)
                assert are_alike(task.name, f"{task.name[:place]}q{rest}")
