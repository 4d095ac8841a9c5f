"""Rendering: a chart as an SVG picture, light or dark; nothing is ever loaded from anywhere."""

import json
from functools import lru_cache
from typing import Any

import vl_convert

from interplay.reporting.charts.chart import Chart
from interplay.reporting.charts.themes import theme
from interplay.reporting.charts.words import drawable

KEPT = 128  # pictures, some tens of kilobytes each


def svg(chart: Chart, dark: bool) -> str:
    """The picture, on no ground of its own; the same chart is rendered once."""
    return _rendered(json.dumps(_fit(chart.spec), sort_keys=True, allow_nan=False), dark)


@lru_cache(maxsize=KEPT)
def _rendered(spec: str, dark: bool) -> str:
    found: str = vl_convert.vegalite_to_svg(spec, config=theme(dark), allowed_base_urls=[])
    return found


def _fit(value: Any) -> Any:
    """The same spec with texts that the renderer can draw: it would end the whole program at others."""
    if isinstance(value, str):
        return drawable(value)
    if isinstance(value, dict):
        return {drawable(key): _fit(inner) for key, inner in value.items()}
    return [_fit(inner) for inner in value] if isinstance(value, list | tuple) else value
