"""What a non-player character alone knows: pieces of knowledge with their key points, and the files they come from."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from interplay.core.failures import Mistake, nearest, why
from interplay.core.files import text_of
from interplay.core.wire import clean

FOLDER = Path(str(files(__package__))) / "data" / "knowledge"
LARGEST_FILE = 10_000_000
MOST_PIECES = 2_000  # in a file
POINTS = (2, 12)  # of a piece that has any
LONGEST_KIND, LONGEST_TITLE, LONGEST_POINT, LONGEST_TEXT = 40, 100, 400, 8_000  # letters and other marks
_TOLD = ("canary", "written_by", "run", "started", "seed", "reviewed")  # by a file that a model wrote
_TOP_KEYS = ("kind", *_TOLD, "pieces", "characters")  # the last is for another reader of the same file
_PIECE_KEYS = ("kind", "title", "text", "points")
_POINT_KEYS = ("point", "said", "wrong")
_EXAMPLE = '{ point = "...", said = "...", wrong = "..." }'


@dataclass(frozen=True)
class Point:
    """A fact to be learned; how a player may put it who has learned it; what one may say who has it wrong."""

    point: str
    said: str = ""
    wrong: str = ""


@dataclass(frozen=True)
class Knowledge:
    """A piece of knowledge; without points of its own, a judge sums its text up into some."""

    kind: str
    title: str
    text: str
    points: tuple[Point, ...] = ()


@cache
def shipped() -> tuple[Knowledge, ...]:
    """All our pieces, by kind in the order of the alphabet."""
    return tuple(piece for path in sorted(FOLDER.glob("*.toml")) for piece in read_knowledge(path))


def read_knowledge(path: Path) -> tuple[Knowledge, ...]:
    """The pieces of a .toml file such as ours; a kind of its own is read of a piece too, else it is the file's."""
    if path.suffix.lower() != ".toml":
        raise Mistake(f"pieces of knowledge are read from a .toml file, not {path}")
    try:
        found = tomllib.loads(text_of(path, LARGEST_FILE))
    except (ValueError, RecursionError) as error:
        raise Mistake(f"{path} is no TOML: {why(error)}") from error
    _refuse_strangers(found, _TOP_KEYS, str(path))
    entries = found.get("pieces")
    if not isinstance(entries, list) or not entries:
        raise Mistake(f"{path} has no pieces; write each under its own [[pieces]]")
    if len(entries) > MOST_PIECES:
        raise Mistake(f"{path} has {len(entries):,} pieces; a file may have {MOST_PIECES:,}")
    kind = _line(found.get("kind", path.stem), LONGEST_KIND, f"{path}: kind")
    pieces = tuple(piece_of(entry, kind, f"{path}, piece {n}") for n, entry in enumerate(entries, 1))
    _refuse_doubles([piece.title for piece in pieces], f"{path}: pieces", "titled")
    return pieces


def entry_of(knowledge: Knowledge) -> dict[str, Any]:
    """As a file and a scenario have it: plain JSON, which read back is the same piece."""
    points = [{key: value for key, value in vars(point).items() if value} for point in knowledge.points]
    return {
        "kind": knowledge.kind,
        "title": knowledge.title,
        "text": knowledge.text,
        **({"points": points} if points else {}),
    }


def piece_of(entry: Any, kind: str, where: str) -> Knowledge:
    """One piece, checked; the kind is for a piece that does not say its own."""
    if not isinstance(entry, Mapping):
        raise Mistake(f"{where} must be a table of its own, written under [[pieces]]")
    _refuse_strangers(entry, _PIECE_KEYS, where)
    return Knowledge(
        kind=_line(entry.get("kind", kind), LONGEST_KIND, f"{where}: kind"),
        title=_line(entry.get("title"), LONGEST_TITLE, f"{where}: title"),
        text=_paragraphs(entry.get("text"), f"{where}: text"),
        points=_points(entry.get("points", ()), where),
    )


def _points(found: Any, where: str) -> tuple[Point, ...]:
    if not isinstance(found, Sequence) or isinstance(found, str):
        raise Mistake(f"{where}: points is a list such as [{_EXAMPLE}, ...]")
    least, most = POINTS
    if found and not least <= len(found) <= most:
        raise Mistake(f"{where}: it has {len(found):,} points; {least} to {most} are right, or none at all")
    points = tuple(_point(one, f"{where}, point {number}") for number, one in enumerate(found, 1))
    _refuse_doubles([one.point for one in points], f"{where}: points", "written")
    return points


def _point(found: Any, where: str) -> Point:
    if not isinstance(found, Mapping):
        raise Mistake(f"{where} is written as {_EXAMPLE}")
    _refuse_strangers(found, _POINT_KEYS, where)
    point = _line(found.get("point"), LONGEST_POINT, f"{where}: point")
    given = [key for key in ("said", "wrong") if found.get(key, "") != ""]
    if not given:
        return Point(point)
    if len(given) == 1:
        raise Mistake(f"{where} has {given[0]} alone; write both said and wrong, or neither")
    said, wrong = (_line(found[key], LONGEST_POINT, f"{where}: {key}") for key in ("said", "wrong"))
    if wrong.casefold() in (point.casefold(), said.casefold()):
        raise Mistake(f"{where}: wrong says what is right, word for word; it must contradict the point")
    return Point(point, said, wrong)


def _refuse_strangers(found: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in found:
        if key not in known:
            raise Mistake(f"{where} has {_shown(key)}; {nearest(key[:LONGEST_TITLE], known)}")


def _refuse_doubles(texts: Sequence[str], where: str, how: str) -> None:
    first: dict[str, int] = {}
    for place, text in enumerate(texts, 1):
        earlier = first.setdefault(text.casefold(), place)
        if earlier != place:
            raise Mistake(
                f"{where} {earlier} and {place} are both {how} {_shown(text)}; each must be its own"
            )


def _paragraphs(found: Any, where: str) -> str:
    """A text whose lines are joined, but for an empty line between paragraphs."""
    written = _written(found, where).replace("\r\n", "\n").split("\n")
    joined = "\n".join(" ".join(line.split()) for line in written).strip("\n")
    blocks = [" ".join(block.split()) for block in joined.split("\n\n")]
    return _checked("\n\n".join(block for block in blocks if block), LONGEST_TEXT, where)


def _line(found: Any, longest: int, where: str) -> str:
    """A text in one line."""
    return _checked(" ".join(_written(found, where).split()), longest, where)


def _written(found: Any, where: str) -> str:
    if found is None:
        raise Mistake(f"{where} is missing")
    if not isinstance(found, str):
        raise Mistake(f"{where} must be a text in quotes")
    return clean(found)


def _checked(text: str, longest: int, where: str) -> str:
    if not any(character.isalnum() for character in text):
        raise Mistake(f"{where} is missing: there is no letter in it")
    if len(text) > longest:
        raise Mistake(f"{where} has {len(text):,} characters; it may have {longest:,}")
    unseen = [character for character in text if character != "\n" and not character.isprintable()]
    if unseen:
        raise Mistake(f"{where} holds the unprintable character U+{ord(unseen[0]):04X}; take it out")
    return text


def _shown(text: str) -> str:
    return repr(text if len(text) <= LONGEST_TITLE else text[:LONGEST_TITLE] + "...")
