"""Storms: endpoints that say "too many" for a while, or fail every third time; read off the server's ledger."""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from random import Random

import pytest

from interplay.models.loopback import Asked, Event, Fault, Loopback, Script, serving
from tests.faults.network import (
    PROVIDERS,
    Ended,
    calm_run,
    carried_out,
    check_every_call_is_a_row,
    command,
    hurried,
    models_file,
    most_at_once,
    scores,
    steady,
    tries,
)

CONNECTIONS = 16
EXTRA = 1.2  # times as many HTTP calls as an undisturbed run makes, at most
BACK_WITHIN = 60.0  # seconds of the program's time


@dataclass(frozen=True)
class Hurried:
    """The job in a process whose clocks run faster, so that a minute's wait takes a second or two."""

    folder: Path
    limit: int
    speed: float
    provider: str = "openai"

    @property
    def store(self) -> Path:
        return self.folder / "interplay.db"

    def carried_out(self, url: str) -> Ended:
        models = models_file(self.folder, url, self.provider)
        more = ("--max-connections", str(CONNECTIONS), "--timeout", "300")
        line = command(models, self.store, self.limit, more)
        return hurried(line, self.speed)


def in_a_moment() -> str:
    """A date that is two to three seconds away: dates have no fractions."""
    return format_datetime(datetime.now(UTC) + timedelta(seconds=3), usegmt=True)


@dataclass(frozen=True)
class Asking:
    """What an endpoint says in Retry-After, and how long at least it is then left alone."""

    header: Callable[[], str]
    wait: float
    speed: float
    lasts: float  # seconds of the program's time


ASKED = {
    "1": Asking(lambda: "1", wait=1, speed=6, lasts=6),
    "-5": Asking(lambda: "-5", wait=1, speed=6, lasts=2.5),
    "abc": Asking(lambda: "abc", wait=1, speed=6, lasts=2.5),
    "a date": Asking(in_a_moment, wait=2, speed=6, lasts=4),
    "10^9": Asking(lambda: str(10**9), wait=60, speed=50, lasts=70),
}


@dataclass
class Storm:
    """Refuses everything from one request on, until its time is over and it was probed at least once."""

    asking: Asking
    begins: int
    since: float = 0.0
    probed: bool = False

    def __call__(self, asked: Asked) -> str | Fault:
        if asked.number < self.begins:
            return steady(asked)
        self.since = self.since or time.monotonic()
        passed = (time.monotonic() - self.since) * self.asking.speed
        if self.probed and passed > self.asking.lasts:
            return steady(asked)
        self.probed = self.probed or passed > self.asking.wait
        return Fault("status", status=429, headers={"Retry-After": self.asking.header()})


@dataclass
class Weather:
    """What the ledger says of one storm; its times are the server's."""

    events: list[Event]
    requests: dict[int, float] = field(init=False)
    refusals: dict[int, float] = field(init=False)  # when the refusal was sent

    def __post_init__(self) -> None:
        self.requests = {event.request: event.at for event in self.events if event.kind == "request"}
        self.refusals = {event.request: event.at for event in self.events if event.status == 429}

    @property
    def peak(self) -> int:
        """The most at once before the storm."""
        first = min(self.refusals.values())
        return most_at_once([event for event in self.events if event.at < first])

    def probes(self, wait: float) -> list[int]:
        """The refused requests that were sent after the endpoint had said no; others were on their way then."""
        known = min(self.refusals.values()) + wait / 2
        return [number for number in self.refusals if self.requests[number] > known]

    def waited(self, probe: int) -> float:
        """How long nothing was asked before a probe."""
        at = self.requests[probe]
        return at - max(moment for moment in self.refusals.values() if moment < at)

    def beside(self, probe: int) -> list[int]:
        """Other requests that came while a probe was under way."""
        begin, end = self.requests[probe], self.refusals[probe]
        return [number for number, at in self.requests.items() if begin <= at <= end and number != probe]

    def seconds_until(self, wanted: float) -> float | None:
        """From the first answer after the storm until so many requests were under way again."""
        over = max(self.refusals.values())
        answered = min(event.at for event in self.events if event.status == 200 and event.at > over)
        under_way = 0
        for event in self.events:
            under_way += 1 if event.kind == "request" else -1
            if event.at >= answered and under_way >= wanted:
                return event.at - answered
        return None


