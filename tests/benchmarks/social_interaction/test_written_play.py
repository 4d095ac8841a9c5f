"""The windows that ship in the place of recorded play: how many, how long, what they lead to, what they say."""

import json
import re
from collections import Counter

from interplay.benchmarks.social_interaction.characters import FOLDER, SKILLS, shipped
from interplay.benchmarks.social_interaction.form import NAMES
from interplay.benchmarks.social_interaction.windows import (
    WRITTEN,
    as_json,
    last_speaker_share,
    split,
    written_play,
)

PLAY = written_play()
PATHS = sorted((FOLDER / "data" / "written_play").glob("*.jsonl"))


def texts() -> list[str]:
    return [turn.text for window in PLAY.windows for turn in window.turns]


def test_there_are_96_windows_of_24_sessions() -> None:
    assert (PLAY.name, PLAY.remarks) == (WRITTEN, ())
    assert (len(PLAY.windows), PLAY.sessions) == (96, 24)
    assert set(Counter(window.session for window in PLAY.windows).values()) == {4}
    assert len({window.id for window in PLAY.windows}) == 96


def test_every_line_is_a_window_as_it_is_written() -> None:
    lines = [line for path in PATHS for line in path.read_text(encoding="utf-8").splitlines()]
    assert [json.loads(line) for line in lines] == [as_json(window) for window in PLAY.windows]


def test_a_window_has_14_to_18_turns_and_ends_on_a_player() -> None:
    for window in PLAY.windows:
        assert 14 <= len(window.turns) <= 18, window.id
        assert all(turn.speakers for turn in window.turns)
        assert all(turn.text for turn in window.turns)
        assert len(window.masters) == 1
        assert window.turns[-1].speakers[0] not in window.masters, window.id
        assert 3 <= len(window.players) <= 5
        assert window.masters[0] in {name for turn in window.turns for name in turn.speakers}


def test_a_window_leads_to_one_check_of_somebody_who_speaks() -> None:
    for window in PLAY.windows:
        (asked,) = window.intentions
        assert asked.character in window.players, window.id


def test_every_skill_is_asked_for_and_the_last_speaker_mostly_but_not_always() -> None:
    asked = Counter(one.skill for window in PLAY.windows for one in window.intentions)
    assert set(asked) == set(SKILLS)
    assert max(asked.values()) < 96 / 4
    assert 0.6 <= last_speaker_share(PLAY.windows) <= 0.85


def test_sessions_of_one_campaign_are_led_by_one() -> None:
    for path in PATHS:
        led = {json.loads(line)["masters"][0] for line in path.read_text(encoding="utf-8").splitlines()}
        assert len(led) >= 1
        assert {window.session for window in PLAY.windows if window.session.startswith(path.stem)}


def test_no_two_turns_are_the_same() -> None:
    long = [text for text in texts() if len(text.split()) >= 6]
    assert [text for text, count in Counter(long).items() if count > 1] == []


def test_no_neutral_name_is_said() -> None:
    said = {word for text in texts() for word in re.findall(r"[^\W_]+", text)}
    assert said & set(NAMES) == set()
    speakers = {name.casefold() for window in PLAY.windows for turn in window.turns for name in turn.speakers}
    assert speakers & {name.casefold() for name in NAMES} == set()


def test_nobody_of_the_shipped_characters_is_there() -> None:
    whole = " ".join(texts()).casefold()
    assert [one.name for one in shipped() if one.name.casefold() in whole] == []


def test_nothing_is_asked_for_in_the_window_itself() -> None:
    """The check comes after the window: to name it there would give the answer away."""
    asked = re.compile(r"\b(?:make (?:a|me a) \w+ check|skill check|saving throw)\b", re.IGNORECASE)
    assert [text for text in texts() if asked.search(text)] == []


def test_all_of_it_is_in_one_line_and_printable() -> None:
    assert [text for text in texts() if not text.isprintable() or text != " ".join(text.split())] == []


def test_any_seed_splits_it_by_sessions() -> None:
    for seed in range(50):
        parts = split(PLAY, 0.25, seed)
        assert (len(parts.learned), len(parts.held_out)) == (72, 24)
