"""What a model is taught by: conversations that end in the answer it should learn to give."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from interplay.core.wire import Message, digest_of


@dataclass(frozen=True)
class Example:
    """A conversation; its last message is the assistant's, and the one that is learned."""

    messages: tuple[Message, ...]

    def as_json(self) -> dict[str, list[dict[str, str]]]:
        return {"messages": [{"role": one.role, "content": one.text} for one in self.messages]}


def lines_of(examples: Sequence[Example]) -> str:
    """Examples as fine-tuning endpoints of the OpenAI shape take them: one JSON object a line."""
    return "".join(json.dumps(example.as_json(), ensure_ascii=False) + "\n" for example in examples)


def digest_of_examples(examples: Sequence[Example]) -> str:
    return digest_of([example.as_json() for example in examples])
