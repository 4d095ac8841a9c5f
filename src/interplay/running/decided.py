"""What the record keeps of a run that was stopped as soon as it was decided, in words."""

from collections.abc import Mapping
from typing import Any

KEPT_AS = "until_decided"  # in a run's extent: what was found by looking all the while
DRAWN = "drawn"  # in a run's extent: the order in which its scenarios are looked at


def told(kept: Mapping[str, Any]) -> list[str]:
    """What was decided, in words, from what the record keeps."""
    lines = [
        f"Looked at all the while by {kept['by']} (--until-decided), {kept['seen']} of {kept['of']} scenarios, and "
        + ("stopped when all was decided" if kept["decided"] else "not all is decided")
        + ": other intervals here were made for a number of scenarios fixed beforehand, and are too narrow for that. "
        "These were made for looking; they speak of this list of scenarios, not of other tasks or characters:"
    ]
    for pair in kept["pairs"]:
        one, other = pair["models"]
        shown = _shown(pair)
        told_of = "decided" if pair["decided"] else "not decided"
        lines.append(f"{one} against {other}: {shown}, {told_of} (p {_chance(pair['p'])}).")
    return lines


def _chance(p: float) -> str:
    return f"{p:.4f}" if p >= 0.0001 else "below 0.0001"


def _shown(pair: Mapping[str, Any]) -> str:
    if pair["value"] is None:
        return "nothing was seen"
    if pair["low"] is None:
        return f"{pair['value']:.3f} (n {pair['n']}; no interval, as the results changed on the way)"
    return f"{pair['value']:.3f} ({pair['low']:.3f} to {pair['high']:.3f}, n {pair['n']})"
