"""Whole games in a real browser: begun by the form, played by keyboard, judged, over servers that come and go."""

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from interplay.models.loopback import Asked, Loopback
from interplay.models.loopback import serving as providing
from interplay.store.moves import Moves
from tests.browser.chromium import SCHEMES, SCREENS, Chromium, Window
from tests.browser.conftest import Opened
from tests.running.people import lively
from tests.web.gaming import directory, empty_store, last_game, paid_once
from tests.web.served import Served, serving

PATIENCE = 20_000  # milliseconds


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return empty_store(tmp_path / "a.db")


@pytest.fixture
def port() -> int:
    """A port that a server can have again after it was stopped."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def hall(store: Path, script: Any = lively) -> Iterator[tuple[Served, Loopback]]:
    loopback = Loopback(script)
    with providing(loopback) as url, serving(store, directory(url)) as served:
        yield served, loopback


def begin(window: Window, benchmark: str, seat: str, names: dict[str, str], options: dict[str, str]) -> Page:
    """Begin a game of the first scenario as somebody would, from the list of games."""
    page = window.page
    window.open("/games/")
    page.get_by_role("link", name=benchmark).click()
    page.get_by_text("Options", exact=True).click()
    page.get_by_text("More", exact=True).click()
    for name, value in options.items():
        page.get_by_label(re.compile(f"^{name}")).fill(value)
    page.locator(f'input[name="seat"][value="{seat}"]').check()
    page.get_by_label(re.compile("^Your name")).fill("ada")
    page.get_by_label(re.compile("^Scenario")).select_option(index=1)
    for role, name in names.items():
        page.locator(f"#model-{role}").fill(name)
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/games/*-*/**")
    return page


def a_role_play(window: Window, turns: int = 2) -> Page:
    names = {"player": "openai/p", "judge": "openai/judge"}
    return begin(window, "role_play", "interrogator", names, {"turns": str(turns)})


def say(page: Page, text: str) -> None:
    """Type something and send it by Enter, once it is one's turn."""
    field = page.locator("form[data-move] textarea, form[data-move] input[type=text]")
    expect(field).to_be_visible(timeout=PATIENCE)
    field.fill(text)
    field.press("Enter")


def over(page: Page) -> None:
    expect(page.locator("#over")).to_have_text("The game is over", timeout=PATIENCE)


def test_a_whole_game_of_word_guessing(store: Path, window: Opened) -> None:
    with hall(store) as (served, loopback), window(served) as opened:
        page = begin(opened, "word_guessing", "player", {"opponent": "openai/o"}, {"rounds": "1"})
        say(page, "It is kept in a drawer.")
        guess = page.locator("form[data-move] input[type=text]")
        expect(guess).to_be_focused(timeout=PATIENCE)
        assert page.title().startswith("word_guessing: your turn")
        say(page, "harpsichord")
        over(page)
        assert page.locator(".spoken.said").all_inner_texts()[-1].strip().endswith("harpsichord")
        expect(page.get_by_text("how early a player found")).to_be_visible()
        row, _ = last_game(store)
        expect(page.locator("h1")).to_have_text(row.scenario.label)
        page.get_by_text("All that was said").click()
        expect(page.locator(".transcript li").first).to_be_visible()
        opened.keep_picture("play-word-guessing-over")
        page.get_by_role("link", name="See everything").click()
        expect(page.locator("main")).to_contain_text("human/ada")
        assert opened.seen.anything() == []
    assert (row.state, paid_once(store, loopback)) == ("done", True)


def test_a_whole_role_play_that_is_judged(store: Path, window: Opened) -> None:
    with hall(store) as (served, loopback), window(served) as opened:
        page = a_role_play(opened)
        field = page.locator("form[data-move] textarea")
        expect(field).to_be_visible(timeout=PATIENCE)
        field.press("Enter")  # nothing to send
        expect(page.locator(".spoken.said")).to_have_count(0)
        field.fill("Who are you?")
        field.press("Shift+Enter")
        field.press_sequentially("And where?")
        field.press("Enter")
        expect(page.locator(".spoken.said .said-text")).to_have_text("Who are you?\nAnd where?")
        say(page, "Why here?")
        over(page)
        page.get_by_text("What judge 1 said").click()
        expect(page.locator("details[open] dl.data").first).to_be_visible()
        page.get_by_role("link", name="Play again").click()
        expect(page.locator("#model-player")).to_have_value("openai/p")
        assert opened.seen.anything() == []
    row, verdicts = last_game(store)
    assert row.outcome["turns"][0]["user"] == "Who are you?\nAnd where?"
    assert [one.failure for one in verdicts] == [""]
    assert paid_once(store, loopback)


