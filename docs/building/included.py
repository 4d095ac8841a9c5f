"""Files of the repository as parts of pages, with links that hold on the site."""

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath

from building.markdown import in_parts, lowered, table, without_title

_LINK = re.compile(r"(!?)\[([^]\n]*)\]\(([^)\s]+)\)")
_REMOTE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
# Files outside of docs/ that have a page of their own on the site.
PAGES: Mapping[str, str] = {
    "CHANGELOG.md": "changelog.md",
    "README.md": "index.md",
    "src/interplay/benchmarks/judge_probe/README.md": "judges.md",
    "src/interplay/benchmarks/transcripts/README.md": "data.md",
    **{
        f"src/interplay/benchmarks/{name}/README.md": f"benchmarks/{name}.md"
        for name in ("role_play", "simulation", "word_guessing", "task_dialogue", "social_interaction")
    },
}


def readme(root: Path, name: str) -> str:
    """The README of a benchmark, below a heading of the page."""
    home = PurePosixPath("src/interplay/benchmarks", name)
    text = (root / home / "README.md").read_text(encoding="utf-8")
    return lowered(_from(home, without_title(text)), 1)


def changelog(root: Path) -> str:
    return _from(PurePosixPath(), without_title((root / "CHANGELOG.md").read_text(encoding="utf-8")))


def decisions(root: Path) -> str:
    """All notes, with the first sentence of what each is about."""
    rows = []
    for path in sorted((root / "docs/decisions").glob("[0-9]*.md")):
        number, colon, title = title_of(path).partition(": ")
        if not colon or number != path.name[:3]:
            raise ValueError(
                f"{path.name} begins with its number and its title, as in: # 001: What we depend on"
            )
        rows.append((number, f"[{title}]({path.name})", _context(path)))
    return table(("", "note", "why it was needed"), rows)


def title_of(path: Path) -> str:
    return path.read_text(encoding="utf-8").lstrip().partition("\n")[0].removeprefix("# ")


def _context(path: Path) -> str:
    found = re.search(
        r"\*\*Context\.?\*\*\.?\s*(.+?[.:?])(?:\s|$)", path.read_text(encoding="utf-8"), re.DOTALL
    )
    if found is None:
        raise ValueError(f"{path.name} says no **Context.**")
    return re.sub(_LINK, r"\2", found.group(1))


def _from(home: PurePosixPath, text: str) -> str:
    """The same text, its links told from the root of docs/, as if it were a page there."""
    return _linked(text, lambda target: os.path.relpath(home / target, "docs"))


def on_the_site(text: str, page: str) -> str:
    """The text of a page of docs/, in which a link to a file that is no page of the site is its name alone."""
    here = PurePosixPath("docs", page).parent

    def told(target: str) -> str | None:
        place = os.path.normpath(here / target)
        if place.startswith("docs/"):
            return target
        if place in PAGES:
            return os.path.relpath(PAGES[place], PurePosixPath(page).parent)
        return None

    return _linked(text, told)


def _linked(text: str, told: Callable[[str], str | None]) -> str:
    def mended(found: re.Match[str]) -> str:
        mark, words, whole = found.groups()
        target, hash_, anchor = whole.partition("#")
        if not target or _REMOTE.match(target):
            return found.group()
        place = told(target)
        return words if place is None else f"{mark}[{words}]({place}{hash_}{anchor})"

    return "".join(part if is_code else _LINK.sub(mended, part) for is_code, part in in_parts(text))


def moved(text: str, depth: int) -> str:
    """Links as they are told from the root of docs/, for a page so many folders below."""
    return _linked(text, lambda target: "../" * depth + target)


def prompts(root: Path, name: str) -> str:
    """Every prompt of a benchmark, folded up."""
    found = sorted((root / "src/interplay/benchmarks" / name / "prompts").glob("*.md"))
    return "\n".join(_folded(path.name, path.read_text(encoding="utf-8")) for path in found)


def _folded(title: str, text: str) -> str:
    lines = ["````text", *text.rstrip().splitlines(), "````"]
    return f'??? quote "{title}"\n\n' + "\n".join(f"    {line}".rstrip() for line in lines) + "\n"
