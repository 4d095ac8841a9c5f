"""Exports as files: the same bytes for the same record, whole or not at all, however large the run."""

import asyncio
import base64
import csv
import io
import json
import shutil
import tracemalloc
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import interplay
from interplay.api import setup
from interplay.benchmarks import find
from interplay.core.benchmark import Score, Verdict
from interplay.core.conversation import Line
from interplay.core.failures import Mistake
from interplay.core.wire import Message
from interplay.models.loopback import Loopback, serving
from interplay.reporting.export import FORMATS, export, format_of, write_export
from interplay.reporting.html import report
from interplay.reporting.writing import UNSEEN
from interplay.store.journal import Journal
from interplay.store.records import Records
from tests.reporting.exported import (
    BENCHMARK,
    BOARD,
    KEY,
    RUBRIC,
    Game,
    Played,
    begin,
    conversations,
    fill,
    place,
    spend,
    text_of,
    write,
)
from tests.running.job import answer

# All of them


def test_markdown_and_html_are_the_board_and_the_report(played: Played) -> None:
    records, run = played
    assert text_of(played, "html") == report(BOARD, records, run, BENCHMARK)
    text = text_of(played, "markdown")
    assert text.startswith("# `=HYPERLINK(")
    assert "| 4.00 [3.00, 5.00] |" in text
    assert not UNSEEN.search(text)


def test_the_same_record_gives_the_same_bytes_also_from_a_copy(tmp_path: Path) -> None:
    with Records(tmp_path / "a.db", create=True) as records:
        run = begin(records)
        write(records, run, fill, lambda journal: spend(journal, 0.5))
        texts = [text_of((records, run), format) for format in FORMATS]
        assert [text_of((records, run), format) for format in FORMATS] == texts
    shutil.copy(tmp_path / "a.db", tmp_path / "b.db")
    with Records(tmp_path / "b.db") as records:
        copied = records, records.find("role_play-1")
        assert [text_of(copied, format) for format in FORMATS] == texts


def test_two_exports_at_once_do_not_disturb_each_other(played: Played) -> None:
    pairs = list(
        zip(
            export(*played, BENCHMARK, BOARD, "jsonl"),
            export(*played, BENCHMARK, BOARD, "jsonl"),
            strict=True,
        )
    )
    assert len(pairs) == 4
    assert all(one == other for one, other in pairs)


def test_neither_keys_nor_the_run_s_secret_are_in_an_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving(Loopback(answer, keys=frozenset({KEY}))) as url:  # which refuses who does not send it
        how = setup(tmp_path / "a.db", base_url=url)
        roles = {"interrogator": "openai/user", "judge": "openai/judge-1"}
        done = interplay.run("role_play", "openai/player", roles=roles, limit=2, turns=1, how=how)
    with Records(tmp_path / "a.db") as records:
        run = records.find(done.id)
        for format in FORMATS:
            text = "".join(export(records, run, find("role_play"), done.leaderboard(), format))
            assert "openai/player" in text
            for secret in (
                KEY,
                run.secret.hex(),
                repr(run.secret)[2:-1],
                base64.b64encode(run.secret).decode(),
            ):
                assert secret not in text


def parrot(messages: Sequence[Message]) -> str:
    return f"You said: {messages[-1].text}"


def curious(messages: Sequence[Message]) -> str:
    return json.dumps({"next_utterance": "And then?"})


def kind(messages: Sequence[Message]) -> str:
    turn = {"is_refusal_explanation": "no", "is_refusal": False}
    for name in ("in_character", "entertaining", "fluency"):
        turn |= {f"{name}_explanation": "yes", f"{name}_score": 4}
    return json.dumps({f"turn_{number}": turn for number in range(1, 3)})


