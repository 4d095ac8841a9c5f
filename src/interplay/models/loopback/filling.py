"""Values that fit a JSON schema; what the schema leaves open is for a taste to pick."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

DEEP = 6  # from here on, a recursive schema is filled with as little as it allows


class Taste(Protocol):
    """Picks wherever a schema leaves a choice; all bounds are those of the schema, and None where it has none."""

    def one_of(self, options: Sequence[Any]) -> Any: ...

    def is_true(self, name: str) -> bool:
        """A boolean; `name` is the nearest property above it."""

    def whole(self, first: int, last: int) -> int: ...

    def real(self, low: float, high: float, *, above: bool) -> float:
        """A number between both; above, where it must not be the lower bound itself."""

    def length(self, least: int | None, most: int | None, *, deep: bool) -> int:
        """How many items a list has; as few as may be where it is deep."""

    def text(self, schema: Mapping[str, Any]) -> str: ...


def filled(schema: Mapping[str, Any], taste: Taste) -> Any:
    """A value that fits the schema."""
    return _Filler(taste, schema).fill(schema, "", 0)


@dataclass(frozen=True)
class _Filler:
    """Fills a schema; `name` is the nearest property above, `depth` how many levels down it is."""

    taste: Taste
    root: Mapping[str, Any]

    def fill(self, schema: Any, name: str, depth: int) -> Any:
        schema = self._resolve(schema, depth)
        if "const" in schema:
            return schema["const"]
        kind = self._kind(schema, depth)
        if "enum" in schema:
            return self.taste.one_of(schema["enum"])
        match kind:
            case "object":
                return self._object(schema, depth)
            case "array":
                return self._array(schema, name, depth)
            case "integer" | "number":
                return self._number(schema, whole=kind == "integer")
            case "boolean":
                return self.taste.is_true(name)
            case "null":
                return None
            case _:
                return self.taste.text(schema)

    def _resolve(self, schema: Any, depth: int) -> Mapping[str, Any]:
        while isinstance(schema, Mapping):
            if "$ref" in schema:
                schema = self._look_up(schema["$ref"])
            elif choices := schema.get("anyOf") or schema.get("oneOf"):
                plain = [choice for choice in choices if choice.get("type") == "null"]
                schema = plain[0] if plain and depth >= DEEP else self.taste.one_of(choices)
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
            return "null" if "null" in kind and depth >= DEEP else str(self.taste.one_of(kind))
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
        count = self.taste.length(schema.get("minItems"), schema.get("maxItems"), deep=depth >= DEEP)
        return [self.fill(schema.get("items", True), name, depth + 1) for _ in range(count)]

    def _number(self, schema: Mapping[str, Any], whole: bool) -> float:
        over, under = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
        lows = [bound for bound in (schema.get("minimum"), over) if bound is not None]
        highs = [bound for bound in (schema.get("maximum"), under) if bound is not None]
        low = max(lows) if lows else min(highs) - 10 if highs else 0
        high = min(highs) if highs else low + 10
        if not whole:
            return self.taste.real(low, high, above=low == over)
        first = math.floor(low) + 1 if low == over else math.ceil(low)
        last = math.ceil(high) - 1 if high == under else math.floor(high)
        return self.taste.whole(first, max(first, last))
