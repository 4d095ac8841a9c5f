"""A gate before each endpoint: how many calls it gets at once, learned from how it answers.

It opens fast while calls succeed, halves when the endpoint says "too many", then waits as long as it was told to
and lets one call through to see; it stops growing when the pace of replies drops.
"""

import asyncio
import time
from collections import deque

FIRST_LIMIT = 8
LONGEST_BACKOFF = 60.0
MOST_REFUSALS = 20  # in a row, each after a longer wait
TOKENS_OF_A_SHORT_REPLY = 32  # so that the fixed part of a call's latency does not count as slowness
SLOW, TOO_SLOW = 1.5, 3.0


class Gate:
    """Admits calls to one endpoint."""

    def __init__(self, most: int):
        self.most = most
        self.limit = float(min(most, FIRST_LIMIT))
        self.active = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._closed_until = 0.0
        self._probing = False
        self._refusals = 0
        self._regained = float(most)  # up to here the limit grows fast
        self._last_cut = 0.0
        self._last_refusal = 0.0
        self._pace = _Pace()

    @property
    def hopeless(self) -> bool:
        """Has the endpoint said nothing but "too many" for a long time?"""
        return self._refusals >= MOST_REFUSALS

    def leave(self) -> None:
        """Give a place back."""
        self.active -= 1
        self._admit()

    def enter_at_once(self) -> bool:
        """Take one of the places if there is one, and nobody waits for it."""
        if self._waiting or not self._has_room():
            return False
        self.active += 1
        return True

    async def enter(self) -> None:
        """Take one of the places; wait for it if need be."""
        if self.enter_at_once():
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        self._admit()
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.active -= 1
                self._admit()
            raise

    def _has_room(self) -> bool:
        if self.hopeless:
            return self.active < self.most  # whoever waits is to be told so
        if time.monotonic() < self._closed_until:
            return False
        return self.active < (1 if self._probing else int(self.limit))

    def _admit(self) -> None:
        while self._waiting and self._has_room():
            place = self._waiting.popleft()
            if not place.done():
                self.active += 1
                place.set_result(None)
        if not self._waiting:
            return
        closed = self._closed_until - time.monotonic()
        if closed > 0:
            asyncio.get_running_loop().call_later(closed + 0.001, self._admit)

    def succeeded(self, sent: float, latency: float, tokens_out: int | None) -> None:
        """A call that was sent at this moment was answered."""
        if sent > self._last_refusal:  # one that was already on its way is no probe
            self._probing = False
            self._refusals = 0
        slowness = self._pace.slowness(latency, tokens_out)
        now = time.monotonic()
        if slowness > TOO_SLOW and self.limit > FIRST_LIMIT and now - self._last_cut > latency:
            self.limit *= 0.9
            self._last_cut = now
        elif slowness < SLOW and self.active >= int(self.limit):
            step = 1.0 if self.limit < self._regained else 1.0 / self.limit
            self.limit = min(float(self.most), self.limit + step)
        self._admit()

    def refused(self, sent: float, after: float | None) -> None:
        """The endpoint said "too many" to a call that was sent at this moment."""
        now = time.monotonic()
        if sent > self._last_refusal:  # calls that were already on their way tell nothing new
            self._last_refusal = now
            self._refusals += 1
            if not self._probing:  # a probe that fails says "not yet", not "still too many"
                self._regained = self.limit * 0.9
                self.limit = max(1.0, self.limit / 2)
        backoff = min(LONGEST_BACKOFF, 2.0 ** (self._refusals - 1))
        wait = max(after or 0.0, backoff)  # an endpoint that asks for no wait gets one all the same
        self._closed_until = max(self._closed_until, now + wait)
        self._probing = True


class _Pace:
    """How slow replies are now, against the best this endpoint has shown.

    Roles write replies of different lengths; some endpoints take longer for longer ones and some do not. So an
    endpoint is only slow when it is so by the reply and by the token.
    """

    def __init__(self) -> None:
        self._by_reply, self._by_token = _Slowness(), _Slowness()

    def slowness(self, latency: float, tokens_out: int | None) -> float:
        per_token = latency / ((tokens_out or 0) + TOKENS_OF_A_SHORT_REPLY)
        return min(self._by_reply.after(latency), self._by_token.after(per_token))


class _Slowness:
    """The recent mean of some duration, against its best."""

    def __init__(self) -> None:
        self._best = float("inf")
        self._recent = 0.0

    def after(self, took: float) -> float:
        self._recent = took if not self._recent else self._recent + (took - self._recent) / 16
        self._best = min(self._best * 1.001, self._recent)  # forgets slowly, as endpoints change
        return self._recent / self._best if self._best > 0 else 1.0
