"""Budgets from the command line, over real HTTP: the oracle is what the provider handed out."""

import re
import signal
from pathlib import Path
from typing import Any

import pytest

from interplay.models.loopback import Asked, Fault, Said, rehearse
from interplay.store.records import Records
from tests.cli.provider import PRICES, Account, Typist, accounted, job, write_prices
from tests.faults.harness import Killer, check_record, finish, finished_rows, in_flight, start
from tests.running.job import answer

KINDS = {"money": "--budget", "tokens": "--budget-tokens", "calls": "--budget-calls"}
USED_UP = re.compile(
    r"The budget does not cover more \(used: (.*)\); \d+ conversations or verdicts are left. "
    r"The same command with a larger budget goes on."
)


@pytest.fixture
def typist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Typist:
    return Typist(tmp_path / "interplay.db", capsys)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return write_prices(tmp_path)


def line(url: str, models: Path, *more: str, limit: int | None = 8) -> list[str]:
    return job(url, "--models", str(models), *more, limit=limit)


def amount(kind: str, number: float) -> list[str]:
    """The flag of a budget."""
    return [KINDS[kind], f"{number:.6f}" if kind == "money" else str(int(number))]


def calm(models: Path, tmp_path: Path, capsys: Any, *more: str, limit: int | None = 8) -> tuple[Any, Account]:
    """The board of an undisturbed run, and what it took."""
    with accounted() as (account, _, url):
        typist = Typist(tmp_path / "calm.db", capsys)
        return typist.reads(*line(url, models, *more, limit=limit)), account


