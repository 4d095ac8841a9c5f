"""Conversations: views, re-asking, failures by role, step numbers, what is said and how it is heard."""

import pytest

from interplay.core.conversation import MOST_TRIES, SHOWN_OF_A_BAD_REPLY, RoleKind
from interplay.core.failures import (
    Failure,
    JudgeFailure,
    ProviderFailure,
    SimulatorFailure,
    UnreadableFailure,
)
from interplay.core.forms import Text
from interplay.core.wire import Message, Reply, Request, Sampling, Step
from tests.core.talking import Desk, Word, talk_of


async def test_a_view_begins_with_the_brief_and_alternates_between_others_and_oneself() -> None:
    desk = Desk(a=["one", "two", "three"])
    talk = talk_of(desk)
    a = talk.seat("a", brief="You are a.")
    for text in ("x", "y", "z"):
        talk.tell([a], text)
        await talk.ask(a)

    assert desk.views("a")[-1] == [
        ("system", "You are a."),
        ("user", "x"),
        ("assistant", "one"),
        ("user", "y"),
        ("assistant", "two"),
        ("user", "z"),
    ]


async def test_two_seats_see_the_same_dialogue_from_their_own_side() -> None:
    desk = Desk(a=["a1", "a2"], b=["b1"])
    talk = talk_of(desk)
    a, b = talk.seat("a", brief="brief of a"), talk.seat("b", brief="brief of b")
    talk.tell([a], "begin")
    talk.tell([b], await talk.ask(a), source=a)
    talk.tell([a], await talk.ask(b), source=b)
    await talk.ask(a)

    assert desk.views("b") == [[("system", "brief of b"), ("user", "a1")]]
    assert desk.views("a")[-1] == [
        ("system", "brief of a"),
        ("user", "begin"),
        ("assistant", "a1"),
        ("user", "b1"),
    ]


async def test_a_brief_is_in_its_own_view_alone_and_in_no_line() -> None:
    desk = Desk(a=["a1"], b=["b1"])
    talk = talk_of(desk)
    a, b = talk.seat("a", brief="secret of a"), talk.seat("b", brief="secret of b")
    talk.tell([a, b], "hello")
    await talk.ask(a)
    await talk.ask(b)

    assert "secret of b" not in str(desk.views("a"))
    assert "secret of a" not in str(desk.views("b"))
    assert "secret" not in str(talk.listen())


async def test_an_empty_brief_is_no_message() -> None:
    desk = Desk(a=["one"])
    talk = talk_of(desk)
    a = talk.seat("a", brief="")
    talk.tell([a], "hello")
    await talk.ask(a)

    assert desk.views("a") == [[("user", "hello")]]


async def test_several_unanswered_things_join_into_one_message() -> None:
    desk = Desk(a=["one", "two"])
    talk = talk_of(desk)
    a = talk.seat("a", brief="")
    for text in ("x", "y", "z"):
        talk.tell([a], text)
    await talk.ask(a)
    talk.tell([a], "w")
    await talk.ask(a)

    assert desk.views("a") == [
        [("user", "x\n\ny\n\nz")],
        [("user", "x\n\ny\n\nz"), ("assistant", "one"), ("user", "w")],
    ]


async def test_a_seat_that_hears_names_hears_who_spoke_but_not_a_name_for_the_narrator() -> None:
    desk = Desk(a=["ok"], c=["ok"])
    talk = talk_of(desk)
    a, b = talk.seat("a", brief="", hears_names=True), talk.seat("b", brief="")
    c = talk.seat("c", brief="")
    talk.tell([a, c], "A storm comes.")
    talk.tell([a, c], "Run!", source=b)
    await talk.ask(a)
    await talk.ask(c)

    assert desk.views("a") == [[("user", "A storm comes.\n\nb: Run!")]]
    assert desk.views("c") == [[("user", "A storm comes.\n\nRun!")]]


async def test_the_request_names_the_model_the_sampling_and_the_schema_of_the_form() -> None:
    desk = Desk(a=["free", '{"word": "ball"}'])
    talk = talk_of(desk)
    a = talk.seat("a", brief="")
    talk.tell([a], "x")
    await talk.ask(a)
    talk.tell([a], "y")
    await talk.ask(a, Word)
    (_, free), (_, formed) = desk.asked

    assert (free.model, free.sampling, free.schema) == ("model of a", Sampling(0.5), None)
    assert formed.schema is not None
    assert list(formed.schema["properties"]) == ["word"]


async def test_several_seats_can_sit_in_one_role() -> None:
    desk = Desk(one=["1"], two=["2"])
    talk = talk_of(desk)
    seats = [talk.seat(name, role="b", brief="") for name in ("one", "two")]
    talk.tell(seats, "x")

    assert await talk.ask_all(seats, Text()) == ["1", "2"]
    assert {request.model for _, request in desk.asked} == {"model of b"}


