"""Small pieces of Markdown, and what can be told of a text of it."""

import re
from collections.abc import Iterable, Sequence

_HEADING = re.compile(r"^(#{1,5}) ", re.MULTILINE)
_FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a column in which no row has anything is left out."""
    lines = [[cell(text) for text in row] for row in rows]
    shown = [at for at, _ in enumerate(headings) if any(line[at] for line in lines)]
    titles = [headings[at] for at in shown]
    written = [titles, ["---"] * len(titles), *([line[at] for at in shown] for line in lines)]
    return "\n".join("| " + " | ".join(line) + " |" for line in written) + "\n"


def cell(text: str) -> str:
    """Text as one cell: on one line, no bar that would end it, no mark that would begin a tag outside of code."""
    text = " ".join(text.split()).replace("|", "\\|")
    kept = [found.span() for found in _CODE.finditer(text)]
    inside = {at for first, last in kept for at in range(first, last)}
    return "".join("&lt;" if one == "<" and at not in inside else one for at, one in enumerate(text))


def lowered(text: str, by: int) -> str:
    """The same text with its headings so many levels lower, and blocks of code as they are."""
    return "".join(
        part if is_code else _HEADING.sub(lambda found: "#" * by + found.group(), part)
        for is_code, part in in_parts(text)
    )


def in_parts(text: str) -> list[tuple[bool, str]]:
    """The text in parts, in order: is it a block of code, and what is in it."""
    parts, at = [], 0
    for found in _FENCE.finditer(text):
        parts += [(False, text[at : found.start()]), (True, found.group())]
        at = found.end()
    return [*parts, (False, text[at:])]


def without_title(text: str) -> str:
    """The text after its first heading."""
    first, _, rest = text.lstrip().partition("\n")
    if not first.startswith("# "):
        raise ValueError(f"a text begins with its title, not with {first[:60]!r}")
    return rest.lstrip("\n")