@pytest.mark.fault("budget with 50 workers")
@pytest.mark.parametrize("share", [0.05, 0.4, 0.75])
@pytest.mark.parametrize("kind", KINDS)
def test_a_budget_is_never_exceeded_and_a_larger_one_goes_on_to_the_same_board(
    kind: str, share: float, typist: Typist, models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board, whole = calm(models, tmp_path, capsys)
    budget = amount(kind, share * whole.used(kind))
    limit = float(budget[1])
    with accounted(latency=0.002, jitter=0.004) as (account, loopback, url):
        for _ in range(3):  # the same command again finds the same budget, and what was spent of it
            typist.types(*line(url, models, *budget), code=1)
            assert account.used(kind) <= limit
            assert len(USED_UP.findall(typist.said)) == 1
        assert account.calls < whole.calls
        larger = amount(kind, 3 * whole.used(kind))
        assert typist.reads(*line(url, models, *larger)) == board
        assert "budget" not in typist.said
        assert loopback.calls == account.calls == whole.calls  # nothing was paid for twice
    check_record(typist.store)


def test_all_three_at_once_and_what_is_said_of_them(typist: Typist, models: Path) -> None:
    with accounted() as (account, _, url):
        three = [*amount("money", 0.1), *amount("tokens", 60_000), *amount("calls", 12)]
        typist.types(*line(url, models, *three), code=1)
        said = USED_UP.search(typist.said)
        assert said is not None
        used = f"${account.money:,.4f} of $0.1000, {account.tokens:,} of 60,000 tokens, {account.calls} of 12 calls"
        assert said.group(1) == used
        assert account.calls <= 12


@pytest.mark.parametrize("kind", KINDS)
def test_a_budget_that_covers_the_run_is_not_mentioned(kind: str, typist: Typist, models: Path) -> None:
    with accounted() as (account, _, url):
        typist.types(*line(url, models, *amount(kind, 10_000_000), limit=2))
        assert "budget" not in typist.said
        assert account.calls == 20


def test_a_budget_of_exactly_the_calls_that_are_needed_is_enough(typist: Typist, models: Path) -> None:
    with accounted() as (account, _, url):
        typist.types(*line(url, models, "--budget-calls", "20", limit=2))
        assert account.calls == 20


@pytest.mark.parametrize("kind", KINDS)
def test_a_budget_of_nothing_sends_nothing(kind: str, typist: Typist, models: Path) -> None:
    with accounted() as (account, _, url):
        typist.types(*line(url, models, KINDS[kind], "0"), code=1)
        assert account.calls == 0
        assert len(USED_UP.findall(typist.said)) == 1


def test_what_is_free_can_be_had_under_a_budget_of_nothing(typist: Typist, tmp_path: Path) -> None:
    models = write_prices(tmp_path, dict.fromkeys(PRICES, (0, 0)))
    with accounted() as (account, _, url):
        typist.types(*line(url, models, "--budget", "0", limit=1))
        assert account.calls == 10


@pytest.mark.parametrize("kind", KINDS)
def test_conversations_are_finished_rather_than_all_begun(
    kind: str, typist: Typist, models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    short = ["--sampling", "judge.max_tokens=600"]
    for role in ("player", "interrogator"):
        short += ["--sampling", f"{role}.max_tokens=200"]
    _, whole = calm(models, tmp_path, capsys, *short, limit=None)
    with accounted() as (account, _, url):
        half = amount(kind, whole.used(kind) / 2)
        board = typist.reads(*line(url, models, *short, *half, limit=None), code=1)
        assert 0.9 * float(half[1]) <= account.used(kind) <= float(half[1])
    assert board["rows"][0]["n"] >= 27  # of 64: half the budget, less what the last ones were broken off with
    with Records(typist.store) as records:
        states = records.states(records.find("last"))
    assert states.get("void", 0) + states.get("open", 0) <= 3


# Mistakes before the first call


def test_money_needs_every_price(typist: Typist, tmp_path: Path) -> None:
    models = write_prices(tmp_path, {name: price for name, price in PRICES.items() if name != "judge-2"})
    with accounted() as (account, _, url):
        said = typist.mistakes(*line(url, models, "--budget", "5"))
        assert "--budget needs the price of openai/judge-2, which is unknown" in said
        assert '[prices."openai/judge-2"] input = 1.0, output = 4.0' in said
        assert account.calls == 0
        assert not (tmp_path / "interplay.db.locks").exists()
        typist.types(*line(url, models, "--budget-tokens", "5000000", limit=1))  # tokens need none


def test_a_list_price_is_no_price_at_another_place(typist: Typist, tmp_path: Path) -> None:
    models = tmp_path / "models.toml"
    models.write_text('[models.mine]\nmodel = "openai/gpt-4o"\n')
    with accounted() as (_, loopback, url):
        words = ["--model", "mine", "--model-role", "interrogator=mine", "--model-role", "judge=mine"]
        said = typist.mistakes(
            "run", "role_play", "--base-url", url, "--models", str(models), *words, "--budget", "5"
        )
        assert "--budget needs the price of mine" in said
        assert loopback.calls == 0


@pytest.mark.parametrize("kind", ["money", "tokens"])
@pytest.mark.parametrize("role", ["player", "interrogator", "judge"])
def test_tokens_and_money_need_to_know_how_long_a_reply_may_be(
    kind: str, role: str, typist: Typist, models: Path
) -> None:
    with accounted() as (account, _, url):
        endless = ["--sampling", f"{role}.max_tokens=none"]
        said = typist.mistakes(*line(url, models, *endless, *amount(kind, 10**6)))
        assert f"--sampling {role}.max_tokens=N" in said
        assert account.calls == 0
        typist.types(*line(url, models, *endless, "--budget-calls", "10", limit=1))  # calls need not


@pytest.mark.parametrize(
    "more", [["--budget", "-1"], ["--budget", "much"], ["--budget-tokens", "1.5"], ["--budget-calls", "-1"]]
)
def test_a_budget_is_a_number_from_nothing(more: list[str], typist: Typist, models: Path) -> None:
    assert more[0] in typist.mistakes(*line("http://127.0.0.1:9/v1", models, *more))


# Several starts


def test_what_earlier_starts_spent_counts(typist: Typist, models: Path) -> None:
    with accounted() as (account, _, url):
        typist.types(*line(url, models, limit=2))
        assert account.calls == 20
        typist.types(*line(url, models, "--budget-calls", "25", limit=8), code=1)
        assert account.calls <= 25
        typist.types(*line(url, models, "--budget-calls", "15", limit=8), code=1)
        assert account.calls <= 25
        assert f"(used: {account.calls} of 15 calls)" in typist.said


def test_another_judge_is_held_to_the_budget_of_the_run(typist: Typist, models: Path) -> None:
    with accounted() as (account, _, url):
        typist.types(*line(url, models, limit=2))
        more = ["judge", "last", "--model-role", "judge=openai/judge-3", "--base-url", url]
        typist.types(*more, "--budget-calls", "21", code=1)
        assert account.calls == 21
        typist.types(*more, "--budget-calls", "22")
        assert account.calls == 22


def test_calls_that_failed_count_as_calls(typist: Typist, models: Path) -> None:
    def failing(asked: Asked) -> str | Fault:
        return Fault("status", status=400) if asked.model == "player" else answer(asked)

    with accounted(failing) as (account, loopback, url):
        typist.types(*line(url, models, "--budget-calls", "6"), code=1)
        assert account.calls == loopback.calls <= 6


def test_an_answer_that_came_to_nothing_counts_as_the_most_it_may_have_cost(
    typist: Typist, models: Path
) -> None:
    def broken(asked: Asked) -> str | Fault:
        return Fault("truncated") if asked.number == 2 else answer(asked)

    with accounted(broken) as (account, _, url):
        typist.types(*line(url, models, "--max-connections", "1", limit=1))
    with Records(typist.store) as records:
        run = records.find("last")
        query = "SELECT reserved_cost FROM calls WHERE state = 'failed'"
        [reserved] = [row[0] for row in records.db.execute(query)]
        spent = records.spent(run, {"malformed"})
    assert account.calls == 11
    assert reserved > 0
    assert spent[0] == pytest.approx(account.money + reserved)


# kill -9


def killed(killer: Killer, words: list[str], at: int) -> int:
    """Let it run until it is killed at this event, or ends by itself; its exit code."""
    killer.aim(at)
    killer.process = start(words)
    killer.started.set()
    code, _, err = finish(killer.process)
    assert "Traceback" not in err
    return code


def test_a_call_without_an_answer_counts_with_what_was_reserved_and_is_reported_with_it(
    typist: Typist, models: Path
) -> None:
    killer = Killer()
    with accounted(latency=0.02, watch=killer) as (account, _, url):
        words = [*line(url, models, "--max-connections", "1", limit=1), "--store", str(typist.store)]
        assert killed(killer, words, at=7) == -signal.SIGKILL  # the fourth request is on its way
        assert in_flight(typist.store) == 1
        killer.aim(0)
        with Records(typist.store) as records:
            totals = records.totals(records.find("last"))
            spent = records.spent(records.find("last"), set())
        assert totals.unknown_cost is not None
        assert spent[0] == pytest.approx((totals.cost or 0.0) + totals.unknown_cost)
        typist.types("show", "last")
        cost = f"${totals.unknown_cost:,.4f}"
        assert (
            f"1 calls were sent and their answer is unknown (stopped in mid-call, at most {cost})."
            in typist.said
        )
        typist.types(*line(url, models, limit=1), "--budget-calls", "4", code=1)
        assert account.calls == 4  # three were answered, one was not: all four count
        tight = spent[0] + 1e-6
        typist.types(*line(url, models, limit=1), "--budget", f"{tight:.6f}", code=1)
        assert account.calls == 4
        assert f"${spent[0]:,.4f} of" in typist.said
        typist.types(*line(url, models, limit=1), "--budget", "9")
        assert len(finished_rows(typist.store)) == 10
        assert account.calls == 11


@pytest.mark.fault("budget with 50 workers")
@pytest.mark.parametrize("kind", KINDS)
def test_a_run_that_is_killed_again_and_again_stays_within_its_budget(
    kind: str, typist: Typist, models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, whole = calm(models, tmp_path, capsys)
    budget = amount(kind, 0.6 * whole.used(kind))
    killer = Killer()
    with accounted(latency=0.003, jitter=0.003, watch=killer) as (account, _, url):
        words = [*line(url, models, *budget), "--store", str(typist.store)]
        codes = []
        for at in (9, 4, 5):
            codes.append(killed(killer, words, at))
            assert account.used(kind) <= float(budget[1])
        assert codes[0] == -signal.SIGKILL
        assert set(codes) <= {-signal.SIGKILL, 1}  # what was lost may have used it up
        killer.aim(0)
        typist.types(*line(url, models, *budget), code=1)
        assert account.used(kind) <= float(budget[1])
        board = typist.reads(*line(url, models))
        assert (board["rows"][0]["n"], board["rows"][0]["void"]) == (8, 0.0)
    check_record(typist.store)


# Estimates


def test_tokens_that_the_endpoint_does_not_report_are_estimated_counted_and_flagged(
    typist: Typist, models: Path
) -> None:
    def silent(asked: Asked) -> str | Said:
        said = answer(asked)
        return Said(said, usage=None) if asked.model == "player" else said

    with accounted(silent) as (_, _, url):
        board = typist.reads(*line(url, models, limit=1))
    assert "Tokens of 4 calls are estimated: the endpoint did not report them." in board["notes"]
    with Records(typist.store) as records:
        query = "SELECT model, tokens_estimated, tokens_in > 0, tokens_out > 0, cost > 0 FROM calls"
        rows = set(records.db.execute(query))
    assert rows == {
        ("openai/player", 1, 1, 1, 1),
        *((f"openai/{m}", 0, 1, 1, 1) for m in ("user", "judge-1", "judge-2")),
    }


def test_a_price_is_what_the_cost_on_the_board_is_made_of(typist: Typist, models: Path) -> None:
    with accounted() as (account, _, url):
        board = typist.reads(*line(url, models, limit=2))
        assert board["rows"][0]["cost"] == pytest.approx(account.money)
        assert board["rows"][0]["tokens"] == account.tokens
    with accounted(rehearse) as (_, _, url):
        unknown = Typist(typist.store.with_name("unknown.db"), typist.capsys)
        words = [word for word in line(url, models, limit=1) if word not in ("--models", str(models))]
        assert unknown.reads(*words)["rows"][0]["cost"] is None
