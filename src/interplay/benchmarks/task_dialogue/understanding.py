"""Understanding a user by rules: which domain, which slots, what is asked for; no model, for one language."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from interplay.benchmarks.task_dialogue.city import (
    ARRIVE,
    DAYS,
    DONTCARE,
    LEAVE,
    City,
    domain_of,
    folded,
    known,
    plain,
)
from interplay.benchmarks.task_dialogue.values import brought_into_form, clock

_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve"
NUMBERS = {word: str(number) for number, word in enumerate(_COUNTED.split())}
DOMAIN_WORDS = {
    "taxi": r"taxi|cab",
    "train": r"trains?|railway",
    "hotel": r"hotels?|guest ?houses?|place to stay|somewhere to stay|room|accommodation|lodging|stay",
    "restaurant": r"restaurants?|table|dine|dining|eat|meal|food|dinner|lunch",
    "attraction": r"attractions?|places? to (?:go|visit|see)|something to (?:see|do)|sights?|visit",
    "hospital": r"hospital|doctor|medical|department",
    "police": r"police|robbed|stolen|crime",
}
REQUESTS = {
    "phone": r"phone(?: number)?|telephone|contact number|(?:what's|what is) (?:the|their|its) number",
    "postcode": r"post ?code|zip(?: code)?",
    "address": r"address|where (?:is it|exactly)|where's it",
    "entrance fee": r"entrance fee|admission|entry fee|ticket price|to get in",
    "openhours": r"opening (?:hours|times)|open hours|when (?:is|does) it open",
    "price": r"price(?! ?range)|fare|how much|ticket cost",
    "duration": r"travel time|duration|how long",
    LEAVE: r"departure time|leaving time|time (?:does|will) it leave|when does it leave",
    ARRIVE: r"arrival time|time (?:does|will) it arrive|when does it arrive",
    "trainID": r"train ?id|train number",
    "car type": r"car type|type of car|kind of car",
    "pricerange": r"price ?range",
    "area": r"area|part of town",
    "food": r"food type|kind of food|type of food|cuisine",
    "stars": r"star rating|stars|how many stars",
    "internet": r"wi[ -]?fi|internet",
    "parking": r"parking",
    "type": r"(?<!car )(?<!food )type(?! of (?:car|food))|kind of (?:place|hotel|attraction)",
    "department": r"department",
    "name": r"name",
}
_ASKS = re.compile(
    r"\b(?:tell me|give me|what(?:'s| is| are| s)?|which|may i have|could i have|can i have|can i get|could i get|"
    r"how (?:much|long|many)|when (?:does|is)|does it|is there|i(?:'d| would)? (?:also )?(?:need|like) the)\b"
)
_BOOKS = re.compile(r"\b(?:book|reserve|reservation|booking|make it)\b")
_OTHER = re.compile(r"\b(?:another|something else|different one|any others?)\b")
_NEGATION = r"(?:\b(?:no|not|without|nt|never)|n't)"
_UNWANTED = re.compile(r"\b(?:do not|don't|did not|didn't) (?:want|like)\b")
_NO_MATTER = (
    r"(?:do(?:es)?(?: not|n'?t) (?:care|mind|matter)|no preference|any (?:one )?is fine|not important"
    r"|never mind)"
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_CALLED = re.compile(r"\b(?:called|named|name is) (?!(?:the )?#)([\w' -]{2,45})")
_FROM = re.compile(
    r"\b(?:from|pick(?:ed)? (?:me |us )?up (?:at|from)) (?:the )?(.+?)(?= to | leav| arriv| at \d|[,;!?.]|$)"
)
_TO = re.compile(
    r"\bto (?:the )?(?!leave|arrive|book|order|go |get|be )(.+?)(?= leav| arriv| at \d|[,;!?.]| from |$)"
)
_FOOD = re.compile(r"\b(?:serv(?:es?|ing)|eat|some) ((?:[a-z]+ ){0,2}[a-z]+) (?:food|cuisine)\b")
LONGEST_BARE_ANSWER = 60  # characters: a value and no more
Names = list[tuple[str, str]]  # domains and titles
_TIME = r"([0-9]{1,2}:[0-5][0-9])"
_SPOKEN_TIME = re.compile(
    r"\b(?:half past|quarter (?:past|to)) \w+(?: [ap]\.?m\b)?|\b\w+ (?:thirty|fifteen|forty-five) [ap]\.?m\b"
    r"|\b\d{1,2}(?:[.:][0-5]\d)? ?[ap]\.?m\b|(?<=\bat )\d{1,2}\.[0-5]\d\b|(?<=\bby )\d{1,2}\.[0-5]\d\b"
)
_SPELLINGS = {" moderately ": " moderate ", " cheaper ": " cheap ", " inexpensive ": " cheap "}


@dataclass
class Heard:
    """What was understood of one thing that a user said."""

    domain: str = ""
    wanted: dict[str, str] = field(default_factory=dict)  # slots of the search
    booking: dict[str, str] = field(default_factory=dict)  # slots of a booking
    requests: list[str] = field(default_factory=list)
    books: bool = False
    other: bool = False

    @property
    def nothing(self) -> bool:
        return not (self.wanted or self.booking or self.requests or self.books or self.other)


def understand(text: str, city: City, current: str, asked: str = "") -> Heard:
    """What a user means, given the domain that was spoken of and a slot that the system has just asked for."""
    said = " ".join(folded(text).split())
    bare, names = without_names(said, city)
    heard = Heard(domain_in(bare, names, city) or current)
    if not heard.domain:
        return heard
    bare = _SPOKEN_TIME.sub(lambda found: _clock_of(found[0], heard.domain), bare)
    for sentence in filter(None, _SENTENCE.split(bare)):
        _hear_sentence(sentence, names, city, heard)
    if asked and heard.nothing and len(said) < LONGEST_BARE_ANSWER:
        value = said.strip(" .!?")
        books = asked in domain_of(heard.domain).book
        (heard.booking if books else heard.wanted)[asked] = brought_into_form(asked, value)
        heard.books = books
    return heard


def domain_in(bare: str, names: Names, city: City) -> str:
    """The domain that a text speaks of: by its first telling word outside names, or by a name."""
    found = []
    for domain in city.rows:
        words = DOMAIN_WORDS.get(domain, rf"{re.escape(domain)}s?")
        if match := re.search(rf"\b(?:{words})\b", bare):
            found.append((match.start(), domain))
    if any(domain == "taxi" for _, domain in found):
        return "taxi"  # a ride names other places too
    if found:
        return min(found)[1]
    return names[0][0] if names else _domain_of_value(bare, city)


def _domain_of_value(bare: str, city: City) -> str:
    """The domain of a kind of food, or of a kind of sight, that a text says."""
    words = {word.removesuffix("s") for word in plain(bare).split()}
    for domain, slot in (("restaurant", "food"), ("attraction", "type")):
        if any(set(plain(value).split()) <= words for value in city.values(domain, slot)):
            return domain
    return ""


def _clock_of(spoken: str, domain: str) -> str:
    """A time in words as a clock shows it; a table is never for the early morning."""
    return clock(spoken, evening=domain == "restaurant") or spoken


def without_names(said: str, city: City) -> tuple[str, Names]:
    """The text with #0, #1 in place of the titles it says, and these with their domains."""
    names: Names = []
    for domain, row in city.named_in(said):
        title = known(row, domain_of(domain).title)
        if (domain, title) not in names:
            words = re.findall(r"\w+", folded(title).replace("'", "").removeprefix("the "))
            words = [word for word in words if word != "and"] or words
            spelt = r"(?:[\s\-,.&/+]|\band\b)*".join("'?".join(map(re.escape, word)) for word in words)
            said = re.sub(rf"\b{spelt}\b", f"#{len(names)}", said)
            names.append((domain, title))
    return said, names


