"""kill -9 of the server of pages while people label: every acknowledged label is there, once."""

import os
import re
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from random import Random

import pytest

from interplay.store.rounds import Round, Rounds
from tests.faults.harness import PATIENCE, check_record, start_anew
from tests.faults.killed_servers import Asker, Starts, free_port, servers_that_start_at_once
from tests.web.labelled import CRITERIA, round_of

_COLUMNS = "conversation, rater, criterion, value, made, drawn, came_from"


@dataclass
class Labeller(threading.Thread):
    """Labels one conversation after another; what has no answer is sent again, as the page does it."""

    server: Asker
    link: str
    rng: Random
    acknowledged: dict[int, list[tuple[int, ...]]] = field(default_factory=dict)  # by place, in order
    answers: int = 0
    is_over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        super().__init__(daemon=True)

    def __hash__(self) -> int:
        return id(self)

    def run(self) -> None:
        place = 1
        while not self.is_over.is_set():
            _, page = self.server.ask("GET", f"{self.link}{place}/")
            found = re.search(r'name="seen" value="(\d+)"', page)
            assert found, page
            values = (*(self.rng.randint(1, 5) for _ in CRITERIA[:3]), self.rng.randint(0, 1))
            fill = {f"answer_{number}": str(value) for number, value in enumerate(values, 1)}
            goes_to, page = self.server.ask("POST", f"{self.link}{place}/", {"seen": found[1], **fill})
            assert goes_to, page
            self.acknowledged.setdefault(place, []).append(values)
            self.answers += 1
            following = re.fullmatch(r"/label/[^/]+/(\d+)/", goes_to)
            place = int(following[1]) if following else self.rng.randint(1, len(self.acknowledged))


def labelled(store: Path, kills: int, seed: int, port: int, begin: Starts) -> None:
    """Kill the server so many times while two label, then hold what was acknowledged against the record."""
    rng = Random(seed)
    round, links = round_of(store)
    clients = [Labeller(Asker(port), link, Random(f"{seed} {name}")) for name, link in links.items()]
    pid = begin()
    try:
        for client in clients:
            client.start()
        for _ in range(kills):
            _wait_for(clients, sum(client.answers for client in clients) + rng.randint(1, 8))
            time.sleep(rng.uniform(0, 0.02))  # anywhere within a request
            before = sum(client.server.lost for client in clients)
            os.kill(pid, signal.SIGKILL)
            pid = begin()
            _wait_for(clients, sum(client.answers for client in clients) + 1)
            assert sum(client.server.lost for client in clients) > before, "nobody noticed the kill"
    finally:
        for client in clients:
            client.is_over.set()
        for client in clients:
            client.join(PATIENCE)
        os.kill(pid, signal.SIGKILL)
    assert not any(client.is_alive() for client in clients)
    check_record(store)
    with Rounds(store) as rounds:
        for name, client in zip(links, clients, strict=True):
            _check(rounds, round, name, client)


def _wait_for(clients: list[Labeller], answers: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while sum(client.answers for client in clients) < answers:
        assert time.monotonic() < deadline and all(client.is_alive() for client in clients)
        time.sleep(0.002)


def _check(rounds: Rounds, round: Round, name: str, client: Labeller) -> None:
    """The rows of each question are just what was acknowledged, in that order, what was said again in a row once."""
    assert client.acknowledged
    for place, answers in client.acknowledged.items():
        said = rounds.said(round, name, place)
        for number, criterion in enumerate(CRITERIA):
            told = [float(one[number]) for one in answers]
            assert [row.value for row in said[criterion]] == [value for value, _ in groupby(told)]
    for place in range(1, len(round.items) + 1):
        assert place in client.acknowledged or not rounds.said(round, name, place)


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.mark.fault("web server killed: labels", times=10)
def test_ten_kills_while_two_label(tmp_path: Path, port: int) -> None:
    store = tmp_path / "a.db"
    with servers_that_start_at_once("--port", str(port), "--store", str(store)) as begin:
        labelled(store, 10, 1, port, begin)


def test_a_label_that_is_gone_or_there_twice_would_be_noticed(tmp_path: Path) -> None:
    store, client = tmp_path / "a.db", Labeller(Asker(0), "", Random(0))
    round, _ = round_of(store)
    values = (4, 3, 5, 0)
    with Rounds(store) as rounds:
        rounds.say(round, "ada", 1, dict(zip(CRITERIA, map(float, values), strict=True)))
        client.acknowledged = {1: [values, values]}
        _check(rounds, round, "ada", client)
        rounds.db.execute(
            f"INSERT INTO labels ({_COLUMNS}) SELECT {_COLUMNS} FROM labels WHERE criterion = 'fluency'"
        )
        with pytest.raises(AssertionError):
            _check(rounds, round, "ada", client)
        rounds.db.execute("DELETE FROM labels WHERE criterion = 'fluency'")
        with pytest.raises((AssertionError, KeyError)):
            _check(rounds, round, "ada", client)


@pytest.mark.fault("web server killed: labels", times=50)
@pytest.mark.soak
def test_fifty_kills_of_the_server_as_people_start_it(tmp_path: Path, port: int) -> None:
    store, started = tmp_path / "a.db", list[subprocess.Popen[bytes]]()

    def begin() -> int:
        if started:
            started[-1].communicate(timeout=PATIENCE)
        line = ["view", "--no-open", "--port", str(port), "--store", str(store)]
        started.append(start_anew(line))
        return started[-1].pid

    labelled(store, 50, 2, port, begin)
    started[-1].communicate(timeout=PATIENCE)
