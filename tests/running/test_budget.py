"""Budgets: what a call may use is set aside before it is sent, and what there was is never exceeded."""

import asyncio
from dataclasses import dataclass, field, replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interplay.core.failures import OverBudget
from interplay.core.wire import Message, Reply, Request, Sampling, Step, Thread
from interplay.models.calling import HOPELESS, RETRIED, CallFailed, Cause
from interplay.models.prices import Price
from interplay.models.scripted import Scripted
from interplay.running.budget import Amount, Budget, Limits, most_of
from interplay.running.sending import PERHAPS_BILLED, Call, Send, budgeted
from interplay.running.tally import Tally

STEP = Step("play", "", "player", 0)
HELLO = Thread.start(Message("user", "hello"))
REQUEST = Request("m", HELLO, Sampling(max_tokens=100))


def call(request: Request) -> Call:
    return Call(1, STEP, 0, request)


def model(price: Price | None) -> Scripted:
    made = Scripted("m", lambda _: "x")
    made.price = price
    return made


# Limits and amounts


def test_a_limit_of_nothing_is_a_limit() -> None:
    assert not Limits()
    assert Limits(money=0.0)
    assert Limits(tokens=0)
    assert Limits(calls=0)
    assert Amount().within(Limits(0.0, 0, 0))
    assert not Amount(calls=1).within(Limits(calls=0))


@pytest.mark.parametrize("over", [Amount(1.1, 5, 5), Amount(1.0, 11, 5), Amount(1.0, 5, 7)])
def test_each_limit_holds_alone(over: Amount) -> None:
    assert Amount(1.0, 10, 6).within(Limits(1.0, 10, 6))
    assert not over.within(Limits(1.0, 10, 6))
    assert over.within(Limits())


def test_a_budget_in_words() -> None:
    assert Limits(2.5, 1_000_000, 1_200).in_words() == "$2.50, 1,000,000 tokens, 1,200 calls"
    assert Limits(calls=3).in_words() == "3 calls"
    budget = Budget(Limits(2.5, 1000, 12), Amount(1.25, 999, 12))
    assert budget.in_words() == "$1.25 of $2.50, 999 of 1,000 tokens, 12 of 12 calls"


@given(st.lists(st.text(max_size=40), min_size=1, max_size=5), st.integers(1, 5000))
def test_the_most_of_a_call_covers_a_token_for_every_byte(texts: list[str], allowed: int) -> None:
    thread = Thread.start(Message("system", texts[0]))
    for text in texts[1:]:
        thread = thread.then("user", text)
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    most = most_of(Request("m", thread, Sampling(max_tokens=allowed)), Price(1.0, 3.0))
    assert most.calls == 1
    assert most.tokens >= size + allowed + len(texts)
    assert most.money == pytest.approx(((most.tokens - allowed) * 1.0 + allowed * 3.0) / 1e6)


def test_a_schema_is_read_too_and_a_longer_reply_costs_more() -> None:
    plain = most_of(REQUEST, None)
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert most_of(replace(REQUEST, schema=schema), None).tokens > plain.tokens + 40
    assert most_of(replace(REQUEST, sampling=Sampling(max_tokens=101)), None).tokens == plain.tokens + 1
    assert plain.money == 0.0


# One budget, several calls


async def test_what_does_not_fit_waits_for_others_to_come_back_with_less() -> None:
    budget = Budget(Limits(tokens=100), Amount())
    await budget.set_aside(Amount(tokens=80, calls=1))
    second = asyncio.create_task(budget.set_aside(Amount(tokens=60, calls=1)))
    await asyncio.sleep(0)
    assert not second.done()
    budget.settle(Amount(tokens=80, calls=1), Amount(tokens=30, calls=1))
    async with asyncio.timeout(5):
        await second
    assert (budget.spent.tokens, budget.used_up) == (30, False)


async def test_what_can_never_fit_is_refused_and_the_budget_is_used_up() -> None:
    budget = Budget(Limits(tokens=100), Amount(tokens=50))
    with pytest.raises(OverBudget):
        await budget.set_aside(Amount(tokens=51, calls=1))
    assert budget.used_up
    await budget.set_aside(Amount(tokens=50, calls=1))  # a smaller one may still go


async def test_the_first_to_wait_is_the_first_to_be_let_in() -> None:
    budget = Budget(Limits(tokens=100), Amount())
    await budget.set_aside(Amount(tokens=100, calls=1))
    order: list[int] = []

    async def wait(number: int, tokens: int) -> None:
        await budget.set_aside(Amount(tokens=tokens, calls=1))
        order.append(number)

    waiting = [asyncio.create_task(wait(number, tokens)) for number, tokens in enumerate((90, 5, 5))]
    await asyncio.sleep(0)
    budget.settle(Amount(tokens=100, calls=1), Amount(tokens=0, calls=1))
    async with asyncio.timeout(5):
        await asyncio.gather(*waiting)
    assert order == [0, 1, 2]


