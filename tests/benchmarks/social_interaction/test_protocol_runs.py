"""Scenes over HTTP, through the engine: as many calls as were foretold, and the same run at any latency."""

import json
from pathlib import Path

import pytest

from interplay.benchmarks.social_interaction.protocol import (
    calls,
)
from interplay.cli import main
from interplay.models.loopback import Asked, Loopback, serving
from interplay.store.records import Records
from tests.benchmarks.social_interaction.at_the_table import (
    move,
    scenario,
    settled,
)
from tests.cli.provider import Typist


def at_table(asked: Asked) -> str:
    """A player of any seat; a judge finds nothing."""
    told = [str(message["content"]) for message in asked.messages]
    if asked.model.startswith("judge"):
        fields = asked.schema["properties"] if asked.schema else {}
        return json.dumps({name: [] if found["type"] == "array" else 0 for name, found in fields.items()})
    if "no JSON" in told[-1]:
        return "I learned that salt mends it."
    return move("both", f"counts to {len(told)}", "Salt mends it.")


def test_a_run_sends_what_was_foretold_and_a_second_one_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loopback = Loopback(at_table, latency=0.002, jitter=0.01)
    typist = Typist(tmp_path / "runs.db", capsys)
    words = [
        "run",
        "social_interaction",
        "--scene",
        "intentions",
        "--model",
        "openai/player",
        "--sessions",
        "3",
    ]
    words += ["--moves", "10", "--dm", "none", "--model-role", "npc=openai/host"]
    with serving(loopback) as url:
        typist.types(*words, "--base-url", url)
        sent = loopback.calls_by_model()
        typist.types(*words, "--base-url", url)
        assert loopback.calls_by_model() == sent
    spans = [
        calls(scenario(n, scene="intentions"), settled(scene="intentions", moves="10")) for n in (1, 2, 3)
    ]
    assert sum(sent.values()) == 30
    for model, role in (("player", "player"), ("host", "npc")):
        assert sum(one[role][0] for one in spans) <= sent[model] <= sum(one[role][1] for one in spans)


def test_runs_with_other_latencies_are_the_same_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcomes = []
    for seed in (1, 2):
        loopback = Loopback(at_table, jitter=0.02, seed=seed)
        store = tmp_path / f"{seed}.db"
        with serving(loopback) as url:
            line = ["run", "social_interaction", "--scene", "intentions", "--model", "openai/player"]
            line += ["--sessions", "2", "--moves", "8", "--dm", "none", "--base-url", url]
            assert main([*line, "--store", str(store)]) == 0
        capsys.readouterr()
        with Records(store) as records:
            rows = records.conversations(records.find("last"))
        outcomes.append([(row.scenario.id, row.state, row.outcome) for row in rows])
        assert [row.state for row in rows] == ["done", "done"]
    assert outcomes[0] == outcomes[1]
