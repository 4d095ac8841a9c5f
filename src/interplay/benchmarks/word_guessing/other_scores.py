"""A user's table of other benchmarks' scores, and how AGE goes with them."""

import csv
import json
import math
from collections.abc import Mapping
from pathlib import Path

from interplay.core.benchmark import Options
from interplay.core.board import Board, Cell, Column
from interplay.core.failures import Mistake
from interplay.core.files import text_of
from interplay.core.wire import canonical
from interplay.statistics.correlation import pearson, spearman

LARGEST_FILE = 1_000_000
LARGEST_SCORE = 1e9
MEAN = "mean of these"

Table = Mapping[str, Mapping[str, float]]  # the score's name, then the model's


def read_other_scores(typed: str) -> str:
    """A .csv file with a column model and one for each other benchmark, as the record keeps it."""
    path = Path(typed)
    lines = text_of(path, LARGEST_FILE).splitlines()
    return canonical(_table(lines, path))


def _table(lines: list[str], path: Path) -> Table:
    reader = csv.DictReader(lines, strict=True)
    try:
        names = list(reader.fieldnames or ())
        if "model" not in names or len(names) < 2:
            raise Mistake(
                f"{path}: the first line is model and the names of other scores, as in model,mmlu,gsm8k"
            )
        if len(set(names)) < len(names):
            raise Mistake(f"{path}: two columns have the same name")
        found: dict[str, dict[str, float]] = {name: {} for name in names if name != "model"}
        seen: set[str] = set()
        for row in reader:
            model = (row["model"] or "").strip()
            if model in seen:
                raise Mistake(f"{path}, line {reader.line_num}: {model!r} is there already")
            seen.add(model)
            for name, scores in found.items():
                cell = (row[name] or "").strip()
                if cell:  # a score that is not known
                    scores[model] = _number(cell, f"{path}, line {reader.line_num}: {name}")
    except csv.Error as error:
        raise Mistake(f"{path}, line {reader.line_num} is no CSV: {error}") from error
    return found


def _number(cell: str, where: str) -> float:
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not abs(number) <= LARGEST_SCORE:  # nan is not
        raise Mistake(f"{where} must be a number of at most {LARGEST_SCORE:g}, not {cell[:40]!r}")
    return number


COLUMNS = (
    Column("score", "other score", "the other benchmark's score, from the table that was given", "text"),
    Column(
        "pearson",
        "Pearson",
        "its correlation with AGE over models; 95% interval (Fisher)",
        "score",
        (-1.0, 1.0),
    ),
    Column(
        "spearman",
        "Spearman",
        "the same of ranks; 95% interval (Fisher, Bonett and Wright)",
        "score",
        (-1.0, 1.0),
    ),
    Column("n", "models", "models with both scores", "count"),
)


def correlations(ages: Mapping[str, float], options: Options) -> list[Board]:
    """How AGE goes with every other score, and with their mean where there are several."""
    if not options["other_scores"]:
        return []
    table: dict[str, Mapping[str, float]] = dict(json.loads(options["other_scores"]))
    if len(table) > 1:
        whole = [model for model in ages if all(model in scores for scores in table.values())]
        table[MEAN] = {model: math.fsum(s[model] for s in table.values()) / len(table) for model in whole}
    rows: list[dict[str, Cell]] = []
    for name, scores in table.items():
        models = [model for model in ages if model in scores]
        x, y = [ages[model] for model in models], [scores[model] for model in models]
        rows.append({"score": name, "pearson": pearson(x, y), "spearman": spearman(x, y), "n": len(models)})
    missing = [model for model in ages if not any(model in scores for scores in table.values())]
    notes = [f"The table has no score of {model}." for model in missing]
    notes.append("A correlation over a few models has a wide interval; below four models it has none.")
    return [Board("AGE and other scores", COLUMNS, tuple(rows), tuple(notes))]
