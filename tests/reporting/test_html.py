"""The report: whatever models say in it is text, and it loads nothing from anywhere."""

import asyncio
import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks import find
from interplay.core.benchmark import Verdict
from interplay.core.board import Board, Column, Estimate
from interplay.core.conversation import Line
from interplay.core.failures import Mistake, SimulatorFailure
from interplay.reporting.html import report, write_report
from interplay.running.results import board_of
from interplay.running.spec import make_spec
from interplay.store.journal import Journal, Place
from interplay.store.records import Records, Run
from interplay.store.writer import Writer

BENCHMARK = find("role_play")
PAYLOADS = [
    "<script>alert(1)</script>",
    "</style><script src=http://evil.example/x.js></script>",
    '"><img src=x onerror=alert(1)>',
    "'><svg/onload=alert(1)>",
    "<iframe src='https://evil.example'></iframe>",
    "<a href='javascript:alert(1)'>x</a>",
    "<link rel=stylesheet href=https://evil.example/a.css>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "--><!--<b>",
    "{{ 7 * 7 }} {% for x in y %} {{ run.secret }}",
    "<details ontoggle=alert(1) open>",
    "&lt;script&gt; &amp; \u202e \u2028 🙂",
]
ALL_AT_ONCE = " ".join(PAYLOADS)
LOADING = {
    "script",
    "img",
    "iframe",
    "object",
    "embed",
    "link",
    "video",
    "audio",
    "base",
    "form",
    "a",
    "input",
}


