"""What reading will take, told before anything is played."""

from collections.abc import Sequence

from interplay.benchmarks.social_interaction.masters import API, EXAMPLES, LIGHT, Master, masters_in
from interplay.benchmarks.social_interaction.study import PARTS_OF_A_CURVE, play_of
from interplay.benchmarks.social_interaction.windows import split
from interplay.core.benchmark import Options


def foretell(options: Options, models: Sequence[str], seed: int) -> str:
    """The calls of every game master, at most: what models play to their end may be too little for a whole curve."""
    parts = split(play_of(options), int(options["held_out"]) / 100, seed)
    sizes = 1 + len(PARTS_OF_A_CURVE) if options["curve"] == "all" else 1
    taught = (1 + len(models)) * sizes  # by real play, and by each model's
    windows = len(parts.held_out)
    told = "; ".join(_told(master, taught, windows) for master in masters_in(options["dm"]))
    return f"What was played is then read, {windows} windows of real play by every reader: {told}."


def _told(master: Master, taught: int, windows: int) -> str:
    if master.kind == LIGHT:
        return f"{master} takes no calls"
    calls = f"{(taught + 1) * windows:,} calls of {taught + 1} readers"
    if master.kind == EXAMPLES:
        return f"{master} takes at most {calls}"
    if master.kind == API:
        return f"{master} takes {taught} fine-tuning jobs, whose price is the endpoint's, and at most {calls}"
    return f"{master} takes {taught} trainings on this machine, and no calls"
