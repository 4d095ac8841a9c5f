"""A store with a role-play run of any size, written by SQL in seconds; its texts and verdicts are of a few kinds."""

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import apsw

from interplay.benchmarks import find
from interplay.benchmarks.role_play.protocol import Dialogue, Turn
from interplay.benchmarks.role_play.rubrics import rubric_for
from interplay.core.benchmark import Verdict
from interplay.core.wire import Message, Request, Sampling, Thread, canonical, digest_of
from interplay.judging.rubric import Rubric
from interplay.running.engine import Engine
from interplay.running.how import How
from interplay.running.spec import RunSpec, make_spec
from interplay.running.table import stage_of
from interplay.running.tally import Tally
from interplay.store.beats import beat
from interplay.store.records import Records, Run

ROLE_PLAY = find("role_play")
MODELS = tuple(f"openai/player-{letter}" for letter in "abcd")
JUDGES = ("openai/judge-1", "openai/judge-2")
USER = "openai/user"
KINDS = 97  # of dialogues for each model: a prime, so that scenarios and kinds do not go in step
TURNS = 2
SENTENCE = (
    "the keeper of the tower looked over the harbour and said that no ship had come since the storm, nobody knew why, "
    "and yet a lamp was seen far out every night, which old people took for a promise and children for a game"
)
WORDS = SENTENCE.split(" ")


@dataclass(frozen=True)
class Kind:
    """A dialogue with its calls, verdicts and scores, which many conversations have in common."""

    outcome: Dialogue
    verdicts: tuple[Verdict, ...]
    state: str = "done"
    failure: str = ""


def make_store(path: Path, conversations: int, *, scenarios: int = 50, seed: int = 0) -> Run:
    """A run of so many conversations, a multiple of the scenarios and models, in a new store or an old one."""
    epochs, rest = divmod(conversations, scenarios * len(MODELS))
    if rest:
        raise ValueError(f"{conversations} is no multiple of {scenarios} scenarios and {len(MODELS)} models")
    spec = make_spec(
        ROLE_PLAY,
        models=MODELS,
        roles={"interrogator": [USER], "judge": list(JUDGES)},
        limit=scenarios,
        epochs=epochs,
        seed=seed,  # another run
        options={"turns": str(TURNS)},
    )
    with Records(path, create=True) as records:
        engine = Engine(ROLE_PLAY, spec, How(path), Tally())
        run = engine._first_row(records, spec.material.scenarios)
        records.db.pragma("synchronous", "off")
        records.db.pragma("foreign_keys", False)
        with records.db:
            _Making(records.db, spec, run).write(conversations, scenarios)
            beat(records.db, run.number)
    return run


