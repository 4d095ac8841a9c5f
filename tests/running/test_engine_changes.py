"""Runs whose prompts or data change between two starts: nothing is paid twice, nothing is mixed unseen."""

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest

from interplay.benchmarks.role_play import protocol
from interplay.cli import main
from interplay.models.loopback import Asked, Fault
from interplay.store.records import Records
from tests.running.job import command, first_time
from tests.running.typed import judge_again, overheard, provider, run, text_of


@pytest.fixture
def edit_prompt(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Edits a prompt that ships, as another version of the package might."""

    def edit(name: str, text: str) -> None:
        monkeypatch.setattr(protocol, "PROMPTS", protocol.PROMPTS.replaced({name: text}))

    return edit


def test_a_changed_request_is_refused_before_paying_and_played_anew_on_demand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], edit_prompt: Callable[[str, str], None]
) -> None:
    store = tmp_path / "interplay.db"
    half = first_time(lambda number: Fault("status", status=400) if number > 4 else None)
    with provider(half) as (_, url):
        run(command(url, store, limit=1, more=("--max-connections", "1")), capsys, code=1)
    edit_prompt("interrogator_opening", "Now begin, please.")
    with provider() as (loopback, url):
        assert main(command(url, store, limit=1)) == 2
        error = capsys.readouterr().err
        assert "message 2 (user) was recorded as" in error
        assert "'Now begin, please.'" in error
        assert "--new" in error
        assert loopback.calls == 0
        board = run(command(url, store, limit=1, more=("--new",)), capsys)
        assert board["rows"][0]["n"] == 1
        assert loopback.calls == 10


def test_finished_conversations_survive_an_edited_prompt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], edit_prompt: Callable[[str, str], None]
) -> None:
    store = tmp_path / "interplay.db"
    with provider() as (loopback, url):
        before = run(command(url, store, limit=2), capsys)
        calls = loopback.calls
        edit_prompt("interrogator_opening", "Now begin, please.")
        after = run(command(url, store, limit=2), capsys)
        assert loopback.calls == calls
        assert after["rows"] == before["rows"]
        mixed = run(command(url, store, limit=3), capsys)
        assert any(note.startswith("Mixed: the prompts") for note in mixed["notes"])


def test_an_edited_judge_prompt_leaves_the_old_board_and_is_refused_before_paying(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], edit_prompt: Callable[[str, str], None]
) -> None:
    store = tmp_path / "interplay.db"
    with provider() as (loopback, url):
        before = run(command(url, store, limit=2), capsys)
        calls = loopback.calls
        with Records(store) as records:
            scores = records.scores(records.find("last"))
        edit_prompt("judge", protocol.PROMPTS.texts["judge"] + "\nBe stern.")
        assert run(["show", "last", "--store", str(store), "--json"], capsys) == before
        assert run(["score", "last", "--store", str(store), "--json"], capsys) == before
        with Records(store) as records:
            assert records.scores(records.find("last")) == scores
        assert run(command(url, store, limit=2), capsys) == before  # nothing is left to do
        assert main(command(url, store, limit=3)) == 2
        assert "the rubric or the judges' prompts changed" in capsys.readouterr().err
        assert loopback.calls == calls
        anew = run(command(url, store, limit=3, more=("--new",)), capsys)
        assert anew["rows"][0]["n"] == 3
        assert loopback.calls == calls + 8 + 3 * 2  # one conversation, and all three judged by both


def data_file(folder: Path, beginning: str) -> Path:
    """The English scenarios as a file of one's own, with something put before every persona."""
    text = (files("interplay") / "benchmarks/role_play/data/en.toml").read_text(encoding="utf-8")
    edited = text.replace("persona = '''\n", f"persona = '''\n{beginning} ")
    assert edited.count(beginning) == 8
    path = folder / "mine.toml"
    path.write_text(edited, encoding="utf-8")
    return path


def test_other_data_is_another_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "interplay.db"
    with provider() as (_, url):
        before = run(command(url, store, limit=2), capsys)
        more = ("--data", str(data_file(tmp_path, "Hear, hear!")))
        after = run(command(url, store, limit=2, more=more), capsys)
    assert before["run"] != after["run"]
    assert after["rows"][0]["n"] == 2


def test_a_judge_joins_a_run_whose_data_has_changed_since(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "interplay.db"
    seen: list[Asked] = []
    with provider(overheard(seen)) as (loopback, url):
        more = ("--data", str(data_file(tmp_path, "Once upon a time.")))
        before = run(command(url, store, limit=3, models=("openai/one", "openai/two"), more=more), capsys)
        calls = loopback.calls
        data_file(tmp_path, "Edited since.")
        line = judge_again(url, store, before["run"], "--model-role", "judge=openai/judge-3")
        after = run(line, capsys)
        assert loopback.calls == calls + 6
        assert [row["n"] for row in after["rows"]] == [3, 3]
    joined = [text_of(asked) for asked in seen if asked.model == "judge-3"]
    assert len(joined) == 6
    assert all("Once upon a time." in text and "Edited since." not in text for text in joined)
