"""A scripted writer of simulation tasks: tasks that pass every check, and drafts that fail one."""

import asyncio
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from interplay.benchmarks.simulation.drafting import Draft, play, shown
from interplay.benchmarks.simulation.scenarios import shipped_tasks
from interplay.benchmarks.simulation.writing import writing
from interplay.core.conversation import Casting, Conversation
from interplay.core.wire import Sampling
from interplay.models.loopback import Asked
from tests.benchmarks.stage import Desk

_GOOD = (
    Draft(
        "Knot log clerk",
        "a count of knots and the seconds of the glass",
        "On a sailing ship the log line runs out while a sand glass empties, and somebody has to turn knots into "
        "miles. Be that clerk. Input is a number of knots and the seconds of the glass. Speed is knots times 28 "
        "divided by seconds, rounded half up to one decimal; distance is what the ship makes in a watch of four "
        "hours at that speed, to the nearest mile. Write `speed / distance`, figures only. A glass of zero seconds "
        "is answered with `broken glass`, words with `say figures`. The first entry is `7 knots, 30 seconds`.",
        (
            "exactly one line with speed and distance, or one of the two messages",
            "speed has one decimal, rounded half up",
            "distance follows from the unrounded speed over four hours",
        ),
    ),
    Draft(
        "Bell tower pealer",
        "a number of changes to ring, or `rounds`",
        "Six bells hang in this tower, lightest first, and they are rung in plain hunt: odd changes swap the bells in "
        "places 1-2, 3-4 and 5-6, even changes those in 2-3 and 4-5. Whoever pulls the ropes tells you how many "
        "changes to ring on from the present row; you print each new row as six digits on a line of its own and "
        "then `hand` or `back`, whichever stroke comes next, beginning with hand. `rounds` sets the row to 123456 and "
        "prints it. Thirteen changes or more are refused with `arms tired`. We stand at rounds. My first call is `3`.",
        (
            "one row of six different digits for every change",
            "odd and even changes are counted on from earlier calls",
            "ends with hand or back",
        ),
    ),
    Draft(
        "Seed packet sorter",
        "a list of seed packets with their dates",
        "A drawer of old seed packets needs sorting, and you are the drawer. Each packet comes as plant, colon, year "
        "of harvest, several of them with commas between. Beans keep three years, leeks two, radishes five, and "
        "everything else four. Taking 2030 as the present year, answer with three lines, `sow:`, `last chance:` and "
        "`compost:`, each followed by plant names in alphabetical order, or a dash. Last chance means that this is "
        "the final year it keeps. Years after 2030 spoil the whole drawer: just say `not yet`. The first list is "
        '"beans: 2027, chard: 2025, leeks: 2029, radishes: 2030".',
        (
            "three labelled lines in the given order, or only `not yet`",
            "every packet stands in exactly one line",
            "names are alphabetical within a line",
        ),
    ),
    Draft(
        "Ferry deck loader",
        "a vehicle with its length and weight, or `sail`",
        "This is the loading officer's slate on a small car ferry: lanes P, M and S, each 20 metres long, 30 tonnes "
        "in all. Vehicles drive up one by one with a length and a weight. Put each into the lane with most metres "
        "free, taking M before P before S if equal; if none has room or the tonnes run out, it waits ashore and "
        "keeps its place at the head of the queue for the next sailing. Show the free metres as `P 20 M 20 S 20`, "
        "then `waiting:` with names in order. `sail` empties the lanes and loads whoever waits. My first vehicle is "
        "`baker's van, 6 m, 3 t`.",
        (
            "free metres of the three lanes, then the waiting line",
            "loaded vehicles stay until the ferry sails",
            "those who wait are loaded first, in order",
        ),
    ),
    Draft(
        "Stitch chart reader",
        "a knitting row in abbreviations",
        "Knitters send a row such as `k2 p1 yo k2tog`, and back comes what it does to the needle. k and p work one "
        "stitch for each unit of their number; yo makes a stitch out of nothing; k2tog and ssk turn two into one; "
        "brackets with a following number repeat. Reply with `used` and how many old stitches are consumed, `made` "
        "and how many lie on the right needle afterwards, and `change` with a sign. An abbreviation that nobody knows "
        "gives `drop:` and that abbreviation, nothing more. My first row is `(k1 yo) 3 ssk p2`.",
        (
            "used, made and change in this order",
            "repeats are multiplied out",
            "unknown abbreviations give the drop line alone",
        ),
    ),
    Draft(
        "Observatory shutter panel",
        "a panel order of at most three words",
        "Think of the dome of an observatory at night: azimuth 0 to 359 degrees, shutter open or shut, lamp on or "
        "off. Orders are `turn 30`, `turn -45`, `open`, `shut`, `lamp`. The dome takes the turn literally, past north "
        "if need be, and only while the shutter is shut; a lamp that burns goes out when the shutter opens, and cannot "
        "be lit while it stays so. Refuse with `interlock`. Afterwards print a single status line, as in `az 350 shut "
        "lamp`, with the last word missing if it is dark. It is now az 10, shut, lamp burning. The first order is "
        "`turn -25`.",
        (
            "a single status line, after `interlock` if an order was refused",
            "azimuth wraps around at 360",
            "shutter, lamp and azimuth keep what earlier orders did",
        ),
    ),
)


def good(number: int) -> Draft:
    """A task that passes every check; another number, another task."""
    return _GOOD[number - 1]


_BASE = good(6)


def _with(**changes: Any) -> Draft:
    return replace(_BASE, **changes)


