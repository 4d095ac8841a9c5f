"""How pages are drawn: templates that escape everything, and the few functions they call."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from interplay.reporting.cells import interval, written
from interplay.reporting.pages.laid_out import laid_out
from interplay.reporting.pages.links import Links
from interplay.reporting.pages.speech import turns_of
from interplay.reporting.pages.tables import Drawn, cloud, plain
from interplay.reporting.pages.texts import Words, shown
from interplay.reporting.transcript import is_private, shown_lines

KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@cache
def environment() -> Environment:
    """The templates; whatever comes from a model, a user or a file is text on every page."""
    made = Environment(
        loader=PackageLoader("interplay.reporting.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(written=written, interval=interval, drawn_in=Drawn, cloud=cloud, plain=plain)
    made.globals.update(shown_lines=shown_lines, is_private=is_private)
    made.globals.update(turns_of=turns_of, shown=shown, plain_words=Words(), laid_out=laid_out)
    return made


def draw(template: str, links: Links, values: Mapping[str, Any]) -> str:
    """The text of a page."""
    return environment().get_template(f"{template}.html").render(links=links, **values)


def asset(name: str) -> tuple[bytes, str] | None:
    """A style sheet, a script or a picture that pages need, and what it is; None where there is none."""
    return _assets().get(name)


@cache
def _assets() -> Mapping[str, tuple[bytes, str]]:
    folder = files("interplay.reporting.pages") / "assets"
    return {
        one.name: (one.read_bytes(), KINDS["." + one.name.rpartition(".")[2]])
        for one in folder.iterdir()
        if "." + one.name.rpartition(".")[2] in KINDS
    }


def assets() -> Mapping[str, tuple[bytes, str]]:
    """All of them, by name."""
    return _assets()
