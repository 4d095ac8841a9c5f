"""What every piece of knowledge must be like, shipped or newly written; each complaint is one clause."""

import re
from collections.abc import Iterable, Iterator
from itertools import combinations

from rapidfuzz.fuzz import token_sort_ratio

from interplay.benchmarks.social_interaction.character_checks import words_of
from interplay.benchmarks.social_interaction.characters import SKILLS
from interplay.benchmarks.social_interaction.knowledge import Knowledge, Point
from interplay.benchmarks.social_interaction.knowledge_words import forms_of, names_of, numbers_of, own_words
from interplay.benchmarks.unwelcome import is_unwelcome_word

TITLE, TEXT = (2, 5), (100, 150)  # words
POINTS = 5
POINT, SAID = (6, 18), (6, 24)  # words
MOST_DIFFERENCE = 4  # words by which a wrong statement may be longer or shorter than its point
MOST_SHARED = 0.4  # of a point's own words, in the right statement
# Likeness of two sentences whose words are sorted, of 100. Of the 320 shipped points, the right statements have 30 to
# 67, the wrong ones 54 to 99, other points of the same piece 27 to 67; nine in ten unrelated statements have under 49.
MOST_ALIKE_SAID = 70.0
LEAST_ALIKE_WRONG = 52.0
MOST_ALIKE_POINTS = 75.0
LONGEST_RUN = 5  # words that two texts may have in a row
_PRONOUNS = frozenset(
    ("he", "her", "his", "it", "its", "she", "their", "there", "they", "this", "these", "those")
)
_ADDRESS = re.compile(r"\byou(?:r|rs|rself|rselves)?\b", re.IGNORECASE)
_MARKUP = re.compile(r"[{}\[\]<>*_#|`~\\]")
_SKILL = re.compile(
    r"\b(?:" + "|".join(skill.replace(" ", r"[\s-]+") for skill in SKILLS) + r")\b", re.IGNORECASE
)


def complaints(piece: Knowledge) -> list[str]:
    """What is wrong with a piece by itself."""
    found = _about_length("title", piece.title, TITLE) + _about_length("text", piece.text, TEXT)
    if _ADDRESS.search(piece.text):
        found.append("the text speaks to somebody as you")
    if len(piece.points) != POINTS:
        found.append(f"it has {len(piece.points)} points, not {POINTS}")
    for number, point in enumerate(piece.points, 1):
        found += [f"point {number}: {complaint}" for complaint in _about_point(point, piece)]
    return found + _about_likeness(piece.points) + list(_about_words(piece))


def _about_length(name: str, text: str, bounds: tuple[int, int]) -> list[str]:
    (least, most), size = bounds, len(text.split())
    return [] if least <= size <= most else [f"the {name} has {size:,} words, not {least} to {most}"]


def _about_point(point: Point, piece: Knowledge) -> list[str]:
    found = _about_length("point", point.point, POINT)
    if words_of(point.point)[:1] and words_of(point.point)[0] in _PRONOUNS:
        found.append(f"it begins with {words_of(point.point)[0]!r} and cannot be understood by itself")
    told = f"{piece.title}. {piece.text}"
    unknown = (names_of(point.point) | names_of(point.said)) - set(words_of(told))
    found += [f"the name {name.capitalize()} is not in the text" for name in sorted(unknown)]
    found += [
        f"the number {one} is not in the text" for one in sorted(numbers_of(point.point) - numbers_of(told))
    ]
    if not point.said or not point.wrong:
        return [*found, "it lacks what a player may say of it, right and wrong"]
    return found + _about_said(point) + _about_wrong(point)


def _about_said(point: Point) -> list[str]:
    found = _about_length("right statement", point.said, SAID)
    if (part := shared(point.point, point.said)) > MOST_SHARED:
        found.append(f"the right statement repeats {part:.0%} of its words, more than {MOST_SHARED:.0%}")
    if token_sort_ratio(point.point, point.said) > MOST_ALIKE_SAID:
        found.append("the right statement is too much like the point to be in other words")
    return found


