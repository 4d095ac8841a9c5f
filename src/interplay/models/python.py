"""A model that is a function in a user's own file: python/bot.py:answer."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from interplay.core.failures import Mistake, nearest
from interplay.core.wire import digest_of
from interplay.models.calling import Model
from interplay.models.scripted import Scripted


def python_model(name: str, place: str) -> Model:
    """The function FILE.py:FUNCTION as a model; it gets the messages and gives back a text, or a Reply."""
    file, colon, function = place.rpartition(":")
    if not colon or not file.endswith(".py") or not function:
        raise Mistake(f"{name}: a function is named as in python/bot.py:answer")
    path = Path(file).expanduser()
    if not path.is_file():
        raise Mistake(f"{name}: there is no file {path}")
    return Scripted(name, _function(name, path, function), in_thread=True)


def _function(name: str, path: Path, function: str) -> Callable[..., Any]:
    known_as = f"interplay_user_{path.stem}_{digest_of(str(path.resolve()))[:8]}"
    spec = importlib.util.spec_from_file_location(known_as, path)
    if spec is None or spec.loader is None:
        raise Mistake(f"{name}: {path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[known_as] = module  # dataclasses look their module up by its name
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # the user's own code: whatever it raises is the user's to mend
        raise Mistake(f"{name}: {path} cannot be loaded: {type(error).__name__}: {error}") from error
    found = getattr(module, function, None)
    if not callable(found):
        known = [one for one in vars(module) if callable(getattr(module, one)) and not one.startswith("_")]
        raise Mistake(f"{name}: {path} has no function {function!r}; {nearest(function, known)}")
    answer: Callable[..., Any] = found
    return answer
