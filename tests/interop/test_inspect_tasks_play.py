"""What Inspect's log has of a conversation: who spoke to whom, what judges said, how each was sampled, what failed."""

import json
import os
import subprocess
import sys
from math import isnan
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import task_with
from inspect_ai.event import InfoEvent, ModelEvent, SpanBeginEvent
from inspect_ai.log import EvalLog, EvalSample, read_eval_log, resolve_sample_attachments
from inspect_ai.model import ContentReasoning, ContentText, GenerateConfig, ModelOutput, ModelUsage
from inspect_ai.scorer import Score

from interplay.core.failures import ProviderFailure
from interplay.interop.inspect_seats import reply_of
from interplay.interop.inspect_task_play import verdicts
from interplay.interop.inspect_tasks import role_play
from interplay.models.loopback import Asked, Fault
from tests.interop.test_inspect_tasks import Inspector, inspecting, numbers_of
from tests.running.job import answer

pytestmark = pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated:DeprecationWarning")
ROLES = {"interrogator": ["openai/user"], "judge": ["openai/judge-1", "openai/judge-2"]}
SHORT = {"limit": 1, "task_args": {"turns": 1}}


def score_in(sample: EvalSample) -> Score:
    assert sample.scores is not None
    return sample.scores["verdicts"]


def only_sample(log: EvalLog) -> EvalSample:
    assert log.samples is not None
    [sample] = log.samples
    return resolve_sample_attachments(sample)


def test_a_log_shows_the_dialogue_the_judges_and_how_each_was_sampled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")  # the log does not have it
    with inspecting(answer, tmp_path / "logs") as (inspector, loopback):
        second = inspector.model("openai/judge-2", config=GenerateConfig(top_p=0.5))
        roles = {**ROLES, "judge": ["openai/judge-1", second]}
        log = inspector.evaluates("interplay/pingpong", "openai/player", roles, top_p=0.3, **SHORT)
        assert loopback.calls_by_model() == {"user": 1, "player": 1, "judge-1": 1, "judge-2": 1}
        sample = only_sample(log)
        kept = sample.store["interplay"]
        [turn] = kept["outcome"]["turns"]
        _check_dialogue(sample, turn)
        _check_sampling(sample)
        _check_scores(sample)
        _judge_again(inspector, log)
        assert loopback.calls_by_model() == {"user": 1, "player": 1, "judge-1": 1, "judge-2": 1, "judge-3": 1}
    assert log.results is not None
    assert log.results.headline is not None
    assert (log.results.headline.score, log.results.headline.metric) == ("final", "mean")
    assert kept["cast"] == {"player": "openai/player", "interrogator": "openai/user"}
    assert [path.name for path in tmp_path.iterdir()] == ["logs"]  # no store of ours


def _check_dialogue(sample: EvalSample, turn: Any) -> None:
    """The measured model's own view is the sample; who else heard what is in the transcript."""
    assert [message.role for message in sample.messages] == ["system", "user", "assistant"]
    assert [message.text for message in sample.messages][1:] == [turn["user"], turn["player"]]
    assert sample.output.completion == turn["player"]
    told = [(event.source, event.data) for event in sample.events if isinstance(event, InfoEvent)]
    assert ("interrogator", f"to player:\n{turn['user']}") in told
    assert told[0][0] == "narrator"
    spans = [(one.type, one.name) for one in sample.events if isinstance(one, SpanBeginEvent)]
    assert [name for kind, name in spans if kind == "seat"][:2] == ["interrogator", "player"]
    assert {name for kind, name in spans if kind == "judge"} == {"openai/judge-1", "openai/judge-2"}


def _check_sampling(sample: EvalSample) -> None:
    """As the role is sampled, but for what was typed for the model."""
    calls = {event.model: event for event in sample.events if isinstance(event, ModelEvent)}
    assert {name: call.config.top_p for name, call in calls.items()} == {
        "openai/player": 0.3,
        "openai/user": 0.95,
        "openai/judge-1": 0.95,
        "openai/judge-2": 0.5,
    }
    assert {name: call.config.temperature for name, call in calls.items()} == {
        "openai/player": 0.6,
        "openai/user": 0.8,
        "openai/judge-1": 0.1,
        "openai/judge-2": 0.1,
    }
    assert {name: call.role for name, call in calls.items()} == {
        "openai/player": None,
        "openai/user": "interrogator",
        "openai/judge-1": "judge",
        "openai/judge-2": "judge",
    }
    assert calls["openai/judge-1"].config.response_schema is not None
    assert calls["openai/player"].config.response_schema is None


