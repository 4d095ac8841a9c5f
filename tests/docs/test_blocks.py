"""What pages say to type can be typed, and gives what they show; their Python runs; their files are read."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from interplay.models.loopback import Loopback, serving
from interplay.testing import steady
from tests.docs import commands
from tests.docs.blocks import DOCS, ROOT, Block, blocks_of, pages
from tests.docs.reader import Reader, Unknown
from tests.docs.showing import differs

GENERATED = ("docs/faults.md", "docs/perf.md")  # by programs, which name no language
LITERALLY = {
    "docs/guide.md": "tests/test_guide.py"
}  # built from its text, block by block, by a test of its own
WITH_BLOCKS = [path for path in pages() if any(blocks_of(path))]


@pytest.fixture(scope="session")
def provider() -> Iterator[str]:
    """One loopback provider for all pages."""
    with serving(Loopback(steady)) as url:
        yield url


@pytest.fixture
def reader(provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    monkeypatch.chdir(tmp_path)
    return Reader(provider)


@pytest.mark.parametrize("path", WITH_BLOCKS, ids=lambda path: path.relative_to(DOCS).as_posix())
def test_what_a_page_says_can_be_done_and_gives_what_it_shows(path: Path, reader: Reader) -> None:
    page = path.relative_to(ROOT).as_posix()
    if page in LITERALLY:
        assert (ROOT / LITERALLY[page]).exists()
        return
    for block in blocks_of(path):
        follow(block, reader)
    assert not reader.unused(), f"{page} shows files that nothing on it uses: {reader.unused()}"


def follow(block: Block, reader: Reader) -> None:
    """Do what a block says, or hold what it shows against what the one before it gave."""
    if block.is_illustration:
        assert block.page.startswith("docs/decisions/"), (
            f"{block.where}: only a note may have an illustration"
        )
    elif block.language == "text":
        problem = differs(block.text, reader.said)
        assert not problem, f"{block.where}: {problem}"
    elif block.page in GENERATED and not block.language:
        reader.does(replace(block, language="sh"))
    else:
        reader.does(block)


INLINE = re.compile(r"(?<!`)`(interplay [a-z][^`]*)`(?!`)")


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.relative_to(DOCS).as_posix())
def test_what_a_page_says_to_type_in_passing_has_verbs_and_flags_that_there_are(path: Path) -> None:
    for line in INLINE.findall(path.read_text(encoding="utf-8")):
        words = shlex.split(line)[1:]
        if not any(word.endswith((".toml", ".py")) for word in words):  # which would have to be there
            commands.check_flags(words)


# That these tests can fail


def page_with(text: str, folder: Path) -> list[Block]:
    path = folder / "page.md"
    path.write_text(text, encoding="utf-8")
    return list(blocks_of(path, folder))


WRONG = {
    "a command that nobody knows": "```sh\ncurl http://127.0.0.1\n```\n",
    "a verb that is not there": "```sh\ninterplay plya role_play\n```\n",
    "a flag that is not there": "```sh\ninterplay view --prot 8000\n```\n",
    "a run that ends with a mistake": "```sh\ninterplay show last\n```\n",
    "an extra that is not there": "```sh\npip install 'interplay[nothing]'\n```\n",
    "a language that nobody knows": "```ruby\nputs 1\n```\n",
    "a block without a language": "```\nls\n```\n",
    "a file without a name": "```toml\na = 1\n```\n",
    "Python that breaks": "```python\nassert 1 > 2\n```\n",
    "an output that is another": "```python\nprint(1)\n```\n```text\n2\n```\n",
    "an output that is longer": "```python\nprint(1)\nprint(2)\n```\n```text\n1\n```\n",
    "an illustration in a page": "<!-- illustration: of nothing -->\n```python\n1 / 0\n```\n",
}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_a_page_that_is_wrong_is_found(text: str, reader: Reader, tmp_path: Path) -> None:
    with pytest.raises((AssertionError, Unknown)):
        for block in page_with(text, tmp_path):
            follow(block, reader)


def test_a_file_that_is_shown_and_not_used_is_found(reader: Reader, tmp_path: Path) -> None:
    for block in page_with('```toml title="lonely.toml"\na = 1\n```\n', tmp_path):
        follow(block, reader)
    assert reader.unused() == ["lonely.toml"]


def test_an_output_may_be_cut_and_its_times_may_differ(tmp_path: Path) -> None:
    output = "36 model calls, 12 s.\nfirst\nsecond\n\n\nthird on 2026-11-16\n"
    assert not differs("36 model calls, 0 s.\n...\nthird on 2026-01-01\n", output)
    assert not differs("36 model calls, 1 s.\nfirst\n...\n", output)
    assert differs("36 model calls, 1 s.\n...\nsecond\n", output)
    assert differs("35 model calls, 12 s.\n...\n", output)
