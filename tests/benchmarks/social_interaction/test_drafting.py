"""What new characters and knowledge grow out of, and how one is asked for: draws, prompts, forms."""

import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.social_interaction import character_checks, characters, knowledge, knowledge_checks
from interplay.benchmarks.social_interaction.characters import ABILITIES, SKILLS, drawn, entry_of, laid_out
from interplay.benchmarks.social_interaction.drafting import (
    CHARACTERS,
    KNOWLEDGE,
    SCHEMAS,
    WHAT,
    Written,
    digest,
    draws,
    play,
    scenarios,
)
from interplay.benchmarks.social_interaction.writing import writing
from interplay.core.conversation import Casting, Conversation
from interplay.core.failures import Mistake, UnreadableFailure
from interplay.core.forms import build
from interplay.core.wire import Sampling, canonical
from tests.benchmarks.social_interaction.new_pieces import character, good, piece, said, shipped_piece
from tests.benchmarks.stage import Desk


def options(**given: str) -> dict[str, str]:
    return writing.settle(given)


def contents(**given: str) -> list[Mapping[str, Any]]:
    return [one.content for one in scenarios(options(**given)).scenarios]


def write(what: str, *answers: str, number: int = 1, seed: str = "0") -> tuple[Written, Conversation, Desk]:
    left = list(answers)
    desk = Desk(writer=lambda step: left.pop(0))
    cast = {"writer": Casting("m", Sampling(), "subject")}
    scenario = contents(what=what)[number - 1]
    talk = Conversation(cast, desk, scenario=scenario, seed=seed)
    return asyncio.run(play(talk, options(what=what))), talk, desk


def test_knowledge_is_written_unless_characters_are_asked_for() -> None:
    assert {one["what"] for one in contents()} == {KNOWLEDGE}
    assert {one["what"] for one in contents(what=CHARACTERS)} == {CHARACTERS}
    with pytest.raises(Mistake, match="there is no what 'character'; did you mean 'characters'"):
        options(what="character")


def test_the_angles_are_many_and_short_and_each_is_another() -> None:
    angles = draws()["angles"]
    assert len(angles) >= 60
    assert len(angles) % 2 == 0  # two are drawn at a time
    for name in ("angles", "turns", "openings"):
        entries = draws()[name]
        assert len(entries) >= 16
        assert len({text.casefold() for text in entries}) == len(entries)
        assert all(text == text.strip() and text[0].islower() and len(text) <= 70 for text in entries)


def test_no_angle_is_the_matter_of_a_shipped_piece() -> None:
    titles = {
        frozenset(character_checks.words_of(one.title)) - {"the", "a", "of"} for one in knowledge.shipped()
    }
    for angle in draws()["angles"]:
        assert not [title for title in titles if title <= set(character_checks.words_of(angle))], angle


def test_every_shipped_kind_is_told_of_and_no_other() -> None:
    assert list(draws()["kinds"]) == sorted({one.kind for one in knowledge.shipped()})
    found = Counter(one["kind"] for one in contents(n="24"))
    assert found == dict.fromkeys(draws()["kinds"], 3)


