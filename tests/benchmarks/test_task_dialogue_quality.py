"""How good a simulated user was: numbers, and faults that are found in spoiled dialogues and not in good ones."""

from collections import Counter
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest

from interplay.benchmarks.task_dialogue.dialogue import CAP, GAVE_UP, LOOP, Dialogue, Exchange
from interplay.benchmarks.task_dialogue.quality import (
    DRIFTED,
    ENDED_EARLY,
    FAULTS,
    LOOPED,
    OVER_INFORMED,
    QUALITIES,
    RUN_SAMPLE,
    SPOOFED,
    diversity,
    faults,
    is_repeat,
    phrases_said,
    quality_of,
    repeats,
)
from tests.benchmarks.hand_written import (
    GOOD,
    all_at_once,
    cut_short,
    dialogue_of,
    good,
    hand_written,
    instead,
    with_other_goals,
)

WRITTEN = hand_written()
# Good users


@pytest.mark.parametrize("manner", WRITTEN)
def test_no_user_that_was_written_by_hand_is_flagged(manner: str) -> None:
    assert faults(WRITTEN[manner]) == []


def test_there_are_many_manners() -> None:
    assert len(WRITTEN) >= 24
    assert {wish for one in WRITTEN.values() for wish in one.goal["goal"]} == {
        *("restaurant", "hotel", "attraction", "train", "taxi", "hospital", "police")
    }
    assert faults(good()) == []


# The same users, spoiled


def test_users_that_were_cut_short_ended_early() -> None:
    spoiled = [
        one for written in WRITTEN.values() if written.ended == "completed" for one in cut_short(written)
    ]
    found = sum(ENDED_EARLY in faults(one) for one in spoiled)
    assert len(spoiled) > 80
    assert found / len(spoiled) > 0.9  # the rest only confirm what was said
    assert not any(
        ENDED_EARLY in faults(replace(one, ended=end)) for one in spoiled for end in (GAVE_UP, CAP, LOOP)
    )


def test_users_that_say_all_at_once_over_inform() -> None:
    missed = {manner for manner, one in WRITTEN.items() if OVER_INFORMED not in faults(all_at_once(one))}
    # these have one small errand: nothing to say too early
    assert missed <= {
        "an older person in trouble",
        "in a hurry, capitals",
        "patient with a poor system",
        "gives up",
        "refuses what it is offered",
    }


def test_users_with_another_goal_drift() -> None:
    found: Counter[str] = Counter()
    total: Counter[str] = Counter()
    flagged = 0
    for written in WRITTEN.values():
        if written.ended == "completed":
            for slot, spoiled in with_other_goals(written):
                total[slot] += 1
                found[slot] += DRIFTED in faults(spoiled)
                flagged += bool(faults(spoiled))
    assert total.total() > 80
    assert found.total() / total.total() > 0.8
    assert flagged / total.total() > 0.97  # what is not seen as drift is missed as never said
    assert found["area"] == total["area"]
    assert found["stars"] == total["stars"]


def test_users_that_say_again_what_they_said_loop() -> None:
    for written in WRITTEN.values():
        turns = written.exchanges
        again = next((one for one in turns if len(one.user.split()) > 5), None)
        if again is not None:
            assert LOOPED in faults(replace(written, exchanges=(*turns, again, again, again)))


# Each fault


@pytest.mark.parametrize("place", [2, 4, 6])
def test_a_second_wish_a_booking_and_a_request_must_come_up(place: int) -> None:
    assert ENDED_EARLY in faults(good(*GOOD[:place]))


def test_a_first_wish_that_comes_true_makes_the_second_needless() -> None:
    turns = ["Is there a Greek restaurant in the north?", "Yes, Ouzeri.", *GOOD[4:]]
    assert faults(good(*turns)) == []


def test_what_the_system_tells_unasked_need_not_be_asked_for() -> None:
    turns = [*GOOD[:4], GOOD[4], "Booked, the reference is K2M4P6R8. Their phone number is 01632960001."]
    assert faults(good(*turns)) == []


