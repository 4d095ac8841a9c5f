"""A server of pages over a store, in a thread of its own, and a plain HTTP client of it."""

import http.client
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import uvicorn

from interplay.models.connecting import Directory
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

    site: Site
    port: int
    link: str  # lets the owner in
    cookie: str = field(default="")

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self, path: str, *, method: str = "GET", body: str = "", headers: Mapping[str, str] | None = None, owner: bool = True
    ) -> Answer:
        """One request, as the owner unless nobody in particular asks; redirects are not followed."""
        sent = {"Cookie": self.cookie} if owner and self.cookie else {}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body.encode() if body else None, {**sent, **(headers or {})})
            found = connection.getresponse()
            return Answer(found.status, {name.lower(): value for name, value in found.getheaders()}, found.read())
        finally:
            connection.close()

    def post(self, path: str, fields: Mapping[str, str | Sequence[str]], *, owner: bool = True) -> Answer:
        """Send a form as a page of this server does."""
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Origin": self.address}
        return self.ask(path, method="POST", body=urlencode(fields, doseq=True), headers=headers, owner=owner)


@contextmanager
def serving(store: Path, directory: Directory | None = None, port: int = 0) -> Iterator[Served]:
    """Serve a store until the block ends."""
    site = Site(store, directory or Directory())
    listening = listen(site, "127.0.0.1", port)
    servers: list[uvicorn.Server] = []
    there = threading.Event()

    def ready(server: uvicorn.Server) -> None:
        servers.append(server)
        there.set()

    thread = threading.Thread(target=serve, args=(site, listening, (), ready))
    thread.start()
    there.wait(10)
    secret = listening.link.rpartition("/")[2]
    try:
        yield Served(site, listening.port, listening.link, f"interplay_{listening.port}={secret}")
    finally:
        servers[0].should_exit = True
        thread.join(15)
