"""Who is let in: hosts and origins, forms, headers, and everybody at every door."""

import re
import socket
from collections.abc import Iterator
from urllib.parse import quote, urlencode

import pytest

from interplay.store.moves import Moves
from interplay.store.records import Records
from interplay.web.access import HEADERS
from interplay.web.app import FORM, LARGEST_FORM, MOST_FIELDS
from interplay.web.entries import Entry
from interplay.web.everything import ENTRIES
from tests.web.examples import EXAMPLES, address_of, form_of
from tests.web.furnished import Furnished, furnished_once
from tests.web.served import Answer, Served, serving_apart

GUESTS = (
    *("nobody", "owner", "rater", "rater elsewhere", "rater revoked"),
    *("player", "player elsewhere", "player revoked", "made up"),
)
NAMES = ("alder", "birch", "cedar", "faulty", "asker", "opponent", "judge-one", "judge-two", "openai/")
OWNED = next(entry for entry in ENTRIES if entry.method == "POST" and entry.who == {"owner"})


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Furnished:
    return furnished_once(tmp_path_factory)


@pytest.fixture(scope="module")
def served(furnished: Furnished) -> Iterator[Served]:
    with serving_apart(furnished.store_path) as found:
        yield found


def name_of(entry: Entry) -> str:
    return f"{entry.method} {entry.path}"


def role_of(guest: str) -> str:
    """As what somebody comes; whoever was let in no longer, or never, is nobody."""
    return "nobody" if guest in ("made up",) or guest.endswith("revoked") else guest.split()[0]


def visit(served: Served, furnished: Furnished, entry: Entry, guest: str) -> Answer:
    """A real request of somebody to an entry, with their secret where this entry looks for it."""
    secret = {"nobody": "", "made up": "made-up-" + "x" * 24}.get(guest) or furnished.passes.get(guest, "")
    headers = {"Origin": served.address, "Content-Type": FORM} if entry.method == "POST" else {}
    if "{secret}" not in entry.path and secret:
        headers["Cookie"] = f"interplay_{served.port}={secret}"
    path = address_of(entry, furnished, secret or "nothing" if "{secret}" in entry.path else "")
    body = urlencode(form_of(entry.form)) if entry.method == "POST" else ""
    return served.ask(path, method=entry.method, body=body, headers=headers, owner=False)


def test_every_entry_has_an_example() -> None:
    assert {entry.path for entry in ENTRIES} == set(EXAMPLES)


@pytest.mark.parametrize("entry", ENTRIES, ids=name_of)
def test_everybody_at_every_door(served: Served, furnished: Furnished, entry: Entry) -> None:
    for guest in GUESTS:
        answer = visit(served, furnished, entry, guest)
        let_in = role_of(guest) in entry.who
        assert (answer.status != 403) == let_in, (guest, answer.status, answer.text[:200])
        assert answer.status < 500, (guest, answer.text)
        if let_in and entry.method == "GET":
            assert answer.status in (200, 303), (guest, answer.status, answer.text[-300:])
        assert_strict(answer)
        if role_of(guest) != "owner" and entry.path != "/assets/{name}":
            assert [name for name in NAMES if name in answer.text] == [], guest


@pytest.mark.parametrize("entry", [one for one in ENTRIES if "{secret}" in one.path], ids=name_of)
def test_the_owners_cookie_opens_no_door_of_others(
    served: Served, furnished: Furnished, entry: Entry
) -> None:
    path = address_of(entry, furnished, "nothing")
    headers = {"Origin": served.address, "Content-Type": FORM}
    body = urlencode(form_of(entry.form)) if entry.method == "POST" else ""
    assert served.ask(path, method=entry.method, body=body, headers=headers).status == 403


