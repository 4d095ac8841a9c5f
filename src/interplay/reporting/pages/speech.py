"""What was said, turn by turn: who spoke, who heard it, and what the speaker kept to itself."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from interplay.core.conversation import Line
from interplay.reporting.transcript import is_private, shown_lines

COLOURS = 6  # of seats; the style sheet has as many


@dataclass(frozen=True)
class Turn:
    """Something that was said, as a page shows it; its number is the same in every view of the conversation."""

    number: int  # from 1
    seat: str  # who said it; "" is the narrator
    heard_by: tuple[str, ...]
    text: str
    kept: tuple[
        Line, ...
    ] = ()  # what the speaker, or another seat of its role, wrote on the way to these words
    line: Line | None = None
    colour: int = 0  # of its seat, from 1; the narrator has none
    side: str = "left"
    is_subject: bool = False
    is_alone: bool = False  # there is nobody else in the conversation who could have heard it

    @property
    def is_private(self) -> bool:
        """Did nobody hear this but who said it?"""
        return self.heard_by == (self.seat,) and not self.is_alone

    @property
    def is_public(self) -> bool:
        return bool(self.seat) and not self.is_private

    @property
    def lines(self) -> tuple[Line, ...]:
        return (*self.kept, *((self.line,) if self.line else ()))

    @property
    def fields(self) -> Mapping[str, Any] | None:
        """What was said in a form, by the names of its fields; None where it is plain text, or was said to others."""
        return None if self.is_public and not self.is_alone else object_in(self.text)

    @property
    def thoughts(self) -> list[tuple[str, Any]]:
        """What the speaker wrote beside the words that others heard: (seat and field, value)."""
        return [
            (name if line.source == self.seat else f"{line.source}: {name}".removesuffix(": "), value)
            for line in self.kept
            for name, value in _beside(line.text, self.text)
        ]


def turns_of(lines: Sequence[Line], subjects: Sequence[str] = ()) -> list[Turn]:
    """The turns of a conversation; subjects are the seats of the models that are measured.

    What a seat wrote and then said to others is one turn, and so is what the narrator told several in the same words.
    """
    shown = iter(shown_lines(lines))
    coming = next(shown, None)
    found: list[Turn] = []
    kept: list[Line] = []
    looks = _Looks(lines, subjects)
    for line in lines:
        if line is coming:
            coming = next(shown, None)
            found.append(
                looks.of(Turn(len(found) + 1, line.source, line.heard_by, line.text, tuple(kept), line))
            )
            kept = []
        elif line.source:
            kept.append(line)
        elif found:
            also = tuple(seat for seat in line.heard_by if seat not in found[-1].heard_by)
            heard_by = found[-1].heard_by if found[-1].seat else (*found[-1].heard_by, *also)
            found[-1] = replace(found[-1], heard_by=heard_by)
    return found


def seats_of(lines: Sequence[Line], asked: Sequence[str] = ()) -> list[str]:
    """Everybody who spoke or was asked, in the order of first words."""
    return list(dict.fromkeys([*(line.source for line in lines if line.source), *asked]))


def role_of(seat: str) -> str:
    """The role that a seat is of: ROLE, ROLE 2, ROLE 3, or ROLE and its part."""
    return seat.partition(" ")[0]


def colours_of(lines: Sequence[Line], asked: Sequence[str] = ()) -> dict[str, int]:
    """The colour of each seat, from 1: those that others hear come first, so that theirs are unlike each other."""
    seats = dict.fromkeys([*_speakers(lines), *seats_of(lines, asked)])
    return {seat: place % COLOURS + 1 for place, seat in enumerate(seats)}


def _speakers(lines: Sequence[Line]) -> list[str]:
    return list(dict.fromkeys(line.source for line in lines if line.source and not is_private(line)))


class _Looks:
    """Colours and sides: the same seat looks the same all along."""

    def __init__(self, lines: Sequence[Line], subjects: Sequence[str]):
        speakers = _speakers(lines)
        self._colours = colours_of(lines)
        self._subjects = set(subjects)
        if len(speakers) == 2:
            ours = [seat for seat in speakers if seat in self._subjects]
            self._right = ours[0] if len(ours) == 1 else speakers[1]
        else:
            self._right = ""

    def of(self, turn: Turn) -> Turn:
        return replace(
            turn,
            colour=self._colours.get(turn.seat, 0),
            side="right" if turn.seat and turn.seat == self._right else "left",
            is_subject=turn.seat in self._subjects,
            is_alone=bool(turn.seat) and len(self._colours) == 1,
        )


def heard_in(turn: Turn, seat: str) -> Turn | None:
    """A turn as one seat knows it; None where it does not. What others kept to themselves it never saw."""
    if turn.seat == seat:
        return replace(turn, kept=tuple(line for line in turn.kept if line.source == seat))
    own = tuple(line for line in turn.kept if line.source == seat)
    if seat in turn.heard_by:
        return replace(turn, kept=())
    if own:  # its part in another's turn, such as a step of a system
        text = own[-1].text
        return replace(turn, seat=seat, heard_by=(seat,), text=text, kept=own[:-1], line=own[-1])
    return None


def object_in(text: str) -> Mapping[str, Any] | None:
    """The fields of what was written in a form; None where it is plain text."""
    if not text.startswith("{"):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and found else None


def _beside(text: str, said: str) -> Iterator[tuple[str, Any]]:
    """The fields of what was written, without those that were said."""
    found = object_in(text)
    if found is None:
        if text.strip() and text.strip() not in said:
            yield "", text
        return
    for name, value in found.items():
        if value not in ("", None, [], {}) and not (isinstance(value, str) and value.strip() in said):
            yield name.replace("_", " "), value
