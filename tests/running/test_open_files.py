"""The limit of open files is raised as far as a run needs and the system allows, and never lowered."""

import subprocess
import sys

import pytest

CODE = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
from interplay.running.open_files import allow_connections
print(allow_connections({wanted}), *resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.parametrize(
    ("soft", "hard", "wanted", "allowed", "after"),
    [
        (256, 2000, 32, 56, 256),
        (256, 2000, 1024, 1024, 1224),
        (256, 1000, 1024, 800, 1000),
        (1500, 2000, 100, 1300, 1500),
        (100, 100, 5, 1, 100),
    ],
)
def test_as_many_as_are_needed_and_allowed(
    soft: int, hard: int, wanted: int, allowed: int, after: int
) -> None:
    code = CODE.format(soft=soft, hard=hard, wanted=wanted)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [int(word) for word in done.stdout.split()] == [allowed, after, hard]
