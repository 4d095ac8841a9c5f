"""A model that is a function: for tests, for bots with a planted ability, for trying a protocol out."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from interplay.core.wire import Message, Reply, Request, clean

Script = Callable[[Sequence[Message]], str | Reply]


class Scripted:
    """Answers each request with what the script makes of its messages."""

    most_connections: int | None = None

    def __init__(self, name: str, script: Script):
        self.name = name
        self.endpoint = name
        self.script = script

    async def check(self) -> None:
        pass

    async def reply(self, request: Request) -> Reply:
        said = self.script(request.thread.messages())
        reply = said if isinstance(said, Reply) else Reply(said, stop="stop", version=self.name, cost=0.0)
        return replace(reply, text=clean(reply.text))

    async def close(self) -> None:
        pass
