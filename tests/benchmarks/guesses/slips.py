"""How hands and ears misspell a word: one slip of a kind that people make, drawn by the generator that is passed in."""

from collections.abc import Callable, Sequence
from random import Random

SHORTEST = 5  # letters of a word that is misspelt; a slip in a shorter one is hard to call by anyone
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_BY_EAR = (
    ("ph", "f"),
    ("tion", "shun"),
    ("tion", "sion"),
    ("sion", "tion"),
    ("que", "k"),
    ("ght", "t"),
    ("ough", "off"),
    ("eigh", "ay"),
    ("ie", "ei"),
    ("ei", "ie"),
    ("ea", "ee"),
    ("ee", "ea"),
    ("ai", "ay"),
    ("oa", "o"),
    ("ou", "ow"),
    ("au", "aw"),
    ("kn", "n"),
    ("wr", "r"),
    ("wh", "w"),
    ("mb", "m"),
    ("sc", "s"),
    ("ck", "k"),
    ("ch", "tch"),
    ("dge", "ge"),
    ("er", "or"),
    ("or", "er"),
    ("ar", "er"),
    ("le", "el"),
    ("el", "le"),
    ("al", "le"),
    ("ent", "ant"),
    ("ant", "ent"),
    ("y", "i"),
    ("i", "y"),
    ("c", "k"),
    ("ce", "se"),
    ("se", "ce"),
    ("z", "s"),
    ("x", "ks"),
    ("a", "e"),
    ("e", "i"),
    ("o", "u"),
)

Slip = Callable[[str, Random], str]


def swapped(word: str, rng: Random) -> str:
    """Two neighbours change places; the first letter is rarely one of them."""
    at = rng.choice([place for place in range(1, len(word) - 1) if word[place] != word[place + 1]])
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def dropped(word: str, rng: Random) -> str:
    at = rng.randrange(1, len(word))
    return word[:at] + word[at + 1 :]


def doubled(word: str, rng: Random) -> str:
    at = rng.randrange(1, len(word))
    return word[:at] + word[at] + word[at:]


def neighbour_key(word: str, rng: Random) -> str:
    """A key beside the right one, instead of it or with it."""
    at = rng.randrange(1, len(word))
    key = rng.choice(_keys_beside(word[at]))
    return word[:at] + key + word[at + rng.choice((0, 1, 1)) :]


def by_ear(word: str, rng: Random) -> str:
    """As it sounds; one of the longer patterns where there is one."""
    found = [(old, new) for old, new in _BY_EAR if old in word[1:]]
    longest = [pattern for pattern in found if len(pattern[0]) > 1] or found
    old, new = rng.choice(longest)
    at = rng.choice([place for place in range(1, len(word)) if word.startswith(old, place)])
    return word[:at] + new + word[at + len(old) :]


SLIPS: Sequence[tuple[Slip, int]] = (
    (swapped, 25),
    (dropped, 25),
    (doubled, 15),
    (neighbour_key, 17),
    (by_ear, 18),
)


def misspelt(text: str, rng: Random) -> str:
    """The text with a slip in one of its longer words, and now and then with two in a long one."""
    parts = text.split(" ")
    at = rng.choice([place for place, part in enumerate(parts) if is_long(part)])
    for _ in range(2 if len(parts[at]) > 8 and rng.random() < 0.15 else 1):
        slips, weights = zip(*SLIPS, strict=True)
        parts[at] = rng.choices(slips, weights)[0](parts[at], rng)
    return " ".join(parts)


def is_long(part: str) -> bool:
    return len(part) >= SHORTEST and part.isascii() and part.isalpha()


def _keys_beside(letter: str) -> str:
    row = next(row for row in _ROWS if letter in row)
    at, up = row.index(letter), _ROWS.index(row)
    beside = row[max(at - 1, 0) : at] + row[at + 1 : at + 2]
    above = _ROWS[up - 1][at : at + 2] if up else ""
    below = _ROWS[up + 1][max(at - 1, 0) : at + 1] if up + 1 < len(_ROWS) else ""
    return beside + above + below
