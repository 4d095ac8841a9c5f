"""Whatever its clients do while it ends, the loopback provider leaves no connection open."""

import gc
import socket
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from interplay.models.loopback import Loopback, serving

HALF = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n"
BODY = b'{"model": "m", "messages": [{"role": "user", "content": "x"}]}'
WHOLE = (
    HALF.replace(b"Content-Length: 5", b"Content-Type: application/json\r\nContent-Length: %d" % len(BODY))
    + BODY
)


def port_of(url: str) -> int:
    return int(url.rpartition(":")[2].partition("/")[0])


@contextmanager
def leftovers() -> Iterator[list[str]]:
    """What was collected without having been closed."""
    gc.collect()
    found: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResourceWarning)
        yield found
        gc.collect()
        found += [str(warning.message) for warning in caught]


def hammer(port: int, over: threading.Event) -> None:
    """Connect again and again, send half a request each time, and hold twenty connections open."""
    held: list[socket.socket] = []
    while not over.is_set():
        try:
            held.append(socket.create_connection(("127.0.0.1", port), timeout=0.2))
            held[-1].sendall(HALF)
        except OSError:
            pass  # it has ended
        if len(held) > 20:
            held.pop(0).close()
    for connection in held:
        connection.close()


def test_connections_accepted_while_it_ends_are_closed() -> None:
    with leftovers() as found:
        for _ in range(5):
            over = threading.Event()
            with serving(Loopback(lambda asked: "hi")) as url:
                clients = [threading.Thread(target=hammer, args=(port_of(url), over)) for _ in range(3)]
                for client in clients:
                    client.start()
                time.sleep(0.02)
            over.set()
            for client in clients:
                client.join()
    assert found == []


def test_an_answer_that_nobody_reads_does_not_keep_a_connection() -> None:
    with leftovers() as found:
        loopback = Loopback(lambda asked: "x" * 8_000_000)
        with serving(loopback) as url:
            client = socket.create_connection(("127.0.0.1", port_of(url)))
            client.sendall(WHOLE)
            while not loopback.calls:
                time.sleep(0.01)
            time.sleep(0.1)  # until the buffers are full
        client.close()
    assert found == []
