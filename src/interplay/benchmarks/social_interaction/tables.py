"""The board of social interaction: a row for each model, and below it what judges found and how everybody moved."""

from collections import Counter
from collections.abc import Hashable, Sequence

from interplay.benchmarks.social_interaction.characters import SKILLS
from interplay.benchmarks.social_interaction.exchange import tried_of
from interplay.benchmarks.social_interaction.exchange_tables import (
    CORRECTED,
    IEP,
    SCALE,
    bounds_of,
    correction_notes,
    exchange_parts,
    exchange_row,
)
from interplay.benchmarks.social_interaction.precision import Correction, matchers_of
from interplay.benchmarks.social_interaction.protocol import MOVES, NPC, PLAYER
from interplay.benchmarks.social_interaction.scenarios import EXCHANGE
from interplay.benchmarks.social_interaction.scoring import Habits, habits_of
from interplay.core.benchmark import Options, Played
from interplay.core.board import Board, Cell, Column, Estimate, place_by
from interplay.statistics.clustered_rates import clustered_rate
from interplay.statistics.intervals import clustered_mean, rate

HABITS = {
    "passes": "share of the players' moves in which the turn was passed",
    "repeated": "share of the players' moves that say again what the same player did and said before",
    "empty": "share of the players' moves that promise words and have none",
}
_MODEL = Column("model", "model", "the model that plays the players", "text")
_HABITS = tuple(Column(name, name, meaning, "share") for name, meaning in HABITS.items())
_SESSIONS = Column("sessions", "sessions", "sessions that were played to their end", "count")
_VOID = Column("void", "void", "share of sessions that came to nothing; Wilson's interval", "share")
BY_JUDGES = ("rank", "iep", "corrected", "told", "told_npc", "told_player", "learned", "n", "unscored")
COLUMNS = (
    _MODEL,
    Column("rank", "rank", "its place by IEP; equal values share a place", "count"),
    Column("iep", "IEP", f"{IEP}; 95% interval clustered by piece of knowledge", "score", SCALE),
    Column("corrected", "corrected", CORRECTED, "score", SCALE),
    Column("told", "told", "share of key points that some move told", "share"),
    Column("told_npc", "by NPC", "share of key points that the one who knows told first", "share", detail=True),
    Column("told_player", "by players", "share of key points that a player told first", "share", detail=True),
    Column("learned", "learned of told", "share of players who learned a key point that was told", "share"),
    *_HABITS,
    Column("n", "n", "sessions with a verdict", "count"),
    _SESSIONS,
    _VOID,
    Column("unscored", "unscored", "share of verdicts that there should be and are not: of sessions that came to "
           "nothing, and those that judges did not give; Wilson's interval", "share"),
)  # fmt: skip
OF_INTENTIONS = (
    _MODEL,
    _SESSIONS,
    Column("moves", "moves", "moves that the players made in them", "count"),
    *_HABITS,
    Column("length", "length", "mean characters of a player's move, session by session", "amount"),
    Column("wants", "wants", "wants that players were given", "count"),
    _VOID,
)


def summarize(played: Sequence[Played], options: Options) -> Board:
    """The board of either scene."""
    return _exchange(played, options) if options["scene"] == EXCHANGE else _intentions(played)


def _models(played: Sequence[Played]) -> dict[str, list[Played]]:
    return {
        model: [one for one in played if one.subject == model]
        for model in sorted({one.subject for one in played})
    }


def _exchange(played: Sequence[Played], options: Options) -> Board:
    judges = sorted({verdict.judge for one in played for verdict in one.verdicts})
    correction = Correction(matchers_of(tried_of(played)))
    rows = [
        {
            "model": model,
            "rank": None,
            **exchange_row(mine, correction),
            **_habit_cells(mine, PLAYER),
            "sessions": sum(one.outcome is not None for one in mine),
            "void": _void(mine),
            "unscored": _unscored(mine, judges),
        }
        for model, mine in _models(played).items()
    ]
    place_by(rows, "iep")
    order = [str(row["model"]) for row in rows]
    parts = [*exchange_parts(played, order, correction, options), *_common(played, order)]
    columns = tuple(column for column in COLUMNS if judges or column.key not in BY_JUDGES)
    notes = _exchange_notes(played, order, judges, correction)
    return Board("social_interaction (AntEval, IEP)", columns, tuple(rows), tuple(notes), tuple(parts))


