"""Bots with a planted ability to find words, to describe them openly or to blurt them out, and what theory expects."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import fsum, log, log2, prod, sqrt
from random import Random
from typing import Any

from interplay.benchmarks.word_guessing.words import GENERAL, TOPICS, Word, shipped
from interplay.core.wire import digest_of
from interplay.models.loopback import Asked

_OWN_WORD = re.compile(r"^Your secret word: (.+)$", re.MULTILINE)
_HEARD = re.compile(r"^Player (\d+): (.+)$", re.MULTILINE)
_PLAIN = re.compile(r"Plainly, (\d+) in the register: ")


@dataclass(frozen=True)
class Bot:
    """A player whose abilities are known: all that it does is drawn anew each time, with these chances.

    It reads its own word in its brief and finds the other one in the lists that ship. Its draws are a hash of the
    seed, its name and all that it was told, so that the same game is played the same way whenever it is played.
    """

    hazard: float = 0.0  # that it names the other word when it is asked; at 0 it never guesses
    openness: float = 0.0  # that a clue is plain: a listener understands it
    leak: float = 0.0  # that a try at a clue says its own word
    listens: bool = False  # names what the newest clues plainly say and nothing else

    def script(self, seed: int) -> Callable[[Asked], str]:
        """How the bot answers the loopback provider."""

        def answer(asked: Asked) -> str:
            told = [[message["role"], message["content"]] for message in asked.messages]
            rng = Random(digest_of([seed, asked.model, told]))  # noqa: S311  # plays a game, guards nothing
            return json.dumps(self._fill(_fields_of(asked), asked.messages, rng), ensure_ascii=False)

        return answer

    def _fill(
        self, fields: Sequence[str], messages: Sequence[Mapping[str, Any]], rng: Random
    ) -> dict[str, str]:
        own = _own_word(messages)
        if "clue" in fields:
            return {"clue": self._clue(own, rng)}
        if self.listens:
            heard = _newest_clues(messages)
            return {field: _understood(heard.get(field, "")) for field in fields}
        guess = self._guess(own, rng)
        return dict.fromkeys(fields, guess)

    def _clue(self, own: str, rng: Random) -> str:
        """Figures that tell nobody anything and never come twice, after what the bot lets out."""
        blurts, is_plain = rng.random() < self.leak, rng.random() < self.openness
        figures = " ".join(f"{rng.randrange(10**6):06}" for _ in range(6))
        if blurts:
            return f"Oops, {rng.choice(said_as(_word(own)))} came out: {figures}"
        return f"Plainly, {_numbers()[own]} in the register: {figures}" if is_plain else f"Vaguely {figures}"

    def _guess(self, own: str, rng: Random) -> str:
        """The other word in one of the ways it can be written, or what must not pass for it."""
        if not self.hazard:
            return ""
        if rng.random() < self.hazard:
            return rng.choice(written_as(_other(own)))
        return rng.choice([_apart(own, rng), own, ""])

    def hazard_against(self, describer: "Bot") -> float:
        """The chance to find this one's word in a round, where it has not been found before."""
        return describer.openness if self.listens else self.hazard


def _fields_of(asked: Asked) -> list[str]:
    if asked.schema is None:
        raise ValueError("a bot answers by the schema of a request, and this one has none")
    return list(asked.schema["properties"])


def _own_word(messages: Sequence[Mapping[str, Any]]) -> str:
    found = _OWN_WORD.search(str(messages[0]["content"]))
    if found is None:
        raise ValueError("a bot reads its word in its brief, and this one has none")
    return found[1].strip()


