"""Correction: labels that were drawn correct a judge, others are refused, and what is left out is said."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from interplay.analysis.correction import correction_board
from interplay.benchmarks import find
from interplay.core.board import Board, Estimate
from interplay.core.failures import Mistake
from interplay.store.labels import Draw, Given, Labels
from interplay.store.records import Records
from tests.analysis.planted import Talk, acted, measure_of, rated, record

SIZE = 60
Rated = Callable[[int], int]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


def board(store: Path, by: str = "", judge: str = "") -> Board:
    with Records(store) as records, Labels(store) as labels:
        run = records.find("last")
        return correction_board(records, labels, run, find(run.benchmark), measure_of(run, by), judge)


def draw(store: Path, count: int, seed: int = 0) -> Draw:
    with Records(store) as records, Labels(store) as labels:
        run = records.find("last")
        return labels.draw(run, [row.number for row in records.conversations(run)], count, seed)


def say(
    store: Path, given: Mapping[int, float], drawn: str = "", criterion: str = "rating", rater: str = "ann"
) -> None:
    with Labels(store) as labels:
        labels.add([Given(number, rater, criterion, value, drawn=drawn) for number, value in given.items()])


def truth(number: int) -> int:
    """What people say of a conversation, by its number in the record."""
    return Random(f"truth {number}").randint(2, 8)


def judged(store: Path, judge: Rated = truth, models: str = "m", size: int = SIZE) -> None:
    """A run in which a judge rates each conversation by its number."""
    places = enumerate(((n, m) for n in range(size // len(models)) for m in models), 1)
    record(store, "simulation", [rated(n, m, j=judge(number)) for number, (n, m) in places])


def labelled(store: Path, numbers: Iterable[int], drawn: str = "", people: Rated = truth) -> None:
    say(store, {number: people(number) for number in numbers}, drawn)


def rows(found: Board) -> dict[str, Any]:
    return {str(row["model"]): row for row in found.rows}


def value(cell: Any) -> float:
    assert isinstance(cell, Estimate)
    assert cell.value is not None
    return cell.value


def interval(cell: Any) -> tuple[float, float]:
    assert isinstance(cell, Estimate)
    assert cell.low is not None
    assert cell.high is not None
    return cell.low, cell.high


class TestRefusals:
    def test_no_labels(self, store: Path) -> None:
        judged(store)
        with pytest.raises(
            Mistake, match="has no labels by rating; draw some with: interplay labels draw simulation-"
        ):
            board(store)

    def test_labels_that_somebody_chose(self, store: Path) -> None:
        judged(store)
        labelled(store, range(1, 41))
        with pytest.raises(Mistake, match="were not drawn at random, and so correct nothing"):
            board(store)

    def test_labels_that_only_say_they_were_drawn(self, store: Path) -> None:
        judged(store)
        labelled(store, draw(store, 20).order[20:40], "draw-of my own")
        with pytest.raises(Mistake, match="were not drawn at random"):
            board(store)

    def test_labels_of_the_draw_beyond_what_was_given_out(self, store: Path) -> None:
        judged(store)
        found = draw(store, 10)
        labelled(store, found.order[10:30], found.id)
        with pytest.raises(Mistake, match="were not drawn at random"):
            board(store)

    def test_a_draw_of_which_somebody_passed_over_too_many(self, store: Path) -> None:
        judged(store)
        found = draw(store, 40)
        labelled(store, [number for place, number in enumerate(found.order[:40]) if place % 8], found.id)
        with pytest.raises(
            Mistake,
            match=rf"of the first 40 conversations of {found.id}, 5 have no label, .* \({found.order[0]}, ",
        ):
            board(store)

    def test_a_tenth_may_be_passed_over_and_is_counted(self, store: Path) -> None:
        judged(store)
        found = draw(store, 40)
        labelled(store, [number for place, number in enumerate(found.order[:40]) if place % 10], found.id)
        assert "Left out of those drawn: 4 passed over, 0 tied or half labelled." in board(store).notes

    def test_the_first_so_many_of_a_draw_will_do(self, store: Path) -> None:
        judged(store)
        found = draw(store, 40)
        labelled(store, found.order[:12], found.id)
        told = board(store)
        assert told.rows[0]["labels"] == 12
        assert told.notes[0] == (
            f"{found.id}: 40 of 60 conversations were drawn at random; 12 are labelled, by 1 rater."
        )

    def test_what_no_judge_said(self, store: Path) -> None:
        record(store, "simulation", [rated(n) for n in range(20)])
        found = draw(store, 20)
        labelled(store, found.items, found.id)
        with pytest.raises(
            Mistake, match=r"no judge has said rating of what was drawn from .* --model-role judge=NAME"
        ):
            board(store)

    def test_a_judge_who_is_not_there(self, store: Path) -> None:
        record(store, "simulation", [rated(n, mary=5, john=6) for n in range(20)])
        found = draw(store, 20)
        labelled(store, found.items, found.id)
        with pytest.raises(Mistake, match=r"'marry' did not judge .* by rating; did you mean 'mary'\?"):
            board(store, judge="marry")

    def test_what_is_measured_by_rule(self, store: Path) -> None:
        with Records(store, create=True) as records:
            extent = {"judges": [], "rubric": ""}
            records.begin("word_guessing-1", "word_guessing", {"options": {}, "models": []}, extent)
        with pytest.raises(Mistake, match="age is measured by rule: there is no judge to correct"):
            board(store)


class TestMeans:
    def test_a_judge_who_is_right_is_left_alone(self, store: Path) -> None:
        judged(store)
        found = draw(store, 30)
        labelled(store, found.items, found.id)
        [only] = board(store).rows
        whole = sum(map(truth, range(1, SIZE + 1))) / SIZE
        assert value(only["judge"]) == value(only["together"]) == pytest.approx(whole)
        assert value(only["people"]) == pytest.approx(sum(map(truth, found.items)) / 30)
        assert (only["flag"], value(only["bias"]), only["labels"], only["n"]) == ("", 0.0, 30, SIZE)
        assert only["worth"] > 30

    def test_a_judge_who_is_two_points_too_kind_is_flagged_and_corrected(self, store: Path) -> None:
        judged(store, lambda number: truth(number) + 2)
        found = draw(store, 30)
        labelled(store, found.items, found.id)
        told = board(store)
        [only] = told.rows
        whole = sum(map(truth, range(1, SIZE + 1))) / SIZE
        assert value(only["judge"]) == pytest.approx(whole + 2)
        assert value(only["together"]) == pytest.approx(whole)
        assert (only["flag"], value(only["bias"])) == ("differs from people", 2.0)
        low, high = interval(only["judge"])
        assert not low <= whole <= high  # which is what the flag warns of
        assert any("The judge differs from people on all models" in note for note in told.notes)

    def test_the_panel_is_corrected_or_one_judge(self, store: Path) -> None:
        talks = [rated(n - 1, kind=truth(n) + 2, strict=max(truth(n) - 1, 1)) for n in range(1, SIZE + 1)]
        record(store, "simulation", talks)
        found = draw(store, 30)
        labelled(store, found.items, found.id)
        told = board(store)
        assert told.title == "simulation by rating, the panel corrected by people"
        assert value(told.rows[0]["bias"]) == pytest.approx(0.5, abs=0.2)
        one = board(store, judge="kind")
        assert one.title == "simulation by rating, kind corrected by people"
        assert value(one.rows[0]["bias"]) == 2.0

    def test_a_row_for_each_model_with_ten_labels(self, store: Path) -> None:
        judged(store, models="ab")
        found = draw(store, SIZE)
        by_model = {"a": [n for n in found.order if n % 2], "b": [n for n in found.order if not n % 2]}
        ninth = found.order.index(by_model["a"][9])  # the tenth of a
        labelled(store, found.order[:ninth], found.id)
        told = board(store)
        mine = sum(number % 2 for number in found.order[:ninth])
        assert mine == 9
        assert "a" not in rows(told)
        assert "With fewer than 10 labels, and no row of their own: " in " ".join(told.notes)
        labelled(store, found.order[ninth : ninth + 1], found.id)
        assert rows(board(store))["a"]["labels"] == 10
        labelled(store, found.order[ninth + 1 :], found.id)
        whole = board(store)
        assert {name: row["labels"] for name, row in rows(whole).items()} == {
            "all models": 60,
            "a": 30,
            "b": 30,
        }
        assert {row["n"] for name, row in rows(whole).items() if name != "all models"} == {30}


class TestWhichLabels:
    def test_of_several_draws_the_one_with_most_counts(self, store: Path) -> None:
        judged(store)
        few, many = draw(store, 20, seed=0), draw(store, 30, seed=1)
        labelled(store, set(few.items) - set(many.items), few.id)
        labelled(store, many.items, many.id)
        told = board(store)
        assert told.notes[0].startswith(many.id)
        apart = len(set(few.items) - set(many.items))
        assert f"{apart} conversations with labels were not drawn in {many.id}: left out." in told.notes
        assert told.rows[0]["labels"] == 30

    def test_a_label_that_another_sheet_brought_is_no_gap(self, store: Path) -> None:
        judged(store)
        first, second = draw(store, 20, seed=0), draw(store, 40, seed=1)
        labelled(store, first.items, first.id)
        labelled(store, second.items, second.id)  # of which some are known already
        told = board(store)
        assert told.notes[0].startswith(second.id)
        last = max(place for place, number in enumerate(second.items) if number not in first.items)
        assert told.rows[0]["labels"] == last + 1 > 30
        assert not any("passed over" in note for note in told.notes)

    def test_labels_by_hand_become_labels_of_a_draw_by_saying_so(self, store: Path) -> None:
        judged(store)
        found = draw(store, 20)
        labelled(store, found.items)
        with pytest.raises(Mistake, match="were not drawn at random"):
            board(store)
        labelled(store, found.items, found.id)
        assert board(store).rows[0]["labels"] == 20

    def test_several_raters_count_once_and_who_settles_is_none(self, store: Path) -> None:
        judged(store)
        found = draw(store, 20)
        for rater in ("ann", "bob", "settled"):
            say(store, {n: truth(n) for n in found.items}, found.id, rater=rater)
        told = board(store)
        assert told.rows[0]["labels"] == 20
        assert "20 are labelled, by 2 raters." in told.notes[0]

    def test_a_mean_needs_all_its_criteria(self, store: Path) -> None:
        record(store, "role_play", [acted(n, j=(1 + n % 5, 3, 1 + n % 3)) for n in range(30)])
        found = draw(store, 20)
        for name in ("in_character", "entertaining"):
            say(store, {n: 1 + n % 5 for n in found.items}, found.id, name)
        with pytest.raises(
            Mistake, match="is settled by in_character, entertaining, fluency: all are tied, or half"
        ):
            board(store)
        say(store, {n: 1 + n % 5 for n in found.items[:18]}, found.id, "fluency")
        told = board(store)
        assert told.rows[0]["labels"] == 18
        assert "Left out of those drawn: 0 passed over, 2 tied or half labelled." in told.notes

    def test_a_conversation_that_was_played_anew_has_lost_its_label(self, store: Path) -> None:
        judged(store)
        found = draw(store, 20)
        labelled(store, found.items, found.id)
        again = rated(found.items[0] - 1, "m", j=5)
        record(store, "simulation", [Talk(**{**vars(again), "anew": True})])
        [only] = (told := board(store)).rows
        assert (only["labels"], only["n"]) == (19, SIZE - 1)
        assert "Played anew since the draw, and not in here: 1 conversations." in told.notes

    def test_a_draw_of_which_much_was_played_anew_is_refused(self, store: Path) -> None:
        judged(store)
        found = draw(store, 20)
        labelled(store, found.items, found.id)
        for number in found.order[: SIZE // 5]:
            again = rated(number - 1, "m", j=9)
            record(store, "simulation", [Talk(**{**vars(again), "anew": True})])
        with pytest.raises(Mistake, match="were played anew since: draw again"):
            board(store)

    def test_labels_without_a_verdict_count_for_people_alone(self, store: Path) -> None:
        record(
            store,
            "simulation",
            [rated(n, "m", **({} if n % 10 == 9 else {"j": 4 + n % 3})) for n in range(60)],
        )
        found = draw(store, 40)
        say(store, {n: float(3 + n % 4) for n in found.items}, found.id, "rating")
        [only] = (told := board(store)).rows
        assert only["unjudged"] == 40 - only["labels"] > 0
        assert only["people"].n == 40
        assert any("6 without a verdict" in note for note in told.notes)


class TestRates:
    def test_by_hand(self, store: Path) -> None:
        """A judge who misses one yes of ten and calls four no of ten yes."""
        people = [n < 10 for n in range(20)] * 2
        said = [(n % 20 != 0) if n % 20 < 10 else n % 20 < 14 for n in range(40)]
        record(store, "role_play", [acted(n, refused=flag, j=(3, 3, 3)) for n, flag in enumerate(said)])
        found = draw(store, 40)
        say(store, {n: float(people[n - 1]) for n in found.items}, found.id, "refused")
        told = board(store, "refused")
        [only] = told.rows
        assert {"rates", "sees_yes", "sees_no"} <= {column.key for column in told.columns}
        assert (value(only["sees_yes"]), value(only["sees_no"])) == (0.9, 0.6)
        assert value(only["judge"]) == pytest.approx(26 / 40)
        assert value(only["people"]) == value(only["together"]) == pytest.approx(0.5)
        assert value(only["rates"]) == pytest.approx((26 / 40 + 0.6 - 1) / (0.9 + 0.6 - 1))
        assert value(only["bias"]) == pytest.approx(6 / 40)

    def test_a_rate_of_none_leaves_doubt_clustered_in_two_ways(self, store: Path) -> None:
        record(store, "role_play", [acted(n, j=(3, 3, 3)) for n in range(24)])
        found = draw(store, 24)
        say(store, dict.fromkeys(found.items, 0.0), found.id, "refused")
        [only] = board(store, "refused").rows
        for key in ("judge", "together", "people"):
            low, high = interval(only[key])
            assert low == 0.0
            assert high > 0.1, key
        assert only["flag"] == ""
        assert only["rates"] is None  # of yes nobody has seen one

    def test_of_graded_scores_there_are_no_rates(self, store: Path) -> None:
        judged(store)
        found = draw(store, 20)
        labelled(store, found.items, found.id)
        assert not {"rates", "sees_yes", "sees_no"} & {column.key for column in board(store).columns}
