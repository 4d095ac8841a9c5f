"""What the pipeline does about a turn: what the user wants is kept, looked up, and booked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from interplay.benchmarks.task_dialogue.city import DONTCARE, TIMES, Row, domain_of, known, no_matter, plain
from interplay.benchmarks.task_dialogue.counter import (
    TAXI,
    Booked,
    Counter,
    readable,
    shown,
    told,
    unmet,
    unreadable,
)
from interplay.benchmarks.task_dialogue.filling import Matter
from interplay.benchmarks.task_dialogue.office import Booking, Office

# Before the kind of a place: the one that was spoken of, and not one that is called so.
POINTING = frozenset(("a", "the", "my", "our", "that", "this", "same", "said", "booked", "chosen"))
ORDER = ("first", "second", "third", "fourth", "fifth")
SEARCH, BOOK, REQUEST, NONE = ACTIONS = ("search", "book", "request", "none")


@dataclass(frozen=True)
class Turn:
    """What a user's turn comes to in one domain: what is to be done, and what was said of each slot."""

    action: str
    slots: Mapping[str, str]


@dataclass(frozen=True)
class Served:
    """What the database and the office had to say to a turn."""

    domain: str
    wanted: Mapping[str, str]
    action: str
    rows: Sequence[Row] = ()
    current: Row | None = None  # the row that the talk is about
    booked: Booked | None = None
    lacking: Sequence[str] = ()  # of a booking
    unread: Sequence[str] = ()  # slots whose values say nothing to a database
    instead: Mapping[str, list[str]] = field(default_factory=dict)

    @property
    def result(self) -> str:
        """What became of a wish to book, in a word."""
        if self.booked is None:
            return "lacking" if self.lacking else ""
        if isinstance(self.booked.result, Booking):
            return "again" if self.booked.again else "made"
        return "refused"

    def facts(self) -> dict[str, Any]:
        """All of it as a model is told it."""
        found: dict[str, Any] = {"domain": self.domain, "wanted": dict(self.wanted)}
        if domain_of(self.domain).rows:
            found |= {"rows_found": len(self.rows), "rows": shown(self.rows)}
        if self.instead:
            found["would_be_found_with"] = dict(self.instead)
        if self.lacking:
            found["missing_for_the_booking"] = list(self.lacking)
        if self.unread:
            found["not_understood"] = list(self.unread)
        return found | (told(self.booked) if self.booked else {})


