"""Everything by keyboard: along a page, on boards, through conversations, and from label to label."""

import pytest
from playwright.sync_api import Page, expect

from interplay.store.rounds import Rounds
from tests.browser.conftest import Opened
from tests.web.furnished import Furnished
from tests.web.served import Served

WATCH_FOCUS = """() => {
  window.reached = new Set();
  document.addEventListener('focusin', event => window.reached.add(event.target), true);
}"""
LEFT_OUT = """() => {
  const kinds = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]';
  const groups = new Set([...window.reached].filter(one => one.type === 'radio').map(one => one.name));
  return [...document.querySelectorAll(kinds)]
    .filter(one => one.checkVisibility({visibilityProperty: true}) && !one.disabled && !window.reached.has(one))
    .filter(one => !(one.type === 'radio' && groups.has(one.name)))
    .map(one => one.outerHTML.slice(0, 160));
}"""
UNSEEN_FOCUS = """() => {
  const one = document.activeElement;
  const styles = [one, one.closest('label')].filter(Boolean).map(part => getComputedStyle(part));
  const isSeen = styles.some(style => style.outlineStyle !== 'none' || style.boxShadow !== 'none');
  return isSeen || one === document.body ? '' : one.outerHTML.slice(0, 160);
}"""
ADDRESSES = {
    "home": "/",
    "board": "/boards/role_play/",
    "run": "/runs/{role_play}/",
    "conversations": "/runs/{role_play}/conversations/",
    "conversation": "/runs/{role_play}/conversations/1/",
    "compare": "/runs/{role_play}/compare/",
    "call": "/calls/1/",
    "rounds": "/labels/?run={role_play}",
    "round": "/labels/{round}/",
    "item": "/label/{rater}/2/",
    "new game": "/games/new/?benchmark=role_play",
    "game": "/games/{game}/",
}


def address(name: str, f: Furnished) -> str:
    return ADDRESSES[name].format(
        role_play=f.runs["role_play"], round=f.rounds[0], rater=f.passes["rater"], game=f.games["role_play"]
    )


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


@pytest.mark.parametrize("name", ADDRESSES)
def test_the_key_tab_reaches_everything_and_shows_where_it_is(
    served: Served, furnished: Furnished, window: Opened, name: str
) -> None:
    with window(served) as opened:
        page = opened.page
        opened.open(address(name, furnished))
        page.evaluate(WATCH_FOCUS)
        press(page, "Tab")
        expect(page.locator("a.skip")).to_be_focused()
        expect(page.locator("a.skip")).to_be_in_viewport()
        unseen = []
        for _ in range(400):
            press(page, "Tab")
            unseen.append(page.evaluate(UNSEEN_FOCUS))
            if page.evaluate("document.activeElement === document.body"):
                break
        assert page.evaluate(LEFT_OUT) == []
        assert [one for one in unseen if one] == []
        assert page.locator('[tabindex]:not([tabindex="0"]):not([tabindex="-1"])').count() == 0


def test_the_first_link_leads_past_the_bar(served: Served, furnished: Furnished, window: Opened) -> None:
    with window(served) as opened:
        opened.open("/")
        press(opened.page, "Tab", "Enter")
        expect(opened.page.locator("main")).to_be_focused()
        press(opened.page, "Tab")
        assert opened.page.evaluate("document.querySelector('main').contains(document.activeElement)")


def column(page: Page, key: str) -> list[float]:
    """The numbers of a column of the first board, from the top."""
    return [
        float(one)
        for one in page.evaluate(
            """key => {
              const table = document.querySelector('table[data-sorts]');
              const at = [...table.tHead.rows[0].cells].findIndex(one => one.dataset.key === key);
              return [...table.tBodies[0].rows].map(row => row.cells[at].dataset.value);
            }""",
            key,
        )
    ]


def test_a_board_is_sorted_found_in_and_cut_down(served: Served, window: Opened) -> None:
    with window(served) as opened:
        page = opened.page
        opened.open("/boards/role_play/")
        first = column(page, "aggregate")
        head = page.locator('table[data-sorts] th[data-key="aggregate"]').first
        head.locator("button").focus()
        press(page, "Enter")
        expect(head).to_have_attribute("aria-sort", "descending")
        assert column(page, "aggregate") == sorted(first, reverse=True)
        press(page, "Enter")
        expect(head).to_have_attribute("aria-sort", "ascending")
        assert column(page, "aggregate") == sorted(first)
        press(page, "Space")
        assert head.get_attribute("aria-sort") is None
        assert column(page, "aggregate") == first
        page.get_by_role("searchbox", name="Find").first.focus()
        page.keyboard.type("ALDER")
        assert page.locator("table[data-sorts]").first.locator("tbody tr:visible").count() == 1
        page.locator("summary", has_text="Columns").first.focus()
        press(page, "Enter", "Tab", "Space")
        chosen = page.locator("table[data-sorts]").first.locator("thead th:visible").count()
        press(page, "Space")
        assert (
            page.locator("table[data-sorts]").first.locator("thead th:visible").count() == chosen + 1
            or chosen > 1
        )
        press(page, "Escape")
        assert page.locator("details:has(> .choices)").first.get_attribute("open") is None
        assert opened.seen.anything() == []


def test_a_conversation_is_read_from_turn_to_turn(
    served: Served, furnished: Furnished, window: Opened
) -> None:
    with window(served) as opened:
        page = opened.page
        opened.open(address("conversation", furnished))
        here = page.locator('.turn[aria-current="true"]')
        press(page, "j")
        expect(here).to_have_count(1)
        first = here.get_attribute("id")
        press(page, "j")
        second = here.get_attribute("id")
        assert second not in (None, first)
        expect(here).to_be_focused()
        assert page.url.endswith(f"#{second}")
        press(page, "k")
        assert here.get_attribute("id") == first
        press(page, "Shift+?")
        expect(page.get_by_role("dialog")).to_be_visible()
        press(page, "j")
        assert here.get_attribute("id") == first
        press(page, "Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()
        press(page, "s")
        page.wait_for_url("**seat=**")
        opened.open(address("conversation", furnished))
        press(page, "n")
        page.wait_for_url(lambda url: "/conversations/1/" not in url)
        press(page, "p")
        page.wait_for_url("**/conversations/1/**")
        assert opened.seen.anything() == []


def test_labels_are_given_by_digits_and_enter(served: Served, furnished: Furnished, window: Opened) -> None:
    with window(served) as opened:
        page = opened.page
        opened.open(f"/label/{furnished.passes['rater']}/2/")
        asked = page.locator("[data-asked]")
        said = []
        for number in range(asked.count()):
            ends = asked.nth(number).locator("input[type=radio]")
            said.append(ends.last.get_attribute("value") or "")
            press(page, said[-1][-1])
            expect(asked.nth(number).locator("input:checked")).to_have_value(said[-1])
        press(page, "Enter")
        page.wait_for_url("**/3/")
        expect(page.locator("h1")).to_contain_text("3")
        with Rounds(furnished.store_path) as rounds:
            round = rounds.find(furnished.rounds[0])
            assert round is not None
            kept = rounds.said(round, "ruth", 2)
        assert [kept[question.name][-1].value for question in round.questions] == [float(one) for one in said]
        press(page, "b")
        page.wait_for_url("**/2/")
        assert page.locator("[data-asked] input:checked").count() == len(said)
        assert opened.seen.anything() == []
