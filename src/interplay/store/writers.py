"""Whoever writes a run: to a file by one writer, to a server by another; both are used alike."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

import apsw

from interplay.store.places import Server, Store
from interplay.store.writer import Writer

if TYPE_CHECKING:
    from interplay.store.postgres_lock import ServerLock

T = TypeVar("T")


class Writes(Protocol):
    """Takes writes from one event loop; an awaited write is on disk."""

    def beats_for(self, run: int) -> None: ...

    async def write(self, write: Callable[[apsw.Connection], T]) -> T: ...

    async def close(self) -> None: ...


def writer_of(store: Store, held: "ServerLock | None" = None) -> Writes:
    """A writer of the store; with the lock of a run, it writes for as long as that is held, and no longer."""
    if isinstance(store, Server):
        from interplay.store.postgres_writer import ServerWriter  # the driver is an extra

        return ServerWriter(store, held)
    return Writer(store)
