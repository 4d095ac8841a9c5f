"""The program, ended without a word just before or just after its n-th commit (argument 1; - for after)."""

import os
import sys
from pathlib import Path

import apsw

import interplay.store.writer as writer
from interplay.cli import main

wanted = abs(int(sys.argv[1]))
after = sys.argv[1].startswith("-")
commits = 0
connect = writer.connect
execute = writer.Writer._commit


def exiting_connect(path: Path, *, create: bool) -> apsw.Connection:
    connection = connect(path, create=create)

    def on_commit() -> bool:
        global commits  # noqa: PLW0603  # a script, not a module
        commits += 1
        if commits == wanted and not after:
            os._exit(9)
        return False

    connection.set_commit_hook(on_commit)
    return connection


def exiting_commit(self: writer.Writer) -> None:
    execute(self)
    if commits == wanted and after:
        os._exit(9)


writer.connect = exiting_connect  # type: ignore[assignment]
writer.Writer._commit = exiting_commit  # type: ignore[method-assign]
main(sys.argv[2:])
