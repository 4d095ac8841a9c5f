"""The verb read: game masters learn from what a run played, and read real play; run itself may end with it."""

from collections.abc import Mapping
from typing import Any

import click

from interplay.benchmarks import ALL, find
from interplay.cli import terminal
from interplay.cli.carry_out import carry_out
from interplay.cli.edge import DONE, STOPPED
from interplay.cli.flags import HOW, HTML, JSON, NEW_ALONE, STORE, flag_of, how_of, options_in, with_flags
from interplay.cli.showing import check_html, show_run
from interplay.core.benchmark import Benchmark
from interplay.core.failures import Mistake
from interplay.running.engine import Engine, How
from interplay.running.following import follow
from interplay.running.results import options_of
from interplay.store.records import Records

_OPTIONS = {option.name: option for one in ALL if one.sequel for option in one.options if option.of_sequel}


@click.command("read")
@click.argument("run")
@with_flags(*(flag_of(option) for option in _OPTIONS.values()), *HOW[:-1], NEW_ALONE, STORE, HTML, JSON)
def read_verb(run: str, **given: Any) -> int:
    """Let virtual game masters learn from what RUN played and from real play, and try them on real play (IEG).

    RUN is an id, the beginning of one, a name, or last. What was learned and read before costs nothing.
    """
    check_html(given)
    how = how_of(given)
    with Records(given["store"]) as records:
        found = records.find(run)
        benchmark = find(found.benchmark)
        if benchmark.sequel is None:
            able = ", ".join(one.name for one in ALL if one.sequel)
            raise Mistake(f"{found.id} is a run of {benchmark.name}; game masters learn from runs of {able}")
        options = benchmark.read(options_in(given))
        settled = benchmark.settle({**options_of(found, benchmark), **options})
    benchmark.sequel.check(settled, how.directory, bool(how.limits))
    code = read_on(benchmark, found.id, options, how)
    if code != STOPPED:
        show_run(given, found.id, benchmark)
    return code


def read_on(benchmark: Benchmark, run: str, options: Mapping[str, str], how: How) -> int:
    """Carry out what follows from a run; the exit code."""
    codes = [DONE]

    def one_run(engine: Engine) -> bool:
        code, _ = carry_out(engine)
        codes.append(code)
        return code != STOPPED

    follow(benchmark, run, options, how, one_run, terminal.remark)
    return max(codes)
