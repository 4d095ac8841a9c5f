"""One word each: what raters say of weak sessions, read from a file, counted, and shown as a cloud."""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from interplay.benchmarks.csv_files import rows_of
from interplay.core.benchmark import Options, Played
from interplay.core.board import Board, Cell, Column
from interplay.core.failures import Mistake
from interplay.core.wire import canonical
from interplay.judging.labels import Places, Stray
from interplay.statistics.intervals import rate

LARGEST_FILE = 5_000_000
MOST_ROWS = 20_000
LONGEST_WORD = 40
LONGEST_NAME = 200  # of a session, a model, a rater
MOST_SHOWN = 100  # words in the table, the most frequent ones
_NEEDED, _MORE = ("session", "model", "rater", "word"), ("repeat",)
_COLUMNS = (*_NEEDED, *_MORE)
_NUMBER = re.compile(r"[1-9][0-9]{0,8}")
Place = tuple[str, str, int]  # of a session: the scenario's id, the model, the repeat from 0
COLUMNS = (
    Column("word", "word", "what raters said, in small letters", "text"),
    Column("count", "count", "how often it was said", "count"),
    Column("raters", "raters", "how many raters said it", "count"),
    Column("sessions", "sessions", "of how many sessions it was said", "count"),
    Column("share", "share", "its share of all words; Wilson's interval, which takes words as independent", "share"),
)  # fmt: skip


@dataclass(frozen=True)
class Said:
    """The word of one rater for one session, and on which line of the file it is."""

    line: int
    session: str  # its label, its number, or its scenario's id or the beginning of it
    model: str
    rater: str
    word: str
    repeat: int = 0  # from 1; 0 where there is one


def read_words(path: str) -> str:
    """A user's .csv file of raters' words, checked, as a board takes it."""
    file = Path(path)
    if file.suffix.lower() != ".csv":
        raise Mistake(f"raters' words are read from a .csv file, not {path}")
    said = _rows(file)
    if not said:
        raise Mistake(f"{path} has no words: there is no line below its columns")
    return canonical({"file": file.name, "rows": [asdict(one) for one in said]})


def words_in(kept: str) -> list[Said]:
    """The words that a board was given; none where it was given no file."""
    return [Said(**row) for row in json.loads(kept)["rows"]] if kept else []


def _rows(path: Path) -> list[Said]:
    rows = rows_of(path, _COLUMNS, _NEEDED, LARGEST_FILE)
    if len(rows) > MOST_ROWS:
        raise Mistake(f"{path} has {len(rows):,} words; a file may have {MOST_ROWS:,}")
    return [_row(cells, line, f"{path}, line {line}") for line, cells in rows]


def _row(cells: Mapping[str, str], line: int, where: str) -> Said:
    for column in _NEEDED:
        if not cells[column]:
            raise Mistake(f"{where}: {column} is empty")
        if len(cells[column]) > LONGEST_NAME:
            raise Mistake(f"{where}: {column} has {len(cells[column]):,} characters")
    repeat = cells.get("repeat", "")
    if repeat and not _NUMBER.fullmatch(repeat):
        raise Mistake(f"{where}: repeat is a whole number from 1, not {repeat[:80]!r}")
    word = _word(cells["word"], where)
    return Said(line, cells["session"], cells["model"], cells["rater"], word, int(repeat or 0))


def _word(text: str, where: str) -> str:
    """One word, in small letters."""
    if len(text.split()) > 1:
        raise Mistake(f"{where}: word is one word, not {text[:80]!r}; several may be joined by hyphens")
    if len(text) > LONGEST_WORD:
        raise Mistake(f"{where}: word has {len(text)} characters; it may have {LONGEST_WORD}")
    if not text.isprintable() or not any(character.isalpha() for character in text):
        raise Mistake(f"{where}: word is a word that can be read, not {text!r}")
    return text.casefold()


def words_table(played: Sequence[Played], sample: Collection[Place], options: Options) -> list[Board]:
    """The words of raters, the most frequent first, where a file of them was given; they were asked of the sample."""
    if not options["words"]:
        return []
    gathered = _Gathering(json.loads(options["words"])["file"], played)
    said = words_in(options["words"])
    for one in said:
        gathered.take(one)
    by_word: defaultdict[str, list[tuple[str, Place]]] = defaultdict(list)
    for (place, rater), one in gathered.words.items():
        by_word[one.word].append((rater, place))
    total = len(gathered.words)
    rows = [_line(word, mine, total) for word, mine in by_word.items()]
    rows.sort(key=lambda row: (-_whole(row["count"]), str(row["word"])))
    notes = [gathered.told(said, sample)]
    if len(rows) > MOST_SHOWN:
        notes.append(f"The {MOST_SHOWN} most frequent of {len(rows):,} words are shown.")
    return [Board("Weak sessions in one word", COLUMNS, tuple(rows[:MOST_SHOWN]), tuple(notes), cloud=True)]


def _line(word: str, mine: Sequence[tuple[str, Place]], total: int) -> dict[str, Cell]:
    return {
        "word": word,
        "count": len(mine),
        "raters": len({rater for rater, _ in mine}),
        "sessions": len({place for _, place in mine}),
        "share": rate(len(mine), total),
    }


def _whole(cell: Cell) -> int:
    return cell if isinstance(cell, int) else 0


class _Gathering:
    """Brings words to the sessions of a board."""

    def __init__(self, file: str, played: Sequence[Played]):
        self.file = file
        self.words: dict[tuple[Place, str], Said] = {}  # by session and rater
        self.strays: list[tuple[Said, str]] = []  # what was said of nothing that is here, and why
        self._played = played
        self._places = Places(played, "session", "played")
        self._numbered: defaultdict[str, set[str]] = defaultdict(set)
        for one in played:
            self._numbered[str(one.scenario.content.get("number", ""))].add(one.scenario.id)

    def take(self, said: Said) -> None:
        where = f"{self.file}, line {said.line}"
        try:
            scenario = self._scenario(said.session, where)
            self._places.model(said.model)
            one = self._played[self._places.place(scenario, said.model, said.repeat, where, said.session)]
        except Stray as stray:
            self.strays.append((said, str(stray)))
            return
        place = (one.scenario.id, one.subject, one.repeat)
        before = self.words.setdefault((place, said.rater), said)
        if before is not said:
            raise Mistake(
                f"{where}: {said.rater!r} has said a word of this session on line {before.line} already"
            )

    def _scenario(self, name: str, where: str) -> str:
        """The id of a session's scenario, by its number where it has one of that number, else as people name it."""
        numbered = self._numbered.get(name, set()) if _NUMBER.fullmatch(name) else set()
        return next(iter(numbered)) if len(numbered) == 1 else self._places.scenario(name, where)

    def told(self, said: Sequence[Said], sample: Collection[Place]) -> str:
        raters = {rater for _, rater in self.words}
        places = {place for place, _ in self.words}
        told = f"{self.file}: words {len(self.words)}, raters {len(raters)}, sessions {len(places)}."
        beside = len(places - set(sample))
        if beside:
            told += f" {beside} of these sessions are not in the sample of weak ones."
        if self.strays:
            first, reason = self.strays[0]
            told += (
                f" {len(self.strays)} of its {len(said)} lines are left out, the first of them line {first.line}: "
                f"{reason}."
            )
        return told
