"""Test scripts: the history of a dialogue and the request that a model under test must answer."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from interplay.benchmarks.simulation.tasks import Task, json_lines, kind_in, text_in
from interplay.core.failures import Mistake
from interplay.core.wire import clean

LAST_ONLY, FIRST_CHAN, SUBSEQ_CHAN = TYPES = ("LastOnly", "FirstChan", "SubseqChan")
HARD = (FIRST_CHAN, SUBSEQ_CHAN)
LONGEST_MESSAGE = 100_000  # characters
LONGEST_ORIGIN = 500
Dialogue = tuple[str, str]  # of the authors': its task and its file
# Its dialogue's first challenging turn is not in the authors' file: it was among the ten scripts they dropped.
_LATER_ALTHOUGH_FIRST = (154,)


@dataclass(frozen=True)
class Turn:
    """A request and its answer; of a script's last turn, what the simulator of that time answered."""

    request: str
    answer: str


@dataclass(frozen=True)
class Script:
    """What a model under test is handed: a task, the turns before, a request; and where it comes from."""

    task: str  # the task's id
    name: str
    kind: str
    type: str
    turn: int  # of its dialogue, from 1
    history: tuple[Turn, ...]
    request: str
    keeps: tuple[str, ...]
    origin: str

    def content(self) -> dict[str, Any]:
        """As a scenario has it."""
        return {
            "task": self.task,
            "name": self.name,
            "kind": self.kind,
            "type": self.type,
            "turn": self.turn,
            "history": [{"request": turn.request, "answer": turn.answer} for turn in self.history],
            "request": self.request,
            "keeps": list(self.keeps),
            "origin": self.origin,
        }


def cut(task: Task, turns: Sequence[Turn], challenging: int, origin: str) -> Iterator[Script]:
    """The scripts of a dialogue: its last turn, or its first challenging turn and every turn after it."""
    if not 0 <= challenging <= len(turns):
        raise ValueError(f"a dialogue of {len(turns)} turns has no turn {challenging}")
    first = challenging or len(turns)
    for number in range(first, len(turns) + 1):
        type_ = SUBSEQ_CHAN if number > first else FIRST_CHAN if challenging else LAST_ONLY
        yield Script(
            task=task.id,
            name=task.name,
            kind=task.kind,
            type=type_,
            turn=number,
            history=tuple(turns[: number - 1]),
            request=turns[number - 1].request,
            keeps=task.keeps,
            origin=origin,
        )


def read_scripts(path: Path) -> list[Script]:
    """The scripts of a .jsonl file: of our own form, or of the authors'."""
    if path.suffix.lower() == ".toml":
        raise Mistake(f"{path} may hold tasks, for interplay collect simulation --data; scripts are .jsonl")
    rows = json_lines(path)
    if rows and "task_description" in rows[0][1] and "dialogue_history" not in rows[0][1]:
        raise Mistake(f"{path} holds tasks, not scripts: interplay collect simulation --data {path}")
    if not rows:
        raise Mistake(f"{path} has no scripts")
    if "dialogue_history" in rows[0][1]:
        return _authors(path, rows)
    return [_script(row, f"{path}, line {line}") for line, row in rows]


def _script(row: Mapping[str, Any], where: str) -> Script:
    type_ = text_in(row, "type", where)
    if type_ not in TYPES:
        raise Mistake(f"{where}: type is one of {', '.join(TYPES)}, not {type_!r}")
    history = row.get("history")
    if not isinstance(history, list):
        raise Mistake(f"{where}: history is a list of objects with request and answer")
    return Script(
        task=text_in(row, "task", where),
        name=text_in(row, "name", where),
        kind=kind_in(row, "kind", where),
        type=type_,
        turn=len(history) + 1,
        history=tuple(_turn(one, where) for one in history),
        request=_said(row.get("request"), f"{where}: request"),
        keeps=tuple(str(one) for one in row.get("keeps", ())),
        origin=str(row.get("origin", "")),
    )


def _turn(entry: Any, where: str) -> Turn:
    if not isinstance(entry, Mapping):
        raise Mistake(f"{where}: history is a list of objects with request and answer")
    return Turn(
        _said(entry.get("request"), f"{where}: a request"),
        _said(entry.get("answer"), f"{where}: an answer", may_be_empty=True),
    )


def _said(found: Any, where: str, *, may_be_empty: bool = False) -> str:
    if not isinstance(found, str) or not (found.strip() or may_be_empty):
        raise Mistake(f"{where} must be a text, not {'nothing' if found is None else repr(found)[:80]}")
    if len(found) > LONGEST_MESSAGE:
        raise Mistake(f"{where} has {len(found):,} characters, and {LONGEST_MESSAGE:,} are the most")
    return clean(found)


def _authors(path: Path, rows: Sequence[tuple[int, Mapping[str, Any]]]) -> list[Script]:
    """The authors' scripts; their file has no types, which follow from its turn numbers."""
    placed = [(f"{path}, line {line}", row) for line, row in rows]
    earliest = earliest_of((authors_dialogue(row), authors_turn(row, where)) for where, row in placed)
    return [authors_script(row, where, earliest) for where, row in placed]


def authors_dialogue(row: Mapping[str, Any]) -> Dialogue:
    """The dialogue that a script of the authors' was cut from."""
    return str(row.get("source_id")), str(row.get("source_file_name"))


def authors_turn(row: Mapping[str, Any], where: str) -> int:
    """The number of a script's turn if it is challenging, else 0."""
    turn = row.get("turn_num")
    if not isinstance(turn, int):
        raise Mistake(f"{where}: turn_num must be a whole number")
    return turn


def earliest_of(turns: Iterable[tuple[Dialogue, int]]) -> dict[Dialogue, int]:
    """The first challenging turn of each dialogue that has one."""
    found: dict[Dialogue, int] = {}
    for dialogue, turn in turns:
        if turn:
            found[dialogue] = min(turn, found.get(dialogue, turn))
    return found


def authors_script(row: Mapping[str, Any], where: str, earliest: Mapping[Dialogue, int]) -> Script:
    file, turn = row.get("source_file_name"), authors_turn(row, where)
    first = turn == earliest.get(authors_dialogue(row)) and row.get("id") not in _LATER_ALTHOUGH_FIRST
    messages = row.get("dialogue_history")
    if not isinstance(messages, list) or len(messages) % 2 == 0:
        raise Mistake(f"{where}: dialogue_history is a list that begins and ends with the user")
    said = [_message(one, number, where) for number, one in enumerate(messages)]
    return Script(
        task=text_in(row, "source_id", where),
        name=text_in(row, "act", where),
        kind=kind_in(row, "type", where),
        type=LAST_ONLY if not turn else FIRST_CHAN if first else SUBSEQ_CHAN,
        turn=len(said) // 2 + 1,
        history=tuple(Turn(*said[place : place + 2]) for place in range(0, len(said) - 1, 2)),
        request=said[-1],
        keeps=(),
        origin=clean(f"SimulBench {row.get('id')}, {file}")[:LONGEST_ORIGIN],
    )


def _message(message: Any, number: int, where: str) -> str:
    role = ("user", "assistant")[number % 2]
    if not isinstance(message, Mapping) or message.get("role") != role:
        raise Mistake(f"{where}: message {number + 1} must be of the {role}")
    return _said(message.get("content"), f"{where}: message {number + 1}", may_be_empty=role == "assistant")
