"""Commands as they are typed, against a provider on loopback whose ledger is the oracle."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from interplay.cli import main
from interplay.models.loopback import Asked, Loopback, Script, serving
from interplay.testing import steady


@contextmanager
def provider(script: Any = steady, **settings: Any) -> Iterator[tuple[Loopback, str]]:
    loopback = Loopback(script, **settings)
    with serving(loopback) as url:
        yield loopback, url


def overheard(seen: list[Asked], script: Script = steady) -> Script:
    """The same script, with every request kept."""

    def listening(asked: Asked) -> Any:
        seen.append(asked)
        return script(asked)

    return listening


def text_of(asked: Asked) -> str:
    """All that a request says."""
    return "\n".join(str(message["content"]) for message in asked.messages)


def run(line: list[str], capsys: pytest.CaptureFixture[str], code: int = 0) -> Any:
    """Carry out a command line; what it printed as JSON."""
    assert main(line) == code, capsys.readouterr().err
    printed = capsys.readouterr().out
    return json.loads(printed) if printed else None


def refused(line: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Carry out a command line that is a mistake; the one line that says so."""
    assert main(line) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1, said.err
    assert "Traceback" not in said.err
    return said.err


def judge_again(url: str, store: Path, run: str, *more: str) -> list[str]:
    """The command line that judges a run again."""
    return ["judge", run, "--base-url", url, "--store", str(store), "--json", *more]


def show(store: Path, run: str = "last") -> list[str]:
    return ["show", run, "--store", str(store), "--json"]
