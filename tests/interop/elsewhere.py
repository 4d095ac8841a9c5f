"""Files as others have them, written by hand: results and annotations in PingPong's shape, chat logs, transcripts."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

STORM = {"text": "Ask about the storm that is coming.", "tags": ["storm"], "num_turns": 2}
BOAT = {"text": "Try to buy a boat that is not for sale.", "tags": ["boat", "long"], "num_turns": 2}
SITUATIONS = (STORM, BOAT)


def card(name: str) -> dict[str, Any]:
    """A character as the authors write it down."""
    return {
        "char_name": name,
        "system_prompt": f"You are {name}. You keep a lighthouse and waste no words.",
        "tags": None,
        "example_prompt": None,
        "initial_message": "Mind the step.",
        "summary": f"{name} keeps a lighthouse.",
    }


def messages(name: str, situation: Mapping[str, Any], words: str) -> list[dict[str, str]]:
    """Two turns."""
    found = []
    for turn in ("first", "second"):
        found += [
            {"role": "user", "content": f"{situation['tags'][0]}, {turn} question?"},
            {"role": "assistant", "content": f"{name}: {words}."},
        ]
    return found


def scores(
    in_character: Sequence[int],
    entertaining: Sequence[int] = (3, 3),
    fluency: Sequence[int] = (4, 4),
    refused: Sequence[int] = (0, 0),
) -> dict[str, list[int]]:
    return {
        "in_character": list(in_character),
        "entertaining": list(entertaining),
        "fluency": list(fluency),
        "is_refusal": list(refused),
    }


def output(name: str, situation: Mapping[str, Any], words: str, given: Any) -> dict[str, Any]:
    return {
        "messages": messages(name, situation, words),
        "character": card(name),
        "situation": dict(situation),
        "scores": given,
    }


def result(player: str, judge: str, outputs: Sequence[Mapping[str, Any]], **more: Any) -> dict[str, Any]:
    """A result file of version 2: who took part comes with the settings of each, of which only the name counts."""
    return {
        "outputs": list(outputs),
        "version": 2,
        "refusal_ratio": 0.0,
        "judge": {"model_name": judge, "system_prompt": "", "params": {"temperature": 0.1}},
        "interrogator": {"model_name": "user-mini", "system_prompt": "", "params": {}},
        "player": {"model_name": player, "system_prompt": "", "params": {"temperature": 0.6}},
        "final_score": 3.5,
    } | more


def four(words: str, given: Sequence[Any]) -> list[dict[str, Any]]:
    """Two characters in two situations, with these scores in turn."""
    pairs = [(name, situation) for name in ("Ada", "Odo") for situation in SITUATIONS]
    return [output(*pair, words, one) for pair, one in zip(pairs, given, strict=True)]


def annotated(
    name: str, situation: Mapping[str, Any], human: Mapping[str, Any], **more: Any
) -> dict[str, Any]:
    """A row that people labelled."""
    row = {
        "messages": messages(name, situation, "as it was"),
        "character": card(name),
        "situation": dict(situation),
        "player": {"model_name": "player-a"},
        "human_scores": dict(human),
    }
    return row | more


def write_json(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return path


def write_lines(path: Path, rows: Iterable[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def log(model: str, *said: str, system: str = "", **more: Any) -> dict[str, Any]:
    """A chat log: user and assistant in turn."""
    roles = [("user", "assistant")[place % 2] for place in range(len(said))]
    first = [{"role": "system", "content": system}] if system else []
    talk = [{"role": role, "content": text} for role, text in zip(roles, said, strict=True)]
    return {"model": model, "messages": [*first, *talk]} | more
