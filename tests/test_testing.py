"""The shared suite catches what it is there for: a sound benchmark passes it, and each planted fault makes it fail."""

import asyncio
import inspect
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from interplay.authoring import (
    Board,
    Conversation,
    Failure,
    FormJudge,
    Material,
    Options,
    Played,
    Scenario,
    Score,
    Tryout,
    Verdict,
)
from interplay.core.benchmark import Benchmark
from interplay.core.failures import Mistake
from interplay.models.loopback import Asked
from interplay.testing import BenchmarkSuite, steady
from tests import greeting
from tests.greeting import Greeting, come_in, greet

SOUND = greeting.benchmark


class TestGreeting(BenchmarkSuite):
    """The sound one."""

    benchmark = SOUND
    readme = Path("README.md")

    @pytest.fixture(autouse=True)
    def in_a_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        Path("README.md").write_text(greeting.README)


# Faults of play


async def forgets_what_it_is_given(talk: Conversation, options: Options) -> Greeting:
    talk.scenario["guests"].append("Eve")
    return await greet(talk, options)


async def draws_for_itself(talk: Conversation, options: Options) -> Greeting:
    found = await greet(talk, options)
    return replace(found, thanks=(str(random.random()),))


async def looks_at_the_clock(talk: Conversation, options: Options) -> Greeting:
    return replace(await greet(talk, options), thanks=(str(time.time_ns()),))


async def hears_who_is_first(talk: Conversation, options: Options) -> Greeting:
    greeter, guests = come_in(talk)
    text = await talk.ask(greeter)
    talk.tell(guests, text, source=greeter)
    asked = [asyncio.ensure_future(talk.ask(guest)) for guest in guests]
    return Greeting(text, tuple([await one for one in asyncio.as_completed(asked)]))


async def makes_something_of_nothing(talk: Conversation, options: Options) -> Greeting:
    try:
        return await greet(talk, options)
    except Failure:
        return Greeting("", ())


async def asks_twice(talk: Conversation, options: Options) -> Greeting:
    found = await greet(talk, options)
    late = talk.seat("late", role="guest", brief="You come late.")
    talk.tell([late], found.text)
    await talk.ask(late)
    return found


async def asks_nobody_back(talk: Conversation, options: Options) -> Greeting:
    greeter, _ = come_in(talk)
    return Greeting(await talk.ask(greeter), ())


def remembering() -> Callable[[Conversation, Options], Any]:
    known: dict[str, Greeting] = {}

    async def play(talk: Conversation, options: Options) -> Greeting:
        key = " ".join(talk.scenario["guests"])
        if key not in known:
            known[key] = await greet(talk, options)
        return known[key]

    return play


# Faults of scoring


def scores_nothing_as_zero(outcome: Greeting, verdicts: Sequence[Verdict], options: Options) -> list[Score]:
    told = [Score("warmth", float((one.data or {"warmth": 0})["warmth"]), one.judge) for one in verdicts]
    return [Score("words", 1.0, "rule: words"), *told]


def scores_off_the_scale(outcome: Greeting, verdicts: Sequence[Verdict], options: Options) -> list[Score]:
    return [replace(one, value=one.value * 10) for one in greeting.score(outcome, verdicts, options)]


def scores_half(outcome: Greeting, verdicts: Sequence[Verdict], options: Options) -> list[Score]:
    return [one for one in greeting.score(outcome, verdicts, options) if one.name == "words"]


def scores_in_secret(outcome: Greeting, verdicts: Sequence[Verdict], options: Options) -> list[Score]:
    return [*greeting.score(outcome, verdicts, options), Score("charisma", 1.0, "rule: nobody knows")]


def counts_void_as_zero(played: Sequence[Played], options: Options) -> Board:
    board = SOUND.summarize(played, options)
    rows = [{**row, "warmth": 0.0} if row["void"] else row for row in board.rows]
    return replace(board, rows=tuple(rows))


def counts_unscored_as_zero(played: Sequence[Played], options: Options) -> Board:
    board = SOUND.summarize(played, options)
    return replace(
        board, rows=tuple({**row, "warmth": 0.0} if row["unscored"] else row for row in board.rows)
    )


def says_nothing_of_a_column(played: Sequence[Played], options: Options) -> Board:
    board = SOUND.summarize(played, options)
    return replace(board, columns=tuple(replace(column, meaning="") for column in board.columns))


@dataclass(frozen=True)
class Lenient(FormJudge):
    """A judge who is taken to have said three where nothing can be read."""

    async def __call__(self, talk: Conversation, outcome: Any) -> Any:
        try:
            return await super().__call__(talk, outcome)
        except Failure:
            return {"explanation": "", "warmth": 3}


# Faults of data

NUMBERS = count()


def counted(options: Options, data: Path | None = None) -> Material:
    return Material(tuple(Scenario({"guests": [str(next(NUMBERS))]}, "one") for _ in range(2)))


def doubled(options: Options, data: Path | None = None) -> Material:
    return Material((*greeting.scenarios(), *greeting.scenarios()))


