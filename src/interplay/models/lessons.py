"""Example conversations as tokens to learn from: cut to what fits, put together to batches, only answers learned."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from interplay.core.failures import Mistake
from interplay.models.chat_tokens import ChatTokens, TooLong
from interplay.models.teaching import Example

NOT_LEARNED = -100  # the label that torch's cross entropy leaves out


@dataclass(frozen=True)
class Lesson:
    """The tokens of one example; the last so many are its answer, and are learned."""

    ids: list[int]
    learned: int


@dataclass(frozen=True)
class Lessons:
    """All examples as tokens; room is what every prompt was cut to, in use as in training."""

    all: list[Lesson]
    room: int
    cut_examples: int
    cut_tokens: int


def lessons_of(chat: ChatTokens, examples: Sequence[Example], length: int) -> Lessons:
    """Examples as tokens. All prompts are cut to one room: one that hung on the answer would tell its length."""
    answers = [chat.answer(example.messages[-1].text) for example in examples]
    room = length - max(len(answer) for answer in answers)
    made, cuts = [], []
    for number, (example, answer) in enumerate(zip(examples, answers, strict=True), 1):
        try:
            prompt = chat.prompt(example.messages[:-1], room)
        except TooLong as error:
            raise Mistake(
                f"example {number} does not fit: {error}, {length} less the longest answer; a larger length helps"
            ) from error
        made.append(Lesson(prompt.ids + answer, len(answer)))
        cuts.append(prompt.cut)
    return Lessons(made, room, sum(cut > 0 for cut in cuts), sum(cuts))


def batch_of(lessons: Sequence[Lesson]) -> tuple[Any, Any, Any]:
    """Tokens, filled up at the end; the places whose next token is learned; labels for those places alone."""
    import torch

    longest = max(len(one.ids) for one in lessons)
    tokens = torch.zeros((len(lessons), longest), dtype=torch.long)
    labels = torch.full_like(tokens, NOT_LEARNED)
    for row, one in enumerate(lessons):
        end, begin = len(one.ids), len(one.ids) - one.learned
        tokens[row, :end] = torch.tensor(one.ids)
        labels[row, begin - 1 : end - 1] = tokens[row, begin:end]
    places = (labels != NOT_LEARNED).any(dim=0).nonzero().squeeze(1)
    return tokens, places, labels[:, places]
