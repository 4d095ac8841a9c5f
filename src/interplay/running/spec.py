"""RunSpec: the what of a run, one frozen value from command line, Python or file; its digest names the run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from interplay.core.benchmark import RULE, Benchmark, Called, Material, Role
from interplay.core.conversation import Casting
from interplay.core.failures import Mistake, nearest
from interplay.core.people import is_person
from interplay.core.wire import SAMPLING_BOUNDS, Sampling, digest_of
from interplay.models import embedded
from interplay.models.null import NULL
from interplay.running.seats import check_judges, check_seats, refuse_people, role_of

MOST_EPOCHS = 10_000
EMBEDDED = f"local/{embedded.NAME}"
SamplingChange = Mapping[str, float | int | None]


@dataclass(frozen=True)
class RunSpec:
    """What is to be measured. limit and epochs say how far; a larger one extends the same run."""

    benchmark: str
    models: tuple[str, ...]
    roles: Mapping[str, tuple[str, ...]]
    options: Mapping[str, str]
    scenarios: str  # the digest of all scenarios there are: other data is another run
    sampling: Mapping[str, SamplingChange] = field(default_factory=dict)  # of a role, or of a model
    seed: int = 0
    limit: int | None = None
    epochs: int = 1
    table: Mapping[str, str] = field(default_factory=dict)  # options that only concern the table
    sequel: Mapping[str, str] = field(
        default_factory=dict
    )  # options that only concern what is made of the run
    material: Material = field(default_factory=lambda: Material(()), compare=False, repr=False)

    def identity(self) -> dict[str, Any]:
        """All that makes two runs the same run; an option that has its default is not mentioned."""
        return {
            "benchmark": self.benchmark,
            "models": sorted(self.models),
            "roles": {role: sorted(names) for role, names in sorted(self.roles.items())},
            "options": dict(sorted(self.options.items())),
            "scenarios": self.scenarios,
            "sampling": {role: dict(change) for role, change in sorted(self.sampling.items())},
            "seed": self.seed,
        }

    @property
    def run_id(self) -> str:
        return f"{self.benchmark}-{digest_of(self.identity())[:8]}"

    def judges(self) -> tuple[str, ...]:
        return self.roles.get("judge", ())

    def settled(self, benchmark: Benchmark) -> dict[str, str]:
        """All options of the run, those it does not mention at their defaults."""
        return benchmark.settle(self.options)

    def casts(self, benchmark: Benchmark) -> list[tuple[str, dict[str, str]]]:
        """Who may sit down together: the name of who is measured, and a model for every role but the judges'.

        Where somebody has one seat of a role, that seat is in the cast as well, and goes before the role.
        """
        roles = benchmark.roles(self.settled(benchmark))
        measured = [role.name for role in roles if role.kind == "subject"]
        others = [role for role in roles if role.kind == "simulator"]
        seats = {
            key: names[0]
            for key, names in self.roles.items()
            if names and key not in {role.name for role in roles}
        }
        # Several at one table sit in the order of their names: whom the user named first changes nothing.
        tables = combinations(sorted(self.models) if len(measured) > 1 else self.models, len(measured))
        found = []
        for chosen in tables:
            cast = dict(zip(measured, chosen, strict=True))
            for role in others:
                cast[role.name] = (
                    self.roles[role.name][0] if role.name in self.roles else cast[role.stands_in]
                )
            found.append((" + ".join(chosen), cast | seats))
        return found

    def castings(self, benchmark: Benchmark, cast: Mapping[str, str]) -> dict[str, Casting]:
        """How each model of a cast is sampled in its role."""
        roles = benchmark.roles(self.settled(benchmark))
        found = {}
        for key, model in cast.items():
            role = role_of(key, roles)
            if role is not None:
                found[key] = Casting(model, self._sampling_of(role, model), role.kind)
        return found

    def judge_casting(self, benchmark: Benchmark, model: str, options: Mapping[str, str]) -> Casting:
        _check_null({"judge": (model,)})  # a judge who joins later is in no spec
        refuse_people([model])
        return Casting(model, self._sampling_of(benchmark.role("judge", options), model), "judge")

    def _sampling_of(self, role: Role, model: str) -> Sampling:
        """The role's own, as it was changed for the role, as it was changed for the model; a person's is none."""
        if is_person(model):
            return Sampling()
        changed = role.sampling.changed(self.sampling.get(role.sampled_as or role.name, {}))
        return changed.changed(self.sampling.get(model, {}))


def make_spec(
    benchmark: Benchmark,
    *,
    models: Sequence[str] = (),
    roles: Mapping[str, Sequence[str]] | None = None,
    options: Mapping[str, str] | None = None,
    preset: str = "",
    data: Path | None = None,
    sampling: Mapping[str, SamplingChange] | None = None,
    sampling_of: Callable[[str], SamplingChange] = lambda name: {},
    seed: int = 0,
    limit: int | None = None,
    epochs: int | None = None,
    null: bool = False,
) -> RunSpec:
    """A spec that holds together; with no model named at all, the embedded one plays every role of a tryout.

    With null, the null model is measured beside those that are named.
    """
    sampling = sampling or {}
    named = {role: tuple(dict.fromkeys(names)) for role, names in (roles or {}).items()}
    called = benchmark.called(Called(benchmark.read(options or {}), tuple(models), named))
    options, models, named = called.options, called.models, called.roles
    if preset:
        named = {**_preset(benchmark, preset, options), **named}
    check_seats(benchmark, benchmark.settle(options), named)
    for name in (role.name for role in benchmark.subjects(benchmark.settle(options))):
        if name in named:
            raise Mistake(f"{name} is the role that is measured; name its models with --model")
    if not models and not named:
        # one model cannot fill a table, and nor can one with nobody but the null model beside it
        _check_number(benchmark, benchmark.settle(options), {NULL} if null else set())
        options = {**benchmark.tryout.options, **options}
        wanted = benchmark.roles(benchmark.settle(options))
        tried = {role.name: benchmark.tryout.sampling.get(role.name, {}) for role in wanted}
        places = tried.keys() | sampling.keys()
        sampling = {name: {**tried.get(name, {}), **sampling.get(name, {})} for name in places}
        limit = benchmark.tryout.limit if limit is None else limit
        epochs = 1 if epochs is None else epochs
        models = (EMBEDDED,)
        named = {role.name: (EMBEDDED,) for role in wanted if role.kind != "subject" and not role.later}
    if not models:
        raise Mistake("no model to measure; name one with --model, as in --model openai/NAME")
    models = (*models, NULL) if null else models
    epochs = benchmark.epochs if epochs is None else epochs
    settled = benchmark.settle(options)
    _check_number(benchmark, settled, set(models))
    for role in benchmark.roles(settled):
        if role.stands_in and not named.get(role.name) and named.get(role.stands_in):
            named[role.name] = named[role.stands_in]
    _check_roles(benchmark, settled, named)
    _check_null(named)
    check_judges(benchmark, settled, named)
    _check_rules(benchmark, settled, models, named)
    cast = {*models, *(name for names in named.values() for name in names)}
    of_models = {name: {**sampling_of(name), **sampling.get(name, {})} for name in cast}
    sampling = {**sampling, **of_models}
    _check_sampling(benchmark, settled, sampling, cast)
    if limit is not None and (type(limit) is not int or limit < 1):
        raise Mistake(f"--limit is a number of scenarios from 1, not {limit!r}")
    if type(epochs) is not int or not 1 <= epochs <= MOST_EPOCHS:
        raise Mistake(f"--epochs is a number of repeats from 1 to {MOST_EPOCHS:,}, not {epochs!r}")
    if type(seed) is not int:
        raise Mistake(f"--seed is a whole number, not {seed!r}")
    material = benchmark.scenarios(settled, data)
    changed = [option for option in benchmark.options if settled[option.name] != option.default]
    return RunSpec(
        benchmark=benchmark.name,
        models=tuple(dict.fromkeys(models)),
        roles=named,
        options={
            option.name: settled[option.name]
            for option in changed
            if not option.of_table and not option.of_sequel
        },
        table={option.name: settled[option.name] for option in changed if option.of_table},
        sequel={option.name: settled[option.name] for option in changed if option.of_sequel},
        scenarios=digest_of([scenario.id for scenario in material.scenarios]),
        material=material,
        sampling={name: change for name, change in sampling.items() if change},
        seed=seed,
        limit=limit,
        epochs=epochs,
    )


def _preset(benchmark: Benchmark, name: str, options: Mapping[str, str]) -> Mapping[str, tuple[str, ...]]:
    if name not in benchmark.presets:
        raise Mistake(f"{benchmark.name} has no preset {name!r}; {nearest(name, benchmark.presets)}")
    return benchmark.presets[name].roles(benchmark.settle(options))


def _check_roles(
    benchmark: Benchmark, options: Mapping[str, str], named: Mapping[str, Sequence[str]]
) -> None:
    measured = {role.name for role in benchmark.subjects(options)}
    for role in benchmark.roles(options):
        may_lack = role.kind == "subject" or role.later or role.optional or role.stands_in in measured
        if not may_lack and not named.get(role.name):
            raise Mistake(
                f"{benchmark.name} needs the role {role.name} ({role.meaning}): --model-role {role.name}=NAME; "
                f"{EMBEDDED} works offline, to try things out"
            )
        if role.kind == "simulator" and len(named.get(role.name, ())) > 1:
            raise Mistake(f"{role.name} is played by one model, not {len(named[role.name])}")


def _check_null(named: Mapping[str, Sequence[str]]) -> None:
    """What says the same to everything can neither judge nor play a part for others."""
    for role, names in named.items():
        if NULL in names:
            raise Mistake(f"{NULL} can only be measured; name another {role} with --model-role {role}=NAME")


def _check_rules(
    benchmark: Benchmark,
    options: Mapping[str, str],
    models: Sequence[str],
    named: Mapping[str, Sequence[str]],
) -> None:
    """A part that is played by rule must be one that the benchmark has, in that role."""
    cast = {role.name: models for role in benchmark.subjects(options)} | dict(named)
    for role, names in cast.items():
        for name in names:
            if name.startswith(RULE) and name not in benchmark.by_rule.get(role, ()):
                hint = nearest(name, benchmark.by_rule.get(role, ()))
                raise Mistake(f"{benchmark.name} has no {name} for the role {role}; {hint}")


def _check_number(benchmark: Benchmark, options: Mapping[str, str], models: set[str]) -> None:
    """Enough models must be named for all who are measured at one table."""
    seats = len(benchmark.subjects(options))
    if seats > 1 and len(models) < seats:
        named = f"{len(models)} {'is' if len(models) == 1 else 'are'} named" if models else "none is named"
        raise Mistake(
            f"{seats} different models sit down together here, and {named}; name {seats} or more with --model"
        )


def _check_sampling(
    benchmark: Benchmark, options: Mapping[str, str], sampling: Mapping[str, SamplingChange], cast: set[str]
) -> None:
    roles = list(dict.fromkeys(role.sampled_as or role.name for role in benchmark.roles(options)))
    for name, change in sampling.items():
        if name not in cast and name not in roles:
            raise Mistake(
                f"sampling is changed for a role or a model of this run, not {name!r}; "
                f"{nearest(name, [*roles, *cast])}"
            )
        for key, value in change.items():
            if is_person(name):
                raise Mistake(f"{name} is a person and takes no {key}; leave it out of the sampling")
            if key not in SAMPLING_BOUNDS:
                raise Mistake(f"there is no sampling setting {key!r}; {nearest(key, SAMPLING_BOUNDS)}")
            low, high = SAMPLING_BOUNDS[key]
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if value is not None and not (number and low <= value <= high):
                raise Mistake(f"{name}.{key} is a number from {low:g} to {high:,.0f}, or none; not {value!r}")


def spec_of(identity: Mapping[str, Any], extent: Mapping[str, Any]) -> RunSpec:
    """The spec of a recorded run, with the judges that joined later."""
    roles = {role: tuple(names) for role, names in identity["roles"].items()}
    roles["judge"] = tuple(extent["judges"])
    return RunSpec(
        benchmark=identity["benchmark"],
        models=tuple(identity["models"]),
        roles=roles,
        options=identity["options"],
        scenarios=identity["scenarios"],
        sampling=identity["sampling"],
        seed=identity["seed"],
        limit=extent["limit"],
        epochs=extent["epochs"],
    )
