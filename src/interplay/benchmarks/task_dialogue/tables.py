"""The board of task dialogue: judges and database side by side, how dialogues ended, and how good the users were."""

from collections import Counter
from collections.abc import Callable, Sequence

from interplay.benchmarks.task_dialogue.agenda import AGENDA
from interplay.benchmarks.task_dialogue.dialogue import CAP, COMPLETED, GAVE_UP, LOOP, UNTOLD, is_error_text
from interplay.benchmarks.task_dialogue.goals import Goal, told_goal
from interplay.benchmarks.task_dialogue.judges import RATINGS
from interplay.benchmarks.task_dialogue.objective import achieved
from interplay.benchmarks.task_dialogue.people import people_tables
from interplay.benchmarks.task_dialogue.protocol import USER
from interplay.benchmarks.task_dialogue.quality import FAULTS, QUALITIES, faults_told
from interplay.benchmarks.task_dialogue.scoring import (
    BY_DATABASE,
    BY_JUDGES,
    Scored,
    estimate,
    pass_k,
    scored_of,
)
from interplay.core.benchmark import Options, Played
from interplay.core.board import Board, Cell, Column, level, place_by
from interplay.statistics.clustered_rates import clustered_rate
from interplay.statistics.intervals import rate

TITLE = "task_dialogue (TOD)"
ENDINGS = {
    COMPLETED: "the user had all it wanted, by its own account",
    GAVE_UP: "the user gave up",
    LOOP: "one side said the same again and again",
    CAP: "there were as many exchanges as may be",
    UNTOLD: "the file that they came in does not say it",
}
VOIDS = {
    "simulator error": ("simulator error",),
    "system error": ("bot error", "system error", "unreadable", "refusal"),
}
SHARES = ("match", "repeats", "diversity")
FLAGGED = ("ended_early",)  # a fault by its own name
FAULT_MEANINGS = {
    "ended early": "were satisfied though part of their goal never came up",
    "looped": "went in circles",
    "over-informed": "said too much at once",
    "drifted": "asked for what is not in their goal",
    "spoofed": "wrote what only the system or the program may",
}
SCALES = {name: (float(min(bands)), float(max(bands))) for name, bands in RATINGS.items()}
SHARE = (0.0, 1.0)
MOST_REPEATS = 8  # the largest k of pass^k
_MEANINGS = {
    "success": (
        "success",
        "share of dialogues in which all of the goal was met, by database and booking office",
    ),
    "completed": (
        "judged complete",
        "share of dialogues in which the system did all it was asked to do, by judges",
    ),
    "inform": ("inform", "share of domains in which an offered place meets the goal"),
    "book": ("book", "share of wanted bookings that were made as wanted, their reference told"),
    "request": ("request", "share of domains in which all values asked for were told"),
    "user_agent": ("user agent", "share of the goal's key phrases that came up, by judges"),
    "match": ("by match", "share of the goal's key phrases that came up, by matching strings"),
    "naturalness_user": ("natural (u)", "naturalness of the user, 1 to 5"),
    "naturalness_system": ("natural (s)", "naturalness of the system, 1 to 5"),
    "coherence_user": ("coherent (u)", "coherence of the user, 1 to 3"),
    "coherence_system": ("coherent (s)", "coherence of the system, 1 to 3"),
    "diversity_user": ("diverse (u)", "dialogue-level diversity of the user, 1 to 3"),
    "placeholder": (
        "placeholders",
        "share of dialogues in which an answer holds a raw placeholder such as [name]",
    ),
}
_WIDE = ("completed", "success", "inform", "book", "request")  # where there is little room, these stay
COLUMNS = (
    Column("model", "system", "the system that is measured, by its model", "text"),
    Column("rank", "rank", "its place by success, or by what judges say where success is not known", "count"),
    *(
        Column(name, title, meaning, "score", SCALES.get(name, SHARE), name not in _WIDE)
        for name, (title, meaning) in _MEANINGS.items()
    ),
    Column("n", "n", "dialogues that came to an end", "count"),
    Column("void", "void", "share of dialogues that came to nothing", "share"),
    Column("unscored", "unscored", "share of verdicts that were asked for and not given", "share"),
)


def summarize(played: Sequence[Played], options: Options) -> Board:
    """The board: a row for each system, best first."""
    scored = scored_of(played)
    models = sorted({one.subject for one in played})
    rows = [_row(model, scored, played) for model in models]
    by_success = any(level(row["success"]) > float("-inf") for row in rows)
    place_by(rows, "success" if by_success else "completed")
    order = [str(row["model"]) for row in rows]
    parts = [
        _outcomes(played, order),
        *_passes(scored, order),
        *_by_domain(scored, order),
        *_by_kind(scored, order),
        _users(scored, order),
        *people_tables(played, options),
    ]
    judged = any(one.verdicts for one in played)
    columns = tuple(column for column in COLUMNS if judged or column.key not in (*BY_JUDGES, "unscored"))
    return Board(TITLE, columns, tuple(rows), tuple(_notes(played, scored)), tuple(parts))


