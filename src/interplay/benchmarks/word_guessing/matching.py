"""Does a guess name a word, does a clue say it, was a clue given before?"""

import re
from collections.abc import Iterable, Sequence
from functools import cache

from rapidfuzz.distance import Jaro

from interplay.benchmarks.word_guessing.lexicon import (
    is_form_of,
    is_word,
    placed,
    plain,
    same_phrase,
    same_word,
    spelled_out,
    tokens,
)
from interplay.benchmarks.word_guessing.words import GENERAL, TOPICS, Word, shipped

ALIKE = 0.8  # of Jaro similarity: above it two strings are taken for one word
MOST_LETTERS_OFF = 2  # in length: a slip adds or drops a letter or two, breadbin is more than bread
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")  # Thai to Han
REDACTED = "[___]"  # without letters, so that it says no word


def alike(one: str, other: str) -> float:
    """Jaro's similarity of two texts, 0 to 1."""
    return Jaro.similarity(one.casefold().strip(), other.casefold().strip())


def names(guess: str, target: Word, own: Word) -> bool:
    """Does this guess name the target? The guesser's own word never does.

    Equal but for capitals, articles, marks and inflection, to the word or an alias; else a misspelling: similar by
    Jaro, of about the same length, no word itself, and closer to the target than to the guesser's own word.
    """
    said = tokens(plain(guess))
    if not said or any(same_phrase(said, tokens(plain(name))) for name in own.names):
        return False
    if any(same_phrase(said, tokens(plain(name)), is_form_of) for name in target.names):
        return True
    if all(is_word(token) or token in _shipped_tokens() for token in said):
        return False
    text = plain(guess)
    as_long = [name for name in map(plain, target.names) if abs(len(name) - len(text)) <= MOST_LETTERS_OFF]
    near = _nearest(text, as_long)
    return near > ALIKE and near > _nearest(text, map(plain, own.names))


@cache
def _shipped_tokens() -> frozenset[str]:
    """All words of our lists: some are too new for a dictionary."""
    pairs = [pair for topic in (GENERAL, *TOPICS) for pair in shipped(topic)]
    return frozenset(
        token for pair in pairs for word in pair.words for name in word.names for token in tokens(name)
    )


def names_by_jaro(guess: str, target: Word) -> bool:
    """The paper's rule: similar by Jaro to the word, or in its list of other names."""
    # Paper §3.4: "a dictionary of similar words created by annotators"; its entries are taken literally.
    folded = guess.casefold().strip()
    return alike(guess, target.text) > ALIKE or folded in (name.casefold() for name in target.also)


def _nearest(text: str, known: Iterable[str]) -> float:
    return max((alike(text, name) for name in known), default=0.0)


def says(clue: str, word: Word) -> bool:
    """Is the word, or another name of it, in the clue: as a word of its own in any form, or spelled out?"""
    return bool(_places(clue, word)) or _spells(clue, word) or _holds(clue, word)


def _spells(clue: str, word: Word) -> bool:
    """Is the word spelled letter by letter, perhaps after an article or another single letter?"""
    for run in spelled_out(tokens(clue)):
        for name in map(tokens, word.names):
            letters = "".join(name)
            if same_phrase([run], name) or (len(letters) > 2 and letters in run):
                return True
    return False


def _holds(clue: str, word: Word) -> bool:
    """Is the word anywhere in the clue, in a script that puts no spaces between words?"""
    letters = "".join(tokens(clue))
    return any(_UNSPACED.search(name) and "".join(tokens(name)) in letters for name in word.names)


def redact(clue: str, word: Word) -> str:
    """The clue without the word; nothing of it is left where the word is spelled out."""
    text = clue
    for start, end in reversed(_places(clue, word)):
        text = text[:start] + REDACTED + text[end:]
    return REDACTED if says(text, word) else text


def _places(clue: str, word: Word) -> list[tuple[int, int]]:
    """Where in the clue the word is said, from left to right, without overlap."""
    found = placed(clue)
    said = [token for token, _, _ in found]
    known = [tokens(spelling) for name in word.names for spelling in (name, plain(name))]
    places: list[tuple[int, int]] = []
    at = 0
    while at < len(said):
        length = max(_length_at(said, at, name) for name in known)
        if length:
            places.append((found[at][1], found[at + length - 1][2]))
        at += length or 1
    return places


def _length_at(said: Sequence[str], at: int, name: list[str]) -> int:
    """How many words from this place on are the name, in one piece or two; 0 if it is not there."""
    here = said[at : at + max(len(name), 2)]
    if not name:
        return 0
    if len(here) >= len(name) and all(map(same_word, here, name)):
        return len(name)
    joined = "".join(name)
    if len(name) > 1 and same_word(here[0], joined):
        return 1
    if len(name) == 1 and len(here) > 1 and same_word("".join(here), joined):
        return 2
    return 0


def given_before(clue: str, earlier: Iterable[str]) -> bool:
    """Was this clue given before: the same words in whatever form, with whatever capitals and marks?"""
    said = tokens(plain(clue))
    if not said:  # signs alone: these, and not the words they are not
        return any(clue.split() == other.split() for other in earlier)
    return any(_same_words(said, tokens(plain(other))) for other in earlier)


def _same_words(one: list[str], other: list[str]) -> bool:
    return len(one) == len(other) and all(map(same_word, one, other))
