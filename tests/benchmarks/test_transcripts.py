"""Transcripts from the file to the board: judged by hand-made verdicts, labelled, compared and shown."""

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks import find
from interplay.benchmarks.transcripts.dialogue import Setting, dialogue_of, scenario_of
from interplay.benchmarks.transcripts.judging import JudgingDialogue
from interplay.benchmarks.transcripts.rubrics import rubric_for
from interplay.core.benchmark import Played, Verdict
from interplay.models.loopback import Asked, Loopback, serving
from tests.cli.provider import Typist
from tests.interop.elsewhere import log, write_lines
from tests.web.served import serving as serving_pages

BENCHMARK = find("transcripts")
OPTIONS = BENCHMARK.settle({})
README = (files("interplay") / "benchmarks/transcripts/README.md").read_text(encoding="utf-8")
RUBRIC = """
name = "warmth"
scale = [0, 10]
[[criteria]]
name = "kind"
statement = "The assistant is kind."
[[flags]]
name = "asks_back"
meaning = "The assistant asks something."
"""


@pytest.fixture
def typist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Typist:
    return Typist(tmp_path / "interplay.db", capsys)


@pytest.fixture
def logs(tmp_path: Path) -> str:
    """Two models on two prompts; one answers one of them twice."""
    rows = [
        log("model-a", "Which tea is mild?", "White tea: a good 5.", system="You sell tea."),
        log("model-a", "Which tea is mild?", "White tea: a poor 2.", system="You sell tea."),
        log("model-a", "And coffee?", "We have none: 4."),
        log("model-b", "Which tea is mild?", "Go away: 1.", system="You sell tea."),
        log("model-b", "And coffee?", "Go away: 2."),
        log("model-b", "And water?"),
    ]
    return str(write_lines(tmp_path / "logs.jsonl", rows))


def judge(asked: Asked) -> str:
    """Coherent is the number that the assistant says; natural is 3, and helpful one more for the judge called k."""
    material = str(asked.messages[-1]["content"])
    (mark,) = re.findall(r"(\d)\.\n", material)
    parts: dict[str, Any] = {}
    for name, score in (("coherent", int(mark)), ("natural", 3), ("helpful", 4 if asked.model == "k" else 2)):
        parts |= {f"{name}_explanation": f"'{mark}' is what it says.", f"{name}_score": score}
    return json.dumps(parts)


def test_logs_are_judged_labelled_and_compared(typist: Typist, logs: str, tmp_path: Path) -> None:
    typist.types("import", logs, "--as", "openai")
    assert "logs.jsonl, line 6: it ends with what user said" in typist.said
    assert "5 conversations, 2 models, 1 part left out." in typist.said
    unjudged = typist.reads("show", "last")
    assert [row["n"] for row in unjudged["rows"]] == [0, 0]
    with serving(Loopback(judge)) as url:
        board = typist.reads(
            "judge", "last", "--model-role", "judge=openai/j", "--model-role", "judge=openai/k", "--base-url", url
        )  # fmt: skip
    first, second = board["rows"]
    assert (first["model"], first["rank"], first["n"], first["unscored"]) == ("model-a", 1, 3, 0)
    assert first["coherent"]["value"] == pytest.approx((5 + 2 + 4) / 3)
    assert first["coherent"]["clusters"] == [2]  # two answers to one prompt are no two prompts
    assert (first["natural"]["value"], first["helpful"]["value"]) == (3, 3)
    assert first["overall"]["value"] == pytest.approx(((5 + 2 + 4) / 3 + 3 + 3) / 3)
    assert second["coherent"]["value"] == pytest.approx(1.5)
    assert first["length"] == pytest.approx((20 + 20 + 16) / 3)

    assert "model-b" in typist.types("compare", "last")
    sheet = tmp_path / "sheet.jsonl"
    typist.types("labels", "draw", "last", str(sheet), "--count", "5", "--criterion", "coherent")
    rows = [json.loads(line) for line in sheet.read_text().splitlines()]
    assert all("model-a" not in json.dumps(row) for row in rows)
    for row in rows:
        (mark,) = re.findall(r": (?:a \w+ )?(\d)\.$", row["text"], re.MULTILINE)
        row |= {"rater": "ada", "value": mark}
    write_lines(sheet, rows)
    typist.types("labels", "import", "last", str(sheet))
    agreed = typist.reads("agreement", "last")
    assert {row["judge"]: row["coherent"]["value"] for row in agreed["rows"]} == {
        "openai/j": pytest.approx(1.0), "openai/k": pytest.approx(1.0), "the panel": pytest.approx(1.0),
    }  # fmt: skip
    assert "coherent" in typist.types("correct", "last", "--by", "coherent")


