"""Files for others: written whole or not at all, with nothing in a text but what can be read."""

import os
import re
import secrets
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from interplay.core.failures import Mistake
from interplay.store.places import Store

# ESC and other C0, DEL and C1, what some programs take for the end of a line, what turns the direction of text
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def readable(text: str) -> str:
    """The text without what cannot be seen; its lines stay lines, and a tab is a space."""
    return UNSEEN.sub("", "\n".join(text.splitlines()).replace("\t", " "))


def check_path(path: Path, what: str = "report") -> None:
    """Raise a Mistake if it is plain that no file can be written here."""
    trouble = _trouble_at(path)
    if trouble:
        raise Mistake(f"the {what} cannot be written to {path}: {trouble}")


def _trouble_at(path: Path) -> str:
    try:
        if path.is_dir():
            return "it is a folder"
        if not path.parent.is_dir():
            return "its folder does not exist"
        if path.exists() and not path.is_file():
            return "it is no ordinary file"  # a file in the place of a device would take the device away
    except OSError as error:
        return error.strerror or str(error)
    return "" if os.access(path.parent, os.W_OK) else "its folder is not writable"


def refuse_store(path: Path, store: Store) -> None:
    """Raise a Mistake if the file is the store that it is written from."""
    if isinstance(store, Path) and os.path.realpath(path) == os.path.realpath(store):
        raise Mistake(f"{path} is the store; write to another file")


def write_whole(path: Path, pieces: Iterable[str], what: str = "report") -> None:
    """Write a file piece by piece beside its place, then put it there: a file that is there is replaced whole."""
    check_path(path, what)
    place = Path(os.path.realpath(path))  # a link stays a link
    beside = place.with_name(f".interplay-{secrets.token_hex(8)}.part")
    try:
        with beside.open("x", encoding="utf-8", newline="") as file:
            with suppress(FileNotFoundError):
                shutil.copymode(place, beside)  # what only its owner could read stays so
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(place)
    except OSError as error:
        raise Mistake(f"the {what} cannot be written to {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            beside.unlink()


def holds(path: Path, text: str) -> bool:
    """Is this, and nothing else, what the file has?"""
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return False


def put_folder(beside: Path, place: Path) -> None:
    """Let a folder that was written beside a place take it, from what is there."""
    before = place.with_name(f".{place.name}-{secrets.token_hex(6)}.old")
    if place.exists():
        place.rename(before)
    try:
        beside.rename(place)
    except OSError:
        with suppress(OSError):
            before.rename(place)
        raise
    shutil.rmtree(before, ignore_errors=True)
