"""The expressiveness gap: what readers of play had right, by F-scores, and how far two of them are apart."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from interplay.benchmarks.social_interaction.characters import SKILLS
from interplay.benchmarks.social_interaction.windows import Intention, Window

UNTRAINED, REAL = "untrained", "real"  # what a reader learned from, where it is no model's play
CHARACTERS, OVERALL = LEVELS = ("c", "o")  # the paper's letters: who is asked, and who for which skill


@dataclass(frozen=True)
class Counts:
    """How many were named, how many there are, and how many of the named are right."""

    right: int = 0
    named: int = 0
    true: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.right + other.right, self.named + other.named, self.true + other.true)

    @property
    def precision(self) -> float | None:
        """The share of the named that is right; None where nothing was named."""
        return self.right / self.named if self.named else None

    @property
    def recall(self) -> float | None:
        """The share of what there is that was named; None where there is nothing."""
        return self.right / self.true if self.true else None

    @property
    def f1(self) -> float | None:
        """The F-score: 0 where nothing is right, None where there was nothing to name."""
        return 2 * self.right / (self.named + self.true) if self.true else None


@dataclass(frozen=True)
class Reading:
    """What one reader made of the windows; None, or no entry, is a window that it did not read."""

    dm: str  # the virtual game master behind it
    source: str  # UNTRAINED, REAL, or the model whose play it learned from
    size: int  # how many windows it learned from
    read: Mapping[str, Collection[Intention] | None]
    name: str  # whose work it is on the record


@dataclass(frozen=True)
class Gap:
    """How far two F-scores are apart, and on which side the reader of a model's play is."""

    value: float
    side: Literal["below", "equal", "above"]


def gap(f_r: float | None, f_g: float | None) -> Gap | None:
    """Paper (1): |f_r - f_g| / (f_r + f_g); None where both are 0, or one is not known."""
    if f_r is None or f_g is None or f_r + f_g == 0:
        return None
    side: Literal["below", "equal", "above"] = "below" if f_g < f_r else "above" if f_g > f_r else "equal"
    return Gap(abs(f_r - f_g) / (f_r + f_g), side)


def counts_of(window: Window, read: Collection[Intention]) -> tuple[Counts, Counts]:
    """What a reader had right in one window: of the characters, and of the pairs of character and skill."""
    named, true = _pairs(read), _pairs(window.intentions)
    known = {pair for pair in named & true if pair[1] in SKILLS}
    who, asked = ({name for name, _ in pairs} for pairs in (named, true))
    return Counts(len(who & asked), len(who), len(asked)), Counts(len(known), len(named), len(true))


def _pairs(intentions: Collection[Intention]) -> set[tuple[str, str]]:
    return {(_plain(one.character), _plain(one.skill)) for one in intentions}


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


@dataclass(frozen=True)
class Tally:
    """What a reader had right in each session, over the windows that it read."""

    by_session: Mapping[str, Counts]
    windows: int

    @property
    def total(self) -> Counts:
        return sum(self.by_session.values(), Counts())


def tallies(windows: Sequence[Window], read: Mapping[str, Collection[Intention] | None]) -> dict[str, Tally]:
    """What a reader had right on each level, session by session; windows that it did not read are left out."""
    sums: dict[str, dict[str, Counts]] = {level: {} for level in LEVELS}
    seen = read_by(windows, read)
    for window in seen:
        for level, counts in zip(LEVELS, counts_of(window, read[window.id] or ()), strict=True):
            sums[level][window.session] = sums[level].get(window.session, Counts()) + counts
    return {level: Tally(sums[level], len(seen)) for level in LEVELS}


def read_by(windows: Sequence[Window], *reads: Mapping[str, Collection[Intention] | None]) -> list[Window]:
    """The windows that all of these readers read."""
    return [window for window in windows if all(read.get(window.id) is not None for read in reads)]


def bounds(
    windows: Sequence[Window], read: Mapping[str, Collection[Intention] | None]
) -> dict[str, tuple[float | None, float | None]]:
    """The F-scores on each level were all unread windows read at worst, and at best.

    At worst one wrong name is given for each intention, and one where there is none; at best the truth is.
    """
    unread = [window for window in windows if read.get(window.id) is None]
    truths = [counts_of(window, window.intentions) for window in unread]
    found = {}
    for place, (level, tally) in enumerate(tallies(windows, read).items()):
        true = [truth[place].true for truth in truths]
        worst = tally.total + Counts(0, sum(max(count, 1) for count in true), sum(true))
        best = tally.total + Counts(sum(true), sum(true), sum(true))
        found[level] = (worst.f1, best.f1)
    return found


def most_frequent_skill(windows: Sequence[Window]) -> str:
    """The skill that is asked for most often, the first by name of equals; empty where none is."""
    asked = Counter(one.skill for window in windows for one in window.intentions)
    return min(asked, key=lambda skill: (-asked[skill], skill), default="")


def last_speaker(windows: Sequence[Window], skill: str) -> dict[str, frozenset[Intention]]:
    """The baseline that always names the player who spoke last, with this skill."""
    return {window.id: _named(window.last_player, skill) for window in windows}


def majority(windows: Sequence[Window], skill: str) -> dict[str, frozenset[Intention]]:
    """The baseline that always names the player with most turns, the later of equals, with this skill."""
    return {window.id: _named(_most_turns(window), skill) for window in windows}


def _most_turns(window: Window) -> str:
    turns: Counter[str] = Counter()
    last: dict[str, int] = {}
    for number, turn in enumerate(window.turns):
        for name in turn.speakers:
            if name not in window.masters:
                turns[name] += 1
                last[name] = number
    return max(turns, key=lambda name: (turns[name], last[name], name), default="")


def _named(player: str, skill: str) -> frozenset[Intention]:
    return frozenset({Intention(player, skill)}) if player else frozenset()


@dataclass(frozen=True)
class Pair:
    """A reader of a model's play beside those of the same virtual game master that it is measured by."""

    generated: Reading
    real: Reading | None
    untrained: Reading | None

    @property
    def of_one_size(self) -> bool:
        return self.real is not None and self.real.size == self.generated.size


def pairs_of(readings: Sequence[Reading]) -> list[Pair]:
    """For each virtual game master and model, the readers of as many windows, or the largest if there are none."""
    readers = by_reader(readings)
    found = []
    for (dm, source), sizes in sorted(readers.items()):
        if source in (UNTRAINED, REAL):
            continue
        real, untrained = readers.get((dm, REAL), {}), readers.get((dm, UNTRAINED), {})
        size = max(sizes.keys() & real.keys(), default=None)
        generated = sizes[max(sizes)] if size is None else sizes[size]
        against = _largest(real) if size is None else real[size]
        found.append(Pair(generated, against, _largest(untrained)))
    return found


def by_reader(readings: Sequence[Reading]) -> dict[tuple[str, str], dict[int, Reading]]:
    """The readings by virtual game master and what was learned from, and then by size."""
    found: dict[tuple[str, str], dict[int, Reading]] = {}
    for reading in readings:
        sizes = found.setdefault((reading.dm, reading.source), {})
        if reading.size in sizes:
            raise ValueError(f"{reading.dm} learned twice from {reading.size} windows of {reading.source}")
        sizes[reading.size] = reading
    return found


def _largest(sizes: Mapping[int, Reading]) -> Reading | None:
    return sizes[max(sizes)] if sizes else None
