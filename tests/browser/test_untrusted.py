"""Texts that would do harm, in every place where somebody else's text shows: nothing runs, nothing is asked for."""

from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

from interplay.benchmarks import find
from interplay.reporting.html import write_report
from interplay.reporting.site import write_site
from interplay.running.results import board_of
from interplay.store.records import Records
from interplay.web.entries import Entry
from interplay.web.everything import ENTRIES
from tests.browser.chromium import Chromium, Window
from tests.browser.conftest import Opened
from tests.browser.payloads import HOST, PAYLOADS, numbers_in
from tests.browser.poisoned import Poisoned, poisoned
from tests.browser.unsafe import unsafe_site
from tests.web.examples import EXAMPLES
from tests.web.served import Served, serving_apart

ALL = set(range(1, len(PAYLOADS) + 1))
MOST_FILES = 40  # of a site of files are opened
# What no page of ours has, whoever wrote its texts: elements that load or run, handlers, addresses that are code
AUDIT = """host => [...document.querySelectorAll('*')].flatMap(one => {
  const faults = [], name = one.localName;
  if (/^(iframe|frame|object|embed|base|style|portal|template|marquee)$/.test(name)) faults.push(name);
  if (name === 'script' && !/\\/[\\w.-]+\\.js$/.test(one.src)) faults.push(name);
  if (name === 'meta' && /refresh/i.test(one.httpEquiv)) faults.push(name);
  for (const {name: key, value} of one.attributes) {
    if (/^on/i.test(key)) faults.push(key);
    if (!/^(href|src|srcset|action|formaction|poster|data|background|ping|cite|xlink:href)$/.test(key)) continue;
    const address = new URL(value.trim().split(/\\s/)[0], document.baseURI);
    if (!/^(https?|file):$/.test(address.protocol) || address.host.includes(host)) faults.push(key + '=' + value);
  }
  return faults.map(fault => fault + ' in ' + one.outerHTML.slice(0, 200));
})"""


@pytest.fixture(scope="module")
def poison(tmp_path_factory: pytest.TempPathFactory) -> Poisoned:
    return poisoned(tmp_path_factory.mktemp("poisoned"))


@pytest.fixture(scope="module")
def unkind(poison: Poisoned) -> Iterator[Served]:
    """The site over the poisoned store."""
    with serving_apart(poison.furnished.store_path) as found:
        yield found


def look(opened: Window, address: str, *, is_error: bool = False) -> set[int]:
    """Open a page, find nothing wrong with it, and say which payloads it shows."""
    opened.forget()
    status = opened.open(address)
    assert status < 500, (address, opened.page.content()[:500])
    assert is_error or status in (0, 200), (address, status)
    opened.page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))")
    assert opened.page.evaluate(AUDIT, HOST) == [], address
    seen = [one for one in opened.seen.anything() if not (is_error and "Failed to load resource" in one)]
    assert seen == [], address
    return numbers_in(opened.page.evaluate("document.documentElement.textContent"))


def conversations(p: Poisoned, **view: str) -> list[str]:
    f = p.furnished
    with Records(f.store_path) as records:
        runs = [*f.runs.values(), f.faulty, f.games["simulation"], p.named]
        numbers = {run: [row.number for row in records.conversations(records.find(run))] for run in runs}
    many = {f.runs["role_play"]: 6, p.named: 8}
    found = [
        f"/runs/{run}/conversations/{number}/" for run in runs for number in numbers[run][: many.get(run, 2)]
    ]
    return [f"{one}?{urlencode(view)}" for one in found] if view else found


def calls(p: Poisoned) -> list[str]:
    f = p.furnished
    kinds = {number for run in f.calls for number in f.calls[run]}
    return [f"/calls/{number}/" for number in sorted(kinds | set(range(1, 12)))]


def of_examples(*paths: str) -> Callable[[Poisoned], list[str]]:
    return lambda p: [address for path in paths for address in EXAMPLES[path](p.furnished)]


def of_names(p: Poisoned) -> list[str]:
    """The pages of the run in which names are poisoned, too."""
    run, model = f"/runs/{p.named}", quote(p.models[0], safe="")
    two = {"a": p.models[0], "b": p.models[1]}
    with Records(p.furnished.store_path) as records:
        scenario = records.conversations(records.find(p.named))[0].scenario.id
    return [
        *("/", "/?all=1", "/boards/role_play/", "/labels/", f"/labels/?run={p.named}", "/games/"),
        *(f"{run}/", f"{run}/progress/", f"{run}/conversations/", f"{run}/faults/"),
        *(f"{run}/numbers/{model}/{column}/" for column in ("aggregate", "rank", "void")),
        *(f"{run}/charts/{name}-light.svg" for name in ("score", "criteria", "judges")),
        *(f"{run}/compare/?{urlencode(two)}", f"{run}/compare/?{urlencode({**two, 'scenario': scenario})}"),
        *(f"/labels/{p.round}/", f"/labels/{p.round}/progress/", f"/labels/{p.round}/agreement/"),
        *(f"/api{run}", f"/api{run}/board", f"/api{run}/conversations"),
    ]


