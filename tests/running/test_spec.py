"""What a run is: which changes make it another, which do not, and which are mistakes."""

from dataclasses import replace
from typing import Any

import pytest

from interplay.benchmarks import find
from interplay.core.failures import Mistake
from interplay.core.wire import Sampling, canonical
from interplay.running.spec import EMBEDDED, RunSpec, make_spec, spec_of

role_play = find("role_play")
ROLES = {"interrogator": ["openai/u"], "judge": ["openai/j", "openai/k"]}


def spec(**changes: Any) -> RunSpec:
    return make_spec(role_play, **{"models": ["openai/a", "openai/b"], "roles": ROLES, **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {"limit": 3},
        {"epochs": 4},
        {"options": {"length_median": "100"}},
        {"options": {"language": "en"}},
        {"models": ["openai/b", "openai/a"]},
        {"models": ["openai/b", "openai/a", "openai/b"]},
        {"roles": {"judge": ["openai/k", "openai/j"], "interrogator": ["openai/u"]}},
        {"roles": {**ROLES, "judge": ["openai/k", "openai/j", "openai/k"]}},
    ],
)
def test_how_far_and_in_what_order_is_not_what_a_run_is(changes: dict[str, Any]) -> None:
    assert spec(**changes).run_id == spec().run_id


@pytest.mark.parametrize(
    "changes",
    [
        {"models": ["openai/a"]},
        {"models": ["openai/a", "openai/c"]},
        {"roles": {**ROLES, "interrogator": ["openai/v"]}},
        {"roles": {**ROLES, "judge": ["openai/j"]}},
        {"options": {"explanation": "100"}},
        {"sampling": {"player": {"temperature": 0.0}}},
        {"sampling": {"judge": {"temperature": None}}},
        {"seed": 1},
    ],
)
def test_what_is_measured_and_by_whom_is_what_a_run_is(changes: dict[str, Any]) -> None:
    assert spec(**changes).run_id != spec().run_id


def test_a_run_is_named_after_its_benchmark() -> None:
    assert spec().run_id.startswith("role_play-")
    assert len(spec().run_id) == len("role_play-") + 8


def test_table_options_stand_apart() -> None:
    made = spec(options={"length_median": "100"})
    assert made.table == {"length_median": "100"}
    assert made.options == {one.name: one.default for one in role_play.options if not one.of_table}


def test_a_spec_comes_back_from_the_record() -> None:
    made = spec(limit=3, epochs=2, seed=5, sampling={"player": {"temperature": 0.0, "top_p": None}})
    extent = {"limit": 3, "epochs": 2, "judges": ["openai/j", "openai/k", "openai/late"]}
    back = spec_of(made.identity(), extent)
    assert back.judges() == ("openai/j", "openai/k", "openai/late")
    roles = {**back.roles, "judge": ("openai/j", "openai/k")}
    assert replace(back, roles=roles).run_id == made.run_id
    assert (back.limit, back.epochs, back.seed) == (3, 2, 5)
    assert canonical(back.sampling) == canonical(made.sampling)


def test_a_cast_has_everyone_but_the_judges() -> None:
    made = spec(sampling={"player": {"temperature": 0.0}})
    cast = made.cast(role_play, "openai/a")
    assert {role: casting.model for role, casting in cast.items()} == {
        "player": "openai/a",
        "interrogator": "openai/u",
    }
    assert cast["player"].sampling == Sampling(0.0, 0.9, 1536)
    assert cast["interrogator"].sampling == Sampling(0.8, 0.95, 1024)
    assert made.judge_casting(role_play, "openai/k").model == "openai/k"
    assert made.judge_casting(role_play, "openai/k").kind == "judge"


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"roles": {**ROLES, "player": ["openai/x"]}}, "player is the role that is measured; .* --model"),
        ({"roles": {**ROLES, "juge": ["openai/x"]}}, "no role 'juge'; did you mean 'judge'"),
        ({"models": []}, "no model to measure"),
        ({"roles": {"judge": ["openai/j"]}}, "needs a interrogator .*--model-role interrogator=NAME"),
        ({"roles": {"interrogator": ["openai/u"]}}, "needs a judge"),
        ({"roles": {**ROLES, "judge": []}}, "needs a judge"),
        ({"roles": None}, "needs a interrogator"),
        ({"roles": {**ROLES, "interrogator": ["openai/u", "openai/v"]}}, "played by one model, not 2"),
        ({"limit": 0}, "--limit is a number of scenarios from 1, not 0"),
        ({"limit": -1}, "--limit"),
        ({"epochs": 0}, "--epochs is a number of repeats from 1, not 0"),
        ({"sampling": {"playr": {"temperature": 0}}}, "no role 'playr'; did you mean 'player'"),
        ({"sampling": {"player": {"temprature": 0}}}, "did you mean 'temperature'"),
        ({"options": {"langage": "en"}}, "no option 'langage'; did you mean 'language'"),
        ({"options": {"language": "eng"}}, "no language 'eng'; did you mean 'en'"),
    ],
)
def test_every_mistake_in_a_spec_is_named(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(Mistake, match=words) as raised:
        spec(**changes)
    assert "\n" not in str(raised.value)


def test_without_any_model_it_is_a_tryout_with_the_embedded_one() -> None:
    made = make_spec(role_play)
    assert made.models == (EMBEDDED,)
    assert made.roles == {"interrogator": (EMBEDDED,), "judge": (EMBEDDED,)}
    assert made.limit == role_play.tryout.limit
    assert made.options["explanation"] == role_play.tryout.options["explanation"]
    assert made.sampling == role_play.tryout.sampling


def test_a_tryout_can_be_changed() -> None:
    made = make_spec(
        role_play, limit=2, options={"explanation": "50"}, sampling={"judge": {"temperature": 0}}
    )
    assert (made.limit, made.options["explanation"]) == (2, "50")
    assert made.sampling["judge"] == {"temperature": 0}
    assert made.sampling["player"] == role_play.tryout.sampling["player"]


def test_with_models_named_nothing_of_the_tryout_is_left() -> None:
    made = spec()
    assert (made.limit, made.options["explanation"], made.sampling) == (None, "600", {})


def test_a_changed_setting_of_a_tryout_keeps_the_others() -> None:
    made = make_spec(role_play, sampling={"player": {"temperature": 0.0}})
    assert made.sampling["player"] == {"temperature": 0.0, "max_tokens": 48}


@pytest.mark.parametrize("value", ["abc", "-3", "nan"])
def test_a_table_option_is_checked_before_the_run(value: str) -> None:
    with pytest.raises(Mistake):
        spec(options={"length_median": value})


@pytest.mark.parametrize(
    "change", [{"temperature": float("nan")}, {"top_p": float("inf")}, {"max_tokens": -1}]
)
def test_a_sampling_value_without_sense_is_a_mistake(change: dict[str, float]) -> None:
    with pytest.raises(Mistake):
        spec(sampling={"player": change})
