"""Exports: exact where programs read them, harmless where people do, and the same bytes from the same record."""

import asyncio
import base64
import csv
import io
import json
import shutil
import tracemalloc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import interplay
from interplay.api import setup
from interplay.benchmarks import find
from interplay.core.benchmark import Scenario, Score, Verdict
from interplay.core.board import Board, Column, Estimate
from interplay.core.conversation import Line
from interplay.core.failures import Mistake, SimulatorFailure
from interplay.core.wire import Message, Reply, Request, Sampling, Step, Thread
from interplay.models.loopback import Loopback, serving
from interplay.reporting.export import FORMATS, _defused, export, format_of, write_export
from interplay.reporting.html import report
from interplay.reporting.writing import UNSEEN, readable
from interplay.store.journal import Journal, Place
from interplay.store.records import Records, Run
from interplay.store.writer import Writer
from tests.running.job import answer

HOSTILE = (
    '=HYPERLINK("http://evil.example") | `x` <script>alert(1)</script> \x1b[31m \x9b \u202e\u2066 \u2028\u2029'
    ' \x85 "quoted", привет 🙂\r\n- [a](http://evil.example)\t;=1+1 \\u0000 {{ run.secret }}'
)
KEY = "sk-canary-0123456789abcdef"
RUBRIC = "rubric-2"


@dataclass(frozen=True)
class Game:
    points: float
    said: str = ""


def score(outcome: Game, verdicts: Sequence[Verdict], *_: Any) -> list[Score]:
    rule = Score("points", outcome.points, "rule: =points")
    return [rule, *(Score("quality", one.data["quality"], one.judge) for one in verdicts if one.data)]


BENCHMARK = replace(find("role_play"), outcome=Game, score=score)
BOARD = Board(
    HOSTILE,
    (Column("model", "model", "who", "text"), Column("score", "score", "how good", "score", (1.0, 5.0))),
    ({"model": HOSTILE, "score": Estimate(4.0, 3.0, 5.0, 2, (1, 2), "t")},),
    (HOSTILE,),
)
Played = tuple[Records, Run]


def begin(records: Records, rubric: str = RUBRIC) -> Run:
    extent = {"limit": 3, "epochs": 2, "judges": ["openai/j"], "rubric": rubric}
    return records.begin("role_play-1", "role_play", {"options": {}, "models": [HOSTILE]}, extent)


def place(number: int, subject: str = HOSTILE, repeat: int = 0) -> Place:
    cast = {"player": subject, "interrogator": "openai/u"}
    return Place(Scenario({"n": number, "text": HOSTILE}, f"{HOSTILE} {number}"), subject, cast, repeat)


async def fill(journal: Journal) -> None:
    """A conversation that was played anew and judged by two rubrics, one that is void and one that is open."""
    lines = [Line("", ("player",), HOSTILE), Line("player", ("player", "user"), f"I say: {HOSTILE}")]
    old = await journal.open_conversation(place(1), "p1", anew=False)
    await journal.finish(old, Game(1.0, "the older take"), lines, "p1")
    await journal.judged(old, "", Verdict("openai/j", RUBRIC, {"quality": 1.0}))
    await journal.scored(old, [Score("points", 1.0, "stale")])
    new = await journal.open_conversation(place(1), "p2", anew=True)
    await journal.finish(new, Game(-2.5, HOSTILE), lines, "p2")
    await journal.judged(new, "", Verdict("openai/j", "rubric-1", {"quality": 3.0, "why": HOSTILE}))
    await journal.judged(new, "", Verdict("openai/j", RUBRIC, {"why": HOSTILE, "quality": 4.0}))
    await journal.judged(new, "", Verdict(f"={HOSTILE}", RUBRIC, None, "judge error", HOSTILE))
    await journal.judged(new, "a pair", Verdict("openai/j", RUBRIC, {"quality": 9.0}))
    await journal.scored(new, [Score("quality", 3.0, "openai/j")])
    void = await journal.open_conversation(place(2), "p2", anew=False)
    await journal.void(void, SimulatorFailure(HOSTILE), lines)
    await journal.open_conversation(place(2, "@other", repeat=1), "p2", anew=False)


