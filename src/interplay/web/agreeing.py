"""Agreement while raters are at work: computed aside when somebody looks, and not more often than it is worth."""

import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime

from interplay.analysis.agreement import agreement_of
from interplay.analysis.raters import raters_board
from interplay.benchmarks import find
from interplay.core.board import Board
from interplay.core.failures import InterplayError, Mistake
from interplay.store.excerpts import Excerpt
from interplay.store.places import Store
from interplay.store.records import Run
from interplay.store.rounds import Round, Rounds

PATIENCE = 2.0  # seconds that somebody waits for it, before the page says that it is being computed
PAUSE_FACTOR = 3  # it is computed anew after so many times as long as it took


@dataclass(frozen=True)
class Agreed:
    """How far raters agree, and judges with them, as it was at a time."""

    raters: Board
    judges: Board | None
    lacking: str  # why there is nothing of judges
    as_of: str
    state: str  # of the record
    ended: float
    took: float

    def is_good_enough(self, state: str) -> bool:
        return state == self.state or time.monotonic() < self.ended + PAUSE_FACTOR * self.took


class Agreements:
    """What was computed of rounds; for any number of threads, and each round by one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[tuple[Store, str], Agreed] = {}
        self._under_way: dict[tuple[Store, str], threading.Thread] = {}

    def of(self, store: Store, round: Round, run: Run) -> Agreed | None:
        """The newest that there is; None while it is computed for the first time and that takes long."""
        key = store, round.id
        with Excerpt(store) as records:
            state = records.state_of(run)
        with self._lock:
            known = self._known.get(key)
            if known is not None and known.is_good_enough(state):
                return known
            working = self._under_way.get(key)
            if working is None or not working.is_alive():
                working = threading.Thread(target=self._compute, args=(store, round, run, state), daemon=True)
                self._under_way[key] = working
                working.start()  # it only reads: whenever the server ends, it may end too
        working.join(PATIENCE)
        return self._known.get(key)

    def _compute(self, store: Store, round: Round, run: Run, state: str) -> None:
        try:
            with Excerpt(store) as records, Rounds(store) as rounds:
                found = _agreed(records, rounds, round, run, state)
        except InterplayError:
            return  # who looks next tries again
        with self._lock:
            self._known[store, round.id] = found


def _agreed(records: Excerpt, rounds: Rounds, round: Round, run: Run, state: str) -> Agreed:
    began, as_of = time.monotonic(), datetime.now(UTC).isoformat(timespec="seconds")
    given = rounds.given(round)
    among = raters_board(given, {question.name: question.scale for question in round.questions})
    judges, lacking = None, ""
    if given:
        try:
            judges = agreement_of(records, rounds.labels, run, find(run.benchmark))
        except Mistake as mistake:
            lacking = str(mistake)
        except ValueError:  # values that the scale of now does not have
            lacking = "the run is judged on another scale now than people labelled on"
    ended = time.monotonic()
    return Agreed(among, judges, lacking, as_of, state, ended, ended - began)
