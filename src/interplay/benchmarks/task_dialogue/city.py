"""A city: what there is in each domain, and which of it meets a wish."""

import csv
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Any

from interplay.core.failures import Mistake
from interplay.core.files import text_of
from interplay.core.wire import digest_of

Row = Mapping[str, Any]
DONTCARE = "dontcare"
UNKNOWN = ("", "?", "none", "not available")  # how a database says that it does not know a value
LEAVE, ARRIVE = TIMES = ("leaveAt", "arriveBy")
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
LARGEST_FILE = 20_000_000
COMMON = frozenset(("place", "bar", "cafe", "house", "inn", "park", "pool"))  # a title only with its article
_NO_MATTER = re.compile(
    r"(?:do ?n['o]?t|does ?n['o]?t|do not|does not) (?:care|matter)|any(?:thing|where)?|either"
)
_POSSESSIVE = re.compile(r"['’]s\b", re.IGNORECASE)
_ACCENTS = re.compile(r"[\u0300-\u036f]")
_ROWS = re.compile(r"(.+)_(?:rows|db)\.(?:json|csv)")  # db is MultiWOZ's
_CLOCK = re.compile(r"([0-9]{1,2})[:.]([0-5][0-9])")


@dataclass(frozen=True)
class Domain:
    """What can be asked and booked in a domain; its title is the slot that a row goes by."""

    name: str
    title: str = "name"
    search: tuple[str, ...] = ()  # all slots of its rows, where it does not say
    book: tuple[str, ...] = ()
    rows: bool = True  # a taxi is made to order


DOMAINS = {
    one.name: one
    for one in (
        Domain("restaurant", search=("name", "food", "area", "pricerange"), book=("people", "day", "time")),
        Domain(
            "hotel",
            search=("name", "type", "area", "pricerange", "stars", "internet", "parking"),
            book=("people", "day", "stay"),
        ),
        Domain("attraction", search=("name", "type", "area")),
        Domain("train", "trainID", ("departure", "destination", "day", LEAVE, ARRIVE), ("people",)),
        Domain("taxi", "car type", ("departure", "destination", LEAVE, ARRIVE), rows=False),
        Domain("hospital", "department", ("department",)),
        Domain("police"),
    )
}


def domain_of(name: str) -> Domain:
    """What is known of a domain; of a user's own, that its rows have names and all of their slots can be asked for."""
    return DOMAINS.get(name) or Domain(name)


def folded(text: str) -> str:
    """A text without capitals, accents and curly quotes."""
    if not text.isascii():
        text = _ACCENTS.sub("", unicodedata.normalize("NFKD", text)).replace("’", "'").replace("‘", "'")
    return text.casefold()


def plain(text: object) -> str:
    """A value as it is compared: lower case, no article before it, no punctuation, one spelling."""
    words = re.sub(r"[^\w\s]", " ", folded(str(text)).replace("'", "").replace("&", " and ")).split()
    if words[:1] == ["the"] and len(words) > 1:
        words = words[1:]
    return " ".join(words).replace("center", "centre").replace("guest house", "guesthouse")


def minutes(text: str) -> int | None:
    """A time of day in minutes from midnight; None if it is none."""
    found = _CLOCK.fullmatch(text.strip())
    return int(found[1]) * 60 + int(found[2]) if found else None


def same(one: str, other: str) -> bool:
    """Are two values the same, however they are written?"""
    times = minutes(one), minutes(other)
    return times[0] == times[1] if None not in times else plain(one) == plain(other)


def no_matter(value: str) -> bool:
    """Does the value say that any will do?"""
    said = value.strip().casefold()
    return said == DONTCARE or bool(_NO_MATTER.fullmatch(said))


def known(row: Row, slot: str) -> str:
    """What a row says of a slot; empty where the database does not know."""
    value = row.get(slot, "")
    if isinstance(value, bool):
        value = "yes" if value else "no"
    elif isinstance(value, Mapping):
        value = ", ".join(f"{kind} {amount}" for kind, amount in value.items())
    text = str(value).strip()
    return "" if text.casefold() in UNKNOWN else text


def meets(row: Row, slot: str, wanted: str) -> bool:
    """Does a row meet what is wanted of one slot?"""
    if no_matter(wanted):
        return True
    if slot in TIMES:
        time, limit = minutes(known(row, slot)), minutes(wanted)
        if time is None or limit is None:
            return False
        return time >= limit if slot == LEAVE else time <= limit
    return bool(known(row, slot)) and plain(known(row, slot)) == plain(wanted)