@pytest.mark.parametrize("let_in", [False, True], ids=["while waiting", "just let in"])
async def test_who_is_cancelled_gives_its_place_to_the_next(let_in: bool) -> None:
    budget = Budget(Limits(tokens=100), Amount())
    await budget.set_aside(Amount(tokens=100, calls=1))
    gone = asyncio.create_task(budget.set_aside(Amount(tokens=90, calls=1)))
    next_one = asyncio.create_task(budget.set_aside(Amount(tokens=80, calls=1)))
    await asyncio.sleep(0)
    if not let_in:
        gone.cancel()
        await asyncio.sleep(0)
    budget.settle(Amount(tokens=100, calls=1), Amount(tokens=20, calls=1))
    gone.cancel()
    async with asyncio.timeout(5):
        await next_one
    assert gone.cancelled()
    budget.settle(Amount(tokens=80, calls=1), Amount(tokens=80, calls=1))
    assert budget.spent == Amount(tokens=100, calls=2)


async def test_without_limits_nothing_waits() -> None:
    budget = Budget(Limits(), Amount())
    async with asyncio.timeout(5):
        for _ in range(100):
            await budget.set_aside(Amount(1e9, 10**12, 1))
    budget.settle(Amount(1e9, 10**12, 1), Amount(1.0, 2, 1))
    assert not budget.used_up


# budgeted


PRICE = Price(1.0, 4.0)
MOST = most_of(REQUEST, PRICE)


async def spent_by(outcome: Reply | CallFailed) -> Amount:
    """What a budget counts for one call that came to this."""

    async def send(sent: Call) -> Reply:
        assert sent.most == MOST  # on its way it says what was set aside for it
        if isinstance(outcome, CallFailed):
            raise outcome
        return outcome

    budget = Budget(Limits(money=1.0), Amount())
    work = budgeted(send, model(PRICE), budget, Tally())(call(REQUEST))
    if isinstance(outcome, CallFailed):
        with pytest.raises(CallFailed):
            await work
    else:
        assert await work == outcome
    return budget.spent


async def test_an_answer_counts_as_what_it_used() -> None:
    assert await spent_by(Reply("x", tokens_in=7, tokens_out=5, cost=0.5)) == Amount(0.5, 12, 1)


@pytest.mark.parametrize("cause", sorted({*RETRIED, *HOPELESS, "rejected", "unsupported", "broken"}))
async def test_a_failure_counts_as_its_most_where_it_may_have_been_answered(cause: Cause) -> None:
    counted = MOST if cause in ("timeout", "connection", "malformed") else Amount(calls=1)
    assert await spent_by(CallFailed(cause, "as told")) == counted


async def test_a_call_that_is_cut_off_counts_as_its_most() -> None:
    async def never(sent: Call) -> Reply:
        await asyncio.Event().wait()
        return Reply("never")

    budget = Budget(Limits(money=1.0), Amount())
    task = asyncio.create_task(budgeted(never, model(PRICE), budget, Tally())(call(REQUEST)))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert budget.spent == MOST


# A thousand runs

WORKERS = 50
RUNS, BLOCKS = 1000, 20
OFTEN = 50  # a budget is at least so many times the largest call
THREADS = [Thread.start(Message("user", "w" * size)) for size in (1, 40, 200, 700)]
THREADS += [thread.then("assistant", "x" * 90).then("user", "y" * 300) for thread in THREADS]
PER = 1_000_000


@dataclass
class Provider:
    """Answers by chance, and keeps its own account of what it handed out and could bill, in whole numbers."""

    rng: Random
    price: tuple[int, int]  # dollars for a million tokens
    failing: float
    silent: float  # the share of failures after which it bills an answer that nobody got
    calls: int = 0
    tokens: int = 0
    millionths: int = 0
    lost: int = 0

    async def send(self, call: Call) -> Reply:
        self.calls += 1
        came_to = self._failure(call) if self.rng.random() < self.failing else self._answer(call)
        for _ in range(self.rng.randrange(4)):
            await asyncio.sleep(0)  # whoever is cancelled here has been billed
        if isinstance(came_to, CallFailed):
            raise came_to
        return came_to

    def _answer(self, call: Call) -> Reply:
        thread = call.request.thread
        read = self.rng.randint(1, thread.size + thread.length)
        written = self.rng.randint(1, call.request.sampling.max_tokens or 1)
        self.tokens += read + written
        self.millionths += read * self.price[0] + written * self.price[1]
        cost = Price(*map(float, self.price)).of(read, written)
        return Reply("x", tokens_in=read, tokens_out=written, cost=cost)

    def _failure(self, call: Call) -> CallFailed:
        causes = ["server", "rate limit", "rejected"]
        if self.rng.random() < self.silent:
            self._answer(call)
            self.lost += 1
            causes = sorted(PERHAPS_BILLED)
        return CallFailed(self.rng.choice(causes), "as told")  # type: ignore[arg-type]

    def used(self, limits: Limits) -> dict[str, float]:
        """The share of each limit that was handed out."""
        shares = {}
        if limits.money is not None:
            shares["money"] = self.millionths / (limits.money * PER)
        if limits.tokens is not None:
            shares["tokens"] = self.tokens / limits.tokens
        if limits.calls is not None:
            shares["calls"] = self.calls / limits.calls
        return shares


