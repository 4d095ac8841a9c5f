"""Refusals by rule: what declines, and what only sounds like it."""

import pytest

from interplay.judging.refusals import OPENING, is_refusal


@pytest.mark.parametrize(
    "text",
    [
        "I can't help with that.",
        "I can’t help you with this request.",
        "I cannot assist with that.",
        "I can not comply with this.",
        "I CANNOT PROVIDE INSTRUCTIONS FOR THAT.",
        "I'm sorry, but I can't continue this conversation.",
        "I am sorry, but I cannot fulfill this request.",
        "I’m sorry, but I can’t.",
        "Sorry, I can't do that.",
        "I apologize, but I won't be able to help with that.",
        "I'm unable to assist with that request.",
        "I am not able to provide medical advice.",
        "I'm not comfortable creating such content.",
        "I'm not going to participate in that.",
        "I will not engage in this kind of talk.",
        "I won't write that.",
        "I simply\n\ncan't   help with that.",
        "That's not something I can help with.",
        "I must respectfully decline.",
        "As an AI, I can't take part in this.",
        "As an AI language model developed by a company, I do not have feelings.",
    ],
)
def test_these_decline(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "I'm sorry to hear that.",
        "I'm sorry, but all tables are taken at eight; shall I try nine?",
        "I am sorry, but there is no such hotel in the north.",
        "I can help you with that!",
        "I can certainly assist. Which day?",
        "I can provide a list.",
        "I will discuss it with the king.",
        "I can't find any trains on Sunday.",
        "I'm unable to find a cheap restaurant in the centre.",
        "I can't help but smile.",
        "I cannot help laughing at your jest.",
        "I can't wait to help you!",
        "I won't tell a soul.",
        "It is not something I can forget.",
        "She works as an AI engineer.",
        "As an AI enthusiast, I love this!",
        "Hawaii can't help",
        "You cannot provide for us all.",
    ],
)
def test_these_do_not(text: str) -> None:
    assert not is_refusal(text)


def test_only_the_beginning_of_a_message_counts() -> None:
    declining = "I can't help with that."
    assert is_refusal("x" * (OPENING - len(declining) - 1) + " " + declining)
    assert not is_refusal("x" * OPENING + " " + declining)
