"""Task dialogues as other programs write them: MultiWOZ's file with a database beside it, and TOD's runs."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from interplay.benchmarks import find
from interplay.core.benchmark import Played
from interplay.core.import_files import Skipped
from interplay.core.importing import Imported, Importer, Reading
from tests.benchmarks.small_town import TOWN

BENCHMARK = find("task_dialogue")
OPTIONS = BENCHMARK.settle({})
MODEL = "openai/old-system"
END = "<COMPLETE CONVERSATION>"
WANTED = {"food": "italian", "area": "centre"}
MESSAGE = [
    "You are looking for a <span class='emphasis'>restaurant</span> with <span class='emphasis'>italian</span> food",
    "It should be in the <span class='emphasis'>centre</span>. Make sure you get its "
    "<span class='emphasis'>phone number</span>",
]
GOAL: dict[str, Any] = {
    "taxi": {},
    "topic": {"restaurant": True, "taxi": False},
    "message": MESSAGE,
    "restaurant": {"info": WANTED, "fail_info": {}, "reqt": ["phone"]},
}
SERVED = (
    "I would like italian food in the centre, please.",
    "The Copper Ladle serves italian food in the centre.",
    "Good. What is its phone number?",
    "The phone number of The Copper Ladle is 01632960001.",
)
UNSERVED = (
    "I would like italian food in the centre, please.",
    "Nasturtium in the north is italian.",
    "What is its phone number?",
    "It is 01632960002.",
)


def log(*said: str) -> list[dict[str, Any]]:
    """The turns of a dialogue as MultiWOZ has them: the system's say what is known by then."""
    known = {"restaurant": {"semi": WANTED, "book": {"booked": []}}}
    return [{"text": text, "metadata": known if at % 2 else {}} for at, text in enumerate(said)]


def multiwoz(*said: str, **changes: Any) -> dict[str, Any]:
    return {"goal": GOAL, "log": log(*said), **changes}


def unified(*said: str, **changes: Any) -> dict[str, Any]:
    """The same as ConvLab-3 has it."""
    sides = ("user", "system")
    return {
        "dataset": "multiwoz21",
        "dialogue_id": "multiwoz21-test-0",
        "original_id": "SNG1.json",
        "goal": {"description": ". ".join(MESSAGE), "inform": {}, "request": {}},
        "turns": [{"speaker": sides[at % 2], "utterance": text} for at, text in enumerate(said)],
        **changes,
    }


def write_database(folder: Path) -> None:
    """The small town as MultiWOZ packs its database, with the file of taxis that is no JSON."""
    for domain, rows in TOWN.rows.items():
        (folder / f"{domain}_db.json").write_text(json.dumps(list(rows)), encoding="utf-8")
    (folder / "taxi_db.json").write_text('[\n "taxi_colors" : ["black"]\n]')


def messages(*said: str, thoughts: Sequence[str] = ()) -> list[dict[str, str]]:
    """What a user agent and a system say in turn, each utterance of the user after its thought."""
    found = []
    for at, text in enumerate(said):
        if at % 2 == 0 and at // 2 < len(thoughts):
            found.append({"role": "thought", "content": thoughts[at // 2]})
        found.append({"role": ("user_agent", "tod_system")[at % 2], "content": text})
    return found


def run(*said: str, thoughts: Sequence[str] = (), **changes: Any) -> dict[str, Any]:
    """A row of the authors' runs."""
    return {
        "initial_message": " ".join(MESSAGE),
        "conv_history": messages(*said, thoughts=thoughts),
        **changes,
    }


def write_rows(path: Path, rows: Sequence[object]) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def read(importer: Importer, path: Path, **given: Any) -> list[Imported | Skipped]:
    given.setdefault("model", MODEL)
    return list(importer.read(Reading(path, OPTIONS, **given)))


def played_in(found: Sequence[Imported | Skipped]) -> list[Played]:
    assert not [one for one in found if isinstance(one, Skipped)]
    return [one.played for one in found if isinstance(one, Imported)]


def left_in(found: Sequence[Imported | Skipped]) -> list[tuple[str, str]]:
    return [(one.where, one.why) for one in found if isinstance(one, Skipped)]


def write(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path
