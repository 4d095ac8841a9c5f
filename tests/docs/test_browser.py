"""The site in a real browser, opened from its folder: it fits every screen, its search finds, nothing is fetched."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import TimeoutError

from tests.browser.chromium import PATIENCE, SCHEMES, SCREENS, Window, chromium
from tests.docs.site import Site

PAGES = (
    "index",
    "benchmarks/role_play",
    "reference/command_line",
    "reference/authors",
    "notebooks/compare_two_models",
)


@pytest.fixture
def window(site: Site) -> Iterator[Window]:
    with chromium() as browser, browser.window(site.folder.as_uri() + "/") as found:
        yield found


def comes_to_fit(window: Window) -> bool:
    """Does the page stay within the screen, once the theme's script has laid wide tables out?"""
    try:
        window.page.wait_for_function(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth", timeout=PATIENCE
        )
    except TimeoutError:
        return False
    return True


def test_pages_fit_every_screen_and_the_search_finds_without_a_server(window: Window) -> None:
    for page in PAGES:
        window.open(f"{page}.html")
        for screen in SCREENS:
            for scheme in SCHEMES:
                window.look(scheme, screen)
                assert comes_to_fit(window), f"{page} scrolls sideways on a {screen} screen"
    window.look("light", "wide")
    window.open("reference/exit_codes.html")
    window.page.locator("input[name=query]").press_sequentially("prediction-powered")
    window.page.locator(".md-search-result__link", has_text="Corrected").first.wait_for(timeout=PATIENCE)
    assert window.seen.anything() == []
