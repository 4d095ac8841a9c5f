"""export: from the command line to a file of every kind, and to the terminal."""

import csv
import io
import json
from pathlib import Path

import pytest

from interplay.models.loopback import Asked, Loopback, serving
from interplay.reporting.export import FORMATS
from tests.cli.provider import Typist, job
from tests.running.job import answer

EVIL = "=SUM(A1) \x1b[31mred\x1b[0m \u202eturned <script>alert(1)</script>"


@pytest.fixture
def typist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Typist:
    """A store with one run, whose player says awkward things."""
    made = Typist(tmp_path / "interplay.db", capsys)

    def script(asked: Asked) -> str:
        return EVIL if asked.model == "player" else answer(asked)

    with serving(Loopback(script)) as url:
        made.types(*job(url, "--turns", "1", limit=2))
    return made


def looks_right(text: str, kind: str) -> None:
    if kind == "json":
        assert json.loads(text)
    elif kind == "jsonl":
        assert len([json.loads(line) for line in text.splitlines()]) >= 2
    elif kind == "csv":
        rows = list(csv.DictReader(io.StringIO(text)))
        assert {row["model"] for row in rows} == {"openai/player"}
    elif kind == "html":
        assert "</html>" in text
        assert "<script>alert(1)" not in text
    else:
        assert "openai/player" in text


ENDINGS = {"json": "json", "jsonl": "jsonl", "csv": "csv", "markdown": "md", "html": "html"}


def test_every_format_is_known_here() -> None:
    assert set(ENDINGS) == set(FORMATS)


@pytest.mark.parametrize("kind", ENDINGS)
def test_a_file_is_of_the_kind_that_its_name_ends_in(typist: Typist, tmp_path: Path, kind: str) -> None:
    file = tmp_path / f"out.{ENDINGS[kind]}"
    file.write_text("an older file")
    assert typist.types("export", "last", str(file)) == ""
    assert typist.said == f"Wrote {file}.\n"
    looks_right(file.read_text(encoding="utf-8"), kind)
    other = tmp_path / "out.txt"
    typist.types("export", "last", str(other), "--format", kind)
    assert other.read_text(encoding="utf-8") == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ENDINGS)
def test_to_the_terminal_it_is_the_same_and_harmless(typist: Typist, tmp_path: Path, kind: str) -> None:
    printed = typist.types("export", "last", "-", "--format", kind)
    assert typist.said == ""
    looks_right(printed, kind)
    assert not set(printed) & set("\x1b\u202e")
    file = tmp_path / f"out.{ENDINGS[kind]}"
    typist.types("export", "last", str(file))
    assert printed.splitlines()[0] == file.read_text(encoding="utf-8").splitlines()[0]
    assert not Path("-").exists()


def test_a_whole_conversation_is_in_the_json(typist: Typist) -> None:
    text = typist.types("export", "last", "-", "--format", "json")
    assert "openai/judge-2" in text
    assert json.dumps("=SUM(A1)")[1:-1] in text


def test_mistakes(typist: Typist, tmp_path: Path) -> None:
    assert "say what to write with --format: " in typist.mistakes("export", "last", "-")
    assert "out.xyz" in typist.mistakes("export", "last", str(tmp_path / "out.xyz"))
    assert "--format" in typist.mistakes("export", "last", "-", "--format", "xml")
    assert "no/out.json" in typist.mistakes("export", "last", str(tmp_path / "no" / "out.json"))
    assert "there is no run 'nope'" in typist.mistakes("export", "nope", str(tmp_path / "out.json"))
    assert "directory" in typist.mistakes("export", "last", str(tmp_path))
    assert "length_median is a whole number" in typist.mistakes(
        "export", "last", str(tmp_path / "o.md"), "--length-median", "0"
    )
    assert [path.name for path in tmp_path.iterdir() if path.suffix in (".json", ".md", ".xyz")] == []


def test_options_of_the_table_reach_the_file(typist: Typist) -> None:
    free = typist.types("export", "last", "-", "--format", "markdown")
    fixed = typist.types("export", "last", "-", "--format", "markdown", "--length-median", "1")
    assert free != fixed


def test_a_site_of_all_runs_or_of_some(typist: Typist, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    assert typist.types("export", "--site", str(folder)) == ""
    assert "1 runs, " in typist.said and "index.html" in typist.said
    assert (folder / "index.html").is_file()
    typist.types("export", "--site", str(folder), "last", "--most", "1")
    assert "have no page; --most N writes more" in typist.said


def test_mistakes_of_a_site(typist: Typist, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    assert "name a new or an empty folder" in typist.mistakes("export", "--site", str(tmp_path / "mine"))
    assert "there is no run 'nope'" in typist.mistakes("export", "--site", str(tmp_path / "site"), "nope")
    assert "export takes a RUN and a FILE" in typist.mistakes("export", "last")
    assert "export takes a RUN and a FILE" in typist.mistakes("export")
    assert not (tmp_path / "site").exists()
