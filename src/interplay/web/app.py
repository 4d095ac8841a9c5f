"""The application: every request is checked, handled in a thread, and answered with strict headers."""

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from interplay.core.failures import InterplayError, Mistake, RunLocked, StoreTrouble
from interplay.core.wire import clean
from interplay.store.passes import Pass, Passes
from interplay.web.access import HEADERS, Door, cookie_in, guest_of, may_come_in
from interplay.web.entries import Entry, Field, NotThere, Visit
from interplay.web.site import Site

LARGEST_FORM = 1_000_000  # bytes
MOST_FIELDS = 1_000
LARGEST_NUMBER = 2**62
FORM = "application/x-www-form-urlencoded"
LONGEST_PATH = 4_000  # characters; a number with more digits is none that Python reads
BUSY = "the server cannot read or write what it keeps just now; try again in a moment"


class Refused(Exception):
    """A request that is not carried out, with its status and one line."""

    def __init__(self, status: HTTPStatus, line: str):
        super().__init__(line)
        self.status = status


def make_app(site: Site, entries: Sequence[Entry], door: Door) -> ASGIApp:
    """The application over these entries; those of one path are one route."""
    by_path: dict[str, dict[str, Entry]] = {}
    for entry in entries:
        by_path.setdefault(entry.path, {})[entry.method] = entry
    routes = [
        Route(path, _endpoint(site, of_path, door), methods=[*of_path]) for path, of_path in by_path.items()
    ]
    nothing = _nothing_here(site)
    handlers: dict[Any, Any] = {404: nothing, 405: nothing, Exception: _fault_of_ours(site)}
    app = Starlette(routes=routes, exception_handlers=handlers)
    app.router.redirect_slashes = False
    return _with_headers(app, door)


def _endpoint(site: Site, entries: dict[str, Entry], door: Door) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        entry, guest = entries["GET" if request.method == "HEAD" else request.method], None
        try:
            guest = await run_in_threadpool(_let_in, site, entry, door, request)
            form = await _form_of(request, entry)
            return await run_in_threadpool(_answer, site, entry, door, request, guest, form)
        except Refused as refusal:
            return _said(site, entry, refusal.status, str(refusal))
        except NotThere as missing:
            return _said(site, entry, HTTPStatus.NOT_FOUND, str(missing))
        except Mistake as mistake:
            return _said(site, entry, HTTPStatus.BAD_REQUEST, _for_ears_of(guest, site, mistake))
        except RunLocked as locked:
            return _said(site, entry, HTTPStatus.CONFLICT, str(locked))
        except StoreTrouble as trouble:
            return _said(site, entry, HTTPStatus.SERVICE_UNAVAILABLE, _for_ears_of(guest, site, trouble))
        except ClientDisconnect:
            return Response(status_code=HTTPStatus.BAD_REQUEST)

    return endpoint


def _for_ears_of(guest: Pass | None, site: Site, error: InterplayError) -> str:
    """What went wrong; where the store is, is its owner's business alone."""
    if (guest is not None and guest.role == "owner") or str(site.store) not in str(error):
        return str(error)
    return BUSY


def _let_in(site: Site, entry: Entry, door: Door, request: Request) -> Pass | None:
    """Who asks; whoever may not is told so before anything that was sent is read."""
    with _passes(site) as passes:
        guest = guest_of(passes, entry, request.path_params, cookie_in(request.headers, door.cookie))
    if not may_come_in(entry, guest):
        invited = "this link does not let you in, or no longer: ask whoever invited you for another"
        needed = (
            "this page needs a link that lets you in: the one that interplay view printed, or an invitation"
        )
        raise Refused(HTTPStatus.FORBIDDEN, invited if "secret" in request.path_params else needed)
    return guest


def _passes(site: Site) -> Passes:
    try:
        return Passes(site.store)
    except Mistake as mistake:  # whoever asks has made none: the store was moved or deleted meanwhile
        raise StoreTrouble(str(mistake)) from mistake


def _answer(
    site: Site,
    entry: Entry,
    door: Door,
    request: Request,
    guest: Pass | None,
    form: dict[str, tuple[str, ...]],
) -> Response:
    if any(isinstance(value, int) and value > LARGEST_NUMBER for value in request.path_params.values()):
        raise NotThere("there is nothing with so large a number")
    query = {name: clean(value) for name, value in request.query_params.items()}
    _check_fields(entry.query, {name: (value,) for name, value in query.items()})
    path = {
        name: clean(value) if isinstance(value, str) else value for name, value in request.path_params.items()
    }
    return entry.handler(Visit(site, guest, path, query, form, door.port))


