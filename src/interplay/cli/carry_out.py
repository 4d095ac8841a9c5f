"""Carrying out a run from the command line: progress, Ctrl-C, and what to say at the end."""

import asyncio
import os
import signal
from dataclasses import asdict

from interplay.cli import terminal
from interplay.cli.edge import DONE, STOPPED, UNANSWERED
from interplay.running.deciding import Watch
from interplay.running.engine import Engine
from interplay.running.forecast import Forecast, forecast
from interplay.running.looping import carried_out
from interplay.running.tally import Tally
from interplay.running.workers import PATIENCE_WHEN_STOPPING

LAST_MOMENT = 0.7  # seconds


def carry_out(engine: Engine) -> tuple[int, str]:
    """Do what is left of a run; the exit code and the run's id, which may be empty if it was stopped."""
    with terminal.progress(engine.tally, engine.benchmark.title):
        found = carried_out(_until_stopped(engine))
    return _tell(engine), found


def show_forecast(engine: Engine, *, as_json: bool, then: str = "") -> None:
    """Print what this start would take, what follows from it, and what the run can show; sends and writes nothing."""
    found = asyncio.run(forecast(engine))
    run = engine.run_id
    if as_json:
        totals = {"calls": found.calls, "tokens": found.tokens, "cost": found.cost}
        terminal.say_json({"run": run, **asdict(found), **totals, **({"then": then} if then else {})})
        return
    rows = [
        [one.role, one.model, _span(one.calls), _span(one.tokens), _dollars(one.cost)] for one in found.shares
    ]
    rows.append(["all", "", _span(found.calls), _span(found.tokens), _dollars(found.cost)])
    terminal.say(f"{run}: {found.conversations} conversations and {found.verdicts} verdicts to do")
    terminal.show_table(["role", "model", "calls", "tokens, likely to most", "cost $, likely to most"], rows)
    for line in [*([then] if then else []), *_explained(found, engine)]:
        terminal.say(f"· {line}")


def _explained(found: Forecast, engine: Engine) -> list[str]:
    lines = [
        "Calls are counted without second tries: an answer that cannot be read is asked for at most 3 times, one "
        f"that fails is retried.{' ' + engine.benchmark.second_tries if engine.benchmark.second_tries else ''}",
        "Tokens are estimated by playing a few scenarios without a model: replies of some 240 characters are called "
        "likely; at most, every reply is as long as it may be.",
    ]
    if found.difference:  # none where models are not compared
        lines.append(
            f"With {found.scenarios} scenarios {_difference(found, engine)} is seen 4 times in 5 (5% error, paired, "
            "before any correction for several comparisons)."
        )
    if found.cost is None:
        unknown = sorted({one.model for one in found.shares if one.cost is None})
        lines.append(f"The price of {', '.join(unknown)} is unknown: give it in models.toml.")
    if engine.how.limits:
        lines.append(f"The budget of the run: {engine.how.limits.in_words()}, all starts together.")
    return lines


def _difference(found: Forecast, engine: Engine) -> str:
    """The difference between two models that can be seen, in the unit of what is judged."""
    if engine.between:
        return f"a model that truly wins {100 * found.difference:.2g} in 100 pairs more than it loses"
    measures = engine.benchmark.measures(engine.judging_options)
    by = (
        f" in {measures[0].name} ({measures[0].scale.low:g} to {measures[0].scale.high:g})"
        if measures
        else ""
    )
    return f"a true difference of {found.difference:.2g}{by} between two models"


def _span(span: tuple[int, int]) -> str:
    return f"{span[0]:,}" if span[0] == span[1] else f"{span[0]:,} to {span[1]:,}"


def _dollars(cost: tuple[float, float] | None) -> str:
    if cost is None:
        return "unknown"
    return "0" if cost == (0.0, 0.0) else f"{cost[0]:,.2f} to {cost[1]:,.2f}"


async def _until_stopped(engine: Engine) -> str:
    """Ctrl-C once lets calls under way come back; twice, or after a while, waits for nothing."""
    loop = asyncio.get_running_loop()

    this = asyncio.current_task()

    def give_up() -> None:
        engine.drop()
        if this is not None:
            this.cancel()
        loop.call_later(LAST_MOMENT, _leave)  # a thread may hang in the store or in a model's loading

    def on_signal() -> None:
        if engine.tally.stopping:
            give_up()
            return
        engine.stop()
        loop.call_later(PATIENCE_WHEN_STOPPING, give_up)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, on_signal)
    try:
        run = await engine.carry_out()
    except asyncio.CancelledError:
        if engine.tally.stopping:
            return ""
        raise
    return run.id


def _leave() -> None:
    """What was answered is on disk; whatever still hangs is left behind."""
    terminal.remark("Stopped at once. The same command goes on.")
    os._exit(STOPPED)


def _decided(watch: Watch, tally: Tally) -> list[str]:
    """What was decided, and what that has saved."""
    lines = []
    for bout in watch.bouts:
        better, other = bout.ahead
        n, interval = bout.sequence.estimate.n, bout.interval
        shown = f" ({interval[0]:.3f} to {interval[1]:.3f} at any time of looking)" if interval else ""
        what = (
            f"{better} is better than {other}"
            if bout.sequence.decided
            else f"{better} v {other} is not decided"
        )
        lines.append(f"By {watch.what}, {what}{shown}, n {n}.")
    if watch.is_decided and watch.seen < len(watch.order):
        play, judge = tally.conversations - tally.conversations_done, tally.verdicts - tally.verdicts_done
        lines.append(
            f"Decided after {watch.seen} of {len(watch.order)} scenarios; saved: {play} conversations, {judge} "
            "verdicts. The same command without --until-decided does the rest."
        )
    return lines


def _tell(engine: Engine) -> int:
    tally = engine.tally
    spent = (
        f"{tally.calls:,} model calls, {tally.tokens_in + tally.tokens_out:,} tokens, {tally.seconds:.0f} s"
    )
    if tally.stopping:
        play, judge = tally.conversations - tally.conversations_done, tally.verdicts - tally.verdicts_done
        terminal.remark(
            f"Stopped after {spent}; left: {play} conversations, {judge} verdicts. The same command goes on."
        )
        return STOPPED
    terminal.remark(f"{spent}.")
    if engine.watch is not None:
        for line in _decided(engine.watch, tally):
            terminal.remark(line)
    if tally.workers_without_room:
        terminal.remark(
            f"The cluster had no room for {tally.workers_without_room} of the workers; the others did it."
        )
    if tally.lost_workers:
        terminal.remark(
            f"{tally.lost_workers} worker processes ended before their time; others went on from the record."
        )
    if tally.restarted:
        terminal.remark(
            f"{tally.restarted} dialogues began again: a bot with a memory of its own cannot be rejoined in the middle."
        )
    if tally.used_up and not (engine.watch and engine.watch.is_decided):
        left = tally.conversations - tally.conversations_done + tally.verdicts - tally.verdicts_done
        terminal.remark(
            f"The budget does not cover more (used: {engine.budget.in_words()}); {left + tally.failures['budget']} "
            "conversations or verdicts are left. The same command with a larger budget goes on."
        )
        return UNANSWERED
    unanswered = tally.unanswered - tally.failures["budget"]  # what is decided needs no larger one
    if unanswered:
        causes = ", ".join(f"{cause} {count}" for cause, count in tally.failed_calls.most_common())
        why = f" (failed calls: {causes})" if causes else ""
        terminal.remark(
            f"{unanswered} conversations or verdicts got no answer{why}; the same command tries them again."
        )
        return UNANSWERED
    return UNANSWERED if tally.parked else DONE
