"""Serving: a socket, a server on it, and its end."""

import asyncio
import os
import socket
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

import uvicorn

from interplay.core.failures import Mistake, why
from interplay.store.passes import Passes
from interplay.web.access import door_of
from interplay.web.app import make_app
from interplay.web.entries import Entry
from interplay.web.everything import ENTRIES
from interplay.web.site import Site

PATIENCE_AT_THE_END = 3  # seconds for answers under way


@dataclass(frozen=True)
class Listening:
    """A socket that is bound, and the address that lets its owner in."""

    socket: socket.socket
    host: str
    port: int
    link: str


def listen(site: Site, host: str, port: int) -> Listening:
    """Bind; port 0 takes any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        made.listen(128)
    except OSError as error:
        made.close()
        raise Mistake(
            f"cannot listen on {host}, port {port} ({why(error)}); choose another with --port"
        ) from error
    bound = made.getsockname()[1]
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host  # noqa: S104  # compared
    with Passes(site.store) as passes:
        secret = passes.owner().secret
    return Listening(made, host, bound, f"http://{shown}:{bound}/enter/{secret}")


def serve(
    site: Site,
    listening: Listening,
    allowed: Sequence[str] = (),
    ready: Callable[[uvicorn.Server], None] = lambda server: None,
    entries: Sequence[Entry] = ENTRIES,
) -> None:
    """Answer until somebody stops the server; Ctrl-C does."""
    door = door_of(listening.host, listening.port, allowed)
    config = uvicorn.Config(
        make_app(site, entries, door),
        log_level="error" if os.environ.get("INTERPLAY_DEBUG") else "critical",
        access_log=False,
        server_header=False,
        date_header=False,
        lifespan="off",
        timeout_graceful_shutdown=PATIENCE_AT_THE_END,
        h11_max_incomplete_event_size=64 * 1024,
        http="h11",
        ws="none",
        loop="asyncio",
    )
    server = uvicorn.Server(config)
    ready(server)
    with closing(site), closing(listening.socket):
        asyncio.run(server.serve([listening.socket]))
