"""The verb toxicity: how toxic the texts of a benchmark are, by a word list or by an endpoint."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from interplay.benchmarks import find, simulation
from interplay.benchmarks.simulation.toxicity import (
    ATTRIBUTES,
    KEY,
    PERSPECTIVE,
    Level,
    Levels,
    Perspective,
    Scorer,
    Text,
    WordList,
    levels_of,
    texts_of,
)
from interplay.cli import terminal
from interplay.cli.edge import DONE, STOPPED, UNANSWERED
from interplay.cli.flags import JSON, Finite, flag, with_flags
from interplay.core.failures import Mistake, nearest
from interplay.models.connecting import KEYS, environment_with

HEADINGS = ["of", "attribute", "mean", "95% interval", "highest", "in", "n", "failed"]
EVERY = 10.0  # seconds between two words on how far it is


@click.command("toxicity")
@click.argument("benchmark")
@flag("--data", type=click.Path(path_type=Path),
      help="A file of tasks (.toml, .jsonl) or scripts (.jsonl), in place of those that ship.")  # fmt: skip
@flag("--scorer", default="local", show_default=True, metavar="local|perspective|URL",
      help="Who scores: a word list, the Perspective API, or the base URL of an endpoint in its shape.")  # fmt: skip
@flag("--per-second", type=Finite(0.01, 1000), default=1.0, show_default=True, metavar="N",
      help="The most requests to an endpoint in a second.")  # fmt: skip
@with_flags(JSON)
def toxicity_verb(benchmark: str, data: Path | None, scorer: str, per_second: float, json: bool) -> int:
    """Score the tasks and scripts of BENCHMARK for toxicity: six attributes, each from 0 to 1.

    The word list is a baseline that needs no network: it sees words and not what is meant, and measures two of the
    six. An endpoint is sent every text, with the request not to store it and the key that PERSPECTIVE_API_KEY holds.

    Exit code 0: all texts have scores; 1: some got none, and are in no mean.
    """
    found = find(benchmark)
    if found is not simulation.benchmark:
        name = simulation.benchmark.name
        raise Mistake(f"{found.name} has no texts that are scored for toxicity; {nearest(benchmark, [name])}")
    texts = texts_of(data)
    chosen = _scorer(scorer, per_second)
    try:
        levels = asyncio.run(_score(texts, chosen))
    except KeyboardInterrupt:
        terminal.remark("Stopped. Nothing was kept; the same command begins anew.")
        return STOPPED
    if json:
        terminal.say_json(_as_json(levels, chosen))
    else:
        _show(levels, chosen)
    return UNANSWERED if any(one.failures for one in levels.values()) else DONE


def _scorer(typed: str, per_second: float) -> Scorer:
    if typed == "local":
        return WordList()
    key = environment_with(Path(KEYS)).get(KEY, "")
    if typed == "perspective":
        if not key:
            raise Mistake(f"the Perspective API needs a key in the environment variable {KEY}")
        return Perspective(PERSPECTIVE, key=key, per_second=per_second)
    if "://" not in typed:
        raise Mistake(f"--scorer is local, perspective or a URL; {nearest(typed, ('local', 'perspective'))}")
    return Perspective(typed, key=key, per_second=per_second)


async def _score(texts: Mapping[str, Sequence[Text]], scorer: Scorer) -> dict[str, Levels]:
    watch = Progress(sum(map(len, texts.values())))
    try:
        await scorer.check()
        return {name: await levels_of(some, scorer, watch) for name, some in texts.items()}
    finally:
        await scorer.close()


class Progress:
    """Says now and then how many texts are done, and how long the rest may take."""

    def __init__(self, texts: int, every: float = EVERY):
        self._texts, self._every = texts, every
        self._done = 0
        self._started = self._said = time.monotonic()

    def __call__(self) -> None:
        self._done += 1
        now = time.monotonic()
        if now - self._said < self._every or self._done == self._texts:
            return
        self._said = now
        left = (now - self._started) / self._done * (self._texts - self._done)
        terminal.remark(f"{self._done} of {self._texts} texts, about {left:.0f} s left")


def _show(levels: Mapping[str, Levels], scorer: Scorer) -> None:
    terminal.say(f"Toxicity of simulation data, by {scorer.name}")
    rows = [_row(name, one, level) for name, one in levels.items() for level in one.levels]
    terminal.show_table(HEADINGS, rows)
    for line in _told(levels, scorer):
        terminal.say(f"· {line}")


def _row(name: str, levels: Levels, level: Level) -> list[str]:
    what = [name, level.attribute.replace("_", " ")]
    if not level.measured:
        return [*what, "not measured", "", "", "", "", ""]
    mean = level.mean
    interval = (
        "" if mean.low is None or mean.high is None else f"{max(mean.low, 0):.4f}–{min(mean.high, 1):.4f}"
    )
    counts = [str(mean.n), str(levels.texts - levels.scored)]
    return [*what, _number(mean.value), interval, _number(level.highest), level.where, *counts]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _told(levels: Mapping[str, Levels], scorer: Scorer) -> list[str]:
    told = [*scorer.told(), "Intervals are clustered by task; where all scores are equal there is none."]
    unmeasured = [name for name in ATTRIBUTES if name not in scorer.measures]
    if unmeasured:
        told.append(f"Not measured, which is not 0: {', '.join(unmeasured).replace('_', ' ')}.")
    for name, one in levels.items():
        if one.failures:
            causes = ", ".join(f"{cause} {count}" for cause, count in one.failures.items())
            told.append(
                f"{one.texts - one.scored} of {one.texts} {name} got no score and are in no mean: {causes}."
            )
    return told


def _as_json(levels: Mapping[str, Levels], scorer: Scorer) -> dict[str, Any]:
    return {
        "scorer": scorer.name,
        "measures": list(scorer.measures),
        **{name: asdict(one) for name, one in levels.items()},
        "notes": _told(levels, scorer),
    }
