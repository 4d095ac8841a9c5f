"""What sways a judge besides merit: an answer's place, its length, its family, and that it refuses.

An effect that the data cannot tell apart from others has no value, and its `method` says why.
"""

import math
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from interplay.core.board import Estimate
from interplay.statistics.intervals import check_confidence, finite
from interplay.statistics.regression import Fit, Numbers, independent, least_squares, logistic, told_apart

LOGISTIC, LINEAR = "firth logit, one-way t", "answers held fixed, one-way t"
ALONE = "scenarios and models held fixed, one-way t; merit is not ruled out"
WITHOUT_SPREAD = "firth logit, without a spread to see"

_SAME_STRENGTH = {
    "position": "none: place and strength always go together; show both orders",
    "length": "none: length and strength always go together",
    "same family": "none: family and strength always go together; add a judge of another family",
}
_SAME_OTHERS = "none: goes together with what is held fixed, or with another effect"
_NOBODY = "none: nobody else rated the same answers"
_FEW = "none: too few for so many effects"
_NO_VARIATION = {
    "length": "none: all answers are equally long",
    "same family": "none: no answer sets the judge's family apart",
    "refusal": "none: all answers or none refuse",
}


@dataclass(frozen=True)
class Comparison:
    """One verdict on two answers in one order: won is 1 where the one shown first won, 0.5 for a tie."""

    first: str  # the models
    second: str
    won: float
    lengths: tuple[int, int]
    own: tuple[bool, bool]  # whether each is of the judge's family
    scenario: Hashable  # verdicts of one scenario may depend on each other


@dataclass(frozen=True)
class PairwiseBias:
    """What moves a verdict besides the models' strengths, in logits."""

    position: Estimate  # for the answer that is shown first
    length: Estimate  # for each `ratio` by which an answer is longer
    same_family: Estimate  # for an answer of the judge's family
    ratio: float | None  # of two lengths, typically: exp of the root mean square of its logarithm
    ties: int  # left out


def pairwise_bias(comparisons: Sequence[Comparison], *, confidence: float = 0.95) -> PairwiseBias:
    """The biases in verdicts on pairs, the models' strengths being held fixed; clustered by scenario.

    Ties are left out: the odds between winning and losing then do not hang on how readily a judge calls a tie,
    while ties as half a win each would make every bias look smaller. The longer answer is measured by
    log((1 + its length) / (1 + the other's)). All judges given are taken to have the same biases, so for
    position and length give one judge's verdicts; a family can only be told apart from strength by
    judges of different families on the same models.
    """
    check_confidence(confidence)
    for one in comparisons:
        if one.won not in (0, 0.5, 1) or one.first == one.second:
            raise ValueError(f"two models' answers win (1), tie (0.5) or lose (0), not {one}")
    decided = [one for one in comparisons if one.won != 0.5]
    ratios = np.array([math.log1p(one.lengths[0]) - math.log1p(one.lengths[1]) for one in decided])
    typical = math.sqrt(float(np.mean(ratios**2))) if decided else 0.0
    effects = {
        "position": np.ones(len(decided)),
        "length": ratios / typical if typical else np.zeros(len(decided)),
        "same family": np.array([float(one.own[0]) - float(one.own[1]) for one in decided]),
    }
    strengths = _strengths(decided)
    won, clusters = np.array([one.won for one in decided]), [one.scenario for one in decided]

    def reason(name: str) -> str:
        if not effects[name].any():
            return _NO_VARIATION[name] if decided else "none: no verdict for either answer"
        return _SAME_OTHERS if told_apart(effects[name], strengths) else _SAME_STRENGTH[name]

    def fitted(columns: Numbers) -> Fit:
        return logistic(columns, won, clusters)

    known = _fitted(effects, strengths, fitted)
    found = {name: known.estimate(name, LOGISTIC, confidence) or known.none(reason(name)) for name in effects}
    return PairwiseBias(
        position=found["position"],
        length=found["length"],
        same_family=found["same family"],
        ratio=math.exp(typical) if typical else None,
        ties=len(comparisons) - len(decided),
    )


