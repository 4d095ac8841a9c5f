"""Bots for task dialogue behind the loopback provider, and the commands that send users, systems and judges to them."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from interplay.benchmarks.task_dialogue.bots import judge, tool_caller
from interplay.benchmarks.task_dialogue.city import own_city
from interplay.benchmarks.task_dialogue.faulty_users import script
from interplay.benchmarks.task_dialogue.goals import Goal
from interplay.benchmarks.task_dialogue.office import Office
from interplay.benchmarks.task_dialogue.rules import Rules
from interplay.benchmarks.task_dialogue.scenarios import own_goals
from interplay.models.loopback import Asked, Fault, Said
from interplay.store.records import ConversationRow, Records
from tests.faults.rasa_bot import Sender

Answer = Callable[[Asked], str | Said | Fault]
SIMULATORS = ("vanilla", "thought", "tracking")
USER, SYSTEM, JUDGE = "openai/user", "openai/system", "openai/judge"
MARK = re.compile(r"<<([0-9a-f]{12})\n")
GOALS = own_goals()


def scripts(**others: Answer) -> dict[str, Answer]:
    """A clean user, a system that calls tools as the rules would, and a judge; others in their places or besides."""
    clean = {"user": script(GOALS, own_city()), "system": tool_caller(own_city()), "judge": judge(0.7, 0)}
    return {**clean, **others}


def line(url: str, *more: str, judges: Sequence[str] = (JUDGE,), user: str = USER) -> list[str]:
    """The words of a run whose user, and whose judges, are behind this URL."""
    words = ["run", "task_dialogue", "--base-url", url]
    words += ["--model-role", f"user={user}"] if user else ["--simulator", "agenda"]
    return [*words, *(word for name in judges for word in ("--model-role", f"judge={name}")), *more]


AGENT = ("--system", "agent", "--model", SYSTEM)


def goals_file(folder: Path, goals: Iterable[Goal], name: str = "goals.jsonl") -> str:
    path = folder / name
    path.write_text("".join(json.dumps(goal.content()) + "\n" for goal in goals), encoding="utf-8")
    return str(path)


def some(count: int, holds: Callable[[Goal], bool] = lambda goal: True) -> list[Goal]:
    """The first goals of our own of which this holds."""
    return [goal for goal in GOALS if holds(goal)][:count]


def books(goal: Goal) -> bool:
    """Does it need an office?"""
    return any(wish.book or wish.domain == "taxi" for wish in goal.wishes)


def played(store: Path) -> list[ConversationRow]:
    with Records(store) as records:
        return records.conversations(records.find("last"))


def dialogues(store: Path) -> dict[str, Any]:
    """What came of each goal, by its id; None where it came to nothing."""
    return {row.scenario.label: row.outcome for row in played(store)}


def part(board: Any, title: str) -> Any:
    return next(one for one in board["parts"] if one["title"] == title)


def outcomes(board: Any) -> dict[str, int]:
    """The row of the first system in the table of outcomes, without its name and what did not happen."""
    row = part(board, "How dialogues ended")["rows"][0]
    return {name: count for name, count in row.items() if count and name != "model"}


def texts(asked: Asked) -> str:
    return "\n".join(str(message["content"]) for message in asked.messages)


def goal_in(asked: Asked, goals: Sequence[Goal] = GOALS) -> Goal:
    """The goal of a user who is asked, which is in its brief."""
    return next(goal for goal in goals if goal.text in str(asked.messages[0]["content"]))


def turn_of(asked: Asked) -> int:
    """Which turn of its dialogue a user is asked for, from 1; that it is asked once more does not count."""
    heard = [str(message["content"]) for message in asked.messages if message["role"] == "user"]
    return sum(text.startswith(("You begin", "The system says")) for text in heard)


def user_says(asked: Asked, utterance: str, status: str = "going_on") -> str:
    """A user's reply in the form that it is asked for."""
    assert asked.schema is not None
    fields = {"thought": "Now.", "updates": [], "utterance": utterance, "status": status}
    return json.dumps({name: fields[name] for name in asked.schema["properties"]})


def reworded(answer: Answer, change: Callable[[str], str]) -> Answer:
    """A system that calls tools, and what it says to the user in other words."""

    def say(asked: Asked) -> str:
        step = json.loads(str(answer(asked)))
        if step["text"]:
            step["text"] = change(step["text"])
        return json.dumps(step)

    return say


def by_rules(sender: Sender, text: str) -> str:
    """A bot with a memory of its own, which serves by rules over our city and books where nobody can look it up."""
    rules = sender.notes.setdefault("rules", Rules(Office(own_city(), sender.name)))
    return str(rules.reply(text))


@dataclass
class Chance:
    """A system that serves so many of the repeats of each goal well and mishears everything in the others.

    A repeat is known by its mark, which is its own; the first that come are served well.
    """

    well: Mapping[str, int]  # by the first words of a dialogue
    seen: dict[str, list[str]] = field(default_factory=dict)
    sharp: Answer = field(default_factory=lambda: tool_caller(own_city()))
    dull: Answer = field(default_factory=lambda: tool_caller(own_city(), lambda first, domain, slot: True))

    def __call__(self, asked: Asked) -> str | Said | Fault:
        first = next(str(one["content"]) for one in asked.messages if one["role"] == "user")
        mark = MARK.search(first)
        assert mark is not None
        words = next(words for words in self.well if words in first)
        repeats = self.seen.setdefault(words, [])
        if mark[1] not in repeats:
            repeats.append(mark[1])
        return (self.sharp if repeats.index(mark[1]) < self.well[words] else self.dull)(asked)
