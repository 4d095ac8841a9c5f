"""The board of the expressiveness gap: models by how well a virtual game master learns to read from their play."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from interplay.benchmarks.social_interaction.gap import (
    LEVELS,
    OVERALL,
    REAL,
    UNTRAINED,
    Pair,
    Reading,
    Tally,
    bounds,
    by_reader,
    gap,
    last_speaker,
    majority,
    pairs_of,
    read_by,
    tallies,
)
from interplay.benchmarks.social_interaction.gap_intervals import f1_of, gap_of, precision_of, recall_of
from interplay.benchmarks.social_interaction.gap_notes import Told, differences, notes_of
from interplay.benchmarks.social_interaction.windows import Window
from interplay.core.board import Board, Cell, Column, Estimate

TITLE = "Expressiveness gap (IEG)"
PERCENT = (0.0, 100.0)
APART = (-100.0, 100.0)
_WHAT = {"c": "who is asked for a check", "o": "who is asked for which check"}
_LEARNED = {UNTRAINED: "nothing", REAL: "real play"}
NOTHING = Estimate(None, None, None, 0)


def _f_columns() -> list[Column]:
    whose = {
        "g": "the reader that learned from the model's play, over windows that it and the reader of real play read",
        "r": "the reader that learned from real play, over the same windows",
        "0": "the untrained reader, over the windows that it read",
    }
    return [
        Column(
            f"f_{letter}_{level}",
            f"f_{letter}^{level}",
            f"F-score on {_WHAT[level]} of {meaning}, in percent",
            "score",
            PERCENT,
            letter == "0" or level != OVERALL,
        )
        for letter, meaning in whose.items()
        for level in LEVELS
    ]


def _gap_columns(level: str) -> list[Column]:
    meaning = f"|f_r - f_g| / (f_r + f_g) on {_WHAT[level]}, in percent: the less, the nearer to real play"
    side = f"whether f_g^{level} is below f_r^{level}, or above: then the model's play taught more than real play"
    return [
        Column(f"gap_{level}", f"G^{level}", meaning, "score", PERCENT),
        Column(f"side_{level}", f"side {level}", side, "text", detail=level != OVERALL),
    ]


COLUMNS = (
    Column("model", "model", "the model whose play was learned from", "text"),
    Column("dm", "read by", "the virtual game master that learned and read", "text"),
    Column("rank", "rank", "its place by G^o among those with the same virtual game master", "count"),
    *(column for level in LEVELS for column in _gap_columns(level)),
    *_f_columns(),
    Column("n", "windows", "held-out windows of real play that both readers read", "count"),
    Column("size", "learned from", "windows of the model's play that the reader learned from", "count"),
    Column(
        "unread", "unread", "share of the held-out windows that one of both did not read in form", "share"
    ),
)


def board(readings: Sequence[Reading], windows: Sequence[Window], told: Told) -> Board:
    """The board: a row for each model and virtual game master, the smallest gap first within each of these."""
    pairs = pairs_of(readings)
    rows = [_row(pair, windows) for pair in pairs]
    _place(rows)
    shown = _shown(readings, pairs)
    parts = [_readers(shown, windows, told), *_curves(readings, windows), *_by_skill(shown, windows)]
    return Board(TITLE, COLUMNS, tuple(rows), notes_of(shown, pairs, windows, told), tuple(parts))


def _row(pair: Pair, windows: Sequence[Window]) -> dict[str, Cell]:
    real, seen = pair.real, read_by(windows, pair.generated.read, *([pair.real.read] if pair.real else []))
    row: dict[str, Cell] = {
        "model": pair.generated.source,
        "subject": pair.generated.name,
        "dm": pair.generated.dm,
        "rank": None,
        "n": len(seen),
        "size": pair.generated.size,
        "unread": 1 - len(seen) / len(windows) if windows else None,
    }
    mine = tallies(seen, pair.generated.read)
    theirs = tallies(seen, real.read) if real else {}
    base = tallies(windows, pair.untrained.read) if pair.untrained else {}
    for level in LEVELS:
        f_g, f_r = f1_of(mine[level]), _f1(theirs, level)
        found = gap(f_r.value, f_g.value)
        row[f"gap_{level}"] = _percent(gap_of(theirs[level], mine[level]) if real else NOTHING)
        row[f"side_{level}"] = found.side if found else ""
        row[f"f_g_{level}"], row[f"f_r_{level}"] = _percent(f_g), _percent(f_r)
        row[f"f_0_{level}"] = _percent(_f1(base, level))
    return row


def _f1(tally: Mapping[str, Tally], level: str) -> Estimate:
    return f1_of(tally[level]) if tally else NOTHING


def _percent(estimate: Estimate) -> Estimate:
    return estimate.times(100)


def _place(rows: list[dict[str, Cell]]) -> None:
    """Order the rows, and give each its rank among those of its own virtual game master; equal gaps share one."""

    def width(row: Mapping[str, Cell]) -> float:
        cell = row[f"gap_{OVERALL}"]
        return cell.value if isinstance(cell, Estimate) and cell.value is not None else float("inf")

    rows.sort(key=lambda row: (str(row["dm"]), width(row), str(row["model"])))
    for row in rows:
        nearer = sum(other["dm"] == row["dm"] and width(other) < width(row) for other in rows)
        row["rank"] = nearer + 1 if width(row) < float("inf") else None


def _shown(readings: Sequence[Reading], pairs: Sequence[Pair]) -> list[Reading]:
    """Every reader at its largest size, and those that gaps are told of; of real play before those of models."""
    largest = [sizes[max(sizes)] for sizes in by_reader(readings).values()]
    told_of = [one for pair in pairs for one in (pair.generated, pair.real) if one]
    order = {UNTRAINED: 0, REAL: 1}
    found = {(one.dm, one.source, one.size): one for one in (*largest, *told_of)}
    return [
        found[key] for key in sorted(found, key=lambda key: (key[0], order.get(key[1], 2), key[1], key[2]))
    ]


def _readers(shown: Sequence[Reading], windows: Sequence[Window], told: Told) -> Board:
    """How well each reader read, with the baselines first."""
    baselines = {"last speaker": last_speaker, "most turns": majority}
    rows = [
        _reader(name, Reading("", name, 0, named(windows, told["skill"]), ""), windows, told)
        for name, named in baselines.items()
    ]
    rows += [_reader(_LEARNED.get(one.source, one.source), one, windows, told) for one in shown]
    some_unread = any(row["unread"] for row in rows)
    columns = [
        column for column in READER_COLUMNS if some_unread or not column.key.endswith(("worst", "best"))
    ]
    return Board("Readers", tuple(columns), tuple(rows))


def _reader_columns(level: str) -> list[Column]:
    on, bound = _WHAT[level], f"F-score on {_WHAT[level]} were every unread window read"
    return [
        Column(f"f_{level}", f"f^{level}", f"F-score on {on}, in percent", "score", PERCENT),
        Column(f"precision_{level}", f"P^{level}", f"precision on {on}, in percent", "score", PERCENT, True),
        Column(f"recall_{level}", f"R^{level}", f"recall on {on}, in percent", "score", PERCENT, True),
        Column(
            f"above_{level}",
            f"f^{level} above last",
            f"f^{level} less that of last speaker on the windows that the reader read, in points",
            "score",
            APART,
        ),
        Column(f"{level}_worst", f"f^{level} worst", f"{bound} wrong, in percent", "score", PERCENT, True),
        Column(f"{level}_best", f"f^{level} best", f"{bound} right, in percent", "score", PERCENT, True),
    ]


_READER = (
    Column("reader", "learned from", "what the reader learned from, or the baseline that it is", "text"),
    Column("dm", "read by", "the virtual game master", "text"),
    Column("size", "size", "windows that it learned from", "count"),
)
_READ = (
    Column("n", "windows", "held-out windows that it read", "count"),
    Column("unread", "unread", "share of the held-out windows that it did not read in form", "share"),
)
READER_COLUMNS = (*_READER, *(column for level in LEVELS for column in _reader_columns(level)), *_READ)


def _reader(name: str, reading: Reading, windows: Sequence[Window], told: Told) -> dict[str, Cell]:
    tally, apart = tallies(windows, reading.read), differences(reading, windows, told["skill"])
    ends = bounds(windows, reading.read)
    seen = len(read_by(windows, reading.read))
    row: dict[str, Cell] = {"reader": name, "dm": reading.dm, "size": reading.size, "n": seen}
    row["unread"] = 1 - seen / len(windows) if windows else None
    for level in LEVELS:
        row[f"f_{level}"] = _percent(f1_of(tally[level]))
        row[f"precision_{level}"] = _percent(precision_of(tally[level]))
        row[f"recall_{level}"] = _percent(recall_of(tally[level]))
        row[f"above_{level}"] = None if name == "last speaker" else _percent(apart[level])
        for end, value in zip(("worst", "best"), ends[level], strict=True):
            row[f"{level}_{end}"] = None if value is None else 100 * value
    return row


def _curves(readings: Sequence[Reading], windows: Sequence[Window]) -> list[Board]:
    """What more windows to learn from bring, for readers that learned from several numbers of them."""
    rows: list[dict[str, Cell]] = []
    for (dm, source), sizes in sorted(by_reader(readings).items()):
        for size in sorted(sizes) if len(sizes) > 1 else ():
            tally = tallies(windows, sizes[size].read)
            told = {f"f_{level}": _percent(f1_of(tally[level])) for level in LEVELS}
            name = _LEARNED.get(source, source)
            rows.append({"reader": name, "dm": dm, "size": size, **told, "n": tally[OVERALL].windows})
    scores = [
        Column(f"f_{level}", f"f^{level}", f"F-score on {_WHAT[level]}, in percent", "score", PERCENT)
        for level in LEVELS
    ]
    columns = (*_READER, *scores, _READ[0])
    return [Board("Learning curve", columns, tuple(rows))] if rows else []


def _by_skill(shown: Sequence[Reading], windows: Sequence[Window]) -> list[Board]:
    """How often each skill was found with its character, by every trained reader; frequent skills first."""
    trained = [one for one in shown if one.source != UNTRAINED]
    held_out: dict[str, list[Window]] = {}
    for window in windows:
        for skill in {one.skill for one in window.intentions}:
            held_out.setdefault(skill, []).append(window)
    if not trained or not held_out:
        return []
    rows: list[dict[str, Cell]] = []
    for skill, mine in sorted(held_out.items(), key=lambda item: (-len(item[1]), item[0])):
        found = {_key(one): _percent(_skill_recall(skill, mine, one)) for one in trained}
        rows.append({"skill": skill, "n": len(mine), **found})
    columns = [
        Column("skill", "skill", "what was asked for", "text"),
        Column("n", "n", "held-out windows in which it is", "count"),
    ]
    for one in trained:
        learned = _LEARNED.get(one.source, one.source)
        meaning = (
            f"recall of (character, skill) by {one.dm} after {one.size} windows of {learned}, in percent"
        )
        columns.append(
            Column(_key(one), f"{learned}, {one.dm}", meaning, "score", PERCENT, one.source != REAL, True)
        )
    return [Board("By skill", tuple(columns), tuple(rows))]


def _key(reading: Reading) -> str:
    return f"{reading.dm}/{reading.source}/{reading.size}"


def _skill_recall(skill: str, windows: Sequence[Window], reading: Reading) -> Estimate:
    alone = [
        replace(window, intentions=tuple(one for one in window.intentions if one.skill == skill))
        for window in windows
    ]
    return recall_of(tallies(alone, reading.read)[OVERALL])
