"""How far a run reaches: its limit, its repeats, its judges and the rubric they go by; a run never shrinks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from interplay.core.failures import Mistake
from interplay.core.importing import IMPORTED


@dataclass(frozen=True)
class Reach:
    """What a start asks for, on top of what a run has."""

    limit: int
    epochs: int
    judges: tuple[str, ...]
    rubric: str  # the digest of what judges are asked
    # options of judging that differ from the run's own
    judging: Mapping[str, str] = field(default_factory=dict)
    # of judges who joined, where it is their own
    sampling: Mapping[str, Any] = field(default_factory=dict)
    # by rubric: its judges, options of judging and sampling
    panels: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def extent(self) -> dict[str, Any]:
        """As the record keeps it."""
        panel = {
            "judges": list(self.judges),
            "judging": dict(self.judging),
            "sampling": dict(self.sampling),
        }
        panels = {**self.panels, self.rubric: panel}
        return {
            "limit": self.limit,
            "epochs": self.epochs,
            "judges": list(self.judges),
            "rubric": self.rubric,
            "judging": dict(self.judging),
            "panels": panels,
        }


def reach_of(
    before: Mapping[str, Any],
    *,
    limit: int | None,
    epochs: int,
    judges: Sequence[str],
    rubric: str,
    judging: Mapping[str, str],
    another_rubric: bool,
    sampling: Mapping[str, Any] | None = None,
) -> Reach:
    """How far a start reaches; with no limit of its own, as far as the run does."""
    panels = before.get("panels", {})
    is_foreign = before.get("rubric") == IMPORTED  # what came with the run: nobody else can judge by it
    chosen = rubric if another_rubric or is_foreign or rubric in panels else before.get("rubric", rubric)
    former = panels.get(
        chosen, {"judges": before.get("judges", [])} if chosen == before.get("rubric") else {}
    )
    everyone = {*former.get("judges", ()), *judges}
    if not everyone and is_foreign:
        raise Mistake(
            "the judges of this run came with its files and cannot be asked; name one with --model-role judge=NAME"
        )
    if not everyone:
        everyone = {*before.get("judges", ())}  # another rubric, and nobody named: the run's judges
    as_before = chosen != rubric
    return Reach(
        limit=before["limit"] if limit is None else limit,
        epochs=before["epochs"] if limit is None else epochs,
        judges=tuple(sorted(everyone)),
        rubric=chosen,
        judging=before.get("judging", {}) if as_before else judging,
        sampling={**former.get("sampling", {}), **(sampling or {})},
        panels=panels,
    )


def grown(before: Mapping[str, Any], now: Reach) -> dict[str, Any]:
    """The extent of a run after this start; what else the record keeps there stays."""
    extent = {**before, **now.extent()}
    extent["limit"] = max(before["limit"], now.limit)
    extent["epochs"] = max(before["epochs"], now.epochs)
    return extent
