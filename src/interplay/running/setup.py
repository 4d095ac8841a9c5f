"""What a process that plays conversations for a run must know of it, as it travels there."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from interplay.benchmarks import OTHERS, find
from interplay.core.benchmark import Benchmark
from interplay.core.failures import Mistake
from interplay.models.connecting import Directory
from interplay.models.entries import Entry
from interplay.models.prices import Price
from interplay.models.providers import HOSTED
from interplay.running.pairing import SideBySide, pairing_of
from interplay.running.spec import RunSpec
from interplay.running.table import Setting
from interplay.store.records import Run

_SPEC = ("benchmark", "models", "roles", "options", "scenarios", "sampling", "seed", "limit", "epochs")


@dataclass(frozen=True)
class Setup:
    """The setting of a run, and where its models are."""

    run: Mapping[str, Any]
    spec: Mapping[str, Any]
    options: Mapping[str, str]
    judging_options: Mapping[str, str]
    pairs: bool
    play_diverged: bool
    remembering: tuple[str, ...]
    directory: Mapping[str, Any]
    place: str = ""  # the path of a benchmark that is in a file or folder, as the user typed it

    def setting(self) -> Setting:
        """The setting, made anew in another process."""
        benchmark = OTHERS.typed(self.place) if self.place else find(self.spec["benchmark"])
        pairing = pairing_of(benchmark)(self.judging_options) if self.pairs else None
        roles = {role: tuple(names) for role, names in self.spec["roles"].items()}
        return Setting(
            benchmark=benchmark,
            spec=RunSpec(**{**self.spec, "models": tuple(self.spec["models"]), "roles": roles}),
            run=Run(**self.run),
            options=self.options,
            judging_options=self.judging_options,
            judging=SideBySide(pairing) if pairing else benchmark.judging(self.judging_options),
            protocol=benchmark.protocol(self.options),
            play_diverged=self.play_diverged,
            remembering=frozenset(self.remembering),
        )

    def models(self) -> Directory:
        """Where the models are, with the keys that they need and no other part of the environment."""
        return directory_from(self.directory)


def directory_from(carried: Mapping[str, Any]) -> Directory:
    """A directory that has travelled."""
    entries = {
        name: Entry(**{**one, "price": Price(**one["price"]) if one["price"] else None})
        for name, one in carried["entries"].items()
    }
    prices = {name: Price(**one) for name, one in carried["prices"].items()}
    base_url, timeout, environment = carried["base_url"], carried["timeout"], carried["environment"]
    return Directory(entries, prices, base_url, timeout, {}, environment)


def check_shared(benchmark: Benchmark) -> None:
    """Raise a Mistake if other processes do not know this benchmark."""
    try:
        known = bool(OTHERS.place_of(benchmark)) or find(benchmark.name) is benchmark
    except Mistake:
        known = False
    if not known:
        raise Mistake(
            f"{benchmark.name} is known to this process alone; play it without --workers and without --on"
        )


def setup_of(setting: Setting, directory: Directory, models: Iterable[str], *, pairs: bool) -> Setup:
    """What travels of a setting; a Mistake where it is made of things that only this process has."""
    benchmark = setting.benchmark
    check_shared(benchmark)
    if benchmark.protocol(setting.options) != setting.protocol:
        raise Mistake(f"{benchmark.name} changed since this process began; start it again")
    return Setup(
        run=asdict(setting.run),
        spec={name: getattr(setting.spec, name) for name in _SPEC},
        options=setting.options,
        judging_options=setting.judging_options,
        pairs=pairs,
        play_diverged=setting.play_diverged,
        remembering=tuple(setting.remembering),
        directory=carried(directory, models),
        place=OTHERS.place_of(benchmark),
    )


def carried(directory: Directory, models: Iterable[str]) -> dict[str, Any]:
    """The part of a directory that these models need."""
    entries = {name: directory.entry(name) for name in models if name not in directory.made}
    named = {one.key for one in entries.values() if one.key}
    providers = {one.model.partition("/")[0] for one in entries.values()} & HOSTED.keys()
    usual = {name for one in providers for name in (HOSTED[one].place, HOSTED[one].key)}
    return {
        "entries": {name: asdict(one) for name, one in entries.items() if one != Entry(name)},
        "prices": {name: asdict(one) for name, one in directory.prices.items()},
        "base_url": directory.base_url,
        "timeout": directory.timeout,
        "environment": {
            name: directory.environment[name] for name in named | usual if name in directory.environment
        },
    }
