"""The pieces of words that an uncased BERT model reads: plain letters, split at marks, then by its vocabulary."""

import unicodedata
from pathlib import Path

from interplay.core.failures import Mistake, why

LONGEST_WORD = 100  # letters; a longer word is unknown as a whole, as where the model was trained
MOST_WORDS = 50_000  # whose pieces are kept
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
_ASCII_MARKS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")  # some of them no punctuation to Unicode


class _Plain(dict[int, str]):
    """What each character of a decomposed text becomes; found once, then looked up."""

    def __missing__(self, code: int) -> str:
        self[code] = found = _plain(chr(code))
        return found


def _plain(character: str) -> str:
    if character in "\t\n\r":
        return " "
    if character == "\ufffd":
        return ""
    kind = unicodedata.category(character)
    if kind in ("Cc", "Cf", "Cs", "Co", "Mn"):  # a newer Unicode's character, Cn here, may be a letter
        return ""
    if kind[0] == "Z":
        return " "
    if kind[0] == "P" or character in _ASCII_MARKS or _is_ideograph(ord(character)):
        return f" {character} "
    return character.lower()  # each by itself: a sigma at a word's end is like any other


def _is_ideograph(code: int) -> bool:
    return any(first <= code <= last for first, last in _IDEOGRAPHS)


class WordPieces:
    """A tokenizer over a vocabulary: one piece a line, those inside a word begin with ##."""

    def __init__(self, vocabulary: Path) -> None:
        try:
            lines = vocabulary.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise Mistake(f"{vocabulary} cannot be read: {why(error)}") from error
        self._ids = {piece.rstrip("\r"): number for number, piece in enumerate(lines) if piece}
        missing = [piece for piece in ("[UNK]", "[CLS]", "[SEP]") if piece not in self._ids]
        if missing:
            raise Mistake(f"{vocabulary} is no vocabulary of a BERT model: it lacks {missing[0]}")
        self._unknown, self._first, self._last = (self._ids[piece] for piece in ("[UNK]", "[CLS]", "[SEP]"))
        self._known: dict[str, tuple[int, ...]] = {}
        self._plain = _Plain()

    def __len__(self) -> int:
        return max(self._ids.values()) + 1

    def ids(self, text: str, most: int) -> list[int]:
        """The pieces' numbers, at most so many with the two that enclose them."""
        if not text.isascii():
            text = unicodedata.normalize("NFD", text)
        found: list[int] = [self._first]
        for word in text.translate(self._plain).split():
            found += self._pieces(word)
            if len(found) >= most:
                break
        return [*found[: most - 1], self._last]

    def _pieces(self, word: str) -> tuple[int, ...]:
        pieces = self._known.get(word)
        if pieces is None:
            if len(self._known) >= MOST_WORDS:
                self._known.clear()
            pieces = self._known[word] = self._split(word)
        return pieces

    def _split(self, word: str) -> tuple[int, ...]:
        """The longest piece that the word begins with, then that of the rest; unknown where none fits."""
        if len(word) > LONGEST_WORD:
            return (self._unknown,)
        found: list[int] = []
        start = 0
        while start < len(word):
            before = "##" if start else ""
            for end in range(len(word), start, -1):
                number = self._ids.get(before + word[start:end])
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                return (self._unknown,)
        return tuple(found)
