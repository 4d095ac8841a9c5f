"""--new: conversations are played anew on purpose; the newest take counts, and older ones stay in the record."""

import json
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from interplay.models.loopback import Asked, Fault, Loopback, Said, Script, serving
from interplay.store.records import Records
from tests.cli.provider import Typist, job
from tests.faults.harness import Killer, check_record, finish, start
from tests.running.job import answer, first_time

EACH = 10  # calls of one conversation: four turns of two, and two verdicts


@pytest.fixture
def typist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Typist:
    return Typist(tmp_path / "interplay.db", capsys)


def line(url: str, *more: str, limit: int = 3) -> list[str]:
    return job(url, *more, limit=limit)


def praising(asked: Asked) -> str | Said | Fault:
    """Judges who give the best scores to everything; all others as usual, but a little longer."""
    said = answer(asked)
    if not asked.model.startswith("judge"):
        return said if asked.schema else said + " Indeed."
    praised = json.loads(said)
    for turn in praised.values():
        turn.update({name: 5 for name in turn if name.endswith("_score")})
    return json.dumps(praised)


def takes(store: Path) -> dict[int, list[tuple[int, str]]]:
    """Every take of each scenario, by the number of its newest: take and state."""
    with Records(store) as records:
        run = records.find("last")
        rows = records.db.execute(
            "SELECT scenario, number, take, state FROM conversations WHERE run = ? ORDER BY take",
            (run.number,),
        ).fetchall()
        newest = {row.scenario.id: row.number for row in records.conversations(run)}
    return {
        number: [(take, state) for scenario, _, take, state in rows if scenario == id]
        for id, number in newest.items()
    }


def play(
    typist: Typist, *more: str, script: Script = answer, code: int = 0, limit: int = 3
) -> tuple[Any, int]:
    """The board after a start, and what it called."""
    loopback = Loopback(script)
    with serving(loopback) as url:
        return typist.reads(*line(url, *more, limit=limit), code=code), loopback.calls


@pytest.mark.parametrize(
    "which, played", [("2", [2]), ("1,3", [1, 3]), ("2-3", [2, 3]), ("1-3", [1, 2, 3]), ("all", [1, 2, 3])]
)
def test_only_what_was_asked_for_is_played_and_judged_anew(
    typist: Typist, which: str, played: list[int]
) -> None:
    before, calls = play(typist)
    assert calls == 3 * EACH
    after, calls = play(typist, "--new", which, script=praising)
    assert calls == len(played) * EACH
    assert (after["run"], after["rows"][0]["n"]) == (before["run"], 3)
    found = takes(typist.store)
    assert sorted(len(of_one) for of_one in found.values()) == [1] * (3 - len(played)) + [2] * len(played)
    assert all(state == "done" for of_one in found.values() for _, state in of_one)
    kept = set(range(1, 4)) - set(played)
    assert kept <= set(found)  # what was not asked for is still there under its number
    check_record(typist.store)


