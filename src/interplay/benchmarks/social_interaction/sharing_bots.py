"""Bots who tell a planted part of what they know, players with planted habits, and judges with planted errors."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import comb
from random import Random
from typing import Any

from interplay.benchmarks.social_interaction.knowledge import Knowledge, Point, shipped
from interplay.benchmarks.social_interaction.protocol import ACT, BOTH, PASS, SPEAK
from interplay.core.wire import digest_of
from interplay.models.loopback import Asked

AT_ONCE = 2  # points that are told in one move at most
KEY_POINTS = 5  # of every piece that ships
BESIDE = 0.5  # the chance that a player has a remark in place of a point that was not told
NOTHING = "I learned nothing."  # an answer must have words
_SIGN = re.compile(r"the sign (\d+)\b")
_FENCED = re.compile(r"<<([0-9a-f]{12})\n(.*?)\n\1>>", re.DOTALL)
QUESTIONS = (
    "What else do you know of this?",
    "Who told you about it, and when was that?",
    "How sure are you, and what would you bet on it?",
    "Is there more to it than you let on?",
    "Please go on, we are all ears.",
    "And what became of it afterwards?",
    "Could you say that again, slowly?",
    "Why has nobody looked into it before?",
)
REMARKS = (  # that are about nothing anybody knows
    "The evening was long and somebody else paid for the soup.",
    "My left boot has to be mended before we leave.",
    "We agreed to share the blankets from now on.",
    "The dog under the table belongs to nobody here.",
    "It rained twice while we sat there.",
    "There are nine steps up to the door.",
    "Somebody hummed the same tune all the time.",
    "The bread was of yesterday.",
)


def _draws(*parts: Any) -> Random:
    """What is planted is drawn by a hash, so that the same session goes the same way whenever it is played."""
    return Random(digest_of(list(parts)))  # noqa: S311  # plays a game, guards nothing


def _move(act: str = "", say: str = "") -> str:
    kind = BOTH if act and say else ACT if act else SPEAK if say else PASS
    return json.dumps({"move": kind, "act": act, "say": say}, ensure_ascii=False)


@cache
def _points() -> tuple[Point, ...]:
    """All key points that ship; a sign is a place in this list."""
    return tuple(point for piece in shipped() for point in piece.points)


@cache
def _by_point() -> Mapping[str, Point]:
    return {point.point: point for point in _points()}


def told_in(text: str) -> set[int]:
    """The points that a text tells in the words that ship for them, by their places."""
    return {place for place, point in enumerate(_points()) if point.said in text}


@dataclass(frozen=True)
class Teller:
    """Plays all four seats: whoever knows something tells each of its key points with this chance.

    Of those that are told, some are only shown as a sign, which says nothing to a judge: the next player reads it out
    and so is the first to tell. Players ask, pass on what they heard, and in the interview recite exactly that.
    """

    share: float
    shown: float = 0.0  # of the points that are told, the share that a player tells first

    def script(self, seed: int) -> Callable[[Asked], str]:
        """How the bot answers the loopback provider."""

        def answer(asked: Asked) -> str:
            told = [str(message["content"]) for message in asked.messages]
            turn = sum(message["role"] == "assistant" for message in asked.messages)
            lots = _draws(seed, asked.model, told[0], turn)
            if asked.schema is None:
                return self._recited(told, lots)
            piece = next((one for one in shipped() if f"\n{one.title}\n" in told[0]), None)
            if piece is None:
                return self._played(told, lots)
            return self._told(piece, turn, lambda place: _draws(seed, asked.model, told[0], "point", place))

        return answer

    def _told(self, piece: Knowledge, turn: int, lots: Callable[[int], Random]) -> str:
        """A few points in each of the first moves, each by a draw of its own."""
        said, signs = [], []
        for place, point in list(enumerate(piece.points))[AT_ONCE * turn : AT_ONCE * (turn + 1)]:
            drawn = lots(place)
            if drawn.random() < self.share:
                if drawn.random() < self.shown:
                    signs.append(f"draws the sign {_points().index(point)} in the dust")
                else:
                    said.append(point.said)
        return _move(" and ".join(signs), " ".join(said))

    def _played(self, told: Sequence[str], lots: Random) -> str:
        """Read out the signs that nobody has read out yet; else ask, and now and then pass on what was told."""
        everything = "\n".join(told)
        heard = told_in(everything)
        unread = [int(sign) for sign in _SIGN.findall(everything) if int(sign) not in heard]
        if unread:
            return _move(say=" ".join(_points()[sign].said for sign in dict.fromkeys(unread)))
        question = lots.choice(QUESTIONS)
        if heard and lots.random() < 0.5:
            return _move(say=f"{_points()[lots.choice(sorted(heard))].said} {question}")
        return _move(say=question)

    def _recited(self, told: Sequence[str], lots: Random) -> str:
        """All that was told, a line each in any order; of what was not, some remarks have the place."""
        lines = [_points()[place].said for place in sorted(told_in("\n".join(told)))]
        rest = sum(lots.random() < BESIDE for _ in range(KEY_POINTS - len(lines)))
        lines += lots.sample(REMARKS, rest)
        lots.shuffle(lines)
        return "\n".join(lines) or NOTHING


@dataclass(frozen=True)
class Fidget:
    """Plays all four seats; its players' moves come in a fixed order of habits, over and over."""

    habits: tuple[str, ...]  # of each turn: speak, again (the words of the first move), empty, pass

    def script(self, seed: int) -> Callable[[Asked], str]:
        def answer(asked: Asked) -> str:
            if asked.schema is None:
                return NOTHING
            told = [str(message["content"]) for message in asked.messages]
            turn = sum(message["role"] == "assistant" for message in asked.messages)
            words = _draws(seed, asked.model, told[0]).sample(_points(), turn + 1)
            habit = self.habits[turn % len(self.habits)]
            if habit == "again":
                return _move(say=words[0].wrong)
            if habit == "empty":
                return json.dumps({"move": SPEAK, "act": "not to be seen, since nothing is done", "say": " "})
            return _move(say=words[-1].wrong if habit == SPEAK else "")

        return answer


