"""The folder of a training: what went in, how far it is, what came out. A kill at any moment leaves it usable."""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from interplay.core.failures import Mistake, RunLocked, StoreTrouble, why

MANIFEST, MODEL, LOCK, PART = "manifest.json", "model", ".lock", ".part"
LARGEST_MANIFEST = 10_000_000
_STEP = re.compile(r"step-\d{9}")


@contextmanager
def training_lock(folder: Path) -> Iterator[None]:
    """Hold the folder, which one process at a time may train in; the lock dies with its holder."""
    from filelock import FileLock, Timeout

    lock = FileLock(folder / LOCK)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout:
        raise RunLocked(
            f"{folder} is being trained in by another process; wait for it, or stop it first"
        ) from None
    except OSError as error:
        raise Mistake(f"no training can be kept in {folder}: {why(error)}") from error
    try:
        yield
    finally:
        lock.release()


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """What the folder says of itself; None where it says nothing."""
    path = folder / MANIFEST
    try:
        if path.stat().st_size > LARGEST_MANIFEST:
            raise Mistake(f"{path} is no manifest: it is larger than {LARGEST_MANIFEST:,} bytes")
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise Mistake(f"{path} cannot be read: {why(error)}") from error
    if not isinstance(found, dict) or not isinstance(found.get("inputs"), dict):
        raise Mistake(f"{path} is not the manifest of a training; name another folder")
    return found


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    part = folder / (MANIFEST + PART)
    with _writing(folder):
        with part.open("w", encoding="utf-8") as file:
            file.write(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
        part.replace(folder / MANIFEST)
        _flush_folder(folder)


def refuse_other_things(folder: Path) -> None:
    """A folder without a manifest must be empty: what is in it is the user's, and we would overwrite it."""
    ours = {LOCK, MANIFEST + PART}
    found = sorted(one.name for one in folder.iterdir() if one.name not in ours)
    if found:
        raise Mistake(
            f"{folder} holds {found[0]!r} and is not the folder of a training; name an empty folder"
        )


def refuse_other_inputs(folder: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    differ = [name for name in now if name != "settings" and before.get(name) != now[name]]
    old, new = before.get("settings"), now["settings"]
    old = old if isinstance(old, dict) else {}
    differ += [f"{name} {old.get(name)!r}, not {new[name]!r}" for name in new if old.get(name) != new[name]]
    if differ:
        raise Mistake(f"{folder} was begun with other inputs ({', '.join(differ)}); name another folder")


def last_step(folder: Path) -> Path | None:
    """The last whole checkpoint: one that was being written, or thrown away, has another name or a later one."""
    return max((one for one in folder.iterdir() if _STEP.fullmatch(one.name)), default=None)


def keep_step(folder: Path, step: int, write: Callable[[Path], None]) -> None:
    """Write a checkpoint whole or not at all, and throw the earlier ones away."""
    kept = replace_folder(folder, f"step-{step:09d}", write)
    throw_away_steps(folder, but=kept)


def throw_away_steps(folder: Path, but: Path | None = None) -> None:
    with _writing(folder):
        found = (one for one in folder.iterdir() if _STEP.fullmatch(one.name.removesuffix(PART)))
        for one in sorted(found):  # the oldest first, so that a kill leaves the last one whole
            if one != but:
                shutil.rmtree(one)


def replace_folder(folder: Path, name: str, write: Callable[[Path], None]) -> Path:
    """Write a folder under another name and give it its own when all of it is on the disk."""
    part, whole = folder / (name + PART), folder / name
    with _writing(folder):
        if part.exists():
            shutil.rmtree(part)
        part.mkdir()
        write(part)
        for path in part.rglob("*"):
            if path.is_file():
                with path.open("r+b") as file:
                    os.fsync(file.fileno())
        _flush_folder(part)
        if whole.exists():
            shutil.rmtree(whole)
        part.rename(whole)
        _flush_folder(folder)
    return whole


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """A full disk has as many names as there are libraries that write."""
    from safetensors import SafetensorError

    try:
        yield
    except (OSError, RuntimeError, SafetensorError) as error:  # the second is torch's
        said = why(error).partition("\n")[0]
        raise StoreTrouble(
            f"the training cannot be kept in {folder} ({said}); mend that and go on"
        ) from error


def _flush_folder(folder: Path) -> None:
    if os.name == "nt":  # which cannot, and does not need to
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
