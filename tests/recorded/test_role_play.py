"""What models are shown is what was written down: a prompt changes on purpose, or not at all."""

import pytest

from tests.recorded.shown import CASES, file_of, shown


@pytest.mark.parametrize("case", CASES)
async def test_every_seat_is_shown_what_was_recorded(case: str) -> None:
    """Where a change is meant: python -m tests.recorded.shown, and read the difference."""
    assert await shown(case) == file_of(case).read_text(encoding="utf-8")
