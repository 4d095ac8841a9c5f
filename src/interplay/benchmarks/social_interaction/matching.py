"""The judge of information exchange: key points of what is known and of what was learned, paired one to one."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Annotated, Any

from interplay.benchmarks.social_interaction.knowledge import LONGEST_POINT
from interplay.benchmarks.social_interaction.planting import digest_of_planting, planted_for
from interplay.benchmarks.social_interaction.protocol import PROMPTS, Session, heard
from interplay.benchmarks.social_interaction.scenarios import PLAYERS
from interplay.core.benchmark import Options, Scenario, Span
from interplay.core.conversation import Conversation, Seat
from interplay.core.failures import Unreadable
from interplay.core.forms import JsonForm, Longest, Range, object_schema, schema_of
from interplay.core.prompts import Prompts
from interplay.core.wire import digest_of
from interplay.judging.fence import fenced, mark_of

JUDGE = "judge"
USED = ("judge_brief", "judge_points", "judge_pairs", "judge_first")
PLANTED = "pairs of a list"  # as the mark of the call knows it
Pair = tuple[int, int]  # a learned point and a known one, both from 1


@dataclass(frozen=True)
class Matching:
    """The judging step of one session of information exchange; points and moves are numbered from 1."""

    options: Options

    name = "matching"

    @cached_property
    def digest(self) -> str:
        texts = [self._prompts.texts[name] for name in USED]
        return digest_of([self.name, texts, self._count, LONGEST_POINT, digest_of_planting()])

    def calls(self, scenario: Scenario, cast: Mapping[str, str], judge: str) -> Span:
        """Least where no player has learned anything and nobody has said a word: the planted list alone."""
        asked = 0 if self._own_points(scenario.content) else 1
        return asked + 1, asked + 2 * PLAYERS + 2

    async def __call__(self, talk: Conversation, outcome: Session) -> Mapping[str, Any]:
        seat = talk.seat(
            talk.cast[JUDGE].model, role=JUDGE, brief=self._prompts.fill("judge_brief"), forgets=True
        )
        step = _Asking(talk, seat, self._prompts, self._count)
        known = self._own_points(talk.scenario)
        if not known:
            known = await step.points(talk.scenario["knowledge"]["text"], "known", exactly=True)
        players = []
        for one in outcome.answers:
            learned = await step.points(one.answer, f"points of {one.seat}") if has_words(one.answer) else []
            pairs = await step.pairs(known, learned, f"pairs of {one.seat}") if learned else []
            players.append({"seat": one.seat, "learned": learned, "pairs": [list(pair) for pair in pairs]})
        planted = planted_for(talk.scenario, outcome, self._count)
        found = await step.pairs(planted.known, [one.text for one in planted.learned], PLANTED)
        told = any(has_words(move.act + move.say) for move in outcome.moves)
        first = await step.first(known, outcome) if told else [0] * len(known)
        return {"known": known, "players": players, "planted": planted.outcome(found), "first": first}

    @cached_property
    def _prompts(self) -> Prompts:
        return PROMPTS.chosen(self.options["prompts"])

    @property
    def _count(self) -> int:
        return int(self.options["points"])

    def _own_points(self, content: Mapping[str, Any]) -> list[str]:
        """The key points that a piece of knowledge brings along; none where they are not as many as are asked for."""
        points = content["knowledge"].get("points", ())
        return list(points) if len(points) == self._count else []


@dataclass(frozen=True)
class _Asking:
    """The questions, each asked by itself of a judge that remembers none of the others."""

    talk: Conversation
    judge: Seat
    prompts: Prompts
    count: int

    async def points(self, text: str, call: str, exactly: bool = False) -> list[str]:
        mark, words = self._mark(call), words_of(self.count)
        self._tell(
            "judge_points",
            mark=mark,
            text=fenced(text, mark, words),
            count=str(self.count),
            longest=str(LONGEST_POINT),
            exactly="yes" if exactly else "",
            at_most="" if exactly else "yes",
        )
        return await self.talk.ask(self.judge, points_form(self.count, exactly))

    async def pairs(self, known: Sequence[str], learned: Sequence[str], call: str) -> list[Pair]:
        mark, words = self._mark(call), words_of(self.count)
        self._tell(
            "judge_pairs",
            mark=mark,
            known=fenced(_numbered(known), mark, words),
            learned=fenced(_numbered(learned), mark, words),
            last_known=str(len(known)),
            last_learned=str(len(learned)),
        )
        return await self.talk.ask(self.judge, pairs_form(len(learned), len(known)))

    async def first(self, known: Sequence[str], outcome: Session) -> list[int]:
        mark, words = self._mark("first"), words_of(self.count)
        self._tell(
            "judge_first",
            mark=mark,
            moves=moves_shown(outcome, mark, words),
            known=fenced(_numbered(known), mark, words),
            fields=", ".join(f'"{name}"' for name in point_fields(len(known))),
            last=str(len(outcome.moves)),
        )
        return await self.talk.ask(self.judge, first_form(len(known), len(outcome.moves)))

    def _mark(self, call: str) -> str:
        return mark_of(self.talk.secret, self.talk.stage, self.talk.item, call)

    def _tell(self, prompt: str, **values: str) -> None:
        self.talk.tell([self.judge], self.prompts.fill(prompt, **values))


def moves_shown(outcome: Session, mark: str, words: frozenset[str]) -> str:
    """The moves as everybody heard them; their numbers stand outside the marks, where no move can write one."""
    return "\n\n".join(
        f"Move {number}:\n{fenced(heard(move, outcome.named(move.seat)), mark, words)}"
        for number, move in enumerate(outcome.moves, 1)
    )


def has_words(text: str) -> bool:
    """Is there anything in a text that can be seen? Blanks and control characters cannot."""
    return any(unicodedata.category(character)[0] not in "CZ" for character in text)


def _numbered(points: Sequence[str]) -> str:
    """A list whose numbers begin its lines: a point is in one line and cannot begin another."""
    return "\n".join(f"{number}. {_in_one_line(point)}" for number, point in enumerate(points, 1))


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


@cache
def points_form(count: int, exactly: bool) -> JsonForm[list[str]]:
    """The form of key points: so many of them, or at most so many."""
    point = schema_of(Annotated[str, Longest(LONGEST_POINT, least=1)])
    points = {"type": "array", "items": point, "minItems": count if exactly else 0, "maxItems": count}
    return JsonForm(object_schema({"points": points}), lambda data: _points(data, exactly), exact=True)


def _points(data: Mapping[str, Any], exactly: bool) -> list[str]:
    """The points, each in one line; of an answer, what is said twice counts once."""
    points: list[str] = []
    for number, text in enumerate(map(_in_one_line, data["points"]), 1):
        if not has_words(text):
            raise Unreadable(f"Your reply does not fit the form: points[{number - 1}] must not be empty.")
        if text.casefold() not in (one.casefold() for one in points):
            points.append(text)
        elif exactly:
            raise Unreadable(f"Point {number} says what an earlier one says. Give each fact once.")
    return points


@cache
def pairs_form(learned: int, known: int) -> JsonForm[list[Pair]]:
    """The form of pairs by their numbers; every number is used once at most, so that there are never too many."""
    pair = object_schema(
        {
            "learned": schema_of(Annotated[int, Range(1, learned)]),
            "known": schema_of(Annotated[int, Range(1, known)]),
        }
    )
    pairs = {"type": "array", "items": pair, "minItems": 0, "maxItems": min(learned, known)}
    return JsonForm(object_schema({"pairs": pairs}), _one_to_one, exact=True)


def _one_to_one(data: Mapping[str, Any]) -> list[Pair]:
    """The pairs in the order of the known points; the same pair twice is the same pair."""
    pairs = sorted({(one["learned"], one["known"]) for one in data["pairs"]}, key=lambda pair: pair[::-1])
    for place, side in enumerate(("learned", "known")):
        numbers = [pair[place] for pair in pairs]
        twice = sorted({number for number in numbers if numbers.count(number) > 1})
        if twice:
            raise Unreadable(
                f"The {side} point {twice[0]} is in several pairs. Use every number once at most: keep the best pair."
            )
    return pairs


@cache
def first_form(points: int, moves: int) -> JsonForm[list[int]]:
    """The form of who told what: a field for each point, so that none can be left out, added or given twice."""
    move = schema_of(Annotated[int, Range(0, moves)])
    names = point_fields(points)
    return JsonForm(
        object_schema(dict.fromkeys(names, move)), lambda data: [data[name] for name in names], exact=True
    )


def point_fields(points: int) -> tuple[str, ...]:
    return tuple(f"point_{number}" for number in range(1, points + 1))


@cache
def words_of(points: int) -> frozenset[str]:
    """The names of all fields of a reply, which no text that is judged may spell."""
    return frozenset(("points", "pairs", "learned", "known", *point_fields(points)))
