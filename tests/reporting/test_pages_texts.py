"""Texts on pages: nothing hides in them, nothing in them is a tag, and long ones are folded."""

import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from interplay.reporting.pages.texts import (
    FOLDED,
    LEAST,
    LONGEST,
    LONGEST_MARKDOWN,
    LONGEST_PAGE,
    MARKDOWN_OF_A_PAGE,
    SHOWN_OF_A_RUN,
    TAGS,
    Piece,
    Words,
    marked_down,
    pieces,
    shown,
)

# signs of numbers and of old scripts that are seen, though Unicode counts them among what formats text
SEEN = {*range(0x600, 0x606), 0x6DD, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13440)}


def marks(text: str) -> list[str]:
    return [one.text for one in pieces(text) if one.name]


def test_what_turns_text_around_is_shown_by_its_code() -> None:
    assert list(pieces("pay \u202e001 euro")) == [
        Piece("pay "),
        Piece("U+202E", "right-to-left override"),
        Piece("001 euro"),
    ]
    assert "\u202e" not in shown("pay \u202e001")
    assert 'title="hidden in the text: right-to-left override">U+202E</span>' in shown("pay \u202e001")


@pytest.mark.parametrize(
    "code",
    [0x00, 0x07, 0x08, 0x0B, 0x1B, 0x7F, 0x85, 0x9B, 0xAD, 0x34F, 0x61C, 0x115F, 0x180E, 0x200B, 0x200E, 0x2028,
     0x2029, 0x2060, 0x2066, 0x2069, 0x206A, 0x2800, 0x3164, 0xE000, 0xFEFF, 0xFFA0, 0xFFF9, 0xE0041, 0xE0101, 0xF0000],
)  # fmt: skip
def test_what_is_not_seen_is_shown_by_its_code(code: int) -> None:
    assert marks(f"a{chr(code)}b") == [f"U+{code:04X}"]


def test_every_character_that_formats_or_controls_is_found() -> None:
    hidden = [
        code
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
        and code not in SEEN
        and chr(code) not in "\t\n"
    ]
    text = "".join(f"a{chr(code)}b" for code in hidden)
    assert marks(text) == [f"U+{code:04X}" for code in hidden]


def test_what_belongs_to_plain_writing_is_left_alone() -> None:
    for text in (
        "tab\tand\nline",
        "一二三",
        "नमस्ते",
        "مرحبا",
        "שלום",
        "é",
        "👩‍🚀 👍🏽 ❤️‍🔥",
        "می‌خواهم",
        "no\u00a0break",
    ):
        assert marks(text) == []
        assert "".join(one.text for one in pieces(text)) == text


def test_a_joiner_between_plain_letters_is_hidden_and_shown() -> None:
    assert marks("pass\u200dword") == ["U+200D"]
    assert marks("pass\u200cword\u200d") == ["U+200C", "U+200D"]


def test_line_ends_of_other_systems_are_line_ends() -> None:
    assert [one.text for one in pieces("one\r\ntwo")] == ["one\ntwo"]
    assert marks("one\rtwo") == ["U+000D"]


def test_many_hidden_characters_in_a_row_are_counted() -> None:
    found = list(pieces("a" + "\U000e0041" * 1000 + "b"))
    assert [one.text for one in found] == [
        "a",
        *["U+E0041"] * SHOWN_OF_A_RUN,
        f"{1000 - SHOWN_OF_A_RUN} more",
        "b",
    ]


@given(st.text())
def test_no_text_loses_what_can_be_seen_or_becomes_a_tag(text: str) -> None:
    found = shown(text)
    assert isinstance(found, Markup)
    bare = re.sub(r'<span class="odd" title="[^"<>]*">[^<>]*</span>', "", found)
    assert "<" not in bare and ">" not in bare
    plain = "".join(one.text for one in pieces(text) if not one.name)
    assert not any(unicodedata.category(one) in ("Cc", "Zl", "Zp") for one in plain if one not in "\t\n")


