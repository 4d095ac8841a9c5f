"""What is behind a number is what analysis makes of every conversation, a page at a time."""

from collections.abc import Iterator

import pytest

from interplay.analysis.entries import Entry, entries_by
from interplay.benchmarks import find
from interplay.core.benchmark import Benchmark
from interplay.core.measures import Measure
from interplay.running.results import board_of, options_of
from interplay.store.behind import Behind
from interplay.store.places import Store
from interplay.store.records import Records, Run
from tests.store.databases import KINDS, of_kind
from tests.web.big_store import make_store
from tests.web.stocked import stock


@pytest.fixture(scope="module", params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Store:
    path = tmp_path_factory.mktemp("behind") / "a.db"
    stock(path)
    make_store(path, 400)
    return of_kind(request.param, request, path)


@pytest.fixture
def records(store: Store) -> Iterator[Records]:
    with Records(store) as found:
        yield found


def measured(run: Run, benchmark: Benchmark) -> tuple[Measure, ...]:
    return benchmark.measures(options_of(run, benchmark))


def test_every_measure_of_every_model_is_what_analysis_makes_of_it(records: Records) -> None:
    looked_at = 0
    for run in records.runs():
        benchmark = find(run.benchmark)
        measures = measured(run, benchmark)
        entries = entries_by(records, [run], benchmark, measures)
        for measure in measures:
            for model in run.identity["models"]:
                mine = {one.number: one for one in entries[measure.name] if one.model == model}
                looked_at += agree(Behind(records, run, model), measure, mine)
    assert looked_at > 1000


def agree(behind: Behind, measure: Measure, entries: dict[int, Entry]) -> int:
    found = behind.by_measure(measure, size=10_000)
    assert {one.number for one in found} == {
        number for number, one in entries.items() if one.value is not None
    }
    assert [one.value for one in found] == sorted(one.value for one in found)
    for one in found:
        assert one.value == pytest.approx(entries[one.number].value)
        assert measure.by_source(one.scores) == pytest.approx(dict(entries[one.number].values))
        assert (one.label, one.repeat) == (entries[one.number].scenario.label, entries[one.number].repeat)
    return len(found)


def test_pages_follow_each_other_without_gap_or_overlap(records: Records) -> None:
    run = records.runs()[-1]
    behind = Behind(records, run, "openai/player-a")
    measure = measured(run, find("role_play"))[0]
    for ascending in (True, False):
        every = behind.by_measure(measure, ascending=ascending, size=1000)
        paged = [
            one
            for skip in range(0, 120, 7)
            for one in behind.by_measure(measure, ascending=ascending, skip=skip, size=7)
        ]
        assert paged == every
        assert (every[0].value < every[-1].value) is ascending


def test_void_ones_are_told_by_failure_and_are_the_board_s_share(records: Records) -> None:
    run = records.runs()[-1]
    board = board_of(records, run, find("role_play"))
    for row in board.rows:
        behind = Behind(records, run, str(row["model"]))
        void = behind.void(size=1000)
        assert len(void) == sum(behind.failures().values()) == pytest.approx(100 * float(str(row["void"])))
        assert [one.failure for one in void] == sorted(one.failure for one in void)
    assert any(Behind(records, run, model).void() for model in run.identity["models"])


def test_verdicts_that_were_not_given_are_listed(records: Records) -> None:
    run = records.runs()[-1]
    found = [
        one for model in run.identity["models"] for one in Behind(records, run, model).unjudged(size=1000)
    ]
    assert found
    for one in found:
        failed = {
            verdict.judge
            for item, verdict in records.verdicts_of(one.number)
            if verdict.failure and verdict.rubric == run.extent["rubric"]
        }
        assert one.judge in failed
        assert one.failure


def test_tokens_of_all_conversations_are_the_board_s(records: Records) -> None:
    for run in records.runs():
        for model, (tokens, _) in records.usage_by_subject(run).items():
            if model in run.identity["models"]:
                used = Behind(records, run, model).most_used(size=10_000)
                assert sum(one.tokens for one in used) == tokens
                assert [one.tokens for one in used] == sorted((one.tokens for one in used), reverse=True)


def test_a_model_that_is_not_there_has_nothing(records: Records) -> None:
    run = records.runs()[0]
    behind = Behind(records, run, 'openai/"nobody')
    assert behind.subjects == []
    assert behind.score_names() == {}
    assert behind.by_measure(measured(run, find(run.benchmark))[0]) == []
    assert behind.void() == behind.unjudged() == behind.most_used() == []
