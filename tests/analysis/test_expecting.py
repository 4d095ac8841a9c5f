"""Expectations of runs: which end is looked at, what counts as unscored, and what a failure says."""

import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import interplay
from interplay.analysis.expecting import Expectation
from interplay.api import Run
from interplay.cli import main
from interplay.core.board import Estimate
from interplay.core.failures import Mistake
from interplay.core.wire import Message
from interplay.reporting.cells import within
from interplay.running.budget import Limits
from interplay.running.how import How

MANY = 14


def parrot(messages: Sequence[Message]) -> str:
    return f"You said: {messages[-1].text}"


def echo(messages: Sequence[Message]) -> str:
    return messages[-1].text * 2


def curious(messages: Sequence[Message]) -> str:
    return json.dumps({"next_utterance": "And then?"})


def stern(messages: Sequence[Message]) -> str:
    """Likes the parrot better than the echo."""
    return verdict(5 if "You said" in messages[-1].text else 2)


def touchy(messages: Sequence[Message]) -> str:
    """Takes whatever was said for a refusal."""
    return verdict(3, refused=True)


def mute(messages: Sequence[Message]) -> str:
    return "I would rather not say."


def verdict(score: int, *, refused: bool = False) -> str:
    turn: dict[str, Any] = {"is_refusal_explanation": "so", "is_refusal": refused}
    for name in ("in_character", "entertaining", "fluency"):
        turn |= {f"{name}_explanation": "It is so.", f"{name}_score": score}
    return json.dumps({"turn_1": turn})


class Moody:
    """Gives 5 and 4 in turn, but says nothing in form of the first conversations that it sees."""

    def __init__(self, silent: int) -> None:
        self.silent, self.seen = silent, dict[str, None]()

    def __call__(self, messages: Sequence[Message]) -> str:
        self.seen.setdefault(messages[1].text)
        place = list(self.seen).index(messages[1].text)
        return "Hm." if place < self.silent else verdict(5 - place % 2)


@pytest.fixture(scope="module")
def how(tmp_path_factory: pytest.TempPathFactory) -> How:
    return interplay.setup(tmp_path_factory.mktemp("a folder") / "runs.db")


@pytest.fixture(scope="module")
def by_rule(how: How) -> Run:
    """A few dialogues of a system that mishears, without a judge."""
    return interplay.run(
        "task_dialogue", system="rules", simulator="agenda", slot_error=5, limit=MANY, how=how
    )


@pytest.fixture(scope="module")
def two(how: How) -> Run:
    roles = {"interrogator": curious, "judge": stern}
    return interplay.run("role_play", [parrot, echo], roles=roles, limit=6, turns=1, null=True, how=how)


@pytest.fixture(scope="module")
def success(by_rule: Run) -> Expectation:
    return by_rule.expect("success")


def cell(run: Run, name: str) -> Estimate:
    found = run.leaderboard().rows[0][name]
    assert isinstance(found, Estimate) and found.low is not None and found.high is not None
    return found


def told(expectation: Any, *bound: float, **named: float) -> str:
    with pytest.raises(AssertionError) as raised:
        expectation.at_least(*bound, **named)
    return str(raised.value)


# Which number is looked at


def test_at_least_looks_at_the_lower_end_and_at_most_at_the_upper(by_rule: Run, success: Expectation) -> None:
    found = cell(by_rule, "success")
    assert (success.value, success.n, success.estimate) == (found.value, MANY, found)
    assert found.low is not None and found.value is not None and found.high is not None
    assert 0 < found.low < found.value < found.high < 1
    assert success.at_least(found.low) == success.at_most(found.high) == found
    with pytest.raises(AssertionError, match="begins below"):
        success.at_least(found.low + 1e-9)
    with pytest.raises(AssertionError, match="ends above"):
        success.at_most(found.high - 1e-9)


def test_a_column_without_a_measure_of_its_own_will_do(two: Run) -> None:
    found = {row["model"]: row["ln_score"] for row in two.leaderboard().rows}
    name = f"python/{parrot.__name__}"
    assert two.expect("ln_score").of(name).estimate == found[name]
    with pytest.raises(AssertionError) as raised:
        two.expect("ln_score").of("python/echo").at_least(3)
    assert "worst conversations" not in str(raised.value)  # they have no such score one by one
    assert f"look at it: interplay list {two.id} --store" in str(raised.value)


