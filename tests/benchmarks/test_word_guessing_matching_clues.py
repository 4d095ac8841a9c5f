"""Clues: what says a word, how it is taken out, what was said before."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interplay.benchmarks.word_guessing.matching import REDACTED, given_before, redact, says
from interplay.benchmarks.word_guessing.words import Word

ANY_TEXT = st.text(st.characters())  # lone surrogates too
WORDS = st.sampled_from(
    [
        Word("bread", ("loaf of bread",)),
        Word("ice cream", ("gelato",)),
        Word("mouse"),
        Word("word", ("term",)),
        Word("x-ray"),
        Word("café", ("coffee shop",)),
        Word("TV", ("television", "telly")),
        Word("driver's license"),
        Word("hide-and-seek"),
        Word("smartphone"),
        Word("a cappella"),
        Word("パン"),
    ]
)


@pytest.mark.parametrize(
    ("clue", "word", "said"),
    [
        ("You slice BREAD.", Word("bread"), True),
        ("breadcrumbs", Word("bread"), False),
        ("gingerbread", Word("bread"), False),
        ("It has bread in shortbread", Word("bread"), True),
        ("Bread’s crust", Word("bread"), True),
        ("the breads' crusts", Word("bread"), True),
        ("bre-ad", Word("bread"), True),
        ("_bread_", Word("bread"), True),
        ("b r e a d", Word("bread"), True),
        ("It is a b-r-e-a-d", Word("bread"), True),
        ("I b.r.e.a.d.", Word("bread"), True),
        ("b\u0301r\u0301e\u0301ad", Word("bread"), True),
        ("b\u200br\u200be\u200bad", Word("bread"), True),
        ("bre\u00adad", Word("bread"), True),
        ("ｂｒｅａｄ", Word("bread"), True),
        ("Mice run", Word("mouse"), True),
        ("m-i-c-e", Word("mouse"), True),
        ("a mousetrap", Word("mouse"), False),
        ("Smartphones", Word("smartphone"), True),
        ("smart-phones", Word("smartphone"), True),
        ("Letterboxes", Word("letterbox"), True),
        ("icecream", Word("ice cream"), True),
        ("ICE-CREAMS", Word("ice cream"), True),
        ("cream on ice", Word("ice cream"), False),
        ("iced, creamy", Word("ice cream"), False),
        ("CAFE", Word("café"), True),
        ("cafe\u0301s", Word("café"), True),
        ("hors d’œuvre", Word("hors d'oeuvre"), True),
        ("drivers license", Word("driver's license"), True),
        ("a driver has a license", Word("driver's license"), False),
        ("They box", Word("boxing"), True),
        ("Prices rise", Word("rose"), False),
        ("hide & seek", Word("hide-and-seek"), True),
        ("It is eaten", Word("word", ("loaf",)), False),
        ("loaves", Word("bread", ("loaf",)), True),
        ("", Word("bread"), False),
    ],
)
def test_a_clue_says_the_word_as_a_word_of_its_own_in_any_form(clue: str, word: Word, said: bool) -> None:
    assert says(clue, word) is said
    assert (redact(clue, word) == clue) is not said


@pytest.mark.parametrize(
    ("clue", "word", "heard"),
    [
        ("Breads, one loaf of bread!", Word("bread", ("loaf of bread",)), f"{REDACTED}, one {REDACTED}!"),
        ("Eat ICE-CREAM, icecream.", Word("ice cream"), f"Eat {REDACTED}, {REDACTED}."),
        ("a cafe\u0301!", Word("café"), f"a {REDACTED}!"),
        ("the mouse's tail", Word("mouse"), f"the {REDACTED} tail"),
        ("It is b r e a d", Word("bread"), REDACTED),
        ("A word in a word", Word("word"), f"A {REDACTED} in a {REDACTED}"),
        ("ice bread cream", Word("ice cream", ("bread",)), REDACTED),
    ],
)
def test_the_word_is_taken_out_and_the_rest_is_left(clue: str, word: Word, heard: str) -> None:
    assert redact(clue, word) == heard


SAID = (
    "bread Breads b r e a d bre ad word words w o ice cream icecream mice mouse’s x ray café coffee shops TV t v "
    "loaf of hide and seek パ ン \u0301 \u200b driver's drivers license"
)
PIECES = st.sampled_from(SAID.split(" "))
GLUE = st.sampled_from((" ", "-", "", ", ", "’", "_", "\n", " & "))


@settings(max_examples=400)
@given(parts=st.lists(st.tuples(PIECES, GLUE), max_size=12), word=WORDS)
def test_after_redaction_the_word_is_never_said(parts: list[tuple[str, str]], word: Word) -> None:
    clue = "".join(part for pair in parts for part in pair)
    heard = redact(clue, word)
    assert not says(heard, word)
    assert redact(heard, word) == heard
    if not says(clue, word):
        assert heard == clue


@pytest.mark.parametrize(
    ("clue", "earlier", "before"),
    [
        ("It is soft", ["it is SOFT!"], True),
        ("It is soft", ["It was the soft."], True),
        ("People slice it", ["It is soft", "people sliced it"], True),
        ("People eat it", ["People slice it"], False),
        ("It is soft", ["Soft it is"], False),
        ("It is soft", ["It is soft and warm"], False),
        ("It is soft", [], False),
    ],
)
def test_a_clue_was_given_before_in_whatever_form(clue: str, earlier: list[str], before: bool) -> None:
    assert given_before(clue, earlier) is before


@given(clue=ANY_TEXT, word=WORDS, earlier=st.lists(ANY_TEXT, max_size=3))
def test_any_text_can_be_a_clue(clue: str, word: Word, earlier: list[str]) -> None:
    assert given_before(clue, [*earlier, clue])
    assert not says(redact(clue, word), word)


@given(name=ANY_TEXT.filter(lambda text: any(map(str.isalnum, text))), clue=ANY_TEXT)
def test_any_text_can_be_a_word(name: str, clue: str) -> None:
    word = Word(name)
    assert not says(redact(f"{clue} {name} {clue}", word), word)


@pytest.mark.parametrize(
    "piece", ["a", "bread ", "bread", "b ", "b\u0301", "bread-", "ice cream ", "x'", "パン"]
)
def test_very_long_clues_are_read_to_their_end(piece: str) -> None:
    word = Word("bread", ("loaf of bread",))
    clue = (piece * 10_000)[:10_000] + " bread"
    assert says(clue, word)
    assert not says(redact(clue, word), word)
    assert given_before(clue, [clue])


def test_clues_of_signs_alone_repeat_only_themselves() -> None:
    assert not given_before("\N{BREAD}\N{BREAD}", ["\N{BIRTHDAY CAKE}", "[___]", "!!!"])
    assert given_before(" \N{BREAD}  ", ["\N{BREAD}"])
    assert not given_before("soft", ["\N{BREAD}"])


def test_an_article_in_the_word_itself_makes_no_difference() -> None:
    moon = Word("the moon", ("eclipse of the sun",))
    assert says("The moon is bright.", moon)
    assert says("moon is bright", moon)
    assert says("An eclipse of the sun!", moon)
    assert redact("moon is bright", moon) == f"{REDACTED} is bright"


def test_a_script_without_spaces_hides_no_word() -> None:
    bread = Word("\u9762\u5305")
    assert says("\u9762\u5305\u5f88\u597d\u5403", bread)
    assert not says("\u86cb\u7cd5\u5f88\u597d\u5403", bread)
    assert redact("\u9762\u5305\u5f88\u597d\u5403", bread) == REDACTED
