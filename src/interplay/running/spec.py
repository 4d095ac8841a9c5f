"""RunSpec: the what of a run, one frozen value from command line, Python or file; its digest names the run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from interplay.core.benchmark import Benchmark
from interplay.core.conversation import Casting
from interplay.core.failures import Mistake, nearest
from interplay.core.wire import Sampling, digest_of
from interplay.models import embedded

EMBEDDED = f"local/{embedded.NAME}"
_BOUNDS = {
    "temperature": (0.0, 10.0),
    "top_p": (0.0, 1.0),
    "max_tokens": (1, 10_000_000),
    "frequency_penalty": (-2.0, 2.0),
}
SamplingChange = Mapping[str, float | int | None]


@dataclass(frozen=True)
class RunSpec:
    """What is to be measured. limit and epochs say how far; a larger one extends the same run."""

    benchmark: str
    models: tuple[str, ...]
    roles: Mapping[str, tuple[str, ...]]
    options: Mapping[str, str]
    scenarios: str  # the digest of all scenarios there are: other data is another run
    sampling: Mapping[str, SamplingChange] = field(default_factory=dict)
    seed: int = 0
    limit: int | None = None
    epochs: int = 1
    table: Mapping[str, str] = field(default_factory=dict)  # options that only concern the table

    def identity(self) -> dict[str, Any]:
        """All that makes two runs the same run."""
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

    def cast(self, benchmark: Benchmark, subject: str) -> dict[str, Casting]:
        """Who plays with this subject: a casting for every role but the judges'."""
        found = {}
        for role in benchmark.roles:
            if role.kind != "judge":
                model = subject if role.kind == "subject" else self.roles[role.name][0]
                found[role.name] = Casting(model, self._sampling_of(benchmark, role.name), role.kind)
        return found

    def judge_casting(self, benchmark: Benchmark, model: str) -> Casting:
        return Casting(model, self._sampling_of(benchmark, "judge"), "judge")

    def _sampling_of(self, benchmark: Benchmark, role: str) -> Sampling:
        return benchmark.role(role).sampling.changed(self.sampling.get(role, {}))


def make_spec(
    benchmark: Benchmark,
    *,
    models: Sequence[str] = (),
    roles: Mapping[str, Sequence[str]] | None = None,
    options: Mapping[str, str] | None = None,
    sampling: Mapping[str, SamplingChange] | None = None,
    seed: int = 0,
    limit: int | None = None,
    epochs: int = 1,
) -> RunSpec:
    """A spec that holds together; with no model named at all, the embedded one plays every role of a tryout."""
    options, sampling = options or {}, sampling or {}
    named = {role: tuple(dict.fromkeys(names)) for role, names in (roles or {}).items()}
    for name in named:
        if benchmark.role(name).kind == "subject":
            raise Mistake(f"{name} is the role that is measured; name its models with --model")
    if not models and not named:
        options = {**benchmark.tryout.options, **options}
        roles_sampled = benchmark.tryout.sampling.keys() | sampling.keys()
        sampling = {r: {**benchmark.tryout.sampling.get(r, {}), **sampling.get(r, {})} for r in roles_sampled}
        limit = benchmark.tryout.limit if limit is None else limit
        models = (EMBEDDED,)
        named = {role.name: (EMBEDDED,) for role in benchmark.roles if role.kind != "subject"}
    if not models:
        raise Mistake("no model to measure; name one with --model, as in --model openai/NAME")
    _check_roles(benchmark, named)
    _check_sampling(benchmark, sampling)
    if limit is not None and limit < 1:
        raise Mistake(f"--limit is a number of scenarios from 1, not {limit}")
    if epochs < 1:
        raise Mistake(f"--epochs is a number of repeats from 1, not {epochs}")
    settled = benchmark.settle(options)
    of_table = {option.name for option in benchmark.options if option.of_table}
    return RunSpec(
        benchmark=benchmark.name,
        models=tuple(dict.fromkeys(models)),
        roles=named,
        options={name: value for name, value in settled.items() if name not in of_table},
        table={name: value for name, value in settled.items() if name in of_table},
        scenarios=digest_of([scenario.id for scenario in benchmark.scenarios(settled)]),
        sampling=dict(sampling),
        seed=seed,
        limit=limit,
        epochs=epochs,
    )


def _check_roles(benchmark: Benchmark, named: Mapping[str, Sequence[str]]) -> None:
    for role in benchmark.roles:
        if role.kind != "subject" and not named.get(role.name):
            raise Mistake(
                f"{benchmark.name} needs a {role.name} ({role.meaning}): --model-role {role.name}=NAME; "
                f"{EMBEDDED} works offline, to try things out"
            )
        if role.kind == "simulator" and len(named[role.name]) > 1:
            raise Mistake(f"{role.name} is played by one model, not {len(named[role.name])}")


def _check_sampling(benchmark: Benchmark, sampling: Mapping[str, SamplingChange]) -> None:
    for name, change in sampling.items():
        benchmark.role(name)
        for key, value in change.items():
            if key not in _BOUNDS:
                raise Mistake(f"there is no sampling setting {key!r}; {nearest(key, _BOUNDS)}")
            low, high = _BOUNDS[key]
            if value is not None and not low <= value <= high:
                raise Mistake(f"{name}.{key} is a number from {low:g} to {high:,.0f}, or none; not {value}")


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
