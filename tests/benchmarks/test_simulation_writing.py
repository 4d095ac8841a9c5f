"""New simulation tasks: what is gathered from a record, what a board says of it, what the file holds."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interplay.benchmarks import ALL, WRITERS, find
from interplay.benchmarks.simulation.drafting import Draft, read_examples
from interplay.benchmarks.simulation.scenarios import shipped_tasks
from interplay.benchmarks.simulation.tasks import read_tasks
from interplay.benchmarks.simulation.writing import (
    gather,
    generator,
    lacking,
    score,
    summarize,
    write,
    writing,
)
from interplay.core.benchmark import Played, Scenario
from interplay.core.making import Origin, Piece
from tests.benchmarks.new_tasks import BAD, good
from tests.benchmarks.new_tasks import write as written

OPTIONS = writing.settle({"n": "6"})
SCENARIOS = writing.scenarios(OPTIONS, None).scenarios
ORIGIN = Origin("simulation_writing-1", "openai/m", "2026-01-02T03:04:05+00:00", "u-u-i-d", OPTIONS, False)


def tried(number: int, draft: Draft | None = None, *, repeat: int = 0, failure: str = "") -> Played:
    return Played(SCENARIOS[number - 1], "openai/m", repeat, draft, failure)


def bad(kind: str) -> Draft:
    return BAD[kind][0]


def names(pieces: list[Piece]) -> list[str]:
    return [piece.entry["name"] if piece.entry else "" for piece in pieces]


def test_the_writing_is_found_but_is_no_benchmark_to_run() -> None:
    assert find("simulation_writing") is writing
    assert writing in WRITERS
    assert writing not in ALL
    assert find("simulation").generator is generator


def test_what_passes_is_gathered_in_order() -> None:
    pieces = gather([tried(2, good(2)), tried(3, good(3)), tried(1, good(1))], OPTIONS)
    assert [piece.label for piece in pieces] == ["task 1", "task 2", "task 3"]
    assert [piece.text for piece in pieces] == [good(number).laid_out() for number in (1, 2, 3)]
    assert not any(piece.complaints for piece in pieces)
    assert pieces[0].entry == {
        "id": "knot-log-clerk",
        "name": "Knot log clerk",
        "kind": "stateless",
        "request": good(1).request,
        "description": good(1).description,
        "keeps": list(good(1).keeps),
    }


def test_a_task_is_of_the_kind_that_was_asked_for() -> None:
    options = writing.settle({"kind": "stateful", "n": "1"})
    [scenario] = writing.scenarios(options, None).scenarios
    [piece] = gather([Played(scenario, "openai/m", 0, good(2))], options)
    assert (piece.entry["kind"], piece.complaints) == ("stateful", ())


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_draft_is_complained_of_and_a_second_try_may_pass(kind: str) -> None:
    [alone] = gather([tried(1, bad(kind))], OPTIONS)
    assert any(BAD[kind][1] in complaint for complaint in alone.complaints), alone.complaints
    assert alone.text == bad(kind).laid_out()  # a person may keep it all the same
    [better] = gather([tried(1, bad(kind)), tried(1, good(1), repeat=1)], OPTIONS)
    assert (better.text, better.complaints) == (good(1).laid_out(), ())


def test_two_tasks_that_are_alike_do_not_both_pass() -> None:
    renamed = replace(good(1), name="Harbour master")
    first, second = gather([tried(1, good(1)), tried(2, renamed)], OPTIONS)
    assert first.complaints == ()
    assert second.complaints == (
        "its description is too much like that of 'Knot log clerk': they share 1.00 of their word pairs, "
        "and 0.15 is the most",
    )
    namesake = replace(good(2), name="Clerk of the knot log")
    _, second = gather([tried(1, good(1)), tried(2, namesake)], OPTIONS)
    assert second.complaints == ("its name is too much like 'Knot log clerk'",)


def test_a_task_may_not_be_like_an_example_of_the_users(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(write(gather([tried(1, good(1))], OPTIONS), ORIGIN), encoding="utf-8")
    options = {**OPTIONS, "examples": read_examples(str(path))}
    [piece] = gather([tried(1, replace(good(1), name="Harbour master"))], options)
    assert "too much like that of 'Knot log clerk'" in piece.complaints[0]
    [piece] = gather([tried(1, bad("the name of a shipped task"))], options)  # nor like ours
    assert "'R console'" in " ".join(piece.complaints)


def test_a_file_says_whose_examples_it_was_written_from(tmp_path: Path) -> None:
    pieces = gather([tried(1, good(1))], OPTIONS)
    path = tmp_path / "mine.toml"
    path.write_text(write(pieces, ORIGIN), encoding="utf-8")
    assert "examples" not in tomllib.loads(path.read_text(encoding="utf-8"))
    origin = replace(ORIGIN, options={**OPTIONS, "examples": read_examples(str(path))})
    assert tomllib.loads(write(pieces, origin))["examples"].startswith("1 of a user's own, ")


def test_a_later_try_never_changes_what_has_passed() -> None:
    twice = [tried(1, bad("an insult")), tried(2, good(1))]
    found = gather([*twice, tried(1, good(1), repeat=1)], OPTIONS)
    assert [bool(piece.complaints) for piece in found] == [True, False]
    found = gather([*twice, tried(1, good(5), repeat=1), tried(2, good(6), repeat=1)], OPTIONS)
    assert names(found) == [good(5).name, good(1).name]
    found = gather([tried(1, failure="unreadable"), tried(1, good(4), repeat=2)], OPTIONS)
    assert names(found) == [good(4).name]


def test_of_bad_tries_the_one_with_the_fewest_complaints_is_shown() -> None:
    worse = replace(bad("an insult"), keeps=(), name="R console")
    [piece] = gather([tried(1, worse), tried(1, bad("an escape"), repeat=1)], OPTIONS)
    assert piece.complaints == ("the request holds control characters",)


def test_the_order_of_the_record_does_not_matter() -> None:
    played = [
        tried(1, bad("an insult")),
        tried(1, good(1), repeat=1),
        tried(2, good(1)),
        tried(3, failure="unreadable"),
    ]
    assert gather(played, OPTIONS) == gather(played[::-1], OPTIONS)


def test_the_score_of_a_try_is_how_many_checks_it_fails_by_itself() -> None:
    def value(draft: Draft) -> float:
        [made] = score(draft, (), OPTIONS)
        assert made.name == "complaints"
        return made.value

    assert value(good(1)) == 0.0
    assert value(bad("an escape")) == 1.0
    assert value(bad("the name of a shipped task")) == 0.0  # only the whole can tell


def test_a_board_counts_tasks_and_tries() -> None:
    board = summarize(
        [
            tried(1, bad("an insult")),
            tried(1, good(1), repeat=1),
            tried(2, failure="unreadable"),
            replace(tried(3, failure="budget"), subject="openai/poor"),
        ],
        OPTIONS,
    )
    first, second = board.rows
    assert first == {
        "model": "openai/m", "written": 1, "pieces": 2, "rejected": 1, "unreadable": 1, "unanswered": 0
    }  # fmt: skip
    assert (second["model"], second["written"], second["unanswered"]) == ("openai/poor", 0, 1)
    assert board.title == "simulation_writing (stateless, seed 0)"
    assert board.notes == ("task 2: the writer never answered in form.", "task 3: budget.")


def test_a_file_lacks_a_task_if_it_has_none() -> None:
    assert lacking([]) == "a task"
    assert lacking(gather([tried(1, good(1))], OPTIONS)) == ""


def test_the_file_is_what_tasks_are_read_from_and_says_where_it_comes_from(tmp_path: Path) -> None:
    pieces = gather([tried(number, good(number)) for number in (1, 2, 3)], OPTIONS)
    text = write(pieces, ORIGIN)
    path = tmp_path / "new.toml"
    path.write_text(text, encoding="utf-8")
    ids = ["knot-log-clerk", "bell-tower-pealer", "seed-packet-sorter"]
    assert read_tasks(path) == [
        good(number).task(id, "stateless") for number, id in zip((1, 2, 3), ids, strict=True)
    ]
    data = tomllib.loads(text)
    assert list(data) == ["canary", "written_by", "run", "started", "seed", "reviewed", "tasks"]
    assert data["canary"].startswith("INTERPLAY CANARY simulation tasks u-u-i-d: ")
    assert (data["written_by"], data["seed"], data["reviewed"]) == ("openai/m", 0, False)


def test_our_tasks_could_have_been_written_so(tmp_path: Path) -> None:
    path = tmp_path / "new.toml"
    entries = [Draft(one.name, one.request, one.description, one.keeps) for one in shipped_tasks()]
    pieces = [gather([tried(1, draft)], OPTIONS)[0] for draft in entries]
    path.write_text(write(pieces, ORIGIN), encoding="utf-8")
    assert [(task.name, task.description, task.keeps) for task in read_tasks(path)] == [
        (task.name, task.description, task.keeps) for task in shipped_tasks()
    ]


def test_no_id_comes_twice_or_is_that_of_a_task_that_ships(tmp_path: Path) -> None:
    drafts = [replace(good(1), name=name) for name in ("Posix SHELL", "Posix-shell!", "Ça va", "日本", "???")]
    pieces = [gather([tried(1, draft)], OPTIONS)[0] for draft in drafts]
    path = tmp_path / "new.toml"
    path.write_text(write(pieces, ORIGIN), encoding="utf-8")
    ids = [task.id for task in read_tasks(path)]
    assert ids == ["posix-shell-2", "posix-shell-3", "ca-va", "task-1", "task-1-2"]


# NUL and lone surrogates do not come out of a reply that was read; a text is never blank.
CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
LINE = st.text(CHARACTERS, min_size=1, max_size=60).filter(lambda text: bool(" ".join(text.split())))
TEXT = st.lists(LINE, min_size=1, max_size=4).map("\n".join)
ANSWERS = st.fixed_dictionaries(
    {"name": LINE, "request": LINE, "description": TEXT, "keeps": st.lists(LINE, min_size=3, max_size=6)}
)


@settings(deadline=None, max_examples=150)
@given(answers=st.lists(ANSWERS, min_size=1, max_size=4))
def test_whatever_a_person_keeps_can_be_read_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, answers: list[dict[str, object]]
) -> None:
    drafts = [written(json.dumps(answer))[0] for answer in answers]
    pieces = gather([tried(number, draft) for number, draft in enumerate(drafts, 1)], OPTIONS)
    assert all(piece.text for piece in pieces)
    path = tmp_path_factory.mktemp("files") / "new.toml"
    path.write_text(write(pieces, ORIGIN), encoding="utf-8")
    found = read_tasks(path)
    assert [Draft(one.name, one.request, one.description, one.keeps) for one in found] == drafts


def test_nobody_judges_what_was_written() -> None:
    assert [role.kind for role in writing.roles(OPTIONS)] == ["subject"]
    assert writing.judging(OPTIONS).calls(Scenario({}, "x"), {}, "j") == (0, 0)
    assert (generator.tries, generator.verb, generator.ending) == (3, "collect", ".toml")
