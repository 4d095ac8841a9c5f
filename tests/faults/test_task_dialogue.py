"""Task dialogue that is killed, and bots in Rasa's shape that break: nothing is lost, made up or paid for twice."""

import json
import signal
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from interplay.benchmarks.task_dialogue.goals import Goal
from interplay.cli.edge import UNANSWERED
from interplay.models.loopback import Event, Loopback, serving
from tests.benchmarks.task_bots import (
    AGENT,
    SIMULATORS,
    books,
    by_rules,
    dialogues,
    goals_file,
    line,
    outcomes,
    played,
    scripts,
    some,
)
from tests.cli.provider import Typist
from tests.faults.harness import Killer, check_record, finish, finished_rows, in_flight, start
from tests.faults.rasa_bot import GARBAGE, Bot, Trouble, broken, cut, reset, serving_rasa, slow

PATIENCE = 600.0  # seconds
DOMAINS = ("police", "hospital", "attraction")
BEGAN_AGAIN = "dialogues began again"


def killed(killer: Killer, words: list[str], at: int) -> None:
    """Start the program and kill it at this event of the ledger, counted from its start."""
    killer.aim(at)
    killer.process = start(words)
    killer.started.set()
    code, _, err = finish(killer.process, PATIENCE)
    assert code == -signal.SIGKILL, err
    assert "Traceback" not in err


def paid_twice(events: list[Event]) -> int:
    """How many requests came in although the same had come in before; no two steps of a run ask the same."""
    asked = Counter(event.digest for event in events if event.kind == "request")
    return sum(count - 1 for count in asked.values())


def killed_and_resumed(typist: Typist, simulator: str, goals: int, kills: tuple[float, ...]) -> None:
    """Kill a run at these shares of its events, resume it each time, and hold it against its undisturbed twin."""
    store, calm_store = typist.store, typist.store.with_name("calm.db")
    file = goals_file(store.parent, some(goals))
    more = (*AGENT, "--simulator", simulator, "--goals", file, "--json")
    calm, killer = Loopback(scripts()), Killer()
    with serving(calm) as url:
        undisturbed = replace(typist, store=calm_store).types(*line(url, *more))
    assert paid_twice(calm.events) == 0
    kept = set[tuple[Any, ...]]()
    loopback = Loopback(scripts(), latency=0.002, jitter=0.004, watch=killer)
    with serving(loopback) as url:
        for share in kills:
            words = [*line(url, *more), "--store", str(store)]
            killed(killer, words, max(1, round(share * len(calm.events))))
            now = finished_rows(store)
            assert kept <= now, "a finished row was lost"
            kept = now
        killer.aim(0)
        assert 0 < len(kept) < calm.calls
        resumed, calls = typist.types(*line(url, *more)), loopback.calls
        assert typist.types(*line(url, *more)) == resumed
        assert loopback.calls == calls, "what is done is asked for again"
    assert resumed == undisturbed
    assert dialogues(store) == dialogues(calm_store)
    board = json.loads(resumed)
    assert outcomes(board) == {"completed": goals, "all": goals}
    assert board["rows"][0]["completed"]["n"] == goals
    check_record(store)
    assert kept <= finished_rows(store)
    assert paid_twice(loopback.events) == loopback.calls - calm.calls <= in_flight(store)


