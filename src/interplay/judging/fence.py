"""Fences: a candidate's text stands between marks it cannot guess, with verdict-like words defused."""

import hashlib
import json
import re
from collections.abc import Iterable


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
    names = sorted(words, key=len, reverse=True)
    if not names:
        return text
    compound = [name for name in names if "_" in name]
    if compound:
        pattern = r"\b(" + "|".join(re.escape(name) for name in compound) + r")\b"
        text = re.sub(pattern, lambda found: found.group(0).replace("_", "-"), text, flags=re.IGNORECASE)
    quoted = r"[\"'“”‘’](" + "|".join(re.escape(name) for name in names) + r")[\"'“”‘’](\s*):"
    return re.sub(quoted, r"(\1)\2-", text, flags=re.IGNORECASE)
