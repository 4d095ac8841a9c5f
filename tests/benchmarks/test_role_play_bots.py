"""Bots of role play: they do what is planted in them, by what they read, and nothing else tells them apart."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from interplay.benchmarks.role_play.bots import (
    BROKEN,
    DULL,
    EVADING,
    FAULTS,
    LONG,
    OUT,
    REFUSING,
    WORDS,
    Judge,
    Player,
    User,
    examiner,
    is_in,
)
from interplay.benchmarks.role_play.protocol import LONGEST_UTTERANCE, prompts_of
from interplay.benchmarks.role_play.rubrics import marks_form, rubric_for, v1_rubric
from interplay.benchmarks.role_play.trials import CHATTY
from interplay.core.failures import Unreadable
from interplay.core.wire import Reply
from interplay.judging.fence import fenced
from interplay.models.loopback import Asked
from tests.benchmarks.stage import OPTIONS

COSTS = {"in_character": 2, "entertaining": 1, "fluency": 3}
PROMPTS = prompts_of(OPTIONS)
RUBRIC = rubric_for(OPTIONS)
BRIEF = PROMPTS.fill(
    "interrogator",
    name="Odo",
    summary="Odo waits.",
    card="",
    situation="Ask for the way.",
    language="English",
)
UTTERANCE = {"properties": {"next_utterance": {}}}


def asked(*told: str, model: str = "bot", schema: Mapping[str, Any] | None = None) -> Asked:
    """A request whose first message is a brief and whose others take turns."""
    roles = ["system", *(["user", "assistant"] * len(told))]
    messages = [{"role": role, "content": text} for role, text in zip(roles, told, strict=False)]
    return Asked(model, tuple(messages), {}, 0, schema)


def material(*replies: str, user: str = "Well?") -> str:
    turns = [
        f"Turn {n}\nuser:\n{fenced(user, 'abc123')}\nplayer:\n{fenced(reply, 'abc123')}"
        for n, reply in enumerate(replies, 1)
    ]
    return PROMPTS.fill(
        "judge_material",
        mark="abc123",
        card=fenced("player:\nThe card.", "abc123"),
        dialogue="\n\n".join(turns),
        count=str(len(turns)),
    )


def verdict(judge: Judge, *replies: str, **more: str) -> str:
    return judge.script(asked("Judge.", material(*replies, **more), schema=RUBRIC.form(len(replies)).schema))


# Players


def test_a_player_has_its_habits_as_often_as_is_planted() -> None:
    player = Player({OUT: 0.3, DULL: 0.0, BROKEN: 1.0, LONG: 0.5}, CHATTY)
    script = player.script(0)
    replies = [script(asked("You are Odo.", f"Message {number}")) for number in range(800)]
    shares = {habit: sum(is_in(habit, reply) for reply in replies) / 800 for habit in WORDS}
    assert abs(shares.pop(OUT) - 0.3) < 4 * (0.3 * 0.7 / 800) ** 0.5
    assert abs(shares.pop(LONG) - 0.5) < 4 * (0.25 / 800) ** 0.5
    assert shares.pop(BROKEN) == 1
    assert set(shares.values()) == {0}
    both = sum(is_in(OUT, reply) and is_in(LONG, reply) for reply in replies) / 800
    assert abs(both - 0.15) < 4 * (0.15 * 0.85 / 800) ** 0.5
    mean, variance = player.length()
    assert abs(sum(map(len, replies)) / 800 - mean) < 4 * (variance / 800) ** 0.5
    assert len(set(replies)) == 800


def test_a_player_hangs_on_its_seed_its_name_and_what_it_was_told_alone() -> None:
    script = Player({OUT: 0.5}).script(0)
    first = script(asked("You are Odo.", "Hello."))
    assert script(asked("You are Odo.", "Hello.")) == first
    assert script(asked("You are Odo.", "Hello!")) != first
    assert script(asked("You are Odo.", "Hello.", model="other")) != first
    assert Player({OUT: 0.5}).script(1)(asked("You are Odo.", "Hello.")) != first


def test_no_habit_passes_for_another_and_no_reply_is_too_long_to_be_echoed() -> None:
    for habit in WORDS:
        assert [one for one in WORDS if is_in(one, WORDS[habit])] == [habit]
    everything = Player(dict.fromkeys(WORDS, 1.0), CHATTY).script(0)(asked("You are Odo.", "Hello."))
    assert all(is_in(habit, everything) for habit in WORDS)
    assert len(everything) == Player(dict.fromkeys(WORDS, 1.0), CHATTY).length()[0] <= LONGEST_UTTERANCE


# The user


def says(user: User, *told: str, seed: int = 0) -> str:
    return str(json.loads(user.script(seed)(asked(BRIEF, *told, schema=UTTERANCE)))["next_utterance"])


def test_a_user_says_something_new_each_time_and_teases_as_often_as_is_planted() -> None:
    said = [says(User(teases=0.4), "Begin.", "Hello.", f"Reply {number}") for number in range(400)]
    assert len(set(said)) == 400
    teasing = sum(any(is_in(habit, one) for habit in WORDS) for one in said) / 400
    assert abs(teasing - 0.4) < 4 * (0.24 / 400) ** 0.5


def test_a_user_in_circles_says_the_same_or_what_it_heard() -> None:
    user = User(teases=0.0, circles=1.0)
    ways = set()
    for number in range(20):
        brief = BRIEF.replace("Ask for the way.", f"Ask for way {number}.")
        script = user.script(0)
        first, *later = (
            json.loads(script(asked(brief, *told, schema=UTTERANCE)))["next_utterance"]
            for told in (["Begin."], ["Begin.", "a", "Hm."], ["Begin.", "a", "Hm.", "b", "Ha."])
        )
        ways.add("echo" if later == ["Hm.", "Ha."] else "again" if later == [first, first] else "neither")
    assert ways == {"echo", "again"}
    assert user.goes_in_circles("Odo", "Ask for the way.")
    assert not User(circles=0.0).goes_in_circles("Odo", "Ask for the way.")


def test_a_user_without_a_scene_says_so() -> None:
    with pytest.raises(ValueError, match="reads its scene"):
        User().script(0)(asked("You are lost.", "Begin."))


# Judges


def test_a_judge_sees_what_the_player_said_and_not_what_the_user_did() -> None:
    judge = Judge("judge", 5, COSTS, (REFUSING,))
    replies = [
        "Fine.",
        f"Hm. {WORDS[OUT]}",
        f"{WORDS[DULL]} {WORDS[BROKEN]}",
        WORDS[REFUSING],
        WORDS[EVADING],
    ]
    found = json.loads(verdict(judge, *replies, user=" ".join(WORDS.values())))
    scores = [[turn[f"{name}_score"] for name in FAULTS] for turn in found.values()]
    assert scores == [[5, 5, 5], [3, 5, 5], [5, 4, 2], [1, 1, 1], [5, 5, 5]]
    assert [turn["is_refusal"] for turn in found.values()] == [False, False, False, True, False]
    assert RUBRIC.form(5).read(Reply(json.dumps(found), stop="stop")).value


def test_no_verdict_of_a_silent_judge_can_be_read() -> None:
    judge = Judge("judge", 5, COSTS, silence=1.0)
    said = {verdict(judge, f"Reply {number}.", "And more.") for number in range(12)}
    said |= {verdict(judge, "One.", f"Reply {number}.") for number in range(12)}
    assert len({one[:10] for one in said}) > 1
    for one in said:
        with pytest.raises(Unreadable):
            RUBRIC.form(2).read(Reply(one, stop="stop"))


def test_a_judge_that_stammers_is_read_the_second_time() -> None:
    judge, form = Judge("judge", 5, COSTS, stammer=1.0), RUBRIC.form(1)
    first = verdict(judge, "Fine.")
    with pytest.raises(Unreadable):
        form.read(Reply(first, stop="stop"))
    again = asked("Judge.", material("Fine."), first, "That cannot be read.", schema=form.schema)
    assert form.read(Reply(judge.script(again), stop="stop")).value


def test_a_judge_that_follows_turn_by_turn_speaks_of_the_last() -> None:
    judge = Judge("judge", 9, COSTS)
    form = marks_form(v1_rubric(OPTIONS))
    turns = [
        PROMPTS.fill("judge_turn", number=str(n), user=fenced("Well?", "abc"), player=fenced(reply, "abc"))
        for n, reply in enumerate([WORDS[OUT], WORDS[BROKEN]], 1)
    ]
    found = form.read(
        Reply(judge.script(asked("Judge.", turns[0], "{}", turns[1], schema=form.schema)))
    ).value
    assert [found[f"{name}_score"] for name in FAULTS] == [9, 9, 6]


def test_an_examiner_judges_what_it_heard_and_goes_on_only_where_it_is_asked_to() -> None:
    script = examiner(User(), Judge("examiner", 9, COSTS), 0)
    brief = "a user who chats with Odo, and you are\n\neep to this for the whole conversation:\nAsk."
    form = marks_form(v1_rubric(OPTIONS), LONGEST_UTTERANCE)
    heard = f"The player replied:\n{fenced(WORDS[DULL], 'abc')}\n\nJudge this reply."
    found = form.read(Reply(script(asked(brief, "Begin.", "{}", heard, schema=form.schema)))).value
    assert (found["entertaining_score"], found["fluency_score"]) == (8, 9)
    assert found["next_utterance"]
    other_mark = heard.replace("abc", "def")
    assert script(asked(brief, "Begin.", "{}", other_mark, schema=form.schema)) == json.dumps(found)
    assert json.loads(script(asked(brief, "Begin.", schema=UTTERANCE))).keys() == {"next_utterance"}
    last = marks_form(v1_rubric(OPTIONS))
    ended = json.loads(script(asked(brief, "Begin.", "{}", heard, schema=last.schema)))
    assert "next_utterance" not in ended
