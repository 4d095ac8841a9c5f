"""Rounds: who gets which conversation next, what counts as finished, and that nothing said is lost or there twice."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interplay.core.failures import Mistake
from interplay.core.measures import YES_OR_NO, Scale
from interplay.store.excerpts import Excerpt
from interplay.store.labels import Added, Given
from interplay.store.places import Store
from interplay.store.records import Records, Run
from interplay.store.rounds import Question, Round, Rounds, Standing
from tests.analysis.planted import rated, record, void
from tests.store.databases import rows

COUNT = 12
ASKED = (
    Question("rating", "How good is it?", Scale(1, 10), ((1.0, 2.0, "terrible"), (9.0, 10.0, "perfect"))),
    Question("refused", "Did it refuse?", YES_OR_NO),
)
GOOD = {"rating": 8.0, "refused": 0.0}


@pytest.fixture
def store(place: Store) -> Store:
    return place


@pytest.fixture
def run(store: Store) -> Run:
    return record(store, "simulation", [rated(number, j=5) for number in range(COUNT)])


@pytest.fixture
def rounds(store: Store, run: Run) -> Iterator[Rounds]:
    with Rounds(store) as found:
        yield found


def begun(rounds: Rounds, run: Run, count: int = 4, people: int = 2, seed: int = 0) -> Round:
    draw = rounds.labels.draw(run, rounds.can_be_drawn(run), count, seed)
    return rounds.begin(run, draw, ASKED, people)


class TestBeginning:
    def test_a_round_is_found_again_as_it_was(self, store: Store, rounds: Rounds, run: Run) -> None:
        made = begun(rounds, run)
        with Rounds(store) as others:
            assert others.find(made.id) == made
            assert others.of(run) == others.of() == [made]
        assert made.id.startswith("round-") and len(made.id) == len("round-") + 8
        assert (made.questions, made.people, len(made.items)) == (ASKED, 2, 4)

    def test_the_same_again_is_the_same_round(self, rounds: Rounds, run: Run) -> None:
        assert begun(rounds, run) == begun(rounds, run)
        assert begun(rounds, run).id != begun(rounds, run, people=3).id
        assert len(rounds.of(run)) == 2

    def test_a_round_is_as_long_as_it_was_asked_to_be(self, rounds: Rounds, run: Run) -> None:
        draw = rounds.labels.draw(run, rounds.can_be_drawn(run), 10, 0)
        few = rounds.begin(run, draw, ASKED, 2, count=3)
        assert few.items == draw.order[:3]
        more = rounds.begin(run, draw, ASKED, 2, count=7)
        assert (more.id, more.items) == (few.id, draw.order[:7])
        assert rounds.begin(run, draw, ASKED, 2, count=5) == more

    def test_items_are_those_of_the_draw_in_its_order_and_grow_with_it(
        self, rounds: Rounds, run: Run
    ) -> None:
        made = begun(rounds, run, count=3)
        (draw,) = rounds.labels.draws(run)
        assert made.items == draw.items
        assert begun(rounds, run, count=5).items[:3] == made.items

    def test_only_newest_takes_that_were_played_to_their_end_are_drawn(self, store: Store) -> None:
        talks = [rated(0, j=5), rated(1, j=5), void(2)]
        again = rated(1, j=6).__class__(**{**rated(1, j=6).__dict__, "anew": True})
        run = record(store, "simulation", [*talks, again])
        with Rounds(store) as rounds, Records(store) as records:
            done = [row.number for row in records.conversations(run) if row.state == "done"]
            assert rounds.can_be_drawn(run) == sorted(done)
            assert len(done) == 2

    @pytest.mark.parametrize("people", [0, 21])
    def test_too_few_or_many_people_are_refused(self, rounds: Rounds, run: Run, people: int) -> None:
        with pytest.raises(Mistake, match="from 1 to 20 people"):
            begun(rounds, run, people=people)

    def test_nothing_to_ask_is_refused(self, rounds: Rounds, run: Run) -> None:
        draw = rounds.labels.draw(run, rounds.can_be_drawn(run), 2, 0)
        with pytest.raises(Mistake, match="one criterion"):
            rounds.begin(run, draw, (), 2)

    def test_what_is_not_there_is_not_found(self, rounds: Rounds) -> None:
        assert rounds.find("round-00000000") is None


class TestNext:
    def test_one_after_the_other_until_all_are_finished(self, rounds: Rounds, run: Run) -> None:
        made = begun(rounds, run)
        for place in (1, 2, 3, 4):
            assert rounds.standing(made).next("ann") == place
            rounds.say(made, "ann", place, GOOD)
        assert rounds.standing(made).next("ann") == 0

    def test_half_an_answer_is_not_finished(self, rounds: Rounds, run: Run) -> None:
        made = begun(rounds, run)
        rounds.say(made, "ann", 1, {"rating": 3.0})
        assert rounds.standing(made).next("ann") == 1
        assert rounds.standing(made).finished == {}

    def test_what_enough_others_have_finished_is_passed_over(self, rounds: Rounds, run: Run) -> None:
        made = begun(rounds, run, people=2)
        for rater in ("ann", "bob"):
            rounds.say(made, rater, 1, GOOD)
        assert rounds.standing(made).next("cyd") == 2
        assert rounds.standing(made).open_to("cyd") == [2, 3, 4]
        assert rounds.standing(made).open_to("ann") == [1, 2, 3, 4]  # one's own can be changed
        assert rounds.standing(made).counts() == [2, 0, 0, 0]

    def test_labels_from_elsewhere_count_as_well(self, rounds: Rounds, run: Run) -> None:
        made = begun(rounds, run)
        sheet = [
            Given(made.items[0], "ann", name, value, came_from="a.csv, line 2")
            for name, value in GOOD.items()
        ]
        rounds.labels.add(sheet)
        assert rounds.standing(made).next("ann") == 2

    def test_what_settles_a_tie_is_nobody_s(self, rounds: Rounds, run: Run) -> None:
        made = begun(rounds, run, people=1)
        settled = [Given(made.items[0], "settled", name, value) for name, value in GOOD.items()]
        rounds.labels.add(settled)
        assert rounds.standing(made).next("ann") == 1
        with pytest.raises(Mistake, match="settled is no rater"):
            rounds.say(made, "settled", 1, GOOD)

    @settings(max_examples=60, deadline=None)
    @given(
        finished=st.dictionaries(st.sampled_from("abcd"), st.frozensets(st.integers(1, 6)), max_size=4),
        people=st.integers(1, 3),
        rater=st.sampled_from("abcde"),
    )
    def test_it_is_the_first_that_wants_this_rater(
        self, finished: dict[str, frozenset[int]], people: int, rater: str
    ) -> None:
        standing = Standing(
            Round("round-1", 1, "draw-1", ASKED, people, "", tuple(range(100, 106))), finished
        )
        found = standing.next(rater)
        wants = [
            place
            for place in range(1, 7)
            if place not in finished.get(rater, ())
            and sum(place in places for name, places in finished.items() if name != rater) < people
        ]
        assert found == (wants[0] if wants else 0)

    @settings(max_examples=8, deadline=None)
    @given(seed=st.integers(0, 1000), people=st.integers(1, 3), raters=st.integers(1, 4))
    def test_every_order_of_work_ends_with_each_labelled_by_as_many_as_it_takes(
        self, seed: int, people: int, raters: int
    ) -> None:
        with TemporaryDirectory() as folder:
            path, rng = Path(folder) / "a.db", Random(seed)
            run = record(path, "simulation", [rated(number, j=5) for number in range(5)])
            with Rounds(path) as rounds:
                made = begun(rounds, run, count=5, people=people)
                names = [f"rater {number}" for number in range(raters)]
                while ready := [name for name in names if rounds.standing(made).next(name)]:
                    name = rng.choice(ready)
                    rounds.say(made, name, rounds.standing(made).next(name), GOOD)
                assert rounds.standing(made).counts() == [min(people, raters)] * 5


class TestSaying:
    def test_it_is_written_once_with_the_draw_and_where_it_came_from(
        self, store: Store, rounds: Rounds, run: Run
    ) -> None:
        made = begun(rounds, run)
        assert rounds.say(made, "ann", 2, GOOD) == Added(new=2, changed=0, known=0)
        assert rounds.say(made, "ann", 2, GOOD) == Added(new=0, changed=0, known=2)
        assert rows(store, "SELECT conversation, rater, criterion, value, drawn, came_from FROM labels") == [
            (made.items[1], "ann", name, value, made.draw, f"{made.id} (page)")
            for name, value in GOOD.items()
        ]

    def test_a_second_thought_is_kept_beside_the_first_and_counts(self, rounds: Rounds, run: Run) -> None:
        made = begun(rounds, run)
        rounds.say(made, "ann", 1, GOOD)
        rounds.say(made, "ann", 1, {**GOOD, "rating": 5.0})
        said = rounds.said(made, "ann", 1)
        assert [one.value for one in said["rating"]] == [8.0, 5.0]
        assert [one.value for one in said["refused"]] == [0.0]
        assert {(one.criterion, one.value) for one in rounds.given(made)} == {
            ("rating", 5.0),
            ("refused", 0.0),
        }
        since = rounds.said(made, "ann", 1, after=said["refused"][-1].number)
        assert {name: [one.value for one in rows] for name, rows in since.items()} == {"rating": [5.0]}
        (change,) = rounds.changes(made)
        assert (change.rater, change.place, change.criterion) == ("ann", 1, "rating")
        assert (change.before.value, change.after.value) == (8.0, 5.0)

    def test_raters_are_independent(self, rounds: Rounds, run: Run) -> None:
        made = begun(rounds, run)
        rounds.say(made, "ann", 1, GOOD)
        rounds.say(made, "bob", 1, {**GOOD, "rating": 2.0})
        assert rounds.changes(made) == []
        assert [one.value for one in rounds.said(made, "ann", 1)["rating"]] == [8.0]

    @pytest.mark.parametrize("wrong", [0, -1, 5])
    def test_a_place_that_is_not_there_is_refused(self, rounds: Rounds, run: Run, wrong: int) -> None:
        with pytest.raises(Mistake, match="has 4 conversations"):
            rounds.say(begun(rounds, run), "ann", wrong, GOOD)

    def test_many_at_once_lose_nothing(self, store: Store, rounds: Rounds, run: Run) -> None:
        made = begun(rounds, run, count=COUNT, people=8)

        def label(name: str) -> None:
            with Rounds(store) as mine:
                for place in range(1, COUNT + 1):
                    mine.say(made, name, place, GOOD)

        threads = [Thread(target=label, args=(f"rater {number}",)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(rows(store, "SELECT * FROM labels")) == 8 * COUNT * len(GOOD)
        assert rounds.standing(made).counts() == [8] * COUNT


class TestExcerpts:
    def test_only_what_people_labelled_is_read(self, store: Store, rounds: Rounds, run: Run) -> None:
        made = begun(rounds, run)
        with Excerpt(store) as excerpt:
            assert excerpt.numbers(run) == []
        rounds.say(made, "ann", 1, GOOD)
        rounds.say(made, "bob", 3, GOOD)
        wanted = {made.items[0], made.items[2]}
        with Excerpt(store) as excerpt, Records(store) as records:
            assert set(excerpt.numbers(run)) == wanted
            assert excerpt.numbers(run) == [number for number in records.numbers(run) if number in wanted]
            assert excerpt.conversations(run) == [
                row for row in records.conversations(run) if row.number in wanted
            ]
            whole = records.verdicts(run)
            assert excerpt.verdicts(run) == {key: whole[key] for key in whole if key[0] in wanted}

    def test_its_state_changes_with_every_label(self, store: Store, rounds: Rounds, run: Run) -> None:
        made, seen = begun(rounds, run), set()
        for place in (1, 2, 3):
            rounds.say(made, "ann", place, GOOD)
            with Excerpt(store) as excerpt:
                seen.add(excerpt.state_of(run))
                assert excerpt.state_of(run) in seen
        assert len(seen) == 3
