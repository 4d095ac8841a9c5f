"""Where a writer of pairs is sent to look, and how it is asked: topics, angles, prompts, the form."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.word_guessing import checks
from interplay.benchmarks.word_guessing.drafting import (
    MOST_ALIASES,
    MOST_CANDIDATES,
    SCHEMA,
    Drafts,
    all_shipped,
    digest,
    draws,
    entry_of,
    laid_out,
    pair_of,
    play,
    read_topic,
    scenarios,
)
from interplay.benchmarks.word_guessing.words import GENERAL, TOPICS, Pair, Word, shipped
from interplay.benchmarks.word_guessing.writing import writing
from interplay.core.conversation import Casting, Conversation
from interplay.core.failures import Mistake, UnreadableFailure
from interplay.core.wire import Sampling
from tests.benchmarks.new_pairs import TOPIC, entry, good, said
from tests.benchmarks.stage import Desk


def options(**given: str) -> dict[str, str]:
    return writing.settle({"topic": TOPIC, **given})


def contents(**given: str) -> list[Mapping[str, Any]]:
    return [one.content for one in scenarios(options(**given)).scenarios]


def write(*answers: str, seed: str = "0", topic: str = TOPIC) -> tuple[Drafts, Conversation, Desk]:
    left = list(answers)
    desk = Desk(writer=lambda step: left.pop(0))
    cast = {"writer": Casting("m", Sampling(), "subject")}
    talk = Conversation(cast, desk, scenario=contents(topic=topic)[0], seed=seed)
    return asyncio.run(play(talk, options(topic=topic))), talk, desk


def test_the_angles_are_many_and_short_and_each_is_another() -> None:
    assert len(draws()["angles"]) >= 40
    assert len(draws()["likenesses"]) >= 10
    for entries in draws().values():
        assert len({text.casefold() for text in entries}) == len(entries)
        assert all(text == text.strip() and text[0].islower() and len(text) <= 70 for text in entries)


def test_there_is_a_scenario_for_each_pair_with_an_angle_and_examples_of_its_own() -> None:
    found = scenarios(options(n="30")).scenarios
    assert [one.label for one in found] == [f"pair {number}" for number in range(1, 31)]
    assert {one.content["topic"] for one in found} == {TOPIC}
    assert len({one.content["angle"] for one in found}) == 30
    assert len({json.dumps(one.content["examples"]) for one in found}) == 30
    assert all(len(one.content["examples"]) == 3 for one in found)


def test_five_hundred_pairs_are_asked_for_in_as_many_ways() -> None:
    found = scenarios(options(n="500")).scenarios
    assert len({(one.content["angle"], json.dumps(one.content["examples"])) for one in found}) == 500


def test_examples_ship_and_are_of_other_topics() -> None:
    food = {pair.a.text for pair in shipped("food")}
    known = [entry_of(pair) for topic in (GENERAL, *TOPICS) if topic != "food" for pair in shipped(topic)]
    examples = [one for content in contents(topic="Food", n="60") for one in content["examples"]]
    assert all(one in known for one in examples)
    elsewhere = [one for content in contents(n="60") for one in content["examples"]]
    assert {one["a"] for one in elsewhere} & food  # else the line above would say little


def test_the_seed_decides_what_is_drawn_and_the_number_of_pairs_does_not() -> None:
    assert contents(n="9")[:3] == contents(n="3")
    other = contents(n="9", seed="1")
    assert [one["angle"] for one in other] != [one["angle"] for one in contents(n="9")]
    assert other[0]["examples"] != contents(n="1")[0]["examples"]


def test_writing_reads_no_data() -> None:
    with pytest.raises(Mistake, match=r"writing reads no data: leave x\.toml out"):
        scenarios(options(), Path("x.toml"))


@pytest.mark.parametrize(
    "typed, topic",
    [
        ("gardening", "gardening"),
        ("  the\tsea \n and ships ", "the sea and ships"),
        ("x" * 60, "x" * 60),
        ("море", "море"),
        ("{{angle}}", "{{angle}}"),
    ],
)
def test_a_topic_is_a_line_of_text(typed: str, topic: str) -> None:
    assert read_topic(typed) == topic


@pytest.mark.parametrize(
    "typed, said",
    [
        ("   ", "name the topic of the pairs with --topic, as in --topic gardening"),
        ("x" * 61, "at most 60 characters, not 61"),
        ("\x1b[31mred", "plain text"),
        ("red\u202eder", "plain text"),
        ("?!", "plain text"),
    ],
)
def test_what_is_no_topic_is_a_mistake(typed: str, said: str) -> None:
    with pytest.raises(Mistake, match=said) as found:
        read_topic(typed)
    assert "gardening" in str(found.value)
    assert str(found.value).isprintable()


def test_no_topic_is_a_mistake_with_an_example() -> None:
    with pytest.raises(Mistake, match="as in --topic gardening"):
        scenarios(writing.settle({}))


@pytest.mark.parametrize("count", ["0", "501", "-1", "many"])
def test_a_file_has_one_to_five_hundred_pairs(count: str) -> None:
    with pytest.raises(Mistake, match="n is a whole number from 1 to 500"):
        options(n=count)


def test_pairs_are_asked_for_by_topic_and_angle_and_read_by_the_form() -> None:
    drafts, talk, desk = write(said(good(1), entry("hinge", "cobweb", ["door hinge"])))
    [[(_, brief), (_, task)]] = desk.views("writer")
    wanted = contents()[0]
    assert f"belongs to this topic: {TOPIC}\n" in task
    assert f"words that name {wanted['angle']}\n" in task
    assert all(json.dumps(example) in task for example in wanted["examples"])
    assert "{{" not in brief + task
    assert f"{checks.SHORTEST} to {checks.LONGEST} characters, at most {checks.MOST_TOKENS} words" in brief
    assert desk.asked[0][1].schema == SCHEMA
    assert drafts.pairs == (
        Pair(TOPIC, Word("kimono"), Word("poncho")),
        Pair(TOPIC, Word("hinge", ("door hinge",)), Word("cobweb")),
    )
    assert talk.lines[-1].text == "kimono / poncho\nhinge (also door hinge) / cobweb"


def test_a_topic_is_never_a_template() -> None:
    _, _, desk = write(said(good(1)), topic="{{angle}} {{#most}}x{{/most}}")
    assert "topic: {{angle}} {{#most}}x{{/most}}\n" in desk.shown("writer")


def test_another_try_is_sent_another_way() -> None:
    tasks = {write(said(good(1)), seed=str(seed))[2].shown("writer") for seed in range(12)}
    assert len(tasks) > 4


def test_texts_come_in_one_line_and_words_stay_as_they_are() -> None:
    odd = entry("  Rocking\n chair", "sea\tlion ", [" ", "a\n\nb"], ["", "X"])
    drafts, _, _ = write(said(odd))
    assert drafts.pairs == (Pair(TOPIC, Word("Rocking chair", ("a b",)), Word("sea lion", ("X",))),)


def test_a_text_that_was_cut_is_too_long_for_the_checks() -> None:
    drafts, _, _ = write(said(entry("x" * 1000, "y", ["z" * 1000])))
    [pair] = drafts.pairs
    assert checks.LONGEST < len(pair.a.text) <= 60
    assert checks.LONGEST < len(pair.a.also[0]) <= 60


@pytest.mark.parametrize(
    "answer, told",
    [
        ("I would rather not.", "holds no JSON object"),
        ("{}", "pairs is missing"),
        (said(), "pairs must have 1 to 5 entries, not 0"),
        (said(*[good(1)] * (MOST_CANDIDATES + 1)), "pairs must have 1 to 5 entries, not 6"),
        (
            said(entry("a", "b", ["c"] * (MOST_ALIASES + 1))),
            "pairs[0].a_also must have 0 to 5 entries, not 6",
        ),
        (json.dumps({"pairs": [{"a": "kimono", "b": "poncho"}]}), "pairs[0].a_also is missing"),
        (json.dumps({"pairs": [{**good(1), "a": 7}]}), "pairs[0].a must be a string"),
        (json.dumps({"pairs": ["kimono / poncho"]}), "pairs[0] must be a JSON object"),
    ],
)
def test_an_answer_out_of_form_is_told_why_and_asked_for_again(answer: str, told: str) -> None:
    drafts, _, desk = write(answer, said(good(2)))
    assert drafts.pairs == (pair_of(good(2), TOPIC),)
    assert told in desk.views("writer")[1][-1][1]
    with pytest.raises(UnreadableFailure):
        write(answer, answer, answer)


def test_a_pair_is_told_in_one_line() -> None:
    pair = Pair("t", Word("zipper", ("zip", "zip fastener")), Word("shoelace"))
    assert laid_out(pair) == "zipper (also zip, zip fastener) / shoelace"
    assert pair_of(entry_of(pair), "t") == pair


def test_the_digest_is_of_what_is_asked_and_not_of_what_about() -> None:
    assert digest(options()) == digest(options(n="3", topic="ships", seed="4"))


def test_all_our_lists_are_known() -> None:
    assert {pair.topic for pair in all_shipped()} == {GENERAL, *TOPICS}
