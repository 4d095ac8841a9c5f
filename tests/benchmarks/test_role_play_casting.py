"""Who plays in role play and how each is sampled: the paper's cast, what is typed, and a model's own settings."""

from pathlib import Path
from typing import Any

import pytest

from interplay.core.failures import Mistake
from interplay.models.loopback import Asked
from interplay.running.spec import RunSpec, make_spec
from interplay.store.records import Records
from tests.benchmarks.stage import BENCHMARK
from tests.running.job import JUDGES, command
from tests.running.typed import overheard, provider, refused, run

Capsys = pytest.CaptureFixture[str]
SONNET = "anthropic/claude-3-5-sonnet-20240620"
MINI, GPT_4O = "openai/gpt-4o-mini", "openai/gpt-4o"


def paper(roles: dict[str, list[str]] | None = None, **options: str) -> RunSpec:
    return make_spec(BENCHMARK, models=["openai/a"], preset="paper", roles=roles, options=options)


def test_the_papers_cast_is_a_small_user_and_two_judges() -> None:
    assert paper().roles == {"interrogator": (MINI,), "judge": (SONNET, GPT_4O)}


def test_the_papers_cast_of_version_1_is_one_model_that_talks_and_judges() -> None:
    found = paper(version="v1")

    assert found.roles == {"interrogator": (SONNET,), "judge": (SONNET,)}
    cast = found.castings(BENCHMARK, dict(found.casts(BENCHMARK))["openai/a"])
    assert {role: one.model for role, one in cast.items()} == {"player": "openai/a", "interrogator": SONNET}
    assert cast["interrogator"].sampling.settings() == {"temperature": 0.1, "top_p": 0.9, "max_tokens": 4096}


def test_what_is_typed_goes_before_the_papers_cast() -> None:
    assert paper({"judge": ["openai/mine"]}).roles == {"interrogator": (MINI,), "judge": ("openai/mine",)}
    assert paper({"interrogator": ["openai/mine"]}).roles == {
        "interrogator": ("openai/mine",),
        "judge": (SONNET, GPT_4O),
    }
    assert paper({"interrogator": ["openai/mine"]}, version="v1").roles == {
        "interrogator": ("openai/mine",),
        "judge": ("openai/mine",),
    }
    assert paper({"judge": ["openai/mine"]}, version="v1").roles["interrogator"] == (SONNET,)


def test_a_preset_is_only_another_way_to_type_a_cast() -> None:
    typed = make_spec(
        BENCHMARK, models=["openai/a"], roles={"interrogator": [MINI], "judge": [SONNET, GPT_4O]}
    )

    assert paper().run_id == typed.run_id


def test_a_preset_that_is_not_there_is_a_mistake_with_the_nearest() -> None:
    with pytest.raises(Mistake, match="role_play has no preset 'papers'; did you mean 'paper'"):
        make_spec(BENCHMARK, models=["openai/a"], preset="papers")


def test_version_1_needs_nobody_but_a_user_and_version_2_a_judge_too() -> None:
    alone = {"interrogator": ["openai/u"]}
    assert make_spec(BENCHMARK, models=["openai/a"], roles=alone, options={"version": "v1"}).judges() == (
        "openai/u",
    )
    for options in ({}, {"rubric": "v1"}, {"version": "v1", "rubric": "v2"}):
        with pytest.raises(Mistake, match="role_play needs the role judge"):
            make_spec(BENCHMARK, models=["openai/a"], roles=alone, options=options)


# Sampling of a model's own.


def recorded(store: Path) -> dict[str, list[dict[str, Any]]]:
    """The sampling of every recorded request, by model."""
    found: dict[str, list[dict[str, Any]]] = {}
    with Records(store) as records:
        for model, settings in records.db.execute("SELECT model, settings FROM calls").fetchall():
            found.setdefault(model, []).append(records.settings(settings)["sampling"])
    return found


