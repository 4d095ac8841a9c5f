"""Verdicts on answers: only the verdict's field is read, and 120 injected answers change no verdict."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from interplay.benchmarks.simulation.judges import WORDS
from interplay.core.conversation import MOST_TRIES
from interplay.core.reading import fields_named
from interplay.judging.fence import defused
from interplay.models.loopback import Asked, Loopback, Script, serving
from interplay.store.records import Records
from tests.benchmarks.injected import (
    JUDGES,
    LOW,
    PROBES,
    VERDICT,
    Record,
    all_probes,
    ordinary,
    record_of,
    run_simulation,
)

ORDERS = ("attacked", "clean")  # which of two answers is shown first


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Record:
    return all_probes(tmp_path_factory.mktemp("probes"))


_RATINGS = (r"\[\[(\d+)\]\]", r"\[(\d+)\]", r"(?i)rating:\s*\**(\d+)")


def read_naively(text: str) -> int | None:
    """Searches the whole reply: double brackets, brackets, Rating:, the first JSON with a rating."""
    for pattern in _RATINGS:
        if found := re.search(pattern, text):
            return int(found[1])
    for place in (found.start() for found in re.finditer(r"\{", text)):
        try:
            value, _ = json.JSONDecoder().raw_decode(text, place)
        except ValueError:
            continue
        if "rating" in value:
            return int(value["rating"])
    return None


def read_a_letter_naively(text: str) -> str:
    found = re.search(r"\[\[([AB])\]\]", text)
    return found[1] if found else "tie"


def test_every_probe_was_judged_as_it_was_written_but_for_the_names_of_fields(record: Record) -> None:
    for probe in PROBES:
        written = defused(probe.planted(ordinary(probe)).strip(), WORDS)
        assert not list(fields_named(written, WORDS))
        for judge in JUDGES:
            assert f"\n{written}\n" in record.ratings[judge, "attacked", probe.id].prompt
            assert all(f"\n{written}\n" in record.pairs[judge, first, probe.id].prompt for first in ORDERS)
        in_form = json.dumps({"explanation": written, "rating": LOW}, ensure_ascii=False)
        assert record.ratings["quoting", "attacked", probe.id].raw == in_form
        assert record.ratings["stubborn", "attacked", probe.id].raw == f"{written}\n\n{VERDICT}"


@pytest.mark.parametrize("judge", JUDGES)
def test_no_probe_flips_its_rating_or_gets_out_of_it(judge: str, record: Record) -> None:
    clean = {probe.id: record.rating(judge, "clean", probe.id) for probe in PROBES}
    attacked = {probe.id: record.rating(judge, "attacked", probe.id) for probe in PROBES}
    assert set(clean.values()) == {LOW}
    assert {id: rating for id, rating in attacked.items() if rating != clean[id]} == {}


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("first", ORDERS)
def test_no_probe_wins_a_pair_in_either_order(judge: str, first: str, record: Record) -> None:
    found = {probe.id: record.pairs[judge, first, probe.id].read for probe in PROBES}
    assert {id: read for id, read in found.items() if read is None or read["better"] != "tie"} == {}


def test_the_board_shows_no_difference_between_the_attacked_and_the_clean(record: Record) -> None:
    rows = {row["model"]: row for row in record.board["rows"]}
    for model in ("openai/attacked", "openai/clean"):
        assert rows[model]["all"]["value"] == LOW
        assert (rows[model]["n"], rows[model]["unscored"], rows[model]["rank"]) == (len(PROBES), 0.0, 1)


@pytest.mark.parametrize("judge", JUDGES)
def test_a_naive_reader_of_the_same_replies_is_flipped_by_most_probes(judge: str, record: Record) -> None:
    raw = {key: one.raw for key, one in record.ratings.items()}
    assert {read_naively(raw[judge, "clean", probe.id]) for probe in PROBES} == {LOW}
    flipped = [probe.id for probe in PROBES if read_naively(raw[judge, "attacked", probe.id]) != LOW]
    assert len(flipped) >= 100, f"{len(flipped)} of {len(PROBES)}"


def test_a_naive_reader_of_pairs_is_flipped_by_probes_that_want_a_letter(record: Record) -> None:
    letters = [probe for probe in PROBES if probe.wants != "high"]
    flipped = [
        p for p in letters if read_a_letter_naively(record.pairs["quoting", "clean", p.id].raw) != "tie"
    ]
    assert len(flipped) >= 5, f"{len(flipped)} of {len(letters)}"


def test_every_call_of_a_judge_has_a_mark_of_its_own(record: Record) -> None:
    prompts = [one.prompt for kept in (record.ratings, record.pairs) for one in kept.values()]
    marks = [prompt.split("<<")[1].split(" ")[0] for prompt in prompts]
    assert len(set(marks)) == len(marks) == len(JUDGES) * (2 + 2) * len(PROBES)
    for prompt, mark in zip(prompts, marks, strict=True):
        texts = 3 if "Answer B:" in prompt else 2  # the request's, and an answer's or two
        assert prompt.count(f"\n{mark}>>") == prompt.count(f"<<{mark}\n") == texts


UNREADABLE = {
    "fraction-in-brackets": "[[9/10]]",
    "off-the-scale-in-brackets": "[[15]]",
    "brackets-before-the-rating": "The item array[0] is wrong. Rating: 7",
    "two-letters": "The better one is not [[A]] but [[B]].",
    "rating-alone": '{"rating": 7}',
    "off-the-scale": '{"explanation": "more than perfect", "rating": 15}',
    "fraction": '{"explanation": "fine", "rating": "9/10"}',
    "word": '{"explanation": "fine", "rating": "nine"}',
    "half": '{"explanation": "fine", "rating": 8.5}',
    "two-verdicts": '{"explanation": "good", "rating": 9} or rather {"explanation": "bad", "rating": 3}',
    "same-words-other-rating": '{"explanation": "so", "rating": 9} {"explanation": "so", "rating": 3}',
    "rating-given-twice": '{"explanation": "fine", "rating": 9, "rating": 3}',
    "another-field": '{"explanation": "fine", "rating": 9, "confidence": 1}',
    "prose": "A good answer. I would give it a nine. Rating: 9",
    "only-a-quotation": 'The answer says "[[10]]" and (rating)- 10, which I do not believe.',
    "names-without-quotes": "The answer has {rating: 10, explanation: fine} in it.",
}
READABLE = {
    "plain": ('{"explanation": "small flaws", "rating": 7}', 7),
    "prose-around": ('Here you are: {"explanation": "fine", "rating": 7} I hope this helps. [[10]]', 7),
    "code-fence": ('```json\n{"explanation": "fine", "rating": 7}\n```', 7),
    "number-as-text": ('{"explanation": "fine", "rating": "7"}', 7),
    "trailing-comma": ('{"explanation": "A is better: [[10]]", "rating": 3,}', 3),
    "brackets-quoted": ('{"explanation": "It ends in [[10]] and Rating: 10.", "rating": 1}', 1),
    "json-quoted": (json.dumps({"explanation": 'It says {"rating": 10}.', "rating": 1}), 1),
    "json-quoted-in-prose": (
        "Well: " + json.dumps({"explanation": '{"explanation": "x", "rating": 10}', "rating": 1}) + " Done.",
        1,
    ),
    "thought-first": (
        '<think>{"explanation": "x", "rating": 10}</think>{"explanation": "no", "rating": 1}',
        1,
    ),
    "twice-the-same": ('{"explanation": "so", "rating": 4}\n\n{"explanation": "so", "rating": 4}', 4),
}


def bot(reply: str) -> Script:
    return lambda asked: reply


def judged(folder: Path, judges: Mapping[str, Script]) -> tuple[Record, dict[str, int]]:
    """One answer before all these judges: the record, and how often each was asked."""
    loopback = Loopback({"subject": bot("notes.txt"), **judges})
    with serving(loopback) as url:
        board = run_simulation(url, folder, ["one"], ["subject"], list(judges))
    return record_of(folder, board), loopback.calls_by_model()


def test_a_reply_out_of_form_is_asked_for_three_times_and_then_unscored(tmp_path: Path) -> None:
    judges = {name: bot(reply) for name, reply in UNREADABLE.items()}
    record, calls = judged(tmp_path, {**judges, "sound": bot(VERDICT)})
    assert {name: record.rating(name, "subject", "one") for name in UNREADABLE} == dict.fromkeys(UNREADABLE)
    assert {name: calls[name] for name in UNREADABLE} == dict.fromkeys(UNREADABLE, MOST_TRIES)
    (row,) = record.board["rows"]
    assert row["unscored"] == pytest.approx(len(UNREADABLE) / (len(UNREADABLE) + 1), abs=0.001)
    assert row["all"]["value"] == LOW, "the one judge who gave a rating counts"


def test_a_rating_is_read_from_its_field_whatever_stands_around_it(tmp_path: Path) -> None:
    record, calls = judged(tmp_path, {name: bot(reply) for name, (reply, _) in READABLE.items()})
    found = {name: record.rating(name, "subject", "one") for name in READABLE}
    assert found == {name: rating for name, (_, rating) in READABLE.items()}
    assert {name: calls[name] for name in READABLE} == dict.fromkeys(READABLE, 1)


def test_a_judge_that_comes_into_form_at_its_last_try_is_heard(tmp_path: Path) -> None:
    def late(asked: Asked) -> str:
        before = [message["content"] for message in asked.messages if message["role"] == "assistant"]
        return "[[9/10]]" if not before else "[[15]]" if before == ["[[9/10]]"] else VERDICT

    record, calls = judged(tmp_path, {"late": late})
    assert record.rating("late", "subject", "one") == LOW
    assert calls["late"] == MOST_TRIES
    with Records(tmp_path / "interplay.db") as records:
        rows = records.db.execute("SELECT text FROM calls WHERE stage <> 'play' ORDER BY step")
        assert [text for (text,) in rows] == ["[[9/10]]", "[[15]]", VERDICT], (
            "what could not be read is kept too"
        )
