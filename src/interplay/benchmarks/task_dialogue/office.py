"""The office of one dialogue: it looks things up, books, refuses what is full, and keeps a note of all of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from interplay.benchmarks.task_dialogue.city import (
    ARRIVE,
    DAYS,
    LEAVE,
    City,
    Row,
    domain_of,
    known,
    minutes,
    nights,
    plain,
)
from interplay.core.wire import digest_of

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
DIGITS = "23456789"
MOST_OTHERS = 3
TABLES = ("11:00", "21:45")  # when the first and the last table are taken
QUARTER = 15


@dataclass(frozen=True)
class Booking:
    """A booking that was made; of a taxi, its car and phone are in the details."""

    domain: str
    title: str
    details: Mapping[str, str]
    reference: str


@dataclass(frozen=True)
class Refusal:
    """A booking that was refused: why, what it asked for, and what is free instead."""

    domain: str
    title: str
    details: Mapping[str, str]
    why: str
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class LookUp:
    """A question to the database, and how many rows met it."""

    domain: str
    wanted: Mapping[str, str]
    found: int


@dataclass
class Office:
    """What a system has at hand. Where the database has nothing that is full, a goal says what is refused."""

    city: City
    salt: str  # of the dialogue, so that no two have the same references
    refused: Mapping[str, Mapping[str, str]] = field(
        default_factory=dict
    )  # of a domain: details that are refused
    made: list[Booking] = field(default_factory=list)
    turned_down: list[Refusal] = field(default_factory=list)
    looked_up: list[LookUp] = field(default_factory=list)

    def look_up(self, domain: str, wanted: Mapping[str, str]) -> list[Row]:
        """The rows that meet a wish, best first."""
        found = self.city.query(domain, wanted)
        self.looked_up.append(LookUp(domain, dict(wanted), len(found)))
        return found

    def book(self, domain: str, title: str, details: Mapping[str, str]) -> Booking | Refusal:
        """Book a place for these details, or say why not and what would be possible."""
        details = {
            slot: str(value).strip().casefold() for slot, value in details.items() if str(value).strip()
        }
        rows = self.city.titled(domain, title)
        if not rows and domain_of(domain).rows:
            return self._turn_down(domain, title, details, f"there is no {domain} called {title}")
        if problem := _problem(domain, details):
            return self._turn_down(domain, title, details, problem)
        if domain == "taxi":
            return self._order_taxi(details)
        row = rows[0]
        name = known(row, domain_of(domain).title)
        if not self.has_room(domain, row, details):
            others = tuple(self._others(domain, row, details))
            return self._turn_down(domain, name, details, f"{name} is fully booked for that", others)
        return self._make(domain, name, details)

    def _make(self, domain: str, title: str, details: Mapping[str, str], reference: str = "") -> Booking:
        made = Booking(domain, title, dict(details), reference or self._code(domain, title, *details.items()))
        self.made.append(made)
        return made

    def _turn_down(
        self, domain: str, title: str, details: Mapping[str, str], why: str, others: tuple[str, ...] = ()
    ) -> Refusal:
        refusal = Refusal(domain, title, dict(details), why, others)
        self.turned_down.append(refusal)
        return refusal

    def _order_taxi(self, details: dict[str, str]) -> Booking:
        """A taxi is always to be had: a colour, a make and a phone number that the dialogue decides."""
        offer = next(iter(self.city.rows.get("taxi", ())), {})
        drawn = int(digest_of([self.salt, sorted(details.items())])[:12], 16)
        colours, makes = offer.get("taxi_colors") or ["black"], offer.get("taxi_types") or ["saloon"]
        car = f"{colours[drawn % len(colours)]} {makes[drawn // 64 % len(makes)]}"
        phone = f"016329609{drawn // 4096 % 100:02}"  # of the numbers that are set aside for fiction
        return self._make("taxi", car, {**details, "car type": car, "phone": phone})

    def _code(self, *about: object) -> str:
        """A reference: letters and digits in turn, so that it is no word and no number."""
        drawn = int(digest_of([self.salt, len(self.made), [str(one) for one in about]])[:24], 16)
        code = ""
        for place in range(8):
            alphabet = DIGITS if place % 2 else LETTERS
            drawn, left = divmod(drawn, len(alphabet))
            code += alphabet[left]
        return code

    def has_room(self, domain: str, row: Row, details: Mapping[str, str]) -> bool:
        """Is a place to be had for these details, by the city and by what the goal says?"""
        refused = self.refused.get(domain)
        if refused and all(plain(details.get(slot, "")) == plain(value) for slot, value in refused.items()):
            return False
        return is_free(self.city, domain, row, details)

    def _others(self, domain: str, row: Row, details: Mapping[str, str]) -> list[str]:
        """What is free instead: the same place at another time, or on other days."""

        def free(change: Mapping[str, str]) -> bool:
            return self.has_room(domain, row, {**details, **change})

        return others(domain, details, free)[:MOST_OTHERS]


def is_free(city: City, domain: str, row: Row, details: Mapping[str, str]) -> bool:
    """Is a place to be had by what the city has booked out?"""
    full = city.full.get(domain, {})
    if domain == "train":
        seats = full.get(known(row, "trainID"))
        return seats is None or int(seats) >= int(details["people"])
    taken = full.get(str(row.get("id", "")), ())
    if domain == "hotel":
        return not any(night in taken for night in nights(details["day"], details["stay"]))
    return f"{details['day']} {details['time']}" not in taken if domain == "restaurant" else True


def others(domain: str, details: Mapping[str, str], free: Callable[[Mapping[str, str]], bool]) -> list[str]:
    """Other times of the same day, nearest first; fewer nights, then other days."""
    if domain == "restaurant":
        wanted = minutes(details["time"]) or 0
        first, last = (minutes(end) or 0 for end in TABLES)
        times = sorted(range(first, last + 1, QUARTER), key=lambda time: (abs(time - wanted), time))
        clocks = [f"{time // 60:02}:{time % 60:02}" for time in times]
        return [f"{details['day']} at {clock}" for clock in clocks if free({"time": clock})]
    if domain == "hotel":
        shorter = [str(stay) for stay in range(int(details["stay"]) - 1, 0, -1) if free({"stay": str(stay)})]
        days = [day for day in DAYS if day != details["day"] and free({"day": day})]
        return [
            f"{stay} {'night' if stay == '1' else 'nights'} from {details['day']}" for stay in shorter[:1]
        ] + [f"from {day}" for day in days]
    return []


def _problem(domain: str, details: Mapping[str, str]) -> str:
    """What keeps a booking from being made whatever the place; empty if nothing does."""
    if domain == "taxi":
        missing = [slot for slot in ("departure", "destination") if slot not in details]
        if not (details.keys() & {LEAVE, ARRIVE}):
            missing.append("leaveAt or arriveBy")
        return f"a taxi needs {' and '.join(missing)}" if missing else ""
    wanted = domain_of(domain).book
    if not wanted:
        return f"nothing is booked in the domain {domain}"
    if missing := [slot for slot in wanted if slot not in details]:
        return f"a booking of a {domain} needs {', '.join(missing)}"
    return out_of_form(details)


def out_of_form(details: Mapping[str, str]) -> str:
    """What of these details is no number, day or time; empty if all are."""
    for slot, value in details.items():
        if slot in ("people", "stay") and not (
            value.isascii() and value.isdecimal() and 0 < int(value) < 100
        ):
            return f"{slot} must be a number from 1 to 99, not {value!r}"
        if slot == "day" and value not in DAYS:
            return f"day must be one of {', '.join(DAYS)}, not {value!r}"
        if slot == "time" and minutes(value) is None:
            return f"time must be as in 18:30, not {value!r}"
    return ""
