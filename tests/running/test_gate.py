"""The gate before an endpoint, with a clock of its own where time matters."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interplay.running import gate as module
from interplay.running.gate import FIRST_LIMIT, LONGEST_BACKOFF, Gate


@asynccontextmanager
async def passage(gate: Gate) -> AsyncIterator[None]:
    """Hold one of the gate's places, as a call does."""
    await gate.enter()
    try:
        yield
    finally:
        gate.leave()


class Clock:
    """Stands in for the module time: it moves when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(module, "time", made)
    return made


async def turns(count: int = 5) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


class Crowd:
    """Calls that hold their place until they are let go."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.inside: list[asyncio.Event] = []
        self.most = 0
        self.tasks: list[asyncio.Task[None]] = []

    async def come(self, count: int) -> None:
        self.tasks += [asyncio.create_task(self._call()) for _ in range(count)]
        await turns()

    async def _call(self) -> None:
        async with passage(self.gate):
            leave = asyncio.Event()
            self.inside.append(leave)
            self.most = max(self.most, len(self.inside))
            try:
                await leave.wait()
            finally:
                self.inside.remove(leave)

    async def leave(self, count: int, then: Callable[[], None] = lambda: None) -> None:
        """The first to come are the first to leave, each after telling how it went."""
        for one in self.inside[:count]:
            then()
            one.set()
        await turns()

    async def disperse(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


def fast(gate: Gate, sent: float | None = None) -> Callable[[], None]:
    """A call that is answered quickly, sent at a moment of the gate's own clock: just now, if none is given."""
    return lambda: gate.succeeded(module.time.monotonic() if sent is None else sent, 0.1, 100)


async def opened(gate: Gate, clock: Clock) -> None:
    """Let the time pass until the gate opens; its own timer runs on the loop's clock, so it is asked."""
    clock.now = max(clock.now, gate._closed_until) + 0.01
    gate._admit()
    await turns()


@pytest.mark.parametrize("most, first", [(1, 1), (3, 3), (8, 8), (32, FIRST_LIMIT), (500, FIRST_LIMIT)])
async def test_a_gate_opens_a_little_at_first(most: int, first: int) -> None:
    gate = Gate(most)
    crowd = Crowd(gate)
    await crowd.come(600)
    assert len(crowd.inside) == gate.active == first
    await crowd.disperse()
    assert gate.active == 0


async def test_it_grows_on_success_up_to_its_most_and_never_beyond() -> None:
    gate = Gate(20)
    crowd = Crowd(gate)
    await crowd.come(300)
    seen = [len(crowd.inside)]
    while crowd.inside:
        await crowd.leave(1, fast(gate))
        seen.append(len(crowd.inside))
    assert max(seen) == crowd.most == 20
    assert seen[:13] == list(range(8, 21))
    assert (gate.active, gate.limit) == (0, 20.0)


async def test_it_does_not_grow_while_it_is_not_used() -> None:
    gate = Gate(20)
    for _ in range(50):
        async with passage(gate):
            fast(gate)()
    assert gate.limit == FIRST_LIMIT


async def test_it_does_not_grow_while_replies_slow_down_and_shrinks_when_they_crawl() -> None:
    gate = Gate(64)
    crowd = Crowd(gate)
    await crowd.come(500)
    await crowd.leave(30, fast(gate))
    grown = gate.limit
    assert grown > FIRST_LIMIT
    await crowd.leave(10, lambda: gate.succeeded(time.monotonic(), 20.0, 100))
    assert gate.limit < grown
    await crowd.disperse()


async def test_a_storm_of_refusals_halves_it_once(clock: Clock) -> None:
    gate = Gate(8)
    crowd = Crowd(gate)
    sent = clock.now
    await crowd.come(8)
    clock.now += 1
    await crowd.leave(8, lambda: gate.refused(sent, 2.0))
    assert gate.limit == 4
    clock.now += 10
    gate.refused(clock.now - 0.1, 2.0)  # a probe: it says "not yet", not "still too many"
    assert gate.limit == 4


async def test_a_second_storm_halves_it_again_and_it_never_falls_below_one(clock: Clock) -> None:
    gate = Gate(8)
    limits = []
    for _ in range(5):
        sent = clock.now
        clock.now += 1
        gate.refused(sent, 1.0)
        clock.now += 5
        gate.succeeded(clock.now - 0.1, 0.1, 100)
        limits.append(gate.limit)
    assert limits == [4, 2, 1, 1, 1]


async def test_it_is_closed_as_long_as_it_was_asked_then_one_probe_at_a_time(clock: Clock) -> None:
    gate = Gate(8)
    crowd = Crowd(gate)
    sent = clock.now
    await crowd.come(30)
    clock.now += 1
    await crowd.leave(8, lambda: gate.refused(sent, 5.0))
    assert len(crowd.inside) == 0

    clock.now += 4.9
    gate._admit()
    await turns()
    assert len(crowd.inside) == 0

    for _ in range(3):  # the endpoint still says no: each time one call asks, and no more
        await opened(gate, clock)
        assert len(crowd.inside) == 1
        probed = clock.now
        clock.now += 0.1
        await crowd.leave(1, lambda probed=probed: gate.refused(probed, 5.0))
        assert len(crowd.inside) == 0

    await opened(gate, clock)
    assert len(crowd.inside) == 1
    await crowd.leave(1, fast(gate))
    assert len(crowd.inside) == 4  # half of what it was
    await crowd.disperse()
    assert gate.active == 0


async def test_a_probe_that_fails_otherwise_makes_room_for_the_next_probe(clock: Clock) -> None:
    gate = Gate(8)
    crowd = Crowd(gate)
    gate.refused(clock.now, 1.0)
    await crowd.come(10)
    for _ in range(3):
        await opened(gate, clock)
        assert len(crowd.inside) == 1
        await crowd.leave(1)
    assert len(crowd.inside) == 1
    await crowd.disperse()


async def test_a_late_answer_from_before_the_storm_does_not_open_the_gate_wide(clock: Clock) -> None:
    gate = Gate(8)
    crowd = Crowd(gate)
    sent = clock.now
    await crowd.come(40)
    clock.now += 1
    await crowd.leave(7, lambda: gate.refused(sent, 5.0))
    await crowd.leave(1, fast(gate, sent))  # sent before the endpoint said no, answered after
    await opened(gate, clock)
    try:
        assert len(crowd.inside) == 1
    finally:
        await crowd.disperse()


async def test_a_success_sent_before_the_last_refusal_does_not_end_probing(clock: Clock) -> None:
    gate = Gate(8)
    crowd = Crowd(gate)
    before = clock.now
    for _ in range(2):
        clock.now = max(clock.now, gate._closed_until) + 1
        gate.refused(clock.now - 0.5, None)
    await crowd.come(20)
    await opened(gate, clock)
    for late in (before, gate._last_refusal):
        gate.succeeded(late, 0.1, 100)
        await turns()
        assert (len(crowd.inside), gate._probing, gate._refusals) == (1, True, 2)

    gate.succeeded(clock.now, 0.1, 100)  # the probe itself
    await turns()
    assert (len(crowd.inside), gate._probing, gate._refusals) == (4, False, 0)
    await crowd.disperse()


async def test_without_a_word_from_the_endpoint_the_wait_doubles_up_to_a_limit(clock: Clock) -> None:
    gate = Gate(8)
    waits = []
    for _ in range(9):
        clock.now = max(clock.now, gate._closed_until) + 1
        gate.refused(clock.now - 0.5, None)
        waits.append(gate._closed_until - clock.now)
    assert waits == pytest.approx([1, 2, 4, 8, 16, 32, 60, 60, LONGEST_BACKOFF])


async def test_a_success_makes_the_next_wait_short_again(clock: Clock) -> None:
    gate = Gate(8)
    for _ in range(5):
        clock.now = max(clock.now, gate._closed_until) + 1
        gate.refused(clock.now - 0.5, None)
    clock.now = gate._closed_until + 1
    gate.succeeded(clock.now - 0.5, 0.1, 100)
    clock.now = gate._closed_until + 1
    gate.refused(clock.now - 0.5, None)
    assert gate._closed_until - clock.now == pytest.approx(1)


async def test_it_regains_nine_tenths_fast_and_the_rest_slowly(clock: Clock) -> None:
    gate = Gate(40)
    crowd = Crowd(gate)
    await crowd.come(2000)
    for _ in range(3):
        await crowd.leave(40, fast(gate))
    assert gate.limit == 40
    clock.now += 1
    gate.refused(clock.now - 0.5, 1.0)
    assert gate.limit == 20
    while gate.active > 1:
        await crowd.leave(1)
    await opened(gate, clock)
    answers = 0
    while gate.limit < 36:
        await crowd.leave(1, fast(gate))
        answers += 1
        assert answers < 100
    await crowd.leave(30, fast(gate))
    assert 36 < gate.limit < 38
    await crowd.disperse()


async def test_after_a_real_wait_the_waiting_are_let_in_by_themselves() -> None:
    gate = Gate(4)
    loop = asyncio.get_running_loop()
    gate.refused(loop.time(), 0.05)
    let_in = []

    async def call(number: int) -> None:
        async with passage(gate):
            fast(gate)()
            let_in.append(number)

    async with asyncio.timeout(20):
        await asyncio.gather(*(call(number) for number in range(10)))
    assert let_in == list(range(10))
    assert gate.active == 0


async def test_cancelled_waiters_take_no_place_with_them() -> None:
    gate = Gate(2)
    crowd = Crowd(gate)
    await crowd.come(10)
    for task in crowd.tasks[2:6]:
        task.cancel()
    await crowd.leave(2)
    assert len(crowd.inside) == 2
    await crowd.leave(2)
    await crowd.leave(2)
    assert (len(crowd.inside), gate.active) == (0, 0)
    async with passage(gate):
        assert gate.active == 1
    assert not gate._waiting


async def test_a_waiter_cancelled_at_the_moment_it_is_let_in_hands_its_place_on() -> None:
    gate = Gate(1)
    crowd = Crowd(gate)
    await crowd.come(3)
    crowd.inside[0].set()
    crowd.tasks[1].cancel()
    await turns()
    assert (len(crowd.inside), gate.active) == (1, 1)
    gate.active, first = gate.active, crowd.inside[0]
    first.set()
    await turns()
    assert gate.active == 0


async def test_an_error_inside_frees_the_place() -> None:
    gate = Gate(1)
    for _ in range(3):
        with pytest.raises(LookupError):
            async with passage(gate):
                raise LookupError
    assert gate.active == 0


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 12), st.lists(st.sampled_from(["ok", "no", "broken", "cancel"]), max_size=60))
def test_whatever_happens_the_limit_holds_and_nothing_leaks(most: int, fates: list[str]) -> None:
    async def whole() -> None:
        gate = Gate(most)
        inside = 0

        async def call(fate: str) -> None:
            nonlocal inside
            async with passage(gate):
                sent = asyncio.get_running_loop().time()
                inside += 1
                try:
                    assert inside <= most
                    await asyncio.sleep(0)
                    if fate == "no":
                        gate.refused(sent, 0.0)
                    if fate == "ok":
                        gate.succeeded(sent, 0.1, 10)
                    if fate == "broken":
                        raise LookupError
                finally:
                    inside -= 1

        tasks = [asyncio.create_task(call(fate)) for fate in fates]
        await asyncio.sleep(0)
        for task, fate in zip(tasks, fates, strict=True):
            if fate == "cancel":
                task.cancel()
        async with asyncio.timeout(20):
            results = await asyncio.gather(*tasks, return_exceptions=True)
        assert not [one for one in results if isinstance(one, AssertionError)]
        assert (gate.active, inside) == (0, 0)
        assert 1 <= gate.limit <= most

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LONGEST_BACKOFF", 0.005)  # sixty refusals in a row would take an hour
        asyncio.run(whole())
