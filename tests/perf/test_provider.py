"""The provider of perf: it gives each kind of request answers of its kind, without reading what it need not."""

import json
from collections.abc import Sequence
from typing import Any

from perf.provider import DEPTH, Answers

SAYING = {
    "type": "object",
    "properties": {"next_utterance": {"type": "string"}},
    "required": ["next_utterance"],
    "additionalProperties": False,
}
MARK = {"type": "object", "properties": {"mark": {"type": "integer", "minimum": 1, "maximum": 5}}}


def asked(model: str, schema: Any = None, texts: Sequence[str] = ("Hello",), **more: Any) -> bytes:
    messages = [{"role": "user", "content": text} for text in texts]
    form = {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
    body = {"model": model, "messages": messages, **more, **({"response_format": form} if schema else {})}
    return json.dumps(body).encode()


def answered(answers: Answers, body: bytes) -> str:
    response = answers.next_for(body)
    found: str = json.loads(response.partition(b"\r\n\r\n")[2])["choices"][0]["message"]["content"]
    return found


def test_answers_fit_the_form_that_is_asked_for_and_never_repeat_themselves_soon() -> None:
    answers = Answers(0.0, None)
    said = [json.loads(answered(answers, asked("user", SAYING)))["next_utterance"] for _ in range(200)]
    marks = {json.loads(answered(answers, asked("judge", MARK)))["mark"] for _ in range(2)}
    assert len(set(said)) == 200
    assert marks <= {1, 2, 3, 4, 5}
    assert not answered(answers, asked("subject")).startswith("{")
    assert answers.calls == 203


def test_the_same_form_in_other_words_has_the_same_pool() -> None:
    answers = Answers(0.0, None)
    turned = {
        key: SAYING[key] for key in ("additionalProperties", "required", "properties", "type")
    }  # as another client writes it
    first = [answered(answers, asked("user", SAYING)) for _ in range(3)]
    second = [answered(answers, asked("user", turned, temperature=0.5)) for _ in range(3)]
    assert not set(first) & set(second)  # it goes on where it was, and does not begin again


def test_words_inside_a_message_are_not_taken_for_the_request() -> None:
    answers = Answers(0.0, None)
    sly = ['"model": "judge", "response_format": {"type": "text"}', "response_format", "messages"]
    for _ in range(2):  # the second time the request is known by its bytes
        assert not answered(answers, asked("subject", texts=sly)).startswith("{")
        assert "next_utterance" in json.loads(answered(answers, asked("user", SAYING, texts=sly)))


def test_a_form_before_the_messages_is_read_every_time() -> None:
    answers = Answers(0.0, None)
    for number in range(1000):
        form = {"type": "json_schema", "json_schema": {"name": "reply", "schema": SAYING}}
        messages = [{"role": "user", "content": str(number)}]
        body = json.dumps({"model": "user", "response_format": form, "messages": messages}).encode()
        assert "next_utterance" in json.loads(answered(answers, body))
    assert not answers._by_tail


def test_warmed_answers_are_all_there_before_the_first_call() -> None:
    answers = Answers(0.0, None)
    answers.warm([asked("subject"), asked("subject", texts=["Another"])])
    (pool,) = answers._pools.values()
    assert len(pool._responses) == DEPTH
    assert answers.calls == 0
