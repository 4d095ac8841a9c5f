"""A process of its own that computes a board: `python -m interplay.running.computing FOLDER`.

Its memory goes with it. INTERPLAY_STORE names the store; the wish is in the folder when it starts, and what came of it
when it ends.
"""

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from interplay.running.collecting import rare_collections
from interplay.running.kept import Computed, Wish, compute
from interplay.store.places import Store, place_of, typed_again
from interplay.store.records import Records

WISH, ANSWER = "wish", "answer"
STORE = "INTERPLAY_STORE"  # the variable that names the store
POLITE = 5  # it is not to slow the run that it looks at


def main(store: Store, folder: Path) -> None:
    os.nice(POLITE)
    wish = Wish.of((folder / WISH).read_text(encoding="utf-8"))
    with rare_collections(), Records(store) as records:
        _, computed = compute(records, wish)
    (folder / ANSWER).write_text(json.dumps(asdict(computed)), encoding="utf-8")


def begin(store: Store, folder: Path, wish: Wish) -> subprocess.Popen[str]:
    """Start such a process."""
    (folder / WISH).write_text(wish.key, encoding="utf-8", errors="surrogatepass")
    command = [sys.executable, "-m", __name__, str(folder)]
    return subprocess.Popen(  # noqa: S603  # this program
        command,
        env={
            **os.environ,
            STORE: typed_again(store),
        },  # not a word of the command line, which anybody can read
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )


def answer_in(folder: Path) -> Computed:
    """What the process that has ended found."""
    return Computed(**json.loads((folder / ANSWER).read_text(encoding="utf-8")))


if __name__ == "__main__":
    main(place_of(os.environ[STORE]), Path(sys.argv[1]))
