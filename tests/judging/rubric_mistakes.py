"""Rubric files with one slip each, and what must be said of it."""

from collections.abc import Mapping
from typing import Any

import tomli_w

from interplay.judging.rubric_files import (
    EXPLANATION,
    LARGEST_FILE,
    LARGEST_STEP,
    LONGEST_STATEMENT,
    MOST_CRITERIA,
)

GOOD: Mapping[str, Any] = {
    "name": "warmth",
    "scale": [1, 4],
    "labels": {"1": "cold", "4": "warm"},
    "explanation": 80,
    "criteria": [
        {"name": "warm", "statement": "The reply is kind."},
        {"name": "witty", "statement": "The reply made me smile."},
    ],
    "flags": [{"name": "breaks_frame", "meaning": "The player speaks of itself as a program."}],
}


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in GOOD.items() if name != key}


def criterion(**changes: Any) -> dict[str, Any]:
    """A good rubric whose second criterion is changed; None takes a key away."""
    second = {**GOOD["criteria"][1], **changes}
    second = {key: value for key, value in second.items() if value is not None}
    return {**GOOD, "criteria": [GOOD["criteria"][0], second]}


def flag(**changes: Any) -> dict[str, Any]:
    changed = {**GOOD["flags"][0], **changes}
    return {**GOOD, "flags": [{key: value for key, value in changed.items() if value is not None}]}


def many(count: int) -> dict[str, Any]:
    return {**GOOD, "criteria": [{"name": f"c{number}", "statement": "So."} for number in range(count)]}


_SCALE = f"scale is two whole numbers, lowest and highest, from 0 to {LARGEST_STEP}, as in scale = [1, 5]"
_NAME = (
    "[[criteria]] number 2: name must be small letters, digits and _, not end in _score or _explanation, "
    "and not be turn_N; not "
)
_STATEMENT = f"[[criteria]] number 2: statement must be a text of 1 to {LONGEST_STATEMENT:,} characters"
_EXPLANATION = f"explanation is a number of characters from {EXPLANATION[0]} to {EXPLANATION[1]:,}, not "

