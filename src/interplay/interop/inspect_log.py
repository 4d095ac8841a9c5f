"""A run as logs of Inspect AI, one for each model that was measured: all of them whole, or none."""

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from importlib.util import find_spec
from pathlib import Path

from interplay.core.benchmark import Benchmark
from interplay.core.failures import Mistake, nearest
from interplay.interop.inspect_values import task_id
from interplay.reporting.writing import check_path, refuse_store
from interplay.running.results import board_of
from interplay.store.browsing import TOGETHER, Browsing
from interplay.store.database import snapshot
from interplay.store.records import Records, Run

ENDINGS = (".eval", ".json")  # Inspect knows logs by them
WHAT = "log of Inspect"


def write_logs(
    records: Records,
    run: Run,
    benchmark: Benchmark,
    path: Path,
    *,
    models: Sequence[str] = (),
    names: bool = False,
    changes: Mapping[str, str] | None = None,
) -> str:
    """Write a file that ends in .eval or .json, or into a folder one for each model; in words, what was written.

    Inspect has one model in a log and compares models log by log. Models are those to write, if not all that the run
    has measured; people in seats have numbers in place of names unless names are asked for; changes are options that
    only concern the board.
    """
    if find_spec("inspect_ai") is None:
        raise Mistake("a log of Inspect needs inspect-ai: pip install 'interplay[inspect]'")
    from interplay.interop.inspect_writing import Logs  # takes seconds to import

    subjects = _subjects(records, run, models)
    is_file = path.suffix.lower() in ENDINGS
    places = {_only(run, subjects, path): path} if is_file else _in_folder(path, run, subjects)
    for place in places.values():
        refuse_store(place, records.path)
    folder = path.parent if is_file else path
    with (
        snapshot(records.db, records.path),
        nullcontext() if is_file else _made(folder),
        _whole(places.values()) as parts,
    ):
        logs = Logs(records, run, benchmark, board_of(records, run, benchmark, changes), names=names)
        written = [
            logs.write(subject, part, as_json=place.suffix.lower() == ".json")
            for (subject, place), part in zip(places.items(), parts, strict=True)
        ]
    told = f"Wrote {path}: " + (
        "" if is_file else f"{len(written)} logs, " if len(written) > 1 else "1 log, "
    )
    unnamed = " People have numbers in place of names." if logs.hides_people else ""
    return f"{told}{sum(written):,} samples of {run.id}.{unnamed} To look at them: inspect view --log-dir {folder}"


def _subjects(records: Records, run: Run, models: Sequence[str]) -> list[str]:
    """Who was measured, under the names of all who sat together; or those of them that are asked for."""
    known = Browsing(records).subjects(run)
    if not known:
        raise Mistake(f"{run.id} has no conversations yet; there is nothing to write")
    for model in models:
        if not any(model in _names(subject) for subject in known):
            names = {name for subject in known for name in _names(subject)}
            raise Mistake(f"{run.id} does not measure {model!r}; {nearest(model, names)}")
    return [one for one in known if not models or not _names(one).isdisjoint(models)]


def _names(subject: str) -> set[str]:
    return {subject, *subject.split(TOGETHER)}


def _only(run: Run, subjects: Sequence[str], path: Path) -> str:
    """The one model that a single file is for."""
    if len(subjects) > 1:
        raise Mistake(
            f"{run.id} measures {len(subjects)} models and Inspect has one in a log; name a folder for all, as in: "
            f"interplay export {run.id} {path.stem or 'logs'} --to inspect; or one of them with --model NAME"
        )
    return subjects[0]


def _in_folder(folder: Path, run: Run, subjects: Sequence[str]) -> dict[str, Path]:
    """A file for each, named as Inspect names its logs: the time, the task, an id."""
    created = "".join(sign if sign.isalnum() else "-" for sign in run.created)
    task = run.benchmark.replace("_", "-")
    ids = {subject: task_id(run.id, run.created, subject) for subject in subjects}
    return {subject: folder / f"{created}_{task}_{id}.eval" for subject, id in ids.items()}


@contextmanager
def _made(path: Path) -> Iterator[None]:
    """A folder that is made if it is not there, and gone again if nothing comes of it."""
    made = not path.exists()
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise Mistake(f"the {WHAT} cannot be written to {path}: {error.strerror or error}") from error
    try:
        yield
    except BaseException:
        if made:
            with suppress(OSError):
                path.rmdir()
        raise


@contextmanager
def _whole(places: Iterable[Path]) -> Iterator[list[Path]]:
    """Files to write beside their places; they are put there together, once all are written."""
    real = []
    for place in places:
        check_path(place, WHAT)
        real.append(Path(os.path.realpath(place)))  # a link stays a link
    parts = [place.with_name(f".interplay-{secrets.token_hex(8)}.part") for place in real]
    try:
        yield parts
        for part, place in zip(parts, real, strict=True):
            with suppress(FileNotFoundError):
                shutil.copymode(place, part)  # what only its owner could read stays so
            with part.open("rb+") as file:
                os.fsync(file.fileno())
        for part, place in zip(parts, real, strict=True):
            part.replace(place)
    except OSError as error:
        raise Mistake(f"the {WHAT} cannot be written to {real[0]}: {error.strerror or error}") from error
    finally:
        for part in parts:
            with suppress(OSError):
                part.unlink()