@dataclass
class Simulation:
    """One run: fifty workers who send calls until the budget does not cover another."""

    seed: int
    rng: Random = field(init=False)

    def __post_init__(self) -> None:
        self.rng = rng = Random(self.seed)
        self.price = (rng.randint(0, 15), rng.randint(1, 75))
        failing = rng.choice([0.0, 0.0, 0.1, 0.4])
        self.provider = Provider(rng, self.price, failing, rng.choice([0.0, 0.5]) if failing else 0.0)
        self.requests = [
            Request("m", rng.choice(THREADS), Sampling(max_tokens=rng.randint(1, 400))) for _ in range(12)
        ]
        self.most = [most_of(request, self._price) for request in self.requests]
        self.cancelling = rng.random() < 0.2
        self.limits = self._limits()

    @property
    def _price(self) -> Price:
        return Price(*map(float, self.price))

    def _limits(self) -> Limits:
        """At least fifty times the largest call, of one kind or of several."""
        kinds = self.rng.choice(
            ["money", "tokens", "calls", "money tokens", "tokens calls", "money tokens calls"]
        )
        times = self.rng.uniform(OFTEN, 2 * OFTEN)
        money = round(times * max(one.money for one in self.most), 6) + 1e-6
        tokens = int(times * max(one.tokens for one in self.most)) + 1
        return Limits(
            money if "money" in kinds else None,
            tokens if "tokens" in kinds else None,
            self.rng.randint(OFTEN, 4 * OFTEN) if "calls" in kinds else None,
        )

    async def run(self) -> Budget:
        budget = Budget(self.limits, Amount())
        send = budgeted(self.provider.send, model(self._price), budget, Tally())
        workers = [asyncio.create_task(self.work(send)) for _ in range(WORKERS)]
        if self.cancelling:
            for _ in range(self.rng.randrange(20)):
                await asyncio.sleep(0)
            for worker in self.rng.sample(workers, 5):
                worker.cancel()
        came_to = await asyncio.gather(*workers, return_exceptions=True)
        assert all(one is None or isinstance(one, asyncio.CancelledError) for one in came_to), came_to
        return budget

    async def work(self, send: Send) -> None:
        while True:
            try:
                await send(call(self.rng.choice(self.requests)))
            except CallFailed:
                continue
            except OverBudget:
                return

    def check(self, budget: Budget) -> None:
        handed_out = self.provider.used(self.limits)
        assert max(handed_out.values()) <= 1 + 1e-9, (self.seed, handed_out)  # dollars are sums of floats
        counted = [
            budget.spent.money / self.limits.money if self.limits.money else 0.0,
            budget.spent.tokens / self.limits.tokens if self.limits.tokens else 0.0,
            budget.spent.calls / self.limits.calls if self.limits.calls else 0.0,
        ]
        assert max(counted) >= 0.99, (self.seed, counted)
        if not self.provider.lost and not self.cancelling:
            # nothing was lost on the way, so that both accounts are one
            assert max(handed_out.values()) >= 0.99, (self.seed, handed_out)
            assert budget.spent.tokens == self.provider.tokens
            assert budget.spent.money == pytest.approx(self.provider.millionths / PER)
        assert budget.spent.calls == self.provider.calls
        assert budget.used_up


@pytest.mark.fault("budget with 50 workers", times=RUNS // BLOCKS)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_a_thousand_runs_never_exceed_their_budget_and_use_99_percent_of_it(block: int) -> None:
    each = RUNS // BLOCKS

    async def all_of_them() -> None:
        for seed in range(block * each, (block + 1) * each):
            simulation = Simulation(seed)
            async with asyncio.timeout(30):  # a call that nobody lets in would wait for ever
                budget = await simulation.run()
            simulation.check(budget)

    asyncio.run(all_of_them())


def test_the_thousand_runs_are_of_every_kind() -> None:
    kinds, failing, silent, cancelled = set(), 0, 0, 0
    for seed in range(RUNS):
        made = Simulation(seed)
        kinds.add(
            tuple(limit is not None for limit in (made.limits.money, made.limits.tokens, made.limits.calls))
        )
        failing += made.provider.failing > 0
        silent += made.provider.silent > 0
        cancelled += made.cancelling
    assert len(kinds) == 6
    assert min(failing, silent, cancelled, RUNS - failing) > 100


async def test_a_budget_that_set_nothing_aside_would_be_exceeded() -> None:
    """The simulation can fail: with an account that only knows what came back, fifty workers spend too much."""
    exceeded = 0
    for seed in range(40):
        simulation = Simulation(seed)
        budget = Budget(simulation.limits, Amount())

        async def send(
            sent: Call, budget: Budget = budget, provider: Provider = simulation.provider
        ) -> Reply:
            if not budget.spent.within(budget.limits):
                raise OverBudget("used up")
            reply = await provider.send(sent)
            budget.spent += Amount(reply.cost or 0.0, (reply.tokens_in or 0) + (reply.tokens_out or 0), 1)
            return reply

        await asyncio.gather(*(simulation.work(send) for _ in range(WORKERS)))
        exceeded += max(simulation.provider.used(simulation.limits).values()) > 1
    assert exceeded > 30
