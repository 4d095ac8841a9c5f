"""What every character and situation must be like, shipped or newly written; each complaint is one clause."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from interplay.benchmarks.role_play.cards import Character, Situation

Card = Character | Situation

LONGEST_NAME = 60  # characters
SUMMARY = (30, 199)  # characters
PERSONA = (120, 350)  # words
SITUATION = (35, 120)  # words
LONGEST_EXAMPLE, LONGEST_GREETING = 800, 400  # characters
TURNS = (4, 8)

LONGEST_SHARED_RUN = 12  # words that no two texts may have in a row
LONGEST_TOLD_RUN = 8  # words that a summary may not repeat in a row from its card
LEAST_SENTENCE, LEAST_QUOTE = 4, 3  # words; shorter ones may stand in a summary by chance
MOST_LIKENESS = 0.35
MOST_OF_THE_SECRET = 0.6  # of its words, in the summary
LEAST_OF_THE_SECRET = 0.2  # of its words, in the card, which may say it in others
LEAST_IN_SCRIPT = 0.85  # of the letters
FEW_LETTERS = 12  # say nothing of a language

KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_SCRIPTS = {"en": "LATIN", "ru": "CYRILLIC"}
_SCRIPT_NAMES = {"en": "Latin", "ru": "Cyrillic"}
_YOU = {
    "en": re.compile(r"\byou(r|rs|rself)?\b", re.IGNORECASE),
    "ru": re.compile(r"\b(ты|теб[яе]|тобой|тво[йяеёиюмхго]+|вы|вас|вам|вами|ваш\w*)\b", re.IGNORECASE),
}
_MARKUP = re.compile(r"\{\{|\}\}|<\|.*?\|>|\[/?INST\]|</?(think|user|assistant|system)>", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“”„](.+?)[\"“”]|«(.+?)»")
_SENTENCE_END = re.compile(r"[.!?…\n]+")
_LINE_OF_TALK = re.compile(r"[^:]+: \S")


def about_character(character: Character, language: str, secret: str = "") -> list[str]:
    """What is wrong with a character by itself; the secret is what its summary must not tell."""
    found = _about_texts({"name": character.name, **texts_of(character)}, language)
    if not 1 <= len(character.name) <= LONGEST_NAME or not _is_plain_line(character.name):
        found.append(f"the name is one line of at most {LONGEST_NAME} characters without a colon")
    found += _about_length("persona", len(character.persona.split()), PERSONA, "words")
    found += _about_length("summary", len(character.summary), SUMMARY, "characters")
    found += _about_length("example", len(character.example), (0, LONGEST_EXAMPLE), "characters")
    found += _about_length("greeting", len(character.greeting), (0, LONGEST_GREETING), "characters")
    if len(character.summary.splitlines()) > 1:
        found.append("the summary has several lines")
    for part, text in (("summary", character.summary), ("persona", character.persona)):
        if not _is_named(character.name, text):
            found.append(f"the name does not appear in the {part}")
    return found + _about_example(character) + _about_leaks(character, secret)


def about_situation(situation: Situation, language: str) -> list[str]:
    """What is wrong with a situation by itself."""
    found = _about_texts(texts_of(situation), language)
    found += _about_length("text", len(situation.text.split()), SITUATION, "words")
    if situation.turns not in TURNS:
        found.append(f"it has {situation.turns} turns, not {TURNS[0]} or {TURNS[1]}")
    if not _YOU[language].search(situation.text):
        found.append("the text does not address the user as you")
    return found


def texts_of(card: Card) -> dict[str, str]:
    """The prose of a card, by the name of its field; what is empty is left out."""
    fields = ("text",) if isinstance(card, Situation) else ("summary", "persona", "example", "greeting")
    return {field: getattr(card, field) for field in fields if getattr(card, field)}


def _about_texts(texts: dict[str, str], language: str) -> list[str]:
    found = []
    for name, text in texts.items():
        if share_in_script(text, language) < LEAST_IN_SCRIPT:
            found.append(f"the {name} is not in {_SCRIPT_NAMES[language]} letters")
        if _MARKUP.search(text):
            found.append(f"the {name} holds marks of a template")
        if any(map(_is_unseen, text)):
            found.append(f"the {name} holds control characters")
    return found


def share_in_script(text: str, language: str) -> float:
    """The share of letters that belong to the language's script; a text of few letters counts as wholly in it."""
    letters = [character for character in text if character.isalpha()]
    if len(letters) < FEW_LETTERS:
        return 1.0
    return sum(unicodedata.name(one, "").startswith(_SCRIPTS[language]) for one in letters) / len(letters)


def _is_unseen(character: str) -> bool:
    """Is it a control or format character, a separator of lines, or the trace of something that was unreadable?"""
    if character in "\n\t":
        return False
    return (
        unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") or character == "\ufffd"
    )


def _is_plain_line(text: str) -> bool:
    return text.isprintable() and ":" not in text


def _about_length(name: str, size: int, bounds: tuple[int, int], unit: str) -> list[str]:
    least, most = bounds
    if least <= size <= most:
        return []
    wanted = f"{least} to {most}" if least else f"at most {most}"
    return [f"the {name} has {size} {unit}, not {wanted}"]


