"""Windows of play: some turns at a table that end where somebody is about to be asked for a skill check."""

import gzip
import io
import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

from interplay.benchmarks.social_interaction.characters import SKILLS
from interplay.core.failures import Mistake, nearest, why
from interplay.core.wire import clean, digest_of

LARGEST_FILE = 200_000_000  # bytes, unpacked
MOST_TURNS = 400
LONGEST_TURN = 20_000
LONGEST_NAME = 100
MOST_WINDOWS = 100_000
EVER_PRESENT = 0.8  # the share of windows in which a game master who is not named as one speaks
WRITTEN = "written play"  # the windows that ship


@dataclass(frozen=True, order=True)
class Intention:
    """Who is about to be asked for which check."""

    character: str
    skill: str


@dataclass(frozen=True)
class Turn:
    """What was said or done in one turn, nearly always by one speaker."""

    speakers: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Window:
    """Turns of one session and the check they lead to; masters lead the game and are never asked for a check."""

    id: str
    session: str
    turns: tuple[Turn, ...]
    intentions: tuple[Intention, ...]
    masters: tuple[str, ...] = ()

    @property
    def players(self) -> tuple[str, ...]:
        """Everybody who speaks and does not lead, in order of their first turn."""
        spoken = dict.fromkeys(name for turn in self.turns for name in turn.speakers)
        return tuple(name for name in spoken if name not in self.masters)

    @property
    def last_players(self) -> tuple[str, ...]:
        """Who spoke in the last turn of a player; nearly always one."""
        for turn in reversed(self.turns):
            if found := tuple(name for name in turn.speakers if name not in self.masters):
                return found
        return ()

    @property
    def last_player(self) -> str:
        """The player who spoke last, the first of several at once; empty where none did."""
        return next(iter(self.last_players), "")


@dataclass(frozen=True)
class Play:
    """Windows of play from one place, and what a user should know of it."""

    name: str
    windows: tuple[Window, ...]
    remarks: tuple[str, ...] = ()

    @property
    def sessions(self) -> int:
        return len({window.session for window in self.windows})


def written_play() -> Play:
    """The windows that ship: our own writing, which stands in where a user has no recorded play."""
    folder = Path(str(files(__package__) / "data" / "written_play"))
    found = [window for path in sorted(folder.glob("*.jsonl")) for window in _windows(path)]
    return Play(WRITTEN, tuple(found))


def real_play(path: Path) -> Play:
    """A user's windows of recorded play, one JSON object a line, plain or packed by gzip."""
    windows = _windows(path)
    remarks = []
    if not any(window.masters for window in windows):
        masters = _ever_present(windows)
        windows = [_led_by(window, masters) for window in windows]
        told = ", ".join(masters) or "nobody"
        remarks.append(
            f"{path.name} names no masters: {told} is taken to lead the game "
            f"(in {EVER_PRESENT:.0%} of the windows or more, never asked for a check)."
        )
    absent = sum(any(one.character not in window.players for one in window.intentions) for window in windows)
    if absent:
        remarks.append(
            f"In {absent} of {len(windows)} windows of {path.name} the character who is asked does not speak."
        )
    return Play(path.name, tuple(windows), tuple(remarks))


def _windows(path: Path) -> list[Window]:
    found: list[Window] = []
    seen: dict[str, int] = {}
    for number, line in _lines(path):
        where = f"{path}, line {number}"
        if len(found) == MOST_WINDOWS:
            raise Mistake(f"{where}: more than {MOST_WINDOWS:,} windows are not read")
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            raise Mistake(f"{where} is no JSON object; each line is one window") from None
        window = _window(data, where)
        if window.id in seen:
            raise Mistake(f"{where}: the id {window.id!r} is that of line {seen[window.id]} too")
        seen[window.id] = number
        found.append(window)
    if not found:
        raise Mistake(f"{path} has no windows")
    return found


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            with gzip.open(file) if packed else file as opened:
                text = opened.read(LARGEST_FILE + 1)
        if len(text) > LARGEST_FILE:
            raise Mistake(f"{path} has more than {LARGEST_FILE:,} bytes")
        lines = io.StringIO(text.decode("utf-8-sig"))
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise Mistake(f"{path} cannot be read: {why(error)}") from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield number, line


_KEYS = ("id", "session", "masters", "turns", "intentions")


def _window(data: Any, where: str) -> Window:
    if not isinstance(data, dict):
        raise Mistake(f"{where} is no JSON object; each line is one window")
    for key in data:
        if key not in _KEYS:
            raise Mistake(f"{where} has {key!r}; {nearest(key, _KEYS)}")
    id_ = _text(data, "id", where)
    turns = _list(data, "turns", where)
    if not 1 <= len(turns) <= MOST_TURNS:
        raise Mistake(f"{where}: a window has 1 to {MOST_TURNS} turns, not {len(turns)}")
    intentions = _list(data, "intentions", where)
    if len(intentions) > 1:
        raise Mistake(f"{where} has {len(intentions)} intentions: windows are cut at one check each")
    read = tuple(_turn(one, f"{where}, turn {number}") for number, one in enumerate(turns, 1))
    spelled = {name.casefold(): name for turn in reversed(read) for name in turn.speakers}
    return Window(
        id=id_,
        session=_text(data, "session", where) if "session" in data else _session_of(id_),
        turns=read,
        intentions=tuple(_intention(one, spelled, f"{where}, intentions") for one in intentions),
        masters=tuple(_names(data, "masters", where)) if "masters" in data else (),
    )