@dataclass(frozen=True)
class Rating:
    """One judge's, or people's, rating of one answer."""

    value: float
    judge: str
    answer: Hashable
    model: str
    scenario: Hashable  # ratings of one scenario may depend on each other
    length: int
    own: bool  # whether the answer is of the judge's family
    refused: bool


@dataclass(frozen=True)
class RatingBias:
    """What moves a judge's ratings besides the answers' merit, in points."""

    length: Estimate  # for each standard deviation of log(1 + length)
    same_family: Estimate  # for an answer of the judge's family
    refusal: Estimate  # for an answer that refuses
    ratio: float | None  # by which an answer one standard deviation longer is longer


def rating_bias(
    ratings: Sequence[Rating], judge: str, *, against: Collection[str] = (), confidence: float = 0.95
) -> RatingBias:
    """How one judge departs from the others, or from those it is set against, on the same answers.

    A regression on every answer's level, every judge's level, the effects of this judge, and the leaning of each
    other judge to its own family: without that last, two judges who each favour their own would seem to do so
    twice. Length and refusal are what this judge makes of them more than the others do. Set against people,
    they are its bias; set against judges who share it, they show nothing. Clustered by scenario.
    """
    check_confidence(confidence)
    kept = _shared(ratings, judge, against)
    mine = np.array([one.judge == judge for one in kept], dtype=float)
    lengths, ratio = _standardised(kept)
    effects = {
        "length": mine * lengths,
        "same family": mine * [one.own for one in kept],
        "refusal": mine * [one.refused for one in kept],
    }
    others = sorted({one.judge for one in kept} - {judge})
    levels = [[float(one.judge == other) for one in kept] for other in others]
    families = [[float(one.judge == other and one.own) for one in kept] for other in others]
    nuisance = _columns([*levels, *families], len(kept))
    known = _linear(kept, effects, nuisance, [one.answer for one in kept])
    known = replace(known, n=int(mine.sum()))
    reasons = _reasons([one for one in kept if one.judge == judge])
    found = {name: known.estimate(name, LINEAR, confidence) or known.none(reasons[name]) for name in effects}
    return RatingBias(found["length"], found["same family"], found["refusal"], ratio)


def rating_trend(ratings: Sequence[Rating], judge: str, *, confidence: float = 0.95) -> RatingBias:
    """How one judge's ratings go with length and refusal among answers to the same scenario by models of one level.

    For a judge whom nobody else can be set against. Longer answers may be better ones, so this is no bias yet.
    """
    check_confidence(confidence)
    kept = [one for one in ratings if one.judge == judge]
    lengths, ratio = _standardised(kept)
    effects = {"length": lengths, "refusal": np.array([float(one.refused) for one in kept])}
    models = sorted({one.model for one in kept})
    levels = _columns([[float(one.model == model) for one in kept] for model in models], len(kept))
    known = _linear(kept, effects, levels, [one.scenario for one in kept])
    reasons = _reasons(kept)
    found = {name: known.estimate(name, ALONE, confidence) or known.none(reasons[name]) for name in effects}
    return RatingBias(found["length"], known.none(_NOBODY), found["refusal"], ratio)


def _strengths(decided: Sequence[Comparison]) -> Numbers:
    """For each model but the last, 1 where its answer is shown first and -1 where it is shown second."""
    models = sorted({model for one in decided for model in (one.first, one.second)})
    return _columns(
        [[float(one.first == each) - float(one.second == each) for one in decided] for each in models[:-1]],
        len(decided),
    )


def _columns(lists: Sequence[Sequence[float]], rows: int) -> Numbers:
    return np.array(lists, dtype=float).reshape(len(lists), rows).T


