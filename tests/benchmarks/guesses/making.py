"""Makes guesses.jsonl: labelled guesses, some written one by one in the files beside it, some drawn by a seed.

No label is computed: a file's name or a kind of change decides it, and what a slip turned into another word was read
and struck by hand (struck.txt). To make the file again: python -m tests.benchmarks.guesses.making
"""

import json
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from interplay.benchmarks.word_guessing.words import Word, read_pairs
from tests.benchmarks.guesses.slips import is_long, misspelt

FOLDER = Path(__file__).parent
MADE = FOLDER / "guesses.jsonl"
SEED = 20240611
TYPOS, MARKS, ALIASES, EXACT = 540, 250, 150, 100
WRITTEN = (
    ("typo", "misspellings.txt", True),
    ("inflection", "inflections.txt", True),
    ("near word", "near_words.txt", False),
    ("own word", "own_words.txt", False),
    ("same field", "same_field.txt", False),
    ("no guess", "no_guess.txt", False),
)

Sides = dict[str, tuple[Word, Word]]
Row = dict[str, Any]


def rows() -> list[Row]:
    """The whole set, in one order."""
    sides = _sides()
    found = [
        *_typos(sides),
        *_marks(sides),
        *_drawn("alias", [(text, name) for text in sides for name in sides[text][0].also], ALIASES, sides),
        *_drawn("exact", [(text, text) for text in sides], EXACT, sides),
    ]
    for kind, name, right in WRITTEN:
        found += [_row(sides, text, guess, kind, right) for text, guess in _lines(name)]
    return found


def _sides() -> Sides:
    """Every word of the pairs, with itself and the word against it."""
    pairs = read_pairs(FOLDER / "pairs.toml")
    return {one.text: (one, other) for pair in pairs for one, other in (pair.words, pair.words[::-1])}


def _row(sides: Sides, text: str, guess: str, kind: str, right: bool) -> Row:
    target, own = sides[text]
    return {
        "target": target.text,
        "target_also": list(target.also),
        "own": own.text,
        "own_also": list(own.also),
        "guess": guess,
        "kind": kind,
        "right": right,
    }


def _lines(name: str) -> Iterator[tuple[str, str]]:
    """A file's guesses, each with the word that it is about."""
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            text, _, guesses = line.partition(":")
            yield from ((text, guess.strip()) for guess in guesses.split("|"))


def _typos(sides: Sides) -> Iterator[Row]:
    """Slips in all long words, turn by turn, without those that were struck."""
    rng = Random(SEED)
    words = [text for text in sides if any(map(is_long, text.split(" ")))]
    struck = set(_lines("struck.txt"))
    made: set[tuple[str, str]] = set()
    while len(made) < TYPOS:
        rng.shuffle(words)
        for text in words[: TYPOS - len(made)]:
            slip = misspelt(text, rng)
            if slip != text and (text, slip) not in made:
                made.add((text, slip))
                if (text, slip) not in struck:
                    yield _row(sides, text, slip, "typo", True)


def _drawn(kind: str, choice: Sequence[tuple[str, str]], count: int, sides: Sides) -> list[Row]:
    drawn = Random(f"{SEED} {kind}").sample(choice, count)
    return [_row(sides, text, guess, kind, True) for text, guess in sorted(drawn)]


def _article(text: str) -> str:
    return f"{'an' if text[0] in 'aeiou' else 'a'} {text}"


def _without_accents(text: str) -> str:
    return "".join(part for part in unicodedata.normalize("NFD", text) if not unicodedata.combining(part))


def _is_parted(text: str) -> bool:
    return " " in text or "-" in text


Dress = tuple[Callable[[str], bool], Callable[[str], str]]
DRESSES: Sequence[Dress] = (
    (str.isascii, _article),
    (str.isascii, lambda text: f"the {text}"),
    (str.isascii, lambda text: f"The {text.title()}"),
    (str.isascii, lambda text: f"{_article(text).capitalize()}."),
    (str.isascii, str.upper),
    (str.isascii, str.title),
    (str.isascii, lambda text: f"{text.capitalize()}!"),
    (str.isascii, lambda text: f"{text}?"),
    (str.isascii, lambda text: f"'{text}'"),
    (str.isascii, lambda text: f'"{text.capitalize()}."'),
    (str.isascii, lambda text: f"“the {text}”"),
    (str.isascii, lambda text: f"**{text}**"),
    (str.isascii, lambda text: f"  {text}\n"),
    (str.isascii, lambda text: f"({text})"),
    (str.isascii, lambda text: f"`{text}`,"),
    (_is_parted, lambda text: text.replace(" ", "-")),
    (_is_parted, lambda text: text.replace("-", " ").upper()),
    (_is_parted, lambda text: text.replace("-", "").replace(" ", "")),
    (_is_parted, lambda text: text.replace("-", "_").replace(" ", "_")),
    (lambda text: not text.isascii(), _without_accents),
    (lambda text: not text.isascii(), lambda text: unicodedata.normalize("NFD", text)),
    (lambda text: not text.isascii(), lambda text: _article(_without_accents(text)).upper()),
)


def _marks(sides: Sides) -> Iterator[Row]:
    """Words in other clothes: articles, capitals, marks, hyphen or space, accents."""
    rng = Random(f"{SEED} marks")
    words = list(sides)
    made: set[tuple[str, str]] = set()
    while len(made) < MARKS:
        fits, dress = DRESSES[len(made) % len(DRESSES)]
        text = rng.choice([word for word in words if fits(word)])
        row = (text, dress(text))
        if row in made:
            fits, dress = DRESSES[0]
            text = rng.choice([word for word in words if fits(word)])
            row = (text, dress(text))
        if row not in made and row[1] != text:
            made.add(row)
            yield _row(sides, *row, "marks", True)


def lines_of(found: Sequence[Row]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in found)


if __name__ == "__main__":
    MADE.write_text(lines_of(rows()), encoding="utf-8")
