"""The table where one conversation after another is played and judged, against the record."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from interplay.core.benchmark import Benchmark, Judging, Verdict
from interplay.core.conversation import Conversation
from interplay.core.failures import Cancelled, Divergence, Failure, Parked, ProviderFailure
from interplay.core.people import is_person
from interplay.judging.fence import mark_of
from interplay.running.book import Book
from interplay.running.desk import RecordedDesk
from interplay.running.divergence import Explain
from interplay.running.pairing import SideBySide
from interplay.running.plan import Work
from interplay.running.sending import Send
from interplay.running.spec import RunSpec
from interplay.running.tally import Tally
from interplay.store.records import Run

Attend = Callable[[Work], Awaitable[bool]]  # do a work; has it come to its end?
MOST_TAKES = 3  # of one conversation in one start, with a bot that cannot be rejoined


@dataclass(frozen=True)
class Setting:
    """What does not change from one conversation of a start to the next."""

    benchmark: Benchmark
    spec: RunSpec
    run: Run
    options: Mapping[str, str]  # of play
    judging_options: Mapping[str, str]
    judging: Judging
    protocol: str
    play_diverged: bool
    remembering: frozenset[str]  # the models with a memory of their own


def stage_of(judging: Judging) -> str:
    """The name of a judging step in the record; an edited rubric is another."""
    verb = "pair" if isinstance(judging, SideBySide) else "judge"
    return f"{verb} {judging.name} {judging.digest[:12]}"


class Table:
    """Where conversations are played and judged."""

    def __init__(
        self,
        setting: Setting,
        book: Book,
        tally: Tally,
        send_to: Callable[[str], Send],
        *,
        explain: Explain,
        park: Callable[[int, Work], None],
    ):
        self.setting, self.book, self.tally = setting, book, tally
        self._send_to, self._explain, self._park = send_to, explain, park
        self._castings = cache(lambda cast: setting.spec.castings(setting.benchmark, dict(cast)))
        self._judge_casting = cache(
            lambda judge: setting.spec.judge_casting(setting.benchmark, judge, setting.judging_options)
        )

    async def attend(self, work: Work) -> bool:
        """Play a conversation if it is unplayed, then let every judge that is missing judge it; has it come to its end?

        One that waits for a person is left as it is: nothing is held for it.
        """
        number, outcome = work.conversation, work.outcome
        if work.play:
            try:
                number, outcome = await self._play(work)
            except Parked:
                return False
            if outcome is None and self.tally.stopping:
                return True
            self.tally.conversations_done += 1
        if number is None or outcome is None:
            self.tally.verdicts_done += len(work.judges)
            return True
        fresh = await _together([self._judge(work, number, outcome, judge) for judge in work.judges])
        if work.item:
            return True  # scores are of a conversation by itself
        verdicts = [*work.verdicts, *fresh]
        scores = self.setting.benchmark.score(outcome, verdicts, self.setting.judging_options)
        await self.book.scored(number, scores)
        return True

    async def _play(self, work: Work) -> tuple[int, Any]:
        place, protocol = work.place, self.setting.protocol
        number = await self.book.open_conversation(place, protocol, anew=work.anew)
        if await self._was_left_by_a_bot(number, work):
            number = await self.book.open_conversation(place, protocol, anew=True)
            self.tally.restarted += 1
        for take in range(1, MOST_TAKES + 1):
            try:
                return number, await self._play_as(number, work, last=take == MOST_TAKES)
            except _Restart:
                self.tally.restarted += 1
            except Divergence as problem:
                if not self.setting.play_diverged:
                    raise Divergence(
                        f"{place.scenario.label} ({place.subject}) was begun differently: {problem}; "
                        "nothing was sent for it. Play it anew with --new, or undo the change"
                    ) from problem
            number = await self.book.open_conversation(place, protocol, anew=True)
        raise AssertionError("unreachable: the last take returns or raises")

    async def _was_left_by_a_bot(self, number: int, work: Work) -> bool:
        """A bot with a memory of its own has moved on since this conversation was broken off.

        Where it is a person who was waited for, the bot was not left in the middle: it has answered all it heard.
        """
        if not self._bots(work):
            return False
        recall = await self.book.recall(number, "play", "")
        with_people = any(map(is_person, work.place.cast.values()))
        if with_people and recall.attempts.keys() == recall.finished.keys() | recall.waiting.keys():
            return False
        return bool(recall.attempts)

    def _bots(self, work: Work) -> frozenset[str]:
        return self.setting.remembering & set(work.place.cast.values())

    async def _play_as(self, number: int, work: Work, *, last: bool) -> Any:
        setting, place = self.setting, work.place
        talk = Conversation(
            self._castings(tuple(place.cast.items())),
            await self._desk(number, "play", ""),
            scenario=place.scenario.content,
            seed=f"{setting.spec.seed}/{place.scenario.id}/{place.repeat}",
            secret=self._secret(work, "play"),
            session=mark_of(setting.run.secret, "session", str(number)),
        )
        try:
            outcome = await setting.benchmark.play(talk, setting.options)
        except Parked:
            await self.book.park(number, talk.lines)
            self._park(number, work)
            raise
        except Failure as failure:
            await self.book.void(number, failure, talk.lines)
            if isinstance(failure, ProviderFailure) and self._bots(work) and not last:
                raise _Restart from failure
            self.tally.failures[failure.name] += 1
            return None
        await self.book.finish(number, outcome, talk.lines, setting.protocol)
        return outcome

    async def _judge(self, work: Work, number: int, outcome: Any, judge: str) -> Verdict:
        setting, judging = self.setting, self.setting.judging
        stage = stage_of(judging)
        talk = Conversation(
            {"judge": self._judge_casting(judge)},
            await self._desk(number, stage, work.item),
            scenario=work.place.scenario.content,
            stage=stage,
            item=work.item,
            secret=self._secret(work, judge),
            session=mark_of(setting.run.secret, "session", str(number), stage, work.item),
        )
        try:
            verdict = Verdict(judge, judging.digest, await judging(talk, outcome))
        except Failure as failure:
            self.tally.failures[failure.name] += 1
            verdict = Verdict(judge, judging.digest, None, failure.name, str(failure))
        await self.book.judged(number, work.item, verdict)
        self.tally.verdicts_done += verdict.failure != Cancelled.name
        return verdict

    def _secret(self, work: Work, who: str) -> bytes:
        """What keys the marks of one stage: the same in a replay, unknown to any candidate."""
        run, place = self.setting.run, work.place
        address = (run.id, place.scenario.id, place.cast_digest, str(place.repeat), who)
        return mark_of(run.secret, *address).encode()

    async def _desk(self, number: int, stage: str, item: str) -> RecordedDesk:
        recall = await self.book.recall(number, stage, item)
        return RecordedDesk(recall, self.book, self._explain, self._send_to)


class _Restart(Exception):
    """A dialogue with a bot that remembers was broken off and begins again."""


async def _together(judging: list[Coroutine[Any, Any, Verdict]]) -> list[Verdict]:
    """All verdicts; if one judge cannot go on, the calls of the others still come back and are recorded."""
    came_to = await asyncio.gather(*judging, return_exceptions=True)
    for one in came_to:
        if isinstance(one, BaseException):
            raise one
    return [one for one in came_to if isinstance(one, Verdict)]
