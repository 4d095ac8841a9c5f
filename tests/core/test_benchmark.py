"""Options as they are typed and settled, roles that depend on them, and the ids of scenarios."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interplay.benchmarks import ALL, find
from interplay.core.benchmark import Benchmark, Option, Scenario
from interplay.core.failures import Mistake

ROLE_PLAY = find("role_play")
CHOICE = Option("version", "v2", "which", choices=("v1", "v2"))
NUMBER = Option("turns", "", "how many", number=(1, 100))
TEXT = Option("note", "none", "anything")


def test_an_option_takes_its_default_whatever_else_it_takes() -> None:
    for option in (CHOICE, NUMBER, TEXT, replace(NUMBER, default="many")):
        option.check(option.default)


def test_a_choice_is_one_of_those_there_are() -> None:
    CHOICE.check("v1")
    with pytest.raises(Mistake, match="there is no version 'v3'; did you mean 'v2'"):
        CHOICE.check("v3")


@given(st.integers(1, 100))
def test_a_number_within_its_bounds_is_taken(value: int) -> None:
    NUMBER.check(str(value))


@pytest.mark.parametrize("value", ["0", "101", "-1", "4.0", "four", " 4", "४", "1e1", "+4", "²"])
def test_what_is_no_number_within_the_bounds_is_a_mistake(value: str) -> None:
    with pytest.raises(Mistake, match="turns is a whole number from 1 to 100, not "):
        NUMBER.check(value)


def test_an_option_of_anything_takes_anything() -> None:
    TEXT.check("\0 anything at all")


def test_settled_options_are_all_there_with_what_was_given_over_the_defaults() -> None:
    settled = ROLE_PLAY.settle({"version": "v1"})

    assert settled.keys() == {option.name for option in ROLE_PLAY.options}
    assert settled["version"] == "v1"
    assert settled["language"] == "en"
    with pytest.raises(Mistake, match="role_play has no option 'lenguage'; did you mean 'language'"):
        ROLE_PLAY.settle({"lenguage": "en"})


def test_what_is_typed_is_read_once_and_only_where_an_option_is_a_path(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("as the record keeps it")
    read: list[str] = []

    def reader(path: str) -> str:
        read.append(path)
        return Path(path).read_text()

    options = (CHOICE, Option("notes", "", "a file", read=reader))
    benchmark = replace(ROLE_PLAY, options=options)
    typed = {"version": "v1", "notes": str(tmp_path / "notes")}

    assert benchmark.read(typed) == {"version": "v1", "notes": "as the record keeps it"}
    assert benchmark.read({"notes": ""}) == {"notes": ""}
    assert read == [str(tmp_path / "notes")]
    assert benchmark.read({"unknown": "x"}) == {"unknown": "x"}  # settle names it


def test_roles_follow_from_the_options_and_an_unknown_one_is_named_with_the_nearest() -> None:
    options = ROLE_PLAY.settle({})

    assert [role.name for role in ROLE_PLAY.subjects(options)] == ["player"]
    assert ROLE_PLAY.role("judge", options).kind == "judge"
    with pytest.raises(Mistake, match="role_play has no role 'jugde'; did you mean 'judge'"):
        ROLE_PLAY.role("jugde", options)


@pytest.mark.parametrize("benchmark", ALL, ids=lambda one: one.name)
def test_every_benchmark_holds_together_at_its_defaults(benchmark: Benchmark) -> None:
    found = find(benchmark.name)
    options = found.settle({})
    kinds = [role.kind for role in found.roles(options)]

    assert kinds.count("subject") == 1
    assert found.scenarios(options, None).scenarios
    assert found.spread(options) > 0
    for option in found.options:
        assert option.meaning
        assert not (option.of_judging and option.of_table)
    for preset in found.presets.values():
        names = {role.name for role in found.roles(options)}
        assert preset.roles(options).keys() <= names
        assert preset.meaning


def test_the_id_of_a_scenario_follows_its_content_and_nothing_else() -> None:
    one = Scenario({"a": 1, "b": [2]}, "label")

    assert one.id == Scenario({"b": [2], "a": 1}, "another label").id
    assert one.id != Scenario({"a": 1, "b": [3]}, "label").id
