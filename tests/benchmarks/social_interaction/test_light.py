"""The light reader on planted play: it learns what leads to a check, knows nobody by name, and never fails."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from interplay.benchmarks.social_interaction import light
from interplay.benchmarks.social_interaction.characters import SKILLS
from interplay.benchmarks.social_interaction.light import LightReader
from interplay.benchmarks.social_interaction.windows import Intention, Turn, Window
from interplay.models import sentences
from interplay.models.sentences import Encoder

CUES = {
    "stealth": ("I creep along the wall on soft feet.", "I hide in the dark and hold my breath."),
    "medicine": ("I bind his wound and feel for a pulse.", "I clean the cut and look at the fever."),
    "athletics": ("I climb the cliff by my hands.", "I swim hard against the current."),
}
IDLE = (
    "What a long day.",
    "I like this inn.",
    "Did anybody bring bread?",
    "It rains again.",
    "Ha, very funny.",
)


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return sentences.load()


def window(number: int, skill: str, players: Sequence[str] = ("Ash", "Brook", "Clay")) -> Window:
    """Small talk of all players; one of them, not always the last, does what leads to the check."""
    asked = players[number % len(players)]
    turns = [Turn((name,), IDLE[(number + place) % len(IDLE)]) for place, name in enumerate(players)]
    turns += [Turn((asked,), CUES[skill][number % 2]), Turn(("Master",), "All right, the night goes on.")]
    turns.append(Turn((players[(number + 1 + number % 2) % len(players)],), IDLE[number % len(IDLE)]))
    return Window(f"w_{number}", "w", tuple(turns), (Intention(asked, skill),), ("Master",))


def windows(count: int, players: Sequence[str] = ("Ash", "Brook", "Clay")) -> list[Window]:
    return [window(number, list(CUES)[number // 2 % 3], players) for number in range(count)]


def right(reader: LightReader, tried: Sequence[Window]) -> float:
    return sum(reader.read(one) == frozenset(one.intentions) for one in tried) / len(tried)


def weights(reader: LightReader) -> np.ndarray:
    assert reader._learned is not None
    return reader._learned.weights


def renamed(one: Window, names: dict[str, str]) -> Window:
    return replace(
        one,
        turns=tuple(
            Turn(tuple(names.get(who, who) for who in turn.speakers), turn.text) for turn in one.turns
        ),
        intentions=tuple(Intention(names[it.character], it.skill) for it in one.intentions),
    )


def test_it_learns_what_leads_to_a_check_and_names_people_it_never_saw(encoder: Encoder) -> None:
    tried = [
        replace(one, turns=tuple(replace(turn, text=f"{turn.text} Yes.") for turn in one.turns))
        for one in windows(30, ("Wren", "Yael", "Quill", "Sage"))
    ]
    reader = LightReader.train(windows(60), encoder)
    assert right(reader, tried) >= 0.9
    assert np.mean([one.last_player == one.intentions[0].character for one in tried]) < 0.6


def test_labels_at_random_teach_nothing(encoder: Encoder) -> None:
    lots = Random(1)
    learned = [
        replace(one, intentions=(Intention(lots.choice(one.players), lots.choice(SKILLS)),))
        for one in windows(60)
    ]
    assert right(LightReader.train(learned, encoder), windows(30)) <= 0.3


def test_names_change_nothing_but_the_name(encoder: Encoder) -> None:
    names = {"Ash": "Zoe", "Brook": "Abel", "Clay": "Mo", "Master": "Master"}
    learned = windows(12)
    reader = LightReader.train(learned, encoder)
    other = LightReader.train([renamed(one, names) for one in learned], encoder)
    for one in windows(30):
        (found,) = reader.read(one)
        expected = frozenset({Intention(names[found.character], found.skill)})
        assert reader.read(renamed(one, names)) == expected
        assert other.read(renamed(one, names)) == expected


def test_the_same_windows_give_the_same_reader(encoder: Encoder) -> None:
    first, second = (LightReader.train(windows(24), encoder) for _ in range(2))
    assert (weights(first) == weights(second)).all()


def test_the_untrained_reader_goes_by_the_skills_names(encoder: Encoder) -> None:
    turns = (
        Turn(("Ash",), "What a nice soup this is."),
        Turn(("Brook",), "I sneak past them, hidden, with great stealth."),
        Turn(("Master",), "Religion! Medicine! Athletics!"),
        Turn(("Clay",), "Pass me the bread, please."),
    )
    one = Window("a", "a", turns, (), ("Master",))
    assert LightReader.untrained(encoder).read(one) == frozenset({Intention("Brook", "stealth")})


def test_the_untrained_reader_has_not_learned_the_cues(encoder: Encoder) -> None:
    tried = windows(30)
    assert right(LightReader.untrained(encoder), tried) < right(LightReader.train(tried, encoder), tried) == 1


@pytest.mark.parametrize("trained", [True, False])
def test_a_window_without_players_names_nobody(encoder: Encoder, trained: bool) -> None:
    reader = LightReader.train(windows(6), encoder) if trained else LightReader.untrained(encoder)
    assert reader.read(Window("a", "a", (Turn(("Master",), "Roll."),), (), ("Master",))) == frozenset()
    assert reader.read(Window("a", "a", (Turn((), "Silence."),), ())) == frozenset()


@pytest.mark.parametrize("trained", [True, False])
def test_turns_without_words_are_read(encoder: Encoder, trained: bool) -> None:
    reader = LightReader.train(windows(6), encoder) if trained else LightReader.untrained(encoder)
    (found,) = reader.read(Window("a", "a", (Turn(("Ash",), ""), Turn(("Ash", "Brook"), " ")), ()))
    assert found.character in ("Ash", "Brook")
    assert found.skill in SKILLS


def test_without_a_check_in_any_window_nobody_is_named(encoder: Encoder) -> None:
    for learned in ([], [Window("a", "a", (Turn(("Master",), "Hm."),), (), ("Master",))]):
        assert LightReader.train(learned, encoder).read(window(1, "stealth")) == frozenset()
    idle = [replace(one, intentions=()) for one in windows(6)]
    assert LightReader.train(idle, encoder).read(window(1, "stealth")) == frozenset()


def test_one_skill_alone_is_all_it_can_name(encoder: Encoder) -> None:
    reader = LightReader.train([window(number, "stealth") for number in range(6)], encoder)
    assert {one.skill for tried in windows(12) for one in reader.read(tried)} == {"stealth"}


def test_where_everybody_is_always_asked_the_surest_skill_decides(encoder: Encoder) -> None:
    """Windows of one player each have nobody who is not asked."""
    learned = [window(number, skill, ("Ash",)) for number, skill in enumerate([*CUES] * 4)]
    turns = (Turn(("Brook",), "Hm."), Turn(("Clay",), CUES["medicine"][0]))
    (found,) = LightReader.train(learned, encoder).read(Window("a", "a", turns, ()))
    assert found == Intention("Clay", "medicine")


def test_a_skill_seen_once_and_a_silent_character(encoder: Encoder) -> None:
    learned = [*windows(5), replace(window(7, "stealth"), intentions=(Intention("Nobody", "history"),))]
    learned.append(replace(window(8, "stealth"), intentions=(Intention("Ash", "religion"),)))
    reader = LightReader.train(learned, encoder)
    assert {SKILLS[label - 1] for label in reader._learned.labels if label} <= {*CUES, "religion"}
    (found,) = reader.read(window(0, "stealth"))
    assert found.skill in (*CUES, "religion")


def test_more_windows_than_are_held_at_once(encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = LightReader.train(windows(10), encoder)
    told: list[tuple[int, int]] = []
    monkeypatch.setattr(light, "WINDOWS_AT_ONCE", 4)
    parts = LightReader.train(windows(10), encoder, lambda done, of: told.append((done, of)))
    assert told == [(4, 10), (8, 10), (10, 10)]
    assert (weights(parts) == weights(whole)).all()
