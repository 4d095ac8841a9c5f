"""Trials of judges: what was planted in them goes through play, pairs, labels and analysis, and must come out again."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log1p, sqrt
from pathlib import Path
from tempfile import TemporaryDirectory

from interplay.analysis.biases import ALL_JUDGES, bias_board
from interplay.analysis.correction import ALL, correction_board
from interplay.analysis.judge_bots import (
    FAMILY,
    LENIENT,
    MERITS,
    PER_LOG,
    POSITION,
    SENSITIVITY,
    SPECIFICITY,
    SWAYED,
    Refusers,
    answering,
    is_refused,
    swayed,
)
from interplay.benchmarks import find
from interplay.core.benchmark import Benchmark
from interplay.core.board import Board, Estimate
from interplay.core.failures import Cancelled
from interplay.core.measures import Measure, measure_called
from interplay.core.trials import Finding
from interplay.models.connecting import Directory
from interplay.models.loopback import Loopback, serving
from interplay.running.engine import Engine
from interplay.running.how import Again, How
from interplay.running.looping import carried_out
from interplay.running.results import options_of
from interplay.running.spec import make_spec, spec_of
from interplay.running.tally import Tally
from interplay.running.validating import CONNECTIONS, by_endpoint_name
from interplay.store.labels import Given, Labels
from interplay.store.records import Records, Run

PAIRED = 60  # scenarios that are compared
LABELLED = 100
REPEATS = 2


@dataclass(frozen=True)
class JudgeTrial:
    """Judges with something planted in them; held by a seed, it gives what was planted and what came out."""

    name: str
    meaning: str
    hold: Callable[[int, Tally], Sequence[Finding]]
    order: tuple[str, ...] = ()
    ordered_by: str = ""


def hold_swayed(seed: int, tally: Tally) -> list[Finding]:
    """Two judges compare the answers of four models, and are swayed by place, length and family."""
    models = tuple(f"openai/{name}" for name in MERITS)
    judges = tuple(f"openai/{name}" for name in SWAYED)
    scripts = {**answering(seed), **{f"openai/{name}": swayed(name, seed) for name in SWAYED}}
    benchmark = find("simulation")
    with (
        TemporaryDirectory(prefix="interplay-") as folder,
        serving(Loopback(by_endpoint_name(scripts))) as url,
    ):
        how = How(Path(folder) / "trial.db", Directory(base_url=url, environment={}), CONNECTIONS)
        spec = make_spec(benchmark, models=models, roles={"judge": judges[:1]}, seed=seed, limit=PAIRED)
        run = _carry_out(Engine(benchmark, spec, how, tally))
        again = Again(run, judges, between=models)
        spec = spec_of(run.identity, {**run.extent, "judges": ()})
        run = _carry_out(Engine(benchmark, spec, how, tally, again))
        with Records(how.store) as records, Labels(how.store) as labels:
            measure = measure_called("", benchmark.measures(options_of(run, benchmark)), benchmark.name)
            board = bias_board(records, labels, run, benchmark, measure, {})
            lengths = {
                (row.scenario.id, row.subject): log1p(len((row.outcome or {})["text"]))
                for row in records.conversations(run)
            }
    return _of_biases(board.parts[0], _typical(lengths, models))


def _typical(lengths: Mapping[tuple[str, str], float], models: Sequence[str]) -> float:
    """The root mean square of the log ratio of two answers' lengths."""
    ratios = [
        lengths[scenario, one] - lengths[scenario, other]
        for scenario in sorted({scenario for scenario, _ in lengths})
        for one, other in combinations(models, 2)
    ]
    return sqrt(sum(ratio**2 for ratio in ratios) / len(ratios))


