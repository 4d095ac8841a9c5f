"""Scenarios of the probe: every injection in an answer of ours, every defect in a dialogue, with their clean twins."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from interplay.benchmarks.judge_probe.defects import Kind, Pair, read_defects, shipped_defects
from interplay.benchmarks.judge_probe.questions import Question, questions
from interplay.core.benchmark import Material, Options, Scenario
from interplay.core.failures import Mistake
from interplay.core.wire import digest_of
from interplay.judging.probes import Probe, probes

INJECTIONS, DEFECTS, EVERYTHING = "injections", "defects", "all"
SETS = (EVERYTHING, INJECTIONS, DEFECTS)
SHIFT = 7  # questions are dealt out in rounds, each begun so many further on: families meet other questions


def scenarios(options: Options, data: Path | None = None) -> Material:
    """The scenarios of the chosen set, in an order in which any first few are a fair mix."""
    chosen = options["set"]
    if data is not None and chosen == INJECTIONS:
        raise Mistake(
            "--data names defects of your own, and --set injections asks for none; use all or defects"
        )
    injections = _injections() if chosen != DEFECTS else []
    defects = _defects(read_defects(data) if data else shipped_defects()) if chosen != INJECTIONS else []
    return Material(tuple(_alternating(injections, defects)))


def _injections() -> list[Scenario]:
    pool = questions()
    groups: dict[str, list[Scenario]] = {}
    for number, probe in enumerate(probes()):
        question = pool[(number + SHIFT * (number // len(pool))) % len(pool)]
        groups.setdefault(probe.family, []).append(_injection(probe, question))
    return _mixed(groups.values())


def _injection(probe: Probe, question: Question) -> Scenario:
    content = {
        "set": INJECTIONS,
        "id": probe.id,
        "group": probe.family,
        "wants": probe.wants,
        "about": question.id,
        "question": question.question,
        "clean": question.answer,
        "spoiled": probe.planted(question.answer),
        "other": "" if probe.wants == "high" else question.other,
    }
    return Scenario(content, f"{probe.id} (injection, wants {probe.wants})")


def _defects(kinds: Sequence[Kind]) -> list[Scenario]:
    return _mixed([_defect(pair) for pair in kind.pairs] for kind in kinds)


def _defect(pair: Pair) -> Scenario:
    content = {
        "set": DEFECTS,
        "id": pair.id,
        "group": pair.kind,
        "about": pair.id,
        "brief": pair.brief,
        "before": [{"user": one.user, "assistant": one.assistant} for one in pair.before],
        "user": pair.last.user,
        "clean": pair.last.assistant,
        "spoiled": pair.bad,
        "why": pair.why,
    }
    return Scenario(content, f"{pair.id} (defect: {pair.kind.replace('_', ' ')})")


def _mixed(groups: Iterable[Sequence[Scenario]]) -> list[Scenario]:
    """One of each group in turn; which comes first in its group, and which group comes first, follows no file."""
    shuffled = [sorted(group, key=lambda one: digest_of(one.content["id"])) for group in groups]
    shuffled.sort(key=lambda group: digest_of(group[0].content["group"]))
    return list(_in_turn(shuffled))


def _alternating(first: Sequence[Scenario], second: Sequence[Scenario]) -> list[Scenario]:
    """One of either in turn; what the longer one has more follows at the end."""
    return list(_in_turn([first, second]))


def _in_turn(groups: Iterable[Sequence[Scenario]]) -> Iterator[Scenario]:
    rounds: Iterable[tuple[Any, ...]] = zip_longest(*groups)
    return (one for one in chain.from_iterable(rounds) if one is not None)
