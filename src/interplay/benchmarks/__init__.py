"""The benchmarks, each a folder of one shape; they never import each other."""

from interplay.benchmarks import (
    judge_probe,
    role_play,
    simulation,
    social_interaction,
    task_dialogue,
    word_guessing,
)
from interplay.core.benchmark import Benchmark
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
)


def find_playable(name: str) -> Benchmark:
    """A benchmark that can be run by itself, as a sequel cannot."""
    found = find(name)
    for one in ALL:
        if one.sequel and found in one.sequel.benchmarks:
            raise Mistake(
                f"{found.name} is made of what a run of {one.name} played: interplay run {one.name}"
            )
    return found


def find(name: str) -> Benchmark:
    """A benchmark by its plain name or its paper's, or one that writes or collects new data by its name."""
    wanted = name.lower().replace("-", "_")
    for benchmark in ALL:
        if wanted in (benchmark.name, benchmark.paper.lower()):
            return benchmark
    for writing in WRITERS:
        if wanted == writing.name:
            return writing
    known = [known for benchmark in ALL for known in (benchmark.name, benchmark.paper.lower())]
    raise Mistake(f"there is no benchmark {name!r}; {nearest(wanted, known)}")
