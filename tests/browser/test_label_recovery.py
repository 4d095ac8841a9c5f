"""Labelling in a browser while the server is killed, in two tabs, and without scripts."""

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from interplay.store.rounds import Round, Rounds
from tests.browser.chromium import Chromium
from tests.faults.harness import PATIENCE
from tests.faults.killed_servers import Starts, free_port, servers_that_start_at_once
from tests.web.labelled import round_of

NO_ANSWER = "No answer from the server. Your answers are kept here"


@dataclass
class Labelling:
    """A server over a round, and the address that lets a rater in."""

    store: Path
    round: Round
    home: str
    link: str
    begin: Starts
    running: int

    def kill(self) -> None:
        os.kill(self.running, signal.SIGKILL)

    def start(self) -> None:
        self.running = self.begin()

    def said(self, place: int) -> dict[str, list[float]]:
        with Rounds(self.store) as rounds:
            found = rounds.said(self.round, "ada", place)
        return {name: [one.value for one in rows] for name, rows in found.items()}


@pytest.fixture
def labelling(tmp_path: Path) -> Iterator[Labelling]:
    store, port = tmp_path / "a.db", free_port()
    with ThreadPoolExecutor(1) as apart:  # the browser's driver has a loop in this thread
        round, links = apart.submit(round_of, store).result()
    with servers_that_start_at_once("--port", str(port), "--store", str(store)) as begin:
        found = Labelling(store, round, f"http://127.0.0.1:{port}", links["ada"], begin, begin())
        _wait_until_it_answers(port)
        yield found


def _wait_until_it_answers(port: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/assets/label.js")
            connection.getresponse().read()
            return
        except OSError:
            time.sleep(0.02)
        finally:
            connection.close()
    raise AssertionError("the server did not start")


def press(page: Page, keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


@pytest.mark.fault("web server killed: labels")
def test_what_was_chosen_goes_out_by_itself_when_the_server_is_back(
    browser: Chromium, labelling: Labelling
) -> None:
    with browser.window(labelling.home) as opened:
        page = opened.page
        opened.open(f"{labelling.link}1/")
        press(page, "435n")
        labelling.kill()
        page.keyboard.press("Enter")
        expect(page.get_by_text(NO_ANSWER)).to_be_visible()
        assert labelling.said(1) == {}
        labelling.start()
        expect(page.get_by_role("heading", level=1)).to_have_text("Conversation 2 of 10")
        expect(page.get_by_text(NO_ANSWER)).to_be_hidden()
        assert page.url.endswith("/2/")
        assert labelling.said(1) == {"in_character": [4], "entertaining": [3], "fluency": [5], "refused": [0]}


def test_what_was_chosen_survives_that_the_page_is_closed(browser: Chromium, labelling: Labelling) -> None:
    with browser.window(labelling.home) as opened:
        opened.open(f"{labelling.link}1/")
        press(opened.page, "43")
        opened.page.close()
        again = opened.context.new_page()
        again.goto(f"{labelling.home}{labelling.link}1/")
        expect(again.locator("input[name=answer_2][value='3']")).to_be_checked()
        expect(again.get_by_text("They were not sent yet")).to_be_visible()
        press(again, "5n")
        again.keyboard.press("Enter")
        expect(again.get_by_role("heading", level=1)).to_have_text("Conversation 2 of 10")
        assert again.evaluate("localStorage.length") == 0


def test_two_tabs_say_two_things_and_one_is_taken_back(browser: Chromium, labelling: Labelling) -> None:
    with browser.window(labelling.home) as opened:
        first, second = opened.page, opened.context.new_page()
        for page in (first, second):
            page.goto(f"{labelling.home}{labelling.link}1/")
        for page, value in ((first, "3"), (second, "5")):
            page.bring_to_front()
            page.locator(f"input[name=answer_1][value='{value}']").check()
            page.locator("input[name=answer_2][value='2']").check()
            page.locator("input[name=answer_3][value='2']").check()
            page.locator("input[name=answer_4][value='0']").check()
            page.get_by_role("button", name="Submit").click()
            page.wait_for_url("**/2/" if page is first else "**/1/?since=*")
        expect(second.get_by_role("heading", level=1)).to_have_text(
            "You said two things of the same conversation"
        )
        assert labelling.said(1)["in_character"] == [3, 5]
        second.get_by_role("button", name="Take it back").click()
        second.wait_for_url("**/2/")
        assert labelling.said(1)["in_character"] == [3, 5, 3]
        second.keyboard.press("b")
        expect(second.locator("input[name=answer_1][value='3']")).to_be_checked()
        assert opened.seen.anything() == []


def test_it_works_without_scripts(browser: Chromium, labelling: Labelling) -> None:
    with browser.window(labelling.home, java_script_enabled=False) as opened:
        opened.open(labelling.link)
        opened.page.get_by_role("link", name="Begin").click()
        for number, value in enumerate("234", 1):
            opened.page.locator(f"input[name=answer_{number}][value='{value}']").check()
        opened.page.locator("input[name=answer_4][value='1']").check()
        opened.page.get_by_role("button", name="Submit").click()
        assert opened.page.url.endswith("/2/")
        assert labelling.said(1) == {"in_character": [2], "entertaining": [3], "fluency": [4], "refused": [1]}
