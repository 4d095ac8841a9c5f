"""A board as Markdown: every text is shown as it is, and none is a mark, a tag, a link or the end of a cell."""

import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from interplay.benchmarks import find
from interplay.core.board import Board, Column, Estimate
from interplay.reporting.markdown import as_text, board_as_markdown
from interplay.reporting.writing import readable
from interplay.store.records import Run

READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
RUN = Run(1, "role_play-1", "role_play", {}, {}, b"secret", "2026-01-02T03:04:05+00:00")
PAYLOADS = [
    "<script>alert(1)</script>",
    "</td></table><img src=x onerror=alert(1)>",
    "<https://evil.example>",
    "[a](https://evil.example)",
    "![a](https://evil.example/x.png)",
    "[a](/b) ![c](/d) [e](javascript:alert(1))",
    "[a]: https://evil.example",
    "[^1] [x][y] [ ]",
    "https://evil.example www.evil.example evil.example mail@evil.example",
    "@everyone #12 org/repo#3 www.1.2 WWW.3",
    "a | b || c \\| d \\\\| e \\",
    "` `` ``` ~~~ ~~x~~ `a` `b|c` \\`d",
    "*a* **b** _c_ __d__ ***",
    "a`b@c.example|d\\e@f.example`",
    "(see www.evil.example).",
    "&lt;b&gt; &amp; &#124; &nbsp;",
    "$x$ and $$y$$",
    "- item",
    "+ item",
    "* item",
    "-",
    "---",
    "- - -",
    "1. item",
    "23) item",
    "1.",
    "# heading #",
    "> quote",
    "=== ",
    "    code",
    "|---|---|",
    "a\n\n# heading\n\n| b | c |\n|---|---|\n| d | e |\n",
    "a\r\nb\rc\u2028d\u2029e\x85f\x0bg\th",
    "\x1b[31m red \x9b \u202e turned \u2066 \x00 \x07",
    "{{ 7 * 7 }} {% x %}",
    "привет 🙂 日本語 ﷽",
    "",
    " ",
]


def shown(tokens: list[Token]) -> str:
    """What a reader sees, once it is sure that there is nothing but text and code."""
    for token in tokens:
        assert token.type in ("text", "code_inline"), token
    return "".join(token.content for token in tokens)


def plain(text: str) -> str:
    return " ".join(readable(" ".join(text.split())).split())


def inline(source: str) -> list[Token]:
    found = [token for token in READER.parse(source) if token.type == "inline"]
    return [child for token in found for child in token.children or []]


def kinds(source: str) -> list[str]:
    return [token.type for token in READER.parse(source)]


def for_all_texts(test: Any) -> Any:
    for payload in PAYLOADS:
        test = example(payload)(test)
    marks = st.text(st.sampled_from("-+*_#>|`\\<>&[]()!~$@:/.=1 \n\tawx\u202e"), max_size=30)
    return settings(deadline=None)(given(st.text() | marks)(test))


@for_all_texts
def test_a_text_is_shown_as_it_is_in_a_list_a_heading_and_a_paragraph(text: str) -> None:
    written, seen = as_text(text), plain(text)
    assert "\n" not in written
    assert shown(inline(f"- {written}")) == seen
    assert shown(inline(f"# {written}")) == seen
    assert shown(inline(written)) == seen
    around = ["bullet_list_open", "list_item_open", "list_item_close", "bullet_list_close"]
    if seen:
        around[2:2] = ["paragraph_open", "inline", "paragraph_close"]
        assert kinds(written) == ["paragraph_open", "inline", "paragraph_close"]
    assert kinds(f"- {written}") == around


@for_all_texts
def test_a_text_is_one_cell_of_a_table(text: str) -> None:
    written = as_text(text)
    source = f"| {written} | b |\n| --- | --- |\n| {written} | {written} |\n"
    cells = [token for token in READER.parse(source) if token.type == "inline"]
    assert kinds(source).count("td_open") == kinds(source).count("th_open") == 2
    assert [shown(cell.children or []) for cell in cells] == [plain(text), "b", plain(text), plain(text)]


@for_all_texts
def test_outside_of_code_nothing_is_left_to_make_a_link_or_a_mention_of(text: str) -> None:
    outside = re.sub(r"`[^`]*`", "", as_text(text)).replace("&#", "")
    assert not re.search(r"[@#]|://|www\.", outside, re.IGNORECASE)


