"""What the database of our city must be like; each complaint is one clause."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

from interplay.benchmarks.task_dialogue.city import DAYS, City, Row, minutes, plain, read_city
from interplay.benchmarks.unwelcome import is_unwelcome_word

LEAST = {"restaurant": 104, "hotel": 32, "attraction": 82, "hospital": 40, "police": 3, "train": 2_500}
TRAIN_KEYS = ("trainID", "departure", "destination", "day", "leaveAt", "arriveBy", "duration", "price")
_PLACE_KEYS = ("id", "name", "address", "postcode", "phone")
KEYS = {
    "restaurant": {*_PLACE_KEYS, "area", "food", "pricerange"},
    "hotel": {*_PLACE_KEYS, "type", "area", "pricerange", "stars", "internet", "parking", "price"},
    "attraction": {*_PLACE_KEYS, "type", "area", "entrance fee", "openhours"},
    "train": {*TRAIN_KEYS},
    "hospital": {*_PLACE_KEYS, "department"},
    "police": {*_PLACE_KEYS},
    "taxi": {"taxi_colors", "taxi_types"},
}
ROOMS = ("single", "double", "family")
PLACES = ("restaurant", "hotel", "attraction", "hospital", "police")

AREAS = ("centre", "north", "east", "south", "west")
PRICES = ("cheap", "moderate", "expensive")
COMMON_FOODS = ("indian", "chinese", "italian", "british")
YES_NO = ("yes", "no")
VALUES: dict[str, dict[str, tuple[str, ...]]] = {
    "restaurant": {"area": AREAS, "pricerange": PRICES},
    "hotel": {"area": AREAS, "pricerange": PRICES, "type": ("hotel", "guesthouse"), "stars": tuple("012345")}
    | {"internet": YES_NO, "parking": YES_NO},
    "attraction": {"area": AREAS},
    "train": {"day": DAYS},
}
PHONES = tuple(f"01632960{number:03}" for number in range(1000))  # set aside for fiction
POSTCODE_AREAS = """
    ab al b ba bb bd bh bl bn br bs bt ca cb cf ch cm co cr ct cv cw da dd de dg dh dl dn dt dy e ec eh en ex
    fk fy g gl gu gy ha hd hg hp hr hs hu hx ig im ip iv je ka kt kw ky l la ld le ll ln ls lu m me mk ml n
    ne ng nn np nr nw ol ox pa pe ph pl po pr rg rh rm s sa se sg sk sl sm sn so sp sr ss st sw sy ta td tf
    tn tq tr ts tw ub w wa wc wd wf wn wr ws wv yo ze
