"""Words that have no place in data, whoever wrote it; the list is kept as digests, not to be read."""

import hashlib
from functools import cache
from importlib.resources import files


def is_unwelcome_word(word: str) -> bool:
    """Is this word on the list? It is looked up in small letters and in its base form."""
    return hashlib.blake2b(word.encode(), digest_size=8).hexdigest() in _digests()


@cache
def _digests() -> frozenset[str]:
    return frozenset((files(__package__) / "unwelcome.txt").read_text(encoding="ascii").split())
