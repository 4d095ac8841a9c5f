"""Who sits where when a benchmark is a task of Inspect's: its --model is measured, its --model-role plays beside it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches

import click
from inspect_ai.model import Model, get_model, model_roles

from interplay.core.benchmark import RULE, Benchmark, Options, Role
from interplay.core.conversation import Casting
from interplay.core.failures import Mistake
from interplay.core.wire import Sampling
from interplay.running.spec import RunSpec

NOBODY = "none/none"  # what Inspect measures where no model is named
MISTYPED = 0.8  # how like a role a name must be to be no role of another task's


class InspectMistake(Mistake, click.ClickException):
    """A mistake that Inspect's command line tells in one line."""

    exit_code = 2


@contextmanager
def in_inspects_words(benchmark: Benchmark) -> Iterator[None]:
    """Tell a mistake as whoever types Inspect's commands knows options: --split is -T split."""
    known = "|".join(option.name.replace("_", "[_-]") for option in benchmark.options)
    try:
        yield
    except InspectMistake:
        raise
    except Mistake as mistake:
        raise InspectMistake(re.sub(rf"--({known})\b", r"-T \1", str(mistake))) from mistake


@dataclass(frozen=True)
class Cast:
    """The models of Inspect's that take part in a conversation, by role, and the names our records know them by."""

    measured: str  # the --model, or what is measured by rule
    subject: str  # all who are measured: several models may sit at one table
    names: Mapping[str, str]
    castings: Mapping[str, Casting]
    models: Mapping[str, Model]  # none for a part that is played by rule


def cast_of(benchmark: Benchmark, options: Options, parts: Mapping[str, str]) -> Cast:
    """Who plays, from what Inspect was told; a Mistake where somebody is missing, before anything is sent.

    Parts are the roles that are played by rule.
    """
    main, named, shared = get_model(), _named(benchmark, options), _shared_name(benchmark, options)
    for role in parts:
        if role in named or (role == shared and str(main) != NOBODY):
            flag = "--model none" if role == shared else f"no --model-role {role}"
            raise InspectMistake(f"{role} is played by {parts[role]}, which is no model: take {flag}")
    subjects = benchmark.subjects(options)
    measured = parts.get(shared, str(main))
    beside = named.pop(shared, [])
    together = tuple(dict.fromkeys([measured, *map(str, beside)]))
    _check_measured(subjects, shared, together, beside)
    roles = {name: tuple(map(str, models)) for name, models in named.items()}
    roles |= {name: (part,) for name, part in parts.items() if name != shared}
    spec = RunSpec(benchmark.name, together, roles, options, scenarios="")
    _check_simulators(benchmark, options, spec)
    [(subject, names)] = spec.casts(benchmark)
    known = {str(model): model for model in [*beside, main]}
    models = {
        role: named[role][0] if role in named else known[name]
        for role, name in names.items()
        if not name.startswith(RULE)
    }
    castings = {
        role: _as_typed(casting) if casting.kind == "subject" and models.get(role) is main else casting
        for role, casting in spec.castings(benchmark, names).items()
    }
    return Cast(measured, subject, names, castings, models)


def judges_of(benchmark: Benchmark, options: Options) -> list[tuple[Casting, Model]]:
    """The judges that Inspect was told of, each as the benchmark samples it; none where nobody need judge."""
    role = next((role for role in benchmark.roles(options) if role.kind == "judge"), None)
    if role is None:
        return []
    named = _named(benchmark, options)
    models = named.get(role.name) or named.get(role.stands_in) or []
    if not models and not role.optional:
        raise _lacking(benchmark, role)
    names = [str(model) for model in models]
    for name in names:
        if names.count(name) > 1:
            raise InspectMistake(f"two judges are called {name}; nobody could tell their verdicts apart")
    return [(Casting(str(model), role.sampling, "judge"), model) for model in models]


def sampling_of_measured(benchmark: Benchmark, options: Options) -> Sampling:
    """How the --model is sampled unless a flag says otherwise."""
    return benchmark.subjects(options)[0].sampling


def _as_typed(casting: Casting) -> Casting:
    """The --model is sampled by the task's config, over which Inspect puts the flags that were typed."""
    return replace(casting, sampling=Sampling())


def _named(benchmark: Benchmark, options: Options) -> dict[str, list[Model]]:
    """The models that Inspect was told for roles of this benchmark; other tasks may have roles of their own."""
    known = {role.name for role in benchmark.roles(options)} | {_shared_name(benchmark, options)}
    found = {}
    for name, models in model_roles().items():
        if name in known:
            found[name] = models if isinstance(models, list) else [models]
        elif close := get_close_matches(name, known, n=1, cutoff=MISTYPED):
            raise InspectMistake(
                f"{benchmark.name} has no role {name!r}; did you mean {close[0]!r}? "
                f"Several models for one role are --model-role {close[0]}=ONE,ANOTHER"
            )
    return found


def _shared_name(benchmark: Benchmark, options: Options) -> str:
    """The name that all measured roles go by: the one role that is measured, or what several are sampled as."""
    first = benchmark.subjects(options)[0]
    return first.sampled_as or first.name


def _check_measured(
    subjects: Sequence[Role], shared: str, together: Sequence[str], beside: Sequence[Model]
) -> None:
    if NOBODY in together:
        raise InspectMistake("no model to measure; name one with --model, as in --model openai/NAME")
    if len(subjects) == 1 and beside:
        raise InspectMistake(f"{shared} is the role that is measured; name its model with --model")
    if len(together) != len(subjects):
        raise InspectMistake(
            f"{len(subjects)} different models sit down together here, and {len(together)} named; name one with "
            f"--model and the others with --model-role {shared}=ONE,ANOTHER"
        )


def _check_simulators(benchmark: Benchmark, options: Options, spec: RunSpec) -> None:
    measured = {role.name for role in benchmark.subjects(options)}
    for role in benchmark.roles(options):
        named = spec.roles.get(role.name, ())
        if role.kind == "simulator" and not named and role.stands_in not in measured:
            raise _lacking(benchmark, role)
        if role.kind == "simulator" and len(named) > 1:
            raise InspectMistake(f"{role.name} is played by one model, not {len(named)}")


def _lacking(benchmark: Benchmark, role: Role) -> InspectMistake:
    return InspectMistake(
        f"{benchmark.name} needs the role {role.name} ({role.meaning}): --model-role {role.name}=openai/NAME"
    )
