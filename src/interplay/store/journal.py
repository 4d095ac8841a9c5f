"""The record of one run while it is being written: intents before sending, replies before reading."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Any

import apsw
import orjson

from interplay.core.benchmark import Scenario, Score, Verdict
from interplay.core.conversation import Line
from interplay.core.failures import Failure
from interplay.core.people import is_person
from interplay.core.wire import Reply, Request, Step, Thread, canonical, digest_of
from interplay.store.database import alone
from interplay.store.writers import Writes

_REPLY_FIELDS = [part.name for part in fields(Reply) if part.name != "raw"]
_REPLY = ", ".join(_REPLY_FIELDS)
_ANSWER = (*_REPLY_FIELDS, "raw")
_answer_of = attrgetter(*_ANSWER)
_SETTLE = f"UPDATE calls SET state = 'done', {', '.join(f'{name} = ?' for name in _ANSWER)} WHERE number = ?"  # noqa: S608  # names of our own fields
MOST_THREADS = 50_000  # of which it is remembered that they are on disk
Reserved = tuple[int | None, float | None]  # tokens and dollars that a call may use; None is unknown


@dataclass(frozen=True)
class Place:
    """Which conversation of a run this is: the first half of an address."""

    scenario: Scenario
    subject: str
    cast: Mapping[str, str]
    repeat: int

    @cached_property
    def cast_digest(self) -> str:
        return digest_of(dict(self.cast))


@dataclass(frozen=True)
class Question:
    """What was asked, by its digests."""

    digest: bytes
    settings: bytes
    thread: bytes


@dataclass(frozen=True)
class Recorded(Question):
    """A finished call: what was asked, and what was answered."""

    reply: Reply


@dataclass
class Recall:
    """What the record holds of one stage of one conversation."""

    conversation: int
    finished: dict[Step, Recorded] = field(default_factory=dict)
    waiting: dict[Step, Question] = field(default_factory=dict)  # people were asked, and may answer yet
    attempts: dict[Step, int] = field(default_factory=dict)
    facts: dict[Step, Any] = field(default_factory=dict)


class Journal:
    """Writes one run. Whatever an awaited method wrote is on disk."""

    def __init__(self, writer: Writes, run: int):
        self._writer = writer
        self._run = run
        writer.beats_for(run)
        self._settings: set[bytes] = set()  # those that are on disk for sure
        self._threads: set[bytes] = set()
        self._scenarios: set[str] = set()
        self._fresh: set[int] = set()  # conversations that began here: nothing was recorded of them before

    async def open_conversation(self, place: Place, protocol: str, *, anew: bool) -> int:
        """The number of the conversation at this place; a new take of it where it is played anew."""

        def write(db: apsw.Connection) -> tuple[int, bool]:
            key = (self._run, place.scenario.id, place.cast_digest, place.repeat)
            found = db.execute(
                "SELECT number, take FROM conversations"
                " WHERE (run, scenario, cast_digest, repeat) = (?,?,?,?) ORDER BY take DESC LIMIT 1",
                key,
            ).fetchone()
            if found and not anew:
                return int(found[0]), False
            if place.scenario.id not in self._scenarios:
                db.execute(
                    "INSERT INTO scenarios (id, label, content) VALUES (?,?,?) ON CONFLICT (id) DO NOTHING",
                    (place.scenario.id, place.scenario.label, canonical(place.scenario.content)),
                )
            take = found[1] + 1 if found else 0
            number: int = db.execute(
                "INSERT INTO conversations"
                " (run, scenario, subject, cast_digest, cast_roles, repeat, take, state, protocol)"
                " VALUES (?,?,?,?,?,?,?,'open',?) RETURNING number",
                (
                    self._run,
                    place.scenario.id,
                    place.subject,
                    place.cast_digest,
                    canonical(dict(place.cast)),
                    place.repeat,
                    take,
                    protocol,
                ),
            ).get
            return number, True

        number, fresh = await self._writer.write(write)
        self._scenarios.add(place.scenario.id)
        if fresh:
            self._fresh.add(number)
        return number

    async def recall(self, conversation: int, stage: str, item: str) -> Recall:
        """All that was recorded of a stage before this start; intents without a reply are left as they are."""
        if conversation in self._fresh:
            return Recall(conversation)

        def read(db: apsw.Connection) -> Recall:
            found = Recall(conversation)
            key = (conversation, stage, item)
            for row in db.execute(
                f"SELECT participant, step, attempt, state, model, digest, settings, thread, {_REPLY} FROM calls"  # noqa: S608  # names of our own fields
                "  WHERE (conversation, stage, item) = (?,?,?) ORDER BY number",
                key,
            ):
                step = Step(stage, item, row[0], row[1])
                found.attempts[step] = max(found.attempts.get(step, 0), row[2] + 1)
                if row[3] == "done":
                    reply = Reply(**dict(zip(_REPLY_FIELDS, row[8:], strict=True)))
                    found.finished[step] = Recorded(row[5], row[6], row[7], reply)
                elif row[3] == "sent" and is_person(row[4]):
                    found.waiting[step] = Question(row[5], row[6], row[7])
            for name, value in db.execute(
                "SELECT name, value FROM facts WHERE (conversation, stage, item) = (?,?,?)", key
            ):
                found.facts[Step(stage, item, name, 0)] = json.loads(value)
            return found

        return await self._writer.write(read)

    async def intend(
        self, conversation: int, step: Step, attempt: int, request: Request, reserved: Reserved = (None, None)
    ) -> int:
        """Write down that a call is about to be sent, and what it may use; the number of its row."""
        sent = _told(int(time.time() * 1000))

        def write(db: apsw.Connection) -> int:
            _keep_thread(db, request.thread, self._threads)
            if request.settings_digest not in self._settings:
                db.execute(
                    "INSERT INTO settings (digest, body) VALUES (?,?) ON CONFLICT (digest) DO NOTHING",
                    (request.settings_digest, request.settings),
                )
            number: int = db.execute(
                "INSERT INTO calls (conversation, stage, item, participant, step, attempt, model, digest,"
                " settings, thread, sent, reserved_tokens, reserved_cost, state)"
                " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,'sent') RETURNING number",
                (
                    conversation,
                    step.stage,
                    step.item,
                    step.participant,
                    step.number,
                    attempt,
                    request.model,
                    request.digest,
                    request.settings_digest,
                    request.thread.digest,
                    sent,
                    *reserved,
                ),
            ).get
            return number

        number = await self._writer.write(write)
        self._settings.add(request.settings_digest)
        if len(self._threads) >= MOST_THREADS:
            self._threads.clear()
        self._threads.add(request.thread.digest)
        return number

    async def settle(self, call: int, reply: Reply) -> None:
        """Write down a reply, raw bytes and all."""
        await self._do(_SETTLE, *_answer_of(reply), call)

    async def settle_failure(self, call: int, cause: str, detail: str, raw: bytes) -> None:
        """Write down that a call failed, and by what name."""
        await self._do(
            "UPDATE calls SET state = 'failed', cause = ?, detail = ?, raw = ? WHERE number = ?",
            *(cause, detail, raw, call),
        )

    async def keep_fact(self, conversation: int, step: Step, value: Any) -> None:
        """A value that was made once."""
        await self._do(
            "INSERT INTO facts (conversation, stage, item, name, value) VALUES (?,?,?,?,?)",
            *(conversation, step.stage, step.item, step.participant, canonical(value)),
        )

    async def finish(self, conversation: int, outcome: Any, lines: Sequence[Line], protocol: str) -> None:
        """A conversation was played to its end; what was replayed of it fitted this protocol."""
        await self._do(
            "UPDATE conversations SET state = 'done', failure = '', detail = '', outcome = ?, lines = ?,"
            " protocol = ? WHERE number = ?",
            *(canonical(asdict(outcome)), _as_json(lines), protocol, conversation),
        )

    async def park(self, conversation: int, lines: Sequence[Line]) -> None:
        """A conversation waits for a person; it is open, whatever became of it before."""
        await self._do(
            "UPDATE conversations SET state = 'open', failure = '', detail = '', lines = ? WHERE number = ?",
            *(_as_json(lines), conversation),
        )
        self.left(conversation)

    def left(self, conversation: int) -> None:
        """Whoever played it does not go on; who does, goes on from the record."""
        self._fresh.discard(conversation)

    async def void(self, conversation: int, failure: Failure, lines: Sequence[Line]) -> None:
        """A conversation came to nothing, for a reason with a name."""
        await self._do(
            "UPDATE conversations SET state = 'void', failure = ?, detail = ?, lines = ?  WHERE number = ?",
            *(failure.name, str(failure), _as_json(lines), conversation),
        )

    async def judged(self, conversation: int, item: str, verdict: Verdict) -> None:
        """A judge gave its verdict, or failed to."""
        # in the order of its fields, which the reader of a verdict expects: explanation, then score
        data = None if verdict.data is None else json.dumps(verdict.data, ensure_ascii=False)
        await self._do(
            "INSERT INTO verdicts (conversation, judge, rubric, item, failure, detail, data)"
            " VALUES (?,?,?,?,?,?,?) ON CONFLICT (conversation, judge, rubric, item) DO UPDATE"
            " SET failure = excluded.failure, detail = excluded.detail, data = excluded.data",
            *(conversation, verdict.judge, verdict.rubric, item, verdict.failure, verdict.detail, data),
        )

    async def scored(self, conversation: int, scores: Sequence[Score]) -> None:
        """The scores of a conversation, in place of any before."""

        def write(db: apsw.Connection) -> None:
            db.execute("DELETE FROM scores WHERE conversation = ?", (conversation,))
            db.executemany(
                "INSERT INTO scores (conversation, name, source, value) VALUES (?,?,?,?)",
                [(conversation, score.name, score.source, score.value) for score in scores],
            )

        await self._writer.write(write)

    async def rename(self, name: str) -> None:
        """Give the run a name of the user's own; its id stays."""
        await self._do("UPDATE runs SET name = ? WHERE number = ?", name, self._run)

    async def forget(self) -> None:
        """Delete the run and all that only it needs."""

        def write(db: apsw.Connection) -> None:
            alone(db)  # what is needed by nobody now must not be wanted by somebody meanwhile
            mine = "(SELECT number FROM conversations WHERE run = ?)"
            for table in ("labels", "scores", "verdicts", "facts", "calls"):
                db.execute(f"DELETE FROM {table} WHERE conversation IN {mine}", (self._run,))  # noqa: S608  # our own names
            db.execute(_PASSES, (self._run, self._run))
            _drop_kept(db, self._run)
            for table in ("rounds", "draws", "beats", "conversations"):
                db.execute(f"DELETE FROM {table} WHERE run = ?", (self._run,))  # noqa: S608  # our own names
            db.execute("DELETE FROM runs WHERE number = ?", (self._run,))
            db.execute("DELETE FROM scenarios WHERE id NOT IN (SELECT scenario FROM conversations)")
            db.execute("DELETE FROM settings WHERE digest NOT IN (SELECT settings FROM calls)")
            db.execute(_ORPHANS)

        await self._writer.write(write)

    async def extend(self, extent: Mapping[str, Any]) -> None:
        """The run reaches further than before."""
        now = canonical(dict(extent))  # the same again is no change: what is kept of the run stays good
        await self._do("UPDATE runs SET extent = ? WHERE number = ? AND extent <> ?", now, self._run, now)

    async def _do(self, statement: str, *values: Any) -> None:
        def write(db: apsw.Connection) -> None:
            db.execute(statement, values)

        await self._writer.write(write)