async def _form_of(request: Request, entry: Entry) -> dict[str, tuple[str, ...]]:
    """The fields of a form, each with its values."""
    if entry.method != "POST":
        return {}
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
        raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"a form is sent as {FORM}")
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LARGEST_FORM:
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a form has at most {LARGEST_FORM:,} bytes")
    found: dict[str, tuple[str, ...]] = {}
    try:
        pairs = parse_qsl(
            body.decode("utf-8", "replace"),
            keep_blank_values=True,
            errors="replace",
            max_num_fields=MOST_FIELDS,
        )
    except ValueError:
        raise Refused(HTTPStatus.BAD_REQUEST, f"a form has at most {MOST_FIELDS:,} fields") from None
    for name, value in pairs:
        found[clean(name)] = (*found.get(clean(name), ()), clean(value))
    _check_fields(entry.form, found)
    return found


def _check_fields(fields: Sequence[Field], given: dict[str, tuple[str, ...]]) -> None:
    for one in fields:
        values = given.get(one.name, ())
        if one.required and not any(value.strip() for value in values):
            raise Mistake(f"{one.name} is missing: {one.meaning}")
        for value in values:
            if len(value) > one.most:
                raise Mistake(f"{one.name} has at most {one.most:,} characters, not {len(value):,}")
            if one.choices and value and value not in one.choices:
                raise Mistake(f"{one.name} is one of {', '.join(one.choices)}; not {value[:80]!r}")
            if one.number and value:
                _check_number(one, value)


def _check_number(one: Field, value: str) -> None:
    low, high = one.number or (0, 0)
    digits = value.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 20 and low <= int(value) <= high):
        raise Mistake(f"{one.name} is a whole number from {low:,} to {high:,}, not {value[:80]!r}")


def _said(site: Site, entry: Entry | None, status: HTTPStatus, line: str) -> Response:
    """One line that says what is wrong."""
    if entry is not None and entry.is_api:
        return JSONResponse({"error": line}, status)
    return site.page("message", status=status, title=status.phrase, line=line)


def _nothing_here(site: Site) -> Callable[[Request, Exception], Response]:
    def answer(request: Request, error: Exception) -> Response:
        status = HTTPStatus(getattr(error, "status_code", HTTPStatus.NOT_FOUND))
        line = "There is no page at this address."
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            line = f"Nothing at this address answers to {request.method[:20]}."
        if request.url.path.startswith("/api/"):
            return JSONResponse({"error": line}, status)
        return _said(site, None, status, line)

    return answer


def _fault_of_ours(site: Site) -> Callable[[Request, Exception], Response]:
    """The edge of the server: whoever runs it is told, whoever asked learns nothing more."""

    def answer(request: Request, error: Exception) -> Response:
        site.tell(
            f"interplay: a fault in Interplay itself at {request.url.path} ({type(error).__name__}: {error}); "
            "INTERPLAY_DEBUG=1 shows where, please report it"
        )
        line = "a fault in Interplay itself; whoever runs the server can see more"
        if request.url.path.startswith("/api/"):
            return JSONResponse({"error": line}, HTTPStatus.INTERNAL_SERVER_ERROR)
        return _said(site, None, HTTPStatus.INTERNAL_SERVER_ERROR, line)

    return answer


def _with_headers(app: ASGIApp, door: Door) -> ASGIApp:
    """Refuse strangers' hosts and origins before anything else, and put the strict headers on every answer."""

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                there = {name.lower() for name, _ in message["headers"]}
                fresh = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                fresh.append((b"Cache-Control", b"no-store"))
                message["headers"] = [
                    *message["headers"],
                    *((name, value) for name, value in fresh if name.lower() not in there),
                ]
            await send(message)

        refusal, status = door.refuses(scope["method"], Request(scope).headers), HTTPStatus.FORBIDDEN
        if not refusal and len(scope["path"]) > LONGEST_PATH:
            refusal, status = "no page has an address as long as this one", HTTPStatus.REQUEST_URI_TOO_LONG
        if refusal:
            answer = Response(refusal + "\n", status, media_type="text/plain")
            await answer(scope, receive, send_with_headers)
            return
        await app(scope, receive, send_with_headers)

    return guarded
