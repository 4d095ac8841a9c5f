"""Reading the record: runs, conversations, verdicts and scores, without replaying anything."""

import json
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from sys import intern
from typing import Any

from interplay.core.benchmark import Scenario, Verdict
from interplay.core.conversation import Line
from interplay.core.failures import Mistake, nearest
from interplay.core.forms import build
from interplay.core.people import person_of
from interplay.core.wire import Message, canonical
from interplay.store.database import connect, integrity, let_go, streamed, trouble_in_words
from interplay.store.dialect import by_a_person, count_where, tidy
from interplay.store.places import Store


@dataclass(frozen=True)
class Run:
    """The first row of a run's record."""

    number: int
    id: str
    benchmark: str
    identity: Mapping[str, Any]
    extent: Mapping[str, Any]
    secret: bytes
    created: str
    name: str = ""

    @property
    def made_of(self) -> str:
        """The id of the run whose conversations together this one was made of; empty if it was played by itself."""
        return str(self.identity.get("options", {}).get("of", ""))


@dataclass(frozen=True)
class ConversationRow:
    """One conversation as the record has it; what was said is read only when somebody looks."""

    number: int
    scenario: Scenario
    subject: str
    cast: Mapping[str, str]
    repeat: int
    take: int
    state: str
    failure: str
    detail: str
    protocol: str
    outcome_text: str | None
    lines_text: str | None

    @property
    def outcome(self) -> Mapping[str, Any] | None:
        return json.loads(self.outcome_text) if self.outcome_text else None

    @property
    def lines(self) -> tuple[Line, ...]:
        return tuple(build(Line, line) for line in json.loads(self.lines_text or "[]"))


@dataclass(frozen=True)
class Totals:
    """What a run has used so far, from its calls."""

    finished: int
    failed: int
    unknown: int  # sent, answer unknown
    unknown_cost: float | None  # what those may have cost at most; None where a price is unknown
    tokens_in: int
    tokens_out: int
    estimated: int
    cost: float | None
    models: Mapping[str, tuple[str, ...]]  # each model and the versions it reported