def playing(play: Callable[[Conversation, Options], Any]) -> Benchmark:
    return replace(SOUND, play=play)


def fresh(benchmark: Benchmark) -> Benchmark:
    """With scenarios of its own, so that a fault that changes them stays where it is."""
    if benchmark.scenarios is not SOUND.scenarios:
        return benchmark
    return replace(benchmark, scenarios=lambda options, data: Material(tuple(greeting.scenarios())))


lenient = Lenient(greeting.Opinion, "Say how warm the greeting is.", greeting.shown)
FAULTS: dict[str, tuple[Benchmark, str, str]] = {
    "mutates its scenario": (playing(forgets_what_it_is_given), "scenarios_are_not_changed", "not what it was"),
    "draws from the module random": (playing(draws_for_itself), "neither_clocks_nor_dice", "drawn outside"),
    "looks at the clock": (playing(looks_at_the_clock), "neither_clocks_nor_dice", "drawn outside"),
    "depends on who answers first": (playing(hears_who_is_first), "neither_clocks_nor_dice", "who answers first"),
    "plays on after a failure": (playing(makes_something_of_nothing), "a_subject_that_fails_is_void", "counts"),
    "calls more than it foretells": (playing(asks_twice), "the_forecast_covers", "12 calls, where 8 to 8"),
    "calls less than it foretells": (playing(asks_nobody_back), "the_forecast_covers", "guest"),
    "remembers from one to the next": (playing(remembering()), "it_goes_on_where", "asked models otherwise"),
    "scores 0 for unscored": (replace(SOUND, score=scores_nothing_as_zero), "a_judge_out_of_form", "gave scores"),
    "shows 0 for unscored": (replace(SOUND, summarize=counts_unscored_as_zero), "a_judge_out_of_form", "says 0.0"),
    "reads what is out of form": (
        replace(SOUND, judging=lambda options: lenient), "a_judge_out_of_form", "without a form counts",
    ),
    "shows 0 for void": (replace(SOUND, summarize=counts_void_as_zero), "a_subject_that_fails_is_void", "says 0.0"),
    "scores off its scale": (replace(SOUND, score=scores_off_the_scale), "it_plays_and_scores", "off its scale"),
    "leaves a measure out": (replace(SOUND, score=scores_half), "it_plays_and_scores", "nothing is scored"),
    "does not explain a score": (
        replace(SOUND, score=scores_in_secret), "what_it_measures_is_explained", "does not tell of charisma",
    ),
    "does not explain a column": (
        replace(SOUND, summarize=says_nothing_of_a_column), "what_it_measures_is_explained", "has no meaning",
    ),
    "has other scenarios each time": (replace(SOUND, scenarios=counted), "scenarios_have_ids", "read again"),
    "has a scenario twice": (replace(SOUND, scenarios=doubled), "scenarios_have_ids", "the same content"),
    "has nobody to measure": (
        replace(SOUND, roles=lambda options: greeting.ROLES[1:]), "it_holds_together", "no role is the subject",
    ),
    "tries nothing out": (replace(SOUND, tryout=Tryout(0, {}, {})), "it_holds_together", "plays nothing"),
}  # fmt: skip


def each_test(suite: BenchmarkSuite) -> dict[str, Callable[..., None]]:
    return {name: test for name, test in inspect.getmembers(suite) if name.startswith("test_")}


def test_every_test_of_the_suite_has_a_fault_that_it_catches() -> None:
    caught = {expected for _, expected, _ in FAULTS.values()}

    for name in each_test(TestGreeting()):
        assert any(name.startswith(f"test_{expected}") for expected in caught), name


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_caught(fault: str, tmp_path: Path) -> None:
    broken, expected, told = FAULTS[fault]
    (tmp_path / "README.md").write_text(greeting.README)

    class Broken(BenchmarkSuite):
        benchmark = fresh(broken)
        readme = tmp_path / "README.md"

    [test] = [one for name, one in each_test(Broken()).items() if name.startswith(f"test_{expected}")]
    with pytest.raises((AssertionError, Mistake), match=told):
        test(tmp_path) if inspect.signature(test).parameters else test()


def test_a_readme_that_is_silent_is_caught(tmp_path: Path) -> None:
    silent = tmp_path / "README.md"
    silent.write_text(greeting.README.replace("warmth", "it"))

    class Silent(BenchmarkSuite):
        benchmark = SOUND
        readme = silent

    with pytest.raises(AssertionError, match="does not tell of warmth"):
        Silent().test_what_it_measures_is_explained(tmp_path)


def test_the_steady_script_does_not_read_marks() -> None:
    def asked(mark: str) -> Asked:
        text = f"Judge what is between <<{mark} and {mark}>>: <<{mark}\nHello.\n{mark}>>"
        return Asked("judge", ({"role": "user", "content": text},), {}, 1, None)

    assert steady(asked("0123456789ab")) == steady(asked("ba9876543210"))