async def spend(journal: Journal, cost: float | None) -> None:
    """Calls of the first conversation: one answered, one failed, one never answered."""
    request = Request("openai/a", Thread.start(Message("user", "hello")), Sampling())
    calls = [await journal.intend(1, Step("play", "", "player", turn), 0, request) for turn in range(3)]
    await journal.settle(calls[0], Reply("x", version="a-1", tokens_in=10, tokens_out=5, cost=cost))
    await journal.settle_failure(calls[1], "server", "", b"")


def write(records: Records, run: Run, *writings: Any) -> None:
    async def do() -> None:
        writer = Writer(records.path)
        try:
            for writing in writings:
                await writing(Journal(writer, run.number))
        finally:
            await writer.close()

    asyncio.run(do())


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Played]:
    """A run in which every text that others wrote is hostile."""
    (tmp_path / "store").mkdir()
    with Records(tmp_path / "store" / "a.db", create=True) as records:
        run = begin(records)
        write(records, run, fill)
        yield records, run


def text_of(played: Played, format: str, board: Board = BOARD) -> str:
    return "".join(export(*played, BENCHMARK, board, format))


def conversations(played: Played) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(text_of(played, "json"))["conversations"]
    return found


def finished(played: Played) -> dict[str, Any]:
    """The one conversation that was played to its end."""
    [found] = [one for one in conversations(played) if one["state"] == "done"]
    return found


# Formats


@pytest.mark.parametrize(
    "name, format",
    [
        ("a.json", "json"),
        ("a.b.jsonl", "jsonl"),
        ("dir.csv/a.CSV", "csv"),
        ("a.md", "markdown"),
        ("a.markdown", "markdown"),
        ("a.html", "html"),
        ("a.HTM", "html"),
    ],
)
def test_the_ending_of_a_name_says_the_format(name: str, format: str) -> None:
    assert format_of(Path(name)) == format
    assert format in FORMATS


@pytest.mark.parametrize(
    "name, words",
    [
        ("a.jsn", "there is no format for '.jsn', as in a.jsn; did you mean '.json'?"),
        (
            "b/a.xlsx",
            "there is no format for '.xlsx', as in b/a.xlsx; there is .csv, .htm, .html, .json, .jsonl",
        ),
        ("json", "json has no ending that says the format; there is .csv"),
    ],
)
def test_another_ending_comes_with_what_would_be_right(name: str, words: str) -> None:
    with pytest.raises(Mistake) as raised:
        format_of(Path(name))
    assert str(raised.value).startswith(words)


def test_an_unknown_format_is_refused_before_anything_is_read(played: Played) -> None:
    with pytest.raises(Mistake, match="there is no format 'jsonlines'; did you mean 'jsonl'"):
        export(*played, BENCHMARK, BOARD, "jsonlines")


# JSON


def test_json_has_the_run_its_board_and_what_it_used(played: Played) -> None:
    records, run = played
    write(records, run, lambda journal: spend(journal, 0.25))
    found = json.loads(text_of(played, "json"))
    assert list(found) == ["run", "board", "totals", "conversations"]
    assert found["run"] == {
        "id": "role_play-1",
        "name": "",
        "benchmark": "role_play",
        "created": run.created,
        "identity": {"models": [HOSTILE], "options": {}},
        "extent": {"epochs": 2, "judges": ["openai/j"], "limit": 3, "rubric": RUBRIC},
    }
    assert found["board"] == json.loads(json.dumps(BOARD.as_json()))
    assert found["totals"] == {
        "finished": 1,
        "failed": 1,
        "unknown": 1,
        "unknown_cost": None,
        "tokens_in": 10,
        "tokens_out": 5,
        "estimated": 0,
        "cost": 0.25,
        "models": {"openai/a": ["a-1"]},
    }


def test_a_cost_that_is_unknown_is_null(played: Played) -> None:
    write(*played, lambda journal: spend(journal, None))
    assert json.loads(text_of(played, "json"))["totals"]["cost"] is None


