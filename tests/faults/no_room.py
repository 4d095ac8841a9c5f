"""The program where its store may grow by `pages N` at most, or no file beyond `bytes N`."""

import resource
import sys
from pathlib import Path

import apsw

import interplay.store.writer as writer
from interplay.cli import main

kind, most = sys.argv[1], int(sys.argv[2])
connect = writer.connect


def cramped_connect(path: Path, *, create: bool) -> apsw.Connection:
    connection = connect(path, create=create)
    connection.pragma("max_page_count", int(connection.pragma("page_count")) + most)
    return connection


if kind == "pages":
    writer.connect = cramped_connect  # type: ignore[assignment]
else:
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
sys.exit(main(sys.argv[3:]))
