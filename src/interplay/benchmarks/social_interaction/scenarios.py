"""Sessions to play: who meets where, and what only one of them knows or wants."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from interplay.benchmarks.generating import drawn
from interplay.benchmarks.social_interaction import characters, knowledge
from interplay.benchmarks.social_interaction.characters import SKILLS, Character
from interplay.benchmarks.social_interaction.knowledge import Knowledge
from interplay.benchmarks.social_interaction.scenes import USUAL, Scene, scenes, skills
from interplay.core.benchmark import Material, Options, Scenario
from interplay.core.failures import Mistake, why
from interplay.core.files import text_of

EXCHANGE, INTENTIONS = KINDS = ("exchange", "intentions")
AS_USUAL, EVENLY = SPREADS = ("usual", "even")
PLAYERS = 3
PARTY = PLAYERS + 1  # with the non-player character
SESSIONS_OF_INTENTIONS = 600  # the paper's
LARGEST_FILE = 20_000_000


@dataclass(frozen=True)
class Stock:
    """What sessions are drawn from."""

    people: tuple[Character, ...]
    pieces: tuple[Knowledge, ...]
    remarks: tuple[str, ...] = ()


def scenarios(options: Options, data: Path | None = None) -> Material:
    """So many sessions as are asked for; more of them begin with fewer of them."""
    stock = _stock(data)
    exchange = options["scene"] == EXCHANGE
    usual = len(stock.pieces) if exchange else SESSIONS_OF_INTENTIONS
    count = int(options["sessions"] or usual)
    made = [
        _exchange(number, stock) if exchange else _intentions(number, stock, options)
        for number in range(1, count + 1)
    ]
    remarks = list(stock.remarks)
    if exchange and count > len(stock.pieces):
        remarks.append(
            f"{count} sessions draw on {len(stock.pieces)} pieces of knowledge: some are used again, with other "
            "characters in another scene. interplay generate social_interaction has a model write fresh ones."
        )
    return Material(tuple(made), tuple(remarks))


def _stock(data: Path | None) -> Stock:
    """Ours, or what a user's file has in place of ours."""
    if data is None:
        return Stock(characters.shipped(), knowledge.shipped())
    people, pieces = characters.shipped(), knowledge.shipped()
    found = _parts(data)
    if "characters" in found:
        people = characters.read_characters(data)
    if "pieces" in found:
        pieces = knowledge.read_knowledge(data)
    if len(people) < PARTY:
        raise Mistake(f"{data} has {len(people)} characters; {PARTY} or more meet in a session")
    ours = {"characters": "characters", "pieces": "pieces of knowledge"}
    lacking = [name for key, name in ours.items() if key not in found]
    told = (f"{data.name} has no {lacking[0]}: ours are used.",) if lacking else ()
    return Stock(people, pieces, told)


def _parts(data: Path) -> set[str]:
    try:
        found = tomllib.loads(text_of(data, LARGEST_FILE))
    except (ValueError, RecursionError) as error:
        raise Mistake(f"{data} is no TOML: {why(error)}") from error
    parts = found.keys() & {"characters", "pieces"}
    if not parts:
        raise Mistake(f"{data} has neither [[characters]] nor [[pieces]] of knowledge")
    return parts


def _exchange(number: int, stock: Stock) -> Scenario:
    lots = Random(f"exchange/{number}")  # noqa: S311  # draws sessions, guards nothing
    piece = drawn(stock.pieces, number, "knowledge")
    scene = lots.choice(scenes())
    points = [point.point for point in piece.points]
    content = {
        **_meeting(EXCHANGE, scene, lots.sample(stock.people, PARTY)),
        "knowledge": {"kind": piece.kind, "title": piece.title, "text": piece.text, "points": points},
        "number": number,
    }
    return Scenario(content, f"session {number}: {piece.title}")


def _intentions(number: int, stock: Stock, options: Options) -> Scenario:
    lots = Random(f"intentions/{number}")  # noqa: S311  # draws sessions, guards nothing
    weights = [USUAL[skill] if options["skills"] == AS_USUAL else 1 for skill in SKILLS]
    first = lots.choices(SKILLS, weights)[0]
    scene = lots.choice([scene for scene in scenes() if first in scene.affords])
    wants = []
    seats = lots.sample(range(1, PLAYERS + 1), int(options["wants"]))
    for place, seat in enumerate(seats):
        allowed = [
            weight if skill in scene.affords else 0 for skill, weight in zip(SKILLS, weights, strict=True)
        ]
        skill = first if place == 0 else lots.choices(SKILLS, allowed)[0]
        wants.append({"player": seat, "skill": skill, "want": lots.choice(skills()[skill].wants)})
    content = {
        **_meeting(INTENTIONS, scene, lots.sample(stock.people, PARTY)),
        "wants": wants,
        "number": number,
    }
    return Scenario(content, f"session {number}: {scene.title}")


def _meeting(kind: str, scene: Scene, people: Sequence[Character]) -> dict[str, Any]:
    return {
        "scene": kind,
        "title": scene.title,
        "place": scene.place,
        "npc": scene.npc,
        "characters": [characters.entry_of(one) for one in people],
    }
