"""Bots of word guessing: they do what is planted in them, and theory says what comes of it."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import exp, sqrt
from random import Random

import pytest

from interplay.benchmarks.word_guessing.bots import (
    Bot,
    Finds,
    age,
    chances,
    comprehension,
    confusion,
    is_kept,
    moments,
    said_as,
    written_as,
)
from interplay.benchmarks.word_guessing.matching import given_before, names, says
from interplay.benchmarks.word_guessing.protocol import PROMPTS
from interplay.benchmarks.word_guessing.words import GENERAL, TOPICS, Word, shipped
from interplay.core.forms import object_schema
from interplay.models.loopback import Asked

PAIRS = [pair for topic in (GENERAL, *TOPICS) for pair in shipped(topic)]
WORDS = [word for pair in PAIRS for word in pair.words]
PAIR = PAIRS[7]
CLUE, GUESSES = ("clue",), ("player_2", "player_3", "player_4")
CLOSE = [1 / (1 + exp(-logit)) for logit in (-1.5, -1.0, -0.5, 0.0)]
ROUNDS = 5


def brief(word: Word) -> str:
    return PROMPTS.fill(
        "rules", me="Player 1", count="4", everyone="all", word=word.text, rounds="5", two="", more="yes"
    )


def asked(fields: Sequence[str], *said: str, word: Word = PAIR.a, model: str = "bot") -> Asked:
    """A request as the protocol sends it: the brief, and what was heard since, own answers between."""
    messages = [{"role": "system", "content": brief(word)}]
    for text in said:
        messages += [{"role": "user", "content": text}, {"role": "assistant", "content": "{}"}]
    schema = object_schema({field: {"type": "string"} for field in fields})
    return Asked(model, tuple(messages[:-1] if said else messages), {}, 1, schema)


def answers(bot: Bot, fields: Sequence[str], count: int, word: Word = PAIR.a) -> list[Mapping[str, str]]:
    script = bot.script(0)
    return [json.loads(script(asked(fields, f"Game {number}.", word=word))) for number in range(count)]


def share(found: Sequence[bool]) -> float:
    return sum(found) / len(found)


def is_near(found: float, chance: float, count: int) -> bool:
    return abs(found - chance) <= 4 * sqrt(chance * (1 - chance) / count)


# What theory expects


@pytest.mark.parametrize(
    "hazards, figures",
    [
        (CLOSE, [0.4120, 0.5398, 0.6601, 0.7592]),
        ([0.1, 0.3, 0.6, 0.9], [0.2541, 0.5782, 0.8219, 0.9617]),
    ],
)
def test_the_mean_comprehension_of_guessers(hazards: list[float], figures: list[float]) -> None:
    found = [moments([chances(hazard, ROUNDS)], lambda finds: comprehension(finds[0])) for hazard in hazards]
    assert [round(one.mean, 4) for one in found] == figures


def test_a_filter_of_successful_games_flatters_the_weakest() -> None:
    fates = [chances(hazard, ROUNDS) for hazard in CLOSE]
    won = moments(fates, lambda finds: comprehension(finds[0]), all)
    assert round(won.mean, 3) == 0.649
    never = [(1 - hazard) ** ROUNDS for hazard in CLOSE]
    assert won.share == pytest.approx((1 - never[0]) * (1 - never[1]) * (1 - never[2]) * (1 - never[3]))
    within_two = [1 - (1 - hazard) ** 2 for hazard in CLOSE]
    kept = moments(fates, lambda finds: comprehension(finds[0]), is_kept)
    quick = within_two[0] * within_two[1] * within_two[2] * within_two[3]
    assert kept.share == pytest.approx(won.share - quick)
    assert 0.412 < kept.mean < won.mean


def test_the_confusion_that_openness_leaves() -> None:
    means = [
        moments([chances(o, ROUNDS)], lambda finds: confusion(finds, ROUNDS)).mean for o in (0.2, 0.4, 0.7)
    ]
    assert [round(mean, 4) for mean in means] == [0.6209, 0.3723, 0.1420]


def test_what_cannot_vary_is_exact() -> None:
    silent, guesser = chances(0.0, ROUNDS), chances(0.3, ROUNDS)
    assert silent == {0: 1.0}
    never = moments([guesser, silent], lambda finds: confusion(finds[1:], ROUNDS))
    assert (never.mean, never.deviation) == (1.0, 0.0)
    nothing = moments([silent, guesser], lambda finds: comprehension(finds[0]))
    assert (nothing.mean, nothing.deviation) == (0.0, 0.0)


def simulated(hazards: Sequence[float], games: int) -> list[Finds]:
    """Games by the rules, round by round."""
    rng, played = Random(0), []
    for _ in range(games):
        finds = [0] * len(hazards)
        for number in range(1, ROUNDS + 1):
            for player, hazard in enumerate(hazards):
                if not finds[player] and rng.random() < hazard:
                    finds[player] = number
        played.append(tuple(finds))
    return played


def age_of_first(finds: Finds) -> float:
    return age(comprehension(finds[0]), confusion(finds[2:], ROUNDS))


@pytest.mark.parametrize(
    "value",
    [
        lambda finds: comprehension(finds[0]),
        lambda finds: confusion(finds[2:], ROUNDS),
        age_of_first,
        lambda finds: float(max(finds) if all(finds) else ROUNDS),
    ],
    ids=["comprehension", "confusion", "AGE", "rounds"],
)
@pytest.mark.parametrize("given", [lambda finds: True, all, is_kept], ids=["all", "won", "kept"])
def test_theory_is_what_direct_simulation_comes_to(
    value: Callable[[Finds], float], given: Callable[[Finds], bool]
) -> None:
    hazards, games = [0.18, 0.27, 0.38, 0.5], 40_000
    theory = moments([chances(hazard, ROUNDS) for hazard in hazards], value, given)
    values = [value(finds) for finds in simulated(hazards, games) if given(finds)]
    mean = sum(values) / len(values)
    assert is_near(len(values) / games, theory.share, games)
    assert abs(mean - theory.mean) < 4 * theory.deviation / sqrt(len(values))
    spread = sqrt(sum((one - mean) ** 2 for one in values) / len(values))
    assert spread == pytest.approx(theory.deviation, rel=0.03)


# What bots do


def test_a_guesser_names_the_other_word_for_everybody_as_often_as_planted() -> None:
    count = 1_500
    for hazard in (0.18, 0.6):
        guesses = answers(Bot(hazard=hazard), GUESSES, count)
        assert all(len(set(one.values())) == 1 and set(one) == set(GUESSES) for one in guesses)
        said = [one["player_2"] for one in guesses]
        assert is_near(share([names(guess, PAIR.b, PAIR.a) for guess in said]), hazard, count)
        assert is_near(share([guess in written_as(PAIR.b) for guess in said]), hazard, count)
        assert {"", PAIR.a.text} < set(said)  # of what must not pass for the word
        assert len(set(said)) > 100


def test_every_way_to_write_a_word_names_it_and_no_other_word_does() -> None:
    for pair in PAIRS:
        for own, other in (pair.words, pair.words[::-1]):
            assert [guess for guess in written_as(other) if not names(guess, other, own)] == []
            assert not names(own.text, other, own)


def test_every_way_to_say_a_word_is_forbidden_and_the_other_clues_say_none() -> None:
    harmless = [answers(Bot(openness=o), CLUE, 1)[0]["clue"] for o in (0.0, 1.0)]
    for word in WORDS:
        assert [form for form in said_as(word) if not says(f"Oops, {form} came out: 1", word)] == []
        assert not any(says(clue, word) for clue in (*harmless, "Oops, 123456 came out: 1")), word


def test_a_bot_that_never_guesses_says_nothing() -> None:
    assert {tuple(one.values()) for one in answers(Bot(), GUESSES, 50)} == {("", "", "")}


def test_a_leaker_says_its_word_in_many_ways_as_often_as_planted() -> None:
    count, word = 1_500, next(one for one in WORDS if len(one.also) > 1)
    clues = [one["clue"] for one in answers(Bot(leak=0.3), CLUE, count, word)]
    assert is_near(share([says(clue, word) for clue in clues]), 0.3, count)
    heard = Counter(form for clue in clues for form in said_as(word) if f" {form} came out" in clue)
    assert set(heard) == set(said_as(word))


def test_no_clue_comes_twice() -> None:
    for bot in (Bot(), Bot(openness=1.0), Bot(leak=1.0)):
        clues = [one["clue"] for one in answers(bot, CLUE, 60)]
        assert not any(given_before(clue, clues[:number]) for number, clue in enumerate(clues))
        assert max(map(len, clues)) <= 240


def test_plain_clues_are_as_frequent_as_planted_and_tell_a_listener_the_word() -> None:
    count = 1_500
    clues = [one["clue"] for one in answers(Bot(openness=0.4), CLUE, count, PAIR.b)]
    listen = Bot(listens=True).script(0)
    understood = [
        json.loads(listen(asked(("player_2",), f"Player 2: {clue}\n\nGuess.")))["player_2"] for clue in clues
    ]
    assert set(understood) == {"", PAIR.b.text}
    assert is_near(share([word != "" for word in understood]), 0.4, count)


def test_a_listener_goes_by_the_newest_clue_of_each_player_alone() -> None:
    vague = answers(Bot(), CLUE, 1)[0]["clue"]
    plain = [answers(Bot(openness=1.0), CLUE, 1, word)[0]["clue"] for word in (PAIR.b, WORDS[100])]
    heard = [
        f"Player 2: {plain[0]}\n\nPlayer 3: {vague}\n\nPlayer 4: {plain[0]}\n\nRound 1 of 5: guess.",
        f"Player 2: {vague}\n\nPlayer 3: {plain[1]}\n\nRound 2 of 5: guess.",
    ]
    said = json.loads(Bot(listens=True).script(0)(asked(GUESSES, *heard)))
    # What player 3 said is no word of this game: the listener knows what it heard, and nothing else.
    assert said == {"player_2": "", "player_3": WORDS[100].text, "player_4": PAIR.b.text}
    assert set(json.loads(Bot(listens=True).script(0)(asked(GUESSES, "Guess."))).values()) == {""}


def test_the_same_request_gets_the_same_answer_and_any_other_one_of_its_own() -> None:
    bot = Bot(hazard=0.5, openness=0.5, leak=0.5)
    first = asked(CLUE, "Round 1.")
    assert bot.script(1)(first) == bot.script(1)(first)
    others = [
        bot.script(2)(first),
        bot.script(1)(asked(CLUE, "Round 1.", model="another")),
        bot.script(1)(asked(CLUE, "Round 2.")),
        bot.script(1)(asked(CLUE, "Round 1.", "Round 1.")),
        bot.script(1)(asked(CLUE, "Round 1.", word=PAIR.b)),
    ]
    assert len({bot.script(1)(first), *others}) == 6


def test_chances_of_different_bots_seeds_and_rounds_are_independent() -> None:
    """How often two of them hit at once is the product of their chances."""
    count = 2_000

    def hits(bot: Bot, seed: int, model: str, last: str) -> list[bool]:
        script = bot.script(seed)
        said = (
            json.loads(script(asked(GUESSES, f"Game {number}.", last, model=model)))["player_2"]
            for number in range(count)
        )
        return [guess in written_as(PAIR.b) for guess in said]

    half = Bot(hazard=0.5)
    one = hits(half, 0, "a", "Round 2.")
    for other in (
        hits(half, 0, "b", "Round 2."),
        hits(half, 1, "a", "Round 2."),
        hits(half, 0, "a", "Round 3."),
    ):
        together = share([a and b for a, b in zip(one, other, strict=True)])
        assert is_near(together, 0.25, count)


def test_a_request_that_a_bot_cannot_answer_is_an_error() -> None:
    whole = asked(CLUE, "Round 1.")
    with pytest.raises(ValueError, match="schema"):
        Bot().script(0)(Asked("bot", whole.messages, {}, 1, None))
    with pytest.raises(ValueError, match="brief"):
        Bot().script(0)(Asked("bot", whole.messages[1:], {}, 1, whole.schema))