def _check_scores(sample: EvalSample) -> None:
    score = score_in(sample)
    given = [one for one in (score.metadata or {})["scores"] if one["name"] == "fluency"]
    assert [one["source"] for one in given] == ["openai/judge-1", "openai/judge-2"]
    assert score.as_dict()["fluency"] == sum(one["value"] for one in given) / 2
    assert "by openai/judge-1" in (score.explanation or "")
    assert list(score.as_dict()) == ["final", "in_character", "entertaining", "fluency", "refused"]


def _judge_again(inspector: Inspector, log: EvalLog) -> None:
    """Another judge, from the log alone: nobody plays again."""
    again = inspector.judges_again(log, verdicts(), "openai/judge-3")
    assert "by openai/judge-3" in (score_in(only_sample(again)).explanation or "")
    assert numbers_of(again)["n"] == 1


def test_what_is_void_is_unscored_by_its_name_and_no_zero(tmp_path: Path) -> None:
    def mumble(asked: Asked) -> str:
        return "mumble" if asked.model == "mute" else answer(asked)

    with inspecting(mumble, tmp_path) as (inspector, loopback):
        typed = {"rounds": 2}
        log = inspector.evaluates(
            "interplay/age", "openai/mute", {"opponent": ["openai/other"]}, task_args=typed, limit=2
        )
        assert loopback.calls_by_model()["mute"] == 6
    for sample in log.samples or []:
        score = score_in(sample)
        assert score.reason == "unreadable"
        assert "Void, and no zero: unreadable (player: " in (score.explanation or "")
        assert all(isnan(float(value or 0)) for value in score.as_dict().values())
    assert numbers_of(log)["unscored"] == 1.0
    assert "age" not in numbers_of(log)
    assert log.results is not None
    [age] = [score for score in log.results.scores if score.name == "age"]
    assert (age.scored_samples, age.unscored_samples) == (0, 2)


def test_a_judge_who_cannot_be_read_is_named_and_the_others_count(tmp_path: Path) -> None:
    def one_mumbles(asked: Asked) -> str:
        return "mumble" if asked.model == "judge-2" else answer(asked)

    with inspecting(one_mumbles, tmp_path) as (inspector, _):
        log = inspector.evaluates("interplay/role_play", "openai/player", ROLES, epochs=2, **SHORT)
    for repeat, sample in enumerate(log.samples or []):
        score = score_in(sample)
        assert "No verdict by openai/judge-2: judge error" in (score.explanation or "")
        assert score.reason is None
        assert sample.store["interplay"]["repeat"] == repeat
    assert numbers_of(log)["unscored"] == 0.5
    assert numbers_of(log)["n"] == 2  # every repeat, where Inspect's own means go over scenarios


def test_a_call_that_fails_is_an_error_of_inspect_s_sample(tmp_path: Path) -> None:
    def refuse(asked: Asked) -> str | Fault:
        return Fault("status", 403) if asked.model == "player" else answer(asked)

    with inspecting(refuse, tmp_path) as (inspector, loopback):
        log = inspector.evaluates(
            "interplay/role_play", "openai/player", ROLES, fail_on_error=False, max_retries=0, **SHORT
        )
        assert "judge-1" not in loopback.calls_by_model()
    sample = only_sample(log)
    assert sample.error is not None
    assert "403" in sample.error.message
    assert not sample.scores


def test_what_inspect_cuts_short_is_unscored(tmp_path: Path) -> None:
    with inspecting(answer, tmp_path) as (inspector, _):
        log = inspector.evaluates("interplay/role_play", "openai/player", ROLES, token_limit=10, **SHORT)
    sample = only_sample(log)
    assert sample.limit is not None
    assert score_in(sample).reason == "cancelled"
    assert numbers_of(log)["void"] == 1.0


