"""Values as a log of Inspect holds them: plain JSON with clean texts, moments, ids that come out the same again."""

import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from interplay.core.wire import clean, digest_of

ID_LENGTH = 22  # as long as Inspect's own
DEEPEST = 100  # levels: what lies deeper than Inspect can write is kept as text


def plain(value: Any, depth: int = 0) -> Any:
    """The value as JSON that any reader takes; None for a number that JSON does not have."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping | list | tuple) and depth == DEEPEST:
        return clean(json.dumps(value, ensure_ascii=False, default=str))
    if isinstance(value, Mapping):
        return {clean(str(key)): plain(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner, depth + 1) for inner in value]
    return value


def id_of(*address: str | int) -> str:
    """The id of what has this address, the same whenever the run is written."""
    return digest_of(list(address))[:ID_LENGTH]


def task_id(run: str, created: str, subject: str) -> str:
    """The id of all that one model did in a run."""
    return id_of(run, created, "task", subject)


def moment(text: str) -> datetime:
    """A time as the record has it."""
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
