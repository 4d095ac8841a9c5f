"""TOD's runs from elsewhere: thoughts, words, ends and verdicts as the rows show them, and what is left out."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.task_dialogue.dialogue import CAP, COMPLETED, LOOP, UNTOLD, Exchange
from interplay.benchmarks.task_dialogue.imported import THE_JUDGE, THE_USER, TOD
from interplay.benchmarks.task_dialogue.scoring import rule_scores
from interplay.benchmarks.task_dialogue.tables import summarize
from interplay.core.benchmark import Verdict
from interplay.core.conversation import Line
from interplay.core.failures import Mistake
from interplay.core.import_files import Skipped
from interplay.core.importing import IMPORTED, Imported
from tests.benchmarks.elsewhere import (
    BENCHMARK,
    END,
    GOAL,
    MESSAGE,
    MODEL,
    OPTIONS,
    SERVED,
    UNSERVED,
    left_in,
    messages,
    played_in,
    read,
    run,
    write,
    write_database,
    write_rows,
)


def tod(path: Path, *rows: object, **given: Any) -> list[Imported | Skipped]:
    return read(TOD, write_rows(path / "run.jsonl", rows), **given)


def test_a_run_has_its_thoughts_its_words_and_an_end(tmp_path: Path) -> None:
    row = run(*SERVED, f"Thank you! {END}", thoughts=["First the food.", "Now the phone.", "All is done."])
    [one] = tod(tmp_path, row)
    assert isinstance(one, Imported)
    assert one.where == "line 1"
    assert one.played.cast == {"system": MODEL, "user": THE_USER}
    dialogue = one.played.outcome
    assert (dialogue.ended, dialogue.closing) == (COMPLETED, "Thank you!")
    assert dialogue.exchanges == (
        Exchange(*SERVED[:2], thought="First the food."),
        Exchange(*SERVED[2:], thought="Now the phone."),
    )
    thoughts = [line for line in one.lines if "thought" in line.text]
    assert [line.heard_by for line in thoughts] == [("user",)] * 3  # in nobody's view but the user's
    assert one.lines[-1] == Line("", (), "The user ends the dialogue: Thank you!")
    assert one.played.verdicts == ()


def history_of(exchanges: int, thoughts: bool = False) -> list[dict[str, str]]:
    said = [
        text
        for at in range(exchanges)
        for text in (f"question number {at} of all?", f"answer number {at} to it")
    ]
    return messages(*said, thoughts=["hm"] * exchanges if thoughts else ())  # fmt: skip


@pytest.mark.parametrize(
    ("history", "ended"),
    [
        (messages(*SERVED, END), COMPLETED),
        (messages(*SERVED[:3], SERVED[3], f"{END} and goodbye"), COMPLETED),
        (messages(*SERVED, f"Bye. {END}", "Goodbye."), COMPLETED),
        (messages(*SERVED), UNTOLD),
        (messages(*SERVED, "And then?"), UNTOLD),
        (messages(*SERVED[:3], f"It is over: {END}"), UNTOLD),  # what a system writes ends nothing
        (history_of(15), CAP),
        (history_of(14), UNTOLD),
        (history_of(10, thoughts=True), CAP),
        (messages(*["Where is the copper ladle?", "I do not know where."] * 4, END), LOOP),
    ],
)
def test_how_a_dialogue_ended_is_what_the_row_shows(
    tmp_path: Path, history: list[dict[str, str]], ended: str
) -> None:
    [one] = played_in(tod(tmp_path, run(conv_history=history)))
    assert one.outcome.ended == ended


def test_an_answer_to_who_has_left_is_shown_and_no_exchange(tmp_path: Path) -> None:
    [one] = tod(tmp_path, run(*SERVED, END, "Are you there?"))
    assert isinstance(one, Imported)
    assert len(one.played.outcome.exchanges) == 2
    assert one.lines[-1].text == "When the dialogue was over, the system said: Are you there?"


@pytest.mark.parametrize("result", [1, "1", True, 1.0, " True "])
def test_the_result_of_a_judge_becomes_its_verdict(tmp_path: Path, result: object) -> None:
    found = tod(tmp_path, run(*SERVED, result=result, feedback="All found."), judge="openai/gpt-4")
    data = {"feedback": "All found.", "completed": 1}
    assert played_in(found)[0].verdicts == (Verdict("openai/gpt-4", IMPORTED, data),)


@pytest.mark.parametrize("result", [0, "0", False, "false"])
def test_a_task_that_was_not_completed_is_a_zero(tmp_path: Path, result: object) -> None:
    [one] = played_in(tod(tmp_path, run(*SERVED, result=result)))
    assert one.verdicts == (Verdict(THE_JUDGE, IMPORTED, {"feedback": "", "completed": 0}),)


@pytest.mark.parametrize("result", [2, 0.5, "Result: 1", "yes", "", [1], {"completed": 1}])
def test_a_result_that_cannot_be_told_is_named_and_the_dialogue_is_taken(
    tmp_path: Path, result: object
) -> None:
    left, one = tod(tmp_path, run(*SERVED, result=result))
    assert isinstance(left, Skipped)
    assert "not 0 or 1; the dialogue is taken in without it" in left.why
    assert isinstance(one, Imported)
    assert one.played.verdicts == ()


def test_equal_words_are_one_goal_and_key_phrases_are_those_that_are_marked(tmp_path: Path) -> None:
    plain = "You want something to eat."
    rows = [run(*SERVED), run(*UNSERVED), run(*SERVED, initial_message=plain)]
    first, second, third = played_in(tod(tmp_path, *rows))
    assert first.scenario == second.scenario
    assert rule_scores(first.outcome)["match"] == 3 / 4
    assert "match" not in rule_scores(third.outcome)
    judging = BENCHMARK.judging(OPTIONS)
    assert judging.calls(first.scenario, {}, "openai/judge") == (4, 4)
    assert judging.calls(third.scenario, {}, "openai/judge") == (3, 3)


def test_goals_that_are_at_hand_are_known_by_their_words(tmp_path: Path) -> None:
    write_database(tmp_path)
    write(
        tmp_path / "goals.json",
        {"SNG1": GOAL, "SNG2": {**GOAL, "message": ["Other <span class='emphasis'>words</span>"]}},
    )
    words = " ".join(MESSAGE).replace("<span class='emphasis'>", "").replace("</span>", "")
    rows = [
        run(*SERVED, initial_message=words),
        run(*UNSERVED),
        run(*SERVED, initial_message="Nobody knows me."),
    ]
    served, unserved, unknown = played_in(tod(tmp_path, *rows, data=tmp_path))
    assert served.scenario.label == unserved.scenario.label == "SNG1"
    assert rule_scores(served.outcome)["success"] == 1.0
    assert rule_scores(unserved.outcome)["success"] == 0.0
    assert "success" not in rule_scores(unknown.outcome)
    known, _, _ = played_in(tod(tmp_path, *rows, data=tmp_path / "goals.json"))
    assert known.scenario.label == "SNG1"
    assert "success" not in rule_scores(known.outcome)  # goals alone have no database, least of all ours


def test_an_endpoints_error_in_the_place_of_words_and_raw_placeholders_are_counted(tmp_path: Path) -> None:
    error = "Error code: 429 - {'error': {'message': 'Rate limit reached for gpt-4'}}"
    rows = [run(error, "Hello?", error, "Hello again?"), run(SERVED[0], "Try [restaurant_name].")]
    notes = " ".join(summarize(played_in(tod(tmp_path, *rows)), OPTIONS).notes)
    assert "An endpoint's error stands in the place of the user's words 2 times, in 1 dialogues." in notes
    assert "Raw placeholders are in 1 answers of 1 dialogues." in notes


BROKEN_RUNS: Mapping[str, tuple[object, str]] = {
    "no object": ("text", "it is no object"),
    "no goal": ({"conv_history": messages(*SERVED)}, "initial_message must be a text, not nothing"),
    "an empty goal": (run(*SERVED, initial_message=" "), "initial_message is empty"),
    "no sentences": (run(*SERVED, initial_message=[]), "needs message"),
    "a long goal": (run(*SERVED, initial_message=["x" * 5000] * 2), "longer than 6,000"),
    "empty": (run(), "an empty dialogue is never judged"),
    "no history": (run(conv_history=None), "conv_history must be a list, not nothing"),
    "thoughts alone": (run(conv_history=[{"role": "thought", "content": "?"}]), "nobody answers in it"),
    "ended at once": (run(END), "nobody answers in it"),
    "the user says nothing": (run("", "Hello."), "message 1 is empty"),
    "no words": (run(conv_history=[{"role": "user_agent"}]), "message 1 must be a text, not nothing"),
    "somebody else": (run(conv_history=[{"role": "user", "content": "x"}]), "not 'user'"),
    "no message": (run(conv_history=["x"]), "message 1 must have a role"),
    "two in a row": (run(conv_history=[*messages(*SERVED), *messages(*SERVED)[1:]]), "do not take turns"),
    "after the end": (run(*SERVED, END, "Bye.", "One more thing."), "message 7: it goes on after"),
    "twice after the end": (
        run(conv_history=[*messages(*SERVED, END), *messages(*SERVED)[1::2]]),
        "message 7: it goes on after",
    ),
}


@pytest.mark.parametrize("name", BROKEN_RUNS)
def test_a_broken_run_is_named_and_the_others_are_taken(tmp_path: Path, name: str) -> None:
    row, why = BROKEN_RUNS[name]
    found = tod(tmp_path, row, run(*SERVED))
    [(where, told)] = left_in(found)
    assert where == "line 1"
    assert why in told
    assert len(found) == 2


def test_which_system_answered_must_be_said(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="does not say which system answered: name it with --model NAME"):
        tod(tmp_path, run(*SERVED), model="")
