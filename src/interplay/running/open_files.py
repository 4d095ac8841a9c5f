"""How many files a process may have open: each connection is one, and systems often allow few unless asked."""

import sys

BESIDE = 200  # files that a run has open for other reasons
USUAL_MOST = 65_536  # where a system sets no limit


def allow_connections(count: int) -> int:
    """See to it that so many connections can be open at once, as far as the system lets us; how many may be."""
    if sys.platform == "win32":
        return count
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = USUAL_MOST if hard == resource.RLIM_INFINITY else hard
    if soft == resource.RLIM_INFINITY:
        return count
    wanted = min(count + BESIDE, most)
    if soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
        except (ValueError, OSError):  # the system has a limit of its own below that
            pass
    return max(1, soft - BESIDE)
