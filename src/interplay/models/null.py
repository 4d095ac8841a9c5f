"""The null model: the same reply to everything, a floor below which no score means anything."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from interplay.core.wire import Reply, Request
from interplay.models.posting import CHARACTERS_PER_TOKEN, estimate
from interplay.models.prices import FREE, Price

NULL = "null/constant"
SENTENCE = "I see what you mean."
SHORTER = ("none", "None", "a", "A", "0", "00:00", "")  # where a pattern does not take the sentence


class NullModel:
    """Says its sentence, or fills a form with as little as fits; costs nothing and asks nobody."""

    name = NULL
    endpoint = NULL
    most_connections: int | None = None
    price: Price | None = FREE
    remembers = False
    ignores = frozenset({"temperature", "top_p", "frequency_penalty"})

    async def check(self) -> None:
        pass

    async def reply(self, request: Request) -> Reply:
        text, stop = SENTENCE if request.schema is None else _plainest(request.schema), "stop"
        most = request.sampling.max_tokens
        if most is not None and estimate(request, text).tokens_out > most:
            text, stop = text[: most * CHARACTERS_PER_TOKEN - 1], "length"
        # Its tokens are what others' are taken for where nobody counts them; of its own, that is no estimate.
        counted = estimate(request, text)
        return Reply(
            text,
            stop=stop,
            version=NULL,
            tokens_in=counted.tokens_in,
            tokens_out=counted.tokens_out,
            cost=0.0,
        )

    async def close(self) -> None:
        pass


def _plainest(schema: Mapping[str, Any]) -> str:
    """The least that fits a schema, as JSON."""
    from interplay.models.loopback.filling import filled  # here, not above: its package loads an HTTP server

    return json.dumps(filled(schema, _Least()))


class _Least:
    """The taste of who has nothing to say: what comes first, what is lowest, what is not so."""

    def one_of(self, options: Sequence[Any]) -> Any:
        return options[0]

    def is_true(self, name: str) -> bool:
        return False

    def whole(self, first: int, last: int) -> int:
        return first

    def real(self, low: float, high: float, *, above: bool) -> float:
        return (low + high) / 2 if above else low

    def length(self, least: int | None, most: int | None, *, deep: bool) -> int:
        return least or 0

    def text(self, schema: Mapping[str, Any]) -> str:
        """The sentence, as often as it takes and cut where it must be."""
        least, most = schema.get("minLength", 0), schema.get("maxLength")
        text = " ".join([SENTENCE] * max(1, -(-least // len(SENTENCE))))
        if most is not None and most < len(text):
            text = text[: most - 1] + "." if most else ""
        pattern = schema.get("pattern")
        if pattern is None:
            return text
        fitting = (
            one for one in (text, *SHORTER) if len(one) >= least and (most is None or len(one) <= most)
        )
        return next((one for one in fitting if re.search(pattern, one)), text)