def _exchange_notes(
    played: Sequence[Played], order: Sequence[str], judges: Sequence[str], correction: Correction
) -> list[str]:
    """What a reader must know."""
    if not judges:
        return [
            "Nobody judged these sessions: name judges with --model-role judge=NAME, or later with judge."
            if any(one.outcome is not None for one in played)
            else "No session was played to its end, so there is nothing to judge.",
            *_cast_notes(played, judges),
        ]
    notes = [
        "Intervals are 95%, clustered by piece of knowledge: players and judges of one session are never taken as "
        "independent. Sessions that came to nothing and verdicts that were not given are left out of the means, never "
        "zeros.",
        *correction_notes(correction, judges),
    ]
    for model in order:
        missing, ends = bounds_of([one for one in played if one.subject == model], judges)
        if missing and ends:
            notes.append(
                f"{model}: {missing} verdicts are missing; if all of them found nothing learned, or everything, IEP "
                f"would be {ends[0]:.2f} or {ends[1]:.2f}."
            )
    return [*notes, *_cast_notes(played, judges)]


def _cast_notes(played: Sequence[Played], judges: Sequence[str]) -> list[str]:
    """Who played the one who knows, and who judged itself."""
    notes = []
    npcs = {one.cast[NPC] for one in played if NPC in one.cast}
    strangers = sorted({one.cast[NPC] for one in played if one.cast.get(NPC, one.subject) != one.subject})
    if npcs and not strangers:
        notes.append("Each model plays the NPC beside its own players too, as in the paper.")
    elif strangers:
        notes.append(f"The NPC is played by {', '.join(sorted(npcs))}: what players learn depends on it.")
    both = sorted({one.subject for one in played} & set(judges))
    if both:
        notes.append(f"{', '.join(both)} plays and judges its own play.")
    return notes


def _intentions(played: Sequence[Played]) -> Board:
    rows = []
    for model, mine in _models(played).items():
        finished = [one for one in mine if one.outcome is not None]
        habits = sum((habits_of(one.outcome, PLAYER) for one in finished), Habits())
        rows.append(
            {
                "model": model,
                "sessions": len(finished),
                "moves": habits.moves,
                **_habit_cells(mine, PLAYER),
                "length": _length(finished, PLAYER),
                "wants": sum(len(one.outcome.wants) for one in finished),
                "void": _void(mine),
            }
        )
    order = [str(row["model"]) for row in rows]
    notes = [
        "How well play lets intentions show is not in this table: it is in the gap (IEG) between readers who learned "
        "from this play and from real play, which is told where the play was read.",
        "Intervals are 95%, clustered by scenario. Sessions that came to nothing are left out, never zeros.",
        *_cast_notes(played, ()),
    ]
    parts = [*_wants(played, order), *_common(played, order)]
    return Board(
        "social_interaction (AntEval, intentions)", OF_INTENTIONS, tuple(rows), tuple(notes), tuple(parts)
    )


def _void(mine: Sequence[Played]) -> Estimate:
    return rate(sum(one.outcome is None for one in mine), len(mine))


def _unscored(mine: Sequence[Played], judges: Sequence[str]) -> Estimate:
    missing, _ = bounds_of(mine, judges)
    due = max(1, len(judges)) * len(mine)
    return rate(missing, due)


def _habit_cells(played: Sequence[Played], role: str) -> dict[str, Cell]:
    """The shares of HABITS, over all moves of a role; moves of one scenario are in one cluster."""
    each = [(one.scenario.id, habits_of(one.outcome, role)) for one in played if one.outcome is not None]
    return {name: _share([(id, getattr(one, name), one.moves) for id, one in each]) for name in HABITS}


def _share(counted: Sequence[tuple[Hashable, int, int]]) -> Estimate:
    """So many of so many moves, session by session."""
    successes, way = [], []
    for label, some, every in counted:
        successes += [True] * some + [False] * (every - some)
        way += [label] * every
    return clustered_rate(successes, way)


def _length(finished: Sequence[Played], role: str) -> Estimate:
    each = [(one.scenario.id, habits_of(one.outcome, role)) for one in finished]
    worded = [(id, one.characters / one.worded) for id, one in each if one.worded]
    return clustered_mean([value for _, value in worded], [id for id, _ in worded])


