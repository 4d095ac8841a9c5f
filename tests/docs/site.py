"""The built site as tests look at it: its pages, with their links, anchors, titles and words."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

from tests.docs.blocks import ROOT

LOADING = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "video": "src"}
SILENT = ("script", "style", "template")


@dataclass
class Page(HTMLParser):
    """One page of the site."""

    path: Path
    links: list[str] = field(default_factory=list)  # where one can go from it
    loads: list[str] = field(default_factory=list)  # what a browser fetches with it
    anchors: set[str] = field(default_factory=set)
    headings: int = 0  # of the first level
    title: str = ""
    words: str = ""
    _open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._said: list[str] = []
        self.feed(self.path.read_text(encoding="utf-8"))
        self.words = " ".join("".join(self._said).split())

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attributes}
        self.anchors |= {known[name] for name in ("id", "name") if known.get(name)}
        self.headings += tag == "h1"
        if tag == "a" and "href" in known:
            self.links.append(known["href"])
        if LOADING.get(tag) in known:
            self.loads.append(known[LOADING[tag]])
        if tag in (*SILENT, "title"):
            self._open.append(tag)
        if tag in ("td", "th", "p", "li", "div", "br"):
            self._said.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1] == tag:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "title":
            self.title += data
        elif not self._open:
            self._said.append(data)


@dataclass(frozen=True)
class Site:
    """What a build made, and what it said."""

    folder: Path
    log: str
    code: int

    def pages(self) -> dict[str, Page]:
        return {
            path.relative_to(self.folder).as_posix(): Page(path)
            for path in sorted(self.folder.rglob("*.html"))
        }


def build(folder: Path) -> Site:
    """Build the site as `make docs` does, into another folder."""
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return Site(folder, done.stdout + done.stderr, done.returncode)


def is_remote(target: str) -> bool:
    return re.match(r"([a-z][a-z0-9+.-]*:)?//", target, re.IGNORECASE) is not None