def test_a_link_leads_to_its_own_place_alone(served: Served, furnished: Furnished) -> None:
    """A player cannot speak in another game, and what raters are shown is of their own round."""
    with Records(furnished.store_path) as records, Moves(furnished.store_path) as moves:
        asked = moves.waiting(records.find(furnished.games["role_play"]))[0]
        answer = served.post(
            f"/play/{furnished.passes['player elsewhere']}/",
            {"call": str(asked.call), "text": "Not I."},
            owner=False,
        )
        assert answer.status == 404
        assert asked.call in [one.call for one in moves.waiting(records.find(furnished.games["role_play"]))]
    items = [
        served.ask(f"/label/{furnished.passes[name]}/1/", owner=False)
        for name in ("rater", "rater elsewhere")
    ]
    assert [one.status for one in items] == [200, 200]
    assert items[0].text != items[1].text
    assert "ruth" not in items[1].text


ODD = ("", "0", "-1", "9" * 30, "x" * 10_000, "%00", "<b>", "../../", "\u202e")


@pytest.mark.parametrize("entry", [one for one in ENTRIES if "{secret}" in one.path], ids=name_of)
@pytest.mark.parametrize("guest", ["rater", "player", "rater revoked", "nobody"])
def test_mistakes_tell_no_names(served: Served, furnished: Furnished, entry: Entry, guest: str) -> None:
    path = address_of(entry, furnished, furnished.passes.get(guest, "nothing"))
    headers = {"Origin": served.address, "Content-Type": FORM}
    for odd in ODD:
        said = urlencode({one.name: odd for one in (*entry.query, *entry.form)})
        if entry.method == "POST":
            answers = [served.ask(path, method="POST", body=said, headers=headers, owner=False)]
        else:
            answers = [served.ask(one, owner=False) for one in (f"{path}?{said}", f"{path}{quote(odd)}/")]
        for answer in answers:
            assert answer.status < 500, (odd, answer.text)
            assert [name for name in NAMES if name in f"{answer.headers} {answer.text}"] == [], odd


@pytest.mark.parametrize(
    "host",
    [
        "attacker.invalid",
        "attacker.invalid:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1:{port}.invalid",
        "",
    ],
)
@pytest.mark.parametrize("path", ["/", "/nowhere", "/assets/style.css", "/api/openapi.json"])
def test_a_name_that_is_not_the_servers_is_refused(served: Served, host: str, path: str) -> None:
    """A page of elsewhere whose name was made to point here gets nothing, whatever it asks for."""
    answer = served.ask(path, headers={"Host": host.format(port=served.port)})
    assert answer.status == 403
    assert answer.headers["content-type"].startswith("text/plain")
    assert_strict(answer)


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST:{port}", "[::1]:{port}"])
def test_the_servers_own_names_are_good(served: Served, host: str) -> None:
    assert served.ask("/", headers={"Host": host.format(port=served.port)}).status == 200


def said_raw(served: Served, request: str) -> bytes:
    with socket.create_connection(("127.0.0.1", served.port), timeout=10) as line:
        line.sendall(request.format(port=served.port).encode())
        found = b""
        while part := line.recv(65536):
            found += part
        return found


@pytest.mark.parametrize(
    "request_", [
        "GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: attacker.invalid\r\nConnection: close\r\n\r\n",
        "GET http://attacker.invalid/ HTTP/1.1\r\nHost: attacker.invalid\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX-Forwarded-Host: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n",
    ],
)  # fmt: skip
def test_strange_requests_open_nothing(served: Served, request_: str) -> None:
    assert re.match(rb"HTTP/1\.[01] 40[03] ", said_raw(served, request_))


@pytest.mark.parametrize(
    "origin",
    [
        *(None, "", "null", "http://attacker.invalid", "http://127.0.0.1", "http://127.0.0.1:1", "file://"),
        *(
            "http://127.0.0.1:{port}.attacker.invalid",
            "http://attacker.invalid:{port}",
            "ftp://127.0.0.1:{port}",
        ),
        *("http://127.0.0.1:{port}/", "http://user@127.0.0.1:{port}", "http://127.0.0.1:{port}, null"),
    ],
)
def test_what_changes_something_must_come_from_here(
    served: Served, furnished: Furnished, origin: str | None
) -> None:
    headers = {"Content-Type": FORM} | ({} if origin is None else {"Origin": origin.format(port=served.port)})
    answer = served.ask(address_of(OWNED, furnished), method="POST", body="name=eve", headers=headers)
    assert answer.status == 403
    assert_strict(answer)