def test_a_measure_that_is_no_column_will_do(two: Run) -> None:
    found = two.expect("final").of("python/parrot")
    assert (found.value, found.n) == (5.0, 6)
    assert two.expect("final").of("python/echo").value == 2.0


def test_of_several_models_one_must_be_named_and_the_null_model_is_not_meant(two: Run, how: How) -> None:
    with pytest.raises(
        Mistake, match=r"measures 2 models; say which one: \.of\('python/echo'\), \.of\('python/par"
    ):
        two.expect("final").at_least(1)
    with pytest.raises(Mistake, match="does not measure 'python/parot'; did you mean 'python/parrot'"):
        two.expect("final").of("python/parot")
    assert two.expect("final").of("null/constant").n == 6
    roles = {"interrogator": curious, "judge": stern}
    one = interplay.run("role_play", parrot, roles=roles, limit=6, turns=1, null=True, how=how)
    assert one.expect("final").value == 5.0


def test_of_a_function_the_edition_of_its_code_need_not_be_named(two: Run) -> None:
    final = two.expect("final")
    found = {f"{name}@1a2b3c4d": one for name, one in final.found.items()}
    assert replace(final, found=found).of("python/echo").value == 2.0
    both = {**found, "python/echo@9f9f9f9f": found["python/echo@1a2b3c4d"]}
    with pytest.raises(Mistake, match="does not measure 'python/echo'; did you mean 'python/echo@"):
        replace(final, found=both).of("python/echo")


def test_the_interval_is_the_one_that_the_board_shows_which_ends_with_its_scale(how: How) -> None:
    roles = {"interrogator": curious, "judge": Moody(silent=0)}
    run = interplay.run("role_play", parrot, roles=roles, limit=4, turns=1, how=how)
    board = run.leaderboard()
    column = next(column for column in board.columns if column.key == "aggregate")
    whole = cell(run, "aggregate")
    assert whole.high is not None and whole.high > 5
    for name in ("aggregate", "final"):
        found = run.expect(name).at_most(5)
        assert (found.high, found.value) == (5, 4.5)
        assert found.low == pytest.approx(within(column, whole.low or 0.0))


def test_equal_values_of_no_share_show_nothing_however_many_they_are(two: Run) -> None:
    final = two.expect("final").of("python/parrot")
    said = told(final, 4.0)
    assert "estimate 5.000; all 6 values are equal: no spread to see, and so no interval" in said
    assert "more scenarios may differ; a share of yes or no has an interval even where all are equal" in said
    with pytest.raises(AssertionError, match="all 6 values are equal"):
        final.at_most(5.0)
    with pytest.raises(AssertionError, match="all 6 values are equal"):
        two.expect("aggregate").of("python/parrot").at_least(4.0)
    refused = two.expect("refused").of("python/parrot")
    assert refused.value == 0.0
    assert refused.at_most(0.95).high > 0.2  # which is a share


# What it says


def test_a_failure_says_what_was_found_and_where_to_look(
    by_rule: Run, success: Expectation, capsys: pytest.CaptureFixture[str]
) -> None:
    found = cell(by_rule, "success")
    lines = told(success, 0.95).splitlines()
    assert lines[0] == f"success of rule/baseline should be at least 0.95 (run {by_rule.id})"
    ends = f"{found.low:.3f} to {found.high:.3f}"
    assert (
        lines[1] == f"  estimate {found.value:.3f}, n = {MANY}; the 95% interval, {ends}, begins below 0.95"
    )
    assert (
        lines[2]
        == f"  {MANY} scenarios cannot show it, even if every one of them went well: at least 76 are needed"
    )
    assert lines[3].startswith("  worst conversations: ")
    listed = [int(one.split()[0]) for one in lines[3].partition(": ")[2].partition(" and")[0].split(", ")]
    failed = [
        talk["number"]
        for talk, value in zip(by_rule.conversations(), _values(by_rule, "success"), strict=True)
        if value == 0
    ]
    assert listed == sorted(failed)[:5]
    command = shlex.split(lines[4].partition(": ")[2])
    assert main(command[1:]) == 0
    assert capsys.readouterr().out.startswith(f"Conversation {listed[0]}: ")


