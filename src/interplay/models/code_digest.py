"""The digest of a function's code, by which a record of it is not taken for one of other code."""

import functools
import hashlib
import inspect
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

LENGTH = 8  # of a digest, as names have it
_PLAIN = (str, bytes, int, float, complex, bool, type(None), Path)
_LIBRARY = Path(sysconfig.get_path("stdlib"))


def code_digest(function: Callable[..., Any]) -> str:
    """A digest of a function's code, of what it was made with, and of the user's own code that it names.

    Empty where there is no code to be read. What it reads while it runs, and the packages that it calls, it does not
    tell.
    """
    seen = _Seen()
    seen.add(function)
    return (
        hashlib.sha256("\0".join(seen.parts).encode("utf-8", "replace")).hexdigest()[:LENGTH]
        if seen.code
        else ""
    )


class _Seen:
    """What was gone through, each thing once."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.code = False  # was any of the user's found?
        self._things: dict[int, Any] = {}  # kept, so that no id is another's

    def add(self, thing: Any) -> None:
        if isinstance(thing, _PLAIN):
            self.parts.append(repr(thing))
        elif id(thing) not in self._things:
            self._things[id(thing)] = thing
            self.parts.append(type(thing).__qualname__)
            self._add_new(thing)

    def _add_new(self, thing: Any) -> None:
        if isinstance(thing, FunctionType):
            self._function(thing)
        elif isinstance(thing, MethodType):
            self._all((thing.__func__, thing.__self__))
        elif isinstance(thing, functools.partial):
            self._all((thing.func, thing.args, thing.keywords))
        elif isinstance(thing, type):
            self._class(thing)
        elif isinstance(thing, dict):
            self._all(part for pair in thing.items() for part in pair)
        elif isinstance(thing, list | tuple):
            self._all(thing)
        elif isinstance(thing, set | frozenset):
            self._all(sorted(thing, key=repr))
        elif _is_the_user_s(type(thing)):
            slots = {name: getattr(thing, name, None) for name in getattr(type(thing), "__slots__", ())}
            self._all((type(thing), getattr(thing, "__dict__", {}), slots))

    def _all(self, things: Iterable[Any]) -> None:
        for thing in things:
            self.add(thing)

    def _function(self, function: FunctionType) -> None:
        self.parts.append(function.__qualname__)
        if not _is_the_user_s(function):
            return
        self.code = True
        self.parts.append(_source(function) or _compiled(function.__code__))
        self._all((function.__defaults__, function.__kwdefaults__))
        for cell in function.__closure__ or ():
            with suppress(ValueError):  # it is still empty
                self.add(cell.cell_contents)
        names = set(_names(function.__code__))
        for name in sorted(names):
            self._named(function.__globals__.get(name, sys.modules.get(name)), names)

    def _class(self, kind: type) -> None:
        self.parts.append(kind.__qualname__)
        if not _is_the_user_s(kind):
            return
        self.code = True
        self.parts.append(_source(kind))
        self._all(kind.__bases__)
        self._all(one for one in vars(kind).values() if isinstance(one, FunctionType))

    def _named(self, thing: Any, names: set[str]) -> None:
        """What a name stands for; of a module of the user's, what is taken from it."""
        if not isinstance(thing, ModuleType):
            self.add(thing)
        elif id(thing) not in self._things and _is_in_the_user_s_files(getattr(thing, "__file__", None)):
            self._things[id(thing)] = thing
            for name in sorted(names & vars(thing).keys()):
                self._named(vars(thing)[name], names)


def _names(code: CodeType) -> Iterator[str]:
    """The global names and attributes that code uses, those of the functions inside it too."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _source(thing: Any) -> str:
    try:
        return inspect.getsource(thing)
    except (OSError, TypeError):  # made without a file
        return ""


def _compiled(code: CodeType) -> str:
    inside = [_compiled(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {inside}"


def _is_the_user_s(thing: Any) -> bool:
    """Is a function or class neither of Python's own library, nor of a package, nor Interplay's?"""
    if isinstance(thing, FunctionType):
        return _is_in_the_user_s_files(thing.__code__.co_filename)
    module = sys.modules.get(thing.__module__)
    return _is_in_the_user_s_files(getattr(module, "__file__", None))


def _is_in_the_user_s_files(file: str | None) -> bool:
    if not file or file.startswith("<frozen"):
        return False
    path, ours = Path(file), Path(__file__).parents[1]
    if {"site-packages", "dist-packages"} & set(path.parts):
        return False
    return not path.is_relative_to(_LIBRARY) and not path.is_relative_to(ours)
