"""From a name such as openai/gpt-4o, a URL, a bot's file or an entry of models.toml to a model that answers."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dotenv import dotenv_values

from interplay.core.failures import Mistake, nearest
from interplay.core.people import HUMAN, is_person, person_of, seated
from interplay.models.anthropic import Anthropic
from interplay.models.calling import Model, Unreachable
from interplay.models.entries import BOT, URL_EXAMPLE, Entries, Entry, mapping_of, read_entries
from interplay.models.fine_tuning import FineTuning
from interplay.models.http import BotMapping, HttpBot, check_mapping
from interplay.models.human import Person
from interplay.models.local import Local
from interplay.models.null import NULL, NullModel
from interplay.models.openai_compatible import OPENAI, OpenAICompatible
from interplay.models.posting import Endpoint, Patience
from interplay.models.prices import FREE, Price, list_price
from interplay.models.providers import HOSTED, host_of, is_closed, is_foreign, place_named, takes_no_money
from interplay.models.python import python_model

PROVIDERS = (*HOSTED, "local", "python")
MODELS, KEYS = "models.toml", ".env"
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


@dataclass(frozen=True)
class Directory:
    """Where names are looked up: the user's entries, a base URL for all others, models made in Python."""

    entries: Mapping[str, Entry] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=dict)
    base_url: str = ""
    timeout: float = 0.0
    made: Mapping[str, Model] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    of_file: frozenset[str] = frozenset()  # the variables that only .env sets

    def check(self, name: str) -> None:
        """Raise a Mistake if the name cannot be that of a model; connects to nothing."""
        entry = self.entry(name)
        model = entry.model
        taken = name != NULL or name in self.made or name in self.entries
        if NULL in (name, model) and taken:  # boards know it by its name
            raise Mistake(f"{name}: {NULL} is the null model, which has this name alone; yours needs another")
        if is_person(name) or is_person(model):
            if name != model or name in self.made or name in self.entries:
                raise Mistake(f"{name}: {HUMAN}NAME is a person, who is no model; yours needs another name")
            seated(person_of(name))
            return
        if name == NULL or name in self.made or self._is_url(name):
            return
        if model == BOT and (name in self.entries or self._is_file(name)):
            if not entry.url:
                raise Mistake(f"{MODELS}, [models.{name}] lacks url, {URL_EXAMPLE}")
            check_mapping(name, BotMapping(entry.url, **_spoken_to(entry)))
            return
        provider, _, rest = model.partition("/")
        if provider not in PROVIDERS or not rest:
            of_providers = [f"{known}/NAME" for known in PROVIDERS]
            known = [*(self.entries.keys() - {name}), *self.made, *of_providers, f"{HUMAN}NAME", NULL]
            raise Mistake(f"{model!r} is no model; {nearest(model, known)}")

    def connect(self, name: str) -> Model:
        """The model of this name."""
        self.check(name)
        if name in self.made:
            return self.made[name]
        entry = self.entry(name)
        if entry.model == BOT or self._is_url(name):
            return HttpBot(name, self._mapping(name, entry))
        if name == NULL:
            return NullModel()
        if is_person(name):
            return Person(name)
        provider, _, rest = entry.model.partition("/")
        connectors: dict[str, Callable[[], Model]] = {
            **dict.fromkeys(HOSTED, lambda: OpenAICompatible(name, rest, self._endpoint(name, entry))),
            "anthropic": lambda: Anthropic(name, rest, self._endpoint(name, entry)),
            "local": lambda: Local(
                name,
                rest,
                system_role=entry.system_role,
                most_connections=entry.max_connections,
                timeout=entry.timeout or self.timeout,
            ),
            "python": lambda: python_model(name, rest),
        }
        return connectors[provider]()

    def fine_tuning(self, name: str, *, interval: float = 1.0) -> FineTuning:
        """The fine-tuning of the model of this name, at the endpoint and with the key that the model has."""
        self.check(name)
        entry = self.entry(name)
        provider, _, rest = entry.model.partition("/")
        if name in self.made or self._is_url(name) or provider != "openai":
            raise Mistake(f"{name} has no fine-tuning API; a model that may have one is openai/NAME")
        endpoint = self._endpoint(name, entry)
        if endpoint.base_url == OPENAI and not endpoint.key:
            raise Mistake(f"{name} needs a key: set OPENAI_API_KEY, or name another place with --base-url")
        return FineTuning(name, rest, endpoint, interval=interval)

    def called(self, name: str, model: str, instead: str = "") -> Model:
        """A model under another name, or another one in its place at the same endpoint, whose price is its own."""
        if model == NULL:
            raise Mistake(f"{NULL} can only be measured; name another model in its place")
        entry = self.entry(model)
        known = replace(entry, model=instead, price=None) if instead else entry
        return replace(self, entries={**self.entries, name: known}).connect(name)

    def entry(self, name: str) -> Entry:
        if self._is_file(name):
            return mapping_of(Path(name))
        return self.entries.get(name) or Entry(name)

    def price_of(self, name: str) -> Price | None:
        """What this model's tokens cost: the user's price, else the list price at the provider itself."""
        if name in self.made:
            return self.made[name].price
        if name == NULL or is_person(name):
            return FREE
        entry = self.entry(name)
        given = entry.price or self.prices.get(name) or self.prices.get(entry.model)
        provider = entry.model.partition("/")[0]
        if given is not None or provider in ("local", "python"):
            return given or FREE
        if provider in HOSTED and takes_no_money(entry.model, self._place(provider, entry)):
            return FREE
        return list_price(entry.model) if self._is_at_home(entry) else None

    def sampling_of(self, name: str) -> Mapping[str, float | int | None]:
        """How this model is sampled whatever its role; empty where its roles decide."""
        return self.entry(name).sampling

    def open_weights(self, name: str) -> bool | None:
        """Are the model's weights open? None where nobody said."""
        entry = self.entry(name)
        provider = entry.model.partition("/")[0]
        if entry.open_weights is not None or name in self.made:
            return entry.open_weights
        if provider == "local":
            return True
        return False if is_closed(entry.model) and self._is_at_home(entry) else None

    def _is_url(self, name: str) -> bool:
        return name not in self.entries and name.startswith(("http://", "https://"))

    def _is_file(self, name: str) -> bool:
        """Is it the path of a file that describes a bot?"""
        if not name.endswith(".toml") or name in self.entries or name in self.made:
            return False
        if self._is_url(name) or is_person(name):
            return False
        return name.partition("/")[0] not in PROVIDERS or Path(name).is_file()

    def place_of(self, provider: str) -> str:
        """Where a provider is for whoever names it alone."""
        return self._place(provider, Entry(provider))

    def _is_at_home(self, entry: Entry) -> bool:
        provider = entry.model.partition("/")[0]
        return provider in HOSTED and self._place(provider, entry) == HOSTED[provider].home

    def _place(self, provider: str, entry: Entry) -> str:
        for_all = self.base_url if provider == "openai" else ""
        place = entry.base_url or for_all or place_named(provider, self.environment)
        place = place.rstrip("/")
        return place.removesuffix("/v1") if provider == "anthropic" else place

    def _endpoint(self, name: str, entry: Entry) -> Endpoint:
        provider = entry.model.partition("/")[0]
        hosted, place = HOSTED[provider], self._place(provider, entry)
        key = self._key(name, entry, hosted.key)
        if key and is_foreign(provider, place):
            self._check_trusted(name, entry, place)
        return Endpoint(
            base_url=place,
            key=key,
            needs="" if hosted.here or not self._is_at_home(entry) else hosted.key,
            system_role=entry.system_role,
            schemas=hosted.schemas if entry.schemas is None else entry.schemas,
            length=hosted.length,
            ignores=hosted.ignores,
            price=self.price_of(name),
            most_connections=entry.max_connections or None,
            patience=self._patience(entry),
        )

    def _mapping(self, name: str, entry: Entry) -> BotMapping:
        if self._is_url(name) and ("?" in name or "@" in name):
            raise Mistake(
                "a URL with a ? or @ may hold a secret and would be written down as the model's name; "
                f"give it a name: [models.NAME] with model = {BOT!r} and url in {MODELS}, or a file of its own with url"
            )
        return BotMapping(
            url=entry.url or name,
            key=self._key(name, entry, ""),
            patience=self._patience(entry),
            price=self.price_of(name),
            most_connections=entry.max_connections or None,
            **_spoken_to(entry),
        )

    def _key(self, name: str, entry: Entry, usual: str) -> str:
        if entry.key and not VARIABLE.fullmatch(entry.key):
            raise Mistake(f"{name}: its key is the name of an environment variable, never the key itself")
        if entry.key and not self.environment.get(entry.key):
            raise Unreachable(f"{name} takes its key from {entry.key}, which is not set")
        variable = entry.key or usual
        return self.environment.get(variable, "") if variable else ""

    def _check_trusted(self, name: str, entry: Entry, place: str) -> None:
        """Raise a Mistake if only a file names the place, and the user never said that the key may go there.

        Files come along with a folder that somebody else made: none of them may collect keys.
        """
        provider = entry.model.partition("/")[0]
        hosted, host = HOSTED[provider], host_of(place)
        if entry.base_url:
            if not entry.key:
                raise Mistake(
                    f"{name} is at {host} by {MODELS}, and {hosted.key} is the key of {hosted.title}: say which key "
                    f'may be sent there, as in key = "VARIABLE"'
                )
            return
        key = entry.key or hosted.key
        is_typed = provider == "openai" and self.base_url
        if hosted.place in self.of_file and key not in self.of_file and not is_typed:
            raise Mistake(
                f"{hosted.place} in {KEYS} names {host}, and {key} is set outside of it: put the key into {KEYS} as "
                "well, or set the place in the environment"
            )

    def _patience(self, entry: Entry) -> Patience:
        timeout = entry.timeout or self.timeout
        return Patience(first_byte=timeout, total=max(timeout, Patience.total)) if timeout else Patience()


def _spoken_to(entry: Entry) -> dict[str, Any]:
    """What an entry says of how its bot is spoken to."""
    return {key: value for key in ("shape", "request", "reply", "headers") if (value := getattr(entry, key))}


def directory_of(models: Path | None, base_url: str = "", timeout: float = 0.0) -> Directory:
    """The directory that a user means: the named file of models, or models.toml where there is one; keys of .env."""
    path = models or Path(MODELS)
    entries = read_entries(path) if models or path.exists() else Entries()
    environment = environment_with(Path(KEYS))
    return Directory(
        entries=entries.models,
        prices=entries.prices,
        base_url=base_url,
        timeout=timeout,
        environment=environment,
        of_file=frozenset(environment.keys() - os.environ.keys()),
    )


def environment_with(path: Path) -> Mapping[str, str]:
    """The environment, and below it what a .env file sets."""
    if not path.is_file():
        return os.environ
    try:
        found = dotenv_values(path, interpolate=False)
    except (OSError, UnicodeDecodeError) as error:
        raise Mistake(f"{path} cannot be read: {error}") from error
    return {**{name: value for name, value in found.items() if value is not None}, **os.environ}
