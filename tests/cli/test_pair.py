"""interplay pair as it is typed: planted qualities recovered, judges biased or mute, and nothing asked twice."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import apsw
import pytest

from interplay.models import embedded
from interplay.models.loopback import Asked, Fault, Loopback, serving
from interplay.store.lock import run_lock
from interplay.store.records import Records
from tests.cli.duelists import MODELS, NAMES, SCRIPTS, answers, quality, shown_in, write_scripts
from tests.cli.provider import Typist, job
from tests.running.typed import provider

PAIRS = 3  # of three models
ALL = 2 * PAIRS * SCRIPTS  # verdicts of one judge
SAME, HARD, JUDGES = (
    "Two models on the same scripts",
    "Two models on the same hard scripts",
    "Judges who compared",
)


class Played(Typist):
    """A store with a run of three models, rated, and a provider that is still there."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]):
        super().__init__(folder / "interplay.db", capsys)
        self.data = write_scripts(folder)
        self.heard: list[Asked] = []
        self.fault: Any = None
        self.loopback = Loopback(self.says)
        self.url = ""

    def says(self, asked: Asked) -> Any:
        self.heard.append(asked)
        return (self.fault and self.fault(asked)) or answers(asked)

    def plays(self, *more: str, models: tuple[str, ...] = MODELS, code: int = 0) -> Any:
        cast = [part for name in models for part in ("--model", name)]
        line = ["run", "simulation", "--data", str(self.data), *cast, "--model-role", "judge=openai/fair"]
        found = self.reads(*line, "--base-url", self.url, *more, code=code)
        self.heard.clear()
        return found

    def pairs(self, *more: str, judge: str = "fair", code: int = 0) -> Any:
        """The board after comparing, and only what was asked for it in what was heard."""
        self.heard.clear()
        by = ("--model-role", f"judge=openai/{judge}") if judge else ()
        return self.reads("pair", "last", *by, "--base-url", self.url, *more, code=code)


@pytest.fixture
def played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    found = Played(tmp_path, capsys)
    with serving(found.loopback) as url:
        found.url = url
        yield found


def part(board: Any, title: str) -> dict[str, Any]:
    """The rows of a part of a board, by their first cell."""
    (found,) = [one for one in board["parts"] if one["title"] == title]
    return {next(iter(row.values())): row for row in found["rows"]}


def planted(first: str, second: str, *, hard: bool = False) -> tuple[float, ...]:
    """Win, tie and lose in percent, as they were planted."""
    numbers = [number for number in range(SCRIPTS) if number % 3 or not hard]
    results = [quality(first, number) - quality(second, number) for number in numbers]
    counts = sum(one > 0 for one in results), results.count(0), sum(one < 0 for one in results)
    return tuple(100 * count / len(numbers) for count in counts)


def rows_of(store: Path, query: str) -> list[Any]:
    with_store = apsw.Connection(str(store))
    try:
        return with_store.execute(query).fetchall()
    finally:
        with_store.close()


def test_planted_qualities_are_recovered_and_every_pair_is_shown_in_both_orders(played: Played) -> None:
    before = played.plays()
    board = played.pairs()
    assert len(played.heard) == ALL
    shown = Counter(shown_in(asked) for asked in played.heard)
    assert shown == {(one, other): SCRIPTS for one in NAMES for other in NAMES if one != other}
    for title, hard in ((SAME, False), (HARD, True)):
        rows = part(board, title)
        assert list(rows) == [f"openai/{a} v openai/{b}" for a, b in (NAMES[:2], NAMES[::2], NAMES[1:])]
        for (first, second), row in zip((NAMES[:2], NAMES[::2], NAMES[1:]), rows.values(), strict=True):
            found = (row["win"], row["tie"], row["lose"])
            assert found == pytest.approx(planted(first, second, hard=hard))
            assert row["delta"]["value"] == pytest.approx(found[0] - found[2])
            assert (row["n"], row["unscored"]) == (6 if hard else 9, 0.0)
            assert row["consistency"]["value"] == 1.0
            assert row["p_holm"] >= row["p"]
    assert part(board, SAME)["openai/good v openai/poor"]["p"] == pytest.approx(2 * 10 / 2**9)  # 8 to 1
    assert part(board, JUDGES)["openai/fair"]["first_position"]["value"] == 0.5
    assert board["rows"] == before["rows"]  # neither ratings nor what they cost have changed
    assert any("compared two by two by openai/fair (fair)" in note for note in board["notes"])
    verdicts = rows_of(played.store, "SELECT conversation, item FROM verdicts WHERE item <> ''")
    assert len(verdicts) == ALL
    assert all(item.split(" v ")[0] == str(number) for number, item in verdicts)
    stages = {stage.split()[0] for (stage,) in rows_of(played.store, "SELECT DISTINCT stage FROM calls")}
    assert stages == {"play", "judge", "pair"}


