"""The shapes of bots: which one a URL tells, what a user hears of Rasa's messages, and what is none of them."""

from typing import Any

import pytest

from interplay.models.bot_shapes import SHAPES, Unexpected, read_path, read_rasa, shape_at
from interplay.models.http import BotMapping, HttpBot, check_mapping

YES_NO = [{"title": "Yes", "payload": "/affirm"}, {"title": "No, thanks", "payload": "/deny"}]


def to_s(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"recipient_id": "s", **message} for message in messages]


@pytest.mark.parametrize(
    "url, name",
    [
        ("http://127.0.0.1:5005/webhooks/rest/webhook", "rasa"),
        ("https://bots.example/a/b/webhooks/rest/webhook/", "rasa"),
        ("http://127.0.0.1:5005/webhooks/rest/webhook?token=x#top", "rasa"),
        ("http://127.0.0.1:5005/webhooks/rest/webhooks", "plain"),
        ("http://127.0.0.1:5005/webhooks/callback/webhook", "plain"),
        ("http://127.0.0.1:5005/my-webhooks/rest/webhook/more", "plain"),
        ("http://127.0.0.1:5005/chat?next=/webhooks/rest/webhook", "plain"),
        ("http://127.0.0.1:5005", "plain"),
    ],
)
def test_the_url_tells_the_shape(url: str, name: str) -> None:
    assert shape_at(url) == name
    assert BotMapping(url).known_shape is SHAPES[name]


def test_a_named_shape_goes_before_the_url_and_what_is_given_before_the_shape() -> None:
    rasa = "http://127.0.0.1:5005/webhooks/rest/webhook"
    assert BotMapping("http://127.0.0.1:5005/chat", shape="rasa").known_shape is SHAPES["rasa"]
    assert BotMapping(rasa, shape="plain").known_shape is SHAPES["plain"]
    more = {"sender": "{{session}}", "message": "{{text}}", "metadata": {"lang": "de"}}
    given = BotMapping(rasa, request=more)
    assert given.sent == more
    assert given.read([{"text": "Hello"}]) == "Hello"
    texts_alone = BotMapping(rasa, reply="*.text")
    assert texts_alone.sent == {"sender": "{{session}}", "message": "{{text}}"}
    assert texts_alone.read([{"text": "Hello", "buttons": YES_NO}]) == "Hello"


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_can_be_spoken_in_and_remembers(name: str) -> None:
    mapping = BotMapping("http://127.0.0.1:1/", shape=name)
    check_mapping("mine", mapping)
    assert HttpBot("mine", mapping).remembers


@pytest.mark.parametrize(
    "answer, heard",
    [
        ([], ""),
        (to_s({"text": "Hello"}), "Hello"),
        ([{"text": "Hello"}], "Hello"),  # nobody needs to be told whom it is for
        (to_s({"text": "Hi."}, {"text": "How are you?"}), "Hi.\n\nHow are you?"),
        (to_s({"text": "One\ntwo"}), "One\ntwo"),
        (to_s({"text": "Sure?", "buttons": YES_NO}), "Sure?\n[buttons: Yes | No, thanks]"),
        (to_s({"buttons": YES_NO}), "[buttons: Yes | No, thanks]"),
        (to_s({"text": "Sure?", "buttons": []}), "Sure?"),
        (
            to_s({"text": "Sure?", "buttons": [{"title": " A\nline "}, {"title": " "}]}),
            "Sure?\n[buttons: A line]",
        ),
        (to_s({"image": "http://127.0.0.1/cat.png"}), "[image]"),
        (to_s({"text": "A cat:"}, {"image": "cat.png"}, {"text": "Nice?"}), "A cat:\n\n[image]\n\nNice?"),
        (
            to_s({"text": "A cat:", "image": "cat.png", "buttons": YES_NO[:1]}),
            "A cat:\n[image]\n[buttons: Yes]",
        ),
        (to_s({"text": "Read this:", "attachment": {"type": "file"}}), "Read this:\n[attachment]"),
        (to_s({"attachment": "http://127.0.0.1/a.pdf"}), "[attachment]"),
        (to_s({"custom": {"text": "for a program"}}), ""),
        (to_s({"custom": [1]}, {"text": "And?"}), "And?"),
        (to_s({"text": None, "image": None, "buttons": None, "custom": None}), ""),
        (to_s({"text": ""}, {"text": " \n "}, {"text": "Hello"}, {"image": ""}), "Hello"),
        (to_s({"text": "Hello", "mood": ["unknown"]}), "Hello"),
    ],
)
def test_what_a_user_hears_of_rasa_s_messages(answer: Any, heard: str) -> None:
    assert read_rasa(answer) == heard


A_LIST = "the answer should be a list of messages, as Rasa's is, not "
AN_OBJECT = "message 1 of the answer should be an object with a text, not "


@pytest.mark.parametrize(
    "answer, words",
    [
        ({"text": "Hello"}, A_LIST + "an object"),
        ("Hello", A_LIST + "a text"),
        (None, A_LIST + "null"),
        (42, A_LIST + "a number"),
        (4.2, A_LIST + "a number"),
        (True, A_LIST + "a truth value"),
        (["Hello"], AN_OBJECT + "a text"),
        ([None], AN_OBJECT + "null"),
        ([[{"text": "Hello"}]], AN_OBJECT + "a list"),
        (
            [{}],
            "message 1 of the answer should have one of text, image, attachment, buttons, custom, and has none",
        ),
        (to_s({"text": "Hello"}, {"response": "Hi"}), "message 2 of the answer should have one of text"),
        (to_s({"text": 42}), "text of message 1 of the answer should be a text, not a number"),
        (
            to_s({"text": "Hello"}, {"text": ["Hi"]}),
            "text of message 2 of the answer should be a text, not a list",
        ),
        (to_s({"text": False}), "text of message 1 of the answer should be a text, not a truth value"),
        (
            to_s({"image": {"src": "cat.png"}}),
            "image of message 1 of the answer should be a text, not an object",
        ),
        (
            to_s({"buttons": {"title": "Yes"}}),
            "buttons of message 1 of the answer should be a list, not an object",
        ),
        (to_s({"buttons": ["Yes"]}), "a button of message 1 of the answer should be an object with a title"),
        (to_s({"buttons": [{"payload": "/yes"}]}), "a button of message 1 of the answer should be an object"),
        (to_s({"buttons": [{"title": 1}]}), "a button of message 1 of the answer should be an object"),
    ],
)
def test_anything_else_says_what_was_expected(answer: Any, words: str) -> None:
    with pytest.raises(Unexpected) as raised:
        read_rasa(answer)
    assert str(raised.value).startswith(words)
    assert "\n" not in str(raised.value)


def test_a_path_is_read_in_any_shape_of_json() -> None:
    assert read_path({"out": [{"text": "a"}, {}, {"text": "b"}]}, "out.*.text") == "a\n\nb"
    with pytest.raises(Unexpected, match=r"the answer has no text at out\.0\.text"):
        read_path({"out": []}, "out.0.text")
