"""Carrying out a run from the command line: progress, Ctrl-C, and what to say at the end."""

import asyncio
import os
import signal

from interplay.cli import terminal
from interplay.cli.edge import DONE, STOPPED, UNANSWERED
from interplay.core.benchmark import Benchmark
from interplay.core.failures import FAILURES
from interplay.running.engine import PATIENCE_WHEN_STOPPING, Engine, How
from interplay.running.spec import RunSpec
from interplay.running.tally import Tally
from interplay.store.records import Run

LAST_MOMENT = 0.7  # seconds


def carry_out(
    benchmark: Benchmark,
    spec: RunSpec,
    how: How,
    *,
    recorded: Run | None = None,
    more_judges: tuple[str, ...] = (),
) -> tuple[int, str]:
    """Do what is left of a run; the exit code and the run's id, which may be empty if it was stopped."""
    tally = Tally()
    engine = Engine(benchmark, spec, how, tally, recorded=recorded, more_judges=more_judges)
    title = f"{benchmark.name} ({benchmark.paper})"
    with terminal.progress(tally, title):
        found = asyncio.run(_until_stopped(engine))
    return _tell(tally), found


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


def _tell(tally: Tally) -> int:
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
    unanswered = sum(count for name, count in tally.failures.items() if FAILURES[name].again)
    if unanswered:
        terminal.remark(
            f"{unanswered} conversations or verdicts got no answer; the same command tries them again."
        )
        return UNANSWERED
    return DONE
