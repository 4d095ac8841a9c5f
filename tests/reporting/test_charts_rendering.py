"""Pictures of charts: in the colours of the page, all text is text, and nothing is loaded from anywhere."""

from typing import Any
from xml.etree import ElementTree

import pytest

from interplay.core.board import Board, Column, Estimate
from interplay.reporting.charts import Chart, charts_of, svg
from interplay.reporting.charts.rendering import _rendered
from interplay.reporting.charts.themes import DARK, LIGHT, RANGES, STEPS, Colours, contrast, theme
from tests.reporting.test_charts import EXPECTED, board, named, with_costs
from tests.reporting.test_html import PAYLOADS

MODEL = Column("model", "model", "who", "text")
SCORE = Column("score", "score", "how good", "score", (1.0, 5.0))
HOSTILE = [
    *PAYLOADS,
    "a\x00b",
    "\ud800 half \udfff a pair",
    "\u202eturned\u2066",
    "\x1b[31m\x9b",
    "\ufffe\uffff",
    "x" * 10_000,
    "👩‍👩‍👧‍👦" * 500,
    "ﷺ" * 200,
    "a" + "\u0301" * 5_000,
    "",
    " ",
    "&#0; &#x0; \\u0000 ]]> <![CDATA[",
    "datum.value'];alert(1)//",
    "__proto__",
    "\n\r\t\u2028",
    "語" * 100,
]


def elements(drawn: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(drawn).iter())


def texts(drawn: str) -> list[str]:
    return [one.text or "" for one in elements(drawn) if one.tag.endswith("}text")]


def hostile_board() -> Board:
    """Hostile names, headings and words wherever a chart has any."""
    rows = [
        {
            "model": text,
            "score": Estimate(3.0, 2.0, 4.0, 9),
            "cost": 1.0 + place,
            "aggregate": Estimate(3, 2, 4, 9),
        }
        for place, text in enumerate(HOSTILE)
    ]
    criteria = tuple(Column(f"c {text}", text, text, "score", (1.0, 5.0)) for text in HOSTILE[:4])
    columns = (MODEL, SCORE, Column("aggregate", "a", "", "score", (1.0, 5.0)), *criteria)
    full = [{**row, **{column.key: Estimate(3.5, 3.0, 4.0, 9) for column in criteria}} for row in rows]
    heads = tuple(
        Column(f"h{place}", text, text, "score", (0.0, 1.0), heat=True) for place, text in enumerate(HOSTILE)
    )
    heat = Board(
        "heat <b>",
        (MODEL, *heads),
        tuple({"model": text, **{one.key: 0.5 for one in heads}} for text in HOSTILE),
    )
    keys = ("completed", "gave up", "loop", "all")
    ended = Board(
        "ended",
        (MODEL, *(Column(key, f"{key}{HOSTILE[0]}\x00", "", "count") for key in keys)),
        tuple({"model": text, "completed": 3, "gave up": 2, "loop": 1, "all": 6} for text in HOSTILE),
    )
    again = Board(
        "again",
        (
            MODEL,
            Column("by", "by", "", "text"),
            *(Column(f"k{k}", f"k{k}", "", "score", (0.0, 1.0)) for k in (1, 2)),
        ),
        tuple({"model": text, "by": HOSTILE[0], "k1": 0.5, "k2": 0.25} for text in HOSTILE),
    )
    return Board("b", columns, tuple(full), (), (heat, ended, again))


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", ["", "role_play", "word_guessing", "task_dialogue"])
def test_hostile_text_is_drawn_as_text_or_not_at_all(name: str, dark: bool) -> None:
    charts = charts_of(hostile_board(), name)
    assert charts
    for chart in charts:
        drawn = svg(chart, dark)
        assert {one.tag.rpartition("}")[2] for one in elements(drawn)} <= {"svg", "g", "path", "line", "text"}
        assert not any(key.startswith("on") or "href" in key or key == "style" for one in elements(drawn)
                       for key in one.attrib)  # fmt: skip
        assert all(len(text) <= 90 for text in texts(drawn))


def test_names_can_be_read_in_the_picture_as_they_are() -> None:
    rows = tuple(
        {"model": name, "score": Estimate(3.0, 2.0, 4.0, 9)} for name in ("<b>&'\"", "привет", "{{ 7 * 7 }}")
    )
    (chart,) = charts_of(Board("b", (MODEL, SCORE), rows), "")
    assert {"<b>&'\"", "привет", "{{ 7 * 7 }}", "3.00", "2.00–4.00"} <= set(texts(svg(chart, dark=False)))


