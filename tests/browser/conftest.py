"""The browser and the site that the tests of pages share."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest

from tests.browser.chromium import Chromium, Window, chromium
from tests.web.furnished import Furnished, furnished_once
from tests.web.served import Served, serving_apart

Opened = Callable[[Served], AbstractContextManager[Window]]


@pytest.fixture(scope="package")
def browser() -> Iterator[Chromium]:
    """One browser for as long as a worker stays with these tests: its driver's loop must not outlive them."""
    with chromium() as made:
        yield made


@pytest.fixture(scope="package")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Furnished:
    return furnished_once(tmp_path_factory)


@pytest.fixture(scope="package")
def served(furnished: Furnished) -> Iterator[Served]:
    """A site with something on every page."""
    with serving_apart(furnished.store_path) as found:
        yield found


@pytest.fixture
def window(browser: Chromium) -> Opened:
    """A window on a site, as its owner."""

    def opened(served: Served) -> AbstractContextManager[Window]:
        name, _, secret = served.cookie.partition("=")
        return browser.window(served.address, [{"name": name, "value": secret, "url": served.address}])

    return opened