def _hear_sentence(bare: str, names: Names, city: City, heard: Heard) -> None:
    if _ASKS.search(bare) or bare.endswith("?"):
        asked = _requests_in(bare, heard.domain, city)
        new = [slot for slot in dict.fromkeys(asked) if slot not in heard.requests]
        heard.requests += new
        if new and not _BOOKS.search(bare):
            return
    if _UNWANTED.search(bare):
        return
    heard.books = heard.books or bool(_BOOKS.search(bare))
    heard.other = heard.other or bool(_OTHER.search(bare))
    search = city.search_slots(heard.domain)
    if "name" in search and (called := _CALLED.search(bare)):
        heard.wanted["name"] = called[1].strip()
        bare = bare.replace(called[0], " ")  # what a name is made of says nothing else
    for slot, value in _slots_in(bare, names, city, heard.domain):
        (heard.wanted if slot in search else heard.booking)[slot] = value
    title_slot = domain_of(heard.domain).title
    for number in re.findall(r"#(\d+)", bare) if title_slot in search else ():
        domain, title = names[int(number)]
        if domain == heard.domain:
            heard.wanted[title_slot] = title


def _requests_in(bare: str, domain: str, city: City) -> Iterator[str]:
    own = {slot: _words_of(slot) for slot in city.search_slots(domain)}
    for slot, words in {**own, **REQUESTS}.items():
        if slot == "stars" and domain != "hotel" and slot not in own:
            continue
        if re.search(rf"\b(?:{words})\b", bare):
            yield "entrance fee" if (domain, slot) == ("attraction", "price") else slot


def _words_of(slot: str) -> str:
    """The words by which a slot is spoken of."""
    return REQUESTS.get(slot) or re.escape(folded(slot)).replace("_", "[ _]")


