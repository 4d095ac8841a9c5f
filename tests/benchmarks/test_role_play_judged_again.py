"""Runs of one version judged by the rubric of the other, and back; what was judged before stays and costs nothing."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from interplay.cli import main
from interplay.models.loopback import Asked
from interplay.store.records import Records
from tests.running.job import JUDGES, command
from tests.running.typed import judge_again, provider, run, show, steady

Capsys = pytest.CaptureFixture[str]
V1 = ("--version", "v1")
SPENT = ("tokens", "cost")  # these grow with every verdict that is asked for


def printed(line: list[str], capsys: Capsys) -> str:
    assert main(line) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def without_spending(board: dict[str, Any]) -> dict[str, Any]:
    rows = [{key: cell for key, cell in row.items() if key not in SPENT} for row in board["rows"]]
    return board | {"rows": rows}


def verdicts_in(store: Path) -> Counter[tuple[str, str]]:
    """How many verdicts there are of each judge by each rubric."""
    with Records(store) as records:
        found = records.find("last")
        given = [one for several in records.verdicts(found).values() for one in several]
        assert all(one.failure == "" for one in given)
        return Counter((one.judge, one.rubric) for one in given)


def test_a_version_1_run_is_judged_by_the_rubric_of_version_2_and_back(
    tmp_path: Path, capsys: Capsys
) -> None:
    store = tmp_path / "interplay.db"
    with provider() as (loopback, url):
        before = run(command(url, store, judges=(), more=V1), capsys)
        first = verdicts_in(store)
        assert loopback.calls == 640

        other = run(
            judge_again(url, store, before["run"], "--rubric", "v2", "--model-role", "judge=openai/judge-1"),
            capsys,
        )
        assert loopback.calls_by_model() == {"player": 288, "user": 352, "judge-1": 64}
        assert other["title"] == "role_play (PingPong v1, rubric v2)"
        assert other["rows"][0]["n"] == 64
        assert other["rows"][0]["aggregate"]["value"] <= 5
        assert "judged by openai/judge-1 (judge-1)." in " ".join(other["notes"])
        assert run(show(store), capsys) == other

        back = run(judge_again(url, store, before["run"], "--rubric", "v1"), capsys)
        assert loopback.calls == 640 + 64
        assert without_spending(back) == without_spending(before)
        assert without_spending(run(show(store), capsys)) == without_spending(before)
        there = run(judge_again(url, store, before["run"], "--rubric", "v2"), capsys)
        assert without_spending(there) == without_spending(other)
        again = run(command(url, store, judges=(), more=V1), capsys)
        assert without_spending(again) == without_spending(before)
        assert loopback.calls == 640 + 64
    after = verdicts_in(store)
    assert list(first.values()) == [64]
    assert sorted(after.values()) == [64, 64]
    assert first.items() <= after.items()


def test_a_version_2_run_is_judged_turn_by_turn_by_the_rubric_of_version_1_and_back(
    tmp_path: Path, capsys: Capsys
) -> None:
    store = tmp_path / "interplay.db"
    with provider() as (loopback, url):
        before = run(command(url, store, judges=JUDGES[:1]), capsys)
        assert loopback.calls == 288 + 288 + 64
        other = run(
            judge_again(url, store, before["run"], "--rubric", "v1", "--model-role", "judge=openai/judge-2"),
            capsys,
        )
        assert loopback.calls_by_model() == {"player": 288, "user": 288, "judge-1": 64, "judge-2": 288}
        assert other["title"] == "role_play (PingPong v2, rubric v1)"
        assert other["rows"][0]["n"] == 64
        assert other["rows"][0]["aggregate"]["value"] > 5  # of 10; the loopback judge draws evenly
        assert "tanh" in other["columns"]["ln_score"]

        back = run(judge_again(url, store, before["run"], "--rubric", "v2"), capsys)
        assert loopback.calls == 640 + 288
        assert without_spending(back) == without_spending(before)
    assert sorted(verdicts_in(store).values()) == [64, 64]


def test_going_back_shows_the_former_board_byte_for_byte(tmp_path: Path, capsys: Capsys) -> None:
    store = tmp_path / "interplay.db"
    with provider() as (_, url):
        before = printed(command(url, store, limit=2, judges=(), more=V1), capsys)
        other = ("--rubric", "v2", "--model-role", "judge=openai/judge-1")
        assert printed(judge_again(url, store, "last", *other), capsys) != before
        assert printed(judge_again(url, store, "last", "--rubric", "v1"), capsys) == before


def test_a_run_that_went_back_stands_on_one_board_with_those_that_never_left(
    tmp_path: Path, capsys: Capsys
) -> None:
    store = tmp_path / "interplay.db"
    with provider() as (_, url):
        run(command(url, store, limit=2, judges=(), models=("openai/stayed",), more=V1), capsys)
        run(command(url, store, limit=2, judges=(), models=("openai/left",), more=V1), capsys)
        for rubric in ("v2", "v1"):
            run(judge_again(url, store, "last", "--rubric", rubric), capsys)
    (board,) = run(["board", "role_play", "--store", str(store), "--json"], capsys)
    assert {row["model"] for row in board["rows"]} == {"openai/stayed", "openai/left"}


def test_without_a_judge_named_the_runs_own_judges_judge_by_the_other_rubric(
    tmp_path: Path, capsys: Capsys
) -> None:
    with provider() as (loopback, url):
        first, second = tmp_path / "v1.db", tmp_path / "v2.db"
        run(command(url, first, limit=2, judges=(), more=V1), capsys)
        board = run(judge_again(url, first, "last", "--rubric", "v2"), capsys)
        assert loopback.calls_by_model() == {"player": 8, "user": 10 + 2}
        assert "judged by openai/user" in " ".join(board["notes"])

        run(command(url, second, limit=2), capsys)
        calls = loopback.calls
        board = run(judge_again(url, second, "last", "--rubric", "v1"), capsys)
        assert loopback.calls == calls + 2 * 8
        assert "judged by openai/judge-1 (judge-1), openai/judge-2 (judge-2)" in " ".join(board["notes"])


def test_a_judge_that_joins_under_the_second_rubric_does_not_touch_the_first_panel(
    tmp_path: Path, capsys: Capsys
) -> None:
    store = tmp_path / "interplay.db"
    with provider() as (loopback, url):
        before = run(command(url, store, limit=2), capsys)
        run(judge_again(url, store, "last", "--rubric", "v1", "--model-role", "judge=openai/judge-3"), capsys)
        assert loopback.calls_by_model()["judge-3"] == 8
        # no rubric named: the one it was last judged by
        joined = run(judge_again(url, store, "last", "--model-role", "judge=openai/judge-4"), capsys)
        assert loopback.calls_by_model()["judge-4"] == 8
        assert joined["title"] == "role_play (PingPong v2, rubric v1)"
        assert "judged by openai/judge-3 (judge-3), openai/judge-4 (judge-4)." in " ".join(joined["notes"])
        calls = loopback.calls

        back = run(judge_again(url, store, "last", "--rubric", "v2"), capsys)
        assert without_spending(back) == without_spending(before)
        assert "judge-3" not in " ".join(back["notes"])
        there = run(judge_again(url, store, "last", "--rubric", "v1"), capsys)
        assert without_spending(there) == without_spending(joined)
        assert loopback.calls == calls
        # the second panel grew by a judge of the first: only its verdicts by this rubric are missing
        run(judge_again(url, store, "last", "--model-role", "judge=openai/judge-1"), capsys)
        assert loopback.calls == calls + 8
    assert sorted(verdicts_in(store).values()) == [2] * 5


def test_an_extended_run_is_judged_by_its_own_rubric_and_the_other_follows_when_asked(
    tmp_path: Path, capsys: Capsys
) -> None:
    store = tmp_path / "interplay.db"
    with provider() as (loopback, url):
        run(command(url, store, limit=1, judges=JUDGES[:1]), capsys)
        run(judge_again(url, store, "last", "--rubric", "v1"), capsys)
        assert loopback.calls_by_model()["judge-1"] == 1 + 4
        longer = run(command(url, store, limit=2, judges=JUDGES[:1]), capsys)
        assert loopback.calls_by_model()["judge-1"] == 1 + 4 + 1
        assert (longer["title"], longer["rows"][0]["n"]) == ("role_play (PingPong v2)", 2)
        other = run(judge_again(url, store, "last", "--rubric", "v1"), capsys)
        assert loopback.calls_by_model()["judge-1"] == 1 + 4 + 1 + 4
        assert (other["title"], other["rows"][0]["n"]) == ("role_play (PingPong v2, rubric v1)", 2)


def test_a_refused_conversation_of_version_1_is_judged_as_far_as_it_went(
    tmp_path: Path, capsys: Capsys
) -> None:
    def script(asked: Asked) -> str:
        said = steady(asked)
        if asked.model == "user" and asked.schema and "is_refusal" in asked.schema["properties"]:
            return json.dumps(json.loads(said) | {"is_refusal": True})
        return said

    store = tmp_path / "interplay.db"
    with provider(script) as (loopback, url):
        before = run(command(url, store, limit=2, judges=(), more=V1), capsys)
        assert loopback.calls_by_model() == {"player": 2, "user": 4}
        assert before["rows"][0]["n"] == 0
        assert before["rows"][0]["refusal_ratio"]["value"] == 1.0
        other = ("--rubric", "v2", "--model-role", "judge=openai/judge-1")
        after = run(judge_again(url, store, "last", *other), capsys)
        assert loopback.calls_by_model()["judge-1"] == 2
        assert after["rows"][0]["n"] == 2
        assert after["rows"][0]["refusal_ratio"]["value"] == 0.0