def _about_wrong(point: Point) -> list[str]:
    found = []
    sizes = len(point.point.split()), len(point.wrong.split())
    if abs(sizes[0] - sizes[1]) > MOST_DIFFERENCE:
        found.append(f"the wrong statement has {sizes[1]} words, and the point has {sizes[0]}")
    if token_sort_ratio(point.point, point.wrong) < LEAST_ALIKE_WRONG:
        found.append("the wrong statement is too unlike the point to be on the same matter")
    if words_of(point.wrong) in (words_of(point.point), words_of(point.said)):
        found.append("the wrong statement says what is right")
    return found


def _about_likeness(points: Iterable[Point]) -> list[str]:
    """No point, right or made wrong, may be another of the piece in nearly the same words."""
    found = []
    for (here, one), (there, other) in combinations(enumerate(points, 1), 2):
        if token_sort_ratio(one.point, other.point) > MOST_ALIKE_POINTS:
            found.append(f"points {here} and {there} are too much alike")
        for number, wrong, true in ((here, one.wrong, other.point), (there, other.wrong, one.point)):
            if wrong and token_sort_ratio(wrong, true) > MOST_ALIKE_POINTS:
                found.append(f"point {number}: the wrong statement is too much like another point")
    return found


def _about_words(piece: Knowledge) -> Iterator[str]:
    parts = [piece.title, piece.text, *(text for point in piece.points for text in vars(point).values())]
    whole = "\n".join(parts)
    if not all(line.isprintable() for line in whole.split("\n")):
        yield "it holds characters that cannot be seen"
    for mark in dict.fromkeys(_MARKUP.findall(whole)):
        yield f"it has a mark of markup or of a template: {mark!r}"
    for skill in dict.fromkeys(found.group().lower() for found in _SKILL.finditer(whole)):
        yield f"it names the skill {skill!r}"
    for word in dict.fromkeys(words_of(whole)):
        if any(
            is_unwelcome_word(form) for part in (word, *re.split("[-']", word)) for form in forms_of(part)
        ):
            yield f"{word!r} may offend"


def shared(point: str, said: str) -> float:
    """The share of a point's words that also stand in what is said, in any form; names, numbers and fillers aside.

    Of the 320 shipped points, two in three share none and the most is .4: "pearl divers paid pearls" has no other word
    for what was paid. The wrong statements, which are meant to sound like the point, share .62 in the middle.
    """
    own = own_words(point)
    there = {form for word in own_words(said) for form in forms_of(word)}
    return sum(bool(forms_of(word) & there) for word in own) / len(own) if own else 0.0


class Shelf:
    """Pieces that are there already: a new one must differ from each of them."""

    def __init__(self, pieces: Iterable[Knowledge] = ()):
        self._titles: dict[str, str] = {}  # whose they are, as in the next two
        self._names: dict[str, str] = {}
        self._runs: dict[tuple[str, ...], str] = {}
        for piece in pieces:
            self.put(piece)

    def put(self, piece: Knowledge) -> None:
        self._titles.setdefault(" ".join(words_of(piece.title)), piece.title)
        for name in names_of(piece.text):
            self._names.setdefault(name, piece.title)
        for run in _runs(piece.text):
            self._runs.setdefault(run, piece.title)

    def about(self, piece: Knowledge) -> list[str]:
        """How a piece is too much like one that is there."""
        found = [f"the title {piece.title!r} is taken"] if self._is_taken(piece.title) else []
        for name in sorted(names_of(piece.text) & self._names.keys()):
            found.append(f"the name {name.capitalize()} is also in {self._names[name]!r}")
        sharing = {self._runs[run]: " ".join(run) for run in sorted(_runs(piece.text) & self._runs.keys())}
        return found + [f"the words {run!r} are also in {title!r}" for title, run in sorted(sharing.items())]

    def _is_taken(self, title: str) -> bool:
        return " ".join(words_of(title)) in self._titles


def complaints_of_set(pieces: Iterable[Knowledge]) -> list[str]:
    """How pieces are too much like each other."""
    shelf, found = Shelf(), []
    for piece in pieces:
        found += [f"{piece.title}: {complaint}" for complaint in shelf.about(piece)]
        shelf.put(piece)
    return found


def _runs(text: str) -> set[tuple[str, ...]]:
    words = words_of(text)
    return {tuple(words[place : place + LONGEST_RUN + 1]) for place in range(len(words) - LONGEST_RUN)}