class Page(HTMLParser):
    """What a browser would find in the page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


async def play_one(records: Records, run: Run, hostile: str) -> None:
    writer = Writer(records.path)
    journal = Journal(writer, run.number)
    first, second = BENCHMARK.scenarios(BENCHMARK.settle({}), None).scenarios[:2]
    cast = {"player": hostile, "interrogator": "openai/u"}
    number = await journal.open_conversation(Place(first, hostile, cast, 0), "p", anew=False)
    said = [
        Line("", ("interrogator",), "the narrator"),
        Line("interrogator", ("player",), f"user: {hostile}"),
        Line("player", ("interrogator",), f"player: {hostile}"),
    ]
    outcome = BENCHMARK.outcome(turns=())
    await journal.finish(number, outcome, said, "p")
    entry = {"fluency_explanation": f"because {hostile}", "fluency_score": 3, hostile: hostile}
    await journal.judged(number, "", Verdict(hostile, "v2", {"turns": [entry]}))
    await journal.judged(number, "", Verdict("z" + hostile, "v2", None, "judge error", hostile))
    void = await journal.open_conversation(Place(second, hostile, cast, 0), "p", anew=False)
    await journal.void(void, SimulatorFailure(hostile), said)
    await writer.close()


@pytest.fixture
def played(tmp_path: Path):
    """A run in which every text that others wrote is hostile, and its board."""
    spec = make_spec(
        BENCHMARK,
        models=[ALL_AT_ONCE],
        roles={"interrogator": ["openai/u"], "judge": [ALL_AT_ONCE]},
    )
    extent = {"limit": 2, "epochs": 1, "judges": [ALL_AT_ONCE], "rubric": "v2"}
    with Records(tmp_path / "a.db", create=True) as records:
        run = records.begin(spec.run_id, BENCHMARK.name, spec.identity(), extent)
        asyncio.run(play_one(records, run, ALL_AT_ONCE))
        columns = (
            Column("model", "model", "who", "text"),
            Column("score", "score", 'a "quoted" <meaning>', "score", (1.0, 5.0)),
            Column("share", "share", "a part", "share"),
            Column("cost", "cost", "money", "money"),
        )
        cells = {"score": Estimate(4.0, 3.0, 6.0, 2), "share": Estimate(None, None, None, 0), "cost": None}
        board = Board(ALL_AT_ONCE, columns, ({"model": ALL_AT_ONCE, **cells},), (ALL_AT_ONCE,))
        yield board, records, run, BENCHMARK


def test_hostile_text_stays_text(played: Any) -> None:
    page = Page(report(*played))
    tags = {tag for tag, _ in page.tags}
    assert not tags & LOADING
    drawings = [attributes for tag, attributes in page.tags if tag == "svg"]
    assert {attributes["class"] for attributes in drawings} == {"bar"}
    for payload in PAYLOADS:
        assert payload in page.text
    assert f"player: {ALL_AT_ONCE}" in page.text
    assert f"because {ALL_AT_ONCE}" in page.text
    assert "49" not in re.findall(r"\b\d+\b", page.text)


def test_no_element_has_a_handler_or_loads_anything(played: Any) -> None:
    page = Page(report(*played))
    for tag, attributes in page.tags:
        for name, value in attributes.items():
            assert not name.startswith("on"), (tag, name)
            assert name not in ("src", "href", "action", "formaction", "srcset", "srcdoc", "background")
            assert name != "style", tag
            if name in ("class", "id"):
                assert "evil" not in (value or "")
    [style] = re.findall(r"<style>(.*?)</style>", report(*played), re.DOTALL)
    assert "http" not in style
    assert "@import" not in style
    assert "url(" not in style


def test_a_policy_forbids_what_is_not_there(played: Any) -> None:
    page = Page(report(*played))
    policies = [
        attributes
        for tag, attributes in page.tags
        if attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    [style] = re.findall(r"<style>(.*?)</style>", report(*played), re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert [policy["content"] for policy in policies] == [f"default-src 'none'; style-src 'sha256-{digest}'"]
    metas = [attributes for tag, attributes in page.tags if tag == "meta"]
    assert [one.get("http-equiv") for one in metas if "http-equiv" in one] == ["Content-Security-Policy"]


def test_the_run_s_secret_is_not_in_it(played: Any) -> None:
    _, _, run, _ = played
    text = report(*played)
    assert run.secret.hex() not in text
    assert repr(run.secret)[2:-1] not in text


def test_the_same_record_gives_the_same_bytes(played: Any) -> None:
    assert report(*played) == report(*played)


def test_values_intervals_and_bars_are_drawn(played: Any) -> None:
    page = Page(report(*played))
    assert "4.00" in page.text
    assert "3.00–5.00" in page.text
    assert "unknown" in page.text
    drawn = {a["class"]: (a["x"], a["width"]) for tag, a in page.tags if tag == "rect"}
    assert drawn == {"rail": ("0", "100"), "band": ("4.0", "92.0"), "dot": ("49.0", "2")}
    assert "simulator error" in page.text
    assert "judge error" in page.text


def test_further_tables_are_shaded_and_their_texts_stay_texts(played: Any) -> None:
    board, *rest = played
    columns = (
        Column("model", "model", "who", "text"),
        Column("food", "<food>", "how <good>", "score", (0.0, 1.0), heat=True),
        Column("travel", "travel", "how good", "score", (0.0, 1.0), heat=True),
    )
    part = Board(ALL_AT_ONCE, columns, ({"model": ALL_AT_ONCE, "food": 0.2, "travel": 0.6},), (ALL_AT_ONCE,))
    page = Page(report(replace(board, parts=(part,)), *rest))
    shades = [a["class"] for tag, a in page.tags if tag == "td" and "warm" in (a["class"] or "")]
    assert shades == ["score warm-0", "score warm-10"]
    assert page.text.count(ALL_AT_ONCE) >= Page(report(*played)).text.count(ALL_AT_ONCE) + 3
    assert "<food>" in page.text
    assert {tag for tag, _ in page.tags} == {tag for tag, _ in Page(report(*played)).tags}


def test_the_narrator_and_what_only_the_speaker_heard_are_left_out(played: Any) -> None:
    assert "the narrator" not in Page(report(*played)).text


def test_a_board_made_by_the_benchmark_is_shown_too(tmp_path: Path) -> None:
    spec = make_spec(BENCHMARK, models=["openai/a"], roles={"interrogator": ["u"], "judge": ["j"]})
    with Records(tmp_path / "a.db", create=True) as records:
        extent = {"limit": 1, "epochs": 1, "judges": ["j"], "rubric": "r"}
        run = records.begin(spec.run_id, BENCHMARK.name, spec.identity(), extent)
        board = board_of(records, run, BENCHMARK)
        page = Page(report(board, records, run, BENCHMARK))
    assert run.id in page.text
    assert BENCHMARK.meaning in page.text
    for column in board.columns:
        assert column.meaning in page.text


def test_a_report_takes_the_place_of_an_old_one_whole(played: Any, tmp_path: Path) -> None:
    path = tmp_path / "out" / "report.html"
    path.parent.mkdir()
    path.write_text("old")
    with path.open() as reading:
        write_report(path, *played)
        assert reading.read() == "old"  # whoever had it open sees the old file, not half a new one
    assert path.read_text(encoding="utf-8") == report(*played)
    assert [one.name for one in path.parent.iterdir()] == ["report.html"]


def test_a_path_that_cannot_be_written_is_a_mistake(played: Any, tmp_path: Path) -> None:
    for path in (tmp_path / "no" / "report.html", Path("/proc/report.html")):
        with pytest.raises(Mistake, match="cannot be written") as raised:
            write_report(path, *played)
        assert str(path) in str(raised.value)
        assert not path.exists()


def test_a_report_that_cannot_be_put_in_its_place_leaves_nothing(played: Any, tmp_path: Path) -> None:
    path = tmp_path / "out" / "report.html"
    path.mkdir(parents=True)
    with pytest.raises(Mistake):
        write_report(path, *played)
    assert [one.name for one in path.parent.iterdir()] == ["report.html"]
