"""Agreement against worked cases: judges with people, the panel, people and judges among themselves."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from interplay.analysis.agreement import agreement_of
from interplay.benchmarks import find
from interplay.core.board import Board, Estimate
from interplay.core.failures import Mistake
from interplay.store.labels import Given, Labels
from interplay.store.records import Records
from tests.analysis.planted import Talk, acted, rated, record, void

# Krippendorff's own example, four raters and twelve items; of ordered values its alpha is .8154.
CANONICAL = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)
FULL = "Judges and people in full"
AMONG = "Judges among themselves"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


def board(store: Path) -> Board:
    with Records(store) as records, Labels(store) as labels:
        run = records.find("last")
        return agreement_of(records, labels, run, find(run.benchmark))


def say(store: Path, criterion: str, rater: str, values: Sequence[float | None]) -> None:
    """What a rater says of the first conversations, in their order."""
    said = [Given(n, rater, criterion, value) for n, value in enumerate(values, 1) if value is not None]
    with Labels(store) as labels:
        labels.add(said)


def part(found: Board, title: str) -> Board:
    return next(one for one in (found, *found.parts) if one.title.startswith(title))


def row(found: Board, **cells: str) -> Mapping[str, Any]:
    (one,) = [row for row in found.rows if all(row[key] == value for key, value in cells.items())]
    return one


def value(cell: Any) -> float | None:
    assert isinstance(cell, Estimate)
    return cell.value


def notes(found: Board) -> str:
    return " ".join((*found.notes, *(note for one in found.parts for note in one.notes)))


def ratings(*given: tuple[int, int]) -> list[Talk]:
    """Answers that two judges rated."""
    return [rated(number, a=first, b=second) for number, (first, second) in enumerate(given)]


class TestWithPeople:
    PEOPLE = (2, 1, 4, 3, 5)

    def test_a_row_for_each_judge_and_the_panel_with_spearman_by_hand(self, store: Path) -> None:
        record(store, "simulation", ratings((1, 5), (2, 4), (3, 3), (4, 2), (5, 1)))
        say(store, "rating", "ann", self.PEOPLE)
        found = board(store)
        assert found.title.startswith("Judges and people, simulation-")
        assert [column.key for column in found.columns] == ["judge", "rating", "n"]
        assert [one["judge"] for one in found.rows] == ["a", "b", "the panel"]
        # 1 - 6 (1 + 1 + 1 + 1) / (5 (25 - 1)); the other judge says the opposite, and both together say nothing
        assert value(row(found, judge="a")["rating"]) == pytest.approx(0.8)
        assert value(row(found, judge="b")["rating"]) == pytest.approx(-0.8)
        assert value(row(found, judge="the panel")["rating"]) is None
        assert [one["n"] for one in found.rows] == [5, 5, 5]
        full = row(part(found, FULL), judge="a")
        assert value(full["spearman"]) == pytest.approx(0.8)
        assert value(full["accuracy"]) == pytest.approx(0.2)
        assert value(full["difference"]) == 0.0
        # weighted: 1 - 4 / (sum of squares over all 25 pairs of marginals / 5) = 1 - 4 / 20
        assert value(full["weighted"]) == pytest.approx(0.8)

    def test_the_columns_of_role_play_are_its_criteria_and_their_mean(self, store: Path) -> None:
        ones = [(1, 5, 2), (2, 4, 1), (3, 3, 4), (4, 2, 3), (5, 1, 5)]
        record(store, "role_play", [acted(number, j=three) for number, three in enumerate(ones)])
        for place, name in enumerate(("in_character", "entertaining", "fluency")):
            said = self.PEOPLE if name != "entertaining" else tuple(6 - one for one in self.PEOPLE)
            say(store, name, "ann", said if place else (1, 2, 3, 4, 5))
        found = board(store)
        assert [column.key for column in found.columns] == [
            *("judge", "final", "in_character", "entertaining", "fluency", "n")
        ]
        [only] = found.rows  # one judge is no panel
        assert only["judge"] == "j"
        assert value(only["in_character"]) == pytest.approx(1.0)
        assert value(only["entertaining"]) == pytest.approx(0.8)
        assert value(only["fluency"]) == pytest.approx(1.0)
        # both finals rise and fall with fluency alone: 8, 7, 10, 9, 11 and 7, 8, 9, 10, 11 thirds of people
        assert value(only["final"]) == pytest.approx(0.8)

    def test_a_mean_is_compared_where_people_said_all_its_parts(self, store: Path) -> None:
        record(store, "role_play", [acted(n, j=(1 + n % 5, 3, 1 + n % 3)) for n in range(6)])
        say(store, "fluency", "ann", (1, 2, 3, 1, 2, 3))
        assert [column.key for column in board(store).columns] == ["judge", "fluency", "n"]
        say(store, "in_character", "ann", (1, 2, 3, 4, None, None))
        say(store, "entertaining", "ann", (1, 2, 3, 4))
        found = board(store).rows[0]
        assert (found["final"].n, found["fluency"].n, found["n"]) == (4, 6, 6)  # type: ignore[union-attr]

    def test_yes_and_no_by_hand(self, store: Path) -> None:
        cells = [(True, True)] * 26 + [(True, False)] * 2 + [(False, True)] * 3 + [(False, False)] * 19
        record(
            store, "role_play", [acted(n, refused=judge, j=(3, 3, 3)) for n, (judge, _) in enumerate(cells)]
        )
        say(store, "refused", "ann", [float(people) for _, people in cells])
        found = board(store)
        assert found.title == FULL  # of yes and no there is no table of rank correlations
        [only] = found.rows
        assert (only["criterion"], only["n"]) == ("refused", 50)
        by_hand = {"accuracy": 0.9, "f1": 52 / 57, "kappa": (0.9 - 0.5096) / (1 - 0.5096), "mcc": 0.7967}
        assert {key: value(only[key]) for key in by_hand} == pytest.approx(by_hand, abs=5e-5)

    def test_of_several_raters_the_majority_counts_else_the_median(self, store: Path) -> None:
        record(store, "simulation", ratings((2, 2), (3, 3), (9, 9), (8, 8)))
        for rater, said in {"ann": (2, 1, 9, 8), "bob": (2, 4, 9, 8), "cat": (10, 3, 1, 8)}.items():
            say(store, "rating", rater, said)
        full = row(part(board(store), FULL), judge="a")
        assert value(full["accuracy"]) == 1.0  # 2, the median 3, 9 and 8

    def test_a_tie_of_yes_and_no_is_named_until_it_is_settled(self, store: Path) -> None:
        record(store, "role_play", [acted(n, j=(3, 3, 3)) for n in range(4)])
        say(store, "refused", "ann", (0, 1, 0, 0))
        say(store, "refused", "bob", (0, 0, 0, 0))
        found = board(store)
        assert found.rows[0]["n"] == 3
        assert "Tied and left out 1: " in notes(found)
        say(store, "refused", "settled", (None, 1))
        found = board(store)
        assert found.rows[0]["n"] == 4
        assert value(found.rows[0]["accuracy"]) == 0.75
        assert "Settled by discussion: 1." in notes(found)
        assert "Labels 9, raters 2, conversations 4" in notes(found)

    def test_a_judge_who_failed_and_a_take_that_is_older_are_left_out_aloud(self, store: Path) -> None:
        record(store, "simulation", [rated(n, a=n + 1, b=None if n == 2 else 5) for n in range(5)])
        say(store, "rating", "ann", self.PEOPLE)
        again = rated(0, a=1, b=5)
        record(store, "simulation", [Talk(**{**vars(again), "anew": True})])
        found = board(store)
        assert "Labels left out because the judge gave no verdict: b 1." in notes(found)
        assert "conversation 1 was played anew since" in notes(found)
        assert [one["n"] for one in found.rows] == [4, 3, 4]

    def test_two_models_on_one_scenario_are_a_cluster(self, store: Path) -> None:
        record(store, "simulation", [rated(n % 6, "mn"[n // 6], j=1 + n % 10) for n in range(12)])
        say(store, "rating", "ann", [1 + (n * 3) % 10 for n in range(12)])
        cell = board(store).rows[0]["rating"]
        assert isinstance(cell, Estimate)
        assert (cell.n, cell.clusters) == (12, (6,))


class TestAmongPeople:
    def test_the_canonical_alpha_of_ordered_values(self, store: Path) -> None:
        record(store, "simulation", [rated(number, j=5) for number in range(12)])
        for rater, line in enumerate(CANONICAL):
            say(
                store,
                "rating",
                f"rater {rater}",
                [None if one == "." else float(one) for one in line.split()],
            )
        assert "People among themselves on rating, 11 conversations: Krippendorff's alpha 0.82 (" in notes(
            board(store)
        )

    def test_yes_and_no_by_hand(self, store: Path) -> None:
        record(store, "role_play", [acted(n, j=(3, 3, 3)) for n in range(10)])
        say(store, "refused", "ann", [1] * 5 + [0] * 5)
        say(store, "refused", "bob", [1] * 4 + [0] * 5 + [1])
        # 1 - (4 / 20) / (2 * 10 * 10 / (20 * 19))
        assert "on refused, 10 conversations: Krippendorff's alpha 0.62 (" in notes(board(store))


class TestAmongJudges:
    def test_every_two_by_hand_and_all_together(self, store: Path) -> None:
        given = zip((1, 2, 3, 4, 5), (2, 1, 4, 3, 5), (5, 4, 3, 2, 1), strict=True)
        record(store, "simulation", [rated(n, a=a, b=b, c=c) for n, (a, b, c) in enumerate(given)])
        found = board(store)
        assert found.title == AMONG
        assert {(one["judge"], one["other"]): value(one["rating"]) for one in found.rows} == {
            ("a", "b"): pytest.approx(0.8),
            ("a", "c"): pytest.approx(-1.0),
            ("b", "c"): pytest.approx(-0.8),
        }
        assert {one["n"] for one in found.rows} == {5}
        assert "Krippendorff's alpha of all judges on rating: " in notes(found)

    def test_flags_are_compared_by_kappa(self, store: Path) -> None:
        flags = [(True, True)] * 8 + [(True, False)] * 2 + [(False, True)] * 2 + [(False, False)] * 8
        talks = []
        for number, (first, second) in enumerate(flags):
            one, other = (
                acted(number, refused=flag, **{name: (3, 3, 3)})
                for flag, name in ((first, "a"), (second, "b"))
            )
            talks.append(Talk(**{**vars(one), "verdicts": (*one.verdicts, *other.verdicts)}))
        record(store, "role_play", talks)
        [only] = board(store).rows
        assert value(only["refused"]) == pytest.approx((0.8 - 0.5) / 0.5)
        assert only["n"] == 20
        assert "of refused Cohen's kappa" in notes(board(store))

    def test_they_stand_below_people_where_there_are_labels(self, store: Path) -> None:
        record(store, "simulation", ratings((1, 2), (2, 3), (3, 1), (4, 4)))
        say(store, "rating", "ann", (1, 2, 3, 4))
        found = board(store)
        titles = [one.title.split(",")[0] for one in (found, *found.parts)]
        assert (titles[:2], titles[-1]) == (["Judges and people", FULL], AMONG)


class TestMistakes:
    def test_nobody_judged(self, store: Path) -> None:
        run = record(store, "simulation", [rated(1), rated(2, j=None), void(3)])
        with pytest.raises(
            Mistake, match=f"{run.id} was not judged; judge it with: interplay judge .* --model-role"
        ):
            board(store)

    def test_one_judge_and_no_people(self, store: Path) -> None:
        run = record(store, "simulation", [rated(1, j=5)])
        with pytest.raises(
            Mistake,
            match=f"one judge and no labels of people; draw some with: interplay labels draw {run.id}",
        ):
            board(store)

    def test_scored_by_rule(self, store: Path) -> None:
        with Records(store, create=True) as records:
            extent = {"judges": [], "rubric": ""}
            records.begin("word_guessing-1", "word_guessing", {"options": {}, "models": []}, extent)
        with pytest.raises(Mistake, match="word_guessing is scored by rule: there are no judges"):
            board(store)
