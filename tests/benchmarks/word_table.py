"""A table for word guessing without models: every seat says what its script has, and games are made by hand."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from interplay.benchmarks import find
from interplay.benchmarks.word_guessing.protocol import Clue, Game, Guess, Player, Round, play
from interplay.core.benchmark import Played, Scenario
from interplay.core.conversation import Casting, Conversation
from interplay.core.wire import Reply, Request, Step

BENCHMARK = find("word_guessing")
OPTIONS = BENCHMARK.settle({})
PAIR = {
    "topic": "food",
    "a": {"text": "bread", "also": ["loaf of bread"]},
    "b": {"text": "cake", "also": ["gateau"]},
}
Says = Callable[[int, Request], str]  # the round, and what is asked


class Speakers:
    """A desk: every seat has clues by round, and guesses by round for all other players."""

    def __init__(self, guesses: Mapping[str, Mapping[int, str]] | None = None, clue: Says | None = None):
        self.guesses = guesses or {}
        self.clue = clue
        self.asked: list[tuple[Step, Request]] = []
        self.clues: dict[str, int] = {}

    async def reply(self, step: Step, request: Request) -> Reply:
        self.asked.append((step, request))
        assert request.schema is not None
        keys = list(request.schema["properties"])
        if keys == ["clue"]:
            number = self.clues[step.participant] = self.clues.get(step.participant, 0) + 1
            clue = self.clue(number, request) if self.clue else f"{step.participant} clue {number}"
            return Reply(json.dumps({"clue": clue}), stop="stop")
        word = self.guesses.get(step.participant, {}).get(self.clues[step.participant], "nothing")
        return Reply(json.dumps(dict.fromkeys(keys, word)), stop="stop")

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        return make()

    def views(self, seat: str) -> list[str]:
        """All texts that a seat was ever shown."""
        return [
            message.text
            for step, request in self.asked
            if step.participant == seat
            for message in request.thread.messages()
        ]


def scenario(with_a: list[int]) -> Scenario:
    return Scenario({**PAIR, "with_a": with_a}, "food: bread v cake")


async def played(
    desk: Speakers, with_a: list[int] | None = None, *, seed: int = 0, **options: str
) -> tuple[Game, Conversation]:
    settled = BENCHMARK.settle(options)
    cast = {
        role.name: Casting(f"model of {role.name}", role.sampling, role.kind)
        for role in BENCHMARK.roles(settled)
    }
    talk = Conversation(cast, desk, scenario=scenario(with_a or [1]).content, seed=seed)
    return await play(talk, settled), talk


def game_of(found: Mapping[str, tuple[str, int, int]], rounds: int, violations: int = 0) -> Game:
    """A game in which these seats (model, group, round of the first right guess) sat; the first breaks rules."""
    players = tuple(
        Player(seat, seat.split(" ")[0], f"Player {number}", model, group, ("bread", "cake")[group], f)
        for number, (seat, (model, group, f)) in enumerate(found.items(), 1)
    )
    first = players[0].seat
    played = tuple(
        Round(
            tuple(
                Clue(player.seat, "a clue", player.seat == first and number < violations, False, 1)
                for player in players
            ),
            tuple(Guess(player.seat, "someone", "word", False) for player in players),
        )
        for number in range(rounds)
    )
    return Game(players, played)


def one_played(
    game: Game | None,
    topic: str = "food",
    a: str = "bread",
    b: str = "cake",
    subject: str = "model",
    repeat: int = 0,
) -> Played:
    """A game as a record has it."""
    content = {
        "topic": topic,
        "a": {"text": a, "also": []},
        "b": {"text": b, "also": []},
        "with_a": [1],
    }
    cast = {"player": subject, "opponent": "other"}
    return Played(Scenario(content, f"{topic}: {a} v {b}"), subject, repeat, outcome=game, cast=cast)


def duel(mine: int, theirs: int, rounds: int = 5, model: str = "model") -> Game:
    """A game of one against one: in which rounds the model and its opponent found the word."""
    played = max(mine, theirs) if mine and theirs else rounds
    return game_of({"player": (model, 0, mine), "opponent": ("other", 1, theirs)}, played)
