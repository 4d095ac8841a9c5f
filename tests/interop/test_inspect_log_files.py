"""Logs of Inspect as files: which are written where, the same bytes again, whole or not at all, and nothing secret."""

import base64
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from inspect_ai.log import EvalLog, read_eval_log

from interplay.benchmarks import find
from interplay.core.benchmark import Scenario
from interplay.interop.inspect_log import write_logs
from interplay.interop.inspect_samples import LONGEST_ID, ids_of
from interplay.interop.inspect_values import DEEPEST, plain
from interplay.models.loopback import Loopback, serving
from interplay.store.records import Records
from tests.analysis.planted import acted, record
from tests.cli.provider import Typist, job
from tests.running.job import answer

KEY = "sk-a-key-that-nobody-may-read"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a run of one model, and one of two in which a person is to speak."""
    from interplay.cli import main

    path = tmp_path_factory.mktemp("runs") / "interplay.db"
    with pytest.MonkeyPatch.context() as patch, serving(Loopback(answer, keys=frozenset({KEY}))) as url:
        patch.setenv("OPENAI_API_KEY", KEY)
        one = job(url, "--turns", "1", limit=2)
        assert main([*one, "--store", str(path)]) == 0
        assert main(["runs", "rename", "last", "one", "--store", str(path)]) == 0
        cast = ["--model", "openai/a", "--model", "openai/b", "--model-role", "interrogator=human/ada"]
        two = [
            "run",
            "role_play",
            "--base-url",
            url,
            *cast,
            "--model-role",
            "judge=openai/judge-1",
            "--limit",
            "1",
        ]
        assert main([*two, "--store", str(path)]) == 1
        assert main(["runs", "rename", "last", "two", "--store", str(path)]) == 0
    return path


@pytest.fixture
def typist(store: Path, capsys: pytest.CaptureFixture[str]) -> Typist:
    return Typist(store, capsys)


def read(path: Path) -> EvalLog:
    return read_eval_log(str(path), resolve_attachments=True)


def contents(path: Path) -> dict[str, bytes]:
    with ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def test_a_file_for_one_model_in_both_of_inspects_formats(typist: Typist, tmp_path: Path) -> None:
    path = tmp_path / "run.eval"
    path.write_text("an older file")
    assert typist.types("export", "one", str(path)) == ""
    [run] = [run for run in typist.reads("runs") if run["name"] == "one"]
    where = f"To look at them: inspect view --log-dir {tmp_path}"
    assert typist.types("export", "one", str(path)) == ""
    assert typist.said == f"Wrote {path}: 2 samples of {run['run']}. {where}\n"
    typist.types("export", "one", str(tmp_path / "run.json"), "--to", "inspect")
    assert json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))["eval"]["model"] == "openai/player"
    as_zip, as_json = read(path), read(tmp_path / "run.json")
    assert as_json.eval == as_zip.eval
    assert as_json.results == as_zip.results
    assert as_json.stats == as_zip.stats
    assert as_json.samples == as_zip.samples
    assert as_zip.eval.tags == ["one"]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["run.eval", "run.json"]


def test_the_same_run_gives_the_same_bytes(typist: Typist, tmp_path: Path) -> None:
    typist.types("export", "one", str(tmp_path / "a.eval"))
    typist.types("export", "one", str(tmp_path / "b.eval"))
    assert (tmp_path / "a.eval").read_bytes() == (tmp_path / "b.eval").read_bytes()


def test_no_key_and_no_secret_is_in_a_log(store: Path, typist: Typist, tmp_path: Path) -> None:
    typist.types("export", "one", str(tmp_path / "a.eval"))
    with Records(store) as records:
        secret = records.find("one").secret
    everything = b"\n".join(contents(tmp_path / "a.eval").values())
    assert b"openai/player" in everything
    for hidden in (
        KEY.encode(),
        secret.hex().encode(),
        repr(secret)[2:-1].encode(),
        base64.b64encode(secret),
    ):
        assert hidden not in everything


def test_several_models_get_a_folder_or_are_chosen(typist: Typist, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    typist.types("export", "two", str(folder), "--to", "inspect")
    assert "2 logs, 2 samples" in typist.said
    names = sorted(one.name for one in folder.iterdir())
    assert [name.split("_")[1] for name in names] == ["role-play", "role-play"]
    assert {read(one).eval.model for one in folder.iterdir()} == {"openai/a", "openai/b"}
    (folder / "letter.txt").write_text("dear")
    typist.types("export", "two", str(folder), "--to", "inspect")  # others' files stay beside it
    assert sorted(one.name for one in folder.iterdir()) == [*names, "letter.txt"]
    typist.types("export", "two", str(tmp_path / "a.eval"), "--model", "openai/a")
    assert read(tmp_path / "a.eval").eval.model == "openai/a"


def test_people_are_named_only_where_it_is_asked_for(typist: Typist, tmp_path: Path) -> None:
    typist.types("export", "two", str(tmp_path / "a.eval"), "--model", "openai/a")
    assert "People have numbers in place of names." in typist.said
    assert b"human/ada" not in b"\n".join(contents(tmp_path / "a.eval").values())
    log = read(tmp_path / "a.eval")
    assert log.samples and log.samples[0].metadata["cast"]["interrogator"] == "human/person-1"
    typist.types("export", "two", str(tmp_path / "a.eval"), "--model", "openai/a", "--with-names")
    assert "numbers" not in typist.said
    log = read(tmp_path / "a.eval")
    assert log.samples and log.samples[0].metadata["cast"]["interrogator"] == "human/ada"


def test_what_is_not_finished_says_so(typist: Typist, tmp_path: Path) -> None:
    typist.types("export", "two", str(tmp_path / "a.eval"), "--model", "openai/a")
    log = read(tmp_path / "a.eval")
    assert log.status == "cancelled"
    assert log.samples is not None
    [sample] = log.samples
    assert sample.error is not None and sample.error.message == "waiting for a person"
    assert sample.scores is None
    [call] = [event for event in sample.events if event.event == "model"]
    assert call.error == "waiting for a person"


def test_what_was_played_elsewhere_has_what_was_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = [
        ("system", "Be brief."),
        ("user", "2 + 2?"),
        ("assistant", "4"),
        ("user", "Sure?"),
        ("assistant", "Yes."),
    ]
    talk = {"model": "acme/bot", "messages": [{"role": role, "content": text} for role, text in said]}
    (tmp_path / "talk.jsonl").write_text(json.dumps(talk) + "\n")
    typist = Typist(tmp_path / "interplay.db", capsys)
    typist.types("import", str(tmp_path / "talk.jsonl"), "--as", "openai")
    typist.types("export", "last", str(tmp_path / "a.eval"))
    samples = read(tmp_path / "a.eval").samples
    assert samples is not None
    [sample] = samples
    assert [(one.role, one.text) for one in sample.messages] == said
    assert [one.text for one in sample.input if not isinstance(one, str)] == ["Be brief.", "2 + 2?"]
    assert sample.output.completion == "Yes."


def test_an_answer_from_elsewhere_has_its_history_and_its_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task = "Be a shell. My first command is pwd."
    said = [
        ("user", task),
        ("assistant", "/home/ann"),
        ("user", "cd notes"),
        ("assistant", ""),
        ("user", "ls"),
    ]
    row = {
        **{"id": 1, "source_id": "001#Shell", "act": "Shell", "task_description": task, "type": "stateful"},
        **{"source_file_name": "first.json", "turn_num": 3},
        "dialogue_history": [{"role": role, "content": text} for role, text in said],
    }
    (tmp_path / "scripts.jsonl").write_text(json.dumps(row) + "\n")
    typist = Typist(tmp_path / "interplay.db", capsys)
    typist.types("import", str(tmp_path / "scripts.jsonl"), "--as", "simulbench", "--model", "acme/shell")
    typist.types("export", "last", str(tmp_path / "a.eval"))
    first, second = sorted(read(tmp_path / "a.eval").samples or [], key=lambda one: len(one.messages))
    for sample, count in ((first, 2), (second, 4)):
        assert [(one.role, one.text) for one in sample.messages] == said[:count]
        assert [one if isinstance(one, str) else one.text for one in sample.input] == [
            text for _, text in said[: count - 1]
        ]
        assert sample.output.completion == said[count - 1][1]


def test_a_label_names_no_file_outside_a_log_and_nobody(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    talk = [acted(number, "human/zoe", j=(5, 4, 3)) for number in range(2)]
    labels = ("a/../../x", "as human/zoe")
    talks = [
        replace(one, scenario=replace(one.scenario, label=label))
        for one, label in zip(talk, labels, strict=True)
    ]
    record(tmp_path / "interplay.db", "role_play", talks)
    Typist(tmp_path / "interplay.db", capsys).types("export", "last", str(tmp_path / "a.eval"))
    files = [name for name in contents(tmp_path / "a.eval") if name.startswith("samples/")]
    assert sorted(files) == ["samples/a-..-..-x_epoch_1.json", "samples/as human-person-1_epoch_1.json"]
    assert {one.id for one in read(tmp_path / "a.eval").samples or []} == {"a-..-..-x", "as human-person-1"}


def test_mistakes(typist: Typist, store: Path, tmp_path: Path) -> None:
    def mistake(*words: str) -> str:
        return typist.mistakes("export", *words)

    assert "name a folder for all" in mistake("two", str(tmp_path / "run.eval"))
    assert "did you mean 'openai/a'" in mistake("two", str(tmp_path / "x.eval"), "--model", "openai/aa")
    assert "--model is for --to inspect" in mistake("two", str(tmp_path / "x.json"), "--model", "openai/a")
    assert "say what to write with --format" in mistake("one", "-", "--to", "inspect")
    assert "its folder does not exist" in mistake("one", str(tmp_path / "no" / "x.eval"))
    assert "cannot be written to" in mistake("one", str(tmp_path / "no" / "logs"), "--to", "inspect")
    assert "did you mean '.eval'?" in mistake("one", str(tmp_path / "run.evl"))
    (tmp_path / "there.eval").mkdir()
    assert "it is a folder" in mistake("one", str(tmp_path / "there.eval"), "--to", "inspect")
    linked = tmp_path / "store.eval"
    linked.symlink_to(store)
    assert "is the store" in mistake("one", str(linked))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["store.eval", "there.eval"]


def test_without_inspect_one_line_says_what_to_install(
    typist: Typist, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    said = typist.mistakes("export", "one", str(tmp_path / "a.eval"))
    assert "pip install 'interplay[inspect]'" in said
    assert list(tmp_path.iterdir()) == []


def test_a_log_is_written_whole_or_not_at_all(store: Path, tmp_path: Path) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("in the middle")

    path = tmp_path / "run.eval"
    path.write_text("an older file")
    with Records(store) as records:
        run = records.find("one")
        half = replace(find("role_play"), score=broken)
        with pytest.raises(RuntimeError, match="in the middle"):
            write_logs(records, run, half, path)
        with pytest.raises(RuntimeError, match="in the middle"):
            write_logs(records, run, half, tmp_path / "logs")
    assert path.read_text() == "an older file"
    assert [one.name for one in tmp_path.iterdir()] == ["run.eval"]


def depth_of(value: Any) -> int:
    return 1 + depth_of(value[0]) if isinstance(value, list) else 0


def test_values_are_plain_whatever_they_hold() -> None:
    awkward = {"a\0": "b\ud800", "n": [float("nan"), float("inf"), 1.5, 10**30], "t": (True, None)}
    kept = {"a\N{REPLACEMENT CHARACTER}": "b?", "n": [None, None, 1.5, 10**30], "t": [True, None]}
    assert plain(awkward) == kept
    deep: Any = "at the bottom"
    for _ in range(3 * DEEPEST):
        deep = [deep]
    assert depth_of(plain(deep)) == DEEPEST
    assert "at the bottom" in json.dumps(plain(deep))


def names(*labels: str) -> Iterator[tuple[int, str, int, Scenario]]:
    for number, label in enumerate(labels, 1):
        yield number, "m", 0, Scenario({"place": number}, label)


def test_ids_tell_samples_apart() -> None:
    assert list(ids_of(list(names("a, b", "c"))).values()) == ["a, b", "c"]
    awkward = ids_of(list(names("same", "same", "", "x" * 100_000, "a\nb\0\x1b[0m")))
    assert len(set(awkward.values())) == 5
    assert all(len(id) <= LONGEST_ID + 20 and id.isprintable() for id in awkward.values())
    paths = ids_of(list(names("a/../../x", "a\\..\\..\\x", "../x", "/x")))
    assert len(set(paths.values())) == 4
    assert not [id for id in paths.values() if "/" in id or "\\" in id]
    scenario = Scenario({}, "one")
    casts = ids_of(
        [(1, "m", 0, scenario), (2, "m", 0, scenario), (3, "m", 1, scenario), (4, "other", 0, scenario)]
    )
    assert casts == {1: "one #1", 2: "one #2", 3: "one", 4: "one"}
