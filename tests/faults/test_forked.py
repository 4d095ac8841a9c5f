"""Processes that are forked behave as those that are started: streams, environment, folder, signals, exit codes."""

import json
import os
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.faults.forked import Forked
from tests.faults.harness import finish, start, start_anew

PIPE = subprocess.PIPE
TELLS = """
import json, os, sys, threading
told = {"pid": os.getpid(), "words": sys.argv[1:], "folder": os.getcwd(), "is": os.environ.get("IS"),
        "threads": threading.active_count(), "heard": sys.stdin.read(), "open": sorted(os.listdir("/dev/fd"))}
print(json.dumps(told))
sys.exit(int(os.environ["CODE"]))
"""
WAITS = "import sys, time\nprint('ready', flush=True)\ntime.sleep(60)"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "script.py"


def test_it_has_streams_words_folder_environment_and_an_exit_code_of_its_own(
    script: Path, tmp_path: Path
) -> None:
    script.write_text(TELLS)
    environment = {**os.environ, "IS": "é", "CODE": "7"}
    process = Forked(
        ["a", "b c"], script=script, env=environment, cwd=tmp_path, stdin=PIPE, stdout=PIPE, stderr=PIPE
    )
    assert process.stdin is not None
    process.stdin.write(b"hello")
    process.stdin.close()
    out, err = process.communicate(timeout=30)
    told = json.loads(out)
    assert (process.returncode, err) == (7, b"")
    assert told["pid"] == process.pid != os.getpid()
    assert (told["words"], told["folder"], told["is"]) == (["a", "b c"], str(tmp_path), "é")
    assert (told["threads"], told["heard"]) == (1, "hello")
    assert len(told["open"]) <= 4, (
        "it holds what belongs to others"
    )  # its streams, and the folder that it lists


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_signal_ends_it_and_is_its_exit_code(script: Path, number: signal.Signals) -> None:
    script.write_text(WAITS)
    process = start([], script)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    assert process.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.05)
    with pytest.raises(subprocess.TimeoutExpired):
        process.communicate(0.05)
    os.kill(process.pid, number)
    assert finish(process)[0] == -number
    process.kill()  # what has ended is left alone


def test_ctrl_c_is_heard_as_by_any_python(script: Path) -> None:
    script.write_text(WAITS)
    process = start([], script)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGINT)
    code, _, err = finish(process)
    assert (code, err.splitlines()[-1]) == (-signal.SIGINT, "KeyboardInterrupt")


def test_many_at_once_each_end_by_themselves(script: Path) -> None:
    script.write_text("import sys, time\ntime.sleep(0.05 * int(sys.argv[1]))\nsys.exit(int(sys.argv[1]))")
    together = [start([str(number)], script) for number in range(6)]
    began = time.monotonic()
    assert [finish(process)[0] for process in reversed(together)] == [5, 4, 3, 2, 1, 0]
    assert time.monotonic() - began < 30


def test_several_threads_may_wait_for_one_and_none_is_left_waiting(script: Path) -> None:
    script.write_text("")
    with ThreadPoolExecutor(3) as threads:
        for _ in range(5):
            process = start([], script)
            waiting = [threads.submit(process.wait, 20) for _ in range(3)]
            finish(process)
            following = start([], script)  # which may get the numbers of what was closed
            assert [one.result(10) for one in waiting] == [0, 0, 0]
            finish(following)


@pytest.mark.parametrize("words", [["--version"], ["shwo"], ["show", "last", "--store", "none.db"], ["list"]])
def test_the_program_says_and_returns_what_it_does_when_people_start_it(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert finish(start(words)) == finish(start_anew(words))
