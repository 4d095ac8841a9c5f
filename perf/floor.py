"""The floor, in a process of its own: a bare aiohttp loop that makes the calls of the reference job and nothing else.

As many workers as there are connections; each posts JSON, reads the body and parses it. Imports nothing of interplay.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import aiohttp

from perf.meter import taken_by


def bare_loop(task: dict[str, Any]) -> dict[str, Any]:
    """Post the recorded bodies of a job, over and over, until there were as many calls as asked for."""
    bodies = [json.loads(line) for line in Path(task["bodies"]).read_bytes().splitlines()]
    url, numbers = task["url"] + "/chat/completions", iter(range(task["calls"]))

    async def work(session: aiohttp.ClientSession) -> None:
        for number in numbers:
            async with session.post(url, json=bodies[number % len(bodies)]) as response:
                json.loads(await response.read())

    async def post_all() -> None:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
            await asyncio.gather(*(work(session) for _ in range(task["connections"])))

    return {**taken_by(post_all()), "calls": task["calls"]}


if __name__ == "__main__":
    print(json.dumps(bare_loop(json.loads(sys.argv[1]))))
