"""Games on pages: what somebody in a seat sees, what came of it, and the form of a new one."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks import ALL, find
from interplay.core.conversation import Line
from interplay.core.failures import Mistake
from interplay.core.wire import Message
from interplay.models.connecting import Directory
from interplay.reporting.pages.playing import (
    MOST_GAMES,
    Heard,
    Sight,
    games,
    judged,
    new_game,
    options_to_choose,
    playable,
    said_as,
    sight_of,
)
from interplay.running.games import Wish, begin_game, play_on
from interplay.running.how import How
from interplay.store.moves import Move, Moves
from interplay.store.records import Records
from tests.running.people import as_model, lively, speak
from tests.running.typed import provider


class Book:
    """A store in which games are played."""

    def __init__(self, path: Path, url: str):
        self.path = path
        self.how = How(path, Directory(base_url=url, environment={}))

    def begin(self, benchmark: str, seat: str, models: tuple[str, ...] = (), **given: Any) -> str:
        """Begin a game of the first scenario and let models speak."""
        known = find(benchmark)
        options = given.pop("options", {})
        scenario = known.scenarios(known.settle(known.read(options)), None).scenarios[0].id
        roles = {role: (name,) for role, name in given.items()}
        run = asyncio.run(begin_game(Wish(known, scenario, "ada", seat, models, roles, options), self.how))
        self.go_on(run)
        return run

    def go_on(self, run: str) -> None:
        asyncio.run(play_on(run, self.how))

    def finish(self, run: str) -> None:
        while speak(self.path, as_model("ada")):
            self.go_on(run)

    def sight(self, run: str, wanted: int = 0, person: str = "ada") -> Sight:
        with Records(self.path) as records, Moves(self.path) as moves:
            found = records.find(run)
            return sight_of(records, found, person, moves.waiting(found), wanted)


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Book]:
    with provider(lively) as (_, url):
        yield Book(tmp_path / "a.db", url)


def asked(book: Book) -> str:
    return book.begin(
        "role_play", "interrogator", ("openai/p",), judge="openai/judge", options={"turns": "2"}
    )


def test_somebody_sees_their_part_what_they_heard_and_what_they_said(book: Book) -> None:
    run = asked(book)
    first = book.sight(run)
    assert [one.kind for one in first.heard] == ["part", "heard"]
    assert (first.person, first.seat, first.unread) == ("ada", "interrogator", "")
    assert first.move is not None
    assert [(title, [one.name for one in blanks]) for title, blanks in first.groups] == [
        ("", ["say.next_utterance"])
    ]
    with Moves(book.path) as moves:
        assert moves.answer(first.move.call, '{"next_utterance": "What is your trade?"}')
    between = book.sight(run)
    assert between.move is None
    assert between.heard == (*first.heard, Heard("said", "What is your trade?"))
    book.go_on(run)
    second = book.sight(run)
    assert [one.kind for one in second.heard] == ["part", "heard", "said", "heard"]
    assert second.move is not None and second.move.call != first.move.call


def test_at_the_end_the_last_words_to_a_seat_are_seen_too_and_no_other_s(book: Book) -> None:
    run = asked(book)
    book.finish(run)
    over = book.sight(run)
    assert over.row is not None and over.row.outcome is not None
    last = over.row.outcome["turns"][-1]["player"]
    assert over.heard[-1] == Heard("heard", last)
    assert [one.kind for one in over.heard[-2:]] == ["said", "heard"]
    assert len(over.heard) == 6


def test_of_several_conversations_the_one_that_waits_is_seen_unless_another_is_asked_for(book: Book) -> None:
    run = asked(book)
    book.finish(run)
    assert asked(book) == run
    now = book.sight(run)
    assert len(now.times) == 2
    first, second = now.times
    assert now.row is not None and now.row.number == second
    before = book.sight(run, wanted=first)
    assert before.row is not None and before.row.number == first
    assert before.move is None
    elsewhere = book.sight(run, wanted=999)
    assert elsewhere.row is not None and elsewhere.row.number == second
    assert elsewhere.move == now.move
    assert book.sight(run, person="bob").row is None


def test_a_reply_that_could_not_be_read_is_told_apart_from_what_was_heard(book: Book) -> None:
    run = book.begin(
        "task_dialogue", "user", ("openai/p",), options={"exchanges": "2", "simulator": "vanilla"}
    )
    move = book.sight(run).move
    assert move is not None
    bad = '{"utterance": "", "status": "going_on"}'
    with Moves(book.path) as moves:
        assert moves.answer(move.call, bad)
    book.go_on(run)
    again = book.sight(run)
    assert again.unread == "Your reply does not fit the form: utterance must not be empty while you go on."
    assert again.heard[-1] == Heard("said", bad, json.loads(bad))
    book.finish(run)
    assert book.sight(run).unread == ""


@pytest.mark.parametrize(
    "lines, messages, told",
    [
        ([("player", "no")], ["system", "user"], False),
        ([("player", "yes")], ["user", "assistant:no", "user:Your reply was empty. Write your reply."], True),
        ([], ["user", "assistant:no", "user:Your reply was empty. Write your reply."], True),
        # somebody else says the very words
        ([("player", "no")], ["user", "assistant:no", "user:Your reply was empty. Write your reply."], False),
        ([("player", "yes")], ["user", "assistant:no", "user:Go on."], False),
        ([], ["user:Your reply was odd."], False),
    ],
)
def test_only_what_follows_a_reply_that_was_never_said_is_a_reason(
    book: Book, lines: list[tuple[str, str]], messages: list[str], told: bool
) -> None:
    run = book.begin("simulation", "simulator", judge="openai/judge")
    with Records(book.path) as records:
        found = records.find(run)
        kept = [Line(source, (source,), text) for source, text in lines]
        stored = json.dumps(
            [{"source": one.source, "heard_by": one.heard_by, "text": one.text} for one in kept]
        )
        records.db.execute("UPDATE conversations SET lines = ?", (stored,))
        parts = [one.partition(":") for one in messages]
        seen = tuple(Message(role, text or "...") for role, _, text in parts)  # type: ignore[arg-type]
        move = Move(1, run, 1, "player", "ada", "", None, seen)
        sight = sight_of(records, found, "ada", [move])
    assert bool(sight.unread) == told


def test_what_was_said_in_a_form_is_shown_by_its_fields() -> None:
    assert said_as('{"clue": "sweet"}') == Heard("said", "sweet")
    assert said_as('{"move": "act", "say": ""}').fields == {"move": "act", "say": ""}
    for text in ("plain", "{broken", "[1]", "{}", ""):
        assert said_as(text) == Heard("said", text, {} if text == "{}" else None)


def test_the_scores_of_a_game_are_its_measures_and_its_judges_have_no_names(book: Book) -> None:
    run = asked(book)
    book.finish(run)
    with Records(book.path) as records:
        found = records.find(run)
        [row] = records.conversations(found)
        came_to = judged(records, found, row)
    names = [measure.name for measure, _ in came_to.scores]
    assert names == ["final", "in_character", "entertaining", "fluency", "refused"]
    assert {measure.name: value for measure, value in came_to.scores}["refused"] in (
        "yes",
        "no",
        "0.50",
    )
    [(name, verdict)] = came_to.verdicts
    assert name == "judge 1"
    assert len(verdict["turns"]) == 2
    assert came_to.failures == ()
    assert "openai" not in repr((came_to.verdicts, [value for _, value in came_to.scores]))


def test_who_plays_against_a_model_sees_their_own_scores_alone(book: Book) -> None:
    run = book.begin("word_guessing", "player", opponent="openai/o", options={"rounds": "1"})
    book.finish(run)
    with Records(book.path) as records:
        found = records.find(run)
        [row] = records.conversations(found)
        assert [measure.name for measure, _ in judged(records, found, row).scores] == [
            "age",
            "comprehension",
            "confusion",
            "violations",
        ]


def test_games_that_go_on_come_first_and_give_nothing_away(book: Book) -> None:
    over = book.begin("simulation", "simulator", judge="openai/judge")
    book.finish(over)
    waits = book.begin("word_guessing", "player", opponent="openai/o", options={"rounds": "1"})
    later = book.begin("simulation", "simulator", judge="openai/other")
    book.finish(later)
    with Records(book.path) as records:
        found, left_out = games(records, [waits])
    assert [one.run.id for one in found] == [waits, later, over]
    assert [bool(one.label) for one in found] == [False, True, True]
    assert [one.is_judged for one in found] == [False, True, True]
    assert [one.is_busy for one in found] == [True, False, False]
    assert left_out == 0


def test_older_games_are_counted(book: Book) -> None:
    run = book.begin("simulation", "simulator", judge="openai/judge")
    with Records(book.path) as records:
        first = records.find(run)
        for number in range(MOST_GAMES + 2):
            records.begin(f"simulation-{number}", "simulation", first.identity, first.extent)
        records.begin("models-alone", "simulation", {"models": ["openai/a"], "roles": {}}, first.extent)
        found, left_out = games(records, [])
    assert (len(found), left_out) == (MOST_GAMES, 3)


# The form of a new game


def new(book: Book, benchmark: str, typed: dict[str, str] | None = None, **chosen: str) -> Any:
    with Records(book.path, create=True) as records:
        return new_game(records, find(benchmark), chosen, typed or {}, ["mine"])


@pytest.mark.parametrize(
    "benchmark, chosen, seats",
    [
        ("role_play", {}, ["player", "interrogator"]),
        ("simulation", {}, ["simulator"]),
        ("word_guessing", {}, ["player", "opponent"]),
        ("word_guessing", {"split": "1-2"}, ["player", "opponent 1", "opponent 2"]),
        ("word_guessing", {"experiment": "table", "split": "1-1"}, ["player_a"]),
        ("task_dialogue", {}, ["system", "user"]),
        ("social_interaction", {}, ["player 1", "player 2", "player 3", "npc"]),
    ],
)
def test_every_seat_but_the_judges_can_be_taken(
    book: Book, benchmark: str, chosen: dict[str, str], seats: list[str]
) -> None:
    found = new(book, benchmark, **chosen)
    assert [seat for seat, _, _ in found.seats] == seats
    assert all(name and meaning for _, name, meaning in found.seats)


@pytest.mark.parametrize("benchmark", [one.name for one in ALL])
def test_options_with_choices_come_first_and_files_and_tables_are_left_to_commands(
    book: Book, benchmark: str
) -> None:
    found = new(book, benchmark)
    assert all(one.choices for one in found.options)
    assert not any(one.choices for one in found.more)
    assert [*found.options, *found.more] == sorted(
        options_to_choose(found.benchmark), key=lambda one: not one.choices
    )
    for one in found.benchmark.options:
        offered = one in found.options or one in found.more
        assert offered != (one.of_table or one.of_sequel or one.path)
    assert set(found.chosen) >= {one.name for one in (*found.options, *found.more)}


def test_whoever_is_needed_is_named_already_and_as_in_the_newest_run_of_the_benchmark(book: Book) -> None:
    fresh = new(book, "role_play")
    assert fresh.typed == {
        "model.player": "local/smollm2",
        "model.interrogator": "local/smollm2",
        "model.judge": "local/smollm2",
    }
    assert new(book, "task_dialogue").typed["model.judge"] == ""  # which can be done without
    assert new(book, "social_interaction").typed["model.npc"] == ""  # whose part the player's model takes
    asked(book)
    again = new(book, "role_play", {"model.judge": "typed/by-hand"})
    assert (again.typed["model.player"], again.typed["model.judge"]) == ("openai/p", "typed/by-hand")
    assert again.known[:3] == ("mine", "openai/p", "openai/judge")
    assert not [name for name in again.known if name.startswith("human/")]


def test_a_long_list_of_scenarios_is_cut_and_the_rest_counted(book: Book) -> None:
    found = new(book, "social_interaction", sessions="2100")
    assert (len(found.scenarios), found.left_out) == (2_000, 100)
    found = new(book, "word_guessing")
    assert (len(found.scenarios), found.left_out) == (1_080, 0)


def test_options_that_cannot_be_are_a_mistake(book: Book) -> None:
    with pytest.raises(Mistake, match="rounds is a whole number"):
        new(book, "word_guessing", rounds="99")
    with pytest.raises(Mistake):
        new(book, "word_guessing", topics="nonsense")


def test_all_benchmarks_can_be_played() -> None:
    assert playable() == list(ALL)
