"""Scenarios of role play: a character and a situation, every one with every one."""

from dataclasses import asdict
from importlib.resources import files
from pathlib import Path

from interplay.benchmarks.role_play.card_files import read_cards
from interplay.benchmarks.role_play.cards import Cards, Scene
from interplay.core.benchmark import Material, Options, Scenario
from interplay.core.failures import Mistake


def scenarios(options: Options, data: Path | None = None) -> Material:
    """Character x situation, in an order whose every beginning is balanced over both."""
    language = options["language"]
    cards = read_cards(data or Path(str(files(__package__) / f"data/{language}.toml")), language)
    if options["version"] == "v2":
        _check_summaries(cards, data)
    found = [
        _scenario(Scene(language, character, cards.situations[(place + shift) % len(cards.situations)]))
        for shift in range(len(cards.situations))
        for place, character in enumerate(cards.characters)
    ]
    return Material(tuple(found), cards.remarks)


def _check_summaries(cards: Cards, data: Path | None) -> None:
    for character in cards.characters:
        if not character.summary:
            raise Mistake(
                f"{data}: {character.name} has no summary, which is all that the user of version 2 is told; "
                "write one, or play --version v1"
            )


def _scenario(scene: Scene) -> Scenario:
    return Scenario(asdict(scene), f"{scene.character.id} / {scene.situation.id}")
