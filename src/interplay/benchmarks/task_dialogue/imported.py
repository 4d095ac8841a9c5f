"""Dialogues that were held elsewhere, and the authors' runs: a user agent's thoughts, both sides, perhaps a verdict."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from interplay.benchmarks.task_dialogue.city import City, domain_of, plain, read_city
from interplay.benchmarks.task_dialogue.dialogue import CAP, COMPLETED, LOOP, UNTOLD, Dialogue, Exchange
from interplay.benchmarks.task_dialogue.goals import LONGEST_MESSAGE, Goal, marked, told_goal
from interplay.benchmarks.task_dialogue.objective import offers_in
from interplay.benchmarks.task_dialogue.protocol import BOT, SYSTEM, USER, Circles
from interplay.benchmarks.task_dialogue.scenarios import city_folder, goals_at
from interplay.core.benchmark import Played, Scenario, Verdict
from interplay.core.conversation import Line
from interplay.core.failures import LoopFailure, Mistake
from interplay.core.import_files import Row, Skipped, Unfit, rows_in
from interplay.core.importing import IMPORTED, Imported, Importer, Reading, each, kind_of, text_in
from interplay.core.wire import digest_of

THOUGHT, USER_AGENT, TOD_SYSTEM = ROLES = ("thought", "user_agent", "tod_system")
END = "<COMPLETE CONVERSATION>"  # what a user agent writes to end its dialogue
MOST_MESSAGES = 30  # the authors' cap, which counts thoughts as well
THE_USER, THE_JUDGE = "imported/user", "imported/judge"  # where nobody says who they were
# What judges answer, as files write it; false is 0 and true is 1 to begin with.
ANSWERS: Mapping[object, int] = {0: 0, "0": 0, "false": 0, 1: 1, "1": 1, "true": 1}


@dataclass(frozen=True)
class Held:
    """What a file shows of a dialogue."""

    goal: Goal
    exchanges: tuple[Exchange, ...]
    ended: str
    closing: str = ""
    last_thought: str = ""
    after: str = ""  # what the system said when all was over
    verdicts: tuple[Verdict, ...] = ()


def exchanges_of(said: Sequence[tuple[str, str]]) -> tuple[tuple[Exchange, ...], str]:
    """What both sides said in turn, the user first, and the user's last words, if nobody answered them."""
    for number, (side, text) in enumerate(said):
        turn = (USER, SYSTEM)[number % 2]
        if side != turn:
            raise Unfit(f"they do not take turns, the user first: {text[:40]!r} should be the {turn}'s")
    exchanges = [Exchange(said[at][1], said[at + 1][1]) for at in range(0, len(said) - 1, 2)]
    if not exchanges:
        raise Unfit("nobody answers in it: an empty dialogue is never judged")
    return tuple(exchanges), said[-1][1] if len(said) % 2 else ""


def conversation(held: Held, where: str, model: str, user: str, city: City | None) -> Imported:
    """A dialogue as a record has it; the database tells what was offered, but nobody knows what was booked."""
    goal = held.goal
    city = city if goal.wishes else None
    dialogue = Dialogue(
        goal=goal.content(),
        exchanges=held.exchanges,
        ended=held.ended,
        closing=held.closing,
        offers=offers_in(city, held.exchanges, ()) if city else (),
        has_office=False,
        has_rows=city is not None and all(_has(city, wish.domain) for wish in goal.wishes),
    )
    scenario = Scenario({**goal.content(), "city": city.digest if city else ""}, goal.id)
    cast = {SYSTEM: model, USER: user}
    played = Played(scenario, model, 0, outcome=dialogue, verdicts=held.verdicts, cast=cast)
    return Imported(where, played, tuple(_lines(held)))


def _has(city: City, domain: str) -> bool:
    return domain in city.rows or not domain_of(domain).rows


def _lines(held: Held) -> Iterator[Line]:
    """The transcript; a thought is in nobody's view but the user's own."""
    for exchange in held.exchanges:
        yield from _thought(exchange.thought)
        yield Line(USER, (SYSTEM,), exchange.user)
        yield Line(SYSTEM, (USER,), exchange.system)
    yield from _thought(held.last_thought)
    if held.ended == COMPLETED:
        yield Line("", (), f"The user ends the dialogue{f': {held.closing}' if held.closing else '.'}")
    elif held.closing:
        yield Line("", (), f"The user's last words, which nobody answered: {held.closing}")
    if held.after:
        yield Line("", (), f"When the dialogue was over, the system said: {held.after}")


def _thought(text: str) -> Iterator[Line]:
    if text:
        yield Line("", (USER,), f"The user thought: {text}")


def read_tod(reading: Reading) -> Iterator[Imported | Skipped]:
    """The dialogues of a file of the authors' runs, with their judge's verdicts where it has them."""
    if not reading.model:
        raise Mistake("a file of TOD's runs does not say which system answered: name it with --model NAME")
    judge = reading.judge or THE_JUDGE
    known, city = _known(reading.data)

    def dialogue(row: Row) -> Iterator[Imported | Skipped]:
        if not isinstance(row.value, Mapping):
            raise Unfit("it is no object")
        goal = _goal(row.value.get("initial_message"))
        held = _held(known.get(plain(goal.text), goal), row.value.get("conv_history"))
        try:
            held = replace(held, verdicts=_verdicts(row.value, judge))
        except Unfit as problem:
            yield Skipped(row.where, f"{problem}; the dialogue is taken in without it")
        yield conversation(held, row.where, reading.model, THE_USER, city)

    yield from each(rows_in(reading.path), dialogue)


