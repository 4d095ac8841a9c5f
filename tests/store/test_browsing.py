"""Pages of conversations are the same however large the run is, and the same as looking through all of them."""

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from interplay.core.failures import Mistake
from interplay.store.browsing import MOST_RAW, Browsing, Listed, Page, Wanted
from interplay.store.places import Server, Store
from interplay.store.records import Records, Run
from tests.store.databases import KINDS, of_kind
from tests.store.replayed import make_replayed
from tests.web.big_store import MODELS, make_store

SIZE = 7


@pytest.fixture(scope="module", params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Two runs of the same scenarios, in turn in the record; some conversations were played anew, some are open."""
    path = tmp_path_factory.mktemp("browsing") / "a.db"
    make_replayed(path)
    return of_kind(request.param, request, path)


@pytest.fixture
def records(store: Store) -> Iterator[Records]:
    with Records(store) as made:
        yield made


def run_of(records: Records) -> Run:
    return records.runs()[0]


def all_listed(records: Records, wanted: Wanted) -> list[Listed]:
    """What is wanted, by looking through everything."""
    rows = sorted(records.conversations(run_of(records)), key=lambda row: row.number)
    return [
        Listed(r.number, r.scenario.label, r.scenario.id, r.subject, r.repeat, r.take, r.state, r.failure)
        for r in rows
        if wanted.subject in ("", r.subject)
        and wanted.state in ("", r.state)
        and wanted.failure in ("", r.failure)
        and wanted.scenario in ("", r.scenario.id)
        and wanted.search.casefold() in r.scenario.label.casefold()
    ]


def forwards(browsing: Browsing, run: Run, wanted: Wanted) -> list[Page]:
    pages = [browsing.page(run, wanted, size=SIZE)]
    while pages[-1].has_after:
        pages.append(browsing.page(run, wanted, after=pages[-1].rows[-1].number, size=SIZE))
    return pages


def backwards(browsing: Browsing, run: Run, wanted: Wanted) -> list[Page]:
    pages = [browsing.page(run, wanted, before=10**9, size=SIZE)]
    while pages[-1].has_before:
        pages.append(browsing.page(run, wanted, before=pages[-1].rows[0].number, size=SIZE))
    return pages[::-1]


def wishes(records: Records) -> list[Wanted]:
    first = records.conversations(run_of(records))[0].scenario
    word = first.label.split()[0].upper()
    return [
        Wanted(subject, state, failure, scenario, search)
        for subject, state, failure, scenario, search in product(
            ("", MODELS[1]), ("", "done", "void", "open"), ("", "loop"), ("", first.id), ("", word, "%")
        )
    ]


@pytest.mark.parametrize("few", [0, 10**6], ids=["as a large run", "as a small one"])
def test_pages_have_all_that_is_wanted_in_order_and_nothing_twice(records: Records, few: int) -> None:
    browsing, run = Browsing(records, few=few), run_of(records)
    lengths = set()
    sparse = (
        5 if isinstance(records.path, Server) else 1
    )  # a server is asked the same, one by one, and takes longer
    for wanted in wishes(records)[::sparse]:
        expected = all_listed(records, wanted)
        lengths.add(len(expected))
        for pages in (forwards(browsing, run, wanted), backwards(browsing, run, wanted)):
            assert [row for page in pages for row in page.rows] == expected, wanted
            assert [page.has_before for page in pages] == [False] + [True] * (len(pages) - 1)
            assert [page.has_after for page in pages] == [True] * (len(pages) - 1) + [False]
    assert len(lengths) > (5 if sparse > 1 else 8)  # so many different lists were looked at


def test_what_nobody_asked_for_is_empty(records: Records) -> None:
    browsing, run = Browsing(records), run_of(records)
    for wanted in (Wanted(subject="nobody"), Wanted(search="no such label"), Wanted(scenario="none")):
        assert browsing.page(run, wanted) == Page((), False, False)
    assert browsing.page(run, before=10**40).rows
    assert not browsing.page(run, after=10**9).rows
    assert browsing.page(run, after=10**9).has_before


def test_a_page_leaves_no_transaction_behind(records: Records) -> None:
    browsing = Browsing(records)
    browsing.page(run_of(records), size=1)
    assert not records.db.in_transaction
    with pytest.raises(Mistake):
        browsing.call(10**9)


def test_subjects_and_counts_are_those_of_the_run(records: Records) -> None:
    browsing, run = Browsing(records), run_of(records)
    assert browsing.subjects(run) == sorted(MODELS)
    everything = records.db.execute("SELECT count(*) FROM conversations WHERE run = ?", (run.number,)).get
    assert browsing.count_up_to(run, 10**6) == everything
    assert browsing.count_up_to(run, 5) == 5


def test_a_call_has_all_that_was_asked_and_answered(records: Records) -> None:
    browsing = Browsing(records)
    number = next(row.number for row in records.conversations(run_of(records)) if row.state == "done")
    calls = browsing.calls_of(number)
    assert [(one.stage.split()[0], one.step) for one in calls] == [
        *(("play", 0), ("play", 0), ("play", 1), ("play", 1)),
        *(("judge", 0), ("judge", 0)),
    ]
    whole = browsing.call(calls[3].number)
    assert whole.listed == calls[3]
    assert whole.messages[-1].role == "user"
    assert whole.messages == tuple(records.view(number, "player")[:-1])
    assert whole.settings["sampling"]["temperature"] == 0.6
    assert json.loads(whole.raw)["choices"]
    assert whole.raw_size == len(whole.raw)


def test_what_came_over_the_wire_is_shown_whatever_it_is(store: Store, records: Records) -> None:
    number = records.db.execute("SELECT min(number) FROM calls").get
    before = records.db.execute("SELECT raw FROM calls WHERE number = ?", (number,)).get
    raw = b"\xff\x00" + b"x" * (MOST_RAW + 5)
    try:
        records.db.execute("UPDATE calls SET raw = ? WHERE number = ?", (raw, number))
        found = Browsing(records).call(number)
        assert found.raw == "�\0" + "x" * (MOST_RAW - 2)
        assert found.raw_size == len(raw)
        records.db.execute("UPDATE calls SET raw = NULL WHERE number = ?", (number,))
        assert Browsing(records).call(number).raw == ""
    finally:
        records.db.execute("UPDATE calls SET raw = ? WHERE number = ?", (before, number))


def naive_values(records: Records, model: str, name: str) -> list[tuple[float, int, str]]:
    newest = {
        r.number for r in records.conversations(run_of(records)) if (r.subject, r.state) == (model, "done")
    }
    return [
        (v, number, source)
        for number, n, source, v in records.scores(run_of(records))
        if n == name and number in newest
    ]


def test_shared_scenarios_come_with_either_mean_where_they_differ_most_first(records: Records) -> None:
    run = run_of(records)
    rows = {row.number: row.scenario.id for row in records.conversations(run)}
    means = []
    for model in MODELS[:2]:
        by_scenario: dict[str, list[float]] = {}
        for value, number, _ in naive_values(records, model, "fluency"):
            by_scenario.setdefault(rows[number], []).append(value)
        means.append({id: (sum(v) / len(v), len(v)) for id, v in by_scenario.items()})
    found = Browsing(records).shared(run, MODELS[0], MODELS[1], ["fluency"])
    assert {one.scenario for one in found} == means[0].keys() & means[1].keys()
    for one in found:
        assert (one.first, one.first_count) == pytest.approx(means[0][one.scenario])
        assert (one.second, one.second_count) == pytest.approx(means[1][one.scenario])
    sizes = [abs(one.difference) for one in found]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("kind", KINDS)
def test_of_models_that_sat_together_each_has_the_scores_of_its_seat(
    request: pytest.FixtureRequest, kind: str, tmp_path: Path
) -> None:
    run = make_store(tmp_path / "a.db", 4, scenarios=1)
    path = of_kind(kind, request, tmp_path / "a.db")
    cast = json.dumps({"first": "openai/x", "second": "openai/y"})
    with Records(path) as records:
        number = records.db.execute("SELECT min(number) FROM conversations WHERE state = 'done'").get
        records.db.execute(
            "UPDATE conversations SET subject = 'openai/x + openai/y', cast_roles = ? WHERE number = ?",
            (cast, number),
        )
        records.db.execute("DELETE FROM scores WHERE conversation = ?", (number,))
        for source, value in (("rule: first", 1.0), ("rule: second", 2.0), ("rule: rounds played", 3.0)):
            records.db.execute("INSERT INTO scores VALUES (?, 'found', ?, ?)", (number, source, value))
        [found] = Browsing(records).shared(run, "openai/x", "openai/y", ["found"])
        assert (found.first, found.second) == (2.0, 2.5)  # each its own, and the one that is of both
        assert Browsing(records).shared(run, "openai/x", "openai/z", ["found"]) == []
