"""Simulators with planted qualities, and judges who see them, or only where an answer stands; all over HTTP."""

import json
import re
from pathlib import Path

from interplay.models.loopback import Asked, Fault, Said

NAMES = ("good", "middling", "poor")
MODELS = tuple(f"openai/{name}" for name in NAMES)
TYPES = ("LastOnly", "FirstChan", "SubseqChan")
SCRIPTS = 9  # three of each type, over five tasks
_FENCED = r"<<{mark}\n(.*?)\n{mark}>>"


def quality(model: str, number: int) -> int:
    """How good a model's answer to a script is: middling beats poor on every third, and ties with it else."""
    if model == "good":
        return 9 if number != 4 else 1
    return 5 if model == "middling" and number % 3 == 0 else 4


def write_scripts(folder: Path, count: int = SCRIPTS) -> Path:
    """A file of scripts whose request says their number."""
    path = folder / "scripts.jsonl"
    rows = [
        {
            "task": f"task {number % 5}",
            "name": f"Machine {number % 5}",
            "kind": "stateful",
            "type": TYPES[number % 3],
            "history": [{"request": "You are a machine. My first request is: start", "answer": "started"}],
            "request": f"request number {number}",
            "keeps": ["one line"],
        }
        for number in range(count)
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def answers(asked: Asked) -> str | Said | Fault:
    """Everybody: a simulator says how good its answer is, a judge finds that in what it is shown."""
    told = str(asked.messages[-1]["content"])
    if asked.schema is None:
        found = re.search(r"request number (\d+)", told)
        assert found is not None
        return f"quality {quality(asked.model, int(found.group(1)))}, says {asked.model}"
    if asked.model == "mute":
        return "I would rather not say."
    material = str(asked.messages[1]["content"])
    if "rating" in asked.schema["properties"]:
        return json.dumps({"explanation": "seen", "rating": _qualities(material)[-1]})
    if asked.model == "first":
        return json.dumps({"explanation": "it stands first", "better": "A"})
    one, other = _qualities(material)[-2:]
    better = "A" if one > other else "B" if one < other else "tie"
    return json.dumps({"explanation": f"{one} and {other}", "better": better})


def shown_in(asked: Asked) -> tuple[str, str]:
    """The models whose answers a judge was shown, in their order."""
    first, second = re.findall(r"quality \d+, says (\w+)", str(asked.messages[1]["content"]))
    return first, second


def _qualities(material: str) -> list[int]:
    return [int(found) for found in re.findall(r"quality (\d+)", material)]