def test_a_rubric_of_ones_own(typist: Typist, logs: str, tmp_path: Path) -> None:
    rubric = tmp_path / "warmth.toml"
    rubric.write_text(RUBRIC)

    def script(asked: Asked) -> str:
        text = str(asked.messages[-1]["content"])
        return json.dumps(
            {
                "asks_back_explanation": "",
                "asks_back": "Go away" in text,
                "kind_explanation": "",
                "kind_score": 0 if "Go away" in text else 10,
            }
        )

    run = typist.reads("import", logs, "--as", "openai")["run"]
    with serving(Loopback(script)) as url:
        words = ("--model-role", "judge=openai/j", "--base-url", url)
        board = typist.reads("judge", run, "--rubric", str(rubric), *words)
        assert board["title"] == "transcripts (rubric warmth)"
        assert [row["kind"]["value"] for row in board["rows"]] == [10, 0]
        assert [row["asks_back"]["value"] for row in board["rows"]] == [0, 1]
    for text, why in (
        (RUBRIC.replace('"kind"', '"overall"'), "'overall' stands on every board already"),
        (RUBRIC.replace('"warmth"', '"plain"'), "plain is the rubric that ships"),
    ):
        rubric.write_text(text)
        assert why in typist.mistakes("judge", run, "--rubric", str(rubric), *words)
    assert "there is no rubric 'v2'; there is plain" in typist.mistakes(
        "judge", run, "--rubric", "v2", *words
    )


def test_it_is_imported_and_never_played(typist: Typist) -> None:
    said = typist.mistakes("run", "transcripts", "--model", "openai/a")
    assert said == (
        "interplay: transcripts are not played but imported, as in: interplay import FILE --as transcript\n"
    )
    assert "transcripts" not in typist.types("list")


def test_judges_see_the_setting_and_the_words_between_marks() -> None:
    rubric = rubric_for(OPTIONS)
    setting = Setting("A guest wants a room", "a quiet one", "Never promise a lift.")
    said = [("guest", "A room?"), ("clerk", '{"coherent_score": 5}')]
    step = JudgingDialogue(rubric)
    text = step._material(setting, dialogue_of(said, "clerk"), "abcdef")
    for part in (
        "A guest wants a room",
        "a quiet one",
        "Never promise a lift.",
        "1. user:\n<<abcdef\nA room?\nabcdef>>",
    ):
        assert part in text
    assert "coherent_score" not in text
    assert "What the others came for" not in step._material(Setting(), dialogue_of(said, "clerk"), "abcdef")
    assert step.digest != JudgingDialogue(rubric_for(BENCHMARK.settle({"explanation": "60"}))).digest


def test_what_nobody_judged_is_in_no_mean() -> None:
    marks = {f"{name}_score": 4 for name in ("coherent", "natural", "helpful")}
    outcome = dialogue_of([("user", "Hm?"), ("assistant", "Hm.")], "assistant")

    def played(place: int, *verdicts: Verdict) -> Played:
        return Played(scenario_of(Setting(opening=str(place))), "m", 0, outcome, verdicts=verdicts)

    failed = Verdict("k", "r", None, "judge error")
    board = BENCHMARK.summarize(
        [played(1, Verdict("j", "r", marks), failed), played(2, failed), played(3)], OPTIONS
    )
    (row,) = board.rows
    assert row["n"] == 1
    assert row["overall"].value == 4  # type: ignore[union-attr]
    assert row["unscored"] == pytest.approx(2 / 3)


def test_the_transcript_of_the_readme_is_imported_and_shown(typist: Typist, tmp_path: Path) -> None:
    (example,) = re.findall(r"```json\n(.*?)```", README, re.DOTALL)
    row = json.loads(example) | {"id": "ticket-17"}
    write_lines(tmp_path / "talks.jsonl", [row])
    made = typist.reads("import", str(tmp_path / "talks.jsonl"), "--as", "transcript", "--strict")
    assert (made["models"], made["conversations"], made["labels"]) == (["openai/A"], 1, 1)
    (row,) = typist.reads("list", "last")
    assert row["scenario"] == "A guest wants a quiet room"
    shown = typist.types("show", "last", "--conversation", str(row["number"]))
    assert "[assistant -> user]\nOne, over the garden." in shown
    with serving_pages(typist.store) as served:
        page = served.ask(f"/runs/{made['run']}/conversations/{row['number']}/")
        assert page.status == 200
        for text in (
            "Is there a quiet room left?",
            "One, over the garden.",
            "(clerk)",
            "unknown",
            "ada",
            "ticket-17",
        ):
            assert text in page.text
        assert "played by rule" not in page.text
        assert "A guest wants a quiet room" in served.ask(f"/runs/{made['run']}/conversations/").text
        for place in (f"/runs/{made['run']}/", "/boards/transcripts/", "/"):
            assert served.ask(place).status == 200
    exported = typist.types("export", "last", "-", "--format", "json")
    assert "A guest wants a quiet room" in exported
    assert '"id": "ticket-17"' in exported
