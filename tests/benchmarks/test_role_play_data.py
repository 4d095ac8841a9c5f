"""The shipped role-play characters and situations: shape, size, and that nothing in them is a copy."""

import json
import os
import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.role_play.card_files import read_cards
from interplay.benchmarks.role_play.cards import LANGUAGES, Cards
from interplay.benchmarks.role_play.checks import KEBAB, Shelf, about_character, about_situation, runs_of

DATA = files("interplay") / "benchmarks/role_play/data"

TOP_KEYS = {"language", "canary", "characters", "situations"}
CHARACTER_KEYS = {"id", "name", "summary", "persona", "source", "tags"}
CHARACTER_OPTIONAL_KEYS = {"example", "greeting"}
SITUATION_KEYS = {"id", "text", "turns", "tags"}
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def load(language: str) -> dict[str, Any]:
    return tomllib.loads((DATA / f"{language}.toml").read_text(encoding="utf-8"))


def texts(data: dict[str, Any]) -> dict[str, str]:
    """Every piece of prose in a data file, under a name that says where it stands."""
    found = {}
    for character in data["characters"]:
        for key in ("summary", "persona", "example", "greeting"):
            if key in character:
                found[f"{character['id']}.{key}"] = character[key]
    for situation in data["situations"]:
        found[f"{situation['id']}.text"] = situation["text"]
    return found


def cards(language: str) -> Cards:
    return read_cards(Path(str(DATA / f"{language}.toml")), language)


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def test_english_and_russian_are_shipped() -> None:
    assert LANGUAGES == ("en", "ru")
    assert all((DATA / f"{language}.toml").is_file() for language in LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_top_level(language: str) -> None:
    data = load(language)
    assert set(data) == TOP_KEYS
    assert data["language"] == language
    assert len(data["characters"]) == 8
    assert len(data["situations"]) == 8


@pytest.mark.parametrize("language", LANGUAGES)
def test_canary(language: str) -> None:
    canary = load(language)["canary"]
    assert canary.startswith(f"INTERPLAY CANARY role_play {language} ")
    assert UUID.search(canary)


def test_canaries_differ_between_languages() -> None:
    canaries = [load(language)["canary"] for language in LANGUAGES]
    ids = [match.group() for canary in canaries if (match := UUID.search(canary))]
    assert len(set(ids)) == len(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_ids(language: str) -> None:
    data = load(language)
    ids = [item["id"] for item in data["characters"] + data["situations"]]
    assert len(set(ids)) == len(ids)
    assert [identifier for identifier in ids if not KEBAB.fullmatch(identifier)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_keys(language: str) -> None:
    data = load(language)
    for character in data["characters"]:
        keys = set(character)
        assert keys >= CHARACTER_KEYS, character["id"]
        assert keys <= CHARACTER_KEYS | CHARACTER_OPTIONAL_KEYS, character["id"]
    for situation in data["situations"]:
        assert set(situation) == SITUATION_KEYS, situation["id"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_values(language: str) -> None:
    data = load(language)
    for item in data["characters"] + data["situations"]:
        for key, value in item.items():
            if key == "turns":
                assert type(value) is int, item["id"]
            elif key == "tags":
                assert value, item["id"]
                assert all(isinstance(tag, str) and tag for tag in value), item["id"]
                assert len(set(value)) == len(value), item["id"]
            else:
                assert isinstance(value, str), (item["id"], key)
                assert value, (item["id"], key)
                assert value == value.strip(), (item["id"], key)


@pytest.mark.parametrize("language", LANGUAGES)
def test_turns(language: str) -> None:
    turns = sorted(situation["turns"] for situation in load(language)["situations"])
    assert turns == [4] * 7 + [8]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_character_and_situation_passes_the_checks_of_new_ones(language: str) -> None:
    found = {one.id: about_character(one, language) for one in cards(language).characters}
    found |= {one.id: about_situation(one, language) for one in cards(language).situations}
    assert {id: complaints for id, complaints in found.items() if complaints} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_are_alike(language: str) -> None:
    shelf = Shelf()
    for one in (*cards(language).characters, *cards(language).situations):
        assert shelf.about(one) == []
        shelf.put(one)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_run_of_eight_words_from_the_originals(language: str) -> None:
    folder = os.environ.get("INTERPLAY_ORIGINALS")
    if not folder:
        pytest.skip("INTERPLAY_ORIGINALS is not set")
    original: set[tuple[str, ...]] = set()
    for name in ("settings_v1.json", "settings_v2.json"):
        content = json.loads((Path(folder) / "pingpong" / name).read_text(encoding="utf-8"))
        for text in strings(content):
            original |= runs_of(text, 8)
    assert original
    shared = {name: runs_of(text, 8) & original for name, text in texts(load(language)).items()}
    assert {name: runs for name, runs in shared.items() if runs} == {}