def _slots_in(bare: str, names: Names, city: City, domain: str) -> Iterator[tuple[str, str]]:
    yield from (
        _journey(bare, names, city, domain) if domain in ("train", "taxi") else _venue(bare, city, domain)
    )
    if people := re.search(
        r"\b(\d+|[a-z]+) (?:people|persons?|guests?|of us|tickets?|seats?|travell?ers?|adults?|diners?)\b"
        r"|\btable for (\d+|[a-z]+)\b",
        bare,
    ):
        said = people[1] or people[2]
        number = NUMBERS.get(said, said)
        if number.isdecimal():
            yield "people", number
    if nights := re.search(r"\b(\d+|[a-z]+) nights?\b", bare):
        number = NUMBERS.get(nights[1], nights[1])
        if number.isdecimal():
            yield "stay", number
    if day := re.search(rf"\b({'|'.join(DAYS)})s?\b", bare):
        yield "day", day[1]
    if domain == "restaurant" and (time := re.search(_TIME, bare)):
        yield "time", _clock(time[1])


def _clock(time: str) -> str:
    return time.rjust(5, "0")


def _times(bare: str) -> Iterator[tuple[str, str]]:
    """The times of a journey, each by the verb before it, or else by the preposition."""
    for time in re.finditer(_TIME, bare):
        before = bare[: time.start()]
        verbs = re.findall(r"\b(leav|depart|arriv|set off|pick)", before)
        small = re.findall(r"\b(after|by|before)\b", before)
        if verbs:
            yield (ARRIVE if verbs[-1] == "arriv" else LEAVE), _clock(time[1])
        else:
            yield (ARRIVE if small and small[-1] != "after" else LEAVE), _clock(time[1])


def _journey(bare: str, names: Names, city: City, domain: str) -> Iterator[tuple[str, str]]:
    """Where from, where to, and when."""
    yield from _times(bare)
    if domain == "train":
        yield from _stations(bare, city)
        return
    for slot, found in (("departure", _FROM.search(bare)), ("destination", _TO.search(bare))):
        if found:
            yield slot, re.sub(r"#(\d+)", lambda number: names[int(number[1])][1], found[1].strip())


def _stations(bare: str, city: City) -> Iterator[tuple[str, str]]:
    towns = {
        plain(town): town for slot in ("departure", "destination") for town in city.values("train", slot)
    }
    said = plain(bare)
    for slot, words in (("departure", r"from|leaving"), ("destination", r"to|for|reach\w*")):
        for town in sorted(towns, key=len, reverse=True):
            if re.search(rf"\b(?:{words}) (?:the )?{re.escape(town)}\b", said):
                yield slot, towns[town]
                break


def _venue(bare: str, city: City, domain: str) -> Iterator[tuple[str, str]]:
    slots = city.search_slots(domain)
    if "food" in slots and (food := _FOOD.search(bare)):
        yield "food", food[1]
        bare = bare.replace(food[0], " ")  # "north indian food" says nothing of the north
        slots = tuple(slot for slot in slots if slot != "food")
    for slot in slots:
        words = _words_of(slot)
        if re.search(
            rf"{_NO_MATTER}[^.]{{0,30}}\b(?:{words})\b|\b(?:{words})\b[^.]{{0,20}}{_NO_MATTER}|\bany (?:{words})\b",
            bare,
        ):
            yield slot, DONTCARE
        elif slot in ("internet", "parking"):
            if mention := re.search(rf"\b(?:{words})\b", bare):
                before = bare[max(0, mention.start() - 30) : mention.start()]
                yield slot, "no" if re.search(rf"{_NEGATION}\b", before) else "yes"
        elif slot == "stars":
            if stars := re.search(r"\b(\d|[a-z]+)[ -]stars?\b|\bstars? (?:of|is) (\d)", bare):
                number = NUMBERS.get(stars[1], stars[1]) or stars[2]
                if number.isdecimal():
                    yield slot, number
        elif slot != "name" and (value := _value_in(bare, city, domain, slot)):
            yield slot, value


def _value_in(bare: str, city: City, domain: str, slot: str) -> str:
    """A value of the slot that the text says; of types also one that the city does not have."""
    said = f" {plain(bare)} "
    for spelling, usual in _SPELLINGS.items():
        said = said.replace(spelling, usual)
    if slot == "type" and domain == "hotel":
        found = re.search(r"\b(?:type|kind)\b[^.]{0,20}?\b(hotel|guesthouse)\b", said)
        return found[1] if found else "guesthouse" if " guesthouse " in said else ""
    values = {plain(value): value for value in city.values(domain, slot)}
    for value in sorted(values, key=len, reverse=True):
        is_bare = value in ("yes", "no") or value.isdecimal()  # such a value says nothing without its slot
        spoken = (
            [f"{plain(slot)} {link}{value}" for link in ("", "is ", "of ")]
            if is_bare
            else [value, f"{value}s"]
        )
        if any(f" {one} " in said and f" too {one} " not in said for one in spoken):
            return values[value]
    found = (
        re.search(r"\bof (?:the )?type ((?:(?!and\b|in\b)[a-z]+ ?){1,3})", said) if slot == "type" else None
    )
    return found[1].strip() if found else ""


def missing_of(wanted: Mapping[str, str], slots: tuple[str, ...]) -> list[str]:
    return [slot for slot in slots if slot not in wanted]
