"""What was exported and read back is what the store has: every table, every column, every text."""

import asyncio
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from interplay.benchmarks import find
from interplay.cli import main
from interplay.core.benchmark import Benchmark, Scenario, Verdict
from interplay.core.conversation import Line
from interplay.core.failures import SimulatorFailure
from interplay.core.wire import Message, Reply, Request, Sampling, Step, Thread
from interplay.interop.table_columns import RUN, TABLES
from interplay.interop.tables import write_tables
from interplay.models.loopback import Asked, Fault, Loopback, Said, serving
from interplay.store.journal import Journal, Place
from interplay.store.labels import Given, Labels
from interplay.store.places import Server, Store
from interplay.store.records import Records
from interplay.store.writer import Writer
from tests.cli.test_word_guessing import SCRIPTS, versus
from tests.interop.tabled import Rows, expected, in_form, in_order, read_all
from tests.reporting.exported import BENCHMARK, HOSTILE, KEY, begin, fill, place, spend, write
from tests.running.job import answer, command
from tests.store.databases import KINDS, Databases

APART = ("runs", "scores")  # what is worked out of many rows


def exported(
    store: Store, folder: Path, run: str = "last", benchmark: Benchmark | None = None
) -> dict[str, Rows]:
    with Records(store) as records:
        found = records.find(run)
        write_tables(records, found, benchmark or find(found.benchmark), folder, names=True)
    return read_all(folder)


def check(
    store: Store, folder: Path, run: str = "last", benchmark: Benchmark | None = None
) -> dict[str, Rows]:
    """Export, read back, and compare with the rows of the store."""
    found = exported(store, folder, run, benchmark)
    assert list(found) == sorted(table.name for table in TABLES)
    wanted = expected(store, found["runs"][0]["run"])
    assert {*wanted, *APART} == set(found)
    for name, rows in wanted.items():
        assert in_order([in_form(row) for row in found[name]]) == in_order(rows), name
    for table in TABLES:
        for row in found[table.name]:
            assert list(row) == [RUN.name, *(column.name for column in table.columns)]
    check_order(store, found)
    return found


def check_order(store: Store, found: dict[str, Rows]) -> None:
    """Tables are in the record's order: the same run is the same file."""
    with Records(store) as records:
        numbers = records.numbers(records.find(found["runs"][0]["run"]))
    places = {number: place for place, number in enumerate(numbers)}
    for name, rows in found.items():
        if name not in ("runs", "scenarios"):
            order = [places[row["conversation"]] for row in rows]
            assert order == sorted(order), name


@pytest.fixture(scope="module")
def databases() -> Iterator[Databases]:
    made = Databases()
    yield made
    made.stop()


@pytest.fixture(params=KINDS)
def stored(request: pytest.FixtureRequest) -> Any:
    """A function that puts the runs of a file on a server, or leaves them where they are."""
    if request.param == "file":
        return lambda file: file
    databases: Databases = request.getfixturevalue("databases")
    return databases.like


# Runs that were played over HTTP


