"""Files out of a package: all of them or none reach the cache."""

import hashlib
import zipfile
from pathlib import Path

import pytest

from interplay.core.failures import Mistake
from interplay.models.fetching import Member, Parcel, fetch_members

PARCEL = Parcel("the thing", "thing==1", "Or do without")


def member(name: str, content: bytes) -> Member:
    return Member(f"inside/{name}", f"thing.{name}", hashlib.sha256(content).hexdigest())


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INTERPLAY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def wheel(folder: Path) -> Path:
    path = folder / "a.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("inside/a", b"first")
        archive.writestr("inside/b", b"second")
    return path


def test_all_members_are_taken_out(cache: Path) -> None:
    found = fetch_members(PARCEL, [member("a", b"first"), member("b", b"second")], wheel)
    assert [path.read_bytes() for path in found] == [b"first", b"second"]
    assert sorted(path.name for path in cache.iterdir()) == ["thing.a", "thing.b"]


def test_members_that_are_there_are_not_fetched_again(cache: Path) -> None:
    members = [member("a", b"first"), member("b", b"second")]
    kept = fetch_members(PARCEL, members, wheel)
    assert fetch_members(PARCEL, members, lambda _: pytest.fail("fetched")) == kept
    kept[1].unlink()
    assert fetch_members(PARCEL, members, wheel)[1].read_bytes() == b"second"


@pytest.mark.parametrize(
    ("last", "said"), [(member("b", b"other"), "damaged; try again"), (member("c", b""), "is not in it")]
)
def test_one_bad_member_leaves_nothing(cache: Path, last: Member, said: str) -> None:
    with pytest.raises(Mistake, match=said):
        fetch_members(PARCEL, [member("a", b"first"), last], wheel)
    assert list(cache.iterdir()) == []


def test_a_package_that_is_no_archive(cache: Path) -> None:
    def torn(folder: Path) -> Path:
        (folder / "a.whl").write_bytes(b"torn")
        return folder / "a.whl"

    with pytest.raises(Mistake, match="thing==1 is not as it was"):
        fetch_members(PARCEL, [member("a", b"first")], torn)


def test_a_cache_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("INTERPLAY_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(Mistake, match="INTERPLAY_CACHE names another folder"):
        fetch_members(PARCEL, [member("a", b"first")], wheel)
