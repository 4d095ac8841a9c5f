"""The program in another time: its speed (argument 1) and the jumps of its calendar (argument 2)."""

import sys

from tests.faults import other_time

other_time.begin(float(sys.argv[1]), int(sys.argv[2]))

from interplay.cli import main  # noqa: E402  # all of it lives in that time

sys.exit(main(sys.argv[3:]))
