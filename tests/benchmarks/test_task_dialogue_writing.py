"""New goals: how a writer is asked and asked again, what is gathered, what the file holds; over loopback HTTP too."""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from interplay.benchmarks import ALL, WRITERS, find
from interplay.benchmarks.task_dialogue.city import own_city
from interplay.benchmarks.task_dialogue.drafting import (
    MOST_ROUNDS,
    PROMPTS,
    SCHEMA,
    Draft,
    calls,
    digest,
    goal_in,
    laid_out,
    play,
    scenarios,
)
from interplay.benchmarks.task_dialogue.goal_checks import Shelf, about, about_wishes
from interplay.benchmarks.task_dialogue.goals import goal_of, read_goals
from interplay.benchmarks.task_dialogue.message_checks import facts_of, hub_of, said_plainly
from interplay.benchmarks.task_dialogue.phrasing import tell
from interplay.benchmarks.task_dialogue.scenarios import own_goals
from interplay.benchmarks.task_dialogue.writing import (
    gather,
    generator,
    lacking,
    score,
    summarize,
    write,
    writing,
)
from interplay.cli import main
from interplay.core.benchmark import Played
from interplay.core.conversation import Casting, Conversation
from interplay.core.failures import Mistake, UnreadableFailure
from interplay.core.making import Origin
from interplay.core.wire import Sampling
from interplay.models.loopback import Asked, Loopback, Script, rehearse, serving
from tests.benchmarks.stage import Desk as Stage

OPTIONS = writing.settle({"n": "6"})
SCENARIOS = writing.scenarios(OPTIONS, None).scenarios
ORIGIN = Origin("task_dialogue_writing-1", "openai/m", "2026-01-02T03:04:05+00:00", "u-u-i-d", OPTIONS, False)
MARKER = "Now write a brief for these facts"
REFUSAL = "I would rather not."
Message = tuple[str, ...]


def good(number: int, seed: int = 0) -> Message:
    """A message for the goal of a number that passes every check."""
    wishes = goal_in(SCENARIOS[number - 1].content, ()).wishes
    return tell(wishes, hub_of(own_city()), Random(seed))


def bad(number: int) -> Message:
    """The same with one mark left out."""
    first, *rest = good(number)
    place = next(place for place, sentence in enumerate(rest) if "**" in sentence)
    rest[place] = rest[place].replace("**", "", 2)
    return (first, *rest)


def said(message: Sequence[str]) -> str:
    return json.dumps({"message": list(message)}, ensure_ascii=False)


def tried(number: int, message: Message = (), repeat: int = 0, failure: str = "") -> Played:
    draft = Draft(message) if message else None
    return Played(SCENARIOS[number - 1], "openai/m", repeat, draft, failure)


def played(*answers: str, number: int = 1) -> tuple[Draft, Stage]:
    left = list(answers)
    desk = Stage(writer=lambda step: left.pop(0))
    cast = {"writer": Casting("m", Sampling(), "subject")}
    talk = Conversation(cast, desk, scenario=SCENARIOS[number - 1].content)
    return asyncio.run(play(talk, OPTIONS)), desk


def test_the_writing_is_found_but_is_no_benchmark_to_run() -> None:
    assert find("task_dialogue_writing") is writing
    assert writing in WRITERS
    assert writing not in ALL
    assert find("task_dialogue").generator is generator
    assert generator.ending == ".jsonl"


def test_what_is_asked_for_is_drawn_sound_and_new() -> None:
    found = scenarios(writing.settle({"n": "60"})).scenarios
    assert [one.label for one in found] == [f"goal {number}" for number in range(1, 61)]
    assert len({one.id for one in found}) == 60
    shelf = Shelf(own_goals())
    for one in found:
        goal = goal_in(one.content, ())
        assert about_wishes(goal, own_city()) == []
        assert shelf.about(goal.wishes) == []
        shelf.put(goal.wishes, goal.id)
        assert len(one.content["example"]["goal"]) == len(goal.wishes)


def test_fewer_goals_are_the_first_of_more_and_another_seed_has_others() -> None:
    assert SCENARIOS[:3] == scenarios(writing.settle({"n": "3"})).scenarios
    others = scenarios(writing.settle({"n": "6", "seed": "1"})).scenarios
    assert not {one.id for one in others} & {one.id for one in SCENARIOS}


def test_data_of_a_user_is_refused() -> None:
    with pytest.raises(Mistake, match="writing reads no data"):
        scenarios(OPTIONS, Path("x.jsonl"))


def test_the_writer_is_shown_every_fact_as_it_is_to_be_marked() -> None:
    for number, one in enumerate(SCENARIOS, 1):
        _, desk = played(said(good(number)), number=number)
        shown = desk.shown("writer").split(MARKER)[1]
        for fact in (fact for wish in goal_in(one.content, ()).wishes for fact in facts_of(wish)):
            assert f"**{said_plainly(fact)}**" in shown, fact
        assert one.content["tone"] in shown
        assert "{{" not in desk.shown("writer")


