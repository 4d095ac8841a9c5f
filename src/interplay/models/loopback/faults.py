"""Faults: answers that are wrong, late or never come, as the real world gives them."""

import asyncio
import json
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Never

from aiohttp import web

from .shapes import Asked, Said, Shape

HUGE = 30_000_000
PAGE = b"<!doctype html><html><head><title>Gateway</title></head><body><h1>Please wait</h1></body></html>"
NOT_UTF8 = b"\xff\xfe\xc3\x28"
SPOILED = "A fault stood in for this answer."
# What is wrong with these is said in the answer itself, whatever shape it has.
SAYINGS = {
    "null_content": Said(None),
    "missing_usage": Said(SPOILED, usage=None),
    "negative_usage": Said(SPOILED, usage={"prompt_tokens": -7, "completion_tokens": -3}),
    "not_utf8": Said("caf@ au lait"),
    "nul": Said("before\0after"),
    "surrogate": Said("before\ud800after"),
    "bidi": Said("before\u202eretfa\u202c \u2066after\u2069"),
}


@dataclass(frozen=True)
class Fault:
    """What a script gives back instead of an answer; a body that is not empty replaces the usual one."""

    kind: Literal[
        "status", "reset", "hang", "drip", "truncated", "html", "wrong_length", "empty_choices",
        "null_content", "missing_usage", "negative_usage", "not_utf8", "nul", "surrogate", "bidi", "huge", "raw",
    ]  # fmt: skip
    status: int = 500
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    seconds: float = 3600.0


async def commit(fault: Fault, request: web.Request, shape: Shape, asked: Asked) -> web.StreamResponse:
    """The spoiled response to send, or ConnectionResetError where the connection has to be ended."""
    match fault.kind:
        case "reset":
            _reset(request)
        case "hang":
            await asyncio.sleep(fault.seconds)
            raise ConnectionResetError("hung up")
        case "drip":
            return await _drip(fault, request, fault.body or _usual(shape, asked))
        case "wrong_length":
            await _send_too_little(fault, request, fault.body or _usual(shape, asked))
        case "status":
            return _response(fault, fault.status, fault.body or _told(fault, shape))
        case "raw":
            return _response(fault, fault.status, fault.body)
        case "html":
            return _response(fault, 200, fault.body or PAGE, "text/html; charset=utf-8")
        case _:
            return _response(fault, 200, _body(fault, shape, asked))


def _body(fault: Fault, shape: Shape, asked: Asked) -> bytes:
    """The bytes of an answer that comes in time and whole, as far as HTTP can tell."""
    if fault.kind == "truncated":
        whole = fault.body or _usual(shape, asked)
        return whole[: len(whole) // 2]
    if fault.body:
        return fault.body
    if fault.kind == "empty_choices":
        return _bytes(shape.without_choices(shape.write(asked, Said(SPOILED))))
    said = Said("a" * HUGE) if fault.kind == "huge" else SAYINGS[fault.kind]
    written = _bytes(shape.write(asked, said))
    return written.replace(b"caf@", b"caf" + NOT_UTF8) if fault.kind == "not_utf8" else written


def _usual(shape: Shape, asked: Asked) -> bytes:
    return _bytes(shape.write(asked, Said(SPOILED)))


def _told(fault: Fault, shape: Shape) -> bytes:
    message = f"The loopback server was told to answer with status {fault.status}."
    return _bytes(shape.error(fault.status, message, None, None))


def _bytes(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value).encode()


def _headers(fault: Fault, content_type: str) -> dict[str, str]:
    named = {name.lower() for name in fault.headers}
    return dict(fault.headers) if "content-type" in named else {**fault.headers, "Content-Type": content_type}


def _response(fault: Fault, status: int, body: bytes, content_type: str = "application/json") -> web.Response:
    return web.Response(status=status, body=body, headers=_headers(fault, content_type))


def _reset(request: web.Request) -> Never:
    if request.transport is not None:
        # Lingering for zero seconds makes the kernel send RST instead of FIN when the socket is closed.
        linger = struct.pack("ii", 1, 0)
        request.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    raise ConnectionResetError("reset")


async def _begin(fault: Fault, request: web.Request, length: int) -> web.StreamResponse:
    response = web.StreamResponse(headers=_headers(fault, "application/json"))
    response.content_length = length
    await response.prepare(request)
    return response


async def _drip(fault: Fault, request: web.Request, body: bytes) -> web.StreamResponse:
    response = await _begin(fault, request, len(body))
    try:
        async with asyncio.timeout(fault.seconds):
            for byte in body:
                await response.write(bytes([byte]))
                await asyncio.sleep(1)
    except TimeoutError:
        raise ConnectionResetError("dripped long enough") from None
    return response


async def _send_too_little(fault: Fault, request: web.Request, body: bytes) -> Never:
    response = await _begin(fault, request, len(body) + 100)
    await response.write(body)
    await request.writer.drain()
    raise ConnectionResetError("said more than it had")
