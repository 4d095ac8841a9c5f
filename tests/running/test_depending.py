"""What a board depends on: all of it is in its beats, and nothing else."""

import json
from pathlib import Path

import pytest

from interplay.running.depending import beats_of, program, runs_in
from interplay.store.beats import beat
from interplay.store.records import Records, Run

EXTENT = {"limit": 1, "epochs": 1, "judges": ["openai/judge"]}


@pytest.fixture
def records(tmp_path: Path):
    with Records(tmp_path / "a.db", create=True) as made:
        yield made


def begin(records: Records, id: str, benchmark: str = "role_play", of: str = "", **extent: object) -> Run:
    options = {"of": of} if of else {}
    return records.begin(
        id, benchmark, {"models": [f"openai/{id}"], "options": options}, {**EXTENT, **extent}
    )


def of(records: Records, *runs: str) -> set[str]:
    return set(runs_in(beats_of(records, runs, "role_play")))


def test_a_run_alone_depends_on_itself(records: Records) -> None:
    begin(records, "a")
    begin(records, "b")
    assert of(records, "a") == {"a"}
    assert of(records, "nothing") == set()


def test_what_was_made_of_a_run_counts_and_what_was_made_of_that(records: Records) -> None:
    begin(records, "a")
    begin(records, "read", "intentions", of="a")
    begin(records, "again", "intentions", of="read")
    begin(records, "others", "intentions", of="b")
    assert of(records, "a") == {"a", "read", "again"}


def test_the_probes_of_its_judges_count_and_no_others(records: Records) -> None:
    begin(records, "a")
    begin(records, "judge", "judge_probe")  # measures openai/judge
    begin(records, "stranger", "judge_probe")
    begin(records, "compared", judges=[], pairs={"judges": ["openai/stranger"]})
    assert of(records, "a") == {"a", "judge"}
    assert of(records, "compared") == {"compared", "stranger"}


def test_no_run_named_means_all_of_the_benchmark(records: Records) -> None:
    begin(records, "a")
    begin(records, "b")
    begin(records, "c", "simulation")
    assert of(records) == {"a", "b"}


def test_beats_change_with_any_run_they_depend_on_and_with_no_other(records: Records) -> None:
    runs = [
        begin(records, "a"),
        begin(records, "read", "intentions", of="a"),
        begin(records, "judge", "judge_probe"),
        begin(records, "b"),
    ]
    seen = [beats_of(records, ["a"], "role_play")]
    for run in runs:
        beat(records.db, run.number)
        seen.append(beats_of(records, ["a"], "role_play"))
    assert len(set(seen)) == 4
    assert seen[3] == seen[4]


def test_the_program_is_part_of_them(records: Records) -> None:
    begin(records, "a")
    found = json.loads(beats_of(records, ["a"], "role_play"))
    assert found == {"program": program(), "runs": {"a": 0}}
    assert len(program()) == 32