def of_labels(p: Poisoned) -> list[str]:
    return [
        *(f"/label/{secret}/" for secret in p.raters),
        *(f"/label/{p.raters[0]}/{place}/" for place in range(1, 5)),
        *of_examples("/label/{secret}/", "/label/{secret}/{place:int}/")(p),
    ]


VIEWS: dict[
    str, tuple[Callable[[Poisoned], list[str]], bool]
] = {  # with whether all payloads must be seen there
    "conversations": (conversations, True),
    "conversations as markdown": (lambda p: conversations(p, text="markdown"), False),
    "as the player": (
        lambda p: conversations(p, seat="player")[:3] + conversations(p, seat="player")[-3:],
        True,
    ),
    "as the interrogator": (lambda p: conversations(p, seat="interrogator", text="markdown")[:6], False),
    "one step": (lambda p: conversations(p, step="2")[:3], False),
    "calls": (calls, True),
    "side by side": (of_examples("/runs/{run}/compare/"), False),
    "names": (of_names, False),
    "boards": (of_examples("/boards/{benchmark}/", "/runs/{run}/", "/runs/{run}/faults/"), False),
    "labels": (of_labels, False),  # which of them are drawn is chance
    "play": (of_examples("/games/", "/games/new/", "/games/{run}/", "/play/{secret}/"), False),
    "for programs": (of_examples("/api/conversations/{number:int}", "/api/calls/{number:int}"), False),
}


def test_what_no_page_has_is_found_where_it_is(browser: Chromium) -> None:
    pages = {
        "/": "<a href=javascript:0>x</a><p onclick=x>y</p><img srcset='//attacker.invalid/1 2x'><base target=x>"
    }
    with unsafe_site(pages) as address, browser.window(address) as opened:
        opened.open("/")
        found = opened.page.evaluate(AUDIT, HOST)
    assert [one.split(" ")[0] for one in found] == [
        "href=javascript:0",
        "onclick",
        "srcset=//attacker.invalid/1",
        "base",
    ]


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_runs_and_nothing_is_asked_for(
    unkind: Served, poison: Poisoned, window: Opened, view: str
) -> None:
    addresses, shows_all = VIEWS[view]
    shown: set[int] = set()
    with window(unkind) as opened:
        for address in addresses(poison):
            shown |= look(opened, address)
    assert shown, "the view shows no payload: it proves nothing"
    assert not shows_all or shown == ALL, sorted(ALL - shown)


def asked_with(entry: Entry, payload: str, p: Poisoned) -> str:
    """An address of an entry in which something is a payload: a part of the path, or a field of the query."""
    found = EXAMPLES[entry.path](p.furnished)[0].partition("?")[0]
    if entry.query:
        return f"{found}?{urlencode({one.name: payload for one in entry.query if not one.number})}"
    parts = found.rstrip("/").split("/")
    return "/".join([*parts[:-1], quote(payload, safe="")]) + ("/" if found.endswith("/") else "")


def test_what_was_typed_comes_back_as_text(unkind: Served, poison: Poisoned, window: Opened) -> None:
    pages = [
        one
        for one in ENTRIES
        if one.method == "GET" and "owner" in one.who and "{" in one.path + "{" * len(one.query)
    ]
    echoed = 0
    with window(unkind) as opened:
        for number, payload in enumerate(PAYLOADS):
            address = asked_with(pages[number % len(pages)], payload, poison)
            answer = unkind.ask(address)
            assert answer.status < 500, (address, answer.text)
            assert (
                "<" not in payload or payload not in answer.text or "json" in answer.headers["content-type"]
            ), address
            if escape(payload[:20]) in answer.text and number % 3 == 0:
                look(opened, address, is_error=True)
                echoed += 1
    assert echoed > 10


def test_a_site_of_files_is_as_safe(poison: Poisoned, browser: Chromium, tmp_path: Path) -> None:
    site, f = tmp_path / "site", poison.furnished
    with Records(f.store_path) as records:
        runs = [records.find(run) for run in (poison.named, f.runs["role_play"], f.faulty)]
        write_site(site, records, runs, most=12, tell=lambda line: None)
    pages = sorted(site.rglob("*.html"))
    shown: set[int] = set()
    with browser.window(site.as_uri()) as opened:
        for page in pages[:: 1 + len(pages) // MOST_FILES]:
            shown |= look(opened, f"/{quote(page.relative_to(site).as_posix())}")
        opened.open("/search/index.html")
        opened.page.get_by_role("searchbox").fill("hit")
        opened.page.wait_for_timeout(300)
        assert opened.page.evaluate(AUDIT, HOST) == []
        assert opened.seen.anything() == []
    assert shown == ALL


def test_a_report_in_one_file_is_as_safe(poison: Poisoned, browser: Chromium, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    with Records(poison.furnished.store_path) as records:
        run = records.find(poison.named)
        benchmark = find(run.benchmark)
        write_report(file, board_of(records, run, benchmark), records, run, benchmark)
    with browser.window(tmp_path.as_uri()) as opened:
        opened.open("/report.html")
        faults = opened.page.evaluate(AUDIT, HOST)
        assert [one for one in faults if not one.startswith("style in <style>")] == []
        assert len(faults) == 1  # its own style sheet, which its policy knows by digest
        assert opened.seen.anything() == []
        assert numbers_in(opened.page.evaluate("document.body.textContent")) == ALL
