"""What several tests of reports work on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from interplay.store.records import Records
from tests.reporting.exported import Played, begin, fill, write


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Played]:
    """A run in which every text that others wrote is hostile."""
    (tmp_path / "store").mkdir()
    with Records(tmp_path / "store" / "a.db", create=True) as records:
        run = begin(records)
        write(records, run, fill)
        yield records, run
