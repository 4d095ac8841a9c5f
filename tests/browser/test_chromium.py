"""The browser sees what it is there to see: scripts that run, calls to elsewhere, dialogs, complaints."""

from collections.abc import Sequence

import pytest

from tests.browser.chromium import Chromium, Seen, chromium_path
from tests.browser.unsafe import unsafe_site

STRICT = {"Content-Security-Policy": "default-src 'none'"}


RUN = (
    "<script>__hit(1)</script>",
    "<img src=x onerror=__hit(1)>",
    "<svg onload=__hit(1)>",
    "<iframe srcdoc='<script>__hit(1)</script>'></iframe>",
    "<iframe src='data:text/html,<script>__hit(1)</script>'></iframe>",
    "<iframe src='javascript:parent.__hit(1)'></iframe>",
)
CALL = (
    "<img src=http://attacker.invalid/1>",
    "<script>fetch('http://attacker.invalid/1').catch(() => 0)</script>",
    "<link rel=stylesheet href=http://attacker.invalid/1>",
    "<style>body { background: url(http://attacker.invalid/1) }</style>",
    "<base href=http://attacker.invalid/><img src=1>",
    "<iframe src=//attacker.invalid/1></iframe>",
    "<link rel=prefetch href=http://attacker.invalid/1>",
    "<video poster=http://attacker.invalid/1></video>",
    "<script>new WebSocket('ws://attacker.invalid/1')</script>",
    "<script>navigator.sendBeacon('http://attacker.invalid/1')</script>",
)


def each_seen(browser: Chromium, pages: Sequence[str], headers: dict[str, str] | None = None) -> list[Seen]:
    """What is seen on each of these pages."""
    paths = {f"/{number}": page for number, page in enumerate(pages)}
    found = []
    with unsafe_site(paths, headers) as address, browser.window(address) as window:
        for path in paths:
            window.forget()
            window.open(path)
            window.page.wait_for_timeout(100)
            found.append(window.seen)
    return found


def seen_of(browser: Chromium, page: str, headers: dict[str, str] | None = None) -> Seen:
    return each_seen(browser, [page], headers)[0]


def test_whoever_lacks_the_browser_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CHROMIUM", raising=False)
    with pytest.raises(AssertionError, match="apt-get install chromium"):
        chromium_path()


def test_scripts_that_run_are_seen(browser: Chromium) -> None:
    assert [seen.hits for seen in each_seen(browser, RUN)] == [["1"]] * len(RUN)


def test_calls_to_elsewhere_are_seen(browser: Chromium) -> None:
    seen = [any("attacker.invalid" in one for one in seen.outbound) for seen in each_seen(browser, CALL)]
    assert dict(zip(CALL, seen, strict=True)) == dict.fromkeys(CALL, True)


def test_a_call_to_another_door_of_this_machine_is_seen(browser: Chromium) -> None:
    found = seen_of(browser, "<img src=http://127.0.0.1:9/1>").outbound
    assert found == ["http://127.0.0.1:9/1"]


def test_a_dialog_is_seen(browser: Chromium) -> None:
    assert seen_of(browser, "<script>alert('open')</script>").dialogs == ["open"]


def test_what_the_policy_forbids_is_seen(browser: Chromium) -> None:
    seen = seen_of(browser, "<p style='color: red'>x</p><script>__hit(1)</script>", STRICT)
    assert seen.hits == []
    assert [one for one in seen.errors if one.startswith("policy: script-src-elem forbids inline")]
    assert [one for one in seen.errors if one.startswith("policy: style-src-attr forbids inline")]


def test_a_script_that_fails_is_seen(browser: Chromium) -> None:
    assert any("planted" in one for one in seen_of(browser, "<script>throw Error('planted')</script>").errors)


def test_a_plain_page_leaves_nothing(browser: Chromium) -> None:
    assert seen_of(browser, "<!doctype html><title>x</title><p>Good morning.</p>").anything() == []


def test_a_page_that_is_too_wide_is_seen(browser: Chromium) -> None:
    pages = {"/": "<div style='width: 500px'>x</div>"}
    with unsafe_site(pages) as address, browser.window(address) as window:
        window.open("/")
        window.look("light", "wide")
        assert not window.is_too_wide()
        window.look("light", "phone")
        assert window.is_too_wide()


def test_grave_faults_are_seen_in_the_colours_that_are_shown(browser: Chromium) -> None:
    style = "@media (prefers-color-scheme: dark) { body { background: #111; color: #222 } }"
    pages = {
        "/": f"<!doctype html><html lang=en><title>x</title><style>{style}</style><main><h1>Hello</h1></main>"
    }
    with unsafe_site(pages) as address, browser.window(address) as window:
        window.open("/")
        window.look("light", "wide")
        assert window.grave_faults() == []
        window.look("dark", "wide")
        assert [one.split(" ")[0] for one in window.grave_faults()] == ["color-contrast"]
