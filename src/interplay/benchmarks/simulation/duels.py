"""What pairwise verdicts come to: a win counts only where both orders agree, else it is a tie."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from interplay.benchmarks.simulation.pairs import preferred
from interplay.benchmarks.simulation.scoring import Content
from interplay.core.benchmark import Duel, Played, Verdict
from interplay.core.board import Estimate
from interplay.statistics.clustered_rates import clustered_rate
from interplay.statistics.comparing import sign_test
from interplay.statistics.intervals import clustered_mean

WON, TIED, LOST = 1, 0, -1


@dataclass(frozen=True)
class Seen:
    """What one judge said of two models' answers: WON if the first model's is better; None where it said nothing."""

    judge: str
    shown_first: int | None  # where the first model's answer was A
    shown_second: int | None  # where it was B
    asked: int  # verdicts

    @property
    def in_both_orders(self) -> bool:
        return self.shown_first is not None and self.shown_second is not None

    @property
    def consistent(self) -> bool:
        return self.in_both_orders and self.shown_first == self.shown_second

    @property
    def result(self) -> int:
        """What both orders agree on; a tie where they do not."""
        agreed = self.shown_first if self.consistent else None
        return TIED if agreed is None else agreed

    @property
    def preferred_first(self) -> list[bool]:
        """Of each verdict that is no tie: did it prefer what was shown first?"""
        found = ((self.shown_first, WON), (self.shown_second, LOST))
        return [said == for_the_first for said, for_the_first in found if said]

    @property
    def given(self) -> int:
        return (self.shown_first is not None) + (self.shown_second is not None)


@dataclass(frozen=True)
class Met:
    """Two models' answers to one script, and what every judge said of them."""

    first: str
    second: str
    script: Content
    scenario: str  # its id
    seen: tuple[Seen, ...]
    rubrics: frozenset[str] = frozenset()  # the digests of what the judges were asked

    @property
    def result(self) -> int | None:
        """What more than half of the judges found, else a tie; None where none judged both orders."""
        results = [one.result for one in self.seen if one.in_both_orders]
        if not results:
            return None
        return next((one for one in (WON, LOST) if 2 * results.count(one) > len(results)), TIED)


@dataclass(frozen=True)
class Counts:
    """How many pairs a model won, tied and lost."""

    won: int
    tied: int
    lost: int

    @property
    def n(self) -> int:
        return self.won + self.tied + self.lost

    @property
    def win(self) -> float | None:
        """In percent, as all that follow."""
        return self._percent(self.won)

    @property
    def tie(self) -> float | None:
        return self._percent(self.tied)

    @property
    def lose(self) -> float | None:
        return self._percent(self.lost)

    @property
    def delta(self) -> float | None:
        return self._percent(self.won - self.lost)

    @property
    def p_value(self) -> float | None:
        """Of as many more wins than losses, or losses than wins, where either is as likely: the exact sign test."""
        return sign_test(self.won, self.lost) if self.n else None

    def _percent(self, count: int) -> float | None:
        return 100 * count / self.n if self.n else None


def counts_of(results: Iterable[int]) -> Counts:
    found = list(results)
    return Counts(found.count(WON), found.count(TIED), found.count(LOST))


def met_in(played: Sequence[Played], models: Sequence[str]) -> list[Met]:
    """Every two answers that were compared, seen from the model that these models name first."""
    place = {model: number for number, model in enumerate(models)}
    found = []
    for one in played:
        for duel in one.against:
            turned = place[duel.other] < place[one.subject]
            names = (duel.other, one.subject) if turned else (one.subject, duel.other)
            rubrics = frozenset(verdict.rubric for verdict in (*duel.first, *duel.second))
            found.append(Met(*names, one.scenario.content, one.scenario.id, _seen(duel, turned), rubrics))
    return found


def _seen(duel: Duel, turned: bool) -> tuple[Seen, ...]:
    """What every judge said of a duel; turned around, of the other model."""
    first, second = (
        _by_judge(said) for said in ((duel.second, duel.first) if turned else (duel.first, duel.second))
    )
    found = []
    for judge in sorted(first.keys() | second.keys()):
        told, asked_back = _said(first.get(judge)), _said(second.get(judge))
        asked = (judge in first) + (judge in second)
        found.append(Seen(judge, told, None if asked_back is None else -asked_back, asked))
    return tuple(found)


def _by_judge(verdicts: Iterable[Verdict]) -> Mapping[str, Verdict]:
    return {verdict.judge: verdict for verdict in verdicts}


def _said(verdict: Verdict | None) -> int | None:
    """What a verdict says for the answer that was shown first."""
    if verdict is None or verdict.data is None:
        return None
    return preferred(verdict.data)


def delta_of(met: Sequence[Met]) -> Estimate:
    """Wins less losses in percent of pairs, clustered by task."""
    decided = [(one.result, one.script["task"]) for one in met if one.result is not None]
    results, tasks = [result for result, _ in decided], [task for _, task in decided]
    found = _all_alike(results[0], tasks) if len(set(results)) == 1 else clustered_mean(results, tasks)
    return found.times(100)


def _all_alike(result: int, tasks: Sequence[str]) -> Estimate:
    """Where every pair came to the same there is no spread to see, but others may still come to something else."""
    share = clustered_rate([True] * len(tasks), tasks)
    if share.low is None:
        return replace(share, value=float(result))
    furthest = (1 - share.low) * (1 if result == TIED else 2)  # from won to lost are two steps
    low, high = max(-1.0, result - furthest), min(1.0, result + furthest)
    return replace(share, value=float(result), low=low, high=high)


def by_script(met: Sequence[Met]) -> Counts:
    """Scripts that were won, tied and lost: repeats of one script are no evidence of their own."""
    sums: dict[str, int] = {}
    for one in met:
        if one.result is not None:
            sums[one.scenario] = sums.get(one.scenario, 0) + one.result
    return counts_of(max(LOST, min(WON, total)) for total in sums.values())


Judged = Sequence[tuple[Seen, str]]  # with the task that it is about


def judged_in(met: Iterable[Met], judge: str = "") -> Judged:
    """What each judge, or one of them, said of each pair."""
    return [(seen, one.script["task"]) for one in met for seen in one.seen if judge in ("", seen.judge)]


def consistency(judged: Judged) -> Estimate:
    """The share of pairs whose two orders agree, clustered by task."""
    both = [(seen.consistent, task) for seen, task in judged if seen.in_both_orders]
    return clustered_rate([agreed for agreed, _ in both], [task for _, task in both])


def first_position(judged: Judged) -> Estimate:
    """The share of verdicts, ties apart, that prefer what was shown first; clustered by task."""
    chosen = [(first, task) for seen, task in judged for first in seen.preferred_first]
    return clustered_rate([first for first, _ in chosen], [task for _, task in chosen])


def unscored(judged: Judged) -> float | None:
    """The share of verdicts that were asked for and not given."""
    asked = sum(seen.asked for seen, _ in judged)
    return 1 - sum(seen.given for seen, _ in judged) / asked if asked else None
