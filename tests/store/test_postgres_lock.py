"""The lock of a run on a server: one holder, named, found from anywhere, gone with its connection."""

import os
import signal
import subprocess
import sys
import time

import psycopg
import pytest

from interplay.core.failures import RunLocked, StoreTrouble
from interplay.store import postgres_lock
from interplay.store.lock import holder_of, run_lock
from interplay.store.pace import written_since
from interplay.store.places import Server
from interplay.store.postgres_connection import Connection, open_raw
from interplay.store.records import Records
from tests.store.databases import Databases, rows

HOLDING = (
    "import sys, time; from interplay.store.places import place_of; from interplay.store.lock import run_lock\n"
    "with run_lock(place_of(sys.argv[1]), 'r-1'):\n"
    "    print('held', flush=True); time.sleep(60)"
)


def held_elsewhere(server: Server) -> subprocess.Popen[str]:
    found = subprocess.Popen([sys.executable, "-c", HOLDING, server.url], stdout=subprocess.PIPE, text=True)
    assert found.stdout is not None and found.stdout.readline() == "held\n"
    return found


def lose_connections(databases: Databases) -> None:
    with databases.administer() as db:
        db.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname <> current_database() AND application_name = 'interplay'"
        )


def test_a_second_holder_is_refused_at_once_and_told_who_holds_it(server: Server) -> None:
    with run_lock(server, "r-1"), run_lock(server, "r-2"):
        began = time.monotonic()
        with pytest.raises(RunLocked, match=f"process {os.getpid()} on "), run_lock(server, "r-1"):
            pass
        assert time.monotonic() - began < 2
        assert holder_of(server, "r-1").startswith(f"process {os.getpid()} on ")
        assert written_since(server, "r-1") is not None
    assert holder_of(server, "r-1") == ""
    assert written_since(server, "r-1") is None
    with run_lock(server, "r-1"):
        pass


def test_a_lock_is_released_by_an_error_and_leaves_no_lease(server: Server) -> None:
    with pytest.raises(LookupError), run_lock(server, "r-1"):
        raise LookupError
    assert rows(server, "SELECT * FROM leases") == []


def test_stores_in_other_databases_have_locks_of_their_own(databases: Databases, server: Server) -> None:
    other = databases.take()
    with run_lock(server, "r-1"), run_lock(other, "r-1"):
        pass
    databases.give_back(other)


def test_a_holder_that_is_killed_holds_nothing_though_its_lease_is_there(server: Server) -> None:
    process = held_elsewhere(server)
    assert holder_of(server, "r-1").startswith(f"process {process.pid} on ")
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert process.stdout is not None
    process.stdout.close()
    assert rows(server, "SELECT run FROM leases") == [("r-1",)]
    with run_lock(server, "r-1"):
        assert holder_of(server, "r-1").startswith(f"process {os.getpid()} on ")


def test_a_lease_is_renewed_and_one_that_ended_is_told(server: Server) -> None:
    with run_lock(server, "r-1") as held:
        assert held is not None
        with Records(server) as records:
            records.db.execute("UPDATE leases SET until = now() - interval '1 minute'")
        assert "not heard of since" in holder_of(server, "r-1")
        with held.turn:
            held._renewed = 0.0
            held.renew_if_due()
        assert "not heard of since" not in holder_of(server, "r-1")


def test_a_lease_is_renewed_while_nothing_is_written(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_lock, "RENEWAL", 0.05)
    with run_lock(server, "r-1"):
        query = "SELECT until FROM leases"
        before, deadline = rows(server, query), time.monotonic() + 5
        while rows(server, query) == before and time.monotonic() < deadline:
            time.sleep(0.02)
        assert rows(server, query) > before


def test_a_lost_connection_takes_the_lock_again(databases: Databases, server: Server) -> None:
    with run_lock(server, "r-1") as held:
        assert held is not None
        lose_connections(databases)
        with held.turn:
            held.mend()
        with pytest.raises(RunLocked), run_lock(server, "r-1"):
            pass


def test_who_lost_the_run_to_another_meanwhile_writes_nothing_more(
    databases: Databases, server: Server
) -> None:
    with run_lock(server, "r-1") as held:
        assert held is not None
        with held.turn:
            lose_connections(databases)
            with (
                run_lock(server, "r-1"),
                pytest.raises(RunLocked, match="is being written by another process"),
            ):
                held.mend()
            with pytest.raises(RunLocked, match="was written by another process while"):
                held.mend()


def test_a_server_that_does_not_come_back_is_trouble_in_one_line(databases: Databases) -> None:
    made = databases.take()
    name = made.url.partition("?")[0].rpartition("/")[2]
    with run_lock(made, "r-1") as held:
        assert held is not None
        with databases.administer() as db:
            db.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
        began = time.monotonic()
        with held.turn, pytest.raises(StoreTrouble, match="the same command goes on"):
            held.mend()
        assert time.monotonic() - began < 5  # a database that is gone is not waited for


def test_a_lost_connection_that_the_server_takes_for_a_good_one_is_ended(server: Server) -> None:
    with run_lock(server, "r-1") as held:
        assert held is not None
        with held.turn:
            old = held.connection
            held.connection = Connection(open_raw(server))  # the old one is out of reach, and holds the lock
            held.mend()
            with pytest.raises(psycopg.Error):
                old.execute("SELECT 1")
        assert holder_of(server, "r-1").startswith(f"process {os.getpid()} on ")