def test_a_long_text_is_folded_and_a_huge_one_is_cut() -> None:
    words = Words()
    short = words("so " * 100)
    assert short.rest is None and not short.left_out
    long = words("word " * 1_000)
    assert (
        long.rest is not None and len(long.head) + len(long.rest) == 5_000 and long.folded == len(long.rest)
    )
    assert long.head.endswith(" ")
    huge = words("x" * 100_000)
    assert huge.left_out == 100_000 - LONGEST
    assert len(huge.head) + len(huge.rest or "") == LONGEST


def test_the_texts_of_a_page_have_a_measure_together() -> None:
    words = Words(texts=1_000, size=1_000 * 100_000)
    assert words.most == LEAST
    assert Words(texts=100, size=100 * 100_000).most == LONGEST_PAGE // 100
    assert words("x" * 100_000).left_out == 100_000 - LEAST


def test_markdown_is_drawn_from_a_short_list_of_tags() -> None:
    text = "# Title\n\n**bold** and `code`\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
    text += "```py\nx < 1\n```\n\n> said"
    found = marked_down(text)
    tags = set(re.findall(r"</?([a-z0-9]+)", found))
    assert tags <= TAGS and {"strong", "code", "ul", "li", "table", "pre", "blockquote"} <= tags
    assert not re.search(r"<[a-z0-9]+ ", found)  # no attribute at all
    assert "x &lt; 1" in found


@pytest.mark.parametrize(
    "text",
    [
        "[x](javascript:alert(1))", "![x](http://attacker.invalid/1)", "<http://attacker.invalid>",
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>", "[x]: http://attacker.invalid\n\n[x]", "&lt;script&gt;alert(1)&lt;/script&gt;",
        "http://attacker.invalid/", '[x](<javascript:alert(1)> "y")', "<a href='x'>y</a>", "`<b>`",
        "<!-- x -->", "<![CDATA[x]]>",
        '\n<div style="x">\n\ny\n</div>', "| <script> |\n|---|\n| <img src=x> |",
    ],
)  # fmt: skip
def test_markdown_never_leads_anywhere(text: str) -> None:
    found = marked_down(text)
    assert set(re.findall(r"</?([a-z0-9]+)", found)) <= TAGS
    assert not re.search(r"<[a-z0-9]+[^>]*=", found)


@given(st.text(alphabet=st.sampled_from("<>&\"'`*_[](){}#|-~:/\\!\n =axsrchoipt\u202e\x00")))
def test_markdown_of_anything_has_only_tags_of_the_list(text: str) -> None:
    found = marked_down(text)
    assert set(re.findall(r"</?([a-zA-Z0-9]+)", found)) <= TAGS
    assert not re.search(r"<[^<>]*=", found)
    assert "\u202e" not in found and "\x00" not in found


def test_hidden_characters_are_visible_in_markdown_too() -> None:
    assert "⟦U+202E⟧" in marked_down("a **b\u202ec** d")


def test_long_texts_stay_text_in_markdown() -> None:
    words = Words(markdown=True)
    assert words("*so*").head == "<p><em>so</em></p>\n"
    assert not words("*" + "x" * LONGEST_MARKDOWN).is_markdown
    folded = words("*so*\n\n" + "word " * (FOLDED // 4))
    assert folded.is_markdown and folded.rest is not None and folded.head == "*so*"
    for _ in range(MARKDOWN_OF_A_PAGE // 10_000):
        words("y" * 10_000)
    assert not words("y" * 10_000).is_markdown


@pytest.mark.parametrize(
    "nasty", ["[" * 20_000, "> " * 10_000, "*a_" * 6_000, "`" * 20_000, "|" * 20_000, "- " * 10_000]
)
def test_markdown_that_nests_without_end_ends(nasty: str) -> None:
    assert isinstance(marked_down(nasty), Markup)
