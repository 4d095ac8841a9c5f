"""Folders for others: written beside their place and put there whole, replacing an older export and nothing else."""

import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from interplay.core.failures import Mistake
from interplay.interop.table_columns import TABLES
from interplay.reporting.writing import put_folder

MARK = ".interplay-tables"  # the file by which a folder is known as an export of ours
README = "README.md"
T = TypeVar("T")


def flat(table: str) -> str:
    """Where a table is in a folder of tables."""
    return f"{table}.parquet"


def nested(table: str) -> str:
    """Where a table is in a dataset of Hugging Face's."""
    return f"data/{table}/train-00000-of-00001.parquet"


_OURS = {MARK, README, *(place(table.name) for place in (flat, nested) for table in TABLES)}


def write_folder(folder: Path, write: Callable[[Path], T]) -> T:
    """Have a new folder written, then let it take this place."""
    check_folder(folder)
    place = Path(os.path.realpath(folder))  # a link stays a link
    beside = place.with_name(f".{place.name}-{secrets.token_hex(6)}.part")
    try:
        beside.mkdir()
        found = write(beside)
        (beside / MARK).write_text("Tables that Interplay wrote: the next export may replace this folder.\n")
        put_folder(beside, place)
    except OSError as error:
        raise _trouble(folder, error) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return found


def check_folder(folder: Path) -> None:
    """Raise a Mistake if an export cannot, or should not, be here."""
    try:
        if folder.exists() and not folder.is_dir():
            raise Mistake(f"{folder} is a file; the tables of a run are a folder: name another")
        if not folder.parent.is_dir():
            raise Mistake(f"the folder of the export, {folder.parent}, does not exist")
        if folder.is_dir() and any(folder.iterdir()) and not _is_ours(folder):
            raise Mistake(
                f"{folder} has files that are no export of Interplay's; name a new or an empty folder"
            )
    except OSError as error:
        raise _trouble(folder, error) from error


def _trouble(folder: Path, error: OSError) -> Mistake:
    return Mistake(f"the export cannot be written to {folder}: {error.strerror or error}")


def _is_ours(folder: Path) -> bool:
    """Is there nothing but what an export writes? What somebody put beside it would be lost."""
    if not (folder / MARK).is_file():
        return False
    files = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return all(path.relative_to(folder).as_posix() in _OURS for path in files)
