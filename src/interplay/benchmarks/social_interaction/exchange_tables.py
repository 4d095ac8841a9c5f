"""The parts of a board on information exchange: judges, matchers, who told first, and weak sessions for raters."""

from collections.abc import Mapping, Sequence

from interplay.benchmarks.social_interaction.exchange import (
    NEVER,
    Point,
    found_of,
    learned_share,
    points_of,
    session_of,
    told_by,
)
from interplay.benchmarks.social_interaction.planting import ABSENT, WRONG
from interplay.benchmarks.social_interaction.precision import (
    BLUNT,
    PERCENT,
    Correction,
    Found,
    Matcher,
    bounds,
    iep,
)
from interplay.benchmarks.social_interaction.protocol import NPC, PLAYER
from interplay.benchmarks.social_interaction.scoring import precision_of, session_iep
from interplay.benchmarks.social_interaction.words import words_table
from interplay.core.benchmark import Options, Played
from interplay.core.board import Board, Cell, Column
from interplay.core.wire import digest_of

SCALE = (0.0, PERCENT)
WEAK = 0.5  # paper §5.4: sessions below half
IN_SAMPLE = 20  # paper §5.4: 20 sessions, 5 raters
IEP = "mean over sessions and players of the share of key points that a player learned, in percent"
CORRECTED = "IEP with each judge's errors on planted lists taken off (Rogan and Gladen)"


def exchange_row(played: Sequence[Played], correction: Correction) -> dict[str, Cell]:
    """What judges say of one model's sessions."""
    found, points = found_of(played), points_of(played)
    return {
        "iep": iep(found),
        "corrected": correction.corrected(found),
        "told": told_by(points, (NPC, PLAYER)),
        "told_npc": told_by(points, (NPC,)),
        "told_player": told_by(points, (PLAYER,)),
        "learned": learned_share([point for point in points if point.teller != NEVER]),
        "n": len({one.session for one in found}),
    }


def exchange_parts(
    played: Sequence[Played], order: Sequence[str], correction: Correction, options: Options
) -> list[Board]:
    """Everything below the main table that judges' verdicts tell."""
    found = found_of(played)
    if not found:
        return []
    sample = weak_sample(played)
    return [
        *_by_judge(played, order, correction),
        _matchers(played, correction.matchers),
        _tellers(played, order),
        *_weak(played, sample),
        *words_table(played, [session_of(one) for one in sample], options),
    ]


def bounds_of(played: Sequence[Played], judges: Sequence[str]) -> tuple[int, tuple[float, float] | None]:
    """How many verdicts a model's sessions lack, and between what IEP would be if they were there."""
    shares: list[float] = []
    for one in played:
        given = [verdict for verdict in one.verdicts if verdict.data is not None]
        for verdict in given if one.outcome is not None else ():
            values = list(precision_of(verdict.data or {}).values())
            shares += [sum(values) / len(values)] if values else []
    missing = max(1, len(judges)) * len(played) - len(shares)
    return missing, bounds(shares, missing)


def _by_judge(played: Sequence[Played], order: Sequence[str], correction: Correction) -> list[Board]:
    """What each judge alone says, where there are several."""
    found = [(one.subject, entry) for one in played for entry in found_of([one])]
    judges = sorted({entry.judge for _, entry in found})
    if len(judges) < 2:
        return []
    columns = (
        Column("model", "model", "the model that plays", "text"),
        Column("judge", "judge", "who judged", "text"),
        Column("iep", "IEP", IEP, "score", SCALE),
        Column("corrected", "corrected", CORRECTED, "score", SCALE),
        Column("n", "n", "sessions that the judge gave a verdict on", "count"),
    )
    rows: list[dict[str, Cell]] = []
    for model in order:
        for judge in judges:
            mine = [entry for subject, entry in found if subject == model and entry.judge == judge]
            rows.append({"model": model, "judge": judge, **_numbers(mine, correction)})
    return [Board("By judge", columns, tuple(rows))]


def _numbers(found: Sequence[Found], correction: Correction) -> dict[str, Cell]:
    sessions = len({one.session for one in found})
    return {"iep": iep(found), "corrected": correction.corrected(found), "n": sessions}


MATCHERS = (
    Column("judge", "judge", "who paired", "text"),
    Column("found", "found", "t: of points that a planted list says in other words, the share that was paired; 95% "
           "interval clustered by piece of knowledge", "share"),
    Column("rightly", "rightly", "of the same points, the share that was paired with the statement that says it",
           "share"),
    Column("false", "false pairs", "f: of points that a planted list has wrong or not at all, the share that was "
           "paired all the same", "share"),
    Column("false_wrong", "of wrong", "the same, of points that it has wrong", "share"),
    Column("false_absent", "of absent", "the same, of points that it has nothing about", "share"),
    Column("said", "said", "points that were said", "count"),
    Column("wrong", "wrong", "points that were wrong", "count"),
    Column("absent", "absent", "points that were not in the list", "count"),
    Column("mispaired", "mispaired", "pairs of a point with a statement about another one", "count"),
    Column("lists", "lists", "planted lists, one with every verdict", "count"),
)  # fmt: skip


