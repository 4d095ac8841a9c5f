"""Validating: what is planted in bots comes out of the product, and a product with a bug is found out."""

import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks import find
from interplay.benchmarks.social_interaction.trials import cues
from interplay.benchmarks.word_guessing.bots import Bot, said_as
from interplay.benchmarks.word_guessing.matching import REDACTED
from interplay.benchmarks.word_guessing.protocol import PROMPTS, Game
from interplay.benchmarks.word_guessing.trials import TRIALS, describers, guessers, leakers
from interplay.benchmarks.word_guessing.words import GENERAL, TOPICS, shipped
from interplay.core.benchmark import Benchmark, Options, Played
from interplay.core.board import Board
from interplay.core.conversation import Conversation
from interplay.core.failures import Cancelled
from interplay.core.trials import Finding, Trial
from interplay.models.loopback import Asked
from interplay.running.tally import Tally
from interplay.running.validating import Held, Recovery, hold, play_into, read_off, recovery
from tests.running.typed import overheard, text_of

AGE, ANT = find("word_guessing"), find("social_interaction")
SMALL = {
    "far": guessers("far apart", "", (0.1, 0.3, 0.6, 0.9), filtered=True, games=44),
    "describers": describers(games=22),
    "leakers": leakers(games=11),
}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Path, str]]:
    """The store and the id of a trial that the product as it is has played."""

    @cache
    def played(trial: str) -> tuple[Path, str]:
        store = tmp_path_factory.mktemp(trial) / "trial.db"
        return store, play_into(store, AGE, SMALL[trial], 0, Tally())

    return played


SILENT = Bot().script(0)
Recorded = Callable[[str], tuple[Path, str]]


def failed(found: Held) -> set[str]:
    return {finding.what for finding in found.findings if not finding.passed}


# Planted bugs


def mended(game: Game, **changes: Callable[[Any], Any]) -> Game:
    """The game with these fields of all its players changed."""
    players = [
        replace(player, **{name: change(getattr(player, name)) for name, change in changes.items()})
        for player in game.players
    ]
    return replace(game, players=tuple(players))


def plays(change: Callable[[Game], Game]) -> Benchmark:
    """A benchmark whose games come out wrong."""

    async def play(talk: Conversation, options: Options) -> Game:
        return change(await AGE.play(talk, options))

    return replace(AGE, play=play)


def sums_up(change: Callable[[Sequence[Played]], Sequence[Played]], **options: str) -> Benchmark:
    """A benchmark whose board is made of something else than what was played."""

    def summarize(played: Sequence[Played], settled: Options) -> Board:
        return AGE.summarize(change(played), {**settled, **options})

    return replace(AGE, summarize=summarize)


def swapped(model: str) -> str:
    names = {"openai/guesser-10": "openai/guesser-60", "openai/guesser-60": "openai/guesser-10"}
    return names.get(model, model)


def without_warning(played: Sequence[Played], options: Options) -> Board:
    return replace(AGE.summarize(played, options), notes=())


def unnoticed(game: Game) -> Game:
    """The game with no clue found fault with."""
    rounds = [
        replace(one, clues=tuple(replace(clue, said_word=False) for clue in one.clues)) for one in game.rounds
    ]
    return replace(game, rounds=tuple(rounds))


async def deaf(talk: Conversation, options: Options) -> Game:
    """A game in which nobody hears a clue."""
    tell = talk.tell

    def tell_nobody(seats: Any, text: str, **more: Any) -> None:
        tell([] if more.get("source") else seats, text, **more)

    talk.tell = tell_nobody  # type: ignore[method-assign]
    return await AGE.play(talk, options)


async def late(talk: Conversation, options: Options) -> Game:
    """A game in which clues are heard only when it is one's own turn again."""
    tell, waiting = talk.tell, []

    def tell_later(seats: Any, text: str, **more: Any) -> None:
        if more.get("source"):
            waiting.append((seats, text, more))
            return
        if "your turn to give a clue" in text:
            for one, said, how in waiting:
                tell(one, said, **how)
            waiting.clear()
        tell(seats, text, **more)

    talk.tell = tell_later  # type: ignore[method-assign]
    return await AGE.play(talk, options)


