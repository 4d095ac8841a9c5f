"""Flags that several verbs share, and what they mean to the engine."""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from interplay.core.benchmark import Benchmark, Option
from interplay.core.failures import Mistake, nearest
from interplay.models.connecting import Directory, directory_of
from interplay.running.budget import Limits
from interplay.running.how import DEFAULT_CONNECTIONS, MOST_WORKERS, RAY, How, workers_of
from interplay.running.plan import read_anew
from interplay.running.spec import SamplingChange
from interplay.store.places import Store, place_of

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def flag(*names: str, **settings: Any) -> Decorator:
    """A flag that an environment variable can set too."""
    variable = "INTERPLAY_" + names[0].partition("/")[0].lstrip("-").replace("-", "_").upper()
    return click.option(*names, envvar=variable, show_envvar=True, **settings)


class Finite(click.FloatRange):
    """A number that one can count with: inf and nan are none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value!r} is no number to count with", param, ctx)
        return found


class Placed(click.ParamType[Store]):
    """Where a store is: a file, or a server."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Store:
        return place_of(value)


STORE = flag("--store", type=Placed(), default=Path("interplay.db"), show_default=True,
             help="The store: one file for all runs of a project, or postgresql://USER@HOST/DATABASE.")  # fmt: skip
JSON = flag("--json", is_flag=True, help="Print the result as JSON.")
HTML = flag(
    "--html", type=click.Path(path_type=Path, dir_okay=False), help="Also write a self-contained HTML report."
)
ROLE = flag("--model-role", "model_roles", multiple=True, metavar="ROLE=NAME",
            help="Who plays another role, as in judge=openai/gpt-4o; may be repeated.")  # fmt: skip
BASE_URL = flag("--base-url", default="", metavar="URL",
                help="Where openai/NAME is; other providers have variables of their own.")  # fmt: skip
MODELS = flag("--models", type=click.Path(path_type=Path),
              help="Names for models and endpoints, prices.  [default: models.toml]")  # fmt: skip
HOW = (
    BASE_URL,
    MODELS,
    flag("--max-connections", type=click.IntRange(1), default=DEFAULT_CONNECTIONS, show_default=True,
         help="The most calls at once to one endpoint."),
    flag("--workers", type=click.IntRange(1, MOST_WORKERS), default=None, metavar="N",
         help="Play in so many processes, for when one core is the limit.  [default: 1; on ray, one for each core]"),
    flag("--on", type=click.Choice([RAY]), default=None,
         help="Start the workers on a Ray cluster: one on this machine, unless --ray-address names another."),
    flag("--ray-address", default="", metavar="HOST:PORT", help="A Ray cluster that is running; auto finds one."),
    flag("--timeout", type=Finite(1, 86_400), default=None, metavar="SECONDS",
         help="How long to wait for an answer to begin.  [default: 60]"),
    flag("--budget", type=Finite(0, 1e9), default=None, metavar="DOLLARS",
         help="The most that the run may cost, all starts together; never exceeded."),
    flag("--budget-tokens", type=click.IntRange(0), default=None, metavar="N", help="The same in tokens."),
    flag("--budget-calls", type=click.IntRange(0), default=None, metavar="N", help="The same in calls."),
    flag("--new", is_flag=False, flag_value="diverged", default="", metavar="[WHICH]",
         help="Play anew: conversations by number as in 3,7-9, or void, or all; alone: those whose record no "
         "longer fits what is asked. To go on after a stop, leave it out."),
)  # fmt: skip


UNTIL_DECIDED = flag(
    "--until-decided",
    is_flag=True,
    help="Stop as soon as it is plain which model is better on this list of scenarios, with an error of at most 5% "
    "however early; they come in an order drawn at random.",
)
NEW_ALONE = flag("--new", is_flag=False, flag_value="diverged", default="", metavar="",
                 help="Do anew what was recorded with a rubric or prompts that changed since.")  # fmt: skip


