"""Where a run stands: how much of it is there, whether somebody writes it, and how long it may still take."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from interplay.core.failures import FAILURES
from interplay.running.decided import KEPT_AS as UNTIL_DECIDED
from interplay.running.progress import Progress
from interplay.store.records import Run
from interplay.store.sums import Sums

State = Literal["written", "waiting", "finished", "decided", "stopped"]
LEAST_SETTLED = 3  # conversations, before anything is said of the time that is left


@dataclass(frozen=True)
class Standing:
    """Where a run stands, from its sums and what is seen of it now."""

    run: Run
    progress: Progress
    sums: Sums
    as_of: str = ""  # of the sums, where they are not of now
    seconds_left: float | None = None

    @property
    def done(self) -> int:
        return self.sums.states.get("done", 0)

    @property
    def void(self) -> int:
        return self.sums.states.get("void", 0)

    @property
    def open(self) -> int:
        return self.sums.states.get("open", 0)

    @property
    def planned(self) -> int:
        """Conversations; what was begun belongs to the plan in any case."""
        return max(self.progress.planned, self.sums.conversations)

    @property
    def again(self) -> int:
        """Void ones that the same command tries again."""
        return sum(count for name, count in self.sums.failures.items() if _is_tried_again(name))

    @property
    def left(self) -> int:
        """Conversations that are not begun, not played to their end, or will be tried again."""
        return self.planned - self.done - self.void + self.again

    @property
    def verdicts_wanted(self) -> int:
        """Of all that is not void for good."""
        return self.progress.judges * (self.planned - self.void + self.again)

    @property
    def verdicts_left(self) -> int:
        failed = sum(count for name, count in self.sums.judge_failures.items() if not _is_tried_again(name))
        return max(0, self.verdicts_wanted - self.sums.verdicts - failed)

    @property
    def state(self) -> State:
        if self.progress.written_by:
            return "written"
        if not self.left and not self.verdicts_left:
            return "finished"
        if self.progress.waiting:
            return "waiting"
        return "decided" if self.run.extent.get(UNTIL_DECIDED, {}).get("decided") else "stopped"

    def record(self) -> dict[str, Any]:
        """The same for programs."""
        last = self.progress.last_written
        return {
            "run": self.run.id,
            "state": self.state,
            "written_by": self.progress.written_by,
            "last_written": last.isoformat(timespec="seconds") if last else None,
            "planned": self.planned,
            "played": self.done,
            "void": self.void,
            "open": self.open,
            "verdicts": self.sums.verdicts,
            "verdicts_wanted": self.verdicts_wanted,
            "calls": self.sums.finished,
            "failed_calls": self.sums.failed,
            "calls_in_last_minute": self.progress.calls_in_last_minute,
            "answer_unknown": self.sums.unknown,
            "tokens_in": self.sums.tokens_in,
            "tokens_out": self.sums.tokens_out,
            "cost": self.sums.cost,
            "seconds_left": self.seconds_left,
            "failures": dict(self.sums.failures),
            "judge_failures": dict(self.sums.judge_failures),
            "causes": dict(self.sums.causes),
            "waiting": dict(self.progress.waiting),
            "as_of": self.as_of or None,
        }


def standing_of(
    run: Run, progress: Progress, sums: Sums, *, as_of: str = "", pace: float | None = None
) -> Standing:
    """Where a run stands; its pace in calls a second, where it has one, tells how long it may still take."""
    found = Standing(run, progress, sums, as_of)
    return replace(found, seconds_left=_seconds_left(found, pace))


def _seconds_left(found: Standing, pace: float | None) -> float | None:
    """If what is left takes as many calls as what is there; None where nobody knows.

    Of verdicts that come after all was played it is not known how many calls they take, and people take their time.
    """
    settled = found.done + found.void - found.again
    is_told = pace is not None and settled >= LEAST_SETTLED
    if found.state != "written" or not found.left or found.progress.waiting or not is_told:
        return None
    share = (settled + found.open / 2) / found.planned  # those under way are half played, one with another
    return found.sums.finished * max(0.0, 1 / share - 1) / (pace or 1.0)


def _is_tried_again(failure: str) -> bool:
    return failure in FAILURES and FAILURES[failure].again


def in_words(seconds: float) -> str:
    """A time that nobody should take to the second."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return "less than a minute"
    if minutes < 90:
        return f"about {minutes} minute{'s' if minutes > 1 else ''}"
    hours = round(minutes / 60)
    return f"about {hours} hours" if hours < 36 else f"about {round(hours / 24)} days"


def counted(found: Mapping[str, int]) -> list[tuple[str, int]]:
    """Names with their counts, the most frequent first."""
    return sorted(found.items(), key=lambda one: (-one[1], one[0]))
