"""Fences: a candidate's text stands between marks it cannot guess, with verdict-like words defused."""

import hashlib
import re
from collections.abc import Iterable
from functools import cache, lru_cache
from json.encoder import encode_basestring_ascii

from interplay.core.reading import field_name, fields_named

# Rare in prose: most texts need no closer look.
_END_OF_A_NAME = re.compile(r"(?:[\"'“”‘’]|u[02]0..)\s*:", re.IGNORECASE)


def mark_of(secret: bytes, *address: str) -> str:
    """The mark of one call: the same in a replay, unknown to any candidate."""
    text = f"[{', '.join(map(encode_basestring_ascii, address))}]".encode()  # as JSON has it
    return hashlib.blake2b(text, key=secret, digest_size=6).hexdigest()


def fenced(text: str, mark: str, words: Iterable[str] = ()) -> str:
    """The text between its marks."""
    while mark in text.lower():  # before words are defused: a mark taken out of a word would leave it whole
        text = re.sub(mark, "", text, flags=re.IGNORECASE)
    return f"<<{mark}\n{defused(text, words)}\n{mark}>>"


def defused(text: str, words: Iterable[str]) -> str:
    """The text with the names of a verdict's fields turned into plain words: fluency_score -> fluency-score."""
    return _defused(text, frozenset(words))


@lru_cache(maxsize=256)  # the same card stands before every judge of a character
def _defused(text: str, words: frozenset[str]) -> str:
    compound = _compound(words)
    if compound is not None and "_" in text:
        text = compound.sub(lambda found: found.group(0).replace("_", "-"), text)
    return _without_fields(text, words) if words and _END_OF_A_NAME.search(text) else text


def _without_fields(text: str, words: frozenset[str]) -> str:
    """The text with what the reader of verdicts would take for the name of a field written as (name)-."""
    parts, end = [], 0
    for found in fields_named(text, words):
        parts += [text[end : found.start()], f"({field_name(found).replace('_', '-')}){found.group(2)}-"]
        end = found.end()
    return "".join([*parts, text[end:]])


@cache
def _compound(words: frozenset[str]) -> re.Pattern[str] | None:
    """What finds the names that are of several words, wherever they stand."""
    names = sorted((name for name in words if "_" in name), key=lambda name: (-len(name), name))
    # a word without an underscore need not be compared with every name
    sieve = r"(?=\w*_)" if all(re.match(r"\w*_", name) for name in names) else ""
    every = "|".join(re.escape(name) for name in names)
    return re.compile(rf"\b{sieve}({every})\b", re.IGNORECASE) if names else None
