"""Every page in a real browser: light and dark, on a desk and on a phone, for everybody."""

import pytest

from interplay.web.entries import Entry
from interplay.web.everything import ENTRIES
from tests.browser.chromium import SCHEMES, SCREENS
from tests.browser.conftest import Opened
from tests.web.examples import EXAMPLES, PARTS
from tests.web.furnished import Furnished
from tests.web.served import Served

PAGES = [
    entry
    for entry in ENTRIES
    if (entry.method, entry.answers) == ("GET", "text/html") and entry.path not in {"/enter/{key}", *PARTS}
]
CLOSELY = (("light", "wide"), ("dark", "phone"))  # axe takes its time


def test_no_page_is_forgotten() -> None:
    assert sorted({entry.path for entry in ENTRIES} - set(EXAMPLES)) == []


@pytest.mark.parametrize("entry", PAGES, ids=lambda entry: entry.path)
def test_a_page_is_good_in_every_light_and_on_every_screen(
    served: Served, furnished: Furnished, window: Opened, entry: Entry
) -> None:
    faults: list[str] = []
    with window(served) as opened:
        for address in EXAMPLES[entry.path](furnished):
            opened.forget()
            faults += [f"{address}: answers {status}" for status in (opened.open(address),) if status != 200]
            page = opened.page
            if page.locator("h1").count() != 1 or not page.locator("h1").inner_text().strip():
                faults.append(f"{address}: {page.locator('h1').count()} headings of the first level")
            if not page.title().removesuffix("· Interplay").strip():
                faults.append(f"{address}: no title")
            for screen in SCREENS:
                for scheme in SCHEMES:
                    opened.look(scheme, screen)
                    if opened.is_too_wide():
                        faults.append(f"{address}: scrolls sideways on a {screen} screen")
                    if (scheme, screen) in CLOSELY:
                        faults += [f"{address}: {scheme}, {screen}: {one}" for one in opened.grave_faults()]
                    opened.keep_picture(f"{address}_{scheme}_{screen}")
            faults += [f"{address}: {one}" for one in opened.seen.anything()]
    assert not faults, "\n".join(["", *faults])
