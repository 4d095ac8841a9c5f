"""Fences: a candidate's text stands between marks it cannot guess, with verdict-like words defused."""

import hashlib
import re
from collections.abc import Iterable


def mark_of(secret: bytes, *address: str) -> str:
    """The mark of one call: the same in a replay, unknown to any candidate."""
    hashed = hashlib.blake2b("\0".join(address).encode(), key=secret, digest_size=6)
    return hashed.hexdigest()


def fenced(text: str, mark: str, words: Iterable[str] = ()) -> str:
    """The text between its marks."""
    return f"<<{mark}\n{defused(text, words).replace(mark, '')}\n{mark}>>"


def defused(text: str, words: Iterable[str]) -> str:
    """The text with the names of a verdict's fields turned into plain words: fluency_score -> fluency-score."""
    names = sorted(words, key=len, reverse=True)
    if not names:
        return text
    compound = [name for name in names if "_" in name]
    if compound:
        pattern = r"\b(" + "|".join(re.escape(name) for name in compound) + r")\b"
        text = re.sub(pattern, lambda found: found.group(0).replace("_", "-"), text, flags=re.IGNORECASE)
    quoted = r"([\"'“”])(" + "|".join(re.escape(name) for name in names) + r")\1(\s*):"
    return re.sub(quoted, r"(\2)\3-", text, flags=re.IGNORECASE)
