"""Trials of word guessing: bots whose scores are known by theory, and what the board must show of them."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import exp, fsum, sqrt

from interplay.benchmarks.word_guessing.bots import (
    Bot,
    Finds,
    Moments,
    age,
    chances,
    comprehension,
    confusion,
    is_kept,
    moments,
)
from interplay.benchmarks.word_guessing.protocol import OPPONENT
from interplay.benchmarks.word_guessing.scenarios import FOUR, VERSUS
from interplay.benchmarks.word_guessing.words import GENERAL, TOPICS
from interplay.core.benchmark import Played
from interplay.core.board import Board
from interplay.core.trials import Finding, Trial, number_on
from interplay.models.loopback import Asked

ROUNDS = 5
GAMES = 200
GAMES_OF_THREE = GAMES // 3  # for each of three models that meet the opponent in turn
# All lists, so that no two games of a trial share a word: what bots draw in them is independent.
OPTIONS = {"rounds": str(ROUNDS), "topics": ",".join((GENERAL, *TOPICS))}
Bots = Mapping[str, Bot]

SCORES: dict[str, Callable[[Finds], float]] = {  # of the first player, whose opponents are the others
    "comprehension": lambda finds: comprehension(finds[0]),
    "confusion": lambda finds: confusion(finds[1:], ROUNDS),
    "age": lambda finds: age(comprehension(finds[0]), confusion(finds[1:], ROUNDS)),
}


@cache
def expected(score: str, me: Bot, opponents: tuple[Bot, ...]) -> Moments:
    """Of one game against these opponents. Those who listen, listen to one alone: two would hear the same clues."""
    fates = [chances(me.hazard_against(opponents[0]), ROUNDS)]
    fates += [chances(other.hazard_against(me), ROUNDS) for other in opponents]
    return moments(fates, SCORES[score])


def scores_found(board: Board, played: Sequence[Played], bots: Bots, model: str) -> list[Finding]:
    """A model's comprehension, confusion and AGE on the board, against what theory expects of its games."""
    mine = [one for one in played if model in one.cast.values()]
    against = [tuple(bots[name] for name in _opponents(one, model)) for one in mine]
    found = []
    for score in SCORES:
        each = [expected(score, bots[model], opponents) for opponents in against]
        what = f"{_short(model)}: {'AGE' if score == 'age' else score}"
        found.append(_macro(what, number_on(board, model, score), mine, each))
    return found


def _opponents(one: Played, model: str) -> list[str]:
    """The models of the other group in this game."""
    if OPPONENT in one.cast:
        return [one.cast[OPPONENT]]
    with_a = one.scenario.content["with_a"]
    has_a = {one.cast[role]: place in with_a for place, role in enumerate(sorted(one.cast), 1)}
    return [name for name in has_a if has_a[name] != has_a[model]]


def _macro(what: str, recovered: float | None, games: Sequence[Played], each: Sequence[Moments]) -> Finding:
    """A finding about a macro average of independent games, each on a word pair of its own.

    The board takes the mean over the games of a topic, then over topics: with T topics and n games of its topic, a
    game weighs 1 / (T n). The error is the root of the sum over games of (weight x planted deviation) squared.
    """
    topics = [str(one.scenario.content["topic"]) for one in games]
    sizes = Counter(topics)
    weights = [1 / (len(sizes) * sizes[topic]) for topic in topics]
    means = {one.mean for one in each}
    weighted = fsum(weight * one.mean for weight, one in zip(weights, each, strict=True))
    error = sqrt(fsum((weight * one.deviation) ** 2 for weight, one in zip(weights, each, strict=True)))
    # Where all games expect the same, that is it: the weights add up to 1 but for rounding.
    return Finding(what, means.pop() if len(means) == 1 else weighted, recovered, error)


def _rate(what: str, planted: float, recovered: float | None, n: int) -> Finding:
    """A finding about a share of n independent cases."""
    return Finding(what, planted, recovered, sqrt(planted * (1 - planted) / n) if n else 0.0)


def filter_found(board: Board, played: Sequence[Played], bots: Bots) -> list[Finding]:
    """What the paper's filter does to the weakest guesser of four, and whether the board warns of it."""
    weakest, *others = sorted(bots, key=lambda name: bots[name].hazard)
    fates = [chances(bots[name].hazard, ROUNDS) for name in (weakest, *others)]
    won, kept = (moments(fates, SCORES["comprehension"], given) for given in (all, is_kept))
    games = [one for one in played if one.outcome is not None]
    passing = [one for one in games if is_kept(_finds(one))]
    share = number_on(board, weakest, "kept")
    dropped = None if share is None else 1 - share
    over_kept = number_on(board, weakest, "comprehension_kept")
    warned = any("filter would drop" in note for note in board.notes)
    return [
        _rate("games that succeed", won.share, number_on(board, weakest, "success"), len(games)),
        _rate("games that the filter drops", 1 - kept.share, dropped, len(games)),
        _macro(f"{_short(weakest)}: kept comprehension", over_kept, passing, [kept] * len(passing)),
        _in_successful_games(weakest, games, won),
        Finding("the board warns of the filter (1 = yes)", 1, float(warned)),
    ]


