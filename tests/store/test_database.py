"""Opening a store: new, ours, somebody else's, and several at once."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import apsw
import pytest

from interplay.core.failures import InterplayError, Mistake, StoreTrouble
from interplay.store.database import (
    APPLICATION_ID,
    SAFE_SQLITE,
    Whereabouts,
    connect,
    sqlite_version,
    trouble_in_words,
)
from interplay.store.schema import MIGRATIONS


def refused(path: Path, *, create: bool = True) -> InterplayError:
    with pytest.raises((Mistake, StoreTrouble)) as raised:
        connect(path, create=create)
    assert "\n" not in str(raised.value)
    assert str(path) in str(raised.value)
    return raised.value


def foreign(path: Path, statements: str) -> None:
    other = apsw.Connection(os.fspath(path))
    other.execute(statements)
    other.close()


def test_a_new_store_is_marked_as_ours_and_of_the_newest_version(tmp_path: Path) -> None:
    db = connect(tmp_path / "a.db", create=True)
    assert db.pragma("application_id") == APPLICATION_ID
    assert db.pragma("user_version") == len(MIGRATIONS)
    assert db.pragma("journal_mode") == "wal"
    assert db.pragma("synchronous") == 2
    assert db.pragma("foreign_keys") == 1
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    assert {"runs", "conversations", "calls", "messages", "verdicts", "scores", "facts"} <= tables
    db.close()


def test_a_store_is_opened_again_without_a_change(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    connect(path, create=True).close()
    before = path.read_bytes()
    connect(path, create=False).close()
    assert path.read_bytes() == before


def test_the_driver_brings_a_safe_sqlite() -> None:
    assert sqlite_version() >= SAFE_SQLITE


def test_a_database_of_another_program_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    foreign(path, "CREATE TABLE songs (title); INSERT INTO songs VALUES ('la'); PRAGMA user_version = 7")
    before = path.read_bytes()
    assert isinstance(refused(path), Mistake)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["other.db"]


@pytest.mark.parametrize("content", [b"dear diary, " * 500, b"hello", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_no_database_is_refused_and_left_as_it_was(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    problem = refused(path)
    assert isinstance(problem, Mistake)
    said = "is no database" if len(content) < 512 else "is no Interplay store"
    assert str(problem) == f"{path} {said}; name another file with --store"
    assert path.read_bytes() == content
    assert [one.name for one in tmp_path.iterdir()] == ["notes.txt"]


def test_a_store_of_a_newer_version_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    db = connect(path, create=True)
    db.pragma("user_version", len(MIGRATIONS) + 1)
    db.close()
    before = path.read_bytes()
    problem = refused(path)
    assert isinstance(problem, Mistake)
    assert "newer" in str(problem)
    assert path.read_bytes() == before


def test_a_missing_store_is_not_made_by_a_reader(tmp_path: Path) -> None:
    assert isinstance(refused(tmp_path / "no.db", create=False), Mistake)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="does not exist"):
        connect(tmp_path / "no" / "a.db", create=True)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    assert "is a folder" in str(refused(tmp_path))


def test_an_empty_file_is_no_store_to_read_from_and_stays_empty(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    with pytest.raises(Mistake, match="is empty"):
        connect(path, create=False)
    assert path.stat().st_size == 0


def test_threads_that_open_a_new_store_at_once_all_get_it(tmp_path: Path) -> None:
    for attempt in range(8):
        path = tmp_path / f"{attempt}.db"
        together = threading.Barrier(4)
        versions: list[object] = []

        def opening(path: Path = path, together: threading.Barrier = together) -> None:
            together.wait()
            try:
                db = connect(path, create=True)
                versions.append(db.pragma("user_version"))  # noqa: B023  # joined within the turn
                db.close()
            except InterplayError as problem:
                versions.append(problem)  # noqa: B023  # joined within the turn

        threads = [threading.Thread(target=opening) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert versions == [len(MIGRATIONS)] * 4


def test_processes_that_open_a_new_store_at_once_all_get_it(tmp_path: Path) -> None:
    path, go = tmp_path / "a.db", tmp_path / "go"
    program = (
        "import sys, time; from pathlib import Path; from interplay.store.database import connect\n"
        "print('ready', flush=True)\n"
        "while not Path(sys.argv[2]).exists(): time.sleep(0.001)\n"
        "print(connect(Path(sys.argv[1]), create=True).pragma('user_version'))"
    )
    command = [sys.executable, "-c", program, str(path), str(go)]
    children = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    go.touch()
    assert [child.communicate(timeout=60)[0].strip() for child in children] == [str(len(MIGRATIONS))] * 3
    assert [child.returncode for child in children] == [0, 0, 0]


def test_a_new_store_that_somebody_else_is_writing_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    other = apsw.Connection(os.fspath(path))
    other.execute("BEGIN IMMEDIATE")
    opened: list[object] = []

    def opening() -> None:
        try:
            connect(path, create=True).close()
            opened.append("opened")
        except StoreTrouble as problem:
            opened.append(problem)

    thread = threading.Thread(target=opening)
    thread.start()
    thread.join(0.5)
    other.execute("COMMIT")
    thread.join()
    other.close()
    assert opened == ["opened"]


@pytest.mark.parametrize(
    "error, words",
    [
        (apsw.FullError, "disk is full"),
        (apsw.BusyError, "locked"),
        (apsw.CorruptError, "damaged"),
        (apsw.ReadOnlyError, "cannot be opened for writing"),
        (apsw.CantOpenError, "cannot be opened for writing"),
        (apsw.IOError, "cannot be written or read"),
    ],
)
def test_every_error_of_the_database_becomes_one_line(error: type[apsw.Error], words: str) -> None:
    with pytest.raises(StoreTrouble, match=words) as raised, trouble_in_words(Path("a.db")):
        raise error("because")
    assert str(raised.value).count("a.db") == 1


def test_a_file_of_another_kind_is_a_mistake_in_one_line() -> None:
    with pytest.raises(Mistake, match="is no Interplay store") as raised, trouble_in_words(Path("a.db")):
        raise apsw.NotADBError("because")
    assert str(raised.value).count("a.db") == 1
    assert "\n" not in str(raised.value)


def test_a_mistake_passes_through_as_it_is() -> None:
    with pytest.raises(Mistake, match="mine"), trouble_in_words(Path("a.db")):
        raise Mistake("mine")


def test_an_untouched_or_growing_file_is_not_remarked_on(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"1" * 100)
    watch = Whereabouts(path)
    watch.check()
    path.write_bytes(b"1" * 200)  # in place: the same file
    watch.check()
    assert path.stat().st_size == 200


def test_a_deleted_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"1" * 100)
    watch = Whereabouts(path)
    path.unlink()
    with pytest.raises(StoreTrouble, match="deleted"):
        watch.check()


def test_a_replaced_file_is_noticed(tmp_path: Path) -> None:
    path, other = tmp_path / "a.db", tmp_path / "b.db"
    path.write_bytes(b"1" * 100)
    watch = Whereabouts(path)
    other.write_bytes(b"1" * 100)
    other.replace(path)
    with pytest.raises(StoreTrouble, match="replaced or cut short"):
        watch.check()


def test_a_file_cut_short_after_it_grew_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"1" * 100)
    watch = Whereabouts(path)
    path.write_bytes(b"1" * 200)
    watch.check()
    os.truncate(path, 150)
    with pytest.raises(StoreTrouble, match="replaced or cut short"):
        watch.check()
