"""Ctrl-C, SIGTERM, and two processes on one run."""

import signal
import time
from pathlib import Path

import apsw
import pytest

from interplay.models.loopback import Asked, Fault, Loopback, serving
from tests.faults.harness import check_record, finish, finished_rows, in_flight, start
from tests.running.job import answer, command


def wait_for_calls(loopback: Loopback, calls: int) -> None:
    deadline = time.monotonic() + 60
    while loopback.calls < calls:
        assert time.monotonic() < deadline, "the program sent nothing"
        time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_lets_calls_under_way_come_back_and_says_how_to_go_on(
    number: signal.Signals, tmp_path: Path
) -> None:
    store = tmp_path / "interplay.db"
    loopback = Loopback(answer, latency=0.2)
    with serving(loopback) as url:
        line = command(url, store, limit=8)
        process = start(line)
        wait_for_calls(loopback, 10)
        process.send_signal(number)
        began = time.monotonic()
        code, _, err = finish(process)
        assert time.monotonic() - began < 10
        assert code == 130
        assert "The same command goes on." in err
        assert "Traceback" not in err
        assert in_flight(store) == 0  # nothing was dropped
        assert len(finished_rows(store)) == loopback.calls
        paid = loopback.calls
        code, _, err = finish(start(line))
        assert code == 0, err
        assert loopback.calls == 8 * 10 + 8  # seven of 4 turns, one of 8: 36 turns twice, and 16 verdicts
        assert loopback.calls > paid
    check_record(store)


def test_a_second_signal_waits_for_nothing(tmp_path: Path) -> None:
    def hang(asked: Asked) -> str | Fault:
        return Fault("hang") if asked.number > 4 else answer(asked)

    store = tmp_path / "interplay.db"
    loopback = Loopback(hang)
    with serving(loopback) as url:
        process = start(command(url, store, limit=4))
        wait_for_calls(loopback, 6)
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        assert process.poll() is None  # it waits for what hangs
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        code, _, err = finish(process)
        assert time.monotonic() - began < 3
    assert code == 130
    assert "Traceback" not in err
    assert in_flight(store) == loopback.calls - len(finished_rows(store))
    check_record(store)


def test_a_second_process_on_a_run_exits_without_a_call(tmp_path: Path) -> None:
    store = tmp_path / "interplay.db"
    loopback = Loopback(answer, latency=1.0)  # the second must begin while the first is at work
    with serving(loopback) as url:
        line = command(url, store, limit=2)
        first = start(line)
        wait_for_calls(loopback, 2)
        silent = Loopback(answer)
        with serving(silent) as other:
            code, _, err = finish(start(command(other, store, limit=2)))
        assert code == 3
        assert f"process {first.pid}" in err
        assert err.count("\n") == 1
        assert silent.calls == 0
        code, _, err = finish(first)
        assert code == 0, err


def test_processes_that_start_a_run_together_pay_for_it_once(tmp_path: Path) -> None:
    store = tmp_path / "interplay.db"
    loopback = Loopback(answer, latency=0.05)
    with serving(loopback) as url:
        together = [start(command(url, store, limit=2)) for _ in range(3)]
        codes = [finish(process)[0] for process in together]
    assert set(codes) <= {0, 3}
    assert 0 in codes
    assert loopback.calls == 2 * 10
    check_record(store)


def test_two_signals_end_it_even_while_another_program_holds_the_store_locked(tmp_path: Path) -> None:
    store = tmp_path / "interplay.db"
    loopback = Loopback(answer, latency=0.1)
    with serving(loopback) as url:
        process = start(command(url, store, limit=8))
        wait_for_calls(loopback, 4)
        holder = apsw.Connection(str(store))
        holder.set_busy_timeout(10_000)
        holder.execute("BEGIN IMMEDIATE")
        try:
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            began = time.monotonic()
            code, _, err = finish(process)
            assert time.monotonic() - began < 3
        finally:
            holder.execute("ROLLBACK")
            holder.close()
    assert code == 130
    assert "The same command goes on." in err
    check_record(store)


def test_a_store_that_is_locked_for_a_while_is_waited_for(tmp_path: Path) -> None:
    store = tmp_path / "interplay.db"
    loopback = Loopback(answer, latency=0.05)
    with serving(loopback) as url:
        process = start(command(url, store, limit=2))
        wait_for_calls(loopback, 2)
        holder = apsw.Connection(str(store))
        holder.set_busy_timeout(10_000)
        holder.execute("BEGIN IMMEDIATE")
        time.sleep(3)
        sent = loopback.calls
        time.sleep(1)
        assert loopback.calls == sent  # nothing is sent that cannot be written down
        holder.execute("ROLLBACK")
        holder.close()
        code, _, err = finish(process)
    assert code == 0, err
    assert loopback.calls == 2 * 10
    check_record(store)


def test_a_reader_of_our_output_that_goes_away_is_no_trouble(tmp_path: Path) -> None:
    store = tmp_path / "interplay.db"
    with serving(Loopback(answer)) as url:
        code, _, err = finish(start(command(url, store, limit=1)))
        assert code == 0, err
    process = start(["show", "last", "--store", str(store)])
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(60) == 0
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
