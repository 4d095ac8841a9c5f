"""Whole runs through the command line, over real HTTP; the server's ledger is the oracle."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from interplay.cli import main
from interplay.models.loopback import Asked, Fault, Said
from interplay.store.records import Records
from tests.running.job import JUDGES, answer, command, first_time, judge
from tests.running.typed import provider, run


def test_two_judges_and_one_subject_cost_704_calls_a_third_judge_64_more_and_scoring_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "interplay.db"
    with provider() as (loopback, url):
        board = run(command(url, store), capsys)
        assert loopback.calls_by_model() == {"player": 288, "user": 288, "judge-1": 64, "judge-2": 64}
        row = board["rows"][0]
        assert (row["n"], row["void"], row["unscored"]) == (64, 0.0, 0.0)
        assert row["aggregate"]["method"] == "two-way t"
        assert row["aggregate"]["clusters"] == [8, 8]
        assert row["aggregate"]["low"] < row["aggregate"]["value"] < row["aggregate"]["high"]

        again = run(command(url, store), capsys)
        assert loopback.calls == 704
        assert again == board

        judged = run(["judge", board["run"], "--model-role", "judge=openai/judge-3", "--base-url", url,
                      "--store", str(store), "--json"], capsys)  # fmt: skip
        assert loopback.calls == 704 + 64
        assert "judge-3" in " ".join(judged["notes"])

        scored = run(["score", "last", "--store", str(store), "--json"], capsys)
        assert loopback.calls == 704 + 64
        assert scored == judged


def test_two_subjects_play_the_same_scenarios(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with provider() as (loopback, url):
        store = tmp_path / "interplay.db"
        board = run(command(url, store, limit=2, models=("openai/one", "openai/two")), capsys)
        assert {row["model"] for row in board["rows"]} == {"openai/one", "openai/two"}
        assert loopback.calls_by_model() == {"one": 8, "two": 8, "user": 16, "judge-1": 4, "judge-2": 4}
    with Records(store) as records:
        rows = records.conversations(records.find("last"))
        by_subject = {row.subject: [] for row in rows}
        for row in rows:
            by_subject[row.subject].append(row.scenario.id)
        assert by_subject["openai/one"] == by_subject["openai/two"]


def test_a_larger_limit_extends_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "interplay.db"
    with provider() as (loopback, url):
        first = run(command(url, store, limit=3), capsys)
        calls = loopback.calls
        more = run(command(url, store, limit=10), capsys)
        whole = run(command(url, tmp_path / "other.db", limit=10), capsys)
        assert first["run"] == more["run"]
        assert (first["rows"][0]["n"], more["rows"][0]["n"]) == (3, 10)
        assert more == whole
        # the second store paid for all ten, the first for what was missing
        assert loopback.calls == 2 * (calls + (loopback.calls // 2 - calls))
        assert run(command(url, store, limit=3), capsys) == more


def test_more_epochs_extend_the_run_and_never_share_a_sample(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "interplay.db"
    with provider() as (loopback, url):
        run(command(url, store, limit=2), capsys)
        calls = loopback.calls
        board = run(command(url, store, limit=2, more=("--epochs", "3")), capsys)
        assert loopback.calls == 3 * calls
        assert board["rows"][0]["n"] == 6


def test_replies_in_shuffled_order_give_the_same_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def outcomes(store: Path) -> Any:
        with Records(store) as records:
            rows = records.conversations(records.find("last"))
            return [(row.subject, row.scenario.id, row.repeat, row.outcome, row.lines) for row in rows]

    boards, records = [], []
    for seed in (1, 2, 3):
        store = tmp_path / f"{seed}.db"
        with provider(jitter=0.02, seed=seed) as (_, url):
            boards.append(run(command(url, store, limit=6), capsys))
        records.append(outcomes(store))
    assert boards[0] == boards[1] == boards[2]
    assert records[0] == records[1] == records[2]


def test_a_judge_that_never_answers_in_form_is_asked_three_times_and_is_unscored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(asked: Asked) -> str:
        return "I would rather not say." if asked.model == "judge-2" else answer(asked)

    store = tmp_path / "interplay.db"
    with provider(script) as (loopback, url):
        board = run(command(url, store, limit=2), capsys)
        assert loopback.calls_by_model()["judge-2"] == 2 * 3
        row = board["rows"][0]
        assert row["unscored"] == 0.5
        assert row["n"] == 2  # the other judge's scores stand, unhalved
        alone = run(command(url, tmp_path / "alone.db", limit=2, judges=JUDGES[:1]), capsys)
        assert row["aggregate"]["value"] == alone["rows"][0]["aggregate"]["value"]
        calls = loopback.calls
        run(command(url, store, limit=2), capsys)
        assert loopback.calls == calls  # it did answer: asking the same again would change nothing


def test_an_unreadable_emulated_user_makes_the_conversation_void_and_never_a_zero(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(asked: Asked) -> str:
        return "no JSON today" if asked.model == "user" else answer(asked)

    with provider(script) as (loopback, url):
        board = run(command(url, tmp_path / "interplay.db", limit=2), capsys)
        row = board["rows"][0]
        assert (row["void"], row["n"], row["aggregate"]["value"], row["rank"]) == (1.0, 0, None, None)
        assert "simulator error 2" in " ".join(board["notes"])
        assert loopback.calls_by_model() == {"user": 6}


def test_an_unanswered_call_is_tried_again_by_the_same_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "interplay.db"
    refusing = first_time(lambda number: Fault("status", status=400) if number > 4 else None)
    with provider(refusing) as (_, url):
        board = run(command(url, store, limit=1, more=("--max-connections", "1")), capsys, code=1)
        assert "provider 1" in " ".join(board["notes"])
    with provider() as (loopback, url):
        board = run(command(url, store, limit=1), capsys)
        assert board["rows"][0]["n"] == 1
        assert loopback.calls == 10 - 4  # the four answered calls were not paid for again


def test_a_storm_of_rate_limits_and_errors_is_ridden_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def trouble(number: int) -> Fault | None:
        if 10 <= number < 14:
            return Fault("status", status=429, headers={"Retry-After": "0.2"})
        return Fault("status", status=503) if number % 17 == 0 else None

    with provider(first_time(trouble)) as (_, url):
        stormy = run(command(url, tmp_path / "stormy.db", limit=8), capsys)
    with provider() as (_, url):
        calm = run(command(url, tmp_path / "calm.db", limit=8), capsys)
    assert stormy == calm


def test_a_wrong_key_stops_the_run_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with provider(keys=frozenset({"right"})) as (_, url):
        assert main(command(url, tmp_path / "interplay.db", limit=8)) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert "openai/user: key: HTTP 401" in error


def test_an_endpoint_that_is_not_there_is_said_before_anything_is_sent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command("http://127.0.0.1:9/v1", tmp_path / "interplay.db", limit=8)) == 2
    assert "nothing answers at 127.0.0.1:9" in capsys.readouterr().err


def test_a_model_that_changes_its_version_behind_the_alias_is_noted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(asked: Asked) -> str | Said:
        if asked.model == "player":
            return Said("Good day.", version="player-2" if asked.number > 9 else "player-1")
        return answer(asked)

    with provider(script) as (_, url):
        board = run(command(url, tmp_path / "interplay.db", limit=2), capsys)
    assert "Mixed: openai/player answered as player-1, player-2." in board["notes"]


@pytest.mark.parametrize(
    ("spoil", "asked_again"),
    [
        (lambda text: text[:-1] + ",}", False),
        (lambda text: "<think>Turn 1 deserves a 9, I mean {5}.</think>" + text, False),
        (lambda text: "{well} here it is: " + text + " }", False),
        (lambda text: text.replace('"is_refusal": false', '"is_refusal": "false"'), False),
        (lambda text: json.dumps({k: v for k, v in json.loads(text).items() if k != "turn_2"}), True),
        (lambda text: json.dumps({**json.loads(text), "turn_5": json.loads(text)["turn_1"]}), True),
        (lambda text: re.sub(r'"fluency_score": \d', '"fluency_score": 9', text, count=1), True),
    ],
    ids=["trailing comma", "think block", "stray braces", "false as a string", "missing turn", "extra turn", "9 of 5"],
)  # fmt: skip
def test_a_judge_s_slips_are_mended_or_asked_about_and_never_miscounted(
    spoil: Any, asked_again: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(asked: Asked) -> str:
        if asked.model != "judge-1":
            return answer(asked)
        again = len(asked.messages) > 2
        clean = judge(asked if not again else type(asked)(**{**vars(asked), "messages": asked.messages[:2]}))
        return clean if again else spoil(clean)

    with provider(script) as (loopback, url):
        spoiled = run(command(url, tmp_path / "spoiled.db", limit=1, judges=JUDGES[:1]), capsys)
        assert loopback.calls_by_model()["judge-1"] == (2 if asked_again else 1)
    with provider() as (_, url):
        clean = run(command(url, tmp_path / "clean.db", limit=1, judges=JUDGES[:1]), capsys)
    shown = (
        "ln_score",
        "aggregate",
        "in_character",
        "entertaining",
        "fluency",
        "refusal_ratio",
        "n",
        "unscored",
    )
    assert [spoiled["rows"][0][key] for key in shown] == [clean["rows"][0][key] for key in shown]


def test_a_smaller_limit_plays_no_more_than_it_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "interplay.db"
    refusing = first_time(lambda number: Fault("status", status=400))
    with provider(refusing) as (_, url):
        run(command(url, store, limit=8), capsys, code=1)
    with provider() as (loopback, url):
        run(command(url, store, limit=1), capsys)
        assert loopback.calls == 10


def test_a_judge_with_a_wrong_name_does_not_cost_its_sibling_a_reply(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(asked: Asked) -> str | Fault:
        return Fault("status", status=404) if asked.model == "judge-1" else answer(asked)

    store = tmp_path / "interplay.db"
    with provider(script, latency=0.05) as (loopback, url):
        assert main(command(url, store, limit=1)) == 2
        assert "openai/judge-1: not found: HTTP 404" in capsys.readouterr().err
        assert loopback.calls_by_model()["judge-2"] == 1
    with Records(store) as records:
        assert records.totals(records.find("last")).unknown == 0


def test_a_store_that_was_deleted_is_not_silently_made_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "interplay.db"
    with provider() as (loopback, url):
        run(command(url, store, limit=1), capsys)
        store.unlink()
        assert main(command(url, store, limit=1)) == 2
        assert "is gone" in capsys.readouterr().err
        assert loopback.calls == 10
        assert not store.exists()


def test_no_more_calls_at_once_than_the_narrowest_model_of_an_endpoint_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with provider(latency=0.01) as (loopback, url):
        models = tmp_path / "models.toml"
        models.write_text(
            f'[models.slow]\nmodel = "openai/player"\nbase_url = "{url}"\nmax_connections = 1\n'
        )
        line = command(
            url, tmp_path / "interplay.db", limit=3, models=("slow",), more=("--models", str(models))
        )
        run(line, capsys)
        under_way = most = 0
        for event in loopback.events:
            under_way += 1 if event.kind == "request" else -1
            most = max(most, under_way)
        assert most == 1


def test_russian_is_played_and_judged_in_russian(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[Asked] = []

    def script(asked: Asked) -> str:
        seen.append(asked)
        return answer(asked)

    with provider(script) as (_, url):
        board = run(command(url, tmp_path / "interplay.db", more=("--language", "ru")), capsys)
    assert board["rows"][0]["n"] == 64
    assert len(seen) == 704
    users = [asked.messages[0]["content"] for asked in seen if asked.model == "user"]
    assert all("Write in Russian" in brief and re.search("[а-яё]{4}", brief) for brief in users)
    cards = [asked.messages[1]["content"] for asked in seen if asked.model == "judge-1"]
    assert all(len(re.findall("[а-яё]", card)) > 500 for card in cards)
