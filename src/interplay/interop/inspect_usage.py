"""What calls used, by model and by role, as Inspect counts it; a sum with an unknown price in it is unknown."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from inspect_ai.model import ModelUsage

from interplay.interop.inspect_calls import Call


@dataclass
class Usage:
    """What was used so far."""

    by_model: dict[str, ModelUsage] = field(default_factory=dict)
    by_role: dict[str, ModelUsage] = field(default_factory=dict)

    def add(self, calls: Iterable[Call]) -> None:
        """Count what these calls used, as far as that is known."""
        for call in calls:
            used = call.usage
            if used is not None:
                _count(self.by_model, call.model, used)
                _count(self.by_role, call.role, used)


def _count(counts: dict[str, ModelUsage], name: str, used: ModelUsage) -> None:
    before = counts.get(name, ModelUsage(total_cost=0.0))
    total = before + used
    if before.total_cost is None or used.total_cost is None:
        total.total_cost = None
    counts[name] = total