class Records:
    """A reader of one store."""

    def __init__(self, path: Store, *, create: bool = False):
        self.path = path
        self.db = connect(path, create=create)

    def __enter__(self) -> "Records":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        let_go(self.db, self.path)

    def runs(self) -> list[Run]:
        """All runs, newest last."""
        return [self._run(row) for row in self.rows(_RUNS + " ORDER BY number")]

    def made_of(self, run: str) -> list[Run]:
        """The runs that were made of all conversations of another together, newest last."""
        return [one for one in self.runs() if one.made_of == run]

    def find(self, wanted: str) -> Run:
        """The run with this id or this beginning of one; last is the one that was played last."""
        if not wanted.strip():
            raise Mistake("a run is named by its id, the beginning of one, a name, or last; not by nothing")
        runs = self.runs()
        if not runs:
            raise Mistake(f"{self.path} holds no runs yet; start one with: interplay run BENCHMARK")
        if wanted == "last":
            newest = self.rows("SELECT run FROM conversations ORDER BY number DESC LIMIT 1")
            found = next((run for run in runs if newest and run.number == newest[0][0]), runs[-1])
            # what was made of a run is shown beside it
            return next((run for run in runs if run.id == found.made_of), found)
        exact = [run for run in runs if wanted in (run.id, run.name)]
        fitting = exact or [run for run in runs if run.id.startswith(wanted)]
        if len(fitting) > 1:
            raise Mistake(f"{wanted!r} fits several runs: {', '.join(run.id for run in fitting)}")
        if not fitting:
            known = [run.id for run in runs] + [run.name for run in runs if run.name]
            raise Mistake(f"there is no run {wanted!r}; {nearest(wanted, known)}")
        return fitting[0]

    def begin(self, id: str, benchmark: str, identity: Mapping[str, Any], extent: Mapping[str, Any]) -> Run:
        """The run of this identity; its first row is written if it is new."""
        what = canonical(dict(identity)), canonical(dict(extent))
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with trouble_in_words(self.path):
            self.db.execute(
                "INSERT INTO runs (id, benchmark, identity, extent, secret, created)"
                " VALUES (?,?,?,?,?,?) ON CONFLICT (id) DO NOTHING",
                (id, benchmark, *what, secrets.token_bytes(16), now),
            )
        return self.find(id)

    def conversations(self, run: Run) -> list[ConversationRow]:
        """The newest take of every conversation, in a fixed order."""
        return list(self.each(run, _CONVERSATION))

    def each(self, run: Run, what: str = "") -> Iterator[ConversationRow]:
        """The same one by one, without what was said."""
        scenarios = {scenario.id: scenario for scenario in self.scenarios(run)}
        what = what or _CONVERSATION.replace(" lines,", " NULL,")
        query = f"SELECT c.scenario, {what} FROM conversations c {_NEWEST}"  # noqa: S608  # our own names
        for row in self.stream(query, run.number):
            yield row_of(row[1:], scenarios[row[0]])

    def numbers(self, run: Run, scenario: str = "") -> list[int]:
        """The numbers of the run's conversations, newest takes, in the same order; or those of one scenario."""
        query = f"SELECT number, scenario FROM conversations c {_NEWEST}"  # noqa: S608  # our own names
        if scenario:
            query = query.replace("WHERE run = ?", "WHERE run = ? AND scenario = ?")
        rows = self.rows(query, run.number, *([scenario] if scenario else []))
        return [row[0] for row in rows]

    def conversation(self, number: int) -> ConversationRow:
        """One conversation."""
        row = self.rows(
            f"SELECT label, content, {_CONVERSATION} FROM conversations c"  # noqa: S608  # our own names
            " JOIN scenarios s ON s.id = c.scenario WHERE c.number = ?",
            number,
        )[0]
        return row_of(row[2:], Scenario(json.loads(row[1]), row[0]))

    def verdicts_of(self, number: int) -> list[tuple[str, Verdict]]:
        """The verdicts on one conversation, each with the item that it is about."""
        rows = self.rows(
            "SELECT item, judge, rubric, failure, detail, data FROM verdicts WHERE conversation = ? ORDER BY 1, 2, 3",
            number,
        )
        return [
            (item, Verdict(judge, rubric, json.loads(data) if data else None, failure, detail))
            for item, judge, rubric, failure, detail, data in rows
        ]

    def scenarios(self, run: Run) -> list[Scenario]:
        """The scenarios that the run has conversations of."""
        query = (
            "SELECT label, content FROM scenarios"
            " WHERE id IN (SELECT scenario FROM conversations WHERE run = ?) ORDER BY id"
        )
        return [Scenario(json.loads(content), label) for label, content in self.rows(query, run.number)]

    def states(self, run: Run) -> dict[str, int]:
        """How many conversations, newest takes, are done, void and open."""
        query = f"SELECT state FROM conversations c {_NEWEST}"  # noqa: S608  # our own names
        found = Counter(row[0] for row in self.rows(query, run.number))
        return dict(found)

    def protocols(self, run: Run) -> set[str]:
        """The digests of the protocols that the run's finished conversations were played by."""
        query = "SELECT DISTINCT protocol FROM conversations WHERE run = ? AND state = 'done'"
        return {row[0] for row in self.rows(query, run.number)}

    def verdicts(self, run: Run) -> dict[tuple[int, str], list[Verdict]]:
        """The verdicts of a run by (conversation, item), in the order of judges' names."""
        found: dict[tuple[int, str], list[Verdict]] = {}
        for number, item, judge, rubric, failure, detail, data in self.stream(
            "SELECT v.conversation, item, judge, rubric, v.failure, v.detail, data FROM verdicts v"
            " JOIN conversations c ON c.number = v.conversation WHERE c.run = ? ORDER BY 1, 2, 3, 4",
            run.number,
        ):
            content = json.loads(data) if data else None
            verdict = Verdict(intern(judge), intern(rubric), content, failure, detail)
            found.setdefault((number, item), []).append(verdict)
        return found

    def scores(self, run: Run) -> list[tuple[int, str, str, float]]:
        """(conversation, name, source, value) of every score of a run."""
        return self.rows(
            "SELECT s.conversation, name, source, value FROM scores s"
            " JOIN conversations c ON c.number = s.conversation WHERE c.run = ? ORDER BY 1, 2, 3",
            run.number,
        )

    def totals(self, run: Run) -> Totals:
        """What the run has used so far."""
        mine = " FROM calls JOIN conversations c ON c.number = calls.conversation WHERE c.run = ?"
        unknown = f"(calls.state = 'sent' AND NOT {_BY_A_PERSON})"  # a person was asked, and will answer
        done, failed = "calls.state = 'done'", "calls.state = 'failed'"
        counts = self.rows(
            f"SELECT {count_where(done)}, {count_where(failed)}, {count_where(unknown)},"
            " total(tokens_in), total(tokens_out), total(tokens_estimated), sum(cost),"
            f" {count_where(f'{done} AND cost IS NULL')},"
            f" total(CASE WHEN {unknown} THEN reserved_cost ELSE 0.0 END),"
            f" {count_where(f'{unknown} AND reserved_cost IS NULL')}" + mine,
            run.number,
        )[0]
        versions: dict[str, set[str]] = {}
        for model, version in self.rows(
            "SELECT DISTINCT model, version" + mine + " AND calls.state = 'done'", run.number
        ):
            versions.setdefault(model, set()).add(version)
        return Totals(
            finished=int(counts[0]),
            failed=int(counts[1]),
            unknown=int(counts[2]),
            unknown_cost=None if counts[9] else tidy(counts[8]),
            tokens_in=int(counts[3]),
            tokens_out=int(counts[4]),
            estimated=int(counts[5]),
            cost=None if counts[7] else tidy(counts[6]),
            models={model: tuple(sorted(found)) for model, found in sorted(versions.items())},
        )

    def waiting(self, run: Run) -> dict[int, tuple[str, ...]]:
        """The open conversations in which it is somebody's turn, each with the names of who is to speak."""
        found: dict[int, set[str]] = {}
        for number, model in self.rows(
            f"SELECT c.number, model FROM {ASKED} WHERE c.run = ? AND {WAITING} ORDER BY calls.number",  # noqa: S608  # our own names
            run.number,
        ):
            found.setdefault(number, set()).add(person_of(model))
        return {number: tuple(sorted(people)) for number, people in found.items()}

    def has_spoken(self, conversation: int) -> bool:
        """Has a person said anything in a conversation?"""
        query = f"SELECT 1 FROM calls WHERE conversation = ? AND state = 'done' AND {_BY_A_PERSON} LIMIT 1"  # noqa: S608  # our own names
        return bool(self.rows(query, conversation))

    def spent(self, run: Run, perhaps_billed: Iterable[str]) -> tuple[float, int, int]:
        """Money, tokens and calls that a budget counts: answered calls as they were, others at their most."""
        causes = ",".join(f"'{cause}'" for cause in sorted(perhaps_billed)) or "NULL"
        known = "(calls.state = 'done' AND NOT (tokens_estimated <> 0 AND reserved_tokens IS NOT NULL))"
        unsure = f"(calls.state = 'sent' OR (calls.state = 'failed' AND calls.cause IN ({causes}))"
        unsure += f" OR (calls.state = 'done' AND NOT {known}))"
        tokens = "coalesce(tokens_in, 0) + coalesce(tokens_out, 0)"
        most_money = (
            "CASE WHEN reserved_cost > coalesce(cost, 0.0) THEN reserved_cost ELSE coalesce(cost, 0.0) END"
        )
        most_tokens = f"CASE WHEN reserved_tokens > {tokens} THEN reserved_tokens ELSE {tokens} END"
        row = self.rows(
            f"SELECT total(CASE WHEN {known} THEN cost WHEN {unsure} THEN {most_money} ELSE 0.0 END),"  # noqa: S608  # our own names
            f" total(CASE WHEN {known} THEN {tokens} WHEN {unsure} THEN {most_tokens} ELSE 0 END), count(*)"
            f" FROM calls JOIN conversations c ON c.number = calls.conversation WHERE c.run = ? AND NOT {_BY_A_PERSON}",
            run.number,
        )[0]
        return float(row[0]), int(row[1]), int(row[2])

    def finished_calls(self, run: Run, judging: str) -> dict[tuple[int, str, str], int]:
        """Models' answers of each conversation and item: of unfinished play by role, of this judging by judge."""
        # a role's seats are named ROLE, ROLE 2, ROLE 3: of play, the first word is the role
        rows = self.rows(
            "SELECT c.number, item, stage, participant, count(*) FROM calls JOIN conversations c"  # noqa: S608  # our own names
            f" ON c.number = calls.conversation WHERE c.run = ? AND calls.state = 'done' AND NOT {_BY_A_PERSON}"
            " AND (stage = ? OR (stage = 'play' AND c.state <> 'done')) GROUP BY 1, 2, 3, 4",
            *(run.number, judging),
        )
        found = Counter[tuple[int, str, str]]()
        for number, item, stage, participant, count in rows:
            who = participant.partition(" ")[0] if stage == "play" else participant
            found[number, item, who] += count
        return dict(found)

    def usage_by_subject(self, run: Run) -> dict[str, tuple[int, float | None]]:
        """Tokens and cost of each subject's conversations, all roles together; of judges, the board's own rubric.

        Where several subjects sat together, each has the calls that it made itself. To compare two models'
        conversations is no cost of either.
        """
        alone = "c.subject IN (SELECT value FROM json_each(?))"
        whose = f"CASE WHEN {alone} THEN c.subject ELSE calls.model END"
        return {
            subject: (int(tokens), None if unknown else tidy(cost))
            for subject, tokens, cost, unknown in self.rows(
                f"SELECT {whose}, total(tokens_in) + total(tokens_out), sum(cost), {count_where('cost IS NULL')}"  # noqa: S608  # our own names
                " FROM calls JOIN conversations c ON c.number = calls.conversation"
                " WHERE c.run = ? AND calls.state = 'done' AND stage NOT LIKE 'pair %'"
                " AND (stage NOT LIKE 'judge %' OR substr(stage, length(stage) - 11) = ?) GROUP BY 1",
                *(json.dumps(run.identity["models"]), run.number, run.extent.get("rubric", "")[:12]),
            )
        }

    def settings(self, digest: bytes) -> dict[str, Any]:
        """The model, sampling and schema behind a digest."""
        found: dict[str, Any] = json.loads(
            self.rows("SELECT body FROM settings WHERE digest = ?", digest)[0][0]
        )
        return found

    def thread(self, digest: bytes) -> list[Message]:
        """The messages of a recorded request, oldest first."""
        messages: list[Message] = []
        here: bytes | None = digest
        while here is not None:
            here, role, text = self.rows("SELECT parent, role, text FROM messages WHERE digest = ?", here)[0]
            messages.append(Message(role, text))
        return messages[::-1]

    def seats(self, conversation: int) -> list[str]:
        """Who was asked in the play of a conversation, in order of first words."""
        query = (
            "SELECT participant FROM calls WHERE conversation = ? AND stage = 'play'"
            " GROUP BY participant ORDER BY min(number)"
        )
        return [row[0] for row in self.rows(query, conversation)]

    def view(self, conversation: int, seat: str) -> list[Message]:
        """All that a seat was shown and said in play: what was sent to its model last, and the answer."""
        rows = self.rows(
            "SELECT thread, text FROM calls WHERE conversation = ? AND stage = 'play' AND participant = ?"
            " ORDER BY step DESC, attempt DESC LIMIT 1",
            *(conversation, seat),
        )
        thread, text = rows[0]
        return [*self.thread(thread), *([Message("assistant", text)] if text is not None else [])]

    def integrity(self) -> str:
        """What the database's own check says; "ok" is good."""
        with trouble_in_words(self.path):
            return integrity(self.db)

    def _run(self, row: tuple[Any, ...]) -> Run:
        return Run(row[0], row[1], row[2], json.loads(row[3]), json.loads(row[4]), *row[5:])

    def rows(self, query: str, *values: Any) -> list[Any]:
        with trouble_in_words(self.path):
            return self.db.execute(query, values).fetchall()

    def stream(self, query: str, *values: Any) -> Iterator[Any]:
        """The rows one by one: of a large run, all of them at once are more than what is made of them."""
        with trouble_in_words(self.path):
            yield from streamed(self.db, query, values)


