"""Under a budget, conversations begin only as far as it is likely to cover them, so that it ends with finished ones."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from interplay.running.budget import Amount, Budget

FIRST = 2  # conversations of one cast that run until it is known what one takes
MARGIN = 1.1  # some take more than others


@dataclass(eq=False)  # two conversations that used the same are two
class Meter:
    """What one conversation is expected to use, and what it has used."""

    kind: str
    expected: Amount
    used: Amount = field(default_factory=Amount)

    def to_come(self) -> Amount:
        left = self.expected - self.used
        return Amount(max(0.0, left.money), max(0, left.tokens), max(0, left.calls))


_METER: ContextVar[Meter | None] = ContextVar("meter", default=None)


def count(used: Amount) -> None:
    """Count what a call used towards the conversation that made it."""
    meter = _METER.get()
    if meter is not None:
        meter.used += used


class Allowance:
    """Lets conversations begin. How many calls one takes is known; tokens and money are learned from others."""

    def __init__(self, budget: Budget, stopping: Callable[[], bool]):
        self._budget = budget
        self._stopping = stopping
        self._open: list[Meter] = []
        self._finished: dict[str, Amount] = {}  # what conversations of each kind used together
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def covering(self, kind: str, calls: int) -> AsyncIterator[bool]:
        """May a conversation of this kind, with so many calls, begin? Waits while that depends on others."""
        if not self._budget.limited:
            yield True
            return
        meter = await self._begin(kind, calls)
        if meter is None:
            yield False
            return
        token = _METER.set(meter)
        try:
            yield True
        finally:
            _METER.reset(token)
            self._open.remove(meter)
            if meter.used.calls:  # one that was replayed from the record tells nothing
                self._finished[kind] = self._finished.get(kind, Amount()) + meter.used
            async with self._changed:
                self._changed.notify_all()

    async def _begin(self, kind: str, calls: int) -> Meter | None:
        async with self._changed:
            await self._changed.wait_for(lambda: self._is_decided(kind, calls))
            if self._stopping() or self._budget.used_up:
                return None
            if not self._has_room(kind, calls):
                self._budget.used_up = True
                self._changed.notify_all()
                return None
            meter = Meter(kind, self._expected(kind, calls))
            self._open.append(meter)
            return meter

    def _is_decided(self, kind: str, calls: int) -> bool:
        over = self._stopping() or self._budget.used_up or not self._open
        return over or self._has_room(kind, calls)

    def _has_room(self, kind: str, calls: int) -> bool:
        limits = self._budget.limits
        unknown = kind not in self._finished and (limits.money is not None or limits.tokens is not None)
        if unknown and sum(one.kind == kind for one in self._open) >= FIRST:
            return False
        # The last call of a conversation needs room too; one that runs alone may take the chance.
        spare = self._budget.largest if self._open else Amount()
        total = self._budget.spent + spare + self._expected(kind, calls)
        for one in self._open:
            total += one.to_come()
        return total.within(limits)

    def _expected(self, kind: str, calls: int) -> Amount:
        seen = self._finished.get(kind, Amount())
        if not seen.calls:
            return Amount(calls=calls)
        share = MARGIN * calls / seen.calls
        return Amount(seen.money * share, round(seen.tokens * share), calls)
