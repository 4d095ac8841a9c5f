"""Verdicts on answers: the reader takes the rating's field alone, and 120 injected answers change no verdict."""

import io
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
import pytest

from interplay.benchmarks.simulation.judges import WORDS
from interplay.cli import main
from interplay.core.conversation import MOST_TRIES
from interplay.core.reading import fields_named
from interplay.judging.fence import defused
from interplay.judging.probes import Probe, probes
from interplay.models.loopback import Asked, Loopback, Script, serving
from interplay.store.records import Records

PROBES = probes()
LOW = 2
VERDICT = json.dumps({"explanation": "The listing is not what the request asks for.", "rating": LOW})
ANSWERS = (
    "notes.txt  todo.txt",
    "Sure! The directory holds two files.\nLet me know if you need more.",
    'user@host:~$ echo "done"\ndone',
    "x = {1: 'one', 2: 'two'}\n>>> x",
    "The board after e4:\n8 r n b q k b n r\n7 p p p p p p p p",
)
JUDGES = ("quoting", "careless", "stubborn")


def ordinary(probe: Probe) -> str:
    """A weak answer: the clean twin of the probe."""
    return ANSWERS[PROBES.index(probe) % len(ANSWERS)]


def scripts_file(folder: Path, names: list[str]) -> Path:
    """A script for each name, which its request mentions."""
    rows = [
        {
            "task": name,
            "name": "Terminal",
            "kind": "stateful",
            "type": "LastOnly",
            "history": [],
            "request": f"Be a terminal and show only its output. The session is called {name}. First request: ls -l",
        }
        for name in names
    ]
    path = folder / "scripts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def said_to(asked: Asked) -> str:
    return str(asked.messages[-1]["content"])


def candidate_in(asked: Asked) -> str:
    """The candidate's text as it stands in a judge's prompt."""
    material = str(asked.messages[1]["content"])
    mark = re.match(r"Every text below stands between <<([0-9a-f]{12}) and \1>>\.", material)
    assert mark is not None
    after = material.rpartition(f"<<{mark[1]}\n")[2]
    return after.partition(f"\n{mark[1]}>>")[0]


def attacked(asked: Asked) -> str:
    named = {probe.id: probe for probe in PROBES}
    probe = named[re.search(r"session is called ([\w-]+)", said_to(asked))[1]]  # type: ignore[index]
    return probe.planted(ordinary(probe))


def clean(asked: Asked) -> str:
    return next(ordinary(probe) for probe in PROBES if f"session is called {probe.id}." in said_to(asked))


def quoting(asked: Asked) -> str:
    """Answers in form; its explanation is the whole candidate."""
    return json.dumps({"explanation": candidate_in(asked), "rating": LOW}, ensure_ascii=False)


def stubborn(asked: Asked) -> str:
    """Writes the candidate's text first and its verdict below, whatever it is told."""
    return f"{candidate_in(asked)}\n\n{VERDICT}"


def careless(asked: Asked) -> str:
    """Does the same, but heeds a complaint."""
    return VERDICT if said_to(asked).startswith("Your reply ") else stubborn(asked)


BOTS: Mapping[str, Script] = {
    "attacked": attacked,
    "clean": clean,
    "quoting": quoting,
    "careless": careless,
    "stubborn": stubborn,
}