def _known(data: Path | None) -> tuple[dict[str, Goal], City | None]:
    """The goals that --data has, by their words where no two have the same, and their database."""
    found: dict[str, list[Goal]] = {}
    for goal in goals_at(data) if data else ():
        found.setdefault(plain(goal.text), []).append(goal)
    city = read_city(city_folder(data)) if data and data.is_dir() else None
    return {words: goals[0] for words, goals in found.items() if len(goals) == 1}, city


def _goal(message: Any) -> Goal:
    """A goal in words alone, its key phrases marked or not; equal words are one goal."""
    sentences = message if isinstance(message, list) else [message]
    said = [text_in(one, "initial_message", longest=LONGEST_MESSAGE) for one in sentences]
    words = [marked(one) for one in said]
    try:
        return told_goal({"id": f"goal {digest_of(words)[:8]}", "goal": {}, "message": words})
    except Mistake as problem:
        raise Unfit(str(problem)) from problem


def _held(goal: Goal, history: Any) -> Held:
    if not isinstance(history, list):
        raise Unfit(f"conv_history must be a list, not {kind_of(history)}")
    if not history:
        raise Unfit("conv_history is empty: an empty dialogue is never judged")
    course = _Course()
    for number, message in enumerate(history, 1):
        course.take(message, f"message {number}")
    exchanges, closing = exchanges_of(course.said)
    thoughts = {at // 2: thought for at, thought in course.thoughts.items()}
    exchanges = tuple(replace(one, thought=thoughts.get(at, "")) for at, one in enumerate(exchanges))
    if _goes_in_circles(exchanges):
        ended = LOOP
    elif course.is_over:
        ended = COMPLETED
    else:
        ended = CAP if len(history) >= MOST_MESSAGES else UNTOLD
    return Held(goal, exchanges, ended, closing, thoughts.get(len(exchanges), ""), course.after)


class _Course:
    """What the messages of a run come to, one after the other."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []
        self.thoughts: dict[int, str] = {}  # by the place of the user's words that they belong to
        self.is_over = False
        self.after = ""
        self._answered_since = False

    def take(self, message: Any, where: str) -> None:
        role = message.get("role") if isinstance(message, Mapping) else None
        if role not in ROLES:
            raise Unfit(f"{where} must have a role of {', '.join(ROLES)}, not {str(role)[:60]!r}")
        text = text_in(message.get("content"), where, may_be_empty=role != USER_AGENT)
        if role == THOUGHT:
            self._think(text)
        elif self.is_over and (role == USER_AGENT or self._answered_since):
            raise Unfit(f"{where}: it goes on after the user has ended it")
        elif role == USER_AGENT:
            self._speak(text)
        else:
            self._answer(text)

    def _think(self, text: str) -> None:
        unanswered = len(self.said) % 2
        at = len(self.said) - unanswered
        self.thoughts[at] = "\n".join(filter(None, (self.thoughts.get(at, ""), text)))

    def _speak(self, text: str) -> None:
        self.is_over = END in text
        words = " ".join(text.replace(END, " ").split()) if self.is_over else text
        if words:
            self.said.append((USER, words))

    def _answer(self, text: str) -> None:
        self._answered_since = self.is_over
        if self.is_over and len(self.said) % 2 == 0:
            self.after = text  # to a user who has left without a word
        else:
            self.said.append((SYSTEM, text))


def _goes_in_circles(exchanges: Sequence[Exchange]) -> bool:
    """Does one side say the same again and again when the dialogue ends? A user agent ends it then as well."""
    circles, heard, looped = Circles(), "", False
    for exchange in exchanges:
        try:
            circles.went_on(exchange.user, heard, exchange.system)
            looped = False
        except LoopFailure:
            looped = True
        heard = exchange.system
    return looped


def _verdicts(row: Mapping[str, Any], judge: str) -> tuple[Verdict, ...]:
    """What the authors' judge said, where the row has it: whether the task was completed, and why."""
    result = row.get("result")
    if result is None:
        return ()
    told = result.strip().casefold() if isinstance(result, str) else result
    if not isinstance(told, str | int | float) or told not in ANSWERS:
        raise Unfit(f"its result is {str(result)[:60]!r}, not 0 or 1")
    feedback = row.get("feedback")
    why = "" if feedback is None else text_in(feedback, "its feedback", may_be_empty=True)
    return (Verdict(judge, IMPORTED, {"feedback": why, "completed": ANSWERS[told]}),)


TOD = Importer(
    name="tod",
    meaning="TOD's runs: jsonl of initial_message and conv_history, judged (feedback, result) or not, of --model NAME",
    read=read_tod,
    options={"system": BOT},
    remarks=(
        "What was booked is not in such a file, so nobody can say what was achieved beyond what judges say; with the "
        "goals and their database (--data FOLDER) the database tells inform and request.",
    ),
)
