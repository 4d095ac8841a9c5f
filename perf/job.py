"""The reference job, in a process of its own: role_play through the engine, over HTTP, into a new store.

A conversation is four turns of simulator and subject, then one judge: nine calls.
"""

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

import apsw

from interplay.benchmarks import find
from interplay.models.connecting import Directory
from interplay.running.engine import Engine
from interplay.running.how import How
from interplay.running.spec import make_spec
from interplay.running.tally import Tally
from perf.measures import CALLS_PER_CONVERSATION
from perf.meter import peak, taken_by

SAMPLE_EVERY = 0.1  # seconds

Sample = dict[str, float]  # what the run had come to at a moment


def reference_job(task: dict[str, Any]) -> dict[str, Any]:
    """Play and judge limit x epochs conversations; an error if a single call was lost, repeated or unread."""
    store = Path(task["store"])
    engine = _engine(task, store)
    samples: list[Sample] = []

    async def carry_out() -> None:
        watch = asyncio.create_task(_watch(engine.tally, samples)) if task.get("watch") else None
        await engine.carry_out()
        if watch:
            watch.cancel()

    before = peak()
    took = taken_by(carry_out())
    conversations = task["limit"] * task["epochs"]
    _check(engine.tally, conversations * CALLS_PER_CONVERSATION)
    return {
        **took,
        "calls": engine.tally.calls,
        "conversations": conversations,
        "peak_before": before,
        "samples": samples,
        "stored": sum(path.stat().st_size for path in store.parent.glob(f"{store.name}*") if path.is_file()),
        "sqlite": apsw.sqlite_lib_version(),
    }


def _engine(task: dict[str, Any], store: Path) -> Engine:
    benchmark = find("role_play")
    spec = make_spec(
        benchmark,
        models=["openai/subject"],
        roles={"interrogator": ["openai/user"], "judge": ["openai/judge"]},
        options={"turns": "4"},
        limit=task["limit"],
        epochs=task["epochs"],
    )
    directory = Directory(base_url=task["url"], environment={})
    how = How(store=store, directory=directory, max_connections=task["connections"])
    return Engine(benchmark, spec, how, Tally())


async def _watch(tally: Tally, samples: list[Sample]) -> None:
    started = time.perf_counter()
    while True:
        now = {"seconds": time.perf_counter() - started, "cpu": time.process_time(), "peak": peak()}
        samples.append({**now, "calls": tally.calls, "under_way": tally.in_flight})
        await asyncio.sleep(SAMPLE_EVERY)


def _check(tally: Tally, wanted: int) -> None:
    if tally.calls != wanted or tally.failed_calls or tally.failures:
        wrong = {**tally.failed_calls, **tally.failures}
        raise SystemExit(f"{tally.calls:,} calls were answered, {wanted:,} were wanted; failures: {wrong}")


if __name__ == "__main__":
    print(json.dumps(reference_job(json.loads(sys.argv[1]))))