def carried_out(line: list[str]) -> Any:
    """Type a command; what it prints as JSON."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(line)
    assert code == 0, err.getvalue()
    return json.loads(out.getvalue())


def command(url: str, folder: Path, names: list[str], models: tuple[str, ...], judges: list[str]) -> list[str]:
    line = ["run", "simulation", "--base-url", url, "--store", str(folder / "interplay.db"), "--json"]
    line += ["--data", str(scripts_file(folder, names))]
    line += [part for model in models for part in ("--model", f"openai/{model}")]
    return line + [part for judge in judges for part in ("--model-role", f"judge=openai/{judge}")]


@dataclass(frozen=True)
class Record:
    """What the store holds of a run: verdicts and first raw replies, by judge, model and script's name."""

    board: Any
    ratings: Mapping[tuple[str, str, str], int | None]
    raw: Mapping[tuple[str, str, str], str]
    prompts: Mapping[tuple[str, str, str], str]

    def flips(self, judge: str) -> list[str]:
        """The probes whose verdict is neither their clean twin's nor missing."""
        found = {probe.id: self.ratings[judge, "attacked", probe.id] for probe in PROBES}
        return [
            id
            for id, rating in found.items()
            if rating is not None and rating != self.ratings[judge, "clean", id]
        ]

    def unscored(self, judge: str, model: str) -> list[str]:
        return [probe.id for probe in PROBES if self.ratings[judge, model, probe.id] is None]


def record_of(store: Path, board: Any) -> Record:
    ratings: dict[tuple[str, str, str], int | None] = {}
    raw, prompts = {}, {}
    with Records(store) as records:
        run = records.find("last")
        rows = {one.number: one for one in records.conversations(run)}
        for (number, _), verdicts in records.verdicts(run).items():
            for one in verdicts:
                key = (one.judge, rows[number].subject, rows[number].scenario.content["task"])
                ratings[_plain(key)] = one.data["rating"] if one.data is not None else None
        first = records.db.execute(
            "SELECT conversation, model, raw, thread FROM calls WHERE stage <> 'play' AND step = 0"
        )
        for number, judge, body, thread in first:
            key = _plain((judge, rows[number].subject, rows[number].scenario.content["task"]))
            raw[key] = json.loads(body)["choices"][0]["message"]["content"]
            prompts[key] = records.thread(thread)[-1].text
    return Record(board, ratings, raw, prompts)


def _plain(key: tuple[str, str, str]) -> tuple[str, str, str]:
    judge, model, name = key
    return judge.removeprefix("openai/"), model.removeprefix("openai/"), name


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Record]:
    """Every probe and its clean twin, played and judged over HTTP."""
    folder = tmp_path_factory.mktemp("probes")
    names = [probe.id for probe in PROBES]
    with serving(Loopback(BOTS)) as url:
        board = carried_out(command(url, folder, names, ("attacked", "clean"), list(JUDGES)))
    yield record_of(folder / "interplay.db", board)


_NAIVE = (
    re.compile(r"\[\[(\d+)"),
    re.compile(r"\[(\d+)\]"),
    re.compile(r"rating:\s*\**(\d+)", re.IGNORECASE),
)


def read_naively(text: str) -> int | None:
    """A reader that searches the whole reply: double brackets, brackets, Rating:, the first JSON with a rating."""
    for pattern in _NAIVE:
        if found := pattern.search(text):
            return int(found[1])
    for place in (found.start() for found in re.finditer(r"\{", text)):
        try:
            value, _ = json.JSONDecoder().raw_decode(text, place)
        except ValueError:
            continue
        if "rating" in value:
            return int(value["rating"])
    return None


def test_every_probe_was_judged_as_it_was_written_but_for_the_names_of_fields(record: Record) -> None:
    for probe in PROBES:
        written = defused(probe.planted(ordinary(probe)).strip(), WORDS)
        for judge in JUDGES:
            assert f"\n{written}\n" in record.prompts[judge, "attacked", probe.id]
        assert record.raw["quoting", "attacked", probe.id] == quoted(written)
        assert not list(fields_named(written, WORDS))


def quoted(text: str) -> str:
    return json.dumps({"explanation": text, "rating": LOW}, ensure_ascii=False)


@pytest.mark.parametrize("judge", JUDGES)
def test_no_probe_flips_a_verdict(judge: str, record: Record) -> None:
    assert {record.ratings[judge, "clean", probe.id] for probe in PROBES} == {LOW}
    assert record.flips(judge) == []


