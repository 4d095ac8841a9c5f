"""Judges and people: what people say of answers that judges rated, read from a file, and how far both agree."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import fsum
from pathlib import Path
from typing import Any

from interplay.benchmarks.csv_files import rows_of
from interplay.benchmarks.simulation.tasks import LARGEST_FILE
from interplay.core.benchmark import Options, Played
from interplay.core.board import Board, Cell, Column
from interplay.core.failures import Mistake, nearest
from interplay.core.wire import canonical
from interplay.judging.labels import PANEL, Places, Stray
from interplay.statistics.correlation import pearson, spearman
from interplay.statistics.intervals import clustered_mean, rate

SCALE = (1.0, 10.0)
_NEEDED, _SAID, _MORE = ("scenario", "model", "rater"), ("rating", "reasonable"), ("judge", "repeat")
_COLUMNS = (*_NEEDED, *_SAID, *_MORE)
_ID = re.compile(r"[0-9a-f]{8,64}")
_CORRELATION = (-1.0, 1.0)
COLUMNS = (
    Column("judge", "judge", "who rated; the panel is the mean of all judges of an answer", "text"),
    Column("difference", "difference", "mean rating of the judge less that of people; 95% interval clustered by "
           "task", "score", (-9.0, 9.0)),
    Column("spearman", "Spearman", "rank correlation of both; its interval takes answers as independent", "score",
           _CORRELATION),
    Column("pearson", "Pearson", "correlation of both; its interval takes answers as independent", "score",
           _CORRELATION),
    Column("n", "n", "answers that the judge and people rated", "count"),
    Column("reasonable", "reasonable", "share of judgements that people find reasonable, ties apart; Wilson's "
           "interval", "share"),
    Column("too_high", "too high", "of judgements that people do not find reasonable, and whose answer they rated: the "
           "share in which the judge's rating is higher than theirs; Wilson's interval", "share"),
    Column("checked", "checked", "judgements of which people said whether they are reasonable, ties apart", "count"),
    Column("ties", "ties", "judgements on which as many people said yes as no", "count"),
)  # fmt: skip
HOW = (
    "Of several people on one answer the mean of their ratings counts, and what more than half of them said of the "
    "judgement. The numbers hold for answers like these: they speak of the whole run only if these were drawn from "
    "it at random."
)
OF_WHOM = (
    "Where several judges rated, what people found reasonable is said of the panel unless the column judge names one "
    "of them."
)


@dataclass(frozen=True)
class Said:
    """What one rater said of one answer, and on which line of the file."""

    line: int
    scenario: str  # the beginning of its id
    model: str
    rater: str
    rating: float | None = None
    reasonable: bool | None = None
    judge: str = ""  # whose judgement is reasonable or not; empty where there is one judge, or for the panel
    repeat: int = 0  # of the answer, from 1; 0 where there is one


@dataclass
class _Answer:
    """One answer with what judges and people made of it."""

    task: str
    judges: dict[str, float]
    people: dict[str, Said] = field(default_factory=dict)  # by rater: where the rating was said
    votes: dict[str, dict[str, Said]] = field(default_factory=dict)  # by judge, then by rater

    def rating_of(self, judge: str) -> float | None:
        if judge != PANEL:
            return self.judges.get(judge)
        return fsum(self.judges.values()) / len(self.judges) if self.judges else None

    @property
    def rating_of_people(self) -> float | None:
        given = [one.rating for one in self.people.values() if one.rating is not None]
        return fsum(given) / len(given) if given else None

    def balance(self, judge: str) -> int | None:
        """How many more people find this judge's judgement reasonable than do not; None where nobody said."""
        said = [one.reasonable for one in self.votes.get(judge, {}).values() if one.reasonable is not None]
        return sum(1 if yes else -1 for yes in said) if said else None


def read_human(path: str) -> str:
    """A user's file of what people said, checked, as a board takes it."""
    rows = _rows(Path(path))
    if not rows:
        raise Mistake(f"{path} has no ratings: there is no line below its columns")
    return canonical({"file": Path(path).name, "rows": [asdict(row) for row in rows]})


def _rows(path: Path) -> list[Said]:
    rows = rows_of(path, _COLUMNS, _NEEDED, LARGEST_FILE)
    if rows and not set(_SAID) & set(rows[0][1]):
        raise Mistake(f"{path} lacks a column {' or '.join(_SAID)}")
    return [_row(cells, line, f"{path}, line {line}") for line, cells in rows]


def _row(cells: Mapping[str, str], line: int, where: str) -> Said:
    for column in _NEEDED:
        if not cells[column]:
            raise Mistake(f"{where}: {column} is empty")
    scenario, repeat = cells["scenario"].lower(), cells.get("repeat", "")
    if not _ID.fullmatch(scenario):
        raise Mistake(
            f"{where}: scenario is the id that interplay export shows, or its first 8 characters or more, "
            f"not {cells['scenario'][:80]!r}"
        )
    if repeat and not re.fullmatch(r"[1-9][0-9]{0,5}", repeat):
        raise Mistake(f"{where}: repeat is a whole number from 1, not {repeat[:80]!r}")
    rating, reasonable = cells.get("rating", ""), cells.get("reasonable", "").lower()
    if not rating and not reasonable:
        raise Mistake(f"{where} has neither a rating nor reasonable")
    if reasonable not in ("", "yes", "no"):
        raise Mistake(f"{where}: reasonable is yes or no, not {reasonable[:80]!r}")
    return Said(
        line=line,
        scenario=scenario,
        model=cells["model"],
        rater=cells["rater"],
        rating=_rating(rating, where) if rating else None,
        reasonable=reasonable == "yes" if reasonable else None,
        judge=cells.get("judge", ""),
        repeat=int(repeat or 0),
    )