@pytest.mark.parametrize(
    "turn",
    [
        "Is there a Greek restaurant in the north? If not, Thai food is fine too.",
        "I want Greek food in the north for 4 people on Friday at 19:30 and I need the reference number.",
    ],
)
def test_too_much_at_once(turn: str) -> None:
    assert OVER_INFORMED in faults(instead(0, turn))


def test_two_domains_at_once() -> None:
    goal = {
        "hotel": {"info": {"area": "west", "stars": "4"}},
        "train": {
            "info": {"departure": "ayle", "destination": "morwick", "day": "monday"},
            "reqt": ["price"],
        },
    }
    hotel, train = (
        "I need a hotel with 4 stars in the west.",
        "I need a train from Ayle to Morwick on Monday.",
    )
    answers = ["There is one.", "TR1234 costs 9 pounds."]
    assert faults(dialogue_of(goal, [hotel, answers[0], train, answers[1]])) == []
    assert faults(dialogue_of(goal, [f"{hotel} And {train}", " ".join(answers)])) == [OVER_INFORMED]
    later = "I need a hotel with 4 stars in the west, and a train later on."
    assert faults(dialogue_of(goal, [later, answers[0], train, answers[1]])) == []


def test_loops() -> None:
    turns = [*GOOD[:2], *("I want Thai food in the north.", "Sorry?") * 3]
    assert LOOPED in faults(good(*turns))
    by_turns = ["I want Thai food in the north.", "What?", "A table for 4 on Friday at 19:30.", "What?"] * 3
    assert LOOPED in faults(good(*by_turns, ended=CAP))
    around = [
        "I want Thai food.",
        "a",
        "I said I want Thai food!",
        "b",
        "Again: I want thai fod please.",
        "c",
    ]
    assert LOOPED not in faults(good(*around))  # fod is too short a word to be sure
    around[4] = "Again: I want thai food please."
    assert LOOPED in faults(good(*around))
    assert LOOPED in faults(good("no", "a?", "no", "b?", "No!", "c?", ended=LOOP))
    assert LOOPED not in faults(good("no", "a?", "no", "b?", "no", "c?"))


def test_a_system_that_loops_is_not_the_users_fault() -> None:
    turns = [
        "I want Greek food.",
        "What?",
        "Food from Greece, in the north.",
        "What?",
        "A Greek place!",
        "What?",
    ]
    assert faults(good(*turns, ended=LOOP)) == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("I want a cheap restaurant", "I want a cheap restaurant.", True),
        ("I want a cheap restaurant", "As I said, I want a cheap resturant please", True),
        ("A cheap restaurant in the north", "A cheap restaurant in the south", False),
        ("Book it for 4 people on friday", "Book it for 5 people on friday", False),
        ("A cheap restaurant in the north", "A cheap indian restaurant in the north", False),
        ("What is the phone number of the hotel?", "What is the phone number of the restaurant?", False),
        ("yes please", "yes please", False),
        ("A table at 19:30 for us", "A table at half past seven for us", False),
    ],
)
def test_repeats(one: str, other: str, same: bool) -> None:
    assert is_repeat(one, other) == is_repeat(other, one) == same


def test_an_echo_is_a_repeat() -> None:
    dialogue = good("I want Greek food.", "Which part of town?", "Which part of town?", "The north?")
    assert repeats(dialogue) == [2]


# Numbers


def test_the_numbers_of_a_good_dialogue() -> None:
    found = quality_of(good())
    assert found == pytest.approx(
        {
            "match": 1.0,
            "pace": 1.5,  # greek and north, thai, 4 and friday and 19:30, nothing
            "most_at_once": 3.0,
            "repeats": 0.0,
            "ended_early": 0.0,
            "words": (8 + 4 + 11 + 5) / 4,
        }
    )
    assert set(found) | {"diversity"} == set(QUALITIES)
    assert quality_of(good(*GOOD[:2]))["ended_early"] == 1.0
    assert faults(good()) == [] and set(FAULTS) == {ENDED_EARLY, LOOPED, OVER_INFORMED, DRIFTED, SPOOFED}


