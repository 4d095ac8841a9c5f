"""Access: which hosts are answered, which origins may change something, and who somebody is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie

from interplay.store.passes import Pass, Passes
from interplay.web.entries import Entry, Who

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with no-referrer, browsers would send a page's own forms with no origin
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
LONGEST_SECRET = 100
USUAL_PORT = 80  # of http: addresses do not name it


@dataclass(frozen=True)
class Door:
    """Where the server is, as browsers name it."""

    hosts: frozenset[str]  # NAME:PORT or NAME, in small letters
    port: int

    @property
    def cookie(self) -> str:
        """The cookie that holds the owner's secret; servers on other ports have their own."""
        return f"interplay_{self.port}"

    def refuses(self, method: str, headers: Mapping[str, str]) -> str:
        """Why a request is not even looked at; empty if it is."""
        host = headers.get("host", "").lower()
        if host not in self.hosts:
            return "this server is not called by that name; see --allow-host"
        if method not in ("GET", "HEAD"):
            origin = headers.get("origin", "").lower()
            if origin not in {f"http://{one}" for one in self.hosts} | {
                f"https://{one}" for one in self.hosts
            }:
                return "what changes something must come from a page of this server"
        return ""


def door_of(host: str, port: int, more: Sequence[str] = ()) -> Door:
    """The door of a server that listens here; the names of this machine itself are always good.

    Browsers leave out the port that they take anyway: by a name that was allowed, somebody may come through another
    server in front of this one.
    """
    own = {"127.0.0.1", "localhost", "[::1]", f"[{host}]" if ":" in host else host} - {"0.0.0.0", "[::]"}  # noqa: S104  # names, nothing is bound
    known = {f"{name}:{port}" for name in own} | (own if port == USUAL_PORT else set())
    for name in more:
        known |= {name} if _has_port(name) else {name, f"{name}:{port}"}
    return Door(frozenset(name.lower() for name in known), port)


def _has_port(name: str) -> bool:
    return name.rpartition(":")[2].isdecimal() and not name.endswith("]")


def guest_of(passes: Passes, entry: Entry, path: Mapping[str, str], cookie: str) -> Pass | None:
    """Who asks: on pages of raters and players, whoever has the secret in the link; else whoever has the cookie."""
    secret = str(path["secret"]) if "secret" in path else cookie
    if not secret or len(secret) > LONGEST_SECRET or not secret.isascii():
        return None
    return passes.find(secret)


def may_come_in(entry: Entry, guest: Pass | None) -> bool:
    who: Who = guest.role if guest else "nobody"
    return who in entry.who


def cookie_in(headers: Mapping[str, str], name: str) -> str:
    """The value of a cookie; empty where there is none that can be read."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return found.value if found else ""
