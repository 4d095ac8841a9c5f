"""The keeper: boards and sums of a store at once, exact, or plainly as of an earlier time while they are computed."""

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from tempfile import TemporaryDirectory
from typing import Any, Generic, TypeVar

from interplay.benchmarks import find
from interplay.core.board import Board
from interplay.core.failures import InterplayError, Mistake
from interplay.running.comparing import Group
from interplay.running.computing import answer_in, begin
from interplay.running.depending import beats_of, program, program_of, runs_in
from interplay.running.kept import (
    IN_A_HURRY,
    Computed,
    Wish,
    compute,
    decode,
    keep,
    read,
    wish_for_board,
    wish_for_groups,
)
from interplay.store.browsing import FEW, Shared
from interplay.store.database import trouble_in_words
from interplay.store.places import Store
from interplay.store.records import Records, Run
from interplay.store.sums import Sums

T = TypeVar("T")
REMEMBERED = 64  # results in memory
TURNS = 64  # wishes that may be computed at the same time, each once
UPDATED = "the program was updated since this one was started; end it and start it again"
LEAST_PAUSE = 5.0  # seconds between two computations of the same, while a large run goes on
PAUSE_FACTOR = 3  # and so many times as long as it took
WHILE_LOCKED = (
    10.0  # seconds in which nothing is kept, once the store could not be written: a page has many numbers
)


@dataclass(frozen=True)
class Kept(Generic[T]):
    """What was computed, and of when it is."""

    value: T | None  # None while it is computed for the first time
    as_of: str = ""  # the time in UTC
    stale: bool = False  # something was written since; it is computed anew
    trouble: str = ""  # why it could not be computed

    @property
    def is_being_computed(self) -> bool:
        return (self.value is None or self.stale) and not self.trouble


@dataclass
class _Errand:
    """The computing of one wish, in the background."""

    began: float
    took: float | None = None  # seconds; None while it goes on
    trouble: str = ""


@dataclass
class _Remembered:
    beats: str
    made: str
    value: Any