class _Making:
    """The rows of one run."""

    def __init__(self, db: apsw.Connection, spec: RunSpec, run: Run):
        self.db, self.spec, self.run = db, spec, run
        self.options = spec.settled(ROLE_PLAY)
        self.rubric = rubric_for(self.options)
        self.judging = ROLE_PLAY.judging(self.options)

    def write(self, conversations: int, scenarios: int) -> None:
        self._scenes(scenarios)
        self._kinds()
        first = int(self.db.execute("SELECT coalesce(max(number), 0) FROM conversations").get) + 1
        calls = int(self.db.execute("SELECT coalesce(max(number), 0) FROM calls").get) + 1
        values = {
            "run": self.run.number,
            "count": conversations,
            "scenarios": scenarios,
            "models": len(MODELS),
            "kinds": KINDS,
            "first": first,
            "calls": calls,
            "protocol": ROLE_PLAY.protocol(self.options),
        }
        self.db.execute(_PLACES, values)
        for statement in (_CONVERSATIONS, _CALLS, _VERDICTS, _SCORES):
            self.db.execute(statement, values)
        for table in ("scene", "chair", "kind", "said", "gave", "marked", "place"):
            self.db.execute(f"DROP TABLE temp.{table}")

    def _scenes(self, count: int) -> None:
        self.db.execute("CREATE TEMP TABLE scene (place INTEGER PRIMARY KEY, id TEXT)")
        self.db.execute(
            "CREATE TEMP TABLE chair (place INTEGER PRIMARY KEY, subject, cast_digest, cast_roles)"
        )
        for place, scene in enumerate(self.spec.material.scenarios[:count]):
            row = (scene.id, scene.label, canonical(scene.content))
            self.db.execute("INSERT OR IGNORE INTO scenarios (id, label, content) VALUES (?,?,?)", row)
            self.db.execute("INSERT INTO scene VALUES (?,?)", (place, scene.id))
        for place, (subject, cast) in enumerate(self.spec.casts(ROLE_PLAY)):
            row = (place, subject, digest_of(cast), canonical(cast))
            self.db.execute("INSERT INTO chair VALUES (?,?,?,?)", row)

    def _kinds(self) -> None:
        self.db.execute(
            "CREATE TEMP TABLE kind (id INTEGER PRIMARY KEY, state, failure, detail, outcome, lines);"
            "CREATE TEMP TABLE said (kind, place, stage, participant, step, model, digest, settings, thread, state,"
            " cause, text, stop, tokens_in, tokens_out, cost, latency, raw, PRIMARY KEY (kind, place)) WITHOUT ROWID;"
            "CREATE TEMP TABLE gave (kind, judge, failure, data);"
            "CREATE INDEX temp.gave_kind ON gave (kind);"
            "CREATE TEMP TABLE marked (kind, name, source, value);"
            "CREATE INDEX temp.marked_kind ON marked (kind);"
        )
        for chair, model in enumerate(MODELS):
            for number in range(KINDS):
                rng = Random(f"{model} {number}")
                kind = _kind(rng, 3.0 + 0.4 * chair, self.rubric, self.judging.digest, number)
                self._write_kind(chair * KINDS + number, model, kind, rng)

    def _write_kind(self, id: int, model: str, kind: Kind, rng: Random) -> None:
        lines = [
            {"source": source, "heard_by": [other], "text": text}
            for turn in kind.outcome.turns
            for source, other, text in (
                ("interrogator", "player", turn.user),
                ("player", "interrogator", turn.player),
            )
        ]
        is_done = kind.state == "done"
        self.db.execute(
            "INSERT INTO kind VALUES (?,?,?,?,?,?)",
            (
                id,
                kind.state,
                kind.failure,
                "the endpoint gave up" if kind.failure else "",
                canonical(asdict(kind.outcome)) if is_done else None,
                canonical(lines),
            ),
        )
        self._write_calls(id, model, kind, rng)
        for verdict in kind.verdicts:
            data = None if verdict.data is None else json.dumps(verdict.data)
            self.db.execute("INSERT INTO gave VALUES (?,?,?,?)", (id, verdict.judge, verdict.failure, data))
        for score in ROLE_PLAY.score(kind.outcome, kind.verdicts, self.options) if is_done else ():
            self.db.execute(
                "INSERT INTO marked VALUES (?,?,?,?)", (id, score.name, score.source, score.value)
            )

    def _write_calls(self, id: int, model: str, kind: Kind, rng: Random) -> None:
        views = {
            "interrogator": Thread.start(Message("system", "You are a user who talks to a character.")),
            "player": Thread.start(Message("system", f"You are a character of {model}.")),
        }
        place = 0
        for step, turn in enumerate(kind.outcome.turns):
            for seat, name, text, other in (
                ("interrogator", USER, turn.user, "player"),
                ("player", model, turn.player, "interrogator"),
            ):
                failed = kind.failure if step == TURNS - 1 and seat == "player" else ""
                self._write_call(id, place, ("play", seat, step, name), views[seat], text, failed, rng)
                views[seat] = views[seat].then("assistant", text)
                views[other] = views[other].then("user", text)
                place += 1
        material = Thread.start(Message("system", "You judge dialogues.")).then("user", f"dialogue {id}")
        for verdict in kind.verdicts:
            stage = stage_of(self.judging)
            text = json.dumps(verdict.data)[:400]
            self._write_call(id, place, (stage, verdict.judge, 0, verdict.judge), material, text, "", rng)
            place += 1

    def _write_call(
        self,
        kind: int,
        place: int,
        who: tuple[str, str, int, str],
        thread: Thread,
        text: str,
        failed: str,
        rng: Random,
    ) -> None:
        stage, participant, step, model = who
        request = Request(model, thread, Sampling(0.6, 0.9, 1536))
        self.db.execute(
            "INSERT OR IGNORE INTO settings VALUES (?,?)", (request.settings_digest, request.settings)
        )
        _keep_thread(self.db, thread)
        asked = (model, request.digest, request.settings_digest, thread.digest)
        tokens = (200 + 100 * step, len(text) // 4)
        answer: tuple[Any, ...] = (
            "done",
            "",
            text,
            "stop",
            *tokens,
            sum(tokens) * 1e-6,
            rng.lognormvariate(0, 0.5),
        )
        if failed:
            answer = ("failed", "timeout", None, "", None, None, None, None)
        raw = json.dumps({"choices": [{"message": {"content": text[:80]}}]}).encode()
        self.db.execute(
            f"INSERT INTO said VALUES ({','.join('?' * 18)})",
            (kind, place, stage, participant, step, *asked, *answer, raw),
        )


def _kind(rng: Random, level: float, rubric: Rubric, digest: str, number: int) -> Kind:
    turns = tuple(Turn(_text(rng, 20), _text(rng, 50)) for _ in range(TURNS))
    if number < 2:  # of KINDS: so many conversations came to nothing
        return Kind(Dialogue(turns), (), "void", ("provider", "loop")[number])
    verdicts = []
    for judge in JUDGES:
        if rng.random() < 0.02:
            verdicts.append(Verdict(judge, digest, None, "unreadable", "no verdict in three tries"))
        else:
            entries = [_entry(rng, level, rubric) for _ in turns]
            verdicts.append(Verdict(judge, digest, {"turns": entries}))
    return Kind(Dialogue(turns), tuple(verdicts))


def _entry(rng: Random, level: float, rubric: Rubric) -> dict[str, Any]:
    low, high = rubric.scale
    found: dict[str, Any] = {}
    refused = rng.random() < 0.01
    for flag in rubric.flags:
        found |= {f"{flag.name}_explanation": _text(rng, 4), flag.name: refused}
    for one in rubric.criteria:
        score = min(high, max(low, round(rng.gauss(level, 0.8))))
        found |= {f"{one.name}_explanation": _text(rng, 6), f"{one.name}_score": score}
    return found


def _text(rng: Random, words: int) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randint(words // 2, words * 3 // 2))) + "."


def _keep_thread(db: apsw.Connection, thread: Thread | None) -> None:
    while thread is not None:
        parent = thread.parent.digest if thread.parent else None
        row = (thread.digest, parent, thread.message.role, thread.message.text)
        db.execute("INSERT OR IGNORE INTO messages (digest, parent, role, text) VALUES (?,?,?,?)", row)
        thread = thread.parent


_START = (datetime.now(UTC) - timedelta(hours=3)).isoformat(timespec="milliseconds")
# models take turns, as in a run
_PLACES = """
CREATE TEMP TABLE place AS
WITH RECURSIVE counter(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counter WHERE n + 1 < :count)
SELECT :first + n AS number, n % :models AS chair, (n / :models) % :scenarios AS scene,
    n / (:models * :scenarios) AS repeat, (n % :models) * :kinds + (n * 7 + n / 13) % :kinds AS kind
FROM counter
"""
_CONVERSATIONS = """
INSERT INTO conversations (number, run, scenario, subject, cast_digest, cast_roles, repeat, take, state, failure,
    detail, outcome, lines, protocol)
SELECT p.number, :run, scene.id, chair.subject, chair.cast_digest, chair.cast_roles, p.repeat, 0, kind.state,
    kind.failure, kind.detail, kind.outcome, kind.lines, :protocol
FROM place p CROSS JOIN scene ON scene.place = p.scene CROSS JOIN chair ON chair.place = p.chair
CROSS JOIN kind ON kind.id = p.kind
"""
_CALLS = f"""
INSERT INTO calls (conversation, stage, item, participant, step, attempt, model, digest, settings, thread, sent, state,
    cause, text, stop, version, tokens_in, tokens_out, cost, latency, raw)
SELECT p.number, stage, '', participant, step, 0, model, digest, settings, thread,
    strftime('%Y-%m-%dT%H:%M:%f+00:00', '{_START}', ((p.number - :first) * 10000.0 / :count) || ' seconds'),
    state, cause, text, stop, model, tokens_in, tokens_out, cost, latency, raw
FROM place p CROSS JOIN said ON said.kind = p.kind
"""
_VERDICTS = """
INSERT INTO verdicts (conversation, judge, rubric, item, failure, detail, data)
SELECT p.number, judge, (SELECT json_extract(extent, '$.rubric') FROM runs WHERE number = :run), '', failure,
    iif(failure = '', '', 'no verdict in three tries'), data
FROM place p CROSS JOIN gave ON gave.kind = p.kind ORDER BY p.number, judge
"""
_SCORES = """
INSERT INTO scores (conversation, name, source, value)
SELECT p.number, name, source, value FROM place p CROSS JOIN marked ON marked.kind = p.kind
ORDER BY p.number, name, source
"""
