"""Labels in the store: draws are random and repeatable; labels are added once, changed on purpose, and kept."""

import asyncio
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interplay.core.failures import Mistake, StoreTrouble
from interplay.store.database import APPLICATION_ID
from interplay.store.journal import Journal
from interplay.store.labels import Added, Given, Labels
from interplay.store.places import Store
from interplay.store.records import Records, Run
from interplay.store.schema import MIGRATIONS
from interplay.store.writers import writer_of
from tests.analysis.planted import rated, record
from tests.store.databases import rows

COUNT = 20


@pytest.fixture
def store(place: Store) -> Store:
    return place


@pytest.fixture
def run(store: Store) -> Run:
    return record(store, "simulation", [rated(number, j=5) for number in range(COUNT)])


def label(conversation: int, value: float = 4.0, rater: str = "ann", drawn: str = "") -> Given:
    return Given(conversation, rater, "rating", value, drawn=drawn, came_from="a.csv, line 2")


class TestDrawing:
    NUMBERS = range(1, COUNT + 1)

    def test_the_same_seed_is_the_same_draw_and_is_written_once(self, store: Store, run: Run) -> None:
        with Labels(store) as labels:
            first = labels.draw(run, self.NUMBERS, 5, seed=0)
            assert labels.draw(run, reversed(self.NUMBERS), 5, seed=0) == first
            assert labels.draws(run) == [first]
        with Labels(store) as again:
            assert again.draws(run) == [first]
        assert (first.seed, first.reach, len(first.items)) == (0, 5, 5)

    def test_it_is_without_replacement_and_from_all(self, store: Store, run: Run) -> None:
        with Labels(store) as labels:
            draw = labels.draw(run, self.NUMBERS, 7, seed=3)
        assert sorted(draw.order) == list(self.NUMBERS)
        assert draw.items == draw.order[:7]

    def test_a_larger_count_goes_on_and_a_smaller_takes_nothing_back(self, store: Store, run: Run) -> None:
        with Labels(store) as labels:
            few = labels.draw(run, self.NUMBERS, 5, seed=0)
            more = labels.draw(run, self.NUMBERS, 12, seed=0)
            assert (more.id, more.order, more.made) == (few.id, few.order, few.made)
            assert more.items[:5] == few.items
            assert labels.draw(run, self.NUMBERS, 3, seed=0) == more

    def test_another_seed_or_population_is_another_draw(self, store: Store, run: Run) -> None:
        with Labels(store) as labels:
            first = labels.draw(run, self.NUMBERS, 5, seed=0)
            other = labels.draw(run, self.NUMBERS, 5, seed=1)
            grown = labels.draw(run, range(1, COUNT), 5, seed=0)
            assert len({first.id, other.id, grown.id}) == 3
            assert first.order != other.order
            assert {draw.id for draw in labels.draws(run)} == {first.id, other.id, grown.id}

    def test_every_conversation_comes_first_equally_often(self, store: Store, run: Run) -> None:
        with Labels(store) as labels:
            drawn = [labels.draw(run, range(1, 6), 2, seed=seed).items for seed in range(400)]
        counts = Counter(number for items in drawn for number in items)
        assert all(120 <= counts[number] <= 200 for number in range(1, 6))  # 160 each, give or take 4 errors
        assert len({frozenset(items) for items in drawn}) == 10  # every pair

    @pytest.mark.parametrize("count", [0, COUNT + 1])
    def test_what_cannot_be_drawn_is_refused_and_not_written(
        self, store: Store, run: Run, count: int
    ) -> None:
        with Labels(store) as labels:
            with pytest.raises(Mistake, match=f"from 1 to {COUNT} conversations can be drawn"):
                labels.draw(run, self.NUMBERS, count, seed=0)
            assert labels.draws(run) == []

    def test_draws_of_other_runs_are_not_this_run_s(self, store: Store, run: Run) -> None:
        other = record(store, "simulation", [rated(1, "other", j=5)])
        with Labels(store) as labels:
            mine = labels.draw(run, self.NUMBERS, 2, seed=0)
            theirs = labels.draw(other, [COUNT + 1], 1, seed=0)
            assert (labels.draws(run), labels.draws(other)) == ([mine], [theirs])


