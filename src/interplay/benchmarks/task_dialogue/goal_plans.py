"""What kinds of goals there are, and how many of each: domains, what fails at first, what is booked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from interplay.benchmarks.generating import drawn
from interplay.benchmarks.task_dialogue.city import ARRIVE, LEAVE
from interplay.benchmarks.task_dialogue.goal_checks import VENUES

# How many of 240 goals have these domains. MultiWOZ's proportions, with hospital and police added.
STRUCTURES: Mapping[tuple[str, ...], int] = {
    ("restaurant",): 12,
    ("hotel",): 12,
    ("attraction",): 8,
    ("train",): 8,
    ("taxi",): 8,
    ("hospital",): 6,
    ("police",): 6,
    ("restaurant", "train"): 25,
    ("hotel", "train"): 23,
    ("attraction", "train"): 22,
    ("restaurant", "attraction"): 18,
    ("hotel", "restaurant"): 17,
    ("hotel", "attraction"): 15,
    ("restaurant", "taxi"): 3,
    ("hotel", "taxi"): 3,
    ("attraction", "taxi"): 3,
    ("hotel", "hospital"): 3,
    ("train", "hospital"): 3,
    ("restaurant", "hospital"): 2,
    ("hotel", "police"): 3,
    ("train", "police"): 2,
    ("restaurant", "police"): 2,
    ("hotel", "attraction", "taxi"): 9,
    ("restaurant", "attraction", "taxi"): 9,
    ("hotel", "restaurant", "taxi"): 8,
    ("hotel", "restaurant", "train"): 4,
    ("restaurant", "attraction", "train"): 3,
    ("hotel", "attraction", "train"): 3,
}
TAKES_OF_A_STRUCTURE = 3  # there are only so many goals with the police alone
_STRUCTURES = tuple(domains for domains, count in STRUCTURES.items() for _ in range(count))
# Of a hundred goals; one whose domains cannot fail so does not, so that fewer do in the end.
_FAILS = (True,) * 45 + (False,) * 55
_REFUSED = (True,) * 14 + (False,) * 86
BOOKED, NAMED, ANY, ALSO_ASKED = 0.46, 0.25, 0.32, 0.3  # shares of parts
NEAR, ARRIVING, LEAVING_AT, SAME_DAY = 0.6, 0.55, 0.42, 0.7  # shares of goals
_PEOPLE = (1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 4, 4, 5, 5, 6, 7, 8)
_HOURS = (7, 8, 8, 9, 9, 10, 11, 12, 13, 14, 15, 16, 17, 17, 18, 19, 20)
# The slots in which a first wish differs from the second, the more often the likelier.
_CHANGED: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "restaurant": (
        (("food",),) * 8 + (("area",),) * 2 + (("pricerange",),) * 2 + (("area", "pricerange"),) * 2
    ),
    "hotel": (
        (("pricerange",),) * 4
        + (("type",),) * 2
        + (("area",),) * 2
        + (("stars",),) * 2
        + (("internet",),) * 2
        + (("parking",),) * 2
    ),
    "attraction": ((("type",),) * 2 + (("area",),)),
}
SERVICES = ("hospital", "police")


@dataclass(frozen=True)
class Plan:
    """What kind of goal is drawn, whatever the city has."""

    domains: tuple[str, ...]  # in the order in which they are told
    fails: str  # the domain whose first wish fails; empty where none does
    refused: str  # the domain whose first booking fails
    changed: tuple[str, ...]  # the slots in which the failing wish differs from the second
    kept: bool  # the second booking is for the same day as the first
    named: frozenset[str]  # domains whose places are looked for by name
    booked: frozenset[str]
    indifferent: frozenset[str]  # domains with a slot of which any value will do
    near: bool  # places of the goal are in one area
    arriving: bool  # by train, that is
    hour: int  # of the train
    timed_by: str  # the slot that says when it goes
    people: str


def plan_of(number: int, seed: str, take: int = 0) -> Plan:
    """The kind of a goal by its number; another take is another kind, first with the same domains, then with any."""
    rng = Random(f"{seed}/plan {number}/{take}")  # noqa: S311  # draws goals, guards nothing
    same = take < TAKES_OF_A_STRUCTURE
    domains = list(drawn(_STRUCTURES, number, f"{seed}/structures") if same else rng.choice(_STRUCTURES))
    rng.shuffle(domains)
    domains.sort(key=lambda domain: (domain == "taxi", domain not in SERVICES))  # trouble is told first

    def some(share: float) -> frozenset[str]:
        return frozenset(domain for domain in sorted(domains) if rng.random() < share)

    def one_of(among: Sequence[str]) -> str:
        return rng.choice([domain for domain in domains if domain in among] or [""])

    named, booked = some(NAMED), some(BOOKED)
    fails = one_of(VENUES) if drawn(_FAILS, number, f"{seed}/fails") else ""
    refused = one_of(("restaurant", "hotel")) if drawn(_REFUSED, number, f"{seed}/refused") else ""
    changed = rng.choice(_CHANGED.get(fails, ((),)))
    return Plan(
        tuple(domains),
        fails,
        refused,
        ("name",) if fails in named else changed,
        rng.random() < SAME_DAY,
        named,
        booked | {refused},
        some(ANY) - named - {fails},
        rng.random() < NEAR,
        rng.random() < ARRIVING,
        rng.choice(_HOURS),
        LEAVE if rng.random() < LEAVING_AT else ARRIVE,
        str(rng.choice(_PEOPLE)),
    )