def test_the_scores_of_an_export_are_those_that_were_recorded(tmp_path: Path) -> None:
    roles = {"interrogator": curious, "judge": kind}
    done = interplay.run("role_play", parrot, roles=roles, limit=3, turns=2, how=setup(tmp_path / "a.db"))
    with Records(tmp_path / "a.db") as records:
        run = records.find(done.id)
        texts = {
            format: "".join(export(records, run, find("role_play"), done.leaderboard(), format))
            for format in FORMATS
        }
        recorded = sorted(records.scores(run))
    found = json.loads(texts["json"])
    exported = [
        (one["number"], score["name"], score["source"], score["value"])
        for one in found["conversations"]
        for score in one["scores"]
    ]
    assert sorted(exported) == recorded
    assert len(recorded) == 3 * (1 + 1 + 3)
    rows = csv.DictReader(io.StringIO(texts["csv"], newline=""))
    keys = ("conversation", "score", "source", "value")
    assert [[row[key] for key in keys] for row in rows] == [[str(part) for part in one] for one in exported]
    assert found["board"] == json.loads(json.dumps(done.leaderboard().as_json()))


# Large runs


def test_a_large_run_is_never_in_memory_as_a_whole(tmp_path: Path) -> None:
    said = Line("player", ("user",), "word " * 4_000)

    async def play(journal: Journal) -> None:
        async def one(number: int) -> None:
            made = await journal.open_conversation(place(number), "p", anew=False)
            await journal.finish(made, Game(1.0), [said], "p")
            await journal.judged(made, "", Verdict("j", RUBRIC, {"quality": 4.0, "why": "why " * 1_000}))

        await asyncio.gather(*(one(number) for number in range(1_000)))

    with Records(tmp_path / "a.db", create=True) as records:
        run = begin(records)
        write(records, run, play)
        for format, least in (("jsonl", 24_000_000), ("json", 24_000_000), ("csv", 500_000)):
            tracemalloc.start()
            try:
                size = sum(len(piece) for piece in export(records, run, BENCHMARK, BOARD, format))
                _, peak = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
            assert size > least
            assert peak < 1_500_000, f"{format}: {peak:,} bytes"


# Files


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.csv", "a.md", "a.html"])
def test_a_file_holds_the_export_byte_for_byte(played: Played, tmp_path: Path, name: str) -> None:
    (tmp_path / "out").mkdir()
    path = tmp_path / "out" / name
    path.write_text("old")
    write_export(path, *played, BENCHMARK, BOARD)
    assert path.read_bytes() == text_of(played, format_of(path)).encode("utf-8")
    write_export(path, *played, BENCHMARK, BOARD, "csv")
    assert path.read_bytes() == text_of(played, "csv").encode("utf-8")
    assert [one.name for one in path.parent.iterdir()] == [name]


def test_an_export_that_fails_half_way_leaves_the_old_file(played: Played, tmp_path: Path) -> None:
    def broken(*_: Any) -> list[Score]:
        raise ZeroDivisionError("no turns")

    path = tmp_path / "a.jsonl"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError):
        write_export(path, *played, replace(BENCHMARK, score=broken), BOARD)
    assert path.read_text() == "old"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.jsonl", "store"]


def test_a_place_that_cannot_be_written_to_is_a_mistake(played: Played, tmp_path: Path) -> None:
    for path in (tmp_path / "no" / "a.json", Path("/proc/a.json"), tmp_path / f"{'a' * 300}.json"):
        with pytest.raises(Mistake, match="the export cannot be written to") as raised:
            write_export(path, *played, BENCHMARK, BOARD)
        assert str(path) in str(raised.value)
    with pytest.raises(Mistake, match="no ending"):
        write_export(tmp_path, *played, BENCHMARK, BOARD)


def test_the_store_is_not_overwritten_by_its_own_export(played: Played, tmp_path: Path) -> None:
    records, _ = played
    link = tmp_path / "a.json"
    link.symlink_to(records.path)
    for path, format in ((records.path, "json"), (link, "")):
        with pytest.raises(Mistake, match="is the store"):
            write_export(path, *played, BENCHMARK, BOARD, format)
    assert records.integrity() == "ok"
    assert len(conversations(played)) == 3
