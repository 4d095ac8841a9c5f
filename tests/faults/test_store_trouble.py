"""A full disk, a store that is locked, deleted or cut short in the middle of a run: it stops and loses nothing."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
import pytest

from interplay.models.loopback import Event, Loopback, serving
from tests.faults.harness import Job, Recorded, check_record, finish, finished_rows, in_flight, start
from tests.running.job import answer, command

NO_ROOM = Path(__file__).with_name("no_room.py")
LIMIT = 3
TROUBLE = 4  # the exit code
LOCKED = 60.0  # seconds after which a store that is held locked is given up for now
CONNECTIONS = 4
BEGUN = 10  # calls that a run of one conversation makes


def soaked(*values: float) -> list[Any]:
    """Values for the long runs."""
    return [pytest.param(value, marks=pytest.mark.soak) for value in values]


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Job:
    made = Job(tmp_path_factory.mktemp("calm"), LIMIT)
    made.undisturbed()
    return made


def line_of(url: str, store: Path) -> list[str]:
    return command(url, store, limit=LIMIT, more=("--max-connections", str(CONNECTIONS)))


def check_told(code: int, err: str, *words: str) -> None:
    """One line with the cause and what to do next, and the exit code of a store in trouble."""
    assert code == TROUBLE, err
    [line] = [one for one in err.splitlines() if one.startswith("interplay: ")]
    assert all(word in line for word in words), line
    assert "Traceback" not in err


def check_gone_on(job: Job, loopback: Loopback, store: Path, kept: set[tuple[Any, ...]], url: str) -> None:
    """The same command comes to the undisturbed table; only what was in flight is paid for again."""
    unknown = in_flight(store)
    code, out, err = finish(start(line_of(url, store)))
    assert code == 0, err
    assert kept <= finished_rows(store), "a finished row was lost"
    assert out == job.table, "the table differs from the undisturbed run's"
    assert loopback.calls - job.calls <= unknown, "more was paid for again than was in flight"
    check_record(store)


# A disk that is full


def check_full(
    job: Job, store: Path, how: list[str], words: tuple[str, ...], make_room: Callable[[], None]
) -> bool:
    """A run that is short of room says so, stops within a call, and goes on where there is room; was it short?"""
    loopback = Loopback(answer, latency=0.003)
    with serving(loopback) as url:
        code, out, err = finish(start([*how, *line_of(url, store)], NO_ROOM if how else None))
        if code == 0:
            assert out == job.table
            return False
        check_told(code, err, *words)
        make_room()
        kept = finished_rows(store)
        assert loopback.calls <= len(kept) + in_flight(store), (
            "a call was made that was not written down first"
        )
        check_gone_on(job, loopback, store, kept, url)
    return True


@pytest.mark.fault("disk full: pages")
@pytest.mark.parametrize("pages", [*soaked(1, 10, 30), 4, 20])
def test_a_store_without_a_page_to_spare(job: Job, tmp_path: Path, pages: int) -> None:
    store = tmp_path / "a.db"
    assert check_full(job, store, ["pages", str(pages)], ("disk is full", "go on"), lambda: None)


@pytest.mark.fault("disk full: pages")
@pytest.mark.soak
def test_a_store_without_a_page_to_spare_at_any_page(
    job: Job, tmp_path: Path, record_property: Recorded
) -> None:
    short = [
        check_full(
            job, tmp_path / f"{pages}.db", ["pages", str(pages)], ("disk is full", "go on"), lambda: None
        )
        for pages in range(0, 60, 2)
    ]
    assert sum(short) > 15, "most of these should have been too few"
    record_property("times", sum(short))


@pytest.mark.fault("disk full: file size")
@pytest.mark.parametrize("size", [*soaked(200_000, 450_000), 300_000])
def test_files_that_may_not_grow(job: Job, tmp_path: Path, size: int) -> None:
    assert check_full(job, tmp_path / "a.db", ["bytes", str(size)], ("cannot be written",), lambda: None)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own in memory, where mounting one is allowed."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small tmpfs is not allowed here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.fault("disk full: small tmpfs")
@pytest.mark.parametrize("spare", [*soaked(150_000, 400_000), 250_000])
def test_a_small_disk_that_others_have_filled(job: Job, small_disk: Path, spare: int) -> None:
    others = small_disk / "others"
    others.write_bytes(b"x" * (600 * 1024 - spare))

    def make_room() -> None:
        others.unlink()
        subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)

    assert check_full(job, small_disk / "a.db", [], ("disk is full", "go on"), make_room)


# A store that another program holds locked


@pytest.mark.fault("database locked")
@pytest.mark.parametrize("seconds", [10, *soaked(120)])
def test_a_store_that_is_held_locked(job: Job, tmp_path: Path, seconds: float) -> None:
    store, loopback = tmp_path / "a.db", Loopback(answer, latency=0.05)
    with serving(loopback) as url:
        process = start(line_of(url, store))
        wait_for(lambda: len(loopback.events) >= 8)
        with closing(apsw.Connection(str(store))) as holder:
            holder.set_busy_timeout(10_000)
            holder.execute("BEGIN IMMEDIATE")
            time.sleep(1)
            kept, sent = finished_rows(store), loopback.calls
            began = time.monotonic()
            if seconds > LOCKED:
                code, _, err = finish(process)
                check_told(code, err, "holds", "locked", "go on")
            time.sleep(max(0.0, began + seconds - 1 - time.monotonic()))
            assert loopback.calls == sent, "a call was made that could not be written down first"
            holder.execute("ROLLBACK")
        if seconds < LOCKED:
            code, out, err = finish(process)
            assert code == 0, err
            assert (out, loopback.calls) == (job.table, job.calls)
        check_gone_on(job, loopback, store, kept, url)


def wait_for(held: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not held():
        assert time.monotonic() < deadline, "the program did not come so far"
        time.sleep(0.005)


# A store that is deleted or cut short behind the program's back


@dataclass
class Hand:
    """Does something to a store at the k-th event of the ledger, and counts the requests that come after it."""

    does: Callable[[], None]
    at: int
    is_ready: bool = False
    seen: int = 0
    later: int = 0

    def __call__(self, event: Event) -> None:
        self.seen += self.is_ready
        if self.seen == self.at:
            self.does()
        elif self.seen > self.at and event.kind == "request":
            self.later += 1


@dataclass
class Files:
    """A store with the files beside it, which can be taken away and put back."""

    store: Path
    held: dict[Path, Path] = field(default_factory=dict)

    def all(self) -> list[Path]:
        return [one for one in (self.store, *self.store.parent.glob(f"{self.store.name}-*")) if one.exists()]

    def delete(self) -> None:
        for one in self.all():
            self.held[one] = one.with_name(f"kept {one.name}")
            os.link(one, self.held[one])
            one.unlink()

    def put_back(self) -> None:
        for one in self.all():
            one.unlink()
        for one, kept in self.held.items():
            kept.rename(one)

    def copy(self) -> None:
        for one in self.all():
            self.held[one] = Path(shutil.copy(one, one.with_name(f"kept {one.name}")))

    def cut(self, share: float) -> None:
        """Keep a copy of all, then cut the store down."""
        self.copy()
        os.truncate(self.store, int(self.store.stat().st_size * share))


def disturbed_at(files: Files, hand: Hand) -> tuple[Loopback, int, str]:
    """A run that was begun and let be, then gone on with and disturbed at an event of the ledger."""
    loopback = Loopback(answer, latency=0.003, watch=hand)
    with serving(loopback) as url:
        code, _, err = finish(start(command(url, files.store, limit=1)))
        assert code == 0, err
        hand.is_ready = True
        code, _, err = finish(start(line_of(url, files.store)))
    assert hand.later <= CONNECTIONS, f"{hand.later} requests came after it: it was not noticed within a call"
    return loopback, code, err


@pytest.mark.fault("database deleted")
@pytest.mark.parametrize("part", [*soaked(0.1, 0.5, 0.7), 0.3, 0.9])
def test_a_store_that_is_deleted_in_the_middle_of_a_run(job: Job, tmp_path: Path, part: float) -> None:
    files = Files(tmp_path / "a.db")
    hand = Hand(files.delete, int(part * 2 * (job.calls - BEGUN)))
    first, code, err = disturbed_at(files, hand)
    check_told(code, err, "was deleted", "put a copy back")
    assert not files.store.exists(), "an empty store was made in its place"
    silent = Loopback(answer)
    with serving(silent) as url:
        code, _, err = finish(start(line_of(url, files.store)))
    assert (code, silent.calls) == (2, 0)
    assert "is gone" in err and err.count("\n") == 1
    assert not files.store.exists(), "an empty store was made in its place"
    files.put_back()
    kept = finished_rows(files.store)
    assert first.calls <= len(kept) + in_flight(files.store), (
        "a call was made that was not written down first"
    )
    with serving(first) as url:
        check_gone_on(job, first, files.store, kept, url)


def cut_short(job: Job, folder: Path, part: float, share: float) -> tuple[Files, Loopback]:
    """A run whose store is cut down to a share of it in the middle: it is told, and stops."""
    files = Files(folder / "a.db")
    hand = Hand(lambda: files.cut(share), int(part * 2 * (job.calls - BEGUN)))
    loopback, code, err = disturbed_at(files, hand)
    check_told(code, err, "cut short", "restore a copy")
    return files, loopback


@pytest.mark.fault("database truncated")
@pytest.mark.parametrize("share", [0.0, 0.5])
@pytest.mark.parametrize("part", [*soaked(0.1, 0.9), 0.5])
def test_a_store_that_is_cut_short_in_the_middle_of_a_run(
    job: Job, tmp_path: Path, part: float, share: float
) -> None:
    files, loopback = cut_short(job, tmp_path, part, share)
    files.put_back()
    kept = finished_rows(files.store)
    assert len(kept) >= BEGUN
    paid = loopback.calls - len(kept)  # beyond the copy, which was made at once but not in one moment
    with serving(loopback) as url:
        code, out, err = finish(start(line_of(url, files.store)))
    assert (code, out) == (0, job.table), err
    assert kept <= finished_rows(files.store), "a finished row was lost"
    assert loopback.calls - job.calls <= paid <= 2 * CONNECTIONS, "more was paid for again than was in flight"
    check_record(files.store)


@pytest.mark.fault("database truncated")
@pytest.mark.parametrize("share", [0.0, 0.5])
def test_a_store_that_was_cut_short_is_refused_and_not_made_anew(
    job: Job, tmp_path: Path, share: float
) -> None:
    files, _ = cut_short(job, tmp_path, 0.5, share)
    size, silent = files.store.stat().st_size, Loopback(answer)
    with serving(silent) as url:
        code, _, err = finish(start(line_of(url, files.store)))
    assert silent.calls == 0
    assert files.store.stat().st_size == size, "something was written over what is left of it"
    assert code in (2, TROUBLE), err
    assert (err.count("\n") == 1 and "a copy" in err) or "no store" in err