def _is_named(name: str, text: str) -> bool:
    """Does a word of the name stand in the text, whatever its ending? Particles count only if there is no other."""
    words = words_of(name)
    beginnings = [word[: min(5, max(3, len(word) - 1))] for word in words if len(word) > 2] or words
    return any(word.startswith(tuple(beginnings)) for word in words_of(text))


def _about_example(character: Character) -> list[str]:
    lines = character.example.splitlines()
    if not all(_LINE_OF_TALK.match(line) for line in lines):
        return ["a line of the example does not begin with who speaks"]
    if lines and not any(line.startswith(f"{character.name}: ") for line in lines):
        return ["the character does not speak in the example"]
    return []


def _about_leaks(character: Character, secret: str) -> list[str]:
    """Does the summary tell what only the card may?

    It repeats eight words in a row, a whole sentence of four words that does not introduce the character, or a
    quotation of three; or it has six in ten of the secret's words, compared by their beginnings and without those
    of the name.
    """
    summary, persona = character.summary, character.persona
    told = _joined(summary)
    found = []
    sentences = [part for part in _SENTENCE_END.split(persona) if len(words_of(part)) >= LEAST_SENTENCE]
    whole = any(_joined(part) in told and not _is_named(character.name, part) for part in sentences)
    if whole or runs_of(summary, LONGEST_TOLD_RUN) & runs_of(persona, LONGEST_TOLD_RUN):
        found.append("the summary repeats a sentence or a long phrase of the card")
    quotes = [one or other for one, other in _QUOTED.findall(persona)]
    quotes = [quote for quote in quotes if len(words_of(quote)) >= LEAST_QUOTE]
    if any(_joined(quote) in told and not _is_named(character.name, quote) for quote in quotes):
        found.append("the summary repeats a quotation from the card")
    hidden = stems_of(secret) - stems_of(character.name)
    if hidden and len(hidden & stems_of(summary)) >= MOST_OF_THE_SECRET * len(hidden):
        found.append("the summary gives the secret away")
    if hidden and len(hidden & stems_of(persona)) < LEAST_OF_THE_SECRET * len(hidden):
        found.append("the card does not hold the secret")
    return found


@dataclass(frozen=True)
class _Trace:
    """What a card is compared by."""

    card: Card
    name: list[str]
    runs: frozenset[tuple[str, ...]]
    stems: frozenset[str]


class Shelf:
    """Cards that are there already: a new one must differ from each of them."""

    def __init__(self, cards: Iterable[Card] = ()):
        self._traces: list[_Trace] = []
        self._runs: dict[tuple[str, ...], str] = {}  # the id of the first card that has them
        for card in cards:
            self.put(card)

    def put(self, card: Card) -> None:
        trace = _trace_of(card)
        self._traces.append(trace)
        for run in trace.runs:
            self._runs.setdefault(run, card.id)

    def about(self, card: Card) -> list[str]:
        """How a card is too much like one that is there: by its id, its name or its text."""
        found = [] if KEBAB.fullmatch(card.id) else ["the id is not small letters and digits with hyphens"]
        mine = _trace_of(card)
        for there in self._traces:
            if card.id == there.card.id:
                found.append(f"{card.id!r} is the id of another one")
            if type(card) is type(there.card):
                found += _about_likeness(mine, there)
        sharing = sorted({self._runs[run] for run in mine.runs if run in self._runs})
        return found + [f"it shares {LONGEST_SHARED_RUN} words in a row with {id}" for id in sharing]


def _about_likeness(mine: _Trace, there: _Trace) -> list[str]:
    found = [] if not mine.name or mine.name != there.name else [f"its name is that of {there.card.id}"]
    if likeness(mine.stems, there.stems) > MOST_LIKENESS:
        found.append(f"it is much like {there.card.id}")
    return found


def _trace_of(card: Card) -> _Trace:
    texts = texts_of(card)
    runs = {run for text in texts.values() for run in runs_of(text, LONGEST_SHARED_RUN)}
    name, main = ("", card.text) if isinstance(card, Situation) else (card.name, card.persona)
    return _Trace(card, words_of(name), frozenset(runs), stems_of(main))


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of two texts' stems that both have (Jaccard), from 0 to 1.

    Any two of the shipped cards share less than .13 and any two situations less than .18; a text that was only
    reworded shares half or more.
    """
    return len(one & other) / len(one | other) if one | other else 0.0


def stems_of(text: str, least: int = 4) -> frozenset[str]:
    """The first five letters of a text's words, so that endings do not matter; short words are left out."""
    return frozenset(word[:5] for word in words_of(text) if len(word) >= least and not word.isdigit())


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold().replace("ё", "е"))


def runs_of(text: str, length: int) -> set[tuple[str, ...]]:
    """All runs of so many words, whatever their case and what stands between them."""
    words = words_of(text)
    return {tuple(words[place : place + length]) for place in range(len(words) - length + 1)}


def _joined(text: str) -> str:
    """The words of a text in a row, to look for one in another."""
    return f" {' '.join(words_of(text))} "
