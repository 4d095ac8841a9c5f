"""Bots with planted cues: what they show, and that the gap falls as their play nears what stands for real play."""

import json
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from random import Random

import pytest

from interplay.benchmarks.social_interaction.characters import SKILLS
from interplay.benchmarks.social_interaction.cue_bots import SHOWN, CueBot, _moves, played_by, windows_by
from interplay.benchmarks.social_interaction.cutting import windows_of
from interplay.benchmarks.social_interaction.gap import LEVELS, gap, last_speaker, tallies
from interplay.benchmarks.social_interaction.light import LightReader
from interplay.benchmarks.social_interaction.windows import Window, last_speaker_share
from interplay.models import sentences
from interplay.models.sentences import Encoder

FAITH = (0.0, 0.2, 0.4, 0.6, 1.0)
AS_USUAL = {"scene": "intentions", "moves": "30", "wants": "1", "skills": "usual", "prompts": ""}
EVENLY = {**AS_USUAL, "skills": "even"}
OF = {json.dumps(one, sort_keys=True): kind for kind, found in _moves().items() for one in found}


def shown_in(session: object, seat: str) -> Counter[str]:
    """Which skills' cues, or filler, one seat's moves are."""
    return Counter(
        OF[json.dumps({key: text for key, text in (("act", move.act), ("say", move.say)) if text})]
        for move in session.moves  # type: ignore[attr-defined]
        if move.seat == seat
    )


def test_only_who_wants_shows_anything_and_one_skill_alone() -> None:
    cues, moves, kept = 0, 0, 0
    for _, session in played_by(CueBot(0.5), "m", 3, range(1, 101), AS_USUAL):
        (wanted,) = session.wants
        for seat in session.seats:
            shown = shown_in(session, seat.seat)
            if seat.seat != wanted.seat:
                assert set(shown) == {"host" if seat.role == "npc" else "filler"}
                continue
            skills = set(shown) - {"filler"}
            assert len(skills) == 1
            kept += skills == {wanted.skill}
            cues, moves = cues + sum(shown[skill] for skill in skills), moves + shown.total()
    assert 0.3 < kept / 100 < 0.7  # .5 and four standard errors
    assert abs(cues / moves - SHOWN) < 4 * (SHOWN * (1 - SHOWN) / moves) ** 0.5


@pytest.mark.parametrize(("faith", "kept"), [(1.0, True), (0.0, False)])
def test_at_the_ends_every_session_keeps_faith_or_none_does(faith: float, kept: bool) -> None:
    for _, session in played_by(CueBot(faith), "m", 0, range(1, 31), AS_USUAL):
        (wanted,) = session.wants
        assert (wanted.skill in shown_in(session, wanted.seat)) is kept


def test_play_is_drawn_by_seed_and_name_and_by_nothing_else() -> None:
    once, again = (windows_by(CueBot(1.0), "m", 0, range(1, 6), AS_USUAL) for _ in range(2))
    assert once == again
    others = [
        windows_by(CueBot(1.0), "m", 1, range(1, 6), AS_USUAL),
        windows_by(CueBot(1.0), "n", 0, range(1, 6), AS_USUAL),
    ]
    texts = [[turn.text for window in each for turn in window.turns] for each in (once, *others)]
    assert texts[0] != texts[1] != texts[2] != texts[0]
    later = windows_by(CueBot(1.0), "m", 0, range(3, 6), AS_USUAL)
    assert later == once[2:], "a session does not depend on those before it"


def test_windows_end_on_who_is_asked_as_often_as_is_said() -> None:
    sessions = played_by(CueBot(1.0), "m", 0, range(1, 301), AS_USUAL)
    for share in (0.2, 0.73):
        found = [window for scenario, one in sessions for window in windows_of(one, scenario.id[:12], share)]
        assert len(found) == 300
        assert abs(last_speaker_share(found) - share) < 4 * (share * (1 - share) / 300) ** 0.5
        assert {one.intentions[0].skill for one in found} <= set(SKILLS)


# The gap


class Tried:
    """Readers of real play and of the play of bots at each faith, tried on the same windows; F-scores by level."""

    def __init__(self, seed: int, sessions: int, held_out: int, options: dict[str, str], encoder: Encoder):
        numbers = range(sessions + 1, 2 * sessions + held_out + 1)
        real = windows_by(CueBot(1.0), "real", seed, numbers, options)
        Random(seed).shuffle(real)
        self.held_out = real[sessions:]
        self._encoder = encoder
        self.real = self._scores(real[:sessions])
        self.generated = {
            faith: self._scores(
                windows_by(CueBot(faith), f"bot {faith}", seed, range(1, sessions + 1), options)
            )
            for faith in FAITH
        }
        skill = Counter(window.intentions[0].skill for window in real[:sessions]).most_common(1)[0][0]
        self.last = self._f1(last_speaker(self.held_out, skill))

    def _scores(self, learned: Sequence[Window]) -> dict[str, float]:
        reader = LightReader.train(learned, self._encoder)
        return self._f1({window.id: reader.read(window) for window in self.held_out})

    def _f1(self, read: dict[str, frozenset]) -> dict[str, float]:  # type: ignore[type-arg]
        return {level: tally.total.f1 or 0.0 for level, tally in tallies(self.held_out, read).items()}

    def gaps(self, level: str) -> list[float]:
        """From no faith to full."""
        found = [gap(self.real[level], self.generated[faith][level]) for faith in FAITH]
        return [one.value for one in found if one is not None]

    def told(self) -> str:
        rows = [f"f_r {self.real} last {self.last}", *(f"G^{level} {self.gaps(level)}" for level in LEVELS)]
        return "; ".join(rows)


def falls(numbers: Sequence[float]) -> bool:
    return len(numbers) == len(FAITH) and all(before > after for before, after in pairwise(numbers))


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return sentences.load()


@pytest.mark.slow
def test_the_gap_falls_as_play_nears_real_play(encoder: Encoder) -> None:
    tried = Tried(0, 160, 200, {**EVENLY, "moves": "16"}, encoder)
    assert falls(tried.gaps("o")), tried.told()
    assert tried.gaps("o")[-1] <= 0.05, "a fourth of the sessions of the slow test, and twice the room"
    assert tried.gaps("o")[0] > 0.5
    assert tried.real["o"] > tried.last["o"] + 0.2
    # whoever wants shows something at any faith: who is asked can be read all the same
    assert max(tried.gaps("c")) <= 0.1


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_the_gap_falls_at_five_levels_of_faith_in_600_sessions_of_30_moves(
    seed: int, encoder: Encoder
) -> None:
    tried = Tried(seed, 600, 600, EVENLY, encoder)
    assert falls(tried.gaps("o")), tried.told()
    assert tried.gaps("o")[-1] <= 0.03, tried.told()
    assert max(tried.gaps("c")) <= 0.03, tried.told()
    assert tried.real["o"] > tried.last["o"], tried.told()
    assert tried.real["c"] > tried.last["c"], tried.told()
