"""The payloads are alive: on a page that is careless they do what they say."""

from html import escape

from tests.browser.chromium import Chromium
from tests.browser.payloads import PAYLOADS, numbers_in
from tests.browser.unsafe import unsafe_site

ENOUGH = 200  # texts that the site is tried with
TOGETHER = 50  # on one page
AT_LEAST = 0.6  # of them do harm by themselves; others need a click, a template engine or an older browser


def careless(payload: str) -> str:
    """A page that puts a text where texts are put, and escapes nothing."""
    attributes = f"<input value=\"{payload}\"><input value='{payload}'>"
    scripts = "".join(f"<script>said = {quote}{payload}{quote}</script>" for quote in "\"'`")
    address = f'<iframe src="{payload}"></iframe>' if "<" not in payload else ""
    return f"<!doctype html><p>{payload}</p>{attributes}{scripts}{address}"


def test_there_are_enough_and_each_has_its_mark() -> None:
    assert len(set(PAYLOADS)) >= ENOUGH
    assert [numbers_in(text) for text in PAYLOADS] == [{number} for number in range(1, len(PAYLOADS) + 1)]


def test_most_of_them_do_harm_on_a_careless_page(browser: Chromium) -> None:
    pages = {f"/{number}": careless(text) for number, text in enumerate(PAYLOADS, 1)}
    frames = [f"<iframe sandbox='allow-scripts allow-same-origin' src={path}></iframe>" for path in pages]
    for first in range(0, len(frames), TOGETHER):
        pages[f"/from-{first}"] = "".join(frames[first : first + TOGETHER])
    harmed: set[int] = set()
    with unsafe_site(pages) as address, browser.window(address) as window:
        for first in range(0, len(frames), TOGETHER):
            window.forget()
            window.open(f"/from-{first}")
            window.page.wait_for_timeout(100)
            harmed |= {int(one) for one in window.seen.hits} | numbers_in(" ".join(window.seen.outbound))
    asleep = set(range(1, len(PAYLOADS) + 1)) - harmed
    assert len(harmed) >= AT_LEAST * len(PAYLOADS), f"asleep: {sorted(asleep)}"


def test_escaped_they_are_asleep_and_still_there(browser: Chromium) -> None:
    page = "<!doctype html><meta charset=utf-8><title>x</title>" + "".join(
        f"<p>{escape(one)}</p>" for one in PAYLOADS
    )
    with unsafe_site({"/": page}) as address, browser.window(address) as window:
        window.open("/")
        assert window.seen.anything() == []
        assert numbers_in(window.page.inner_text("body")) == set(range(1, len(PAYLOADS) + 1))