_RUNS = "SELECT number, id, benchmark, identity, extent, secret, created, name FROM runs"

_CONVERSATION = "number, subject, cast_roles, repeat, take, state, failure, detail, outcome, lines, protocol"
_LAST_TAKE = (
    "(SELECT max(take) FROM conversations n WHERE (n.run, n.scenario, n.cast_digest, n.repeat)"
    " = (c.run, c.scenario, c.cast_digest, c.repeat))"
)
_NEWEST = f"WHERE run = ? AND take = {_LAST_TAKE} ORDER BY subject, c.scenario, repeat, number"

_BY_A_PERSON = by_a_person("calls.model")
# calls that are under way, with their conversations, found without a look at any other
ASKED = "calls INDEXED BY people_who_are_asked JOIN conversations c ON c.number = calls.conversation"
# of those: somebody in a seat is to speak, in the newest take
WAITING = f"calls.state = 'sent' AND {_BY_A_PERSON} AND c.state = 'open' AND c.take = {_LAST_TAKE}"


@lru_cache(maxsize=1_000)
def _cast(text: str) -> Mapping[str, str]:
    """Who sat where; the many conversations of one cast share it."""
    found: dict[str, str] = json.loads(text)
    return found


def row_of(row: Sequence[Any], scenario: Scenario) -> ConversationRow:
    """A row of the columns in _CONVERSATION."""
    number, subject, cast, repeat, take, *came_to, outcome, lines, protocol = row
    state, failure, detail = came_to
    seated = (number, scenario, subject, _cast(cast), repeat, take)
    return ConversationRow(*seated, state, failure, detail, protocol, outcome, lines)
