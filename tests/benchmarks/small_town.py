"""A small town for tests of task dialogue: two or three rows of each domain, some of them booked out."""

from typing import Any

from interplay.benchmarks.task_dialogue.city import City
from interplay.benchmarks.task_dialogue.goals import Goal, goal_of

TOWN = City(
    rows={
        "restaurant": (
            {"id": "r1", "name": "the copper ladle", "food": "italian", "area": "centre", "pricerange": "cheap",
             "phone": "01632960001", "postcode": "tw11aa", "address": "1 mill lane"},
            {"id": "r2", "name": "nasturtium", "food": "italian", "area": "north", "pricerange": "cheap",
             "phone": "01632960002", "postcode": "tw11ab", "address": "2 mill lane"},
            {"id": "r3", "name": "st. elmo's kitchen", "food": "indian", "area": "centre", "pricerange": "expensive",
             "phone": "?", "postcode": "tw11ac", "address": "3 mill lane"},
        ),
        "hotel": (
            {"id": "h1", "name": "wharf house", "type": "guesthouse", "area": "north", "pricerange": "cheap",
             "stars": "4", "internet": "yes", "parking": "no", "phone": "01632960003", "postcode": "tw12aa",
             "address": "9 quay"},
            {"id": "h2", "name": "the regent arms", "type": "hotel", "area": "centre", "pricerange": "expensive",
             "stars": "5", "internet": "yes", "parking": "yes", "phone": "01632960004", "postcode": "tw12ab",
             "address": "10 quay"},
        ),
        "attraction": (
            {"id": "a1", "name": "tollgate museum", "type": "museum", "area": "centre", "entrance fee": "free",
             "phone": "01632960005", "postcode": "tw13aa", "address": "toll road",
             "openhours": "daily, 10:00 to 17:00"},
        ),
        "train": (
            {"trainID": "TR1001", "departure": "tarnwick", "destination": "ferrow", "day": "monday", "leaveAt": "09:00",
             "arriveBy": "09:48", "duration": "48 minutes", "price": "12.40 pounds"},
            {"trainID": "TR1002", "departure": "tarnwick", "destination": "ferrow", "day": "monday", "leaveAt": "11:00",
             "arriveBy": "11:48", "duration": "48 minutes", "price": "12.40 pounds"},
            {"trainID": "TR1003", "departure": "tarnwick", "destination": "ferrow", "day": "monday", "leaveAt": "13:00",
             "arriveBy": "13:48", "duration": "48 minutes", "price": "12.40 pounds"},
            {"trainID": "TR2001", "departure": "ferrow", "destination": "tarnwick", "day": "monday", "leaveAt": "12:00",
             "arriveBy": "12:48", "duration": "48 minutes", "price": "12.40 pounds"},
        ),
        "taxi": ({"taxi_colors": ["green", "grey"], "taxi_types": ["volvo", "skoda"]},),
        "hospital": ({"id": "d1", "department": "eye clinic", "phone": "01632960006", "name": "infirmary"},),
        "police": ({"id": "p1", "name": "bridge street police station", "phone": "01632960007",
                    "address": "bridge street"},),
    },
    full={"restaurant": {"r1": ["saturday 19:00"]}, "hotel": {"h1": ["saturday"]}, "train": {"TR1001": 2}},
)  # fmt: skip


def wanting(message: str = "You want **something**.", **domains: dict[str, Any]) -> Goal:
    """A goal of these domains."""
    return goal_of({"id": "G", "goal": domains, "message": [message]})