def _newest_clues(messages: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """What was last heard from each other player, by the name of the field that asks for its word."""
    heard = [str(message["content"]) for message in messages[1:] if message["role"] == "user"]
    return {f"player_{number}": clue for text in heard for number, clue in _HEARD.findall(text)}


def _understood(clue: str) -> str:
    found = _PLAIN.match(clue)
    return _register()[int(found[1])].text if found else ""


@cache
def _register() -> tuple[Word, ...]:
    """All words that ship; the two of a pair stand side by side."""
    pairs = [pair for topic in (GENERAL, *TOPICS) for pair in shipped(topic)]
    return tuple(word for pair in pairs for word in pair.words)


@cache
def _numbers() -> dict[str, int]:
    return {word.text: number for number, word in enumerate(_register())}


def _word(text: str) -> Word:
    return _register()[_numbers()[text]]


def _other(text: str) -> Word:
    return _register()[_numbers()[text] ^ 1]


def _apart(text: str, rng: Random) -> str:
    """Any word but the two of this one's pair."""
    pair, number = _numbers()[text] // 2 * 2, rng.randrange(len(_register()) - 2)
    return _register()[number if number < pair else number + 2].text


def written_as(word: Word) -> list[str]:
    """Ways to write a guess that all name the word."""
    return [word.text, word.text.upper(), f"The {word.text}.", f'"{word.text}"', *word.also]


def said_as(word: Word) -> list[str]:
    """Ways to say a word in a clue, all of them forbidden."""
    *first, last = word.text.split(" ")
    return [word.text, word.text.title(), f"{word.text}'s", " ".join((*first, _plural(last))), *word.also]


def _plural(noun: str) -> str:
    import lemminflect  # here, because it takes a while and not every command needs it

    found: Sequence[str] = lemminflect.getInflection(noun, "NNS", inflect_oov=False)
    return found[0] if found else noun


# What theory expects. The formulas stand here once more, apart from those that are being proven.

Finds = tuple[int, ...]  # the round in which each of some players finds the other word, 0 for never
Chances = Mapping[int, float]


@dataclass(frozen=True)
class Moments:
    """The mean and the standard deviation of a number in the games that are looked at, and how many those are."""

    mean: float
    deviation: float
    share: float = 1.0


def chances(hazard: float, rounds: int) -> dict[int, float]:
    """In which round the word is found, where each round finds it with this chance."""
    found = {number: hazard * (1 - hazard) ** (number - 1) for number in range(1, rounds + 1)}
    found[0] = (1 - hazard) ** rounds
    return {number: chance for number, chance in found.items() if chance}


def moments(
    players: Sequence[Chances],
    value: Callable[[Finds], float],
    given: Callable[[Finds], bool] = lambda finds: True,
) -> Moments:
    """Of a number of a game, over all ways that independent players can fare, or over those that are given."""
    spread: dict[float, float] = {}
    for finds, chance in _outcomes(players):
        if given(finds):
            number = value(finds)
            spread[number] = spread.get(number, 0.0) + chance
    if len(spread) == 1:  # exactly, whatever the rounding of the chances
        [(number, share)] = spread.items()
        return Moments(number, 0.0, min(share, 1.0))
    share = min(fsum(spread.values()), 1.0)
    mean = fsum(number * chance for number, chance in spread.items()) / share
    variance = fsum((number - mean) ** 2 * chance for number, chance in spread.items()) / share
    return Moments(mean, sqrt(variance), share)


def _outcomes(players: Sequence[Chances]) -> Iterator[tuple[Finds, float]]:
    for each in product(*(one.items() for one in players)):
        yield tuple(found for found, _ in each), prod(chance for _, chance in each)


def comprehension(found: int) -> float:
    return 1 / log2(1 + found) if found else 0.0


def confusion(opponents: Finds, rounds: int) -> float:
    return log(min(found or rounds + 1 for found in opponents)) / log(rounds + 1)


def age(understood: float, confused: float) -> float:
    return 0.0 if 0.0 in (understood, confused) else 2 / (1 / understood + 1 / confused)


def is_kept(finds: Finds) -> bool:
    """By the paper's filter: all words are found, the last not before the third round."""
    return all(finds) and max(finds) > 2
