"""The light reader of play: from sentence vectors, who is about to be asked for a check, and for which."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from interplay.benchmarks.social_interaction.characters import SKILLS
from interplay.benchmarks.social_interaction.windows import Intention, Window
from interplay.models.sentences import Encoder, Tell

# Chosen by five-fold cross-validation by episode in 40 of the 80 episodes of recorded play. Decays of 3 to 10
# turns, an L2 of .1 to 3 and other makings of these features (the window not scaled by recency, the last turn left
# out, scalars twice as large) moved F1 over characters by .01 and over pairs by .05, which is chance at 368
# windows; so these are plain values near the best, not the best.
DECAY = 5.0  # turns after which a turn weighs 1/e in a mean
RECENT = 3.0  # turns after which a player's last turn weighs 1/e
L2 = 1.0
STEPS = 100  # of the optimiser, which ends by itself after some 80
WINDOWS_AT_ONCE = 500  # whose turns' vectors are held together

_NONE = 0  # the label of a player who is not asked; a skill's is its place in SKILLS, counted from 1
_LABELS = {skill: place for place, skill in enumerate(SKILLS, 1)}

Floats = NDArray[np.float32]
Weights = NDArray[np.float64]
Labels = NDArray[np.intp]


@dataclass(frozen=True)
class Learned:
    """What training leaves: the labels that occurred, and the weights of each."""

    labels: Labels
    weights: Weights


class LightReader:
    """Reads a window alone; what it knows of a player is turns, never a name."""

    def __init__(self, encoder: Encoder, learned: Learned | None) -> None:
        self._encoder, self._learned = encoder, learned

    @classmethod
    def train(cls, windows: Sequence[Window], encoder: Encoder, tell: Tell | None = None) -> "LightReader":
        """A reader that has learned from these windows; the same ones in the same order give the same reader."""
        rows: list[Floats] = []
        for start in range(0, len(windows), WINDOWS_AT_ONCE):
            some = windows[start : start + WINDOWS_AT_ONCE]
            rows += map(_rows, some, _vectors(some, encoder))
            if tell is not None:
                tell(start + len(some), len(windows))
        found = np.array([label for window in windows for label in _labels(window)], np.intp)
        labels, targets = np.unique(found, return_inverse=True)
        weights = _fitted(np.vstack(rows), targets, len(labels)) if len(labels) else np.empty((0, 0))
        return cls(encoder, Learned(labels, weights))

    @classmethod
    def untrained(cls, encoder: Encoder) -> "LightReader":
        """A reader that has seen no play, which every trained one is held against."""
        return cls(encoder, None)

    def read(self, window: Window) -> frozenset[Intention]:
        """One player with one skill, since windows end at one check; none where nobody plays or nothing is known."""
        if not window.players:
            return frozenset()
        (vectors,) = _vectors([window], self._encoder)
        if self._learned is None:
            found = _nearest(_means(window, vectors), self._encoder.encode(SKILLS))
        else:
            found = _likeliest(_rows(window, vectors), self._learned)
        return frozenset(Intention(window.players[player], SKILLS[skill]) for player, skill in found)


def _nearest(players: Floats, skills: Floats) -> list[tuple[int, int]]:
    """The player's turns and the skill's name that are most alike."""
    player, skill = divmod(int((players @ skills.T).argmax()), len(skills))
    return [(player, skill)]


def _likeliest(rows: Floats, learned: Learned) -> list[tuple[int, int]]:
    """The player who most likely wants anything, with the likeliest skill; none where no skill was learned."""
    skills = np.flatnonzero(learned.labels != _NONE)
    if not len(skills):
        return []
    likely = _probabilities(rows, learned.weights)[:, skills]
    # Where no label is none all players surely want something: the surest skill decides.
    wants = int(np.lexsort((-likely.max(axis=1), -likely.sum(axis=1).round(12)))[0])
    return [(wants, int(learned.labels[skills[likely[wants].argmax()]]) - 1)]


def _labels(window: Window) -> Iterator[int]:
    """Of each player."""
    asked = {one.character: _LABELS[one.skill] for one in window.intentions}
    for player in window.players:
        yield asked.get(player, _NONE)


def _vectors(windows: Sequence[Window], encoder: Encoder) -> list[Floats]:
    """Each window's turns as vectors; that of a turn without words is nought."""
    texts = [turn.text for window in windows for turn in window.turns]
    found = encoder.encode(texts)
    found[[not text.strip() for text in texts]] = 0
    return np.split(found, np.cumsum([len(window.turns) for window in windows])[:-1])


def _rows(window: Window, vectors: Floats) -> Floats:
    """What the reader sees of each player.

    The player's own turns, the window as a whole and the player's last turn, the latter two the weaker the longer
    the player has been silent; and four numbers: that recency, whether the player spoke last, the share of turns
    and the share of the weight of recent ones.
    """
    ages = np.arange(len(vectors) - 1, -1, -1)
    weights = np.exp(-ages / DECAY)
    spoken = _spoken(window)
    last = len(vectors) - 1 - spoken[:, ::-1].argmax(axis=1)
    recency = np.exp(-ages[last] / RECENT)[:, None]
    whole = _unit((weights @ vectors)[None])
    numbers = (
        recency,
        np.array([[player == window.last_player] for player in window.players]).reshape(-1, 1),
        spoken.mean(axis=1, keepdims=True),
        (spoken @ weights / weights.sum())[:, None],
    )
    parts = (_means(window, vectors), whole * recency, vectors[last] * recency, *numbers)
    return np.hstack(parts).astype(np.float32)


def _means(window: Window, vectors: Floats) -> Floats:
    """The direction of each player's own turns, the recent ones weighing more."""
    weights = np.exp(-np.arange(len(vectors) - 1, -1, -1) / DECAY)
    return _unit((_spoken(window) * weights) @ vectors)


def _spoken(window: Window) -> NDArray[np.bool_]:
    """Who spoke when: a row for each player, a column for each turn."""
    found = [[player in turn.speakers for turn in window.turns] for player in window.players]
    return np.array(found, bool).reshape(len(window.players), len(window.turns))


def _unit(vectors: NDArray[np.floating]) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def _fitted(rows: Floats, targets: Labels, labels: int) -> Weights:
    """The weights of a multinomial logistic regression; the last row is the intercept, which L2 leaves alone."""
    each = np.arange(len(rows))
    shape = (rows.shape[1] + 1, labels)

    def loss_and_slope(flat: Weights) -> tuple[float, Weights]:
        weights = flat.reshape(shape)
        likely = _probabilities(rows, weights)
        loss = -np.log(np.maximum(likely[each, targets], 1e-300)).sum() + L2 / 2 * (weights[:-1] ** 2).sum()
        likely[each, targets] -= 1
        slope = np.empty(shape)
        slope[:-1] = rows.T @ likely.astype(np.float32) + L2 * weights[:-1]
        slope[-1] = likely.sum(axis=0)
        return float(loss), slope.ravel()

    from scipy.optimize import minimize  # which takes a while, and only readers that are trained here need it

    found = minimize(
        loss_and_slope, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": STEPS}
    )
    fitted: Weights = found.x.reshape(shape)
    return fitted


def _probabilities(rows: Floats, weights: Weights) -> Weights:
    """Of each label for each row."""
    scores = (rows @ weights[:-1].astype(np.float32)).astype(np.float64) + weights[-1]
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    found: Weights = scores
    return found
