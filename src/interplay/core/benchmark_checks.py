"""What a benchmark must be like before anything is played: named, explained, and whole at its defaults."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import is_dataclass
from typing import Any, get_args

from interplay.core.benchmark import Benchmark, Option, Options, Role, Unjudged
from interplay.core.conversation import RoleKind
from interplay.core.failures import Mistake, nearest

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
LONGEST_NAME = 60
JUDGE = "judge"  # what the engine calls the role
# What verbs and the environment mean by themselves: an option of this name could not be typed.
RESERVED = frozenset(
    {
        *("model", "null", "model_role", "preset", "data", "limit", "epochs", "seed", "sampling", "plan"),
        *(
            "until_decided",
            "base_url",
            "models",
            "max_connections",
            "workers",
            "on",
            "ray_address",
            "timeout",
        ),
        *("budget", "budget_tokens", "budget_calls", "new", "store", "html", "json", "help"),
        *("conversation", "as", "format", "to", "site", "most", "with_names"),
        *("cache", "benchmarks", "debug"),
    }
)


# Columns that boards have besides the measures.
OF_BOARDS = frozenset({"model", "rank", "n", "void", "unscored", "open", "sampling", "tokens", "cost"})


def is_name(text: str) -> bool:
    """Is this a name as benchmarks, roles and options have it?"""
    return len(text) <= LONGEST_NAME and NAME.fullmatch(text) is not None


def check_benchmark(benchmark: Any) -> None:
    """Raise a Mistake that says all that is wrong with a benchmark; nothing is played, and no data is read."""
    if not isinstance(benchmark, Benchmark):
        raise Mistake(f"a benchmark is a value of Benchmark, not of {type(benchmark).__name__}")
    for part in ("name", "meaning"):
        if not isinstance(getattr(benchmark, part), str):
            raise Mistake(f"the {part} of a benchmark is text, not {getattr(benchmark, part)!r}")
    found = list(dict.fromkeys(faults_of(benchmark)))
    if found:
        raise Mistake(f"the benchmark {benchmark.name!r} does not hold together: {'; '.join(found)}")


def faults_of(benchmark: Benchmark) -> Iterator[str]:
    """What is wrong with a benchmark at its defaults, each in a few words."""
    if not is_name(benchmark.name):
        yield f"its name must be in snake_case, of at most {LONGEST_NAME} letters, as in my_benchmark"
    if not benchmark.meaning.strip():
        yield "it has no meaning: say in a line what it measures"
    if not (isinstance(benchmark.outcome, type) and is_dataclass(benchmark.outcome)):
        yield "its outcome must be a dataclass, from which a record can be made and read"
    of_options = list(_options(benchmark.options))
    yield from of_options
    if of_options:
        return  # all that follows depends on them
    options = benchmark.settle({})
    roles = benchmark.roles(options)
    yield from _roles(roles)
    yield from _judging(benchmark, roles, options)
    yield from _measures(benchmark, roles, options)
    yield from _presets(benchmark, roles, options)
    yield from _tryout(benchmark)
    spread = benchmark.spread(options)
    if not (math.isfinite(spread) and spread > 0):
        yield f"its spread must be above 0, not {spread}"
    if not benchmark.protocol(options):
        yield "its protocol has no digest, by which an edited one is told from the old"
    if benchmark.epochs < 1:
        yield f"it must be played at least once, not {benchmark.epochs} times"


def _twice(what: str, names: Iterable[str]) -> Iterator[str]:
    for name, count in Counter(names).items():
        if count > 1:
            yield f"the {what} {name!r} is there {count} times"


def _options(options: Sequence[Option]) -> Iterator[str]:
    yield from _twice("option", (option.name for option in options))
    for option in options:
        what = f"the option {option.name!r}"
        if not is_name(option.name):
            yield f"{what} must be named in snake_case"
        if option.name in RESERVED:
            yield f"{what} has the name of a flag that every benchmark has; call it otherwise"
        if not option.meaning.strip():
            yield f"{what} has no meaning"
        if option.choices and not option.open and option.default not in option.choices:
            yield f"{what} is {option.default!r} unless somebody says, which is none of its choices"
        if option.number is not None and option.number[0] > option.number[1]:
            yield f"{what} has bounds that no number is between"
        if sum((option.of_table, option.of_judging, option.of_sequel)) > 1:
            yield f"{what} concerns the table, judging or what is made of a run: one of them"


def _roles(roles: Sequence[Role]) -> Iterator[str]:
    known = [role.name for role in roles]
    yield from _twice("role", known)
    if not any(role.kind == "subject" for role in roles):
        yield "no role is the subject, so no model is measured"
    for role in roles:
        what = f"the role {role.name!r}"
        if not is_name(role.name):
            yield f"{what} must be named in snake_case"
        if role.kind not in get_args(RoleKind):
            yield f"{what} is of the kind {role.kind!r}; {nearest(role.kind, get_args(RoleKind))}"
        if (role.kind == "judge") != (role.name == JUDGE):
            yield f"{what}: the role of judges, and no other, is called {JUDGE!r}"
        if not role.meaning.strip():
            yield f"{what} has no meaning"
        if role.stands_in and role.stands_in not in known:
            yield f"{what} is taken by {role.stands_in!r}, which is no role; {nearest(role.stands_in, known)}"
        if role.seats < 1:
            yield f"{what} has no seat"


def _judging(benchmark: Benchmark, roles: Sequence[Role], options: Options) -> Iterator[str]:
    step = benchmark.judging(options)
    has_judge = any(role.kind == "judge" for role in roles)
    if isinstance(step, Unjudged):
        if has_judge and benchmark.pairing is None:
            yield "it has a judge, and no judging step"
    elif not has_judge:
        yield f"it has a judging step, and no role {JUDGE!r}"
    elif not step.name or not step.digest:
        yield "its judging step has no name or no digest, by which an edited rubric is told from the old"


def _measures(benchmark: Benchmark, roles: Sequence[Role], options: Options) -> Iterator[str]:
    measures = benchmark.measures(options)
    if not measures:
        yield "it has no measure, so there is nothing that models could be ranked by"
    yield from _twice("measure", (measure.name for measure in measures))
    for measure in measures:
        what = f"the measure {measure.name!r}"
        if not is_name(measure.name):
            yield f"{what} must be named in snake_case"
        if measure.name in OF_BOARDS:
            yield f"{what} has the name of a column that every board has; call it otherwise"
        if not measure.meaning.strip():
            yield f"{what} has no meaning"
        if not measure.scale.low < measure.scale.high:
            yield f"{what} has a scale without a width"
        if measure.by == "judges" and not any(role.kind == "judge" for role in roles):
            yield f"{what} is measured by judges, and there is no role {JUDGE!r}"


def _presets(benchmark: Benchmark, roles: Sequence[Role], options: Options) -> Iterator[str]:
    known = {role.name for role in roles}
    for name, preset in benchmark.presets.items():
        if not preset.meaning.strip():
            yield f"the preset {name!r} has no meaning"
        for role in preset.roles(options).keys() - known:
            yield f"the preset {name!r} casts {role!r}, which is no role; {nearest(role, known)}"


def _tryout(benchmark: Benchmark) -> Iterator[str]:
    tryout = benchmark.tryout
    if tryout.limit < 1:
        yield "its tryout plays nothing"
    try:
        roles = benchmark.roles(benchmark.settle(tryout.options))
    except Mistake as mistake:
        yield f"its tryout: {mistake}"
        return
    known = {role.sampled_as or role.name for role in roles}
    for name in tryout.sampling.keys() - known:
        yield f"its tryout samples {name!r}, which is no role; {nearest(name, known)}"
