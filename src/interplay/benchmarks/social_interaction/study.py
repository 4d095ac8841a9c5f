"""A study of expressiveness: whose play teaches which virtual game master how much, and what they are all tried on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from interplay.benchmarks.social_interaction.cutting import windows_of
from interplay.benchmarks.social_interaction.form import brought_to_form
from interplay.benchmarks.social_interaction.gap import REAL, UNTRAINED
from interplay.benchmarks.social_interaction.gap_notes import Told, told_of
from interplay.benchmarks.social_interaction.masters import LIGHT, Master, masters_in
from interplay.benchmarks.social_interaction.windows import (
    Play,
    Window,
    digest_of_windows,
    drawn,
    last_speaker_share,
    real_play,
    split,
    written_play,
)
from interplay.core.benchmark import Options, Played
from interplay.core.making import Finished

CURVES = ("light", "all", "no")
PARTS_OF_A_CURVE = (8, 4, 2)  # an eighth, a quarter, a half, and all of it
LEAST_ON_A_CURVE = 8  # windows
FEW = 200  # windows to learn from, under which the board warns


@dataclass(frozen=True)
class Pupil:
    """A virtual game master to be: how it learns, and the windows of whose play."""

    master: Master
    source: str  # untrained, real, or the model whose play it is
    windows: tuple[Window, ...]

    @property
    def name(self) -> str:
        """As the record calls it."""
        if not self.windows:
            return f"{self.master}, {UNTRAINED}"
        whose = "real play" if self.source == REAL else self.source
        return f"{self.master}, taught {len(self.windows)} of {whose}"


@dataclass(frozen=True)
class Study:
    """All pupils, and the windows of real play that they are tried on."""

    pupils: tuple[Pupil, ...]
    held_out: tuple[Window, ...]
    told: Told  # for the board
    learned: str  # the digest of all that pupils may learn from


def study_of(finished: Finished) -> Study:
    """What a run's play and the real play of its options come to."""
    options = finished.options
    real = play_of(options)
    for remark in real.remarks:
        finished.tell(f"Note: {remark}")
    parts = split(real, int(options["held_out"]) / 100, finished.seed)
    share = last_speaker_share(parts.learned)
    generated = {_source(model): _windows_by(finished.played, model, share) for model in finished.models}
    for source, windows in generated.items():
        if not windows:
            finished.tell(f"Note: {source} played no session to its end: nothing can be learned from it.")
    taught = {
        REAL: [brought_to_form(window) for window in parts.learned],
        **{source: windows for source, windows in generated.items() if windows},
    }
    size = min(len(windows) for windows in taught.values())
    held_out = tuple(brought_to_form(window) for window in parts.held_out)
    pupils = [
        pupil
        for master in masters_in(options["dm"])
        for pupil in _pupils(master, taught, size, options["curve"], finished.seed)
    ]
    if size < FEW:
        finished.tell(f"Note: game masters learn from {size} windows; below {FEW} a gap says little.")
    learned = digest_of_windows([window for windows in taught.values() for window in windows])
    return Study(tuple(pupils), held_out, told_of(real, parts.learned), learned)


def play_of(options: Options) -> Play:
    """The real play of a study: a user's file, or what ships in its place."""
    return real_play(Path(options["real"])) if options["real"] else written_play()


def _source(model: str) -> str:
    """Whose play it is; a user may call a model by our words for what is no model's."""
    return f"{model} (a model)" if model in (REAL, UNTRAINED) else model


def _windows_by(played: Sequence[Played], model: str, share: float) -> list[Window]:
    found = []
    for one in played:
        if one.subject == model and one.outcome is not None:
            found += windows_of(one.outcome, f"{one.scenario.id[:12]}-{one.repeat}", share)
    return found


def _pupils(
    master: Master, taught: Mapping[str, Sequence[Window]], size: int, curve: str, seed: int
) -> list[Pupil]:
    """One who learns nothing, and for everybody's play one for each size."""
    sizes = [size]
    if curve == "all" or (curve == "light" and master.kind == LIGHT):
        sizes = sorted(
            {size, *(size // part for part in PARTS_OF_A_CURVE if size // part >= LEAST_ON_A_CURVE)}
        )
    found = [Pupil(master, UNTRAINED, ())]
    for source, windows in taught.items():
        found += [Pupil(master, source, drawn(windows, one, f"{seed}/{source}")) for one in sizes]
    return found
