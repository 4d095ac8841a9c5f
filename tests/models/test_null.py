"""The null model: one sentence for everything, the least that fits a form, free, counted, and known by one name."""

import asyncio
import json
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from interplay.core.failures import Mistake
from interplay.core.forms import check, schema_of
from interplay.core.wire import Message, Reply, Request, Sampling, Thread
from interplay.models.connecting import Directory
from interplay.models.entries import Entry
from interplay.models.null import NULL, SENTENCE, NullModel
from interplay.models.posting import estimate
from interplay.models.prices import FREE, Price
from interplay.models.scripted import Scripted
from tests.models.test_rehearsal import SCHEMAS, deep, fits

REQUEST = Request(NULL, Thread.start(Message("system", "Be brief.")).then("user", "Who are you?"), Sampling())


def asked(request: Request = REQUEST) -> Reply:
    return asyncio.run(NullModel().reply(request))


def least(schema: dict[str, Any]) -> Any:
    """What the null model makes of a form."""
    return json.loads(asked(replace(REQUEST, schema=schema)).text)


def test_it_says_the_same_to_everything() -> None:
    other = Request(
        NULL, Thread.start(Message("user", "x" * 4_000)), Sampling(temperature=2.0, max_tokens=99)
    )
    assert {asked().text, asked(other).text, asked(REQUEST).text} == {SENTENCE}
    assert asked().stop == asked(other).stop == "stop"


def test_it_leaves_the_shared_random_state_alone() -> None:
    before = random.getstate()
    least({"type": "array", "minItems": 2, "items": {"type": "number", "minimum": 1, "maximum": 5}})
    assert random.getstate() == before


def test_its_tokens_are_counted_as_those_of_a_model_that_does_not_count_and_cost_nothing() -> None:
    reply, counted = asked(), estimate(REQUEST, SENTENCE)
    assert (reply.tokens_in, reply.tokens_out) == (counted.tokens_in, counted.tokens_out)
    assert reply.tokens_out == len(SENTENCE) // 4 + 1
    assert not reply.tokens_estimated
    assert (reply.cost, NullModel.price) == (0.0, FREE)
    assert reply.version == NULL


@pytest.mark.parametrize("most", [1, 2, 5])
def test_it_says_no_more_than_it_may(most: int) -> None:
    reply = asked(replace(REQUEST, sampling=Sampling(max_tokens=most)))
    assert reply.text
    assert SENTENCE.startswith(reply.text)
    assert reply.stop == "length"
    assert reply.tokens_out == most


def test_as_many_tokens_as_the_sentence_has_are_enough() -> None:
    assert asked(replace(REQUEST, sampling=Sampling(max_tokens=6))).text == SENTENCE


@pytest.mark.parametrize(
    "schema, value",
    [
        ({"type": "string"}, SENTENCE),
        ({"type": "string", "maxLength": 6}, "I see."),
        ({"type": "string", "maxLength": 0}, ""),
        ({"type": "string", "enum": ["b", "a"]}, "b"),
        ({"type": "string", "pattern": "^[a-z]+$"}, "none"),
        ({"type": "string", "pattern": r"^\d\d:\d\d$"}, "00:00"),
        ({"type": "string", "pattern": "see"}, SENTENCE),
        ({"type": "string", "pattern": "^[A-Z]$", "maxLength": 1}, "A"),
        ({"type": "integer", "minimum": 1, "maximum": 5}, 1),
        ({"type": "number", "minimum": 0.5, "maximum": 5}, 0.5),
        ({"type": "integer", "exclusiveMinimum": 1}, 2),
        ({"type": "number", "exclusiveMinimum": 0, "maximum": 1}, 0.5),
        ({"type": "integer"}, 0),
        ({"type": "boolean"}, False),
        ({"type": "array", "items": {"type": "string"}}, []),
        ({"type": "array", "items": {"type": "boolean"}, "minItems": 2, "maxItems": 9}, [False, False]),
        ({"anyOf": [{"type": "null"}, {"type": "string"}]}, None),
        ({"const": "x"}, "x"),
    ],
)
def test_a_form_is_filled_with_the_least_that_fits(schema: dict[str, Any], value: Any) -> None:
    form = {"type": "object", "properties": {"field": schema}, "required": ["field"]}
    assert least(form) == {"field": value}


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(schema=SCHEMAS)
def test_what_it_fills_in_fits(schema: dict[str, Any]) -> None:
    assert fits(least(schema), schema) or deep(schema)


@pytest.mark.parametrize("characters", [*range(1, 50), 300])
def test_a_text_of_a_given_length_is_read_as_one(characters: int) -> None:
    schema = schema_of(str) | {"minLength": characters, "maxLength": characters}
    assert check(schema, least(schema)).startswith(SENTENCE[: min(characters, len(SENTENCE)) - 1])


def test_a_form_within_itself_comes_to_an_end() -> None:
    node = {"type": "object", "properties": {"next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}}}
    found = least({"$defs": {"node": node}, "$ref": "#/$defs/node"})
    assert json.dumps(found).count("next") == 6


# Its name


def test_a_directory_knows_it_without_an_endpoint() -> None:
    directory = Directory(environment={})
    directory.check(NULL)
    model = directory.connect(NULL)
    assert isinstance(model, NullModel)
    assert (model.name, model.endpoint) == (NULL, NULL)
    asyncio.run(model.check())
    asyncio.run(model.close())


def test_it_is_free_whatever_a_table_of_prices_says() -> None:
    directory = Directory(prices={NULL: Price(1.0, 1.0)}, base_url="http://127.0.0.1:9/v1", environment={})
    assert directory.price_of(NULL) == FREE


@pytest.mark.parametrize(
    "directory, name",
    [
        (Directory(entries={"floor": Entry(NULL)}), "floor"),
        (Directory(entries={NULL: Entry("openai/gpt-4o")}), NULL),
        (Directory(entries={NULL: Entry(NULL)}), NULL),
        (Directory(made={NULL: Scripted(NULL, lambda messages: "Hm.")}), NULL),
    ],
    ids=["another name for it", "its name for another", "itself again", "a function by its name"],
)
def test_it_has_one_name_and_shares_it_with_nobody(directory: Directory, name: str) -> None:
    with pytest.raises(Mistake, match="is the null model, which has this name alone; yours needs another"):
        directory.connect(name)


@pytest.mark.parametrize("name", ["null/constnt", "null/", "nul/constant"])
def test_a_mistyped_name_is_set_right(name: str) -> None:
    with pytest.raises(Mistake, match=f"did you mean '{NULL}'"):
        Directory(environment={}).check(name)


def test_it_reads_for_nobody() -> None:
    with pytest.raises(Mistake, match="can only be measured"):
        Directory(environment={}).called("reader", NULL)
