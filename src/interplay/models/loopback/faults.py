"""Faults: answers that are wrong, late or never come, as the real world gives them."""

import asyncio
import json
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Never

from aiohttp import web

HUGE = 30_000_000
PAGE = b"<!doctype html><html><head><title>Gateway</title></head><body><h1>Please wait</h1></body></html>"
NOT_UTF8 = b"\xff\xfe\xc3\x28"


@dataclass(frozen=True)
class Fault:
    """What a script gives back instead of an answer; a body that is not empty replaces the usual one."""

    kind: Literal[
        "status", "reset", "hang", "drip", "truncated", "html",
        "wrong_length", "empty_choices", "not_utf8", "huge", "raw",
    ]  # fmt: skip
    status: int = 500
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    seconds: float = 3600.0


def error_body(message: str, kind: str, param: str | None = None, code: str | None = None) -> bytes:
    """An error in OpenAI's shape."""
    return json.dumps({"error": {"message": message, "type": kind, "param": param, "code": code}}).encode()


async def commit(fault: Fault, request: web.Request, usual: dict[str, Any]) -> web.StreamResponse:
    """The spoiled response to send, or ConnectionResetError where the connection has to be ended."""
    match fault.kind:
        case "reset":
            _reset(request)
        case "hang":
            await asyncio.sleep(fault.seconds)
            raise ConnectionResetError("hung up")
        case "drip":
            return await _drip(fault, request, fault.body or json.dumps(usual).encode())
        case "wrong_length":
            await _send_too_little(fault, request, fault.body or json.dumps(usual).encode())
        case _:
            return _whole(fault, usual)


def _whole(fault: Fault, usual: dict[str, Any]) -> web.Response:
    match fault.kind:
        case "status":
            message = f"The loopback server was told to answer with status {fault.status}."
            return _response(
                fault, fault.status, fault.body or error_body(message, _error_kind(fault.status))
            )
        case "raw":
            return _response(fault, fault.status, fault.body)
        case "html":
            return _response(fault, 200, fault.body or PAGE, "text/html; charset=utf-8")
        case "truncated":
            whole = fault.body or json.dumps(usual).encode()
            return _response(fault, 200, whole[: len(whole) // 2])
        case "empty_choices":
            return _response(fault, 200, json.dumps(usual | {"choices": []}).encode())
        case "not_utf8":
            spoiled = json.dumps(_saying("caf@ au lait", usual)).encode()
            return _response(fault, 200, spoiled.replace(b"caf@", b"caf" + NOT_UTF8))
        case "huge":
            return _response(fault, 200, json.dumps(_saying("a" * HUGE, usual)).encode())
        case _:
            raise ValueError(f"no such fault: {fault.kind}")


def _saying(text: str, usual: dict[str, Any]) -> dict[str, Any]:
    choice = usual["choices"][0]
    return usual | {"choices": [choice | {"message": choice["message"] | {"content": text}}]}


def _error_kind(status: int) -> str:
    if status == 429:
        return "rate_limit_error"
    return "server_error" if status >= 500 else "invalid_request_error"


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
