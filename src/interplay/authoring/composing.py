"""A benchmark out of few and plain parts; all else is as most benchmarks have it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from interplay.authoring.boards import BoardOfMeasures
from interplay.authoring.data import Scenarios, fixed
from interplay.core.benchmark import (
    Benchmark,
    Judging,
    Option,
    Options,
    Role,
    Scenario,
    Score,
    Span,
    Tryout,
    Unjudged,
    Verdict,
    prompts_option,
)
from interplay.core.conversation import Conversation
from interplay.core.failures import Mistake
from interplay.core.measures import Measure
from interplay.core.prompts import Prompts
from interplay.core.wire import digest_of

TRYOUT = 4  # scenarios: small enough for the embedded model on two cores
TRYOUT_TOKENS = 96  # of a reply in it
Calls = Callable[[Scenario, Options], Mapping[str, Span]]


def compose(
    *,
    name: str,
    meaning: str,
    roles: Sequence[Role],
    scenarios: Sequence[Scenario] | Scenarios,
    outcome: type,
    play: Callable[[Conversation, Options], Awaitable[Any]],
    calls: Mapping[str, int | Span] | Calls,
    score: Callable[[Any, Sequence[Verdict], Options], Sequence[Score]],
    measures: Sequence[Measure],
    judge: Judging | None = None,
    prompts: Prompts | None = None,
    version: int = 1,
    options: Sequence[Option] = (),
    paper: str = "",
    **more: Any,
) -> Benchmark:
    """A benchmark with a board of its measures, the first of which ranks.

    `calls` says for each role how many there are in one conversation: a number, or the least and the most; or it is a
    function of the scenario and the options that gives the least and the most. Raise `version` where an edited
    protocol says something else than before; an edited prompt is seen by itself. What more is given are fields of
    Benchmark, in place of what is usual: `judging`, say, where the judge depends on the options.
    """
    if not measures and "summarize" not in more:
        raise Mistake(f"{name} has no measure, and its board ranks by the first; give one, or summarize")
    ways = more.get("ways", lambda scenario: (scenario.id,))
    scale = measures[0].scale if measures else None  # where the board is its author's own
    usual: dict[str, Any] = {
        "options": (*options, prompts_option(prompts)) if prompts else tuple(options),
        "roles": lambda settled: tuple(roles),
        "scenarios": scenarios if callable(scenarios) else fixed(scenarios),
        "protocol": lambda settled: _digest(version, prompts, settled),
        "calls": calls if callable(calls) else _counted(calls),
        "measures": lambda settled: tuple(measures),
        "summarize": BoardOfMeasures(f"{name} ({paper})" if paper else name, measures, score, ways),
        "judging": lambda settled: judge or Unjudged(),
        # a quarter of the scale: what most benchmarks show between two models on one scenario
        "spread": lambda settled: (scale.high - scale.low) / 4 if scale else 1.0,
        "tryout": Tryout(TRYOUT, {}, {role.name: {"max_tokens": TRYOUT_TOKENS} for role in roles}),
    }
    parts: dict[str, Any] = {
        "name": name,
        "paper": paper,
        "meaning": meaning,
        "outcome": outcome,
        "play": play,
        "score": score,
    }
    return Benchmark(**parts, **{**usual, **more})


def _counted(calls: Mapping[str, int | Span]) -> Calls:
    spans = {role: (count, count) if isinstance(count, int) else count for role, count in calls.items()}
    return lambda scenario, settled: spans


def _digest(version: int, prompts: Prompts | None, options: Options) -> str:
    """What shapes play: the prompts, and the protocol where its author says that it has changed."""
    return digest_of([version, dict(prompts.chosen(options["prompts"]).texts) if prompts else {}])
