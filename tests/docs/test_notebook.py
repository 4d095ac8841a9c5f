"""Notebooks run from their first cell to their last, what they claim holds, and what they show is what they give."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.docs.blocks import DOCS, ROOT

NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_gives_what_it_shows(path: Path, tmp_path: Path) -> None:
    done = carry_out(path, tmp_path / "now.ipynb")
    assert done.returncode == 0, done.stderr[-3000:]
    kept, now = cells_of(path), cells_of(tmp_path / "now.ipynb")
    assert any("assert " in cell["source"] for cell in kept), "a notebook asserts what it claims"
    assert [cell["execution_count"] for cell in kept] == list(range(1, len(kept) + 1)), (
        "it was kept as it ran"
    )
    for before, after in zip(kept, now, strict=True):
        assert before["outputs"] == after["outputs"], before["source"]


def test_a_notebook_whose_claim_does_not_hold_is_found(tmp_path: Path) -> None:
    wrong = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("assert 1 > 2, 'a claim'")])
    nbformat.write(wrong, tmp_path / "wrong.ipynb")
    done = carry_out(tmp_path / "wrong.ipynb", tmp_path / "now.ipynb")
    assert done.returncode != 0
    assert "a claim" in done.stderr


def carry_out(path: Path, into: Path) -> subprocess.CompletedProcess[str]:
    """In a process of its own, as the kernel's client leaves threads and warnings behind."""
    return subprocess.run(
        [sys.executable, "-m", "tests.docs.notebooks", str(path), str(into)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def cells_of(path: Path) -> list[Any]:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
