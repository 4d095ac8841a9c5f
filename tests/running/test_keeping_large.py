"""Pages of a run are read as quickly when it has a thousand times as many conversations."""

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest

from interplay.benchmarks import find
from interplay.running.keeping import Keeper
from interplay.running.progress import progress_of
from interplay.running.results import board_of
from interplay.store.browsing import Browsing, Wanted
from interplay.store.records import Records, Run
from tests.web.big_store import MODELS, make_store

READS = 51
FLOOR = 0.002  # seconds: what is quicker says nothing
MOST = 5  # times as long
LONGEST = 600.0  # seconds until the board of the large run is there
ROLE_PLAY = find("role_play")


class Reader:
    """Reads of one store, all that a page of a run needs."""

    def __init__(self, store: Path, run: Run):
        self.store, self.run = store, run
        self.records = Records(store)
        self.keeper = Keeper(store)
        self.last = int(self.records.db.execute("SELECT max(number) FROM conversations").get)
        self.scenario = self.records.scenarios(run)[3]

    def close(self) -> None:
        self.keeper.close()
        self.records.close()

    def compute(self) -> None:
        """Have the board and the sums computed, by whomever."""
        deadline = time.monotonic() + LONGEST
        while self.keeper.board(self.run).value is None or self.keeper.sums(self.run).value is None:
            assert time.monotonic() < deadline
            time.sleep(0.1)

    def reads(self) -> dict[str, Callable[[], object]]:
        browsing, keeper, run, middle = Browsing(self.records), self.keeper, self.run, self.last // 2
        names = ["fluency"]
        return {
            "first page": lambda: browsing.page(run),
            "middle page": lambda: browsing.page(run, after=middle),
            "page before": lambda: browsing.page(run, before=middle),
            "of a model": lambda: browsing.page(run, Wanted(subject=MODELS[1]), after=middle),
            "void": lambda: browsing.page(run, Wanted(state="void")),
            "a failure": lambda: browsing.page(run, Wanted(failure="loop")),
            "of a scenario": lambda: browsing.page(run, Wanted(scenario=self.scenario.id), after=middle),
            "search": lambda: browsing.page(run, Wanted(search=self.scenario.label[:6])),
            "found nowhere": lambda: browsing.page(run, Wanted(search="no such label")),
            "one conversation": lambda: self.records.conversation(middle),
            "its calls": lambda: browsing.calls_of(middle),
            "one call": lambda: browsing.call(browsing.calls_of(middle)[0].number),
            "progress": lambda: progress_of(self.records, run, ROLE_PLAY),
            "board": lambda: keeper.board(run).value,
            "sums": lambda: keeper.sums(run).value,
            "shared": lambda: keeper.shared(run, MODELS[0], MODELS[1], names),
        }


def ratio_of(small: Callable[[], object], large: Callable[[], object]) -> float:
    """How many times as long the large one takes, by the medians of many reads.

    In the time of this thread alone: what others do on a busy machine is not counted. The first of each, which fills
    what is kept, is not among them.
    """
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(READS + 1):
        for read, taken in zip((small, large), times, strict=True):
            start = time.thread_time()
            read()
            taken.append(time.thread_time() - start)
    short, long = (median(taken[1:]) for taken in times)
    return long / max(FLOOR, short)


def slower(small: Reader, large: Reader) -> dict[str, float]:
    """How many times as long each read takes in the large store."""
    long = large.reads()
    return {name: ratio_of(read, long[name]) for name, read in small.reads().items()}


@pytest.mark.slow
def test_pages_of_two_hundred_thousand_conversations_are_as_quick_as_of_two_hundred(tmp_path: Path) -> None:
    readers = []
    for count, scenarios in ((200, 25), (200_000, 50)):
        store = tmp_path / f"{count}.db"
        readers.append(Reader(store, make_store(store, count, scenarios=scenarios)))
    try:
        for reader in readers:
            reader.compute()
        ratios = slower(*readers)
        assert max(ratios.values()) <= MOST, ratios
        found = readers[1].keeper.board(readers[1].run)
        assert not found.stale
        assert sum(row["n"] for row in found.value.rows) > 190_000
    finally:
        for reader in readers:
            reader.close()


def test_of_a_large_run_the_keeper_has_the_board_that_the_records_have(tmp_path: Path) -> None:
    run = make_store(tmp_path / "a.db", 2_200)  # more than are computed in the thread of who asks
    reader = Reader(tmp_path / "a.db", run)
    try:
        assert reader.keeper.board(run).value is None
        reader.compute()
        assert reader.keeper.board(run).value == board_of(reader.records, run, ROLE_PLAY)
        assert all(read() is not None for read in reader.reads().values())
    finally:
        reader.close()
