"""Pages without JavaScript: boards are complete, and forms arrive."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from interplay.store.rounds import Rounds
from tests.browser.chromium import Chromium
from tests.web.furnished import Furnished
from tests.web.served import Served


@pytest.fixture
def page(served: Served, browser: Chromium) -> Iterator[Page]:
    """A page of a browser that runs no scripts, as the owner."""
    name, _, secret = served.cookie.partition("=")
    cookies = [{"name": name, "value": secret, "url": served.address}]
    with browser.window(
        served.address, cookies, java_script_enabled=False, base_url=served.address
    ) as opened:
        yield opened.page


def test_a_board_is_complete(page: Page) -> None:
    page.goto("/boards/role_play/")
    assert page.locator("table.board").first.locator("tbody tr").count() == 3


def test_somebody_is_invited(page: Page, furnished: Furnished) -> None:
    page.goto(f"/labels/{furnished.rounds[0]}/")
    page.locator("form[action$='/invite/'] input[name=name]").fill("Zoe Ash")
    page.locator("form[action$='/invite/'] button").click()
    page.wait_for_url(f"**/labels/{furnished.rounds[0]}/**")
    assert "Zoe Ash" in page.locator("main").inner_text()


def test_a_conversation_is_labelled(page: Page, furnished: Furnished) -> None:
    page.goto(f"/label/{furnished.passes['rater elsewhere']}/2/")
    asked = page.locator("[data-asked]")
    for number in range(asked.count()):
        radios = asked.nth(number).locator("input[type=radio]")
        if radios.count():
            radios.first.check(force=True)
        else:
            asked.nth(number).locator("input[type=number]").fill("1")
    page.locator("form[data-label] button[type=submit]").click()
    page.wait_for_url(lambda url: not url.endswith("/2/"))
    with Rounds(furnished.store_path) as rounds:
        round = rounds.find(furnished.rounds[1])
        assert round is not None
        assert set(rounds.said(round, "sam", 2)) == {question.name for question in round.questions}


def test_a_mistake_keeps_what_was_typed(page: Page) -> None:
    page.goto("/games/new/?benchmark=role_play")
    page.locator("input[name=person]").fill("Nobody at all !")
    page.locator("form[method=post] button:not([formaction])").click()
    assert page.locator("input[name=person]").input_value() == "Nobody at all !"
    assert page.locator("[role=alert]").count() == 1
