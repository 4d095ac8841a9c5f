"""The shipped role-play characters and situations: shape, size, and that nothing in them is a copy."""

import json
import os
import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.role_play.cards import LANGUAGES

DATA = files("interplay") / "benchmarks/role_play/data"

TOP_KEYS = {"language", "canary", "characters", "situations"}
CHARACTER_KEYS = {"id", "name", "summary", "persona", "source", "tags"}
CHARACTER_OPTIONAL_KEYS = {"example", "greeting"}
SITUATION_KEYS = {"id", "text", "turns", "tags"}
KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
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


def word_runs(text: str, length: int) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.casefold())
    return {tuple(words[i : i + length]) for i in range(len(words) - length + 1)}


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


def test_word_runs_see_through_case_and_punctuation() -> None:
    assert word_runs("One, two; THREE.", 2) == {("one", "two"), ("two", "three")}
    assert word_runs("too short", 3) == set()


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
def test_names_and_summaries(language: str) -> None:
    characters = load(language)["characters"]
    assert len({character["name"] for character in characters}) == len(characters)
    for character in characters:
        assert len(character["summary"].splitlines()) == 1, character["id"]
        assert len(character["summary"]) < 200, character["id"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_persona_length(language: str) -> None:
    lengths = {item["id"]: len(item["persona"].split()) for item in load(language)["characters"]}
    assert {key: length for key, length in lengths.items() if not 120 <= length <= 350} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_example_has_the_character_speak_by_name(language: str) -> None:
    for character in load(language)["characters"]:
        if "example" in character:
            lines = character["example"].splitlines()
            assert all(re.match(r"[^:]+: \S", line) for line in lines), character["id"]
            assert any(line.startswith(f"{character['name']}: ") for line in lines), character["id"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_texts_share_a_run_of_twelve_words(language: str) -> None:
    runs = {name: word_runs(text, 12) for name, text in texts(load(language)).items()}
    shared = {(a, b): " ".join(min(runs[a] & runs[b])) for a, b in combinations(runs, 2) if runs[a] & runs[b]}
    assert shared == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_run_of_eight_words_from_the_originals(language: str) -> None:
    folder = os.environ.get("INTERPLAY_ORIGINALS")
    if not folder:
        pytest.skip("INTERPLAY_ORIGINALS is not set")
    original: set[tuple[str, ...]] = set()
    for name in ("settings_v1.json", "settings_v2.json"):
        content = json.loads((Path(folder) / "pingpong" / name).read_text(encoding="utf-8"))
        for text in strings(content):
            original |= word_runs(text, 8)
    assert original
    shared = {name: word_runs(text, 8) & original for name, text in texts(load(language)).items()}
    assert {name: runs for name, runs in shared.items() if runs} == {}
