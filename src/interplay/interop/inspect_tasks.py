"""The benchmarks as tasks of Inspect AI, found by its entry point: inspect eval interplay/role_play --model NAME.

Each task has the benchmark's plain name and its paper's. Inspect's --model is measured, its --model-role gives the
other roles their models (several judges are judge=ONE,ANOTHER), and options are -T name=value. Where several models
are measured in one conversation, the others are --model-role player=ONE,ANOTHER. How many scenarios and how often is
Inspect's own --limit and --epochs. Inspect writes its own log, and no store of ours is written; others judge what the
log has without playing again by `inspect score LOG --scorer interplay/verdicts --model-role judge=NAME`.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any

from interplay.benchmarks import ALL
from interplay.core.benchmark import RULE, Benchmark, Called, Material, Option, Options
from interplay.core.failures import Mistake, nearest
from interplay.core.wire import digest_of
from interplay.running.following import follows

try:
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import GenerateConfig
    from inspect_ai.scorer import mean, stderr
    from inspect_ai.viewer import ViewerConfig
except ImportError as error:
    raise Mistake("tasks of Inspect AI need inspect-ai: pip install 'interplay[inspect]'") from error

from interplay.interop.inspect_task_board import board
from interplay.interop.inspect_task_cast import (
    InspectMistake,
    cast_of,
    in_inspects_words,
    judges_of,
    sampling_of_measured,
)
from interplay.interop.inspect_task_play import play, verdicts

log = logging.getLogger(__name__)  # Inspect shows its warnings
OWN: Mapping[str, Any] = {"data": "", "seed": 0, "schemas": True}  # what every task takes, with its default
PRESET = "preset"
OF_INSPECT = ("limit", "epochs", "model", "model_role")


def task_of(benchmark: Benchmark, typed: Mapping[str, Any]) -> Task:
    """A benchmark with the parameters that somebody typed, as a task."""
    own = {name: typed.get(name, default) for name, default in OWN.items()}
    _check_own(own)
    options, parts = _called(benchmark, _options_in(typed))
    settled = benchmark.settle(options)
    material = benchmark.scenarios(settled, Path(own["data"]) if own["data"] else None)
    changed = {one.name: settled[one.name] for one in benchmark.options if settled[one.name] != one.default}
    for remark in (*material.remarks, *_left_out(benchmark, settled)):
        log.warning(remark)
    measures = [measure.name for measure in benchmark.measures(settled)]
    return Task(
        dataset=MemoryDataset(list(_samples(material)), name=benchmark.name),
        solver=play(benchmark.name, changed, parts, own["seed"], own["schemas"]),
        scorer=verdicts(own["schemas"]),
        metrics=[
            board(benchmark.name, changed),
            {name: [mean(), stderr()] for name in measures},
        ],
        headline_metric=f"verdicts.{measures[0]}" if measures else None,  # what models are compared by
        config=GenerateConfig.model_validate(sampling_of_measured(benchmark, settled).settings()),
        model_roles=_preset(benchmark, typed.get(PRESET, ""), settled),
        epochs=benchmark.epochs,
        version=benchmark.protocol(settled)[:12],
        metadata={
            "benchmark": benchmark.name,
            "paper": benchmark.paper,
            "scenarios": digest_of([scenario.id for scenario in material.scenarios]),
            "rubric": benchmark.judging(settled).digest,
        },
        viewer=ViewerConfig(trust_content=False),  # what models say stays text
        description=benchmark.meaning,
    )


def loaded_task_of(benchmark: Benchmark, typed: Mapping[str, Any]) -> Task:
    """The same, where it is known who sits where; a Mistake where somebody is missing."""
    made = task_of(benchmark, typed)
    if not typed.get(PRESET):
        options, parts = _called(benchmark, _options_in(typed))
        cast_of(benchmark, benchmark.settle(options), parts)
        judges_of(benchmark, benchmark.settle(options))
    return made


def _options_in(typed: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in typed.items() if name not in (*OWN, PRESET)}


def _samples(material: Material) -> Iterator[Sample]:
    """A sample for each scenario; of those with one label, the second has a number."""
    seen: Counter[str] = Counter()
    for scenario in material.scenarios:
        seen[scenario.label] += 1
        number = f" ({seen[scenario.label]})" if seen[scenario.label] > 1 else ""
        yield Sample(
            input=scenario.label,
            id=scenario.label + number,
            metadata={"label": scenario.label, "scenario": dict(scenario.content)},
        )


def _called(benchmark: Benchmark, typed: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """Options as a run would keep them, and the roles that they say are played by rule."""
    known = {option.name for option in benchmark.options if not option.of_sequel}
    for name in typed:
        if name in OF_INSPECT:
            raise InspectMistake(f"{name} is Inspect's own: --{name.replace('_', '-')}, and not -T {name}")
        if name not in known:
            raise InspectMistake(_unknown(benchmark, name, known))
    options = {name: as_typed(value) for name, value in typed.items()}
    called = benchmark.called(Called(benchmark.read(options), (), {}))
    parts = {role: names[0] for role, names in called.roles.items()}
    for model in called.models:
        if not model.startswith(RULE):
            raise InspectMistake(f"{model} is no model of Inspect's, whose --model is what is measured here")
        parts[benchmark.subjects(benchmark.settle(called.options))[0].name] = model
    return called.options, parts


def _unknown(benchmark: Benchmark, name: str, known: set[str]) -> str:
    if any(option.name == name for option in benchmark.options):
        return f"{name} is about what is made of a recorded run: interplay run {benchmark.name}"
    return f"{benchmark.name} has no option {name!r}; {nearest(name, [*known, *OWN])}"


def as_typed(value: Any) -> str:
    """What was typed, of which Inspect's command line has made a number, a truth or a list."""
    if isinstance(value, list | tuple):
        return ",".join(map(as_typed, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _check_own(own: Mapping[str, Any]) -> None:
    for name, default in OWN.items():
        if type(own[name]) is not type(default):
            kind = {str: "a file", int: "a whole number", bool: "true or false"}[type(default)]
            raise InspectMistake(f"{name} is {kind}, not {own[name]!r}")


def _left_out(benchmark: Benchmark, settled: Options) -> Iterator[str]:
    if follows(benchmark, settled):
        yield (
            f"With these options a run of {benchmark.name} has a sequel, made of all its conversations together, which "
            f"is no part of the task: interplay run {benchmark.name}"
        )


def _preset(benchmark: Benchmark, name: str, settled: Options) -> Mapping[str, tuple[str, ...]] | None:
    """The roles of a cast with a name; what is typed goes before it."""
    if not name:
        return None
    if name not in benchmark.presets:
        raise InspectMistake(f"{benchmark.name} has no preset {name!r}; {nearest(name, benchmark.presets)}")
    return benchmark.presets[name].roles(settled)


def _registered(benchmark: Benchmark, name: str, make: Callable[..., Task]) -> Callable[..., Task]:
    """What Inspect calls for a task of this name, with a parameter for every option."""

    def made(**typed: Any) -> Task:
        with in_inspects_words(benchmark):
            return make(benchmark, typed)

    own = {**OWN, **({PRESET: ""} if benchmark.presets else {})}
    options = [option for option in benchmark.options if not option.of_sequel]
    parameters = [
        *(_parameter(option.name, _default(option)) for option in options),
        *(_parameter(name, default) for name, default in own.items()),
        Parameter("unknown", Parameter.VAR_KEYWORD),  # is refused, where Inspect would leave it out
    ]
    made.__name__ = made.__qualname__ = name
    made.__doc__ = "\n".join([benchmark.meaning, "", *(f"{one.name}: {one.meaning}" for one in options)])
    made.__signature__ = Signature(parameters, return_annotation=Task)  # type: ignore[attr-defined]
    found: Callable[..., Task] = task(name=name)(made)
    return found


def _parameter(name: str, default: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=type(default))


def _default(option: Option) -> str | int:
    return int(option.default) if option.number and option.default else option.default


NAMES = {name: one for one in ALL for name in (one.name, one.paper.lower())}
# In Python a task may be given its roles after it was made, by task_with. The second of a name is what Inspect finds,
# once it knows who sits where: whoever is missing is told of before anything starts.
TASKS = {name: _registered(one, name, task_of) for name, one in NAMES.items()}
LOADED = {name: _registered(one, name, loaded_task_of) for name, one in NAMES.items()}


def __getattr__(name: str) -> Callable[..., Task]:
    """A task by its name: from interplay.interop.inspect_tasks import role_play."""
    if name not in TASKS:
        raise AttributeError(f"{__name__} has no {name!r}; {nearest(name, TASKS)}")
    return TASKS[name]
