"""A budget in money, tokens and calls: what a call may use at most is set aside before it is sent."""

import asyncio
from collections import deque
from dataclasses import dataclass

from interplay.core.failures import OverBudget
from interplay.core.wire import Request
from interplay.models.prices import Price

TOKENS_AROUND_A_MESSAGE = 16  # what an endpoint puts around each message, and around the whole


def dollars(amount: float) -> str:
    """An amount that can be told from nothing."""
    return f"${amount:,.2f}" if amount >= 1 or amount == 0 else f"${amount:,.4f}"


@dataclass(frozen=True)
class Limits:
    """The most that a run may use, over all its starts and roles; None is no limit."""

    money: float | None = None
    tokens: int | None = None
    calls: int | None = None

    def __bool__(self) -> bool:
        return self != Limits()

    def in_words(self) -> str:
        parts = (
            None if self.money is None else dollars(self.money),
            None if self.tokens is None else f"{self.tokens:,} tokens",
            None if self.calls is None else f"{self.calls:,} calls",
        )
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True)
class Amount:
    """So much money, so many tokens and calls."""

    money: float = 0.0
    tokens: int = 0
    calls: int = 0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(self.money + other.money, self.tokens + other.tokens, self.calls + other.calls)

    def __sub__(self, other: "Amount") -> "Amount":
        return Amount(self.money - other.money, self.tokens - other.tokens, self.calls - other.calls)

    def at_least(self, other: "Amount") -> "Amount":
        """The larger of each."""
        return Amount(
            max(self.money, other.money), max(self.tokens, other.tokens), max(self.calls, other.calls)
        )

    def within(self, limits: Limits) -> bool:
        return (
            (limits.money is None or self.money <= limits.money)
            and (limits.tokens is None or self.tokens <= limits.tokens)
            and (limits.calls is None or self.calls <= limits.calls)
        )


def most_of(request: Request, price: Price | None) -> Amount:
    """What a call can use at most: no token is shorter than a byte, no reply longer than was allowed."""
    thread = request.thread
    around = TOKENS_AROUND_A_MESSAGE * (thread.length + 1)
    read = thread.size + around + (len(request.settings) if request.schema else 0)
    written = request.sampling.max_tokens or 0
    return Amount(price.of(read, written) if price else 0.0, read + written, 1)


class Budget:
    """Shared by all workers of a run: a call that does not fit waits for others to come back with less."""

    def __init__(self, limits: Limits, spent: Amount):
        self.limits = limits
        self.limited = bool(limits)
        self.spent = spent
        self.used_up = False  # something did not fit
        self.largest = Amount()  # what had to be set aside for one call; the last call needs that much room
        self._set_aside = Amount()
        self._waiting: deque[tuple[Amount, asyncio.Future[None]]] = deque()

    async def set_aside(self, need: Amount) -> None:
        """Hold back what a call may use, or raise OverBudget where it can never be afforded."""
        if not self.limited:
            return
        self.largest = Amount(max(self.largest.money, need.money), max(self.largest.tokens, need.tokens))
        if not self._waiting and self._fits(need):
            self._set_aside += need
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((need, place))
        self._admit()
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled() and place.exception() is None:
                self._set_aside -= need
            self._admit()
            raise

    def settle(self, held: Amount, used: Amount) -> None:
        """A call came back: give back what it did not use."""
        if not self.limited:
            return
        self._set_aside -= held
        if self._set_aside.calls == 0:
            self._set_aside = Amount()  # sums of floats drift
        self.spent += used
        self._admit()

    def _fits(self, need: Amount) -> bool:
        return (self.spent + self._set_aside + need).within(self.limits)

    def _admit(self) -> None:
        """Let in who fits, first come first; who does not fit with nothing under way never will."""
        while self._waiting:
            need, place = self._waiting[0]
            if place.done():
                self._waiting.popleft()
            elif self._fits(need):
                self._waiting.popleft()
                self._set_aside += need
                place.set_result(None)
            elif self._set_aside.calls == 0:
                self._waiting.popleft()
                self.used_up = True
                place.set_exception(OverBudget("the budget does not cover another call"))
            else:
                return

    def in_words(self) -> str:
        """What was used, of what there was."""
        parts = []
        if self.limits.money is not None:
            parts.append(f"{dollars(self.spent.money)} of {dollars(self.limits.money)}")
        if self.limits.tokens is not None:
            parts.append(f"{self.spent.tokens:,} of {self.limits.tokens:,} tokens")
        if self.limits.calls is not None:
            parts.append(f"{self.spent.calls:,} of {self.limits.calls:,} calls")
        return ", ".join(parts)
