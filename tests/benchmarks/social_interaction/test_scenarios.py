"""Sessions to play: the same every time, more of them beginning with fewer, out of our data or a user's."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import chisquare

from interplay.benchmarks.social_interaction import benchmark, knowledge
from interplay.benchmarks.social_interaction.characters import SKILLS, entry_of, shipped
from interplay.benchmarks.social_interaction.scenarios import scenarios
from interplay.benchmarks.social_interaction.scenes import USUAL, scenes, skills
from interplay.core.benchmark import Scenario
from interplay.core.failures import Mistake
from tests.benchmarks.social_interaction.at_the_table import settled

POINTS = [f"Fact {number} is so." for number in range(1, 6)]


def made(data: Path | None = None, **options: str) -> tuple[Scenario, ...]:
    return scenarios(settled(**options), data).scenarios


def toml_of(name: str, entries: list[dict[str, Any]]) -> str:
    """Entries as a TOML file has them; JSON's texts, numbers and lists are TOML's too."""
    lines = []
    for entry in entries:
        lines.append(f"[[{name}]]")
        for key, value in entry.items():
            if isinstance(value, dict):
                value = "{ " + ", ".join(f"{k} = {v}" for k, v in value.items()) + " }"
                lines.append(f"{key} = {value}")
            else:
                lines.append(f"{key} = {json.dumps(value)}")
    return "\n".join(lines) + "\n"


def people(count: int = 5) -> list[dict[str, Any]]:
    return [entry_of(one) | {"name": f"Own Person {n}"} for n, one in enumerate(shipped()[:count], 1)]


def pieces(count: int = 3) -> list[dict[str, Any]]:
    return [{"title": f"Own Piece {n}", "text": " ".join(POINTS)} for n in range(1, count + 1)]


def file(folder: Path, *, of_people: int = 0, of_pieces: int = 0, head: str = "") -> Path:
    path = folder / "own.toml"
    path.write_text(head + toml_of("characters", people(of_people)) + toml_of("pieces", pieces(of_pieces)))
    return path


@pytest.mark.parametrize("scene", ["exchange", "intentions"])
def test_sessions_are_the_same_every_time_and_more_begin_with_fewer(scene: str) -> None:
    few, many, again = (made(scene=scene, sessions=count) for count in ("7", "90", "90"))
    assert many[:7] == few
    assert [one.id for one in many] == [one.id for one in again]
    assert len({one.id for one in many}) == 90
    assert [one.content["number"] for one in many] == list(range(1, 91))


def test_how_many_sessions_there_are() -> None:
    assert len(made()) == len(knowledge.shipped()) == 64
    assert len(made(scene="intentions")) == 600
    assert len(made(sessions="1")) == 1
    for sessions in ("0", "5001", "-1", "x"):
        with pytest.raises(Mistake, match="sessions is a whole number from 1 to 5,000"):
            settled(sessions=sessions)


def test_every_piece_is_used_once_before_any_is_used_again() -> None:
    titles = [one.content["knowledge"]["title"] for one in made(sessions="128")]
    assert len(set(titles[:64])) == 64
    assert set(titles[64:]) == set(titles[:64])
    assert titles[64:] != titles[:64]


def test_pieces_that_are_used_again_are_told() -> None:
    assert scenarios(settled(sessions="64")).remarks == ()
    (remark,) = scenarios(settled(sessions="65")).remarks
    assert remark.startswith("65 sessions draw on 64 pieces of knowledge: some are used again")
    assert scenarios(settled(scene="intentions", sessions="65")).remarks == ()


def test_a_session_of_exchange_has_a_piece_and_four_people() -> None:
    titles = {piece.title: piece for piece in knowledge.shipped()}
    for one in made():
        content = one.content
        assert content["scene"] == "exchange"
        assert "wants" not in content
        piece = titles[content["knowledge"]["title"]]
        assert content["knowledge"]["text"] == piece.text
        assert content["knowledge"]["points"] == [point.point for point in piece.points]
        assert len({entry["name"] for entry in content["characters"]}) == 4
        json.dumps(content)


def test_no_name_of_a_shipped_character_is_in_a_piece_of_knowledge() -> None:
    names = {part.casefold() for one in shipped() for part in one.name.split() if len(part) > 3}
    names -= {"step", "ninth"}  # of somebody who is of the Ninth Step
    for piece in knowledge.shipped():
        statements = [text for point in piece.points for text in (point.point, point.said, point.wrong)]
        for text in (piece.title, piece.text, *statements):
            words = {word.strip(".,;:!?\"'()’s").casefold() for word in text.split()}
            shared = words & names
            capital = {word for word in shared if word.capitalize() in text}
            assert not capital, (piece.title, capital)
            assert not any(one.name.casefold() in text.casefold() for one in shipped())


@pytest.mark.parametrize("wants", ["1", "2", "3"])
def test_the_scene_affords_every_skill_that_is_wanted(wants: str) -> None:
    by_title = {scene.title: scene for scene in scenes()}
    for one in made(scene="intentions", sessions="300", wants=wants):
        content = one.content
        assert "knowledge" not in content
        assert len(content["wants"]) == int(wants)
        assert len({want["player"] for want in content["wants"]}) == int(wants)
        for want in content["wants"]:
            assert 1 <= want["player"] <= 3
            assert want["skill"] in by_title[content["title"]].affords
            assert want["want"] in skills()[want["skill"]].wants


@pytest.mark.parametrize(("spread", "weights"), [("usual", USUAL), ("even", dict.fromkeys(SKILLS, 1))])
def test_skills_come_as_often_as_they_should(spread: str, weights: dict[str, int]) -> None:
    found = Counter(
        one.content["wants"][0]["skill"] for one in made(scene="intentions", sessions="3000", skills=spread)
    )
    expected = [3000 * weights[skill] / sum(weights.values()) for skill in SKILLS]
    assert chisquare([found[skill] for skill in SKILLS], expected).pvalue > 1e-4
    other = [3000 * (1 if spread == "usual" else USUAL[skill]) for skill in SKILLS]
    other = [3000 * one / sum(other) for one in other]
    assert chisquare([found[skill] for skill in SKILLS], other).pvalue < 1e-12


def test_all_players_and_scenes_and_people_come_up() -> None:
    found = made(scene="intentions", sessions="600")
    players = Counter(one.content["wants"][0]["player"] for one in found)
    assert chisquare([players[number] for number in (1, 2, 3)]).pvalue > 1e-4
    assert {one.content["title"] for one in found} == {scene.title for scene in scenes()}
    for place in range(4):
        assert len({one.content["characters"][place]["name"] for one in found}) == len(shipped())


def test_the_want_says_nothing_of_the_rest_of_the_session() -> None:
    """A reader must not be able to learn the skill from who is there: people are drawn apart from it."""
    found = made(scene="intentions", sessions="3000")
    table = Counter(
        (one.content["wants"][0]["skill"] == "perception", one.content["wants"][0]["player"]) for one in found
    )
    rate = [table[True, seat] / (table[True, seat] + table[False, seat]) for seat in (1, 2, 3)]
    assert max(rate) - min(rate) < 0.07


# A user's data


def test_own_characters_alone(tmp_path: Path) -> None:
    material = scenarios(settled(sessions="10"), file(tmp_path, of_people=5))
    assert material.remarks == ("own.toml has no pieces of knowledge: ours are used.",)
    names = {entry["name"] for one in material.scenarios for entry in one.content["characters"]}
    assert names == {f"Own Person {number}" for number in range(1, 6)}
    ours = {piece.title for piece in knowledge.shipped()}
    assert {one.content["knowledge"]["title"] for one in material.scenarios} <= ours


def test_own_pieces_alone(tmp_path: Path) -> None:
    material = scenarios(settled(), file(tmp_path, of_pieces=3))
    assert material.remarks == ("own.toml has no characters: ours are used.",)
    assert len(material.scenarios) == 3
    assert {one.content["knowledge"]["title"] for one in material.scenarios} == {
        "Own Piece 1",
        "Own Piece 2",
        "Own Piece 3",
    }
    assert all(one.content["knowledge"]["points"] == [] for one in material.scenarios)


@pytest.mark.parametrize("scene", ["exchange", "intentions"])
def test_own_characters_and_pieces_in_one_file(tmp_path: Path, scene: str) -> None:
    material = scenarios(settled(scene=scene, sessions="3"), file(tmp_path, of_people=4, of_pieces=3))
    assert material.remarks == ()
    assert all(
        entry["name"].startswith("Own") for one in material.scenarios for entry in one.content["characters"]
    )


def test_other_data_is_another_session(tmp_path: Path) -> None:
    ours, own = made(sessions="1"), made(file(tmp_path, of_people=5), sessions="1")
    assert ours[0].id != own[0].id


def test_what_is_wrong_with_a_file(tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    for text, told in (
        ("a = ", "is no TOML"),
        ("a = 1", r"has neither \[\[characters\]\] nor \[\[pieces\]\] of knowledge"),
        ("a = " + "[" * 100_000, "is no TOML"),
        ("characters = []", "has no characters"),
        ("pieces = 3", "bad.toml"),
        (toml_of("characters", people(3)), "has 3 characters; 4 or more meet in a session"),
        (toml_of("characters", [{**people(1)[0], "flw": "x"}]), "character 1 has 'flw'; did you mean 'flaw'"),
        (toml_of("characters", people(5)) + toml_of("pieces", [{"title": "x"}]), "piece 1"),
        ("strange = 1\n" + toml_of("pieces", pieces()), "has 'strange'"),
    ):
        bad.write_text(text)
        with pytest.raises(Mistake, match=told) as raised:
            scenarios(settled(), bad)
        assert str(bad) in str(raised.value)
        assert "\n" not in str(raised.value)
    bad.write_bytes(b"\xff")
    for path in (bad, tmp_path, tmp_path / "none.toml"):
        with pytest.raises(Mistake) as raised:
            scenarios(settled(), path)
        assert "\n" not in str(raised.value)


def test_the_benchmark_draws_its_scenarios_here() -> None:
    assert benchmark.scenarios is scenarios
