"""What a board says of the null model where it stands there, and of the models that are no better."""

from collections.abc import Callable, Mapping, Sequence

from interplay.core.board import Board, Cell
from interplay.models.null import NULL, SENTENCE

WHAT_IT_IS = (
    f'{NULL} is no model: it says "{SENTENCE}" to everything and fills forms with as little as fits. A score whose '
    "interval reaches the null's own shows no more than that does."
)
Row = Mapping[str, Cell]


def null_notes(board: Board) -> list[str]:
    """What a reader must know where the null model is on a board, and whom it leaves behind by the board's ranks."""
    mine = [row for row in board.rows if row.get("model") == NULL]
    if not mine:
        return []
    told = [WHAT_IT_IS]
    ahead = _found(board, mine, lambda null, other: null < other)
    if ahead:
        told.append(f"By the ranks here, {NULL} is ahead of {_listed(ahead)}.")
    level = _found(board, mine, lambda null, other: null == other)
    if level:
        told.append(f"By the ranks here, {NULL} is level with {_listed(level)}.")
    return told


def _found(board: Board, mine: Sequence[Row], holds: Callable[[int, int], bool]) -> list[str]:
    """The other models of which this holds, by the null model's rank and theirs; who has no rank is not compared."""
    keys = [column.key for column in board.columns]
    if "rank" not in keys:
        return []
    # What stands before the rank says among whom a row has it: one reader's rows are not another's.
    among = [key for key in keys[: keys.index("rank")] if key != "model"]
    found = []
    for other in board.rows:
        for null in mine:
            its, theirs = null["rank"], other["rank"]
            alike = other["model"] != NULL and all(null[key] == other[key] for key in among)
            if alike and isinstance(its, int) and isinstance(theirs, int) and holds(its, theirs):
                found.append(str(other["model"]))
    return list(dict.fromkeys(found))


def _listed(names: Sequence[str]) -> str:
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
