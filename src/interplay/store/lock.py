"""A run is written by one process at a time; the lock dies with its holder."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from interplay.core.failures import RunLocked, StoreTrouble
from interplay.store.database import locks_of
from interplay.store.places import Server, Store

if TYPE_CHECKING:
    from interplay.store.postgres_lock import ServerLock


@contextmanager
def run_lock(store: Store, run: str) -> "Iterator[ServerLock | None]":
    """Hold the lock of a run, or say at once who does; on a server, the run's writer writes through what holds it."""
    if isinstance(store, Server):
        from interplay.store.postgres_lock import server_lock  # the driver is an extra

        with server_lock(store, run) as held:
            yield held
        return
    with _file_lock(store, run):
        yield None


@contextmanager
def _file_lock(store: Path, run: str) -> Iterator[None]:
    folder = locks_of(store)
    lock = FileLock(folder / run)
    holder = folder / f"{run}.holder"
    try:
        folder.mkdir(exist_ok=True)
        lock.acquire(timeout=0)
        holder.write_text(f"process {os.getpid()}")
    except OSError as error:
        lock.release()
        if not isinstance(error, Timeout):
            raise StoreTrouble(
                f"no lock can be made beside {store} ({error.strerror}); mend that and go on"
            ) from error
        raise RunLocked(
            f"run {run} is being written by another process{_named(holder)}; wait for it, or stop it first"
        ) from None
    try:
        yield
    finally:
        holder.unlink(missing_ok=True)
        lock.release()


def _named(holder: Path) -> str:
    try:
        return f" ({holder.read_text()})"
    except OSError:
        return ""


def holder_of(store: Store, run: str) -> str:
    """Who writes a run now, found without touching its lock; empty where nobody does."""
    if isinstance(store, Server):
        from interplay.store.postgres_lock import holder_at

        return holder_at(store, run)
    lock = locks_of(store) / run
    try:
        named = lock.with_name(f"{run}.holder").read_text()
    except OSError:
        return ""
    number = named.removeprefix("process ")
    return named if not number.isdecimal() or _holds(int(number), lock) else ""


def _holds(process: int, lock: Path) -> bool:
    """Is this process alive, and has it the lock's file open? Another may have its number after it was killed."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's: it is alive
    opened = Path(f"/proc/{process}/fd")
    try:
        found = [os.path.realpath(one) for one in opened.iterdir()]
    except OSError:
        return True  # not told here
    return os.path.realpath(lock) in found
