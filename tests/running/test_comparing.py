"""Boards of many runs: what can be compared shares one, and what cannot says in words why not."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from interplay.benchmarks import find
from interplay.cli import main
from interplay.core.board import Board, Estimate
from interplay.models.loopback import Asked, Fault, Loopback, Said, Script, rehearse, serving
from interplay.running.comparing import Group, groups_of
from interplay.running.results import board_of
from interplay.store.records import Records
from tests.running.job import answer

role_play = find("role_play")
RUBRIC = """
name = "warmth"
scale = [1, 3]
criteria = [{ name = "warm", statement = "The reply is warm." }]
"""
Play = Callable[..., str]


def cast(model: str = "openai/one", user: str = "openai/user", judge: str = "openai/judge-1") -> list[str]:
    return ["--model", model, "--model-role", f"interrogator={user}", "--model-role", f"judge={judge}"]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "interplay.db"


@pytest.fixture
def play(store: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Play]:
    """Plays a short run and gives back its id."""
    answering: list[Script] = [answer]

    def by_turns(asked: Asked) -> str | Said | Fault:
        return answering[0](asked)

    with serving(Loopback(by_turns)) as url:

        def played(*more: str, script: Script = answer, code: int = 0) -> str:
            answering[0] = script
            words = list(more)
            words += [] if "--model" in words else cast()
            words += [] if "--limit" in words else ["--limit", "1"]
            words += [] if "--turns" in words else ["--turns", "1"]
            line = ["run", "role_play", "--base-url", url, "--store", str(store), *words]
            assert main(line) == code, capsys.readouterr().err
            capsys.readouterr()
            with Records(store) as records:
                return records.find("last").id

        yield played


def groups(store: Path) -> list[Group]:
    with Records(store) as records:
        return groups_of(records, records.runs(), role_play)


def models_of(board: Board) -> list[object]:
    return sorted(str(row["model"]) for row in board.rows)


def apart(store: Path) -> str:
    """The reason of the one group that stands apart."""
    first, other = groups(store)
    assert first.apart == ""
    return other.apart


def test_one_run_alone_has_its_own_board(store: Path, play: Play) -> None:
    play("--limit", "2")
    [group] = groups(store)
    with Records(store) as records:
        assert group.board == board_of(records, group.runs[0], role_play)
    assert (len(group.runs), group.apart) == (1, "")


def test_runs_of_one_key_share_a_board_ranked_and_costed_together(store: Path, play: Play) -> None:
    ids = [play(*cast(model)) for model in ("openai/one", "openai/two", "openai/three")]
    [group] = groups(store)
    assert sorted(run.id for run in group.runs) == sorted(ids)
    assert models_of(group.board) == ["openai/one", "openai/three", "openai/two"]
    values = [row["aggregate"] for row in group.board.rows]
    assert all(isinstance(value, Estimate) for value in values)
    with Records(store) as records:
        for run in group.runs:
            [alone] = board_of(records, run, role_play).rows
            [row] = [row for row in group.board.rows if row["model"] == alone["model"]]
            same = ("aggregate", "fluency", "n", "void", "tokens", "cost")
            assert {key: row[key] for key in same} == {key: alone[key] for key in same}
    assert sum("conversations, judged by" in note for note in group.board.notes) == 3


def test_the_same_model_in_two_runs_of_one_key_is_one_row_of_both(store: Path, play: Play) -> None:
    play("--seed", "1")
    play("--seed", "2")
    [group] = groups(store)
    [row] = group.board.rows
    assert row["n"] == 2


@pytest.mark.parametrize(
    "more, reason",
    [
        (cast(judge="openai/judge-2"), r"other judges \(openai/judge-2 not openai/judge-1\)"),
        (
            [*cast(), "--model-role", "judge=openai/judge-2"],
            r"other judges \(openai/judge-1, openai/judge-2 not openai/judge-1\)",
        ),
        (cast(user="openai/user-2"), r"other cast \(interrogator: openai/user-2 not openai/user\)"),
        (["--limit", "2"], r"other scenarios \(2 of the set (\w{8}) not 1 of the set \1\)"),
        (["--turns", "2"], r"other options \(turns: 2 not 1\)"),
        (["--setup", "symmetric"], r"other options \(setup: symmetric not asymmetric\)"),
        (["--explanation", "100"], r"other rubric \(the texts differ\)"),
        (["--rubric", "v1"], r"other rubric \(v1 not v2\)"),
        (["--version", "v1"], r"other options \(version: v1 not v2\), rubric \(v1 not v2\)"),
        (["--sampling", "player.temperature=0"], r"other sampling \(player: temperature 0.0 not none\)"),
        (["--sampling", "judge.temperature=0.7"], r"other sampling \(judge: temperature 0.7 not none\)"),
        (
            ["--sampling", "openai/judge-1.top_p=0.5"],
            r"other sampling \(openai/judge-1: top_p 0.5 not none\)",
        ),
        (
            ["--language", "ru"],
            r"other options \(language: ru not en\), scenarios \(1 of the set \w{8} not 1 of the set \w{8}\)",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_each_part_of_the_key_puts_a_run_apart_with_its_reason(
    store: Path, play: Play, more: list[str], reason: str
) -> None:
    play()
    play(*cast("openai/two"))  # so that this is the group with most models
    play(*more)
    assert re.fullmatch(reason, apart(store)), apart(store)


def test_another_rubric_of_one_s_own_is_named_and_not_quoted(store: Path, play: Play, tmp_path: Path) -> None:
    file = tmp_path / "warmth.toml"
    file.write_text(RUBRIC)
    play()
    play(*cast("openai/two"))
    play("--rubric", str(file))
    assert apart(store) == "other rubric (warmth not v2)"


def test_other_prompts_are_a_reason_and_are_not_quoted(store: Path, play: Play, tmp_path: Path) -> None:
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "interrogator_opening.md").write_text("Begin now, please.")
    play()
    play(*cast("openai/two"))
    play("--prompts", str(folder))
    reason = apart(store)
    assert reason.startswith("other options (prompts: ")
    assert "Begin" not in reason


@pytest.mark.parametrize("part", ["prompts", "rubric"])
def test_texts_that_changed_between_runs_of_the_same_options_are_a_reason(
    store: Path, play: Play, part: str
) -> None:
    play()
    play(*cast("openai/two"))
    last = play("--seed", "7")
    with Records(store) as records:  # as a later version of the program would have written them
        if part == "prompts":
            number = records.find(last).number
            records.db.execute("UPDATE conversations SET protocol = 'edited' WHERE run = ?", (number,))
        else:
            records.db.execute(
                "UPDATE runs SET extent = json_set(extent, '$.rubric', 'edited') WHERE id = ?", (last,)
            )
    assert apart(store) == f"other {part} (the texts differ)"


def test_a_run_that_was_judged_again_moves_to_those_of_its_judges(
    store: Path, play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    both = ["--model-role", "judge=openai/judge-2"]
    play(*cast("openai/one"), *both)
    second = play(*cast("openai/two"))
    assert len(groups(store)) == 2
    with serving(Loopback(answer)) as url:
        line = ["judge", second, *both, "--base-url", url, "--store", str(store)]
        assert main(line) == 0, capsys.readouterr().err
    [group] = groups(store)
    assert models_of(group.board) == ["openai/one", "openai/two"]


def test_the_group_with_most_models_comes_first_then_the_newest(store: Path, play: Play) -> None:
    oldest = play("--turns", "3")
    newer = play("--turns", "2")
    play()
    play(*cast("openai/two"))
    assert [group.runs[0].id for group in groups(store)][1:] == [newer, oldest]


def test_a_run_of_which_nothing_was_finished_is_left_out(store: Path, play: Play) -> None:
    def refusing(asked: Asked) -> Fault:
        return Fault("status", status=400)

    play("--seed", "9", script=refusing, code=1)
    assert groups(store) == []
    play()
    assert len(groups(store)) == 1


def test_what_differs_in_several_parts_is_told_of_all(store: Path, play: Play) -> None:
    play()
    play(*cast("openai/two"))
    play(*cast(user="openai/user-2", judge="openai/judge-2"), "--turns", "2", "--limit", "2")
    reason = apart(store)
    assert [part for part in ("options", "scenarios", "judges", "cast") if f"{part} (" in reason] == [
        *("options", "scenarios", "judges", "cast")
    ]


# A model's own sampling


def test_a_model_sampled_in_its_own_way_stands_on_the_board_and_says_so(store: Path, play: Play) -> None:
    play()
    play(*cast("openai/two"), "--sampling", "openai/two.temperature=0")
    [group] = groups(store)
    assert {row["model"]: row["sampling"] for row in group.board.rows} == {
        "openai/one": "",
        "openai/two": "temperature 0",
    }


def test_one_model_sampled_in_two_ways_is_not_one_row(store: Path, play: Play) -> None:
    play("--sampling", "openai/one.temperature=0")
    play("--sampling", "openai/one.temperature=1")
    assert apart(store) == "other sampling (openai/one: temperature 0.0 not temperature 1.0)"


def test_the_sampling_of_a_subject_that_judges_too_is_a_reason(store: Path, play: Play) -> None:
    both = cast("openai/both", judge="openai/both")
    play(*both, script=rehearse)
    play(*both, "--model", "openai/two", "--sampling", "openai/both.temperature=1", script=rehearse)
    assert apart(store) == "other sampling (openai/both: none not temperature 1.0)"


def test_a_model_s_own_sampling_is_no_reason_against_runs_without_it(store: Path, play: Play) -> None:
    play("--model", "openai/two", *cast())
    play(*cast("openai/three"), "--sampling", "openai/three.temperature=1", "--turns", "2")
    assert apart(store) == "other options (turns: 2 not 1)"
