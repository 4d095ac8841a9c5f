"""The program, which says at its end how much memory it ever took, in bytes."""

import resource
import sys

from interplay.cli import main

code = main(sys.argv[1:])
unit = 1 if sys.platform == "darwin" else 1024
sys.stderr.write(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit}\n")
sys.exit(code)
