"""Runs over an endpoint that misbehaves: how they are started, and what must be true of them afterwards."""

import io
import json
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import apsw

from interplay.cli import main
from interplay.models import connecting
from interplay.models.loopback import Asked, Event, Fault, Loopback, Said, Script, serving
from tests.faults.harness import check_record, in_flight, start
from tests.running.job import answer

PROVIDERS = [name for name in ("openai", "anthropic") if name in connecting.PROVIDERS]
ROLES = {"interrogator": "user", "player": "player", "judge": "judge-1"}  # the places that a fault can hit
NAMES = ("player", "user", "judge-1", "judge-2")
OTHER_TIME = "tests.faults.other_time"  # a name, because this process lives in its own
IN_OTHER_TIME = Path(__file__).parent / "in_other_time.py"
PATIENCE = 60  # seconds that a command may take, in all
AGAIN = "Your reply "  # how the complaint about a reply that cannot be read begins


def models_file(folder: Path, url: str, provider: str = "openai", **settings: Any) -> Path:
    """A models.toml with every role at one endpoint, under names that do not tell the provider."""
    lines = []
    for name in NAMES:
        entry = {"model": f"{provider}/{name}", "base_url": url, **settings}
        lines += [f"[models.{name}]", *(f"{key} = {json.dumps(value)}" for key, value in entry.items())]
    path = folder / "endpoints.toml"
    path.write_text("\n".join(lines) + "\n")
    return path


def command(models: Path, store: Path, limit: int = 2, more: tuple[str, ...] = ()) -> list[str]:
    """The command line of the job: one player, one emulated user, two judges."""
    line = ["run", "role_play", "--models", str(models), "--store", str(store), "--json", "--model", "player"]
    line += ["--model-role", "interrogator=user"]
    line += ["--model-role", "judge=judge-1", "--model-role", "judge=judge-2"]
    return [*line, "--limit", str(limit), *more]


def steady(asked: Asked) -> str:
    """Answers by what was asked first, so that being asked again changes no answer."""
    if str(asked.messages[-1]["content"]).startswith(AGAIN):
        asked = replace(asked, messages=asked.messages[:-2])
    return answer(asked)


@dataclass
class Planted:
    """A script that does something else at the n-th request to a model."""

    instead: Mapping[tuple[str, int], Callable[[Asked], str | Said | Fault]]
    usual: Script = steady
    seen: Counter[str] = field(default_factory=Counter)
    hit: list[int] = field(default_factory=list)  # the numbers of the requests that were answered otherwise

    def __call__(self, asked: Asked) -> str | Said | Fault:
        self.seen[asked.model] += 1
        other = self.instead.get((asked.model, self.seen[asked.model]))
        if other is None:
            return self.usual(asked)
        self.hit.append(asked.number)
        return other(asked)


def drawn_places(seed: str, calls: Mapping[str, int]) -> list[tuple[str, int]]:
    """One request of each role, drawn among all that an undisturbed run makes."""
    rng = Random(seed)
    return [(model, rng.randint(1, calls[model])) for model in ROLES.values()]


@dataclass(frozen=True)
class Ended:
    """What a person has after a command: its exit code, what it printed and what it said."""

    code: int
    out: str
    err: str

    @property
    def board(self) -> Any:
        return json.loads(self.out)


def typed(line: list[str]) -> Ended:
    """The command in this process; no traceback, whatever happens."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        code = main(line)
    return _without_a_traceback(Ended(code, out.getvalue(), err.getvalue()))


def hurried(line: list[str], speed: float = 1.0, jumps: int = 0) -> Ended:
    """The command in a process of its own, whose clocks run faster and whose calendar may jump."""
    process = start([str(speed), str(jumps), *line], IN_OTHER_TIME, prepared=(OTHER_TIME,))
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise AssertionError(f"the command should have ended within {PATIENCE} s") from None
    return _without_a_traceback(Ended(process.returncode, out.decode(), err.decode()))


def _without_a_traceback(ended: Ended) -> Ended:
    assert "Traceback" not in ended.err, f"the person must see no traceback, but saw: {ended.err}"
    return ended


def carried_out(line: list[str], code: int = 0) -> Ended:
    """The command in this process, and how it is expected to end."""
    ended = typed(line)
    assert ended.code == code, f"exit code {code} was expected, not {ended.code}: {ended.err}"
    return ended


@dataclass(frozen=True)
class Calm:
    """The undisturbed run that a disturbed one must equal in the end."""

    board: Any
    scores: list[tuple[Any, ...]]
    calls: int
    by_model: Mapping[str, int]


def undisturbed(
    folder: Path,
    provider: str = "openai",
    limit: int = 2,
    script: Script = steady,
    more: tuple[str, ...] = (),
) -> Calm:
    """The job, without trouble."""
    folder.mkdir(exist_ok=True)
    loopback, store = Loopback(script), folder / "calm.db"
    with serving(loopback) as url:
        ended = carried_out(command(models_file(folder, url, provider), store, limit, more))
    return Calm(ended.board, scores(store), loopback.calls, loopback.calls_by_model())


@cache
def calm_run(provider: str = "openai", limit: int = 2) -> Calm:
    """The job without trouble, which is the same every time and so is played once."""
    with TemporaryDirectory() as folder:
        return undisturbed(Path(folder), provider, limit)


def rows(store: Path, query: str, *values: Any) -> list[dict[str, Any]]:
    """What a query finds in a store, by the names of its columns."""
    with_store = apsw.Connection(str(store))
    try:
        found = with_store.execute(query, values)
        return [dict(zip((column[0] for column in found.description), row, strict=True)) for row in found]
    finally:
        with_store.close()


def tries(store: Path, state: str = "") -> list[dict[str, Any]]:
    """Every try of every call in the order of the record, or those in one state."""
    return rows(store, "SELECT * FROM calls WHERE ? IN ('', state) ORDER BY number", state)


def scores(store: Path) -> list[tuple[Any, ...]]:
    """Every score, under its conversation's address."""
    query = (
        "SELECT c.scenario, c.subject, c.repeat, name, source, value FROM scores"
        " JOIN conversations c ON c.number = conversation ORDER BY 1, 2, 3, 4, 5"
    )
    return [tuple(row.values()) for row in rows(store, query)]


def without_tokens(board: Any) -> Any:
    """A board less its counts of tokens, for runs in which a reply was asked for twice or went uncounted."""
    kept = [
        {key: value for key, value in row.items() if key not in ("tokens", "cost")} for row in board["rows"]
    ]
    notes = [note for note in board["notes"] if not note.startswith("Tokens of ")]
    return {**board, "rows": kept, "notes": notes}


def check_every_call_is_a_row(loopback: Loopback, store: Path) -> None:
    """What must hold after every fault, with the server's ledger as witness."""
    check_record(store)
    written = len(tries(store))
    assert written == loopback.calls, (
        f"every request is one row: {loopback.calls} came to the server, {written} are written down"
    )
    assert in_flight(store) == 0, "no call may be left without an end"


def most_at_once(events: list[Event]) -> int:
    """The most requests that were under way together."""
    under_way = most = 0
    for event in events:
        under_way += 1 if event.kind == "request" else -1
        most = max(most, under_way)
    return most


def seconds_until_dropped(loopback: Loopback, request: int) -> float:
    """How long a request was under way until its client gave it up."""
    times = {event.kind: event.at for event in loopback.events if event.request == request}
    assert "dropped" in times, f"request {request} should have been given up; the ledger has {sorted(times)}"
    return times["dropped"] - times["request"]
