"""Scripts and task dialogues from elsewhere: from a file to a judge, people's labels, boards and pages."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from interplay.benchmarks.task_dialogue.imported import THE_JUDGE
from interplay.benchmarks.task_dialogue.imported_multiwoz import WIZARD
from interplay.models.loopback import Asked, Loopback
from interplay.models.loopback import serving as answering
from tests.analysis.planted import Office, office, part
from tests.benchmarks.elsewhere import (
    END,
    SERVED,
    UNSERVED,
    multiwoz,
    run,
    write,
    write_database,
    write_rows,
)
from tests.benchmarks.test_simulation_imported import MODEL, ROWS
from tests.web.served import serving

__all__ = ["office"]  # a fixture
JUDGE = "openai/judge"
SYSTEM = "openai/old-system"
LADLE = "Copper Ladle"  # is named where the user is served
Judging = Callable[[str], Mapping[str, int]]  # from what a judge is shown to the fields of its verdict


def judged(office: Office, judging: Judging, calls: int) -> None:
    """Have the last run judged on the loopback, with so many calls, and not one more when it is judged again."""
    made = []

    def script(asked: Asked) -> str:
        made.append(asked)
        given = judging("\n".join(str(message["content"]) for message in asked.messages))
        fields: Mapping[str, Any] = (asked.schema or {})["properties"]
        return json.dumps({name: given.get(name, "Because.") for name in fields})

    with answering(Loopback(script)) as url:
        for _ in range(2):
            office.types("judge", "last", "--model-role", f"judge={JUDGE}", "--base-url", url)
            assert len(made) == calls


def numbers(office: Office) -> list[int]:
    """The numbers of the last run's conversations, in the order of the file."""
    return sorted(one["number"] for one in office.reads("list", "last"))


def values(office: Office, *names: str) -> list[float | None]:
    """Cells of the one row of the last run's board."""
    [row] = office.reads("show", "last")["rows"]
    return [row[name]["value"] for name in names]


def agreement(office: Office, criterion: str) -> list[float]:
    """The accuracy of the judge held against people, and how much more it gives."""
    rows = part(office.reads("agreement", "last"), "Judges and people in full")["rows"]
    [row] = [row for row in rows if (row["criterion"], row["judge"]) == (criterion, JUDGE)]
    return [row[name]["value"] for name in ("accuracy", "difference") if row.get(name)]


def opens(office: Office, *texts: str) -> None:
    """The pages of the last run are there, and those of its conversations show these texts."""
    board = office.reads("show", "last")
    paths = ["/", f"/runs/{board['run']}/", f"/boards/{board['run'].rpartition('-')[0]}/"]
    with serving(office.store) as server:
        pages = [server.ask(path) for path in paths]
        talks = [server.ask(f"{paths[1]}conversations/{number}/") for number in numbers(office)]
    assert {answer.status for answer in (*pages, *talks)} == {200}
    shown = "".join(answer.text for answer in talks)
    assert not [text for text in texts if text not in shown]


def test_answers_in_scripts_are_judged_and_held_against_people(office: Office) -> None:
    path = write_rows(office.folder / "scripts.jsonl", ROWS)
    told = office.reads("import", str(path), "--as", "simulbench", "--model", MODEL)
    assert (told["benchmark"], told["conversations"], told["left_out"]) == ("simulation", 4, [])
    by_turn = {1: 9, 2: 7, 3: 2}
    judged(office, lambda shown: {"rating": by_turn[shown.count(", simulator:") + 1]}, calls=4)
    # the first turn of two dialogues, the second and the third of one; the third alone is a script
    assert values(office, "all", "hard", "first_chan", "last_only") == [(9 + 7 + 2 + 9) / 4, 2.0, 2.0, None]
    office.labels(dict(zip(numbers(office), (9, 7, 3, 9), strict=True)), "rating")
    assert agreement(office, "rating") == [3 / 4, -1 / 4]
    opens(office, "/home/ann", "cd notes", "Because.")
    office.types("import", str(path), "--as", "simulbench", "--model", MODEL)
    assert "is these files already" in office.said
    assert "does not say who answered" in office.mistakes("import", str(path), "--as", "simulbench")


