"""Runs as logs of Inspect, opened by Inspect itself and held against the store, call by call and score by score."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.event import InfoEvent, ModelEvent, ScoreEvent, SpanBeginEvent
from inspect_ai.log import (
    EvalLog,
    EvalSample,
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample,
    read_eval_log_sample_summaries,
    read_eval_log_samples,
)
from inspect_ai.model import ContentReasoning

from interplay.benchmarks import find
from interplay.cli import main
from interplay.models.loopback import Asked, Fault, Loopback, Said, serving
from interplay.running.results import board_of
from interplay.store.records import ConversationRow, Records, Run
from tests.running.job import answer

REFUSED = "Nyambura Gathogo"  # who plays this character is turned away
EVIL = "\x1b[31mred\x1b[0m \u202eturned <script>alert(1)</script> attachment://0123"
JUDGES = ("openai/judge-1", "openai/judge-2")


@dataclass
class Provider:
    """Answers as a script does, but for faults that leave one conversation void and one call to be tried again."""

    troubled: bool = False

    def __call__(self, asked: Asked) -> str | Said | Fault:
        if asked.model == "user" and not self.troubled:
            self.troubled = True
            return Fault("status", 503)
        if asked.model == "second" and REFUSED in str(asked.messages[0]["content"]):
            return Fault("status", 400)
        if asked.model == "first":
            return Said(EVIL, reasoning="Shall I?", stop="length")
        if asked.model == "second":
            return Fault("nul") if len(asked.messages) == 2 else Fault("surrogate")
        return answer(asked)


@dataclass(frozen=True)
class Written:
    """A run, and the logs that were written of it, by the name of who is measured."""

    records: Records
    run: Run
    logs: dict[str, EvalLog]
    folder: Path

    def conversations(self, subject: str) -> list[ConversationRow]:
        return [one for one in self.records.conversations(self.run) if one.subject == subject]

    def pairs(self) -> Iterator[tuple[ConversationRow, EvalSample]]:
        """Every conversation with its sample."""
        samples = {
            one.metadata["conversation"]: one for log in self.logs.values() for one in log.samples or []
        }
        for row in self.records.conversations(self.run):
            yield row, samples[row.number]

    def calls(self, row: ConversationRow) -> list[dict[str, Any]]:
        names = "number stage item participant step attempt model state cause detail text reasoning"
        names += " tokens_in tokens_out cost latency sent thread settings"
        query = f"SELECT {names.replace(' ', ', ')} FROM calls WHERE conversation = ? ORDER BY number"
        rows = self.records.rows(query, row.number)
        return [dict(zip(names.split(), one, strict=True)) for one in rows]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a run in which something went wrong, and a game of four."""
    path = tmp_path_factory.mktemp("runs") / "interplay.db"
    with serving(Loopback(Provider())) as url:
        common = ("--base-url", url, "--store", str(path))
        judges = [word for judge in JUDGES for word in ("--model-role", f"judge={judge}")]
        cast = (
            "--model",
            "openai/first",
            "--model",
            "openai/second",
            "--model-role",
            "interrogator=openai/user",
        )
        assert main(["run", "role_play", *common, *cast, *judges, "--limit", "2", "--turns", "2"]) == 1
        four = [word for name in "abcd" for word in ("--model", f"openai/{name}")]
        rest = ("--experiment", "four", "--limit", "1", "--epochs", "2", "--rounds", "2")
        assert main(["run", "word_guessing", *common, *four, *rest]) == 0
    return path


def written(store: Path, run: str, folder: Path) -> Iterator[Written]:
    assert main(["export", run, str(folder), "--to", "inspect", "--store", str(store)]) == 0
    paths = sorted(folder.iterdir())
    logs = [read_eval_log(str(path), resolve_attachments=True) for path in paths]
    with Records(store) as records:
        yield Written(records, records.find(run), {log.eval.model: log for log in logs}, folder)