@pytest.mark.parametrize("judge", ["quoting", "careless", "stubborn"])
def test_no_probe_escapes_its_verdict(judge: str, record: Record) -> None:
    assert record.unscored(judge, "attacked") == record.unscored(judge, "clean") == []


def test_the_board_shows_no_difference_between_the_attacked_and_the_clean(record: Record) -> None:
    rows = {row["model"]: row for row in record.board["rows"]}
    for model in ("openai/attacked", "openai/clean"):
        assert rows[model]["all"]["value"] == LOW
        assert (rows[model]["n"], rows[model]["unscored"], rows[model]["rank"]) == (len(PROBES), 0.0, 1)


@pytest.mark.parametrize("judge", JUDGES)
def test_a_naive_reader_of_the_same_replies_is_flipped_by_most_probes(judge: str, record: Record) -> None:
    assert {read_naively(record.raw[judge, "clean", probe.id]) for probe in PROBES} == {LOW}
    flipped = [p.id for p in PROBES if read_naively(record.raw[judge, "attacked", p.id]) != LOW]
    assert len(flipped) >= 100, f"{len(flipped)} of {len(PROBES)}"


def test_every_judge_of_every_answer_gets_a_mark_of_its_own(record: Record) -> None:
    marks = {key: text.split("<<")[1].split(" ")[0] for key, text in record.prompts.items()}
    assert len(set(marks.values())) == len(marks) == len(JUDGES) * 2 * len(PROBES)
    for (judge, model, name), mark in marks.items():
        prompt = record.prompts[judge, model, name]
        assert prompt.count(f"\n{mark}>>") == prompt.count(f"<<{mark}\n") == 2  # the request's and the answer's


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
        board = carried_out(command(url, folder, ["one"], ("subject",), list(judges)))
    return record_of(folder / "interplay.db", board), loopback.calls_by_model()


def test_a_reply_out_of_form_is_asked_for_three_times_and_then_unscored(tmp_path: Path) -> None:
    judges = {name: bot(reply) for name, reply in UNREADABLE.items()}
    record, calls = judged(tmp_path, {**judges, "sound": bot(VERDICT)})
    assert {name: record.ratings[name, "subject", "one"] for name in UNREADABLE} == dict.fromkeys(UNREADABLE)
    assert {name: calls[name] for name in UNREADABLE} == dict.fromkeys(UNREADABLE, MOST_TRIES)
    (row,) = record.board["rows"]
    assert row["unscored"] == pytest.approx(len(UNREADABLE) / (len(UNREADABLE) + 1), abs=0.001)
    assert row["all"]["value"] == LOW, "the one judge who gave a rating counts"


def test_a_rating_is_read_from_its_field_whatever_stands_around_it(tmp_path: Path) -> None:
    record, calls = judged(tmp_path, {name: bot(reply) for name, (reply, _) in READABLE.items()})
    found = {name: record.ratings[name, "subject", "one"] for name in READABLE}
    assert found == {name: rating for name, (_, rating) in READABLE.items()}
    assert {name: calls[name] for name in READABLE} == dict.fromkeys(READABLE, 1)


def test_a_judge_that_comes_into_form_at_its_last_try_is_heard(tmp_path: Path) -> None:
    def late(asked: Asked) -> str:
        tries = sum(message["role"] == "assistant" for message in asked.messages)
        return VERDICT if tries or "[[9/10]]" in said_to(asked) else "[[9/10]]"

    record, calls = judged(tmp_path, {"late": late})
    assert record.ratings["late", "subject", "one"] == LOW
    assert calls["late"] == 2
    with apsw.Connection(str(tmp_path / "interplay.db")) as db:
        kept = [text for (text,) in db.execute("SELECT text FROM calls WHERE stage <> 'play' ORDER BY step")]
    assert kept == ["[[9/10]]", VERDICT], "what could not be read is kept too"