"""  # those that exist
FORMS = {
    "name": r"[a-z0-9]+(?:(?:'? |'|-)[a-z0-9]+)*'?",
    "address": r"[a-z0-9', -]+",
    "postcode": r"[a-z]{2}[1-9][0-9][abd-hjlnp-uw-z]{2}",
    "openhours": r".{4,60}",
    "entrance fee": r"free|[1-9][0-9]? pounds",
    "trainID": r"TR[1-9][0-9]{3}",
    "leaveAt": r"(?:0[5-9]|1[0-9]|2[0-3]):[0-5][0-9]",
    "arriveBy": r"(?:0[5-9]|1[0-9]|2[0-3]):[0-5][0-9]",
    "duration": r"[1-9][0-9]* minutes",
    "price": r"[1-9][0-9]*\.[0-9]{2} pounds",
}
LONGEST_NAME = 45
EVERYDAY_WORDS = 3_000  # the commonest of English: a name of such words alone may be said without being meant
INTRODUCTION = (20, 200)  # characters
WITHOUT_INTRODUCTION = (0.11, 0.18)  # shares, the lowest and the highest
FULL = {"restaurant": (0.28, 0.42), "hotel": (0.28, 0.42), "train": (0.06, 0.10)}
LEAST_FULL = {"restaurant": 40, "hotel": 15}
LEAST_FULL_GROUPS = {"restaurant": 15, "hotel": 6}
ALIKE = {"restaurant": ("food", "area", "pricerange"), "hotel": ("type", "area", "pricerange")}
FIRST_TABLE, LAST_TABLE, QUARTER = 11 * 60, 21 * 60 + 45, 15
MOST_SEATS_LEFT = 4
TOWNS, FOODS, TYPES = (10, 12), (22, 28), (10, 14)  # how many there are, at least and at most


def about_city(folder: Path) -> list[str]:
    """All that is wrong with the database in a folder."""
    city = read_city(folder)
    found = [*_about_counts(city), *_about_keys(city)]
    if found:  # the other checks take the keys for granted
        return found
    places = (_about_values, _about_names, _about_addresses, _about_introductions)
    others = (_about_trains, _about_full, _about_spread, _about_words)
    return [complaint for check in (*places, *others) for complaint in check(city)]


def groups_of(rows: Iterable[Row], slots: Sequence[str]) -> dict[tuple[str, ...], list[Any]]:
    """The rows by what they have in these slots."""
    found: dict[tuple[str, ...], list[Any]] = {}
    for row in rows:
        found.setdefault(tuple(row[slot] for slot in slots), []).append(row)
    return found


def _about_counts(city: City) -> Iterator[str]:
    if city.rows.keys() != KEYS.keys() or len(city.rows["taxi"]) != 1:
        yield f"the domains are {', '.join(city.rows)}, not {', '.join(KEYS)} with one row of taxi"
    for domain, least in LEAST.items():
        if (count := len(city.rows.get(domain, ()))) < least:
            yield f"there are {count:,} rows of {domain}, not {least:,} or more"
    if city.full.keys() != FULL.keys():
        yield f"full.json is about {', '.join(city.full) or 'nothing'}, not {', '.join(FULL)}"


def _about_keys(city: City) -> Iterator[str]:
    for domain, rows in city.rows.items():
        spare = {"introduction"} if domain == "restaurant" else set()
        for number, row in enumerate(rows, 1):
            if {*row} - spare != KEYS.get(domain):
                yield f"row {number} of {domain} has the keys {', '.join(map(str, row))}"
            for key, value in row.items():
                if not _is_of_kind(domain, key, value):
                    yield f"row {number} of {domain} has {value!r} as its {key}"


def _is_of_kind(domain: str, key: str, value: Any) -> bool:
    if (domain, key) == ("hotel", "price"):
        if not isinstance(value, dict) or not {"single", "double"} <= {*value} <= {*ROOMS}:
            return False
        return all(isinstance(price, str) and re.fullmatch("[1-9][0-9]+", price) for price in value.values())
    if domain == "taxi" and not isinstance(value, list):
        return False
    texts = value if domain == "taxi" else [value]
    return bool(texts) and all(isinstance(text, str) and text.strip() == text != "" for text in texts)


def _about_values(city: City) -> Iterator[str]:
    for domain, slots in VALUES.items():
        for slot, allowed in slots.items():
            for value in sorted({row[slot] for row in city.rows[domain]} - {*allowed}):
                yield f"{slot} of {domain} is {value!r}, not one of {', '.join(allowed)}"
    for domain, row in ((domain, row) for domain, rows in city.rows.items() for row in rows):
        for slot, value in row.items():
            if not isinstance(value, str) or slot in ("introduction", "trainID"):
                continue
            if value != value.casefold() or not value.isascii() or value in ("?", "none"):
                yield f"{slot} of {domain} is {value!r}, which is not in plain small letters"
        for slot in row.keys() & FORMS.keys():
            if isinstance(row[slot], str) and not re.fullmatch(FORMS[slot], row[slot]):
                yield f"{slot} of {domain} is {row[slot]!r}, which has not the right form"
    for domain in PLACES:
        yield from _twice(f"id of {domain}", (row["id"] for row in city.rows[domain]))
    yield from _twice("department", (row["department"] for row in city.rows["hospital"]))
    for slot, values in city.rows["taxi"][0].items():
        yield from _twice(slot, values)
    yield from _about_room_prices(city.rows["hotel"])


def _about_room_prices(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        prices = [int(row["price"][kind]) for kind in ROOMS if kind in row["price"]]
        if prices != sorted({*prices}):
            yield f"the rooms of {row['name']} cost {row['price']}"
    ranges = [[int(row["price"]["single"]) for row in rows if row["pricerange"] == one] for one in PRICES]
    for one, (lower, upper) in zip(PRICES, pairwise(ranges), strict=False):
        if lower and upper and max(lower) >= min(upper):
            yield f"a single room of a {one} hotel costs more than one of the next price range"


def _twice(what: str, values: Iterable[str]) -> Iterator[str]:
    for value, count in Counter(values).items():
        if count > 1:
            yield f"{what} {value!r} is there {count} times"


# Names


def names_of(city: City) -> list[str]:
    """The name of every place once, as it is written."""
    rows = [row for domain in PLACES if domain != "hospital" for row in city.rows[domain]]
    return [*(row["name"] for row in rows), *sorted({row["name"] for row in city.rows["hospital"]})]


def _about_names(city: City) -> Iterator[str]:
    names = names_of(city)
    towns = sorted({row["departure"] for row in city.rows["train"]})
    yield from _twice("name", names)
    for one, other in combinations(sorted({*names, *towns, *city.values("hospital", "department")}), 2):
        if holds(one, other) or holds(other, one):
            yield f"of {one!r} and {other!r} one is a part of the other"
    values = slot_values(city)
    for name in names:
        if len(name) > LONGEST_NAME:
            yield f"{name!r} has more than {LONGEST_NAME} characters"
        held = sorted(value for value in values["never"] if holds(name, value))
        yield from (f"{name!r} holds the value {value!r}" for value in held)
        if is_everyday(name, values["type"]):
            yield f"{name!r} has no word that sets it apart from ordinary talk"
    addresses = {row["address"] for domain in PLACES for row in city.rows[domain]}
    texts = [(row["name"], row["introduction"]) for row in city.rows["restaurant"] if "introduction" in row]
    for name in names:
        yield from (f"{name!r} is a part of the address {text!r}" for text in addresses if holds(text, name))
        naming = (other for other, text in texts if other != name and holds(text, name))
        yield from (f"{name!r} is named in what is said of {other!r}" for other in naming)


def slot_values(city: City) -> dict[str, set[str]]:
    """The values that no name may hold, and those of types, which may be a part of one."""
    types = {value for domain in ("hotel", "attraction") for value in city.values(domain, "type")}
    never = {*AREAS, *PRICES, *DAYS, *city.values("restaurant", "food"), "yes", "no", "free", "dontcare"}
    return {"never": never, "type": types}


_plain = lru_cache(maxsize=20_000)(plain)  # every name is compared with every other


def holds(text: str, part: str) -> bool:
    """Is the part in the text as whole words, however they are written?"""
    return f" {_plain(part)} " in f" {_plain(text)} "


def is_everyday(name: str, types: Iterable[str] = ()) -> bool:
    """Has a name nothing but types of places and the commonest words of English?"""
    kinds = {word for one in types for word in one.split()}
    return all(word in kinds or word in _everyday_words() for word in plain(name).split())


@cache
def _everyday_words() -> frozenset[str]:
    from spellchecker import SpellChecker  # here, because it takes a while and only checks of names need it

    frequencies: Mapping[str, int] = SpellChecker().word_frequency.dictionary
    commonest = sorted(frequencies, key=lambda word: (-frequencies[word], word))[:EVERYDAY_WORDS]
    of_places = ("restaurant", "cafe", "bistro", "grill", "diner", "inn", "lodge", "guest", "rooms", "arms")
    return frozenset((*map(_plain, commonest), *of_places))


# Numbers


def _about_addresses(city: City) -> Iterator[str]:
    rows = [row for domain in PLACES for row in city.rows[domain]]
    yield from _twice("phone", (row["phone"] for row in rows))
    for row in rows:
        if row["phone"] not in PHONES:
            yield f"the phone of {row['name']} is {row['phone']}, which is not set aside for fiction"
        if row["postcode"][:2] in POSTCODE_AREAS.split():
            yield f"the postcode of {row['name']} is {row['postcode']}, of an area that exists"
    if len({row["postcode"][:2] for row in rows}) > 1:
        yield "postcodes are of several areas"
    places = {(row["name"], row["address"], row["postcode"]) for row in rows}
    for number, what in enumerate(("name", "address", "postcode")):
        yield from _twice(f"{what} of several places:", (place[number] for place in places))
    if len({row["name"] for row in city.rows["hospital"]}) > 1:
        yield "there are several hospitals"
    lying = {(row["postcode"][:3], row["area"]) for row in rows if "area" in row}
    yield from _twice("postcode district of several areas:", (district for district, _ in lying))


def _about_introductions(city: City) -> Iterator[str]:
    rows = city.rows["restaurant"]
    texts = [row["introduction"] for row in rows if "introduction" in row]
    least, most = WITHOUT_INTRODUCTION
    if not least <= 1 - len(texts) / len(rows) <= most:
        yield f"{len(rows) - len(texts)} of {len(rows)} restaurants have no introduction"
    for text in texts:
        if not INTRODUCTION[0] <= len(text) <= INTRODUCTION[1] or not re.fullmatch(r"[A-Z][ -~]*[.]", text):
            yield f"the introduction {text!r} is not one or two sentences"
    yield from _twice("introduction that begins", (" ".join(plain(text).split()[:2]) for text in texts))
    if texts and 3 * min(map(len, texts)) > max(map(len, texts)):
        yield "the introductions are all of a length"


# Trains


def _about_trains(city: City) -> Iterator[str]:
    trains = city.rows["train"]
    yield from _twice("train", (row["trainID"] for row in trains))
    for row in trains:
        leaves, arrives = minutes(row["leaveAt"]), minutes(row["arriveBy"])
        if leaves is None or arrives is None or f"{arrives - leaves} minutes" != row["duration"]:
            yield f"{row['trainID']} leaves {row['leaveAt']}, takes {row['duration']} and arrives {row['arriveBy']}"
    hub, _ = Counter(row["departure"] for row in trains).most_common(1)[0]
    towns = {row["departure"] for row in trains} | {row["destination"] for row in trains}
    if not TOWNS[0] <= len(towns - {hub}) <= TOWNS[1]:
        yield f"there are {len(towns) - 1} towns, not {TOWNS[0]} to {TOWNS[1]}"
    lines = groups_of(trains, ("departure", "destination", "day"))
    ways = [way for town in sorted(towns - {hub}) for way in ((hub, town), (town, hub))]
    for (start, end), day in product(ways, DAYS):
        if (start, end, day) not in lines:
            yield f"no train goes from {start} to {end} on {day}"
    for line in sorted({line for line in lines if hub not in line[:2]}):
        yield f"a train goes from {line[0]} to {line[1]} and not by {hub}"
    for line, rows in lines.items():
        yield from _about_line(" ".join(line), rows)
    yield from _about_kinds_of_day(trains)


def _about_line(line: str, rows: Sequence[Row]) -> Iterator[str]:
    """Of the trains of one day: do they go at regular intervals, and take and cost the same?"""
    leaves = sorted(minutes(row["leaveAt"]) or 0 for row in rows)
    intervals = {later - earlier for earlier, later in pairwise(leaves)}
    if len(intervals) > 1 or 0 in intervals:
        yield f"the trains {line} go at intervals of {', '.join(map(str, sorted(intervals)))} minutes"
    for slot in ("duration", "price"):
        if len({row[slot] for row in rows}) > 1:
            yield f"the trains {line} differ in {slot}"


def _about_kinds_of_day(trains: Sequence[Row]) -> Iterator[str]:
    """All weekdays are alike, and the weekend differs from them."""
    for (start, end), rows in groups_of(trains, ("departure", "destination")).items():
        slots = ("leaveAt", "duration", "price")
        days = {day: tuple(groups_of((row for row in rows if row["day"] == day), slots)) for day in DAYS}
        if len({days[day] for day in DAYS[:5]}) > 1:
            yield f"the trains from {start} to {end} differ between weekdays"
        if {days["saturday"], days["sunday"]} <= {days["monday"]}:
            yield f"the trains from {start} to {end} are the same at the weekend"


# What is booked out


def _about_full(city: City) -> Iterator[str]:
    for domain, (least, most) in FULL.items():
        rows, taken = city.rows[domain], city.full[domain]
        names = {row["trainID" if domain == "train" else "id"] for row in rows}
        yield from (f"full.json: there is no {domain} {name!r}" for name in sorted({*taken} - names))
        if not least <= len(taken) / len(rows) <= most or len(taken) < LEAST_FULL.get(domain, 0):
            yield f"full.json has {len(taken)} of {len(rows):,} rows of {domain}"
        for name, what in taken.items():
            if not _is_well_said(domain, what):
                yield f"full.json: {domain} {name} has {what!r}"
    for domain, slots in ALIKE.items():
        if (count := len(full_groups(city, domain))) < LEAST_FULL_GROUPS[domain]:
            yield f"{count} small groups alike in {', '.join(slots)} are full together"


def _is_well_said(domain: str, taken: Any) -> bool:
    if domain == "train":
        return type(taken) is int and 0 <= taken <= MOST_SEATS_LEFT
    if not isinstance(taken, list) or not taken or len({*taken}) < len(taken):
        return False
    if domain == "hotel":
        return {*taken} < {*DAYS}
    return {*taken} < {*_all_tables()}


@cache
def _all_tables() -> frozenset[str]:
    times = range(FIRST_TABLE, LAST_TABLE + 1, QUARTER)
    return frozenset(f"{day} {time // 60:02}:{time % 60:02}" for day in DAYS for time in times)


def full_groups(city: City, domain: str) -> dict[tuple[str, ...], set[str]]:
    """The groups of one or two rows alike in the slots people ask for that are full together, and when."""
    found = {}
    for values, rows in groups_of(city.rows[domain], ALIKE[domain]).items():
        together = set.intersection(*({*city.full[domain].get(row["id"], ())} for row in rows))
        if len(rows) <= 2 and together:
            found[values] = together
    return found


# The city as a whole


def _about_spread(city: City) -> Iterator[str]:
    """Is what people often ask for there, and much else not?"""
    restaurants = city.rows["restaurant"]
    if Counter(row["area"] for row in restaurants).most_common(1)[0][0] != "centre":
        yield "the centre has not the most restaurants"
    foods = Counter(row["food"] for row in restaurants)
    types = Counter(row["type"] for row in city.rows["attraction"])
    for what, values, (least, most) in (("foods", foods, FOODS), ("types of attractions", types, TYPES)):
        if not least <= len(values) <= most:
            yield f"there are {len(values)} {what}, not {least} to {most}"
    if {food for food, _ in foods.most_common(4)} != {*COMMON_FOODS}:
        yield f"the most frequent foods are not {', '.join(COMMON_FOODS)}"
    kinds, sights = ("hotel", "guesthouse"), ("museum", "park", "architecture")
    wanted = (
        ("restaurant", {"food": COMMON_FOODS, "area": AREAS}),
        ("restaurant", {"food": COMMON_FOODS, "pricerange": PRICES}),
        ("restaurant", {"area": AREAS, "pricerange": PRICES}),
        ("hotel", {"area": AREAS, "pricerange": PRICES}),
        ("hotel", {"type": kinds, "pricerange": PRICES}),
        ("hotel", {"type": kinds, "area": AREAS}),
        ("attraction", {"type": sights, "area": AREAS}),
    )
    for domain, slots in wanted:
        for missing in sorted({*product(*slots.values())} - groups_of(city.rows[domain], [*slots]).keys()):
            yield f"there is no {domain} for {', '.join(missing)}"
    there = len(groups_of(restaurants, ALIKE["restaurant"]))
    if 2 * there > len(foods) * len(AREAS) * len(PRICES):
        yield "more than half of all foods, areas and prices go together: no wish would fail"


def _about_words(city: City) -> Iterator[str]:
    import lemminflect  # here, because it takes a while and only checks of texts need it

    rows = (row for rows in city.rows.values() for row in rows)
    words = {word for row in rows for word in re.findall(r"[a-z]+", str([*row.values()]).casefold())}
    for word in sorted(words):
        forms = {word, *(base for bases in lemminflect.getAllLemmas(word).values() for base in bases)}
        if any(map(is_unwelcome_word, forms)):
            yield f"{word!r} may offend"