def test_phrases_and_the_exchange_in_which_they_came_up() -> None:
    assert phrases_said(good()) == [
        ("greek", 1),
        ("north", 1),
        ("thai", 2),
        ("4 people", 3),
        ("friday", 3),
        ("19:30", 3),
        ("reference number", 3),
        ("phone number", 4),
    ]
    assert phrases_said(good(*GOOD[:4]))[3:] == [
        ("4 people", None),
        ("friday", None),
        ("19:30", None),
        ("reference number", None),
        ("phone number", None),
    ]


@pytest.mark.parametrize("manner", [name for name in WRITTEN if name != "gives up"])
def test_nearly_all_phrases_are_found_in_good_dialogues(manner: str) -> None:
    missed = [phrase for phrase, turn in phrases_said(WRITTEN[manner]) if turn is None]
    assert set(missed) <= {"train", "same area"}, missed
    assert all(
        1 <= turn <= len(WRITTEN[manner].exchanges) for _, turn in phrases_said(WRITTEN[manner]) if turn
    )


def test_the_same_day_is_said_when_the_day_is_said_again() -> None:
    goal = {
        "train": {"info": {"departure": "ayle", "destination": "morwick", "day": "monday"}},
        "hotel": {"info": {"area": "west"}, "book": {"people": "1", "day": "monday", "stay": "2"}},
    }
    message = ["A train to **morwick** on **monday**; a hotel for 2 nights on the **same day**."]
    turns = [
        "A train from Ayle to Morwick on Monday",
        "TR1234",
        "A hotel in the west",
        "One.",
        "Book it from Monday",
        "Ok",
    ]
    assert phrases_said(dialogue_of(goal, turns, message=message)) == [
        ("morwick", 1),
        ("monday", 1),
        ("same day", 3),
    ]
    turns[4] = "Book it from the same day"
    assert phrases_said(dialogue_of(goal, turns, message=message))[2] == ("same day", 3)
    turns[4] = "Book it"
    assert phrases_said(dialogue_of(goal, turns, message=message))[2] == ("same day", None)


def test_empty_texts_say_nothing() -> None:
    silent = Dialogue(good().goal, (Exchange("", ""), Exchange(" ", "\n")), CAP)
    assert quality_of(silent)["match"] == 0.0
    assert faults(silent) == []
    assert quality_of(replace(silent, exchanges=()))["words"] == 0.0


# Diversity


def test_diversity_is_the_share_of_different_words_in_a_draw() -> None:
    words = ["a", "a", "a", "b", "b", "c", "d"]
    draws = list(combinations(words, 3))
    by_hand = sum(len(set(draw)) for draw in draws) / len(draws) / 3
    assert diversity([" ".join(words)], sample=3) == pytest.approx(by_hand)
    assert diversity(["a b", "C, d?"], sample=4) == 1.0
    assert diversity(["a a", "a a"], sample=4) == 0.25
    assert diversity(["one two"], sample=3) is None


def test_diversity_does_not_shrink_with_length_as_plain_shares_do() -> None:
    rng = Random(7)
    vocabulary = [f"word{number}" for number in range(400)]
    weights = [1 / (number + 1) for number in range(400)]
    texts = {size: rng.choices(vocabulary, weights, k=size) for size in (200, 800, 3200)}
    told = {size: diversity([" ".join(words)]) for size, words in texts.items()}
    assert all(value is not None for value in told.values())
    assert max(told.values()) - min(told.values()) < 0.05  # type: ignore[type-var, operator]
    assert len(set(texts[3200])) / 3200 < 0.5 * len(set(texts[200])) / 200


def test_a_run_whose_dialogues_repeat_each_other_is_less_diverse() -> None:
    apart = [exchange.user for one in WRITTEN.values() for exchange in one.exchanges]
    alike = [exchange.user for exchange in WRITTEN["chatty"].exchanges] * 12
    one, other = diversity(apart, RUN_SAMPLE), diversity(alike, RUN_SAMPLE)
    assert one is not None and other is not None
    assert other < 0.5 * one
