"""Benchmarks of others for tests: a file that works, and a package that is installed without an installer."""

from importlib.resources import files
from pathlib import Path

from interplay.benchmarks import OTHERS, finding

ALONE = (files("interplay.authoring.starting") / "alone.py").read_text(encoding="utf-8")


def write_file(folder: Path, name: str, text: str = "") -> Path:
    """A benchmark in a file of its own name, which works unless a text says otherwise."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.py"
    path.write_text(text or ALONE.replace("my_benchmark", name), encoding="utf-8")
    return path


def install(folder: Path, package: str, entries: dict[str, str]) -> None:
    """What an installer leaves of a package's entry points: a folder beside its code, on the path."""
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [f"{name} = {value}" for name, value in entries.items()]
    (info / "entry_points.txt").write_text("[interplay.benchmarks]\n" + "\n".join(lines) + "\n")


def as_in_a_new_process() -> None:
    """Nothing is loaded yet, and what is installed is looked up anew."""
    OTHERS._loaded.clear()
    OTHERS._broken.clear()
    finding._entries.cache_clear()
