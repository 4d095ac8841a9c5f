"""Themes: the colours of the pages for charts, light and dark, and the styles that marks are drawn in."""

from dataclasses import dataclass
from typing import Any

FONT = "system-ui, sans-serif"
SIZE, SMALL = 13, 12
STEPS = 12  # of heat: each has its own colour of text


@dataclass(frozen=True)
class Colours:
    """The colours of a page, and those of charts that fit them and can be told apart by the colour-blind."""

    ink: str
    soft: str
    line: str
    card: str
    blue: str
    series: tuple[str, ...]  # the last is a grey
    on_series: str  # text on one of these
    cold: str  # the ends of a heat map
    hot: str


LIGHT = Colours(
    "#1c1e21", "#6a6f76", "#dcdcd6", "#ffffff", "#2a5fa5",
    ("#2a5fa5", "#c8550b", "#00866b", "#b0629a", "#977000", "#4592c4", "#5d4a38", "#757b83"),
    "#ffffff", "#eef3fa", "#1f4f8f",
)  # fmt: skip
DARK = Colours(
    "#e6e6e3", "#9aa0a8", "#33373d", "#1d2024", "#86b4f0",
    ("#86b4f0", "#ee8f52", "#3fc29c", "#e2a2cb", "#e6c14b", "#c3e6fb", "#bfa58c", "#8b9199"),
    "#14171b", "#222f3f", "#86b4f0",
)  # fmt: skip
# Which of the series' colours parts of a whole have, in the order in which a chart names them.
RANGES = {"endings": (0, 4, 1, 3, 5, 6, 7, 2), "sides": (0, 7, 1), "tellers": (0, 2, 7)}


def theme(dark: bool) -> dict[str, Any]:
    """The renderer's configuration. It must never cut a text itself: it would cut characters in two, and fail."""
    colours = DARK if dark else LIGHT
    quiet = {
        "labelColor": colours.soft, "labelFontSize": SMALL, "labelLimit": 0,
        "titleColor": colours.soft, "titleFontSize": SMALL, "titleLimit": 0, "titleFontWeight": "normal",
        "aria": False,  # the picture has a text of its own beside it
    }  # fmt: skip
    ranges = {name: [colours.series[place] for place in places] for name, places in RANGES.items()}
    return {
        "background": None,
        "padding": 6,
        "font": FONT,
        "mark": {"aria": False},
        "view": {"stroke": None},
        "axis": {**quiet, "gridColor": colours.line, "domain": False, "ticks": False, "labelPadding": 6,
                 "titlePadding": 8, "labelFlush": False},
        "legend": {**quiet, "labelColor": colours.ink, "symbolSize": 90, "symbolStrokeWidth": 0, "orient": "top",
                   "columnPadding": 16, "rowPadding": 4, "offset": 10, "titlePadding": 6},
        "title": {"color": colours.ink, "fontSize": SMALL, "fontWeight": 600, "limit": 0, "anchor": "start"},
        "range": {
            **ranges,
            "category": list(colours.series),
            "ramp": [colours.cold, colours.hot],
            "numbers": [_on_heat(colours, (step + 0.5) / STEPS) for step in range(STEPS)],
        },
        "style": {**_texts(colours), **_marks(colours)},
    }  # fmt: skip


def _texts(colours: Colours) -> dict[str, Any]:
    text = {"font": FONT, "fontSize": SIZE, "baseline": "alphabetic", "limit": 0}
    small = {**text, "fontSize": SMALL}
    inside = {**text, "fontSize": 11, "align": "center", "baseline": "middle"}
    return {
        "name": {**text, "color": colours.ink, "align": "left"},
        "value": {**text, "color": colours.ink, "fontWeight": 600, "align": "right"},
        "note": {**small, "color": colours.soft, "align": "right"},
        "mark_number": {**inside, "fontSize": SMALL, "color": colours.ink, "fontWeight": 600},
        "cell_number": inside,
        "part_number": {**inside, "color": colours.on_series},
        "headline": {
            "font": FONT,
            "fill": colours.soft,
            "fontSize": SMALL,
            "fontWeight": "normal",
            "limit": 0,
        },
    }


def _marks(colours: Colours) -> dict[str, Any]:
    thin = {"strokeWidth": 2, "strokeOpacity": 0.5, "strokeCap": "round"}
    dot = {"filled": True, "opacity": 1, "stroke": colours.card}
    return {
        "interval": {"color": colours.blue, "strokeWidth": 6, "strokeOpacity": 0.4, "strokeCap": "round"},
        "thin_interval": {**thin, "color": colours.blue},
        "series_interval": thin,
        "dot": {**dot, "color": colours.blue, "strokeWidth": 1.5, "size": 90},
        "small_dot": {**dot, "color": colours.blue, "strokeWidth": 1, "size": 55},
        "series_dot": {**dot, "strokeWidth": 1.5, "size": 80},
        "cloud_dot": {"filled": True, "color": colours.blue, "size": 34, "opacity": 0.45},
        "series_line": {"strokeWidth": 2, "strokeCap": "round", "strokeJoin": "round"},
        "part": {"stroke": colours.card, "strokeWidth": 1.5},
        "shade": {"stroke": colours.card, "strokeWidth": 2},
        "guide": {"color": colours.line, "strokeWidth": 1},
        "reference": {"color": colours.soft, "strokeWidth": 1, "strokeDash": [4, 3]},
    }


def _on_heat(colours: Colours, warmth: float) -> str:
    """The colour of text that is best to read on a cell so warm."""
    ends = zip(_channels(colours.cold), _channels(colours.hot), strict=True)
    ground = _light(tuple(cold + warmth * (hot - cold) for cold, hot in ends))
    return max((colours.ink, colours.on_series), key=lambda text: contrast(_light(_channels(text)), ground))


def contrast(one: float, other: float) -> float:
    """How well two lightnesses can be told apart, as accessibility guidelines have it: 4.5 is good for text."""
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


def _channels(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))


def _light(channels: tuple[float, ...]) -> float:
    """The relative luminance of a colour, from 0 to 1."""
    red, green, blue = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
