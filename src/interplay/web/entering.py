"""Coming in: the link that makes somebody the owner, and what every page needs."""

from http import HTTPStatus

from starlette.responses import JSONResponse, Response

from interplay.reporting.pages.drawing import asset
from interplay.store.passes import Passes
from interplay.web.entries import ANYONE, OWNER, Entry, NotThere, Visit, openapi
from interplay.web.site import go_to

A_MONTH = 30 * 24 * 3600


def enter(visit: Visit) -> Response:
    """The link that interplay view prints: keep its secret as a cookie, and go to the first page."""
    secret = visit.path["key"]
    with Passes(visit.site.store) as passes:
        found = passes.find(secret) if secret.isascii() else None
    if found is None or found.role != "owner":
        raise NotThere("this link lets nobody in; interplay view prints one that does")
    answer = go_to(visit.site.links.home())
    answer.set_cookie(
        f"interplay_{visit.port}", secret, max_age=A_MONTH, httponly=True, samesite="lax", path="/"
    )
    return answer


def send_asset(visit: Visit) -> Response:
    found = asset(visit.path["name"])
    if found is None:
        raise NotThere("there is no such file")
    body, kind = found
    return Response(body, HTTPStatus.OK, {"Cache-Control": "max-age=60"}, kind)


def describe(visit: Visit) -> Response:
    from interplay.web.everything import ENTRIES  # this list is part of what it describes

    return JSONResponse(openapi([entry for entry in ENTRIES if "owner" in entry.who]))


ENTRIES = (
    Entry("GET", "/enter/{key}", ANYONE, enter, "come in as the owner"),
    Entry(
        "GET", "/assets/{name}", ANYONE, send_asset, "a style sheet, script or picture", answers="text/css"
    ),
    Entry("GET", "/api/openapi.json", OWNER, describe, "what can be asked for", answers="application/json"),
)