def test_a_conversation_is_told_whole_and_its_texts_are_exact(played: Played) -> None:
    label = f"{HOSTILE} 1"
    assert finished(played) == {
        "number": 2,
        "scenario": {"id": place(1).scenario.id, "label": label, "content": {"n": 1, "text": HOSTILE}},
        "model": HOSTILE,
        "cast": {"interrogator": "openai/u", "player": HOSTILE},
        "repeat": 1,
        "take": 1,
        "state": "done",
        "failure": "",
        "detail": "",
        "protocol": "p2",
        "outcome": {"points": -2.5, "said": HOSTILE},
        "lines": [
            {"source": "", "heard_by": ["player"], "text": HOSTILE},
            {"source": "player", "heard_by": ["player", "user"], "text": f"I say: {HOSTILE}"},
        ],
        "verdicts": [
            verdict(f"={HOSTILE}", RUBRIC, None, failure="judge error", detail=HOSTILE),
            verdict("openai/j", "rubric-1", {"quality": 3.0, "why": HOSTILE}),
            verdict("openai/j", RUBRIC, {"why": HOSTILE, "quality": 4.0}),
            verdict("openai/j", RUBRIC, {"quality": 9.0}, item="a pair"),
        ],
        "scores": [
            {"name": "points", "value": -2.5, "source": "rule: =points"},
            {"name": "quality", "value": 4.0, "source": "openai/j"},
        ],
    }


def verdict(judge: str, rubric: str, data: Any, item: str = "", failure: str = "", detail: str = "") -> Any:
    return {
        "item": item,
        "judge": judge,
        "rubric": rubric,
        "data": data,
        "failure": failure,
        "detail": detail,
    }


def test_a_verdict_s_fields_stay_in_the_order_the_judge_gave_them_in(played: Played) -> None:
    [given] = [v for v in finished(played)["verdicts"] if v["data"] and v["data"]["quality"] == 4.0]
    assert list(given["data"]) == ["why", "quality"]


def test_scores_follow_the_rubric_of_the_run_and_not_what_was_scored_before(played: Played) -> None:
    records, run = played
    before = replace(run, extent={**run.extent, "rubric": "rubric-1"})
    assert [one["value"] for one in finished((records, before))["scores"]] == [-2.5, 3.0]
    other = replace(run, extent={**run.extent, "rubric": "rubric-3"})
    assert [one["value"] for one in finished((records, other))["scores"]] == [-2.5]
    assert finished((records, other))["verdicts"] == finished(played)["verdicts"]


def test_what_came_to_nothing_is_listed_with_its_cause_and_without_scores(played: Played) -> None:
    _, opened, void = sorted(conversations(played), key=lambda one: one["state"])
    assert (opened["state"], opened["model"], opened["repeat"], opened["lines"]) == ("open", "@other", 2, [])
    assert (void["state"], void["failure"], void["detail"]) == ("void", "simulator error", HOSTILE)
    assert void["outcome"] is opened["outcome"] is None
    assert void["scores"] == opened["scores"] == []


def test_json_lines_say_the_same_one_by_one(played: Played) -> None:
    text = text_of(played, "jsonl")
    first, *others = [json.loads(line) for line in text.splitlines()]  # which also cuts at \x85 or \u2028
    whole = json.loads(text_of(played, "json"))
    assert first == {"kind": "run", **{key: whole[key] for key in ("run", "board", "totals")}}
    assert others == [{"kind": "conversation", **one} for one in whole["conversations"]]
    assert text.endswith("}\n")


@pytest.mark.parametrize("format", ["json", "jsonl"])
def test_json_keeps_letters_as_they_are_and_escapes_what_cannot_be_seen(played: Played, format: str) -> None:
    text = text_of(played, format)
    assert "привет 🙂" in text
    assert not UNSEEN.search(text)
    assert "\\u001b[31m \\u009b \\u202e\\u2066 \\u2028\\u2029 \\u0085" in text