def test_parts_by_rule_need_no_model(tmp_path: Path) -> None:
    with inspecting(answer, tmp_path) as (inspector, loopback):
        typed = {"system": "rules", "simulator": "agenda"}
        log = inspector.evaluates("interplay/tod", "none", task_args=typed)
        assert loopback.calls == 0
    assert numbers_of(log)["n"] == 2
    assert {sample.store["interplay"]["model"] for sample in log.samples or []} == {"rule/baseline"}


def test_intentions_are_played_and_what_game_masters_make_of_them_is_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with inspecting(answer, tmp_path) as (inspector, _):
        typed = {"scene": "intentions", "moves": 4, "sessions": 1}
        log = inspector.evaluates("interplay/anteval", "openai/player", task_args=typed)
    assert numbers_of(log)["sessions"] == 1
    assert list(score_in(only_sample(log)).as_dict()) == ["passes", "empty", "repeated"]
    assert "has a sequel" in caplog.text


def test_in_python_roles_may_come_later_and_who_is_missing_is_told_before_any_call(tmp_path: Path) -> None:
    with inspecting(answer, tmp_path) as (inspector, loopback):
        log = inspector.evaluates(
            role_play(turns=1), "openai/player", {"interrogator": ["openai/user"]}, limit=1
        )
        assert log.status == "error"
        assert log.error is not None
        assert "--model-role judge=openai/NAME" in log.error.message
        assert loopback.calls == 0
        judged = task_with(role_play(turns=1), model_roles={"judge": inspector.model("openai/judge-1")})
        log = inspector.evaluates(judged, "openai/player", {"interrogator": ["openai/user"]}, limit=1)
        assert numbers_of(log)["n"] == 1


def test_the_command_line_finds_the_tasks_by_the_entry_point(tmp_path: Path) -> None:
    def judged_in_words(asked: Asked) -> str:  # this provider of Inspect's leaves bounds out of schemas
        if not asked.model.startswith("judge"):
            return answer(asked)
        fields = (asked.schema or {})["properties"]["turn_1"]["properties"]
        said = {name: 4 if name.endswith("score") else "fits" for name in fields}
        return json.dumps({"turn_1": {**said, "is_refusal": False}})

    with inspecting(judged_in_words, tmp_path) as (inspector, _):
        cast = {"interrogator": "user", "judge": "judge-1,openai-api/loopback/judge-2"}
        words = [
            "--model",
            "openai-api/loopback/player",
            "--limit",
            "1",
            "-T",
            "turns=1",
            "--display",
            "none",
        ]
        for role, name in cast.items():
            words += ["--model-role", f"{role}=openai-api/loopback/{name}"]
        done = subprocess.run(
            [str(Path(sys.executable).with_name("inspect")), "eval", "interplay/pingpong", *words],
            env={
                **os.environ,
                "LOOPBACK_BASE_URL": inspector.url,
                "LOOPBACK_API_KEY": "none",
                "INSPECT_LOG_DIR": "logs",
            },
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    [path] = (tmp_path / "logs").glob("*.eval")
    log = read_eval_log(str(path))
    assert log.eval.task == "interplay/pingpong"
    assert numbers_of(log)["ln_score"] == 4.0


def test_a_reply_is_read_out_of_inspect_s_output() -> None:
    content = [ContentReasoning(reasoning="Hmm\0."), ContentText(text="Yes\ud800.")]
    output = ModelOutput.from_content("mockllm/model", content, "max_tokens")
    output.usage = ModelUsage(input_tokens=3, input_tokens_cache_read=4, output_tokens=2, total_cost=0.5)
    reply = reply_of(output)
    assert (reply.text, reply.reasoning, reply.stop) == ("Yes?.", "Hmm\N{REPLACEMENT CHARACTER}.", "length")
    assert (reply.tokens_in, reply.tokens_out, reply.cost) == (7, 2, 0.5)
    thought = reply_of(ModelOutput.from_content("m", "<think>So.</think>Yes."))
    assert (thought.text, thought.reasoning, thought.stop) == ("Yes.", "So.", "stop")
    assert thought.tokens_in is None
    with pytest.raises(ProviderFailure, match="m: the answer holds no choice"):
        reply_of(ModelOutput(model="m", choices=[]))
