"""What all writing of new data has in common: draws, the best of the tries, a board, what a file says of itself."""

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from interplay.core.benchmark import Option, Played, Scenario
from interplay.core.board import Board, Cell, Column
from interplay.core.failures import Mistake, UnreadableFailure
from interplay.core.making import Origin, Piece

T = TypeVar("T")
WRITER = "writer"
SHOWN_LEFT_OUT = 40  # pieces on a board, each with its reasons
SHOWN_COMPLAINTS = 5  # of one piece
SEED = Option(
    "seed", "0", "what pieces grow out of is drawn by it: another seed, other pieces", number=(0, 2**31)
)
COLUMNS = (
    Column("model", "model", "the model that writes", "text"),
    Column("written", "written", "pieces that passed all checks", "count"),
    Column("pieces", "pieces", "pieces that were asked for and tried", "count"),
    Column("rejected", "rejected", "tries that failed a check", "count"),
    Column("unreadable", "unreadable", "tries that never came in form", "count"),
    Column("unanswered", "unanswered", "tries that got no answer", "count"),
)


def refuse_data(data: Path | None) -> None:
    if data is not None:
        raise Mistake(f"writing reads no data: leave {data} out")


def drawn(entries: Sequence[T], number: int, draw: str) -> T:
    """The entry for a number from 1: the list is shuffled, and shuffled anew whenever all of it has come."""
    round_, place = divmod(number - 1, len(entries))
    shuffled = list(entries)
    Random(f"{draw}/{round_}").shuffle(shuffled)  # noqa: S311  # draws seeds, guards nothing
    return shuffled[place]


def best_pieces(
    played: Sequence[Played], place: Callable[[Scenario], Any], read: Callable[[Played], Piece]
) -> list[Piece]:
    """Every piece by its first try that passes all checks, else by the try with the fewest complaints.

    First tries are read before second ones, whatever their place, so that a later try never changes what has passed;
    nothing is read of a piece that has.
    """
    best: dict[str, Piece] = {}
    for one in sorted(played, key=lambda one: (one.repeat, place(one.scenario))):
        before = best.get(one.scenario.id)
        if before is not None and not before.complaints:
            continue
        piece = unread(one) if one.outcome is None else read(one)
        if before is None or rank(piece) <= rank(before):
            best[one.scenario.id] = piece
    places = {one.scenario.id: place(one.scenario) for one in played}
    return [best[id] for id in sorted(best, key=places.__getitem__)]


def rank(piece: Piece) -> tuple[bool, bool, int]:
    """What a person can look at goes before what can only be told of, and that before what was never read."""
    return not piece.text, not piece.entry, len(piece.complaints)


def unread(one: Played) -> Piece:
    """The piece of a try that came to nothing."""
    unreadable = one.failure == UnreadableFailure.name
    trouble = "the writer never answered in form" if unreadable else one.failure
    return Piece(one.scenario.id, one.scenario.label, "", {}, (trouble,))


def board_of_writing(
    title: str, played: Sequence[Played], gather: Callable[[Sequence[Played]], Sequence[Piece]]
) -> Board:
    """A row for each model: how many of its pieces passed, and what became of its tries."""
    tries = {name: [one for one in played if one.subject == name] for name in _subjects(played)}
    gathered = {name: gather(tried) for name, tried in tries.items()}
    notes = [_note(piece) for pieces in gathered.values() for piece in pieces if piece.complaints]
    rows = [_row(name, tried, gathered[name]) for name, tried in tries.items()]
    rows.sort(key=lambda row: -int(str(row["written"])))
    if len(notes) > SHOWN_LEFT_OUT:
        notes[SHOWN_LEFT_OUT:] = [f"{len(notes) - SHOWN_LEFT_OUT} more pieces failed their checks."]
    return Board(title, COLUMNS, tuple(rows), tuple(notes))


def _note(piece: Piece) -> str:
    told = list(piece.complaints)
    if len(told) > SHOWN_COMPLAINTS:
        told[SHOWN_COMPLAINTS:] = [f"{len(told) - SHOWN_COMPLAINTS} more"]
    return f"{piece.label}: {'; '.join(told)}."


def _subjects(played: Sequence[Played]) -> list[str]:
    return sorted({one.subject for one in played})


def _row(subject: str, tries: Sequence[Played], pieces: Sequence[Piece]) -> dict[str, Cell]:
    passed = sum(not piece.complaints for piece in pieces)
    finished = sum(one.outcome is not None for one in tries)
    unreadable = sum(one.failure == UnreadableFailure.name for one in tries)
    return {
        "model": subject,
        "written": passed,
        "pieces": len(pieces),
        "rejected": finished - passed,
        "unreadable": unreadable,
        "unanswered": len(tries) - finished - unreadable,
    }


def told_of(origin: Origin, what: str) -> dict[str, Any]:
    """What a file of new data says of where it comes from, with a canary of its own."""
    return {
        "canary": f"INTERPLAY CANARY {what} {origin.canary}: benchmark data, keep out of training corpora",
        "written_by": origin.model,
        "run": origin.run,
        "started": origin.started,
        "seed": int(origin.options["seed"]),
        "reviewed": origin.reviewed,
    }
