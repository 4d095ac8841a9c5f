"""Judges held against people: agreement by criterion and judge, ties, strays, raters."""

import json

import pytest

from interplay.judging.labels import (
    PANEL,
)
from tests.judging.labelled import (
    HEAD,
    Written,
    board_of,
    estimate,
    played,
    row,
    written,
)

__all__ = ["written"]  # a fixture


# Both say yes 26 times, the judge alone 2, people alone 3, neither 19.
PAPER = [(1, 1)] * 26 + [(1, 0)] * 2 + [(0, 1)] * 3 + [(0, 0)] * 19


class TestBoard:
    def test_the_papers_table_from_a_file(self, written: Written) -> None:
        conversations = [played(f"goal {n}", j={"complete": judge}) for n, (judge, _) in enumerate(PAPER)]
        lines = [f"goal {n},m,ann,complete,{people}" for n, (_, people) in enumerate(PAPER)]
        board = board_of(written(*lines), conversations)
        found = row(board)
        assert found["n"] == 50
        values = {key: estimate(found[key]).value for key in ("accuracy", "kappa", "f1", "mcc")}
        assert values == pytest.approx(
            {"accuracy": 0.9, "kappa": 0.7961, "f1": 0.9123, "mcc": 0.7967}, abs=5e-5
        )
        for key in values:
            low, high = estimate(found[key]).low, estimate(found[key]).high
            assert low is not None and high is not None
            assert 0.5 < low < (values[key] or 0) < high < 0.98
        assert [column.key for column in board.columns] == [
            *("criterion", "judge", "n", "accuracy", "f1", "kappa", "mcc"),
        ]
        assert board.notes[0] == "Labels 50, raters 1, conversations 50 (how drawn: unsaid 50)."
        json.dumps(board.as_json(), allow_nan=False)

    def test_the_order_of_the_file_does_not_show(self, written: Written) -> None:
        conversations = [played(f"goal {n}", j={"complete": judge}) for n, (judge, _) in enumerate(PAPER)]
        lines = [f"goal {n},m,ann,complete,{people}" for n, (_, people) in enumerate(PAPER)]
        board = board_of(written(*lines), conversations)
        assert board_of(written(*lines[::-1]), conversations[::-1]) == board

    def test_scores_on_a_scale(self, written: Written) -> None:
        said = [(5, 4), (4, 4), (2, 1), (3, 3), (1, 1), (5, 5)]
        conversations = [played(f"goal {n}", j={"natural": judge}) for n, (judge, _) in enumerate(said)]
        lines = [f"goal {n},m,ann,natural,{people}" for n, (_, people) in enumerate(said)]
        board = board_of(written(*lines), conversations, natural="naturalness")
        found = row(board, criterion="naturalness")
        assert estimate(found["difference"]).value == pytest.approx(2 / 6)
        assert estimate(found["accuracy"]).value == pytest.approx(4 / 6)
        assert estimate(found["weighted"]).value == pytest.approx(1 - (2 / 6) / (sum(
            (one - other) ** 2 for one, _ in said for _, other in said) / 36))  # fmt: skip
        assert estimate(found["spearman"]).low is not None
        assert "kappa" not in {column.key for column in board.columns}

    def test_shares_are_correlated_and_subtracted(self, written: Written) -> None:
        said = [(0.5, 0.25), (0.75, 0.5), (1, 1), (0.2, 0.3), (0.6, 0.1)]
        conversations = [played(f"goal {n}", j={"coverage": judge}) for n, (judge, _) in enumerate(said)]
        found = row(
            board_of(
                written(*(f"goal {n},m,ann,coverage,{p}" for n, (_, p) in enumerate(said))), conversations
            ),
            criterion="coverage",
        )
        assert estimate(found["spearman"]).method == "bonett-wright"
        assert estimate(found["difference"]).value == pytest.approx(0.18)
        assert (found["accuracy"], found["weighted"]) == (None, None)

    def test_every_judge_and_the_panel(self, written: Written) -> None:
        """Two of three say yes of the first; one judge failed on the second, where the others are split."""
        conversations = [
            played(
                "Inn", j={"complete": 1, "natural": 5}, k={"complete": 1, "natural": 2}, l={"complete": 0}
            ),
            played("Pier", j={"complete": 1, "natural": 4}, k={"complete": 0, "natural": 4}, l=None),
        ]
        path = written(
            "Inn,m,ann,complete,yes", "Pier,m,ann,complete,no", "Inn,m,ann,natural,3", "Pier,m,ann,natural,4"
        )
        board = board_of(path, conversations)
        assert [(one["criterion"], one["judge"]) for one in board.rows] == [
            (criterion, judge) for criterion in ("complete", "natural") for judge in ("j", "k", "l", PANEL)
        ]
        assert [row(board, judge)["n"] for judge in ("j", "k", "l", PANEL)] == [2, 2, 1, 1]
        assert [estimate(row(board, judge)["accuracy"]).value for judge in "jkl"] == [0.5, 1.0, 0.0]
        assert estimate(row(board, PANEL)["accuracy"]).value == 1.0
        panel = row(board, PANEL, "natural")
        assert estimate(panel["difference"]).value == pytest.approx(0.25)  # 3.5 less 3, and 4 less 4
        assert panel["accuracy"] is None  # a mean seldom is a whole number
        assert "Labels left out because the judge gave no verdict: l 3." in board.notes
        assert "Left out of the panel, whose judges are split: 1." in board.notes

    def test_conversations_of_one_scenario_are_a_cluster(self, written: Written) -> None:
        both = [played(f"goal {n}", model, j={"complete": n % 2}) for n in range(8) for model in ("m", "n")]
        lines = [
            f"{one.scenario.label},{one.subject},ann,complete,{n % 3 > 0:d}" for n, one in enumerate(both)
        ]
        found = row(board_of(written(*lines), both))
        assert (estimate(found["kappa"]).clusters, estimate(found["kappa"]).n) == ((8,), 16)
        assert estimate(found["accuracy"]).method == "clustered wilson"

    def test_notes_tell_of_ties_strays_raters_and_draws(self, written: Written) -> None:
        conversations = [played(name, j={"complete": 1}) for name in ("Inn", "Pier", "Mill")]
        path = written(
            *("Inn,m,ann,complete,yes,random", "Inn,m,bob,complete,no,random"),
            *("Pier,m,ann,complete,yes,random", "Pier,m,bob,complete,no,random", "Pier,m,settled,complete,yes,random"),
            *("Mill,m,ann,complete,yes,", "Mill,m,bob,complete,yes,", "Mull,m,bob,complete,yes,"),
            head=HEAD + ",drawn",
        )  # fmt: skip
        board = board_of(path, conversations, complete="task completion")
        assert board.notes[0] == (
            "Labels 7, raters 2, conversations 3 (how drawn: random 2, unsaid 1). 1 of 8 labels are left out, the "
            "first in people.csv, line 9: there is no scenario 'Mull' here; did you mean 'Mill'?"
        )
        assert "Settled by discussion: 1." in board.notes
        assert "Tied and left out 1: Inn (m, time 1) on task completion." in board.notes
        (among,) = [note for note in board.notes if note.startswith("People among themselves")]
        assert among.startswith(
            "People among themselves on task completion, 3 conversations: Krippendorff's alpha"
        )
        assert row(board, criterion="task completion")["n"] == 2

    def test_many_ties_are_counted_and_a_few_are_named(self, written: Written) -> None:
        conversations = [played(f"goal {n}", j={"complete": 1}) for n in range(14)]
        lines = [
            f"goal {n},m,{rater},complete,{rater == 'ann':d}" for n in range(14) for rater in ("ann", "bob")
        ]
        board = board_of(written(*lines), conversations)
        (told,) = [note for note in board.notes if note.startswith("Tied")]
        assert told.startswith("Tied and left out 14: goal 0 (m, time 1) on complete; ")
        assert told.endswith("goal 9 (m, time 1) on complete; 4 more.")
        assert board.rows == ()

    def test_raters_who_all_say_the_same_have_no_alpha(self, written: Written) -> None:
        path = written(*(f"Inn,m,{rater},complete,yes" for rater in ("ann", "bob")))
        board = board_of(path, [played("Inn", j={"complete": 1})])
        assert any("all said the same" in note for note in board.notes)
        found = row(board)
        assert (estimate(found["kappa"]).value, estimate(found["mcc"]).value) == (None, None)

    def test_labels_without_any_judge(self, written: Written) -> None:
        board = board_of(written("Inn,m,ann,complete,yes"), [played("Inn")])
        assert board.rows == ()
        assert board.notes[0].startswith("Labels 1, raters 1, conversations 1")

    def test_labels_of_nothing_that_is_here(self, written: Written) -> None:
        board = board_of(written("Inn,m,ann,complete,yes"), [])
        assert board.notes[0].startswith("Labels 0, raters 0, conversations 0. 1 of 1 labels are left out")
        json.dumps(board.as_json(), allow_nan=False)