def test_what_is_laid_out_says_what_comes_first_and_what_instead() -> None:
    goal = goal_of({
        "id": "G",
        "message": ["**x**"],
        "goal": {
            "hotel": {
                "info": {"area": "north", "parking": "no", "stars": "1"},
                "fail_info": {"area": "north", "parking": "yes", "stars": "1"},
                "book": {"people": "1", "day": "monday", "stay": "1"},
                "fail_book": {"stay": "3"},
                "reqt": ["phone", "internet"],
            },
            "taxi": {"info": {"departure": "@hotel", "destination": "plum rain", "leaveAt": "12:00"}},
        },
    })  # fmt: skip
    assert laid_out(goal).splitlines() == [
        "1. hotel",
        "- wanted at first: area **north**, parking **free parking**, stars **1 star**",
        "- there is no such place; wanted instead: parking **no parking**",
        "- to book at first: people **1 person**, day **monday**, length of the stay **3 nights**",
        "- that will be refused; to book instead: length of the stay **1 night**",
        "- to ask for: **phone number**, **wifi**, **reference number**",
        "2. taxi",
        "- wanted: departure **hotel**, destination **plum rain**, leaving at **12:00**",
    ]


def test_a_message_that_passes_is_asked_for_once() -> None:
    draft, desk = played(said(good(1)))
    assert (draft, len(desk.asked)) == (Draft(good(1)), 1)


def test_what_fails_is_asked_for_again_with_the_complaint() -> None:
    draft, desk = played(said(bad(1)), said(good(1)))
    assert draft == Draft(good(1))
    view = desk.views("writer")[1]
    assert [role for role, _ in view] == ["system", "user", "assistant", "user"]
    assert "That brief cannot be used yet:\n- nothing that is marked says" in view[-1][1]


def test_what_fails_again_and_again_is_kept_with_its_complaints() -> None:
    draft, desk = played(*[said(bad(1))] * MOST_ROUNDS)
    assert draft.message == bad(1)
    assert len(desk.asked) == MOST_ROUNDS == calls(SCENARIOS[0], OPTIONS)["writer"][1]
    assert draft.complaints == tuple(about(goal_in(SCENARIOS[0].content, bad(1)), own_city()))
    [made] = score(draft, (), OPTIONS)
    assert (made.name, made.value) == ("complaints", float(len(draft.complaints)))


def test_stray_spaces_cost_nothing_and_a_wrong_form_is_told() -> None:
    spaced = [f"  {sentence.replace(' ', '  ', 1)}\n" for sentence in good(1)]
    assert played(said(spaced))[0] == Draft(good(1))
    with pytest.raises(UnreadableFailure):
        played(*['{"message": "one text"}'] * 3)


def test_the_digest_is_of_our_prompts_alone() -> None:
    assert set(PROMPTS.texts) == {"writer_brief", "writer_task", "writer_again"}
    assert digest(OPTIONS) == digest(writing.settle({"n": "9"}))
    assert SCHEMA["required"] == ["message"]


def test_every_goal_is_gathered_by_the_best_of_its_tries_in_order() -> None:
    tries = [
        tried(2, good(2)),
        tried(1, bad(1)),
        tried(1, good(1), repeat=1),
        tried(3, bad(3)),
        tried(4, failure="unreadable"),
    ]
    pieces = gather(tries, OPTIONS)
    assert pieces == gather(tries[::-1], OPTIONS)
    assert [piece.label for piece in pieces] == ["goal 1", "goal 2", "goal 3", "goal 4"]
    assert [bool(piece.complaints) for piece in pieces] == [False, False, True, True]
    assert pieces[0].entry["message"] == list(good(1))
    assert pieces[3].complaints == ("the writer never answered in form",)
    assert laid_out(goal_in(SCENARIOS[0].content, ())) in pieces[0].text
    assert pieces[0].text.endswith(" ".join(good(1)))


@pytest.mark.parametrize(
    "message", [("You want nothing.", "You go."), ("You see **\x1b[31mred**.",), ("**x** " * 2000,)]
)
def test_what_could_not_be_read_again_is_told_of_and_not_offered(message: Message) -> None:
    [piece] = gather([tried(1, message)], OPTIONS)
    assert (piece.text, bool(piece.complaints)) == ("", True)


def test_a_board_counts_goals_and_tries() -> None:
    tries = [tried(1, bad(1)), tried(1, good(1), repeat=1), tried(2, failure="unreadable")]
    board = summarize([*tries, replace(tried(3, failure="budget"), subject="openai/poor")], OPTIONS)
    first, second = board.rows
    assert [first[key] for key in ("model", "written", "pieces", "rejected", "unreadable")] == [
        "openai/m",
        1,
        2,
        1,
        1,
    ]
    assert (second["model"], second["unanswered"]) == ("openai/poor", 1)
    assert board.title == "task_dialogue_writing (seed 0)"