def _rating(text: str, where: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not SCALE[0] <= found <= SCALE[1]:
        raise Mistake(f"{where}: rating is a number from 1 to 10, not {text[:80]!r}")
    return found


def human_tables(played: Sequence[Played], options: Options) -> list[Board]:
    """The table of judges and people, where a file of what people said was given."""
    if not options["human"]:
        return []
    kept = json.loads(options["human"])
    rows = [Said(**row) for row in kept["rows"]]
    judges = sorted({verdict.judge for one in played for verdict in one.verdicts})
    gathered = _Gathering(kept["file"], played, judges)
    for row in rows:
        gathered.take(row)
    answers = [answer for answer in gathered.answers if answer.people or answer.votes]
    names = [*judges, PANEL] if len(judges) > 1 else judges
    told = [_told(gathered, rows, answers), HOW, *([OF_WHOM] if len(judges) > 1 else [])]
    return [Board("Judges and people", COLUMNS, tuple(_line(name, answers) for name in names), tuple(told))]


class _Gathering:
    """Brings what people said to the answers of a board."""

    def __init__(self, file: str, played: Sequence[Played], judges: Sequence[str]):
        self.judges = judges
        self.file = file
        self.strays: list[tuple[Said, str]] = []  # what was said of nothing that is here, and why
        self.answers = [_answer(one) for one in played]
        self._places = Places(played, "answer to", "answered")

    def take(self, said: Said) -> None:
        try:
            answer = self.answers[self._place(said)]
            if not answer.judges:
                raise Stray("no judge rated this answer")
        except Stray as stray:
            self.strays.append((said, str(stray)))
            return
        if said.rating is not None:
            before = answer.people.setdefault(said.rater, said)
            if before.rating != said.rating:
                raise self._mistake(said, f"{said.rater!r} rated this answer otherwise on line {before.line}")
        if said.reasonable is not None:
            judge = said.judge or (self.judges[0] if len(self.judges) == 1 else PANEL)
            before = answer.votes.setdefault(judge, {}).setdefault(said.rater, said)
            if before is not said:
                raise self._mistake(
                    said, f"{said.rater!r} judged this judgement on line {before.line} already"
                )

    def _place(self, said: Said) -> int:
        """Which answer this was said of; raises Stray where it is not here, a Mistake where it might be several."""
        where = self._where(said)
        scenario = self._places.scenario(said.scenario, where)
        self._places.model(said.model)
        if said.judge and said.judge not in self.judges:
            raise Stray(f"there is no judge {said.judge!r} here; {nearest(said.judge, self.judges)}")
        return self._places.place(scenario, said.model, said.repeat, where, said.scenario)

    def _where(self, said: Said) -> str:
        return f"{self.file}, line {said.line}"

    def _mistake(self, said: Said, what: str) -> Mistake:
        return Mistake(f"{self._where(said)}: {what}")


def _answer(one: Played) -> _Answer:
    ratings = {v.judge: float(v.data["rating"]) for v in one.verdicts if v.data is not None}
    return _Answer(one.scenario.content["task"], ratings if one.outcome is not None else {})


def _told(gathered: _Gathering, rows: Sequence[Said], answers: Sequence[_Answer]) -> str:
    people = {
        rater for answer in answers for said in (answer.people, *answer.votes.values()) for rater in said
    }
    told = f"{gathered.file}: raters {len(people)}, answers {len(answers)}."
    if gathered.strays:
        first, reason = gathered.strays[0]
        told += (
            f" {len(gathered.strays)} of its {len(rows)} lines are left out, the first of them line {first.line}: "
            f"{reason}."
        )
    return told


def _line(judge: str, answers: Sequence[_Answer]) -> dict[str, Cell]:
    rated: list[tuple[float, float, Any]] = []
    balances: list[int] = []
    too_high: list[bool] = []
    for answer in answers:
        mine, theirs, balance = answer.rating_of(judge), answer.rating_of_people, answer.balance(judge)
        if mine is None:
            continue
        if theirs is not None:
            rated.append((mine, theirs, answer.task))
        if balance is not None:
            balances.append(balance)
            if balance < 0 and theirs is not None:
                too_high.append(mine > theirs)
    mine_, theirs_ = [one for one, _, _ in rated], [other for _, other, _ in rated]
    checked = [balance for balance in balances if balance]
    return {
        "judge": judge,
        "difference": clustered_mean(
            [one - other for one, other, _ in rated], [task for _, _, task in rated]
        ),
        "spearman": spearman(mine_, theirs_),
        "pearson": pearson(mine_, theirs_),
        "n": len(rated),
        "reasonable": rate(sum(balance > 0 for balance in checked), len(checked)),
        "too_high": rate(sum(too_high), len(too_high)),
        "checked": len(checked),
        "ties": len(balances) - len(checked),
    }
