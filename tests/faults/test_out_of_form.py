"""Judges and emulated users that answer, but not what they were asked: three tries, then counted and shown."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from interplay.models.loopback import Asked, Loopback, Said, serving
from tests.faults.network import (
    Ended,
    calm_run,
    carried_out,
    check_every_call_is_a_row,
    command,
    models_file,
    rows,
    steady,
    tries,
)

LIMIT = 2
MOST_TRIES = 3
TURNS = 4  # of each of the first scenarios
LONGEST_UTTERANCE = 600


def another(verdict: str) -> str:
    """The same verdict with other scores."""
    return re.sub(r'_score": (\d)', lambda found: f'_score": {int(found.group(1)) % 5 + 1}', verdict)


NO_VERDICTS: dict[str, Callable[[Asked], str | Said]] = {
    "nothing": lambda _: "",
    "only thoughts": lambda asked: f"<think>{steady(asked)}</think>",
    "deep nesting": lambda _: '{"turn_1":' * 5_000,
    "not a number": lambda asked: steady(asked).replace('_score": ', '_score": NaN, "was": '),
    "always cut off": lambda asked: Said(steady(asked), stop="length"),
    "two verdicts": lambda asked: steady(asked) + another(steady(asked)),
    "the candidate's": lambda asked: str(asked.messages[-1]["content"]),
}


def played(script: Callable[[Asked], str | Said], folder: Path, code: int = 0) -> tuple[Loopback, Ended]:
    loopback, store = Loopback(script), folder / "interplay.db"
    with serving(loopback) as url:
        ended = carried_out(command(models_file(folder, url), store, LIMIT), code)
        check_every_call_is_a_row(loopback, store)
    return loopback, ended


@pytest.mark.fault("judge never in form")
@pytest.mark.parametrize("manner", NO_VERDICTS)
def test_a_judge_that_never_gives_a_verdict_is_asked_three_times_and_shown_as_unscored(
    manner: str, tmp_path: Path
) -> None:
    def script(asked: Asked) -> str | Said:
        return NO_VERDICTS[manner](asked) if asked.model == "judge-2" else steady(asked)

    loopback, ended = played(script, tmp_path)
    asked = loopback.calls_by_model()["judge-2"]
    assert asked == LIMIT * MOST_TRIES, f"{MOST_TRIES} tries for each of {LIMIT} verdicts, not {asked} in all"
    (row,) = ended.board["rows"]
    assert row["unscored"] == 0.5, f"half of the verdicts are missing; the board says {row['unscored']}"
    assert (row["n"], row["void"]) == (LIMIT, 0.0), "the other judge's scores should stand"


def utterance(text: str) -> str:
    return json.dumps({"next_utterance": text})


def last_heard(asked: Asked) -> str:
    return str(asked.messages[-1]["content"])


NO_UTTERANCES: dict[str, Callable[[Asked], str | Said]] = {
    "ends early": lambda _: utterance("   "),
    "is always cut off": lambda asked: Said(steady(asked), stop="length"),
    "echoes without a form": last_heard,
}


@pytest.mark.fault("simulator out of form")
@pytest.mark.parametrize("manner", NO_UTTERANCES)
def test_an_emulated_user_that_says_nothing_is_asked_three_times_and_its_conversation_is_void(
    manner: str, tmp_path: Path
) -> None:
    def script(asked: Asked) -> str | Said:
        return NO_UTTERANCES[manner](asked) if asked.model == "user" else steady(asked)

    loopback, ended = played(script, tmp_path)
    assert loopback.calls_by_model() == {"user": LIMIT * MOST_TRIES}, "no other role should be asked"
    (row,) = ended.board["rows"]
    assert (row["void"], row["n"], row["aggregate"]["value"]) == (1.0, 0, None), "void, and never a zero"
    assert f"Void by name: simulator error {LIMIT}." in ended.board["notes"], (
        "the board should name what made them void"
    )


@pytest.mark.fault("simulator out of form")
def test_an_emulated_user_that_never_stops_talking_is_cut_short(tmp_path: Path) -> None:
    def script(asked: Asked) -> str:
        said = f"{len(asked.messages)} things, and another. " * 5_000  # never the same twice
        return utterance(said) if asked.model == "user" else steady(asked)

    loopback, ended = played(script, tmp_path)
    assert loopback.calls_by_model()["player"] == LIMIT * TURNS, "a conversation has as many turns as planned"
    assert ended.board["rows"][0]["void"] == 0.0, "a long speech makes nothing void"
    lengths = {
        len(line["text"])
        for row in rows(tmp_path / "interplay.db", "SELECT lines FROM conversations")
        for line in json.loads(row["lines"])
        if line["source"] == "interrogator" and "player" in line["heard_by"]
    }
    assert max(lengths) <= LONGEST_UTTERANCE, f"at most {LONGEST_UTTERANCE} characters, not {max(lengths)}"


@pytest.mark.fault("simulator out of form")
def test_an_emulated_user_that_echoes_the_player_ends_with_the_planned_turns(tmp_path: Path) -> None:
    def script(asked: Asked) -> str:
        return utterance(last_heard(asked)) if asked.model == "user" else steady(asked)

    loopback, _ = played(script, tmp_path)
    most = calm_run(limit=LIMIT).calls
    assert loopback.calls <= most, f"no more than the {most} calls of a usual run, not {loopback.calls}"
    assert not tries(tmp_path / "interplay.db", "failed"), "no call should fail"


LOOPS: dict[str, Callable[[Asked], str]] = {
    "echoes the player": last_heard,
    "repeats itself": lambda _: "What is your name?",
}


@pytest.mark.fault("simulator out of form")
@pytest.mark.parametrize("manner", LOOPS)
def test_an_emulated_user_that_goes_in_circles_is_found_within_three_repeats(
    manner: str, tmp_path: Path
) -> None:
    def script(asked: Asked) -> str:
        if asked.model == "player":
            return "I see. And you?"
        return utterance(LOOPS[manner](asked)) if asked.model == "user" else steady(asked)

    loopback, ended = played(script, tmp_path)
    assert f"Void by name: loop {LIMIT}." in ended.board["notes"], "a loop should be named and shown"
    assert loopback.calls_by_model()["user"] <= LIMIT * (MOST_TRIES + 1), (
        "it should be found within three repeats"
    )
