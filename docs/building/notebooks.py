"""A notebook as a page: its texts, its code, and what its cells gave when it was last carried out."""

import json
import re
from html import escape
from pathlib import Path
from typing import Any

_FILLED = re.compile(r"<br><small></small>")


def page_of(path: Path) -> str:
    """The notebook in Markdown, with a link by which it can be had as a file."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    title, *rest = [_cell(cell) for cell in cells]
    link = f"*This page is a notebook: [{path.name}]({path.name}). It needs no key.*"
    return "\n\n".join([title, link, *rest]) + "\n"


def _cell(cell: dict[str, Any]) -> str:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return source
    return "\n\n".join([f"```python\n{source}\n```", *map(_output, cell["outputs"])])


def _output(output: dict[str, Any]) -> str:
    """What was printed, or shown: as a table where the notebook has one."""
    data = output.get("data", {})
    if output["output_type"] == "stream":
        return f"```text\n{''.join(output['text']).rstrip()}\n```"
    if output["output_type"] not in ("execute_result", "display_data"):
        raise ValueError(f"a notebook is kept as it ran without an error, not with {output['output_type']!r}")
    if "text/html" in data:
        return f'<div class="output" tabindex="0">{_FILLED.sub("", "".join(data["text/html"]))}</div>'
    return f'<div class="output" tabindex="0"><pre>{escape("".join(data["text/plain"]))}</pre></div>'
