"""Somebody who plays over HTTP as a browser without scripts would: reads the page's form, fills it in, and sends it."""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from interplay.models.connecting import Directory
from interplay.models.loopback import Loopback
from interplay.models.loopback import serving as providing
from interplay.store.records import Records
from tests.running.people import lively
from tests.web.served import Answer, Served, serving

PATIENCE = 30.0  # seconds for the others to speak
BUSY = re.compile("The others are thinking|somebody else's turn")
GUESSING = {"person": "ada", "model__opponent": "openai/zqmodel", "option__rounds": "1"}
ASKING = {
    "person": "ada",
    "seat": "interrogator",
    "model__player": "openai/zqmodel",
    "model__judge": "openai/zqjudge",
    "option__turns": "2",
}
Fill = Callable[[str, str, Mapping[str, str]], str]


class _Form(HTMLParser):
    """The controls of the first form of a page that sends its fields to this address, or that has this mark."""

    def __init__(self, mark: str):
        super().__init__()
        self.mark, self.is_open, self.is_there = mark, False, False
        self.action = ""
        self.controls: list[tuple[str, str, dict[str, str]]] = []  # (kind, name, attributes)
        self.select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form" and (self.mark in given or given.get("action") == self.mark):
            self.is_open = self.is_there = True
            self.action = given["action"]
        if not self.is_open:
            return
        if tag == "input":
            self.controls.append((given.get("type", "text"), given.get("name", ""), given))
        elif tag == "textarea":
            self.controls.append(("textarea", given["name"], given))
        elif tag == "select":
            self.select = given["name"]
        elif tag == "option" and (given.get("value") == "" or "selected" in given):
            self.controls.append(("select", self.select, given))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.is_open = False


def form_in(page: str, mark: str = "data-move") -> tuple[str, dict[str, str], _Form] | None:
    """Where a form is sent, what it would send if nobody changed it, and its controls."""
    found = _Form(mark)
    found.feed(page)
    if not found.is_there:
        return None
    values: dict[str, str] = {}
    for kind, name, given in found.controls:
        if kind in ("radio", "checkbox") and "checked" not in given:
            continue
        values[name] = given.get("value", "")
    return found.action, values, found


def plain_fill(kind: str, name: str, given: Mapping[str, str]) -> str:
    """Something that fits any control: the first choice, the least number, a few words."""
    if kind == "number":
        return given.get("min", "1")
    if kind in ("radio", "checkbox"):
        return given.get("value", "on")
    return f"A word or two about {name.rpartition('.')[2]}."[: int(given.get("maxlength", "100"))]


def filled_in(page: str, fill: Fill = plain_fill) -> tuple[str, dict[str, str]]:
    """The form of a move, filled in: where it is sent, and its fields."""
    found = form_in(page)
    assert found is not None, page
    action, values, form = found
    for kind, name, given in form.controls:
        if kind not in ("hidden", "checkbox", "select") and (kind != "radio" or name not in values):
            values[name] = fill(kind, name, given)
    return action, values


@dataclass
class Player:
    """Somebody at a game's page: its owner, or who was invited."""

    served: Served
    address: str
    pages: list[str] = field(default_factory=list)  # all that was seen

    @property
    def is_owner(self) -> bool:
        return self.address.startswith("/games/")

    def look(self) -> str:
        answer = self.served.ask(self.address, owner=self.is_owner)
        assert answer.status == 200, answer.text
        self.pages.append(answer.text)
        return answer.text

    def wait(self) -> str:
        """Look until nobody else is to speak."""
        deadline = time.monotonic() + PATIENCE
        while BUSY.search(page := self.look()):
            assert time.monotonic() < deadline, page
            time.sleep(0.01)
        return page

    def send(self, action: str, values: Mapping[str, str]) -> Answer:
        return self.served.post(action, values, owner=self.is_owner)

    def move(self, fill: Fill = plain_fill) -> None:
        """Speak in turn."""
        answer = self.send(*filled_in(self.wait(), fill))
        assert answer.status == 303, answer.text

    def play(self, fill: Fill = plain_fill, most: int = 100) -> int:
        """Speak whenever it is the turn, until the game is over; how often that was."""
        for moves in range(most):
            if 'id="over"' in self.wait():
                return moves
            self.move(fill)
        raise AssertionError("it never ends")


def begun(served: Served, benchmark: str, **changes: str) -> Player:
    """Begin a game of the first scenario by its form, with some fields changed; __ in a name stands for a point."""
    answer = begin(served, benchmark, **changes)
    assert answer.status == 303, alert_in(answer.text)
    return Player(served, answer.headers["location"])


def begin(served: Served, benchmark: str, **changes: str) -> Answer:
    changed = {name.replace("__", "."): value for name, value in changes.items()}
    options = "".join(f"&{name}={value}" for name, value in changed.items() if name.startswith("option."))
    page = served.ask(f"/games/new/?benchmark={benchmark}{options}")
    assert page.status == 200, page.text
    found = form_in(page.text, "/games/")
    assert found is not None, page.text
    first = re.search(r'<option value="any">any</option>\s*<option value="([^"]+)"', page.text)
    assert first is not None
    return served.post(found[0], {**found[1], "scenario": first[1], **changed})


def invited(player: Player, person: str = "ada") -> Player:
    """The same game by the link that its owner makes for somebody."""
    run = player.address.split("/")[2]
    assert player.served.post(f"/games/{run}/invite/", {"person": person}).status == 303
    found = re.search(rf'<bdi>{person}</bdi>: <a href="(/play/[^"]+/)"', player.look())
    assert found is not None
    return Player(player.served, found[1])


def alert_in(page: str) -> str:
    """The one line that says what is wrong; empty where nothing is."""
    found = re.findall(r'<(p|div)[^>]* role="alert">(.*?)</\1>', page, re.DOTALL)
    assert len(found) < 2, found
    return unescape(re.sub(r"<[^>]+>", "", found[0][1])).strip() if found else ""


def empty_store(path: Path) -> Path:
    Records(path, create=True).close()
    return path


def directory(url: str) -> Directory:
    return Directory(base_url=url, environment={})


def paid_once(store: Path, loopback: Loopback) -> bool:
    """Has every answer of the provider its one row, and every finished row its one answer?"""
    with Records(store) as records:
        [(answered, double)] = records.db.execute(
            "SELECT count(*), count(*) - count(DISTINCT printf('%d %s %s %d', conversation, stage, participant, step))"
            " FROM calls WHERE state = 'done' AND model NOT GLOB 'human/*'"
        ).fetchall()
    return bool(answered == loopback.calls and not double)


def last_game(store: Path) -> tuple[Any, list[Any]]:
    """The conversation that was played last, and its verdicts."""
    with Records(store) as records:
        run = records.find("last")
        row = max(records.conversations(run), key=lambda one: one.number)
        return row, [verdict for _, verdict in records.verdicts_of(row.number)]


@contextmanager
def hall(store: Path, script: Any = lively, **settings: Any) -> Iterator[tuple[Served, Loopback]]:
    """A server of pages, and a provider of its models."""
    loopback = Loopback(script, **settings)
    with providing(loopback) as url, serving(store, directory(url)) as served:
        yield served, loopback


def until(player: Player, is_so: Callable[[str], bool]) -> str:
    """Look until the page is so."""
    deadline = time.monotonic() + 10
    while not is_so(page := player.look()):
        assert time.monotonic() < deadline, page
        time.sleep(0.01)
    return page


def last_run(store: Path) -> str:
    with Records(store) as records:
        return records.find("last").id
