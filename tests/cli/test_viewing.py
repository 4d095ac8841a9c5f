"""The verb view: a server that starts, says where it is, answers and ends."""

import http.client
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from interplay.store.records import Records


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "runs.db"
    Records(path, create=True).close()
    return path


@contextmanager
def viewing(store: Path, *flags: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command in a process of its own, and the link that it prints."""
    command = [
        sys.executable,
        "-m",
        "interplay",
        "view",
        "--no-open",
        "--port",
        "0",
        "--store",
        str(store),
        *flags,
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=store.parent) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        found = re.search(r"http://\S+", said)
        try:
            assert found, said
            yield process, found.group()
        finally:
            process.kill()


def status_of(link: str, cookie: str = "") -> tuple[int, http.client.HTTPMessage]:
    host, _, path = link.removeprefix("http://").partition("/")
    connection = http.client.HTTPConnection(host, timeout=20)
    connection.request("GET", f"/{path}", headers={"Cookie": cookie} if cookie else {})
    found = connection.getresponse()
    found.read()
    connection.close()
    return found.status, found.headers


def test_the_link_that_is_printed_lets_one_in(store: Path) -> None:
    with viewing(store) as (_, link):
        home = link.partition("/enter/")[0]
        assert status_of(f"{home}/")[0] == 403
        status, headers = status_of(link)
        assert (status, headers["location"]) == (303, "/")
        cookie = headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=lax" in cookie
        assert status_of(f"{home}/", cookie.partition(";")[0])[0] == 200


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_ending_it_is_no_error(store: Path, how: signal.Signals) -> None:
    with viewing(store) as (process, link):
        assert status_of(link)[0] == 303
        process.send_signal(how)
        assert process.wait(10) in (0, -how)
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()
    if how == signal.SIGINT:
        assert process.returncode == 0


def test_a_server_that_starts_again_knows_its_owner(store: Path) -> None:
    with viewing(store) as (_, link):
        first = link.rpartition("/")[2]
    with viewing(store) as (_, link):
        assert link.rpartition("/")[2] == first


def failing(store: Path, *flags: str) -> str:
    command = [sys.executable, "-m", "interplay", "view", "--no-open", "--store", str(store), *flags]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=store.parent, check=False)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    return done.stderr


def test_a_port_that_is_taken_is_said_to_be(store: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert "choose another with --port" in failing(store, "--port", str(port))


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    assert "there is no store" in failing(tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()