def test_only_the_newest_take_counts_on_the_board_and_in_every_listing(
    typist: Typist, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play(typist)
    old = typist.reads("show", "last", "--conversation", "2")
    after, _ = play(typist, "--new", "all", script=praising)
    praised, _ = play(Typist(tmp_path / "praised.db", capsys), script=praising)
    shown = ("aggregate", "ln_score", "fluency", "length", "n", "void", "unscored")
    assert [after["rows"][0][key] for key in shown] == [praised["rows"][0][key] for key in shown]
    assert after["rows"][0]["aggregate"]["value"] == 5.0
    assert after["rows"][0]["cost"] is None
    listed = typist.reads("list", "last")
    assert [row["number"] for row in sorted(listed, key=lambda row: row["number"])] == [4, 5, 6]
    assert "has no conversation 2" in typist.mistakes("show", "last", "--conversation", "2")
    with Records(typist.store) as records:  # the older take is still in the record
        text = records.db.execute("SELECT outcome FROM conversations WHERE number = 2").get
    assert json.loads(text) == old["outcome"]
    assert typist.reads("score", "last") == after


def test_tokens_of_all_takes_count_as_they_were_all_paid_for(typist: Typist) -> None:
    before, _ = play(typist)
    after, _ = play(typist, "--new", "all")
    assert after["rows"][0]["tokens"] == 2 * before["rows"][0]["tokens"]


def test_void_conversations_alone_are_played_anew(typist: Typist) -> None:
    def unreadable(asked: Asked) -> str:
        return "no form" if asked.model == "user" and asked.number <= 3 else answer(asked)

    before, _ = play(typist, "--max-connections", "1", script=unreadable)
    assert before["rows"][0]["n"] == 2
    assert "simulator error 1" in " ".join(before["notes"])
    same, calls = play(typist)
    assert (same["rows"], calls) == (before["rows"], 0)  # it did answer: the same command leaves it void
    after, calls = play(typist, "--new", "void")
    assert (after["rows"][0]["n"], after["rows"][0]["void"], calls) == (3, 0.0, EACH)
    _, calls = play(typist, "--new", "void")
    assert calls == 0


def test_alone_it_plays_what_no_longer_fits_and_nothing_else(typist: Typist) -> None:
    play(typist)
    _, calls = play(typist, "--new")
    assert calls == 0
    _, calls = play(typist, "--new", "diverged")
    assert calls == 0


# Mistakes


@pytest.mark.parametrize("which", ["4", "0", "2,7", "1-9"])
def test_a_wrong_number_is_a_mistake_before_anything_is_sent(typist: Typist, which: str) -> None:
    play(typist)
    before = typist.store.read_bytes()
    loopback = Loopback(answer)
    with serving(loopback) as url:
        said = typist.mistakes(*line(url, "--new", which))
    assert "has no such conversation, or a newer take of it; its numbers are 1 to 3" in said
    assert loopback.calls == 0
    assert typist.store.read_bytes() == before


def test_a_number_of_another_run_is_a_wrong_number(typist: Typist) -> None:
    play(typist, "--seed", "1")
    play(typist, "--seed", "2")
    with serving(Loopback(answer)) as url:
        said = typist.mistakes(*line(url, "--seed", "2", "--new", "1"))
    assert "its numbers are 4 to 6" in said


@pytest.mark.parametrize("which", ["x", "3-1", "1.5", "vod"])
def test_what_cannot_be_read_is_a_mistake(typist: Typist, which: str) -> None:
    said = typist.mistakes(*line("http://127.0.0.1:9/v1", "--new", which))
    assert "--new takes numbers of conversations as in 3,7-9, or diverged, void, all" in said


@pytest.mark.parametrize("which", ["1", "void", "all"])
def test_a_judge_plays_nothing_anew_and_says_so(typist: Typist, which: str) -> None:
    play(typist)
    loopback = Loopback(answer)
    with serving(loopback) as url:
        words = ["judge", "last", "--model-role", "judge=openai/judge-3", "--base-url", url]
        assert "judge plays nothing" in typist.mistakes(*words, "--new", which)
        assert loopback.calls == 0


# Stops


def stopped(typist: Typist, words: Sequence[str], loopback_script: Script, killer: Killer) -> None:
    """Start the program with these words and kill it at its ninth event."""
    loopback = Loopback(loopback_script, latency=0.01, watch=killer)
    with serving(loopback) as url:
        killer.aim(9)
        killer.process = start([*line(url, *words, "--max-connections", "1"), "--store", str(typist.store)])
        killer.started.set()
        code, _, err = finish(killer.process)
    assert code == -signal.SIGKILL, err


def test_after_a_stop_a_number_is_a_newer_take_and_the_command_without_it_goes_on(typist: Typist) -> None:
    play(typist)
    stopped(typist, ["--new", "2"], answer, Killer())
    with serving(Loopback(answer)) as url:
        said = typist.mistakes(*line(url, "--new", "2"))
    assert "or a newer take of it" in said
    assert "To go on after a stop, leave --new out" in said
    board, calls = play(typist)
    assert calls == EACH - 4  # four were answered before the stop
    assert board["rows"][0]["n"] == 3
    assert sorted(len(of_one) for of_one in takes(typist.store).values()) == [1, 1, 2]


def test_after_a_stop_all_can_be_gone_on_with_too(typist: Typist) -> None:
    play(typist)
    stopped(typist, ["--new", "all"], praising, Killer())
    board, calls = play(typist, script=praising)
    assert calls == EACH - 4  # the one that was begun; the others stand as they were
    assert board["rows"][0]["n"] == 3
    again, calls = play(typist, "--new", "all", script=praising)
    assert calls == 3 * EACH
    assert again["rows"][0]["aggregate"]["value"] == 5.0


def test_a_take_that_came_to_nothing_is_tried_again_and_hides_the_older_one(typist: Typist) -> None:
    before, _ = play(typist)
    failing = first_time(lambda number: Fault("status", status=400))
    board, _ = play(typist, "--new", "1", script=failing, code=1)
    assert (board["rows"][0]["n"], board["rows"][0]["void"]) == (2, pytest.approx(1 / 3))
    board, calls = play(typist)
    assert calls == EACH
    shown = ("aggregate", "n", "void", "unscored")
    assert [board["rows"][0][key] for key in shown] == [before["rows"][0][key] for key in shown]
