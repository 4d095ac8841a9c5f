"""What mkdocs calls while it builds the site: parts of pages that are made of the code and of files beside it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from building import benchmark_tables, command_line, data_tables, included, notebooks
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
NOTEBOOKS = tuple(sorted((DOCS / "notebooks").glob("*.ipynb")))
_MARK = re.compile(r"^<!-- made: (\S+)(?: (\S+))? -->$", re.MULTILINE)
MADE: dict[str, Callable[..., str]] = {
    "benchmarks": benchmark_tables.benchmarks,
    "shared-columns": benchmark_tables.shared_columns,
    "roles": benchmark_tables.roles,
    "options": benchmark_tables.options,
    "measures": benchmark_tables.measures,
    "scores": benchmark_tables.scores,
    "boards": benchmark_tables.boards,
    "tables": data_tables.tables,
    "formats": data_tables.formats,
    "verbs": command_line.verbs,
    "exit-codes": command_line.exit_codes,
    "readme": lambda name: included.readme(ROOT, name),
    "prompts": lambda name: included.prompts(ROOT, name),
    "changelog": lambda: included.changelog(ROOT),
    "decisions": lambda: included.decisions(ROOT),
}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Every decision note is in the navigation, and pages that are not written yet are not."""
    config.nav = [_listed(entry) for entry in config.nav or []]
    return config


def _listed(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    [(title, what)] = entry.items()
    if what == "decisions/":
        notes = sorted((DOCS / "decisions").glob("[0-9]*.md"))
        return {title: ["decisions/index.md", *({_short(note): f"decisions/{note.name}"} for note in notes)]}
    return {title: [_listed(one) for one in what if _is_there(one)]} if isinstance(what, list) else entry


def _is_there(entry: Any) -> bool:
    page = next(iter(entry.values())) if isinstance(entry, dict) else entry
    if not isinstance(page, str):
        return True
    return (DOCS / page).exists() or any(_page(path) == page for path in NOTEBOOKS)


def _short(note: Path) -> str:
    return included.title_of(note).replace(": ", " ", 1)


def _page(notebook: Path) -> str:
    return notebook.relative_to(DOCS).with_suffix(".md").as_posix()


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Notebooks are pages too."""
    for path in NOTEBOOKS:
        files.append(File.generated(config, _page(path), content=notebooks.page_of(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put what is made in the place of its marks, and mend links that lead out of docs/."""
    depth = page.file.src_uri.count("/")

    def made(found: re.Match[str]) -> str:
        kind, argument = found.groups()
        if kind not in MADE:
            raise PluginError(f"{page.file.src_uri}: nothing makes {kind!r}; there is {', '.join(MADE)}")
        text = MADE[kind](*([argument] if argument else []))
        return included.moved(text, depth) if kind in ("readme", "changelog") else text

    return included.on_the_site(_MARK.sub(made, markdown), page.file.src_uri)
