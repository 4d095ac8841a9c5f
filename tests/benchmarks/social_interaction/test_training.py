"""Lessons and the run that teaches them: what makes two lessons one, and what the board says of each."""

from dataclasses import replace
from pathlib import Path

import pytest

from interplay.benchmarks.social_interaction.reading import example_of
from interplay.benchmarks.social_interaction.training import (
    Lesson,
    Tuned,
    calls,
    rule_name,
    score,
    summarize,
    training,
    training_by,
)
from interplay.core.benchmark import Played
from interplay.core.conversation import Conversation
from interplay.core.failures import Mistake, ProviderFailure
from interplay.running.results import board_of, played_of
from interplay.store.records import Records
from tests.benchmarks.social_interaction.readers import carried_out, held_out

EXAMPLES = tuple(example_of(one) for one in held_out(4))
LESSON = Lesson("api:openai/x", "real", EXAMPLES)


def test_a_lesson_is_known_by_its_game_master_and_its_examples() -> None:
    assert LESSON.digest == replace(LESSON, source="m").digest
    for other in (
        replace(LESSON, dm="api:openai/y"),
        replace(LESSON, examples=EXAMPLES[:3]),
        replace(LESSON, examples=EXAMPLES[::-1]),
    ):
        assert other.digest != LESSON.digest
    assert LESSON.scenario.id != replace(LESSON, source="m").scenario.id
    assert LESSON.scenario.label == "real, 4 windows"


def test_every_lesson_is_taught_once_and_a_failure_does_not_stop_the_others(tmp_path: Path) -> None:
    asked: list[str] = []
    fails = [True]

    async def teach(talk: Conversation, lesson: Lesson) -> Tuned:
        asked.append(lesson.source)
        if lesson.source == "m" and fails[0]:
            raise ProviderFailure("no room")
        return Tuned(f"ft:{lesson.source}", "in no time")

    lessons = [LESSON, Lesson(LESSON.dm, "m", EXAMPLES[:3]), Lesson(LESSON.dm, "n", EXAMPLES[:2])]
    benchmark = training_by(LESSON.dm, teach, lessons)
    store = tmp_path / "runs.db"

    def run() -> list[Played]:
        found = carried_out(benchmark, [rule_name(LESSON.dm)], {"settings": "{}"}, store)
        with Records(store) as records:
            return played_of(records, found, benchmark)

    assert {one.scenario.content["source"]: one.failure for one in run()} == {
        "real": "",
        "m": "provider",
        "n": "",
    }
    assert sorted(asked) == ["m", "n", "real"]
    fails[0] = False
    assert {one.outcome.place for one in run()} == {"ft:real", "ft:m", "ft:n"}
    assert sorted(asked) == ["m", "m", "n", "real"]
    with Records(store) as records:
        board = board_of(records, records.find("last"), training)
    assert {(row["model"], row["source"], row["size"]) for row in board.rows} == {
        ("api:openai/x", "real", 4),
        ("api:openai/x", "m", 3),
        ("api:openai/x", "n", 2),
    }


def test_a_board_says_why_there_is_nothing() -> None:
    void = Played(LESSON.scenario, rule_name(LESSON.dm), 0, None, failure="provider", detail="no room")
    (row,) = summarize([void], {}).rows
    assert (row["place"], row["told"]) == ("", "provider: no room")


def test_it_asks_no_model_and_has_no_scores_and_reads_no_data(tmp_path: Path) -> None:
    assert calls(LESSON.scenario, {}) == {"dm": (0, 0)}
    assert score(Tuned("", ""), (), {}) == []
    assert training.scenarios({}, None).scenarios == ()
    with pytest.raises(Mistake):
        training.scenarios({}, tmp_path)


async def test_nobody_teaches_but_the_run_whose_play_it_is() -> None:
    with pytest.raises(RuntimeError):
        await training.play(None, {})  # type: ignore[arg-type]
