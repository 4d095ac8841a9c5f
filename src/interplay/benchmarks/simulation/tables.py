"""The board of the evaluation: a row for each model, and below it the hardest and the easiest tasks."""

from collections.abc import Sequence

from interplay.benchmarks.simulation.duel_tables import pair_tables
from interplay.benchmarks.simulation.human import human_tables
from interplay.benchmarks.simulation.scoring import SETS, Rated, mean_over, rated_of, without_perfect
from interplay.benchmarks.simulation.tasks import KINDS
from interplay.core.benchmark import Options, Played
from interplay.core.board import Board, Cell, Column, level, place_by
from interplay.statistics.intervals import clustered_mean, rate

SCALE = (1.0, 10.0)
MOST_TASKS = 10  # of the hardest and of the easiest, of each kind
_TITLES = {
    "all": ("all", "mean rating over all scripts; 95% interval clustered by task"),
    "hard": ("hard", "mean rating over FirstChan and SubseqChan"),
    "last_only": ("Last Only", "mean rating over last turns of dialogues without a challenging turn"),
    "first_chan": ("First Chan", "mean rating over first challenging turns"),
    "subseq_chan": ("Subseq Chan", "mean rating over turns after it; their history may hold errors"),
    "stateless": ("stateless", "mean rating over first challenging turns of stateless tasks"),
    "stateful": ("stateful", "mean rating over first challenging turns of stateful tasks"),
}
COLUMNS = (
    Column("model", "model", "the model that simulates", "text"),
    Column("rank", "rank", "its place by the mean over all scripts; equal means share a place", "count"),
    *(
        Column(name, title, meaning, "score", SCALE, name not in ("all", "hard"))
        for name, (title, meaning) in _TITLES.items()
    ),
    Column("empty", "empty", "share of answers without any text; they are judged as they are", "share"),
    Column("n", "n", "answers that were given and rated", "count"),
    Column("void", "void", "share of scripts that got no answer", "share"),
    Column("unscored", "unscored", "share of verdicts that were asked for and not given", "share"),
)


def summarize(played: Sequence[Played], options: Options) -> Board:
    """The board: a row for each model, best first."""
    rated, notes = rated_of(played), []
    if options["drop_perfect"] == "yes":
        rated, dropped = without_perfect(rated)
        notes.append(
            f"{dropped} scripts on which every model got full marks are left out (--drop-perfect): this selects on "
            "the outcome, and lowers every mean."
        )
    models = sorted({one.subject for one in played})
    rows = [_row(model, [one for one in rated if one.model == model], played) for model in models]
    place_by(rows, "all")
    notes.append("Void and unscored answers are left out of the means and never counted as zero.")
    pairs = pair_tables(played, [str(row["model"]) for row in rows], options)
    parts = [*pairs, *human_tables(played, options), *_tasks(rated)]
    return Board(_title(options), COLUMNS, tuple(rows), tuple(notes), tuple(parts))


def _title(options: Options) -> str:
    return f"simulation (SimulBench{', hard' if options['set'] == 'hard' else ''})"


def _row(model: str, rated: Sequence[Rated], played: Sequence[Played]) -> dict[str, Cell]:
    mine = [one for one in played if one.subject == model]
    finished = [one for one in mine if one.outcome is not None]
    asked = [verdict for one in finished for verdict in one.verdicts]
    return {
        "model": model,
        "rank": None,
        **{name: mean_over(rated, name) for name in SETS},
        "empty": rate(sum(not one.outcome.text for one in finished), len(finished)).value,
        "n": len(rated),
        "void": rate(len(mine) - len(finished), len(mine)).value,
        "unscored": rate(sum(verdict.data is None for verdict in asked), len(asked)).value,
    }


TASK_COLUMNS = (
    Column("task", "task", "what the models were to be", "text"),
    Column(
        "rating",
        "rating",
        "mean rating over all models and scripts; 95% interval clustered by script",
        "score",
        SCALE,
    ),
    Column("n", "n", "answers that were rated", "count"),
)


def _tasks(rated: Sequence[Rated]) -> list[Board]:
    """The hardest and the easiest tasks of either kind, over all models."""
    found = []
    for kind in KINDS:
        by_task: dict[str, list[Rated]] = {}
        for one in rated:
            if one.script["kind"] == kind:
                by_task.setdefault(one.script["task"], []).append(one)
        rows = [_task_row(mine) for mine in by_task.values()]
        rows.sort(key=lambda row: (level(row["rating"]), str(row["task"])))
        half = min(MOST_TASKS, len(rows) // 2)
        for title, chosen in (("Hardest", rows[:half]), ("Easiest", rows[::-1][:half])):
            if chosen:
                found.append(Board(f"{title} {kind} tasks", TASK_COLUMNS, tuple(chosen)))
    return found


def _task_row(rated: Sequence[Rated]) -> dict[str, Cell]:
    rating = clustered_mean([one.rating for one in rated], [one.scenario for one in rated])
    return {"task": rated[0].script["name"], "rating": rating, "n": len(rated)}