@pytest.mark.parametrize("method", ["DELETE", "PUT", "PATCH", "OPTIONS", "TRACE", "PROPFIND"])
def test_other_methods_are_not_known(served: Served, method: str) -> None:
    assert served.ask("/", method=method).status == 403
    answer = served.ask("/", method=method, headers={"Origin": served.address})
    assert answer.status == 405
    assert_strict(answer)


def test_only_the_head_of_a_page_can_be_asked_for(served: Served) -> None:
    answer = served.ask("/", method="HEAD")
    assert (answer.status, answer.body) == (200, b"")
    assert served.ask("/", method="HEAD", owner=False).status == 403


@pytest.mark.parametrize("kind", ["", "application/json", "multipart/form-data; boundary=x", "text/plain"])
def test_a_form_is_a_form(served: Served, furnished: Furnished, kind: str) -> None:
    headers = {"Origin": served.address} | ({"Content-Type": kind} if kind else {})
    answer = served.ask(address_of(OWNED, furnished), method="POST", body="name=eve", headers=headers)
    assert answer.status == 415
    assert_strict(answer)


def test_a_form_has_an_end(served: Served, furnished: Furnished) -> None:
    path = address_of(OWNED, furnished)
    assert served.post(path, {"x": "a" * LARGEST_FORM}).status == 413
    assert served.post(path, {f"x{number}": "" for number in range(MOST_FIELDS + 1)}).status == 400


@pytest.mark.parametrize(
    "path", ["/nowhere", "/runs/nothing/", "/api/nowhere", "/enter/made-up", "//", "/%00", "/..%2f"]
)
def test_errors_have_the_same_headers(served: Served, path: str) -> None:
    answer = served.ask(path)
    assert answer.status == 404
    assert_strict(answer)
    assert answer.headers["cache-control"] == "no-store"


def assert_strict(answer: Answer) -> None:
    """All headers that every answer has; the policy of a picture is stricter still."""
    found = {name: answer.headers.get(name.lower()) for name in HEADERS}
    if answer.headers.get("content-type", "").startswith("image/svg") and answer.status == 200:
        assert (found["Content-Security-Policy"] or "").startswith("default-src 'none'")
        found["Content-Security-Policy"] = HEADERS["Content-Security-Policy"]
    assert found == HEADERS


def test_the_policy_has_no_holes() -> None:
    policy = HEADERS["Content-Security-Policy"]
    assert policy.startswith("default-src 'none';")
    assert not re.search(r"unsafe|\*|https?:|data:|blob:|nonce|sha256", policy)
    assert all(part in policy for part in ("base-uri 'none'", "frame-ancestors 'none'", "form-action 'self'"))


def test_the_owners_link_leaves_a_cookie_that_scripts_and_other_sites_do_not_get(served: Served) -> None:
    answer = served.ask(served.link.removeprefix(served.address), owner=False)
    assert (answer.status, answer.headers["location"]) == (303, "/")
    cookie, *flags = answer.headers["set-cookie"].split("; ")
    assert cookie == served.cookie
    assert {"httponly", "samesite=lax", "path=/"} <= {flag.lower() for flag in flags}
    assert not [flag for flag in flags if flag.lower().startswith("domain")]


def test_the_links_of_others_do_not_make_an_owner(served: Served, furnished: Furnished) -> None:
    for guest in ("rater", "player"):
        answer = served.ask(f"/enter/{furnished.passes[guest]}", owner=False)
        assert answer.status == 404
        assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "cookie", ["x" * 10_000, "interplay_{port}=", "interplay_{port}=\xe9", "=;;=", "interplay_1={key}"]
)
def test_cookies_that_are_no_keys(served: Served, furnished: Furnished, cookie: str) -> None:
    sent = cookie.format(port=served.port, key=furnished.passes["owner"]).encode("latin-1").decode("latin-1")
    assert served.ask("/", headers={"Cookie": sent}, owner=False).status == 403
