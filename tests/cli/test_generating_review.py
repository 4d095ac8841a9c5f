"""The verb generate with a person at the terminal: keep, skip, stop, leave."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.role_play.card_files import read_cards
from interplay.models.loopback import Asked
from tests.benchmarks.pieces import writer
from tests.cli.writers import Desk, Once, Person, first_character, new, serving_writer


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def served(capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[..., Desk]]:
    with ExitStack() as stack:
        yield lambda script=writer: stack.enter_context(serving_writer(script, capsys))


def test_a_person_keeps_skips_and_stops(served: Callable[..., Desk]) -> None:
    desk = served()
    line = desk.line(characters=2, situations=3, yes=False)
    person = Person(line, b"k\nwhat?\ns\nkeep\nK\nq\n")
    assert person.code == 0, person.heard
    assert person.heard.count("[k/s/q]") == 6  # one answer was unclear
    data = new()
    assert data["reviewed"] is True
    assert (len(data["characters"]), len(data["situations"])) == (1, 2)
    assert f"name: {data['characters'][0]['name']}" in person.heard
    assert "[5 of 5] situation 3" in person.heard
    assert "Wrote 3 of 5 pieces to new.toml" in person.heard
    assert "role_play_writing" in person.out


def test_a_person_sees_complaints_and_may_keep_a_piece_all_the_same(served: Callable[..., Desk]) -> None:
    def loud(asked: Asked, draft: dict[str, Any]) -> str:
        return json.dumps({**draft, "greeting": "\x1b]0;evil\x07Hello \u202eolleH {{user}}"})

    desk = served(Once(loud, first_character))
    person = Person(desk.line(characters=1, situations=1, yes=False), b"k\nk\n")
    assert person.code == 0, person.heard
    assert "! the greeting holds control characters" in person.heard
    assert "! the greeting holds marks of a template" in person.heard
    assert "]0;evil" in person.heard
    assert "\x1b]0" not in person.heard
    assert "\u202e" not in person.heard
    cards = read_cards(Path("new.toml"), "en")
    assert cards.characters[0].greeting.endswith("{{user}}")


def test_a_person_who_leaves_writes_nothing_and_pays_nothing_twice(served: Callable[..., Desk]) -> None:
    desk = served()
    line = desk.line(characters=1, situations=1, yes=False)
    gone = Person(line, b"k\n" + b"\x04" * 20)
    assert (gone.code, Path("new.toml").exists()) == (130, False)
    stopped = Person(line, b"s\ns\n")
    assert stopped.code == 1
    assert "it would lack a character and a situation" in " ".join(stopped.heard.split())
    assert desk.loopback.calls == 2
    Path("new.toml").write_text("x = 1")
    refused = Person(line, b"k\nk\n")
    assert (refused.code, "--force replaces it" in refused.heard) == (2, True)
