"""Scripts: functions from what was asked to what is said, and the one that rehearses any benchmark."""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .faults import Fault
from .filling import filled
from .ledger import canonical, digest_of
from .shapes import Asked, Said

Script = Callable[[Asked], str | Said | Fault]


SENTENCES = (
    "That sounds good to me.",
    "The kettle has just boiled.",
    "I left the window open a little.",
    "We could walk along the river first.",
    "My sister grows tomatoes on her balcony.",
    "There is a bakery around the corner.",
    "The train was ten minutes late today.",
    "I would start with the easy part.",
    "A red bicycle leans against the wall.",
    "It rained for most of the morning.",
    "Let us look at it from the other side.",
    "The library closes at six on Fridays.",
    "I have not made up my mind yet.",
    "Two is fewer than I expected.",
    "The soup needs a pinch of salt.",
    "Could you tell me a little more?",
    "The map shows a shorter path.",
    "Our neighbour plays the cello.",
    "I keep my notes in a blue folder.",
    "The garden is quiet in the evening.",
    "Perhaps we can meet in the middle.",
    "The cat sleeps on the warm step.",
    "I like the second idea better.",
    "There were seven boats in the harbour.",
    "The lamp in the hall is still on.",
    "Thank you for waiting.",
    "The road bends to the left after the bridge.",
    "I usually take my coffee without sugar.",
    "Somebody painted the door green.",
    "It takes about twenty minutes on foot.",
    "The answer may be simpler than it looks.",
    "We saved the last piece for you.",
    "A light wind came up from the sea.",
    "The clock on the tower runs fast.",
)


def rehearse(asked: Asked) -> str:
    """The default script: the same request always gets the same harmless answer, fitting its schema."""
    seed = digest_of(canonical([asked.model, asked.messages, asked.schema]))
    rng = random.Random(seed)  # noqa: S311 - picks sentences, guards nothing
    if asked.schema is None:
        return _sentences(rng)
    return json.dumps(filled(asked.schema, _Any(rng)), ensure_ascii=False)


def _sentences(rng: random.Random) -> str:
    return " ".join(rng.sample(SENTENCES, rng.randint(1, 3)))


@dataclass(frozen=True)
class _Any:
    """The taste of a rehearsal: anything that fits, and nothing that would end it early."""

    rng: random.Random

    def one_of(self, options: Sequence[Any]) -> Any:
        return self.rng.choice(options)

    def is_true(self, name: str) -> bool:
        return "refusal" not in name.lower() and self.rng.random() < 0.5  # so that a dry run plays to the end

    def whole(self, first: int, last: int) -> int:
        return self.rng.randint(first, last)

    def real(self, low: float, high: float, *, above: bool) -> float:
        share = self.rng.uniform(0.1, 0.9)
        exact = low * (1 - share) + high * share
        short = round(exact, 2)
        return short if low < short < high else min(max(exact, low), high)

    def length(self, least: int | None, most: int | None, *, deep: bool) -> int:
        low = (0 if deep else 1) if least is None else least
        low = low if most is None else min(low, most)
        high = low if deep else low + 2 if most is None else most
        # A list that may hold a thousand is not meant to hold them in a dry run.
        return self.rng.randint(low, min(high, low + 4))

    def text(self, schema: Mapping[str, Any]) -> str:
        text = _sentences(self.rng)
        while len(text) < schema.get("minLength", 0):
            text += " " + _sentences(self.rng)
        return text[: schema.get("maxLength")]
