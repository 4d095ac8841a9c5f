"""Counts of a run under way, for whoever wants to watch."""

import time
from collections import Counter
from dataclasses import dataclass, field

from interplay.core.failures import FAILURES


@dataclass
class Tally:
    """What has happened since this start of the run; the record has the whole."""

    conversations: int = 0  # to do in this start
    conversations_done: int = 0
    verdicts: int = 0
    verdicts_done: int = 0
    calls: int = 0
    in_flight: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    cost_unknown: bool = False
    failed_calls: Counter[str] = field(default_factory=Counter)  # by cause
    failures: Counter[str] = field(default_factory=Counter)  # conversations and verdicts, by name
    stopping: bool = False
    used_up: bool = False  # the budget did not cover a call
    parked: int = 0  # conversations that wait for people
    restarted: int = 0  # dialogues with a bot that remembers, broken off and begun again
    lost_workers: int = 0  # processes that played for the run, ended, and had others put in their place
    workers_without_room: int = 0  # processes that a cluster had no room for
    started: float = field(default_factory=time.monotonic)

    @property
    def unanswered(self) -> int:
        """Conversations and verdicts that the same command would try again."""
        return sum(count for name, count in self.failures.items() if FAILURES[name].again)

    @property
    def is_finished(self) -> bool:
        """Was all done that there was to do, or would the same command do more?"""
        return not (self.stopping or self.used_up or self.unanswered or self.parked)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    def seconds_left(self) -> float | None:
        """A guess from the pace so far; None while there is none."""
        done, all_ = self.conversations_done + self.verdicts_done, self.conversations + self.verdicts
        return self.seconds / done * (all_ - done) if done else None
