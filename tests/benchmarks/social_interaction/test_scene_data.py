"""The scenes, wants and cues that ship: how many, how long, all different, and none that says its skill's own word."""

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import lemminflect
import pytest

from interplay.benchmarks.social_interaction.characters import SKILLS
from interplay.benchmarks.unwelcome import is_unwelcome_word

DATA = files("interplay.benchmarks.social_interaction") / "data"
CANARY = re.compile(
    r"INTERPLAY CANARY social_interaction (\w+) [0-9a-f-]{36}: benchmark data, keep out of .+"
)
RUN = 4  # words in a row that no two moves share

# How each skill's own word begins, whatever is derived from it.
STEMS = {
    "acrobatics": ("acrobat",),
    "animal handling": ("animal", "handl"),
    "arcana": ("arcan",),
    "athletics": ("athlet",),
    "deception": ("deceiv", "deceit", "decept"),
    "history": ("histor", "prehistor"),
    "insight": ("insight",),
    "intimidation": ("intimidat",),
    "investigation": ("investigat",),
    "medicine": ("medic",),
    "nature": ("natur", "unnatur", "supernatur"),
    "perception": ("perceiv", "percept", "imperceptib"),
    "performance": ("perform",),
    "persuasion": ("persua",),
    "religion": ("religi", "irreligi"),
    "sleight of hand": ("sleight",),
    "stealth": ("stealth",),
    "survival": ("surviv",),
}
OWN = re.compile(rf"\b(?:{'|'.join(stem for stems in STEMS.values() for stem in stems)})\w*", re.IGNORECASE)
# fmt: off
DERIVED = (  # what must not slip by
    "acrobatic", "handler", "handling", "arcane", "athlete", "deceive", "deceitful", "historian",
    "insightful", "intimidating", "investigator", "medical", "medicinal", "naturally", "unnatural",
    "perceives", "perceptive", "imperceptible", "performer", "persuaded", "persuasive", "religious",
    "sleight", "stealthily", "survivor",
)
# fmt: on
GAME = re.compile(
    r"\b(?:skills?|skill checks?|dice|proficien\w*|NPCs?|players?|dungeon masters?|game masters?)\b",
    re.IGNORECASE,
)
ADDRESSED = re.compile(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)
GENDER = re.compile(r"\b(?:he|she|him|his|her|hers|himself|herself)\b", re.IGNORECASE)

Table = dict[str, Any]
Move = dict[str, str]


def read(name: str) -> Table:
    return tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))


SCENES: list[Table] = read("scenes")["scenes"]
WANTS: dict[str, Table] = read("wants")["skills"]
CUES: dict[str, Table] = read("cues")["skills"]
FILLER: list[Move] = read("cues")["filler"]
HOST: list[Move] = read("cues")["host"]


def whole(move: Move) -> str:
    return " ".join(move.values())


def moves() -> Iterator[tuple[str, Move]]:
    """Every move with where it stands."""
    for skill, table in CUES.items():
        yield from ((skill, cue) for cue in table["cues"])
    yield from (("filler", move) for move in FILLER)
    yield from (("host", move) for move in HOST)


def texts() -> Iterator[str]:
    """All that a model, a bot or a reader may be shown."""
    for scene in SCENES:
        yield from (scene["title"], scene["place"], scene["npc"])
    for table in WANTS.values():
        yield from (table["meaning"], *table["wants"])
    yield from (whole(move) for _, move in moves())


def words(text: str) -> int:
    return len(text.split())


def runs(text: str) -> set[tuple[str, ...]]:
    found = re.findall(r"[a-z']+", text.lower())
    return {tuple(found[place : place + RUN]) for place in range(len(found) - RUN + 1)}


def shared_runs(all_texts: list[str]) -> list[str]:
    """Every run of words that two of the texts have, which may themselves be the same."""
    places = defaultdict(set)
    for number, text in enumerate(all_texts):
        for run in runs(text):
            places[run].add(number)
    return [" ".join(run) for run, numbers in places.items() if len(numbers) > 1]


def test_each_file_has_what_it_should_and_a_canary_of_its_own() -> None:
    assert set(read("scenes")) == {"canary", "scenes"}
    assert set(read("wants")) == {"canary", "skills"}
    assert set(read("cues")) == {"canary", "skills", "filler", "host"}
    for name in ("scenes", "wants", "cues"):
        found = CANARY.fullmatch(read(name)["canary"])
        assert found
        assert found[1] == name


def test_there_are_48_scenes_of_one_shape() -> None:
    assert len(SCENES) == 48
    for scene in SCENES:
        assert set(scene) == {"title", "place", "npc", "affords"}
        assert 2 <= words(scene["title"]) <= 5, scene["title"]
        assert 45 <= words(scene["place"]) <= 80, scene["title"]
        assert 10 <= words(scene["npc"]) <= 25, scene["title"]