def _row(model: str, scored: Sequence[Scored], played: Sequence[Played]) -> dict[str, Cell]:
    mine = [one for one in scored if one.model == model]
    all_of_it = [one for one in played if one.subject == model]
    asked = [verdict for one in all_of_it for verdict in one.verdicts]
    return {
        "model": model,
        "rank": None,
        **{name: estimate(mine, name) for name in _MEANINGS},
        "n": len(mine),
        "void": rate(len(all_of_it) - len(mine), len(all_of_it)).value,
        "unscored": rate(sum(verdict.data is None for verdict in asked), len(asked)).value,
    }


def _notes(played: Sequence[Played], scored: Sequence[Scored]) -> list[str]:
    """What a reader must know."""
    notes = [
        "Intervals are 95%, clustered by goal. Dialogues that came to nothing and verdicts that were not given are "
        "left out of the means, never zeros."
    ]
    users = {one.cast.get(USER, "") for one in played} - {"", AGENDA}
    judges = {verdict.judge for one in played for verdict in one.verdicts}
    if both := sorted(users & judges):
        notes.append(
            f"{', '.join(both)} plays the user and judges it: the paper takes different models for the two."
        )
    if not judges:
        notes.append(
            "Nobody judged these dialogues: name judges with --model-role judge=NAME, or later with judge."
        )
    if raw := [int(one.numbers["placeholders"]) for one in scored if one.numbers["placeholders"]]:
        notes.append(f"Raw placeholders are in {sum(raw)} answers of {len(raw)} dialogues.")
    errors = [sum(is_error_text(turn.user) for turn in one.dialogue.exchanges) for one in scored]
    if any(errors):
        notes.append(
            f"An endpoint's error stands in the place of the user's words {sum(errors)} times, in "
            f"{sum(map(bool, errors))} dialogues."
        )
    if scored and not any("success" in one.numbers for one in scored):
        notes.append(
            "Success is not known: the system books elsewhere, or there is no database. There is what judges say."
        )
    elif any(not one.dialogue.has_office for one in scored):
        notes.append(
            "A bot books elsewhere: success is told of goals without a booking alone, and book of none."
        )
    return notes


def _ending(one: Played) -> str:
    """How a dialogue ended, by the names that outcomes have."""
    if one.outcome is not None:
        return str(one.outcome.ended)
    return next((name for name, failures in VOIDS.items() if one.failure in failures), "other")


_ENDINGS = {
    **{end: (end, f"dialogues in which {meaning}") for end, meaning in ENDINGS.items()},
    "simulator error": (
        "user error",
        "dialogues whose user broke: it never answered in form, or said nothing",
    ),
    "system error": ("system error", "dialogues whose system broke: no answer in form, or none at all"),
    "other": (
        "other",
        "dialogues that an endpoint left unanswered, or that were stopped: the same command goes on",
    ),
}
OUTCOMES = (
    Column("model", "system", "the system that is measured", "text"),
    *(Column(key, title, meaning, "count") for key, (title, meaning) in _ENDINGS.items()),
    Column(
        "judge error", "judge error", "verdicts that a judge was asked for and did not give in form", "count"
    ),
    Column("all", "n", "all dialogues", "count"),
)


def _outcomes(played: Sequence[Played], order: Sequence[str]) -> Board:
    rows: list[dict[str, Cell]] = []
    for model in order:
        mine = [one for one in played if one.subject == model]
        counts = Counter(_ending(one) for one in mine)
        errors = sum(verdict.data is None for one in mine for verdict in one.verdicts)
        keys = [column.key for column in OUTCOMES[1:-2]]
        rows.append(
            {"model": model, **{key: counts[key] for key in keys}, "judge error": errors, "all": len(mine)}
        )
    shown = tuple(column for column in OUTCOMES if column.key != UNTOLD or any(row[UNTOLD] for row in rows))
    return Board("How dialogues ended", shown, tuple(rows))