def test_a_piece_grows_out_of_two_angles_that_come_again_only_after_all_others() -> None:
    size = len(draws()["angles"])
    found = contents(n=str(size))
    pairs = [tuple(one["angles"]) for one in found]
    assert sorted(angle for pair in pairs[: size // 2] for angle in pair) == sorted(draws()["angles"])
    assert all(first != second for first, second in pairs)
    assert len(set(pairs)) == size


def test_five_hundred_pieces_are_asked_for_in_as_many_ways() -> None:
    for what in WHAT:
        made = scenarios(options(what=what, n="500")).scenarios
        assert len({canonical({**one.content, "number": 0}) for one in made}) == 500


def test_examples_of_knowledge_are_two_of_other_kinds_and_cannot_be_handed_in_whole() -> None:
    known = {one.title: one for one in knowledge.shipped()}
    for one in contents(n="40"):
        assert len({example["title"] for example in one["examples"]}) == 2
        for example in one["examples"]:
            of = known[example["title"]]
            assert of.kind != one["kind"]
            assert example["text"] == of.text
            points = [vars(point) for point in of.points]
            places = [points.index(point) for point in example["points"]]
            assert len(places) == 2
            assert places == sorted(set(places))
            with pytest.raises(UnreadableFailure):
                write(KNOWLEDGE, *[said(example)] * 3)


def test_attributes_are_those_of_the_tables_and_the_example_is_one_who_ships() -> None:
    for number, one in enumerate(contents(what=CHARACTERS, seed="7"), 1):
        entry = entry_of(drawn(f"7/{number}").called("x", "y"))
        del entry["name"], entry["description"]
        assert one["attributes"] == entry
        assert one["example"] in [entry_of(other) for other in characters.shipped()]


@pytest.mark.parametrize("what", WHAT)
def test_the_seed_decides_what_is_drawn_and_the_number_of_pieces_does_not(what: str) -> None:
    few, many, other = (
        scenarios(options(what=what, n=n, seed=seed)).scenarios
        for n, seed in (("4", "0"), ("9", "0"), ("9", "1"))
    )
    assert many[:4] == few
    assert not {one.id for one in many} & {one.id for one in other}


def test_labels_say_what_and_which() -> None:
    first = scenarios(options()).scenarios[0]
    assert first.label == f"piece 1 ({first.content['kind']})"
    assert scenarios(options(what=CHARACTERS)).scenarios[3].label == "character 4"


def test_writing_reads_no_data() -> None:
    with pytest.raises(Mistake, match=r"writing reads no data: leave x\.toml out"):
        scenarios(options(), Path("x.toml"))


@pytest.mark.parametrize("count", ["0", "501", "-1", "many"])
def test_a_file_has_one_to_five_hundred_pieces(count: str) -> None:
    with pytest.raises(Mistake, match="n is a whole number from 1 to 500"):
        options(n=count)


def test_fewer_characters_than_meet_are_a_mistake_before_anything_is_spent() -> None:
    with pytest.raises(Mistake, match="4 or more characters meet in a session: n must be at least 4, not 3"):
        scenarios(options(what=CHARACTERS, n="3"))
    assert len(scenarios(options(what=CHARACTERS, n="4")).scenarios) == 4
    assert len(scenarios(options(what=KNOWLEDGE, n="1")).scenarios) == 1


def test_knowledge_is_asked_for_by_kind_and_angles_and_read_by_the_form() -> None:
    draft = piece("x")
    written, talk, desk = write(KNOWLEDGE, said(draft), number=2)
    [[(_, brief), (_, task)]] = desk.views("writer")
    wanted = contents()[1]
    assert f"It tells of {draws()['kinds'][wanted['kind']]}.\n" in task
    assert all(f"\n- {angle}\n" in task for angle in wanted["angles"])
    assert all(json.dumps(example, ensure_ascii=False) in task for example in wanted["examples"])
    assert "{{" not in brief + task
    least, most = knowledge_checks.TEXT
    assert f"text: {least} to {most} words" in brief
    assert "exactly 5, in the order" in brief
    assert all(skill in brief for skill in SKILLS)
    assert desk.asked[0][1].schema == SCHEMAS[KNOWLEDGE]
    assert written == Written(KNOWLEDGE, {"kind": wanted["kind"], **draft})
    made = written.made()
    assert isinstance(made, knowledge.Knowledge)
    assert knowledge.entry_of(made) == written.entry
    assert talk.lines[-1].text == written.laid_out()  # for whoever looks at the conversation later
    assert all(text in written.laid_out() for point in draft["points"] for text in point.values())


def test_a_character_is_asked_for_by_its_sheet_and_read_by_the_form() -> None:
    draft = character("x")
    written, talk, desk = write(CHARACTERS, said(draft), number=3)
    [[(_, brief), (_, task)]] = desk.views("writer")
    wanted = contents(what=CHARACTERS)[2]
    made = written.made()
    assert made == drawn("0/3").called(**draft)
    sheet = laid_out(drawn("0/3").called("x", "y")).splitlines()[1:-1]
    assert "\n".join(["", *sheet, ""]) in task
    example = wanted["example"]
    assert json.dumps({"name": example["name"], "description": example["description"]}) in task
    assert example["bond"] in task
    assert "{{" not in brief + task
    assert "Name: " not in task
    least, most = character_checks.DESCRIPTION
    assert f"description: {least} to {most} words" in brief
    assert all(skill in brief for skill in SKILLS)
    assert desk.asked[0][1].schema == SCHEMAS[CHARACTERS]
    assert talk.lines[-1].text == laid_out(drawn("0/3").called(**draft))


def test_a_record_that_sorts_its_keys_changes_nothing() -> None:
    scenario = json.loads(canonical(contents(what=CHARACTERS)[0]))
    assert list(scenario["attributes"]["abilities"]) == sorted(ABILITIES)
    desk = Desk(writer=lambda step: said(character("x")))
    cast = {"writer": Casting("m", Sampling(), "subject")}
    talk = Conversation(cast, desk, scenario=scenario, seed="0")
    written = asyncio.run(play(talk, options(what=CHARACTERS)))
    plain, _, before = write(CHARACTERS, said(character("x")))
    assert desk.views("writer") == before.views("writer")
    assert list(written.entry["abilities"]) == list(ABILITIES)
    assert build(Written, json.loads(canonical(vars(plain)))) == plain


@pytest.mark.parametrize("what", WHAT)
def test_another_try_is_sent_another_way(what: str) -> None:
    tasks = {write(what, said(good(what, "x")), seed=str(seed))[2].shown("writer") for seed in range(8)}
    assert len(tasks) == 8


def test_texts_come_in_one_line_and_words_stay_as_they_are() -> None:
    draft = piece("x") | {"title": "  The\tOld\n Well ", "text": "One.\r\n\r\nTwo\u00a0 three. "}
    draft["points"][0]["said"] = " So\n\nit is. "
    written, _, _ = write(KNOWLEDGE, said(draft))
    assert (written.entry["title"], written.entry["text"]) == ("The Old Well", "One. Two three.")
    assert written.entry["points"][0]["said"] == "So it is."
    somebody, _, _ = write(CHARACTERS, said({"name": " Ada\nLoom ", "description": "Ada\n\n- Loom."}))
    assert (somebody.entry["name"], somebody.entry["description"]) == ("Ada Loom", "Ada - Loom.")


def test_what_a_writer_adds_to_the_form_is_left_out() -> None:
    written, _, _ = write(CHARACTERS, said({**character("x"), "race": "dragon", "skills": []}))
    assert (written.entry["race"], written.entry["skills"]) == (drawn("0/1").race, list(drawn("0/1").skills))
    told, _, _ = write(KNOWLEDGE, said({**piece("x"), "kind": "spells"}))
    assert told.entry["kind"] == contents()[0]["kind"]


def _without(*keys: str) -> str:
    return said({key: value for key, value in piece("x").items() if key not in keys})


@pytest.mark.parametrize(
    "what, answer, told",
    [
        (KNOWLEDGE, "I would rather not.", "holds no JSON object"),
        (KNOWLEDGE, "{}", "title is missing"),
        (KNOWLEDGE, _without("points"), "points is missing"),
        (KNOWLEDGE, said({**piece("x"), "points": piece("x")["points"][:4]}), "exactly 5 entries, not 4"),
        (KNOWLEDGE, said({**piece("x"), "points": ["a"] * 5}), "points[0] must be a JSON object"),
        (KNOWLEDGE, said({**piece("x"), "points": [{"point": "a"}] * 5}), "points[0].said is missing"),
        (KNOWLEDGE, said({**piece("x"), "title": " \n"}), "title must not be empty"),
        (CHARACTERS, said(piece("x")), "name is missing"),
        (CHARACTERS, said({"name": "Ada Loom", "description": ""}), "description must not be empty"),
        (CHARACTERS, said({"name": 7, "description": "x"}), "name must be a string"),
    ],
)
def test_an_answer_out_of_form_is_told_why_and_asked_for_again(what: str, answer: str, told: str) -> None:
    written, _, desk = write(what, answer, said(good(what, "y")))
    assert good(what, "y").items() <= written.entry.items()
    assert told in desk.views("writer")[1][-1][1]
    with pytest.raises(UnreadableFailure):
        write(what, answer, answer, answer)


def test_the_forms_are_wider_than_the_checks_so_that_a_cut_text_fails() -> None:
    letters = 9  # of a word and its space, more than English has on the mean
    somebody, told = (SCHEMAS[what]["properties"] for what in WHAT)
    assert somebody["name"]["maxLength"] > character_checks.LONGEST_NAME
    assert somebody["description"]["maxLength"] > letters * character_checks.DESCRIPTION[1]
    assert told["title"]["maxLength"] > letters * knowledge_checks.TITLE[1]
    assert told["text"]["maxLength"] > letters * knowledge_checks.TEXT[1]
    point = told["points"]["items"]["properties"]["point"]
    assert point["maxLength"] > letters * knowledge_checks.SAID[1]


def test_what_ships_could_have_been_answered() -> None:
    written, _, _ = write(KNOWLEDGE, said(shipped_piece()))
    assert shipped_piece().items() <= written.entry.items()


def test_the_digest_is_of_what_is_asked_and_not_of_how_many() -> None:
    assert digest(options()) == digest(options(n="3", seed="4"))
    assert digest(options()) != digest(options(what=CHARACTERS))
