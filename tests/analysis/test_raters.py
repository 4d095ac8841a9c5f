"""Agreement among raters, from labels that are planted."""

from pathlib import Path

import pytest

from interplay.analysis.agreement import agreement_of
from interplay.analysis.raters import raters_board
from interplay.benchmarks import find
from interplay.core.board import Estimate
from interplay.core.measures import YES_OR_NO, Scale
from interplay.store.excerpts import Excerpt
from interplay.store.labels import Given, Labels
from interplay.store.records import Records
from tests.analysis.planted import rated, record


def given(values: dict[str, list[float]], criterion: str = "good") -> list[Given]:
    return [
        Given(item, rater, criterion, value)
        for rater, said in values.items()
        for item, value in enumerate(said)
    ]


def test_who_says_the_same_agrees_and_who_says_the_opposite_does_not() -> None:
    labels = [
        *given({"ann": [1, 2, 3, 4, 5, 1], "bob": [1, 2, 3, 4, 5, 1]}),
        *given({"ann": [1, 0, 1, 0, 1, 0], "bob": [0, 1, 0, 1, 0, 1]}, "bad"),
    ]
    good, bad = raters_board(labels, {"good": Scale(1, 5), "bad": YES_OR_NO}).rows
    assert isinstance(good["alpha"], Estimate) and isinstance(bad["alpha"], Estimate)
    assert isinstance(good["same"], Estimate) and isinstance(bad["same"], Estimate)
    assert (good["n"], good["alpha"].value, good["same"].value) == (6, pytest.approx(1), 1)
    assert (bad["n"], bad["same"].value) == (6, 0)
    assert bad["alpha"].value is not None and bad["alpha"].value < -0.5


def test_what_one_alone_said_and_what_settles_a_tie_does_not_count() -> None:
    labels = [*given({"ann": [1, 2, 3], "settled": [1, 2, 3]}), Given(1, "bob", "good", 2)]
    (row,) = raters_board(labels, {"good": Scale(1, 5)}).rows
    assert row["n"] == 1


def test_nothing_said_is_no_number() -> None:
    (row,) = raters_board([], {"good": Scale(1, 5)}).rows
    assert isinstance(row["alpha"], Estimate)
    assert (row["n"], row["alpha"].value) == (0, None)


def test_of_a_run_that_is_labelled_whole_the_excerpt_gives_the_same_board(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    run = record(
        store, "simulation", [rated(number, j=1 + number % 7, k=1 + number % 5) for number in range(14)]
    )
    benchmark = find("simulation")
    with Labels(store) as labels, Records(store) as records, Excerpt(store) as excerpt:
        labels.add([Given(number, "ann", "rating", float(1 + number % 9)) for number in records.numbers(run)])
        whole = agreement_of(records, labels, run, benchmark)
        assert agreement_of(excerpt, labels, run, benchmark) == whole
