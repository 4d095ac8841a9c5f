"""Threads and their chained digests, requests and what makes two of them differ, reasoning taken off replies."""

import hashlib
import json
from itertools import permutations
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from interplay.core.wire import (
    DIGEST_SIZE,
    Message,
    Request,
    Sampling,
    Step,
    Thread,
    canonical,
    digest_of,
    split_reasoning,
)

MESSAGES = st.builds(Message, st.sampled_from(["system", "user", "assistant"]), st.text(max_size=8))


def thread_of(messages: list[Message]) -> Thread:
    thread = Thread.start(messages[0])
    for message in messages[1:]:
        thread = thread.then(message.role, message.text)
    return thread


@given(st.lists(MESSAGES, min_size=1, max_size=8))
def test_a_thread_gives_back_its_messages_in_order(messages: list[Message]) -> None:
    assert thread_of(messages).messages() == messages


@given(st.lists(MESSAGES, min_size=1, max_size=8))
def test_a_digest_is_the_chain_of_its_messages(messages: list[Message]) -> None:
    chained = b""
    for message in messages:
        link = f"{message.role}\0{message.text}".encode("utf-8", "surrogatepass")
        chained = hashlib.blake2b(chained + link, digest_size=DIGEST_SIZE).digest()
    assert thread_of(messages).digest == chained


@given(st.lists(MESSAGES, min_size=1, max_size=8))
def test_a_thread_knows_how_many_messages_and_bytes_it_holds(messages: list[Message]) -> None:
    thread = thread_of(messages)

    assert thread.length == len(messages)
    assert thread.size == sum(len(one.text.encode("utf-8", "surrogatepass")) for one in messages)
    assert thread.characters == sum(len(one.text) for one in messages)


def test_a_longer_thread_hashes_its_last_message_and_its_parents_digest_alone() -> None:
    long = thread_of([Message("user", f"message {number}") for number in range(5_000)])
    stand_in = Thread(
        Message("user", "forgotten"), None, long.digest, long.size, long.length, long.characters
    )
    longer, other = long.then("assistant", "yes"), stand_in.then("assistant", "yes")

    assert (longer.digest, longer.size, longer.length) == (other.digest, other.size, other.length)


def test_threads_that_grow_from_one_parent_leave_it_as_it_was() -> None:
    parent = Thread.start(Message("user", "hello"))
    before = parent.digest
    one, other = parent.then("assistant", "a"), parent.then("assistant", "b")

    assert one.digest != other.digest
    assert parent.digest == before
    assert parent.messages() == [Message("user", "hello")]


def test_every_order_of_the_same_messages_has_a_digest_of_its_own() -> None:
    messages = [Message("user", "a"), Message("assistant", "b"), Message("user", "c"), Message("user", "d")]
    orders = list(permutations(messages))

    assert len({thread_of(list(order)).digest for order in orders}) == len(orders)


@settings(max_examples=150)
@given(st.lists(MESSAGES, min_size=1, max_size=3), st.lists(MESSAGES, min_size=1, max_size=3))
def test_two_threads_share_a_digest_exactly_when_they_share_their_messages(
    one: list[Message], other: list[Message]
) -> None:
    assert (thread_of(one).digest == thread_of(other).digest) == (one == other)


def test_where_one_message_ends_and_the_next_begins_shows_in_the_digest() -> None:
    split = thread_of([Message("user", "a"), Message("user", "b")])

    assert split.digest != thread_of([Message("user", "ab")]).digest
    assert split.digest != thread_of([Message("user", "a\0b")]).digest
    assert split.digest != thread_of([Message("user", "auser\0b")]).digest


def test_a_lone_surrogate_and_a_nul_have_digests_too() -> None:
    digests = {thread_of([Message("user", text)]).digest for text in ("\ud800", "\ud801", "\0", "")}

    assert len(digests) == 4


PARTS = st.tuples(
    st.sampled_from(["openai/a", "openai/b"]),
    st.lists(
        st.builds(Message, st.sampled_from(["user", "assistant"]), st.sampled_from(["", "x"])),
        min_size=1,
        max_size=2,
    ),
    st.builds(
        Sampling,
        st.sampled_from([None, 0.5]),
        st.sampled_from([None, 0.5]),
        st.sampled_from([None, 64]),
        st.sampled_from([None, 0.5]),
    ),
    st.sampled_from([None, {}, {"type": "object"}, {"type": "object", "required": ["a"]}]),
)


