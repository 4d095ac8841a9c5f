"""Files for others: whole or not at all, and nothing in a text but what can be read."""

import os
import stat
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from interplay.core.failures import Mistake
from interplay.reporting.writing import check_path, readable, write_whole

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@settings(deadline=None)
@given(st.text())
@example("\x1b[31mred\x1b[0m \x9b31m \x1b]0;title\x07")
@example(BIDI)
@example("a\r\nb\rc\x0bd\x0ce\x00f\x7fg\x85h\u2028i\tj")
def test_a_readable_text_holds_nothing_unseen_and_loses_nothing_else(text: str) -> None:
    shown = readable(text)
    for character in shown:
        assert character == "\n" or unicodedata.category(character) not in ("Cc", "Zl", "Zp")
        assert character not in BIDI
    seen = [one for one in text if unicodedata.category(one) not in ("Cc", "Zl", "Zp") and one not in BIDI]
    assert [one for one in shown if one not in "\n "] == [one for one in seen if one != " "]
    assert readable(shown) == "\n".join(shown.splitlines())


def test_lines_stay_lines_and_tabs_are_spaces() -> None:
    assert readable("a\r\nb\rc\u2028d\te") == "a\nb\nc\nd e"


def test_a_file_is_what_its_pieces_are_byte_for_byte(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.csv", iter(["é\r\n", "", "b\n", "🙂"]))
    assert (tmp_path / "a.csv").read_bytes() == "é\r\nb\n🙂".encode()
    assert [one.name for one in tmp_path.iterdir()] == ["a.csv"]


def test_whoever_reads_the_old_file_goes_on_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("old")
    with path.open() as reading:
        write_whole(path, ["new"])
        assert reading.read() == "old"
    assert path.read_text() == "new"


class Stopped(BaseException):
    """As a Ctrl-C would come."""


@pytest.mark.parametrize("error", [ValueError, Stopped, Mistake])
def test_a_file_that_is_not_finished_leaves_the_old_one_and_nothing_else(
    tmp_path: Path, error: type[BaseException]
) -> None:
    path = tmp_path / "a.json"
    path.write_text("old")

    def pieces() -> Iterator[str]:
        yield "new" * 100_000
        raise error("no more")

    with pytest.raises(error, match="no more"):
        write_whole(path, pieces())
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["a.json"]


def test_a_link_stays_a_link_and_a_private_file_stays_private(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "a.json").write_text("old")
    (tmp_path / "far" / "a.json").chmod(0o600)
    link = tmp_path / "a.json"
    link.symlink_to(tmp_path / "far" / "a.json")
    write_whole(link, ["new"])
    assert link.is_symlink()
    assert (tmp_path / "far" / "a.json").read_text() == "new"
    assert stat.S_IMODE(link.stat().st_mode) == 0o600


def places(folder: Path) -> dict[str, Path]:
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe.json")
    return {
        "it is a folder": folder / "folder",
        "its folder does not exist": folder / "no" / "a.json",
        "it is no ordinary file": folder / "pipe.json",
        "File name too long": folder / f"{'a' * 300}.json",
    }


def test_a_place_where_nothing_can_be_written_is_a_mistake_in_words(tmp_path: Path) -> None:
    for words, path in places(tmp_path).items():
        for attempt in (check_path, lambda path, what: write_whole(path, ["x"], what)):
            with pytest.raises(Mistake) as raised:
                attempt(path, "export")
            assert str(raised.value) == f"the export cannot be written to {path}: {words}"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["folder", "pipe.json"]
    assert stat.S_ISFIFO((tmp_path / "pipe.json").stat().st_mode)


def test_a_disk_that_fails_is_a_mistake_in_words() -> None:
    with pytest.raises(Mistake, match=r"the report cannot be written to /proc/a\.json: "):
        write_whole(Path("/proc/a.json"), ["x"])


def test_a_folder_nobody_may_write_to_is_a_mistake(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    if os.access(closed, os.W_OK):
        pytest.skip("this user may write anywhere")
    with pytest.raises(Mistake, match="its folder is not writable"):
        check_path(closed / "a.json")
