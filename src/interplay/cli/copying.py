"""The verb copy: a run from one store to another."""

import sys
import time
from collections.abc import Callable

import click

from interplay.cli import terminal
from interplay.cli.edge import DONE
from interplay.cli.flags import STORE, Placed, flag, with_flags
from interplay.store.copying import Copied, copy_runs
from interplay.store.places import Store

BETWEEN_LINES = 5.0  # seconds


@click.command("copy")
@click.argument("run")
@flag(
    "--to",
    type=Placed(),
    required=True,
    metavar="STORE",
    help="Where it is copied to; made if it is not there.",
)
@with_flags(STORE)
def copy_verb(run: str, to: Store, store: Store) -> int:
    """Copy RUN, with what was made of it, to another store: from a file to a server, back, or from file to file.

    Links that let people in are not copied: they are of the server that gave them.
    """
    for one in copy_runs(run, store, to, _now_and_then()):
        terminal.remark(_told(one, to))
    return DONE


def _told(copied: Copied, to: Store) -> str:
    if not copied.rows:
        return f"{copied.run.id} is already there, the same: {to}."
    without = (
        f" without its name, as another run there is called {copied.run.name}" if copied.name_is_taken else ""
    )
    return f"Copied {copied.run.id} to {to}{without}: {copied.rows:,} rows, all as they were."


def _now_and_then() -> Callable[[str], None]:
    """Says how far it is, where somebody looks, and not too often."""
    last = time.monotonic()

    def tell(line: str) -> None:
        nonlocal last
        if sys.stderr.isatty() and time.monotonic() >= last + BETWEEN_LINES:
            last = time.monotonic()
            terminal.remark(line)

    return tell