@pytest.mark.fault("429 storm")
@pytest.mark.parametrize("said", ASKED)
def test_a_storm_of_too_many_is_probed_once_a_window_and_then_ridden_at_full_width(
    said: str, tmp_path: Path
) -> None:
    asking, provider = ASKED[said], PROVIDERS[list(ASKED).index(said) % len(PROVIDERS)]
    job = Hurried(tmp_path, 16, asking.speed, provider)
    calm = calm_run(provider, job.limit)
    loopback = Loopback(Storm(asking, begins=calm.calls // 3), latency=0.04)
    with serving(loopback) as url:
        ended = job.carried_out(url)
    assert ended.code == 0, f"the run should ride the storm out, not end with {ended.code}: {ended.err}"
    check_every_call_is_a_row(loopback, job.store)
    assert ended.board == calm.board, "the board should equal an undisturbed run's"
    assert scores(job.store) == calm.scores, "the scores should equal an undisturbed run's"
    assert {row["cause"] for row in tries(job.store, "failed")} == {"rate limit"}, (
        "every failed try should be called a rate limit"
    )

    weather, wait = Weather(loopback.events), asking.wait / asking.speed
    probes = weather.probes(wait)
    assert probes, "the storm was too short to be probed: it says nothing"
    for probe in probes:
        waited = weather.waited(probe) * asking.speed
        assert waited >= 0.9 * asking.wait, f"a probe came after {waited:.2f} s of {asking.wait} s"
        assert not weather.beside(probe), f"one probe at a time, but {weather.beside(probe)} came beside it"
    refused = len(weather.refusals) - len(probes)
    assert refused <= weather.peak, f"{refused} were refused at once, and only {weather.peak} were under way"
    assert loopback.calls <= EXTRA * calm.calls, f"{loopback.calls} HTTP calls for {calm.calls}"
    back = weather.seconds_until(0.9 * weather.peak)
    assert back is not None, f"it never had nine tenths of {weather.peak} calls under way again"
    assert back * asking.speed <= BACK_WITHIN, f"it took {back * asking.speed:.0f} s to be back at full width"


@dataclass
class Unreliable:
    """Fails a share of all requests, the same ones in whatever order they come."""

    share: float
    seed: int
    seen: Counter[str] = field(default_factory=Counter)
    failed: int = 0

    def __call__(self, asked: Asked) -> str | Fault:
        usual = steady(asked)
        which = f"{asked.model} {len(asked.messages)} {usual}"
        self.seen[which] += 1
        drawn = Random(f"{self.seed} {which} {self.seen[which]}")
        if drawn.random() >= self.share:
            return usual
        self.failed += 1
        return drawn.choice(
            (
                Fault("status", status=500),
                Fault("status", status=502),
                Fault("status", status=503),
                Fault("status", status=529),
                Fault("reset"),
            )
        )


def ride_out(job: Hurried, script: Script, most_commands: int, **settings: float) -> Loopback:
    """Type the same command until all is answered."""
    loopback = Loopback(script, **settings)
    with serving(loopback) as url:
        for _ in range(most_commands):
            ended = job.carried_out(url)
            check_every_call_is_a_row(loopback, job.store)
            if ended.code == 0:
                return loopback
            assert ended.code == 1, f"1 says that some got no answer; it was {ended.code}: {ended.err}"
            assert "the same command tries them again" in ended.err, (
                "the person should be told the next command"
            )
    pytest.fail(f"the same command, {most_commands} times, should have got all answers: {ended.err}")


def check_thirty_percent(job: Hurried, seed: int) -> None:
    share = 0.3
    calm = calm_run(job.provider, job.limit)
    script = Unreliable(share, seed)
    loopback = ride_out(job, script, most_commands=3)
    assert script.failed > 0.2 * loopback.calls, "the endpoint did not fail often enough to say anything"
    with serving(Loopback(lambda _: Fault("status", status=500))) as url:
        models = models_file(job.folder, url, job.provider)
        board = carried_out(command(models, job.store, job.limit)).board
    assert board == calm.board, "the board should equal an undisturbed run's"
    assert scores(job.store) == calm.scores, "the scores should equal an undisturbed run's"
    # Where a share fails, each answer takes 1 / (1 - share) calls even if nothing is wasted.
    most = EXTRA * calm.calls / (1 - share)
    assert loopback.calls <= most, f"at most {most:.0f} HTTP calls for {calm.calls}, not {loopback.calls}"
    assert {row["cause"] for row in tries(job.store, "failed")} == {"server", "connection"}, (
        "5xx are the server's, resets the connection's"
    )


@pytest.mark.fault("30% of 5xx and resets")
@pytest.mark.parametrize(
    "provider", [PROVIDERS[0], *(pytest.param(name, marks=pytest.mark.soak) for name in PROVIDERS[1:])]
)
def test_an_endpoint_that_fails_thirty_percent_of_all_calls_costs_no_more_than_it_must(
    provider: str, tmp_path: Path
) -> None:
    check_thirty_percent(Hurried(tmp_path, 8, 40, provider), 1)


@pytest.mark.fault("30% of 5xx and resets")
@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_a_long_run_over_an_endpoint_that_fails_thirty_percent(seed: int, tmp_path: Path) -> None:
    check_thirty_percent(Hurried(tmp_path, 64, 40), seed)


@dataclass
class Clearing:
    """Unreliable up to one request, and in order from then on."""

    trouble: Unreliable
    until: int

    def __call__(self, asked: Asked) -> str | Fault:
        return self.trouble(asked) if asked.number < self.until else steady(asked)


def seconds_back(events: list[Event], wanted: float) -> float | None:
    """From the last failure until so many requests were under way."""
    last = max(event.at for event in events if event.kind != "request" and event.status != 200)
    under_way = 0
    for event in events:
        under_way += 1 if event.kind == "request" else -1
        if event.at > last and under_way >= wanted:
            return event.at - last
    return None


@pytest.mark.fault("30% of 5xx and resets")
def test_after_failures_the_whole_width_is_back_within_a_minute(tmp_path: Path) -> None:
    limit, speed = 24, 10.0
    calm = calm_run(limit=limit)
    (tmp_path / "calm").mkdir()
    quiet = ride_out(Hurried(tmp_path / "calm", limit, speed), steady, most_commands=1, latency=0.04)
    script = Clearing(Unreliable(0.3, 3), calm.calls // 2)
    loopback = ride_out(Hurried(tmp_path, limit, speed), script, most_commands=1, latency=0.04)
    assert script.trouble.failed > 0.2 * script.until, (
        "the endpoint did not fail often enough to say anything"
    )
    peak = most_at_once(quiet.events)
    back = seconds_back(loopback.events, 0.9 * peak)
    assert back is not None, f"it never had nine tenths of {peak} calls under way again"
    assert back * speed <= BACK_WITHIN, f"it took {back * speed:.0f} s to be back at full width"


@dataclass
class Quota:
    """Takes so many requests in each window of the program's time, and refuses the rest until it is over."""

    per_window: int
    window: float
    speed: float
    told: bool  # does it say when the window is over?
    seen: Counter[float] = field(default_factory=Counter)

    def __call__(self, asked: Asked) -> str | Fault:
        number, gone = divmod(time.monotonic() * self.speed, self.window)
        self.seen[number] += 1
        if self.seen[number] <= self.per_window:
            return steady(asked)
        headers: Mapping[str, str] = {"Retry-After": str(1 + int(self.window - gone))} if self.told else {}
        return Fault("status", status=429, headers=headers)


@pytest.mark.fault("429 storm")
@pytest.mark.soak
@pytest.mark.parametrize("told", [True, False], ids=["told when", "not told when"])
def test_an_endpoint_with_a_quota_is_asked_with_little_waste(told: bool, tmp_path: Path) -> None:
    job, quota = Hurried(tmp_path, 64, 20), Quota(100, 10, 20, told)
    calm = calm_run(limit=job.limit)
    loopback = ride_out(job, quota, most_commands=1, latency=0.02)
    # A quota is met anew in every window, with up to as many calls under way as the gate has let in: more waste
    # than one storm, which comes once.
    most = 1.3 * calm.calls
    assert loopback.calls <= most, f"at most {most:.0f} HTTP calls for {calm.calls}, not {loopback.calls}"


@pytest.mark.fault("429 storm")
@pytest.mark.soak
def test_an_endpoint_that_says_too_many_for_ever_ends_a_run_of_any_size_within_half_an_hour(
    tmp_path: Path,
) -> None:
    job = Hurried(tmp_path, 4, 600)
    loopback = Loopback(lambda _: Fault("status", status=429))
    with serving(loopback) as url:
        ended = job.carried_out(url)
    assert ended.code == 1, f"the same command tries it again; not {ended.code}: {ended.err}"
    took = (loopback.events[-1].at - loopback.events[0].at) * job.speed / 60
    assert took <= 30, f"half an hour is enough to see that nothing comes; it took {took:.0f} minutes"