BUGS_OF_PLAY: dict[str, tuple[Benchmark, str, set[str]]] = {
    "f is one too high": (
        plays(lambda game: mended(game, found=lambda found: found and found + 1)),
        "far",
        {f"guesser-{share}: comprehension" for share in (60, 90)},
    ),
    "two models are mixed up": (
        plays(lambda game: mended(game, model=swapped)),
        "far",
        {f"guesser-{share}: comprehension" for share in (10, 60)},
    ),
    "violations pass unnoticed": (plays(unnoticed), "leakers", {"leaker-80: violations"}),
    "nobody hears a clue": (
        replace(AGE, play=deaf),
        "describers",
        {f"describer-{share}: confusion" for share in (20, 40, 70)},
    ),
    "clues are heard a round late": (
        replace(AGE, play=late),
        "describers",
        {"describer-70: confusion", "describer-70: AGE"},
    ),
}
BUGS_OF_THE_BOARD: dict[str, tuple[Benchmark, str, set[str]]] = {
    "never counts as the round after the last": (
        sums_up(
            lambda played: [
                replace(one, outcome=mended(one.outcome, found=lambda found: found or 6)) for one in played
            ]
        ),
        "leakers",
        {"silent: comprehension", "silent: AGE"},
    ),
    "lost games are dropped": (
        sums_up(lambda played: [one for one in played if all(p.found for p in one.outcome.players)]),
        "far",
        {"guesser-10: comprehension", "guesser-10: games", "games that succeed"},
    ),
    "the paper's rules are taken": (
        sums_up(lambda played: played, rules="paper"),
        "far",
        {"guesser-10: comprehension"},
    ),
    "two models are mixed up on the board": (
        sums_up(lambda played: [replace(one, outcome=mended(one.outcome, model=swapped)) for one in played]),
        "far",
        {f"guesser-{share}: comprehension" for share in (10, 60)},
    ),
    "the board does not warn": (
        replace(AGE, summarize=without_warning),
        "far",
        {"the board warns of the filter (1 = yes)"},
    ),
}


@pytest.mark.parametrize("trial", SMALL)
def test_the_product_as_it_is_recovers_what_was_planted(trial: str, recorded: Recorded) -> None:
    found = read_off(AGE, SMALL[trial], *recorded(trial))
    assert failed(found) == set()
    assert found.in_order or trial != "far"  # describers come in order in all but a few seeds of so few games
    assert len(found.findings) > 10


@pytest.mark.parametrize("bug", BUGS_OF_PLAY)
def test_a_bug_of_play_is_found_out(bug: str) -> None:
    benchmark, trial, where = BUGS_OF_PLAY[bug]
    found = hold(benchmark, SMALL[trial], 0, Tally())
    assert where <= failed(found)
    assert not recovery(SMALL[trial], [found]).passed
    assert not (found.in_order and "mixed up" in bug)


@pytest.mark.parametrize("bug", BUGS_OF_THE_BOARD)
def test_a_bug_of_the_board_is_found_out(bug: str, recorded: Recorded) -> None:
    benchmark, trial, where = BUGS_OF_THE_BOARD[bug]
    found = read_off(benchmark, SMALL[trial], *recorded(trial))
    assert where <= failed(found)
    assert not recovery(SMALL[trial], [found]).passed


def test_games_that_come_to_nothing_are_missed() -> None:
    def mumbling(seed: int) -> dict[str, Any]:
        scripts = SMALL["leakers"].scripts(seed)
        return {**scripts, "openai/silent": lambda asked: "Hm."}

    tally = Tally()
    found = hold(AGE, replace(SMALL["leakers"], scripts=mumbling), 0, tally)
    assert tally.failures == {"unreadable": 11}
    assert {"silent: games", "silent: comprehension"} <= failed(found)
    assert not any("leaker" in what for what in failed(found))


# What a trial does and leaves


def test_the_same_seed_finds_the_same_and_another_something_else(recorded: Recorded) -> None:
    first = read_off(AGE, SMALL["describers"], *recorded("describers"))
    again, other = (hold(AGE, SMALL["describers"], seed, Tally()) for seed in (0, 1))
    assert again == first
    assert [(one.what, one.planted) for one in other.findings] == [
        (one.what, one.planted) for one in again.findings
    ]
    assert [one.recovered for one in other.findings] != [one.recovered for one in again.findings]


def test_nothing_is_left_behind_and_nothing_of_the_user_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    elsewhere = "http://127.0.0.1:9/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", elsewhere)
    Path("models.toml").write_text(
        f'[models."openai/silent"]\nmodel = "openai/x"\nbase_url = "{elsewhere}"\n'
    )
    tally = Tally()
    found = hold(AGE, leakers(games=6), 0, tally)
    assert {one.what: one.recovered for one in found.findings}["silent: games"] == 6
    assert (tally.conversations_done, tally.failed_calls) == (18, {})
    assert tally.calls > 18 * 2 * 5
    assert [path.name for path in tmp_path.iterdir()] == ["models.toml"]


def test_a_trial_that_is_stopped_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tally, seen = Tally(), list[Asked]()

    def impatient(asked: Asked) -> str:
        seen.append(asked)
        tally.stopping = len(seen) > 20
        return SILENT(asked)

    def scripts(seed: int) -> dict[str, Any]:
        return {**SMALL["leakers"].scripts(seed), "openai/silent": impatient}

    with pytest.raises(Cancelled, match="stopped before its end"):
        hold(AGE, replace(SMALL["leakers"], scripts=scripts), 0, tally)
    assert 20 < len(seen) < 11 * 10
    assert list(tmp_path.iterdir()) == []


