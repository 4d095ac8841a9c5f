"""Making the goals that ship: drawn from our city by a seed, told in words, checked; --check compares the file."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

from interplay.benchmarks.task_dialogue.city import City, own_city
from interplay.benchmarks.task_dialogue.drawing import draw_goals
from interplay.benchmarks.task_dialogue.goal_checks import about
from interplay.benchmarks.task_dialogue.goals import Goal
from interplay.benchmarks.task_dialogue.message_checks import hub_of
from interplay.benchmarks.task_dialogue.phrase_book import DATA, phrases
from interplay.benchmarks.task_dialogue.phrasing import tell

FILE = DATA / "goals.jsonl"
COUNT, SEED = 240, "632"
APART = 12  # goals between two with the same opening
CANARY = (
    "INTERPLAY CANARY task_dialogue goals 5f0c6d7e-3a41-4f0b-9a57-1b2f8c0d9e63: benchmark data, "
    "keep out of training corpora"
)


def make_goals(city: City, count: int = COUNT, seed: str = SEED) -> list[Goal]:
    """So many goals of a city, in words."""
    found: list[Goal] = []
    for number, wishes in enumerate(draw_goals(city, phrases()["absent"], count, seed), 1):
        rng = Random(f"{seed}/words {number}")  # noqa: S311  # draws wordings, guards nothing
        recent = [goal.message[0] for goal in found[-APART:]]
        found.append(Goal(f"G{number:03}", wishes, tell(wishes, hub_of(city), rng, recent)))
    return found


def text_of(goals: Sequence[Goal]) -> str:
    """The file, one goal a line, each with the canary."""
    return "".join(
        f"{json.dumps({**goal.content(), 'canary': CANARY}, ensure_ascii=False)}\n" for goal in goals
    )


def main(arguments: Sequence[str], file: Path = FILE) -> list[str]:
    """Write the file; with --check, only look whether it is what would be written. What is wrong is returned."""
    city = own_city()
    goals = make_goals(city)
    complaints = [f"{goal.id}: {complaint}" for goal in goals for complaint in about(goal, city)]
    text = text_of(goals)
    if "--check" in arguments:
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            complaints.append(f"{file.name} is not what the script makes")
    elif not complaints:
        file.write_text(text, encoding="utf-8")
    return complaints


if __name__ == "__main__":
    sys.exit("\n".join(main(sys.argv[1:])) or 0)
