"""Drift of a judge: a second probe under another label says how far its ratings of the same clean texts moved."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from interplay.cli import main
from interplay.models.loopback import Asked, Loopback, serving


def rater(lift: dict[str, float]) -> Callable[[Asked], str]:
    """A judge whose rating of a text is its own, and wavers; later it is kinder by so many points."""
    noise = Random(5)

    def answer(asked: Asked) -> str:
        if "rating" not in (asked.schema or {})["properties"]:
            return json.dumps({"explanation": "Neither.", "better": "tie"})
        level = 4 + Random(str(asked.messages[-1]["content"])[-60:-20]).randrange(3)
        rating = round(level + lift["points"] + noise.choice((-0.6, 0.0, 0.6)))
        return json.dumps({"explanation": "So I read it.", "rating": min(10, max(1, rating))})

    return answer


@pytest.mark.parametrize("points, drifted", [(0.0, False), (1.0, True)])
def test_a_judge_that_became_kinder_is_found(
    points: float,
    drifted: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    lift = {"points": 0.0}
    with serving(Loopback({"judge": rater(lift)})) as url:
        typed = ["probe", "openai/judge", "--base-url", url, "--limit", "60", "--json"]
        assert main(typed) == 0
        assert "drift" not in json.loads(capsys.readouterr().out)
        lift["points"] = points
        assert main([*typed, "--label", "later"]) == 0
        (drift,) = json.loads(capsys.readouterr().out)["drift"]
        assert main([*typed[:-1], "--label", "later"]) == 0
    told = capsys.readouterr().out
    assert drift["judge"] == "openai/judge"
    assert drift["drifted"] is drifted
    assert abs(drift["shift"] - points) < 0.3
    assert drift["low"] <= drift["shift"] <= drift["high"]
    assert 50 <= drift["n"] <= 60
    assert ("has drifted since" in told) is drifted
    assert f"on {drift['n']} clean texts" in told