@pytest.mark.fault("kill -9", times=3)
@pytest.mark.parametrize("simulator", SIMULATORS)
def test_each_simulator_killed_and_resumed_comes_to_the_same(
    simulator: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    killed_and_resumed(Typist(tmp_path / "killed.db", capsys), simulator, 12, (0.06, 0.3, 0.4))


@pytest.mark.fault("chains of kills", times=12)
@pytest.mark.soak
@pytest.mark.parametrize("simulator", SIMULATORS)
def test_fifty_goals_with_each_simulator_killed_twelve_times(
    simulator: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = Random(simulator)
    kills = tuple(rng.uniform(0.001, 0.11) for _ in range(12))
    killed_and_resumed(Typist(tmp_path / "killed.db", capsys), simulator, 50, kills)


# Bots in Rasa's shape


def is_about(domain: str, goal: Goal) -> bool:
    return [wish.domain for wish in goal.wishes] == [domain]


INFORMED = some(6, lambda goal: not books(goal))


class Place:
    """A bot in Rasa's shape, which goes wrong where it is told to, and a hand that types the one command."""

    def __init__(
        self,
        bot: Bot,
        folder: Path,
        capsys: pytest.CaptureFixture[str],
        goals: Sequence[Goal] = INFORMED[:3],
    ):
        self.bot, self.typist = bot, Typist(folder / "interplay.db", capsys)
        self._goals = goals_file(folder, goals)

    def run(self, there: str, url: str, *more: str, code: int = 0) -> Any:
        return self.typist.reads(*line(url, "--system", there, "--goals", self._goals, *more), code=code)


TROUBLES = {
    "500": broken(),
    "garbage": GARBAGE["an object"],
    "a page": GARBAGE["a page"],
    "cut": cut(),
    "reset": reset(),
}


def test_a_team_tests_its_own_bot_with_one_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Place(Bot(by_rules), tmp_path, capsys, INFORMED)
    with serving_rasa(place.bot) as there, serving(Loopback(scripts())) as url:
        board = place.run(there, url)
        assert BEGAN_AGAIN not in place.typist.said
        place.run(there, url)
    held = dialogues(place.typist.store)
    said = [[one["user"] for one in dialogue["exchanges"]] for dialogue in held.values()]
    assert sorted(sender.heard for sender in place.bot.senders.values()) == sorted(said)  # and nothing twice
    row = board["rows"][0]
    assert (row["model"], row["n"], row["success"]["value"]) == (there, 6, 1.0)
    assert outcomes(board) == {"completed": 6, "all": 6}


def test_a_bot_that_books_elsewhere_is_told_of_goals_without_a_booking_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    typist = Typist(tmp_path / "interplay.db", capsys)
    goals = [*some(2, books), *some(3, lambda goal: not books(goal))]
    with serving_rasa(Bot(by_rules)) as there, serving(Loopback(scripts())) as url:
        board = typist.reads(*line(url, "--system", there, "--goals", goals_file(tmp_path, goals)))
    assert (board["rows"][0]["n"], board["rows"][0]["success"]["n"]) == (5, 3)
    assert any("books elsewhere" in note for note in board["notes"])


def test_a_bot_may_be_slow_within_the_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = Place(Bot(by_rules, plan=lambda received: slow(0.15)), tmp_path, capsys)
    with serving_rasa(place.bot) as there, serving(Loopback(scripts())) as url:
        board = place.run(there, url, "--timeout", "20")
    assert set(place.bot.troubles) == {"slow"}
    assert (outcomes(board), board["rows"][0]["success"]["value"]) == ({"completed": 3, "all": 3}, 1.0)


@pytest.mark.parametrize("trouble", TROUBLES.values(), ids=TROUBLES)
def test_a_bot_that_breaks_once_is_begun_again_with_another_sender(
    trouble: Trouble, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Place(Bot(by_rules, plan=lambda one: trouble if one.number == 2 else None), tmp_path, capsys)
    with serving_rasa(place.bot) as there, serving(Loopback(scripts())) as url:
        board = place.run(there, url)
    assert f"1 {BEGAN_AGAIN}" in place.typist.said
    assert len(place.bot.senders) == 4
    unlucky = place.bot.ledger[1].sender
    assert place.bot.ledger[1].trouble
    assert [one.sender for one in place.bot.ledger].count(unlucky) <= 2  # nothing is said to it after that
    assert sum(row.take for row in played(place.typist.store)) == 1
    assert (outcomes(board), board["rows"][0]["success"]["value"]) == ({"completed": 3, "all": 3}, 1.0)


def test_a_bot_that_stays_broken_is_a_system_error_until_it_is_mended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lasting = list(TROUBLES.values())
    bot = Bot(by_rules, plan=lambda received: lasting[received.number % len(lasting)])
    place, loopback = Place(bot, tmp_path, capsys), Loopback(scripts())
    with serving_rasa(bot) as there, serving(loopback) as url:
        board = place.run(there, url, code=UNANSWERED)
        assert "3 conversations or verdicts got no answer" in place.typist.said
        assert "the same command tries them again." in place.typist.said
        assert outcomes(board) == {"system error": 3, "all": 3}
        assert (board["rows"][0]["n"], board["rows"][0]["void"]) == (0, 1.0)
        assert board["rows"][0]["success"]["value"] is None
        assert sorted(bot.heard_from().values()) == [1] * 9  # three takes of each, none rejoined
        assert loopback.calls_by_model() == {"user": 9}
        assert {row.failure for row in played(place.typist.store)} == {"bot error"}
        bot.plan = lambda received: None
        before = len(bot.ledger)
        mended = place.run(there, url)
    assert outcomes(mended) == {"completed": 3, "all": 3}
    assert loopback.calls_by_model()["judge"] == 3 * 4
    assert not {one.sender for one in bot.ledger[:before]} & {one.sender for one in bot.ledger[before:]}


def test_only_what_broke_is_tried_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    several = [goal for name in DOMAINS for goal in some(1, partial(is_about, name))]
    place, loopback = Place(Bot(by_rules), tmp_path, capsys, several), Loopback(scripts())
    place.bot.plan = lambda received: broken() if "hospital" in received.text else None
    with serving_rasa(place.bot) as there, serving(loopback) as url:
        board = place.run(there, url, code=UNANSWERED)
        assert outcomes(board) == {"completed": 2, "system error": 1, "all": 3}
        assert loopback.calls_by_model()["judge"] == 2 * 4  # what broke is not judged
        heard = len(place.bot.ledger)
        place.bot.plan = lambda received: None
        assert outcomes(place.run(there, url)) == {"completed": 3, "all": 3}
    assert len({one.sender for one in place.bot.ledger[heard:]}) == 1
    assert loopback.calls_by_model()["judge"] == 3 * 4


def test_a_silent_bot_is_heard_as_silent_and_judged_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[str] = []

    def judging(asked: Any) -> Any:
        seen.append(str(asked.messages[-1]["content"]))
        return scripts()["judge"](asked)

    place = Place(Bot(lambda sender, text: []), tmp_path, capsys, INFORMED[:1])
    with serving_rasa(place.bot) as there, serving(Loopback(scripts(judge=judging))) as url:
        board = place.run(there, url)
    [dialogue] = dialogues(place.typist.store).values()
    assert {one["system"] for one in dialogue["exchanges"]} == {""}
    assert len(seen) == 4
    assert all(text.count("system: said nothing.") == len(dialogue["exchanges"]) for text in seen)
    assert outcomes(board)["all"] == 1
    assert (board["rows"][0]["success"]["value"], board["rows"][0]["completed"]["n"]) == (0.0, 1)
