"""Which calls made which turn: what a seat wrote is matched with the answers of its model."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from interplay.core.conversation import Line
from interplay.reporting.pages.speech import Turn, object_in
from interplay.reporting.transcript import is_private
from interplay.store.closeup import Voice

PLAY = "play"
LOOKED_AT = 80  # characters of a field, by which an answer is known again
MOST_FIELDS = 6


@dataclass(frozen=True)
class Source:
    """The calls behind a turn, and what models thought before they spoke: (seat, reasoning)."""

    calls: tuple[Voice, ...] = ()
    thoughts: tuple[tuple[str, str], ...] = ()


def sources_of(turns: Iterable[Turn], calls: Sequence[Voice]) -> dict[int, Source]:
    """The source of each turn that has one, by the turn's number."""
    turns = list(turns)
    by_line = _by_line([line for turn in turns for line in turn.lines], calls)
    found = {}
    for turn in turns:
        mine = [call for line in turn.lines for call in by_line.get(id(line), ())]
        if mine:
            thoughts = tuple((call.participant, call.reasoning) for call in mine if call.reasoning.strip())
            found[turn.number] = Source(tuple(mine), thoughts)
    return found


def _by_line(lines: Sequence[Line], calls: Sequence[Voice]) -> Mapping[int, list[Voice]]:
    """The calls of each line that a seat wrote: the one it was read from, and those before it that came to nothing."""
    found: dict[int, list[Voice]] = {}
    for seat in dict.fromkeys(line.source for line in lines if line.source):
        mine = [call for call in calls if call.stage == PLAY and call.participant == seat]
        mine.sort(key=lambda call: (call.step, call.attempt))
        written = [line for line in lines if line.source == seat and is_private(line)]
        answered = [place for place, call in enumerate(mine) if call.state == "done"]
        spare, start = len(answered) - len(written), 0
        for line in written:
            if spare < 0 or not answered:
                break
            # an answer that could not be read was asked for again: it is the last of those that fit
            fitting = [
                place
                for place in range(spare + 1)
                if place < len(answered) and _fits(mine[answered[place]], line)
            ]
            chosen = fitting[-1] if fitting else 0
            end = answered[chosen] + 1
            found[id(line)] = mine[start:end]
            start, spare, answered = end, spare - chosen, answered[chosen + 1 :]
    return found


def _fits(call: Voice, line: Line) -> bool:
    """Can this line have been read from this answer?"""
    text = call.text or ""
    fields = object_in(line.text)
    if fields is None:
        return text.strip().startswith(line.text[:LOOKED_AT])
    words = [value[:LOOKED_AT] for value in fields.values() if isinstance(value, str) and value][:MOST_FIELDS]
    return all(word in text or json.dumps(word, ensure_ascii=False)[1:-1] in text or json.dumps(word)[1:-1] in text
               for word in words)  # fmt: skip


def so_far(calls: Sequence[Voice]) -> list[Line]:
    """What was written so far in a conversation that has not ended, as its calls have it."""
    return [
        Line(call.participant, (call.participant,), call.text or "")
        for call in calls
        if call.stage == PLAY and call.state == "done"
    ]
