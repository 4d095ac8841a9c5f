"""Several seats that are asked at once are heard in seat order, whatever order their replies came in."""

import asyncio
from itertools import permutations

import pytest

from interplay.core.conversation import Line
from interplay.core.failures import Cancelled, Failure, OverBudget, Parked, ProviderFailure, UnreadableFailure
from interplay.core.wire import Reply, Request, Step
from tests.core.talking import Desk, Word, talk_of


async def all_asked(latency: dict[str, float]) -> tuple[list[Word], tuple[Line, ...], Desk]:
    desk = Desk(
        latency,
        a=["bad", '{"word": "of a"}'],
        b=['{"word": "of b"}'],
        c=["bad", "worse", '{"word": "of c"}'],
    )
    talk = talk_of(desk)
    seats = [talk.seat(name, brief="") for name in ("c", "a", "b")]
    talk.tell(seats, "go")
    answers = await talk.ask_all(seats, Word)
    talk.tell(seats, "done")
    return answers, talk.listen(), desk


@pytest.mark.parametrize("order", list(permutations("abc")), ids="".join)
async def test_seats_asked_at_once_are_heard_in_seat_order_whatever_came_first(
    order: tuple[str, ...],
) -> None:
    answers, lines, desk = await all_asked({name: 0.02 * place for place, name in enumerate(order)})

    assert answers == [Word("of c"), Word("of a"), Word("of b")]
    assert [(line.source, line.text) for line in lines] == [
        ("", "go"),
        ("c", '{"word": "of c"}'),
        ("a", '{"word": "of a"}'),
        ("b", '{"word": "of b"}'),
        ("", "done"),
    ]
    for name, tries in (("a", 2), ("b", 1), ("c", 3)):
        assert [step.number for step, _ in desk.asked if step.participant == name] == list(range(tries))


async def test_the_shuffled_latencies_do_shuffle_the_replies() -> None:
    _, _, quick_b = await all_asked({"a": 0.02, "b": 0, "c": 0.02})
    _, _, slow_b = await all_asked({"a": 0, "b": 0.05, "c": 0})

    assert quick_b.arrived[0] == "b"
    assert slow_b.arrived[-1] == "b"


async def test_when_one_of_several_fails_the_others_are_not_left_running() -> None:
    desk = Desk({"b": 30}, a=["bad"] * 3, b=['{"word": "never heard"}'])
    talk = talk_of(desk)
    seats = [talk.seat("b", brief=""), talk.seat("a", brief="")]
    talk.tell(seats, "go")
    before = asyncio.all_tasks()

    with pytest.raises(UnreadableFailure):
        await talk.ask_all(seats, Word)
    assert asyncio.all_tasks() == before
    assert desk.arrived == ["a", "a", "a"]


@pytest.mark.parametrize("kind", [Cancelled, ProviderFailure, OverBudget])
async def test_when_one_will_be_asked_again_the_others_come_back_first(kind: type[Failure]) -> None:
    """Else what the others were asked would be paid for twice."""

    class Stopped(Desk):
        async def reply(self, step: Step, request: Request) -> Reply:
            if step.participant == "a":
                raise kind("not sent")
            return await super().reply(step, request)

    desk = Stopped({"b": 0.02}, b=['{"word": "heard"}'])
    talk = talk_of(desk)
    seats = [talk.seat("b", brief=""), talk.seat("a", brief="")]
    talk.tell(seats, "go")

    with pytest.raises(kind):
        await talk.ask_all(seats, Word)
    assert desk.arrived == ["b"]


async def test_a_second_run_of_the_same_script_sends_the_same_requests() -> None:
    async def digests() -> list[bytes]:
        _, _, desk = await all_asked({})
        return [request.digest for _, request in desk.asked]

    assert await digests() == await digests()


class Absent(Desk):
    """A desk at which one seat is a person's, who has not spoken yet."""

    async def reply(self, step: Step, request: Request) -> Reply:
        if step.participant == "c":
            self.asked.append((step, request))
            raise Parked("c", "ada")
        return await super().reply(step, request)


@pytest.mark.parametrize("order", [("c", "a", "b"), ("a", "c", "b"), ("a", "b", "c")], ids="".join)
async def test_where_a_person_is_to_speak_the_others_are_heard_to_their_end_first(
    order: tuple[str, ...],
) -> None:
    desk = Absent({"a": 0.02, "b": 0.01}, a=["bad", '{"word": "of a"}'], b=['{"word": "of b"}'])
    talk = talk_of(desk)
    seats = [talk.seat(name, brief="") for name in order]
    talk.tell(seats, "go")
    before = asyncio.all_tasks()

    with pytest.raises(Parked) as raised:
        await talk.ask_all(seats, Word)

    assert (raised.value.seat, raised.value.person) == ("c", "ada")
    assert str(raised.value) == "c waits for ada"
    assert sorted(desk.arrived) == ["a", "a", "b"]  # a second try of another is asked for as well
    assert asyncio.all_tasks() == before
    heard = [line.source for line in talk.listen() if line.source]
    assert heard == [name for name in order if name != "c"]


async def test_a_failure_goes_before_a_person_who_is_to_speak() -> None:
    desk = Absent(a=["bad"] * 3)
    talk = talk_of(desk)
    seats = [talk.seat("c", brief=""), talk.seat("a", brief="")]
    talk.tell(seats, "go")

    with pytest.raises(UnreadableFailure):
        await talk.ask_all(seats, Word)


async def test_of_several_people_the_first_in_seat_order_is_named() -> None:
    class Empty(Desk):
        async def reply(self, step: Step, request: Request) -> Reply:
            await asyncio.sleep(self.latency[step.participant])
            raise Parked(step.participant, f"person of {step.participant}")

    talk = talk_of(Empty({"a": 0.02, "b": 0.01, "c": 0.0}))
    seats = [talk.seat(name, brief="") for name in "abc"]
    talk.tell(seats, "go")

    with pytest.raises(Parked, match="a waits for person of a"):
        await talk.ask_all(seats, Word)
