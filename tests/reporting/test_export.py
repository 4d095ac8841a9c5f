"""Exports: exact where programs read them, harmless where people do, and the same bytes from the same record."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from interplay.core.benchmark import Scenario, Verdict
from interplay.core.failures import Mistake
from interplay.reporting.export import FORMATS, defused, export, format_of
from interplay.reporting.writing import UNSEEN, readable
from interplay.store.journal import Journal, Place
from interplay.store.records import Records
from tests.reporting.exported import (
    BENCHMARK,
    BOARD,
    HOSTILE,
    RUBRIC,
    Game,
    Played,
    begin,
    conversations,
    finished,
    place,
    spend,
    text_of,
    write,
)

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
            {"name": "points", "value": -2.5, "source": "rule: =points", "model": HOSTILE},
            {"name": "quality", "value": 4.0, "source": "openai/j", "model": HOSTILE},
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
    cell = defused(text)
    for part in cell.replace(";", "\n").split("\n"):
        assert not part.strip().startswith(tuple("=+-@＝＋－＠"))
    assert not UNSEEN.search(cell)
    assert cell.replace("'", "") == readable(text).replace("'", "")
