"""Trials of social interaction: who tells a planted part, judges who err as planted, habits, and planted cues."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from math import fsum, sqrt
from pathlib import Path

from interplay.benchmarks.social_interaction.cue_bots import CueBot, windows_by
from interplay.benchmarks.social_interaction.gap import CHARACTERS, OVERALL
from interplay.benchmarks.social_interaction.gap_tables import TITLE
from interplay.benchmarks.social_interaction.protocol import PASS, SPEAK
from interplay.benchmarks.social_interaction.scenarios import EXCHANGE, INTENTIONS, PLAYERS
from interplay.benchmarks.social_interaction.sharing_bots import KEY_POINTS, Fidget, Matcher, Teller, told_in
from interplay.benchmarks.social_interaction.windows import as_json
from interplay.core.benchmark import Played
from interplay.core.board import Board, Estimate
from interplay.core.trials import Finding, Trial, number_on, part_of
from interplay.models.loopback import Asked

Scripts = dict[str, Callable[[Asked], str]]
MOVES = 16  # of a session: all is told in the first three moves of the one who knows, and read out after that
SHOWN = 0.25  # of what is told, the share that a player tells first
ROUNDING = 1e-9  # what a mean may be off that was added up in another order
EXACT_JUDGE = "openai/exact-judge"


def _short(model: str) -> str:
    return model.partition("/")[2]


def _share(what: str, planted: float, recovered: float | None, n: int) -> Finding:
    """A share of so many independent cases."""
    return Finding(what, planted, recovered, sqrt(planted * (1 - planted) / n))


# Who tells a planted part


def tellers(shares: Sequence[float] = (0.1, 0.25, 0.604, 0.9), sessions: int = 100) -> Trial:
    """Models that tell each key point with a chance of their own, before a judge that never errs."""
    bots = {f"openai/teller-{share}": Teller(share, SHOWN) for share in shares}

    def scripts(seed: int) -> Scripts:
        found = {name: bot.script(seed) for name, bot in bots.items()}
        return {**found, EXACT_JUDGE: Matcher().script(seed)}

    def findings(board: Board, played: Sequence[Played]) -> list[Finding]:
        found = []
        for model, bot in bots.items():
            mine = [one for one in played if one.subject == model]
            found += _telling(board, model, bot, sessions) + _of_these(board, model, mine)
        return found

    return Trial(
        "who tells a part",
        "the one who knows tells each key point with a chance of its own; players recite all that they heard",
        scripts,
        tuple(bots),
        findings,
        roles={"judge": (EXACT_JUDGE,)},
        options={"scene": EXCHANGE, "moves": str(MOVES), "sessions": str(sessions)},
        order=tuple(sorted(bots, key=lambda name: -bots[name].share)),
        ordered_by="iep",
    )


def _telling(board: Board, model: str, bot: Teller, sessions: int) -> list[Finding]:
    """All players hear the same, so that points of a session are drawn once, not once for each player."""
    points = KEY_POINTS * sessions
    error = 100 * sqrt(bot.share * (1 - bot.share) / points)
    name, number = _short(model), partial(number_on, board, model)
    by_npc, by_player = bot.share * (1 - bot.shown), bot.share * bot.shown
    return [
        Finding(f"{name}: IEP", 100 * bot.share, number("iep"), error),
        Finding(f"{name}: corrected IEP", 100 * bot.share, number("corrected"), error),
        _share(f"{name}: told", bot.share, number("told"), points),
        _share(f"{name}: told first by the NPC", by_npc, number("told_npc"), points),
        _share(f"{name}: told first by a player", by_player, number("told_player"), points),
        Finding(f"{name}: learned of told", 1, number("learned")),
        Finding(f"{name}: sessions", sessions, number("n")),
    ]


def _of_these(board: Board, model: str, played: Sequence[Played]) -> list[Finding]:
    """The same numbers as the words of these very sessions have them, which no judge has counted."""
    name, heard, told = _short(model), [0.0], [0.0]
    for one in played:
        if one.outcome is not None:
            heard += [len(told_in(answer.answer)) / KEY_POINTS for answer in one.outcome.answers]
            told.append(len(told_in(" ".join(move.say for move in one.outcome.moves))) / KEY_POINTS)
    mean, share = (fsum(values) / max(1, len(values) - 1) for values in (heard, told))
    number = partial(number_on, board, model)
    return [
        Finding(f"{name}: IEP, by what was recited", 100 * mean, number("iep"), 100 * ROUNDING),
        Finding(f"{name}: told, by what was said", share, number("told"), ROUNDING),
    ]


# Judges who err as planted


def erring(
    judges: Mapping[str, Matcher] | None = None, shares: Sequence[float] = (0.604, 0.9), sessions: int = 64
) -> Trial:
    """What models told is known, and how their judges err: IEP is off by so much, and put right again."""
    judges = judges or {"openai/strict-judge": Matcher(0.7, 0.05), "openai/lenient-judge": Matcher(0.8, 0.1)}
    bots = {f"openai/teller-{share}": Teller(share) for share in shares}

    def scripts(seed: int) -> Scripts:
        found = {name: bot.script(seed) for name, bot in bots.items()}
        return {**found, **{name: judge.script(seed) for name, judge in judges.items()}}

    def findings(board: Board, played: Sequence[Played]) -> list[Finding]:
        lists = len(bots) * sessions
        found = [one for name, judge in judges.items() for one in _matching(board, name, judge, lists)]
        for model, bot in bots.items():
            for name, judge in judges.items():
                found += _corrected(board, (model, name), (bot, judge), sessions, lists)
        return found

    return Trial(
        "judges who err",
        "judges pair what was said, and what was not, at planted rates; corrected IEP takes that off",
        scripts,
        tuple(bots),
        findings,
        roles={"judge": tuple(judges)},
        options={"scene": EXCHANGE, "moves": str(MOVES), "sessions": str(sessions)},
    )


def _matching(board: Board, name: str, judge: Matcher, lists: int) -> list[Finding]:
    """Half of the points of planted lists are said, and half are not."""
    rows = [{**row, "model": row["judge"]} for row in part_of(board, "How well judges match key points").rows]
    number = partial(number_on, Board("", (), tuple(rows)), name)
    half = KEY_POINTS * lists // 2
    return [
        _share(f"{_short(name)}: found", judge.found, number("found"), half),
        _share(f"{_short(name)}: false pairs", judge.expected_false(), number("false"), half),
        Finding(f"{_short(name)}: planted lists", lists, number("lists")),
    ]


def _corrected(
    board: Board, names: tuple[str, str], bots: tuple[Teller, Matcher], sessions: int, lists: int
) -> list[Finding]:
    """What a judge finds as it is, and corrected; the latter has the doubt about the judge's rates in its error."""
    (model, name), (teller, judge) = names, bots
    q, t, f = teller.share, judge.found, judge.expected_false()
    by_judge = part_of(board, "By judge")
    of_points = q * (1 - q) * (t - f) ** 2  # drawn once for all players of a session
    of_judging = (q * t * (1 - t) + (1 - q) * f * (1 - f)) / PLAYERS
    raw = (of_points + of_judging) / (KEY_POINTS * sessions)
    rates = (q**2 * t * (1 - t) + (1 - q) ** 2 * f * (1 - f)) / (KEY_POINTS * lists / 2)
    what = f"{_short(model)} by {_short(name)}"
    number = partial(number_on, by_judge, model, judge=name)
    return [
        Finding(f"{what}: IEP", 100 * judge.expected(q), number("iep"), 100 * sqrt(raw)),
        Finding(f"{what}: corrected", 100 * q, number("corrected"), 100 * sqrt(raw + rates) / (t - f)),
    ]


