"""What a run would take, against the ledger of what it took; a plan sends and writes nothing."""

from pathlib import Path
from typing import Any

import pytest

from interplay.models.loopback import Asked, Fault, Loopback, rehearse, serving
from tests.cli.provider import PRICES, Typist, accounted, write_prices
from tests.running.job import first_time

CAST = ["--model", "openai/player", "--model-role", "interrogator=openai/user"]
JUDGES = ["--model-role", "judge=openai/judge-1", "--model-role", "judge=openai/judge-2"]


@pytest.fixture
def typist(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Typist:
    monkeypatch.chdir(tmp_path)
    return Typist(tmp_path / "interplay.db", capsys)


def role_play(url: str, *more: str) -> list[str]:
    return ["run", "role_play", "--base-url", url, *CAST, *more]


def spans(plan: Any) -> dict[str, list[int]]:
    """The least and most calls, by the name that the provider knows the model by."""
    found: dict[str, list[int]] = {}
    for share in plan["shares"]:
        span = found.setdefault(share["model"].removeprefix("openai/"), [0, 0])
        found[share["model"].removeprefix("openai/")] = [
            span[0] + share["calls"][0],
            span[1] + share["calls"][1],
        ]
    return {name: span for name, span in found.items() if span != [0, 0]}


def check_against_ledger(typist: Typist, words: list[str], loopback: Loopback, *, exact: bool) -> Any:
    """Plan, then do it: what was called is between the least and the most, or is the most."""
    plan = typist.reads(*words, "--plan")
    assert plan["calls"] == [sum(share["calls"][end] for share in plan["shares"]) for end in (0, 1)]
    before = loopback.calls_by_model()
    typist.types(*words)
    called = {name: count - before.get(name, 0) for name, count in loopback.calls_by_model().items()}
    called = {name: count for name, count in called.items() if count}
    told = spans(plan)
    assert called.keys() <= told.keys()
    for name, (least, most) in told.items():
        assert least <= called.get(name, 0) <= most, (name, told, called)
    if exact:
        assert called == {name: most for name, (_, most) in told.items() if most}
    nothing_left = typist.reads(*words, "--plan")
    assert (nothing_left["calls"], nothing_left["conversations"], nothing_left["verdicts"]) == ([0, 0], 0, 0)
    return plan


@pytest.mark.parametrize(
    "more",
    [
        [*JUDGES, "--limit", "3"],
        [*JUDGES[:2], "--limit", "9", "--epochs", "2", "--turns", "3"],
        [*JUDGES, "--limit", "3", "--model", "openai/other"],
        [*JUDGES, "--limit", "2", "--rubric", "v1"],
        ["--limit", "3", "--version", "v1"],
        ["--limit", "3", "--version", "v1", *JUDGES],
        ["--limit", "3", "--version", "v1", *JUDGES, "--model-role", "judge=openai/user"],
        ["--limit", "2", "--version", "v1", "--rubric", "v2", *JUDGES],
        [*JUDGES, "--limit", "3", "--model-role", "judge=openai/player"],
        [*JUDGES, "--limit", "2", "--language", "ru", "--setup", "symmetric"],
    ],
    ids=" ".join,
)
def test_where_nobody_refuses_the_most_is_what_is_called(typist: Typist, more: list[str]) -> None:
    loopback = Loopback(rehearse)
    with serving(loopback) as url:
        check_against_ledger(typist, role_play(url, *more), loopback, exact=True)


def test_where_some_refuse_it_is_between_the_least_and_the_most(typist: Typist) -> None:
    def refusing(asked: Asked) -> str:
        said = rehearse(asked)
        return said.replace('"is_refusal": false', '"is_refusal": true') if asked.number % 5 == 0 else said

    loopback = Loopback(refusing)
    with serving(loopback) as url:
        more = ["--version", "v1", "--limit", "6", *JUDGES]
        plan = check_against_ledger(typist, role_play(url, *more), loopback, exact=False)
    assert plan["calls"][0] < loopback.calls < plan["calls"][1]


@pytest.mark.parametrize("answered", [1, 3, 8, 9, 13, 20])
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_what_the_record_has_of_half_finished_conversations_is_taken_off(
    typist: Typist, version: str, answered: int
) -> None:
    more = [*JUDGES, "--limit", "2", "--version", version, "--rubric", "v2", "--max-connections", "2"]
    breaking = first_time(lambda n: Fault("status", status=400) if n > answered else None, rehearse)
    with serving(Loopback(breaking)) as url:
        typist.types(*role_play(url, *more), code=0 if version == "v2" and answered == 20 else 1)
    loopback = Loopback(rehearse)
    with serving(loopback) as url:
        plan = check_against_ledger(typist, role_play(url, *more), loopback, exact=version == "v2")
    whole = 2 * (4 + 4 + 2) if version == "v2" else 2 * (4 + 5 + 2)
    assert plan["calls"][1] == whole - answered


def test_what_a_judge_by_turns_has_done_is_taken_off(typist: Typist) -> None:
    more = [*JUDGES[:2], "--limit", "1", "--rubric", "v1", "--max-connections", "1"]
    breaking = first_time(lambda n: Fault("status", status=400) if n > 10 else None, rehearse)
    with serving(Loopback(breaking)) as url:
        typist.types(*role_play(url, *more), code=1)
    loopback = Loopback(rehearse)
    with serving(loopback) as url:
        check_against_ledger(typist, role_play(url, *more), loopback, exact=True)


def test_a_longer_limit_more_epochs_and_another_judge_cost_the_difference(typist: Typist) -> None:
    loopback = Loopback(rehearse)
    with serving(loopback) as url:
        check_against_ledger(typist, role_play(url, *JUDGES[:2], "--limit", "2"), loopback, exact=True)
        more = role_play(url, *JUDGES[:2], "--limit", "3", "--epochs", "2")
        plan = check_against_ledger(typist, more, loopback, exact=True)
        assert (plan["conversations"], plan["verdicts"]) == (4, 4)
        for joining in (
            ["--model-role", "judge=openai/judge-3"],
            ["--rubric", "v1"],
            ["--rubric", "v1", "--model-role", "judge=openai/judge-4"],
            ["--rubric", "v2", "--model-role", "judge=openai/judge-4"],
        ):
            again = ["judge", "last", "--base-url", url, *joining]
            plan = check_against_ledger(typist, again, loopback, exact=True)
            assert plan["conversations"] == 0
            assert plan["verdicts"] > 0
            assert plan["run"] == typist.reads("runs")[0]["run"]


def test_conversations_that_are_played_anew_are_counted_whole(typist: Typist) -> None:
    more = [*JUDGES[:2], "--limit", "3", "--max-connections", "1"]
    breaking = first_time(lambda n: Fault("status", status=400) if n == 12 else None, rehearse)
    with serving(Loopback(breaking)) as url:
        typist.types(*role_play(url, *more), code=1)
        half = typist.reads(*role_play(url, *more, "--plan"))
        assert (half["conversations"], half["calls"]) == (1, [7, 7])
        for which, count in (("2", 1), ("1-2", 2), ("void", 1), ("all", 3)):
            plan = typist.reads(*role_play(url, *more, "--new", which, "--plan"))
            assert plan["conversations"] == count
            assert plan["calls"] == [9 * count] * 2  # also of the one that is half finished


# Nothing is sent, nothing is written


def test_a_plan_sends_nothing_and_writes_nothing(typist: Typist, tmp_path: Path) -> None:
    loopback = Loopback(rehearse)
    with serving(loopback) as url:
        typist.types(*role_play(url, *JUDGES, "--limit", "2", "--plan"))
        assert list(tmp_path.iterdir()) == []
        typist.types(*role_play(url, *JUDGES, "--limit", "2"))
        calls = loopback.calls
        before = {path: path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()}
        for more in (["--limit", "64"], ["--limit", "3", "--new", "all"]):
            typist.types(*role_play(url, *JUDGES, *more, "--plan"))
        typist.types("judge", "last", "--rubric", "v1", "--base-url", url, "--plan")
        assert loopback.calls == calls
        after = {path: path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()}
        assert after == before


def test_a_plan_needs_neither_an_endpoint_nor_a_key(typist: Typist) -> None:
    typist.types("run", "role_play", *CAST, *JUDGES, "--plan")
    assert "704" in typist.types("run", "role_play", *CAST, *JUDGES, "--plan")


def test_a_plan_finds_the_mistakes_that_the_run_would(typist: Typist) -> None:
    assert "did you mean 'openai/NAME'" in typist.mistakes(
        "run", "role_play", "--model", "opnai/x", *CAST[2:], *JUDGES, "--plan"
    )
    assert "--limit" in typist.mistakes("run", "role_play", *CAST, *JUDGES, "--limit", "0", "--plan")
    words = ["run", "role_play", *CAST, *JUDGES, "--plan"]
    assert "cannot be read" in typist.mistakes(*words, "--data", "no/cards.toml")
    assert "the folder of the store" in Typist(Path("no/x.db"), typist.capsys).mistakes(*words)


# Tokens and money


def test_tokens_and_cost_are_near_what_the_provider_bills_and_below_the_most(
    typist: Typist, tmp_path: Path
) -> None:
    models = write_prices(tmp_path)
    with accounted() as (account, _, url):
        words = role_play(url, *JUDGES, "--models", str(models), "--limit", "16")
        plan = typist.reads(*words, "--plan")
        typist.types(*words)
    likely, most = plan["tokens"]
    assert likely / 2 <= account.tokens <= most
    assert likely < most
    assert plan["cost"][0] / 2 <= account.money <= plan["cost"][1]
    for share in plan["shares"]:
        price = PRICES[share["model"].removeprefix("openai/")]
        for tokens, cost in zip(share["tokens"], share["cost"], strict=True):
            assert tokens * min(price) / 1e6 <= cost <= tokens * max(price) / 1e6


def test_an_unknown_price_is_unknown_and_never_nothing(typist: Typist, tmp_path: Path) -> None:
    models = write_prices(tmp_path, {name: PRICES[name] for name in ("player", "user", "judge-1")})
    words = ["run", "role_play", *CAST, *JUDGES, "--models", str(models), "--plan"]
    plan = typist.reads(*words)
    assert plan["cost"] is None
    assert {share["model"]: share["cost"] is None for share in plan["shares"]} == {
        "openai/player": False,
        "openai/user": False,
        "openai/judge-1": False,
        "openai/judge-2": True,
    }
    shown = typist.types(*words)
    rows = [line.split() for line in shown.splitlines() if line.split()[:1] in (["judge"], ["all"])]
    ends = {row[1] if row[0] == "judge" else "all": row[-1] for row in rows}
    assert (ends["openai/judge-2"], ends["all"]) == ("unknown", "unknown")
    assert ends["openai/judge-1"] != "unknown"
    assert "The price of openai/judge-2 is unknown: give it in models.toml." in shown


def test_what_is_free_costs_nothing(typist: Typist, tmp_path: Path) -> None:
    models = write_prices(tmp_path, dict.fromkeys(PRICES, (0, 0)))
    plan = typist.reads("run", "role_play", *CAST, *JUDGES, "--models", str(models), "--plan")
    assert plan["cost"] == [0.0, 0.0]
    tryout = typist.reads("run", "role_play", "--plan")  # the embedded model
    assert (tryout["cost"], tryout["calls"]) == ([0.0, 0.0], [40, 40])
    assert "unknown" not in typist.types("run", "role_play", "--plan")


def test_list_prices_hold_at_the_provider_alone(typist: Typist) -> None:
    words = ["run", "role_play", "--model", "openai/gpt-4o", "--preset", "paper", "--limit", "2", "--plan"]
    cost = typist.reads(*words)["cost"]
    assert 0 < cost[0] < cost[1]
    elsewhere = typist.reads(*words, "--base-url", "http://127.0.0.1:9/v1")
    known = {share["model"]: share["cost"] is not None for share in elsewhere["shares"]}
    assert known == {
        "openai/gpt-4o": False,
        "openai/gpt-4o-mini": False,
        "anthropic/claude-3-5-sonnet-20240620": True,
    }


def test_longer_replies_may_cost_more_and_are_no_likelier(typist: Typist) -> None:
    def tokens(*more: str) -> list[int]:
        found: list[int] = typist.reads("run", "role_play", *CAST, *JUDGES, "--limit", "4", *more, "--plan")[
            "tokens"
        ]
        return found

    usual, longer = tokens(), tokens("--sampling", "player.max_tokens=6000")
    assert longer[0] == usual[0]
    assert longer[1] > usual[1]


# What it can show


def test_the_difference_that_the_whole_run_can_show(typist: Typist) -> None:
    def shown(*more: str) -> tuple[int, float]:
        plan = typist.reads("run", "role_play", *CAST, *JUDGES, *more, "--plan")
        return plan["scenarios"], plan["difference"]

    assert shown() == (64, pytest.approx(0.175, abs=0.001))
    assert shown("--limit", "16") == (16, pytest.approx(0.35, abs=0.002))
    assert shown("--limit", "16", "--epochs", "4") == (64, pytest.approx(0.175, abs=0.001))
    assert shown("--limit", "1000") == (64, pytest.approx(0.175, abs=0.001))
    v1 = ["--version", "v1"]  # from 1 to 10
    assert shown(*v1) == (64, pytest.approx(0.175 * 9 / 4, abs=0.002))
    text = typist.types("run", "role_play", *CAST, *JUDGES, "--plan")
    assert (
        "With 64 scenarios a true difference of 0.18 in final (1 to 5) between two models is seen 4 times in 5"
        in text
    )


def test_a_plan_in_words_has_a_line_for_every_role_and_the_budget(typist: Typist) -> None:
    shown = typist.types(
        *("run", "role_play", *CAST, *JUDGES, "--limit", "2", "--budget-tokens", "5000", "--plan")
    )
    assert ": 2 conversations and 4 verdicts to do" in shown
    for role, model in (
        ("player", "player"),
        ("interrogator", "user"),
        ("judge", "judge-1"),
        ("judge", "judge-2"),
    ):
        assert any(line.split()[:2] == [role, f"openai/{model}"] for line in shown.splitlines())
    assert any(line.split()[:2] == ["all", "20"] for line in shown.splitlines())
    assert "The budget of the run: 5,000 tokens, all starts together." in shown
