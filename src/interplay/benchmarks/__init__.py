"""The benchmarks, each a folder of one shape; they never import each other."""

from interplay.benchmarks import role_play
from interplay.core.benchmark import Benchmark
from interplay.core.failures import Mistake, nearest

ALL: tuple[Benchmark, ...] = (role_play.benchmark,)


def find(name: str) -> Benchmark:
    """A benchmark by its plain name or its paper's."""
    wanted = name.lower().replace("-", "_")
    for benchmark in ALL:
        if wanted in (benchmark.name, benchmark.paper.lower()):
            return benchmark
    known = [known for benchmark in ALL for known in (benchmark.name, benchmark.paper.lower())]
    raise Mistake(f"there is no benchmark {name!r}; {nearest(wanted, known)}")
