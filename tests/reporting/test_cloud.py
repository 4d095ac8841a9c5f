"""A board of words is drawn as a cloud above its table in the report, and stays a table everywhere else."""

import re
from dataclasses import replace

import pytest

from interplay.benchmarks import find
from interplay.core.board import Board, Cell, Column
from interplay.reporting.html import board_as_html, report
from interplay.reporting.markdown import board_as_markdown
from interplay.reporting.pages.drawing import assets
from interplay.reporting.pages.tables import SIZES
from tests.reporting.exported import Played
from tests.reporting.test_html import LOADING, PAYLOADS, Page

BENCHMARK = find("role_play")
COLUMNS = (Column("word", "word", "what was said", "text"), Column("count", "count", "how often", "count"))


def cloud_of(**counts: Cell) -> Board:
    return Board(
        "Words", COLUMNS, tuple({"word": word, "count": count} for word, count in counts.items()), cloud=True
    )


def page_of(part: Board, played: Played) -> str:
    board = Board("Main", (Column("model", "model", "who", "text"),), ({"model": "m"},), parts=(part,))
    return report(board, *played, BENCHMARK)


def drawn_in(page: str) -> list[tuple[str, int]]:
    """The words of the cloud with their sizes, as the page has them."""
    found = re.search(r'<div class="cloud" aria-hidden="true">(.*?)</div>', page, re.DOTALL)
    spans = re.findall(r'<span class="size-(\d)">(.*?)</span>', found[1], re.DOTALL) if found else []
    return [(word, int(size)) for size, word in spans]


def test_words_are_sized_by_their_count_and_stand_by_the_alphabet(played: Played) -> None:
    drawn = drawn_in(page_of(cloud_of(vague=100, aloof=1, slow=25, dull=50), played))
    assert drawn == [("aloof", 1), ("dull", 4), ("slow", 3), ("vague", SIZES)]


def test_the_table_stands_below_the_cloud(played: Played) -> None:
    page = page_of(cloud_of(vague=3, dull=1), played)
    assert page.index('<div class="cloud"') < page.index("<bdi>vague</bdi></th>")


@pytest.mark.parametrize(
    "counts", [{"one": 1}, {"one": 7, "other": 7}, {"one": None}, {"one": 0, "other": 0}]
)
def test_words_that_came_equally_often_are_of_one_size(counts: dict[str, Cell], played: Played) -> None:
    assert drawn_in(page_of(cloud_of(**counts), played)) == [(word, 3) for word in sorted(counts)]


def test_other_boards_and_empty_clouds_are_not_drawn(played: Played) -> None:
    for part in (replace(cloud_of(vague=3), cloud=False), cloud_of()):
        assert '<div class="cloud"' not in page_of(part, played)


def test_the_pages_style_has_every_size() -> None:
    style = assets()["style.css"][0].decode()
    assert sorted(re.findall(r"\.size-(\d) \{", style)) == [str(size) for size in range(1, SIZES + 1)]
    rules = re.findall(r"\.(?:cloud|size-\d) \{([^}]*)\}", style)
    colours = {colour for rule in rules for colour in re.findall(r"(?:color|background): ([^;]+);", rule)}
    assert colours == {"var(--soft)", "var(--blue)", "var(--card)"}, "each is set for light and for dark"


def test_hostile_words_stay_words(played: Played) -> None:
    board = Board(
        "Words", COLUMNS, tuple({"word": word, "count": n} for n, word in enumerate(PAYLOADS)), cloud=True
    )
    text = page_of(board, played)
    page = Page(text)
    assert not {tag for tag, _ in page.tags} & LOADING
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    inside = text[text.index('<div class="cloud"') :]
    inside = inside[: inside.index("</div>")]
    assert [tag for tag, _ in Page(inside).tags] == ["div", *["span"] * len(PAYLOADS)]
    assert not [attributes for _, attributes in Page(inside).tags if "style" in attributes]
    for word in PAYLOADS:
        assert word in Page(inside).text


def test_elsewhere_a_cloud_is_its_table(played: Played) -> None:
    part = cloud_of(vague=3)
    board = Board("Main", (Column("model", "model", "who", "text"),), ({"model": "m"},), parts=(part,))
    flat = replace(board, parts=(replace(part, cloud=False),))
    assert board_as_html(board) == board_as_html(flat)
    _, run = played
    assert board_as_markdown(board, run, BENCHMARK) == board_as_markdown(flat, run, BENCHMARK)
    assert board.as_json() == flat.as_json()