# Habits

HABITS = (SPEAK, PASS, "again", SPEAK, "empty", PASS, SPEAK, "again", SPEAK, PASS)


def habits(sessions: int = 4) -> Trial:
    """Players whose moves come in a fixed order, so that the shares are known exactly."""
    model, turns = "openai/fidget", len(HABITS)

    def findings(board: Board, played: Sequence[Played]) -> list[Finding]:
        planted = {"passes": PASS, "repeated": "again", "empty": "empty"}
        moves = [row for row in part_of(board, "Moves").rows if row["who"] == "players"]
        return [
            *(
                Finding(f"{key} moves", HABITS.count(habit) / turns, number_on(board, model, key))
                for key, habit in planted.items()
            ),
            Finding("moves of players", PLAYERS * turns * sessions, _number(moves, "n")),
            Finding("sessions", sessions, number_on(board, model, "sessions")),
        ]

    return Trial(
        "players with habits",
        "three moves in ten pass, two say again what was said, one promises words and has none",
        lambda seed: {model: Fidget(HABITS).script(seed), EXACT_JUDGE: Matcher().script(seed)},
        (model,),
        findings,
        roles={"judge": (EXACT_JUDGE,)},
        options={"scene": EXCHANGE, "moves": str((PLAYERS + 1) * turns), "sessions": str(sessions)},
    )


