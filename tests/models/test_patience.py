"""Retry-After, as endpoints write it."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from interplay.models.patience import LONGEST_WAIT, seconds_to_wait


@pytest.mark.parametrize("header, seconds", [("0", 0), ("1", 1), ("2.5", 2.5), (" 7 ", 7), ("59", 59)])
def test_seconds_are_taken_at_their_word(header: str, seconds: float) -> None:
    assert seconds_to_wait(header) == seconds


@pytest.mark.parametrize("header", ["61", "1e9", "1000000000", "inf", "1e999"])
def test_no_wait_is_longer_than_the_longest(header: str) -> None:
    assert seconds_to_wait(header) == LONGEST_WAIT


@pytest.mark.parametrize("header", [None, "", "-5", "-inf", "nan", "abc", "1 2", "Mon", "1,5"])
def test_what_makes_no_sense_says_nothing(header: str | None) -> None:
    assert seconds_to_wait(header) is None


@pytest.mark.parametrize("zone", [UTC, None])
def test_a_date_is_a_wait_until_then(zone: object) -> None:
    when = datetime.now(UTC) + timedelta(seconds=40)
    text = format_datetime(when, usegmt=True) if zone else format_datetime(when.replace(tzinfo=None))
    seconds = seconds_to_wait(text)
    assert seconds is not None
    assert 20 < seconds <= 40


def test_a_date_far_ahead_is_kept_within_reason_and_one_behind_says_nothing() -> None:
    now = datetime.now(UTC)
    assert seconds_to_wait(format_datetime(now + timedelta(days=9), usegmt=True)) == LONGEST_WAIT
    assert seconds_to_wait(format_datetime(now - timedelta(days=9), usegmt=True)) is None


@given(st.text(max_size=40))
@example("Mon, 01 Jan 0001 00:00:00 +2359")
@example("Fri, 31 Dec 9999 23:59:59 -2359")
@example("1_0")
def test_any_header_gives_a_wait_within_reason_or_none(header: str) -> None:
    seconds = seconds_to_wait(header)
    assert seconds is None or 0 <= seconds <= LONGEST_WAIT


def test_a_date_in_an_absurd_zone_says_nothing() -> None:
    assert seconds_to_wait("Mon, 01 Jan 2024 00:00:00 +99999999999999999999") is None
