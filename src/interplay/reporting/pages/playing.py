"""Games on pages: those that go on, the form of a new one, and one as the person in its seat sees it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from interplay.benchmarks import ALL, find
from interplay.core.benchmark import Benchmark, Option, Role
from interplay.core.people import is_person, seated
from interplay.core.wire import Message
from interplay.reporting.pages.forms import Blank, blanks_of
from interplay.running.games import Standing, game_of, has_person, open_seats
from interplay.running.results import judged_in, options_of
from interplay.running.seats import role_of
from interplay.running.spec import EMBEDDED
from interplay.store.gaming import people_of, view_of
from interplay.store.moves import Move
from interplay.store.records import ConversationRow, Records, Run

MOST_SCENARIOS = 500  # in the list of a form
MOST_GAMES = 50  # on the page of games
ANY = "any"  # the scenario that is drawn


@dataclass(frozen=True)
class Listed:
    """A game in the list of games."""

    run: Run
    people: tuple[str, ...]
    standing: Standing
    label: str
    is_busy: bool


@dataclass(frozen=True)
class Heard:
    """Something that the person in the seat has seen or said."""

    kind: str  # part, heard or said
    text: str
    fields: Mapping[str, Any] | None = None  # what was said in a form


@dataclass(frozen=True)
class Sight:
    """A game as one person sees it."""

    person: str
    seat: str
    heard: tuple[Heard, ...]
    move: Move | None
    blanks: tuple[Blank, ...]  # none where the move is free text
    row: ConversationRow | None


def games(records: Records, busy: Sequence[str]) -> list[Listed]:
    """The games of the store, newest first; those that wait for somebody before those that are over."""
    found = []
    for run in [one for one in records.runs()[::-1] if has_person(one)][:MOST_GAMES]:
        scenarios = records.scenarios(run)
        label = scenarios[0].label if len(scenarios) == 1 else f"{len(scenarios)} scenarios"
        found.append(Listed(run, tuple(people_of(run)), game_of(records, run), label, run.id in busy))
    return sorted(found, key=lambda one: one.standing.state == "over")


def sight_of(records: Records, run: Run, person: str, moves: Sequence[Move], wanted: int = 0) -> Sight:
    """Where the game stands for this person: the conversation that waits for them, else the newest."""
    mine = [move for move in moves if move.person == person]
    numbers = [row.number for row in records.conversations(run) if seated(person) in row.cast.values()]
    move = next((one for one in mine if one.conversation == wanted), None)
    if move is None and not wanted:
        move = mine[-1] if mine else None
    number = move.conversation if move else wanted if wanted in numbers else max(numbers, default=0)
    row = records.conversation(number) if number else None
    seat, messages = (move.seat, list(move.messages)) if move else view_of(records, number, person)
    blanks = tuple(blanks_of(move.schema)) if move and move.schema else ()
    return Sight(person, seat, tuple(_heard(messages)), move, blanks, row)


def _heard(messages: Sequence[Message]) -> list[Heard]:
    kinds = {"system": "part", "user": "heard"}
    return [
        _said(one.text) if one.role == "assistant" else Heard(kinds[one.role], one.text) for one in messages
    ]


def _said(text: str) -> Heard:
    """What was said in a form, by its fields; where the form has one field, its text."""
    fields = _fields(text)
    values = list(fields.values()) if fields else []
    if len(values) == 1 and isinstance(values[0], str):
        return Heard("said", values[0])
    return Heard("said", text, fields)


def _fields(text: str) -> Mapping[str, Any] | None:
    if not text.startswith("{"):
        return None
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


@dataclass(frozen=True)
class Judged:
    """What came of a game: scores by name, and what each judge said, without the judges' names."""

    scores: tuple[tuple[str, float], ...]
    verdicts: tuple[tuple[str, Mapping[str, Any]], ...]
    failures: tuple[str, ...]


