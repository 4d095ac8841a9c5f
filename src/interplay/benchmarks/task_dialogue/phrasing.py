"""Turning wishes into a message in words: sentences out of hand-written wordings, their key phrases marked."""

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

from interplay.benchmarks.task_dialogue.city import ARRIVE, LEAVE, no_matter
from interplay.benchmarks.task_dialogue.goal_checks import VENUES
from interplay.benchmarks.task_dialogue.goal_plans import SERVICES
from interplay.benchmarks.task_dialogue.goals import PLACE, Wish
from interplay.benchmarks.task_dialogue.phrase_book import both, counted, fill, joined, phrases

SAME, MANNERS = 0.8, 0.3  # how often another part is referred to, and how often the user's manner is told
# Of a hospital: one says the stroke unit, but cardiology.
_WITH_ARTICLE = ("department", "ward", "unit", "clinic", "team")
_DISHES = ("seafood", "sushi", "tapas")  # foods that are not followed by the word food
_ONCE = ("of the place", "exact", "full")  # in one list of requests


def tell(wishes: Sequence[Wish], city: str, rng: Random, avoid: Iterable[str] = ()) -> tuple[str, ...]:
    """The message of a goal: who the user is, then each wish in turn; no wording comes twice in it.

    Sentences that are to be avoided, such as the openings of other goals, come only where there are no others.
    """
    return tuple(Teller(wishes, city, rng, avoid).sentences())