class Keeper:
    """Keeps what is computed of one store; for any number of threads."""

    def __init__(self, store: Store, *, few: int = FEW):
        self.store = store
        self._few = few  # conversations: what has more is computed by a process of its own
        self._lock = threading.Lock()
        self._turns = [threading.Lock() for _ in range(TURNS)]
        self._memory: OrderedDict[str, _Remembered] = OrderedDict()
        self._errands: dict[str, _Errand] = {}
        self._children: set[Popen[str]] = set()
        # boards take much memory, so one at a time; sums take little, and need not wait for them
        self._boards = ThreadPoolExecutor(1, thread_name_prefix="interplay-boards")
        self._sums = ThreadPoolExecutor(1, thread_name_prefix="interplay-sums")
        self._closed = False
        self._locked_until = 0.0

    def __enter__(self) -> "Keeper":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End what is being computed."""
        with self._lock:
            self._closed = True
            children = list(self._children)
        for child in children:
            child.terminate()
        for pool in (self._boards, self._sums):
            pool.shutdown(cancel_futures=True)

    def board(self, run: Run, changes: Mapping[str, str] | None = None) -> Kept[Board]:
        """The board of a run."""
        return self._get(wish_for_board(run, find(run.benchmark), changes))

    def groups(self, benchmark: str, changes: Mapping[str, str] | None = None) -> Kept[list[Group]]:
        """The boards of all runs of a benchmark, those that can be compared on one."""
        return self._get(wish_for_groups(find(benchmark), changes))

    def sums(self, run: Run) -> Kept[Sums]:
        """The counts of a run: conversations, verdicts, calls, tokens, money."""
        return self._get(Wish("sums", run.benchmark, (run.id,)))

    def shared(self, run: Run, first: str, second: str, names: Sequence[str]) -> list[Shared]:
        """As Browsing.shared, found at once where it was asked for before."""
        more = {"first": first, "second": second, "names": list(names)}
        found: Kept[list[Shared]] = self._get(Wish("shared", run.benchmark, (run.id,), more), at_once=True)
        return found.value or []

    def _get(self, wish: Wish, *, at_once: bool = False) -> Kept[Any]:
        with Records(self.store) as records:
            known, beats = self._look(records, wish)
            if known is not None and known.beats == beats:
                return Kept(known.value, known.made)
            if at_once or _is_small(records, beats, self._few):
                return self._compute_here(records, wish)
        trouble = self._see_to(wish)
        if known is None:
            return Kept(None, trouble=trouble)
        return Kept(known.value, known.made, stale=True, trouble=trouble)

    def _look(self, records: Records, wish: Wish) -> tuple[_Remembered | None, str]:
        """What is known of a wish, and the beats of now."""
        beats = beats_of(records, wish.runs, wish.benchmark)
        if wish.runs and wish.runs[0] not in runs_in(beats):
            raise Mistake(f"there is no run {wish.runs[0]!r} any more")
        with self._lock:
            known = self._memory.get(wish.key)
            if known is not None:
                self._memory.move_to_end(wish.key)
                if known.beats == beats:
                    return known, beats
        kept = read(records, wish)
        if kept is not None and (known is None or (kept.made >= known.made and kept.beats != known.beats)):
            known = self._remember(wish, kept, decode(wish, kept.body, records))
        return known, beats

    def _remember(self, wish: Wish, computed: Computed, value: Any) -> _Remembered:
        made = _Remembered(computed.beats, computed.made, value)
        with self._lock:
            self._memory[wish.key] = made
            self._memory.move_to_end(wish.key)
            while len(self._memory) > REMEMBERED:
                self._memory.popitem(last=False)
        return made

    def _compute_here(self, records: Records, wish: Wish) -> Kept[Any]:
        """In the thread of who asks; who asks for the same meanwhile waits, and finds it done."""
        with self._turns[hash(wish.key) % TURNS]:
            known, beats = self._look(records, wish)
            if known is None or known.beats != beats:
                value, computed = compute(records, wish)
                self._keep_if_free(records, wish, computed)
                known = self._remember(wish, computed, value)
        return Kept(known.value, known.made)

    def _keep_if_free(self, records: Records, wish: Wish, computed: Computed) -> None:
        """Somebody waits for a page: who holds the store locked is waited for once, and not for each number on it."""
        now = time.monotonic()
        if now >= self._locked_until and not keep(records, wish, computed, IN_A_HURRY):
            self._locked_until = now + WHILE_LOCKED

    def _see_to(self, wish: Wish) -> str:
        """Let it be computed in the background, unless it is, or was a moment ago; why that went wrong, if it did."""
        with self._lock:
            last = self._errands.get(wish.key)
            if last is not None:
                if last.took is None:
                    return ""
                pause = max(LEAST_PAUSE, PAUSE_FACTOR * last.took)
                if time.monotonic() < last.began + last.took + pause:
                    return last.trouble
            if self._closed:
                return ""
            errand = self._errands[wish.key] = _Errand(time.monotonic())
            pool = self._sums if wish.what == "sums" else self._boards
            pool.submit(self._carry_out, wish, errand)
        return ""

    def _carry_out(self, wish: Wish, errand: _Errand) -> None:
        """In a thread of our own: wait for the process that computes, and keep what it found."""
        errand.began = time.monotonic()
        try:
            with TemporaryDirectory(prefix="interplay-") as name:
                errand.trouble = self._compute_apart(wish, Path(name))
        except (OSError, ValueError, InterplayError) as error:
            errand.trouble = f"it could not be computed ({error})"
        finally:
            errand.took = time.monotonic() - errand.began

    def _compute_apart(self, wish: Wish, folder: Path) -> str:
        with self._lock:
            if self._closed:
                return ""
            child = begin(self.store, folder, wish)
            self._children.add(child)
        try:
            _, said = child.communicate()
        finally:
            with self._lock:
                self._children.discard(child)
        if child.returncode != 0:
            last = said.strip().splitlines()[-1:] or [f"it ended with {child.returncode}"]
            return f"it could not be computed ({last[0]})"
        computed = answer_in(folder)
        with Records(self.store) as records:
            keep(records, wish, computed)
            self._remember(wish, computed, decode(wish, computed.body, records))
        return "" if program_of(computed.beats) == program() else UPDATED


def _is_small(records: Records, beats: str, few: int) -> bool:
    """Have the runs of these beats so few conversations that nobody waits long?"""
    query = (
        "SELECT count(*) FROM (SELECT 1 FROM json_each(?) AS one JOIN runs ON runs.id = one.value"
        " JOIN conversations c ON c.run = runs.number LIMIT ?) AS few"
    )
    with trouble_in_words(records.path):
        found: int = records.db.execute(query, (json.dumps(runs_in(beats)), few + 1)).get
    return found <= few