def _values(run: Run, name: str) -> list[float]:
    frame = run.frame()
    mine = frame[frame["score"] == name].set_index("conversation")["value"]
    return [float(mine[talk["number"]]) for talk in run.conversations()]


def test_where_the_estimate_is_high_enough_it_says_how_many_would_show_it(success: Expectation) -> None:
    found = success.estimate
    assert found.value is not None and found.low is not None
    bound = (found.low + found.value) / 2
    assert "the estimate is on the right side: if it is true, " in told(success, bound)
    assert "right side" not in told(success, min(found.value + 0.05, 1.0))


def test_a_bound_beyond_the_scale_or_a_name_of_nothing_is_a_mistake(
    by_rule: Run, success: Expectation
) -> None:
    for bound in (80, -0.1, float("nan")):
        with pytest.raises(Mistake, match="success lies between 0 and 1, and so does what it is held to"):
            success.at_least(bound)
    with pytest.raises(Mistake, match="unscored is a share from 0 to 1, not 10"):
        success.at_least(0.5, unscored=10)
    with pytest.raises(Mistake, match="task_dialogue has no measure 'sucess'; did you mean 'success'"):
        by_rule.expect("sucess")
    with pytest.raises(Mistake, match="has no measure 'cost'"):  # it has no interval
        by_rule.expect("cost")


# What has no score


def test_conversations_without_a_verdict_are_not_left_out_in_silence(how: How) -> None:
    roles = {"interrogator": curious, "judge": Moody(silent=2)}
    run = interplay.run("role_play", parrot, roles=roles, limit=8, turns=1, how=how)
    said = told(run.expect("final"), 1.0)
    assert "unscored: 2 of 8 (25%, more than the 10% that may be): 2 without a verdict" in said
    assert "the 95% interval" not in said  # which is where it should be
    assert run.expect("final").at_least(1.0, unscored=0.25).n == 6
    with pytest.raises(AssertionError, match="unscored: 2 of 8"):
        run.expect("ln_score").at_least(1.0)


@pytest.mark.parametrize(
    ("other", "reason"),
    [(mute, "6 without a verdict of every judge"), (touchy, "6 without such a score of every judge")],
)
def test_a_panel_that_lost_a_judge_has_not_given_its_score(
    how: How, other: Callable[[Sequence[Message]], str], reason: str
) -> None:
    roles = {"interrogator": curious, "judge": [Moody(silent=0), other]}
    run = interplay.run("role_play", parrot, roles=roles, limit=6, turns=1, how=how)
    assert run.expect("final").n == 6
    assert f"unscored: 6 of 6 (100%, more than the 10% that may be): {reason}" in told(run.expect("final"), 1)
    assert run.expect("final").at_least(1, unscored=1.0).value == 4.5
    if other is mute:
        assert "of every judge" in told(run.expect("ln_score"), 1)


def test_what_a_budget_left_unplayed_counts_as_unscored(how: How, tmp_path: Path) -> None:
    few = replace(how, store=tmp_path / "few.db", limits=Limits(calls=9), max_connections=1)
    roles = {"interrogator": curious, "judge": stern}
    run = interplay.run("role_play", parrot, roles=roles, limit=8, turns=1, how=few)
    said = told(run.expect("final"), 1.0)
    assert "unscored: 5 of 8 (62%, more than the 10% that may be): " in said
    assert "5 not played" in said
    assert run.expect("final").n == 3


def test_what_cannot_be_told_of_a_run_is_no_success(by_rule: Run) -> None:
    completed = by_rule.expect("completed")
    said = told(completed, 0.5)
    assert "there is nothing to estimate it from" in said
    assert (
        f"unscored: {MANY} of {MANY} (100%, more than the 10% that may be): {MANY} without a verdict" in said
    )
    assert "there is nothing to estimate it from" in told(completed, 0.5, unscored=1.0)