def test_sampling_of_a_model_reaches_its_requests_alone_and_marks_its_row(
    tmp_path: Path, capsys: Capsys
) -> None:
    store, seen = tmp_path / "interplay.db", list[Asked]()
    with provider(overheard(seen)) as (_, url):
        more = ("--sampling", "openai/a.v1.temperature=1.1", "--sampling", "openai/a.v1.frequency_penalty=0.5",
                "--sampling", "openai/judge-2.top_p=none")  # fmt: skip
        models = ("openai/a.v1", "openai/b")
        board = run(command(url, store, limit=2, models=models, more=more), capsys)
    usual = {"temperature": 0.6, "top_p": 0.9, "max_tokens": 1536}
    judge = {"temperature": 0.1, "top_p": 0.95, "max_tokens": 4096}
    assert recorded(store) == {
        "openai/a.v1": [{**usual, "temperature": 1.1, "frequency_penalty": 0.5}] * 8,
        "openai/b": [usual] * 8,
        "openai/user": [{"temperature": 0.8, "top_p": 0.95, "max_tokens": 1024}] * 16,
        "openai/judge-1": [judge] * 4,
        "openai/judge-2": [{key: value for key, value in judge.items() if key != "top_p"}] * 4,
    }
    sent = {
        asked.model: (asked.body.get("temperature"), asked.body.get("frequency_penalty")) for asked in seen
    }
    assert sent["a.v1"] == (1.1, 0.5)
    assert sent["b"] == (0.6, None)
    assert {row["model"]: row["sampling"] for row in board["rows"]} == {
        "openai/a.v1": "frequency_penalty 0.5, temperature 1.1",
        "openai/b": "",
    }
    assert "sampling" in board["columns"]


def test_sampling_of_a_role_marks_no_row(tmp_path: Path, capsys: Capsys) -> None:
    store = tmp_path / "interplay.db"
    with provider() as (_, url):
        more = ("--sampling", "player.temperature=0", "--sampling", "interrogator.max_tokens=99")
        board = run(command(url, store, limit=1, judges=JUDGES[:1], more=more), capsys)
    assert board["rows"][0]["sampling"] == ""
    assert "sampling" not in board["columns"]
    assert {one["temperature"] for one in recorded(store)["openai/player"]} == {0.0}
    assert {one["max_tokens"] for one in recorded(store)["openai/user"]} == {99}


def test_sampling_of_a_model_goes_before_that_of_its_role(tmp_path: Path, capsys: Capsys) -> None:
    store = tmp_path / "interplay.db"
    with provider() as (_, url):
        more = ("--sampling", "openai/a.temperature=1", "--sampling", "player.temperature=0", "--sampling",
                "player.max_tokens=50")  # fmt: skip
        run(command(url, store, limit=1, models=("openai/a", "openai/b"), more=more), capsys)
    assert {tuple(one.values()) for one in recorded(store)["openai/a"]} == {(1.0, 0.9, 50)}
    assert {tuple(one.values()) for one in recorded(store)["openai/b"]} == {(0.0, 0.9, 50)}


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        ("openai/plaier.temperature=1", "not 'openai/plaier'; did you mean 'openai/player'?"),
        ("plaier.temperature=1", "not 'plaier'; did you mean 'player'?"),
        (
            "openai/player.temprature=1",
            "there is no sampling setting 'temprature'; did you mean 'temperature'?",
        ),
        (
            "openai/player.temperature=11",
            "openai/player.temperature is a number from 0 to 10, or none; not 11.0",
        ),
        ("openai/player.temperature=warm", "'warm' is no number"),
        ("temperature=1", "--sampling is ROLE.KEY=VALUE or MODEL.KEY=VALUE"),
    ],
)
def test_a_slip_in_sampling_is_named_with_the_nearest(
    typed: str, complaint: str, tmp_path: Path, capsys: Capsys
) -> None:
    with provider() as (loopback, url):
        error = refused(command(url, tmp_path / "a.db", limit=1, more=("--sampling", typed)), capsys)
        assert loopback.calls == 0
    assert complaint in error
    assert list(tmp_path.iterdir()) == []


def test_a_models_own_sampling_is_part_of_what_a_run_is() -> None:
    def run_id(sampling: dict[str, dict[str, float]]) -> str:
        roles = {"interrogator": ["openai/u"], "judge": ["openai/j"]}
        return make_spec(BENCHMARK, models=["openai/a", "openai/b"], roles=roles, sampling=sampling).run_id

    ids = [
        run_id(one) for one in ({}, {"openai/a": {"temperature": 1.0}}, {"openai/b": {"temperature": 1.0}})
    ]
    assert len(set(ids)) == 3
    assert run_id({"openai/a": {}}) == ids[0]