_PASSES = """
DELETE FROM passes WHERE role <> 'owner' AND place IN (
    SELECT id FROM runs WHERE number = ? UNION SELECT id FROM rounds WHERE run = ?
)"""
_ORPHANS = """
DELETE FROM messages WHERE digest NOT IN (
    WITH RECURSIVE needed(digest) AS (
        SELECT thread FROM calls
        UNION
        SELECT parent FROM messages JOIN needed USING (digest) WHERE parent IS NOT NULL
    ) SELECT digest FROM needed
)"""


def _drop_kept(db: apsw.Connection, run: int) -> None:
    """Forget what was computed of a run: it names the run, or the run was among those that went into it."""
    id = db.execute("SELECT id FROM runs WHERE number = ?", (run,)).get
    for key, beats in db.execute("SELECT key, beats FROM kept").fetchall():
        try:
            mine = id in json.loads(str(beats))["runs"]
        except (ValueError, KeyError, TypeError):
            continue  # nothing of ours
        if mine:
            db.execute("DELETE FROM kept WHERE key = ?", (key,))


@lru_cache(maxsize=1)  # of many calls a second, some are sent in the same millisecond
def _told(milliseconds: int) -> str:
    """A time as the record has it."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:03d}+00:00"


def _as_json(lines: Sequence[Line]) -> str:
    plain = [{"heard_by": one.heard_by, "source": one.source, "text": one.text} for one in lines]
    try:
        return orjson.dumps(plain).decode()  # in the canonical spelling, as these are texts alone
    except TypeError:  # a lone surrogate
        return canonical(plain)


def _keep_thread(db: apsw.Connection, thread: Thread | None, kept: set[bytes]) -> None:
    """Store the messages that are new; a message that is there has all before it there too."""
    while thread is not None and thread.digest not in kept:
        db.execute(
            "INSERT INTO messages (digest, parent, role, text) VALUES (?,?,?,?) ON CONFLICT (digest) DO NOTHING",
            (
                thread.digest,
                thread.parent.digest if thread.parent else None,
                thread.message.role,
                thread.message.text,
            ),
        )
        if not db.changes():
            return
        thread = thread.parent
