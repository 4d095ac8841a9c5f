"""Charts of boards: specs that know no colours, made of a board alone, and their pictures, light and dark."""

from interplay.reporting.charts.chart import Chart
from interplay.reporting.charts.choosing import charts_of
from interplay.reporting.charts.judges import judge_pairs, judge_scatter
from interplay.reporting.charts.rendering import svg

__all__ = ["Chart", "charts_of", "judge_pairs", "judge_scatter", "svg"]
