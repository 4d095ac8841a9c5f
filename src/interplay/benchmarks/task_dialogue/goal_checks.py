"""What a goal must be like: its wishes against a city, and no two alike; each complaint is one clause."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from interplay.benchmarks.task_dialogue.city import (
    ARRIVE,
    LEAVE,
    City,
    domain_of,
    known,
    plain,
)
from interplay.benchmarks.task_dialogue.goals import PLACE, Goal, Wish
from interplay.benchmarks.task_dialogue.message_checks import about_message
from interplay.benchmarks.task_dialogue.office import TABLES, is_free, out_of_form

VENUES = ("restaurant", "hotel", "attraction")
TAXI_REQUESTS = ("car type", "phone")


def unmet(goal: Goal, city: City) -> list[str]:
    """Why the city cannot give a user what the goal finally asks for; empty where it can."""
    found = []
    for wish in goal.wishes:
        if not domain_of(wish.domain).rows:
            continue
        rows = city.query(wish.domain, wish.info)
        if not rows:
            found.append(f"no {wish.domain} meets what is wanted: {_told(wish.info)}")
        elif wish.book and (problem := _out_of_form(wish.domain, wish.book)):
            found.append(problem)
        elif wish.book and not any(is_free(city, wish.domain, row, wish.book) for row in rows):
            found.append(f"every {wish.domain} that meets the wish is full for {_told(wish.book)}")
        else:
            found += [
                f"no {wish.domain} that meets the wish has {slot}"
                for slot in wish.requests
                if not any(known(row, slot) for row in rows)
            ]
    return found


def _out_of_form(domain: str, book: Mapping[str, str]) -> str:
    """Why nobody could book this, whatever is free; empty if one could."""
    wanted = domain_of(domain).book
    if not wanted or book.keys() != set(wanted):
        by = ", ".join(wanted) or "nothing"
        return f"a {domain} is booked by {by}, not by {', '.join(book)}"
    return out_of_form(book)


def about_wishes(goal: Goal, city: City) -> list[str]:
    """What is wrong with the wishes of a goal that is to be fair: its success must not hang on luck."""
    found = unmet(goal, city)
    for wish in goal.wishes:
        found += _about_taxi(wish, goal, city) if wish.domain == "taxi" else _about_rows(wish, city)
        found += [
            f"the {wish.domain}'s {slot} is asked for, but the wish gives it away"
            for slot in wish.requests
            if slot in wish.info or slot in wish.first_info
        ]
        if not wish.requests and not wish.book:
            found.append(f"nothing is asked for or booked of the {wish.domain}")
    return found


def _about_rows(wish: Wish, city: City) -> Iterator[str]:
    domain, known_slots = wish.domain, city.search_slots(wish.domain)
    if domain not in city.rows:
        yield f"the city has no {domain}"
        return
    for slot in dict.fromkeys((*wish.info, *wish.first_info)):
        if slot not in known_slots:
            yield f"a {domain} is not looked for by {slot}"
    rows = city.query(domain, wish.info)
    if wish.first_info:
        slots = wish.info.keys() | wish.first_info.keys()
        changed = sum(wish.info.get(slot) != wish.first_info.get(slot) for slot in slots)
        if met := len(city.query(domain, wish.first_info)):
            yield f"the first wish for a {domain} should fail, and {met} rows meet it: {_told(wish.first_info)}"
        if not 1 <= changed <= 2:
            yield f"the first and the second wish for a {domain} differ in {changed} slots, not 1 or 2"
    for slot in wish.requests:
        if not all(known(row, slot) for row in rows):
            yield f"a {domain} that meets the wish has no {slot}"
    yield from _about_booking(wish, city)


def _about_booking(wish: Wish, city: City) -> Iterator[str]:
    domain, rows = wish.domain, city.query(wish.domain, wish.info)
    if not wish.book or _out_of_form(domain, wish.book):
        return  # nothing is booked, or it was told that nobody could book it
    if wish.first_book and (problem := _out_of_form(domain, wish.first_book)):
        yield problem
        return
    for booking in filter(None, (wish.first_book, wish.book)):
        if domain == "restaurant" and not TABLES[0] <= booking["time"] <= TABLES[1]:
            yield f"no table is to be had at {booking['time']}"
    if full := [row for row in rows if not is_free(city, domain, row, wish.book)]:
        yield f"{len(full)} of {len(rows)} rows that meet the wish for a {domain} are full for {_told(wish.book)}"
    if wish.first_book and any(is_free(city, domain, row, wish.first_book) for row in rows):
        yield f"the first booking of a {domain} should be refused, and is possible: {_told(wish.first_book)}"


def _about_taxi(wish: Wish, goal: Goal, city: City) -> Iterator[str]:
    ends = [wish.info.get(end, "") for end in ("departure", "destination")]
    for end in ends:
        domain = end.removeprefix(PLACE)
        if end.startswith(PLACE) and (domain not in VENUES or goal.wish(domain) is None):
            yield f"the taxi goes to or from {end}, and the goal has no such place"
        elif not end.startswith(PLACE) and not any(city.titled(venue, end) for venue in VENUES):
            yield f"the taxi goes to or from {end!r}, which is no place of the city"
    if plain(ends[0]) == plain(ends[1]):
        yield "the taxi ends where it starts"
    if len(wish.info.keys() & {LEAVE, ARRIVE}) != 1:
        yield "the taxi needs the time to leave or the time to arrive"
    if wish.book or wish.first_info or not set(wish.requests) <= set(TAXI_REQUESTS):
        yield f"of a taxi one asks {' and '.join(TAXI_REQUESTS)} alone"


def _told(slots: Mapping[str, str]) -> str:
    return ", ".join(f"{slot} {value}" for slot, value in slots.items())


def about(goal: Goal, city: City) -> list[str]:
    """All that is wrong with a goal by itself."""
    return [*about_wishes(goal, city), *about_message(goal, city)]


class Shelf:
    """The goals that are there already: no two ask for the same, whatever their words."""

    def __init__(self, goals: Iterable[Goal] = ()):
        self._known: dict[object, str] = {}
        for goal in goals:
            self.put(goal.wishes, goal.id)

    def put(self, wishes: Sequence[Wish], name: str) -> None:
        self._known.setdefault(_content_of(wishes), name)

    def about(self, wishes: Sequence[Wish]) -> list[str]:
        name = self._known.get(_content_of(wishes))
        return [f"it asks for the same as {name}"] if name else []


def _content_of(wishes: Sequence[Wish]) -> object:
    """What is asked for, whatever the order and whatever is asked about it."""
    return frozenset(
        (
            wish.domain,
            *(frozenset(slots.items()) for slots in (wish.info, wish.first_info, wish.book, wish.first_book)),
        )
        for wish in wishes
    ), frozenset((wish.domain, frozenset(wish.requests)) for wish in wishes)
