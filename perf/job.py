"""The reference job, in a process of its own: role_play through the engine, over HTTP, into a new store.

A conversation is four turns of simulator and subject, then one judge: nine calls. It may be asked for longer ones.
"""

import asyncio
import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from interplay.benchmarks import find
from interplay.core.benchmark import Benchmark, Material, Options
from interplay.models.connecting import Directory
from interplay.running.engine import Engine
from interplay.running.how import How
from interplay.running.looping import carried_out
from interplay.running.spec import make_spec
from interplay.running.tally import Tally
from interplay.store.places import place_of
from perf.meter import peak, taken_by, used
from perf.sizes import TURNS

SAMPLE_EVERY = 0.1  # seconds
TELL_EVERY = 300  # samples

Sample = dict[str, float]  # what the run had come to at a moment


def reference_job(task: dict[str, Any]) -> dict[str, Any]:
    """Play and judge limit x epochs conversations; an error if a single call was lost, repeated or unread.

    A job that is started again has nothing left to do, and makes no call.
    """
    engine = _engine(task)
    samples: list[Sample] = []

    async def carry_out() -> None:
        watch = asyncio.create_task(_watch(engine.tally, samples)) if task.get("watch") else None
        await engine.carry_out()
        if watch:
            watch.cancel()

    before = peak()
    took = taken_by(carry_out(), carried_out)
    conversations = task["limit"] * task["epochs"]
    calls = conversations * (2 * task.get("turns", TURNS) + 1)
    _check(engine.tally, 0 if task.get("again") else calls)
    return {
        **took,
        "calls": engine.tally.calls,
        "conversations": conversations,
        "peak_before": before,
        "samples": samples,
        "stored": _size(task["store"]),
    }


def _engine(task: dict[str, Any]) -> Engine:
    turns = task.get("turns", TURNS)
    benchmark = find("role_play") if turns <= TURNS else _longer(find("role_play"), turns)
    spec = make_spec(
        benchmark,
        models=["openai/subject"],
        roles={"interrogator": ["openai/user"], "judge": ["openai/judge"]},
        options={"turns": str(turns)} if turns <= TURNS else {},
        limit=task["limit"],
        epochs=task["epochs"],
    )
    return Engine(benchmark, spec, _how(task), Tally())


def _how(task: dict[str, Any]) -> How:
    """A store is a file, or a database at a URL; with several processes, the calls are made by them."""
    return How(
        store=place_of(task["store"]),
        directory=Directory(base_url=task["url"], environment={}),
        max_connections=task["connections"],
        workers=task.get("workers", 1),
    )


def _longer(benchmark: Benchmark, turns: int) -> Benchmark:
    """The same benchmark with the same scenes, played for more turns than any of them asks for."""

    def scenarios(options: Options, data: Path | None = None) -> Material:
        material = benchmark.scenarios(options, data)
        longer = [
            replace(one, content={**one.content, "situation": {**one.content["situation"], "turns": turns}})
            for one in material.scenarios
        ]
        return replace(material, scenarios=tuple(longer))

    return replace(benchmark, scenarios=scenarios)


async def _watch(tally: Tally, samples: list[Sample]) -> None:
    started = time.perf_counter()
    while True:
        now = {"seconds": time.perf_counter() - started, "cpu": used(), "peak": peak()}
        samples.append({**now, "calls": tally.calls, "under_way": tally.in_flight})
        if len(samples) % TELL_EVERY == 0:
            print(f"  ... {tally.calls:,} calls so far", file=sys.stderr, flush=True)
        await asyncio.sleep(SAMPLE_EVERY)


def _check(tally: Tally, wanted: int) -> None:
    if tally.calls != wanted or tally.failed_calls or tally.failures:
        wrong = {**tally.failed_calls, **tally.failures}
        raise SystemExit(f"{tally.calls:,} calls were answered, {wanted:,} were wanted; failures: {wrong}")


def _size(store: str) -> int:
    """Bytes of a store's files; 0 where it is a database of a server."""
    path = Path(store)
    return sum(part.stat().st_size for part in path.parent.glob(f"{path.name}*") if part.is_file())


if __name__ == "__main__":
    print(json.dumps(reference_job(json.loads(sys.argv[1]))))