def _of_biases(board: Board, typical: float) -> list[Finding]:
    rows = {str(row["judge"]): row for row in board.rows}
    found = []
    for name in (*(f"openai/{judge}" for judge in SWAYED), ALL_JUDGES):
        planted = {"position": POSITION, "length": PER_LOG * typical}
        if name == ALL_JUDGES:
            planted["same_family"] = FAMILY
        for effect, value in planted.items():
            what = f"{name.rpartition('/')[2]}: {effect.replace('_', ' ')}"
            found.append(_finding(what, value, rows.get(name, {}).get(effect)))
    return found


def _finding(what: str, planted: float, cell: object) -> Finding:
    """The error is what the interval says, whose coverage is shown elsewhere."""
    if not isinstance(cell, Estimate) or cell.low is None or cell.high is None:
        return Finding(what, planted, None)
    return Finding(what, planted, cell.value, (cell.high - cell.low) / 4)


def hold_lenient(seed: int, tally: Tally) -> list[Finding]:
    """A judge who takes too much for a refusal, and people's labels of a hundred conversations drawn at random."""
    table = Refusers()
    benchmark = find("role_play")
    roles = {"interrogator": ("openai/user",), "judge": (f"openai/{LENIENT}",)}
    with (
        TemporaryDirectory(prefix="interplay-") as folder,
        serving(Loopback(by_endpoint_name(table.scripts(seed)))) as url,
    ):
        how = How(Path(folder) / "trial.db", Directory(base_url=url, environment={}), CONNECTIONS)
        spec = make_spec(benchmark, models=table.models, roles=roles, seed=seed, epochs=REPEATS)
        run = _carry_out(Engine(benchmark, spec, how, tally))
        with Records(how.store) as records, Labels(how.store) as labels:
            truth = _truth(records, run)
            draw = labels.draw(run, truth, LABELLED, seed)
            labels.add([Given(n, "a person", "refused", float(truth[n]), drawn=draw.id) for n in draw.items])
            board = correction_board(records, labels, run, benchmark, _refused(run, benchmark))
    return _of_correction(board, list(truth.values()))


def _truth(records: Records, run: Run) -> dict[int, bool]:
    return {
        row.number: is_refused([turn["player"] for turn in (row.outcome or {})["turns"]])
        for row in records.conversations(run)
        if row.state == "done"
    }


def _of_correction(board: Board, truth: Sequence[bool]) -> list[Finding]:
    row = next(row for row in board.rows if row["model"] == ALL)
    share = sum(truth) / len(truth)
    said = share * SENSITIVITY + (1 - share) * (1 - SPECIFICITY)
    alone = row["judge"]
    spread = share * SENSITIVITY * (1 - SENSITIVITY) + (1 - share) * SPECIFICITY * (1 - SPECIFICITY)
    value = alone.value if isinstance(alone, Estimate) else None
    return [
        Finding("judge alone: rate of refusals", said, value, sqrt(spread / len(truth))),
        Finding("judge alone: flagged", 1.0, float(bool(row["flag"]))),
        _finding("sees refusals (sensitivity)", SENSITIVITY, row.get("sees_yes")),
        _finding("sees the others (specificity)", SPECIFICITY, row.get("sees_no")),
        _finding("corrected: rate of refusals", share, row["together"]),
        _finding("by Rogan and Gladen: rate of refusals", share, row["rates"]),
    ]


def _refused(run: Run, benchmark: Benchmark) -> Measure:
    return measure_called("refused", benchmark.measures(options_of(run, benchmark)), benchmark.name)


def _carry_out(engine: Engine) -> Run:
    engine.tally.conversations_done = engine.tally.verdicts_done = 0
    run = carried_out(engine.carry_out())
    if engine.tally.stopping:
        raise Cancelled("the trial was stopped before its end")
    return run


JUDGE_TRIALS = (
    JudgeTrial(
        "judges who are swayed",
        "judges of pairs with a planted liking for the first place, for length, and for their own family",
        hold_swayed,
    ),
    JudgeTrial(
        "a judge who sees too much",
        "a judge with a planted sensitivity and specificity, corrected by people's labels of conversations drawn at "
        "random",
        hold_lenient,
    ),
)