def test_a_judge_that_always_prefers_what_stands_first_makes_nothing_but_ties(played: Played) -> None:
    played.plays()
    board = played.pairs(judge="first")
    for row in [*part(board, SAME).values(), *part(board, HARD).values()]:
        assert (row["win"], row["tie"], row["lose"], row["delta"]["value"]) == (0.0, 100.0, 0.0, 0.0)
        assert (row["consistency"]["value"], row["first_position"]["value"]) == (0.0, 1.0)
        assert row["consistency"]["high"] > 0.1  # few tasks: no certainty
        assert row["first_position"]["low"] < 0.9
        assert (row["p"], row["p_holm"], row["unscored"]) == (1.0, 1.0, 0.0)
    judge = part(board, JUDGES)["openai/first"]
    assert (judge["consistency"]["value"], judge["first_position"]["value"], judge["n"]) == (0.0, 1.0, 27)


def test_a_judge_who_cannot_be_read_is_unscored_with_its_share_and_is_not_asked_again(played: Played) -> None:
    played.plays()
    board = played.pairs(judge="mute")
    assert len(played.heard) == 3 * ALL
    for row in part(board, SAME).values():
        assert (row["n"], row["win"], row["p"], row["unscored"]) == (0, None, None, 1.0)
    assert played.pairs(judge="mute") == board
    assert played.heard == []
    both = played.pairs(judge="fair")
    assert len(played.heard) == ALL
    row = part(both, SAME)["openai/good v openai/poor"]
    assert (row["n"], row["unscored"]) == (9, 0.5)
    assert (row["win"], row["tie"], row["lose"]) == pytest.approx(planted("good", "poor"))
    assert part(both, JUDGES)["openai/mute"]["unscored"] == 1.0


def test_a_second_comparison_costs_nothing_and_prints_the_same(played: Played) -> None:
    played.plays()
    line = ("pair", "last", "--model-role", "judge=openai/fair", "--base-url", played.url)
    first = played.types(*line)
    played.heard.clear()
    assert played.types(*line) == first
    assert played.types("pair", "last", "--base-url", played.url) == first  # those who compared before
    assert played.heard == []


def test_judges_who_join_and_models_that_were_left_out_are_asked_for_what_is_missing(played: Played) -> None:
    played.plays()
    board = played.pairs("--model", "openai/good", "--model", "openai/poor")
    assert len(played.heard) == 2 * SCRIPTS
    assert list(part(board, SAME)) == ["openai/good v openai/poor"]
    played.pairs()
    assert len(played.heard) == 4 * SCRIPTS
    board = played.pairs("--model", "openai/middling", "--model", "openai/poor", judge="first")
    assert len(played.heard) == 2 * SCRIPTS
    assert {asked.model for asked in played.heard} == {"first"}
    assert any("Mixed" in note for one in board["parts"] if one["title"] == SAME for note in one["notes"])
    board = played.pairs(judge="")
    assert len(played.heard) == 4 * SCRIPTS
    assert not any("Mixed" in note for one in board["parts"] for note in one["notes"])
    # one of two judges finds a tie everywhere: nothing is won by more than half of them
    assert {row["tie"] for row in part(board, SAME).values()} == {100.0}
    assert part(board, JUDGES)["openai/fair"]["consistency"]["value"] == 1.0


def test_the_plan_counts_what_the_ledger_will_have(played: Played) -> None:
    played.plays()
    planned = played.pairs("--plan")
    assert played.heard == []
    assert (planned["conversations"], planned["verdicts"], planned["calls"]) == (0, ALL, [ALL, ALL])
    assert [(one["role"], one["model"]) for one in planned["shares"]] == [("judge", "openai/fair")]
    assert planned["tokens"][0] > 0
    played.pairs("--model", "openai/good", "--model", "openai/poor")
    left = played.pairs("--plan")
    assert left["calls"] == [ALL - 2 * SCRIPTS] * 2
    played.pairs()
    assert len(played.heard) == ALL - 2 * SCRIPTS
    assert played.pairs("--plan")["calls"] == [0, 0]
    told = played.types("pair", "last", "--plan", "--base-url", played.url)
    assert "in 100 pairs more than it loses" in " ".join(told.split())


