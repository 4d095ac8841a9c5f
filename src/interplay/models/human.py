"""A person in a seat: human/NAME is asked by the record, and answers when it likes."""

from interplay.core.people import HUMAN, person_of, seated
from interplay.core.wire import SAMPLING_BOUNDS, Reply, Request
from interplay.models.prices import FREE, Price


class Person:
    """Somebody who sits down with models. What it says comes from the record: nobody calls a person."""

    endpoint = HUMAN
    most_connections: int | None = None
    price: Price | None = FREE
    remembers = False
    ignores = frozenset(SAMPLING_BOUNDS)

    def __init__(self, name: str):
        self.name = seated(person_of(name))

    async def check(self) -> None:
        pass

    async def reply(self, request: Request) -> Reply:
        raise RuntimeError(f"{self.name} is asked through the record, and was called")

    async def close(self) -> None:
        pass
