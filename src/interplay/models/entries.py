"""models.toml and the files of single bots: what the user says of models at endpoints, and what is particular there."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

from interplay.core.failures import Mistake, nearest, why
from interplay.core.wire import SAMPLING_BOUNDS
from interplay.models.bot_shapes import SHAPES
from interplay.models.prices import Price

BOT = "http"
URL_EXAMPLE = 'as in url = "http://127.0.0.1:5005/chat"'
_PRICE = ("input", "output", "cached")
_OF_A_BOT = ("url", "shape", "request", "reply", "headers", "key", "timeout", "max_connections", "price")


@dataclass(frozen=True)
class Entry:
    """One model of models.toml, or the bot of a file of its own."""

    model: str
    base_url: str = ""
    key: str = ""  # the environment variable that holds the key, never the key itself
    system_role: bool = True
    schemas: bool | None = (
        None  # does it hold replies to a JSON schema? None where its provider is known to, or not
    )
    max_connections: int = 0
    timeout: float = 0.0
    open_weights: bool | None = None
    price: Price | None = None
    sampling: Mapping[str, float | int | None] = field(default_factory=dict)
    # of a bot, and how it is spoken to: see models/http.py; a query and a header may hold a secret
    url: str = field(default="", repr=False)
    shape: str = ""
    request: Mapping[str, Any] = field(default_factory=dict)
    reply: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Entries:
    """All that a models.toml says."""

    models: Mapping[str, Entry] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=dict)


def read_entries(path: Path) -> Entries:
    """The entries of a models.toml, checked."""
    data = _toml(path)
    for heading in data:
        if heading not in ("models", "prices"):
            hint = nearest(heading, ["models", "prices"])
            raise Mistake(f"{path} has {heading!r}; {hint} as in [models.NAME] or [prices.NAME]")
    return Entries(
        models={name: _entry(f"{path}, [models.{name}]", one) for name, one in _tables(path, data, "models")},
        prices={name: _price(f"{path}, [prices.{name}]", one) for name, one in _tables(path, data, "prices")},
    )


def mapping_of(path: Path) -> Entry:
    """The bot that a file of its own describes, checked."""
    found = _checked(str(path), _toml(path), _OF_A_BOT)
    if not found.get("url"):
        raise Mistake(f"{path} lacks url, {URL_EXAMPLE}")
    return Entry(BOT, **found)


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise Mistake(f"{path} cannot be read: {why(error)}") from error


def _tables(path: Path, data: Mapping[str, Any], heading: str) -> list[tuple[str, Any]]:
    tables = data.get(heading, {})
    if not isinstance(tables, dict):
        raise Mistake(f"{path}: {heading} are written as [{heading}.NAME], one for each")
    return list(tables.items())


def _entry(where: str, content: Any) -> Entry:
    if not isinstance(content, dict) or "model" not in content:
        raise Mistake(f'{where} lacks model, as in model = "openai/NAME"')
    return Entry(**_checked(where, content, [part.name for part in fields(Entry)]))


def _checked(where: str, content: Mapping[str, Any], known: Sequence[str]) -> dict[str, Any]:
    """The settings of an entry, each of its own kind."""
    hints = get_type_hints(Entry)
    found: dict[str, Any] = {}
    for key, value in content.items():
        if key not in known:
            raise Mistake(f"{where} has {key!r}; {nearest(key, known)}")
        if key == "price":
            found[key] = _price(f"{where}: price", value)
        elif key == "sampling":
            found[key] = _sampling(f"{where}: sampling", value)
        elif key in ("request", "headers"):
            found[key] = _table(f"{where}: {key}", value, texts=key == "headers")
        else:
            found[key] = _plain(f"{where}: {key}", value, hints[key])
        if key == "shape" and value not in SHAPES:
            raise Mistake(f"{where}: there is no shape {value!r}; {nearest(value, SHAPES)}")
    return found


def _plain(where: str, value: Any, wanted: Any) -> Any:
    kinds = tuple(kind for kind in (get_args(wanted) or (wanted,)) if kind is not type(None))
    accepted = (int, float) if float in kinds else kinds
    if not isinstance(value, accepted) or (isinstance(value, bool) and bool not in kinds):
        raise Mistake(f"{where} must be {kinds[0].__name__}, not {type(value).__name__}")
    if isinstance(value, int | float) and not 0 <= value < 1e9:
        raise Mistake(f"{where} must be a number from 0, not {value!r}")
    return value


def _table(where: str, value: Any, *, texts: bool) -> Mapping[str, Any]:
    whole = isinstance(value, dict) and all(isinstance(one, str) or not texts for one in value.values())
    if not whole:
        raise Mistake(f"{where} must be a table{' of texts' if texts else ''}")
    table: dict[str, Any] = value
    return table


def _price(where: str, value: Any) -> Price:
    if not isinstance(value, dict) or not {"input", "output"} <= value.keys():
        raise Mistake(f"{where} needs input and output, in dollars for a million tokens")
    for key, number in value.items():
        if key not in _PRICE:
            raise Mistake(f"{where} has {key!r}; {nearest(key, _PRICE)}")
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number < 1e6:
            raise Mistake(f"{where}: {key} must be dollars for a million tokens, not {number!r}")
    return Price(**{key: float(number) for key, number in value.items()})


def _sampling(where: str, value: Any) -> Mapping[str, float | int | None]:
    if not isinstance(value, dict):
        raise Mistake(f"{where} must be a table, as in sampling = {{ temperature = 0.9 }}")
    for key, number in value.items():
        if key not in SAMPLING_BOUNDS:
            raise Mistake(f"{where} has {key!r}; {nearest(key, SAMPLING_BOUNDS)}")
        if key == "max_tokens" and not isinstance(number, int):
            raise Mistake(f"{where}: max_tokens is a whole number, not {number!r}")
        low, high = SAMPLING_BOUNDS[key]
        if isinstance(number, bool) or not isinstance(number, int | float) or not low <= number <= high:
            raise Mistake(f"{where}: {key} is a number from {low:g} to {high:,.0f}, not {number!r}")
    table: dict[str, float | int | None] = value
    return table