def _matchers(played: Sequence[Played], matchers: Mapping[str, Matcher]) -> Board:
    rows: list[dict[str, Cell]] = []
    for judge, matcher in matchers.items():
        given = [v for one in played for v in one.verdicts if v.judge == judge and v.data is not None]
        rows.append(
            {
                "judge": judge,
                "found": matcher.found(),
                "rightly": matcher.rightly(),
                "false": matcher.false(),
                "false_wrong": matcher.false(WRONG),
                "false_absent": matcher.false(ABSENT),
                "said": len(matcher.said),
                "wrong": len(matcher.of(WRONG)),
                "absent": len(matcher.of(ABSENT)),
                "mispaired": sum(one.is_paired and not one.is_right for one in matcher.tried),
                "lists": len(given),
            }
        )
    note = (
        "Every verdict holds one list that was planted: known points of another piece, half of them said in other "
        "words, a quarter got wrong and a quarter left out. The judge pairs it by the same prompt as the others and is "
        "not told."
    )
    return Board("How well judges match key points", MATCHERS, tuple(rows), (note,))


TELLERS = (
    Column("model", "model", "the model that plays", "text"),
    Column("point", "point", "the place of the key point in the knowledge", "text"),
    Column("told_npc", "by the NPC", "share of points that the one who knows told first", "share"),
    Column("told_player", "by a player", "share of points that a player told first, by inference or guess", "share"),
    Column("never", "never", "share of points that no move told", "share"),
    Column("learned", "learned", "share of players who learned a point that was told", "share"),
    Column("untold", "learned untold", "share of players who are said to have learned a point that no move told: they "
           "inferred or guessed it, or a judge erred", "share"),
    Column("n", "n", "key points, judge by judge", "count"),
)  # fmt: skip


def _tellers(played: Sequence[Played], order: Sequence[str]) -> Board:
    """Who told which key point first."""
    rows: list[dict[str, Cell]] = []
    for model in order:
        points = points_of([one for one in played if one.subject == model])
        rows.append(_telling(model, "all", points))
        for number in sorted({point.number for point in points}):
            rows.append(_telling(model, str(number), [one for one in points if one.number == number]))
    note = "Shares are of all key points, then of each by its place; 95% intervals clustered by piece of knowledge."
    return Board("Who told which key point first", TELLERS, tuple(rows), (note,))


def _telling(model: str, point: str, points: Sequence[Point]) -> dict[str, Cell]:
    return {
        "model": model,
        "point": point,
        "told_npc": told_by(points, (NPC,)),
        "told_player": told_by(points, (PLAYER,)),
        "never": told_by(points, (NEVER,)),
        "learned": learned_share([one for one in points if one.teller != NEVER]),
        "untold": learned_share([one for one in points if one.teller == NEVER]),
        "n": len(points),
    }


def weak_sessions(played: Sequence[Played]) -> list[Played]:
    """The sessions whose players, on average, learned less than half."""
    found = []
    for one in played:
        value = session_iep(one.verdicts) if one.outcome is not None else None
        if value is not None and value < WEAK:
            found.append(one)
    return found


def weak_sample(played: Sequence[Played]) -> list[Played]:
    """Some of the weak sessions, drawn by a hash of what they are, so that one more session changes one at most."""
    drawn = sorted(weak_sessions(played), key=lambda one: digest_of(["weak", *session_of(one)]))[:IN_SAMPLE]
    return sorted(drawn, key=lambda one: (int(one.scenario.content.get("number", 0)), *session_of(one)))


SAMPLE = (
    Column("session", "session", "as a file of words may name it", "text"),
    Column("model", "model", "the model that played", "text"),
    Column("repeat", "repeat", "which time it was played", "count"),
    Column("iep", "IEP", "what judges found in this session: mean over its players and judges, in percent", "score",
           SCALE),
    Column("n", "n", "players and judges that it is a mean over", "count"),
)  # fmt: skip


def _weak(played: Sequence[Played], sample: Sequence[Played]) -> list[Board]:
    """The sample for raters, where there is a weak session."""
    if not sample:
        return []
    rows: list[dict[str, Cell]] = [
        {
            "session": one.scenario.label,
            "model": one.subject,
            "repeat": one.repeat + 1,
            "iep": PERCENT * (session_iep(one.verdicts) or 0.0),
            "n": len(found_of([one])),
        }
        for one in sample
    ]
    weak, all_of_it = len(weak_sessions(played)), len({found.session for found in found_of(played)})
    notes = (
        f"{weak} of {all_of_it} scored sessions are below {WEAK:.0%}; these {len(sample)} are drawn at random from "
        "them, by a fixed seed. The number of a session stands before its title.",
        "For raters (the paper had 5): each reads these sessions, without their scores, and says in one word what is "
        "wrong. Put the words into a .csv file with the columns session,model,rater,word (and repeat, where a session "
        "was played several times), and show the run with --words FILE.csv.",
    )
    return [Board("Weak sessions, for raters", SAMPLE, tuple(rows), notes)]


def correction_notes(correction: Correction, judges: Sequence[str]) -> list[str]:
    """Whose word could not be corrected, and why."""
    notes = [
        "Corrected IEP takes off what judges err on planted lists, and its interval has the doubt about that in it. "
        "Of what a planted list does not say it has half wrong and half not at all. Where a judge makes false pairs, "
        "the corrected value is too low for answers that leave out more and get less wrong than that, above all for "
        "those with hardly anything in them, and too high for answers that get more wrong."
    ]
    for judge in judges:
        reason = correction.reason(judge)
        if reason:
            told = (
                "it pairs what was not said nearly as often as what was"
                if reason == BLUNT
                else "it has paired no planted list"
            )
            notes.append(f"What {judge} found cannot be corrected: {told}.")
    return notes
