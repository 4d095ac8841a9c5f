"""What a conversation came to, laid out as its benchmark means it: guesses, goals, answers, and what judges saw."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from interplay.benchmarks import simulation, social_interaction, task_dialogue, transcripts, word_guessing
from interplay.benchmarks.role_play import benchmark as role_play
from interplay.benchmarks.task_dialogue.goals import told_goal
from interplay.core.failures import Mistake
from interplay.reporting.pages.laid_out import in_words, plain
from interplay.reporting.pages.speech import Turn

Data = Mapping[str, Any]
GOOD, BAD = "good", "bad"
OTHER_SHAPE = (
    AttributeError,
    IndexError,
    KeyError,
    TypeError,
    ValueError,
)  # of data that an older version wrote
STATES = {"done": ("done", GOOD), "failed": ("failed", BAD), "open": ("open", "")}


@dataclass(frozen=True)
class Mark:
    """A cell of a grid: words, perhaps good or bad, perhaps about a turn."""

    text: str
    tone: str = ""
    turn: int = 0


@dataclass(frozen=True)
class Grid:
    """A small table."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[Mark, ...], ...]


@dataclass(frozen=True)
class Outcome:
    """What a conversation came to: in short, in tables, and all else as it is."""

    facts: tuple[tuple[str, str], ...] = ()
    grids: tuple[Grid, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()  # by who said it
    rest: Data = field(default_factory=dict)
    in_transcript: bool = False  # there is no more to it than what was said


def outcome_of(benchmark: str, outcome: Data | None) -> Outcome:
    """What a conversation came to; an outcome of another shape than today's is shown as it is."""
    if outcome is None:
        return Outcome()
    known = _OUTCOMES.get(benchmark)
    try:
        return known(outcome) if known else Outcome(rest=outcome)
    except OTHER_SHAPE:
        return Outcome(rest=outcome)


def called_in(outcome: Data | None) -> dict[str, str]:
    """What seats are called in the conversation, where its outcome says so."""
    found: dict[str, str] = {}
    for part, name in (("seats", "name"), ("players", "label")):
        entries = (outcome or {}).get(part)
        for one in entries if isinstance(entries, list) else ():
            if (
                isinstance(one, Mapping)
                and isinstance(one.get("seat"), str)
                and isinstance(one.get(name), str)
            ):
                found[one["seat"]] = one[name]
    return found


def seen_by_judges(
    benchmark: str,
    content: Data,
    outcome: Data | None,
    judged: Sequence[tuple[str, Data]],
    turns: Sequence[Turn],
) -> tuple[list[Grid], dict[int, list[tuple[str, str]]], tuple[str, ...]]:
    """Tables of what judges found where; notes of it by turn, each with the judge; and the fields these show."""
    try:
        if benchmark == task_dialogue.benchmark.name:
            return (*_phrases(content, judged, turns), ("phrases",))
        if benchmark == social_interaction.benchmark.name:
            return (*_points(outcome or {}, judged, turns), ("known", "players", "first"))
    except OTHER_SHAPE:
        pass
    return [], {}, ()


def _without(data: Data, *names: str) -> Data:
    return {name: value for name, value in data.items() if name not in names}


def _words(data: Data) -> Outcome:
    """A game of words: who had which, and every guess."""
    players, rounds = data["players"], data["rounds"]
    labels = {one["seat"]: one["label"] for one in players}
    seated = tuple(
        (
            Mark(one["label"]), Mark(one["seat"]), Mark(one["word"]),
            Mark(f"round {one['found']}", GOOD) if one["found"] else Mark("never", BAD),
        )
        for one in players
    )  # fmt: skip
    pairs = list(
        dict.fromkeys((guess["seat"], guess["about"]) for each in rounds for guess in each["guesses"])
    )
    clues = tuple(
        (Mark(str(place)), *(_clue(each, seat) for seat in labels)) for place, each in enumerate(rounds, 1)
    )
    guesses = tuple(
        (Mark(str(place)), *(_guess(each, *pair) for pair in pairs)) for place, each in enumerate(rounds, 1)
    )
    who = tuple(f"{labels.get(seat, seat)} on {labels.get(about, about)}" for seat, about in pairs)
    return Outcome(
        grids=(
            Grid("Words", ("player", "seat", "word", "found the other word"), seated),
            Grid("Guesses", ("round", *who), guesses),
            Grid("Clues", ("round", *labels.values()), clues),
        ),
        rest=_without(data, "players", "rounds"),
    )


def _clue(each: Data, seat: str) -> Mark:
    for clue in each["clues"]:
        if clue["seat"] == seat:
            faults = [
                words
                for name, words in (("said_word", "says a word"), ("repeated", "repeated"))
                if clue[name]
            ]
            return Mark(f"{clue['text']} ({', '.join(faults)})", BAD) if faults else Mark(clue["text"])
    return Mark("")


def _guess(each: Data, seat: str, about: str) -> Mark:
    for guess in each["guesses"]:
        if (guess["seat"], guess["about"]) == (seat, about):
            return Mark(f"{guess['word']} {'✓' if guess['right'] else '✗'}", GOOD if guess["right"] else "")
    return Mark("")


def _task(data: Data) -> Outcome:
    """A task: how it ended, the user's own account of its goal, and what was booked."""
    exchanges = data["exchanges"]
    states = [*(one.get("state", {}) for one in exchanges), data.get("state", {})]
    goals = list(dict.fromkeys(name for state in states for name in state))
    rows = tuple((Mark(goal), *(_state(state.get(goal, "")) for state in states)) for goal in goals)
    head = ("sub-goal", *(str(number) for number in range(1, len(exchanges) + 1)), "end")
    grids = [Grid("The goal as the user saw it, exchange by exchange", head, rows)] if rows else []
    booked = ("bookings", "What was booked"), ("refusals", "What could not be booked")
    grids += [made for name, title in booked if (made := _listed(title, data.get(name) or ()))]
    facts = [("ended", data["ended"]), ("exchanges", str(len(exchanges)))]
    facts += [("looked up", str(len(data["lookups"])))] if data.get("lookups") else []
    closing = (
        (("user, last words that the system never heard", data["closing"]),) if data.get("closing") else ()
    )
    shown = (
        "exchanges",
        "state",
        "ended",
        "closing",
        "bookings",
        "refusals",
        "goal",
        "has_office",
        "has_rows",
    )
    return Outcome(tuple(facts), tuple(grids), closing, _without(data, *shown))


def _state(state: str) -> Mark:
    return Mark(*STATES.get(state, (state, "")))


def _listed(title: str, entries: Sequence[Data]) -> Grid | None:
    if not entries:
        return None
    names = list(dict.fromkeys(name for one in entries for name in one))
    rows = tuple(tuple(Mark(_flat(one.get(name))) for name in names) for one in entries)
    return Grid(title, tuple(map(in_words, names)), rows)


def _flat(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{in_words(str(name))} {_flat(part)}" for name, part in value.items())
    return ", ".join(map(_flat, value)) if isinstance(value, list | tuple) else plain(value)


def _session(data: Data) -> Outcome:
    """A session at a table: who was who, what players say they learned, what they wanted."""
    names = {one["seat"]: one["name"] for one in data["seats"]}
    seated = tuple((Mark(one["seat"]), Mark(one["name"]), Mark(one["role"])) for one in data["seats"])
    wants = tuple(
        (Mark(names.get(one["seat"], one["seat"])), Mark(in_words(one["skill"])), Mark(one["want"]))
        for one in data.get("wants", ())
    )
    grids = [Grid("Who was who", ("seat", "character", "role"), seated)]
    grids += [Grid("What characters wanted", ("character", "skill", "want"), wants)] if wants else []
    answers = tuple(
        (f"{one['seat']} ({names.get(one['seat'], '')}), on what it learned", one["answer"])
        for one in data.get("answers", ())
    )
    return Outcome(
        (("scene", data["scene"]), ("moves", str(len(data["moves"])))),
        tuple(grids), answers, _without(data, "seats", "wants", "answers", "scene", "moves"),
    )  # fmt: skip


def _only_what_was_said(*names: str) -> Callable[[Data], Outcome]:
    def outcome(data: Data) -> Outcome:
        rest = {name: value for name, value in _without(data, *names).items() if value}
        return Outcome(rest=rest, in_transcript=not rest)

    return outcome


_OUTCOMES: Mapping[str, Callable[[Data], Outcome]] = {
    word_guessing.benchmark.name: _words,
    task_dialogue.benchmark.name: _task,
    social_interaction.benchmark.name: _session,
    role_play.name: _only_what_was_said("turns", "marks", "marked_by"),
    simulation.benchmark.name: _only_what_was_said("text"),
    transcripts.benchmark.name: _only_what_was_said("seats", "said"),
}


def _phrases(
    content: Data, judged: Sequence[tuple[str, Data]], turns: Sequence[Turn]
) -> tuple[list[Grid], dict[int, list[tuple[str, str]]]]:
    """In which exchange each judge saw the key phrases of the goal."""
    spoken = [turn.number for turn in turns if turn.is_public and turn.seat == "user"]
    try:
        phrases = told_goal(content).phrases
    except Mistake:
        return [], {}
    places = {
        judge: {one["phrase"]: one["turn"] for one in data.get("phrases", ())} for judge, data in judged
    }
    notes: dict[int, list[tuple[str, str]]] = {}
    rows = []
    for number, phrase in enumerate(phrases, 1):
        cells = []
        for judge, by_phrase in places.items():
            exchange = by_phrase.get(number, 0)
            turn = spoken[exchange - 1] if 0 < exchange <= len(spoken) else 0
            cells.append(Mark(f"exchange {exchange}", GOOD, turn) if exchange else Mark("never", BAD))
            if turn:
                notes.setdefault(turn, []).append((judge, f"key phrase “{phrase}”"))
        rows.append((Mark(phrase), *cells))
    if not places:
        return [], {}
    return [
        Grid("Key phrases of the goal, and where judges saw them", ("key phrase", *places), tuple(rows))
    ], notes


def _points(
    outcome: Data, judged: Sequence[tuple[str, Data]], turns: Sequence[Turn]
) -> tuple[list[Grid], dict[int, list[tuple[str, str]]]]:
    """Which key points judges found, who told them first, and who learned them."""
    moved = [turn for turn in turns if turn.is_public]
    names = {one["seat"]: one["name"] for one in outcome.get("seats", ())}
    notes: dict[int, list[tuple[str, str]]] = {}
    grids = []
    for judge, data in judged:
        players, rows = data.get("players", ()), []
        for number, (point, first) in enumerate(
            zip(data.get("known", ()), data.get("first", ()), strict=False), 1
        ):
            told = moved[first - 1] if 0 < first <= len(moved) else None
            if told:
                notes.setdefault(told.number, []).append((judge, f"tells key point {number} first: {point}"))
            first_told = (
                Mark(f"{names.get(told.seat, told.seat)}", "", told.number) if told else Mark("nobody", BAD)
            )
            learned = [any(known == number for _, known in one["pairs"]) for one in players]
            rows.append((
                Mark(f"{number}. {point}"), first_told,
                *(Mark("learned", GOOD) if got else Mark("no", BAD) for got in learned),
            ))  # fmt: skip
        head = ("key point", "told first by", *(names.get(one["seat"], one["seat"]) for one in players))
        grids.append(Grid(f"Key points, by {judge}", head, tuple(rows)))
    return grids, notes
