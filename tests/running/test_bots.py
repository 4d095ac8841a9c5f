"""Bots with a memory of their own: a session for each dialogue, and a new one where it was broken off."""

import re
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from interplay.models.loopback import Asked, Fault, Loopback, Said, Script, serving
from interplay.store.records import ConversationRow, Records
from tests.cli.provider import Typist
from tests.faults.harness import Killer, check_record, finish, in_flight, start
from tests.running.job import answer, first_time

TURNS = 4
EACH = 2 * TURNS + 1  # calls of one conversation: bot and user by turns, and one judge
BEGAN_AGAIN = "dialogues began again: a bot with a memory of its own cannot be rejoined in the middle."


@dataclass
class Bot:
    """Answers by what it remembers of a session, and fails where it is told to."""

    failing: set[int] = field(default_factory=set)  # by the number of the call to it
    others: Script = answer  # what all other models say
    fault: Fault = field(default_factory=lambda: Fault("status", status=500))
    heard: list[tuple[str, str]] = field(default_factory=list)
    calls: int = 0

    def __call__(self, asked: Asked) -> str | Said | Fault:
        if asked.model != "bot":
            return self.others(asked)
        self.calls += 1
        session = str(asked.body.get("session", ""))
        self.heard.append((session, str(asked.messages[-1]["content"])))
        if self.calls in self.failing:
            return self.fault
        return f"I have heard {sum(one == session for one, _ in self.heard)} of you."

    @property
    def sessions(self) -> Counter[str]:
        return Counter(session for session, _ in self.heard)


@dataclass
class Place:
    """A bot behind a server that stays, a models.toml that names it, and a hand to type with."""

    typist: Typist
    bot: Bot
    loopback: Loopback
    url: str
    models: Path

    def line(self, *more: str, limit: int = 2) -> list[str]:
        cast = ["--model-role", "interrogator=openai/user", "--model-role", "judge=openai/judge-1"]
        where = ["--base-url", self.url, "--models", str(self.models), "--limit", str(limit)]
        return ["run", "role_play", "--model", "mine", *cast, *where, *more]

    def rows(self) -> list[ConversationRow]:
        with Records(self.typist.store) as records:
            return records.conversations(records.find("last"))

    def kill_at(self, event: int, killer: Killer, *more: str) -> None:
        killer.aim(event)
        killer.process = start([*self.line(*more), "--store", str(self.typist.store)])
        killer.started.set()
        code, _, err = finish(killer.process)
        assert code == -signal.SIGKILL, err
        killer.aim(0)


MEMORY = 'request = { session = "{{session}}", text = "{{text}}" }'
NO_MEMORY = 'request = { session = "{{session}}", messages = "{{messages}}" }'


@contextmanager
def place_of(
    bot: Bot,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    killer: Killer | None = None,
    how: str = MEMORY,
) -> Iterator[Place]:
    loopback = Loopback(bot, latency=0.005 if killer else 0.0, watch=killer)
    with serving(loopback) as url:
        models = folder / "models.toml"
        there = url.removesuffix("/v1") + "/bot"
        models.write_text(f'[models.mine]\nmodel = "http"\nurl = "{there}"\n{how}\n')
        yield Place(Typist(folder / "interplay.db", capsys), bot, loopback, url, models)


def test_a_conversation_has_one_session_and_the_next_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with place_of(Bot(), tmp_path, capsys) as place:
        place.typist.types(*place.line("--epochs", "2"))
        assert list(place.bot.sessions.values()) == [TURNS] * 4
        assert "began again" not in place.typist.said
        said = {turn["player"] for row in place.rows() for turn in (row.outcome or {})["turns"]}
        assert said == {f"I have heard {number} of you." for number in range(1, TURNS + 1)}
        first = set(place.bot.sessions)
        place.typist.store.rename(tmp_path / "kept.db")
        (tmp_path / "interplay.db.locks").rename(tmp_path / "kept.locks")
        place.typist.types(*place.line())
        assert not first & set(list(place.bot.sessions)[4:])  # another run, though it is the same command


def test_the_bot_hears_what_it_is_told_and_not_the_brief_of_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with place_of(Bot(), tmp_path, capsys) as place:
        place.typist.types(*place.line(limit=1))
        [row] = place.rows()
        assert row.outcome is not None
        assert [text for _, text in place.bot.heard] == [turn["user"] for turn in row.outcome["turns"]]


