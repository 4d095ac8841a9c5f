"""What new pieces grow out of, and how one is asked for: seeds in both languages, prompts, forms."""

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.role_play import checks
from interplay.benchmarks.role_play.cards import LANGUAGES
from interplay.benchmarks.role_play.checks import share_in_script
from interplay.benchmarks.role_play.drafting import (
    SEEDS_OF,
    CharacterDraft,
    SituationDraft,
    Written,
    digest,
    play,
    scenarios,
    seeds,
)
from interplay.benchmarks.role_play.writing import writing
from interplay.core.conversation import Casting, Conversation
from interplay.core.failures import Mistake, UnreadableFailure
from interplay.core.forms import schema_of
from interplay.core.wire import Reply, Request, Sampling, Step
from tests.benchmarks.pieces import character, situation

HEADINGS = [*SEEDS_OF["character"].values(), *SEEDS_OF["situation"].values(), "touches"]


def options(**given: str) -> dict[str, str]:
    return writing.settle(given)


class Desk:
    """Answers with what it is given, and keeps what it was asked."""

    def __init__(self, *answers: str):
        self.answers = list(answers)
        self.asked: list[Request] = []

    async def reply(self, step: Step, request: Request) -> Reply:
        self.asked.append(request)
        return Reply(self.answers.pop(0), stop="stop")

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        return make()


def write(scenario: Mapping[str, Any], desk: Desk, seed: str = "0") -> tuple[Written, Conversation]:
    talk = Conversation({"writer": Casting("m", Sampling(), "subject")}, desk, scenario=scenario, seed=seed)
    return asyncio.run(play(talk, options())), talk


def wanted(label: str, **given: str) -> Mapping[str, Any]:
    return next(one.content for one in scenarios(options(**given)).scenarios if one.label == label)


@pytest.mark.parametrize("heading", HEADINGS)
def test_every_list_of_seeds_is_long_and_in_both_languages(heading: str) -> None:
    entries = seeds()[heading]
    assert len(entries) >= 20
    for language in LANGUAGES:
        texts = [entry[language] for entry in entries]
        assert len({text.casefold() for text in texts}) == len(texts)
        assert [text for text in texts if share_in_script(text, language) < 1.0 or text != text.strip()] == []


def test_no_list_of_seeds_is_left_over() -> None:
    assert set(seeds()) == set(HEADINGS)


@pytest.mark.parametrize("heading", ["styles", "kinds"])
def test_what_becomes_a_tag_has_a_name_of_its_own(heading: str) -> None:
    names = [entry["id"] for entry in seeds()[heading]]
    assert len(set(names)) == len(names)
    assert all(name.replace("_", "").isalpha() and name.islower() for name in names)


def test_a_situation_has_four_turns_or_eight_as_its_kind_says() -> None:
    turns = [kind["turns"] for kind in seeds()["kinds"]]
    assert set(turns) == set(checks.TURNS)
    drawn = scenarios(options(situations=str(len(turns)))).scenarios
    assert sorted(one.content["turns"] for one in drawn if one.content["kind"] == "situation") == sorted(
        turns
    )


def test_there_is_a_scenario_for_each_piece_in_the_language_asked_for() -> None:
    found = scenarios(options(characters="3", situations="2", language="ru")).scenarios
    assert [one.label for one in found] == [
        *(f"character {n}" for n in (1, 2, 3)),
        *(f"situation {n}" for n in (1, 2)),
    ]
    for one in found:
        assert all(share_in_script(text, "ru") == 1.0 for text in one.content["seeds"].values())
    assert len({one.id for one in found}) == 5


def test_no_seed_comes_twice_before_all_of_its_list_came() -> None:
    found = scenarios(options(characters="60")).scenarios
    for name, heading in SEEDS_OF["character"].items():
        drawn = [one.content["seeds"][name] for one in found if one.content["kind"] == "character"]
        size = len(seeds()[heading])
        assert len(set(drawn[:size])) == size
        assert drawn[:size] != drawn[size : 2 * size]


def test_the_seed_decides_what_is_drawn_and_the_number_of_pieces_does_not() -> None:
    few, many = (scenarios(options(characters=n, situations="1")).scenarios for n in ("3", "9"))
    assert few[:3] == many[:3]
    other = scenarios(options(characters="3", situations="1", seed="1")).scenarios
    assert not {one.id for one in few} & {one.id for one in other}


def test_writing_reads_no_data() -> None:
    with pytest.raises(Mistake, match=r"writing reads no data: leave x\.toml out"):
        scenarios(options(), Path("x.toml"))


