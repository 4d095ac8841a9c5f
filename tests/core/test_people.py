"""People's names: what is one, and what is not."""

import pytest

from interplay.core.failures import Mistake
from interplay.core.people import is_person, person_of, seated


@pytest.mark.parametrize("name", ["a", "ada", "Ada-2", "ada.l_b", "Zoë", "7", "x" * 40])
def test_a_person_has_a_name(name: str) -> None:
    assert seated(name) == f"human/{name}"
    assert is_person(seated(name))
    assert person_of(seated(name)) == name


@pytest.mark.parametrize(
    "name",
    ["", " ", "a b", "a/b", "../a", ".", "..", "-a", "a\n", "a\0", "<b>", "x" * 41, "human/a", "a\u202eb"],
)
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(Mistake, match="a person's name is up to 40 letters"):
        seated(name)


def test_models_are_no_people() -> None:
    assert not any(
        map(is_person, ["openai/human", "human", "local/human/a", "rule/agenda", "null/constant", ""])
    )