def _finds(one: Played) -> Finds:
    return tuple(player.found for player in one.outcome.players)


def _in_successful_games(model: str, games: Sequence[Played], won: Moments) -> Finding:
    """The board has no such column, so this one is read off the games themselves."""
    values = [
        comprehension(player.found)
        for one in games
        for player in one.outcome.players
        if player.model == model and all(_finds(one))
    ]
    what = f"{_short(model)}: comprehension in successful games"
    if not values:
        return Finding(what, won.mean, None)
    return Finding(what, won.mean, fsum(values) / len(values), won.deviation / sqrt(len(values)))


def violations_found(board: Board, played: Sequence[Played], bots: Bots, model: str) -> Finding:
    """Both tries at a clue must say the word for it to count. How many clues there are does not hang on that."""
    games = [one.outcome for one in played if model in one.cast.values() and one.outcome is not None]
    clues = sum(len(game.rounds) for game in games)
    recovered = number_on(board, model, "violations")
    return _rate(f"{_short(model)}: violations", bots[model].leak ** 2, recovered, clues)


def _short(model: str) -> str:
    return model.partition("/")[2]


def games_found(board: Board, models: Sequence[str], games: int) -> list[Finding]:
    """Every game that was to be played is scored."""
    return [Finding(f"{_short(model)}: games", games, number_on(board, model, "n")) for model in models]


def _scripts(bots: Bots) -> Callable[[int], dict[str, Callable[[Asked], str]]]:
    return lambda seed: {name: bot.script(seed) for name, bot in bots.items()}


def guessers(
    name: str, meaning: str, hazards: Sequence[float], *, filtered: bool, games: int = GAMES
) -> Trial:
    """Four who find words with these chances in each round sit down together; the best is named last."""
    bots = {f"openai/guesser-{round(100 * hazard)}": Bot(hazard=hazard) for hazard in hazards}

    def findings(board: Board, played: Sequence[Played]) -> list[Finding]:
        found = [one for model in bots for one in scores_found(board, played, bots, model)]
        found += filter_found(board, played, bots) if filtered else []
        return found + games_found(board, list(bots), games)

    return Trial(
        name,
        meaning,
        _scripts(bots),
        tuple(bots),
        findings,
        options={"experiment": FOUR, **OPTIONS},
        limit=games,
        order=tuple(reversed(bots)),
        ordered_by="comprehension",
    )


def describers(games: int = GAMES_OF_THREE) -> Trial:
    """Three who give themselves away with these chances, against one who understands whatever is plain."""
    bots = {f"openai/describer-{share}": Bot(hazard=0.5, openness=share / 100) for share in (20, 40, 70)}
    listener = "openai/listener"
    everyone = {**bots, listener: Bot(listens=True)}

    def findings(board: Board, played: Sequence[Played]) -> list[Finding]:
        found = [one for model in bots for one in scores_found(board, played, everyone, model)]
        return found + games_found(board, list(bots), games)

    return Trial(
        "describers against a listener",
        "each clue tells a listener the word with a chance of .2, .4 or .7",
        _scripts(everyone),
        tuple(bots),
        findings,
        roles={OPPONENT: (listener,)},
        options={"experiment": VERSUS, **OPTIONS},
        limit=games,
        order=tuple(bots),
        ordered_by="confusion",
    )


def leakers(games: int = GAMES_OF_THREE) -> Trial:
    """Two who say their own word in a clue, and one who never guesses, against one who never guesses either."""
    bots = {f"openai/leaker-{share}": Bot(hazard=0.4, leak=share / 100) for share in (30, 80)}
    bots["openai/silent"] = Bot()
    opponent = "openai/silent-opponent"
    everyone = {**bots, opponent: Bot()}

    def findings(board: Board, played: Sequence[Played]) -> list[Finding]:
        found = []
        for model in bots:
            found += scores_found(board, played, everyone, model)
            found.append(violations_found(board, played, everyone, model))
        return found + games_found(board, list(bots), games)

    return Trial(
        "leakers, and who never guesses",
        "each try at a clue says the word with a chance of .3 or .8; a third bot never guesses, nor does the opponent",
        _scripts(everyone),
        tuple(bots),
        findings,
        roles={OPPONENT: (opponent,)},
        options={"experiment": VERSUS, **OPTIONS},
        limit=games,
    )


def _logistic(logit: float) -> float:
    return 1 / (1 + exp(-logit))


TRIALS = (
    guessers(
        "guessers half a logit apart",
        "each round finds the word with a chance of .18, .27, .38 or .50",
        [_logistic(logit) for logit in (-1.5, -1.0, -0.5, 0.0)],
        filtered=True,
    ),
    guessers(
        "guessers far apart",
        "each round finds the word with a chance of .1, .3, .6 or .9",
        (0.1, 0.3, 0.6, 0.9),
        filtered=False,
        games=GAMES // 2,
    ),
    describers(),
    leakers(),
)
