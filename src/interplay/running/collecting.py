"""Python's search for garbage cycles, made rarer while a run makes many short-lived objects."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

RARE = (50_000, 20, 50)  # measured: a sixth of the time of a call went into looking through what stays


@contextmanager
def rare_collections() -> Iterator[None]:
    """Look seldom, and not at what was there before."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*RARE)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