def test_after_a_stop_the_dialogue_begins_again_with_a_new_session_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    killer = Killer()
    with place_of(Bot(), tmp_path, capsys, killer) as place:
        place.kill_at(
            9, killer, "--max-connections", "1", "--limit", "1"
        )  # in the fifth call: two turns were had
        [broken_off] = place.bot.sessions
        had = place.bot.sessions[broken_off]
        assert had == 2
        calls = place.loopback.calls
        place.typist.types(*place.line(limit=1))
        assert f"1 {BEGAN_AGAIN}" in place.typist.said
        assert place.bot.sessions[broken_off] == had  # nothing more was said to it
        [fresh] = set(place.bot.sessions) - {broken_off}
        assert place.bot.sessions[fresh] == TURNS
        assert place.loopback.calls == calls + EACH
        [row] = place.rows()
        assert (row.take, row.state) == (1, "done")
        place.typist.types(*place.line(limit=1))
        assert "began again" not in place.typist.said
        assert place.loopback.calls == calls + EACH
    check_record(place.typist.store)


def test_after_a_stop_finished_dialogues_are_left_alone_and_those_not_begun_begin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    killer = Killer()
    with place_of(Bot(), tmp_path, capsys, killer) as place:
        one_at_a_time = ("--max-connections", "1")
        place.typist.types(*place.line(*one_at_a_time, limit=1))
        [finished] = place.bot.sessions
        place.kill_at(7, killer, *one_at_a_time, "--limit", "3")
        place.typist.types(*place.line(limit=3))
        told = re.search(rf"(\d) {BEGAN_AGAIN}", place.typist.said)
        assert told is not None
        assert int(told.group(1)) == sum(row.take for row in place.rows()) > 0
        assert place.bot.sessions[finished] == TURNS
        assert sorted(place.bot.sessions.values()).count(TURNS) == 3
        assert [(row.state) for row in place.rows()] == ["done"] * 3


def test_a_stop_before_the_first_word_needs_no_new_beginning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with place_of(Bot(), tmp_path, capsys) as place:
        place.typist.types(*place.line("--budget-calls", "0"), code=1)
        assert place.loopback.calls == 0
        place.typist.types(*place.line())
        assert "began again" not in place.typist.said
        assert {row.take for row in place.rows()} == {0}


def test_a_dialogue_that_the_budget_broke_off_begins_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def unreadable_at_first(asked: Asked) -> str | Said | Fault:
        return "no form" if asked.number <= 2 else answer(asked)  # second tries, which nobody counted on

    with place_of(Bot(others=unreadable_at_first), tmp_path, capsys) as place:
        place.typist.types(*place.line("--budget-calls", str(EACH), limit=1), code=1)
        assert place.loopback.calls == EACH
        assert [(row.state, row.failure) for row in place.rows()] == [("void", "budget")]
        [broken_off] = place.bot.sessions
        place.typist.types(*place.line(limit=1))
        assert f"1 {BEGAN_AGAIN}" in place.typist.said
        assert [place.bot.sessions[one] for one in place.bot.sessions if one != broken_off] == [TURNS]


