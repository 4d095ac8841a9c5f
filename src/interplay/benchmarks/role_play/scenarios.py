"""Scenarios of role play: a character and a situation, every one with every one."""

from collections.abc import Iterator
from dataclasses import asdict
from importlib.resources import files
from math import lcm
from pathlib import Path

from interplay.benchmarks.role_play.card_files import read_cards
from interplay.benchmarks.role_play.cards import Cards, Character, Scene, Situation
from interplay.core.benchmark import Material, Options, Scenario
from interplay.core.failures import Mistake


def scenarios(options: Options, data: Path | None = None) -> Material:
    """Character x situation, in an order whose every beginning is balanced over both."""
    language = options["language"]
    cards = read_cards(data or Path(str(files(__package__) / f"data/{language}.toml")), language)
    if options["version"] == "v2":
        _check_summaries(cards, data)
    found = [_scenario(Scene(language, *pair)) for pair in _pairs(cards)]
    return Material(tuple(found), cards.remarks)


def _pairs(cards: Cards) -> Iterator[tuple[Character, Situation]]:
    """Both take turns; whenever they have come round together, the situations move on by one."""
    characters, situations = cards.characters, cards.situations
    round_ = lcm(len(characters), len(situations))
    for number in range(len(characters) * len(situations)):
        shifted = number + number // round_
        yield characters[number % len(characters)], situations[shifted % len(situations)]


def _check_summaries(cards: Cards, data: Path | None) -> None:
    for character in cards.characters:
        if not character.summary:
            seen = next((f" ({remark})" for remark in cards.remarks if "'summary'" in remark), "")
            raise Mistake(
                f"{data}: {character.name} has no summary, which is all that the user of version 2 is told; "
                f"write one, or play --version v1{seen}"
            )


def _scenario(scene: Scene) -> Scenario:
    return Scenario(asdict(scene), f"{scene.character.id} / {scene.situation.id}")