@dataclass(frozen=True)
class _Known:
    """A fit and which of its first coefficients are which effects; no fit where there was too little for one."""

    fit: Fit | None
    names: tuple[str, ...]
    n: int
    clusters: tuple[int, ...]
    few: bool = False

    def estimate(self, name: str, method: str, confidence: float) -> Estimate | None:
        if self.fit is None or name not in self.names:
            return None
        place = self.names.index(name)
        said = WITHOUT_SPREAD if self.fit.loose[place] else method
        return replace(self.fit.estimate(place, confidence, said), n=self.n)

    def none(self, reason: str) -> Estimate:
        return Estimate(None, None, None, self.n, self.clusters, _FEW if self.few else reason)


def _fitted(effects: Mapping[str, Numbers], nuisance: Numbers, fitted: Callable[[Numbers], Fit]) -> _Known:
    """The effects that can be told apart; the others stay in the fit, so that they sway nothing."""

    def apart(name: str) -> bool:
        others = [column for other, column in effects.items() if other != name]
        return told_apart(effects[name], np.column_stack([nuisance, *others]))

    known = tuple(name for name in effects if apart(name))
    unknown = [column for name, column in effects.items() if name not in known]
    rest = independent(np.column_stack([nuisance, *unknown]))
    columns = np.column_stack([*(effects[name] for name in known), rest])
    rows, width = columns.shape
    if not known or rows < 2 * width:
        return _Known(None, (), rows, (), few=0 < rows < 2 * width)
    fit = fitted(columns)
    return _Known(fit, known, fit.n, (fit.clusters,))


def _shared(ratings: Sequence[Rating], judge: str, against: Collection[str]) -> list[Rating]:
    """The ratings of answers that the judge and someone to set it against both rated."""
    asked = [one for one in ratings if one.judge == judge or not against or one.judge in against]
    mine = {one.answer for one in asked if one.judge == judge}
    both = mine & {one.answer for one in asked if one.judge != judge}
    return [one for one in asked if one.answer in both]


def _standardised(ratings: Sequence[Rating]) -> tuple[Numbers, float | None]:
    """The logarithms of the answers' lengths, each answer counted once in their mean and spread."""
    lengths = np.array([math.log1p(one.length) for one in ratings])
    once = np.array(list({one.answer: math.log1p(one.length) for one in ratings}.values()))
    spread = float(once.std()) if len(once) else 0.0
    if spread < 1e-12:
        return np.zeros(len(lengths)), None
    return (lengths - once.mean()) / spread, math.exp(spread)


def _linear(
    ratings: Sequence[Rating],
    effects: Mapping[str, Numbers],
    nuisance: Numbers,
    groups: Sequence[Hashable],
) -> _Known:
    """The effects on the ratings, with every group's level held fixed."""
    within = {name: _within(column, groups) for name, column in effects.items()}
    response = _within(np.array(finite([one.value for one in ratings])), groups)
    clusters = [one.scenario for one in ratings]
    return _fitted(
        within, _within(nuisance, groups), lambda columns: least_squares(columns, response, clusters)
    )


def _reasons(ratings: Sequence[Rating]) -> dict[str, str]:
    """Why an effect is not known, for each that could be."""
    seen: dict[str, set[int]] = {
        "length": {one.length for one in ratings},
        "same family": {one.own for one in ratings},
        "refusal": {one.refused for one in ratings},
    }
    if not ratings:
        return dict.fromkeys(seen, _NOBODY)
    return {name: _SAME_OTHERS if len(values) > 1 else _NO_VARIATION[name] for name, values in seen.items()}


def _within(columns: Numbers, groups: Sequence[Hashable]) -> Numbers:
    """The columns less their mean in each group; exactly 0 where only rounding is left."""
    names = {name: number for number, name in enumerate(dict.fromkeys(groups))}
    places = np.array([names[name] for name in groups], dtype=np.intp)
    sums = np.zeros((len(names), *columns.shape[1:]))
    np.add.at(sums, places, columns)
    counts = np.bincount(places, minlength=len(names)).astype(float)
    means = sums / (counts[:, np.newaxis] if columns.ndim == 2 else counts)
    left = columns - means[places]
    return np.where(np.abs(left) > 1e-12 * np.abs(columns).max(initial=0.0), left, 0.0)
