"""What conversations write and read of the record while they are played and judged."""

from collections.abc import Sequence
from typing import Any, Protocol

from interplay.core.benchmark import Score, Verdict
from interplay.core.conversation import Line
from interplay.core.failures import Failure
from interplay.core.wire import Step
from interplay.store.journal import Place, Recall


class Book(Protocol):
    """The journal of a run, here or in the process that writes it. Whatever an awaited method wrote is on disk."""

    async def open_conversation(self, place: Place, protocol: str, *, anew: bool) -> int: ...

    async def recall(self, conversation: int, stage: str, item: str) -> Recall: ...

    async def keep_fact(self, conversation: int, step: Step, value: Any) -> None: ...

    async def finish(self, conversation: int, outcome: Any, lines: Sequence[Line], protocol: str) -> None: ...

    async def park(self, conversation: int, lines: Sequence[Line]) -> None: ...

    async def void(self, conversation: int, failure: Failure, lines: Sequence[Line]) -> None: ...

    async def judged(self, conversation: int, item: str, verdict: Verdict) -> None: ...

    async def scored(self, conversation: int, scores: Sequence[Score]) -> None: ...
