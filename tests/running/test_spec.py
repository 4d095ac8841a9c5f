"""What a run is: which changes make it another, which do not, and which are mistakes."""

from dataclasses import replace
from pathlib import Path
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
    assert (made.table, made.options) == ({"length_median": "100"}, {})


def test_an_option_at_its_default_is_not_mentioned() -> None:
    assert spec(options={"language": "en", "turns": "", "explanation": "600"}).options == {}
    changed = spec(options={"language": "ru", "turns": "2"})
    assert changed.options == {"language": "ru", "turns": "2"}
    assert changed.settled(role_play)["explanation"] == "600"


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
    cast = made.castings(role_play, dict(made.casts(role_play))["openai/a"])
    assert {role: casting.model for role, casting in cast.items()} == {
        "player": "openai/a",
        "interrogator": "openai/u",
    }
    assert cast["player"].sampling == Sampling(0.0, 0.9, 1536)
    assert cast["interrogator"].sampling == Sampling(0.8, 0.95, 1024)
    judge = made.judge_casting(role_play, "openai/k", made.settled(role_play))
    assert (judge.model, judge.kind, judge.sampling) == ("openai/k", "judge", Sampling(0.1, 0.95, 4096))


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"roles": {**ROLES, "player": ["openai/x"]}}, "player is the role that is measured; .* --model"),
        ({"roles": {**ROLES, "juge": ["openai/x"]}}, "no role 'juge'; did you mean 'judge'"),
        ({"models": []}, "no model to measure"),
        ({"roles": {"judge": ["openai/j"]}}, "needs the role interrogator .*--model-role interrogator=NAME"),
        ({"roles": {"interrogator": ["openai/u"]}}, "needs the role judge"),
        ({"roles": {**ROLES, "judge": []}}, "needs the role judge"),
        ({"roles": None}, "needs the role interrogator"),
        ({"roles": {**ROLES, "interrogator": ["openai/u", "openai/v"]}}, "played by one model, not 2"),
        ({"limit": 0}, "--limit is a number of scenarios from 1, not 0"),
        ({"limit": -1}, "--limit"),
        ({"epochs": 0}, "--epochs is a number of repeats from 1 to 10,000, not 0"),
        ({"sampling": {"playr": {"temperature": 0}}}, "not 'playr'; did you mean 'player'"),
        ({"sampling": {"openai/c": {"temperature": 0}}}, "not 'openai/c'; did you mean 'openai/"),
        (
            {"sampling": {"player": {"temperature": 11}}},
            "player.temperature is a number from 0 to 10, or none",
        ),
        ({"sampling": {"openai/a": {"top_p": 1.1}}}, "openai/a.top_p is a number from 0 to 1, or none"),
        ({"sampling": {"player": {"max_tokens": 0}}}, "max_tokens is a number from 1 to 10,000,000"),
        ({"sampling_of": lambda name: {"top_k": 3}}, "no sampling setting 'top_k'"),
        ({"preset": "papr"}, "no preset 'papr'; did you mean 'paper'"),
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
    assert (made.limit, made.options, made.sampling) == (None, {}, {})


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


# Sampling of models


def test_a_model_s_own_sampling_goes_before_its_role_s() -> None:
    made = spec(
        sampling={"player": {"temperature": 0.0, "max_tokens": 10}, "openai/a": {"temperature": 1.5}},
        sampling_of=lambda name: {"top_p": 0.5, "temperature": 9.0} if name == "openai/a" else {},
    )
    assert made.castings(role_play, dict(made.casts(role_play))["openai/a"])["player"].sampling == Sampling(
        1.5, 0.5, 10
    )
    assert made.castings(role_play, dict(made.casts(role_play))["openai/b"])["player"].sampling == Sampling(
        0.0, 0.9, 10
    )


def test_what_an_entry_says_of_sampling_is_what_a_run_is() -> None:
    changed = {"openai/j": {"temperature": 0.3}}
    by_entry = spec(sampling_of=lambda name: changed.get(name, {}))
    assert by_entry.run_id == spec(sampling=changed).run_id != spec().run_id
    assert spec(sampling_of=lambda name: {}).run_id == spec().run_id
    judge = by_entry.judge_casting(role_play, "openai/j", by_entry.settled(role_play))
    assert judge.sampling.temperature == 0.3


