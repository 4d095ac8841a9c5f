"""Runs on a server: the same tables as in a file, byte for byte, whatever is killed, lost or started twice."""

import json
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import psycopg
import pytest

from interplay.cli import main
from interplay.models.loopback import Event, Loopback, serving
from interplay.store.places import Server, Store
from interplay.store.records import Records
from tests.faults.harness import Killer, Recorded, finish, start, start_anew
from tests.running.job import answer, command
from tests.store.databases import Databases, rows

LIMIT = 2
DONE = (
    "SELECT c.scenario, c.subject, c.repeat, stage, participant, step, text, raw"
    " FROM calls JOIN conversations c ON c.number = conversation WHERE calls.state = 'done'"
)
DOUBLES = (
    "SELECT 1 FROM calls WHERE state = 'done' GROUP BY conversation, stage, item, participant, step"
    " HAVING count(*) > 1"
)


def finished(store: Store) -> set[tuple[Any, ...]]:
    return set(map(tuple, rows(store, DONE))) if store.exists() else set()


def in_flight(store: Store) -> int:
    return len(rows(store, "SELECT 1 FROM calls WHERE state = 'sent'"))


@dataclass
class Calm:
    """A job in a file that nothing disturbed."""

    table: str
    calls: int

    def check(self, store: Server, out: str, calls: int) -> None:
        """All that TRUST promises, after whatever was done to the job on a server."""
        assert out == self.table, "the table differs from the undisturbed run's"
        assert rows(store, DOUBLES) == []
        with Records(store) as records:
            assert records.integrity() == "ok"
        assert calls - self.calls <= in_flight(store), "more was paid for again than was in flight"


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Calm:
    loopback = Loopback(answer)
    with serving(loopback) as url:
        store = tmp_path_factory.mktemp("calm") / "calm.db"
        code, out, err = finish(start_anew(command(url, store, limit=LIMIT)))
    assert code == 0, err
    return Calm(out, loopback.calls)


def test_the_table_is_that_of_a_file_and_a_second_start_sends_nothing(calm: Calm, server: Server) -> None:
    loopback = Loopback(answer)
    with serving(loopback) as url:
        for _ in range(2):
            code, out, err = finish(start(command(url, server, limit=LIMIT)))
            assert code == 0, err
    calm.check(server, out, loopback.calls)
    assert loopback.calls == calm.calls
    assert rows(server, "SELECT * FROM leases") == []


# TRUST 2: kill -9 at the k-th ledger event
@pytest.mark.fault("kill -9")
@pytest.mark.parametrize("at", [1, 14, 27, *(pytest.param(k, marks=pytest.mark.soak) for k in range(2, 40))])
def test_a_kill_at_the_kth_ledger_event(calm: Calm, server: Server, at: int) -> None:
    killer = Killer()
    loopback = Loopback(answer, latency=0.003, jitter=0.003, seed=at, watch=killer)
    with serving(loopback) as url:
        line = command(url, server, limit=LIMIT)
        killer.aim(at)
        killer.process = start(line)
        killer.started.set()
        code, _, err = finish(killer.process)
        assert "Traceback" not in err
        assert code == -signal.SIGKILL
        kept = finished(server)
        killer.aim(0)
        code, out, err = finish(start(line))
    assert code == 0, err
    assert kept <= finished(server), "a finished row was lost"
    calm.check(server, out, loopback.calls)


class Disturber:
    """Does something to the server at some events of the ledger, in a thread: the provider goes on meanwhile."""

    def __init__(self, at: set[int], disturb: Callable[[], None]):
        self.at, self.disturb = at, disturb
        self.seen = 0
        self.threads: list[threading.Thread] = []

    def __call__(self, event: Event) -> None:
        self.seen += 1
        if self.seen in self.at:
            self.threads.append(threading.Thread(target=self.disturb))
            self.threads[-1].start()

    def wait(self) -> None:
        for thread in self.threads:
            thread.join()


def terminator(server: Server, hits: list[int]) -> Callable[[], None]:
    """Terminates the backend that writes the run as soon as it is within a transaction."""

    def terminate() -> None:
        with psycopg.connect(server.url, autocommit=True) as db:
            deadline = time.monotonic() + 2
            while time.monotonic() < deadline:
                hit = db.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                    " AND application_name = 'interplay' AND xact_start IS NOT NULL"
                    " AND (query LIKE 'INSERT%' OR query LIKE 'UPDATE%' OR query LIKE 'COMMIT%')"
                ).fetchall()
                if hit:
                    hits.append(len(hit))
                    return

    return terminate