def test_a_text_that_reaches_the_renderer_by_another_way_does_no_harm() -> None:
    spec = {"data": {"values": [{"a": "x\x00\ud83d\ufffe y"}]}, "mark": "text",
            "encoding": {"text": {"field": "a", "type": "nominal"}}}  # fmt: skip
    assert texts(svg(Chart("n", "t", "a", spec), dark=False)) == ["x y"]


def test_nothing_is_loaded() -> None:
    spec = {"data": {"url": "http://127.0.0.1:9/data.json"}, "mark": "point"}
    with pytest.raises(ValueError, match="not allowed"):
        svg(Chart("n", "t", "a", spec), dark=False)


@pytest.mark.parametrize("name", EXPECTED)
def test_every_chart_of_every_benchmark_is_drawn_light_and_dark(name: str) -> None:
    for chart in charts_of(with_costs(board(name), 0.5), name):
        light, dark = svg(chart, dark=False), svg(chart, dark=True)
        assert LIGHT.ink in light and DARK.ink in dark
        assert LIGHT.ink not in dark and DARK.ink not in light
        shape = ElementTree.fromstring(light)
        assert 400 <= float(shape.attrib["width"]) <= 540  # narrow: a phone makes it smaller
        assert shape.find("{*}rect") is None  # the page is its ground


def _used(spec: Any, key: str) -> set[str]:
    if isinstance(spec, list):
        return {name for inner in spec for name in _used(inner, key)}
    if not isinstance(spec, dict):
        return set()
    mine = {spec[key]} if isinstance(spec.get(key), str) else set()
    return mine | {name for field, inner in spec.items() if field != "data" for name in _used(inner, key)}


@pytest.mark.parametrize("name", EXPECTED)
def test_the_theme_has_every_style_and_range_that_a_chart_asks_for(name: str) -> None:
    for chart in charts_of(with_costs(board(name), 0.5), name):
        assert _used(chart.spec, "style") <= set(theme(dark=False)["style"])
        assert _used(chart.spec, "range") <= set(theme(dark=True)["range"])
        assert "#" not in str(chart.spec).replace("#0;", "")  # no colour of its own


def test_the_same_chart_is_rendered_once() -> None:
    chart = charts_of(board("role_play"), "role_play")[0]
    _rendered.cache_clear()
    first = svg(chart, dark=False)
    again = svg(Chart("other", "title", "alt", dict(reversed(chart.spec.items()))), dark=False)
    assert again is first and _rendered.cache_info().misses == 1
    assert svg(chart, dark=True) != first


def _luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
    return sum(weight * one for weight, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _mixed(colours: Colours, warmth: float) -> str:
    ends = [[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in (colours.cold, colours.hot)]
    return "#" + "".join(
        f"{round(cold + warmth * (hot - cold)):02x}" for cold, hot in zip(*ends, strict=True)
    )


@pytest.mark.parametrize("dark", [False, True])
def test_colours_can_be_told_from_the_page_and_text_from_its_ground(dark: bool) -> None:
    colours = DARK if dark else LIGHT

    def apart(one: str, other: str) -> float:
        return contrast(_luminance(one), _luminance(other))

    assert all(apart(colour, colours.card) >= 3 for colour in (*colours.series, colours.blue))
    assert all(apart(colour, colours.on_series) >= 3 for colour in colours.series)
    assert all(apart(colour, colours.card) >= 4.5 for colour in (colours.ink, colours.soft))
    inks = theme(dark)["range"]["numbers"]
    assert len(inks) == STEPS
    grounds = [_mixed(colours, (step + 0.5) / STEPS) for step in range(STEPS)]
    assert all(apart(ink, ground) >= 3.5 for ink, ground in zip(inks, grounds, strict=True))
    assert len(set(colours.series)) == len(colours.series) > max(max(places) for places in RANGES.values())


def test_heat_goes_from_cold_to_hot() -> None:
    chart = named(charts_of(board("word_guessing"), "word_guessing"), "topics")
    drawn = svg(chart, dark=False)
    fills = {one.attrib.get("fill", "") for one in elements(drawn)}
    assert len(fills) > 6
    channels = [tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5)) for colour in (LIGHT.cold, LIGHT.hot)]
    assert {f"rgb({red}, {green}, {blue})" for red, green, blue in channels} <= fills