@dataclass(frozen=True)
class City:
    """The rows of every domain, and what of them is booked out: a time of a restaurant, a night, the seats left."""

    rows: Mapping[str, tuple[Row, ...]]
    full: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        return digest_of([{domain: list(rows) for domain, rows in self.rows.items()}, dict(self.full)])[:16]

    @property
    def domains(self) -> tuple[str, ...]:
        return tuple(self.rows)

    def query(self, domain: str, wanted: Mapping[str, str]) -> list[Row]:
        """The rows that meet a wish; trains by the time that is wanted, nearest first."""
        if not domain_of(domain).rows:
            return []
        slots = {slot: value for slot, value in wanted.items() if not no_matter(value)}
        found = [
            row for row in self._candidates(domain, slots) if all(meets(row, *one) for one in slots.items())
        ]
        if LEAVE in slots:
            return sorted(found, key=lambda row: minutes(known(row, LEAVE)) or 0)
        if ARRIVE in slots:
            return sorted(found, key=lambda row: -(minutes(known(row, ARRIVE)) or 0))
        return found

    def _candidates(self, domain: str, slots: Mapping[str, str]) -> Iterable[Row]:
        """The rows with a wanted value of the slot that tells them apart best, by an index."""
        if domain == "train" and {"departure", "destination"} <= slots.keys():
            return self._lines.get((plain(slots["departure"]), plain(slots["destination"])), ())
        return self.rows.get(domain, ())

    @cached_property
    def _lines(self) -> dict[tuple[str, str], list[Row]]:
        found: dict[tuple[str, str], list[Row]] = {}
        for row in self.rows.get("train", ()):
            found.setdefault((plain(known(row, "departure")), plain(known(row, "destination"))), []).append(
                row
            )
        return found

    def values(self, domain: str, slot: str) -> tuple[str, ...]:
        """All values that the rows have of a slot."""
        return self._values.setdefault((domain, slot), self._values_of(domain, slot))

    @cached_property
    def _values(self) -> dict[tuple[str, str], tuple[str, ...]]:
        return {}

    def _values_of(self, domain: str, slot: str) -> tuple[str, ...]:
        if (domain, slot) in self._values:
            return self._values[domain, slot]
        found = (known(row, slot) for row in self.rows.get(domain, ()))
        return tuple(sorted({value for value in found if value}))

    def search_slots(self, domain: str) -> tuple[str, ...]:
        """The slots by which a domain's rows are asked for."""
        if domain in DOMAINS:
            return DOMAINS[domain].search
        return tuple(dict.fromkeys(slot for row in self.rows.get(domain, ()) for slot in row if slot != "id"))

    def named_in(self, text: str) -> list[tuple[str, Row]]:
        """The rows whose titles a text says, in the order of its words; a title inside a longer one is not meant."""
        said = f" the {plain(text)} "
        bare = f" the {plain(_POSSESSIVE.sub(' ', text))} "  # the Linnow's phone is of the Linnow
        first_words = {*said.split(), *bare.split()}
        titles = (title for word in first_words for title in self._by_first_word.get(word, ()))
        found: list[tuple[int, str, Row]] = []
        for title in sorted(titles, key=lambda one: (-len(one), one)):
            at = max(said.find(f" {title} "), bare.find(f" {title} "))
            if at >= 0:
                found += [(at, domain, row) for domain, row in self._titles[title]]
                said, bare = (one.replace(f" {title} ", f" {'#' * len(title)} ") for one in (said, bare))
        return [(domain, row) for _, domain, row in sorted(found, key=lambda one: one[0])]

    @cached_property
    def _titles(self) -> dict[str, list[tuple[str, Row]]]:
        """All titles with the rows they belong to; trains of several days may share a number."""
        found: dict[str, list[tuple[str, Row]]] = {}
        for domain, rows in self.rows.items():
            for row in rows:
                if title := plain(known(row, domain_of(domain).title)):
                    said = f"the {title}" if title in COMMON else title
                    found.setdefault(said, []).append((domain, row))
        return found

    @cached_property
    def _by_first_word(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for title in self._titles:
            found.setdefault(title.split()[0], []).append(title)
        return found

    def houses_in(self, text: str) -> list[tuple[str, Row]]:
        """What all rows of a named house share, where rows go by something else: a hospital's, by departments."""
        said = f" {plain(text)} "
        return [(domain, row) for name, domain, row in self._houses if f" {name} " in said]

    @cached_property
    def _houses(self) -> list[tuple[str, str, Row]]:
        found: dict[tuple[str, str], list[Row]] = {}
        for domain, rows in self.rows.items():
            if domain_of(domain).title != "name":
                for row in rows:
                    if name := plain(known(row, "name")):
                        found.setdefault((name, domain), []).append(row)
        return [
            (name, domain, {slot: rows[0][slot] for slot in _shared(rows) if slot != domain_of(domain).title})
            for (name, domain), rows in found.items()
        ]

    def titled(self, domain: str, title: str) -> list[Row]:
        """The rows of this title."""
        title = plain(title)
        said = f"the {title}" if title in COMMON else title
        return [row for named, row in self._titles.get(said, ()) if named == domain]


def _shared(rows: Sequence[Row]) -> list[str]:
    return [
        slot
        for slot, value in rows[0].items()
        if slot != "id" and all(row.get(slot) == value for row in rows)
    ]


def has_rows(folder: Path) -> bool:
    """Is there a file of rows in a folder?"""
    return any(_ROWS.fullmatch(path.name) for path in folder.iterdir())


def read_city(folder: Path) -> City:
    """The city of a folder: a file of rows for each domain, and full.json for what is booked out."""
    rows: dict[str, tuple[Row, ...]] = {}
    for path in sorted(folder.iterdir()):
        if found := _ROWS.fullmatch(path.name):
            if found[1] in rows:
                raise Mistake(f"{folder} holds the rows of {found[1]} twice; leave one file of them")
            rows[found[1]] = tuple(_rows_of(path)) if domain_of(found[1]).rows else _made_to_order(path)
    if not rows:
        raise Mistake(
            f"{folder} holds no database; a domain is a file as in restaurant_rows.json or train_rows.csv"
        )
    full = folder / "full.json"
    return City(rows, _full_of(full) if full.exists() else {})


def _made_to_order(path: Path) -> tuple[Row, ...]:
    """What a taxi may be like; MultiWOZ's own file of it is no JSON, and a taxi can do without."""
    try:
        return tuple(_rows_of(path))
    except Mistake:
        if path.stem.endswith("_db"):
            return ()
        raise


def _rows_of(path: Path) -> Iterator[Row]:
    if path.suffix == ".csv":
        yield from _rows_of_csv(path)
        return
    content = _read_json(path)
    if not isinstance(content, list) or not all(isinstance(row, dict) for row in content):
        raise Mistake(f"{path} is not a list of rows, each an object")
    yield from content


def _rows_of_csv(path: Path) -> Iterator[Row]:
    reader = csv.DictReader(StringIO(text_of(path, LARGEST_FILE), newline=""))
    try:
        for row in reader:
            if None in row:
                raise Mistake(f"{path}, line {reader.line_num} has more cells than its first line names")
            yield row
    except csv.Error as error:
        raise Mistake(f"{path}, line {reader.line_num} is no CSV: {error}") from error


def _full_of(path: Path) -> dict[str, dict[str, Any]]:
    """What is booked out: of a train, the seats that are left; of others, a list of days, or of days and times."""
    content = _read_json(path)
    for domain, taken in content.items() if isinstance(content, dict) else [("", None)]:
        kind = int if domain == "train" else list
        if not isinstance(taken, dict) or not all(isinstance(one, kind) for one in taken.values()):
            raise Mistake(
                f'{path} must be as in {{"restaurant": {{"r1": ["friday 19:00"]}}, "train": {{"TR1": 0}}}}'
            )
    return dict(content)


def _read_json(path: Path) -> Any:
    try:
        return json.loads(text_of(path, LARGEST_FILE))
    except (ValueError, RecursionError) as error:
        raise Mistake(f"{path} is no JSON: {error}") from error


@cache
def own_city() -> City:
    """The city that ships."""
    return read_city(Path(str(files(__package__) / "data" / "city")))


def nights(day: str, stay: str) -> Sequence[str]:
    """The nights of a stay, by the days on which they begin."""
    first = DAYS.index(day.casefold())
    return [DAYS[(first + number) % 7] for number in range(int(stay))]
