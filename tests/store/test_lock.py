"""The lock of a run: one holder, named to the others, gone with its process."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from interplay.core.failures import Mistake, RunLocked
from interplay.store import lock
from interplay.store.database import check_new
from interplay.store.lock import run_lock

HOLD = (
    "import sys, time; from pathlib import Path; from interplay.store.lock import run_lock\n"
    "with run_lock(Path(sys.argv[1]), 'r-1'):\n"
    "    print('held', flush=True); time.sleep(600)"
)


def holder_of(store: Path) -> subprocess.Popen[str]:
    child = subprocess.Popen([sys.executable, "-c", HOLD, str(store)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    return child


def end(child: subprocess.Popen[str]) -> None:
    child.kill()
    child.communicate(timeout=30)


def test_a_second_holder_in_this_process_is_refused_and_told_who_holds_it(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    with run_lock(store, "r-1"):
        with pytest.raises(RunLocked, match=rf"r-1 .*process {os.getpid()}\b"), run_lock(store, "r-1"):
            pytest.fail("held twice")
        with pytest.raises(RunLocked), run_lock(store, "r-1"):  # being refused must not take it away
            pytest.fail("held twice")


def test_a_released_lock_can_be_taken_again(tmp_path: Path) -> None:
    taken = 0
    for _ in range(3):
        with run_lock(tmp_path / "a.db", "r-1"):
            taken += 1
    assert taken == 3


def test_a_lock_is_released_by_an_error(tmp_path: Path) -> None:
    with pytest.raises(LookupError), run_lock(tmp_path / "a.db", "r-1"):
        raise LookupError
    with run_lock(tmp_path / "a.db", "r-1"):
        assert (tmp_path / "a.db.locks" / "r-1.holder").read_text() == f"process {os.getpid()}"


def test_other_runs_and_other_stores_have_locks_of_their_own(tmp_path: Path) -> None:
    with (
        run_lock(tmp_path / "a.db", "r-1"),
        run_lock(tmp_path / "a.db", "r-2"),
        run_lock(tmp_path / "b", "r-1"),
    ):
        assert sorted(one.name for one in tmp_path.iterdir()) == ["a.db.locks", "b.locks"]


def test_a_holder_in_another_process_is_named_at_once_and_its_death_frees_the_lock(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    child = holder_of(store)
    try:
        asked = time.monotonic()
        with pytest.raises(RunLocked, match=rf"process {child.pid}\b"), run_lock(store, "r-1"):
            pytest.fail("held twice")
        assert time.monotonic() - asked < 2
        os.kill(child.pid, signal.SIGKILL)
        child.wait(timeout=30)
        with run_lock(store, "r-1"):
            assert (tmp_path / "a.db.locks" / "r-1.holder").read_text() == f"process {os.getpid()}"
    finally:
        end(child)


def test_another_process_is_refused_while_this_one_holds_it(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    with run_lock(store, "r-1"):
        done = subprocess.run(
            [sys.executable, "-c", HOLD, str(store)], capture_output=True, text=True, timeout=60, check=False
        )
    assert done.returncode == 1
    assert f"process {os.getpid()}" in done.stderr.splitlines()[-1]
    assert done.stdout == ""


def test_a_store_that_another_process_is_just_making_is_not_taken_for_one_that_is_gone(
    tmp_path: Path,
) -> None:
    store = tmp_path / "interplay.db"
    with run_lock(store, "run"):
        maker = threading.Timer(0.3, store.touch)
        maker.start()
        check_new(store)
        maker.join()
    store.unlink()
    with pytest.raises(Mistake, match="is gone"):
        check_new(store)


def test_who_writes_a_run_is_told_without_touching_the_lock(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    assert lock.holder_of(store, "r-1") == ""
    with run_lock(store, "r-1"):
        assert lock.holder_of(store, "r-1") == f"process {os.getpid()}"
        assert lock.holder_of(store, "r-2") == ""
    assert lock.holder_of(store, "r-1") == ""


def test_who_was_killed_writes_nothing_though_its_name_is_there(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    child = holder_of(store)
    try:
        assert lock.holder_of(store, "r-1") == f"process {child.pid}"
    finally:
        end(child)
    assert list(tmp_path.glob("a.db.locks/*.holder"))
    assert lock.holder_of(store, "r-1") == ""


def test_a_process_that_has_the_number_of_one_that_was_killed_is_not_taken_for_it(tmp_path: Path) -> None:
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("which files a process has open is told by /proc")
    store = tmp_path / "a.db"
    end(holder_of(store))
    (holder,) = tmp_path.glob("a.db.locks/*.holder")
    holder.write_text(f"process {os.getpid()}")  # alive, and does not hold it
    assert lock.holder_of(store, "r-1") == ""
