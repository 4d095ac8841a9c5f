"""The blocks of code in a page, in order, with what stands around them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
ILLUSTRATION = "<!-- illustration:"  # on the line before a block that nobody is to carry out, with the reason
_OPENING = re.compile(r'^( *)(`{3,}|~{3,})(\w*)(?: +title="([^"]+)")? *$')


@dataclass(frozen=True)
class Block:
    """One block: in which language, for which file if it is one, what is in it, and where."""

    page: str
    first: int  # the line, from 1, on which its text begins
    language: str
    title: str
    lines: tuple[str, ...]
    indent: str
    is_illustration: bool

    @property
    def text(self) -> str:
        return "".join(line + "\n" for line in self.lines)

    @property
    def where(self) -> str:
        return f"{self.page}, line {self.first}"


def blocks_of(path: Path, root: Path = ROOT) -> Iterator[Block]:
    """All blocks of a page; one that is opened in another way than ours is an error."""
    lines = path.read_text(encoding="utf-8").splitlines()
    page = path.relative_to(root).as_posix()
    at = 0
    while at < len(lines):
        if not lines[at].lstrip().startswith(("```", "~~~")):
            at += 1
            continue
        opening = _OPENING.match(lines[at])
        if opening is None:
            raise ValueError(
                f"{page}, line {at + 1}: a block is opened by its language, and a title where it is a file"
            )
        indent, fence, language, title = opening.groups()
        end = next(n for n in range(at + 1, len(lines)) if lines[n].strip() == fence)
        inside = tuple(line.removeprefix(indent) for line in lines[at + 1 : end])
        before = lines[at - 1].strip() if at else ""
        yield Block(page, at + 2, language, title or "", inside, indent, before.startswith(ILLUSTRATION))
        at = end + 1


def commands_in(block: Block) -> list[str]:
    """The lines of a block of commands, each whole, without remarks."""
    whole = block.text.replace("\\\n", " ")
    return [line.strip() for line in whole.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def pages() -> list[Path]:
    """Every page that is written by hand, and the notes."""
    return sorted(DOCS.rglob("*.md"))
