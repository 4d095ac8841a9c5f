"""Write anew what pages show of outputs: python -m tests.docs.rewriting docs/start.md ..."""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from interplay.models.loopback import Loopback, serving
from interplay.testing import steady
from tests.docs.blocks import Block, blocks_of
from tests.docs.reader import Reader
from tests.docs.showing import CUT, shown


def rewrite(path: Path, url: str) -> int:
    """Carry out a page and put its outputs in; those that are cut by hand stay. How many are another now."""
    lines = path.read_text(encoding="utf-8").splitlines()
    blocks = list(blocks_of(path))
    reader, changes = Reader(url), []
    home = Path.cwd()
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for block in blocks:
                if block.language != "text":
                    reader.does(block)
                elif CUT not in [line.strip() for line in block.lines]:
                    changes.append((block, shown(reader.said)))
        finally:
            os.chdir(home)
    changed = [(block, text) for block, text in changes if text != block.text]
    for block, text in reversed(changed):
        lines[_span(block)] = [block.indent + line if line else "" for line in text.splitlines()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(changed)


def _span(block: Block) -> slice:
    return slice(block.first - 1, block.first - 1 + len(block.lines))


if __name__ == "__main__":
    with serving(Loopback(steady)) as place:
        for name in sys.argv[1:]:
            count = rewrite(Path(name).resolve(), place)
            sys.stderr.write(f"{name}: {count} outputs are another now\n")