# TRUST 2: PostgreSQL backend terminated mid-transaction
@pytest.mark.fault("PostgreSQL backend terminated")
@pytest.mark.parametrize("runs", [2, pytest.param(20, marks=pytest.mark.soak)])
def test_backends_that_are_terminated_in_a_transaction_harm_nothing(
    calm: Calm, databases: Databases, runs: int, record_property: Recorded
) -> None:
    hits: list[int] = []
    for seed in range(runs):
        server = databases.take()
        at = set(Random(seed).sample(range(3, 2 * calm.calls), 6))
        disturber = Disturber(at, terminator(server, hits))
        loopback = Loopback(answer, latency=0.005, jitter=0.005, seed=seed, watch=disturber)
        with serving(loopback) as url:
            code, out, err = finish(start(command(url, server, limit=LIMIT)))
            disturber.wait()
        assert code == 0, err
        calm.check(server, out, loopback.calls)
        assert loopback.calls == calm.calls, "a lost connection to the store costs no call"
        databases.give_back(server)
    record_property("times", len(hits))
    assert len(hits) >= 5 * runs // 2


# TRUST 2: PostgreSQL backend terminated mid-transaction (the whole server is started again)
@pytest.mark.fault("PostgreSQL backend terminated")
def test_a_server_that_is_started_again_in_mid_run_is_waited_for(
    calm: Calm, databases: Databases, server: Server
) -> None:
    disturber = Disturber({15}, databases.restart)
    loopback = Loopback(answer, latency=0.005, watch=disturber)
    with serving(loopback) as url:
        code, out, err = finish(start(command(url, server, limit=LIMIT)))
        disturber.wait()
    assert code == 0, err
    calm.check(server, out, loopback.calls)
    assert loopback.calls == calm.calls


def test_of_two_starts_one_goes_on_and_the_other_is_told_who_it_is(calm: Calm, server: Server) -> None:
    loopback = Loopback(answer, latency=0.05)
    with serving(loopback) as url:
        line = command(url, server, limit=LIMIT)
        first = start(line)
        deadline = time.monotonic() + 20
        while not loopback.calls and time.monotonic() < deadline:
            time.sleep(0.01)
        before = time.monotonic()
        code, _, err = finish(start(line))
        assert code == 3 and time.monotonic() - before < 4  # 2 s, and its start
        assert f"process {first.pid} on " in err and err.count("\n") == 1
        code, out, err = finish(first)
    assert code == 0, err
    calm.check(server, out, loopback.calls)
    assert loopback.calls == calm.calls


@pytest.fixture
def played(server: Server) -> Iterator[Server]:
    with serving(Loopback(answer)) as url:
        code, _, err = finish(start(command(url, server, limit=LIMIT)))
    assert code == 0, err
    yield server


def test_every_verb_reads_a_server(
    played: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = ["--store", played.url]
    for words in (
        ["show", "last"],
        ["show", "last", "--conversation", "1"],
        ["show", "last", "--conversation", "1", "--as", "player"],
        ["list"],
        ["list", "last"],
        ["runs", "list"],
        ["board", "role_play"],
        ["score", "last"],
        ["export", "last", str(tmp_path / "run.jsonl")],
        ["export", "last", str(tmp_path / "run.csv")],
        ["export", "--site", str(tmp_path / "site")],
        ["labels", "draw", "last", str(tmp_path / "sheet.csv"), "--count", "1"],
        ["labels", "list", "last"],
        ["agreement", "last"],
        ["variance", "last"],
        ["runs", "rename", "last", "mine"],
        ["runs", "delete", "mine", "--yes"],
    ):
        code = main([*words, *store])
        err = capsys.readouterr().err
        assert code in (0, 2) and "fault" not in err, (words, err)
        assert code == 0 or words[0] in ("agreement", "variance"), (words, err)
    with Records(played) as records:
        assert records.runs() == []
        for table in ("conversations", "calls", "messages", "settings", "scenarios", "scores", "verdicts"):
            assert records.rows(f"SELECT count(*) FROM {table}") == [(0,)], table


def test_the_store_can_be_named_by_the_environment(played: Server) -> None:
    words = ["show", "last", "--json"]
    code, out, _ = finish(start(words, INTERPLAY_STORE=played.url))
    assert code == 0 and json.loads(out)


def test_no_password_is_in_any_output_record_or_process(databases: Databases, tmp_path: Path) -> None:
    """A canary as the password: the server lets everybody in, so it is only ever carried."""
    server = databases.take()
    secret = "canary-9d1f"
    url = server.url.replace("postgres@", f"postgres:{secret}@")
    said = ""
    with serving(Loopback(answer)) as provider:
        for words in (
            [*command(provider, Path("x"), limit=LIMIT), "--store", url],
            ["doctor", "--store", url],
            ["list", "--store", url],
            ["show", "nothing", "--store", url],
            ["show", "last", "--store", url, "--html", str(tmp_path / "report.html")],
            ["export", "last", str(tmp_path / "run.jsonl"), "--store", url],
            ["copy", "last", "--store", url, "--to", str(tmp_path / "copy.db")],
        ):
            _, out, err = finish(start(words))
            said += out + err
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
    dump = databases.everything(server)
    assert "Copied" in said and len(kept) > 10_000 and len(dump) > 10_000
    assert secret not in said
    assert secret.encode() not in kept
    assert secret not in dump
    databases.give_back(server)
