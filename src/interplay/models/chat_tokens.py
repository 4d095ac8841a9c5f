"""Messages as a model reads them: rendered by its chat template, as tokens, cut to what fits."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from interplay.core.failures import Mistake
from interplay.core.wire import Message, clean

PLAIN = (  # for a model that was never taught to chat
    "{{ bos_token }}{% for message in messages %}### {{ message['role'] }}\n{{ message['content'] }}\n\n"
    "{% endfor %}{% if add_generation_prompt %}### assistant\n{% endif %}"
)
_ASKED, _SAID = "Who is there?", "Nobody"


class TooLong(Mistake):
    """Even with all cut that may be cut, the messages take more tokens than there is room for."""


@dataclass(frozen=True)
class Prompt:
    """The tokens of all that comes before an answer, and how many were cut to make it fit."""

    ids: list[int]
    cut: int


class ChatTokens:
    """Turns messages into tokens, in training and in use alike, so that both see the same."""

    def __init__(self, tokenizer: Any):
        self._tokenizer = tokenizer
        if not tokenizer.chat_template:
            tokenizer.chat_template = PLAIN
        added = tokenizer.added_tokens_decoder.items()
        special = {number: str(token.content) for number, token in added if token.special}
        self._special = sorted((one for one in special.values() if len(one) > 1), key=len, reverse=True)
        self._takes_system = self._can_render(Message("system", _ASKED), Message("user", _ASKED))
        self.end = self._end_of_an_answer(frozenset(special))
        self.ends = frozenset({self.end, tokenizer.eos_token_id} - {None})

    def prompt(self, messages: Sequence[Message], room: int) -> Prompt:
        """The tokens that an answer follows, at most as many as there is room for.

        What does not fit is cut from the beginning of what was said; the system's brief stays whole.
        """
        all_of_it = self._prompt(messages)
        if len(all_of_it) <= room:
            return Prompt(all_of_it, 0)
        most = sum(len(message.text) for message in messages if message.role != "system")

        def fits(characters: int) -> bool:
            return len(self._prompt(without_beginning(messages, characters))) <= room

        characters = bisect_left(range(most + 1), True, key=fits)
        ids = self._prompt(without_beginning(messages, characters))
        if len(ids) > room:
            raise TooLong(
                f"{len(ids)} tokens are left when all is cut that may be, and there is room for {room}"
            )
        return Prompt(ids, len(all_of_it) - len(ids))

    def answer(self, text: str) -> list[int]:
        """The tokens of an answer, with the one that ends it."""
        return [*self._ids(self._harmless(text)), self.end]

    def text(self, ids: Sequence[int]) -> str:
        said = self._tokenizer.decode(list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return clean(said)

    def _prompt(self, messages: Sequence[Message]) -> list[int]:
        return self._ids(self._rendered(messages, add_generation_prompt=True))

    def _rendered(self, messages: Sequence[Message], *, add_generation_prompt: bool) -> str:
        from jinja2.exceptions import TemplateError

        told = messages if self._takes_system else _with_brief_in_first(messages)
        turns = [{"role": one.role, "content": self._harmless(one.text)} for one in told]
        try:
            text = self._tokenizer.apply_chat_template(
                turns, tokenize=False, add_generation_prompt=add_generation_prompt
            )
        except TemplateError as error:
            raise Mistake(f"the model's chat template refuses the messages: {error}") from error
        return str(text)

    def _can_render(self, *messages: Message) -> bool:
        self._takes_system = True
        try:
            return bool(self._rendered(messages, add_generation_prompt=True))
        except Mistake:
            return False

    def _end_of_an_answer(self, special: frozenset[int]) -> int:
        """The token by which the template ends an answer, else the one that ends any text."""
        turns = (Message("user", _ASKED), Message("assistant", _SAID))
        after = self._rendered(turns, add_generation_prompt=False).rpartition(_SAID)[2]
        end = next((one for one in self._ids(after) if one in special), self._tokenizer.eos_token_id)
        if end is None:
            raise Mistake("the model's tokenizer has no token that ends a text, so no answer could end")
        return int(end)

    def _ids(self, text: str) -> list[int]:
        found = self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return [int(one) for one in found]

    def _harmless(self, text: str) -> str:
        """The text without lone surrogates, and with no control token of the model's: what is said is data."""
        text = clean(text)
        for token in self._special:
            text = text.replace(token, f"{token[0]} {token[1:]}")
        return text


def without_beginning(messages: Sequence[Message], characters: int) -> list[Message]:
    """The messages without so many characters of what was said first; no brief is cut, no turn is lost."""
    kept = []
    for message in messages:
        gone = 0 if message.role == "system" else min(characters, len(message.text))
        characters -= gone
        kept.append(Message(message.role, message.text[gone:]))
    return kept


def _with_brief_in_first(messages: Sequence[Message]) -> list[Message]:
    """The messages for a template that has no place for a brief: it stands before what is said first."""
    brief = "\n\n".join(one.text for one in messages if one.role == "system")
    said = [one for one in messages if one.role != "system"]
    if not brief or not said:
        return said
    return [Message(said[0].role, f"{brief}\n\n{said[0].text}"), *said[1:]]
