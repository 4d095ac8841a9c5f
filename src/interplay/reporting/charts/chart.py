"""A chart: a Vega-Lite spec that knows no colours, its name, its title, and the sentence that stands for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from interplay.reporting.charts.words import in_full, short

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
WIDTH = 420  # pixels of a plot: narrow, so that its words can be read where a phone makes it smaller
MOST_ROWS = 25
MOST_IN_LINE = 80  # characters
Spec = dict[str, Any]


@dataclass(frozen=True)
class Chart:
    """What is drawn of a board. Its marks have styles, and its scales ranges, that a theme gives colours to."""

    name: str  # fit for an address, and the same for every board of the kind
    title: str
    alt: str  # what is to be seen, in sentences, with the main numbers
    spec: Spec


def whole(spec: Spec) -> Spec:
    return {"$schema": SCHEMA, **spec}


def layer(style: str, kind: str, encoding: Mapping[str, Any], **mark: Any) -> Spec:
    """Marks of one kind, in a style of the theme."""
    return {"mark": {"type": kind, "style": style, **mark}, "encoding": dict(encoding)}


def field(name: str, **more: Any) -> Spec:
    """A number of the data."""
    return {"field": name, "type": "quantitative", **more}


def word(name: str, **more: Any) -> Spec:
    """A text of the data."""
    return {"field": name, "type": "nominal", **more}


def heading(text: str) -> str:
    """A text in a line of its own."""
    return short(text, WIDTH, 12, most=MOST_IN_LINE)


def headline(text: str) -> Spec:
    """What stands above a plot, for want of room beside it."""
    return {"text": heading(text), "style": "headline", "frame": "group", "offset": 8}


def rows(count: int) -> Spec:
    """The y of plots whose rows are numbered from the top."""
    scale = {"domain": [0, count], "reverse": True, "nice": False, "zero": False}
    return field("row", scale=scale, axis=None)


def shown(count: int, of: int) -> str:
    """What is said where not all rows are drawn; empty where they are."""
    return f"the first {count} of {of}" if count < of else ""


def counted(count: int, what: str, order: str = "") -> str:
    """So many of something, and in which order they come."""
    return f"1 {what}" if count == 1 else f"{count} {what}s{f', {order}' if order else ''}"


def told_rows(told_of: Sequence[tuple[str, str]], most: int = 8) -> str:
    """Names with their numbers; of many, the first ones and the last."""
    named = [f"{in_full(name)} {number}" for name, number in told_of]
    if len(named) <= most:
        return "; ".join(named)
    left = len(named) - most
    return f"{'; '.join(named[: most - 1])}; {left} more; and last {named[-1]}"
