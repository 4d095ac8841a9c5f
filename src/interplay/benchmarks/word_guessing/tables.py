"""The board of word guessing: a row for each model, and below it topics, comparisons, ranking and other scores."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import fsum

from interplay.benchmarks.word_guessing.other_scores import correlations
from interplay.benchmarks.word_guessing.protocol import OPPONENT, OURS, PAPER
from interplay.benchmarks.word_guessing.scenarios import VERSUS, sizes_of
from interplay.benchmarks.word_guessing.scoring import kept_by_paper, succeeded, violations
from interplay.benchmarks.word_guessing.standings import (
    Result,
    age_by,
    by_pair,
    by_topic,
    in_rules,
    macro,
    pair_of,
    results_of,
)
from interplay.core.benchmark import Options, Played
from interplay.core.board import Board, Cell, Column, Estimate, level, place_by
from interplay.core.conversation import alone
from interplay.statistics.comparing import holm, paired_difference, student_t_test
from interplay.statistics.intervals import rate
from interplay.statistics.ranking import Game as Match
from interplay.statistics.ranking import bradley_terry

DROPPED_TOO_MANY = 0.1  # of the games, by a filter
SEED = 0  # of the bootstraps: the same record gives the same board
SCALE = (0.0, 1.0)
COLUMNS = (
    Column("model", "model", "the model that plays", "text"),
    Column(
        "rank", "rank", "its place by AGE under the rules of this run; equal scores share a place", "count"
    ),
    Column(
        "age",
        "AGE",
        "harmonic mean of comprehension and confusion, over all games: mean over the games of a word pair, then over "
        "pairs, then over topics; 95% interval over word pairs",
        "score",
        SCALE,
    ),
    Column(
        "comprehension",
        "compr.",
        "1 / log2(f + 1), f = the round in which the model first names the other group's word; never = 0",
        "score",
        SCALE,
    ),
    Column(
        "confusion",
        "confus.",
        "log to the base l + 1 of the round in which an opponent first names the model's word; never = 1",
        "score",
        SCALE,
    ),
    Column(
        "age_paper",
        "paper's AGE",
        "AGE as the paper counts it: l = the rounds that were played, and only games of more than two rounds in which "
        "every word was found; guesses are matched as in the rest of this run",
        "score",
        SCALE,
    ),
    Column(
        "comprehension_kept",
        "kept compr.",
        "comprehension over the games that the paper's filter keeps: no measure of skill, see the note",
        "score",
        SCALE,
        True,
    ),
    Column("unscored", "unscored", "share of games without a score: void, not played to their end", "share"),
    Column(
        "success",
        "success",
        "share of games in which every player found the word; Wilson over games",
        "share",
    ),
    Column("kept", "kept", "share of games that the paper's filter keeps", "share", detail=True),
    Column(
        "violations",
        "violations",
        "share of the model's clues that said its word or repeated a clue, in spite of a second try",
        "share",
    ),
    Column("rounds", "rounds", "mean rounds of a game", "score", detail=True),
    Column("pairs", "pairs", "word pairs with a game", "count", detail=True),
    Column("n", "n", "games that were played to their end", "count"),
)


def summarize(played: Sequence[Played], options: Options) -> Board:
    """The board: a row for each model, best AGE first, and further tables of the same games."""
    results = results_of(played, options)
    models = sorted({model for one in played for model in _measured(one)})
    mine = {model: [one for one in results if one.model == model] for model in models}
    rows = [_row(model, mine[model], played, options) for model in models]
    key = "age_paper" if options["rules"] == PAPER else "age"
    place_by(rows, key)
    ranked = {str(row["model"]): in_rules(mine[str(row["model"])], options["rules"]) for row in rows}
    parts = [
        *_heat_map(ranked, options),
        *_comparisons(ranked, options),
        *_ranking(played, options),
        *correlations({model: level(row[key]) for model, row in _by_model(rows).items()}, options),
    ]
    return Board(
        _title(options), _columns(options), tuple(rows), tuple(_notes(played, options)), tuple(parts)
    )


def _by_model(rows: Sequence[dict[str, Cell]]) -> dict[str, dict[str, Cell]]:
    return {str(row["model"]): row for row in rows if row["rank"] is not None}


def _measured(one: Played) -> list[str]:
    return [model for key, model in one.cast.items() if key.split(" ")[0] != OPPONENT]


def _title(options: Options) -> str:
    experiment, (first, second) = options["experiment"], sizes_of(options)
    rules = ", the paper's rules" if options["rules"] == PAPER else ""
    return f"word_guessing (AGE, {experiment} {first}-{second}, {options['rounds']} rounds{rules})"


def _columns(options: Options) -> tuple[Column, ...]:
    """The score that ranks stands first."""
    if options["rules"] != PAPER:
        return COLUMNS
    model, rank, age, comprehension, confusion, by_paper, *rest = COLUMNS
    return (model, rank, by_paper, comprehension, confusion, age, *rest)


def _row(model: str, results: list[Result], played: Sequence[Played], options: Options) -> dict[str, Cell]:
    rules = options["rules"]
    counted, kept = in_rules(results, rules), in_rules(results, PAPER)
    broken = [
        found
        for one in results
        for player in one.game.players
        if player.model == model and player.role != OPPONENT
        for found in violations(one.game, player)
    ]
    tables = [one for one in played if model in _measured(one)]
    finished = [one for one in tables if one.outcome is not None]
    return {
        "model": model,
        "rank": None,
        "age": macro(results, age_by(OURS)),
        "comprehension": macro(counted, lambda one: one.by(rules).comprehension),
        "confusion": macro(counted, lambda one: one.by(rules).confusion),
        "age_paper": macro(kept, age_by(PAPER)),
        "comprehension_kept": macro(kept, lambda one: one.points.comprehension),
        "success": rate(sum(succeeded(one.game) for one in results), len(results)),
        "kept": rate(len(kept), len(results)).value,
        "violations": rate(sum(broken), len(broken)).value,
        "rounds": fsum(len(one.game.rounds) for one in results) / len(results) if results else None,
        "pairs": len({one.pair for one in results}),
        "n": len(results),
        "unscored": rate(len(tables) - len(finished), len(tables)).value,
    }


def _notes(played: Sequence[Played], options: Options) -> list[str]:
    games = [one.outcome for one in played if one.outcome is not None]
    notes = []
    dropped = sum(not kept_by_paper(game) for game in games)
    if games and dropped > DROPPED_TOO_MANY * len(games):
        notes.append(
            f"Warning: the paper's filter would drop {dropped:,} of {len(games):,} games ({dropped / len(games):.0%}). "
            "It drops the quickest and the lost ones, so what it keeps flatters weak guessers: the filtered columns "
            "are no measure of skill."
        )
    if sum(sizes_of(options)) > 2:
        notes.append(
            "Confusion is the score of a group: the first opponent who finds the word ends it for all who share it. "
            "Claims about one model come from games of one against one."
        )
    failed = Counter(name for one in played if (name := _who_failed(one)))
    if failed:
        told = ", ".join(f"{name} {count:,}" for name, count in sorted(failed.items()))
        notes.append(f"Games that are void because of a player, by its model: {told}.")
    notes.append("Unscored games are left out of the means and never counted as zero.")
    return notes


def _who_failed(one: Played) -> str:
    """The model of the seat that a void game names; empty where it names none."""
    seat = one.detail.partition(":")[0]
    role = seat.split(" ")[0]
    return one.cast.get(alone(seat, role), one.cast.get(role, "")) if one.failure else ""


def _heat_map(ranked: dict[str, list[Result]], options: Options) -> list[Board]:
    """AGE by model and topic."""
    value = age_by(options["rules"])
    means = {model: by_topic(by_pair(results, value)) for model, results in ranked.items()}
    topics = sorted({topic for found in means.values() for topic in found})
    if len(topics) < 2:
        return []
    columns = [Column("model", "model", "the model that plays", "text")]
    columns += [
        Column(f"topic {topic}", topic, f"AGE over the word pairs of {topic}", "score", SCALE, heat=True)
        for topic in topics
    ]
    rows = [
        {
            "model": model,
            **{
                f"topic {topic}": macro([one for one in results if one.pair[0] == topic], value).value
                for topic in topics
            },
        }
        for model, results in ranked.items()
    ]
    return [Board("AGE by model and topic", tuple(columns), tuple(rows))]


COMPARISON = (
    Column("models", "models", "the two models, the better first", "text"),
    Column(
        "difference",
        "difference",
        "how much more AGE the first has on the word pairs that both played; 95% interval, bootstrap over word pairs",
        "score",
        (-1.0, 1.0),
    ),
    Column("p", "p", "of no difference, by that bootstrap", "chance"),
    Column("p_holm", "p Holm", "the same, corrected for all comparisons of this table (Holm)", "chance"),
    Column(
        "p_t",
        "p t-test",
        "Student's t-test on the games as if they were independent, as the paper has it; for comparison only",
        "chance",
    ),
    Column("pairs", "pairs", "word pairs that both played", "count"),
)


def _comparisons(ranked: dict[str, list[Result]], options: Options) -> list[Board]:
    """Every two models on the word pairs that both played."""
    value = age_by(options["rules"])
    means = {model: by_pair(results, value) for model, results in ranked.items()}
    rows: list[dict[str, Cell]] = []
    for first, second in combinations(ranked, 2):
        common = {
            pair: means[first][pair] - means[second][pair] for pair in means[first].keys() & means[second]
        }
        if len(common) < 2:
            continue
        compared = paired_difference(list(by_topic(dict(sorted(common.items()))).values()), seed=SEED)
        if (compared.difference.value or 0.0) < 0:  # overall, and by the filter, another one may be first
            first, second = second, first
            compared = replace(compared, difference=_turned(compared.difference))
        games = [[value(one) for one in ranked[model]] for model in (first, second)]
        rows.append(
            {
                "models": f"{first} v {second}",
                "difference": compared.difference,
                "p": compared.p_value,
                "p_holm": None,
                "p_t": student_t_test(*games),
                "pairs": len(common),
            }
        )
    if not rows:
        return []
    tested = [(row, p) for row in rows if isinstance(p := row["p"], float)]
    for (row, _), adjusted in zip(tested, holm([p for _, p in tested]), strict=True):
        row["p_holm"] = adjusted
    return [Board("Two models on the same word pairs", COMPARISON, tuple(rows))]


def _turned(difference: Estimate) -> Estimate:
    """The difference seen from the other side."""
    turned = difference.times(-1)
    return replace(turned, low=turned.high, high=turned.low)


RANKING = (
    Column("model", "model", "the model that plays", "text"),
    Column(
        "strength",
        "strength",
        "Bradley-Terry strength in logits, 0 = the mean: two models a logit apart win 73 to 27; 95% interval, "
        "bootstrap over word pairs",
        "score",
    ),
    Column("won", "won", "games in which it found the word first", "count"),
    Column("drawn", "drawn", "games in which both found it in the same round, or neither did", "count"),
    Column("lost", "lost", "games in which the other found it first", "count"),
)


def _ranking(played: Sequence[Played], options: Options) -> list[Board]:
    """Who beats whom in games of one against one, the fixed opponent among them."""
    if sizes_of(options) != (1, 1):
        return []
    matches = []
    for one in played:
        if one.outcome is not None:
            first, second = sorted(one.outcome.players, key=lambda player: player.seat)
            never = int(options["rounds"]) + 1
            mine, theirs = first.found or never, second.found or never
            won = 1.0 if mine < theirs else 0.0 if mine > theirs else 0.5
            if first.model != second.model:
                matches.append(Match(first.model, second.model, won, " / ".join(pair_of(one))))
    if not matches:
        return []
    strengths = bradley_terry(matches, seed=SEED)
    rows: list[dict[str, Cell]] = [
        {"model": model, "strength": strength, **_tally(matches, model)}
        for model, strength in strengths.items()
    ]
    rows.sort(key=lambda row: (-level(row["strength"]), str(row["model"])))
    note = "A game is won by the player who names the other's word in an earlier round."
    if options["experiment"] == VERSUS:
        note += " All models met the same opponent, so they are compared through it."
    return [Board("Ranking of games of one against one (Bradley-Terry)", RANKING, tuple(rows), (note,))]


def _tally(matches: Sequence[Match], model: str) -> dict[str, int]:
    points = [
        match.won if match.first == model else 1 - match.won
        for match in matches
        if model in (match.first, match.second)
    ]
    return {"won": points.count(1.0), "drawn": points.count(0.5), "lost": points.count(0.0)}
