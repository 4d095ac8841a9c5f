"""A study of expressiveness: equal sizes, curves, an untrained reader, and nothing held out among what is learned."""

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from interplay.benchmarks.social_interaction import benchmark
from interplay.benchmarks.social_interaction.form import MASTER, NAMES, brought_to_form
from interplay.benchmarks.social_interaction.protocol import Move, Seated, Session, Wanted
from interplay.benchmarks.social_interaction.study import Study, play_of, study_of
from interplay.benchmarks.social_interaction.windows import (
    WRITTEN,
    Intention,
    Turn,
    Window,
    as_json,
    last_speaker_share,
    written_play,
)
from interplay.core.benchmark import Played, Scenario
from interplay.core.failures import Mistake
from interplay.core.making import Finished

SEATS = (
    Seated("player", "player", "Ana Bell", "m"),
    Seated("player 2", "player", "Bo Reed", "m"),
    Seated("npc", "npc", "Old Bram", "m"),
    Seated("player 3", "player", "Cy Moss", "m"),
)


def session(number: int, silent: bool = False, wants: int = 1) -> Session:
    seats = [seat.seat for seat in SEATS]
    kind = "pass" if silent else "speak"
    moves = tuple(Move(seats[n % 4], kind, "", "" if silent else f"Word {number} {n}.") for n in range(12))
    ends = [12 * place // wants for place in range(wants + 1)]
    asked = tuple(Wanted("player", "stealth", "x", ends[n], ends[n + 1]) for n in range(wants))
    return Session("intentions", SEATS, moves, (), asked)


def played(
    model: str, count: int, *, void: int = 0, silent: int = 0, repeats: int = 1, wants: int = 1
) -> list[Played]:
    found = []
    for number in range(count):
        for repeat in range(repeats):
            outcome = None if number < void else session(number, number < void + silent, wants)
            scenario = Scenario({"number": number}, f"session {number}")
            found.append(Played(scenario, model, repeat, outcome, failure="" if outcome else "unreadable"))
    return found


def study(
    all_played: Sequence[Played], models: Sequence[str] = ("m",), seed: int = 0, **options: str
) -> tuple[Study, list[str]]:
    told: list[str] = []
    settled = benchmark.settle({"scene": "intentions", **options})
    finished = Finished("run", tuple(models), all_played, settled, seed, None, told.append)
    return study_of(finished), told


def sizes(found: Study, source: str, dm: str = "light") -> list[int]:
    return [len(one.windows) for one in found.pupils if (one.source, str(one.master)) == (source, dm)]


def test_all_learn_from_equally_many_windows() -> None:
    found, told = study([*played("a", 60), *played("b", 40)], ["a", "b"], curve="no")
    assert [(one.source, len(one.windows)) for one in found.pupils] == [
        ("untrained", 0),
        ("real", 40),
        ("a", 40),
        ("b", 40),
    ]
    assert told == ["Note: game masters learn from 40 windows; below 200 a gap says little."]


def test_real_play_may_be_the_least() -> None:
    found, _ = study(played("a", 300), ["a"], curve="no")
    assert (sizes(found, "real"), sizes(found, "a")) == ([72], [72])
    assert len(found.held_out) == 24
    assert "a" in found.pupils[-1].name


def test_curves_have_an_eighth_a_quarter_a_half_and_all() -> None:
    found, _ = study(played("a", 300), ["a"], dm="light,examples:openai/x")
    assert sizes(found, "real") == sizes(found, "a") == [9, 18, 36, 72]
    assert sizes(found, "a", "examples:openai/x") == [72]
    found, _ = study(played("a", 300), ["a"], dm="light,examples:openai/x", curve="all")
    assert sizes(found, "a", "examples:openai/x") == [9, 18, 36, 72]
    assert sizes(found, "untrained", "examples:openai/x") == [0]
    found, _ = study(played("a", 300), ["a"], dm="light", curve="no")
    assert sizes(found, "a") == [72]


@pytest.mark.parametrize(("count", "expected"), [(70, [8, 17, 35, 70]), (20, [10, 20]), (15, [15]), (1, [1])])
def test_a_part_of_fewer_than_eight_windows_is_left_out(count: int, expected: list[int]) -> None:
    found, _ = study(played("a", count), ["a"])
    assert sizes(found, "a") == expected


def test_smaller_parts_are_the_beginning_of_larger_ones() -> None:
    found, _ = study(played("a", 300), ["a"])
    for source in ("real", "a"):
        mine = [one.windows for one in found.pupils if one.source == source]
        for small, large in pairwise(mine):
            assert large[: len(small)] == small


def test_a_seed_draws_who_is_held_out_and_what_is_learned() -> None:
    all_played = played("a", 40)
    first, again, other = (study(all_played, ["a"], seed=seed)[0] for seed in (1, 1, 2))
    assert first == again
    assert {one.id for one in first.held_out} != {one.id for one in other.held_out}
    assert first.pupils[-1].windows != other.pupils[-1].windows or len(first.pupils[-1].windows) == 40


def test_what_is_held_out_is_learned_by_nobody() -> None:
    for seed in range(10):
        found, _ = study(played("a", 100), ["a"], seed=seed)
        held_out = {one.id for one in found.held_out}
        sessions = {one.session for one in found.held_out}
        texts = {turn.text for one in found.held_out for turn in one.turns if len(turn.text) > 30}
        for pupil in found.pupils:
            assert not held_out & {one.id for one in pupil.windows}
            assert not sessions & {one.session for one in pupil.windows}
            assert not texts & {turn.text for one in pupil.windows for turn in one.turns}


def test_play_of_models_changes_nothing_of_what_is_held_out_or_of_real_play() -> None:
    few, many = (study(played("a", count), ["a"])[0] for count in (20, 300))
    assert few.held_out == many.held_out
    mine = next(one for one in few.pupils if one.source == "real" and len(one.windows) == 20)
    whole = next(one for one in many.pupils if one.source == "real" and len(one.windows) == 72)
    assert whole.windows[:20] == mine.windows


def test_everything_is_in_form() -> None:
    found, _ = study(played("a", 30), ["a"])
    windows = [*found.held_out, *(one for pupil in found.pupils for one in pupil.windows)]
    assert {name for one in windows for turn in one.turns for name in turn.speakers} <= {*NAMES, MASTER}
    by_id = {window.id: window for window in written_play().windows}
    assert all(one == brought_to_form(by_id[one.id]) for one in found.held_out)


def test_windows_end_as_those_of_the_real_play_that_is_learned(tmp_path: Path) -> None:
    for share in (0, 1):
        turns = (Turn(("M",), "Go."), Turn(("A",), "x"), Turn(("B",), "y"))
        windows = [
            Window(f"s{n}_1", f"s{n}", turns, (Intention("AB"[share], "stealth"),), ("M",)) for n in range(8)
        ]
        path = tmp_path / f"{share}.jsonl"
        path.write_text("".join(json.dumps(as_json(one)) + "\n" for one in windows))
        found, _ = study(played("a", 30), ["a"], real=str(path))
        mine = next(one for one in found.pupils if one.source == "a")
        assert last_speaker_share(mine.windows) == share


def test_void_and_silent_sessions_teach_nothing() -> None:
    found, _ = study(played("a", 30, void=5, silent=6), ["a"], curve="no")
    assert sizes(found, "a") == [19]


def test_a_model_without_windows_is_told_and_does_not_hold_the_others_up() -> None:
    found, told = study([*played("a", 20), *played("b", 5, void=5)], ["a", "b"], curve="no")
    assert [(one.source, len(one.windows)) for one in found.pupils] == [
        ("untrained", 0),
        ("real", 20),
        ("a", 20),
    ]
    assert told[0] == "Note: b played no session to its end: nothing can be learned from it."


def test_without_any_windows_real_play_is_still_learned() -> None:
    found, told = study([], ["a"], curve="no")
    assert [(one.source, len(one.windows)) for one in found.pupils] == [("untrained", 0), ("real", 72)]
    assert len(told) == 2


def test_repeats_and_wants_are_windows_of_their_own() -> None:
    found, _ = study(played("a", 10, repeats=2, wants=2), ["a"], curve="no")
    (mine,) = (one for one in found.pupils if one.source == "a")
    assert len({one.id for one in mine.windows}) == 40
    assert len({one.session for one in mine.windows}) == 20


@pytest.mark.parametrize("name", ["real", "untrained"])
def test_a_model_that_is_called_by_our_own_words(name: str) -> None:
    """An entry of models.toml may have any name."""
    found, _ = study(played(name, 20), [name], curve="no")
    assert [(one.source, len(one.windows)) for one in found.pupils] == [
        ("untrained", 0),
        ("real", 20),
        (f"{name} (a model)", 20),
    ]
    real = found.pupils[1].windows
    assert {one.id for one in real} <= {one.id for one in written_play().windows}
    assert len({pupil.name for pupil in found.pupils}) == 3


def test_pupils_have_names_of_their_own() -> None:
    found, _ = study(
        [*played("a", 60), *played("b", 60)], ["a", "b"], dm="light,api:openai/x,local:smollm2", curve="all"
    )
    names = [one.name for one in found.pupils]
    assert len(set(names)) == len(names)
    assert names[0] == "light, untrained"
    assert "light, taught 60 of real play" in names
    assert "api:openai/x, taught 30 of b" in names


def test_the_board_is_told_whose_play_it_was(tmp_path: Path) -> None:
    found, _ = study(played("a", 20), ["a"])
    assert found.told["play"] == WRITTEN
    assert (found.told["written"], found.told["windows"], found.told["sessions"]) == (True, 96, 24)
    path = tmp_path / "own.jsonl"
    windows = [as_json(one) | {"id": f"x{n}_1"} for n, one in enumerate(written_play().windows)]
    path.write_text("".join(json.dumps(one) + "\n" for one in windows))
    own, _ = study(played("a", 20), ["a"], real=str(path))
    assert (own.told["play"], own.told["written"], own.told["windows"]) == ("own.jsonl", False, 96)


def test_the_digest_changes_with_all_that_is_learned() -> None:
    first, again, more = (study(played("a", count), ["a"])[0].learned for count in (20, 20, 21))
    assert first == again != more


def test_remarks_of_real_play_are_told(tmp_path: Path) -> None:
    lines = [
        {"id": f"s{n}_1", "turns": [{"speakers": ["A"], "text": "x"}], "intentions": []} for n in range(4)
    ]
    path = tmp_path / "play.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    _, told = study(played("a", 20), ["a"], real=str(path))
    assert told[0].startswith("Note: play.jsonl names no masters: A is taken to lead")


def test_real_play_of_one_session_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "play.jsonl"
    path.write_text(json.dumps(as_json(written_play().windows[0])) + "\n")
    with pytest.raises(Mistake, match="one session alone"):
        study(played("a", 20), ["a"], real=str(path))
    assert len(play_of(benchmark.settle({"real": str(path)})).windows) == 1
