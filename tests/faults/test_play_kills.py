"""kill -9 of the server of pages while somebody plays: acknowledged moves are there once, no answer is paid twice."""

import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from interplay.benchmarks import find
from interplay.core.wire import clean
from interplay.models.loopback import Loopback, serving
from interplay.running.games import game_of
from interplay.store.passes import Passes
from interplay.store.records import Records
from tests.faults.harness import PATIENCE, check_record, start_anew
from tests.faults.killed_servers import Asker, Starts, free_port, servers_that_start_at_once
from tests.running.people import lively
from tests.web.gaming import directory, empty_store, filled_in, form_in
from tests.web.served import serving as serving_pages

ROLES = {"model.player": "openai/p", "model.judge": "openai/judge", "option.turns": "2"}
LATENCY = 0.02  # of a model's answer: long enough for kills to come in between


@dataclass
class Player(threading.Thread):
    """Plays one role-play after another as the interrogator; what has no answer is sent again, as the page does it."""

    server: Asker
    acknowledged: dict[int, str] = field(default_factory=dict)  # by the number of the question
    games: list[str] = field(default_factory=list)
    is_over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        super().__init__(daemon=True)
        role_play = find("role_play")
        self.scenarios = [one.id for one in role_play.scenarios(role_play.settle({}), None).scenarios]

    def __hash__(self) -> int:
        return id(self)

    def run(self) -> None:
        while not self.is_over.is_set():
            self.play(self.begin())

    def begin(self) -> str:
        """Begin a game; where its page is."""
        sent = {"benchmark": "role_play", "seat": "interrogator", "person": "ada", **ROLES}
        goes_to, page = self.server.ask(
            "POST", "/games/", {**sent, "scenario": self.scenarios[len(self.games)]}
        )
        assert goes_to, page
        self.games.append(goes_to.split("/")[2])
        return goes_to

    def play(self, address: str) -> None:
        """Play one game to its end."""
        deadline = time.monotonic() + PATIENCE
        while 'id="over"' not in (page := self.server.ask("GET", address)[1]):
            assert time.monotonic() < deadline, page
            if form_in(page) is None:
                time.sleep(0.005)
                continue
            action, values = filled_in(page, lambda *_: f"Question {len(self.acknowledged)}: who are you?")
            goes_to, page = self.server.ask("POST", action, values)
            assert goes_to, page
            assert int(values["call"]) not in self.acknowledged
            self.acknowledged[int(values["call"])] = f'{{"next_utterance": "{values["say.next_utterance"]}"}}'


def played(store: Path, kills: int, seed: int, begin: Starts, player: Player, loopback: Loopback) -> None:
    """Kill the server so many times while somebody plays, then hold the record against what was told and paid."""
    rng = Random(seed)
    pid = begin()
    try:
        player.start()
        for _ in range(kills):
            _wait_for(player, len(player.acknowledged) + rng.randint(0, 1))
            time.sleep(
                rng.uniform(0, 0.1)
            )  # while a move is written, models speak, a game is judged or begun
            lost = player.server.lost
            os.kill(pid, signal.SIGKILL)
            pid = begin()
            _wait_for(player, len(player.acknowledged) + 1)
            assert player.server.lost > lost, "nobody noticed the kill"
        player.is_over.set()  # the game under way is played to its end
        player.join(PATIENCE)
        assert not player.is_alive()
    finally:
        os.kill(pid, signal.SIGKILL)
    check_record(store)
    check_moves(store, player)
    answered, unknown = paid(store)
    assert answered <= loopback.calls <= answered + unknown, "more was paid for again than was in flight"
    assert unknown <= kills * 2


def check_moves(store: Path, player: Player) -> None:
    """What was acknowledged is what people said, all of it and each once, and every game came to its end."""
    assert player.acknowledged
    with Records(store) as records:
        said = records.db.execute(
            "SELECT number, text FROM calls WHERE model = 'human/ada' AND state = 'done'"
        ).fetchall()
        assert dict(said) == {call: clean(text) for call, text in player.acknowledged.items()}
        assert sorted(run.id for run in records.runs()) == sorted(player.games)
        for run in records.runs():
            assert game_of(records, run).state == "over"
            [row] = records.conversations(run)
            assert row.state == "done"
            assert row.outcome is not None
            assert len(row.outcome["turns"]) == 2
            assert [verdict.failure for _, verdict in records.verdicts_of(row.number)] == [""]


def paid(store: Path) -> tuple[int, int]:
    """Models' answers in the record, and calls that were sent and came to nothing known."""
    with Records(store) as records:
        [(answered, unknown)] = records.db.execute(
            "SELECT total(state = 'done'), total(state = 'sent') FROM calls WHERE model NOT GLOB 'human/*'"
        ).fetchall()
    return int(answered), int(unknown)


def _wait_for(player: Player, moves: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while len(player.acknowledged) < moves:
        assert time.monotonic() < deadline and player.is_alive()
        time.sleep(0.002)


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return empty_store(tmp_path / "a.db")


def owner_of(store: Path, port: int) -> Player:
    with Passes(store) as passes:
        return Player(Asker(port, f"interplay_{port}={passes.owner().secret}"))


def line_of(store: Path, port: int, url: str) -> list[str]:
    return ["--port", str(port), "--store", str(store), "--base-url", url]


@pytest.mark.fault("web server killed: play", times=10)
def test_ten_kills_while_somebody_plays(store: Path, port: int) -> None:
    loopback = Loopback(lively, latency=LATENCY, jitter=LATENCY, seed=1)
    with serving(loopback) as url, servers_that_start_at_once(*line_of(store, port, url)) as begin:
        played(store, 10, 1, begin, owner_of(store, port), loopback)


def test_a_move_that_is_gone_or_other_than_it_was_said_would_be_noticed(store: Path) -> None:
    loopback = Loopback(lively)
    with serving(loopback) as url, serving_pages(store, directory(url)) as served:
        player = owner_of(store, served.port)
        player.play(player.begin())
    check_moves(store, player)
    assert paid(store) == (loopback.calls, 0)
    first = min(player.acknowledged)
    with Records(store) as records:
        records.db.execute("UPDATE calls SET text = 'other words' WHERE number = ?", (first,))
        with pytest.raises(AssertionError):
            check_moves(store, player)
        records.db.execute("UPDATE calls SET state = 'sent', text = NULL WHERE number = ?", (first,))
        with pytest.raises(AssertionError):
            check_moves(store, player)


@pytest.mark.fault("web server killed: play", times=50)
@pytest.mark.soak
def test_fifty_kills_of_the_server_as_people_start_it(store: Path, port: int) -> None:
    started: list[subprocess.Popen[bytes]] = []
    loopback = Loopback(lively, latency=LATENCY, jitter=LATENCY, seed=2)
    with serving(loopback) as url:

        def begin() -> int:
            if started:
                started[-1].communicate(timeout=PATIENCE)
            started.append(start_anew(["view", "--no-open", *line_of(store, port, url)]))
            return started[-1].pid

        played(store, 50, 2, begin, owner_of(store, port), loopback)
        started[-1].communicate(timeout=PATIENCE)
