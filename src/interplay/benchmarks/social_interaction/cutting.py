"""From sessions that models played to windows such as real play has, each cut at one check."""

from collections.abc import Sequence
from random import Random

from interplay.benchmarks.social_interaction.form import brought_to_form
from interplay.benchmarks.social_interaction.protocol import NPC, Move, Session, Wanted
from interplay.benchmarks.social_interaction.windows import Intention, Turn, Window

SHORTEST_PART = 2  # letters of a first or last name; a single one is an initial


def windows_of(session: Session, id_: str, last_share: float) -> list[Window]:
    """A window for everybody who wanted something, in the form of all play.

    A window of real play ends just before the game master calls for the check, and who is asked spoke last as often as
    the share says. Where a session's windows end is ours to choose, so the same share of them ends on a move of the
    player who wants: the gap should measure play, not where windows were cut.
    """
    names = {one.seat: one.name for one in session.seats}
    spellings = {name: _ways_to_say(name) for name in names.values()}
    masters = tuple(one.name for one in session.seats if one.role == NPC)
    found = []
    for number, wanted in enumerate(session.wants, 1):
        draw = f"{id_}/{number}"
        moves = _cut(session, wanted, Random(f"cut/{draw}").random() < last_share)  # noqa: S311  # draws a cut
        window = Window(
            id=draw,
            session=id_,
            turns=tuple(Turn((names[move.seat],), _text(move)) for move in moves),
            intentions=(Intention(names[wanted.seat], wanted.skill),),
            masters=masters,
        )
        if window.turns:
            found.append(brought_to_form(window, spellings))
    return found


def _cut(session: Session, wanted: Wanted, on_theirs: bool) -> Sequence[Move]:
    """The moves of the stretch, without silent ones, up to the last of the one who wants, or of another player."""
    moves = [move for move in session.moves[wanted.first : wanted.after] if move.act or move.say]
    npcs = {one.seat for one in session.seats if one.role == NPC}
    ends = [
        place
        for place, move in enumerate(moves)
        if move.seat not in npcs and (move.seat == wanted.seat) == on_theirs
    ]
    return moves[: ends[-1] + 1] if ends else moves


def _text(move: Move) -> str:
    """What was done and said, one after the other as sentences."""
    act = (
        move.act
        if not move.say or move.act.endswith((".", "!", "?", "…")) or not move.act
        else f"{move.act}."
    )
    return " ".join(part for part in (act, move.say) if part)


def _ways_to_say(name: str) -> tuple[str, ...]:
    """How others may call somebody: by the first name or the last.

    What comes after a small word, as in of the Ninth Step, is no name.
    """
    parts = name.split()
    small = next((place for place, part in enumerate(parts) if part.islower()), len(parts))
    names = parts[:small] or parts
    return tuple(part for part in dict.fromkeys((names[0], names[-1])) if len(part) >= SHORTEST_PART)
