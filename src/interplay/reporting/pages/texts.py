"""Texts on pages: what others wrote is text; what hides or turns text around is made visible; markdown is tamed."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

FOLDED = 3_000  # characters: a longer text is folded
HEAD = 2_400  # of a folded text, at most so many are in sight
LONGEST = 20_000  # of one text on a page; all of it is with the call
LONGEST_PAGE = 1_500_000  # of all texts of a page together
LEAST = 2_000  # of one text, however many there are
LONGEST_MARKDOWN = 10_000  # of one text: a longer one stays text
MARKDOWN_OF_A_PAGE = 100_000  # of all texts together: what comes after stays text
RUN = 6  # marks in a row: of more, the first few are shown
SHOWN_OF_A_RUN = 3

# What is not seen, or changes what is seen around it: controls but tab and new line, marks of direction, blanks without
# width, fillers, tags, selectors, private letters, halves of pairs. A selector of emoji (U+FE0F) hides nothing.
_ODD = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\U000f0000-\U0010ffff"
    "]"
)
_JOINERS = "\u200c\u200d"
_EMOJI_ADDED = "\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
_CONTROLS = {
    0: "null",
    8: "backspace",
    11: "vertical tab",
    12: "form feed",
    13: "carriage return",
    27: "escape",
}


@dataclass(frozen=True)
class Piece:
    """A piece of a text: as it is, or something hidden in it, by its code and its name."""

    text: str
    name: str = ""


def pieces(text: str) -> Iterator[Piece]:
    """The text in pieces, so that nothing in it is invisible or turns the rest around."""
    text = text.replace("\r\n", "\n")
    done, run = 0, 0
    for found in _ODD.finditer(text):
        at = found.start()
        if _joins(text, at):
            continue
        if at > done:
            yield from _more(run)
            yield Piece(text[done:at])
            run = 0
        done, run = at + 1, run + 1
        if run <= SHOWN_OF_A_RUN:
            yield _named(text[at])
    yield from _more(run)
    if done < len(text):
        yield Piece(text[done:])


def _more(run: int) -> Iterator[Piece]:
    if run > SHOWN_OF_A_RUN:
        yield Piece(f"{run - SHOWN_OF_A_RUN} more", "hidden characters in a row")


def _named(character: str) -> Piece:
    code = ord(character)
    name = unicodedata.name(character, "").lower() or _CONTROLS.get(code, "a character that is not seen")
    return Piece(f"U+{code:04X}", name)


def _joins(text: str, at: int) -> bool:
    """Does a joiner stand where it belongs: within an emoji, or between letters of a script that joins its letters?"""
    if text[at] not in _JOINERS or not 0 < at < len(text) - 1:
        return False
    before, after = text[at - 1], text[at + 1]
    if unicodedata.category(after) == "So" and (
        before in _EMOJI_ADDED or unicodedata.category(before) == "So"
    ):
        return text[at] == "\u200d"
    return all(
        "\u0600" <= one <= "\u1fff" and unicodedata.category(one)[0] in "LM" for one in (before, after)
    )


def shown(text: object) -> Markup:
    """A text as a page shows it: escaped, with a small box in the place of each hidden character."""
    text = str(text)
    if not _ODD.search(text):
        return escape(text)
    return Markup("").join(
        Markup('<span class="odd" title="hidden in the text: {}">{}</span>').format(one.name, one.text)
        if one.name
        else escape(one.text)
        for one in pieces(text)
    )


def visible(text: str) -> str:
    """The same where there can be no box: in a title, or in what is yet to be drawn."""
    return "".join(f"⟦{one.text}⟧" if one.name else one.text for one in pieces(text))


@dataclass(frozen=True)
class Shown:
    """A text as it is drawn: what is in sight, what is folded, and how much is left out."""

    head: Markup
    rest: Markup | None = None
    folded: int = 0  # characters of the rest
    left_out: int = 0  # characters
    is_markdown: bool = False


class Words:
    """How the texts of one page are shown, which have a measure together."""

    def __init__(self, *, markdown: bool = False, texts: int = 0, size: int = 0):
        self.markdown = markdown
        self.most = LONGEST if size <= LONGEST_PAGE else max(LEAST, LONGEST_PAGE // max(texts, 1))
        self._left = MARKDOWN_OF_A_PAGE

    def __call__(self, text: str) -> Shown:
        if self.markdown and len(text) <= min(LONGEST_MARKDOWN, self._left):
            self._left -= len(text)
            drawn = marked_down(text)
            if len(text) <= FOLDED:
                return Shown(drawn, is_markdown=True)
            return Shown(shown(_first_line(text)), drawn, len(text), is_markdown=True)
        kept, left_out = text[: self.most], max(0, len(text) - self.most)
        if len(kept) <= FOLDED:
            return Shown(shown(kept), left_out=left_out)
        cut = _where_to_cut(kept)
        return Shown(shown(kept[:cut]), shown(kept[cut:]), len(kept) - cut, left_out)


def _first_line(text: str) -> str:
    line = text.strip().partition("\n")[0]
    return line if len(line) <= 200 else f"{line[:200]}…"


def _where_to_cut(text: str) -> int:
    """After a line or a word that ends not long before the most that is in sight."""
    for end in ("\n", " "):
        found = text.rfind(end, HEAD // 2, HEAD)
        if found > 0:
            return found + 1
    return HEAD


TAGS = {
    "p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li",
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


@cache
def _markdown() -> MarkdownIt:
    made = MarkdownIt(
        "commonmark",
        {"html": False, "breaks": True, "linkify": False, "typographer": False, "maxNesting": 12},
    )
    made.enable(["table", "strikethrough"])
    made.disable(["link", "image", "autolink", "reference", "html_block", "html_inline", "entity"])
    # a text has no part in the page's own headings
    made.add_render_rule("heading_open", lambda *_: "<p><strong>")
    made.add_render_rule("heading_close", lambda *_: "</strong></p>\n")
    return made


def marked_down(text: str) -> Markup:
    """A text as markdown: without links, pictures, headings or attributes, and only with tags of a short list."""
    drawn = nh3.clean(
        _markdown().render(visible(text)), tags=TAGS, attributes={}, url_schemes=set(), link_rel=None
    )
    return Markup(drawn)  # noqa: S704  # nh3 has left nothing in it but tags of the list, without attributes