@pytest.mark.parametrize("count", ["0", "501", "-1", "many"])
@pytest.mark.parametrize("name", ["characters", "situations"])
def test_a_file_has_one_to_five_hundred_of_each(name: str, count: str) -> None:
    with pytest.raises(Mistake, match=f"{name} is a whole number from 1 to 500"):
        options(**{name: count})


def test_a_character_is_asked_for_by_its_seeds_and_read_by_its_form() -> None:
    scenario = wanted("character 2")
    desk = Desk(json.dumps(character("x")))
    piece, talk = write(scenario, desk)
    brief, task = (message.text for message in desk.asked[0].thread.messages())
    assert all(text in task for text in scenario["seeds"].values())
    assert "120 to 350 words" in brief
    assert "{{" not in brief + task
    assert desk.asked[0].schema == schema_of(CharacterDraft)
    draft = character("x")
    assert piece.secret == draft.pop("secret")
    assert piece.entry == draft | {"example": draft["example"].replace("\n\n", "\n")}
    assert talk.lines[-1].text == piece.laid_out()  # for whoever looks at the conversation later


def test_a_situation_gets_its_turns_from_its_seeds() -> None:
    scenario = wanted("situation 8")
    desk = Desk(json.dumps(situation("x")))
    piece, _ = write(scenario, desk)
    assert desk.asked[0].schema == schema_of(SituationDraft)
    assert f"for {scenario['turns']} messages" in desk.asked[0].thread.messages()[1].text
    assert piece == Written("situation", {**situation("x"), "turns": scenario["turns"]})


def test_russian_is_asked_for_in_russian_words() -> None:
    desk = Desk(json.dumps(character("x", "ru")))
    write(wanted("character 1", language="ru"), desk)
    brief, task = (message.text for message in desk.asked[0].thread.messages())
    assert "All texts but the id are in Russian." in brief
    assert "Пользователь and a colon" in brief
    letter = task.split("begins with the letter ")[1][0]
    assert share_in_script(letter * 20, "ru") == 1.0


def test_another_try_is_asked_for_in_other_words() -> None:
    tasks = set()
    for seed in map(str, range(8)):
        desk = Desk(json.dumps(character("x")))
        write(wanted("character 1"), desk, seed)
        tasks.add(desk.asked[0].thread.messages()[1].text)
    assert len(tasks) > 3


@pytest.mark.parametrize(
    "typed, id",
    [
        ("Night Baker!", "night-baker"),
        ("café_au_lait", "cafe-au-lait"),
        ("ночной-пекарь", "situation-1"),
        ("  ", "situation-1"),
        ("a" * 70, "a" * 40),
    ],
)
def test_an_id_is_made_fit_or_given(typed: str, id: str) -> None:
    piece, _ = write(wanted("situation 1"), Desk(json.dumps({**situation("x"), "id": typed})))
    assert piece.entry["id"] == id


def test_layout_is_tidied_and_words_are_not() -> None:
    draft = character("x") | {
        "summary": "  One line \n in two. ",
        "persona": "\r\nFirst\r\n\r  second \n",
        "example": "User: a\n\n  You: b  \n",
    }
    piece, _ = write(wanted("character 1"), Desk(json.dumps(draft)))
    assert piece.entry["summary"] == "One line in two."
    assert piece.entry["persona"] == "First\n\n  second"
    assert piece.entry["example"] == "User: a\nYou: b"


def test_a_writer_that_never_answers_in_form_is_told_and_then_given_up() -> None:
    desk = Desk("I would rather not.", "{}", '{"name": ""}')
    with pytest.raises(UnreadableFailure):
        write(wanted("character 1"), desk)
    assert "is missing" in desk.asked[2].thread.messages()[-1].text


def test_the_forms_are_wider_than_the_checks_so_that_a_cut_text_fails() -> None:
    found = schema_of(CharacterDraft)["properties"]
    assert found["name"]["maxLength"] > checks.LONGEST_NAME
    assert found["summary"]["maxLength"] > checks.SUMMARY[1]
    assert found["example"]["maxLength"] > checks.LONGEST_EXAMPLE
    assert found["greeting"]["maxLength"] > checks.LONGEST_GREETING
    letters = 9  # of a word and its space, more than either language has on the mean
    assert found["persona"]["maxLength"] > letters * checks.PERSONA[1]
    assert schema_of(SituationDraft)["properties"]["text"]["maxLength"] > letters * checks.SITUATION[1]


def test_the_digest_knows_the_language_of_the_brief() -> None:
    assert digest(options()) == digest(options(characters="3"))
    assert digest(options()) != digest(options(language="ru"))