WANTS = (
    Column("skill", "skill", "the check that a player was told to want", "text"),
    Column("wants", "wants", "how often, over all models' sessions that were played to their end", "count"),
    Column("sessions", "sessions", "in how many of these sessions", "count"),
)


def _wants(played: Sequence[Played], order: Sequence[str]) -> list[Board]:
    """How often each skill was wanted, by model where there are several."""
    finished = [one for one in played if one.outcome is not None and one.outcome.wants]
    if not finished:
        return []
    by_model = {
        model: Counter(want.skill for one in finished if one.subject == model for want in one.outcome.wants)
        for model in order
    }
    several = [
        Column(f"of {model}", model, f"how often in the sessions of {model}", "count") for model in order
    ]
    rows: list[dict[str, Cell]] = []
    for skill in SKILLS:
        counts = {f"of {model}": counted[skill] for model, counted in by_model.items()}
        sessions = sum(any(want.skill == skill for want in one.outcome.wants) for one in finished)
        rows.append({**counts, "skill": skill, "wants": sum(counts.values()), "sessions": sessions})
    columns = (*WANTS, *several) if len(order) > 1 else WANTS
    return [Board("What players were told to want", columns, tuple(rows))]


def _common(played: Sequence[Played], order: Sequence[str]) -> list[Board]:
    """The parts of either scene."""
    return [*_moves(played, order), *_nothing(played, order)]


MOVED = (
    _MODEL,
    Column("who", "who", "the players, or the NPC", "text"),
    *(Column(kind, kind, f"share of moves in which the choice was: {kind}", "share") for kind in MOVES),
    *(Column(name, name, meaning.replace("the players' moves", "moves"), "share")
      for name, meaning in HABITS.items() if name != "passes"),
    Column("length", "length", "mean characters of a move with words, session by session", "amount"),
    Column("n", "n", "moves", "count"),
)  # fmt: skip


def _moves(played: Sequence[Played], order: Sequence[str]) -> list[Board]:
    """How players and the one beside them moved."""
    finished = [one for one in played if one.outcome is not None]
    if not finished:
        return []
    rows = []
    for model in order:
        mine = [one for one in finished if one.subject == model]
        for role, who in ((PLAYER, "players"), (NPC, "NPC")):
            kinds = {kind: _share([_of_kind(one, role, kind) for one in mine]) for kind in MOVES}
            cells = {name: cell for name, cell in _habit_cells(mine, role).items() if name != "passes"}
            moves = sum(habits_of(one.outcome, role).moves for one in mine)
            rows.append(
                {"model": model, "who": who, **kinds, **cells, "length": _length(mine, role), "n": moves}
            )
    note = (
        "A move repeats itself if its words are those of an earlier move of the same seat, or nearly those of one of "
        "the seat's last few."
    )
    return [Board("Moves", MOVED, tuple(rows), (note,))]


def _of_kind(one: Played, role: str, kind: str) -> tuple[Hashable, int, int]:
    seats = {seat.seat for seat in one.outcome.seats if seat.role == role}
    mine = [move for move in one.outcome.moves if move.seat in seats]
    return one.scenario.id, sum(move.kind == kind for move in mine), len(mine)


NOTHING = (
    _MODEL,
    Column("what", "what", "a session, or a verdict on one", "text"),
    Column("failure", "failure", "why there is none", "text"),
    Column("count", "count", "how many", "count"),
    Column("share", "share", "of all that there should be; Wilson's interval", "share"),
)


def _nothing(played: Sequence[Played], order: Sequence[str]) -> list[Board]:
    """What came to nothing, by name."""
    rows: list[dict[str, Cell]] = []
    for model in order:
        mine = [one for one in played if one.subject == model]
        verdicts = [verdict for one in mine for verdict in one.verdicts]
        void = Counter(one.failure or "unknown" for one in mine if one.outcome is None)
        lost = Counter(verdict.failure or "unknown" for verdict in verdicts if verdict.data is None)
        for what, counted, due in (("session", void, len(mine)), ("verdict", lost, len(verdicts))):
            for failure, count in sorted(counted.items()):
                told: dict[str, Cell] = {
                    "what": what,
                    "failure": failure,
                    "count": count,
                    "share": rate(count, due),
                }
                rows.append({"model": model, **told})
    return [Board("What came to nothing", NOTHING, tuple(rows))] if rows else []
