"""The verb validate: are the abilities that were planted in bots what a benchmark's board shows of them?"""

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from types import FrameType
from typing import Any

import click

from interplay.analysis.judge_trials import JUDGE_TRIALS, JudgeTrial
from interplay.benchmarks import find_typed, judge_probe, playable
from interplay.cli import terminal
from interplay.cli.edge import DONE, STOPPED
from interplay.cli.flags import JSON, flag, with_flags
from interplay.core.benchmark import Benchmark
from interplay.core.failures import Cancelled, Mistake, nearest
from interplay.core.trials import FURTHEST, Finding, Trial
from interplay.running.tally import Tally
from interplay.running.validating import Held, Recovery, hold, recovery

NOT_RECOVERED = 1
JUDGES = "judges"
MOST_SEEDS = 10_000
HEADINGS = ["trial", "what", "planted", "recovered", "error", "errors apart", "ok"]


@click.command("validate")
@click.argument("benchmark", required=False)
@flag("--seeds", type=click.IntRange(1, MOST_SEEDS), default=1, show_default=True, metavar="N",
      help="Hold every trial so often, each time with another seed.")  # fmt: skip
@flag("--seed", type=int, default=0, show_default=True, help="The first of the seeds.")
@with_flags(JSON)
def validate_verb(benchmark: str | None, seeds: int, seed: int, json: bool) -> int:
    """Prove the scores of BENCHMARK, or of all, on bots whose abilities are known; judges alone: validate judges.

    The bots go through the whole program, over HTTP on this machine into a store that is removed afterwards, and
    each score must come out within 4 standard errors of what theory says; with several seeds, their mean. Where
    bots have an order, it must come out exactly in 99% of the seeds. Needs no key; what is read with is fetched once.

    Exit code 0: all of it was recovered; 1: something was not.
    """
    chosen = [] if benchmark == JUDGES else _chosen(benchmark or "")
    judges = JUDGE_TRIALS if benchmark in (None, JUDGES) else ()
    return validate(chosen, range(seed, seed + seeds), as_json=json, judges=judges)


def validate(
    benchmarks: Sequence[Benchmark],
    seeds: Sequence[int],
    *,
    as_json: bool,
    judges: Sequence[JudgeTrial] = (),
) -> int:
    """Hold all trials of these benchmarks, and these of judges, and print what was recovered; the exit code."""
    try:
        found = {one.name: [_hold_all(one, trial, seeds) for trial in one.trials] for one in benchmarks}
        if judges:
            found[JUDGES] = [_hold_judges(trial, seeds) for trial in judges]
    except (Cancelled, KeyboardInterrupt):
        terminal.remark("Stopped. Nothing was kept; the same command begins anew.")
        return STOPPED
    passed = all(one.passed for each in found.values() for one in each)
    if as_json:
        trials = [_as_json(name, one) for name, each in found.items() for one in each]
        terminal.say_json({"seeds": list(seeds), "passed": passed, "trials": trials})
    else:
        _show([one for each in found.values() for one in each], len(seeds))
    return DONE if passed else NOT_RECOVERED


def _chosen(name: str) -> list[Benchmark]:
    tried = [benchmark for benchmark in (*playable(), judge_probe.benchmark) if benchmark.trials]
    if not name:
        return tried
    benchmark = find_typed(name, terminal.remark)
    if not benchmark.trials:
        known = [*(one.name for one in tried), JUDGES]
        raise Mistake(f"{benchmark.name} has no trials; {nearest(name, known)}")
    return [benchmark]


def _hold_judges(trial: JudgeTrial, seeds: Sequence[int]) -> Recovery:
    held = []
    for number, seed in enumerate(seeds, 1):
        tally = Tally()
        with _stoppable(tally), terminal.progress(tally, f"{trial.name}, seed {number} of {len(seeds)}"):
            held.append(Held(tuple(trial.hold(seed, tally)), in_order=True))
    return recovery(trial, held)


def _hold_all(benchmark: Benchmark, trial: Trial, seeds: Sequence[int]) -> Recovery:
    held = []
    for number, seed in enumerate(seeds, 1):
        tally = Tally()
        title = f"{benchmark.name}, {trial.name}, seed {number} of {len(seeds)}"
        with _stoppable(tally), terminal.progress(tally, title):
            held.append(hold(benchmark, trial, seed, tally))
        if tally.stopping:
            raise Cancelled("stopped while the board was read")
        for name, count in sorted(tally.failures.items()):
            if name in trial.fails:
                continue
            terminal.remark(f"{trial.name}, seed {seed}: {count} conversations are void ({name}).")
    return recovery(trial, held)


@contextmanager
def _stoppable(tally: Tally) -> Iterator[None]:
    """Ctrl-C or SIGTERM lets calls under way come back and ends; a second one does not wait for them."""

    def stop(number: int, frame: FrameType | None) -> None:
        if tally.stopping:
            raise KeyboardInterrupt
        tally.stopping = True

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _show(found: Sequence[Recovery], seeds: int) -> None:
    """Print a table of all that was planted and recovered, and what it comes to."""
    rows = [row for one in found for row in _rows(one)]
    terminal.show_table(HEADINGS, rows)
    if seeds > 1:
        terminal.say(
            f"· Recovered: the mean of {seeds} seeds; where no error is allowed, the seed furthest off."
        )
    terminal.say(
        f"· Error: the standard error by theory. At most {FURTHEST} errors may lie between planted and recovered."
    )
    failed = sum(row[-1] != "yes" for row in rows)
    terminal.say(
        f"· NOT recovered: {failed} of {len(rows)}." if failed else f"· All {len(rows)} were recovered."
    )


def _rows(found: Recovery) -> Iterator[list[str]]:
    lines = [_line(finding) for finding in found.findings]
    if found.trial.order:
        what = f"seeds in the exact order by {found.trial.ordered_by}"
        lines.append([what, str(found.seeds), str(found.in_order), "", "", _yes(found.order_passed)])
    for number, line in enumerate(lines):
        yield [found.trial.name if number == 0 else "", *line]


def _line(finding: Finding) -> list[str]:
    apart = finding.distance
    return [
        finding.what,
        _number(finding.planted),
        _number(finding.recovered),
        _number(finding.error) if finding.error else "at most" if finding.at_most else "exact",
        "" if apart is None else f"{apart:.1f}",
        _yes(finding.passed),
    ]


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:.4f}"


def _yes(passed: bool) -> str:
    return "yes" if passed else "NO"


def _as_json(benchmark: str, found: Recovery) -> dict[str, Any]:
    trial = found.trial
    order = {
        "models": list(trial.order),
        "by": trial.ordered_by,
        "in_order": found.in_order,
        "passed": found.order_passed,
    }
    findings = [
        {**asdict(finding), "distance": finding.distance, "passed": finding.passed}
        for finding in found.findings
    ]
    return {
        "benchmark": benchmark,
        "trial": trial.name,
        "meaning": trial.meaning,
        "passed": found.passed,
        "findings": findings,
        "order": order if trial.order else None,
    }