def test_an_entry_of_a_model_that_takes_no_part_changes_nothing() -> None:
    made = spec(sampling_of=lambda name: {"temperature": 1.0} if name == "openai/z" else {})
    assert made.run_id == spec().run_id


# Presets, and roles that stand in for others


def test_a_preset_casts_the_roles_and_what_is_typed_goes_before_it() -> None:
    paper = make_spec(role_play, models=["openai/a"], preset="paper")
    sonnet = "anthropic/claude-3-5-sonnet-20240620"
    assert paper.roles == {"interrogator": ("openai/gpt-4o-mini",), "judge": (sonnet, "openai/gpt-4o")}
    typed = make_spec(role_play, models=["openai/a"], preset="paper", roles={"judge": ["openai/j"]})
    assert typed.roles == {**paper.roles, "judge": ("openai/j",)}
    by_hand = make_spec(role_play, models=["openai/a"], roles={r: list(n) for r, n in paper.roles.items()})
    assert by_hand.run_id == paper.run_id


def test_under_version_1_the_user_judges_unless_a_judge_is_named() -> None:
    alone = make_spec(
        role_play, models=["openai/a"], roles={"interrogator": ["openai/u"]}, options={"version": "v1"}
    )
    assert alone.judges() == ("openai/u",)
    named = spec(options={"version": "v1"})
    assert named.judges() == ("openai/j", "openai/k")
    paper = make_spec(role_play, models=["openai/a"], preset="paper", options={"version": "v1"})
    assert paper.judges() == paper.roles["interrogator"]


def test_another_rubric_under_version_1_needs_a_judge_of_its_own() -> None:
    with pytest.raises(Mistake, match="needs the role judge"):
        make_spec(
            role_play,
            models=["openai/a"],
            roles={"interrogator": ["openai/u"]},
            options={"version": "v1", "rubric": "v2"},
        )


# Data of one's own


CARDS = """
[[characters]]
name = "Ada"
summary = "A counter of things."
persona = "You count."
initial_message = "Hello"
[[situations]]
text = "Ask for a number."
turns = 2
"""


def test_other_data_is_another_run_and_its_remarks_are_kept_apart(tmp_path: Path) -> None:
    path = tmp_path / "cards.toml"
    path.write_text(CARDS)
    made = spec(data=path)
    assert len(made.material.scenarios) == 1
    assert "did you mean 'greeting'" in made.material.remarks[0]
    assert made.run_id != spec().run_id
    moved = path.rename(tmp_path / "moved.toml")
    assert spec(data=moved).run_id == made.run_id  # what it says counts, not where it is
    moved.write_text(CARDS.replace("turns = 2", "turns = 3"))
    assert spec(data=moved).run_id != made.run_id


def test_several_subjects_sit_down_together_in_every_choice_of_the_models() -> None:
    game = find("word_guessing")
    made = make_spec(
        game,
        models=["openai/c", "openai/a", "openai/b"],
        options={"experiment": "table", "split": "1-1"},
        sampling={"openai/a": {"temperature": 0.0}, "player": {"max_tokens": 50}},
    )
    assert dict(made.casts(game)) == {
        "openai/a + openai/b": {"player_a": "openai/a", "player_b": "openai/b"},
        "openai/a + openai/c": {"player_a": "openai/a", "player_b": "openai/c"},
        "openai/b + openai/c": {"player_a": "openai/b", "player_b": "openai/c"},
    }
    castings = made.castings(game, dict(made.casts(game))["openai/a + openai/c"])
    assert castings["player_a"].sampling == Sampling(0.0, 0.95, 50)
    assert castings["player_b"].sampling == Sampling(0.7, 0.95, 50)
    assert {casting.kind for casting in castings.values()} == {"subject"}


def test_too_few_models_for_a_table_are_a_mistake() -> None:
    with pytest.raises(Mistake, match="4 different models sit down together here, and 2 are named"):
        make_spec(
            find("word_guessing"),
            models=["openai/a", "openai/b", "openai/a"],
            options={"experiment": "four"},
        )


def test_a_benchmark_says_how_often_a_scenario_is_played_unless_the_user_does() -> None:
    game, roles = find("word_guessing"), {"opponent": ["openai/o"]}
    assert make_spec(game, models=["openai/a"], roles=roles).epochs == 3
    assert make_spec(game, models=["openai/a"], roles=roles, epochs=1).epochs == 1
    assert make_spec(game).epochs == 1  # a tryout
    assert spec().epochs == 1