def test_no_two_scenes_are_alike() -> None:
    assert len({scene["title"].casefold() for scene in SCENES}) == 48
    for part in ("place", "npc"):
        openings = Counter(" ".join(scene[part].split()[:3]).casefold() for scene in SCENES)
        assert max(openings.values()) <= 2, openings.most_common(1)
    assert len({tuple(scene["affords"]) for scene in SCENES}) == 48


def test_a_scene_is_seen_from_outside_and_has_the_party_and_a_local_in_it() -> None:
    for scene in SCENES:
        place = scene["place"]
        assert not ADDRESSED.search(place), scene["title"]
        assert not GENDER.search(place + scene["npc"]), scene["title"]
        assert re.search(r"\bparty\b", place), scene["title"]
        assert len(re.findall(r"\b(?:[Tt]he|[Aa]) (?:stranger|keeper|local)\b", place)) == 1, scene["title"]


def test_a_scene_affords_eight_skills_and_a_skill_has_fifteen_scenes() -> None:
    for scene in SCENES:
        affords = scene["affords"]
        assert affords == sorted(set(affords) & set(SKILLS)), scene["title"]
        assert len(affords) >= 8, scene["title"]
    afforded = Counter(skill for scene in SCENES for skill in scene["affords"])
    assert min(afforded[skill] for skill in SKILLS) >= 15


def test_every_skill_has_a_meaning_and_eight_wants() -> None:
    assert tuple(WANTS) == SKILLS
    for skill, table in WANTS.items():
        assert set(table) == {"meaning", "wants"}
        assert re.fullmatch(r"[A-Z][^.]+\.", table["meaning"]), skill
        assert len(table["wants"]) >= 8, skill


def test_a_want_is_one_sentence_said_to_the_player() -> None:
    wants = [want for table in WANTS.values() for want in table["wants"]]
    for want in wants:
        assert 8 <= words(want) <= 20, want
        assert re.fullmatch(r"[A-Z][^.?!]+\.", want), want
        assert ADDRESSED.search(want), want
    assert len({want.casefold() for want in wants}) == len(wants)


def test_there_are_enough_moves() -> None:
    assert tuple(CUES) == SKILLS
    assert all(set(table) == {"cues"} for table in CUES.values())
    assert min(len(table["cues"]) for table in CUES.values()) >= 16
    assert len(FILLER) >= 120
    assert len(HOST) >= 60


def test_a_move_is_something_done_or_something_said() -> None:
    for place, move in moves():
        assert move
        assert set(move) <= {"act", "say"}, place
        assert 8 <= words(whole(move)) <= 25, whole(move)
        if "act" in move:
            assert re.fullmatch(r"[a-z]+s\b[^.?!A-Z]*", move["act"]), move["act"]
            assert not GENDER.search(move["act"]), move["act"]
        if "say" in move:
            assert re.fullmatch(r"[A-Z].*[.?!]", move["say"]), move["say"]


@pytest.mark.parametrize("group", [*SKILLS, "filler", "host"])
def test_both_shapes_are_common_everywhere(group: str) -> None:
    """Else a reader could tell by the shape alone, what is planted and what is not."""
    there = [move for place, move in moves() if place == group]
    for shape in ("act", "say"):
        assert 0.3 <= sum(shape in move for move in there) / len(there) <= 0.7, shape


def test_no_two_moves_have_four_words_in_a_row() -> None:
    assert shared_runs([whole(move) for _, move in moves()]) == []
    assert shared_runs(["keeps to the wall", "Keeps to the wall!"]) == ["keeps to the wall"]


def test_nothing_says_the_own_word_of_a_skill() -> None:
    assert [(found.group(), text) for text in texts() for found in OWN.finditer(text)] == []


@pytest.mark.parametrize("skill", SKILLS)
def test_the_stems_know_every_skill_by_its_name(skill: str) -> None:
    assert OWN.search(f"a test of {skill}, perhaps")
    assert any(stem in skill for stem in STEMS[skill])


@pytest.mark.parametrize(
    "word",
    DERIVED,
)
def test_the_stems_know_what_is_derived(word: str) -> None:
    assert OWN.search(f"It is {word.upper()}.")


def test_ordinary_words_are_not_taken_for_a_skills_own() -> None:
    assert not OWN.search("a story of a hand, a signature, a slight, a steal, a relic, a vivid sight")


def test_nothing_speaks_of_the_rules_of_a_game() -> None:
    assert [text for text in texts() if GAME.search(text)] == []


def test_nothing_may_offend() -> None:
    said = {word for text in texts() for word in re.findall(r"[a-z]+", text.casefold())}
    forms = {word: {word, *sum(lemminflect.getAllLemmas(word).values(), ())} for word in said}
    assert [word for word in sorted(said) if any(map(is_unwelcome_word, forms[word]))] == []
    assert is_unwelcome_word("bastard")


def test_all_that_is_written_can_be_printed() -> None:
    assert [text for text in texts() if not text.isprintable() or text != " ".join(text.split())] == []