def test_the_file_is_what_run_reads_and_says_where_it_comes_from(tmp_path: Path) -> None:
    pieces = gather([tried(number, good(number)) for number in range(1, 7)], OPTIONS)
    path = tmp_path / "new.jsonl"
    path.write_text(write(pieces, ORIGIN), encoding="utf-8")
    goals = read_goals(path)
    assert [goal.id for goal in goals] == [f"new-0-{number:03}" for number in range(1, 7)]
    assert [goal.message for goal in goals] == [good(number) for number in range(1, 7)]
    assert not [complaint for goal in goals for complaint in about(goal, own_city())]
    line = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    assert list(line) == [
        "id", "goal", "message", "canary", "written_by", "run", "started", "seed", "reviewed"
    ]  # fmt: skip
    assert line["canary"].startswith("INTERPLAY CANARY task_dialogue goals u-u-i-d: ")
    assert (lacking([]), lacking(pieces)) == ("a goal", "")
    assert len(find("task_dialogue").scenarios(find("task_dialogue").settle({}), path).scenarios) == 6


# -- the command, over loopback HTTP


class Writer:
    """Writes a good message for each goal, but first what it is given to say, answer by answer."""

    def __init__(self, first: dict[int, list[str]] | None = None):
        self._left = {number: list(answers) for number, answers in (first or {}).items()}
        self._facts = {laid_out(goal_in(one.content, ())): number for number, one in enumerate(SCENARIOS, 1)}

    def __call__(self, asked: Asked) -> str:
        facts = str(asked.messages[1]["content"]).split(MARKER)[1].split("\n\n")[1]
        number = self._facts[facts]
        left = self._left.get(number)
        return left.pop(0) if left else said(good(number))


class Desk:
    """Types the command at a provider and keeps what it said."""

    def __init__(self, url: str, loopback: Loopback, capsys: pytest.CaptureFixture[str]):
        self.url, self.loopback, self.capsys = url, loopback, capsys
        self.err = ""

    def type(self, *more: str, n: int = 4, code: int = 0) -> Any:
        """The JSON that the command prints, where it prints any."""
        line = [
            "generate",
            "task_dialogue",
            "--model",
            "openai/writer",
            "--base-url",
            self.url,
            "--n",
            str(n),
        ]
        found = main([*line, "--out", "new.jsonl", "--yes", "--json", *more])
        out, self.err = self.capsys.readouterr()
        assert found == code, self.err
        assert "Traceback" not in self.err
        return json.loads(out) if out else None


@pytest.fixture
def served(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[Script], Desk]]:
    monkeypatch.chdir(tmp_path)
    with ExitStack() as stack:

        def serve(script: Script) -> Desk:
            loopback = Loopback({"writer": script, "*": rehearse})
            return Desk(stack.enter_context(serving(loopback)), loopback, capsys)

        yield serve


def test_good_and_bad_messages_are_written_and_what_passes_is_a_file_of_goals(
    served: Callable[[Script], Desk],
) -> None:
    desk = served(
        Writer(
            {
                1: [said(bad(1))],  # mended when it was told
                2: [said(bad(2))] * (MOST_ROUNDS + 1),  # the second try is, when it was told
                3: [said(bad(3))] * 99,
                4: [REFUSAL] * 99,
            }
        )
    )
    told = desk.type(n=5)
    assert told["kept"] == ["goal 1", "goal 2", "goal 5"]
    assert set(told["left_out"]) == {"goal 3", "goal 4"}
    assert told["left_out"]["goal 4"] == ["the writer never answered in form"]
    assert any("nothing that is marked says" in one for one in told["left_out"]["goal 3"])
    assert desk.loopback.calls == 2 + (MOST_ROUNDS + 2) + 3 * MOST_ROUNDS + 9 + 1
    assert [goal.message for goal in read_goals(Path("new.jsonl"))] == [good(1), good(2), good(5)]
    before, spent = Path("new.jsonl").read_bytes(), desk.loopback.calls
    assert desk.type("--force", n=5)["kept"] == told["kept"]
    assert (Path("new.jsonl").read_bytes(), desk.loopback.calls) == (before, spent)


def test_without_a_goal_no_file_is_written(served: Callable[[Script], Desk]) -> None:
    desk = served(lambda asked: REFUSAL)
    told = desk.type(n=1, code=1)
    assert (told["file"], told["kept"], Path("new.jsonl").exists()) == (None, [], False)
    assert "it would lack a goal" in desk.err


def test_a_plan_sends_nothing(served: Callable[[Script], Desk]) -> None:
    desk = served(Writer())
    planned = desk.type("--plan")
    assert (planned["left"], planned["shares"][0]["calls"]) == (4, [4, 4 * MOST_ROUNDS])
    assert (desk.loopback.calls, list(Path().iterdir())) == (0, [])


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (["--n", "0"], "n is a whole number from 1 to 500"),
        (["--n", "501"], "n is a whole number from 1 to 500"),
        (["--seed", "x"], "seed is a whole number"),
        (["--out", "new.toml"], "must end in .jsonl"),
    ],
)
def test_a_mistake_is_told_before_anything_is_spent(
    served: Callable[[Script], Desk], more: list[str], reason: str
) -> None:
    desk = served(Writer())
    assert desk.type(*more, code=2) is None
    assert reason in desk.err
    assert (desk.loopback.calls, list(Path().iterdir())) == (0, [])