def request_of(parts: tuple[str, list[Message], Sampling, dict[str, Any] | None]) -> Request:
    model, messages, sampling, schema = parts
    return Request(model, thread_of(messages), sampling, schema)


@settings(max_examples=300)
@example(
    ("openai/a", [Message("user", "x")], Sampling(), None),
    ("openai/a", [Message("user", "x")], Sampling(), None),
)
@example(
    ("openai/a", [Message("user", "x")], Sampling(temperature=0.5), None),
    ("openai/a", [Message("user", "x")], Sampling(top_p=0.5), None),
)
@given(PARTS, PARTS)
def test_two_requests_differ_exactly_when_model_messages_sampling_or_schema_do(one: Any, other: Any) -> None:
    assert (request_of(one).digest == request_of(other).digest) == (one == other)


@pytest.mark.parametrize(
    "changed",
    [
        Request("b", Thread.start(Message("user", "x")), Sampling(0.5)),
        Request("a", Thread.start(Message("user", "y")), Sampling(0.5)),
        Request("a", Thread.start(Message("system", "x")), Sampling(0.5)),
        Request("a", Thread.start(Message("user", "x")), Sampling(0.6)),
        Request("a", Thread.start(Message("user", "x")), Sampling(0.5), {"type": "object"}),
    ],
    ids=["model", "text", "role", "sampling", "schema"],
)
def test_one_change_is_enough_to_make_another_request(changed: Request) -> None:
    assert changed.digest != Request("a", Thread.start(Message("user", "x")), Sampling(0.5)).digest


def test_the_settings_of_a_request_hold_all_of_it_but_its_messages() -> None:
    request = Request(
        "a", Thread.start(Message("user", "x")), Sampling(0.5, max_tokens=9), {"type": "object"}
    )

    assert json.loads(request.settings) == {
        "model": "a",
        "sampling": {"temperature": 0.5, "max_tokens": 9},
        "schema": {"type": "object"},
    }


def test_sampling_says_only_what_was_chosen_and_keeps_zero() -> None:
    assert Sampling().settings() == {}
    assert Sampling(temperature=0.0, max_tokens=1).settings() == {"temperature": 0.0, "max_tokens": 1}


def test_sampling_changes_only_what_is_overridden() -> None:
    assert Sampling(0.6, 0.9, 1536).changed({"max_tokens": 48, "top_p": None}) == Sampling(0.6, None, 48)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=3), JSON, max_size=4))
def test_the_order_of_keys_changes_no_digest_of_data(value: dict[str, Any]) -> None:
    assert digest_of(dict(reversed(value.items()))) == digest_of(value)
    assert json.loads(canonical(value)) == value


@pytest.mark.parametrize(
    ("text", "said", "thought"),
    [
        ("plain", "plain", ""),
        ("<think>hm</think>yes", "yes", "hm"),
        ("  \n<think>\nhm\n</think>\n\nyes", "yes", "hm"),
        ("<THINKING>hm</Thinking> yes", "yes", "hm"),
        ("<reasoning>a</think>b</reasoning>c", "c", "a</think>b"),
        ("<think>never closed {", "", "never closed {"),
        ("<think></think>yes", "yes", ""),
        ("I say <think>hm</think>", "I say <think>hm</think>", ""),
        ("<thinker>hm</thinker>", "<thinker>hm</thinker>", ""),
    ],
)
def test_only_a_leading_think_block_is_taken_off(text: str, said: str, thought: str) -> None:
    assert split_reasoning(text) == (said, thought)


@given(st.text(alphabet="abc {}\n", max_size=30), st.text(alphabet="abc{}", min_size=1, max_size=30))
def test_whatever_was_thought_what_was_said_is_kept_whole(thought: str, said: str) -> None:
    assert split_reasoning(f"<think>{thought}</think>{said}") == (said, thought.strip())


def test_a_step_reads_as_people_count() -> None:
    assert str(Step("play", "", "player", 0)) == "play, player, reply 1"