class Service:
    """What is known in a dialogue, of each domain."""

    def __init__(self, office: Office):
        self.counter = Counter(office)
        self.wants: dict[str, dict[str, str]] = {}
        self._office = office
        self._city = office.city
        self._offered: dict[str, list[str]] = {}  # the titles that an answer last named, in its order

    @property
    def bookings(self) -> list[dict[str, str]]:
        return [
            {"domain": one.domain, "title": one.title, **one.details, "reference": one.reference}
            for one in self._office.made
        ]

    def serve(self, domain: str, turn: Turn) -> Served:
        """Take in a turn, and do what it asks for."""
        changed = self._merge(domain, turn.slots)
        wants = self.wants[domain]
        if domain == TAXI:
            self._begin_ride(changed, turn.slots)
            return self._order(Served(TAXI, dict(wants), turn.action, unread=unreadable(wants)))
        self._settle_title(domain, changed)
        search = {slot: wants[slot] for slot in self.counter.search_slots(domain) if slot in wants}
        rows = self.counter.look_up(domain, search)
        asks_anew = turn.action == SEARCH and bool(changed.keys() & search.keys())
        current = None if asks_anew and len(rows) > 1 else self._meant(domain, rows)
        if current is not None:
            rows = [current, *(row for row in rows if row is not current)]
        instead = {} if rows else self.counter.instead(domain, search)
        served = Served(
            domain, dict(wants), turn.action, rows, current, unread=unreadable(wants), instead=instead
        )
        return self._book(served) if turn.action == BOOK and rows else served

    def _merge(self, domain: str, slots: Mapping[str, str]) -> dict[str, str]:
        """Take in what a turn says; what it leaves empty stays as it was. What changed comes back."""
        wants = self.wants.setdefault(domain, {})
        changed = {}
        for slot, said in slots.items():
            if slot == domain_of(domain).title:
                said = self._pointed_at(domain, said)
            value = self.counter.value(domain, slot, said)
            if domain == TAXI:
                value = self._place(value)
            if value and value != wants.get(slot):
                wants[slot] = changed[slot] = value
        return changed

    def _pointed_at(self, domain: str, said: str) -> str:
        """What is meant by "the second one"; by "that one" the row that the talk is about, which needs no name."""
        words = " ".join(word for word in plain(said).split() if word not in ("one", "option"))
        if words in ("it", "that", "this"):
            return ""
        offered = self._offered.get(domain, [])
        place = ORDER.index(words) if words in ORDER else -1 if words == "last" else len(offered)
        return offered[place] if offered and place < len(offered) else said

    def _begin_ride(self, changed: Mapping[str, str], slots: Mapping[str, str]) -> None:
        """A ride between other places, after one was ordered, has a time of its own."""
        ordered = any(one.domain == TAXI for one in self._office.made)
        if ordered and {"departure", "destination"} <= changed.keys() and not any(map(slots.get, TIMES)):
            for slot in TIMES:
                self.wants[TAXI].pop(slot, None)

    def _place(self, value: str) -> str:
        """A place that is only called by its kind, as in "the hotel": the one that was booked, or offered last."""
        *before, kind = plain(value).split() or [""]
        if kind not in self._city.domains or self._city.titled(kind, value):
            return value
        booked = [one.title for one in self._office.made[::-1] if one.domain == kind]
        for title in [*booked, *self._offered.get(kind, [])]:
            for row in self._city.titled(kind, title):  # a hospital's go by departments, trains are no place
                if known(row, "name") and all(word in POINTING or _says(row, word) for word in before):
                    return known(row, "name")
        return value

    def _settle_title(self, domain: str, changed: Mapping[str, str]) -> None:
        """Of a place by name and a wish that it does not meet, the newer holds."""
        wants, slot = self.wants[domain], domain_of(domain).title
        title = wants.get(slot, "")
        if not title or no_matter(title):
            return
        rows = self._city.titled(domain, title)
        wished = {
            name for name in self.counter.search_slots(domain) if not no_matter(wants.get(name, DONTCARE))
        }
        missed = min((set(unmet(row, wants)) - {slot} for row in rows), key=len, default=wished - {slot})
        if slot in changed and rows:
            for name in missed - changed.keys():
                del wants[name]
        elif slot not in changed and missed & changed.keys():
            del wants[slot]

    def _meant(self, domain: str, rows: Sequence[Row]) -> Row | None:
        """The row that the talk is about: the only one, or the one that was offered and still meets the wish."""
        if len(rows) == 1:
            return rows[0]
        by_title = {plain(known(row, domain_of(domain).title)): row for row in rows}
        offered = map(plain, self._offered.get(domain, []))
        return next((by_title[title] for title in offered if title in by_title), None)

    def _book(self, served: Served) -> Served:
        """Book the row that is meant, or the best; but not by halves, and not what is booked already."""
        domain, wanted = served.domain, served.wanted
        if not self.counter.details(domain):
            return served
        if lacking := self.counter.lacking(domain, wanted):
            return replace(served, lacking=lacking)
        titles = [known(row, domain_of(domain).title) for row in served.rows]
        if earlier := self.counter.made(domain, wanted, titles):
            booked = Booked(earlier, again=True)
        else:
            booked = self.counter.book(domain, titles[0], wanted, served.rows[1:])
        meant = next((row for row in served.rows if _is_called(domain, row, booked.result.title)), None)
        return replace(served, booked=booked, current=meant)

    def _order(self, served: Served) -> Served:
        """A taxi has nothing to look up: to look for one is to order it, once all is known."""
        if served.action not in (SEARCH, BOOK):
            return served
        if lacking := self.counter.lacking(TAXI, served.wanted):
            return replace(served, lacking=lacking)
        return replace(served, booked=self.counter.book(TAXI, "", served.wanted))

    def heard(self, answer: str) -> None:
        """Remember which rows an answer named."""
        self._offered.update(self._named(answer))

    def _named(self, answer: str) -> dict[str, list[str]]:
        """The titles that an answer names in each domain, in the order of its words."""
        named: dict[str, list[str]] = {}
        for domain, row in self._city.named_in(answer):
            titles, title = named.setdefault(domain, []), known(row, domain_of(domain).title)
            if title not in titles:
                titles.append(title)
        return named

    def matters(self, answer: str, served: Served | None) -> list[Matter]:
        """What an answer may speak of: what it answers, then what was booked or offered before, the newest first."""
        found = [self._matter(answer, served)] if served else []
        for domain in [*(one.domain for one in self._office.made[::-1]), *list(self._offered)[::-1]]:
            if all(matter.domain != domain for matter in found):
                made = self._last_made(domain)
                title = made.title if made else self._offered[domain][0]
                found.append(Matter(domain, tuple(self._city.titled(domain, title)), made))
        return found

    def _matter(self, answer: str, served: Served) -> Matter:
        rows = tuple(served.rows) if served.current is None else (served.current,)
        titles = self._named(answer).get(served.domain, [])
        if len(titles) == 1:
            named = [row for row in served.rows if _is_called(served.domain, row, titles[0])]
            rows = tuple(named or self._city.titled(served.domain, titles[0]))
        booking = None if served.result in ("refused", "lacking") else self._last_made(served.domain)
        if served.booked and isinstance(served.booked.result, Booking):
            booking = served.booked.result
        wanted = {slot: value for slot, value in readable(served.wanted).items() if not no_matter(value)}
        found = len(served.rows) if domain_of(served.domain).rows else None
        return Matter(served.domain, rows, booking, found, wanted)

    def _last_made(self, domain: str) -> Booking | None:
        return next((one for one in self._office.made[::-1] if one.domain == domain), None)


def _says(row: Row, word: str) -> bool:
    """Is a word one of a row's values, as italian is of an italian restaurant?"""
    return any(word in plain(known(row, slot)).split() for slot in row if slot != "name")


def _is_called(domain: str, row: Row, title: str) -> bool:
    return plain(known(row, domain_of(domain).title)) == plain(title)