def of_cues(**changes: Any) -> Trial:
    """A trial whose run is followed by a reading of a file that it writes itself."""
    return replace(cues((0.0, 1.0), sessions=10, moves=8), **changes)


def test_what_follows_from_a_run_is_carried_out_on_files_of_the_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folders: list[Path] = []
    written = of_cues().files

    def files(seed: int, folder: Path) -> Any:
        folders.append(folder)
        return written(seed, folder)

    tally = Tally()
    found = hold(ANT, of_cues(files=files), 0, tally)
    assert {one.what: one.recovered for one in found.findings}["faith-1.0: windows learned"] == 10
    assert (tally.calls, tally.failures) == (2 * 10 * 8, {})
    readers, windows = 4, 7  # untrained, of real play and of two models; held out of 17
    assert tally.conversations_done == tally.conversations == readers * windows
    assert [folder.parent for folder in folders] == [tmp_path]
    assert list(tmp_path.iterdir()) == []


def test_a_trial_that_is_stopped_while_it_is_read_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tally, seen = Tally(), list[Asked]()
    patient = of_cues().scripts(0)

    def scripts(seed: int) -> dict[str, Any]:
        return {name: overheard(seen, one) for name, one in patient.items()}

    def summarize(played: Sequence[Played], options: Options) -> Board:
        raise AssertionError("a trial that was stopped has no board")

    def follow(finished: Any, run: Any) -> bool:
        tally.stopping = True  # as by a signal, when all is played
        return ANT.sequel.follow(finished, run)  # type: ignore[union-attr]

    broken = replace(ANT, summarize=summarize, sequel=replace(ANT.sequel, follow=follow))
    with pytest.raises(Cancelled, match="stopped before its end"):
        hold(broken, of_cues(scripts=scripts), 0, tally)
    assert len(seen) == 2 * 10 * 8
    assert list(tmp_path.iterdir()) == []


def test_no_request_tells_a_player_the_word_that_another_blurts_out() -> None:
    others = {
        mine.text: other
        for topic in (GENERAL, *TOPICS)
        for pair in shipped(topic)
        for mine, other in (pair.words, pair.words[::-1])
    }
    seen: list[Asked] = []

    def scripts(seed: int) -> dict[str, Any]:
        return {name: overheard(seen, one) for name, one in SMALL["leakers"].scripts(seed).items()}

    hold(AGE, replace(SMALL["leakers"], scripts=scripts), 0, Tally())
    rules = " ".join(PROMPTS.texts.values())
    blurted = 0
    for one in seen:
        told = replace(one, messages=tuple(m for m in one.messages if m["role"] != "assistant"))
        own = re.search(r"Your secret word: (.+)", text_of(told))
        assert own is not None
        said = [rf"\b{re.escape(form)}\b" for form in said_as(others[own[1]])]
        forbidden = [form for form in said if not re.search(form, rules, re.IGNORECASE)]
        assert not re.search("|".join(forbidden), text_of(told), re.IGNORECASE)
        blurted += one.model == "silent-opponent" and f"Oops, {REDACTED} came out" in text_of(told)
    assert blurted > 20


# Several seeds


def found_in(*in_order: bool) -> Recovery:
    finding = Finding("x", 0.5, 0.5, 0.1)
    return recovery(TRIALS[0], [Held((finding,), one) for one in in_order])


@pytest.mark.parametrize(
    "seeds, misses, passed",
    [
        (1, 0, True),
        (1, 1, False),
        (99, 1, False),
        (100, 1, True),
        (100, 2, False),
        (200, 2, True),
        (299, 3, False),
    ],
)
def test_one_seed_in_a_hundred_may_miss_the_order(seeds: int, misses: int, passed: bool) -> None:
    found = found_in(*[False] * misses, *[True] * (seeds - misses))
    assert (found.seeds, found.in_order) == (seeds, seeds - misses)
    assert found.order_passed is passed
    assert found.passed is passed


def test_findings_of_several_seeds_are_put_together_number_by_number() -> None:
    one = Held((Finding("x", 0.5, 0.4, 0.1), Finding("y", 1.0, 1.0)), True)
    other = Held((Finding("x", 0.5, 0.6, 0.1), Finding("y", 1.0, 0.0)), True)
    together = recovery(TRIALS[0], [one, other])
    assert [finding.recovered for finding in together.findings] == [0.5, 0.0]
    assert not together.passed
    assert recovery(TRIALS[0], [one, one]).passed


@pytest.mark.slow
def test_guessers_half_a_logit_apart_come_out_in_order_in_99_of_100_seeds() -> None:
    trial: Trial = TRIALS[0]
    found = recovery(trial, [hold(AGE, trial, seed, Tally()) for seed in range(100)])
    assert found.in_order >= 99
    assert [finding for finding in found.findings if not finding.passed] == []
