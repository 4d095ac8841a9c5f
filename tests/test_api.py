"""The way in for Python: names, functions as models, notebooks, frames."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import interplay
from interplay.api import setup
from interplay.core.failures import Mistake
from interplay.core.wire import Message
from interplay.models.loopback import Loopback, serving
from tests.running.job import answer

ROLES = {"interrogator": "openai/user", "judge": ["openai/judge-1", "openai/judge-2"]}


def parrot(messages: Sequence[Message]) -> str:
    return f"You said: {messages[-1].text}"


def curious(messages: Sequence[Message]) -> str:
    return json.dumps({"next_utterance": "And <b>then</b>?"})


def kind(messages: Sequence[Message]) -> str:
    turn = {"is_refusal_explanation": "no", "is_refusal": False}
    for name in ("in_character", "entertaining", "fluency"):
        turn |= {f"{name}_explanation": "'You said' fits, I agree", f"{name}_score": 4}
    return json.dumps({f"turn_{number}": turn for number in range(1, 3)})


def test_the_public_names_are_these() -> None:
    assert interplay.__all__ == ["Run", "load", "run"]
    assert all(callable(getattr(interplay, name)) for name in interplay.__all__)
    with pytest.raises(AttributeError, match="interplay has no 'runn'"):
        interplay.runn  # noqa: B018  # the point is that it fails


def test_a_run_over_http_is_the_command_line_s_run(tmp_path: Path) -> None:
    loopback = Loopback(answer)
    with serving(loopback) as url:
        how = setup(tmp_path / "interplay.db", base_url=url)
        done = interplay.run("pingpong", "openai/player", roles=ROLES, limit=2, how=how)
        calls = loopback.calls
        again = interplay.run("role_play", "openai/player", roles=ROLES, limit=2, how=how)
        assert loopback.calls == calls == 20
    assert again.id == done.id
    assert done.leaderboard() == interplay.load("last", tmp_path / "interplay.db").leaderboard()
    row = done.leaderboard().rows[0]
    assert (row["model"], row["n"]) == ("openai/player", 2)
    assert f"{done.id} in " in str(done)
    assert "openai/player: ln_score" in str(done)


def test_functions_play_every_role_and_their_words_stay_text(tmp_path: Path) -> None:
    how = setup(tmp_path / "interplay.db")
    done = interplay.run(
        "role_play", parrot, roles={"interrogator": curious, "judge": kind}, limit=3, turns=2, how=how
    )
    talks = done.conversations()
    assert len(talks) == 3
    assert talks[0]["outcome"]["turns"][0] == {
        "player": "You said: And <b>then</b>?",
        "user": "And <b>then</b>?",
    }
    assert talks[0]["verdicts"]["python/kind"]["turns"][0]["fluency_score"] == 4
    row = done.leaderboard().rows[0]
    assert row["aggregate"].value == 4.0
    assert row["cost"] == 0.0
    done.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "And &lt;b&gt;then&lt;/b&gt;?" in page
    assert "<b>then" not in page


async def test_it_works_where_a_loop_is_running_as_in_a_notebook(tmp_path: Path) -> None:
    roles = {"interrogator": curious, "judge": kind}
    done = interplay.run("role_play", parrot, roles=roles, limit=1, turns=2, how=setup(tmp_path / "i.db"))
    shown = done._repr_html_()
    assert "<table>" in shown
    assert "python/parrot" in shown


def test_the_frame_has_a_row_for_every_score(tmp_path: Path) -> None:
    roles = {"interrogator": curious, "judge": kind}
    done = interplay.run("role_play", parrot, roles=roles, limit=2, turns=2, how=setup(tmp_path / "i.db"))
    frame = done.frame()
    assert len(frame) == 2 * (1 + 1 + 3)  # length, refused, three criteria
    assert set(frame["score"]) == {"length", "refused", "in_character", "entertaining", "fluency"}
    assert frame[frame["score"] == "fluency"]["value"].tolist() == [4.0, 4.0]


def test_two_models_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="two models are called python/"):
        interplay.run("role_play", [lambda _: "a", lambda _: "b"], roles=ROLES, how=setup(tmp_path / "i.db"))
    with pytest.raises(Mistake, match="not 7"):
        interplay.run("role_play", 7, roles=ROLES, how=setup(tmp_path / "i.db"))  # type: ignore[arg-type]
    assert not (tmp_path / "i.db").exists()
