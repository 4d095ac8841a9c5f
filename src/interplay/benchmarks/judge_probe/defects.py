"""Planted defects: dialogues with one reply in a good and in a spoiled form, one file for each kind of defect."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from interplay.core.failures import Mistake, nearest
from interplay.core.files import text_of
from interplay.core.wire import clean

KINDS = (
    "contradiction",
    "forgotten_fact",
    "out_of_role",
    "false_fact",
    "off_topic",
    "needless_refusal",
    "repetition",
    "broken_language",
    "rudeness",
    "speaks_for_user",
)
LARGEST_FILE = 2_000_000
LONGEST_TEXT = 20_000
MOST_EXCHANGES = 50
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_KEYS = ("id", "brief", "turn", "bad", "why", "exchanges")


@dataclass(frozen=True)
class Exchange:
    """What a user says and what the assistant replies."""

    user: str
    assistant: str


@dataclass(frozen=True)
class Pair:
    """A dialogue with one reply in two forms; both twins end with it, so that nothing later need fit."""

    id: str
    kind: str
    brief: str
    turn: int  # from 1: the exchange whose reply is spoiled
    bad: str
    why: str
    exchanges: tuple[Exchange, ...]

    @property
    def before(self) -> tuple[Exchange, ...]:
        """What both twins have in common, but for the last thing that the user says."""
        return self.exchanges[: self.turn - 1]

    @property
    def last(self) -> Exchange:
        """The exchange that both twins end with, its reply as it should be."""
        return self.exchanges[self.turn - 1]


@dataclass(frozen=True)
class Kind:
    """A kind of defect and its pairs."""

    name: str
    meaning: str
    pairs: tuple[Pair, ...]


@cache
def shipped_defects() -> tuple[Kind, ...]:
    return read_defects(Path(str(files(__package__) / "data" / "defects")))


def read_defects(folder: Path) -> tuple[Kind, ...]:
    """The kinds of a folder, each a file KIND.toml."""
    paths = sorted(folder.glob("*.toml")) if folder.is_dir() else []
    if not paths:
        raise Mistake(f"{folder} holds no defects; it is a folder with a file KIND.toml for each kind")
    kinds = tuple(_kind(path) for path in paths)
    seen: dict[str, str] = {}
    for kind in kinds:
        for pair in kind.pairs:
            if pair.id in seen:
                raise Mistake(
                    f"{folder}: the pair {pair.id!r} is there twice, in {seen[pair.id]} and {kind.name}"
                )
            seen[pair.id] = kind.name
    return kinds


def _kind(path: Path) -> Kind:
    if not _NAME.fullmatch(path.stem):
        raise Mistake(f"{path} must be named after its kind, in small letters as in {KINDS[0]}.toml")
    try:
        found = tomllib.loads(text_of(path, LARGEST_FILE))
    except tomllib.TOMLDecodeError as error:
        raise Mistake(f"{path} is no TOML: {error}") from error
    for key in found:
        if key not in ("meaning", "pair"):
            raise Mistake(f"{path} has {key!r}; {nearest(key, ('meaning', 'pair'))}")
    entries = found.get("pair")
    if not isinstance(entries, list) or not entries:
        raise Mistake(f"{path}: pairs are written as [[pair]] tables, and there is none")
    pairs = [_pair(entry, path.stem, f"{path}, pair {number}") for number, entry in enumerate(entries, 1)]
    return Kind(path.stem, _text(found.get("meaning"), f"{path}: meaning"), tuple(pairs))


def _pair(entry: Any, kind: str, where: str) -> Pair:
    if not isinstance(entry, Mapping):
        raise Mistake(f"{where} is written as a [[pair]] table")
    id = _text(entry.get("id"), f"{where}: id")
    where = f"{where} ({id[:60]})"
    for key in entry:
        if key not in _KEYS:
            raise Mistake(f"{where} has {key!r}; {nearest(str(key), _KEYS)}")
    exchanges = _exchanges(entry.get("exchanges"), where)
    turn = entry.get("turn")
    if type(turn) is not int or not 1 <= turn <= len(exchanges):
        raise Mistake(f"{where}: turn is the number of an exchange, from 1 to {len(exchanges)}, not {turn!r}")
    texts = {key: _text(entry.get(key), f"{where}: {key}") for key in ("brief", "bad", "why")}
    if texts["bad"] == exchanges[turn - 1].assistant:
        raise Mistake(f"{where}: bad is the very reply of exchange {turn}; it must be another")
    return Pair(id, kind, turn=turn, exchanges=exchanges, **texts)


def _exchanges(found: Any, where: str) -> tuple[Exchange, ...]:
    if not isinstance(found, list) or not 1 <= len(found) <= MOST_EXCHANGES:
        raise Mistake(f"{where}: exchanges is a list of 1 to {MOST_EXCHANGES} tables with user and assistant")
    exchanges = []
    for number, one in enumerate(found, 1):
        here = f"{where}, exchange {number}"
        if not isinstance(one, Mapping) or one.keys() != {"user", "assistant"}:
            raise Mistake(f"{here} must have user and assistant, and nothing else")
        said = (_text(one[who], f"{here}: {who}") for who in ("user", "assistant"))
        exchanges.append(Exchange(*said))
    return tuple(exchanges)


def _text(found: Any, where: str) -> str:
    if not isinstance(found, str) or not found.strip():
        raise Mistake(f"{where} must be a text, not {'nothing' if found is None else repr(found)[:80]}")
    if len(found) > LONGEST_TEXT:
        raise Mistake(f"{where} has {len(found):,} characters, and {LONGEST_TEXT:,} are the most")
    return clean(found).strip()
