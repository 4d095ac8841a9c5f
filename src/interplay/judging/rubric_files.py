"""A user's own rubric, read from a TOML file and checked, so that a slip is found before a judge is paid."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from interplay.core.failures import Mistake, nearest, why
from interplay.judging.rubric import Criterion, Flag, Rubric

LARGEST_FILE = 100_000
LONGEST_STATEMENT = 2_000
MOST_CRITERIA = 20
LARGEST_STEP = 100
EXPLANATION = (20, 5_000)
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_TAKEN = re.compile(r".*_(score|explanation)|turn_\d+")
_KEYS = ("name", "scale", "labels", "explanation", "criteria", "flags")


def read_rubric(path: Path) -> Rubric:
    """The rubric of a file; its explanation is 0 where the file does not say how long one may be."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise Mistake(f"{path} is larger than {LARGEST_FILE:,} bytes, which no rubric is")
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # bad UTF-8 and TOML are ValueErrors
        raise Mistake(f"the rubric {path} cannot be read: {why(error)}") from error
    return _Reader(str(path)).rubric(data, path.stem)


def rubric_of(kept: Mapping[str, Any]) -> Rubric:
    """A rubric as the record keeps it."""
    return Rubric(
        name=kept["name"],
        criteria=tuple(Criterion(**one) for one in kept["criteria"]),
        flags=tuple(Flag(**one) for one in kept["flags"]),
        scale=(kept["scale"][0], kept["scale"][1]),
        labels={int(step): words for step, words in kept["labels"].items()},
        explanation=kept["explanation"],
    )


class _Reader:
    """Reads one file; every complaint names it."""

    def __init__(self, where: str):
        self.where = where

    def rubric(self, data: Mapping[str, Any], stem: str) -> Rubric:
        self._known(data, _KEYS, "")
        scale = self._scale(data.get("scale"))
        criteria = self._named(data.get("criteria"), "criteria", "statement")
        flags = self._named(data.get("flags", []), "flags", "meaning")
        names = [name for name, _ in [*criteria, *flags]]
        for name in names:
            if names.count(name) > 1:
                raise self._wrong(f"the name {name!r} is there twice")
        if not 1 <= len(criteria) <= MOST_CRITERIA:
            raise self._wrong(f"a rubric has 1 to {MOST_CRITERIA} [[criteria]], not {len(criteria)}")
        return Rubric(
            name=self._text(data.get("name", stem), "name", 40),
            criteria=tuple(Criterion(*one) for one in criteria),
            flags=tuple(Flag(*one) for one in flags),
            scale=scale,
            labels=self._labels(data.get("labels", {}), scale),
            explanation=self._explanation(data["explanation"]) if "explanation" in data else 0,
        )

    def _scale(self, given: Any) -> tuple[int, int]:
        whole = isinstance(given, list) and len(given) == 2 and all(type(end) is int for end in given)
        if not whole or not 0 <= given[0] < given[1] <= LARGEST_STEP:
            raise self._wrong(
                f"scale is two whole numbers, lowest and highest, from 0 to {LARGEST_STEP}, as in scale = [1, 5]"
            )
        return given[0], given[1]

    def _named(self, given: Any, heading: str, text: str) -> list[tuple[str, str]]:
        if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
            raise self._wrong(f"{heading} are written as [[{heading}]], each with a name and a {text}")
        found = []
        for number, one in enumerate(given, 1):
            place = f"[[{heading}]] number {number}: "
            self._known(one, ("name", text), place)
            name = one.get("name")
            if not isinstance(name, str) or not _NAME.fullmatch(name) or _TAKEN.fullmatch(name):
                raise self._wrong(
                    f"{place}name must be small letters, digits and _, not end in _score or _explanation, "
                    f"and not be turn_N; not {name!r}"
                )
            found.append((name, self._text(one.get(text), f"{place}{text}", LONGEST_STATEMENT)))
        return found

    def _labels(self, given: Any, scale: tuple[int, int]) -> dict[int, str]:
        low, high = scale
        if isinstance(given, list):
            if len(given) != high - low + 1:
                raise self._wrong(
                    f"labels has {len(given)} words for the {high - low + 1} steps {low} to {high}"
                )
            given = {str(low + place): words for place, words in enumerate(given)}
        if not isinstance(given, dict):
            raise self._wrong('labels is a list, or a table as in labels = { 1 = "poor", 5 = "excellent" }')
        for step in given:
            if not step.isdecimal() or not low <= int(step) <= high:
                raise self._wrong(f"labels has the step {step!r}; the scale goes from {low} to {high}")
        return {int(step): self._text(words, f"labels.{step}", 200) for step, words in given.items()}

    def _explanation(self, given: Any) -> int:
        low, high = EXPLANATION
        if type(given) is not int or not low <= given <= high:
            raise self._wrong(f"explanation is a number of characters from {low} to {high:,}, not {given!r}")
        return given

    def _text(self, given: Any, what: str, longest: int) -> str:
        if not isinstance(given, str) or not 0 < len(given.strip()) <= longest:
            raise self._wrong(f"{what} must be a text of 1 to {longest:,} characters")
        return given.strip()

    def _known(self, data: Mapping[str, Any], keys: Sequence[str], place: str) -> None:
        for key in data:
            if key not in keys:
                raise self._wrong(f"{place}{key!r} is not part of a rubric; {nearest(key, keys)}")

    def _wrong(self, what: str) -> Mistake:
        return Mistake(f"the rubric {self.where}: {what}")
