"""scipy.special, imported when the first number needs it: that takes longer than the rest of the program."""

from typing import Any


def __getattr__(name: str) -> Any:
    from scipy import special

    return getattr(special, name)
