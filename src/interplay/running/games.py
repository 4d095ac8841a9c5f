"""Games: runs in which a person has a seat; they are begun, go on whenever somebody has spoken, and are judged."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from interplay.benchmarks import find
from interplay.core.benchmark import Benchmark, Material, Role, Scenario
from interplay.core.failures import FAILURES, Mistake, Unreadable, nearest
from interplay.core.forms import JsonForm, Text
from interplay.core.people import is_person, seated
from interplay.core.wire import Reply, digest_of
from interplay.running.engine import Engine
from interplay.running.how import How
from interplay.running.plan import missing_of
from interplay.running.seats import role_of, seats_of
from interplay.running.spec import RunSpec, make_spec, spec_of
from interplay.running.tally import Tally
from interplay.store.gaming import players_of
from interplay.store.moves import Move
from interplay.store.records import ConversationRow, Records, Run

Stands = Literal["waiting", "over", "to be continued"]


@dataclass(frozen=True)
class Wish:
    """What somebody wants to play, in which seat, and with whom."""

    benchmark: Benchmark
    scenario: str  # its id
    person: str  # NAME
    seat: str  # a role, or one seat of it as in "player 2"
    models: tuple[str, ...] = ()  # to measure, where the person is not alone measured
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # the others, judges too
    options: Mapping[str, str] = field(default_factory=dict)  # as they are typed
    data: Path | None = None  # where the scenario is of a user's file


@dataclass(frozen=True)
class Standing:
    """Where a game stands."""

    state: Stands
    people: tuple[str, ...]  # who is to speak
    conversations: tuple[int, ...]  # oldest first: each is one more time of the same game
    waiting: tuple[int, ...]  # those in which somebody is to speak


def spec_of_game(wish: Wish, how: How) -> RunSpec:
    """The run that a wish is for, over its one scenario."""
    models, roles = _cast(wish)
    spec = make_spec(
        wish.benchmark,
        models=models,
        roles=roles,
        options=wish.options,
        data=wish.data,
        sampling_of=how.directory.sampling_of,
        epochs=1,
    )
    found = [scenario for scenario in spec.material.scenarios if scenario.id == wish.scenario]
    if not found:
        raise Mistake(f"{wish.benchmark.name} has no scenario {wish.scenario[:60]!r} with these options")
    casts = spec.casts(wish.benchmark)
    if len(casts) != 1 or seated(wish.person) not in casts[0][1].values():
        raise Mistake(
            f"{len(casts)} tables would be laid for these models, and a game is played at one: name as many as sit "
            "down together"
        )
    return replace(
        spec,
        material=Material((found[0],), spec.material.remarks),
        scenarios=digest_of([found[0].id]),
        limit=1,
    )


def _cast(wish: Wish) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """The models to measure and who plays the other roles, with the person in their seat."""
    person, roles = seated(wish.person), dict(wish.roles)
    known = wish.benchmark.roles(wish.benchmark.settle(wish.benchmark.read(wish.options)))
    role = role_of(wish.seat, known)
    if role is None or role.kind == "judge":
        raise Mistake(
            f"{wish.benchmark.name} has no seat {wish.seat!r} for a person; {nearest(wish.seat, open_seats(known))}"
        )
    together = sum(one.kind == "subject" for one in known) > 1
    if role.kind == "subject" and wish.seat == role.name:
        if wish.models and not together:
            raise Mistake(f"{wish.person} alone is measured as {role.name}: name models for other roles")
        return (*wish.models, person), roles
    if wish.seat in roles:
        raise Mistake(f"{wish.seat} is the seat of {wish.person}: name nobody else for it")
    return wish.models, {**roles, wish.seat: (person,)}


def open_seats(roles: tuple[Role, ...]) -> list[str]:
    """The seats that a person can take, by the names that a wish has for them."""
    return [seat for role in roles if role.kind != "judge" for seat in seats_of(role) or (role.name,)]


async def begin_game(wish: Wish, how: How) -> str:
    """Write a game down, to be played on from there; the id of its run.

    Whoever has played the same before plays it once more. One that nobody has said anything in yet is the same game.
    """
    spec = spec_of_game(wish, how)
    if how.store.exists():
        with Records(how.store) as records:
            known = next((run for run in records.runs() if run.id == spec.run_id), None)
            if known is not None and not _is_untouched(records, known):
                spec = replace(spec, epochs=known.extent["epochs"] + 1)
            elif known is not None:
                spec = replace(spec, epochs=known.extent["epochs"])
    return (await Engine(wish.benchmark, spec, how, Tally()).lay_out()).id


def _is_untouched(records: Records, run: Run) -> bool:
    """Is there a game that no person has said anything in?"""
    return any(
        row.state == "open" and not records.has_spoken(row.number) for row in records.conversations(run)
    )


async def play_on(run: str, how: How, tally: Tally | None = None) -> Tally:
    """Go on with a run's games until people must speak, or they are over and judged; harmless where nothing is to do.

    Conversations without people are left alone. Raises RunLocked where the run is being written already: whoever
    writes it looks for what people say meanwhile, and goes on with that.
    """
    with Records(how.store) as records:
        found = records.find(run)
        scenarios = tuple(records.scenarios(found))
    tally = tally or Tally()
    how = replace(how, games_alone=True)
    await Engine(find(found.benchmark), _recorded(found, scenarios), how, tally).carry_out()
    return tally


def _recorded(run: Run, scenarios: tuple[Scenario, ...]) -> RunSpec:
    """The spec of a run as it was begun: judges who joined later are in its extent."""
    spec = spec_of(run.identity, run.extent)
    roles = {role: tuple(names) for role, names in run.identity["roles"].items()}
    return replace(spec, roles=roles, material=Material(scenarios))


def has_person(run: Run) -> bool:
    """Is the run a game?"""
    return bool(players_of(run))


def game_of(records: Records, run: Run) -> Standing:
    """Where the conversations of a run stand in which people take part."""
    rows = _games_in(records, run)
    waiting = records.waiting(run)
    state: Stands = "over"
    if waiting:
        state = "waiting"
    elif not rows or any(_goes_on(row) for row in rows) or _is_unjudged(records, run, rows):
        state = "to be continued"
    return Standing(
        state,
        tuple(sorted({name for people in waiting.values() for name in people})),
        tuple(row.number for row in rows),
        tuple(sorted(waiting)),
    )


def _games_in(records: Records, run: Run) -> list[ConversationRow]:
    """The conversations that people have a seat in, oldest first, without what was said."""
    rows = [row for row in records.each(run) if any(map(is_person, row.cast.values()))]
    return sorted(rows, key=lambda row: row.number)


def is_over(records: Records, run: Run, row: ConversationRow) -> bool:
    """Is one conversation at its end, and judged by everybody who will ever judge it?"""
    return not _goes_on(row) and not (row.state == "done" and _is_unjudged(records, run, [row]))


def _goes_on(row: ConversationRow) -> bool:
    return row.state == "open" or (row.state == "void" and FAILURES[row.failure].again)


def broken_off(records: Records, run: Run) -> str:
    """Why a game does not go on that can be tried again: what a model or a judge failed by; empty where nothing did."""
    rows = _games_in(records, run)
    verdicts = records.verdicts(run)
    judged = [
        one
        for row in rows
        for one in verdicts.get((row.number, ""), ())
        if one.rubric == run.extent["rubric"]
    ]
    failed = [(row.failure, row.detail) for row in rows if row.state == "void" and _goes_on(row)]
    failed += [(one.failure, one.detail) for one in judged if one.failure and FAILURES[one.failure].again]
    return next((f"{name} failure: {detail}" if detail else name for name, detail in failed), "")


def _is_unjudged(records: Records, run: Run, rows: list[ConversationRow]) -> bool:
    verdicts, rubric = records.verdicts(run), run.extent["rubric"]
    return any(
        missing_of(
            [one for one in verdicts.get((row.number, ""), ()) if one.rubric == rubric], run.extent["judges"]
        )
        for row in rows
        if row.state == "done"
    )


def complaint(move: Move, text: str) -> str:
    """What keeps a text from being read in this move, before it is said; empty where nothing does."""
    form = Text() if move.schema is None else JsonForm(move.schema, dict)
    try:
        form.read(Reply(text, stop="stop"))
    except Unreadable as problem:
        return str(problem)
    return ""
