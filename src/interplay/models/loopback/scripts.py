"""Scripts: functions from what was asked to what is said, and the one that rehearses any benchmark."""

import json
import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .faults import Fault
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
DEEP = 6  # from here on, a recursive schema is filled with as little as it allows


def rehearse(asked: Asked) -> str:
    """The default script: the same request always gets the same harmless answer, fitting its schema."""
    seed = digest_of(canonical([asked.model, asked.messages, asked.schema]))
    rng = random.Random(seed)  # noqa: S311 - picks sentences, guards nothing
    if asked.schema is None:
        return _sentences(rng)
    return json.dumps(_Filler(rng, asked.schema).fill(asked.schema, "", 0), ensure_ascii=False)


def _sentences(rng: random.Random) -> str:
    return " ".join(rng.sample(SENTENCES, rng.randint(1, 3)))


@dataclass(frozen=True)
class _Filler:
    """Fills a JSON schema; `name` is the nearest property above, `depth` how many levels down it is."""

    rng: random.Random
    root: Mapping[str, Any]

    def fill(self, schema: Any, name: str, depth: int) -> Any:
        schema = self._resolve(schema, depth)
        if "const" in schema:
            return schema["const"]
        kind = self._kind(schema, depth)
        if kind == "boolean" and "refusal" in name.lower():
            return False  # so that a dry run plays to the end
        if "enum" in schema:
            return self.rng.choice(schema["enum"])
        match kind:
            case "object":
                return self._object(schema, depth)
            case "array":
                return self._array(schema, name, depth)
            case "integer" | "number":
                return self._number(schema, whole=kind == "integer")
            case "boolean":
                return self.rng.random() < 0.5
            case "null":
                return None
            case _:
                return self._string(schema)

    def _resolve(self, schema: Any, depth: int) -> Mapping[str, Any]:
        while isinstance(schema, Mapping):
            if "$ref" in schema:
                schema = self._look_up(schema["$ref"])
            elif choices := schema.get("anyOf") or schema.get("oneOf"):
                plain = [choice for choice in choices if choice.get("type") == "null"]
                schema = plain[0] if plain and depth >= DEEP else self.rng.choice(choices)
            elif "allOf" in schema:
                merged: dict[str, Any] = {k: v for k, v in schema.items() if k != "allOf"}
                for part in schema["allOf"]:
                    merged |= self._resolve(part, depth)
                schema = merged
            else:
                return schema
        return {}  # `true` allows anything

    def _look_up(self, reference: str) -> Any:
        found: Any = self.root
        for step in reference.removeprefix("#").split("/")[1:]:
            found = found[step.replace("~1", "/").replace("~0", "~")]
        return found

    def _kind(self, schema: Mapping[str, Any], depth: int) -> str:
        kind = schema.get("type")
        if isinstance(kind, list):
            return "null" if "null" in kind and depth >= DEEP else str(self.rng.choice(kind))
        if kind is None:
            return "object" if "properties" in schema else "array" if "items" in schema else "string"
        return str(kind)

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        properties: Mapping[str, Any] = schema.get("properties", {})
        required = schema.get("required", [])
        wanted = [key for key in properties if key in required or depth < DEEP]
        wanted += [key for key in required if key not in properties]
        return {key: self.fill(properties.get(key, True), key, depth + 1) for key in wanted}

    def _array(self, schema: Mapping[str, Any], name: str, depth: int) -> list[Any]:
        low = int(schema.get("minItems", 0 if depth >= DEEP else 1))
        low = min(low, int(schema.get("maxItems", low)))
        high = low if depth >= DEEP else int(schema.get("maxItems", low + 2))
        # A list that may hold a thousand is not meant to hold them in a dry run.
        length = self.rng.randint(low, min(high, low + 4))
        return [self.fill(schema.get("items", True), name, depth + 1) for _ in range(length)]

    def _number(self, schema: Mapping[str, Any], whole: bool) -> float:
        over, under = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
        lows = [bound for bound in (schema.get("minimum"), over) if bound is not None]
        highs = [bound for bound in (schema.get("maximum"), under) if bound is not None]
        low = max(lows) if lows else min(highs) - 10 if highs else 0
        high = min(highs) if highs else low + 10
        if whole:
            first = math.floor(low) + 1 if low == over else math.ceil(low)
            last = math.ceil(high) - 1 if high == under else math.floor(high)
            return self.rng.randint(first, max(first, last))
        share = self.rng.uniform(0.1, 0.9)
        exact = low * (1 - share) + high * share
        short = round(exact, 2)
        return short if low < short < high else min(max(exact, low), high)

    def _string(self, schema: Mapping[str, Any]) -> str:
        text = _sentences(self.rng)
        while len(text) < schema.get("minLength", 0):
            text += " " + _sentences(self.rng)
        return text[: schema.get("maxLength")]
