"""Pages over a store on a server are those over a file with the same runs, word for word."""

import re
from pathlib import Path

import pytest

from interplay.models.loopback import Loopback
from interplay.models.loopback import serving as providing
from interplay.store.copying import copy_runs
from interplay.store.places import Server
from interplay.store.records import Records
from tests.running.people import lively
from tests.store.databases import Databases
from tests.web.big_store import make_store
from tests.web.gaming import GUESSING, begun, directory
from tests.web.served import Served, serving
from tests.web.stocked import stock

# what differs from one server of pages to the next, whatever the store is
PASSING = re.compile(
    r"\d\d:\d\d(:\d\d)?|\d{4}-\d\d-\d\d|127\.0\.0\.1:\d+|nonce-[\w+/=-]+|\b\d+ (second|minute)s? ago"
    r'|value="[0-9a-f]{16}"'
)


def plain(text: str, *names: object) -> str:
    for name in names:
        text = text.replace(f"&#39;{name}&#39;", "STORE").replace(
            str(name), "STORE"
        )  # quoted for a shell, or not
    return PASSING.sub("TIME", text)


def look_around(there: Served, here: Served, stores: tuple[Server, Path], most: int) -> int:
    """Follow the links from the first page on, on both servers; how many pages that were, all the same."""
    waiting, seen = ["/"], set[str]()
    while waiting and len(seen) < most:
        path = waiting.pop(0)
        if path in seen:
            continue
        seen.add(path)
        mine, other = there.ask(path), here.ask(path)
        kind = mine.headers.get("content-type", "")
        assert (mine.status, kind) == (other.status, other.headers.get("content-type", "")), path
        assert mine.status < 500, path
        if "text/html" in kind:
            assert plain(mine.text, *stores) == plain(other.text, *stores), path
            found = re.findall(r'href="(/[^"#]*)"', mine.text)
            waiting += [one.replace("&amp;", "&") for one in found if not one.startswith("/static")]
    return len(seen)


def test_pages_are_the_same(databases: Databases, tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    make_store(file, 40, scenarios=10)
    store = databases.like(file)
    with serving(store) as there, serving(file) as here:  # type: ignore[arg-type]  # a place of a store will do
        assert look_around(there, here, (store, file), 25) == 25
    databases.give_back(store)


@pytest.mark.soak
def test_pages_of_all_benchmarks_that_were_played_on_a_server_are_the_same(
    databases: Databases, tmp_path: Path
) -> None:
    store, file = databases.take(), tmp_path / "a.db"
    stock(store)  # type: ignore[arg-type]  # a place of a store will do
    with Records(store) as records:
        order = [run.id for run in records.runs() if not run.made_of]
    for run in order:
        copy_runs(run, store, file)
    with serving(store) as there, serving(file) as here:  # type: ignore[arg-type]  # a place of a store will do
        assert look_around(there, here, (store, file), 200) > 100
    databases.give_back(store)


def test_somebody_plays_a_game_on_a_server(server: Server) -> None:
    Records(server, create=True).close()
    with (
        providing(Loopback(lively)) as url,
        serving(server, directory(url)) as served,  # type: ignore[arg-type]  # a place of a store will do
    ):
        assert begun(served, "word_guessing", **GUESSING).play() > 0
    with Records(server) as records:
        assert records.states(records.find("last")) == {"done": 1}
