"""Interplay evaluates language models by letting them interact: with simulated users, with each other, with people.

From Python: interplay.run(...) plays, judges and scores; interplay.load(...) opens what was run before.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from interplay.api import Run, load, run, setup

__version__ = "0.1.0"
__all__ = ["Run", "load", "run", "setup"]


def __getattr__(name: str) -> Any:
    """The names above, imported when they are used, so that the command line starts quickly."""
    if name in __all__:
        from interplay import api

        return getattr(api, name)
    raise AttributeError(f"interplay has no {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