def _passes(scored: Sequence[Scored], order: Sequence[str]) -> list[Board]:
    """pass^k, for every number of repeats that there is."""
    repeats = min(MOST_REPEATS, len({one.repeat for one in scored}))
    if repeats < 2:
        return []
    ks = range(1, repeats + 1)
    meaning = "how likely so many dialogues with the same goal all pass"
    columns = (
        Column("model", "system", "the system that is measured", "text"),
        Column("by", "by", "what counts as a pass", "text"),
        *(Column(f"k{k}", f"pass^{k}", meaning, "score", SHARE) for k in ks),
    )
    rows: list[dict[str, Cell]] = []
    for model in order:
        mine = [one for one in scored if one.model == model]
        for name in ("success", "completed"):
            if any(name in one.numbers for one in mine):
                told = {f"k{k}": pass_k(mine, name, k) for k in ks}
                rows.append({"model": model, "by": _MEANINGS[name][0], **told})
    return [Board("Again and again", columns, tuple(rows))] if rows else []


def _by_domain(scored: Sequence[Scored], order: Sequence[str]) -> list[Board]:
    """What came of each domain, by the database and the office."""
    columns = (
        Column("model", "system", "the system that is measured", "text"),
        Column("domain", "domain", "what the goal is about", "text"),
        *(Column(name, name, _MEANINGS[name][1], "score", SHARE) for name in BY_DATABASE[1:]),
        Column("n", "n", "dialogues whose goal has the domain", "count"),
    )
    rows: list[dict[str, Cell]] = []
    for model in order:
        came = [
            (one.goal, part) for one in scored if one.model == model for part in achieved(one.dialogue) or ()
        ]
        for domain in sorted({part.domain for _, part in came}):
            mine = [(goal, part) for goal, part in came if part.domain == domain]
            row: dict[str, Cell] = {"model": model, "domain": domain, "n": len(mine)}
            for name in BY_DATABASE[1:]:
                told = [(goal, getattr(part, name)) for goal, part in mine if getattr(part, name) is not None]
                row[name] = clustered_rate([yes for _, yes in told], [goal for goal, _ in told])
            rows.append(row)
    return [Board("By domain", columns, tuple(rows))] if rows else []


KINDS: dict[str, Callable[[Goal], bool]] = {
    "one domain": lambda goal: len(goal.wishes) == 1,
    "several domains": lambda goal: len(goal.wishes) > 1,
    "with a booking": lambda goal: any(wish.book for wish in goal.wishes),
    "first wish fails": lambda goal: any(wish.first_info for wish in goal.wishes),
    "first booking fails": lambda goal: any(wish.first_book for wish in goal.wishes),
}


def _by_kind(scored: Sequence[Scored], order: Sequence[str]) -> list[Board]:
    goals = {one.goal: told_goal(one.dialogue.goal) for one in scored}
    if goals and not any(goal.wishes for goal in goals.values()):
        return []  # they are in words alone, and of no kind that anybody knows
    columns = (
        Column("model", "system", "the system that is measured", "text"),
        Column("kind", "goals", "which goals", "text"),
        Column("success", "success", _MEANINGS["success"][1], "score", SHARE),
        Column("completed", "judged complete", _MEANINGS["completed"][1], "score", SHARE),
        Column("exchanges", "exchanges", "how many exchanges a dialogue took, on average", "score"),
        Column("n", "n", "dialogues", "count"),
    )
    rows: list[dict[str, Cell]] = []
    for model in order:
        for kind, holds in KINDS.items():
            mine = [one for one in scored if one.model == model and holds(goals[one.goal])]
            told = {name: estimate(mine, name) for name in ("success", "completed", "exchanges")}
            rows.append({"model": model, "kind": kind, **told, "n": len(mine)})
    judged = any("completed" in one.numbers for one in scored)
    shown = tuple(column for column in columns if judged or column.key != "completed")
    return [Board("By kind of goal", shown, tuple(rows))]


def _users(scored: Sequence[Scored], order: Sequence[str]) -> Board:
    """How good the simulated user was, with each system."""
    numbers = [
        Column(name, title, meaning, "score", SHARE if name in SHARES else None)
        for name, (title, meaning) in QUALITIES.items()
        if name not in FLAGGED
    ]
    flags = [Column(name, name, f"share of users that {FAULT_MEANINGS[name]}", "share") for name in FAULTS]
    with_whom = Column("model", "with", "the system that the user talked to", "text")
    columns = (with_whom, *numbers, *flags, Column("n", "n", "dialogues", "count"))
    rows: list[dict[str, Cell]] = []
    for model in order:
        mine = [one for one in scored if one.model == model]
        found = [faults_told(one.dialogue) for one in mine]
        flagged = {name: [one[name] for one in found if name in one] for name in FAULTS}
        told = {name: estimate(mine, name) for name in QUALITIES if name not in FLAGGED}
        shares = {name: rate(sum(one), len(one)) for name, one in flagged.items()}
        rows.append({"model": model, **told, **shares, "n": len(mine)})
    note = "The first numbers are of a dialogue, then averaged; of the faults, each has its own rule (see the README)."
    return Board("The simulated user", columns, tuple(rows), (note,))
