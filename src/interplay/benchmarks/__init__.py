"""The benchmarks, each a folder of one shape; they never import each other. Others' are found by name or path."""

import os
from collections.abc import Iterator
from pathlib import Path

from interplay.benchmarks import (
    judge_probe,
    role_play,
    simulation,
    social_interaction,
    task_dialogue,
    transcripts,
    word_guessing,
)
from interplay.benchmarks.finding import VARIABLE, Other, Others, Tell, warn
from interplay.core.benchmark import Benchmark
from interplay.core.benchmark_checks import is_name
from interplay.core.failures import Mistake, nearest

ALL: tuple[Benchmark, ...] = (
    role_play.benchmark,
    simulation.benchmark,
    word_guessing.benchmark,
    task_dialogue.benchmark,
    social_interaction.benchmark,
)
# What writes or collects new data is recorded and shown as a benchmark is, but is no benchmark that one would run.
WRITERS: tuple[Benchmark, ...] = (
    *(one.generator.writing for one in ALL if one.generator),
    *(one.collector.collecting for one in ALL if one.collector),
    *(benchmark for one in ALL if one.sequel for benchmark in one.sequel.benchmarks),
    judge_probe.benchmark,  # measures judges, by a verb of its own
    transcripts.benchmark,  # has what was held elsewhere, and is imported
)
OTHERS = Others(
    frozenset((*(one.name for one in (*ALL, *WRITERS)), *(one.paper.lower() for one in ALL), "judges"))
)


def others() -> list[Other]:
    """The benchmarks of others that are installed, named or known from before; the broken ones with the reason.

    Those that are known from before alone are not loaded for it.
    """
    return OTHERS.all()


def playable() -> list[Benchmark]:
    """All that can be run: ours, then those of others that are whole; of what was typed before, what is loaded."""
    return [*ALL, *(one.benchmark for one in others() if one.benchmark)]


def find_playable(name: str, tell: Tell = warn) -> Benchmark:
    """A benchmark that can be run by itself, as a sequel cannot; by its name, or by the path of its file or folder."""
    found = find_typed(name, tell)
    if found is transcripts.benchmark:
        raise Mistake(transcripts.NOT_PLAYED)
    for one in (*ALL, found):
        if one.sequel and found in one.sequel.benchmarks:
            raise Mistake(
                f"{found.name} is made of what a run of {one.name} played: interplay run {one.name}"
            )
    return found


def find_typed(name: str, tell: Tell = warn) -> Benchmark:
    """A benchmark as somebody typed it: the path of a file or folder, whose code is then run, or a name."""
    return OTHERS.typed(name, tell) if is_path(name) else find(name)


def is_path(text: str) -> bool:
    """Is this how the path of a benchmark is typed? A bare name never is, whatever lies in this folder."""
    return text.endswith(".py") or text.startswith((".", "~")) or os.sep in text


def find(name: str) -> Benchmark:
    """A benchmark by its plain name or its paper's, or one that writes or collects new data by its name.

    What is not ours is looked for among what is installed or was named by the user: a name is never taken for a path.
    """
    wanted = name.lower().replace("-", "_")
    for benchmark in ALL:
        if wanted in (benchmark.name, benchmark.paper.lower()):
            return benchmark
    for writing in WRITERS:
        if wanted == writing.name:
            return writing
    found = OTHERS.find(wanted) or next(
        (one for one in _writers_of_others(wanted) if one.name == wanted), None
    )
    if found is not None:
        return found
    known = [known for benchmark in ALL for known in (benchmark.name, benchmark.paper.lower())]
    close = nearest(wanted, [*known, *OTHERS.names()])
    raise Mistake(f"there is no benchmark {name!r}; {close}{_of_your_own(wanted, close)}")


def _writers_of_others(wanted: str) -> Iterator[Benchmark]:
    for one in OTHERS.may_have(wanted):
        if one.generator:
            yield one.generator.writing
        if one.collector:
            yield one.collector.collecting
        if one.sequel:
            yield from one.sequel.benchmarks


def _of_your_own(wanted: str, close: str) -> str:
    """How a benchmark of one's own is named, for who may have meant one."""
    for path in (f"./{wanted}.py", f"./{wanted}"):
        if is_name(wanted) and Path(path).exists():
            return f"; the one in this folder is run by its path: interplay run {path}"
    if close.endswith("?"):
        return ""
    return f"; one of your own is run by the path of its file or folder, or named by {VARIABLE}"
