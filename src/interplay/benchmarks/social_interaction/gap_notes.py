"""What must be said beside an expressiveness gap: whose play it was, who beats the baseline, what intervals hold."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TypedDict

from interplay.benchmarks.social_interaction.gap import (
    LEVELS,
    REAL,
    UNTRAINED,
    Pair,
    Reading,
    last_speaker,
    most_frequent_skill,
    read_by,
    tallies,
)
from interplay.benchmarks.social_interaction.gap_intervals import difference_of, f1_of
from interplay.benchmarks.social_interaction.windows import WRITTEN, Play, Window, last_speaker_share
from interplay.core.board import Estimate

_ON = {"c": "on characters", "o": "on character and skill"}
INTERVALS = (
    "Intervals are 95% and hold what other sessions of the same play could change: windows of one session count as "
    "alike, and readers are compared on the same windows. Training again with another seed would change F-scores "
    "too; that is in none of the intervals."
)


class Told(TypedDict):
    """What a board cannot see from the windows that were held out."""

    play: str  # its name
    written: bool  # by the authors of this program
    windows: int
    sessions: int
    skill: str  # the most frequent one of what readers of real play may learn from


def told_of(play: Play, learned: Sequence[Window]) -> Told:
    """What the board is told of real play and of the part of it that readers may learn from."""
    return Told(
        play=play.name,
        written=play.name == WRITTEN,
        windows=len(play.windows),
        sessions=play.sessions,
        skill=most_frequent_skill(learned),
    )


def notes_of(
    shown: Sequence[Reading], pairs: Sequence[Pair], windows: Sequence[Window], told: Told
) -> tuple[str, ...]:
    """What a reader of the board must know."""
    notes = [_play(windows, told), *_sizes(pairs)]
    if shown:
        notes.append(
            "Gaps of different virtual game masters do not compare: a row has its place among the rows of its own."
        )
    notes.append(
        f"In {100 * last_speaker_share(windows):.0f}% of the held-out windows the character who is asked spoke last. "
        f"The baselines name the last speaker, or the player with most turns, and always {told['skill'] or 'no skill'}."
    )
    notes += _against_baseline(shown, windows, told)
    if unread := [reading for reading in shown if len(read_by(windows, reading.read)) < len(windows)]:
        notes.append(
            f"{_listed([_called(one) for one in unread])} did not read every window in form: those are left out and "
            "never count as wrong. F-scores at worst and at best stand beside the readers."
        )
    return (*notes, INTERVALS)


def _play(windows: Sequence[Window], told: Told) -> str:
    held_out, sessions = len(windows), len({window.session for window in windows})
    size = f"{told['windows']} windows of {told['sessions']} sessions, {held_out} of {sessions} held out"
    if told["written"]:
        return (
            f"What stands for real play is {told['play']}: {size}. It was written by the authors of this program, "
            "not recorded from people at play, so these are gaps to our writing; give recorded play for others."
        )
    return f"Real play is {told['play']}: {size}. All readers are tried on the held-out windows alone."


def _sizes(pairs: Sequence[Pair]) -> Iterator[str]:
    if equal := sorted({pair.generated.size for pair in pairs if pair.of_one_size}):
        sizes = _listed([str(size) for size in equal])
        yield f"Readers of real play and of a model's learned from equally many windows ({sizes})."
    for pair in pairs:
        if pair.real is None:
            yield f"Nobody learned from real play for {pair.generated.dm}: there is no gap to tell."
        elif not pair.of_one_size:
            yield (
                f"{_called(pair.generated)} learned from {pair.generated.size} windows and the reader of real play "
                f"from {pair.real.size}: part of their gap is that."
            )


def _against_baseline(shown: Sequence[Reading], windows: Sequence[Window], told: Told) -> Iterator[str]:
    """Whether readers beat the last speaker: a reader of real play in numbers, the others by name."""
    trained = [reading for reading in shown if reading.source != UNTRAINED]
    for reading in trained:
        if reading.source == REAL:
            yield _beating(reading, windows, told)
    for dm, mine in groupby(trained, key=lambda reading: reading.dm):
        others = [reading for reading in mine if reading.source != REAL]
        behind = [
            one.source for one in others if not _is_above(differences(one, windows, told["skill"])["o"])
        ]
        if others and behind:
            yield f"Read by {dm}, what {_listed(behind)} played does not teach to beat last speaker {_ON['o']}."
        elif others:
            yield f"Read by {dm}, every model's play teaches to beat last speaker {_ON['o']}."


def _beating(reading: Reading, windows: Sequence[Window], told: Told) -> str:
    apart = differences(reading, windows, told["skill"])
    told_on = [_compared(reading, level, apart[level], windows) for level in LEVELS]
    note = f"{_called(reading)}, {reading.size} windows, {' and '.join(told_on)}."
    if not _is_above(apart["o"]):
        note += " A gap to a reader that has learned no more than that says little."
    return note


def _compared(reading: Reading, level: str, apart: Estimate, windows: Sequence[Window]) -> str:
    if apart.value is None:
        return f"has no F-score {_ON[level]}"
    mine = f1_of(tallies(windows, reading.read)[level]).value or 0.0
    verb = "beats" if _is_above(apart) else "does not beat"
    if apart.low is None or apart.high is None:
        interval = "no interval"
    else:
        interval = f"{100 * apart.low:.2f} to {100 * apart.high:.2f}"
    return (
        f"{verb} last speaker {_ON[level]}: {100 * mine:.2f} against {100 * (mine - apart.value):.2f}, "
        f"difference {100 * apart.value:.2f} ({interval})"
    )


def differences(reading: Reading, windows: Sequence[Window], skill: str) -> dict[str, Estimate]:
    """How far above last speaker a reader is, over the windows that it read."""
    seen = read_by(windows, reading.read)
    mine, baseline = tallies(seen, reading.read), tallies(seen, last_speaker(seen, skill))
    return {level: difference_of(mine[level], baseline[level]) for level in LEVELS}


def _is_above(apart: Estimate) -> bool:
    return apart.low is not None and apart.low > 0


def _called(reading: Reading) -> str:
    if reading.source == UNTRAINED:
        return f"{reading.dm} untrained"
    return f"{reading.dm} that learned from {'real play' if reading.source == REAL else reading.source}"


def _listed(names: Sequence[str]) -> str:
    *rest, last = names
    return f"{', '.join(rest)} and {last}" if rest else last
