"""interplay probe as it is typed: a judge is measured, the same command goes on, a label begins anew, mistakes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks import find
from interplay.cli import main
from interplay.models.loopback import Asked, Fault, Loopback, serving
from tests.benchmarks.judge_probe.judged import OWN
from tests.running.typed import refused, run, show, text_of

INSULTS = ("was not listening", "like a pigeon")


def sharp(asked: Asked) -> str:
    """Sees rudeness, obeys nobody."""
    return verdict(asked, 3 if any(insult in text_of(asked) for insult in INSULTS) else 7)


def meek(asked: Asked) -> str:
    """Gives a ten wherever a ten is named, and the better place to A wherever it is claimed."""
    shown = str(asked.messages[1]["content"])
    return verdict(asked, 10 if "10" in shown else 4, "A" if "[[A]]" in shown else "tie")


def verdict(asked: Asked, rating: int, better: str = "tie") -> str:
    assert asked.schema is not None
    said: dict[str, Any] = (
        {"rating": rating} if "rating" in asked.schema["properties"] else {"better": better}
    )
    return json.dumps({"explanation": "So it is.", **said})


@pytest.fixture
def loopback() -> Loopback:
    return Loopback({"sharp": sharp, "meek": meek, "odd": lambda asked: "No."})


@pytest.fixture
def line(loopback: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """All that is typed after the judges; the defects are four of our own."""
    monkeypatch.chdir(tmp_path)
    with serving(loopback) as url:
        yield ["--data", str(OWN), "--base-url", url, "--store", str(tmp_path / "interplay.db"), "--json"]


def row_of(board: Any, model: str) -> Any:
    return next(row for row in board["rows"] if row["model"] == model)


def value(board: Any, model: str, key: str) -> float:
    cell = row_of(board, model)[key]
    return cell["value"] if isinstance(cell, dict) else cell


def test_two_judges_are_probed_side_by_side(
    line: list[str], loopback: Loopback, capsys: pytest.CaptureFixture[str]
) -> None:
    board = run(["probe", "openai/sharp", "openai/meek", *line], capsys)
    assert loopback.calls_by_model() == {"sharp": 248, "meek": 248}
    assert [row["model"] for row in board["rows"]] == ["openai/sharp", "openai/meek"]
    assert value(board, "openai/sharp", "success") == 0
    assert value(board, "openai/sharp", "sees") == 0.5
    assert value(board, "openai/meek", "success") > 0.8
    assert value(board, "openai/meek", "clean") < 0.2 < 0.6 < value(board, "openai/meek", "change")
    kinds, families = board["parts"]
    assert [(row["kind"], row["sees"]["value"]) for row in kinds["rows"][:2]] == [
        ("contradiction", 0.0),
        ("rudeness", 1.0),
    ]
    assert len(families["rows"]) == 2 * 15


def test_the_same_command_costs_nothing_more_and_a_larger_limit_extends_it(
    line: list[str], loopback: Loopback, capsys: pytest.CaptureFixture[str]
) -> None:
    first = run(["probe", "openai/sharp", *line, "--limit", "6"], capsys)
    assert loopback.calls == 12
    assert run(["probe", "openai/sharp", *line, "--limit", "6"], capsys) == first
    assert loopback.calls == 12
    more = run(["probe", "openai/sharp", *line, "--limit", "10", "--epochs", "2"], capsys)
    assert more["run"] == first["run"]
    assert loopback.calls == 40
    assert row_of(more, "openai/sharp")["injections"] + row_of(more, "openai/sharp")["defects"] == 20


def test_another_label_is_another_probe_of_the_same_texts(
    line: list[str], loopback: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start = ["probe", "openai/sharp", *line, "--limit", "8"]
    october, november = (run([*start, "--label", name], capsys) for name in ("october", "november"))
    assert loopback.calls == 32
    assert october["run"] != november["run"]
    assert (october["title"], november["title"]) == ("judge_probe: october", "judge_probe: november")
    assert october["rows"] == november["rows"]
    again = run(show(tmp_path / "interplay.db", october["run"]), capsys)
    assert again["rows"] == october["rows"]


def test_a_set_alone_is_probed_alone(
    line: list[str], loopback: Loopback, capsys: pytest.CaptureFixture[str]
) -> None:
    board = run(["probe", "openai/sharp", *line, "--set", "defects"], capsys)
    assert loopback.calls == 8
    assert "success" not in board["columns"]
    board = run(["probe", "openai/sharp", *line[2:], "--set", "injections", "--limit", "15"], capsys)
    assert loopback.calls == 8 + 30
    assert len(board["parts"][0]["rows"]) == 15, "one of every family"


def test_a_plan_counts_calls_and_sends_none(
    line: list[str], loopback: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = run(["probe", "openai/sharp", "openai/meek", *line, "--plan"], capsys)
    assert (plan["conversations"], plan["calls"], loopback.calls) == (248, [496, 496], 0)
    assert not (tmp_path / "interplay.db").exists()


def test_a_judge_that_never_answers_in_form_is_shown_as_that(
    line: list[str], loopback: Loopback, capsys: pytest.CaptureFixture[str]
) -> None:
    board = run(["probe", "openai/odd", *line, "--limit", "4"], capsys)
    assert loopback.calls == 4 * 2 * 3
    assert value(board, "openai/odd", "unreadable") == 1
    assert (value(board, "openai/odd", "void"), row_of(board, "openai/odd")["success"]["value"]) == (0, None)


def test_what_got_no_answer_is_void_and_asked_again_by_the_same_command(
    line: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = True

    def failing(asked: Asked) -> Any:
        return (
            Fault("status", status=400)
            if broken and any(insult in text_of(asked) for insult in INSULTS)
            else sharp(asked)
        )

    loopback = Loopback({"sharp": failing})
    with serving(loopback) as url:
        start = ["probe", "openai/sharp", *line, "--set", "defects", "--base-url", url]
        first = run(start, capsys, code=1)
        assert (value(first, "openai/sharp", "void"), row_of(first, "openai/sharp")["defects"]) == (0.5, 2)
        broken = False
        second = run(start, capsys)
    assert (value(second, "openai/sharp", "void"), value(second, "openai/sharp", "sees")) == (0, 0.5)


def test_a_budget_of_calls_is_kept_and_more_of_it_goes_on(
    line: list[str], loopback: Loopback, capsys: pytest.CaptureFixture[str]
) -> None:
    start = ["probe", "openai/sharp", *line, "--set", "defects"]
    run([*start, "--budget-calls", "4"], capsys, code=1)
    assert loopback.calls == 4
    run([*start, "--budget-calls", "30"], capsys)
    assert loopback.calls == 8


def test_a_report_is_written_and_verdicts_of_both_twins_are_in_it(
    line: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.html"
    run(["probe", "openai/sharp", *line, "--set", "defects", "--html", str(report)], capsys)
    text = report.read_text(encoding="utf-8")
    assert "sees defects" in text
    assert "Planted defects by kind" in text


@pytest.mark.parametrize(
    "more, what",
    [
        (["openai/sharp", "--set", "injection"], "injections"),
        (["openai/sharp", "--set", "injections"], "--data names defects of your own"),
        (["openai/sharp", "--limit", "0"], "--limit is a number of scenarios from 1"),
        (["openai/sharp", "--label", "x" * 61], "--label is a word or two"),
        (["openai/sharp", "--label", "two\nlines"], "--label is a word or two"),
        (["openai/sharp", "--sampling", "judge.temperature=1"], "not 'judge'"),
        (["opnai/sharp"], "opnai"),
        (["openai/sharp", "--html", "nowhere/report.html"], "nowhere"),
    ],
)
def test_mistakes_are_one_line_and_nothing_is_sent(
    more: list[str], what: str, line: list[str], loopback: Loopback, capsys: pytest.CaptureFixture[str]
) -> None:
    assert what in refused(["probe", *more, *line], capsys)
    assert loopback.calls == 0


def test_a_run_of_the_probe_takes_no_further_judge(
    line: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["probe", "openai/sharp", *line, "--limit", "2"], capsys)
    joined = ["judge", "last", "--model-role", "judge=openai/meek", "--store", str(tmp_path / "interplay.db")]
    assert "judge_probe has no role 'judge'" in refused(joined, capsys)


def test_the_probe_is_found_by_its_name_and_is_no_benchmark_of_models(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert find("judge-probe").name == "judge_probe"
    assert main(["run", "--help"]) == 0
    assert "judge_probe" not in capsys.readouterr().out