def test_a_run_without_conversations_is_an_export_too(tmp_path: Path) -> None:
    with Records(tmp_path / "a.db", create=True) as records:
        empty = records, begin(records)
        assert json.loads(text_of(empty, "json"))["conversations"] == []
        assert len(text_of(empty, "jsonl").splitlines()) == 1
        assert text_of(empty, "csv") == "run,conversation,scenario,model,repeat,score,source,value\r\n"


def test_what_no_store_should_hold_does_not_break_an_export(played: Played) -> None:
    records, _ = played
    records.db.execute(
        "UPDATE conversations SET lines = ?, outcome = ? WHERE state = 'done'",
        (r'[{"source": "a", "heard_by": [], "text": "x\ud800y\u0000z"}]', '{"points": 1, "said": NaN}'),
    )
    board = replace(BOARD, rows=({"model": "a\ud800\0", "score": float("nan")},), notes=("n\udfff",))
    for format in FORMATS:
        text = text_of(played, format, board)
        assert "\0" not in text
        assert text.encode("utf-8").decode("utf-8") == text

    def refuse(constant: str) -> Any:
        raise AssertionError(f"{constant} is no JSON")

    found = json.loads(text_of(played, "json", board), parse_constant=refuse)
    [one] = [one for one in found["conversations"] if one["state"] == "done"]
    assert one["lines"][0]["text"] == "x?y\N{REPLACEMENT CHARACTER}z"
    assert one["outcome"]["said"] is None
    assert found["board"]["rows"] == [{"model": "a?\N{REPLACEMENT CHARACTER}", "score": None}]


# CSV


def test_csv_has_every_score_on_a_line(played: Played) -> None:
    text = text_of(played, "csv")
    assert text.endswith("\r\n")
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    assert header == ["run", "conversation", "scenario", "model", "repeat", "score", "source", "value"]
    seen = (
        '\'=HYPERLINK("http://evil.example") | `x` <script>alert(1)</script> [31m   \n\n \n'
        " \"quoted\", привет 🙂\n'- [a](http://evil.example) ;'=1+1 \\u0000 {{ run.secret }}"
    )
    assert rows == [
        ["role_play-1", "2", f"{seen} 1", seen, "1", "points", "rule: =points", "-2.5"],
        ["role_play-1", "2", f"{seen} 1", seen, "1", "quality", "openai/j", "4.0"],
    ]


@pytest.mark.parametrize("sign", "=+-@\t\r＝＋－＠")
def test_no_name_of_a_model_a_judge_or_a_scenario_is_a_formula(tmp_path: Path, sign: str) -> None:
    name = f"{sign}cmd|' /C calc'!A0"
    made = Place(Scenario({}, name), name, {"player": name}, 0)

    async def play(journal: Journal) -> None:
        number = await journal.open_conversation(made, "p", anew=False)
        await journal.finish(number, Game(-1.0), [], "p")
        await journal.judged(number, "", Verdict(name, RUBRIC, {"quality": -4.0}))

    with Records(tmp_path / "a.db", create=True) as records:
        run = begin(records)
        write(records, run, play)
        rows = list(csv.DictReader(io.StringIO(text_of((records, run), "csv"), newline="")))
    assert [row["value"] for row in rows] == ["-1.0", "-4.0"]
    for cell in (rows[1]["scenario"], rows[1]["model"], rows[1]["source"]):
        assert cell[0] not in "=+-@\t\r＝＋－＠"
        assert cell.lstrip("' \n").removeprefix(sign) == "cmd|' /C calc'!A0"


@settings(deadline=None)
@given(st.text() | st.text(st.sampled_from("=+-@;\n\r\t ,'\"a＝"), max_size=20))
@example("; =1")
@example(" \t=1")
@example("a;b\n\n-c")
def test_whatever_a_cell_is_cut_at_no_part_of_it_is_a_formula(text: str) -> None:
    cell = _defused(text)
    for part in cell.replace(";", "\n").split("\n"):
        assert not part.strip().startswith(tuple("=+-@＝＋－＠"))
    assert not UNSEEN.search(cell)
    assert cell.replace("'", "") == readable(text).replace("'", "")


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
