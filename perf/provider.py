"""A provider of perf's own, in a process of its own: the least work per answer that still looks like a provider.

It answers in OpenAI's shape with texts of the rehearsal script, fitting any schema, after a fixed latency. Texts come
in turn from pools so deep that no conversation repeats itself, which a run would take for a loop, or another one,
which the record would store once.
"""

import argparse
import asyncio
import json
import re
import sys
import time
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from interplay.models.loopback import Asked, rehearse

DEPTH = 4096  # more calls than lie between two of one conversation
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)
MODEL = re.compile(rb'"model": ?("[^"\\]*")')
MESSAGES, FORM = b'"messages"', b'"response_format"'  # inside a text their quotes would be escaped
MOST_TAILS = 256  # of requests that are remembered


class Pool:
    """Whole HTTP responses that fit one schema: made when they are first needed, all different, given in turn."""

    def __init__(self, model: str, schema: Any):
        self._model, self._schema = model, schema
        self._responses: list[bytes] = []
        self._texts: set[str] = set()
        self._drawn = 0
        self._given = 0

    def next(self) -> bytes:
        if len(self._responses) < DEPTH:
            self._add()
        self._given += 1
        return self._responses[(self._given - 1) % DEPTH]

    def fill(self) -> None:
        """Make all responses now, so that no call waits for one."""
        while len(self._responses) < DEPTH:
            self._add()

    def _add(self) -> None:
        self._responses.append(_response(_completion(self._model, self._new_text(), self._drawn)))

    def _new_text(self) -> str:
        while True:
            self._drawn += 1
            seed = {"role": "user", "content": str(self._drawn)}
            text = rehearse(Asked(self._model, (seed,), {}, self._drawn, self._schema))
            if text not in self._texts:
                self._texts.add(text)
                return text


class Answers:
    """What the provider says, and how often it was asked."""

    def __init__(self, latency: float, kept: BinaryIO | None):
        self.latency = latency
        self.calls = 0
        self._kept = kept
        self._pools: dict[str, Pool] = {}
        self._by_tail: dict[tuple[bytes, bytes], Pool] = {}

    def next_for(self, body: bytes) -> bytes:
        self.calls += 1
        if self._kept is not None:
            self._kept.write(body + b"\n")
        return self._pool(body).next()

    def warm(self, bodies: Iterable[bytes]) -> None:
        """Make all responses that requests like these will get."""
        for pool in {id(pool): pool for pool in map(self._pool, bodies)}.values():
            pool.fill()

    def _pool(self, body: bytes) -> Pool:
        """Requests with equal model and form have one pool; a form seen before is known by its bytes, unparsed."""
        model, form = MODEL.search(body), body.find(FORM)
        tail = (model[1] if model else b"", body[form:] if form >= 0 else b"")
        pool = self._by_tail.get(tail)
        if pool is None:
            pool = self._parsed(body)
            ends_with_form = form < 0 or body.find(MESSAGES) < form
            if model and ends_with_form and len(self._by_tail) < MOST_TAILS:
                self._by_tail[tail] = pool
        return pool

    def _parsed(self, body: bytes) -> Pool:
        asked = json.loads(body)
        schema = asked.get("response_format", {}).get("json_schema", {}).get("schema")
        kind = json.dumps([asked["model"], schema], sort_keys=True)
        if kind not in self._pools:
            self._pools[kind] = Pool(asked["model"], schema)
        return self._pools[kind]

    def counted(self) -> bytes:
        return _response({"calls": self.calls, "cpu": time.process_time()})


def _completion(model: str, text: str, number: int) -> dict[str, Any]:
    usage = {
        "prompt_tokens": 1000,
        "completion_tokens": len(text) // 4,
        "total_tokens": 1000 + len(text) // 4,
    }
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": usage,
    }


def _response(value: dict[str, Any]) -> bytes:
    body = json.dumps(value).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


class Connection(asyncio.Protocol):
    """One client; a GET is answered with the number of calls so far, at once."""

    def __init__(self, answers: Answers):
        self.answers = answers
        self.unread = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.unread += data
        while (end := self.unread.find(b"\r\n\r\n") + 4) >= 4:
            head = self.unread[:end]
            found = LENGTH.search(head)
            whole = end + (int(found[1]) if found else 0)
            if len(self.unread) < whole:
                return
            body, self.unread = self.unread[end:whole], self.unread[whole:]
            self._answer(head, body)

    def _answer(self, head: bytes, body: bytes) -> None:
        if head.startswith(b"GET "):
            self.transport.write(self.answers.counted())
            return
        response = self.answers.next_for(body)
        if self.answers.latency:
            asyncio.get_running_loop().call_later(self.answers.latency, self.transport.write, response)
        else:
            self.transport.write(response)


async def serve(answers: Answers) -> None:
    """Say where it is, then serve until the process that started it closes the other end of stdin."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(answers), "127.0.0.1", 0, backlog=1024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    over = asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), over.set)
    await over.wait()
    server.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m perf.provider", description=__doc__)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before every answer")
    parser.add_argument("--keep", type=Path, help="write the body of every request to this file, a line each")
    parser.add_argument(
        "--warm", type=Path, help="have the answers to requests like those of this file ready"
    )
    given = parser.parse_args()
    with ExitStack() as stack:
        answers = Answers(given.latency, stack.enter_context(given.keep.open("wb")) if given.keep else None)
        if given.warm:
            answers.warm(given.warm.read_bytes().splitlines())
        asyncio.run(serve(answers))


if __name__ == "__main__":
    main()
