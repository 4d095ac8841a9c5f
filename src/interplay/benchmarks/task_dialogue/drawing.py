"""Drawing goals from a city by a seed: which domains, which wishes, and which of them fail at first."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from interplay.benchmarks.task_dialogue.city import (
    ARRIVE,
    DAYS,
    DONTCARE,
    LEAVE,
    City,
    Row,
    known,
    minutes,
    nights,
)
from interplay.benchmarks.task_dialogue.goal_checks import TAXI_REQUESTS, VENUES, Shelf, about_wishes
from interplay.benchmarks.task_dialogue.goal_plans import ALSO_ASKED, SERVICES, Plan, plan_of
from interplay.benchmarks.task_dialogue.goals import PLACE, Goal, Wish
from interplay.benchmarks.task_dialogue.message_checks import hub_of
from interplay.benchmarks.task_dialogue.office import is_free
from interplay.core.failures import Mistake

MOST_TRIES, TRIES_OF_A_PLAN = 4_000, 500
_TABLES = (
    "12:00", "12:15", "12:30", "12:45", "13:00", "13:15", "13:30", "17:30", "17:45", "18:00", "18:15", "18:30",
    "18:45", "19:00", "19:15", "19:30", "19:45", "20:00", "20:15", "20:30",
)  # fmt: skip
_SLOTS: Mapping[str, tuple[str, ...]] = {
    "restaurant": ("food", "area", "pricerange"),
    "hotel": ("area", "pricerange", "type", "stars", "internet", "parking"),
    "attraction": ("type", "area"),
}
_COUNTS: Mapping[str, tuple[int, ...]] = {
    "restaurant": (2, 2, 2, 3, 3),
    "hotel": (2, 3, 3, 4),
    "attraction": (1, 2, 2),
}
# What is asked about a place, and how often compared with the rest.
_ASKED: Mapping[str, Mapping[str, int]] = {
    "restaurant": {"phone": 2, "postcode": 2, "address": 2, "food": 1, "pricerange": 1, "area": 1},
    "hotel": {"phone": 2, "postcode": 1, "address": 1, "stars": 1, "parking": 1, "internet": 1, "type": 1}
    | {"area": 1, "pricerange": 1},
    "attraction": {
        "phone": 1,
        "postcode": 1,
        "address": 1,
        "entrance fee": 2,
        "openhours": 1,
        "area": 1,
        "type": 1,
    },
    "train": {"duration": 2, "price": 2, "trainID": 1, LEAVE: 1, ARRIVE: 1},
    "hospital": {"phone": 1, "address": 1, "postcode": 1, "name": 1},
    "police": {"phone": 1, "address": 1, "postcode": 1, "name": 1},
}
# Between which hours taxis go to and from a place.
_HOURS = {"restaurant": (12, 21), "hotel": (8, 22), "attraction": (10, 18), "nightclub": (20, 23)}
_IN_ORDER = ("hotel", "restaurant", "attraction", *SERVICES, "train", "taxi")  # each fits those before it
Absent = Mapping[str, Sequence[str]]


def draw_goals(
    city: City, absent: Absent, count: int, seed: str, taken: Sequence[Goal] = ()
) -> Iterator[tuple[Wish, ...]]:
    """The wishes of so many goals, no two of which are alike; absent are names and foods that the city has not."""
    for domain in _IN_ORDER:
        if not city.rows.get(domain):
            raise Mistake(f"the city has no {domain}, and goals are drawn from all of {', '.join(_IN_ORDER)}")
    shelf = Shelf(taken)
    for number in range(1, count + 1):
        wishes = _drawn_goal(city, absent, number, seed, shelf)
        shelf.put(wishes, f"goal {number}")
        yield wishes


def _drawn_goal(city: City, absent: Absent, number: int, seed: str, shelf: Shelf) -> tuple[Wish, ...]:
    """What kind of goal it is comes first; what it asks for is drawn until the city has it, or else another kind."""
    for attempt in range(MOST_TRIES):
        plan = plan_of(number, seed, take=attempt // TRIES_OF_A_PLAN)
        rng = Random(f"{seed}/goal {number}/{attempt}")  # noqa: S311  # draws goals, guards nothing
        wishes = Drawer(city, absent, plan, rng).wishes()
        if wishes and not about_wishes(Goal("", wishes, ()), city) and not shelf.about(wishes):
            return wishes
    raise Mistake(f"the city is too small for a goal with {', '.join(plan.domains)}")


class Drawer:
    """Draws one goal whose parts fit together: one group of people, days in order, a taxi in time."""

    def __init__(self, city: City, absent: Absent, plan: Plan, rng: Random):
        self.city, self.absent, self.plan, self.rng = city, absent, plan, rng
        self.made: dict[str, Wish] = {}

    def wishes(self) -> tuple[Wish, ...]:
        """The goal's wishes in the order in which they are told; empty where the draw came to nothing."""
        for domain in _IN_ORDER:
            if domain in self.plan.domains:
                wish = self._wish(domain)
                if wish is None:
                    return ()
                self.made[domain] = wish
        return tuple(self.made[domain] for domain in self.plan.domains)

    def _chance(self, share: float) -> bool:
        return self.rng.random() < share

    def _wish(self, domain: str) -> Wish | None:
        if domain in VENUES:
            return self._venue(domain)
        if domain == "train":
            return self._train()
        if domain == "taxi":
            info = self._taxi()
            return Wish(domain, info, {}, {}, {}, TAXI_REQUESTS) if info else None
        return self._service(domain)

    def _venue(self, domain: str) -> Wish | None:
        """A restaurant, a hotel or an attraction, by its name or by what it is like."""
        row = self.rng.choice(self._near_another(domain))
        fails, refused = domain == self.plan.fails, domain == self.plan.refused
        first: dict[str, str] | None = {}
        if domain in self.plan.named:
            info = {"name": known(row, "name")}
            first = {"name": self.rng.choice(self.absent[domain])} if fails else {}
        else:
            info = self._likings(domain, row)
            first = self._first_wish(domain, info, row) if fails else {}
        if first is None:
            return None
        first_book: dict[str, str] = {}
        book: dict[str, str] = {}
        if refused:
            first_book, book = self._two_bookings(domain, info)
            if not book:
                return None
        elif domain in self.plan.booked and domain != "attraction":
            book = self._booking(domain)
        asked = self._asked(domain, {**info, **first}, booked=bool(book))
        return Wish(domain, info, first, book, first_book, asked)

    def _near_another(self, domain: str) -> Sequence[Row]:
        """All rows; or those of the area where another place of the goal is."""
        areas, rows = self._areas(), self.city.rows[domain]
        return [row for row in rows if known(row, "area") in areas] or rows

    def _areas(self) -> list[str]:
        """The areas of other places of the goal, where it is to stay in one."""
        found = [wish.info.get("area", DONTCARE) for wish in self.made.values()] if self.plan.near else []
        return [area for area in found if area != DONTCARE]

    def _likings(self, domain: str, row: Row) -> dict[str, str]:
        """A few slots of a row, as a wish that it meets; now and then one of which any value will do."""
        wanted = [slot for slot in _SLOTS[domain] if known(row, slot) not in ("", "no", "0")]
        slots = self.rng.sample(wanted, min(self.rng.choice(_COUNTS[domain]), len(wanted)))
        if self._areas() and "area" not in slots:
            slots[0] = "area"
        info = {slot: known(row, slot) for slot in _SLOTS[domain] if slot in slots}
        if domain in self.plan.indifferent:
            open_to = [slot for slot in _SLOTS[domain] if slot not in ("internet", "parking")]
            others = [slot for slot in open_to if slot not in info] or open_to
            info[self.rng.choice(others)] = DONTCARE
        return info

    def _first_wish(self, domain: str, info: dict[str, str], row: Row) -> dict[str, str] | None:
        """A wish like this one that nothing in the city meets; one for parking or wifi changes this one to without."""
        slots = self.plan.changed
        if slots[0] in ("internet", "parking"):
            if known(row, slots[0]) != "no":
                return None
            info[slots[0]] = "no"
        if any(info.get(slot, DONTCARE) == DONTCARE for slot in slots):
            return None
        first = dict(info)
        for slot in slots:
            values = [*self.city.values(domain, slot), *(self.absent["food"] if slot == "food" else ())]
            first[slot] = self.rng.choice([one for one in values if one not in (info[slot], "0")] or [""])
        return first if all(first.values()) and not self.city.query(domain, first) else None

    def _booking(self, domain: str) -> dict[str, str]:
        """A booking for the group of the goal, within its stay where it has one."""
        if domain == "hotel":
            return {
                "people": self.plan.people,
                "day": self.rng.choice(DAYS),
                "stay": str(self.rng.choice((1, 2, 2, 3, 3, 4, 5))),
            }
        stay = self.made["hotel"].book if "hotel" in self.made else {}
        days = nights(stay["day"], stay["stay"]) if stay else DAYS
        day = days[0] if stay and self._chance(0.5) else self.rng.choice(days)
        return {"people": self.plan.people, "day": day, "time": self.rng.choice(_TABLES)}

    def _two_bookings(self, domain: str, info: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
        """A booking that every place of the wish must refuse, and one that none does; empty where there are none."""
        rows = self.city.query(domain, info)
        nothing: tuple[dict[str, str], dict[str, str]] = ({}, {})
        other = "time" if domain == "restaurant" else "stay"
        kept, changed = ("day", other) if self.plan.kept else (other, "day")
        for _ in range(40):
            first, last = self._booking(domain), self._booking(domain)
            last[kept] = first[kept]
            if not _instead(changed, first[changed], last[changed]):
                continue
            if any(is_free(self.city, domain, row, first) for row in rows):
                continue
            if all(is_free(self.city, domain, row, last) for row in rows):
                return first, last
        return nothing

    def _asked(self, domain: str, given: Mapping[str, str], *, booked: bool) -> tuple[str, ...]:
        """The slots that are asked for: always some where nothing is booked."""
        if booked and not self._chance(ALSO_ASKED):
            return ()
        free = [slot for slot, often in _ASKED[domain].items() for _ in range(often) if slot not in given]
        count = self.rng.choice((1, 1, 2) if booked else (1, 2, 2, 3))
        found: list[str] = []
        while free and len(found) < count:
            found.append(self.rng.choice(free))
            free = [slot for slot in free if slot not in found]
        return tuple(found)

    def _service(self, domain: str) -> Wish:
        """The police or the hospital: a department, a station, or whichever there is."""
        row = self.rng.choice(self.city.rows[domain])
        slot = "department" if domain == "hospital" else "name"
        searched = slot in self.city.search_slots(domain)
        named = searched and self._chance(0.75 if domain == "hospital" else 0.35)
        info = {slot: known(row, slot)} if named else {}
        pool = [one for one in _ASKED[domain] if known(row, one) and one not in info]
        if domain == "hospital":
            # Without a department there is no one number; with one, nobody asks for the hospital's name.
            pool.remove("name" if info else "phone")
        asked = self.rng.sample(pool, min(self.rng.choice((1, 2, 2, 3)), len(pool)))
        return Wish(domain, info, {}, {}, {}, tuple(asked))

    def _train(self) -> Wish | None:
        """A train to or from the city that suits the bookings of the goal."""
        hub = hub_of(self.city)
        arriving = self.plan.arriving
        towns = [one for one in self.city.values("train", "departure") if one != hub]
        if not towns:
            return None
        town = self.rng.choice(towns)
        ends = dict(zip(("departure", "destination"), (town, hub) if arriving else (hub, town), strict=True))
        day, earliest, latest = self._day_of_travel(arriving=arriving)
        rows = [
            row
            for row in self.city.query("train", {**ends, "day": day})
            if earliest <= _clock(row, LEAVE) < _clock(row, ARRIVE) <= latest
            and abs(_clock(row, LEAVE) - self.plan.hour * 60) <= 90
        ]
        if not rows:
            return None
        row, slot = self.rng.choice(rows), self.plan.timed_by
        limit = _clock(row, slot) // 15 * 15 if slot == LEAVE else -(-_clock(row, slot) // 15) * 15
        info = {**ends, "day": day, slot: f"{limit // 60:02}:{limit % 60:02}"}
        book = {"people": self.plan.people} if "train" in self.plan.booked else {}
        return Wish("train", info, {}, book, {}, self._asked("train", info, booked=bool(book)))

    def _day_of_travel(self, *, arriving: bool) -> tuple[str, int, int]:
        """The day, and between which minutes of it one can travel."""
        dawn, night = 6 * 60, 22 * 60 + 30
        hotel = self.made["hotel"].book if "hotel" in self.made else {}
        table = self.made["restaurant"].book if "restaurant" in self.made else {}
        if hotel:
            day = hotel["day"] if arriving else _days_on(hotel["day"], int(hotel["stay"]))
            if arriving and table and table["day"] == day:
                return day, dawn, _minutes(table["time"]) - 60
            return day, dawn, night
        if not table:
            return self.rng.choice(DAYS), dawn, night
        if arriving:
            if self._chance(0.6):
                return table["day"], dawn, _minutes(table["time"]) - 60
            return _days_on(table["day"], -1), dawn, night
        if _minutes(table["time"]) < 15 * 60:
            return table["day"], _minutes(table["time"]) + 120, night
        return _days_on(table["day"], 1), dawn, night

    def _taxi(self) -> dict[str, str]:
        """A taxi between two places of the goal, or any, at an hour that suits both; empty where there is none."""
        ends = [(domain, f"{PLACE}{domain}") for domain in VENUES if domain in self.made]
        self.rng.shuffle(ends)
        while len(ends) < 2:
            domain = self.rng.choice([one for one in VENUES if one not in self.made])
            place = self.rng.choice(self.city.rows[domain])
            ends.insert(self.rng.randrange(2), (domain, known(place, "name")))
        info = {"departure": ends[0][1], "destination": ends[1][1]}
        table = self.made["restaurant"].book if "restaurant" in self.made else {}
        if table and ends[1][0] == "restaurant":
            return {**info, ARRIVE: table["time"]}
        if table and ends[0][0] == "restaurant":
            return {**info, LEAVE: _later(table["time"], self.rng.randrange(90, 151, 15))}
        hours = [self._hours(*end) for end in ends]
        opens, closes = max(first for first, _ in hours), min(last for _, last in hours)
        if opens >= closes:
            return {}
        time = self.rng.randrange(opens * 60, closes * 60, 15)
        return {**info, self.rng.choice((LEAVE, LEAVE, ARRIVE)): _later("00:00", time)}

    def _hours(self, domain: str, place: str) -> tuple[int, int]:
        """When a taxi to or from a place makes sense."""
        info = self.made[domain].info if place.startswith(PLACE) else {"name": place}
        kinds = {known(row, "type") for row in self.city.query(domain, info)}
        return _HOURS["nightclub" if kinds == {"nightclub"} else domain]


def _instead(slot: str, first: str, last: str) -> bool:
    """Would a person who wanted the one take the other: a table at about that time, fewer nights, another day?"""
    if slot == "time":
        return 0 < abs(_minutes(first) - _minutes(last)) <= 120
    return int(last) < int(first) if slot == "stay" else first != last


def _minutes(clock: str) -> int:
    return minutes(clock) or 0


def _clock(row: Row, slot: str) -> int:
    return _minutes(known(row, slot))


def _days_on(day: str, count: int) -> str:
    return DAYS[(DAYS.index(day) + count) % 7]


def _later(clock: str, more: int) -> str:
    time = _minutes(clock) + more
    return f"{time // 60:02}:{time % 60:02}"