def test_a_long_run_of_anything_is_read_in_one_go() -> None:
    for piece in ("a", "|", "`", "\\", "-", "@", "www.", "a.b", ")", "\x1b"):
        assert len(as_text(piece * 300_000)) < 3_000_000


@pytest.mark.parametrize(
    "text", ["openai/gpt-4o", "gpt-4.1-mini", "clip(1 + 0.07, 0.93)", "Qwen2.5-7B: 4.5%"]
)
def test_an_ordinary_text_is_written_as_it_is(text: str) -> None:
    assert as_text(text) == text


def test_what_could_become_a_link_is_code_and_the_full_stop_after_it_is_not() -> None:
    assert as_text("judged by a@b (see models.toml).") == "judged by `a@b` (see `models.toml`)."


def test_a_board_is_written_with_its_intervals_its_meanings_and_its_notes() -> None:
    columns = (
        Column("model", "model", "who", "text"),
        Column("score", "LN score", "how good", "score", (1.0, 5.0)),
        Column("share", "refused", "a part", "share"),
        Column("n", "n", "how many", "count"),
        Column("cost", "cost $", "money", "money"),
    )
    first = {
        "model": "a_b",
        "score": Estimate(4.213, 4.02, 5.4, 9),
        "share": Estimate(0.1, -0.01, 0.25, 9),
        "n": 1234,
        "cost": None,
    }
    second = {
        "model": "x|y",
        "score": Estimate(-0.5, None, None, 1),
        "share": Estimate(None, None, None, 0),
        "n": None,
        "cost": 0.5,
    }
    board = Board("a | title", columns, (first, second), ("a note", "- another\nnote"))
    assert board_as_markdown(board, RUN, find("role_play")) == (
        "# a &#124; title\n\n"
        f"{find('role_play').meaning}. Run role\\_play-1, begun 2026-01-02T03:04:05+00:00.\n\n"
        "| model | LN score | refused | n | cost \\$ |\n"
        "| --- | ---: | ---: | ---: | ---: |\n"
        "| a\\_b | 4.21 [4.02, 5.00] | 10% [0%, 25%] | 1,234 | unknown |\n"
        "| x&#124;y | -0.50 (no interval) | – | – | 0.50 |\n\n"
        "## What the columns mean\n\n"
        "- **model**: who\n- **LN score**: how good\n- **refused**: a part\n- **n**: how many\n"
        "- **cost \\$**: money\n\n"
        "## Notes\n\n"
        "- a note\n- \\- another note\n"
    )


def test_further_tables_follow_under_headings_of_their_own() -> None:
    name, topic = (
        Column("model", "model", "who", "text"),
        Column("food", "food", "how good", "score", heat=True),
    )
    part = Board("by | topic", (name, topic), ({"model": "a_b", "food": 0.25},), ("a note",))
    text = board_as_markdown(Board("t", (name,), ({"model": "a_b"},), parts=(part,)), RUN, find("role_play"))
    assert text.endswith(
        "## by &#124; topic\n\n"
        "| model | food |\n| --- | ---: |\n| a\\_b | 0.25 |\n\n"
        "### What the columns mean\n\n- **model**: who\n- **food**: how good\n\n"
        "### Notes\n\n- a note\n"
    )


def test_hostile_texts_change_nothing_of_the_shape() -> None:
    hostile = "\n".join(PAYLOADS)
    columns = (Column("model", hostile, hostile, "text"), Column("n", "n", "how many", "count"))
    board = Board(hostile, columns, ({"model": hostile, "n": 1},), (hostile,))
    text = board_as_markdown(board, RUN, find("role_play"))
    found = kinds(text)
    assert [found.count(one) for one in ("heading_open", "table_open", "bullet_list_open")] == [3, 1, 2]
    assert [found.count(one) for one in ("tr_open", "td_open", "list_item_open")] == [2, 2, 3]
    assert not {"html_block", "fence", "code_block", "hr", "blockquote_open", "ordered_list_open"} & set(
        found
    )
    assert {token.type for token in inline(text)} <= {"text", "code_inline", "strong_open", "strong_close"}
    assert "<" not in re.sub(r"`[^`]*`", "", text)


def test_a_board_without_notes_has_no_heading_for_them() -> None:
    board = Board("t", (Column("model", "model", "who", "text"),), ())
    assert "Notes" not in board_as_markdown(board, RUN, find("role_play"))
