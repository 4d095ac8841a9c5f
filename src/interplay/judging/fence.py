"""Fences: a candidate's text stands between marks it cannot guess, with verdict-like words defused."""

import hashlib
import json
import re
from collections.abc import Iterable
from functools import cache, lru_cache

_END_OF_A_NAME = re.compile(r"[\"'“”‘’]\s*:")  # rare in prose: most texts need no closer look


def mark_of(secret: bytes, *address: str) -> str:
    """The mark of one call: the same in a replay, unknown to any candidate."""
    text = json.dumps(address).encode()
    return hashlib.blake2b(text, key=secret, digest_size=6).hexdigest()


def fenced(text: str, mark: str, words: Iterable[str] = ()) -> str:
    """The text between its marks."""
    text = defused(text, words)
    while mark in text.lower():
        text = re.sub(mark, "", text, flags=re.IGNORECASE)
    return f"<<{mark}\n{text}\n{mark}>>"


def defused(text: str, words: Iterable[str]) -> str:
    """The text with the names of a verdict's fields turned into plain words: fluency_score -> fluency-score."""
    return _defused(text, frozenset(words))


@lru_cache(maxsize=256)  # the same card stands before every judge of a character
def _defused(text: str, words: frozenset[str]) -> str:
    compound, quoted = _patterns(words)
    if compound is not None and "_" in text:
        text = compound.sub(lambda found: found.group(0).replace("_", "-"), text)
    return quoted.sub(r"(\1)\2-", text) if quoted is not None and _END_OF_A_NAME.search(text) else text


@cache
def _patterns(words: frozenset[str]) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None]:
    """What finds the names alone, and what finds them quoted before a colon."""
    names = sorted(words, key=lambda name: (-len(name), name))
    joined = [name for name in names if "_" in name]
    compound = "|".join(re.escape(name) for name in joined)
    # a word without an underscore need not be compared with every name
    sieve = r"(?=\w*_)" if all(re.match(r"\w*_", name) for name in joined) else ""
    every = "|".join(re.escape(name) for name in names)
    return (
        re.compile(rf"\b{sieve}({compound})\b", re.IGNORECASE) if compound else None,
        re.compile(rf"[\"'“”‘’]({every})[\"'“”‘’](\s*):", re.IGNORECASE) if every else None,
    )