@dataclass(frozen=True)
class Matcher:
    """A judge that knows what ships: sums up line by line, and pairs what is said and what is not at known rates.

    Each known point is drawn by itself. One that the list says is paired with the statement that says it; any other,
    where it is paired at all, with a statement that is left: there may be none, since every number is used once.
    """

    found: float = 1.0
    false: float = 0.0

    def script(self, seed: int) -> Callable[[Asked], str]:
        def answer(asked: Asked) -> str:
            return self.answer(str(asked.messages[-1]["content"]), asked.schema or {}, [seed, asked.model])

        return answer

    def answer(self, question: str, schema: Mapping[str, Any], draw: Sequence[Any]) -> str:
        """By the form of the reply; marks, which differ from run to run, are in no draw."""
        texts = [inner for _, inner in _FENCED.findall(question)]
        fields = schema["properties"]
        if "points" in fields:
            lines = [line for line in texts[0].splitlines() if line.strip() and line != NOTHING]
            return json.dumps({"points": lines[: fields["points"]["maxItems"]]}, ensure_ascii=False)
        if "pairs" in fields:
            return json.dumps({"pairs": self._pairs(_listed(texts[0]), _listed(texts[1]), draw)})
        known = [_by_point()[text].said for text in _listed(texts[-1])]
        return json.dumps(dict(zip(fields, (_first(said, texts[:-1]) for said in known), strict=True)))

    def _pairs(
        self, known: Sequence[str], learned: Sequence[str], draw: Sequence[Any]
    ) -> list[dict[str, int]]:
        drawn = [_draws(*draw, known, learned, place).random() for place in range(len(known))]
        saying = {text: number for number, text in enumerate(learned, 1)}
        pairs: dict[int, int] = {}
        unsaid = []
        for place, text in enumerate(known):
            number = saying.get(_by_point()[text].said)
            if number is None:
                unsaid += [place + 1] if drawn[place] < self.false else []
            elif drawn[place] < self.found:
                pairs[number] = place + 1
        left = [number for number in range(1, len(learned) + 1) if number not in pairs]
        _draws(*draw, known, learned, "left").shuffle(left)
        pairs |= dict(zip(left, unsaid, strict=False))
        return [{"learned": number, "known": place} for number, place in pairs.items()]

    def expected(self, share: float) -> float:
        """The share of known points that is paired, where each is said with this chance and else half are made up for.

        So it is in planted lists, at a half, and in what players recite.
        """
        total = 0.0
        for said, listed in ((s, s + w) for s in range(KEY_POINTS + 1) for w in range(KEY_POINTS - s + 1)):
            lists = _binomial(KEY_POINTS, said, share) * _binomial(KEY_POINTS - said, listed - said, BESIDE)
            for right in range(said + 1):
                for wrong in range(KEY_POINTS - said + 1):
                    chance = _binomial(said, right, self.found) * _binomial(
                        KEY_POINTS - said, wrong, self.false
                    )
                    total += lists * chance * (right + min(wrong, listed - right))
        return total / KEY_POINTS

    def expected_false(self) -> float:
        """The share of unsaid points that is paired in planted lists: at times no statement is left for one."""
        return 2 * (self.expected(0.5) - 0.5 * self.found)


def _binomial(n: int, k: int, chance: float) -> float:
    return float(comb(n, k) * chance**k * (1 - chance) ** (n - k))


def _listed(text: str) -> list[str]:
    return [line.split(". ", 1)[1] for line in text.splitlines()]


def _first(said: str, moves: Sequence[str]) -> int:
    return next((number for number, move in enumerate(moves, 1) if said in move), 0)
