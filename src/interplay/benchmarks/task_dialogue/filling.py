"""Raw placeholders in an answer, filled with the real value where there is only one that can be meant."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from interplay.benchmarks.task_dialogue.city import DOMAINS, Row, domain_of, known
from interplay.benchmarks.task_dialogue.lenient import pressed
from interplay.benchmarks.task_dialogue.office import Booking

_MARK = re.compile(
    r"\[([a-z]+(?:[ _-][a-z]+){0,4})\]|<([a-z]+(?:[ _-][a-z]+){0,4})>|\{\{?([a-z]+(?:[ _-][a-z]+){0,4})\}?\}",
    re.IGNORECASE,
)
_EMPTY_WORDS = frozenset(("value", "the", "your", "insert", "actual", "real"))
_COUNT = frozenset(("count", "choice", "choices", "numberofresults", "numberofoptions", "total"))
_REFERENCE = frozenset(
    f"{first}{last}"
    for first in ("reference", "ref", "confirmation", "booking", "bookingreference", "bookingref")
    for last in ("", "number", "no", "code", "id")
)
_OTHER_NAMES = {
    "title": "name",
    "telephone": "phone",
    "phonenumber": "phone",
    "telephonenumber": "phone",
    "contactnumber": "phone",
    "contactphone": "phone",
    "zip": "postcode",
    "zipcode": "postcode",
    "postalcode": "postcode",
    "fee": "entrancefee",
    "entrance": "entrancefee",
    "openinghours": "openhours",
    "hours": "openhours",
    "cuisine": "food",
    "foodtype": "food",
    "typeoffood": "food",
    "leave": "leaveat",
    "leavetime": "leaveat",
    "leavingtime": "leaveat",
    "departuretime": "leaveat",
    "arrive": "arriveby",
    "arrivetime": "arriveby",
    "arrivaltime": "arriveby",
    "cost": "price",
    "ticketprice": "price",
    "traveltime": "duration",
    "id": "trainid",
    "number": "trainid",
    "trainnumber": "trainid",
    "car": "cartype",
    "numberofpeople": "people",
    "guests": "people",
    "partysize": "people",
    "nights": "stay",
    "numberofnights": "stay",
    "date": "day",
}


@dataclass(frozen=True)
class Matter:
    """What an answer can speak of in one domain: the rows it may mean, a booking, and how many rows there are."""

    domain: str
    rows: tuple[Row, ...] = ()
    booking: Booking | None = None
    found: int | None = None
    wanted: Mapping[str, str] = field(default_factory=dict)  # by the user; it holds where there are no rows


def filled(text: str, matters: Sequence[Matter]) -> str:
    """The answer with the values of the first matter in place, and of another where its domain is named."""

    def value(found: re.Match[str]) -> str:
        name = next(group for group in found.groups() if group)
        matter, slot = _meaning(name, matters)
        return (_value(matter, slot) if matter else "") or found[0]

    return _MARK.sub(value, text)


def _meaning(name: str, matters: Sequence[Matter]) -> tuple[Matter | None, str]:
    """What a placeholder is about, and the slot that it names."""
    words = [word for word in re.split(r"[ _-]", name.casefold()) if word not in _EMPTY_WORDS]
    matter = matters[0] if matters else None
    if words and (words[0] in DOMAINS or any(one.domain == words[0] for one in matters)):
        matter = next((one for one in matters if one.domain == words[0]), None)
        words = words[1:] or ["name"]
    slot = "".join(words)
    if slot in _REFERENCE:
        return matter, "reference"
    slot = slot.removeprefix("booking").removeprefix("booked")
    return matter, _OTHER_NAMES.get(slot, slot)


def _value(matter: Matter, slot: str) -> str:
    """The one value that a slot has in this matter; empty where there is none, or more than one."""
    if slot in _COUNT:
        return "" if matter.found is None else str(matter.found)
    if slot == "name":
        slot = pressed(domain_of(matter.domain).title)
    elif slot == "type" and matter.domain == "taxi":
        slot = "cartype"
    if matter.booking:
        details = {pressed(name): value for name, value in matter.booking.details.items()}
        details["reference"] = matter.booking.reference
        if details.get(slot):
            return details[slot]
    values = {_value_of(row, slot) for row in matter.rows}
    if len(values) == 1:
        return values.pop()
    wanted = {pressed(name): value for name, value in matter.wanted.items()}
    return "" if values else wanted.get(slot, "")


def _value_of(row: Row, slot: str) -> str:
    return next((known(row, name) for name in row if pressed(name) == slot), "")
