"""Scenes and skills as the program has them, and how often recorded play calls for each skill."""

from collections import Counter
from pathlib import Path

from interplay.benchmarks.social_interaction.characters import SKILLS
from interplay.benchmarks.social_interaction.scenes import USUAL, scenes, skills
from interplay.benchmarks.social_interaction.windows import real_play


def test_every_skill_has_a_weight_a_meaning_and_wants() -> None:
    assert set(USUAL) == set(SKILLS) == set(skills())
    assert min(USUAL.values()) > 0
    for name, skill in skills().items():
        assert skill.name == name
        assert skill.meaning
        assert len(set(skill.wants)) == len(skill.wants) >= 8


def test_every_skill_can_be_used_somewhere() -> None:
    places = {skill: {scene.title for scene in scenes() if skill in scene.affords} for skill in SKILLS}
    assert min(map(len, places.values())) >= 15
    assert len({scene.title for scene in scenes()}) == len(scenes()) == 48


def test_scenes_and_skills_are_read_once() -> None:
    assert scenes() is scenes()
    assert skills() is skills()


def test_the_usual_weights_are_the_counts_of_recorded_play(originals: Path) -> None:
    found = real_play(originals / "crd3" / "windows.jsonl.gz").windows
    assert Counter(one.skill for window in found for one in window.intentions) == USUAL
    assert sum(USUAL.values()) == 703
