"""The counter between a model and the office: values are brought into form, nothing is booked twice or by halves."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from interplay.benchmarks.task_dialogue.city import (
    ARRIVE,
    DONTCARE,
    LEAVE,
    TIMES,
    Row,
    domain_of,
    known,
    meets,
    minutes,
    no_matter,
    plain,
)
from interplay.benchmarks.task_dialogue.office import Booking, Office, Refusal
from interplay.benchmarks.task_dialogue.values import brought_into_form, is_readable, without_slips

MOST_ROWS = 5  # that a model is shown
MOST_FIELDS = 20  # of a row
LONGEST_FIELD = 200  # characters
LONGEST_LISTED = 60  # characters of a value; a slot with a longer one holds texts, and is open
MOST_VALUES = 30  # of a slot; a slot with more is open
MOST_SLOTS = 20  # of a domain of a user's own
OTHER_VALUES = 5  # where a wish fails
TAXI = "taxi"
_UNTOLD = ("id", "location")  # of a row: nothing that a user would want to hear
_PLACES = ("departure", "destination")


@dataclass(frozen=True)
class Booked:
    """What became of a wish to book: a booking, perhaps an earlier one, or a refusal and what is free instead."""

    result: Booking | Refusal
    again: bool = False
    elsewhere: tuple[str, ...] = ()


class Counter:
    """What can be asked of an office by a model that makes mistakes."""

    def __init__(self, office: Office):
        self.office = office
        self.city = office.city

    def search_slots(self, domain: str) -> tuple[str, ...]:
        """The slots that rows are looked up by, and their title."""
        about = domain_of(domain)
        slots = self.city.search_slots(domain)[:MOST_SLOTS]
        titled = about.rows and slots and about.title not in slots
        return (*slots, about.title) if titled else slots

    def details(self, domain: str) -> tuple[str, ...]:
        """The slots of a booking; empty where nothing is booked."""
        return self.search_slots(domain) if domain == TAXI else domain_of(domain).book

    def slots(self, domain: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.search_slots(domain), *self.details(domain))))

    def values(self, domain: str, slot: str) -> tuple[str, ...]:
        """The values that the database knows of a slot, where they are few."""
        found = self.city.values(domain, slot)
        few = len(found) <= MOST_VALUES and all(len(value) <= LONGEST_LISTED for value in found)
        return found if slot not in TIMES and few else ()

    def value(self, domain: str, slot: str, said: str) -> str:
        """A value as the database has it, as near as what was said comes to one."""
        if domain == TAXI and slot in _PLACES:  # it goes anywhere: a place that no row has is one too
            found = brought_into_form(slot, said)
            found = without_slips(found, self._places()) or found
        else:
            of_names = slot in (domain_of(domain).title, *_PLACES)
            found = brought_into_form(
                slot, said, self.city.values(domain, slot), of_names=of_names, evening=domain == "restaurant"
            )
        return found[:LONGEST_FIELD]

    def _places(self) -> list[str]:
        """Where a taxi may go by name."""
        return [
            known(row, "name")
            for domain, rows in self.city.rows.items()
            if domain_of(domain).title == "name"
            for row in rows
            if known(row, "name")
        ]

    def look_up(self, domain: str, wanted: Mapping[str, str]) -> list[Row]:
        """The rows that meet what can be read of a wish."""
        return self.office.look_up(domain, readable(wanted))

    def lacking(self, domain: str, details: Mapping[str, str]) -> list[str]:
        """What a booking still needs to be told, or told in another way."""
        given = readable(details)
        if domain == TAXI:
            missing = [slot for slot in _PLACES if given.get(slot, DONTCARE) == DONTCARE]
            timed = any(given.get(slot, DONTCARE) != DONTCARE for slot in TIMES)
            return missing if timed else [*missing, f"{LEAVE} or {ARRIVE}"]
        return [slot for slot in self.details(domain) if given.get(slot, DONTCARE) == DONTCARE]

    def made(self, domain: str, details: Mapping[str, str], titles: Iterable[str]) -> Booking | None:
        """The booking that was made for these details at one of these places; a taxi has none."""
        wanted, places = self._of_booking(domain, details), {plain(title) for title in titles}
        for booking in self.office.made:
            if booking.domain != domain or (domain != TAXI and plain(booking.title) not in places):
                continue
            if self._of_booking(domain, booking.details) == wanted:
                return booking
        return None

    def _of_booking(self, domain: str, details: Mapping[str, str]) -> dict[str, str]:
        given = readable(details)
        return {
            slot: given[slot].casefold()
            for slot in self.details(domain)
            if given.get(slot, DONTCARE) != DONTCARE
        }

    def book(self, domain: str, title: str, details: Mapping[str, str], others: Sequence[Row] = ()) -> Booked:
        """Book once; what is booked already is handed over again. Of the other rows, those that are free are named."""
        if earlier := self.made(domain, details, [title]):
            return Booked(earlier, again=True)
        given = self._of_booking(domain, details)
        result = self.office.book(domain, "" if domain == TAXI else title, given)
        if isinstance(result, Booking):
            return Booked(result)
        return Booked(result, elsewhere=tuple(self._free(domain, result.title, given, others)))

    def _free(
        self, domain: str, refused: str, details: Mapping[str, str], rows: Sequence[Row]
    ) -> Iterable[str]:
        """The titles of other rows that can be had for the same details."""
        slot = domain_of(domain).title
        free = (
            known(row, slot)
            for row in rows
            if plain(known(row, slot)) != plain(refused) and self.office.has_room(domain, row, details)
        )
        return [title for title, _ in zip(free, range(MOST_ROWS), strict=False)]

    def instead(self, domain: str, wanted: Mapping[str, str]) -> dict[str, list[str]]:
        """Of a wish that nothing meets: for each slot, the values with which the rest of the wish would be met."""
        given = {slot: value for slot, value in readable(wanted).items() if not no_matter(value)}
        found = {}
        for slot in given:
            rest = {other: value for other, value in given.items() if other != slot}
            rows = self.city.query(domain, rest) if slot != domain_of(domain).title else []
            values = sorted({known(row, slot)[:LONGEST_FIELD] for row in rows} - {""})
            if slot in TIMES:
                limit = minutes(given[slot]) or 0
                values = sorted(values, key=lambda time: abs((minutes(time) or 0) - limit))
            if values:
                found[slot] = values[:OTHER_VALUES]
        return found


def readable(wanted: Mapping[str, str]) -> dict[str, str]:
    """What can be looked up and booked; dontcare can be looked up."""
    return {
        slot: value
        for slot, value in wanted.items()
        if value and (no_matter(value) or is_readable(slot, value))
    }


def unreadable(wanted: Mapping[str, str]) -> list[str]:
    """The slots whose values say nothing to a database, such as a time that is none."""
    return [slot for slot in wanted if slot not in readable(wanted)]


def shown(rows: Sequence[Row]) -> list[dict[str, str]]:
    """The first rows as a model is shown them: what is known of them, cut to size."""
    found = []
    for row in rows[:MOST_ROWS]:
        values = {slot: known(row, slot)[:LONGEST_FIELD] for slot in row if slot not in _UNTOLD}
        found.append(dict([one for one in values.items() if one[1]][:MOST_FIELDS]))
    return found


def told(booked: Booked) -> dict[str, object]:
    """What became of a booking, as a model is told it."""
    result = booked.result
    about: dict[str, object] = {
        "domain": result.domain,
        "title": result.title,
        "details": dict(result.details),
    }
    if isinstance(result, Booking):
        return {"booked": {**about, "reference": result.reference}, "already_booked_before": booked.again}
    return {"refused": {**about, "why": result.why}, "free_instead": [*result.others, *booked.elsewhere]}


def unmet(row: Row, wanted: Mapping[str, str]) -> list[str]:
    """The slots of a wish that a row does not meet."""
    return [slot for slot, value in readable(wanted).items() if slot in row and not meets(row, slot, value)]
