"""Games on pages: those that go on, the form of a new one, and one as the person in its seat sees it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from interplay.benchmarks import find
from interplay.benchmarks import playable as all_playable
from interplay.core.benchmark import Benchmark, Option, Role
from interplay.core.conversation import Line
from interplay.core.measures import Measure
from interplay.core.people import is_person, seated
from interplay.core.wire import Message
from interplay.reporting.pages.forms import Blank, blanks_of
from interplay.running.games import Standing, game_of, has_person, open_seats
from interplay.running.results import judged_in, options_of
from interplay.running.seats import role_of
from interplay.running.spec import EMBEDDED
from interplay.store.gaming import players_of, view_of
from interplay.store.moves import Move
from interplay.store.records import ConversationRow, Records, Run

MOST_SCENARIOS = 2_000  # in the list of a form
MOST_GAMES = 50  # on the page of games
UNREAD = "Your reply "  # how the reason begins for which a reply could not be read
ANY = "any"  # the scenario that is drawn


@dataclass(frozen=True)
class Listed:
    """A game in the list of games."""

    run: Run
    people: tuple[str, ...]
    standing: Standing
    label: str  # empty while it may give away what somebody is to find out
    is_judged: bool
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
    groups: tuple[tuple[str, tuple[Blank, ...]], ...]  # the fields of the move; none where it is free text
    row: ConversationRow | None
    times: tuple[int, ...]  # the person's conversations in this run, oldest first
    unread: str = ""  # why the last reply to this same question could not be read


def games(records: Records, busy: Sequence[str]) -> tuple[list[Listed], int]:
    """The newest games of the store, those that go on before those that are over; and how many more there are."""
    runs = [one for one in records.runs()[::-1] if has_person(one)]
    found = []
    for run in runs[:MOST_GAMES]:
        standing = game_of(records, run)
        is_over = standing.state == "over"
        scenarios = records.scenarios(run) if is_over else []
        label = scenarios[0].label if len(scenarios) == 1 else ""
        is_judged = is_over and bool(run.extent["judges"])
        found.append(Listed(run, tuple(players_of(run)), standing, label, is_judged, run.id in busy))
    return sorted(found, key=lambda one: one.standing.state == "over"), len(runs) - len(found)


def sight_of(records: Records, run: Run, person: str, moves: Sequence[Move], wanted: int = 0) -> Sight:
    """Where the game stands for this person: the conversation that waits for them, else the newest."""
    mine = [move for move in moves if move.person == person]
    times = sorted(row.number for row in records.each(run) if seated(person) in row.cast.values())
    move = next((one for one in mine if one.conversation == wanted), None)
    if move is None and wanted not in times:
        move = mine[-1] if mine else None
    number = move.conversation if move else wanted if wanted in times else max(times, default=0)
    row = records.conversation(number) if number else None
    if move is None:
        seat, messages = view_of(records, number, person)
        heard = [*_heard(messages), *(_rest(row.lines, seat) if row and row.state != "open" else ())]
        return Sight(person, seat, tuple(heard), None, (), row, tuple(times))
    unread = _unread(move, row.lines if row else ())
    heard = _heard(move.messages[:-1] if unread else move.messages)
    return Sight(person, move.seat, tuple(heard), move, _grouped(move), row, tuple(times), unread)


def _heard(messages: Sequence[Message]) -> list[Heard]:
    kinds = {"system": "part", "user": "heard"}
    return [
        said_as(one.text) if one.role == "assistant" else Heard(kinds[one.role], one.text) for one in messages
    ]


def _own(lines: Sequence[Line], seat: str) -> list[int]:
    """The places where a seat spoke."""
    return [place for place, line in enumerate(lines) if line.source == seat and line.heard_by == (seat,)]


def _rest(lines: Sequence[Line], seat: str) -> list[Heard]:
    """What a seat heard after it had spoken for the last time, and so was never asked to answer."""
    last = max(_own(lines, seat), default=len(lines))
    return [Heard("heard", line.text) for line in lines[last + 1 :] if seat in line.heard_by]


def _unread(move: Move, lines: Sequence[Line]) -> str:
    """Why the reply before could not be read; empty where it was, or where this is the first question.

    What could not be read is in the seat's view until there is a better one, and never among what was said; what was
    said is written down a moment after the question.
    """
    is_told = move.messages[-1].text.startswith(UNREAD)
    if not is_told or len(move.messages) < 3 or move.messages[-2].role != "assistant":
        return ""
    own = _own(lines, move.seat)
    was_read = bool(own) and lines[own[-1]].text == move.messages[-2].text
    return "" if was_read else move.messages[-1].text


def _grouped(move: Move) -> tuple[tuple[str, tuple[Blank, ...]], ...]:
    blanks = blanks_of(move.schema) if move.schema else []
    return tuple((title, tuple(group)) for title, group in groupby(blanks, key=lambda one: one.group))


def said_as(text: str) -> Heard:
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
    """What came of a game: its measures with their values, and what each judge said, without the judges' names."""

    scores: tuple[tuple[Measure, str], ...]
    verdicts: tuple[tuple[str, Mapping[str, Any]], ...]
    failures: tuple[str, ...]


