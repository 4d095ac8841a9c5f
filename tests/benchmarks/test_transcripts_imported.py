"""Plain transcripts and chat logs: what is read of a row, and why another is not."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.transcripts import benchmark
from interplay.benchmarks.transcripts.dialogue import Setting, scenario_of
from interplay.benchmarks.transcripts.imported import OPENAI, TRANSCRIPT
from interplay.core.import_files import Skipped
from interplay.core.importing import Imported, Importer, Opinion, Reading
from tests.interop.elsewhere import log, write_json, write_lines

Change = Callable[[dict[str, Any]], object]


def read(importer: Importer, path: Path, model: str = "") -> list[Imported | Skipped]:
    return list(importer.read(Reading(path, benchmark.settle({}), model)))


def talk(**more: Any) -> dict[str, Any]:
    """A row of ours: three at a desk."""
    return {
        "scenario": "A guest wants a quiet room",
        "goal": "a room away from the street",
        "system": "Never promise a lift.",
        "model": "clerk-1",
        "seat": "clerk",
        "lines": [
            {"speaker": "guest", "text": "Is there a quiet room?"},
            {"speaker": "clerk", "text": "One, over the garden."},
            {"speaker": "porter", "text": "The lift is out."},
        ],
        "labels": [
            {"rater": "ada", "criterion": "helpful", "value": 5},
            {"criterion": "natural", "value": "4"},
        ],
    } | more


def one(importer: Importer, folder: Path, row: Any, model: str = "") -> Imported | Skipped:
    (found,) = read(importer, write_lines(folder / "a.jsonl", [row]), model)
    return found


def test_a_transcript_is_seats_words_and_setting(tmp_path: Path) -> None:
    found = one(TRANSCRIPT, tmp_path, talk())
    assert isinstance(found, Imported)
    played = found.played
    assert (played.subject, played.cast) == ("clerk-1", {"assistant": "clerk-1", "user": "unknown"})
    assert [(seat.seat, seat.name) for seat in played.outcome.seats] == [
        ("user", "guest"), ("assistant", "clerk"), ("user 2", "porter"),
    ]  # fmt: skip
    assert [(line.source, line.heard_by, line.text) for line in found.lines] == [
        ("", ("assistant",), "Never promise a lift."),
        ("user", ("assistant", "user 2"), "Is there a quiet room?"),
        ("assistant", ("user", "user 2"), "One, over the garden."),
        ("user 2", ("user", "assistant"), "The lift is out."),
    ]
    assert played.scenario.content == {
        "scenario": "A guest wants a quiet room",
        "goal": "a room away from the street",
        "system": "Never promise a lift.",
        "opening": "",
    }
    assert played.scenario.label == "A guest wants a quiet room"
    assert found.opinions == (Opinion("ada", "helpful", 5.0), Opinion("", "natural", 4.0))


def test_what_was_asked_is_the_scenario_where_none_has_a_name(tmp_path: Path) -> None:
    rows = [
        log("a", "Which tea is mild?", "White tea.", system="You sell tea."),
        log("b", "Which tea is mild?", "None.", "None?", "None.", system="You sell tea."),
        log("a", "Which tea is mild?", "White tea."),
        log("a", "Which tea is strong?", "Black tea.", system="You sell tea.", id="row-4"),
    ]
    found = read(OPENAI, write_json(tmp_path / "a.json", rows))
    first, second, plain, other = (row.played.scenario for row in found if isinstance(row, Imported))
    assert first.id == second.id
    assert len({first.id, plain.id, other.id}) == 3
    assert (first.label, other.label) == ("Which tea is mild?", "Which tea is strong?")
    assert found[1].where == "entry 2"


@pytest.mark.parametrize(
    ("importer", "row"), [(OPENAI, log("a", "Hello?", "Hello.")), (TRANSCRIPT, talk())], ids=["log", "talk"]
)
def test_rows_of_one_scenario_have_each_their_own_id(
    tmp_path: Path, importer: Importer, row: dict[str, Any]
) -> None:
    path = write_lines(tmp_path / "a.jsonl", [row | {"id": id} for id in ("ticket-1", "ticket-2")])
    first, second = (row.played for row in read(importer, path) if isinstance(row, Imported))
    assert first.scenario == second.scenario
    assert "ticket" not in first.scenario.label
    assert (first.outcome.id, second.outcome.id) == ("ticket-1", "ticket-2")


@pytest.mark.parametrize(
    ("id", "kept"),
    [
        ("half \ud800, nul \0", "half ?, nul \N{REPLACEMENT CHARACTER}"),
        ("x" * 10_000, "x" * 200),
        (17, ""),
        (" ", ""),
    ],
)
def test_what_a_log_is_called_fits_a_store(tmp_path: Path, id: Any, kept: str) -> None:
    found = one(OPENAI, tmp_path, log("a", "Hello?", "Hello.", id=id))
    assert isinstance(found, Imported)
    assert found.played.outcome.id == kept


def test_a_label_fits_a_store() -> None:
    label = scenario_of(Setting(opening="half \ud800 " + "x" * 1_000)).label
    assert label == "half ? " + "x" * 50 + "..."


def test_what_a_model_was_told_before_may_come_in_parts(tmp_path: Path) -> None:
    row = log("a", "Hello?", "Hello.", metadata={"any": 1}, tools=[])
    row["messages"][0:0] = [
        {"role": "system", "content": [{"type": "text", "text": "Be kind."}, {"type": "text", "text": "Be brief."}]},
        {"role": "developer", "content": "Be quick."},
    ]  # fmt: skip
    found = one(OPENAI, tmp_path, row)
    assert isinstance(found, Imported)
    assert found.played.scenario.content["system"] == "Be kind.\nBe brief.\n\nBe quick."
    assert [line.text for line in found.lines[1:]] == ["Hello?", "Hello."]


def test_the_model_is_said_by_the_row_or_beside_it(tmp_path: Path) -> None:
    row = log("a", "Hello?", "Hello.")
    assert one(OPENAI, tmp_path, row, "b").played.subject == "a"  # type: ignore[union-attr]
    del row["model"]
    assert one(OPENAI, tmp_path, row, "b").played.subject == "b"  # type: ignore[union-attr]
    left = one(OPENAI, tmp_path, row)
    assert isinstance(left, Skipped)
    assert left.why == "it does not say whose replies these are: name the model with --model NAME"


LOGS: dict[str, tuple[Change, str]] = {
    "no messages": (lambda row: row.pop("messages"), "it is an object; a row is an object with messages"),
    "none at all": (lambda row: row.update(messages=[]), "messages is empty"),
    "texts": (lambda row: row.update(messages=["a"]), "messages must be a list of objects"),
    "only a system message": (
        lambda row: row.update(messages=[{"role": "system", "content": "x"}]),
        "it ends with what nobody said: there is nothing to judge",
    ),
    "unanswered": (lambda row: row["messages"].pop(), "it ends with what user said: there is nothing to judge"),
    "begun by the assistant": (
        lambda row: row["messages"].reverse(),
        "messages[0] is by 'assistant', where it is the turn of user",
    ),
    "a system message in between": (
        lambda row: row["messages"][1].update(role="system"),
        "messages[1] is by 'system', where it is the turn of assistant",
    ),
    "a tool": (lambda row: row["messages"][1].update(role="tool"), "messages[1] is by 'tool'; user and assistant"),
    "a call of a tool": (
        lambda row: row["messages"][1].update(content=None, tool_calls=[{"id": "1"}]),
        "messages[1] has tool_calls, which is no text",
    ),
    "nothing": (
        lambda row: row["messages"][1].update(content=None),
        "messages[1].content must be a text, not nothing",
    ),
    "a picture": (
        lambda row: row["messages"][0].update(content=[{"type": "image_url", "image_url": {"url": "x"}}]),
        "messages[0].content has a part that is 'image_url', and no text",
    ),
    "no parts": (lambda row: row["messages"][1].update(content=[]), "messages[1].content is empty"),
    "parts without words": (
        lambda row: row["messages"][1].update(content=[{"type": "text", "text": " "}]),
        "messages[1].content.text is empty",
    ),
    "parts that are long together": (
        lambda row: row["messages"][1].update(content=[{"type": "text", "text": "x" * 60_000}] * 2),
        "messages[1].content is longer than 100,000 characters",
    ),
    "system messages that are long together": (
        lambda row: row["messages"].__setitem__(slice(0, 0), [{"role": "system", "content": "x" * 60_000}] * 2),
        "the system message is longer than 100,000 characters",
    ),
    "a bad name": (lambda row: row.update(model=["a"]), "model must be a text, not a list"),
}  # fmt: skip


@pytest.mark.parametrize("case", LOGS)
def test_a_log_that_is_not_understood_is_skipped(tmp_path: Path, case: str) -> None:
    row = log("a", "Hello?", "Hello.")
    change, why = LOGS[case]
    change(row)
    found = one(OPENAI, tmp_path, row)
    assert isinstance(found, Skipped)
    assert found.why.startswith(why), found.why


TALKS: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown key": ({"modl": "x"}, "'modl' is not part of a transcript; did you mean 'model'?"),
    "nobody": ({"lines": []}, "lines is empty"),
    "no speaker": ({"lines": [{"text": "a"}]}, "lines[0].speaker must be a text, not nothing"),
    "no words": ({"lines": [{"speaker": "clerk", "text": ""}]}, "lines[0].text is empty"),
    "too many": (
        {"lines": [{"speaker": "clerk", "text": "a"}] * 2_001},
        "lines has more than 2,000 entries",
    ),
    "nobody measured": ({"seat": "cook"}, "nobody called 'cook' speaks; say who is the model with seat"),
    "a scenario that is no text": ({"scenario": {}}, "scenario must be a text, not an object"),
    "another criterion": (
        {"labels": [{"criterion": "help", "value": 1}]},
        "labels[0]: the rubric plain has no 'help'; did you mean 'helpful'?",
    ),
    "off the scale": (
        {"labels": [{"criterion": "helpful", "value": 6}]},
        "labels[0].value is 6, which is not a whole number from 1 to 5",
    ),
    "no labels": ({"labels": {"helpful": 1}}, "labels must be a list of objects"),
}


@pytest.mark.parametrize("case", TALKS)
def test_a_transcript_that_is_not_understood_is_skipped(tmp_path: Path, case: str) -> None:
    change, why = TALKS[case]
    found = one(TRANSCRIPT, tmp_path, talk(**change))
    assert isinstance(found, Skipped)
    assert found.why.startswith(why), found.why


def test_a_text_for_a_list_of_rows_is_no_row(tmp_path: Path) -> None:
    found = read(TRANSCRIPT, write_json(tmp_path / "a.json", "hello"))
    assert found == [Skipped("the file", "it is a text; a row is an object with lines")]
