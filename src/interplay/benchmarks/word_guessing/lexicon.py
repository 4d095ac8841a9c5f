"""English words: how a text is cut into words, what a word's base forms are, and what is a word at all."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from itertools import pairwise

LONGEST_WORD = 40  # characters; no longer one has a base form worth looking up
ARTICLES = frozenset(("a", "an", "the"))
_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_POSSESSIVE = re.compile(r"'s$")
_WRITTEN_OUT = str.maketrans({"œ": "oe", "æ": "ae", "ø": "o", "&": " and ", **dict.fromkeys("’‘ʼ", "'")})


def tokens(text: str) -> list[str]:
    """The words of a text, folded: no capitals, accents, marks or possessive endings; a hyphen parts two words."""
    return [token for token, _, _ in placed(text)]


def placed(text: str) -> list[tuple[str, int, int]]:
    """The words of a text as tokens() has them, each with where it begins and ends in the text."""
    folded = [(part, place) for place, character in enumerate(text) for part in _folded(character)]
    letters = "".join(part for part, _ in folded)
    origin = [*(place for _, place in folded), len(text)]
    return [
        (
            _POSSESSIVE.sub("", found.group()),
            origin[found.start()],
            # the accents and invisible characters that follow the last letter are part of the word
            max(origin[found.end()], origin[found.end() - 1] + 1),
        )
        for found in _TOKEN.finditer(letters)
    ]


@lru_cache(maxsize=10_000)
def _folded(character: str) -> str:
    """What is compared of a character: nothing of an accent, a soft hyphen or a joiner of zero width."""
    parted = unicodedata.normalize("NFKD", character).casefold().translate(_WRITTEN_OUT)
    return "".join(part for part in parted if not (unicodedata.combining(part) or _is_invisible(part)))


def _is_invisible(character: str) -> bool:
    return unicodedata.category(character) == "Cf"


def plain(text: str) -> str:
    """A text as it is compared: its words without articles, one space between them."""
    found = tokens(text)
    return " ".join([token for token in found if token not in ARTICLES] or found)


@lru_cache(maxsize=100_000)
def bases(token: str) -> frozenset[str]:
    """The word itself and what it may be a form of: mice -> mouse, leaves -> leaf, leave."""
    if len(token) > LONGEST_WORD or not token.isalpha():
        return frozenset((token,))
    return frozenset((token, *_looked_up(token), *_by_rule(token)))


def _looked_up(token: str) -> Iterable[str]:
    return (base for found in _lemmas(token).values() for base in found)


def _lemmas(token: str) -> Mapping[str, tuple[str, ...]]:
    """Base forms by part of speech; nothing of a word that the lexicon does not know."""
    import lemminflect  # here, because it takes a while and not every command needs it

    found: Mapping[str, tuple[str, ...]] = lemminflect.getAllLemmas(token)
    return found


def _by_rule(token: str) -> Iterable[str]:
    """The singular of a word that the lexicon is too old to know, such as smartphones or letterboxes."""
    if len(token) > len("is") and not _lemmas(token):
        if token.endswith("ies"):
            yield token.removesuffix("ies") + "y"
        if token.endswith(("ches", "shes", "sses", "xes", "zes")):
            yield token.removesuffix("es")
        elif token.endswith("s") and not token.endswith(("ss", "us", "is")):
            yield token.removesuffix("s")


def is_form_of(said: str, word: str) -> bool:
    """Is this a form of the word? A noun that merely shares a verb with it is not: a dove of dive, box of boxing."""
    if bases(said).isdisjoint(bases(word)):
        return False
    nouns = _nouns(said)
    return not nouns or said.endswith("ing") or not nouns.isdisjoint({word, *_nouns(word)})


def _nouns(token: str) -> set[str]:
    return {*_lemmas(token).get("NOUN", ())}


def same_word(one: str, other: str) -> bool:
    """Is one of these a form of the other?"""
    return is_form_of(one, other) or is_form_of(other, one)


def same_phrase(one: list[str], other: list[str], same: Callable[[str, str], bool] = same_word) -> bool:
    """Are these the same words, each in some form; or the same letters, however they are parted?"""
    if len(one) == len(other) and all(map(same, one, other)):
        return True
    return bool(one) and (len(one) > 1 or len(other) > 1) and same("".join(one), "".join(other))


def is_word(token: str) -> bool:
    """Is this an English word, in any form?"""
    return token in _dictionary() or any(True for _ in _looked_up(token))


@cache
def _dictionary() -> frozenset[str]:
    from spellchecker import SpellChecker

    return frozenset(SpellChecker(language="en").word_frequency.words())


def spelled_out(found: list[str]) -> list[str]:
    """What runs of single letters spell: b r e a d -> bread."""
    runs: list[str] = []
    run = ""
    for token, following in pairwise([*found, ""]):
        run = run + token if len(token) == 1 else ""
        if run and len(following) != 1:
            runs.append(run)
            run = ""
    return [run for run in runs if len(run) > 1]
