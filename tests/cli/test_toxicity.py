"""interplay toxicity as it is typed: the word list, an endpoint that fails now and then, keys, mistakes."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from interplay.cli import main
from interplay.cli.toxicity import Progress
from tests.benchmarks.perspective import Endpoint, error, fine, scores, serving_scores
from tests.cli.duelists import write_scripts
from tests.running.typed import refused, run

KEY = "AIza-planted-canary-0123456789"
LINE = ["toxicity", "simulation"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("PERSPECTIVE_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def means(found: Any, of: str) -> dict[str, float | None]:
    return {level["attribute"]: level["mean"]["value"] for level in found[of]["levels"]}


def test_the_word_list_finds_nothing_in_what_ships(capsys: pytest.CaptureFixture[str]) -> None:
    found = run([*LINE, "--json"], capsys)
    assert (found["scorer"], found["measures"]) == ("local word list", ["insult", "profanity"])
    assert found["notes"][0].startswith("0 of ")
    for of in ("tasks", "scripts"):
        assert found[of]["scored"] == found[of]["texts"] > 100
        assert means(found, of) == {
            **dict.fromkeys(("toxicity", "severe_toxicity", "identity_attack", "threat")),
            **{"insult": 0.0, "profanity": 0.0},
        }


def test_in_words_what_is_not_measured_is_said_and_never_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(LINE) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = [line.split() for line in out.splitlines()]
    assert ["tasks", "toxicity", "not", "measured"] in lines
    assert ["scripts", "threat", "not", "measured"] in lines
    assert ["tasks", "insult", "0.0000", "0.0000", "118", "0"] in lines
    assert "sees words and not what is meant" in out


def test_an_endpoint_scores_a_file_and_failures_stand_apart(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERSPECTIVE_API_KEY", KEY)

    def answer(text: str, number: int) -> web.Response:
        if text.endswith("3"):
            return error(500, f"we do not like {KEY}", **{"Retry-After": "0"})
        if text.endswith("5"):
            return web.json_response(scores(THREAT=0.95))
        return (
            error(429, **{"Retry-After": "0"}) if text.endswith("7") and number == 1 else fine(text, number)
        )

    endpoint = Endpoint(answer)
    with serving_scores(endpoint) as url:
        line = [*LINE, "--data", str(write_scripts(folder)), "--scorer", url, "--per-second", "1000"]
        found = run([*line, "--json"], capsys, code=1)
        assert main(line) == 1
    out, err = capsys.readouterr()
    assert "tasks" not in found
    assert {key: found["scripts"][key] for key in ("texts", "scored", "failures")} == {
        "texts": 9,
        "scored": 8,
        "failures": {"server": 1},
    }
    threat = found["scripts"]["levels"][-1]
    assert threat["mean"]["value"] == pytest.approx((7 * 0.6 + 0.95) / 8)
    assert (threat["highest"], threat["where"]) == (0.95, "Machine 0, turn 2 (SubseqChan)")
    assert "1 of 9 scripts got no score and are in no mean: server 1." in out
    assert {headers["X-Goog-Api-Key"] for headers in endpoint.headers} == {KEY}
    assert KEY not in json.dumps(found) + out + err


def test_a_key_of_the_env_file_is_taken(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / ".env").write_text(f"PERSPECTIVE_API_KEY={KEY}\n")
    endpoint = Endpoint(lambda text, number: error(403, f"{KEY} may not"))
    with serving_scores(endpoint) as url:
        said = refused([*LINE, "--scorer", url], capsys)
    assert endpoint.headers[0]["X-Goog-Api-Key"] == KEY
    assert KEY not in said
    assert "PERSPECTIVE_API_KEY" in said


@pytest.mark.parametrize(
    "more, what",
    [
        (["--scorer", "perspective"], "needs a key in the environment variable PERSPECTIVE_API_KEY"),
        (["--scorer", "locale"], "did you mean 'local'?"),
        (["--scorer", "ftp://x"], "is no base URL"),
        (["--scorer", "http://me:secret@127.0.0.1"], "holds a user or password"),
        (["--scorer", "http://127.0.0.1:9"], "nothing answers at 127.0.0.1:9"),
        (["--data", "nowhere.jsonl"], "nowhere.jsonl cannot be read"),
        (["--data", "tasks.csv"], "tasks are read from a .toml or a .jsonl file"),
        (["--per-second", "0"], "0.0 is not in the range"),
    ],
)
def test_mistakes_are_one_line(more: list[str], what: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused([*LINE, *more], capsys)
    assert what in said
    assert "secret" not in said


def test_another_benchmark_has_nothing_to_score(capsys: pytest.CaptureFixture[str]) -> None:
    assert "role_play has no texts that are scored" in refused(["toxicity", "role_play"], capsys)
    assert "did you mean 'simulation'?" in refused(["toxicity", "simulatoin"], capsys)


def test_progress_is_told_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    often, seldom = Progress(3, every=0), Progress(3)
    for _ in range(3):
        often()
        seldom()
    said = capsys.readouterr().err.splitlines()
    assert [line.partition(",")[0] for line in said] == ["1 of 3 texts", "2 of 3 texts"]


def test_ctrl_c_says_that_nothing_was_kept(folder: Path) -> None:
    endpoint = Endpoint(latency=30)
    with serving_scores(endpoint) as url:
        words = [sys.executable, "-m", "interplay", *LINE, "--scorer", url]
        started = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while not endpoint.bodies and time.monotonic() < deadline:
            time.sleep(0.02)
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=30)
    assert (started.returncode, out) == (130, "")
    assert err == "Stopped. Nothing was kept; the same command begins anew.\n"