@pytest.fixture(scope="module")
def role_play(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One model that thinks aloud, one that the provider refuses, and one call that failed before it was answered."""
    store = tmp_path_factory.mktemp("role_play") / "a.db"
    stumbled: list[Asked] = []

    def script(asked: Asked) -> str | Said | Fault:
        if asked.model == "refused":
            return Fault("status", status=400)
        if asked.model == "player" and not stumbled:
            stumbled.append(asked)
            return Fault("status", status=503, headers={"Retry-After": "0"})
        if asked.model == "player":
            return Said(f"{HOSTILE} {asked.number}", reasoning="let me think", version="player-7")
        return answer(asked)

    with serving(Loopback(script)) as url:
        line = command(url, store, limit=2, models=("openai/player", "openai/refused"), more=("--turns", "2"))
        main(line)
    with Records(store) as records, Labels(store) as labels:
        first = records.numbers(records.find("last"))[0]
        labels.add(
            [
                Given(first, "ann", "fluency", 2.0, came_from="a.csv, line 2"),
                Given(first, "bob", "fluency", 3.5),
            ]
        )
        labels.add([Given(first, "ann", "fluency", 4.0, drawn="by hand")], replace=True)
    return store


def test_a_role_play_with_failures(role_play: Path, stored: Any, tmp_path: Path) -> None:
    found = check(stored(role_play), tmp_path / "out")
    states = {(row["model"], row["state"], row["failure"]) for row in found["conversations"]}
    assert states == {("openai/player", "done", ""), ("openai/refused", "void", "provider")}
    assert {row["state"] for row in found["calls"]} == {"done", "failed"}
    assert {row["reasoning"] for row in found["calls"] if row["model"] == "openai/player"} >= {"let me think"}
    assert [row["value"] for row in found["labels"]] == [4.0, 3.5]
    assert {row["counts"] for row in found["verdicts"]} == {True}
    assert {row["model"] for row in found["scores"]} == {"openai/player"}


@pytest.fixture(scope="module")
def word_guessing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("word_guessing") / "a.db"
    with serving(Loopback(SCRIPTS)) as url:
        assert main(versus(url, store, "--limit", "1", "--topics", "food", "--rounds", "2")) == 0
    return store


def test_word_guessing_in_which_several_models_are_measured(
    word_guessing: Path, stored: Any, tmp_path: Path
) -> None:
    found = check(stored(word_guessing), tmp_path / "out")
    assert len(found["conversations"]) >= 2
    assert {row["model"] for row in found["scores"]} >= {"openai/quick", "openai/slow"}
    assert not found["verdicts"]


def test_scores_are_those_that_the_run_wrote_down(role_play: Path, tmp_path: Path) -> None:
    found = exported(role_play, tmp_path / "out")
    with Records(role_play) as records:
        wanted = records.scores(records.find("last"))
        talks = {one.number: one for one in records.conversations(records.find("last"))}
    assert len(wanted) >= 8
    key = ("conversation", "score", "source", "value")
    assert sorted(tuple(row[name] for name in key) for row in found["scores"]) == wanted
    for row in found["scores"]:
        talk = talks[row["conversation"]]
        assert (row["scenario"], row["model"], row["repeat"]) == (talk.scenario.label, talk.subject, 1)


def test_the_run_is_told_in_one_row_without_its_secret(role_play: Path, tmp_path: Path) -> None:
    found = exported(role_play, tmp_path / "out")
    [row] = found["runs"]
    with Records(role_play) as records:
        run = records.find("last")
        totals = records.totals(run)
    assert json.loads(row["identity"]) == run.identity
    assert json.loads(row["extent"]) == run.extent
    assert json.loads(row["versions"])["openai/player"] == ["player-7"]
    assert row["created"].isoformat() == run.created
    assert (row["calls_answered"], row["calls_failed"], row["calls_unanswered"]) == (
        *(totals.finished, totals.failed, 0),
    )
    assert (row["tokens_in"], row["tokens_out"], row["cost"]) == (
        totals.tokens_in,
        totals.tokens_out,
        totals.cost,
    )
    assert row["tokens_in"] == sum(call["tokens_in"] or 0 for call in found["calls"])
    told = repr(found) + "".join(path.read_bytes().hex() for path in (tmp_path / "out").iterdir())
    assert run.secret.hex() not in told and repr(run.secret)[2:-1] not in told


def test_the_messages_of_every_call_are_found_by_their_parents(role_play: Path, tmp_path: Path) -> None:
    found = exported(role_play, tmp_path / "out")
    here = {(row["conversation"], row["message"]): row for row in found["messages"]}
    assert len(here) == len(found["messages"])
    with Records(role_play) as records:
        for call in found["calls"]:
            told, message = [], call["message"]
            while message is not None:
                row = here[call["conversation"], message]
                told.append(Message(row["role"], row["text"]))
                message = row["parent"]
            assert told[::-1] == records.thread(bytes.fromhex(call["message"]))
    known = set()
    for row in found["messages"]:  # who reads from the top knows a parent before its child
        assert row["parent"] is None or (row["conversation"], row["parent"]) in known
        known.add((row["conversation"], row["message"]))


def test_a_long_dialogue_is_stored_once_and_not_once_for_each_turn(tmp_path: Path) -> None:
    turns, store = 60, tmp_path / "a.db"

    async def talk(journal: Journal) -> None:
        number = await journal.open_conversation(place(1), "p", anew=False)
        thread = Thread.start(Message("system", "brief"))
        for turn in range(turns):
            thread = thread.then("user", f"question {turn}")
            request = Request("openai/a", thread, Sampling(temperature=0.5))
            call = await journal.intend(number, Step("play", "", "player", turn), 0, request)
            await journal.settle(call, Reply(f"answer {turn}"))
            thread = thread.then("assistant", f"answer {turn}")

    with Records(store, create=True) as records:
        run = begin(records)
        write(records, run, talk)
    found = check(store, tmp_path / "out", benchmark=BENCHMARK)
    assert len(found["messages"]) == 2 * turns
    assert [row["text"] for row in found["messages"]][:4] == ["brief", "question 0", "answer 0", "question 1"]


# Texts that others wrote


async def open_ended(journal: Journal) -> None:
    """Facts, and calls with a schema, of the newest take."""
    thread = Thread.start(Message("system", HOSTILE)).then("user", HOSTILE)
    request = Request(HOSTILE, thread, Sampling(temperature=0.0), {"type": "object", "title": HOSTILE})
    call = await journal.intend(2, Step("judge x", "3 v 4", HOSTILE, 0), 1, request, (100, 0.5))
    await journal.settle(
        call, Reply(HOSTILE, HOSTILE, "length", HOSTILE, 1, 2, True, 0.25, 1.5, KEY.encode())
    )
    await journal.keep_fact(2, Step("play", "", HOSTILE, 0), {"reference": HOSTILE, "list": [1, None, 2.5]})


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A run with an older take, two rubrics, what is void and open, and hostile texts wherever there can be one."""
    store = tmp_path / "hostile.db"
    with Records(store, create=True) as records:
        run = begin(records)
        write(records, run, fill, open_ended, lambda journal: spend(journal, None))
    with Labels(store) as labels:
        labels.add([Given(number, HOSTILE, HOSTILE, 1.5, HOSTILE, HOSTILE, HOSTILE) for number in (1, 2)])
    return store


def test_hostile_texts_come_back_as_they_are(hostile: Path, stored: Any, tmp_path: Path) -> None:
    found = check(stored(hostile), tmp_path / "out", benchmark=BENCHMARK)
    [run] = found["runs"]
    assert (run["conversations"], run["older_takes"], run["calls_unanswered"]) == (3, 1, 1)
    done = [row for row in found["conversations"] if row["state"] == "done"]
    assert [row["take"] for row in done] == [1]
    assert json.loads(done[0]["outcome"])["said"] == HOSTILE
    assert [row["text"] for row in found["lines"]][:2] == [HOSTILE, f"I say: {HOSTILE}"]
    assert [(row["rubric"], row["item"], row["counts"]) for row in found["verdicts"]] == [
        *[
            ("rubric-2", "", True),
            ("rubric-1", "", False),
            ("rubric-2", "", True),
            ("rubric-2", "a pair", False),
        ],
    ]
    assert [(row["score"], row["value"]) for row in found["scores"]] == [("points", -2.5), ("quality", 4.0)]
    [call] = [row for row in found["calls"] if row["estimated"]]
    assert (call["text"], call["reasoning"], call["most_tokens"], call["most_cost"]) == (
        HOSTILE,
        HOSTILE,
        100,
        0.5,
    )
    assert (json.loads(call["sampling"]), json.loads(call["schema"])["title"]) == (
        {"temperature": 0.0},
        HOSTILE,
    )
    assert [row["rater"] for row in found["labels"]] == [HOSTILE]
    assert KEY not in repr(found)


def test_what_no_store_should_hold_is_made_harmless(hostile: Path, tmp_path: Path) -> None:
    with Records(hostile) as records:
        records.db.execute(
            "UPDATE conversations SET lines = ?, outcome = ?, detail = 'a' || char(0) WHERE state = 'done'",
            (
                r'[{"source": "a", "heard_by": ["\ud800"], "text": "x\ud800y\u0000z"}]',
                '{"points": 1, "said": NaN}',
            ),
        )
        records.db.execute(
            "UPDATE verdicts SET data = ?", (r'{"quality": 1, "why": "\u0000\ud83d", "n": -Infinity}',)
        )
    found = exported(hostile, tmp_path / "out", benchmark=BENCHMARK)
    [done] = [row for row in found["conversations"] if row["state"] == "done"]
    assert json.loads(done["outcome"]) == {"points": 1, "said": None}
    assert done["detail"] == "a\N{REPLACEMENT CHARACTER}"
    assert found["lines"][0]["heard_by"] == ["?"]
    assert found["lines"][0]["text"] == "x?y\N{REPLACEMENT CHARACTER}z"
    assert found["verdicts"][0]["data"] == '{"quality": 1, "why": "\N{REPLACEMENT CHARACTER}?", "n": null}'


NASTY = st.text() | st.text(st.sampled_from('\\"u0NaN{}\x00\U0001f642\u2028,=\n'), max_size=30)


@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(NASTY, min_size=8, max_size=8))
@example(texts=["NaN", "\\u0000", "\x00", "\u2028", "", "Infinity", '"', "{}"])
def test_any_text_anywhere_comes_back(texts: list[str], tmp_path: Path) -> None:
    label, subject, said, answered, thought, fact, judge, why = texts
    store, folder = tmp_path / "any.db", tmp_path / "any"

    async def talk(journal: Journal) -> None:
        at = Place(Scenario({"text": said, "n": 1e300}, label), subject, {"player": subject}, 0)
        number = await journal.open_conversation(at, why, anew=False)
        request = Request("m", Thread.start(Message("user", said)), Sampling())
        call = await journal.intend(number, Step("play", "", judge, 0), 0, request)
        await journal.settle(call, Reply(answered, thought))
        await journal.keep_fact(number, Step("play", "", "fact", 0), [fact])
        await journal.void(number, SimulatorFailure(why), [Line(label, (subject, judge), said)])
        await journal.judged(number, "", Verdict(judge, "r", {"why": why, said: [answered]}))

    async def play(run: int) -> None:
        writer = Writer(store)
        await talk(Journal(writer, run))
        await writer.close()

    with Records(store, create=True) as records:
        asyncio.run(play(begin(records).number))
    try:
        check(store, folder, benchmark=BENCHMARK)
    finally:
        for path in tmp_path.glob("any*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def test_the_same_run_in_another_store_is_the_same_tables(
    hostile: Path, databases: Databases, tmp_path: Path
) -> None:
    """Even to the bytes, as numbers are the same where a run was copied to an empty store."""
    server = databases.like(hostile)
    assert isinstance(server, Server)
    exported(hostile, tmp_path / "here", benchmark=BENCHMARK)
    exported(server, tmp_path / "there", benchmark=BENCHMARK)
    exported(hostile, tmp_path / "again", benchmark=BENCHMARK)
    for table in TABLES:
        name = f"{table.name}.parquet"
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes(), name
