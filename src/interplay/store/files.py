"""A store's file by itself: is it empty, and is all of it there?"""

import time
from pathlib import Path

import apsw

from interplay.core.failures import StoreTrouble

HEADER, LOG_HEADER, FRAME_HEADER = 100, 32, 24  # bytes
MAGIC = b"SQLite format 3\0"
PAGES = {1: 65_536, **{512 << power: 512 << power for power in range(7)}}  # sizes, as a header has them
TO_GROW = 2.0  # seconds in which another process may be about to write the rest


def is_empty(path: Path) -> bool:
    try:
        return path.is_file() and path.stat().st_size == 0
    except OSError:
        return False


def missing(path: Path) -> int:
    """How many bytes a store's file lacks of what its own header says; 0 where nothing does, or nobody can tell."""
    try:
        with path.open("rb") as file:
            header = file.read(HEADER)
        size = path.stat().st_size
    except OSError:
        return 0
    # the count of pages can be relied on where whoever wrote the file last has also written the count
    if len(header) < HEADER or not header.startswith(MAGIC) or header[24:28] != header[92:96]:
        return 0
    page = PAGES.get(int.from_bytes(header[16:18], "big"), 0)
    pages = int.from_bytes(header[28:32], "big")
    if page * pages <= size:
        return 0
    # one whose taking over of the log was broken off, by a full disk say, has the rest in the log
    return page * len(set(range(size // page + 1, pages + 1)) - _in_log(path, page))


def _in_log(path: Path, page: int) -> set[int]:
    """The numbers of the pages that the log beside a store holds."""
    found: set[int] = set()
    try:
        with path.with_name(path.name + "-wal").open("rb") as log:
            salt = log.read(LOG_HEADER)[16:24]
            while len(frame := log.read(FRAME_HEADER)) == FRAME_HEADER and frame[8:16] == salt:
                found.add(int.from_bytes(frame[:4], "big"))
                log.seek(page, 1)
    except OSError:
        pass  # there is none
    return found


def refuse_shortened(path: Path) -> None:
    """Raise StoreTrouble where part of the file was cut off: what is left would be taken for all there was."""
    deadline = time.monotonic() + TO_GROW
    while lacking := missing(path):
        if time.monotonic() > deadline:
            raise StoreTrouble(f"{path} was cut short: {lacking:,} bytes of it are missing; restore a copy")
        time.sleep(0.05)


def close(connection: apsw.Connection, path: Path) -> None:
    """Let go of a store; into one that was cut short, nothing more is written, so that a copy can be told from it."""
    if missing(path):
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.close()