class TestAdding:
    def test_the_same_again_changes_nothing(self, store: Store, run: Run) -> None:
        said = [label(1), label(2), label(1, rater="bob")]
        with Labels(store) as labels:
            assert labels.add(said) == Added(new=3, changed=0, known=0)
            before = labels.of(run)
            assert labels.add(said) == Added(new=0, changed=0, known=3)
            assert labels.of(run) == before
        assert len(rows(store, "SELECT * FROM labels")) == 3

    def test_they_survive_the_end_of_the_program(self, store: Store, run: Run) -> None:
        with Labels(store) as labels:
            labels.add([label(1, 3.25)])
            before = labels.of(run)
        with Labels(store) as labels:
            assert labels.of(run) == before
        assert [(one.conversation, one.value, one.rater) for one in before] == [(1, 3.25, "ann")]
        assert before[0].made  # when it came in, where the rater did not say

    def test_another_value_is_refused_and_nothing_of_the_file_is_written(
        self, store: Store, run: Run
    ) -> None:
        with Labels(store) as labels:
            labels.add([label(1, 4)])
            before = labels.of(run)
            with pytest.raises(
                Mistake, match=r"'ann' gave conversation 1 4 for 'rating' before .* and now 2; --replace"
            ):
                labels.add([label(2), label(1, 2), label(3)])
            assert labels.of(run) == before

    def test_replacing_keeps_what_was_said_before(self, store: Store, run: Run) -> None:
        with Labels(store) as labels:
            labels.add([label(1, 4), label(2, 4)])
            assert labels.add([label(1, 2), label(2, 4)], replace=True) == Added(new=0, changed=1, known=1)
            assert [one.value for one in labels.of(run)] == [2, 4]
            assert labels.add([label(1, 2)]) == Added(new=0, changed=0, known=1)
        history = rows(store, "SELECT value FROM labels WHERE conversation = 1 ORDER BY number")
        assert history == [(4.0,), (2.0,)]

    def test_what_was_said_before_of_no_draw_can_be_said_of_one(self, store: Store, run: Run) -> None:
        with Labels(store) as labels:
            labels.add([label(1), label(2, drawn="by hand")])
            drawn = [label(1, drawn="draw-1"), label(2, drawn="draw-1")]
            assert labels.add(drawn) == Added(new=0, changed=2, known=0)
            assert [one.drawn for one in labels.of(run)] == ["draw-1", "draw-1"]
            assert labels.add([label(1), label(2, drawn="draw-2")]) == Added(new=0, changed=0, known=2)
            assert [one.drawn for one in labels.of(run)] == ["draw-1", "draw-1"]

    def test_labels_of_other_runs_are_not_this_run_s(self, store: Store, run: Run) -> None:
        other = record(store, "simulation", [rated(1, "other", j=5)])
        with Labels(store) as labels:
            labels.add([label(1), label(COUNT + 1)])
            assert [one.conversation for one in labels.of(run)] == [1]
            assert [one.conversation for one in labels.of(other)] == [COUNT + 1]

    def test_a_label_of_a_conversation_that_is_not_there_takes_no_other_in(
        self, store: Store, run: Run
    ) -> None:
        with Labels(store) as labels:
            with pytest.raises(StoreTrouble, match=r"(?i)foreign key"):
                labels.add([label(1), label(999)])
            assert labels.of(run) == []

    @settings(max_examples=25, deadline=None)
    @given(
        st.lists(
            st.tuples(
                st.integers(1, COUNT),
                st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=8),
                st.floats(0, 10),
            ),
            max_size=12,
            unique_by=lambda one: one[:2],
        )
    )
    def test_whatever_is_said_comes_back(self, said: list[tuple[int, str, float]]) -> None:
        with TemporaryDirectory() as folder:
            store = Path(folder) / "a.db"
            run = record(store, "simulation", [rated(number) for number in range(COUNT)])
            with Labels(store) as labels:
                labels.add([label(number, value, rater) for number, rater, value in said])
                found = [(one.conversation, one.rater, one.value) for one in labels.of(run)]
        assert found == sorted(said)


class TestTheStore:
    def test_labels_and_draws_go_with_their_run_and_no_other(self, store: Store, run: Run) -> None:
        kept = record(store, "simulation", [rated(1, "kept", j=5)])
        with Labels(store) as labels:
            labels.add([label(1), label(COUNT + 1)])
            labels.draw(run, range(1, COUNT + 1), 2, seed=0)
            labels.draw(kept, [COUNT + 1], 1, seed=0)
        asyncio.run(forget(store, run))
        with Labels(store) as labels, Records(store) as records:
            assert [one.id for one in records.runs()] == [kept.id]
            assert len(labels.of(kept)) == len(labels.draws(kept)) == 1
        assert rows(store, "SELECT conversation FROM labels") == [(COUNT + 1,)]
        assert len(rows(store, "SELECT id FROM draws")) == 1

    def test_a_store_of_the_version_before_takes_labels(self, tmp_path: Path) -> None:
        store = tmp_path / "a.db"
        run = record(store, "simulation", [rated(number, j=5) for number in range(COUNT)])
        old = tmp_path / "old.db"
        db = apsw.Connection(os.fspath(old))
        db.pragma("journal_mode", "wal")
        for step in MIGRATIONS[:2]:
            db.execute(step)
        db.pragma("application_id", APPLICATION_ID)
        db.pragma("user_version", 2)
        db.execute("ATTACH ? AS now", (os.fspath(store),))
        for table in ("runs", "scenarios", "conversations", "verdicts"):
            columns = ", ".join(row[1] for row in db.execute(f"PRAGMA main.table_info({table})"))
            db.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM now.{table}")
        db.close()
        with Labels(old) as labels, Records(old) as records:
            assert records.db.pragma("user_version") == len(MIGRATIONS)
            found = records.find(run.id)
            assert found == run
            draw = labels.draw(found, range(1, COUNT + 1), 4, seed=0)
            labels.add([replace(label(number), drawn=draw.id) for number in draw.items])
            assert len(labels.of(found)) == 4
            assert len(records.conversations(found)) == COUNT
            assert records.integrity() == "ok"
        with Labels(store) as labels:
            assert labels.draw(run, range(1, COUNT + 1), 4, seed=0).order == draw.order  # whatever the store


async def forget(store: Store, run: Run) -> None:
    writer = writer_of(store)
    try:
        await Journal(writer, run.number).forget()
    finally:
        await writer.close()
