"""A loopback provider that keeps its own account of what it handed out, and a hand to type commands with."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from interplay.cli import main
from interplay.models.loopback import Asked, Fault, Loopback, Said, Script, serving
from tests.running.job import answer, command

PRICES = {"player": (2, 8), "user": (1, 4), "judge-1": (3, 15), "judge-2": (5, 20)}  # dollars for a million
PER = 1_000_000


@dataclass
class Account:
    """Answers as a script does, says what each answer used, and adds it up in whole numbers."""

    script: Script = answer
    prices: Mapping[str, tuple[int, int]] = field(default_factory=lambda: PRICES)
    calls: int = 0
    tokens: int = 0
    millionths: int = 0

    def __call__(self, asked: Asked) -> str | Said | Fault:
        self.calls += 1
        said = self.script(asked)
        if not isinstance(said, str):
            return said
        read = sum(len(str(message["content"])) for message in asked.messages) // 4 + 1
        written = len(said) // 4 + 1
        price = self.prices.get(asked.model, (0, 0))
        self.tokens += read + written
        self.millionths += read * price[0] + written * price[1]
        usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
        return Said(said, usage=usage)

    @property
    def money(self) -> float:
        return self.millionths / PER

    def used(self, kind: str) -> float:
        return {"money": self.money, "tokens": self.tokens, "calls": self.calls}[kind]


def write_prices(folder: Path, prices: Mapping[str, tuple[int, int]] | None = None) -> Path:
    """A models.toml with these prices."""
    path = folder / "models.toml"
    tables = [
        f'[prices."openai/{name}"]\ninput = {price[0]}\noutput = {price[1]}\n'
        for name, price in (prices or PRICES).items()
    ]
    path.write_text("\n".join(tables))
    return path


@contextmanager
def accounted(script: Script = answer, **settings: Any) -> Iterator[tuple[Account, Loopback, str]]:
    account = Account(script)
    loopback = Loopback(account, **settings)
    with serving(loopback) as url:
        yield account, loopback, url


def job(url: str, *more: str, **cast: Any) -> list[str]:
    """The reference job as words for a typist, who adds the store."""
    words = command(url, Path("unused"), more=more, **cast)
    for flag, width in (("--store", 2), ("--json", 1)):
        at = words.index(flag)
        del words[at : at + width]
    return words


@dataclass
class Typist:
    """Types commands into one store and reads what comes back."""

    store: Path
    capsys: pytest.CaptureFixture[str]
    said: str = ""  # the remarks of the last command

    def types(self, *words: str, code: int = 0) -> str:
        found = main([*words, "--store", str(self.store)])
        out, self.said = self.capsys.readouterr()
        assert found == code, self.said
        assert "Traceback" not in self.said
        return out

    def reads(self, *words: str, code: int = 0) -> Any:
        """What the command prints as JSON."""
        return json.loads(self.types(*words, "--json", code=code))

    def mistakes(self, *words: str) -> str:
        """The one line that says what is wrong; nothing is printed and no store is made."""
        before = self.store.exists()
        assert self.types(*words, code=2) == ""
        assert self.said.count("\n") == 1, self.said
        assert self.store.exists() == before
        return self.said