def serves(shown: str) -> dict[str, int]:
    """A judge who calls a task complete where the right place is named; of four phrases it never hears the first."""
    is_right = LADLE in shown
    phrases = {"phrase_1": 0, "phrase_2": 1, "phrase_3": 1, "phrase_4": 2}
    manner = {"naturalness_user": 4, "naturalness_system": 3, "diversity_user": 1}
    return {
        "completed": int(is_right), **phrases, **manner, "coherence_user": 3, "coherence_system": 2 if is_right else 1,
    }  # fmt: skip


def test_peoples_dialogues_are_judged_beside_the_database(office: Office) -> None:
    write_database(office.folder)
    dialogues = {"S1.json": multiwoz(*SERVED), "S2.json": multiwoz(*UNSERVED), "S3.json": multiwoz(log=[])}
    path = str(write(office.folder / "data.json", dialogues))
    assert "with --strict nothing is; the first: " in office.mistakes(
        "import", path, "--as", "multiwoz", "--strict"
    )
    told = office.reads("import", path, "--as", "multiwoz")
    assert (told["models"], told["conversations"], told["judges"]) == ([WIZARD], 2, [])
    assert [left["where"] for left in told["left_out"]] == ["S3.json"]
    judged(office, serves, calls=2 * 4)
    assert values(office, "success", "inform", "request", "book") == [1 / 2, 1 / 2, 1 / 2, None]
    assert values(office, "completed", "user_agent", "coherence_system") == [1 / 2, 3 / 4, 3 / 2]
    notes = " ".join(office.reads("show", "last")["notes"])
    assert "People wrote both sides" in notes
    office.labels(dict(zip(numbers(office), ("yes", "yes"), strict=True)), "completed")
    assert agreement(office, "completed") == [1 / 2]
    opens(office, SERVED[1], UNSERVED[1], "not told", "key phrase")


def test_runs_keep_their_verdicts_apart_from_those_of_a_judge_here(office: Office) -> None:
    thoughts = ["Food comes first.", "Now its number.", "That is all."]
    rows = [
        run(*SERVED, f"Thank you. {END}", thoughts=thoughts, result=1, feedback="It is all there."),
        run(*UNSERVED, result="1", feedback="Well enough."),
        run(),
        run(*SERVED, initial_message="Find something to eat.", result=True),
    ]
    path = str(write_rows(office.folder / "run.jsonl", rows))
    told = office.reads("import", path, "--as", "tod", "--model", SYSTEM)
    assert (told["conversations"], told["verdicts"], told["judges"]) == (3, 3, [THE_JUDGE])
    assert [left["where"] for left in told["left_out"]] == ["line 3"]
    assert values(office, "completed", "user_agent", "success") == [1.0, None, None]
    opens(office, "It is all there.", "Well enough.", "Thank you.", *thoughts)
    with serving(office.store) as server:
        seen = [
            server.ask(f"/runs/{told['run']}/conversations/1/?seat={seat}") for seat in ("user", "system")
        ]
    assert [(answer.status, thoughts[0] in answer.text) for answer in seen] == [(200, True), (200, False)]
    judged(office, serves, calls=4 + 4 + 3)  # one goal marks no phrase, and nobody is asked for any
    assert values(office, "completed", "user_agent", "success") == [2 / 3, 3 / 4, None]
    office.labels(dict(zip(numbers(office), ("yes", "no", "no"), strict=True)), "completed")
    assert agreement(office, "completed") == [2 / 3]
    opens(office, "It is all there.", "Because.")
    ended = part(office.reads("show", "last"), "How dialogues ended")["rows"][0]
    assert (ended["completed"], ended["not told"]) == (1, 2)


def test_a_file_of_another_kind_is_one_line_and_changes_nothing(office: Office) -> None:
    path = write_rows(office.folder / "goals.jsonl", [{"id": "G1", "goal": {}, "message": []}] * 2)
    for format_, why in {
        "multiwoz": "it is no object",
        "tod": "line 1: initial_message must be a text",
        "simulbench": "line 1: it has no source_id and no source_file_name",
    }.items():
        said = office.mistakes("import", str(path), "--as", format_, "--model", "x")
        assert f"could be read as {format_}; the first: " in said
        assert why in said


def test_every_answer_in_the_authors_scripts_becomes_a_conversation(office: Office, originals: Path) -> None:
    path = originals / "simulbench" / "simulbench_all.jsonl"
    told = office.reads("import", str(path), "--as", "simulbench", "--model", "openai/gpt-3.5-turbo")
    assert (told["conversations"], told["left_out"]) == (957, [])
