"""Examples as tokens to learn from."""

from pathlib import Path

import pytest

from interplay.core.failures import Mistake
from interplay.core.wire import Message
from interplay.models import causal
from interplay.models.chat_tokens import ChatTokens
from interplay.models.lessons import NOT_LEARNED, Lesson, batch_of, lessons_of
from interplay.models.teaching import Example
from tests.models.tiny_model import EXAMPLES, build, build_tokenizer


def test_only_the_answers_are_learned() -> None:
    tokens, places, labels = batch_of([Lesson([5, 6, 7, 8, 9], 2), Lesson([1, 2, 3], 1)])
    assert tokens.tolist() == [[5, 6, 7, 8, 9], [1, 2, 3, 0, 0]]
    assert places.tolist() == [1, 2, 3]  # each place predicts the token after it
    assert labels.tolist() == [[NOT_LEARNED, 8, 9], [3, NOT_LEARNED, NOT_LEARNED]]


def test_the_loss_is_that_of_each_sequence_alone(tmp_path: Path) -> None:
    import torch

    model, tokenizer = causal.load(build(tmp_path))
    lessons = lessons_of(ChatTokens(tokenizer), EXAMPLES, 64).all
    tokens, places, labels = batch_of(lessons)
    with torch.no_grad():
        logits = model(input_ids=tokens, logits_to_keep=places).logits
        together = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), labels.flatten(), ignore_index=NOT_LEARNED, reduction="sum"
        )
        alone = 0.0
        for one in lessons:
            seen = torch.log_softmax(model(input_ids=torch.tensor([one.ids])).logits[0], dim=-1)
            for at in range(len(one.ids) - one.learned, len(one.ids)):
                alone -= float(seen[at - 1, one.ids[at]])
    assert float(together) == pytest.approx(alone, rel=1e-5)


def test_all_prompts_are_cut_to_one_room_and_the_cuts_are_counted() -> None:
    chat = ChatTokens(build_tokenizer())

    def example(said: str, answer: str) -> Example:
        return Example((Message("user", said), Message("assistant", answer)))

    made = lessons_of(chat, [example("x" * 40, "a"), example("y" * 10, "long answer")], 40)
    assert made.room == 40 - len("long answer") - 1
    assert [len(one.ids) - one.learned for one in made.all] == [made.room, 14]
    assert [one.learned for one in made.all] == [2, 12]
    assert (made.cut_examples, made.cut_tokens) == (1, 44 - made.room)


def test_an_example_that_cannot_fit_is_named() -> None:
    long = Example((Message("system", "z" * 90), Message("user", "?"), Message("assistant", "!")))
    with pytest.raises(Mistake, match=r"example 5 does not fit: .*; a larger length helps"):
        lessons_of(ChatTokens(build_tokenizer()), [*EXAMPLES, long], 60)
