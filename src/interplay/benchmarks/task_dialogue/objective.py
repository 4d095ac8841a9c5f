"""What a system achieved by the database and the booking office, without any model: inform, book, request."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from interplay.benchmarks.task_dialogue.city import City, Row, domain_of, folded, known, meets, plain, same
from interplay.benchmarks.task_dialogue.dialogue import Dialogue, Exchange, Offer
from interplay.benchmarks.task_dialogue.goals import PLACE, Goal, Wish, told_goal
from interplay.benchmarks.task_dialogue.office import Booking
from interplay.benchmarks.task_dialogue.telling import code_told, is_told, sentences
from interplay.benchmarks.task_dialogue.topics import Speech

_DENIED = re.compile(
    r"\bthere(?: (?:is|are|was|were)|'s)(?: no|n't|not)\b|\bthere (?:is|are)n't\b|\bno such\b|\bunable to find\b"
    r"|\b(?:could|can|did|do)(?: ?not|n't) (?:find|know)\b|\bcannot find\b|\bnothing (?:called|named)\b"
)
MOST_OFFERED = 8  # places of one domain in one answer
_PARTS = re.compile(r",? \b(?:but|however)\b|;")


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
        said = _without_denied(exchange.system)
        named = city.named_in(said)
        recited = _recited(named)
        for domain, row in (*named, *city.houses_in(said)):
            if domain not in recited:
                note(domain, row, number)
    for booking in bookings:
        for row in city.titled(booking.domain, booking.title):
            note(booking.domain, row, 0)
    return tuple(found.values())


def _recited(named: Iterable[tuple[str, Row]]) -> set[str]:
    """The domains of which so much is named at once that nothing is offered: who recites everything is always right."""
    titles = {(domain, known(row, domain_of(domain).title)) for domain, row in named}
    counts = Counter(domain for domain, _ in titles)
    return {domain for domain, count in counts.items() if count > MOST_OFFERED}


def _without_denied(text: str) -> str:
    """A text without the parts that say that there is no such thing: a name in them is no offer."""
    parts = (part for sentence in sentences(text) for part in _PARTS.split(sentence))
    return "\n".join(part for part in parts if not _DENIED.search(folded(part)))


def achieved(dialogue: Dialogue) -> list[Came] | None:
    """What came of each domain of the goal; None where no database is known."""
    if not dialogue.has_rows:
        return None
    goal = told_goal(dialogue.goal)
    speech = Speech(dialogue)
    return [_came(goal, wish, speech) for wish in goal.wishes]


def succeeded(dialogue: Dialogue) -> bool | None:
    """Was all of the goal met? None where nobody can tell."""
    came = achieved(dialogue)
    if came is None or (not dialogue.has_office and _wants_booking(dialogue)):
        return None
    return all(one.success for one in came)


def _wants_booking(dialogue: Dialogue) -> bool:
    return any(wish.book or wish.domain == "taxi" for wish in told_goal(dialogue.goal).wishes)


def _came(goal: Goal, wish: Wish, speech: Speech) -> Came:
    dialogue = speech.dialogue
    if wish.domain == "taxi":
        return _came_of_taxi(goal, wish, speech)
    fitting = _fitting(wish, dialogue)
    inform = any(offer.exchange for offer in fitting)
    if not wish.book or not dialogue.has_office:
        named = [offer.row for offer in fitting if offer.exchange]
        return Came(wish.domain, inform, None, _told(wish, named, speech))
    kept = [one for one in dialogue.bookings if one.domain == wish.domain and _is_wanted(one, wish, fitting)]
    book = any(code_told(booking.reference, speech.text) for booking in kept)
    titles = {plain(booking.title) for booking in kept}
    rows = [offer.row for offer in fitting if plain(known(offer.row, domain_of(wish.domain).title)) in titles]
    return Came(wish.domain, inform, book, _told(wish, rows, speech))


def _fitting(wish: Wish, dialogue: Dialogue) -> list[Offer]:
    """The offers of a domain that meet what is finally wanted."""
    mine = [offer for offer in dialogue.offers if offer.domain == wish.domain]
    return [offer for offer in mine if all(meets(offer.row, *one) for one in wish.info.items())]


def _is_wanted(booking: Booking, wish: Wish, fitting: Sequence[Offer]) -> bool:
    titles = {plain(known(offer.row, domain_of(wish.domain).title)) for offer in fitting}
    details = all(same(booking.details.get(slot, ""), value) for slot, value in wish.book.items())
    return details and plain(booking.title) in titles


def _came_of_taxi(goal: Goal, wish: Wish, speech: Speech) -> Came:
    """A taxi is wanted from here to there at that time; its car and number are what is told."""
    dialogue = speech.dialogue
    if not dialogue.has_office:
        return Came(wish.domain, None, None, None)
    places = {slot: _places(goal, value, dialogue) for slot, value in wish.info.items()}
    right = [
        booking
        for booking in dialogue.bookings
        if booking.domain == "taxi"
        and all(_among(booking.details.get(slot, ""), wanted) for slot, wanted in places.items())
    ]
    request = _told(wish, [booking.details for booking in right], speech)
    return Came(wish.domain, None, bool(right), request)


def _places(goal: Goal, value: str, dialogue: Dialogue) -> list[str]:
    """The values that will do: of a place that was to be found, every title that was rightly offered."""
    wish = goal.wish(value.removeprefix(PLACE)) if value.startswith(PLACE) else None
    if wish is None:
        return [value]
    return [known(offer.row, domain_of(wish.domain).title) for offer in _fitting(wish, dialogue)]


def _among(value: str, wanted: Sequence[str]) -> bool:
    return any(same(value, one) for one in wanted)


def _told(wish: Wish, rows: Sequence[Row], speech: Speech) -> bool | None:
    """Were all values that the goal asks for told, of one and the same row?"""
    if not wish.requests:
        return None
    domain = domain_of(wish.domain)
    for row in rows:
        title = known(row, domain.title)
        text = speech.of(domain.name, title) if title and domain.rows else speech.text
        if all(is_told(slot, known(row, slot), text) for slot in wish.requests):
            return True
    return False