async def test_a_bad_reply_is_asked_for_again_with_the_reply_and_our_words() -> None:
    desk = Desk(a=["I think it is a ball", '{"word": 4}', '{"word": "ball"}'])
    talk = talk_of(desk)
    a = talk.seat("a", brief="brief")
    talk.tell([a], "guess")

    assert await talk.ask(a, Word) == Word("ball")
    first, second, third = desk.views("a")
    assert first == [("system", "brief"), ("user", "guess")]
    assert second == [
        *first,
        ("assistant", "I think it is a ball"),
        ("user", "Your reply holds no JSON object. Reply with one JSON object."),
    ]
    assert third == [
        *first,
        ("assistant", '{"word": 4}'),
        ("user", "Your reply does not fit the form: word must be a string."),
    ]


async def test_after_success_neither_the_bad_reply_nor_our_words_stay_in_the_view() -> None:
    desk = Desk(a=["nonsense", 'Sorry! {"word": "ball",}', "bye"])
    talk = talk_of(desk)
    a = talk.seat("a", brief="")
    talk.tell([a], "guess")
    await talk.ask(a, Word)
    talk.tell([a], "thanks")
    await talk.ask(a)

    assert desk.views("a")[-1] == [("user", "guess"), ("assistant", '{"word": "ball"}'), ("user", "thanks")]
    assert [line.text for line in talk.listen(a)] == ["guess", '{"word": "ball"}', "thanks", "bye"]


async def test_an_empty_reply_is_shown_as_nothing_and_a_huge_one_is_cut() -> None:
    desk = Desk(a=["  ", "x" * 10_000, '{"word": "ball"}'])
    talk = talk_of(desk)
    a = talk.seat("a", brief="")
    talk.tell([a], "guess")
    await talk.ask(a, Word)
    _, second, third = desk.views("a")

    assert second[1] == ("assistant", "(nothing)")
    assert third[1] == ("assistant", "x" * SHOWN_OF_A_BAD_REPLY)


@pytest.mark.parametrize(
    ("kind", "failure"),
    [("subject", UnreadableFailure), ("simulator", SimulatorFailure), ("judge", JudgeFailure)],
)
async def test_after_the_last_try_the_failure_has_the_name_of_the_role(
    kind: RoleKind, failure: type[Failure]
) -> None:
    desk = Desk(a=["nonsense"] * (MOST_TRIES + 1))
    talk = talk_of(desk, {"a": kind})
    a = talk.seat("a", brief="")
    talk.tell([a], "guess")

    with pytest.raises(failure, match=r"^a: Your reply holds no JSON object") as caught:
        await talk.ask(a, Word)
    assert type(caught.value) is failure
    assert len(desk.asked) == MOST_TRIES == 3


async def test_a_subject_that_says_nothing_at_all_fails_as_unreadable() -> None:
    talk = talk_of(Desk(a=["", " ", "\n"]))
    a = talk.seat("a", brief="")
    talk.tell([a], "hello")

    with pytest.raises(UnreadableFailure, match="empty"):
        await talk.ask(a)


async def test_a_failure_of_the_desk_is_not_asked_again() -> None:
    class Down(Desk):
        async def reply(self, step: Step, request: Request) -> Reply:
            self.asked.append((step, request))
            raise ProviderFailure("down")

    desk = Down()
    talk = talk_of(desk)
    a = talk.seat("a", brief="")
    talk.tell([a], "hello")

    with pytest.raises(ProviderFailure):
        await talk.ask(a)
    assert len(desk.asked) == 1


async def test_steps_are_counted_for_each_seat_and_every_try_has_its_own() -> None:
    desk = Desk(a=["bad", '{"word": "x"}', "a3"], b=["b1", "b2"])
    talk = talk_of(desk, stage="play", item="t7")
    a, b = talk.seat("a", brief=""), talk.seat("b", brief="")
    talk.tell([a, b], "go")
    await talk.ask(a, Word)
    await talk.ask(b)
    talk.tell([a, b], "go on")
    await talk.ask(b)
    await talk.ask(a)

    assert [step for step, _ in desk.asked] == [
        Step("play", "t7", "a", 0),
        Step("play", "t7", "a", 1),
        Step("play", "t7", "b", 0),
        Step("play", "t7", "b", 1),
        Step("play", "t7", "a", 2),
    ]


async def test_listening_as_a_seat_gives_what_it_heard_and_said() -> None:
    desk = Desk(a=["from a"], b=["from b"])
    talk = talk_of(desk)
    a, b = talk.seat("a", brief=""), talk.seat("b", brief="")
    talk.tell([a, b], "for both")
    talk.tell([b], "for b")
    talk.tell([b], await talk.ask(a), source=a)
    await talk.ask(b)

    assert [line.text for line in talk.listen(a)] == ["for both", "from a"]
    assert [line.text for line in talk.listen(b)] == ["for both", "for b", "from a", "from b"]
    assert [(line.source, line.heard_by) for line in talk.listen()] == [
        ("", ("a", "b")),
        ("", ("b",)),
        ("a", ("a",)),
        ("a", ("b",)),
        ("b", ("b",)),
    ]


