"""The verb new: a whole benchmark to start from, which runs at once."""

from collections.abc import Iterator
from importlib.resources import files
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path

import click
from filelock import Timeout

from interplay.benchmarks import OTHERS
from interplay.benchmarks.remembering import FILE, forget, remembered
from interplay.cli import terminal
from interplay.cli.edge import DONE
from interplay.cli.flags import flag
from interplay.core.benchmark_checks import LONGEST_NAME, is_name
from interplay.core.failures import Mistake, nearest, why
from interplay.models.fetching import cache_folder

NAME = "my_benchmark"  # as what is written calls itself until it has a name
ENDING = ".txt"  # of files that tools would take for their own where they are now


@click.command("new")
@click.argument("name")
@flag("--file", "in_a_file", is_flag=True, help="Write one file NAME.py, and nothing around it.")
@flag("--forget", "forgotten", is_flag=True,
      help="Write nothing; forget where NAME is, which was run by its path. Its files stay.")  # fmt: skip
def new_verb(name: str, in_a_file: bool, forgotten: bool) -> int:
    """Write a benchmark to start from: a folder NAME with a package, prompts, data and tests, in this folder.

    It is small and whole: two parties talk, a judge reads it, and it can be run, tested and installed as it is. Change
    what is said in it into what you want to measure.
    """
    if forgotten:
        return _forget(name, in_a_file)
    _check(name)
    target = Path(f"{name}.py" if in_a_file else name)
    if target.exists() or target.is_symlink():
        raise Mistake(f"{target} is there already; take another name, or move it away")
    texts = {target: _named(_starting() / "alone.py", name)} if in_a_file else dict(_project(target, name))
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as out:
                out.write(text)
    except OSError as error:
        raise Mistake(f"{target} cannot be written: {why(error)}") from error
    for line in _told(name, in_a_file, len(texts)):
        terminal.say(line)
    return DONE


def _forget(name: str, in_a_file: bool) -> int:
    if in_a_file:
        raise Mistake("--forget writes nothing; leave --file out")
    try:
        place = forget(name)
    except (OSError, Timeout) as error:
        raise Mistake(f"{cache_folder() / FILE} cannot be written: {why(error)}") from error
    if place is None:
        raise Mistake(f"no path of {name[:80]!r} is kept; {nearest(name, remembered())}")
    terminal.remark(f"{name} is no longer found by its name; it is still at {place}.")
    return DONE


def _check(name: str) -> None:
    if not is_name(name):
        raise Mistake(
            f"{name[:80]!r} is no name of a benchmark: it is in snake_case, of at most {LONGEST_NAME} letters, as in "
            f"{NAME}"
        )
    if iskeyword(name) or ((spec := find_spec(name)) is not None and spec.origin is not None):
        raise Mistake(f"Python has something else that is called {name!r}; take another name")
    OTHERS.check_new(name)


def _project(target: Path, name: str) -> Iterator[tuple[Path, str]]:
    """What a project has, and where: the package, and all that is around it."""
    for folder, into in ((_starting() / NAME, target / name), (_starting() / "around", target)):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                place = str(path.relative_to(folder)).replace(NAME, name).removesuffix(ENDING)
                yield into / place, _named(path, name)


def _starting() -> Path:
    return Path(str(files("interplay.authoring.starting")))


def _named(path: Path, name: str) -> str:
    """A file's text under the name of the new benchmark."""
    words = name.split("_")
    text = path.read_text(encoding="utf-8").replace(NAME, name)
    return text.replace("MyBenchmark", "".join(word.capitalize() for word in words)).replace(
        "My benchmark", " ".join(words).capitalize()
    )


def _told(name: str, in_a_file: bool, count: int) -> list[str]:
    path = f"./{name}.py" if in_a_file else f"./{name}"
    lines = [
        f"Wrote {path}." if in_a_file else f"Wrote {path}: {count} files.",
        f"Try it, with no key:  interplay run {path}",
    ]
    if in_a_file:
        return lines
    return [*lines, f"Test it:              pytest {name}", f"Install it:           pip install -e {path}"]
