"""Sessions of social interaction over the loopback provider: who plays, judges and reads, and real play to read."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from interplay.models.loopback import ROUTES, Asked, Loopback, Script, rehearse

MODELS = ("openai/a", "openai/b")
JUDGES = ("openai/j1", "openai/j2")
SESSIONS, MOVES = 12, 8
READ = 8  # windows of the real play that are held out
SKILLS = ("perception", "stealth", "persuasion")
_MARK = re.compile(r"[0-9a-f]{12}")  # of a fence: secret, and another in every store
_PLAYERS = re.compile(r"Players: (.*)\.\n")


def plainly(asked: Asked) -> Asked:
    """What was asked, without what differs from store to store."""
    told = tuple({**one, "content": _MARK.sub("", str(one["content"]))} for one in asked.messages)
    return replace(asked, messages=told)


def answer(asked: Asked) -> str:
    """Plays and judges any old way, the same in every store."""
    return rehearse(plainly(asked))


def read(asked: Asked) -> str:
    """Names the player who spoke last, with a skill that depends on what it was shown before."""
    told = [str(one["content"]) for one in plainly(asked).messages]
    names = next(found[1].split(", ") for text in reversed(told) if (found := _PLAYERS.search(text)))
    spoken = re.findall(rf"^({'|'.join(map(re.escape, names))}): ", told[-1], re.MULTILINE)
    skill = Random(f"{told}/{asked.examples}").choice(SKILLS)
    return json.dumps({"intentions": [{"character": (spoken or names)[-1], "skill": skill}]})


SCRIPTS: dict[str, Script] = {"*": answer, "dm": read, "dm-2": read, "ft:dm": read}


def serving_tables(**settings: Any) -> Loopback:
    return Loopback(SCRIPTS, **settings)


def jobs(loopback: Loopback) -> int:
    return len(loopback.workshop.jobs)


def of_models(loopback: Loopback) -> int:
    """Requests to models: what is billed by the call."""
    return sum(event.kind == "request" and event.route not in ROUTES for event in loopback.events)


def real_file(folder: Path, *, sessions: int = 6, each: int = 4, name: str = "real.jsonl") -> str:
    """Recorded play, as a user might have it."""
    lines = []
    for session in range(sessions):
        for number in range(each):
            skill = SKILLS[(session + number) % len(SKILLS)]
            turns = [
                {"speakers": ["ANNA"], "text": f"The room number {number} is dark, and something moves."},
                {"speakers": ["CARL"], "text": "I stay by the door and hum to myself."},
                {"speakers": ["BEN"], "text": f"I look into corner {session} and keep very still."},
            ]
            named = {"character": "BEN" if number else "CARL", "skill": skill}
            lines.append(
                {
                    "id": f"s{session}-{number}",
                    "session": f"s{session}",
                    "masters": ["ANNA"],
                    "turns": turns,
                    "intentions": [named],
                }
            )
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return str(path)


def exchange(
    url: str, *more: str, models: Sequence[str] = MODELS, judges: Sequence[str] = JUDGES
) -> list[str]:
    """The command that plays and judges an exchange."""
    line = ["run", "social_interaction", "--base-url", url, "--moves", str(MOVES)]
    for name in models:
        line += ["--model", name]
    for name in judges:
        line += ["--model-role", f"judge={name}"]
    return [*line, *more]


def intentions(
    url: str, folder: Path, *more: str, dm: str = "examples:openai/dm", limit: int = SESSIONS
) -> list[str]:
    """The command that plays intentions and has them read."""
    scene = ("--scene", "intentions", "--limit", str(limit), "--dm", dm, "--real", real_file(folder))
    return exchange(url, *scene, *more, judges=())


def gaps(board: Any) -> list[Any]:
    """The readings that stand beside a run, the newest first."""
    return [part for part in board["parts"] if part["title"].startswith("Expressiveness gap")]
