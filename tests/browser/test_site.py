"""The static site in a real browser: from a folder, and from a plain web host below some path."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from interplay.reporting.site import write_site
from interplay.store.records import Records
from tests.browser.chromium import SCHEMES, SCREENS, Chromium, Window
from tests.web.furnished import Furnished

CLOSELY = (("light", "wide"), ("dark", "phone"))  # axe takes its time


@pytest.fixture(scope="package")
def site(furnished: Furnished, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hosted") / "some" / "path"
    folder.parent.mkdir()
    with Records(furnished.store_path) as records:
        write_site(folder, records, records.runs(), most=20, tell=lambda line: None)
    return folder


class Quiet(SimpleHTTPRequestHandler):
    """Says nothing of what it is asked."""

    def log_message(self, *said: object) -> None: ...


@contextmanager
def hosted(folder: Path) -> Iterator[str]:
    """A plain web host on loopback."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def looked_at(window: Window, addresses: list[str]) -> list[str]:
    faults: list[str] = []
    for address in addresses:
        window.open(address)
        if window.page.locator("h1").count() != 1:
            faults.append(f"{address}: {window.page.locator('h1').count()} headings of the first level")
        for screen in SCREENS:
            for scheme in SCHEMES:
                window.look(scheme, screen)
                if window.is_too_wide():
                    faults.append(f"{address}: scrolls sideways on a {screen} screen")
                if (scheme, screen) in CLOSELY:
                    faults += [f"{address}: {scheme}, {screen}: {one}" for one in window.grave_faults()]
                window.keep_picture(f"site_{address}_{scheme}_{screen}")
        broken = window.page.evaluate(
            "[...document.images].filter(one => one.complete && !one.naturalWidth).map(one => one.src)"
        )
        faults += [f"{address}: no picture {one}" for one in broken]
    return [*faults, *window.seen.anything()]


def some_pages(site: Path) -> list[str]:
    """One of each kind."""
    kinds = ("index.html", "boards/*/index.html", "runs/*/index.html", "runs/*/conversations/index.html")
    found = [sorted(site.glob(kind))[0] for kind in kinds]
    found += sorted(site.glob("runs/role_play*/conversations/*/index.html"))[:1]
    return [f"/{one.relative_to(site)}" for one in [*found, site / "search" / "index.html"]]


def test_pages_from_a_folder(browser: Chromium, site: Path) -> None:
    with browser.window(site.as_uri()) as window:
        assert looked_at(window, some_pages(site)) == []


def test_search_finds_what_was_said_and_leads_there(browser: Chromium, site: Path) -> None:
    with hosted(site.parent.parent) as host, browser.window(host) as window:
        window.open("/some/path/index.html")
        window.page.get_by_role("link", name="Search").click()
        field = window.page.get_by_role("searchbox")
        field.fill("no such words anywhere")
        window.page.get_by_text("0 found").wait_for()
        field.fill("Kettle BOIL")
        window.page.get_by_text("found").filter(has_not_text="0 found").wait_for()
        first = window.page.locator("#results li").first
        assert first.locator("mark").all_inner_texts()[:2] == ["kettle", "boil"]
        first.get_by_role("link").click()
        window.page.get_by_text("The kettle has just boiled.").locator("visible=true").first.wait_for()
        assert window.seen.anything() == []


def test_the_table_of_a_board_can_be_sorted_without_a_server(browser: Chromium, site: Path) -> None:
    with browser.window(site.as_uri()) as window:
        window.open("/boards/role_play/index.html")
        names = window.page.locator("table.board").first.locator("tbody th")
        before = names.all_inner_texts()
        head = window.page.locator("table.board").first.get_by_role("button", name="model")
        head.click()
        head.click()
        assert sorted(names.all_inner_texts()) == sorted(before)
        assert names.all_inner_texts() in (sorted(before), sorted(before, reverse=True))
        assert window.seen.anything() == []
