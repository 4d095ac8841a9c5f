"""A server of pages over a store, in a thread of its own, and a plain HTTP client of it."""

import http.client
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from urllib.parse import urlencode, urlsplit

import uvicorn

from interplay.models.connecting import Directory
from interplay.web.entries import Entry
from interplay.web.everything import ENTRIES
from interplay.web.serving import listen, serve
from interplay.web.site import Site


@dataclass(frozen=True)
class Answer:
    """What the server said."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass(frozen=True)
class Served:
    """A server that runs."""

    site: Site | None  # None where a process of its own serves
    port: int
    link: str  # lets the owner in
    cookie: str = field(default="")

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self,
        path: str,
        *,
        method: str = "GET",
        body: str = "",
        headers: Mapping[str, str] | None = None,
        owner: bool = True,
    ) -> Answer:
        """One request, as the owner unless nobody in particular asks; redirects are not followed."""
        sent = {"Cookie": self.cookie} if owner and self.cookie else {}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body.encode() if body else None, {**sent, **(headers or {})})
            found = connection.getresponse()
            return Answer(
                found.status, {name.lower(): value for name, value in found.getheaders()}, found.read()
            )
        finally:
            connection.close()

    def post(self, path: str, fields: Mapping[str, str | Sequence[str]], *, owner: bool = True) -> Answer:
        """Send a form as a page of this server does."""
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Origin": self.address}
        return self.ask(path, method="POST", body=urlencode(fields, doseq=True), headers=headers, owner=owner)


@contextmanager
def serving(
    store: Path,
    directory: Directory | None = None,
    port: int = 0,
    entries: Sequence[Entry] = ENTRIES,
    tell: Callable[[str], None] = lambda line: None,
) -> Iterator[Served]:
    """Serve a store until the block ends."""
    site = Site(store, directory or Directory(), tell)
    listening = listen(site, "127.0.0.1", port)
    servers: list[uvicorn.Server] = []
    there = threading.Event()

    def ready(server: uvicorn.Server) -> None:
        servers.append(server)
        there.set()

    thread = threading.Thread(target=serve, args=(site, listening, (), ready, entries))
    thread.start()
    there.wait(10)
    secret = listening.link.rpartition("/")[2]
    try:
        yield Served(site, listening.port, listening.link, f"interplay_{listening.port}={secret}")
    finally:
        servers[0].should_exit = True
        thread.join(15)


@contextmanager
def serving_apart(
    store: Path, port: int = 0, environment: Mapping[str, str] | None = None
) -> Iterator[Served]:
    """Serve a store by a process of its own, as people start it, until the block ends."""
    command = [
        sys.executable,
        "-m",
        "interplay",
        "view",
        "--no-open",
        "--port",
        str(port),
        "--store",
        str(store),
    ]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, **(environment or {})}
    )
    try:
        assert process.stderr is not None
        link = _link_in(process.stderr)
        found = urlsplit(link)
        assert found.port is not None
        secret = found.path.rpartition("/")[2]
        yield Served(None, found.port, link, f"interplay_{found.port}={secret}")
    finally:
        process.terminate()
        process.communicate(timeout=15)


def _link_in(lines: IO[bytes]) -> str:
    """The link that the server prints once it listens; terminals may have wrapped it."""
    said = b""
    while b"Ctrl-C" not in said:
        line = lines.readline()
        assert line, f"the server did not start: {said.decode()}"
        said += line
    found = re.search(r"http://\S+", said.decode().replace("\n", " "))
    assert found, said
    return found.group()
