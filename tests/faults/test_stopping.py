"""Ctrl-C, SIGTERM, and two processes on one run."""

import signal
import time
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from interplay.models.loopback import Asked, Fault, Loopback, serving
from tests.faults.harness import (
    Process,
    allowed,
    check_record,
    finish,
    finished_rows,
    in_flight,
    start,
    start_anew,
)
from tests.running.job import answer, command

AT_ONCE = 1.0  # seconds
TRIES = 3  # at being that quick: the machine may be busy


def wait_for_calls(loopback: Loopback, calls: int) -> None:
    deadline = time.monotonic() + 60
    while loopback.calls < calls:
        assert time.monotonic() < deadline, "the program sent nothing"
        time.sleep(0.01)


@pytest.mark.fault("Ctrl-C once, SIGTERM")
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
        assert time.monotonic() - began < allowed(10)
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


def hang(asked: Asked) -> str | Fault:
    return Fault("hang") if asked.number > 4 else answer(asked)


def seconds_to_end(process: Process) -> float:
    """From a second Ctrl-C to the end, which is told as every stop is."""
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    code, _, err = finish(process)
    took = time.monotonic() - began
    assert code == 130
    assert "The same command goes on." in err
    assert "Traceback" not in err
    return took


@pytest.mark.fault("Ctrl-C twice")
def test_a_second_signal_waits_for_nothing(tmp_path: Path) -> None:
    took: list[float] = []
    for number in range(TRIES):
        store, loopback = tmp_path / f"{number}.db", Loopback(hang)
        with serving(loopback) as url:
            process = start(command(url, store, limit=4))
            wait_for_calls(loopback, 6)
            process.send_signal(signal.SIGINT)
            time.sleep(0.5)
            assert process.poll() is None  # it waits for what hangs
            took.append(seconds_to_end(process))
        assert in_flight(store) == loopback.calls - len(finished_rows(store))
        check_record(store)
        if took[-1] <= allowed(AT_ONCE):
            return
    pytest.fail(f"it should end within {AT_ONCE} s, and took {took}")


@pytest.mark.fault("two processes on one run")
def test_a_second_process_on_a_run_exits_without_a_call(tmp_path: Path) -> None:
    store = tmp_path / "interplay.db"
    loopback = Loopback(answer, latency=0.5)  # the second must begin while the first is at work
    with serving(loopback) as url:
        line = command(url, store, limit=2)
        first = start(line)
        wait_for_calls(loopback, 2)
        silent = Loopback(answer)
        with serving(silent) as other:
            began = time.monotonic()
            code, _, err = finish(start(command(other, store, limit=2)))
            took = time.monotonic() - began
        assert code == 3
        assert took < allowed(2), f"it should say so within 2 s, and took {took:.1f} s"
        assert f"process {first.pid}" in err
        assert err.count("\n") == 1
        assert silent.calls == 0
        code, _, err = finish(first)
        assert code == 0, err


@pytest.mark.fault("two processes on one run", times=2)
def test_processes_that_start_a_run_together_pay_for_it_once(tmp_path: Path) -> None:
    loopback = Loopback(answer, latency=0.05)
    store = tmp_path / "interplay.db"
    with serving(loopback) as url:
        together = [start_anew(command(url, store, limit=2)) for _ in range(3)]
        codes = [finish(process)[0] for process in together]
    assert set(codes) <= {0, 3}
    assert 0 in codes
    assert loopback.calls == 2 * 10
    check_record(store)


@pytest.mark.soak
@pytest.mark.fault("two processes on one run", times=20)
def test_processes_that_start_in_the_same_moment_are_told_who_does_it(tmp_path: Path) -> None:
    for number in range(10):
        store, loopback = tmp_path / f"{number}.db", Loopback(answer, latency=0.02)
        with serving(loopback) as url:
            together = [start(command(url, store, limit=1)) for _ in range(3)]
            ended = [finish(process) for process in together]
        assert loopback.calls == 10
        assert {code for code, _, _ in ended} <= {0, 3}, ended


@pytest.mark.fault("Ctrl-C twice")
def test_two_signals_end_it_even_while_another_program_holds_the_store_locked(tmp_path: Path) -> None:
    took: list[float] = []
    for number in range(TRIES):
        store, loopback = tmp_path / f"{number}.db", Loopback(answer, latency=0.1)
        with serving(loopback) as url:
            process = start(command(url, store, limit=8))
            wait_for_calls(loopback, 4)
            with closing(apsw.Connection(str(store))) as holder:
                holder.set_busy_timeout(10_000)
                holder.execute("BEGIN IMMEDIATE")
                time.sleep(0.5)
                process.send_signal(signal.SIGINT)
                time.sleep(0.2)
                took.append(seconds_to_end(process))
                holder.execute("ROLLBACK")
        check_record(store)
        if took[-1] <= allowed(AT_ONCE):
            return
    pytest.fail(f"it should end within {AT_ONCE} s, and took {took}")


def test_a_reader_of_our_output_that_goes_away_is_no_trouble(tmp_path: Path) -> None:
    store = tmp_path / "interplay.db"
    with serving(Loopback(answer)) as url:
        code, _, err = finish(start(command(url, store, limit=1)))
        assert code == 0, err
    process = start_anew(["show", "last", "--store", str(store)])
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(60) == 0
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
