"""Closes the network except loopback, in the test process and in every Python it starts."""

import ipaddress
import socket
from typing import Any

_connect, _connect_ex, _getaddrinfo = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo


class NetworkClosed(OSError):
    """A test tried to leave this machine."""


def _check(host: Any) -> None:
    if host in (None, "", "localhost", b"localhost"):
        return
    name = host.decode() if isinstance(host, bytes) else str(host)
    try:
        local = ipaddress.ip_address(name.split("%")[0]).is_loopback
    except ValueError:
        local = False
    if not local:
        raise NetworkClosed(f"tests reach loopback only, not {name}")


def _guarded(method: Any) -> Any:
    def connect(self: socket.socket, address: Any) -> Any:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            _check(address[0])
        return method(self, address)

    return connect


def _look_up(host: Any, *arguments: Any, **named: Any) -> Any:
    _check(host)
    return _getaddrinfo(host, *arguments, **named)


socket.socket.connect = _guarded(_connect)  # type: ignore[method-assign]
socket.socket.connect_ex = _guarded(_connect_ex)  # type: ignore[method-assign]
socket.getaddrinfo = _look_up
