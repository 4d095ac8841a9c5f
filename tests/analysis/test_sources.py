"""Sources of variance: planted shares are found again, and what cannot be told apart is not given a number."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from interplay.analysis.sources import variance_board
from interplay.benchmarks import find
from interplay.core.benchmark import Verdict
from interplay.core.board import Board, Estimate
from interplay.core.failures import Mistake
from interplay.store.journal import Journal, Place
from interplay.store.records import Records
from interplay.store.writer import Writer
from tests.analysis.planted import RUBRIC, Talk, measure_of, rated, record, void
from tests.benchmarks.stage import SCENARIOS
from tests.benchmarks.verdicts import dialogue, verdict

PLANS = "What more of it would do"
CRITERIA = 3
LEVELS = {"subject": (-2, -1, 0, 0, 1, 2), "scenario": (-1, 1) * 8, "judge": (-1, 0, 1)}
# Variances of these levels as draws: 10/5, 16/15 and 1; of the noise 2/3.
WHOLE = 2 + 16 / 15 + 1 + 2 / 3


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


def board(store: Path, by: str = "") -> Board:
    with Records(store) as records:
        runs = records.runs()
        return variance_board(records, runs, find(runs[0].benchmark), measure_of(runs[0], by))


def rows(found: Board) -> dict[str, Mapping[str, Any]]:
    return {str(row["source"]): row for row in found.rows}


def share(found: Board, source: str) -> Estimate:
    cell = rows(found)[source]["share"]
    assert isinstance(cell, Estimate)
    return cell


def holds(cell: Estimate, truth: float) -> bool:
    assert cell.low is not None
    assert cell.high is not None
    return cell.low <= truth <= cell.high


def planted(sizes: Mapping[str, Sequence[int]], rating: Any, repeats: int = 1) -> list[Talk]:
    """Every model on every script, rated by every judge."""
    return [
        rated(
            scenario,
            f"m{subject}",
            repeat=repeat,
            **{f"j{judge}": rating(subject, scenario, judge, repeat) for judge in range(len(sizes["judge"]))},
        )
        for subject in range(len(sizes["subject"]))
        for scenario in range(len(sizes["scenario"]))
        for repeat in range(repeats)
    ]


def chance(*place: object) -> int:
    return Random(" ".join(map(str, place))).choice((-1, 0, 1))


class TestShares:
    def test_planted_components_are_recovered(self, store: Path) -> None:
        def rating(subject: int, scenario: int, judge: int, repeat: int) -> int:
            parts = (LEVELS["subject"][subject], LEVELS["scenario"][scenario])
            return 5 + sum(parts) + LEVELS["judge"][judge] + chance(subject, scenario, judge)

        record(store, "simulation", planted(LEVELS, rating))
        found = board(store)
        assert found.title == "Where rating differs, simulation"
        truth = {"subject": 2, "scenario": 16 / 15, "judge": 1, "residual": 2 / 3}
        for name, size in truth.items():
            assert holds(share(found, name), size / WHOLE), name
            assert share(found, name).value == pytest.approx(size / WHOLE, abs=0.04), name
        assert share(found, "subject x scenario").value == pytest.approx(0.0, abs=0.04)
        assert sum(share(found, name).value or 0.0 for name in rows(found)) == pytest.approx(1.0)
        assert {name: rows(found)[name]["levels"] for name in ("subject", "scenario", "judge")} == {
            "subject": 6,
            "scenario": 16,
            "judge": 3,
        }
        assert list(rows(found)) == ["subject", "judge", "scenario", "subject x scenario", "residual"]
        assert "One simulator alone: what it adds cannot be seen." in found.notes
        assert "One repeat alone: what it adds cannot be seen." in found.notes

    def test_more_of_what_varies_is_foretold_to_narrow_the_intervals(self, store: Path) -> None:
        def rating(subject: int, scenario: int, judge: int, repeat: int) -> int:
            return 5 + LEVELS["judge"][judge] + chance(subject, scenario, judge)

        record(store, "simulation", planted(LEVELS, rating))
        [plans] = board(store).parts
        assert plans.title == PLANS
        widths = {row["plan"]: row["mean"] for row in plans.rows}
        assert list(widths) == ["as it is", "twice the judges", "twice the scenarios"]
        # The judges' levels are nearly all there is: twice as many make it narrower by the root of two.
        assert widths["as it is"] / widths["twice the judges"] == pytest.approx(2**0.5, rel=0.05)
        assert widths["twice the scenarios"] == pytest.approx(widths["as it is"], rel=0.05)

    def test_repeats_are_told_apart_where_several_judges_rate_them(self, store: Path) -> None:
        def rating(subject: int, scenario: int, judge: int, repeat: int) -> int:
            return (
                5 + 2 * chance("talk", subject, scenario, repeat) + chance(subject, scenario, judge, repeat)
            )

        few = {**LEVELS, "scenario": (0,) * 10}
        record(store, "simulation", planted(few, rating, repeats=2))
        # 4 x 2/3 between conversations, 2/3 between the ratings of one
        assert share(board(store), "repeat").value == pytest.approx(0.8, abs=0.08)


class TestTooLittle:
    @pytest.mark.parametrize(
        "talks",
        [
            [rated(1, j=5)],
            [rated(1, j=5, k=6)],
            [rated(1, "a", j=5), rated(1, "b", j=7)],
            [rated(1, j=5), rated(2, j=6)],
            [rated(n, m, j=5) for n in range(4) for m in "ab"],
            [rated(1, j=5), void(2), rated(3, j=None)],
            [rated(1, "a", j=5), rated(2, "b", j=7)],
        ],
    )
    def test_few_scores_give_no_source_a_number(self, store: Path, talks: list[Talk]) -> None:
        record(store, "simulation", talks)
        found = board(store)
        known = [name for name in rows(found) if share(found, name).value is not None]
        assert set(known) <= {"residual"}
        told = [note for note in found.notes if note.startswith("No share for")]
        assert len(told) == len(found.rows) - len(known)
        assert len(found.rows) >= 1
        assert not found.parts

    def test_of_one_model_nothing_is_said_of_the_models_own_share(self, store: Path) -> None:
        record(store, "simulation", [rated(n, j=4 + n % 3, k=5 + n % 3 + chance(n)) for n in range(12)])
        found = board(store)
        assert "One subject alone: what it adds cannot be seen." in found.notes
        [plans] = found.parts
        assert {row["dependability"] for row in plans.rows} == {None}
        assert all(row["mean"] > 0 for row in plans.rows)

    def test_what_is_left_out_is_said(self, store: Path) -> None:
        record(store, "simulation", [*(rated(n, m, j=4 + n) for n in range(3) for m in "ab"), void(4, "a")])
        assert "Left out, of 7 conversations: 1 not played to the end." in board(store).notes

    def test_no_score_at_all_is_a_mistake(self, store: Path) -> None:
        run = record(store, "simulation", [rated(1), void(2)]).id
        with pytest.raises(Mistake, match=f"{run} has no score by rating yet"):
            board(store)


def test_what_always_changes_together_is_given_as_one(store: Path) -> None:
    """Each model was rated by a judge of its own."""
    talks = [rated(n, f"m{m}", **{f"j{m}": 4 + m + chance(m, n)}) for n in range(20) for m in range(3)]
    record(store, "simulation", talks)
    found = board(store)
    assert share(found, "subject").value is share(found, "judge").value is None
    assert any("subject: always changes together with judge" in note for note in found.notes)
    both = rows(found)["subject = judge"]
    assert both["share"].value > 0.3
    assert both["meaning"] == "these always change together here"
    assert not found.parts  # what is the models' own nobody can foretell


def test_one_judge_alone_is_planned_for_as_well(store: Path) -> None:
    """What suits one model is then within the residual, which more scenarios make smaller."""
    record(
        store, "simulation", [rated(n, f"m{m}", j=4 + m + chance(m, n)) for n in range(20) for m in range(3)]
    )
    found = board(store)
    assert any(note.startswith("No share for subject x scenario: ") for note in found.notes)
    [plans] = found.parts
    widths = {row["plan"]: row["difference"] for row in plans.rows}
    assert widths["as it is"] / widths["twice the scenarios"] == pytest.approx(2**0.5)


def role_plays(store: Path, simulator: str, lift: int, count: int = 12) -> None:
    """A run of two players with this interrogator, who makes all of them better by so much."""
    benchmark = find("role_play")
    identity = {
        **{
            "benchmark": "role_play",
            "models": ["a", "b"],
            "roles": {"judge": ["j"], "interrogator": [simulator]},
        },
        **{"options": {}, "scenarios": "0123456789", "sampling": {}, "seed": 0},
    }
    extent = {"limit": 99, "epochs": 1, "judges": ["j"], "rubric": RUBRIC}
    with Records(store, create=True) as records:
        run = records.begin(f"role_play-{simulator}", "role_play", identity, extent)

    async def write() -> None:
        writer = Writer(store)
        journal = Journal(writer, run.number)
        try:
            for number in range(count):
                for model in "ab":
                    cast = {
                        benchmark.subjects(benchmark.settle({}))[0].name: model,
                        "interrogator": simulator,
                    }
                    place = Place(SCENARIOS[number], model, cast, 0)
                    talk = await journal.open_conversation(place, "p", anew=False)
                    await journal.finish(talk, dialogue(10), [], "p")
                    rating = 3 + lift + chance(simulator, number, model)
                    said: Verdict = verdict("j", (rating,) * CRITERIA)
                    await journal.judged(talk, "", said)
        finally:
            await writer.close()

    asyncio.run(write())


def test_runs_with_different_simulators_tell_what_the_simulator_adds(store: Path) -> None:
    role_plays(store, "kind", 1)
    alone = board(store)
    assert "One simulator alone: what it adds cannot be seen." in alone.notes
    assert "simulator" not in rows(alone)
    role_plays(store, "stern", -1)
    both = board(store)
    assert not any("One simulator" in note for note in both.notes)
    assert rows(both)["simulator"]["levels"] == 2
    # Two levels two apart vary by 2, the noise by 2/3.
    assert share(both, "simulator").value == pytest.approx(0.75, abs=0.08)
    assert rows(both)["simulator"]["meaning"] == "who plays the other roles"
