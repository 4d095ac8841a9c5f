"""How long an endpoint asks us to wait."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST_WAIT = 60.0


def seconds_to_wait(retry_after: str | None) -> float | None:
    """Read a Retry-After header: seconds or a date, within reason; None where it says nothing usable."""
    if not retry_after:
        return None
    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            when = parsedate_to_datetime(retry_after)
        except (ValueError, OverflowError):
            return None
        seconds = (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    if seconds != seconds or seconds < 0:
        return None
    return min(seconds, LONGEST_WAIT)
