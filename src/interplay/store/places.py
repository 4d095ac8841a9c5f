"""Where a store is: a file, or a database of a PostgreSQL server."""

import os
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from interplay.core.failures import Mistake

SHAPE = "postgresql://USER@HOST/DATABASE"
_SCHEMES = ("postgresql", "postgres")
_SECRET = ("password", "sslpassword")  # parameters that nobody is shown


@dataclass(frozen=True)
class Server:
    """A database of a PostgreSQL server; its text never shows the password."""

    url: str = field(repr=False)  # as it was typed

    @cached_property
    def named(self) -> str:
        """The URL without any password: so it can be shown, and typed again where PGPASSWORD is set."""
        parts = urlsplit(self.url)
        account, at, host = parts.netloc.rpartition("@")
        user = account.partition(":")[0]
        shown = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] not in _SECRET]
        query = f"?{urlencode(shown, safe='/', quote_via=quote)}" if shown else ""
        return f"{parts.scheme}://{user}{at if user else ''}{host}{parts.path}{query}"

    @cached_property
    def secrets(self) -> tuple[str, ...]:
        """What must not be shown, as it was typed and as it is meant."""
        parts = urlsplit(self.url)
        typed = parts.netloc.rpartition("@")[0].partition(":")[2]
        given = [value for name, value in parse_qsl(parts.query) if name in _SECRET]
        return tuple(dict.fromkeys(one for one in (typed, unquote(typed), *given) if one))

    def __str__(self) -> str:
        return self.named

    def __repr__(self) -> str:
        return f"Server({self.named!r})"

    def exists(self) -> bool:
        """Does the database have a store?"""
        from interplay.store.postgres import has_store  # the driver is an extra

        return has_store(self)


Store = Path | Server


def place_of(typed: "str | os.PathLike[str] | Server") -> Store:
    """The place of a store, as somebody typed it: the path of a file, or a URL."""
    if isinstance(typed, Server):
        return typed
    text = os.fspath(typed)
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://", text)
    if scheme is None:
        return Path(text)
    if scheme[1] not in _SCHEMES:
        raise Mistake(f"a store is a file or {SHAPE}, and nothing that begins with {scheme[0]}")
    _check(text)
    return Server(text)


def _check(url: str) -> None:
    """Raise a Mistake where it is not sure which part is the password; so the message tells nothing of the URL."""
    before, _, rest = url.partition("?")[0].partition("://")[2].partition("/")
    try:
        ambiguous = before.count("@") > 1 or "@" in rest or "#" in url or not url.isprintable() or " " in url
        ambiguous = ambiguous or urlsplit(url).port == 0
    except ValueError:
        ambiguous = True
    if ambiguous:
        raise Mistake(
            f"the URL of the store cannot be read; it is {SHAPE}, and in a password @ is written %40, / %2F, "
            "# %23, ? %3F and : %3A"
        )


def typed_again(store: Store) -> str:
    """What names the same store in another process, the password too: for its environment, and for nobody's eyes."""
    return store.url if isinstance(store, Server) else str(store.absolute())
