"""The guide is true: its benchmark is built from its text, its commands are carried out, and what it shows is shown."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from interplay.authoring import Option
from interplay.benchmarks import find_playable, finding
from interplay.cli import main
from interplay.core.benchmark import Benchmark
from interplay.models.loopback import Loopback, serving
from tests.benchmarks.others import as_in_a_new_process

GUIDE = (Path(__file__).parents[1] / "docs" / "guide.md").read_text(encoding="utf-8")
URL = "http://127.0.0.1:8399/v1"  # where the guide has its loopback provider
_BLOCK = re.compile(r"^```(\w+)(?: title=\"([\w./]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"[±–]?\d[\d,.]*%?|unknown|–")


@dataclass(frozen=True)
class Block:
    """A block of the guide: its language, the file that it is part of, and its text."""

    language: str
    title: str
    text: str


BLOCKS = [Block(*found) for found in _BLOCK.findall(GUIDE)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the files of the guide, each put together from its blocks."""
    made = tmp_path_factory.mktemp("guide")
    for block in BLOCKS:
        if block.title:
            path = made / block.title
            before = path.read_text(encoding="utf-8") + "\n\n" if path.exists() else ""
            path.write_text(before + block.text, encoding="utf-8")
    as_in_a_new_process()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INTERPLAY_CACHE", str(made / "cache"))
        patch.chdir(made)
        yield made


def commands(block: Block) -> list[list[str]]:
    return [shlex.split(line) for line in block.text.replace("\\\n", " ").splitlines() if line]


def test_every_block_is_a_file_a_command_or_what_one_prints() -> None:
    assert {block.title for block in BLOCKS if block.title} == {"haggling.py", "test_haggling.py"}
    assert {block.language for block in BLOCKS if not block.title} == {"sh", "text", "toml"}
    for block in BLOCKS:
        for words in commands(block) if block.language == "sh" else []:
            assert words[0] in ("interplay", "pytest"), words


def test_its_commands_do_what_it_says(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loopback = Loopback()
    said = ""
    with serving(loopback) as url:
        for block in BLOCKS:
            if block.language == "text":
                assert shape(block.text) <= shape(said), f"not printed: {shape(block.text) - shape(said)}"
            if block.language != "sh":
                continue
            said = ""
            for words in commands(block):
                said += carried_out(words, url, capsys)
    assert (folder / "report.html").exists()


def carried_out(words: list[str], url: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a line of the guide prints; the provider runs already."""
    if words[1] == "loopback":
        assert f"http://127.0.0.1:{words[words.index('--port') + 1]}/v1" == URL
        return ""
    if words[0] == "pytest":
        return passed(words)
    code = main([url if word == URL else word for word in words[1:]])
    found = capsys.readouterr()
    assert code == 0, (words, found.err)
    return found.out


def passed(words: list[str]) -> str:
    """The tests of the guide pass, in a process of their own."""
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [sys.executable, "-m", *words, "-p", "no:cacheprovider"],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "11 passed" in done.stdout
    return done.stdout


def shape(text: str) -> set[str]:
    """The words of a printed text, line by line, without numbers and rules: what models say by script is anything."""
    lines = [" ".join(_NUMBER.sub("", line).split()).strip(" ─") for line in text.splitlines()]
    return set(lines) - {""}


def test_the_same_command_again_costs_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = next(
        words
        for block in BLOCKS
        if block.language == "sh"
        for words in commands(block)
        if "./haggling.py" in words and "--plan" not in words
    )
    loopback = Loopback()
    with serving(loopback) as url:
        words = [url if word == URL else word for word in line[1:]] + ["--store", "again.db"]
        printed = []
        for _ in range(2):
            assert main(words) == 0
            printed.append(capsys.readouterr().out)
            calls = loopback.calls
    assert printed[0] == printed[1]
    assert loopback.calls == calls > 0


def test_what_it_tells_of_fields_and_ways_to_be_found_is_so(folder: Path) -> None:
    fields = re.findall(r"^\| `(\w+)` \|", GUIDE.partition("## What else")[2], re.MULTILINE)
    assert len(fields) == 7
    known = {*Benchmark.__dataclass_fields__, "prompts"}
    assert set(fields) <= known
    assert f"group `{finding.GROUP}`" in GUIDE and f"{finding.VARIABLE}=" in GUIDE
    option = eval(re.search(r"`(Option\(.*?\))`", GUIDE).group(1), {"Option": Option})  # type: ignore[union-attr]
    option.check("8")
    made = find_playable("./haggling.py")
    assert [role.name for role in made.roles({})] == re.findall(r"`(buyer|seller|judge)`", GUIDE)[:3]


def test_the_entry_point_of_a_new_folder_is_as_it_says(folder: Path) -> None:
    [block] = [block for block in BLOCKS if block.language == "toml"]
    if not (folder / "haggling_club").exists():
        assert main(["new", "haggling_club"]) == 0

    assert block.text in (folder / "haggling_club" / "pyproject.toml").read_text(encoding="utf-8")