def _ending(text: str) -> Draft:
    assert "The first order is `turn -25`." in _BASE.description
    return _with(description=_BASE.description.replace("The first order is `turn -25`.", text))


def _copy(description: str) -> Draft:
    return _with(description=description.strip())


_SHIPPED = {task.id: task for task in shipped_tasks()}
REWORDED: dict[str, dict[str, str]] = tomllib.loads(
    (Path(__file__).parent / "reworded_tasks.toml").read_text(encoding="utf-8")
)

# What is wrong with a draft, and a part of the complaint that must follow.
BAD: dict[str, tuple[Draft, str]] = {
    "a long name": (_with(name="One two three four five six"), "the name has 6 words, not 1 to 5"),
    "a loud name": (_with(name="Sh" + "u" * 60), "the name has 62 characters, not at most 50"),
    "a short request": (_with(request="log"), "the request has 3 characters, not 5 to 160"),
    "a long request": (_with(request="turn and " * 20), "characters, not 5 to 160"),
    "a short description": (_copy("Be a clerk. My first entry is `7`."), "the description has 8 words, not 60 to 260"),
    "a long description": (
        _copy("Mind the line. " * 90 + _BASE.description), "words, not 60 to 260"
    ),
    "a description of long words": (
        _copy("x" * 3000 + " " + _BASE.description), "characters, not at most 2,500"
    ),
    "a short point": (_with(keeps=("exact", *_BASE.keeps)), "the point 'exact' has 5 characters, not 10 to 200"),
    "a point twice": (
        _with(keeps=(*_BASE.keeps, "Azimuth wraps around - at 360!")), "has a point twice"
    ),
    "no first request": (_ending("Now wait for my input."), "no sentence of the description begins with My first"),
    "a first request inside a sentence": (_ending("As to my first entry, it is `7`."), "begins with My first"),
    "something after the first request": (
        _ending("The first entry is `7 knots`. Reply only with figures."), "is not the last sentence"
    ),
    "something after a colon and a quotation": (
        _ending('The first entry is: "7 knots". Reply only with figures.'), "is not the last sentence"
    ),
    "a paragraph after the first request": (
        _ending("The first entry is 7 knots\n\nfigures only, please"), "is not the last sentence"
    ),
    "a first request that is not made": (_ending("My first entry is:"), "is announced and not made"),
    "a placeholder": (_ending("My first entry is [insert knots here]."), "was not filled in: '[insert knots here]'"),
    "a name to be filled in": (_with(name="{{name}} panel"), "the name has a place that was not filled in: '{{'"),
    "a point to be filled in": (
        _with(keeps=(*_BASE.keeps[:2], "ends with <your answer>")), "was not filled in: '<your answer>'"
    ),
    "an insult": (_with(request="an order by an idiot"), "'idiot' may offend"),
    "insults in a point": (_with(keeps=(*_BASE.keeps, "nothing for Idiots")), "'idiots' may offend"),
    "an escape": (_with(request="an order \x1b[31min red"), "the request holds control characters"),
    "text that runs backwards": (_with(name="Panel \u202erettuhs"), "the name holds control characters"),
    "a shipped task": (
        Draft(**{**shown(_SHIPPED["meadow-ecosystem"]), "keeps": _SHIPPED["meadow-ecosystem"].keeps}),
        "its name is too much like 'Meadow ecosystem model'",
    ),
    "a shipped task under another name": (
        _copy(_SHIPPED["meadow-ecosystem"].description),
        "too much like that of 'Meadow ecosystem model': they share 1.00 of their word pairs",
    ),
    "a shipped task lightly reworded": (
        _copy(REWORDED["lightly"]["three-jugs"]),
        "its description is too much like that of 'Three-jug puzzle': they share 0.3",
    ),
    "the name of a shipped task": (_with(name="The R consoles"), "its name is too much like 'R console'"),
}  # fmt: skip


def entry(draft: Draft) -> dict[str, Any]:
    """A draft as a writer answers."""
    return {
        "name": draft.name,
        "request": draft.request,
        "description": draft.description,
        "keeps": list(draft.keeps),
    }


def said(draft: Draft) -> str:
    return json.dumps(entry(draft), ensure_ascii=False)


def write(*answers: str, seed: str = "0", **given: str) -> tuple[Draft, Conversation, Desk]:
    """Have the first task written by a writer who answers so."""
    left = list(answers)
    desk = Desk(writer=lambda step: left.pop(0))
    options = writing.settle(given)
    scenario = writing.scenarios(options, None).scenarios[0]
    cast = {"writer": Casting("m", Sampling(), "subject")}
    talk = Conversation(cast, desk, scenario=scenario.content, seed=seed)
    return asyncio.run(play(talk, options)), talk, desk


def asked_for(asked: Asked) -> str:
    """What the writer was asked to write, without what it was told of earlier answers."""
    return str(asked.messages[1]["content"])


class Writer:
    """Writes the good task of each number, but first what it is given to say, answer by answer."""

    def __init__(self, first: Mapping[int, Sequence[str]] | None = None, **options: str):
        settled = writing.settle({"n": str(len(_GOOD)), **options})
        self._numbers = {
            one.content["field"]: number
            for number, one in enumerate(writing.scenarios(settled, None).scenarios, 1)
        }
        self._left = {number: list(answers) for number, answers in (first or {}).items()}

    def __call__(self, asked: Asked) -> str:
        found = re.search(r"^- the field: (.+)$", asked_for(asked), re.MULTILINE)
        assert found is not None
        number = self._numbers[found.group(1)]
        left = self._left.get(number)
        return left.pop(0) if left else said(good(number))