def judged(records: Records, run: Run, row: ConversationRow) -> Judged:
    """The scores and verdicts of one conversation, blind."""
    benchmark = find(run.benchmark)
    options = options_of(run, benchmark)
    one = next(iter(judged_in(records, benchmark, options, run.extent["rubric"], [row.number])))
    verdicts = [
        verdict for item, verdict in one.verdicts if not item and verdict.rubric == run.extent["rubric"]
    ]
    people = {name for name in row.cast.values() if is_person(name)}
    scores = [score for score in one.scores if not score.model or score.model in people]
    return Judged(
        tuple(_by_name([(score.name, score.value) for score in scores])),
        tuple((f"judge {place}", one.data) for place, one in enumerate(verdicts, 1) if one.data is not None),
        tuple(f"judge {place}: {one.failure}" for place, one in enumerate(verdicts, 1) if one.failure),
    )


def _by_name(scores: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    values: dict[str, list[float]] = {}
    for name, value in scores:
        values.setdefault(name, []).append(value)
    return [(name.replace("_", " "), sum(found) / len(found)) for name, found in sorted(values.items())]


@dataclass(frozen=True)
class NewGame:
    """The form of a new game of one benchmark, with these options."""

    benchmark: Benchmark
    options: tuple[Option, ...]
    chosen: Mapping[str, str]
    seats: tuple[tuple[str, str], ...]  # (seat, what it is)
    roles: tuple[Role, ...]  # those that somebody must or may be named for
    scenarios: tuple[tuple[str, str], ...]  # (id, label)
    left_out: int
    known: tuple[str, ...]  # names of models
    typed: Mapping[str, str]


def playable() -> list[Benchmark]:
    return list(ALL)


def new_game(
    records: Records,
    benchmark: Benchmark,
    chosen: Mapping[str, str],
    typed: Mapping[str, str],
    models: Sequence[str],
) -> NewGame:
    """What can be chosen; names are those of the newest run of this benchmark, until somebody types others."""
    settled = benchmark.settle(chosen)
    roles = benchmark.roles(settled)
    scenarios = benchmark.scenarios(settled, None).scenarios
    runs = records.runs()[::-1]
    return NewGame(
        benchmark,
        tuple(one for one in benchmark.options if one.choices and not (one.of_table or one.of_sequel)),
        settled,
        tuple((seat, _meaning(seat, roles)) for seat in open_seats(roles)),
        roles,
        tuple((one.id, one.label) for one in scenarios[:MOST_SCENARIOS]),
        max(0, len(scenarios) - MOST_SCENARIOS),
        tuple(_known(benchmark, runs, models)),
        {**_as_before(benchmark, roles, runs), **typed},
    )


def _meaning(seat: str, roles: Sequence[Role]) -> str:
    role = role_of(seat, roles)
    if role is not None and seat != role.name:
        return f"one of {role.seats}; a model has the others"
    return role.meaning if role else ""


def _known(benchmark: Benchmark, runs: Sequence[Run], models: Sequence[str]) -> list[str]:
    """Names of models that may be meant: those with an entry, of earlier runs, by rule, and the embedded one."""
    of_runs = [name for run in runs[:MOST_GAMES] for name in _names_in(run)]
    by_rule = [name for names in benchmark.by_rule.values() for name in names]
    return [name for name in dict.fromkeys([*models, *of_runs, *by_rule, EMBEDDED]) if not is_person(name)]


def _names_in(run: Run) -> list[str]:
    return [*run.identity["models"], *(name for names in run.identity["roles"].values() for name in names)]


def _as_before(benchmark: Benchmark, roles: Sequence[Role], runs: Sequence[Run]) -> dict[str, str]:
    """Who played in the newest run of the benchmark, role by role; the embedded model where there is none."""
    run = next((one for one in runs if one.benchmark == benchmark.name), None)
    models = [name for name in run.identity["models"] if not is_person(name)] if run else []
    found = {}
    for role in roles:
        if role.kind == "subject":
            name = models.pop(0) if len(models) > 1 else models[0] if models else ""
        else:
            named = run.identity["roles"].get(role.name, []) if run else []
            name = ", ".join(one for one in named if not is_person(one))
        needed = role.kind != "judge" and not role.stands_in
        found[f"model.{role.name}"] = name or (EMBEDDED if needed else "")
    return found
