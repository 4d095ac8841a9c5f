"""Tables of a benchmark's roles, options, measures, scores and boards, out of the code and of boards it has made."""

from collections.abc import Iterator
from contextlib import suppress

from building.markdown import table
from building.plays import seen_of
from interplay.benchmarks import ALL, find
from interplay.core.benchmark import Benchmark, Option, Role
from interplay.core.board import Column
from interplay.core.failures import Mistake
from interplay.core.measures import Measure
from interplay.core.wire import Sampling
from interplay.running.results import OPEN, SAMPLING, USAGE

KINDS = {"subject": "is measured", "simulator": "plays along", "judge": "judges"}
FAULT = "the user's fault"  # the rule of several scores, each of which has a column of its own
# Scores whose record says by which seat they are, and not what they are.
MEANINGS = {
    (
        "word_guessing",
        "found",
    ): "the round in which the player first named the other group's word; absent if never",
    ("task_dialogue", "placeholders"): "answers of the dialogue that hold a raw placeholder such as [name]",
}


def benchmarks(folder: str = "") -> str:
    """All that can be run by name."""
    rows = [(f"[{one.name}]({folder}{one.name}.md)", one.paper, one.meaning) for one in ALL]
    return table(("name", "paper", "what it is"), rows)


def shared_columns() -> str:
    """The columns that the board of any benchmark may have."""
    return _columns((OPEN, SAMPLING, *USAGE))


def roles(name: str) -> str:
    """Who takes part, in whatever way the benchmark is run."""
    found: dict[tuple[str, str], Role] = {}
    for options in _ways(find(name)):
        for role in find(name).roles(options):
            found.setdefault((role.name.split(" ")[0], role.meaning), role)
    rows = [
        (f"`{role}`", KINDS[one.kind], one.meaning, _sampled(one.sampling))
        for (role, _), one in found.items()
    ]
    return table(("role", "", "what it does", "sampling"), rows)


def _sampled(sampling: Sampling) -> str:
    told = {"temperature": sampling.temperature, "top-p": sampling.top_p, "tokens": sampling.max_tokens}
    return ", ".join(f"{name} {value:g}" for name, value in told.items() if value is not None)


def _ways(benchmark: Benchmark) -> Iterator[dict[str, str]]:
    """The options as they are unless somebody says, and with each other choice of each of them."""
    yield benchmark.settle({})
    for option in benchmark.options:
        for choice in option.choices:
            with suppress(Mistake):  # a choice that needs another option beside it
                settled = benchmark.settle({option.name: choice})
                benchmark.roles(settled)
                yield settled


def options(name: str) -> str:
    """The flags of the benchmark's own."""
    rows = [
        (
            f"`--{one.name.replace('_', '-')}`",
            _values(one),
            f"`{one.default}`" if one.default else "",
            _told(one),
        )
        for one in find(name).options
    ]
    return table(("flag", "values", "default", "what it does"), rows)


def _values(option: Option) -> str:
    if option.choices:
        return ", ".join(f"`{choice}`" for choice in option.choices)
    if option.number:
        return f"{option.number[0]} to {option.number[1]:,}"
    return f"`{option.shape}`" if option.shape else "a path" if option.path else "text"


def _told(option: Option) -> str:
    later = {
        option.of_judging: "a finished run can be judged with another value",
        option.of_table: "concerns the table alone: show, board and export take it too",
        option.of_sequel: "concerns the reading: read takes it too",
    }
    return option.meaning + (f" ({later[True]})" if True in later else "")


def measures(name: str) -> str:
    """What conversations are compared, corrected and held against people by."""
    benchmark = find(name)
    found: dict[str, Measure] = {}
    for settled in _ways(benchmark):
        for one in benchmark.measures(settled):
            found.setdefault(one.name, one)
    rows = [
        (f"`{one.name}`", "judges" if one.by == "judges" else "rule", str(one.scale),
         one.meaning + (" (less is better)" if one.less_is_better else ""))
        for one in found.values()
    ]  # fmt: skip
    return table(("measure", "by", "scale", "meaning"), rows)


def scores(name: str) -> str:
    """Every number that a conversation gets."""
    by_name: dict[str, set[str]] = {}
    for score in seen_of(name).scores:
        by_name.setdefault(score.name, set()).add(score.source)
    for benchmark, score_name in MEANINGS:
        if benchmark == name:
            by_name.setdefault(score_name, {"rule"})
    rows = []
    for score_name, sources in sorted(by_name.items()):
        by_rule = all(source.startswith("rule") for source in sources)
        rows.append((f"`{score_name}`", "rule" if by_rule else "judges", _meaning(name, score_name, sources)))
    return table(("score", "by", "meaning"), rows)


def _meaning(name: str, score: str, sources: set[str]) -> str:
    """What a score means: by the measure or the column of its name, or by what the record says of its rule."""
    benchmark = find(name)
    known = {one.name: one.meaning for settled in _ways(benchmark) for one in benchmark.measures(settled)}
    columns: dict[str, str] = {}
    for _, board in seen_of(name).boards:
        for column in board.columns:
            columns.setdefault(column.key, column.meaning)
    rules = {source.partition(": ")[2] for source in sources if " " in source.partition(": ")[2]}
    first, _, rest = score.partition(" ")
    if (told := MEANINGS.get((name, score)) or known.get(score)) is not None:
        return told
    if first in known:  # the same of one seat
        return f"{known[first]}, of {rest} alone"
    if rules == {FAULT}:
        return columns[rest]
    told = next(iter(rules), "") or columns.get(score) or columns.get(score.replace("_", " "))
    if not told:
        raise ValueError(f"{name} has a score {score!r}, and nothing says what it means")
    return told


def boards(name: str) -> str:
    """Every table of the benchmark, with every column that it may have; tables that are alike stand together."""
    told: dict[str, dict[str, Column]] = {}
    for _, board in seen_of(name).boards:
        columns = told.setdefault(_heading(name, board.title), {})
        for column in board.columns:
            columns.setdefault(column.key, column)
    alike: dict[str, list[str]] = {}
    for heading, columns in told.items():
        alike.setdefault(_columns(tuple(columns.values())), []).append(heading)
    return "\n".join(f"**{'**, **'.join(headings)}**\n\n{rows}" for rows, headings in alike.items())


def _heading(name: str, title: str) -> str:
    """A table's title; of the first one, what it is a table of, without the numbers of the run that was played."""
    if not title.startswith(f"{name} ("):
        return title
    told = [
        part
        for part in title.partition("(")[2].rstrip(")").split(", ")
        if not any(map(str.isdigit, part[:1]))
    ]
    return f"The board ({', '.join(told)})"


def _columns(columns: tuple[Column, ...]) -> str:
    shared = {column.key for column in (OPEN, SAMPLING, *USAGE)}
    own = [one for one in columns if one.key not in shared] or columns
    rows = [(one.title, f"`{one.key}`" if one.key != one.title else "", one.meaning) for one in own]
    return table(("column", "in JSON", "meaning"), rows)
