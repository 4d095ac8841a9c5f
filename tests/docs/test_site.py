"""The site builds without a warning, its links hold, nothing is loaded from elsewhere, and nothing is left out."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from posixpath import dirname, normpath
from urllib.parse import unquote, urldefrag

import click
import pytest

from interplay.benchmarks import ALL
from interplay.cli import EXIT_CODES, MEANINGS, edge
from interplay.cli import interplay as command_line
from interplay.cli.importing import formats
from interplay.core.benchmark import Benchmark
from interplay.interop.table_columns import TABLES
from interplay.running import results
from tests.docs.blocks import DOCS, ROOT
from tests.docs.site import Page, Site, is_remote

NAMES = [benchmark.name for benchmark in ALL]
NOTES = sorted((DOCS / "decisions").glob("[0-9]*.md"))


def test_it_builds_without_a_warning(site: Site) -> None:
    assert site.code == 0, site.log
    assert [line for line in site.log.splitlines() if line and not line.startswith("INFO ")] == []


def test_every_page_has_a_title_and_one_heading(pages: dict[str, Page]) -> None:
    assert len(pages) > 20 + len(NOTES)
    for name, page in pages.items():
        assert page.headings == 1, name
        assert page.title.strip(), name


# Links


def broken(name: str, pages: dict[str, Page], folder: Path) -> Iterator[str]:
    """The links of a page, and what it loads, that lead to nothing."""
    for target in (*pages[name].links, *pages[name].loads):
        address, anchor = urldefrag(target)
        if is_remote(target) or target.startswith(("mailto:", "data:")):
            continue
        place = normpath(f"{dirname(name)}/{unquote(address)}".lstrip("/")) if address else name
        place = place + "/index.html" if (folder / place).is_dir() else place
        if not (folder / place).is_file() or (
            anchor and place in pages and unquote(anchor) not in pages[place].anchors
        ):
            yield target


def test_every_link_leads_somewhere(site: Site, pages: dict[str, Page]) -> None:
    found = {name: list(broken(name, pages, site.folder)) for name in pages if name != "404.html"}
    assert {name: targets for name, targets in found.items() if targets} == {}
    assert sum(len(page.links) for page in pages.values()) > 1000


def test_nothing_is_loaded_from_elsewhere(site: Site, pages: dict[str, Page]) -> None:
    for name, page in pages.items():
        assert [target for target in page.loads if is_remote(target)] == [], name
    for sheet in site.folder.rglob("*.css"):
        assert not re.search(r"(url\(|@import) *[\"']?(https?:)?//", sheet.read_text(encoding="utf-8")), sheet


def test_the_search_knows_every_page(site: Site, pages: dict[str, Page]) -> None:
    index = json.loads((site.folder / "search/search_index.json").read_text(encoding="utf-8"))
    known = {urldefrag(entry["location"])[0] or "index.html" for entry in index["docs"]}
    assert known == set(pages) - {"404.html"}
    assert (site.folder / "search/search_index.js").exists()  # for a site that is opened from a folder


def test_a_link_that_leads_nowhere_would_be_found(tmp_path: Path) -> None:
    for name, text in {
        "a.html": '<h1 id="top">A</h1><a href="b.html#there">1</a><a href="b.html#gone">2</a>',
        "b.html": '<h1 id="there">B</h1><a href="#here">3</a><img src="none.png"><a href="https://else.where">4</a>',
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    pages = Site(tmp_path, "", 0).pages()
    assert list(broken("a.html", pages, tmp_path)) == ["b.html#gone"]
    assert list(broken("b.html", pages, tmp_path)) == ["#here", "none.png"]


# Nothing is left out


def typed_commands(command: click.Command, context: click.Context) -> Iterator[click.Command]:
    yield command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from typed_commands(found, click.Context(found, parent=context, info_name=name))


def test_every_verb_and_flag_is_told(pages: dict[str, Page]) -> None:
    page = pages["reference/command_line.html"]
    assert set(MEANINGS) <= page.anchors
    for meaning in MEANINGS.values():
        assert meaning in page.words
    for command in typed_commands(command_line, click.Context(command_line)):
        if command is command_line:
            continue
        for parameter in command.params:
            for name in parameter.opts if isinstance(parameter, click.Option) else ():
                assert name in page.words, (command.name, name)


def test_every_exit_code_is_told(pages: dict[str, Page]) -> None:
    words = pages["reference/exit_codes.html"].words
    codes = {str(value) for name, value in vars(edge).items() if name.isupper() and isinstance(value, int)}
    assert codes == set(re.findall(r"^ +(\d+) ", EXIT_CODES, re.MULTILINE))
    for _, told in re.findall(r"^ +(\d+) +(.+)$", EXIT_CODES, re.MULTILINE):
        assert told in words


def told_of(text: str, page: Page) -> bool:
    """Does the page have these words, as they are written there?"""
    return " ".join(text.split()) in page.words


@pytest.mark.parametrize("benchmark", ALL, ids=NAMES)
def test_every_role_option_and_measure_is_told(benchmark: Benchmark, pages: dict[str, Page]) -> None:
    page = pages[f"benchmarks/{benchmark.name}.html"]
    options = benchmark.settle({})
    for option in benchmark.options:
        assert f"--{option.name.replace('_', '-')}" in page.words
        assert told_of(option.meaning, page), option.name
    for role in benchmark.roles(options):
        assert role.name in page.words
        assert told_of(role.meaning, page), role.name
    for measure in benchmark.measures(options):
        assert measure.name in page.words
        assert told_of(measure.meaning, page), measure.name


def calls_of(name: str, folder: Path) -> Iterator[tuple[str, ast.Call]]:
    """Every call of this name in the code of a folder, with the file that it is in."""
    for path in sorted(folder.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                yield path.name, node


def text_of(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


@pytest.mark.parametrize("benchmark", ALL, ids=NAMES)
def test_every_column_and_score_in_the_code_is_told(benchmark: Benchmark, pages: dict[str, Page]) -> None:
    """The page is made of boards that were seen; this looks at what the code says instead."""
    page = pages[f"benchmarks/{benchmark.name}.html"]
    folder = Path(results.__file__).parent.parent / "benchmarks" / benchmark.name
    columns = [(file, [text_of(one) for one in call.args[:3]]) for file, call in calls_of("Column", folder)]
    written = [texts for file, texts in columns if not file.startswith("writing")]
    assert len(written) > 5
    for texts in written:
        for text in texts:
            assert text is None or told_of(text, page), text
    for file, call in calls_of("Score", folder):
        name = text_of(call.args[0])
        assert name is None or file.startswith("writing") or file == "reading.py" or name in page.words, name


@pytest.mark.parametrize("name", NAMES)
def test_every_departure_from_a_paper_is_told(name: str, pages: dict[str, Page]) -> None:
    text = (ROOT / "src/interplay/benchmarks" / name / "README.md").read_text(encoding="utf-8")
    section = text.partition("## Where we depart from the paper")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|") and "---" not in line]
    assert len(rows) > 3
    for row in rows:
        last = re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", row.strip("| ").split(" | ")[-1])
        assert told_of(last, pages[f"benchmarks/{name}.html"]), row


def test_columns_that_any_board_may_have_are_told(pages: dict[str, Page]) -> None:
    for column in (results.OPEN, results.SAMPLING, *results.USAGE):
        assert told_of(column.meaning, pages["benchmarks/index.html"])


def test_every_benchmark_has_a_page_that_home_leads_to(pages: dict[str, Page]) -> None:
    for name in NAMES:
        assert f"benchmarks/{name}.html" in pages["index.html"].links


def test_every_decision_has_a_page_and_is_listed(pages: dict[str, Page]) -> None:
    assert NOTES
    for note in NOTES:
        assert f"decisions/{note.stem}.html" in pages
        assert f"{note.stem}.html" in pages["decisions/index.html"].links


def test_every_format_and_table_is_told(pages: dict[str, Page]) -> None:
    page = pages["data.html"]
    for name, (_, importer) in formats().items():
        assert name in page.words
        assert told_of(importer.meaning, page), name
    for table in TABLES:
        for column in table.columns:
            assert column.name in page.words
            assert told_of(column.meaning, page), (table.name, column.name)


def test_the_changelog_is_the_changelog(pages: dict[str, Page]) -> None:
    for line in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            assert line.lstrip("# ") in pages["changelog.html"].words
