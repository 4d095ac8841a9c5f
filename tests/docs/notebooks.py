"""Carry a notebook out from its first cell to its last: python -m tests.docs.notebooks FILE.ipynb [OUT.ipynb]"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def carried_out(path: Path) -> nbformat.NotebookNode:
    """The notebook with what its cells give now; raises where a cell does."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=60, record_timing=False, kernel_name="python3").execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if "text/html" in output.get(
                "data", {}
            ):  # what a board is as text, nobody needs beside its table
                output.data.pop("text/plain", None)
    return notebook


if __name__ == "__main__":
    source = Path(sys.argv[1])
    nbformat.write(carried_out(source), Path(sys.argv[-1]))
