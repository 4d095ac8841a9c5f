"""A store's file: empty, whole, or cut short; nothing is written into one that was cut short."""

from pathlib import Path

import apsw
import pytest

from interplay.core.failures import Mistake, StoreTrouble
from interplay.store import files
from interplay.store.database import locks_of
from interplay.store.records import Records


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "a.db"
    Records(path, create=True).close()
    return path


def test_a_whole_store_lacks_nothing(store: Path) -> None:
    assert files.missing(store) == 0
    files.refuse_shortened(store)


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_store_that_was_cut_short_is_refused_with_what_is_missing(
    store: Path, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "TO_GROW", 0.1)
    size = store.stat().st_size
    with store.open("r+b") as file:
        file.truncate(int(size * share))
    lost = size - int(size * share) // 4096 * 4096  # in whole pages
    assert files.missing(store) == lost
    with pytest.raises(StoreTrouble, match=rf"cut short: {lost:,} bytes .* restore a copy"):
        Records(store)


def test_what_is_no_database_or_not_there_lacks_nothing(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"x" * 1000)
    assert files.missing(other) == 0
    assert files.missing(tmp_path / "nowhere") == 0


def test_who_closes_a_store_that_was_cut_short_writes_nothing_into_it(store: Path) -> None:
    records = Records(store)
    records.begin("a-1", "role_play", {"models": []}, {})  # in the log, not yet in the file
    with store.open("r+b") as file:
        file.truncate(store.stat().st_size // 2)
    size = store.stat().st_size
    records.close()
    assert store.stat().st_size == size


def test_who_closes_a_whole_store_leaves_one_file(store: Path) -> None:
    records = Records(store)
    records.begin("a-1", "role_play", {"models": []}, {})
    records.close()
    assert not store.with_name("a.db-wal").exists()
    with apsw.Connection(str(store)) as found:
        assert found.execute("SELECT count(*) FROM runs").get == 1
    found.close()


def test_an_empty_file_is_no_store_unless_somebody_is_about_to_make_it_one(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.touch()
    assert files.is_empty(path)
    with pytest.raises(Mistake, match="is empty, and no store"):
        Records(path)
    locks_of(path).mkdir()
    (locks_of(path) / "x.holder").write_text("process 1")
    with pytest.raises(Mistake, match="is empty, and no store"):
        Records(path)  # after a moment


def test_a_store_whose_log_was_not_taken_over_to_its_end_is_whole(store: Path) -> None:
    """As after a full disk: the file's first page tells of pages that only the log has."""
    records = Records(store)
    for number in range(200):
        records.begin(f"a-{number}", "role_play", {"models": ["x" * 500]}, {})
    pages = records.db.pragma("page_count")
    log = store.with_name("a.db-wal").read_bytes()
    whole = store.read_bytes()
    records.db.execute("PRAGMA wal_checkpoint(FULL)")
    header = store.read_bytes()[:100]
    records.close()
    assert pages > len(whole) // 4096
    store.write_bytes(header + whole[100:])
    store.with_name("a.db-wal").write_bytes(log)
    assert files.missing(store) == 0
    with Records(store) as again:
        assert len(again.runs()) == 200
    store.write_bytes(header + whole[100:])  # and the log is gone, too
    assert files.missing(store) > 0
