"""Sorting what files have: which conversation each row is of, and what it adds to those that came before."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field

from interplay.core.benchmark import Verdict
from interplay.core.import_files import Skipped
from interplay.core.importing import Imported, Opinion
from interplay.core.wire import digest_of

PEOPLE = "people"  # raters whom a file does not name


@dataclass(frozen=True)
class Placed:
    """A row by the conversation that it is of, with what is new in it and what cannot be taken."""

    conversation: int  # from 0, in the order in which they came
    repeat: int
    is_new: bool
    is_judged_first: bool = False  # nobody had judged this conversation before
    verdicts: tuple[Verdict, ...] = ()
    opinions: tuple[Opinion, ...] = ()
    skipped: tuple[Skipped, ...] = ()


@dataclass
class _Known:
    """What must be remembered of a conversation: little, as there may be very many."""

    conversation: int
    repeat: int
    where: str
    verdicts: dict[str, str] = field(default_factory=dict)  # digests, by judge
    opinions: dict[tuple[str, str], float] = field(default_factory=dict)  # by rater and criterion


class Sorting:
    """Goes through the rows of all files in order.

    The same words on the same scenario are one conversation where somebody judged or labelled it: another judge's file
    adds to it. Where nobody did they are repeats, as a model may well answer in the same words twice.
    """

    def __init__(self) -> None:
        self._first: dict[tuple[str, str, str], _Known] = {}  # by scenario, cast, and what was said
        self._repeats = Counter[tuple[str, str]]()  # by scenario and cast
        self._count = 0
        self._unnamed: dict[str, str] = {}  # by file

    def place(self, file: str, one: Imported) -> Placed:
        """Which conversation a row of this file is of."""
        played = one.played
        place = (played.scenario.id, digest_of(dict(played.cast)))
        said = digest_of([played.outcome and asdict(played.outcome), [asdict(line) for line in one.lines]])
        opinions = [Opinion(self._rater(file, who.rater), who.criterion, who.value) for who in one.opinions]
        same = self._first.get((*place, said))
        if same is not None and (played.verdicts or opinions or same.verdicts or same.opinions):
            return _added(same, one, opinions, is_new=False)
        new = _Known(self._count, self._repeats[place], f"{file}, {one.where}")
        self._first.setdefault((*place, said), new)
        self._repeats[place] += 1
        self._count += 1
        return _added(new, one, opinions, is_new=True)

    def _rater(self, file: str, named: str) -> str:
        if named:
            return named
        number = len(self._unnamed) + 1
        return self._unnamed.setdefault(file, PEOPLE if number == 1 else f"{PEOPLE} {number}")


def _added(known: _Known, one: Imported, opinions: Iterable[Opinion], *, is_new: bool) -> Placed:
    """What a row adds to its conversation; who said something else of it before is not heard twice."""
    verdicts, said, skipped = [], [], []
    was_judged = bool(known.verdicts)
    for verdict in one.played.verdicts:
        digest = digest_of([verdict.data, verdict.failure])
        if verdict.judge not in known.verdicts:
            known.verdicts[verdict.judge] = digest
            verdicts.append(verdict)
        elif known.verdicts[verdict.judge] != digest:
            skipped.append(Skipped(one.where, f"{verdict.judge} said something else of it in {known.where}"))
    for opinion in opinions:
        key = (opinion.rater, opinion.criterion)
        if key not in known.opinions:
            known.opinions[key] = opinion.value
            said.append(opinion)
        elif known.opinions[key] != opinion.value:
            why = f"{opinion.rater} gave {opinion.criterion} another value in {known.where}"
            skipped.append(Skipped(one.where, why))
    if not (is_new or verdicts or said or skipped):
        skipped.append(Skipped(one.where, f"it is the same as {known.where}"))
    is_judged_first = bool(verdicts) and not was_judged
    added = (tuple(verdicts), tuple(said), tuple(skipped))
    return Placed(known.conversation, known.repeat, is_new, is_judged_first, *added)
