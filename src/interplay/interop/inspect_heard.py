"""What a role heard and said where no call tells it: the lines of a conversation as Inspect's messages."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

from interplay.benchmarks import simulation, transcripts
from interplay.benchmarks.simulation.evaluation import history_of
from interplay.core.wire import clean
from interplay.interop.inspect_values import id_of
from interplay.store.records import ConversationRow, Run

Content = Mapping[str, Any]


def past_of(row: ConversationRow, run: Run) -> list[ChatMessage]:
    """What a role is to take for its own past, which its scenario holds."""
    told = _PASTS[run.benchmark](row.scenario.content) if run.benchmark in _PASTS else ()
    return [
        kind(id=id_of(run.id, run.created, row.number, "past", place), content=clean(text))
        for place, (kind, text) in enumerate(told)
    ]


def heard_by(role: str, row: ConversationRow, run: Run) -> Iterator[ChatMessage]:
    """What was said to a role, and by it; what a narrator says is heard as any other words are."""
    narrated = ChatMessageSystem if run.benchmark in _BRIEFED else ChatMessageUser
    for place, line in enumerate(row.lines):
        id = id_of(run.id, run.created, row.number, "line", place)
        if line.source == role:
            yield ChatMessageAssistant(id=id, content=clean(line.text))
        elif role in line.heard_by:
            kind = ChatMessageUser if line.source else narrated
            yield kind(id=id, content=clean(line.text))


def _history(content: Content) -> Iterator[tuple[type[ChatMessageUser | ChatMessageAssistant], str]]:
    for turn in history_of(content):
        yield ChatMessageUser, turn.request
        yield ChatMessageAssistant, turn.answer


_PASTS: Mapping[str, Callable[[Content], Iterator[tuple[type[ChatMessageUser | ChatMessageAssistant], str]]]]
_PASTS = {simulation.benchmark.name: _history}
_BRIEFED = (transcripts.benchmark.name,)  # where the narrator's words are what a model was told before