def test_an_answer_that_never_became_a_verdict_is_read_from_the_record(played: Played) -> None:
    played.plays()
    board = played.pairs()
    with_store = apsw.Connection(str(played.store))
    (number,) = with_store.execute("SELECT min(conversation) FROM verdicts WHERE item <> ''").fetchone()
    with_store.execute("DELETE FROM verdicts WHERE conversation = ? AND item <> ''", (number,))
    with_store.execute("DELETE FROM calls WHERE number = (SELECT max(number) FROM calls WHERE conversation = ?"
                       " AND item <> '')", (number,))  # fmt: skip
    with_store.close()
    planned = played.pairs("--plan")
    assert (planned["verdicts"], planned["calls"]) == (2, [1, 1])  # of the other order there is the answer
    assert played.pairs() == board
    assert len(played.heard) == 1


def test_the_embedded_model_as_a_judge_of_pairs_is_told(played: Played) -> None:
    played.plays("--limit", "1")
    assert embedded.CAVEAT not in str(played.pairs(judge="other")["notes"])
    with_store = apsw.Connection(str(played.store))
    with_store.execute("UPDATE calls SET version = ? WHERE stage LIKE 'pair %'", (embedded.FILE,))
    with_store.close()
    told = " ".join(played.reads("show", "last")["notes"])
    assert f"The judge openai/other is the embedded model: {embedded.CAVEAT}" in told


def test_a_budget_is_kept_and_a_larger_one_goes_on(played: Played) -> None:
    played.plays()
    before = played.loopback.calls
    board = played.pairs("--budget-calls", str(before + 11), code=1)
    assert len(played.heard) == 11
    assert "The same command with a larger budget goes on" in played.said
    counted = sum(row["n"] for row in part(board, SAME).values())
    assert counted <= 5  # a pair of which one order was judged is not counted
    whole = played.pairs("--budget-calls", str(before + ALL))
    assert len(played.heard) == ALL - 11
    assert [row["n"] for row in part(whole, SAME).values()] == [9, 9, 9]


def test_calls_without_an_answer_are_asked_for_again_by_the_same_command(played: Played) -> None:
    played.plays()
    played.fault = lambda asked: Fault("status", status=400) if shown_in(asked) == ("poor", "good") else None
    board = played.pairs(code=1)
    row = part(board, SAME)["openai/good v openai/poor"]
    assert (row["n"], row["unscored"]) == (0, 0.5)
    assert row["first_position"]["n"] == 9  # the orders that were judged
    played.fault = None
    board = played.pairs()
    assert len(played.heard) == SCRIPTS
    assert part(board, SAME)["openai/good v openai/poor"]["n"] == 9


def test_what_was_not_answered_is_not_compared_until_it_is(played: Played) -> None:
    def fault(asked: Asked) -> Any:
        lost = asked.model == "poor" and asked.schema is None and "number 2" in str(asked.messages[-1])
        return Fault("status", status=400) if lost else None

    played.fault = fault
    played.plays(code=1)
    played.fault = None
    board = played.pairs()
    assert len(played.heard) == ALL - 4
    assert [row["n"] for row in part(board, SAME).values()] == [9, 8, 8]
    played.plays()
    played.pairs()
    assert len(played.heard) == 4


def test_a_conversation_played_anew_is_compared_anew_and_the_rest_stays(played: Played) -> None:
    played.plays()
    before = played.pairs()
    number = min(row["number"] for row in played.reads("list", "last"))
    played.plays("--new", str(number))
    assert [row["n"] for row in part(played.reads("show", "last"), SAME).values()] != [9, 9, 9]
    after = played.pairs()
    assert len(played.heard) == 4  # with two others, in both orders
    assert part(after, SAME) == part(before, SAME)


def test_a_longer_run_keeps_what_was_compared(played: Played) -> None:
    played.plays("--limit", "5")
    played.pairs()
    board = played.plays()
    assert [row["n"] for row in part(board, SAME).values()] == [5, 5, 5]
    board = played.pairs(judge="")
    assert len(played.heard) == 2 * PAIRS * 4
    assert [row["n"] for row in part(board, SAME).values()] == [9, 9, 9]
    again = played.reads("judge", "last", "--model-role", "judge=openai/second", "--base-url", played.url)
    assert part(again, SAME) == part(board, SAME)


def test_repeats_are_compared_one_by_one(played: Played) -> None:
    played.plays("--limit", "2", "--epochs", "3")
    board = played.pairs()
    assert len(played.heard) == 2 * PAIRS * 2 * 3
    row = part(board, SAME)["openai/good v openai/poor"]
    assert (row["n"], row["win"], row["p"]) == (6, 100.0, 0.5)  # two scripts, whatever their repeats