def with_flags(*flags: Decorator) -> Decorator:
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for one in reversed(flags):
            function = one(function)
        return function

    return decorate


def flag_of(option: Option) -> Decorator:
    """The flag of a benchmark's own option."""
    kind = click.Choice(option.choices) if option.choices and not option.open else str
    meaning = option.meaning[0].upper() + option.meaning[1:] + "."
    meaning += f"  [default: {option.default}]" if option.default else ""
    name = f"--{option.name.replace('_', '-')}"
    metavar = option.shape or ("N" if option.number else "PATH" if option.path else None)
    return flag(name, f"option_{option.name}", type=kind, default=None, metavar=metavar, help=meaning)


def options_in(given: Mapping[str, Any]) -> dict[str, str]:
    """The benchmark's options among what was typed."""
    return {
        key.removeprefix("option_"): value
        for key, value in given.items()
        if key.startswith("option_") and value is not None
    }


def how_of(given: Mapping[str, Any]) -> How:
    return How(
        store=given["store"],
        directory=directory_in(given),
        max_connections=given["max_connections"],
        anew=read_anew(given["new"]),
        limits=Limits(given["budget"], given["budget_tokens"], given["budget_calls"]),
        until_decided=given.get("until_decided", False),
        workers=workers_of(given["workers"] or 0, given["on"] or "", given["ray_address"]),
        on=given["on"] or "",
        ray_address=given["ray_address"],
    )


def directory_in(given: Mapping[str, Any]) -> Directory:
    return directory_of(given["models"], given["base_url"], given.get("timeout") or 0.0)


def roles_in(typed: tuple[str, ...]) -> dict[str, list[str]]:
    roles: dict[str, list[str]] = {}
    for pair in typed:
        role, equals, name = pair.partition("=")
        if not equals or not role or not name:
            raise Mistake(f"--model-role is ROLE=NAME, as in judge=openai/gpt-4o, not {pair!r}")
        roles.setdefault(role, []).append(name)
    return roles


def sampling_in(typed: tuple[str, ...]) -> dict[str, SamplingChange]:
    changes: dict[str, dict[str, float | int | None]] = {}
    for pair in typed:
        place, equals, value = pair.rpartition("=")
        name, dot, key = place.rpartition(".")  # a model's name may hold dots
        if not equals or not dot:
            raise Mistake(
                "--sampling is ROLE.KEY=VALUE or MODEL.KEY=VALUE, as in player.temperature=0, not "
                + repr(pair)
            )
        changes.setdefault(name, {})[key] = _number(pair, key, value)
    return dict(changes)


def _number(pair: str, key: str, value: str) -> float | int | None:
    if value.lower() == "none":
        return None
    try:
        return int(value) if key == "max_tokens" else float(value)
    except ValueError:
        raise Mistake(f"--sampling {pair}: {value!r} is no number") from None


def set_in(typed: tuple[str, ...], options: Sequence[Option], of: str) -> dict[str, str]:
    """What --set says of some options of a benchmark."""
    known = {option.name: option for option in options}
    found = {}
    for pair in typed:
        name, equals, value = pair.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or name not in known:
            raise Mistake(f"--set takes OPTION=VALUE of {of}, not {pair!r}; {nearest(name, known)}")
        known[name].check(value)
        found[name] = value
    return found


def help_of(benchmark: Benchmark) -> str:
    roles = "\n".join(f"  {role.name}: {role.meaning}" for role in benchmark.roles(benchmark.settle({})))
    presets = "\n".join(f"  {name}: {preset.meaning}" for name, preset in benchmark.presets.items())
    paper = f"{benchmark.paper}: " if benchmark.paper else ""
    told = f"{paper}{benchmark.meaning}.\n\n\b\nRoles:\n{roles}"
    return f"{told}\n\n\b\nPresets:\n{presets}" if presets else told
