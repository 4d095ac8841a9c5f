"""Keys that an endpoint repeats are taken out of what it sent, however it spells them."""

import base64
import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from urllib.parse import quote

SHORTEST_SECRET, SHORTEST_WORDY_SECRET = 8, 20  # characters; the second where no digit is among them
HIDDEN = b"[key]"
_LEAST_OF_A_BEGINNING = 4
_SECRET_NAME = re.compile(r"key|token|secret|passw", re.IGNORECASE)


class Secrets:
    """The keys that must reach no record: as they are, and as JSON, URLs and base64 spell them."""

    def __init__(self, secrets: Iterable[str]):
        self._spellings = [
            spelling for secret in secrets if _is_secret(secret) for spelling in (secret, *_in_base64(secret))
        ]
        in_urls = [quote(spelling, safe="") for spelling in self._spellings]
        self._beginnings = dict.fromkeys([*self._spellings, *in_urls])

    def out_of(self, raw: bytes) -> bytes:
        """The bytes without any of the secrets; JSON stays JSON."""
        for pattern in self._patterns:
            raw = pattern.sub(HIDDEN, raw)
        return raw

    def out_of_part(self, raw: bytes) -> bytes:
        """The same for bytes that were cut off somewhere: they may end in the beginning of a secret."""
        raw = self.out_of(raw)
        for spelling in self._beginnings:
            for length in range(len(spelling) - 1, _LEAST_OF_A_BEGINNING - 1, -1):
                raw = raw.removesuffix(spelling[:length].encode())
        return raw

    @cached_property
    def _patterns(self) -> list[re.Pattern[bytes]]:
        # One for each spelling: a search for several at once takes longer than all of them one by one.
        return [re.compile("".join(map(_any_way, spelling)).encode()) for spelling in self._spellings]


def _is_secret(text: str) -> bool:
    """A word that stands for a key where none is needed ("EMPTY", "lm-studio") guards nothing.

    Taking it out of answers would change what models say.
    """
    shortest = SHORTEST_SECRET if any(map(str.isdigit, text)) else SHORTEST_WORDY_SECRET
    return len(text) >= shortest and text.isascii()


def keys_in(environment: Mapping[str, str]) -> list[str]:
    """The values of variables that are named as secrets are."""
    return [value for name, value in environment.items() if _SECRET_NAME.search(name)]


def _any_way(character: str) -> str:
    """A pattern of one character: plain, with backslashes before it, as \\u0041, as %41 or as %2541."""
    plain = re.escape(character)
    if character in "+/":
        plain = f"[{character}{'-' if character == '+' else '_'}]"  # base64 for URLs has other characters
    code = "".join(f"[{digit}{digit.upper()}]" for digit in f"{ord(character):02x}")
    return rf"(?:{plain}|\\\\{{0,3}}(?:{plain}|u00{code})|%(?:25){{0,3}}{code})"


def _in_base64(secret: str) -> list[str]:
    """What base64 makes of a secret at each of the three places where it can stand in a longer text.

    The characters that also depend on what stands before or after it are left out.
    """
    found = []
    for before, shared in enumerate((0, 2, 3)):
        encoded = base64.b64encode(b"\0" * before + secret.encode()).decode()
        found.append(encoded[shared : (before + len(secret)) * 8 // 6])
    return found
