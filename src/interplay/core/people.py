"""People: somebody who sits in a seat is a model called human/NAME, which nothing but its owner can answer for."""

import re

from interplay.core.failures import Mistake

HUMAN = "human/"
_NAME = re.compile(r"\w[\w.-]{0,39}")


def is_person(model: str) -> bool:
    return model.startswith(HUMAN)


def person_of(model: str) -> str:
    """The name of whoever sits there."""
    return model.removeprefix(HUMAN)


def seated(person: str) -> str:
    """A person as casts, records and boards name it, or a Mistake where that is no name."""
    if not _NAME.fullmatch(person):
        raise Mistake(
            f"{HUMAN}{person[:60]}: a person's name is up to 40 letters, digits, - _ or . and begins with a letter or "
            "digit, as in human/ada"
        )
    return HUMAN + person
