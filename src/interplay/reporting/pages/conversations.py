"""One conversation: who said what, as everybody or one seat knows it, and what judges and people made of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from interplay.benchmarks import find
from interplay.core.benchmark import Benchmark
from interplay.core.conversation import alone
from interplay.core.failures import Mistake
from interplay.core.people import is_person, person_of
from interplay.reporting.pages.judgements import Judgement, judged_of
from interplay.reporting.pages.outcomes import called_in, outcome_of
from interplay.reporting.pages.speech import Turn, colours_of, heard_in, role_of, seats_of, turns_of
from interplay.reporting.pages.texts import Words, visible
from interplay.reporting.pages.verdicts import Panel
from interplay.reporting.pages.voices import PLAY, Source, so_far, sources_of
from interplay.running.results import options_of
from interplay.store.closeup import CloseUp, Voice
from interplay.store.database import snapshot
from interplay.store.labels import Given
from interplay.store.records import ConversationRow, Run

MOST_CALLS = 500  # in the list of them
TOGETHER = " + "  # between the names of models that sat together


@dataclass(frozen=True)
class View:
    """How somebody looks at a conversation."""

    seat: str = ""  # as whom; "" is everybody
    step: int = 0  # up to which turn; 0 is all of it
    markdown: bool = False

    def link(self, **changes: Any) -> dict[str, object]:
        """The same view with changes, as the query of a link."""
        new = replace(self, **changes)
        return {"seat": new.seat, "step": new.step, "text": "markdown" if new.markdown else ""}


@dataclass(frozen=True)
class Sitter:
    """Who sits in a seat."""

    seat: str
    model: str
    colour: int
    is_subject: bool
    person: str = ""  # the name, where a person sits there
    called: str = ""  # what it is called in the conversation, such as the character it plays


@dataclass(frozen=True)
class Seen:
    """A turn as a view shows it, with all that belongs to it."""

    turn: Turn
    calls: tuple[Voice, ...] = ()
    thoughts: tuple[tuple[str, str], ...] = ()  # (seat, reasoning)
    panel: Panel | None = None
    notes: tuple[tuple[str, tuple[str, ...]], ...] = ()  # what was seen here, and by which judges


@dataclass(frozen=True)
class SeatView:
    """The conversation as one seat knows it, and what it was given before."""

    sitter: Sitter
    before: tuple[tuple[str, str], ...]  # (what it is, text)
    turns: tuple[Seen, ...]


def conversation(close: CloseUp, view: View = View(), *, all_seats: bool = False) -> dict[str, Any]:  # noqa: B008  # frozen
    """What the page of one conversation shows; a Mistake where nobody sat as whom it is to be seen."""
    with snapshot(close.records.db, close.records.path):
        row, calls = close.row(), close.calls()
        lines = row.lines or so_far(calls)
        seats = seats_of(lines, [call.participant for call in calls if call.stage == PLAY])
        if view.seat and view.seat not in seats:
            known = ", ".join(seats)
            raise Mistake(f"nobody sat as {view.seat!r} in conversation {row.number}; there is {known}")
        benchmark, others = _benchmark(close.run), close.others(row)
        table = _sitters(close.run, benchmark, row, calls, seats)
        colours = colours_of(lines, [one.seat for one in table])
        table = [replace(one, colour=colours[one.seat]) for one in table]
        turns = turns_of(lines, [one.seat for one in table if one.is_subject])
        judged = judged_of(close, benchmark, row, calls, turns, others)
        seen = _seen(turns, sources_of(turns, calls), judged)
        looked_at = seats if all_seats else [view.seat] if view.seat else []
        views = [_seat_view(close, one, seen) for one in table if one.seat in looked_at]
        around = {"others": others, "takes": close.takes(row), "facts": close.facts()}
        around |= {"labels": _labels(close.labels()), "neighbours": close.neighbours()}
    shown = list(views[0].turns) if view.seat else seen
    texts = [*(turn.text for turn in turns), *(one.reasoning for one in calls if one.reasoning)]
    count, size = len(texts), sum(map(len, texts))
    return {
        "title": visible(f"{row.scenario.label}, conversation {row.number}"),
        "run": close.run,
        "row": row,
        "view": view,
        "sitters": table,
        "seats": seats,
        "seat_view": views[0] if view.seat else None,
        "seat_views": views if all_seats else [],
        "words": Words(markdown=view.markdown, texts=count, size=size),
        "plainly": Words(texts=count, size=size),
        "judged": judged,
        "apart": [one.turn.number for one in seen if one.panel and one.panel.is_apart],
        "outcome": outcome_of(close.run.benchmark, row.outcome),
        "calls": calls,
        "most_calls": MOST_CALLS,
        "waiting": [person_of(one.model) for one in calls if one.state == "sent" and is_person(one.model)],
        **_stepped(shown, view.step),
        **around,
    }


def _stepped(shown: Sequence[Seen], step: int) -> dict[str, Any]:
    """The turns up to a step, and where somebody is who goes step by step."""
    numbers = [one.turn.number for one in shown]
    return {
        "turns": [one for one in shown if not step or one.turn.number <= step],
        "has_panels": any(one.panel or one.notes for one in shown),
        "steps": _steps(numbers, step),
        "first_step": numbers[0] if numbers else 0,
    }


def _benchmark(run: Run) -> Benchmark | None:
    """What the run is of; None where it is of another version, or of a benchmark that is not here."""
    try:
        found = find(run.benchmark)
        options_of(run, found)
    except Mistake:
        return None
    return found


def _sitters(
    run: Run, benchmark: Benchmark | None, row: ConversationRow, calls: Sequence[Voice], seats: Sequence[str]
) -> list[Sitter]:
    """Who sits where; the models of the calls say so, else the cast does."""
    asked = {call.participant: call.model for call in calls if call.stage == PLAY}
    measured = set(row.subject.split(TOGETHER))
    subjects = {role.name for role in benchmark.subjects(options_of(run, benchmark))} if benchmark else set()
    called = called_in(row.outcome)
    found = []
    unseen = [
        role
        for role in row.cast
        if not any(role in (seat, alone(seat, role_of(seat)), role_of(seat)) for seat in seats)
    ]
    for seat in (*seats, *unseen):
        role = role_of(seat)
        model = asked.get(seat) or row.cast.get(alone(seat, role)) or row.cast.get(role, "")
        is_subject = model in measured and (not subjects or role in subjects)
        person = person_of(model) if is_person(model) else ""
        found.append(Sitter(seat, model, 0, is_subject, person, called.get(seat, "")))
    return found


def _seen(turns: Sequence[Turn], sources: Mapping[int, Source], judged: Judgement) -> list[Seen]:
    return [
        Seen(
            turn,
            sources.get(turn.number, Source()).calls,
            sources.get(turn.number, Source()).thoughts,
            judged.panels.get(turn.number),
            _by_note(judged.notes.get(turn.number, ())),
        )
        for turn in turns
    ]


def _by_note(notes: Sequence[tuple[str, str]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found: dict[str, list[str]] = {}
    for judge, note in notes:
        found.setdefault(note, []).append(judge)
    return tuple((note, tuple(judges)) for note, judges in found.items())


def _seat_view(close: CloseUp, sitter: Sitter, seen: Sequence[Seen]) -> SeatView:
    """What a seat heard and said; what others thought is left out."""
    found = []
    for one in seen:
        turn = heard_in(one.turn, sitter.seat)
        if turn is not None:
            mine = turn.seat == sitter.seat
            thoughts = tuple(thought for thought in one.thoughts if mine and thought[0] == sitter.seat)
            calls = tuple(call for call in one.calls if mine and call.participant == sitter.seat)
            found.append(Seen(turn, calls, thoughts))  # what judges said, it never heard
    kinds = {
        "system": "Its brief, which no other seat sees",
        "user": "Heard before",
        "assistant": "Said before",
    }
    before = tuple((kinds[message.role], message.text) for message in close.before(sitter.seat))
    return SeatView(sitter, before, tuple(found))


@dataclass(frozen=True)
class Steps:
    """Where somebody is who goes through a conversation turn by turn; 0 is nowhere."""

    here: int
    before: int
    after: int
    place: int  # how many turns are in sight
    count: int


def _steps(numbers: Sequence[int], step: int) -> Steps:
    shown = [number for number in numbers if number <= step] if step else list(numbers)
    later = [number for number in numbers if number > step] if step else []
    before = shown[-2] if step and len(shown) > 1 else 0
    return Steps(step, before, later[0] if later else 0, len(shown), len(numbers))


def _labels(labels: Sequence[Given]) -> dict[str, Any]:
    """What people said, a row for each criterion and a column for each rater."""
    raters = sorted({label.rater for label in labels})
    criteria = sorted({label.criterion for label in labels})
    values = {(label.criterion, label.rater): label for label in labels}
    return {
        "raters": raters,
        "rows": [(one, [values.get((one, rater)) for rater in raters]) for one in criteria],
    }
