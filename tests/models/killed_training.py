"""Trains in a child of its own that is killed at its n-th change of a file or after a step, for many n, in one folder.

Called with a base, a folder, and the events to die at, as JSON; each child goes on where the last was killed.
"""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import torch

from interplay.models import causal
from interplay.models.training import Progress
from interplay.models.tuning import tune
from tests.models.tiny_model import EXAMPLES, SHORT

WRITING = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "shutil.rmtree"}


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main(base: Path, folder: Path, events: list[int]) -> None:
    torch.set_num_threads(1)
    causal.load(base)  # so that all is imported once, before the children
    for event in events:
        child = os.fork()
        if child == 0:
            train(base, folder, event)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(
            "killed\n" if os.WIFSIGNALED(status) else f"ended {os.waitstatus_to_exitcode(status)}\n"
        )


def train(base: Path, folder: Path, event: int) -> None:
    seen = 0

    def count(name: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen
        opened = name == "open" and isinstance(arguments[1], str) and "w" in arguments[1]
        if (opened or name in WRITING) and str(folder) in str(arguments[0]):
            seen += 1
            if seen == event:
                die()

    def told(progress: Progress) -> None:
        count("os.rename", (str(folder),))

    sys.addaudithook(count)
    tune(base, EXAMPLES, SHORT, folder, told)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3]))
