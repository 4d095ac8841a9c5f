"""What is left to do of a run, and which conversations are played anew."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks import find
from interplay.benchmarks.role_play.protocol import Dialogue, Turn
from interplay.core.benchmark import Scenario, Verdict
from interplay.core.failures import FAILURES, Failure, Mistake
from interplay.running.plan import Anew, Plan, make_plan, read_anew
from interplay.running.spec import RunSpec, make_spec
from interplay.store.journal import Journal, Place
from interplay.store.records import Records, Run
from interplay.store.writer import Writer

role_play = find("role_play")
MODELS = ("openai/a", "openai/b")
OUTCOME = Dialogue((Turn("Hello", "Good day"),))


# --new


@pytest.mark.parametrize(
    "typed, expected",
    [
        ("", Anew()),
        ("diverged", Anew(diverged=True)),
        ("void", Anew(void=True)),
        ("all", Anew(all=True)),
        ("3", Anew(numbers=frozenset({3}))),
        ("3,7-9", Anew(numbers=frozenset({3, 7, 8, 9}))),
        (" 3 , 7-9 ,3", Anew(numbers=frozenset({3, 7, 8, 9}))),
        ("5-5", Anew(numbers=frozenset({5}))),
    ],
)
def test_what_new_may_say(typed: str, expected: Anew) -> None:
    assert read_anew(typed) == expected


@pytest.mark.parametrize(
    "typed",
    [
        "x",
        "vood",
        "3,",
        ",",
        "-3",
        "3-",
        "1.5",
        "3;4",
        "3 4",
        "٣",
        "²",
        "1-2-3",
        "0-99999999999",
        "1--2",
        "+3",
        "9-7",
        "9" * 5000,
    ],
)
def test_what_new_may_not_say(typed: str) -> None:
    with pytest.raises(Mistake, match="--new takes numbers of conversations as in 3,7-9, or diverged"):
        read_anew(typed)


# Plans


@dataclass
class Book:
    """A run of two models over three scenarios in a store of its own."""

    records: Records
    journal: Journal
    run: Run
    spec: RunSpec
    numbers: dict[tuple[str, int], int] = field(default_factory=dict)

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        return self.spec.material.scenarios

    def place(self, model: str, scenario: int, repeat: int = 0) -> Place:
        cast = dict(self.spec.casts(role_play))[model]
        return Place(self.scenarios[scenario], model, cast, repeat)

    async def open(self, model: str, scenario: int, *, anew: bool = False) -> int:
        return await self.journal.open_conversation(self.place(model, scenario), "p", anew=anew)

    async def played(self, model: str, scenario: int, *, anew: bool = False) -> int:
        number = await self.open(model, scenario, anew=anew)
        await self.journal.finish(number, OUTCOME, [], "p")
        return number

    def plan(self, anew: Anew = Anew(), **extent: Any) -> Plan:  # noqa: B008  # frozen
        asked = {"limit": 3, "epochs": 1, "judges": ["j", "k"], "rubric": "r", **extent}
        return make_plan(role_play, self.spec, self.scenarios, self.records, self.run, asked, anew)


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Book]:
    roles = {"interrogator": ["openai/u"], "judge": ["j", "k"]}
    spec = make_spec(role_play, models=MODELS, roles=roles)
    with Records(tmp_path / "a.db", create=True) as records:
        run = records.begin(
            spec.run_id, "role_play", spec.identity(), {"limit": 3, "epochs": 1, "judges": []}
        )
        writer = Writer(tmp_path / "a.db")
        yield Book(records, Journal(writer, run.number), run, spec)
        await writer.close()


def test_models_take_turns_so_that_a_run_cut_short_compares_them_all(book: Book) -> None:
    works = book.plan(epochs=2).works
    shown = [(one.place.repeat, book.scenarios.index(one.place.scenario), one.place.subject) for one in works]
    assert shown == [(repeat, number, model) for repeat in (0, 1) for number in range(3) for model in MODELS]
    assert all(one.play and one.judges == ("j", "k") for one in works)
    assert (book.plan().to_play, book.plan().to_judge) == (6, 12)
    assert book.plan().models == {*MODELS, "openai/u", "j", "k"}


async def test_what_is_played_and_judged_is_left_alone_and_what_misses_a_judge_is_not(book: Book) -> None:
    done = await book.played("openai/a", 0)
    half = await book.played("openai/b", 0)
    for number, judges in ((done, "jk"), (half, "j")):
        for judge in judges:
            await book.journal.judged(number, "", Verdict(judge, "r", {"turns": []}))
    plan = book.plan(limit=1)
    [work] = plan.works
    assert (work.conversation, work.play, work.judges, work.outcome) == (half, False, ("k",), OUTCOME)
    assert [verdict.judge for verdict in work.verdicts] == ["j"]
    assert plan.models == {"k"}


async def test_verdicts_by_another_rubric_do_not_count(book: Book) -> None:
    number = await book.played("openai/a", 0)
    for judge in "jk":
        await book.journal.judged(number, "", Verdict(judge, "former", {"turns": []}))
    work = next(one for one in book.plan(limit=1).works if not one.play)
    assert (work.judges, work.verdicts) == (("j", "k"), ())
    assert [one.play for one in book.plan(limit=1, rubric="former").works] == [True]  # openai/b's alone


@pytest.mark.parametrize("name", sorted(FAILURES))
async def test_a_void_conversation_or_verdict_is_done_again_where_another_try_may_help(
    book: Book, name: str
) -> None:
    kind: type[Failure] = FAILURES[name]
    void = await book.open("openai/a", 0)
    await book.journal.void(void, kind("as told"), [])
    judged = await book.played("openai/b", 0)
    await book.journal.judged(judged, "", Verdict("j", "r", None, name, "as told"))
    await book.journal.judged(judged, "", Verdict("k", "r", {"turns": []}))
    works = book.plan(limit=1).works
    expected = [(void, True, ("j", "k")), (judged, False, ("j",))] if kind.again else []
    assert [(one.conversation, one.play, one.judges) for one in works if one.play or one.judges] == expected


async def test_an_open_conversation_is_gone_on_with(book: Book) -> None:
    number = await book.open("openai/a", 0)
    first, second = book.plan(limit=1).works
    assert (first.conversation, first.play, first.anew) == (number, True, False)
    assert second.conversation is None


async def test_of_a_finished_run_only_what_was_played_is_judged(book: Book) -> None:
    number = await book.played("openai/a", 0)
    await book.open("openai/b", 0)
    assert [one.conversation for one in book.plan().of_finished().works] == [number]


# Anew


async def test_conversations_are_played_anew_by_number_by_void_and_all(book: Book) -> None:
    done = await book.played("openai/a", 0)
    void = await book.open("openai/b", 0)
    await book.journal.void(void, FAILURES["refusal"]("no"), [])
    for number in (done, void):
        for judge in "jk":
            await book.journal.judged(number, "", Verdict(judge, "r", {"turns": []}))

    def anew(**which: Any) -> list[int | None]:
        works = book.plan(Anew(**which), limit=1).works
        assert all(one.play and one.judges == ("j", "k") and one.outcome is None for one in works if one.anew)
        return [one.conversation for one in works if one.anew]

    assert anew() == []
    assert anew(diverged=True) == []
    assert anew(void=True) == [void]
    assert anew(all=True) == [done, void]
    assert anew(numbers=frozenset({done})) == [done]
    assert anew(numbers=frozenset({done, void})) == [done, void]


async def test_only_the_newest_take_can_be_played_anew(book: Book) -> None:
    first = await book.played("openai/a", 0)
    second = await book.played("openai/a", 0, anew=True)
    [work] = [one for one in book.plan(Anew(numbers=frozenset({second})), limit=1).works if one.anew]
    assert work.conversation == second
    with pytest.raises(
        Mistake, match=f"--new {first}: run .* has no such conversation, or a newer take of it"
    ):
        book.plan(Anew(numbers=frozenset({first})), limit=1)


async def test_a_wrong_number_comes_with_what_there_is(book: Book) -> None:
    with pytest.raises(Mistake, match="it has none yet"):
        book.plan(Anew(numbers=frozenset({1})))
    number = await book.played("openai/a", 0)
    await book.played("openai/b", 0)
    with pytest.raises(
        Mistake, match=f"its numbers are {number} to {number + 1}.*interplay list {book.run.id}"
    ):
        book.plan(Anew(numbers=frozenset({99})))


def test_a_new_run_has_nothing_to_play_anew(book: Book) -> None:
    extent = {"limit": 1, "epochs": 1, "judges": ["j"], "rubric": "r"}
    plan = make_plan(role_play, book.spec, book.scenarios, None, None, extent, Anew(all=True, void=True))
    assert [one.anew for one in plan.works] == [False, False]
    with pytest.raises(Mistake, match="it has none yet"):
        make_plan(role_play, book.spec, book.scenarios, None, None, extent, Anew(numbers=frozenset({1})))
