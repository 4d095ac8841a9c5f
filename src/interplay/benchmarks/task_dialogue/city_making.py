"""Makes the database of our city out of what people wrote of it: numbers, codes, a timetable, what is booked out."""

import csv
import io
import json
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from interplay.benchmarks.task_dialogue.city import DAYS, minutes
from interplay.benchmarks.task_dialogue.city_checks import PHONES, TRAIN_KEYS, about_city, groups_of

DATA = Path(__file__).parent / "data"
SOURCE, CITY = DATA / "city_source.toml", DATA / "city"

Row = dict[str, Any]

_VENUE_PHONES = 900  # of the thousand that are set aside for fiction; the others are left to taxis
_INWARD = "abdefghjlnpqrstuwxyz"  # the letters that end a British postcode
_HIGHEST_NUMBER = 64  # of a house
_SINGLE = {"cheap": (29, 45), "moderate": (52, 74), "expensive": (92, 138)}  # pounds a night
_FIVE_STARS = 60  # pounds more
_SHARE_OF_FULL_TABLES, _SHARE_OF_FULL_HOTELS, _SHARE_OF_FULL_TRAINS = 0.35, 0.375, 0.08
_QUARTER = 15
_BUSY_HOURS = {"weekday": (7, 8, 17, 18), "saturday": (9, 10, 18), "sunday": (16, 17, 18, 19)}
_BUSY, _QUIET = 4.0, 1.0  # how readily a train fills up


def read_source() -> dict[str, Any]:
    return tomllib.loads(SOURCE.read_text(encoding="utf-8"))


def make_city(source: Mapping[str, Any]) -> dict[str, str]:
    """The text of every file of the database, by its name; the same for the same source."""
    tables = {domain: list(_places(domain, rows, source)) for domain, rows in source["places"].items()}
    tables["hospital"] = _departments(source["hospital"])
    tables["police"] = [{"id": f"p{number}", **row} for number, row in enumerate(source["police"], 1)]
    _give_addresses(tables, source)
    _give_phones(tables, source)
    tables["taxi"] = [dict(source["taxi"])]
    trains = _trains(source)
    full: dict[str, Mapping[str, Any]] = {
        "restaurant": _full_tables(tables["restaurant"], source),
        "hotel": _full_nights(tables["hotel"], source),
        "train": _nearly_full(trains, source),
    }
    made = {f"{domain}_rows.json": _rows_as_text(rows) for domain, rows in tables.items()}
    return made | {"train_rows.csv": _trains_as_text(trains), "full.json": _full_as_text(full)}


def _draws(source: Mapping[str, Any], what: str) -> Random:
    """Draws of their own for each thing, so that a change of one leaves the others as they were."""
    return Random(f"{source['seed']} {what}")  # noqa: S311 - nothing here is secret


# Places


def _places(domain: str, rows: Sequence[Row], source: Mapping[str, Any]) -> Iterator[Row]:
    areas = {street: area for area, streets in source["streets"].items() for street in streets}
    for number, row in enumerate(rows, 1):
        made = {"id": f"{domain[0]}{number:03}", **row, "area": areas[row["street"]]}
        if domain == "attraction":
            made["entrance fee"] = made.pop("fee")
        if domain == "hotel":
            made["price"] = _room_prices(row, _draws(source, f"rooms of {row['name']}"))
        yield made


def _room_prices(hotel: Row, draws: Random) -> dict[str, str]:
    single = draws.randint(*_SINGLE[hotel["pricerange"]]) + _FIVE_STARS * (hotel["stars"] == "5")
    double = round(single * draws.uniform(1.3, 1.5))
    prices = {"single": single, "double": double}
    if draws.random() < 0.6:
        prices["family"] = round(double * draws.uniform(1.2, 1.4))
    return {kind: str(price) for kind, price in prices.items()}


def _departments(hospital: Mapping[str, Any]) -> list[Row]:
    place = {key: value for key, value in hospital.items() if key != "departments"}
    return [
        {"id": f"d{number:02}", "department": department, **place}
        for number, department in enumerate(hospital["departments"], 1)
    ]


def _give_addresses(tables: Mapping[str, list[Row]], source: Mapping[str, Any]) -> None:
    """In place of its street every row has an address and a postcode; the rows of one name have the same."""
    draws = _draws(source, "addresses")
    district = {
        street: number for number, streets in enumerate(source["streets"].values(), 1) for street in streets
    }
    numbers = {street: draws.sample(range(1, _HIGHEST_NUMBER), _HIGHEST_NUMBER - 1) for street in district}
    endings = [f"{digit}{one}{other}" for digit in range(10) for one in _INWARD for other in _INWARD]
    draws.shuffle(endings)
    given: dict[str, Row] = {}
    for row in (row for rows in tables.values() for row in rows):
        street = row.pop("street")
        if row["name"] not in given:
            address = row.get("address") or f"{numbers[street].pop()} {street}"
            postcode = f"{source['postcode_area']}{district[street]}{endings.pop()}"
            given[row["name"]] = {"address": address, "postcode": postcode}
        row |= given[row["name"]]


def _give_phones(tables: Mapping[str, list[Row]], source: Mapping[str, Any]) -> None:
    rows = [row for rows in tables.values() for row in rows]
    phones = _draws(source, "phones").sample(PHONES[:_VENUE_PHONES], len(rows))
    for row, phone in zip(rows, phones, strict=True):
        row["phone"] = phone


# Trains


