"""Planted lists: statements of which it is known what they tell, so that a matcher's own errors can be counted."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from random import Random
from typing import Any

from interplay.benchmarks.social_interaction.knowledge import Knowledge, entry_of, shipped
from interplay.benchmarks.social_interaction.protocol import Session
from interplay.core.wire import digest_of

SAID, WRONG, ABSENT = KINDS = ("said", "wrong", "absent")  # what a list has of a known point
CHANCES = (0.5, 0.25, 0.25)  # of each kind
Pairs = Sequence[Sequence[int]]  # (learned, known), both from 1


@dataclass(frozen=True)
class Statement:
    """A planted statement: the known point it is about, from 1, and whether it tells that point or gets it wrong."""

    text: str
    known: int
    is_said: bool


@dataclass(frozen=True)
class Planted:
    """Known points of a shipped piece, and a shuffled list in which each of them is said, wrong or absent."""

    piece: str
    known: tuple[str, ...]
    learned: tuple[Statement, ...]

    def outcome(self, pairs: Pairs) -> dict[str, Any]:
        """What a matcher made of the list, as a verdict keeps it.

        Paired is 0 where a known point was left alone, and learned where the list has nothing about it.
        """
        paired = {known: learned for learned, known in pairs}
        found: dict[str, list[dict[str, int]]] = {kind: [] for kind in KINDS}
        for number, one in enumerate(self.learned, 1):
            entry = {"known": one.known, "learned": number, "paired": paired.get(one.known, 0)}
            found[SAID if one.is_said else WRONG].append(entry)
        listed = {one.known for one in self.learned}
        for known in range(1, len(self.known) + 1):
            if known not in listed:
                found[ABSENT].append({"known": known, "learned": 0, "paired": paired.get(known, 0)})
        return {"piece": self.piece, **found}


def planted_for(content: Mapping[str, Any], outcome: Session, most: int) -> Planted:
    """The list that goes with a session: the same for every judge, of another piece than the session's own.

    It depends on the moves too, so that several models and repeats of one scenario try the matcher on several lists.
    """
    address = digest_of([dict(content), [asdict(move) for move in outcome.moves]])
    lots = Random(f"planted/{address}")  # noqa: S311  # draws lists, guards nothing
    own = content["knowledge"]["title"].casefold()
    piece = lots.choice([one for one in _usable() if one.title.casefold() != own])
    points = sorted(lots.sample(range(len(piece.points)), min(most, len(piece.points))))
    kinds = lots.choices(KINDS, CHANCES, k=len(points))
    if all(kind == ABSENT for kind in kinds):
        kinds[0] = SAID  # an empty list is no list to pair
    statements = []
    for number, (place, kind) in enumerate(zip(points, kinds, strict=True), 1):
        point = piece.points[place]
        if kind != ABSENT:
            statements.append(Statement(point.said if kind == SAID else point.wrong, number, kind == SAID))
    lots.shuffle(statements)
    return Planted(piece.title, tuple(piece.points[place].point for place in points), tuple(statements))


@cache
def digest_of_planting() -> str:
    """What lists are drawn from and how: other pieces or chances are other lists."""
    return digest_of([KINDS, CHANCES, [entry_of(piece) for piece in _usable()]])


@cache
def _usable() -> tuple[Knowledge, ...]:
    return tuple(
        piece
        for piece in shipped()
        if piece.points and all(point.said and point.wrong for point in piece.points)
    )