@pytest.mark.parametrize(
    "fault",
    [Fault("status", status=500), Fault("reset"), Fault("truncated"), Fault("status", status=400)],
    ids=lambda f: f"{f.kind} {f.status}",
)
def test_a_call_that_failed_begins_the_dialogue_again(
    fault: Fault, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with place_of(Bot(failing={3}, fault=fault), tmp_path, capsys) as place:
        place.typist.types(*place.line(limit=1))
        assert f"1 {BEGAN_AGAIN}" in place.typist.said
        assert list(place.bot.sessions.values()) == [3, TURNS]  # what may have been heard was not said twice
        [row] = place.rows()
        assert (row.state, row.take) == ("done", 1)
        assert place.typist.reads("show", "last")["rows"][0]["void"] == 0.0


def test_after_three_takes_it_is_void_and_the_same_command_tries_it_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with place_of(Bot(failing={1, 3, 4, 6}), tmp_path, capsys) as place:
        place.typist.types(*place.line(limit=1), code=1)
        assert list(place.bot.sessions.values()) == [1, 2, 1]
        assert f"2 {BEGAN_AGAIN}" in place.typist.said
        assert "1 conversations or verdicts got no answer" in place.typist.said
        assert "the same command tries them again." in place.typist.said
        [row] = place.rows()
        assert (row.state, row.failure, row.take) == ("void", "provider", 2)
        board = place.typist.reads("show", "last")
        assert (board["rows"][0]["void"], board["rows"][0]["n"]) == (1.0, 0)
        assert "Void by name: provider 1." in board["notes"]
        place.typist.types(*place.line(limit=1))  # fails once more, then answers
        assert list(place.bot.sessions.values()) == [1, 2, 1, 2, TURNS]
        assert place.rows()[0].state == "done"


def test_a_failure_of_another_role_begins_it_again_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failing_user = first_time(lambda number: Fault("status", status=400) if number == 5 else None)
    with place_of(Bot(others=failing_user), tmp_path, capsys) as place:
        place.typist.types(*place.line(limit=1))
        assert f"1 {BEGAN_AGAIN}" in place.typist.said
        assert list(place.bot.sessions.values()) == [2, TURNS]


def test_what_it_surely_did_not_hear_is_said_again_in_the_same_session(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    busy = Fault("status", status=429, headers={"Retry-After": "0"})
    with place_of(Bot(failing={2}, fault=busy), tmp_path, capsys) as place:
        place.typist.types(*place.line(limit=1))
        assert "began again" not in place.typist.said
        assert list(place.bot.sessions.values()) == [TURNS + 1]


def test_a_bot_that_gets_all_messages_is_gone_on_with_where_it_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    killer = Killer()
    with place_of(Bot(), tmp_path, capsys, killer, NO_MEMORY) as place:
        place.kill_at(9, killer, "--max-connections", "1", "--limit", "1")
        before, lost = place.loopback.calls, in_flight(place.typist.store)
        place.typist.types(*place.line(limit=1))
        assert "began again" not in place.typist.said
        assert place.loopback.calls == EACH + lost
        assert before < EACH
        [row] = place.rows()
        assert (row.take, row.state) == (0, "done")
        assert len(place.bot.sessions) == 1


def test_a_failed_call_to_a_bot_that_gets_all_messages_is_only_sent_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with place_of(Bot(failing={2}), tmp_path, capsys, how=NO_MEMORY) as place:
        place.typist.types(*place.line(limit=1))
        assert "began again" not in place.typist.said
        assert list(place.bot.sessions.values()) == [TURNS + 1]


@pytest.mark.parametrize("how", [MEMORY, NO_MEMORY], ids=["a memory", "no memory"])
def test_a_plan_counts_what_has_to_be_said_again(
    how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    killer = Killer()
    with place_of(Bot(), tmp_path, capsys, killer, how) as place:
        place.kill_at(9, killer, "--max-connections", "1", "--limit", "1")
        plan = place.typist.reads(*place.line("--plan", limit=1))
        before = place.loopback.calls
        place.typist.types(*place.line(limit=1))
        assert plan["calls"] == [place.loopback.calls - before] * 2


# Names and settings


def test_a_bot_may_be_named_by_its_url(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with place_of(Bot(), tmp_path, capsys) as place:
        url = place.url.removesuffix("/v1") + "/bot"
        words = [url if word == "mine" else word for word in place.line(limit=1)]
        board = place.typist.reads(*words)
        assert board["rows"][0]["model"] == url
        assert board["rows"][0]["cost"] is None  # nobody knows what a bot costs
        assert f"Tokens of {TURNS} calls are estimated: the endpoint did not report them." in board["notes"]


@pytest.mark.parametrize("more", ["?token=sk-canary-1234", "/@x"])
def test_a_url_that_may_hold_a_secret_is_refused_before_anything_is_written(
    more: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with place_of(Bot(), tmp_path, capsys) as place:
        url = place.url.removesuffix("/v1") + "/bot" + more
        said = place.typist.mistakes(*(url if word == "mine" else word for word in place.line(limit=1)))
        assert "may hold a secret" in said
        assert "sk-canary" not in said
        assert place.loopback.calls == 0


def test_sampling_that_a_bot_does_not_take_is_a_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with place_of(Bot(), tmp_path, capsys) as place:
        said = place.typist.mistakes(*place.line("--sampling", "mine.temperature=0"))
        assert "mine does not take temperature; leave it out of its sampling" in said
        assert place.loopback.calls == 0