def _number(rows: Sequence[Mapping[str, object]], key: str) -> float | None:
    cell = rows[0].get(key) if rows else None
    return float(cell) if isinstance(cell, int | float) else None


# Planted cues

NEAR = 0.03  # how far a gap may be from 0 where play is as real play is
HELD_OUT = 40  # percent of what stands for real play


def cues(
    faith: Sequence[float] = (0.0, 0.2, 0.4, 0.6, 1.0),
    sessions: int = 600,
    moves: int = 12,
    near: float = NEAR,
) -> Trial:
    """Models that show what they want in a part of their sessions; real play is that of full faith, elsewhere."""
    bots = {f"openai/faith-{share}": CueBot(share) for share in faith}
    play = {"scene": INTENTIONS, "moves": str(moves), "skills": "even"}

    def files(seed: int, folder: Path) -> dict[str, str]:
        path, count = folder / "real_play.jsonl", -(-sessions * 100 // (100 - HELD_OUT))
        numbers = range(sessions + 1, sessions + count + 1)
        windows = windows_by(CueBot(1.0), "real", seed, numbers, {**play, "wants": "1", "prompts": ""})
        path.write_text("".join(json.dumps(as_json(window)) + "\n" for window in windows), encoding="utf-8")
        return {"real": str(path)}

    return Trial(
        "planted cues",
        "players show what they want in 0 to 100% of the sessions, else another skill; a light reader learns from it",
        lambda seed: {name: bot.script(seed) for name, bot in bots.items()},
        tuple(bots),
        partial(_expressed, sorted(bots, key=lambda name: bots[name].faith), sessions, near),
        options={**play, "sessions": str(sessions), "curve": "no", "held_out": str(HELD_OUT)},
        files=files,
        order=tuple(sorted(bots, key=lambda name: bots[name].faith)),
        ordered_by=f"gap_{OVERALL}",
        ordered_on=TITLE,
    )


def _expressed(
    models: Sequence[str], sessions: int, near: float, board: Board, played: Sequence[Played]
) -> list[Finding]:
    """Of models from no faith to full: f_g rises, and the last one's gap is as small as equal play makes it."""
    gaps = part_of(board, TITLE)
    scores = [number_on(gaps, model, f"f_g_{OVERALL}") for model in models]
    known = [score for score in scores if score is not None]
    rises = len(known) == len(models) and all(low < high for low, high in pairwise(known))
    found = [Finding("f_g^o rises with faith (1 = yes)", 1, float(rises))]
    found.append(
        _near(f"{_short(models[-1])}: G^{OVERALL}", number_on(gaps, models[-1], f"gap_{OVERALL}"), near)
    )
    # Whoever wants shows something at any faith: who is asked can be read at all of them.
    found += [
        _near(f"{_short(model)}: G^{CHARACTERS}", number_on(gaps, model, f"gap_{CHARACTERS}"), near)
        for model in models
    ]
    above = [row.get("above_o") for row in part_of(board, "Readers").rows if row.get("reader") == "real play"]
    beats = any(isinstance(one, Estimate) and one.low is not None and one.low > 0 for one in above)
    found.append(Finding("the reader of real play beats last speaker (1 = yes)", 1, float(beats)))
    found += [
        Finding(f"{_short(model)}: windows learned", sessions, number_on(gaps, model, "size"))
        for model in models
    ]
    return found


def _near(what: str, percent: float | None, near: float) -> Finding:
    """A gap, as a share, where play is as real play is."""
    return Finding(what, near, None if percent is None else percent / 100, at_most=True)


TRIALS = (tellers(), erring(), habits(), cues())