def test_verdicts_by_other_prompts_are_refused_and_judged_anew_on_purpose(played: Played) -> None:
    played.plays("--limit", "2")
    board = played.pairs("--model", "openai/good", "--model", "openai/poor")
    with_store = apsw.Connection(str(played.store))
    (digest,) = {found for (found,) in with_store.execute("SELECT rubric FROM verdicts WHERE item <> ''")}
    with_store.execute("UPDATE runs SET extent = replace(extent, ?, 'older')", (digest,))
    with_store.execute("UPDATE verdicts SET rubric = 'older' WHERE item <> ''")
    with_store.close()
    assert part(played.reads("show", "last"), SAME) == part(board, SAME)
    line = ("pair", "last", "--model-role", "judge=openai/fair", "--base-url", played.url)
    played.heard.clear()
    assert "--new" in played.mistakes(*line)
    assert played.heard == []
    played.pairs("--new")
    # the calls by these very prompts are in the record, under their stage: only what is new is asked for
    assert len(played.heard) == 2 * PAIRS * 2 - 4
    kept = Counter(
        found for (found,) in rows_of(played.store, "SELECT rubric FROM verdicts WHERE item <> ''")
    )
    assert kept == {"older": 4, digest: 12}


def test_the_other_verbs_go_on_working(played: Played, tmp_path: Path) -> None:
    played.plays()
    board = played.pairs("--html", str(tmp_path / "report.html"))
    assert SAME in (tmp_path / "report.html").read_text()
    assert played.reads("score", "last") == board
    assert played.reads("show", "last") == board
    (together,) = played.reads("board", "simulation")
    assert part(together, SAME) == part(board, SAME)
    for ending in ("json", "jsonl", "csv", "md", "html"):
        played.types("export", "last", str(tmp_path / f"out.{ending}"))
    told = json.loads((tmp_path / "out.json").read_text())
    found = [one for row in told["conversations"] for one in row["verdicts"]]
    assert Counter(bool(one["item"]) for one in found) == {True: ALL, False: 3 * SCRIPTS}
    assert all(one["data"]["better"] in ("A", "B", "tie") for one in found if one["item"])
    assert {score["name"] for row in told["conversations"] for score in row["scores"]} == {"empty", "rating"}
    assert SAME in (tmp_path / "out.md").read_text()
    number = told["conversations"][0]["number"]
    assert len(played.reads("show", "last", "--conversation", str(number))["verdicts"]) == 1


def test_runs_compared_by_different_judges_are_told_apart_on_one_board(played: Played) -> None:
    played.plays()
    played.pairs()
    played.plays("--seed", "1")
    played.pairs(judge="first")
    (board,) = played.reads("board", "simulation")
    (found,) = [one for one in board["parts"] if one["title"] == SAME]
    assert [row["n"] for row in found["rows"]] == [18, 18, 18]
    assert any("Mixed" in note for note in found["notes"])


def test_who_writes_the_run_locks_the_others_out(played: Played) -> None:
    played.plays("--limit", "1")
    with Records(played.store) as records:
        run = records.find("last").id
    with run_lock(played.store, run):
        played.types("pair", "last", "--model-role", "judge=openai/fair", "--base-url", played.url, code=3)
    assert played.heard == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "name a judge with --model-role judge=NAME"),
        (("--model-role", "simulator=openai/x"), "and no other role"),
        (("--model-role", "judge=openai/fair", "--model", "openai/good"), "only openai/good is named"),
        (("--model-role", "judge=openai/fair", "--model", "openai/goof"), "did you mean 'openai/good'?"),
        (("--model-role", "judge=openai/fair", "--new", "3"), "pair plays nothing"),
        (("--model-role", "judge=nowhere/x"), "nowhere"),
        (("--model-role", "judge=openai/fair", "--html", "/no/such/folder/x.html"), "/no/such/folder"),
    ],
)
def test_mistakes_are_one_line(played: Played, words: tuple[str, ...], told: str) -> None:
    played.plays("--limit", "1")
    assert told in played.mistakes("pair", "last", *words, "--base-url", played.url)
    assert played.heard == []


def test_one_model_or_another_benchmark_cannot_be_compared(played: Played) -> None:
    played.plays("--limit", "1", models=MODELS[:1])
    judge = ("--model-role", "judge=openai/fair", "--base-url", played.url)
    assert "has only openai/good" in played.mistakes("pair", "last", *judge)
    assert "there is no run 'nothing'" in played.mistakes("pair", "nothing", *judge)
    with provider() as (_, url):
        played.types(*job(url, limit=1))
    assert "the judges of role_play compare no pairs" in played.mistakes("pair", "last", *judge)
    assert played.heard == []