async def test_reasoning_enters_no_view_and_no_line() -> None:
    desk = Desk(a=[Reply("said", reasoning="thought", stop="stop"), "more"])
    talk = talk_of(desk)
    a = talk.seat("a", brief="")
    talk.tell([a], "x")
    await talk.ask(a)
    talk.tell([a], "y")
    await talk.ask(a)

    assert "thought" not in str(desk.views("a")) + str(talk.listen())


async def test_a_seat_that_was_told_nothing_cannot_be_asked() -> None:
    desk = Desk(a=["one", "two"])
    talk = talk_of(desk)
    a = talk.seat("a", brief="You are a.")

    with pytest.raises(RuntimeError, match="a is asked, but was told nothing"):
        await talk.ask(a)
    talk.tell([a], "x")
    await talk.ask(a)
    with pytest.raises(RuntimeError, match="told nothing since it last spoke"):
        await talk.ask(a)
    assert len(desk.asked) == 1


async def test_a_seat_is_taken_once_and_only_in_a_role_that_is_cast() -> None:
    talk = talk_of(Desk())
    talk.seat("a", brief="")

    with pytest.raises(RuntimeError, match="the seat 'a' is taken"):
        talk.seat("a", brief="")
    with pytest.raises(RuntimeError, match="nobody is cast as 'd'"):
        talk.seat("d", brief="")


async def test_once_makes_a_value_at_an_address_of_its_own_and_is_asked_once() -> None:
    desk = Desk()
    talk = talk_of(desk, stage="play", item="t7")

    assert await talk.once("reference", lambda: "QX7") == "QX7"
    assert await talk.once("table", lambda: 4) == 4
    assert desk.facts == {
        Step("play", "t7", "reference", 0): "QX7",
        Step("play", "t7", "table", 0): 4,
    }
    with pytest.raises(RuntimeError, match="was asked twice"):
        await talk.once("reference", lambda: "other")


async def test_the_same_seed_draws_the_same_and_another_draws_something_else() -> None:
    def drawn(seed: str) -> list[float]:
        rng = talk_of(Desk(), seed=seed).rng
        return [rng.random() for _ in range(4)]

    assert drawn("7/x/0") == drawn("7/x/0")
    assert drawn("7/x/0") != drawn("7/x/1")


def test_a_message_is_what_a_view_is_made_of() -> None:
    talk = talk_of(Desk())
    a = talk.seat("a", brief="You are a.")
    talk.tell([a], "x")

    assert a.turn_to_speak().messages() == [Message("system", "You are a."), Message("user", "x")]


async def test_what_is_heard_as_something_else_is_said_as_it_was() -> None:
    desk = Desk(a=["a1", "a2"])
    talk = talk_of(desk)
    a, b = talk.seat("a", brief="brief of a"), talk.seat("b", brief="brief of b")
    talk.tell([a], "plain", source=b, heard_as="<<plain>>")
    await talk.ask(a)
    talk.tell([a], "as it is", source=b)
    await talk.ask(a)

    assert desk.views("a")[-1][1:] == [("user", "<<plain>>"), ("assistant", "a1"), ("user", "as it is")]
    assert [line.text for line in talk.listen() if line.source == "b"] == ["plain", "as it is"]
    assert "<<plain>>" not in str(talk.listen())


async def test_a_name_that_is_heard_stands_before_what_is_heard() -> None:
    desk = Desk(a=["a1"])
    talk = talk_of(desk)
    a, b = talk.seat("a", brief="", hears_names=True), talk.seat("b", brief="brief of b")
    talk.tell([a], "plain", source=b, heard_as="<<plain>>")
    await talk.ask(a)

    assert desk.views("a") == [[("user", "b: <<plain>>")]]


async def test_whoever_is_cast_for_one_seat_goes_before_who_is_cast_for_the_role() -> None:
    desk = Desk(a=["x"], **{"a 2": ["y"], "a 3": ["z"]})
    talk = talk_of(desk, {"a": "subject", "a 1": "subject", "a 3": "subject"})
    seats = [talk.seat(name, role="a", brief="") for name in ("a", "a 2", "a 3")]
    for seat in seats:
        talk.tell([seat], "go")
        await talk.ask(seat)

    assert [request.model for _, request in desk.asked] == ["model of a 1", "model of a", "model of a 3"]
    assert [talk.casting(seat).model for seat in seats] == ["model of a 1", "model of a", "model of a 3"]
