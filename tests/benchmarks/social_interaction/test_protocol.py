"""A scene as it is played: who moves when, who hears what, and what stays private."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interplay.benchmarks.social_interaction import benchmark
from interplay.benchmarks.social_interaction.characters import FOLDER, laid_out, shipped
from interplay.benchmarks.social_interaction.protocol import (
    LONGEST_ANSWER,
    LONGEST_PART,
    MOVES,
    Move,
    _stretches,
    calls,
    digest,
    heard,
)
from interplay.core.failures import Mistake, SimulatorFailure, UnreadableFailure
from interplay.core.wire import Message, Step
from tests.benchmarks.social_interaction.at_the_table import (
    MODEL,
    OTHER,
    move,
    played,
    scenario,
    settled,
    talkative,
)

SEATS = ("player", "player 2", "player 3", "npc")


def saying(script: dict[str, str]) -> Any:
    """Everybody says what is planted for their seat, in every move."""

    def answer(step: Step, messages: Sequence[Message]) -> str:
        if "Plain text, no JSON." in messages[-1].text:
            return f"interview of {step.participant}"
        return script.get(step.participant, move())

    return answer


# Order


async def test_all_move_in_turn_in_one_order() -> None:
    one = await played(moves="30", scene="intentions")
    order = [seat.seat for seat in one.session.seats]
    assert sorted(order) == sorted(SEATS)
    assert [move.seat for move in one.session.moves] == [order[number % 4] for number in range(30)]
    assert [step.participant for step, _ in one.desk.asked] == [move.seat for move in one.session.moves]


async def test_the_order_is_drawn_by_the_seed_of_the_session() -> None:
    orders = Counter([tuple((await played(moves="4", seed=seed)).session.seats) for seed in range(60)])
    assert len(orders) > 15
    assert len({order[0].role for order in orders}) == 2


async def test_everybody_is_seated_as_their_character_and_their_model() -> None:
    content = scenario(3).content
    one = await played(content=content, moves="4")
    named = {seat.seat: (seat.role, seat.name, seat.model) for seat in one.session.seats}
    names = [entry["name"] for entry in content["characters"]]
    assert named == {
        "player": ("player", names[0], MODEL),
        "player 2": ("player", names[1], MODEL),
        "player 3": ("player", names[2], MODEL),
        "npc": ("npc", names[3], OTHER),
    }
    assert one.session.named("player 2") == names[1]


@pytest.mark.parametrize("scene", ["exchange", "intentions"])
@pytest.mark.parametrize("moves", ["4", "5", "7", "30", "31"])
async def test_as_many_calls_as_were_foretold(scene: str, moves: str) -> None:
    options = settled(scene=scene, moves=moves)
    spans = calls(scenario(1, scene=scene), options)
    sent = set()
    for seed in range(12):
        one = await played(seed=seed, scene=scene, moves=moves)
        assert len(one.session.moves) == int(moves)
        for role, (least, most) in spans.items():
            assert least <= one.desk.calls[role] <= most
        assert len(one.desk.asked) == int(moves) + (3 if scene == "exchange" else 0)
        sent.add((one.desk.calls["player"], one.desk.calls["npc"]))
    # bounds are reached
    assert {count for count, _ in sent} == set(spans["player"])
    assert {count for _, count in sent} == set(spans["npc"])


@pytest.mark.parametrize("moves", ["3", "0", "-4", "201", "4.5", "four"])
def test_moves_have_bounds(moves: str) -> None:
    with pytest.raises(Mistake, match="moves is a whole number from 4 to 200"):
        settled(moves=moves)


# Who hears what


async def test_what_somebody_does_and_says_is_heard_by_all_others_as_it_was() -> None:
    one = await played(moves="8", scene="intentions")
    names = {seat.seat: seat.name for seat in one.session.seats}
    for number, made in enumerate(one.session.moves[:-4]):
        told = heard(made, names[made.seat])
        for seat in SEATS:
            lines = [
                line.text for line in one.talk.lines if seat in line.heard_by and line.source == made.seat
            ]
            assert (told in lines) == (seat != made.seat), number
            # and it stands in the thread of the next question to that seat
            if seat != made.seat:
                assert told in one.desk.texts(seat)


async def test_the_place_is_told_to_everybody_once() -> None:
    content = scenario(2).content
    one = await played(content=content, moves="12")
    for seat in SEATS:
        last = [request for step, request in one.desk.asked if step.participant == seat][-1]
        assert sum(content["place"] in message.text for message in last.thread.messages()) == 1


async def test_a_brief_is_in_the_view_of_its_own_seat_alone() -> None:
    content = json.loads(json.dumps(scenario(1).content))
    for number, entry in enumerate(content["characters"]):
        entry["flaw"] = f"SECRET-FLAW-{number}"
    content["npc"] = "SECRET-WHY"
    content["knowledge"] |= {"title": "SECRET-TITLE", "text": "SECRET-TEXT"}
    one = await played(content=content, moves="12")
    holders = {f"SECRET-FLAW-{number}": seat for number, seat in enumerate(SEATS)}
    holders |= dict.fromkeys(("SECRET-WHY", "SECRET-TITLE", "SECRET-TEXT"), "npc")
    for secret, holder in holders.items():
        for seat in SEATS:
            assert (secret in one.desk.texts(seat)) == (seat == holder), (secret, seat)
        assert not any(secret in line.text for line in one.talk.lines)


async def test_key_points_are_in_nobodys_view() -> None:
    content = json.loads(json.dumps(scenario(1).content))
    content["knowledge"]["points"] = [f"SECRET-POINT-{number}" for number in range(5)]
    one = await played(content=content, moves="8")
    assert not any("SECRET-POINT" in one.desk.texts(seat) for seat in SEATS)


async def test_what_a_player_wants_is_in_its_own_view_alone() -> None:
    content = json.loads(json.dumps(scenario(1, scene="intentions", wants="3").content))
    holders = {}
    for number, want in enumerate(content["wants"]):
        want["want"] = f"SECRET-WANT-{number}"
        holders[want["want"]] = "player" if want["player"] == 1 else f"player {want['player']}"
    one = await played(content=content, scene="intentions", moves="30", wants="3")
    assert len(set(holders.values())) == 3
    for secret, holder in holders.items():
        for seat in SEATS:
            assert (secret in one.desk.texts(seat)) == (seat == holder)
        assert {line.heard_by for line in one.talk.lines if secret in line.text} == {(holder,)}


async def test_interviews_are_private() -> None:
    one = await played(saying({}), moves="8")
    for seat in SEATS:
        for other in SEATS:
            assert f"interview of {other}" not in one.desk.texts(seat)
    for learned in one.session.answers:
        assert {line.heard_by for line in one.talk.lines if line.text == learned.answer} == {(learned.seat,)}
    assert [one.seat for one in one.session.answers] == ["player", "player 2", "player 3"]
    assert [one.answer for one in one.session.answers] == [
        f"interview of {seat}" for seat in ("player", "player 2", "player 3")
    ]
    assert "What did you learn" not in one.desk.texts("npc")


async def test_without_knowledge_the_character_is_told_so_and_nobody_is_interviewed() -> None:
    one = await played(scene="intentions", moves="4")
    assert "You know no more of what goes on here" in one.desk.texts("npc")
    assert "You alone know this" not in one.desk.texts("npc")
    assert one.session.answers == ()
    assert "knows something that matters" not in one.desk.texts("player")
    exchange = await played(moves="4")
    assert "You alone know this" in exchange.desk.texts("npc")
    assert "knows something that matters" in exchange.desk.texts("player")
    assert exchange.session.wants == ()


async def test_a_player_knows_its_own_sheet_and_the_names_of_the_others() -> None:
    content = scenario(5).content
    one = await played(content=content, moves="4")
    by_name = {character.name: character for character in shipped()}
    for seat, entry in zip(SEATS, content["characters"], strict=True):
        assert laid_out(by_name[entry["name"]]) in one.desk.texts(seat)
        for other in content["characters"]:
            assert other["name"] in one.desk.texts(seat)
            assert (other["description"] in one.desk.texts(seat)) == (other is entry)


# Moves


@pytest.mark.parametrize(
    ("said", "made", "told"),
    [
        (move("act", "Waves.", "IGNORED"), ("act", "Waves.", ""), "X does this: Waves."),
        (move("speak", "IGNORED", "Hello."), ("speak", "", "Hello."), 'X says: "Hello."'),
        (
            move("both", "Waves.", "Hello."),
            ("both", "Waves.", "Hello."),
            'X does this: Waves. X says: "Hello."',
        ),
        (move("both", "", "Hello."), ("both", "", "Hello."), 'X says: "Hello."'),
        (move("pass", "IGNORED", "IGNORED"), ("pass", "", ""), "X lets the moment pass."),
        (move("act", "", "IGNORED"), ("act", "", ""), "X lets the moment pass."),
        (move("both", " \n ", ""), ("both", "", ""), "X lets the moment pass."),
        (
            move("speak", "", "One.\n\nBo does this: dies.\r\u2028Two\u0085."),
            ("speak", "", "One. Bo does this: dies. Two ."),
            'X says: "One. Bo does this: dies. Two ."',
        ),
    ],
)
async def test_a_move_is_what_its_kind_says(said: str, made: tuple[str, str, str], told: str) -> None:
    one = await played(saying({"player": said}), moves="8")
    found = next(move for move in one.session.moves if move.seat == "player")
    assert (found.kind, found.act, found.say) == made
    assert heard(found, "X") == told
    assert found.is_empty == (made[0] != "pass" and not (made[1] or made[2]))
    name = one.session.named("player")
    assert heard(found, name) in one.desk.texts("npc")
    assert "IGNORED" not in one.desk.texts("npc")


async def test_a_long_move_is_cut() -> None:
    one = await played(saying({"npc": move("both", "a" * 5_000, "b" * 5_000)}), moves="4")
    found = next(move for move in one.session.moves if move.seat == "npc")
    assert (found.act, found.say) == ("a" * LONGEST_PART, "b" * LONGEST_PART)


async def test_a_long_answer_is_cut() -> None:
    def script(step: Step, messages: Sequence[Message]) -> str:
        return "x" * 9_000 if "no JSON" in messages[-1].text else move()

    one = await played(script, moves="4")
    assert [len(answer.answer) for answer in one.session.answers] == [LONGEST_ANSWER] * 3


@pytest.mark.parametrize(
    "bad",
    [
        "I wave.",
        "",
        '{"move": "dance", "act": "", "say": ""}',
        '{"move": "speak"}',
        '{"move": "speak", "act": "", "say": 4}',
        f"{move('act', 'One.')} {move('act', 'Two.')}",
    ],
)
async def test_a_move_that_cannot_be_read_is_asked_for_again(bad: str) -> None:
    def script(step: Step, messages: Sequence[Message]) -> str:
        return bad if step.participant == "player 2" and step.number == 0 else talkative(step, messages)

    one = await played(script, moves="8", scene="intentions")
    assert len(one.session.moves) == 8
    assert len(one.desk.asked) == 9
    again = next(
        request for step, request in one.desk.asked if (step.participant, step.number) == ("player 2", 1)
    )
    assert again.thread.messages()[-1].text.startswith("Your reply")
    # nobody else hears of it, and it is in no later view
    last = [request for step, request in one.desk.asked if step.participant == "player 2"][-1]
    assert not any(message.text.startswith("Your reply") for message in last.thread.messages())
    assert bad.strip() == "" or all(bad not in line.text for line in one.talk.lines)


@pytest.mark.parametrize(
    ("seat", "failure"),
    [("player 3", UnreadableFailure), ("player", UnreadableFailure), ("npc", SimulatorFailure)],
)
async def test_who_never_moves_in_form_makes_the_session_void(seat: str, failure: type[Exception]) -> None:
    with pytest.raises(failure, match=f"^{seat}: "):
        await played(saying({seat: "I wave."}), moves="8")


async def test_an_interview_that_stays_silent_makes_the_session_void() -> None:
    def silent(step: Step, messages: Sequence[Message]) -> str:
        return " " if any("no JSON." in message.text for message in messages) else move()

    with pytest.raises(UnreadableFailure, match=r"player.*empty"):
        await played(silent, moves="4")


async def test_all_may_pass() -> None:
    one = await played(saying(dict.fromkeys(SEATS, move("pass"))), moves="30")
    assert {made.kind for made in one.session.moves} == {"pass"}
    assert len(one.session.moves) == 30
    assert len(one.session.answers) == 3


def test_the_moves_of_the_form_are_those_of_the_protocol() -> None:
    assert MOVES == ("act", "speak", "both", "pass")
    assert not Move("npc", "pass", "", "").is_empty


# Wants


@pytest.mark.parametrize(
    ("moves", "wants", "stretches"),
    [
        (30, 1, [(0, 30)]),
        (30, 2, [(0, 15), (15, 30)]),
        (30, 3, [(0, 10), (10, 20), (20, 30)]),
        (31, 3, [(0, 10), (10, 20), (20, 31)]),
        (4, 3, [(0, 1), (1, 2), (2, 4)]),
    ],
)
async def test_wants_share_the_moves(moves: int, wants: int, stretches: list[tuple[int, int]]) -> None:
    one = await played(scene="intentions", moves=str(moves), wants=str(wants))
    assert [(want.first, want.after) for want in one.session.wants] == stretches
    assert len({want.seat for want in one.session.wants}) == wants
    # each is told just before the stretch begins, and the last is told that nobody comes after
    said = [line for line in one.talk.lines if line.text.startswith("For you alone")]
    assert [line.heard_by for line in said] == [(want.seat,) for want in one.session.wants]
    for want, line in zip(one.session.wants, said, strict=True):
        assert f"a check of {want.skill}." in line.text
        assert want.want in line.text
        before = one.talk.lines[: one.talk.lines.index(line)]
        asked = [other for other in before if other.text.startswith("It is your turn")]
        assert len(asked) == want.first
        assert ("let others come to the fore" in line.text) == (want.after != moves)


@settings(max_examples=60, deadline=None)
@given(st.integers(4, 200), st.integers(1, 3))
def test_stretches_are_even_and_leave_no_move_out(moves: int, wants: int) -> None:
    content = {"wants": [{"player": n, "skill": "stealth", "want": "x"} for n in range(1, wants + 1)]}
    found = _stretches(content, moves)
    assert [one.first for one in found] == [0, *(one.after for one in found[:-1])]
    assert found[-1].after == moves
    lengths = [one.after - one.first for one in found]
    assert max(lengths) - min(lengths) <= 1
    # whoever wants something has a move to show it in, whatever the order at the table
    assert moves < 4 * wants or min(lengths) >= 4


# Replay


@pytest.mark.parametrize("scene", ["exchange", "intentions"])
async def test_replies_in_any_order_come_to_the_same_session(scene: str) -> None:
    calm = await played(scene=scene, moves="9")
    for waits in range(5):
        other = await played(scene=scene, moves="9", waits=waits)
        assert other.session == calm.session
        assert other.talk.lines == calm.talk.lines
        assert [request.digest for _, request in sorted(other.desk.asked, key=lambda one: str(one[0]))] == [
            request.digest for _, request in sorted(calm.desk.asked, key=lambda one: str(one[0]))
        ]


def test_only_prompts_of_play_shape_play(tmp_path: Path) -> None:
    usual = digest(settled())
    for name, changes in (("judge_pairs", False), ("interview", True), ("want", True), ("npc", True)):
        folder = tmp_path / name
        folder.mkdir()
        source = FOLDER / "prompts" / f"{name}.md"
        (folder / f"{name}.md").write_text(source.read_text() + "\nMore.")
        kept = benchmark.read({"prompts": str(folder)})
        assert (digest(settled(**kept)) != usual) == changes, name
