"""Names, numbers and other words of a text."""

import pytest

from interplay.benchmarks.social_interaction.knowledge_words import names_of, number_in, numbers_of, own_words


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Oda Verrin lives in Pell Street.", {"oda", "verrin", "pell"}),
        ("The bell is Oda's, at Millet Rise.", {"oda", "millet"}),
        ("Ropes are a mistake. Carters know it. Because of that nobody goes.", set()),
        ("Rothe is warm! Lord Ebba, of Long Hethel Hall, is not.", {"rothe", "ebba", "hethel"}),
        ('She said: "Come to Dray." He said, "Never again."', {"dray"}),
        ("Seven hold. Nobody, I say, saw the Two Keys.", {"keys"}),
        ("the coat of grey felt", set()),
        ("", set()),
    ],
)
def test_names_are_told_from_words_that_begin_a_sentence(text: str, names: set[str]) -> None:
    assert names_of(text) == names


@pytest.mark.parametrize(
    ("word", "number"),
    [
        ("seven", 7),
        ("seventh", 7),
        ("ninth", 9),
        ("twelfth", 12),
        ("forty", 40),
        ("fortieth", 40),
        ("sixty-four", 64),
        ("twenty-first", 21),
        ("hundredth", 100),
        ("twice", 2),
        ("17", 17),
        ("fort", None),
        ("left-handed", None),
        ("half-seven", None),
        ("9" * 5_000, None),
        ("", None),
    ],
)
def test_numbers_are_read_in_any_spelling(word: str, number: int | None) -> None:
    assert number_in(word) == number


def test_the_numbers_of_a_text_leave_out_one() -> None:
    assert numbers_of("One of sixty-four clocks is wound every ninth day, once, by 3 people.") == {64, 9, 3}


def test_own_words_are_neither_names_nor_numbers_nor_fillers() -> None:
    assert own_words("The bell of Oda Verrin was cast from eleven pans.") == {"bell", "cast", "pans"}
