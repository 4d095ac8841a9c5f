"""What the games of a run come to: macro averages by pair, topic and model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from interplay.benchmarks.word_guessing.protocol import OPPONENT, OURS, PAPER, Game, Player
from interplay.benchmarks.word_guessing.scoring import Points, kept_by_paper, points_by_rules
from interplay.core.benchmark import Options, Played
from interplay.core.board import Estimate
from interplay.statistics.intervals import macro_mean

PairOfTopic = tuple[str, str]


@dataclass(frozen=True)
class Result:
    """One model's part in one game; where several of its seats are in it, their mean."""

    model: str
    pair: PairOfTopic  # the topic, and the pair in words
    game: Game
    points: Points  # by our rules
    by_paper: Points

    @property
    def kept(self) -> bool:
        return kept_by_paper(self.game)

    def by(self, rules: str) -> Points:
        return self.by_paper if rules == PAPER else self.points


Value = Callable[[Result], float]
ByPair = Mapping[PairOfTopic, float]


def results_of(played: Sequence[Played], options: Options) -> list[Result]:
    """Every measured model's part in every game that was played to its end."""
    found = []
    for one in played:
        if one.outcome is None:
            continue
        seats: dict[str, list[Player]] = {}
        for player in one.outcome.players:
            if player.role != OPPONENT:
                seats.setdefault(player.model, []).append(player)
        for model, players in seats.items():
            ours, papers = (
                _mean([points_by_rules(one.outcome, player, options, rules) for player in players])
                for rules in (OURS, PAPER)
            )
            found.append(Result(model, pair_of(one), one.outcome, ours, papers))
    return found


def pair_of(one: Played) -> PairOfTopic:
    content = one.scenario.content
    return content["topic"], f"{content['a']['text']} / {content['b']['text']}"


def _mean(points: Sequence[Points]) -> Points:
    if len(points) == 1:
        return points[0]
    return Points(
        fsum(one.comprehension for one in points) / len(points),
        fsum(one.confusion for one in points) / len(points),
        fsum(one.age for one in points) / len(points),
    )


def by_pair(results: Sequence[Result], value: Value) -> dict[PairOfTopic, float]:
    """The mean over the games of each pair."""
    values: dict[PairOfTopic, list[float]] = {}
    for one in results:
        values.setdefault(one.pair, []).append(value(one))
    return {pair: fsum(found) / len(found) for pair, found in sorted(values.items())}


def by_topic(means: ByPair) -> dict[str, list[float]]:
    """The means of pairs, topic by topic."""
    topics: dict[str, list[float]] = {}
    for (topic, _), value in means.items():
        topics.setdefault(topic, []).append(value)
    return topics


def macro(results: Sequence[Result], value: Value) -> Estimate:
    """The mean over the games of a pair, then over pairs, then over topics."""
    return macro_mean(list(by_topic(by_pair(results, value)).values()))


def age_by(rules: str) -> Value:
    return lambda result: result.by(rules).age


def in_rules(results: Sequence[Result], rules: str) -> list[Result]:
    """The games that count by these rules: all of them, or what the paper's filter keeps."""
    return [one for one in results if rules != PAPER or one.kept]