def judged(records: Records, run: Run, row: ConversationRow) -> Judged:
    """The scores and verdicts of one conversation, blind: of scores of one seat, those of people alone."""
    benchmark = find(run.benchmark)
    options = options_of(run, benchmark)
    one = next(iter(judged_in(records, benchmark, options, run.extent["rubric"], [row.number])))
    verdicts = [
        verdict for item, verdict in one.verdicts if not item and verdict.rubric == run.extent["rubric"]
    ]
    people = {name for name in row.cast.values() if is_person(name)}
    values: dict[str, list[float]] = {}
    for score in one.scores:
        if not score.model or score.model in people:
            values.setdefault(score.name, []).append(score.value)
    return Judged(
        tuple(_measured(benchmark.measures(options), values)),
        tuple((f"judge {place}", one.data) for place, one in enumerate(verdicts, 1) if one.data is not None),
        tuple(f"judge {place}: {one.failure}" for place, one in enumerate(verdicts, 1) if one.failure),
    )


def _measured(
    measures: Sequence[Measure], values: Mapping[str, Sequence[float]]
) -> Iterable[tuple[Measure, str]]:
    """The measures that this conversation has a value of, as they are read."""
    for one in measures:
        found = [sum(values[name]) / len(values[name]) for name in one.of or (one.name,) if name in values]
        if found and len(found) == len(one.of or (one.name,)):
            value = sum(found) / len(found)
            is_plain = one.scale.is_yes_or_no and value in (0, 1)
            yield one, ("yes" if value else "no") if is_plain else f"{value:.2f}"


@dataclass(frozen=True)
class NewGame:
    """The form of a new game of one benchmark, with these options."""

    benchmark: Benchmark
    options: tuple[Option, ...]  # those with choices
    more: tuple[Option, ...]  # the others
    chosen: Mapping[str, str]
    seats: tuple[tuple[str, str, str], ...]  # (seat, what it is called, what it is)
    roles: tuple[Role, ...]  # those that somebody must or may be named for
    scenarios: tuple[tuple[str, str], ...]  # (id, label)
    left_out: int
    known: tuple[str, ...]  # names of models
    typed: Mapping[str, str]


def options_to_choose(benchmark: Benchmark) -> list[Option]:
    """The options that shape a game; files are for the command line."""
    return [one for one in benchmark.options if not (one.of_table or one.of_sequel or one.path)]


def playable() -> list[Benchmark]:
    return all_playable()


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
    runs, options = records.runs()[::-1], options_to_choose(benchmark)
    return NewGame(
        benchmark,
        tuple(one for one in options if one.choices),
        tuple(one for one in options if not one.choices),
        settled,
        tuple(_seats(roles)),
        roles,
        tuple((one.id, one.label) for one in scenarios[:MOST_SCENARIOS]),
        max(0, len(scenarios) - MOST_SCENARIOS),
        tuple(_known(benchmark, runs, models)),
        {**_as_before(benchmark, roles, runs), **typed},
    )


def _seats(roles: Sequence[Role]) -> Iterable[tuple[str, str, str]]:
    """The seats that a person can choose; where several are measured together, all sit in the order of their names."""
    together = [role.name for role in roles if role.kind == "subject"]
    if len(together) > 1:
        yield together[0], "at the table", f"with {len(together) - 1} more, in the order of your names"
    for seat in open_seats(tuple(roles)):
        role = role_of(seat, roles)
        if role is None or (len(together) > 1 and role.name in together):
            continue
        is_one_of_many = seat != role.name
        yield seat, seat, f"one of {role.seats}; a model has the others" if is_one_of_many else role.meaning


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
        needed = not (role.stands_in or role.optional or role.later)
        found[f"model.{role.name}"] = name or (EMBEDDED if needed else "")
    return found
