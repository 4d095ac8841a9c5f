"""What a pair of words must be to be played; the same checks for our lists, a user's file and a model's pairs."""

import re
from collections.abc import Iterable
from itertools import product

from interplay.benchmarks.unwelcome import is_unwelcome_word
from interplay.benchmarks.word_guessing.lexicon import bases, plain, same_phrase, tokens
from interplay.benchmarks.word_guessing.matching import ALIKE, alike
from interplay.benchmarks.word_guessing.words import Pair, Word

SHORTEST, LONGEST = 3, 30  # characters
MOST_TOKENS = 3
_ALLOWED = re.compile(r"[a-z]+(?:[ '-][a-z]+)*")
_ALLOWED_OTHER = re.compile(r"[A-Za-z0-9]+(?:[ '-][A-Za-z0-9]+)*")  # of other names, which may be short: TV
_FILLERS = frozenset(("of", "and", "the", "a", "an", "in", "on", "to", "for"))


def unplayable(pair: Pair) -> list[str]:
    """Why the two words cannot be told apart; nobody may play such a pair."""
    found = []
    for one, other in product(pair.a.names, pair.b.names):
        if same_phrase(tokens(plain(one)), tokens(plain(other))):
            found.append(f"{one!r} and {other!r} are the same word")
        elif (closeness := alike(one, other)) > ALIKE:
            found.append(
                f"{one!r} and {other!r} are alike as strings (Jaro {closeness:.3f}, at most {ALIKE})"
            )
    return found


def unfit(pair: Pair) -> list[str]:
    """What else we ask of our own lists and of pairs that a model writes."""
    found = []
    for word in pair.words:
        if not _ALLOWED.fullmatch(word.text):
            found.append(f"{word.text!r} is not written in plain lower-case letters")
        if not SHORTEST <= len(word.text) <= LONGEST:
            found.append(f"{word.text!r} has not {SHORTEST} to {LONGEST} characters")
        if len(tokens(word.text)) > MOST_TOKENS:
            found.append(f"{word.text!r} has more than {MOST_TOKENS} words")
        for name in word.also:
            if not _ALLOWED_OTHER.fullmatch(name) or len(name) > LONGEST:
                found.append(f"{name!r} is not written in plain letters, or too long for another name")
        found += [f"{name!r} may offend" for name in word.names if is_unwelcome(name)]
    shared = _content(pair.a.text) & _content(pair.b.text)
    if shared:
        found.append(f"both words have {', '.join(sorted(shared))}")
    return found


def _content(text: str) -> set[str]:
    return {base for token in tokens(text) if token not in _FILLERS for base in bases(token)}


class Shelf:
    """The pairs that are there already: no word, and no other name of one, stands on it twice."""

    def __init__(self, pairs: Iterable[Pair] = ()):
        self._known: dict[str, list[tuple[str, Pair]]] = {}  # by what names may have in common
        for pair in pairs:
            self.put(pair)

    def put(self, pair: Pair) -> None:
        for name in _all_names(pair):
            for key in _keys(name):
                self._known.setdefault(key, []).append((name, pair))

    def about(self, pair: Pair) -> list[str]:
        """What of this pair is there already, or in the pair twice."""
        found, own = [], Shelf()
        for name in _all_names(pair):
            for other, taken in self._same(name)[:1]:
                found.append(f"{name!r} is in the lists already: {other!r} of {taken} ({taken.topic})")
            if own._same(name):
                found.append(f"{name!r} is in the pair twice")
            own.put(Pair(pair.topic, Word(name), Word("")))
        return found

    def _same(self, name: str) -> list[tuple[str, Pair]]:
        """The names on the shelf that are this one in some form."""
        said = tokens(plain(name))
        near = [found for key in sorted(_keys(name)) for found in self._known.get(key, ())]
        return [found for found in near if len(said) > 1 or _is_form(said, tokens(plain(found[0])))]


def _is_form(said: list[str], other: list[str]) -> bool:
    """Of single words a base in common is not enough: a rose is no form of rise."""
    return len(other) > 1 or same_phrase(said, other)


def _all_names(pair: Pair) -> list[str]:
    return [name for word in pair.words for name in word.names if name]


def _keys(name: str) -> set[str]:
    """What a name is known by: its letters without spaces, with the last word in its base forms."""
    *first, last = tokens(plain(name)) or [""]
    return {"".join((*first, base)) for base in bases(last)}


def is_unwelcome(text: str) -> bool:
    """Is there a word in it that has no place in a game?"""
    return any(is_unwelcome_word(base) for token in tokens(text) for base in bases(token))