class Teller:
    """Tells one goal, and knows what it has told before."""

    def __init__(self, wishes: Sequence[Wish], city: str, rng: Random, avoid: Iterable[str] = ()):
        self.wishes, self.city, self.rng = wishes, city.title(), rng
        self.told: list[Wish] = []
        self._used = set(avoid)

    def sentences(self) -> list[str]:
        found = [self._pick([fill(one, city=self.city) for one in self._openings()])]
        for wish in self.wishes:
            found += self._part(wish)
            self.told.append(wish)
        if self._chance(MANNERS) and self.wishes[0].domain not in SERVICES:
            found.append(self._pick(phrases()["manners"]["any"]))
        return [sentence[0].upper() + sentence[1:] for sentence in found]

    def _chance(self, share: float) -> bool:
        return self.rng.random() < share

    def _pick(self, wordings: Sequence[str]) -> str:
        """One of the wordings: none that was used, or that begins as one did, as long as there are others."""
        new = [one for one in wordings if one not in self._used]
        found = self.rng.choice(
            [one for one in new if _start(one) not in self._used] or new or list(wordings)
        )
        self._used |= {found, _start(found)}
        return found

    def _lead(self, table: Mapping[str, Sequence[str]]) -> str:
        return self._pick(table["also" if self.told else "first"])

    def _openings(self) -> list[str]:
        """The openings that suit the goal: by its trouble, its group, and where the user is."""
        known: Mapping[str, list[str]] = phrases()["openings"]
        for service in ("police", "hospital"):
            if any(wish.domain == service for wish in self.wishes):
                return known[service]
        people = {int(wish.book["people"]) for wish in self.wishes if wish.book}
        if people and self._chance(0.3):
            count = max(people)
            return known["alone" if count == 1 else "pair" if count == 2 else "group"]
        company = [] if people == {1} else known["company"]
        return [*known["any"], *company, *known[self._whereabouts()]]

    def _whereabouts(self) -> str:
        """Is the user on the way to the city, there as a guest, or at home in it?"""
        going = [wish.info["destination"] for wish in self.wishes if wish.domain == "train"]
        if self.city.lower() in going:
            return "coming"
        guest = any(wish.domain == "hotel" for wish in self.wishes)
        away = guest and not going and self.wishes[0].domain != "taxi"
        return self.rng.choice(
            ("here", "here", "coming") if away else ("here",) if guest else ("here", "local")
        )

    def _part(self, wish: Wish) -> list[str]:
        """All that is said of one wish, in the order in which a user needs it."""
        if wish.domain in VENUES:
            found = self._venue(wish)
        elif wish.domain == "train":
            found = self._train(wish)
        elif wish.domain == "taxi":
            found = self._taxi(wish)
        else:
            found = [self._service(wish)]
        if wish.book:
            found += self._booking(wish)
        return [*found, self._requests(wish)] if wish.requests else found

    def _venue(self, wish: Wish) -> list[str]:
        wanted, domain = wish.first_info or wish.info, wish.domain
        if "name" in wanted:
            np = fill(self._pick(phrases()["named"][domain]), value=wanted["name"])
            found = [fill(self._lead(phrases()["lead_named"]), np=np)]
        else:
            np, more = self._described(wish, wanted)
            found = [fill(self._lead(phrases()["lead"]), np=np), *more]
        for slot, value in wanted.items():
            if no_matter(value):
                found.append(
                    self._pick(phrases()["any"][f"{domain}_type" if slot == "type" else slot]["any"])
                )
        if "name" in wish.first_info:
            found.append(fill(self._pick(phrases()["second"]["named"]), value=wish.info["name"]))
        elif wish.first_info:
            found.append(fill(self._pick(phrases()["second"]["any"]), other=self._other(wish)))
        return found

    def _described(self, wish: Wish, wanted: Mapping[str, str]) -> tuple[str, list[str]]:
        """A noun phrase for what is wanted, and the sentence that says what did not fit into it."""
        domain = wish.domain
        slots = [slot for slot, value in wanted.items() if not no_matter(value)]
        self.rng.shuffle(slots)
        head, whole = self._pick(phrases()["heads"][domain]), False
        if "type" in slots and (domain == "attraction" or self._chance(0.8)):
            slots.remove("type")
            whole = domain == "attraction"
            head = self._kind(wanted["type"]) if whole else f"**{wanted['type']}**"
        before = after = ""
        for slot in list(slots):
            table = self._wordings(wish, slot, wanted[slot])
            if not whole and not before and "before" in table and self._chance(0.5):
                before = f"{self._pick(table['before'])} "
                head = "restaurant" if slot == "food" else head
            elif not after and "after" in table and self._chance(0.6):
                after = f" {self._pick(table['after'])}"
            else:
                continue
            slots.remove(slot)
        does = [self._pick(self._wordings(wish, slot, wanted[slot])["does"]) for slot in slots]
        within = does[:2] if does and (len(does) > 2 or self._chance(0.4)) else []
        rest = does[len(within) :]
        np = f"{head if whole else '{a} ' + before + head}{after}"
        if within:
            np += f" that {both(within, 0)}"
        return fill(np), [fill(self._pick(phrases()["should"]["first"]), does=both(rest, 1))] if rest else []

    def _kind(self, value: str) -> str:
        kinds: Mapping[str, list[str]] = phrases()["kinds"]
        return fill(self._pick(kinds.get(value, kinds["default"])), value=value)

    def _wordings(self, wish: Wish, slot: str, value: str) -> dict[str, list[str]]:
        """The wordings for a slot with this value, its value filled in."""
        tables: Mapping[str, Any] = phrases()["slot"]
        key = f"no_{slot}" if value == "no" else slot
        table = tables.get(wish.domain, {}).get(key) or tables["any"].get(value) or tables["any"].get(slot)
        earlier = self._same_as(wish, slot, value)
        if earlier:
            table = tables["any"][f"same_{slot}"]
        values = {
            "value": value,
            "earlier": earlier,
            "food": f"**{value}**" if value in _DISHES else f"**{value}** food",
            "stars": counted(value, "star", "stars"),
        }
        return {where: [fill(one, **values) for one in wordings] for where, wordings in table.items()}

    def _same_as(self, wish: Wish, slot: str, value: str) -> str:
        """What an earlier wish with the same value can be called, where one may say that it is the same."""
        if slot not in ("area", "pricerange") or slot in _changed(wish.first_info, wish.info):
            return ""
        alike = [one for one in self.told if one.info.get(slot) == value]
        others = [one for one in self.told if slot in one.info and one not in alike]
        if len(alike) != 1 or others or slot in _changed(alike[0].first_info, alike[0].info):
            return ""
        # Drawn by the wish and not anew, since it is asked more than once.
        return self._called(alike[0]) if Random(f"{wish}").random() < SAME else ""  # noqa: S311  # guards nothing

    def _called(self, wish: Wish, otherwise: str = "place where you will stay") -> str:
        """What a place that was found is called afterwards."""
        kind = wish.info.get("type", "")
        if kind and not no_matter(kind) and kind not in ("architecture", "entertainment", "sports"):
            return kind
        return otherwise if wish.domain == "hotel" else wish.domain

    def _other(self, wish: Wish) -> str:
        """What is asked for instead."""
        slots = sorted(_changed(wish.first_info, wish.info))
        if slots == ["type"]:
            value = wish.info["type"]
            return self._kind(value) if wish.domain == "attraction" else fill(f"{{a}} **{value}**")
        tables = [self._wordings(wish, slot, wish.info[slot]) for slot in slots]
        if len(slots) > 1:
            return f"one that {both([self._pick(table['does']) for table in tables], 0)}"
        where = self.rng.choice(list(tables[0]))
        wording = self._pick(tables[0][where])
        if where == "before":
            return fill(f"{{a}} {wording} {'restaurant' if slots == ['food'] else 'one'}")
        return f"one {wording}" if where == "after" else f"one that {both([wording], 0)}"

    def _booking(self, wish: Wish) -> list[str]:
        """The booking, first as it will fail where it will; and its reference."""
        first = wish.first_book or wish.book
        words, values = phrases()["booked"], {}
        same = self._same_people(wish)
        people = self._pick(words["same_people"]) if same else words["people"][0]
        values["people"] = fill(people, people=counted(first["people"], "person", "people"))
        if "day" in first:
            day = words["same_day"][0] if self._is_same_day(wish, first["day"]) else words["day"][0]
            values["day"] = fill(day, value=first["day"])
        if "time" in first:
            values["time"] = fill(words["time"][0], value=first["time"])
        if "stay" in first:
            values["stay"] = f"**{counted(first['stay'], 'night', 'nights')}**"
        found = [fill(self._pick(phrases()["book"][wish.domain]), **values)]
        for slot in sorted(_changed(wish.first_book, wish.book)):
            stay = counted(wish.book.get("stay", ""), "night", "nights")
            found.append(fill(self._pick(phrases()["rebook"][slot]), value=wish.book[slot], stay=stay))
        return [*found, self._pick(phrases()["reference"]["any"])]

    def _same_people(self, wish: Wish) -> bool:
        earlier = {one.book["people"] for one in self.told if one.book}
        return earlier == {wish.book["people"]} and earlier != {"1"} and self._chance(SAME)

    def _is_same_day(self, wish: Wish, day: str) -> bool:
        """Is it the one day that was told of, and will it stay so?"""
        if "day" in _changed(wish.first_book, wish.book):
            return False
        if any("day" in _changed(one.first_book, one.book) for one in self.told):
            return False
        days = {one.book.get("day") or one.info.get("day") for one in self.told} - {None}
        return days == {day} and self._chance(SAME)

    def _train(self, wish: Wish) -> list[str]:
        words, info = phrases()["train"], wish.info
        ends = {end: info[end] for end in ("departure", "destination")}
        np = fill(self._pick(words["route"]["any"]), **ends)
        more = []
        if self._is_same_day(wish, info["day"]):
            np += f" {words['day']['same'][0]}"
        elif self._chance(0.5):
            np += f" {fill(words['day']['after'][0], value=info['day'])}"
        else:
            more.append(fill(self._pick(words["day"]["sentence"]), value=info["day"]))
        slot = LEAVE if LEAVE in info else ARRIVE
        more.append(fill(self._pick(words[slot]["any"]), value=info[slot]))
        return [fill(self._lead(phrases()["lead_train"]), np=np), *more]

    def _taxi(self, wish: Wish) -> list[str]:
        words, info = phrases()["taxi"], wish.info
        ends = {end: self._end(info[end]) for end in ("departure", "destination")}
        slot = LEAVE if LEAVE in info else ARRIVE
        goes_to = next((one for one in self.told if f"{PLACE}{one.domain}" == info["destination"]), None)
        booked = goes_to is not None and slot == ARRIVE and goes_to.book.get("time") == info[slot]
        time = words["booked"]["any"] if booked and self._chance(0.75) else words[slot]["any"]
        return [fill(self._lead(words["link"]), **ends), fill(self._pick(time), value=info[slot])]

    def _end(self, place: str) -> str:
        if not place.startswith(PLACE):
            return f"**{place}**"
        wish = next(one for one in self.told if f"{PLACE}{one.domain}" == place)
        return f"the **{self._called(wish, otherwise='hotel')}**"

    def _service(self, wish: Wish) -> str:
        words = phrases()[wish.domain]
        if wish.domain == "police":
            name = wish.info.get("name", "")
            return self._filled(self._lead(words["named" if name else "any"]), value=name)
        department = wish.info.get("department", "")
        the = "the " if department.endswith(_WITH_ARTICLE) else ""
        return self._filled(
            self._lead(words["department" if department else "any"]), department=f"{the}**{department}**"
        )

    def _filled(self, wording: str, **values: str) -> str:
        return fill(wording, city=self.city, **values)

    def _requests(self, wish: Wish) -> str:
        """One sentence for all that is asked for; clauses go last, and only where one can be told them."""
        tables = [phrases()["request"][_request_key(wish.domain, slot)] for slot in wish.requests]
        clauses = self._chance(0.4) or any("things" not in table for table in tables)
        found: list[str] = []
        for table in tables:
            items = [*table.get("things", ()), *(table.get("clauses", ()) if clauses else ())]
            if clauses:
                items = [item for item in items if not item.startswith("a ")]
            if wish.domain not in VENUES:
                items = [item for item in items if "place" not in item and "its " not in item]
            found.append(self._pick([item for item in items if _goes_with(item, found)] or items))
        found.sort(key=lambda item: not item.startswith(("the ", "a ", "its ", "their ")))
        return fill(self._pick(phrases()["ask"]["clauses" if clauses else "things"]), list=joined(found))


def _goes_with(item: str, others: Sequence[str]) -> bool:
    """Does a request sound well in a list with these?"""
    said = " ".join(others)
    apart = (*((word, word) for word in _ONCE), ("its ", "their "), ("their ", "its "))
    return not any(mine in item and other in said for mine, other in apart)


def _start(wording: str) -> str:
    """How a sentence begins; of what is a part of one, all."""
    return " ".join(wording.split()[:2]) if wording.endswith((".", "!", "?")) else wording


def _changed(first: Mapping[str, str], last: Mapping[str, str]) -> set[str]:
    return {slot for slot in first if first[slot] != last.get(slot)} if first else set()


def _request_key(domain: str, slot: str) -> str:
    if slot in ("type", "name") or (domain, slot) == ("taxi", "phone"):
        return f"{domain}_{slot}"
    return slot.replace(" ", "_")