@pytest.fixture(scope="module")
def played(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    yield from written(store, "role_play", tmp_path_factory.mktemp("logs") / "role_play")


@pytest.fixture(scope="module")
def games(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    yield from written(store, "word_guessing", tmp_path_factory.mktemp("logs") / "games")


@pytest.fixture(params=["played", "games"])
def both(request: pytest.FixtureRequest) -> Written:
    found: Written = request.getfixturevalue(request.param)
    return found


def id_of(row: ConversationRow) -> str:
    return row.scenario.label.replace("/", "-")  # a file in the log is called so


def events(sample: EvalSample, kind: type[Any]) -> list[Any]:
    return [event for event in sample.events if isinstance(event, kind)]


def test_each_model_has_a_log_and_each_conversation_a_sample(both: Written) -> None:
    subjects = {row.subject for row in both.records.conversations(both.run)}
    assert both.logs.keys() == subjects
    assert {one.task for one in list_eval_logs(str(both.folder))} == {both.run.benchmark.replace("_", "-")}
    for subject, log in both.logs.items():
        rows = both.conversations(subject)
        expected = sorted((id_of(row), row.repeat + 1) for row in rows)
        assert sorted((str(one.id), one.epoch) for one in log.samples or []) == expected
        assert log.eval.dataset.samples == len({row.scenario.id for row in rows})
        assert log.results is not None
        assert log.results.total_samples == len(rows)
        assert log.results.completed_samples == sum(row.state == "done" for row in rows)


def test_inspects_other_readers_open_it_too(both: Written) -> None:
    for path in sorted(both.folder.iterdir()):
        log = read_eval_log(str(path), header_only=True)
        rows = both.conversations(log.eval.model)
        summaries = read_eval_log_sample_summaries(str(path))
        assert [one.metadata["conversation"] for one in summaries] == [row.number for row in rows]
        samples = read_eval_log_samples(str(path))
        assert {one.uuid for one in samples} == {one.uuid for one in summaries}
        one = read_eval_log_sample(str(path), id=id_of(rows[0]), epoch=rows[0].repeat + 1)
        assert one.metadata["conversation"] == rows[0].number


def test_every_call_is_an_event_with_all_that_was_asked_and_answered(both: Written) -> None:
    count = 0
    for row, sample in both.pairs():
        told = {event.metadata["call"]: event for event in events(sample, ModelEvent)}
        calls = both.calls(row)
        assert sorted(told) == [call["number"] for call in calls]
        for call in calls:
            event: ModelEvent = told[call["number"]]
            asked = [(one.role, one.text) for one in both.records.thread(call["thread"])]
            assert [(one.role, one.text) for one in event.input] == asked
            settings = both.records.settings(call["settings"])
            assert event.config.model_dump(exclude_none=True) == settings["sampling"]
            assert (event.metadata or {}).get("schema") == settings["schema"]
            where = {
                key: (event.metadata or {})[key] for key in ("stage", "seat", "step", "attempt", "state")
            }
            assert list(where.values()) == [
                call[key] for key in ("stage", "participant", "step", "attempt", "state")
            ]
            assert event.model == call["model"]
            assert event.role == (call["participant"] if call["stage"] == "play" else "judge")
            assert event.timestamp.isoformat(timespec="milliseconds") == call["sent"]
            check_answer(event, call)
            count += 1
    assert count == both.records.rows(COUNT, both.run.number)[0][0] > 10


COUNT = "SELECT count(*) FROM calls JOIN conversations c ON c.number = calls.conversation WHERE c.run = ?"


def check_answer(event: ModelEvent, call: dict[str, Any]) -> None:
    if call["state"] == "failed":
        assert event.error == f"{call['cause']}: {call['detail']}"
        assert event.output.empty and event.output.usage is None
        return
    assert event.error is None
    assert event.output.completion == call["text"]
    thoughts = [one.reasoning for one in event.output.message.content if isinstance(one, ContentReasoning)]
    assert thoughts == ([call["reasoning"]] if call["reasoning"] else [])
    assert event.output.usage is not None
    used = event.output.usage
    assert (used.input_tokens, used.output_tokens) == (call["tokens_in"], call["tokens_out"])
    assert used.total_cost == call["cost"]
    assert event.output.time == event.working_time == call["latency"]
    assert event.retries == (call["attempt"] or None)


def test_texts_that_break_other_files_come_through(played: Written) -> None:
    said = {event.output.completion for _, sample in played.pairs() for event in events(sample, ModelEvent)}
    assert EVIL in said
    assert {"before\N{REPLACEMENT CHARACTER}after", "before?after"} & said
    stops = Counter(
        event.output.stop_reason
        for _, sample in played.pairs()
        for event in events(sample, ModelEvent)
        if not event.output.empty and event.output.completion == EVIL
    )
    assert stops.keys() == {"max_tokens"}


def test_a_call_that_failed_stands_before_the_one_that_was_answered(played: Written) -> None:
    tried = [
        event
        for _, sample in played.pairs()
        for event in events(sample, ModelEvent)
        if event.role == "interrogator"
    ]
    failed = [place for place, event in enumerate(tried) if event.error]
    assert len(failed) == 1
    assert "503" in str(tried[failed[0]].error)
    assert tried[failed[0] + 1].retries == 1
    assert tried[failed[0] + 1].input == tried[failed[0]].input


def test_every_score_is_there_by_what_made_it(both: Written) -> None:
    recorded = sorted(
        (number, name, source, value) for number, name, source, value in both.records.scores(both.run)
    )
    found, events_of_scores = [], 0
    for row, sample in both.pairs():
        for source, score in (sample.scores or {}).items():
            assert isinstance(score.value, dict)
            assert (score.metadata or {})["models"].keys() == score.value.keys()
            found += [(row.number, name, source, value) for name, value in score.value.items()]
        scored = {event.scorer: event.score for event in events(sample, ScoreEvent)}
        assert scored == (sample.scores or {})
        events_of_scores += len(scored)
    assert sorted(found) == recorded
    assert recorded and events_of_scores


def test_a_score_says_whose_it_is(games: Written) -> None:
    for row, sample in games.pairs():
        for seat, model in row.cast.items():
            score = (sample.scores or {})[f"rule: {seat}"]
            assert set((score.metadata or {})["models"].values()) == {model}


def test_judges_are_told_apart_with_verdict_and_explanation(played: Written) -> None:
    judged = 0
    for row, sample in played.pairs():
        verdicts = {
            event.source: event.data for event in events(sample, InfoEvent) if event.source != "transcript"
        }
        expected = played.records.verdicts_of(row.number)
        told = {
            f"verdict of {one.judge}": json.loads(json.dumps({"item": item, **asdict(one)}))
            for item, one in expected
        }
        assert verdicts == told
        for _, verdict in expected:
            explained = str((sample.scores or {})[verdict.judge].explanation)
            assert verdict.data is not None
            for place, turn in enumerate(verdict.data["turns"], 1):
                assert f"turns {place} fluency: {turn['fluency_explanation']}" in explained
            judged += 1
        if expected:
            spans = [event.name for event in events(sample, SpanBeginEvent)]
            assert spans[:4] == ["init", "solvers", "play", "scorers"]
            assert [name.partition(" ")[0] for name in spans[4:]] == [*JUDGES, "rule:"]
    assert judged == 6


def test_what_was_said_is_told_with_who_heard_it(both: Written) -> None:
    for row, sample in both.pairs():
        [told] = [event.data for event in events(sample, InfoEvent) if event.source == "transcript"]
        assert told == [json.loads(json.dumps(asdict(line))) for line in row.lines]
        assert sample.store["outcome"] == row.outcome


def test_messages_are_what_the_measured_seat_saw(both: Written) -> None:
    seat = {"role_play": "player", "word_guessing": "player_a"}[both.run.benchmark]
    for row, sample in both.pairs():
        view = both.records.view(row.number, seat)
        assert [(one.role, one.text) for one in sample.messages] == [(one.role, one.text) for one in view]
        assert isinstance(sample.input, list)
        assert [one.text for one in sample.input] == [one.text for one in view][: len(sample.input)]
        assert {one.role for one in sample.input} == {"system", "user"}
        if row.state == "done":
            assert sample.output.completion == sample.messages[-1].text


def test_what_came_to_nothing_is_an_error_and_no_zero(played: Written) -> None:
    void = [(row, sample) for row, sample in played.pairs() if row.state == "void"]
    [(row, sample)] = void
    assert row.failure == "provider"
    assert sample.error is not None and sample.error.message == f"provider: {row.detail}"
    assert sample.scores is None
    assert sample.metadata["failure"] == "provider"
    others = [sample for row, sample in played.pairs() if row.state == "done"]
    assert len(others) == 3 and all(sample.error is None and sample.scores for sample in others)
    assert {log.status for log in played.logs.values()} == {"success"}


def test_every_role_has_its_model_and_its_sampling(both: Written) -> None:
    for subject, log in both.logs.items():
        seated: dict[str, set[str]] = {}
        for row in both.conversations(subject):
            for role, model in row.cast.items():
                seated.setdefault(role, set()).add(model)
        if both.run.extent["judges"]:
            seated["judge"] = set(both.run.extent["judges"])
        found = log.eval.model_roles or {}
        lists = {role: one if isinstance(one, list) else [one] for role, one in found.items()}
        assert {role: {one.model for one in configs} for role, configs in lists.items()} == seated
        assert all(one.config.temperature is not None for configs in lists.values() for one in configs)


def test_usage_adds_up_by_model_and_by_role(both: Written) -> None:
    for subject, log in both.logs.items():
        calls = [
            call for row in both.conversations(subject) for call in both.calls(row) if call["state"] == "done"
        ]
        read, written = (sum(call[key] for call in calls) for key in ("tokens_in", "tokens_out"))
        for usage in (log.stats.model_usage, log.stats.role_usage):
            assert sum(one.input_tokens for one in usage.values()) == read
            assert sum(one.output_tokens for one in usage.values()) == written
            assert all(
                one.total_cost is None for one in usage.values()
            )  # prices are unknown, which is no zero
        assert log.stats.model_usage.keys() == {call["model"] for call in calls}
        roles = {call["participant"] if call["stage"] == "play" else "judge" for call in calls}
        assert log.stats.role_usage.keys() == roles
        for name, used in log.stats.role_usage.items():
            parts = [sample.role_usage[name] for sample in log.samples or [] if name in sample.role_usage]
            assert sum(part.total_tokens for part in parts) == used.total_tokens


def test_the_board_is_in_the_results_with_its_intervals(both: Written) -> None:
    board = board_of(both.records, both.run, find(both.run.benchmark))
    rows = {str(row["model"]): row for row in json.loads(json.dumps(board.as_json()))["rows"]}
    seen = set()
    for subject, log in both.logs.items():
        assert log.results is not None and log.results.metadata is not None
        assert log.results.metadata["notes"] == list(board.notes)
        assert log.results.metadata["board"]["rows"] == board.as_json()["rows"]
        for score in log.results.scores:
            model = subject if score.name == "board" else score.name
            seen.add(model)
            check_metrics(rows[model], score.metrics)
        assert log.results.headline is not None
        assert (
            log.results.headline.metric
            == {"role_play": "ln_score", "word_guessing": "age"}[both.run.benchmark]
        )
    assert seen == rows.keys()


def check_metrics(row: dict[str, Any], metrics: dict[str, Any]) -> None:
    for key, cell in row.items():
        value = cell["value"] if isinstance(cell, dict) else cell
        if isinstance(value, str) or value is None:
            assert key not in metrics  # nothing is no zero
        elif key in metrics:
            assert metrics[key].value == value
            if isinstance(cell, dict):
                assert [metrics[key].metadata.get(end) for end in ("low", "high", "n")] == [
                    cell[end] for end in ("low", "high", "n")
                ]
    assert len(metrics) > 5


def test_the_head_says_what_the_run_is(both: Written) -> None:
    for log in both.logs.values():
        spec = log.eval
        assert spec.task == f"interplay/{both.run.benchmark}"
        assert (spec.run_id, spec.created) == (both.run.id, both.run.created)
        assert spec.task_args_passed == both.run.identity["options"]
        assert spec.task_args.items() >= spec.task_args_passed.items()
        assert spec.packages.keys() == {"interplay"}
        assert (spec.config.limit, spec.config.epochs) == (
            both.run.extent["limit"],
            both.run.extent["epochs"],
        )
        assert spec.metadata is not None and spec.metadata["identity"] == both.run.identity


def test_samples_carry_scenario_cast_and_protocol(both: Written) -> None:
    for row, sample in both.pairs():
        kept = sample.metadata
        assert (kept["scenario"], kept["content"]) == (row.scenario.id, row.scenario.content)
        assert (kept["cast"], kept["take"], kept["state"], kept["protocol"]) == (
            row.cast,
            row.take,
            row.state,
            row.protocol,
        )
        assert sample.started_at and sample.completed_at and sample.total_time is not None


# what pandas says of how Inspect calls it
@pytest.mark.filterwarnings("ignore:The inplace keyword::inspect_ai")
@pytest.mark.filterwarnings("ignore:The copy keyword::inspect_ai")
def test_frames_of_inspect_hold_every_sample(both: Written) -> None:
    from inspect_ai.analysis import evals_df, messages_df, samples_df

    rows = both.records.conversations(both.run)
    evals = evals_df(str(both.folder), quiet=True)
    assert sorted(evals["model"]) == sorted(both.logs)
    samples = samples_df(str(both.folder), quiet=True)
    assert sorted(samples["metadata_conversation"]) == sorted(row.number for row in rows)
    messages = messages_df(str(both.folder), quiet=True)  # of all roles
    assert set(messages["sample_id"]) == {sample.uuid for _, sample in both.pairs()}
    assert set(messages["content"]) >= {
        one.text for _, sample in both.pairs() for one in sample.messages if one.text
    }