@pytest.mark.fault("web server killed: play")
def test_what_is_sent_while_there_is_no_server_is_kept_and_sent_as_soon_as_there_is_one(
    store: Path, window: Opened, port: int
) -> None:
    loopback = Loopback(lively)
    with providing(loopback) as url, ExitStack() as first:
        served = first.enter_context(serving(store, directory(url), port))
        with window(served) as opened:
            page = a_role_play(opened)
            say(page, "Who are you?")
            expect(page.locator(".spoken.said")).to_have_count(1)
            expect(page.locator("form[data-move]")).to_be_visible(timeout=PATIENCE)
            first.close()
            say(page, "Where do you live?")
            told = page.locator("#play-status")
            expect(told).to_contain_text("No answer from the server. What you wrote is kept here")
            expect(page.locator("form[data-move] textarea")).to_have_value("Where do you live?")
            with Moves(store) as moves:
                assert len(moves.waiting()) == 1
            with serving(store, directory(url), port):
                over(page)  # by itself
                expect(told).to_be_hidden()
    row, verdicts = last_game(store)
    assert [turn["user"] for turn in row.outcome["turns"]] == ["Who are you?", "Where do you live?"]
    assert len(verdicts) == 1
    assert paid_once(store, loopback)


@pytest.mark.fault("web server killed: play")
def test_a_page_that_waits_for_models_finds_the_next_server_by_itself(
    store: Path, window: Opened, port: int
) -> None:
    may_speak, asked_once = threading.Event(), threading.Event()

    def script(asked: Asked) -> str:
        asked_once.set()
        assert may_speak.wait(20)
        return lively(asked)

    with providing(Loopback(script)) as url, ExitStack() as first:
        served = first.enter_context(serving(store, directory(url), port))
        with window(served) as opened:
            page = a_role_play(opened, turns=1)
            say(page, "Who are you?")
            expect(page.locator(".thinking")).to_be_visible()
            assert asked_once.wait(10)
            part = page.locator("details.part")
            is_open = part.get_attribute("open") is not None
            part.locator("summary").click()  # whoever reads meanwhile is not disturbed
            first.close()
            told = page.locator("#play-status")
            expect(told).to_contain_text("The game goes on as soon as it is back", timeout=PATIENCE)
            assert (part.get_attribute("open") is not None) != is_open
            may_speak.set()
            with serving(store, directory(url), port):
                over(page)
                assert (part.get_attribute("open") is not None) != is_open
    assert last_game(store)[0].state == "done"


def test_two_tabs_one_answer(store: Path, window: Opened) -> None:
    with hall(store) as (served, _), window(served) as opened:
        page = a_role_play(opened, turns=1)
        expect(page.locator("form[data-move]")).to_be_visible(timeout=PATIENCE)
        other = opened.context.new_page()
        other.goto(page.url)
        expect(other.locator("form[data-move]")).to_be_visible()
        say(page, "Who are you?")
        over(page)
        say(other, "Where do you live?")
        expect(other.get_by_role("alert")).to_contain_text("This was answered already")
        expect(other.locator("main")).to_contain_text("Where do you live?")
        over(other)
    assert last_game(store)[0].outcome["turns"][0]["user"] == "Who are you?"


def test_somebody_who_is_invited_plays_in_a_browser_of_their_own(
    store: Path, browser: Chromium, window: Opened
) -> None:
    with hall(store) as (served, _), window(served) as opened:
        opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = a_role_play(opened, turns=1)
        page.get_by_text("Let somebody else play").click()
        page.get_by_role("button", name="Make a link for ada").click()
        page.get_by_text("Let somebody else play").click()
        page.get_by_role("button", name="Copy").click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        link = page.evaluate("navigator.clipboard.readText()")
        assert link.startswith(f"{served.address}/play/")
        with browser.window(served.address) as guest:
            guest.page.goto(link)
            expect(guest.page.locator("form[data-move]")).to_be_visible(timeout=PATIENCE)
            expect(guest.page.locator("header")).to_have_count(0)
            for scheme in SCHEMES:
                for screen in SCREENS:
                    guest.look(scheme, screen)
                    assert not guest.is_too_wide()
                    assert guest.grave_faults() == []
            guest.keep_picture("play-turn")
            say(guest.page, "Who are you?")
            over(guest.page)
            assert not guest.is_too_wide()
            assert guest.grave_faults() == []
            guest.keep_picture("play-over")
            assert "openai" not in guest.page.content()
            assert guest.seen.anything() == []
