"""What a system achieved by the database and the booking office, without any model: inform, book, request."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from interplay.benchmarks.task_dialogue.city import (
    ARRIVE,
    LEAVE,
    City,
    Row,
    domain_of,
    known,
    meets,
    minutes,
    plain,
    same,
)
from interplay.benchmarks.task_dialogue.dialogue import Dialogue, Exchange, Offer
from interplay.benchmarks.task_dialogue.goals import PLACE, Goal, Wish, goal_of
from interplay.benchmarks.task_dialogue.office import Booking
from interplay.benchmarks.task_dialogue.understanding import NUMBERS, REQUESTS

_CLOCK = re.compile(r"\b([0-9]{1,2})(?:[:.]([0-5][0-9]))? ?(am|pm|a\.m\.|p\.m\.)?(?=\W|$)", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_NOT = re.compile(r"\b(?:no|not|without|lacks?|never|none)\b|n't\b")
NOON = 12


@dataclass(frozen=True)
class Came:
    """What came of one domain; None where the goal asks for nothing of the kind, or nobody can tell."""

    domain: str
    inform: bool | None
    book: bool | None
    request: bool | None

    @property
    def success(self) -> bool:
        return all(part is not False for part in (self.inform, self.book, self.request))


def offers_in(city: City, exchanges: Sequence[Exchange], bookings: Iterable[Booking]) -> tuple[Offer, ...]:
    """The rows that a system named, each where it first did; those that it booked without a word come at 0."""
    found: dict[tuple[str, str, str], Offer] = {}

    def note(domain: str, row: Row, number: int) -> None:
        key = (domain, known(row, domain_of(domain).title), str(sorted(map(str, row.items()))))
        found.setdefault(key, Offer(domain, row, number))

    for number, exchange in enumerate(exchanges, 1):
        for domain, row in city.named_in(exchange.system):
            note(domain, row, number)
    for booking in bookings:
        for row in city.titled(booking.domain, booking.title):
            note(booking.domain, row, 0)
    return tuple(found.values())


def achieved(dialogue: Dialogue) -> list[Came] | None:
    """What came of each domain of the goal; None where no database is known."""
    if not dialogue.has_rows:
        return None
    goal = goal_of(dialogue.goal)
    said = [exchange.system for exchange in dialogue.exchanges]
    return [_came(goal, wish, dialogue, said) for wish in goal.wishes]


def succeeded(dialogue: Dialogue) -> bool | None:
    """Was all of the goal met? None where nobody can tell."""
    came = achieved(dialogue)
    if came is None or (not dialogue.has_office and _wants_booking(dialogue)):
        return None
    return all(one.success for one in came)


def _wants_booking(dialogue: Dialogue) -> bool:
    return any(wish.book or wish.domain == "taxi" for wish in goal_of(dialogue.goal).wishes)


def _came(goal: Goal, wish: Wish, dialogue: Dialogue, said: Sequence[str]) -> Came:
    if wish.domain == "taxi":
        return _came_of_taxi(goal, wish, dialogue, said)
    fitting = _fitting(wish, dialogue)
    inform = any(offer.exchange for offer in fitting)
    if not wish.book:
        return Came(
            wish.domain, inform, None, _told(wish, [offer.row for offer in fitting if offer.exchange], said)
        )
    if not dialogue.has_office:
        return Came(
            wish.domain, inform, None, _told(wish, [offer.row for offer in fitting if offer.exchange], said)
        )
    kept = [one for one in dialogue.bookings if one.domain == wish.domain and _is_wanted(one, wish, fitting)]
    book = any(_spoken(booking.reference, said) for booking in kept)
    titles = {plain(booking.title) for booking in kept}
    rows = [offer.row for offer in fitting if plain(known(offer.row, domain_of(wish.domain).title)) in titles]
    return Came(wish.domain, inform, book, _told(wish, rows, said))


def _fitting(wish: Wish, dialogue: Dialogue) -> list[Offer]:
    """The offers of a domain that meet what is finally wanted."""
    mine = [offer for offer in dialogue.offers if offer.domain == wish.domain]
    return [offer for offer in mine if all(meets(offer.row, *one) for one in wish.info.items())]


def _is_wanted(booking: Booking, wish: Wish, fitting: Sequence[Offer]) -> bool:
    titles = {plain(known(offer.row, domain_of(wish.domain).title)) for offer in fitting}
    details = all(same(booking.details.get(slot, ""), value) for slot, value in wish.book.items())
    return details and plain(booking.title) in titles


def _came_of_taxi(goal: Goal, wish: Wish, dialogue: Dialogue, said: Sequence[str]) -> Came:
    """A taxi is wanted from here to there at that time; its car and number are what is told."""
    if not dialogue.has_office:
        return Came(wish.domain, None, None, None)
    places = {slot: _places(goal, value, dialogue) for slot, value in wish.info.items()}
    right = [
        booking
        for booking in dialogue.bookings
        if booking.domain == "taxi"
        and all(_among(booking.details.get(slot, ""), wanted) for slot, wanted in places.items())
    ]
    request = _told(wish, [booking.details for booking in right], said)
    return Came(wish.domain, None, bool(right), request)


def _places(goal: Goal, value: str, dialogue: Dialogue) -> list[str]:
    """The values that will do: of a place that was to be found, every title that was rightly offered."""
    wish = goal.wish(value.removeprefix(PLACE)) if value.startswith(PLACE) else None
    if wish is None:
        return [value]
    return [known(offer.row, domain_of(wish.domain).title) for offer in _fitting(wish, dialogue)]


def _among(value: str, wanted: Sequence[str]) -> bool:
    return any(same(value, one) for one in wanted)


def _told(wish: Wish, rows: Sequence[Row], said: Sequence[str]) -> bool | None:
    """Were all values that the goal asks for told, of one and the same row?"""
    if not wish.requests:
        return None
    text = "\n".join(said)
    return any(all(is_told(slot, known(row, slot), text) for slot in wish.requests) for row in rows)


def _spoken(reference: str, said: Sequence[str]) -> bool:
    return bool(reference) and any(reference.casefold() in text.casefold() for text in said)


def is_told(slot: str, value: str, text: str) -> bool:
    """Does a text say this value of this slot, in one of the ways people write it?"""
    if not value:
        return False
    return _TOLD.get(slot, _phrase_told)(value, text)


def _phrase_told(value: str, text: str) -> bool:
    return f" {plain(value)} " in f" {plain(text)} "


def _digits_told(value: str, text: str) -> bool:
    wanted = re.sub(r"\D", "", value)
    runs = re.findall(r"\+?[0-9][0-9\s\-()/]{5,}", text)
    return any(wanted in re.sub(r"\D", "", run) for run in runs)


def _letters_told(value: str, text: str) -> bool:
    return re.sub(r"\W", "", value).casefold() in re.sub(r"[^\w\n]", "", text).casefold()


def _address_told(value: str, text: str) -> bool:
    return _phrase_told(value, text) or _phrase_told(value.partition(",")[0], text)


def _number_told(value: str, text: str) -> bool:
    """The number of an amount; an amount of nothing is free."""
    numbers = {float(number) for number in _NUMBER.findall(text)}
    wanted = [float(number) for number in _NUMBER.findall(value)]
    if not wanted:
        free = plain(value) in ("free", "gratis")
        return (
            bool(re.search(r"\bfree\b|no (?:charge|fee|entrance|admission)", text.casefold()))
            if free
            else (_phrase_told(value, text))
        )
    return all(number in numbers for number in wanted)


def _duration_told(value: str, text: str) -> bool:
    if _number_told(value, text):
        return True
    whole = _NUMBER.search(value)
    hours = re.findall(r"([0-9]+) ?h(?:ours?|rs?)?\W+(?:and )?([0-9]+)", text.casefold())
    return bool(whole) and any(int(hour) * 60 + int(rest) == int(float(whole[0])) for hour, rest in hours)  # type: ignore[index]


def _time_told(value: str, text: str) -> bool:
    wanted = minutes(value)
    for hour, rest, half in _CLOCK.findall(text):
        if not rest and not half:
            continue
        time = int(hour) * 60 + int(rest or 0)
        if half:
            time += 60 * NOON * ((half[0] in "pP") - (int(hour) == NOON))
        if time == wanted:
            return True
    return False


def _offered_told(slot: str) -> Callable[[str, str], bool]:
    """Of something that a place has or has not: a sentence that names it, with a word of denial or without."""

    def told(value: str, text: str) -> bool:
        for sentence in re.split(r"(?<=[.!?;,])\s+|\n|\bbut\b", text.casefold()):
            if re.search(rf"\b(?:{REQUESTS[slot]})\b", sentence):
                denied = bool(_NOT.search(sentence))
                if denied == (plain(value) == "no"):
                    return True
        return False

    return told


def _stars_told(value: str, text: str) -> bool:
    word = next((word for word, number in NUMBERS.items() if number == value), value)
    return bool(
        re.search(
            rf"\b(?:{value}|{word})[ -]?stars?\b|\bstars?(?: rating)?(?: is| of|:)? {value}\b",
            text.casefold(),
        )
    )


_TOLD: dict[str, Callable[[str, str], bool]] = {
    "phone": _digits_told,
    "postcode": _letters_told,
    "trainID": _letters_told,
    "address": _address_told,
    "price": _number_told,
    "entrance fee": _number_told,
    "duration": _duration_told,
    LEAVE: _time_told,
    ARRIVE: _time_told,
    "internet": _offered_told("internet"),
    "parking": _offered_told("parking"),
    "stars": _stars_told,
}
