"""Somebody who does what a page says, block by block, with the loopback provider in the place of models."""

import io
import shlex
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from interplay.cli import main
from tests.docs import commands
from tests.docs.blocks import Block, commands_in

FILES = ("toml", "json", "jsonl", "csv")  # a block of these is a file, and has its name as title


class Unknown(AssertionError):
    """A page says something that nobody here knows how to do."""


@dataclass
class Reader:
    """Goes through one page, in the current folder."""

    url: str  # of the loopback provider
    names: dict[str, Any] = field(default_factory=dict)  # of the page's Python
    said: str = ""  # by the last block that was carried out
    written: list[str] = field(default_factory=list)  # files that the page shows
    typed: list[str] = field(default_factory=list)  # commands and Python, to see that these files are used

    def does(self, block: Block) -> None:
        """Carry out a block, or write it down as the file that it is."""
        if block.title:
            self._writes(block)
            return
        kinds: dict[str, Callable[[Block], str]] = {"sh": self._types, "python": self._runs}
        if block.language not in kinds:
            lacks = "a title" if block.language in FILES else "a language that is known here"
            raise Unknown(f"{block.where}: a block in {block.language!r} lacks {lacks}")
        self.typed.append(block.text)
        with commands.provided(self.url):
            self.said = kinds[block.language](block)

    def unused(self) -> list[str]:
        """Files that the page shows and nothing on it uses; models.toml is read wherever it is."""
        everything = "\n".join(self.typed)
        return [name for name in self.written if name != "models.toml" and name not in everything]

    def _writes(self, block: Block) -> None:
        Path(block.title).parent.mkdir(parents=True, exist_ok=True)
        Path(block.title).write_text(block.text, encoding="utf-8")
        self.written.append(block.title)
        if block.language == "python":
            compile(block.text, block.where, "exec")

    def _runs(self, block: Block) -> str:
        told = io.StringIO()
        source = "\n" * (block.first - 1) + block.text  # so that an error names the line of the page
        with redirect_stdout(told), redirect_stderr(told):
            exec(compile(source, block.page, "exec"), self.names)
        return told.getvalue()

    def _types(self, block: Block) -> str:
        return "".join(self._type(line, block.where) for line in commands_in(block))

    def _type(self, line: str, where: str) -> str:
        name, *words = shlex.split(line, comments=True)
        known = {**commands.OTHERS, "interplay": self._interplay}
        if name not in known:
            raise Unknown(f"{where}: nobody here knows how to type {line!r}")
        try:
            return known[name](words)
        except AssertionError as error:
            raise AssertionError(f"{where}: {line}\n{error}") from error

    def _interplay(self, words: list[str]) -> str:
        commands.check_flags(words)
        if words[0] == "loopback":  # one runs already
            return ""
        if words[0] == "view":
            return commands.looked_at(words)
        if commands.is_tryout(
            words
        ):  # by the embedded model, which takes minutes; tests/running/test_tryout.py has one
            return _typed([*words, "--plan"])
        if "--plan" in words or words[0] == "power":
            with commands.hosted():
                return _typed(words)
        return _typed(
            [self.url if commands.is_loopback(word) else word for word in commands.on_this_machine(words)]
        )


def _typed(words: list[str]) -> str:
    told = io.StringIO()
    with redirect_stdout(told), redirect_stderr(told):
        code = main(words)
    assert code == 0, f"exit code {code}: {told.getvalue()[-2000:]}"
    return told.getvalue()
