"""Answers in the histories of SimulBench's scripts: each becomes one to judge, and what is broken is named."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks import find
from interplay.benchmarks.simulation.evaluation import SIMULATOR, Answer, play
from interplay.benchmarks.simulation.imported import UNLISTED, read
from interplay.benchmarks.simulation.scenarios import scenarios
from interplay.core.conversation import Casting, Conversation
from interplay.core.failures import Mistake
from interplay.core.import_files import Skipped
from interplay.core.importing import Imported, Reading
from interplay.core.wire import Sampling
from tests.benchmarks.stage import Desk

BENCHMARK = find("simulation")
OPTIONS = BENCHMARK.settle({})
MODEL = "openai/old-shell"
TASK = "Be a shell. My first command is pwd."
SAID = (TASK, "/home/ann", "cd notes", "", "pwd", "/home/ann", "ls -a", ". ..")  # the third answer is wrong


def script(id: int, turn: int, *said: str, file: str = "first.json", **changes: Any) -> dict[str, Any]:
    """A row as the authors have them; turn is 0 where no turn of the dialogue is challenging."""
    roles = ("user", "assistant")
    return {
        "id": id,
        "source_id": "001#Shell",
        "act": "Shell",
        "task_description": TASK,
        "type": "stateful",
        "source_file_name": file,
        "turn_num": turn,
        "dialogue_history": [{"role": roles[at % 2], "content": text} for at, text in enumerate(said)],
        **changes,
    }


ROWS = [script(1, 3, *SAID[:5]), script(2, 4, *SAID[:7]), script(3, 0, *SAID[:3], file="second.json")]


def found_in(path: Path, rows: Sequence[object], **options: str) -> list[Imported | Skipped]:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    return list(read(Reading(path, {**OPTIONS, **options}, MODEL)))


def imported(found: Sequence[Imported | Skipped]) -> list[Imported]:
    assert not [one for one in found if isinstance(one, Skipped)]
    return [one for one in found if isinstance(one, Imported)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "scripts.jsonl"


def test_every_answered_turn_of_a_dialogue_comes_once(file: Path) -> None:
    found = imported(found_in(file, ROWS))
    told = [(one.where, one.played.scenario.content["type"], one.played.outcome) for one in found]
    assert told == [
        ("line 1, turn 1", UNLISTED, Answer("/home/ann")),
        ("line 1, turn 2", UNLISTED, Answer("")),
        ("line 2, turn 3", "FirstChan", Answer("/home/ann")),
        ("line 3, turn 1", UNLISTED, Answer("/home/ann")),
    ]
    assert {(one.played.subject, *one.played.cast.items()) for one in found} == {(MODEL, (SIMULATOR, MODEL))}
    third = found[2].played.scenario.content
    assert (third["request"], len(third["history"]), third["turn"]) == ("pwd", 2, 3)


def test_a_turn_that_is_a_script_is_the_same_scenario_as_when_models_play_the_file(file: Path) -> None:
    found = imported(found_in(file, ROWS))
    played = {one.id: one.content["type"] for one in scenarios(OPTIONS, file).scenarios}
    assert [played.get(one.played.scenario.id) for one in found] == [None, None, "FirstChan", None]


def test_the_same_words_in_two_dialogues_are_two_answers_to_one_scenario(file: Path) -> None:
    first, _, _, again = imported(found_in(file, ROWS))
    assert first.played.scenario.id == again.played.scenario.id


def test_the_hard_set_leaves_out_what_is_in_no_script(file: Path) -> None:
    assert [one.where for one in imported(found_in(file, ROWS, set="hard"))] == ["line 2, turn 3"]


async def test_the_transcript_is_that_of_a_model_that_answers_so_today(file: Path) -> None:
    one = imported(found_in(file, ROWS))[2]
    answer = one.played.outcome
    talk = Conversation(
        {SIMULATOR: Casting(MODEL, Sampling(0.0), "subject")},
        Desk(simulator=lambda step: answer.text),
        scenario=one.played.scenario.content,
    )
    assert await play(talk, OPTIONS) == answer
    assert talk.listen() == one.lines


def test_what_is_written_is_kept_to_the_letter(file: Path) -> None:
    said = (TASK, "  two\n spaces\n", "next")
    assert imported(found_in(file, [script(1, 0, *said)]))[0].played.outcome == Answer("  two\n spaces\n")
    bad = (TASK, "nul \0 and half a pair \ud800", "next")
    text = imported(found_in(file, [script(1, 0, *bad)]))[0].played.outcome.text
    assert "\0" not in text
    assert text.encode()


BROKEN: Mapping[str, tuple[object, str]] = {
    "no JSON": ("{", "it is no JSON"),
    "no object": ([1], "it is no object"),
    "a task": ({"id": "1", "task_description": TASK, "act": "Shell"}, "it has no source_id and no source_file_name"),
    "ends with the simulator": (script(9, 0, *SAID[:2]), "begins and ends with the user"),
    "out of turn": (
        script(9, 0, dialogue_history=[{"role": "assistant", "content": "hello"}]),
        "message 1 must be of the user",
    ),
    "no text": (
        script(9, 0, dialogue_history=[{"role": "user", "content": ["pwd"]}]),
        "message 1 must be a text",
    ),
    "an empty request": (script(9, 0, TASK, "", " "), "message 3 must be a text"),
    "no number": (script(9, 0, *SAID[:3], turn_num="two"), "turn_num must be a whole number"),
    "no kind": (script(9, 0, *SAID[:3], type="lively"), "type is stateless or stateful, not 'lively'"),
    "no id of a task": (script(9, 0, *SAID[:3], source_id=["a", "list"]), "source_id must be a text"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_row_is_named_and_the_others_are_taken(file: Path, name: str) -> None:
    row, why = BROKEN[name]
    found = found_in(file, [row, *ROWS])
    [left] = [one for one in found if isinstance(one, Skipped)]
    assert left.where == "line 1"
    assert why in left.why
    assert len(found) - 1 == len(found_in(file, ROWS))


def test_a_broken_row_changes_no_type_of_another(file: Path) -> None:
    broken = script(9, 1, *SAID[:2])  # its turn would be the first challenging one
    kept = imported([one for one in found_in(file, [broken, *ROWS]) if isinstance(one, Imported)])
    whole = [replace(one, where="") for one in imported(found_in(file, ROWS))]
    assert [replace(one, where="") for one in kept] == whole


def test_who_answered_must_be_said(file: Path) -> None:
    file.write_text(json.dumps(ROWS[0]))
    with pytest.raises(Mistake, match=r"does not say who answered .* --model NAME"):
        list(read(Reading(file, OPTIONS)))


def test_all_scripts_of_the_authors_are_read(originals: Path) -> None:
    path = originals / "simulbench" / "simulbench_all.jsonl"
    found = imported(list(read(Reading(path, OPTIONS, MODEL))))
    types = Counter(one.played.scenario.content["type"] for one in found)
    assert types == {UNLISTED: 776, "FirstChan": 93, "SubseqChan": 88}  # 957 in 319 dialogues
    ids = {one.played.scenario.id for one in found}
    assert len(ids & {one.id for one in scenarios(OPTIONS, path).scenarios}) == 93 + 88
    assert len(ids) == 770
