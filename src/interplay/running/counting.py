"""How many calls a work still takes: what its benchmark says, less what the record has."""

from collections.abc import Iterator, Mapping, Set
from typing import Any

from interplay.core.benchmark import RULE, Benchmark, Judging, Span
from interplay.core.people import is_person
from interplay.running.plan import Work

Done = Mapping[tuple[int, str, str], int]  # answered calls of a conversation and item, by role or judge


def calls_left(
    benchmark: Benchmark,
    options: Mapping[str, Any],
    judging: Judging,
    work: Work,
    done: Done,
    remembering: Set[str],
) -> Iterator[tuple[str, str, Span]]:
    """The least and most calls of each role and model, second tries apart."""
    number = work.conversation or 0
    if work.play:
        from_the_start = work.anew or not remembering.isdisjoint(work.place.cast.values())
        for role, span in benchmark.calls(work.place.scenario, options).items():
            for who, model, share in _shared(benchmark, options, work.place.cast, role, span):
                if not model.startswith(RULE):
                    before = 0 if from_the_start or is_person(model) else done.get((number, "", role), 0)
                    yield who, model, _less(share, before)
    for judge in work.judges:
        span = judging.calls(work.place.scenario, work.place.cast, judge)
        yield "judge", judge, _less(span, 0 if work.play else done.get((number, work.item, judge), 0))


def _shared(
    benchmark: Benchmark, options: Mapping[str, Any], cast: Mapping[str, str], role: str, span: Span
) -> Iterator[tuple[str, str, Span]]:
    """The calls of a role, shared out among its seats where people have some of them."""
    alone = [key for key in cast if key.rpartition(" ")[0] == role]
    seats = benchmark.role(role, options).seats if alone else 1
    for key in alone:
        yield key, cast[key], (span[0] // seats, -(-span[1] // seats))
    left = seats - len(alone)
    yield role, cast[role], (span[0] * left // seats, -(-span[1] * left // seats))


def _less(span: Span, before: int) -> Span:
    return max(0, span[0] - before), max(0, span[1] - before)