def _session_of(id_: str) -> str:
    """Ids such as C1E001_713 say which session a window is from: what stands before the last _ or -."""
    cut = max(id_.rfind("_"), id_.rfind("-"))
    return id_[:cut] if cut > 0 else id_


def _turn(data: Any, where: str) -> Turn:
    if not isinstance(data, dict):
        raise Mistake(f"{where} is no JSON object with speakers and text")
    for key in data:
        if key not in ("speakers", "text"):
            raise Mistake(f"{where} has {key!r}; a turn has speakers and text")
    return Turn(tuple(_names(data, "speakers", where)), _text(data, "text", where, may_be_empty=True))


def _intention(data: Any, spelled: Mapping[str, str], where: str) -> Intention:
    """Who is asked is written as the turns write it, where only the case differs."""
    if not isinstance(data, dict):
        raise Mistake(f"{where} is no JSON object with character and skill")
    skill = _text(data, "skill", where).lower().replace("_", " ")
    if skill not in SKILLS:
        raise Mistake(f"{where}: there is no skill {skill!r}; {nearest(skill, SKILLS)}")
    character = _text(data, "character", where)
    if len(character) > LONGEST_NAME:
        raise Mistake(f"{where}: a name has {LONGEST_NAME} characters at most")
    return Intention(spelled.get(character.casefold(), character), skill)


def _text(data: Mapping[str, Any], key: str, where: str, *, may_be_empty: bool = False) -> str:
    value = data.get(key)
    if not isinstance(value, str) or not (value.strip() or may_be_empty):
        raise Mistake(f"{where} lacks {key}, a text")
    if len(value) > LONGEST_TURN:
        raise Mistake(f"{where}: {key} has more than {LONGEST_TURN:,} characters")
    return " ".join(clean(value).split())


def _list(data: Mapping[str, Any], key: str, where: str) -> list[Any]:
    value = data.get(key)
    if not isinstance(value, list):
        raise Mistake(f"{where} lacks {key}, a list")
    return value


def _names(data: Mapping[str, Any], key: str, where: str) -> list[str]:
    found = _list(data, key, where)
    if not all(isinstance(name, str) and name.strip() for name in found) or len(found) > MOST_TURNS:
        raise Mistake(f"{where}: {key} is a list of names")
    names = [" ".join(clean(name).split()) for name in found]
    if any(len(name) > LONGEST_NAME for name in names):
        raise Mistake(f"{where}: a name has {LONGEST_NAME} characters at most")
    return list(dict.fromkeys(names))


def _ever_present(windows: Sequence[Window]) -> tuple[str, ...]:
    """Who speaks in nearly all windows and is never asked for a check."""
    present = Counter(name for window in windows for name in window.players)
    asked = {one.character for window in windows for one in window.intentions}
    often = [name for name, count in present.items() if count >= EVER_PRESENT * len(windows)]
    return tuple(sorted(name for name in often if name not in asked))


def _led_by(window: Window, masters: Sequence[str]) -> Window:
    here = {name for turn in window.turns for name in turn.speakers}
    return replace(window, masters=tuple(name for name in masters if name in here))


@dataclass(frozen=True)
class Split:
    """Real play in two parts that share no session: what readers learn from, and what they are tried on."""

    learned: tuple[Window, ...]
    held_out: tuple[Window, ...]


def split(play: Play, held_out: float, seed: int) -> Split:
    """Whole sessions are held out, drawn by the seed, until they have this share of the windows."""
    sizes = Counter(window.session for window in play.windows)
    names = sorted(sizes)
    if len(names) < 2:
        raise Mistake(
            f"{play.name} has windows of one session alone: what readers learn from and what they are tried on "
            "must be of different ones; each window says its own with session"
        )
    Random(f"{seed}/held out").shuffle(names)  # noqa: S311  # draws a split, guards nothing
    kept_back: set[str] = set()
    while len(kept_back) < len(names) - 1 and (
        not kept_back or sum(sizes[name] for name in kept_back) < held_out * len(play.windows)
    ):
        kept_back.add(names[len(kept_back)])
    return Split(
        tuple(window for window in play.windows if window.session not in kept_back),
        tuple(window for window in play.windows if window.session in kept_back),
    )


def drawn(windows: Sequence[Window], size: int, draw: str) -> tuple[Window, ...]:
    """So many of the windows; a smaller draw is the beginning of a larger one."""
    shuffled = sorted(windows, key=lambda window: window.id)
    Random(draw).shuffle(shuffled)  # noqa: S311  # draws windows, guards nothing
    return tuple(shuffled[:size])


def last_speaker_share(windows: Sequence[Window]) -> float:
    """How often the player who is asked for the check spoke last, alone or with others."""
    found = [one.character in window.last_players for window in windows for one in window.intentions]
    return sum(found) / len(found) if found else 0.0


def as_json(window: Window) -> dict[str, Any]:
    """A window as the record and files have it."""
    return {
        "id": window.id,
        "session": window.session,
        "masters": list(window.masters),
        "turns": [{"speakers": list(turn.speakers), "text": turn.text} for turn in window.turns],
        "intentions": [{"character": one.character, "skill": one.skill} for one in window.intentions],
    }


def from_json(data: Mapping[str, Any]) -> Window:
    """A window that the record has."""
    return _window(dict(data), f"window {data.get('id')}")


def digest_of_windows(windows: Sequence[Window]) -> str:
    return digest_of([as_json(window) for window in windows])