# What is in the file (a value is written as TOML), and a part of the complaint.
MISTAKES: dict[str, tuple[Mapping[str, Any] | bytes, str]] = {
    "not TOML": (b"scale = [1, 5", "cannot be read: "),
    "not UTF-8": (b'name = "\xff\xfe"', "cannot be read: 'utf-8' codec can't decode"),
    "nested too deeply": (b"scale = " + b"[" * 40_000, "cannot be read: "),
    "too large": (b"#" * (LARGEST_FILE + 1), f"is larger than {LARGEST_FILE:,} bytes, which no rubric is"),
    "empty": (b"", _SCALE),
    "unknown key": ({**GOOD, "criterias": []}, "'criterias' is not part of a rubric; did you mean 'criteria'?"),
    "no scale": (without("scale"), _SCALE),
    "scale of one": ({**GOOD, "scale": [1]}, _SCALE),
    "scale of three": ({**GOOD, "scale": [1, 3, 5]}, _SCALE),
    "scale as text": ({**GOOD, "scale": "1-5"}, _SCALE),
    "scale of fractions": ({**GOOD, "scale": [1.0, 5.0]}, _SCALE),
    "scale of truths": ({**GOOD, "scale": [False, True]}, _SCALE),
    "scale upside down": ({**GOOD, "scale": [5, 1]}, _SCALE),
    "scale of no width": ({**GOOD, "scale": [5, 5]}, _SCALE),
    "scale below zero": ({**GOOD, "scale": [-1, 5]}, _SCALE),
    "scale too high": ({**GOOD, "scale": [1, LARGEST_STEP + 1]}, _SCALE),
    "no criteria": (without("criteria"), "criteria are written as [[criteria]], each with a name and a statement"),
    "criteria as names": ({**GOOD, "criteria": ["warm"]}, "criteria are written as [[criteria]]"),
    "criteria as a table": ({**GOOD, "criteria": {"name": "warm"}}, "criteria are written as [[criteria]]"),
    "criteria of none": (many(0), f"a rubric has 1 to {MOST_CRITERIA} [[criteria]], not 0"),
    "too many criteria": (many(MOST_CRITERIA + 1), f"a rubric has 1 to {MOST_CRITERIA} [[criteria]], not 21"),
    "unknown key of a criterion": (
        criterion(statment="So."),
        "[[criteria]] number 2: 'statment' is not part of a rubric; did you mean 'statement'?",
    ),
    "criterion without a name": (criterion(name=None), f"{_NAME}None"),
    "criterion with a number": (criterion(name=7), f"{_NAME}7"),
    "criterion in capitals": (criterion(name="Witty"), f"{_NAME}'Witty'"),
    "criterion with a hyphen": (criterion(name="quick-witted"), f"{_NAME}'quick-witted'"),
    "criterion with a space": (criterion(name="quick witted"), f"{_NAME}'quick witted'"),
    "criterion in another script": (criterion(name="юмор"), f"{_NAME}'юмор'"),
    "criterion that begins with a digit": (criterion(name="1st"), f"{_NAME}'1st'"),
    "criterion with a long name": (criterion(name="w" * 41), f"{_NAME}'{'w' * 41}'"),
    "criterion that ends in _score": (criterion(name="wit_score"), f"{_NAME}'wit_score'"),
    "criterion that ends in _explanation": (criterion(name="a_explanation"), f"{_NAME}'a_explanation'"),
    "criterion like a turn": (criterion(name="turn_2"), f"{_NAME}'turn_2'"),
    "criterion without a statement": (criterion(statement=None), _STATEMENT),
    "blank statement": (criterion(statement=" \n"), _STATEMENT),
    "statement that is a number": (criterion(statement=5), _STATEMENT),
    "long statement": (criterion(statement="x" * (LONGEST_STATEMENT + 1)), _STATEMENT),
    "flags as names": ({**GOOD, "flags": ["rude"]}, "flags are written as [[flags]], each with a name and a meaning"),
    "flag with a statement": (
        flag(statement="So.", meaning=None),
        "[[flags]] number 1: 'statement' is not part of a rubric; there is meaning, name",
    ),
    "flag without a meaning": (
        flag(meaning=None),
        f"[[flags]] number 1: meaning must be a text of 1 to {LONGEST_STATEMENT:,} characters",
    ),
    "flag with a bad name": (flag(name="Rude"), "[[flags]] number 1: name must be small letters"),
    "two criteria of a name": (criterion(name="warm"), "the name 'warm' is there twice"),
    "criterion and flag of a name": (flag(name="warm"), "the name 'warm' is there twice"),
    "labels for some steps as a list": (
        {**GOOD, "labels": ["cold", "warm"]},
        "labels has 2 words for the 4 steps 1 to 4",
    ),
    "labels as a text": (
        {**GOOD, "labels": "cold to warm"},
        'labels is a list, or a table as in labels = { 1 = "poor", 5 = "excellent" }',
    ),
    "label off the scale": ({**GOOD, "labels": {"5": "hot"}}, "labels has the step '5'; the scale goes from 1 to 4"),
    "label of a word": ({**GOOD, "labels": {"low": "cold"}}, "labels has the step 'low'; the scale goes from 1 to 4"),
    "label of a fraction": ({**GOOD, "labels": {"1.5": "cool"}}, "labels has the step '1.5'; the scale goes"),
    "blank label": ({**GOOD, "labels": {"1": " "}}, "labels.1 must be a text of 1 to 200 characters"),
    "label that is a number": ({**GOOD, "labels": {"1": 1}}, "labels.1 must be a text of 1 to 200 characters"),
    "long label": ({**GOOD, "labels": {"1": "x" * 201}}, "labels.1 must be a text of 1 to 200 characters"),
    "short explanation": ({**GOOD, "explanation": EXPLANATION[0] - 1}, f"{_EXPLANATION}19"),
    "long explanation": ({**GOOD, "explanation": EXPLANATION[1] + 1}, f"{_EXPLANATION}5001"),
    "explanation in words": ({**GOOD, "explanation": "long"}, f"{_EXPLANATION}'long'"),
    "explanation that is true": ({**GOOD, "explanation": True}, f"{_EXPLANATION}True"),
    "blank name": ({**GOOD, "name": ""}, "name must be a text of 1 to 40 characters"),
    "long name": ({**GOOD, "name": "x" * 41}, "name must be a text of 1 to 40 characters"),
    "name that is a number": ({**GOOD, "name": 2}, "name must be a text of 1 to 40 characters"),
}  # fmt: skip


def as_file(content: Mapping[str, Any] | bytes) -> bytes:
    return content if isinstance(content, bytes) else tomli_w.dumps(dict(content)).encode()
