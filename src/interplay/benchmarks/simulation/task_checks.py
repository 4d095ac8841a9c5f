"""What every simulation task must be like, shipped or newly written; each complaint is one clause."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

from rapidfuzz.fuzz import ratio, token_sort_ratio

from interplay.benchmarks.simulation.tasks import Task
from interplay.benchmarks.unwelcome import is_unwelcome_word

NAME = (1, 5)  # words
LONGEST_NAME = 50  # characters
REQUEST = (5, 160)  # characters
DESCRIPTION = (60, 260)  # words
LONGEST_DESCRIPTION = 2_500  # characters
KEEPS = (3, 6)  # points
LEAST_REQUEST = 4  # words: My first move: d4
KEEP = (10, 200)  # characters
MOST_LIKENESS = 0.15
LEAST_OF_ALIKE_NAMES = 85.0

_OPENING = re.compile(r"(?:\A|\n|[.!?…][\"'`”’)\]]*\s)\s*((?:My|The) first\b)")  # of a sentence
_QUOTED = re.compile(
    r"```.*?```|`[^`]*`|\"+[^\"]*\"+|“[^”]*”|«[^»]*»|(?<=\s)[‘'](?:[^’'\n]|\w[’']\w)*[’'](?=[\s.,;:!?)]|\Z)",
    re.DOTALL,
)
_MARK = "\N{OBJECT REPLACEMENT CHARACTER}"  # in place of what is quoted
_NEXT_SENTENCE = re.compile(rf"[.!?…][\"'”’)\]]*\s+[A-Z{_MARK}]|\n\s*\w")
_LEFT_OPEN = re.compile(r"(?::|\b(?:is|are|was|be|says|asks|to|with))[\s.…]*\Z")
_PLACEHOLDER = re.compile(
    r"\{\{"
    r"|[\[<{](?:insert|enter|fill[ -]in|your|specify|replace|placeholder|todo|tbd)\b[^\]>}\n]{0,100}[\]>}]"
    r"|\((?:insert|fill[ -]in|placeholder|todo|tbd)\b[^)\n]{0,100}\)"
    r"|\[[a-z]+(?:_[a-z]+)+\]"
    r"|\binsert (?:\w+ ){1,4}here\b"
    r"|\blorem ipsum\b"
    r"|<\|.*?\|>|\[/?inst\]",
    re.IGNORECASE,
)
_JOINERS = "\u200d"  # of emoji
_FILLERS = frozenset(("a", "an", "the", "of", "and", "for"))


def about_task(task: Task) -> list[str]:
    """What is wrong with a task by itself."""
    found = _about_length("name", len(task.name.split()), NAME, "words")
    found += _about_length("name", len(task.name), (0, LONGEST_NAME), "characters")
    found += _about_length("request", len(task.request), REQUEST, "characters")
    found += _about_length("description", len(task.description.split()), DESCRIPTION, "words")
    found += _about_length("description", len(task.description), (0, LONGEST_DESCRIPTION), "characters")
    found += _about_length("list of what answers keep to", len(task.keeps), KEEPS, "points")
    for keep in task.keeps:
        found += _about_length("point " + repr(keep[:40]), len(keep), KEEP, "characters")
    if len({" ".join(words_of(keep)) for keep in task.keeps}) < len(task.keeps):
        found.append("what answers keep to has a point twice")
    for name, text in (("name", task.name), ("request", task.request)):
        if len(text.splitlines()) > 1:
            found.append(f"the {name} has several lines")
    return found + _about_first_request(task.description) + _about_texts(task)


def _about_length(name: str, size: int, bounds: tuple[int, int], unit: str) -> list[str]:
    least, most = bounds
    if least <= size <= most:
        return []
    wanted = f"{least} to {most}" if least else f"at most {most:,}"
    return [f"the {name} has {size:,} {unit}, not {wanted}"]


def _about_first_request(description: str) -> list[str]:
    """Is the last sentence the first request?

    Where what is asked is quoted, or stands in the sentence itself, nothing may come after that sentence. What follows
    a colon without marks of quotation is the request, however many sentences it has.
    """
    openings = [found.start(1) for found in _OPENING.finditer(description)]
    if not openings:
        return ["no sentence of the description begins with My first or The first"]
    bare = _QUOTED.sub(_MARK, description[openings[-1] :]).strip()
    said, colon, asked = bare.partition(":")
    if len(bare.split()) < LEAST_REQUEST or _LEFT_OPEN.search(bare):
        return ["the first request is announced and not made"]
    free = colon and not asked.lstrip().startswith(_MARK)
    if _NEXT_SENTENCE.search(said if free else bare):
        return ["the first request is not the last sentence of the description"]
    return []


def _about_texts(task: Task) -> list[str]:
    texts = {"name": task.name, "request": task.request, "description": task.description}
    texts |= {"list of what answers keep to": "\n".join(task.keeps)}
    found = []
    for name, text in texts.items():
        placeholder = _PLACEHOLDER.search(text)
        if placeholder:
            found.append(f"the {name} has a place that was not filled in: {placeholder.group()[:60]!r}")
        if any(map(_is_unseen, text)):
            found.append(f"the {name} holds control characters")
        unwelcome = {word: None for word in words_of(text) if any(map(is_unwelcome_word, forms_of(word)))}
        found += [f"{word!r} may offend" for word in unwelcome]
    return list(dict.fromkeys(found))


def _is_unseen(character: str) -> bool:
    """Is it a control or format character, a separator of lines, or the trace of something that was unreadable?"""
    if character in "\n\t" or character in _JOINERS:
        return False
    return (
        unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") or character == "\ufffd"
    )


@lru_cache(maxsize=100_000)
def forms_of(word: str) -> frozenset[str]:
    """The word itself and what it may be a form of."""
    import lemminflect  # here, because it takes a while and only checks of texts need it

    return frozenset((word, *(base for found in lemminflect.getAllLemmas(word).values() for base in found)))


def words_of(text: str) -> list[str]:
    """The words and numbers of a text without capitals, accents and what cannot be seen."""
    folded = text.casefold()
    if not folded.isascii():
        parted = unicodedata.normalize("NFKD", folded)
        seen = (one for one in parted if not unicodedata.combining(one) and unicodedata.category(one) != "Cf")
        folded = "".join(seen)
    return re.findall(r"[^\W_]+", folded)


Pairs = frozenset[tuple[str, str]]


@lru_cache(maxsize=2_000)  # all tasks that ship are looked at whenever new ones are gathered
def pairs_of(text: str) -> Pairs:
    """Every two words of a text that follow each other."""
    return frozenset(pairwise(words_of(text)))


def likeness(one: Pairs, other: Pairs) -> float:
    """The share of two descriptions' pairs of neighbouring words that both have (Jaccard), from 0 to 1.

    Any two of the 112 shipped tasks share less than .05. Eight copies with every sentence lightly reworded by hand
    share .23 to .42 with what they were made of. Of 20 rounds of copies by program, those with 3 words in 10 replaced
    share .17 or more, with the sentences in another order .69, with the second half left out .23; with the second
    half of another task in its place .10 or more and .35 in the middle, and 24 of these 2,240 are not found.
    MOST_LIKENESS stands between. Nor are four copies found in which all is said anew (.02 to .08): that takes a person.
    Runs of three words tell shipped tasks apart as well (.021 at most), but lose a text sooner in which single words
    were replaced; single words do not tell them apart so well (.27).
    """
    return len(one & other) / len(one | other) if one | other else 0.0


def are_alike(one: str, other: str) -> bool:
    """Are these names one and the same to a reader?

    They are if one has all words of the other, or if their words, as they stand or in alphabetical order, are alike as
    strings (rapidfuzz's ratio, 0 to 100). The likest of the shipped names, R console and Reactor console, have 75; a
    slip of one letter leaves 85 or more. Articles, plurals and the order of words do not count.
    """
    mine, others = _words_of_name(one), _words_of_name(other)
    if set(mine) <= set(others) or set(others) <= set(mine):
        return bool(mine and others)
    written = " ".join(mine), " ".join(others)
    return max(ratio(*written), token_sort_ratio(*written)) >= LEAST_OF_ALIKE_NAMES


def _words_of_name(name: str) -> list[str]:
    words = words_of(name)
    found = [word.removesuffix("s") if len(word) > len("gas") else word for word in words]
    return [word for word in found if word not in _FILLERS] or found


class Shelf:
    """The tasks that are there already: a new one must differ from each of them in name and description."""

    def __init__(self, tasks: Iterable[Task] = ()):
        self._there: list[tuple[Task, Pairs]] = []
        for task in tasks:
            self.put(task)

    def put(self, task: Task) -> None:
        self._there.append((task, pairs_of(task.description)))

    def about(self, task: Task) -> list[str]:
        """How a task is too much like one that is there, by its name and by its description."""
        return [*self._about_name(task.name), *self._about_description(task.description)]

    def _about_name(self, name: str) -> Iterator[str]:
        for there, _ in self._there:
            if are_alike(name, there.name):
                yield f"its name is too much like {there.name!r}"
                return

    def _about_description(self, description: str) -> Iterator[str]:
        mine = pairs_of(description)
        measured = [(likeness(mine, pairs), there.name) for there, pairs in self._there]
        closest, name = max(measured, default=(0.0, ""))
        if closest > MOST_LIKENESS:
            yield (
                f"its description is too much like that of {name!r}: they share {closest:.2f} of their word pairs, "
                f"and {MOST_LIKENESS} is the most"
            )
