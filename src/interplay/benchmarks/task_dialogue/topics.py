"""Topics: which of the places that a system named each of its sentences can be about."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from interplay.benchmarks.task_dialogue.city import COMMON, domain_of, known, plain
from interplay.benchmarks.task_dialogue.dialogue import Dialogue
from interplay.benchmarks.task_dialogue.telling import sentences
from interplay.benchmarks.task_dialogue.understanding import DOMAIN_WORDS

_ANY = r"both|all|each|either|they|these|former|latter|first|second"


@dataclass(frozen=True)
class Sentence:
    """A sentence of an answer, and the titles that it, or else the last before it that names any, names."""

    text: str
    said: str
    about: frozenset[str]


@dataclass(frozen=True)
class Speech:
    """All that a system said in a dialogue."""

    dialogue: Dialogue

    @property
    def text(self) -> str:
        return "\n\n".join(exchange.system for exchange in self.dialogue.exchanges)

    def of(self, domain: str, title: str) -> str:
        """What can be about one place: all but sentences that go on about others, answer by answer."""
        words = DOMAIN_WORDS.get(domain, rf"{re.escape(domain)}s?")
        of_any = re.compile(rf"\b(?:{_ANY}|{words})\b")
        return "\n\n".join(
            "\n".join(
                one.text
                for one in answer
                if not one.about or plain(title) in one.about or of_any.search(one.said)
            )
            for answer in self._answers
        )

    @cached_property
    def _answers(self) -> list[list[Sentence]]:
        return [list(self._sentences(exchange.system)) for exchange in self.dialogue.exchanges]

    def _sentences(self, answer: str) -> Iterator[Sentence]:
        about: frozenset[str] = frozenset()
        for text in sentences(answer):
            said = plain(text)
            about = frozenset(self._named_in(said)) or about
            yield Sentence(text, said, about)

    def _named_in(self, said: str) -> Iterator[str]:
        words = ["the", *said.split()]
        for number, word in enumerate(words):
            for title in {*self._titles.get(word, ()), *self._titles.get(word.removesuffix("s"), ())}:
                spoken = " ".join(words[number : number + len(title.split())])
                is_name = title not in COMMON or words[max(0, number - 1)] == "the"
                if spoken.removesuffix("s") == title.removesuffix("s") and is_name:
                    yield title

    @cached_property
    def _titles(self) -> dict[str, set[str]]:
        """The titles that were named, by their first words."""
        return _by_first_word(
            plain(known(offer.row, domain_of(offer.domain).title)) for offer in self.dialogue.offers
        )


def _by_first_word(titles: Iterable[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for title in filter(None, titles):
        found.setdefault(title.split()[0], set()).add(title)
    return found