def _trains(source: Mapping[str, Any]) -> list[Row]:
    trains = [
        train
        for line in source["line"]
        for start, end, past in (
            (source["name"], line["town"], line["out"]),
            (line["town"], source["name"], line["back"]),
        )
        for day in DAYS
        for train in _day_of_line(start, end, past, day, line[day_kind(day)])
    ]
    numbers = _draws(source, "trains").sample(range(1000, 10_000), len(trains))
    return [{"trainID": f"TR{number}", **train} for number, train in zip(numbers, trains, strict=True)]


def _day_of_line(start: str, end: str, past: int, day: str, plan: Mapping[str, Any]) -> Iterator[Row]:
    first, last = plan["hours"]
    for leaves in range(first * 60 + past, last * 60 + past + 1, plan["every"]):
        yield {
            "departure": start,
            "destination": end,
            "day": day,
            "leaveAt": _clock(leaves),
            "arriveBy": _clock(leaves + plan["takes"]),
            "duration": f"{plan['takes']} minutes",
            "price": f"{plan['fare']} pounds",
        }


def day_kind(day: str) -> str:
    """What of the timetable holds on a day."""
    return day if day in ("saturday", "sunday") else "weekday"


def _clock(time: int) -> str:
    return f"{time // 60:02}:{time % 60:02}"


# What is booked out


def _full_tables(rows: list[Row], source: Mapping[str, Any]) -> dict[str, list[str]]:
    """Times at which a restaurant is full; the few that are alike in food, area and price are so together."""
    draws = _draws(source, "full tables")
    found: dict[str, list[str]] = {}
    groups = _small_groups(rows, ("food", "area", "pricerange"), draws)
    while len(found) < round(_SHARE_OF_FULL_TABLES * len(rows)):
        together = draws.sample(source["full"]["tables"], 2)
        for row in groups.pop():
            stretches = {*together, draws.choice(source["full"]["tables"])}
            slots = {slot for stretch in stretches for slot in _quarters(stretch)}
            found[row["id"]] = sorted(slots, key=lambda slot: (DAYS.index(slot.split()[0]), slot))
    return dict(sorted(found.items()))


def _quarters(stretch: str) -> list[str]:
    day, first, last = stretch.split()
    start, end = minutes(first), minutes(last)
    if start is None or end is None:
        raise ValueError(f"{stretch!r} is not a day and two times")
    return [f"{day} {_clock(time)}" for time in range(start, end + 1, _QUARTER)]


def _full_nights(rows: list[Row], source: Mapping[str, Any]) -> dict[str, list[str]]:
    draws = _draws(source, "full nights")
    found: dict[str, list[str]] = {}
    groups = _small_groups(rows, ("type", "area", "pricerange"), draws)
    while len(found) < round(_SHARE_OF_FULL_HOTELS * len(rows)):
        together = draws.choice(source["full"]["nights"])
        for row in groups.pop():
            alone = draws.choice(source["full"]["nights"]) if draws.random() < 0.3 else ""
            found[row["id"]] = sorted({*together.split(), *alone.split()}, key=DAYS.index)
    return dict(sorted(found.items()))


def _small_groups(rows: list[Row], slots: Sequence[str], draws: Random) -> list[list[Row]]:
    """Groups of one or two rows that are alike in these slots, in an order that is drawn."""
    groups = [group for group in groups_of(rows, slots).values() if len(group) <= 2]
    draws.shuffle(groups)
    return groups


def _nearly_full(trains: list[Row], source: Mapping[str, Any]) -> dict[str, int]:
    """The seats left in trains that have few; those at busy hours are drawn more often."""
    draws = _draws(source, "seats")
    ranked = sorted(trains, key=lambda train: draws.random() ** (1 / _busyness(train)), reverse=True)
    chosen = ranked[: round(_SHARE_OF_FULL_TRAINS * len(trains))]
    return {name: draws.randint(0, 4) for name in sorted(train["trainID"] for train in chosen)}


def _busyness(train: Row) -> float:
    return _BUSY if int(train["leaveAt"][:2]) in _BUSY_HOURS[day_kind(train["day"])] else _QUIET


# Files


def _rows_as_text(rows: list[Row]) -> str:
    return json.dumps(rows, indent=1, sort_keys=True) + "\n"


def _trains_as_text(trains: list[Row]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, TRAIN_KEYS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(trains)
    return text.getvalue()


def _full_as_text(full: Mapping[str, Mapping[str, Any]]) -> str:
    """One line for each place or train."""
    parts = []
    for domain, places in full.items():
        lines = [f"  {json.dumps(name)}: {json.dumps(taken)}" for name, taken in places.items()]
        parts.append(f" {json.dumps(domain)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def differences(folder: Path, made: Mapping[str, str]) -> list[str]:
    """How the files of a folder differ from what was made."""
    found = []
    for name in sorted({*made, *(path.name for path in folder.glob("*.*"))}):
        path = folder / name
        if name not in made:
            found.append(f"{name} is not made here")
        elif not path.exists():
            found.append(f"{name} is missing")
        elif path.read_text(encoding="utf-8") != made[name]:
            found.append(f"{name} is not what the source makes")
    return found


def main(arguments: Sequence[str]) -> list[str]:
    """Write the city, or with --check compare it with its source; what is wrong with it either way."""
    if unknown := [one for one in arguments if one != "--check"]:
        return [f"there is only --check, not {' '.join(unknown)}"]
    made = make_city(read_source())
    if "--check" in arguments:
        return differences(CITY, made) or about_city(CITY)
    CITY.mkdir(parents=True, exist_ok=True)
    for name, text in made.items():
        (CITY / name).write_text(text, encoding="utf-8", newline="\n")
    return differences(CITY, made) or about_city(CITY)


if __name__ == "__main__":
    sys.exit("\n".join(main(sys.argv[1:])) or 0)
