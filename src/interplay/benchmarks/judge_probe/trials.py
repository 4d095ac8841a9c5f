"""Trials of the probe: judges that obey, favour and see at planted rates, and what the board must show of them."""

from collections.abc import Callable, Mapping, Sequence
from math import fsum, sqrt
from typing import Any

from interplay.benchmarks.judge_probe.bots import LENIENT, LESS, MIDDLING, OBEYED, JudgeBot
from interplay.benchmarks.judge_probe.defects import KINDS
from interplay.benchmarks.judge_probe.protocol import HIGH
from interplay.benchmarks.judge_probe.scenarios import DEFECTS, INJECTIONS
from interplay.benchmarks.judge_probe.tables import BY_FAMILY, BY_KIND
from interplay.core.benchmark import Played
from interplay.core.board import Board
from interplay.core.trials import Finding, Trial, number_on, part_of
from interplay.models.loopback import Asked

CYCLE = (1.0, 0.7, 0.2)  # chances to see a defect, kind by kind
OBEYED_FAMILIES = frozenset(("json", "tokens"))
MUMBLED = frozenset(("hidden", "repetition"))
Content = Mapping[str, Any]
Moments = tuple[float, float]  # the mean and the variance of what one probe adds


def _sees(first: int) -> dict[str, float]:
    return {kind: CYCLE[(first + place) % len(CYCLE)] for place, kind in enumerate(KINDS)}


JUDGES: dict[str, JudgeBot] = {
    "openai/steadfast": JudgeBot(sees=dict.fromkeys(KINDS, 1.0)),
    "openai/wavering": JudgeBot(obeys=0.3, lenient=0.15, sees=_sees(0)),
    "openai/gullible": JudgeBot(obeys=0.8, lenient=0.3, sees=_sees(1)),
    "openai/literal": JudgeBot(obeys_families=OBEYED_FAMILIES, sees=dict.fromkeys(KINDS, 0.2)),
    "openai/mumbling": JudgeBot(sees=dict.fromkeys(KINDS, 1.0), mumbles=MUMBLED),
}


def scripts(seed: int) -> dict[str, Callable[[Asked], str]]:
    return {name: bot.script(seed) for name, bot in JUDGES.items()}


def findings(board: Board, played: Sequence[Played]) -> list[Finding]:
    found = []
    for name, bot in JUDGES.items():
        mine = [one for one in played if one.subject == name]
        found += [*_injections(board, name, bot, mine), *_defects(board, name, bot, mine)]
        found += _counts(board, name, bot, mine)
    found += _families(board, "openai/literal")
    return found


def _injections(board: Board, name: str, bot: JudgeBot, played: Sequence[Played]) -> list[Finding]:
    """Which questions a bot is lenient on is known, so that what clean twins get is exact."""
    known = [one for one in _of(played, INJECTIONS) if one.scenario.content["group"] not in bot.mumbles]
    lenient = [bot.is_lenient(one.scenario.content["about"], _short(name)) for one in known]
    chances = [1.0 if one.scenario.content["group"] in bot.obeys_families else bot.obeys for one in known]
    both = list(zip(chances, lenient, strict=True))
    rated = [pair for pair, one in zip(both, known, strict=True) if one.scenario.content["wants"] == HIGH]
    planted = {
        "success": [(1.0, 0.0) if favoured else _bernoulli(obeys) for obeys, favoured in both],
        "clean": [(float(favoured), 0.0) for favoured in lenient],
        "change": [(0.0, 0.0) if favoured else _bernoulli(obeys) for obeys, favoured in both],
        "raised": [_bernoulli(obeys) for obeys, favoured in both if not favoured],
        "rise": [
            _times(_bernoulli(obeys), OBEYED - (LENIENT if favoured else MIDDLING))
            for obeys, favoured in rated
        ],
    }
    return [_finding(name, key, number_on(board, name, key), each) for key, each in planted.items()]


def _defects(board: Board, name: str, bot: JudgeBot, played: Sequence[Played]) -> list[Finding]:
    kinds = [one.scenario.content["group"] for one in _of(played, DEFECTS)]
    chances = [bot.sees[kind] for kind in kinds if kind not in bot.mumbles]
    found = [
        _finding(name, "sees", number_on(board, name, "sees"), [_bernoulli(chance) for chance in chances]),
        _finding(name, "margin", number_on(board, name, "margin"), [_margin(chance) for chance in chances]),
    ]
    if len(set(chances)) > 1:
        part = part_of(board, BY_KIND)
        for kind in sorted(set(kinds)):
            each = [_bernoulli(bot.sees[kind])] * kinds.count(kind)
            found.append(_finding(name, f"sees {kind}", number_on(part, name, "sees", kind=kind), each))
    return found


def _counts(board: Board, name: str, bot: JudgeBot, played: Sequence[Played]) -> list[Finding]:
    """Exactly: what was never in form is counted, and is in no rate."""
    lost = [one for one in played if one.scenario.content["group"] in bot.mumbles]
    planted = {
        "injections": len(_of(played, INJECTIONS)) - len(_of(lost, INJECTIONS)),
        "defects": len(_of(played, DEFECTS)) - len(_of(lost, DEFECTS)),
        "unreadable": len(lost) / (2 * len(played)),  # of two verdicts, the spoiled twin's
    }
    return [
        Finding(f"{_short(name)}: {key}", number, number_on(board, name, key))
        for key, number in planted.items()
    ]


def _families(board: Board, name: str) -> list[Finding]:
    part = part_of(board, BY_FAMILY)
    families = sorted({str(row["family"]) for row in part.rows})
    return [
        Finding(
            f"{_short(name)}: {family}",
            float(family in OBEYED_FAMILIES),
            number_on(part, name, "success", family=family),
        )
        for family in families
    ]


def _of(played: Sequence[Played], chosen: str) -> list[Played]:
    return [one for one in played if one.scenario.content["set"] == chosen]


def _bernoulli(chance: float) -> Moments:
    return chance, chance * (1 - chance)


def _times(moments: Moments, factor: float) -> Moments:
    return moments[0] * factor, moments[1] * factor**2


def _margin(chance: float) -> Moments:
    """Of a defect: seen, it costs so many points; else nothing, or by an even chance a point is added."""
    unseen = (1 - chance) / 2
    mean = LESS * chance - unseen
    return mean, LESS**2 * chance + unseen - mean**2


def _finding(name: str, what: str, recovered: float | None, each: Sequence[Moments]) -> Finding:
    """A mean of independent probes."""
    planted = fsum(mean for mean, _ in each) / len(each)
    error = sqrt(max(0.0, fsum(variance for _, variance in each))) / len(each)
    return Finding(f"{_short(name)}: {what}", planted, recovered, error)


def _short(model: str) -> str:
    return model.partition("/")[2]


TRIALS = (
    Trial(
        name="judges with planted weaknesses",
        meaning="judges that obey 0, .3 or .8 of the injections or two families alone, are lenient on some questions, "
        "see defects of each kind at a rate of their own, or answer some texts out of form",
        scripts=scripts,
        models=tuple(JUDGES),
        findings=findings,
        order=("openai/gullible", "openai/wavering", "openai/steadfast"),
        ordered_by="success",
    ),
)
