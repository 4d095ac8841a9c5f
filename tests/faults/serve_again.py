"""Serves a store again and again, each time by a process of its own: `python serve_again.py ARGUMENTS OF VIEW`.

For every line that comes in, a server is started and its process id is written out; when no more come, the last is
ended. Only what takes long, the imports, is done once for all of them.
"""

import os
import signal
import sys

import interplay.web.serving  # noqa: F401  # what view imports when it is called
from interplay.cli import main

running = 0
for _ in sys.stdin:
    if running:
        os.waitpid(running, 0)
    running = os.fork()
    if not running:
        sys.argv = ["interplay", "view", *sys.argv[1:]]
        sys.exit(main())
    sys.stdout.write(f"{running}\n")
    sys.stdout.flush()
if running:
    os.kill(running, signal.SIGKILL)
    os.waitpid(running, 0)
