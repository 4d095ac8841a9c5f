"""A provider whose writer is scripted, a hand that types the command at it, and a person at a terminal."""

import json
import os
import subprocess
import threading
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.role_play.writing import writing
from interplay.cli import main
from interplay.models.loopback import Asked, Loopback, Script, serving
from tests.benchmarks.pieces import SPOILED, good, is_character, task_of
from tests.faults.forked import Forked
from tests.running.job import answer

PATIENCE = 60
FIRST = writing.scenarios(writing.settle({}), None).scenarios[0].content["seeds"]["setting"]


class Desk:
    """Types the command at a provider and keeps what it said."""

    def __init__(self, url: str, loopback: Loopback, capsys: pytest.CaptureFixture[str]):
        self.url, self.loopback, self.capsys = url, loopback, capsys
        self.err = ""

    def line(self, *more: str, characters: int = 3, situations: int = 2, yes: bool = True) -> list[str]:
        line = [
            "generate",
            "role_play",
            "--model",
            "openai/writer",
            "--base-url",
            self.url,
            "--out",
            "new.toml",
        ]
        line += ["--characters", str(characters), "--situations", str(situations)]
        return [*line, *(["--yes"] if yes else []), *more]

    def type(self, *more: str, code: int = 0, **how: Any) -> Any:
        """The JSON that the command prints, where it prints any."""
        found = main(self.line(*more, "--json", **how))
        out, self.err = self.capsys.readouterr()
        assert found == code, self.err
        return json.loads(out) if out else None


@contextmanager
def serving_writer(script: Script, capsys: pytest.CaptureFixture[str]) -> Iterator[Desk]:
    """Serve a scripted writer; all other models answer as in a rehearsal."""
    loopback = Loopback({"writer": script, "*": answer})
    with serving(loopback) as url:
        yield Desk(url, loopback, capsys)


def new(path: str = "new.toml") -> dict[str, Any]:
    return tomllib.loads(Path(path).read_text(encoding="utf-8"))


class Once:
    """A writer that spoils some pieces: always, or only the first times that they are asked for."""

    def __init__(
        self, spoil: Callable[[Asked, dict[str, Any]], str], only: Callable[[Asked], bool], times: int = 99
    ):
        self.spoil, self.only, self.times = spoil, only, times
        self.asked: dict[str, int] = {}

    def __call__(self, asked: Asked) -> str:
        draft = good(asked)
        piece = seeds_in(asked)
        count = self.asked[piece] = self.asked.get(piece, 0) + 1
        if self.only(asked) and count <= self.times:
            return self.spoil(asked, draft)
        return json.dumps(draft)


def seeds_in(asked: Asked) -> str:
    """What tells one piece from another, whichever try it is."""
    return "\n".join(
        line for line in task_of(asked).splitlines() if "letter" not in line and "turns up" not in line
    )


def first_character(asked: Asked) -> bool:
    return is_character(asked) and FIRST in task_of(asked)


def spoiled(kind: str) -> Callable[[Asked, dict[str, Any]], str]:
    return lambda asked, draft: json.dumps(SPOILED[kind][0](draft))


class Person:
    """Somebody at a terminal, who types all answers at once and reads what the command says."""

    def __init__(self, line: list[str], typed: bytes):
        master, terminal = os.openpty()
        process = Forked(
            line,
            stdin=terminal,
            stdout=subprocess.PIPE,
            stderr=terminal,
            env={**os.environ, "TERM": "dumb"},
        )
        os.close(terminal)
        self._heard = b""
        reader = threading.Thread(target=self._read, args=(master,))
        reader.start()
        os.write(master, typed)
        self.out = process.communicate(timeout=PATIENCE)[0].decode()
        reader.join(PATIENCE)
        os.close(master)
        self.code = process.returncode
        self.heard = self._heard.decode()

    def _read(self, master: int) -> None:
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # the other end was closed
                return
            if not piece:
                return
            self._heard += piece
