"""The game: clues that all hear, guesses that nobody hears, until every player knows the other group's word."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from interplay.benchmarks.word_guessing.matching import given_before, names, names_by_jaro, redact, says
from interplay.benchmarks.word_guessing.scenarios import LETTERS, VERSUS, sizes_of
from interplay.benchmarks.word_guessing.words import Word
from interplay.core.benchmark import Options, Scenario, Span
from interplay.core.conversation import Conversation, Seat
from interplay.core.forms import JsonForm, Longest, object_schema
from interplay.core.prompts import Prompts
from interplay.core.wire import digest_of

PROMPTS = Prompts.read(Path(str(files(__package__) / "prompts")))
PROTOCOL_VERSION = 1  # of what is said, and of what is taken for a right guess: matching.py, lexicon.py
LONGEST_CLUE = 240
LONGEST_GUESS = 60
OURS, PAPER = RULES = ("interplay", "paper")
PLAYER, OPPONENT = "player", "opponent"  # the roles of versus


@dataclass(frozen=True)
class Given:
    """The form of a clue."""

    clue: Annotated[str, Longest(LONGEST_CLUE, least=1)]


@dataclass(frozen=True)
class Player:
    """Who sat at the table, with which word, and in which round it first named the other group's (0: never)."""

    seat: str
    role: str
    label: str
    model: str
    group: int
    word: str
    found: int


@dataclass(frozen=True)
class Clue:
    """What all heard; the word is taken out where a second try still said it."""

    seat: str
    text: str
    said_word: bool
    repeated: bool
    tries: int


@dataclass(frozen=True)
class Guess:
    """What a player took the word of another seat to be; right if that is the other group's word."""

    seat: str
    about: str
    word: str
    right: bool


@dataclass(frozen=True)
class Round:
    """One round: all clues, then the guesses of all who had not found the word before."""

    clues: tuple[Clue, ...]
    guesses: tuple[Guess, ...]


@dataclass(frozen=True)
class Game:
    """A game that was played to its end; its players in the order they sat."""

    players: tuple[Player, ...]
    rounds: tuple[Round, ...]


@dataclass
class Chair:
    """A player during the game."""

    seat: Seat
    number: int  # in the order they sit, from 1
    group: int
    word: Word
    found: int = 0

    @property
    def label(self) -> str:
        return f"Player {self.number}"

    @property
    def key(self) -> str:
        return f"player_{self.number}"


def seats_of(options: Options) -> list[tuple[str, str]]:
    """The name and the role of every seat, in the order that a scenario counts them."""
    first, second = sizes_of(options)
    if options["experiment"] == VERSUS:
        return _team(PLAYER, first) + _team(OPPONENT, second)
    return [(f"player_{letter}", f"player_{letter}") for letter in LETTERS[: first + second]]


def _team(role: str, size: int) -> list[tuple[str, str]]:
    return [(role if number == 1 else f"{role} {number}", role) for number in range(1, size + 1)]


def digest(options: Options) -> str:
    """What shapes play: the prompts, and this file where it changes what is said."""
    return digest_of([PROTOCOL_VERSION, dict(PROMPTS.chosen(options["prompts"]).texts)])


def calls(scenario: Scenario, options: Options) -> Mapping[str, Span]:
    """Every player gives a clue and a guess in at least one round, and at most in all."""
    rounds = int(options["rounds"])
    found: dict[str, Span] = {}
    for _, role in seats_of(options):
        least, most = found.get(role, (0, 0))
        found[role] = (least + 2, most + 2 * rounds)
    return found


async def play(talk: Conversation, options: Options) -> Game:
    """Rounds of clues and guesses, until every player has found the other group's word."""
    table = _sit_down(talk, options)
    for chair in table:
        talk.tell([], f"{chair.label} sits as {chair.seat.name} and has the word {chair.word.text}.")
    rounds: list[Round] = []
    for number in range(1, int(options["rounds"]) + 1):
        clues = [await _clue(talk, options, table, chair, rounds) for chair in table]
        rounds.append(Round(tuple(clues), tuple(await _guesses(talk, options, table, number))))
        finders = [chair.label for chair in table if chair.found == number]
        talk.tell([], f"Round {number}: {' and '.join(finders) or 'nobody'} found the other group's word.")
        if all(chair.found for chair in table):
            break
    return Game(tuple(_player(talk, chair) for chair in table), tuple(rounds))


def _player(talk: Conversation, chair: Chair) -> Player:
    seat = chair.seat
    model = talk.casting(seat).model
    return Player(seat.name, seat.role, chair.label, model, chair.group, chair.word.text, chair.found)


def _sit_down(talk: Conversation, options: Options) -> list[Chair]:
    """The players in an order that is drawn once; each is told its own word alone."""
    content = talk.scenario
    words = [_word(content["a"]), _word(content["b"])]
    seats = list(enumerate(seats_of(options), 1))
    talk.rng.shuffle(seats)
    labels = [f"Player {number}" for number in range(1, len(seats) + 1)]
    prompts = PROMPTS.chosen(options["prompts"])
    table = []
    for number, (place, (name, role)) in enumerate(seats, 1):
        group = 0 if place in content["with_a"] else 1
        brief = prompts.fill(
            "rules",
            me=labels[number - 1],
            count=str(len(seats)),
            everyone=", ".join(labels),
            word=words[group].text,
            rounds=options["rounds"],
            two="yes" if len(seats) == 2 else "",
            more="yes" if len(seats) > 2 else "",
        )
        table.append(Chair(talk.seat(name, role=role, brief=brief), number, group, words[group]))
    return table


def _word(content: Mapping[str, Any]) -> Word:
    return Word(content["text"], tuple(content["also"]))


async def _clue(
    talk: Conversation, options: Options, table: list[Chair], chair: Chair, before: list[Round]
) -> Clue:
    """The player's clue; one that says its word or was given before is asked for once more."""
    prompts = PROMPTS.chosen(options["prompts"])
    earlier = [line.text for line in talk.lines if line.source and line.source not in line.heard_by]
    talk.tell(
        [chair.seat],
        prompts.fill(
            "clue",
            me=chair.label,
            round=str(len(before) + 1),
            rounds=options["rounds"],
            silence="" if earlier else "yes",
        ),
    )
    text = " ".join((await talk.ask(chair.seat, Given)).clue.split())
    tries = 1
    complaint = _complaint(text, chair.word, earlier)
    if complaint:
        talk.tell([chair.seat], prompts.fill(complaint))
        text = " ".join((await talk.ask(chair.seat, Given)).clue.split())
        tries, complaint = 2, _complaint(text, chair.word, earlier)
    heard = redact(text, chair.word) if complaint == "said_word" else text
    others = [other.seat for other in table if other is not chair]
    talk.tell(others, heard, source=chair.seat, heard_as=f"{chair.label}: {heard}")
    return Clue(chair.seat.name, heard, complaint == "said_word", complaint == "repeated", tries)


def _complaint(clue: str, word: Word, earlier: list[str]) -> str:
    """Why nobody should hear this clue: the name of the prompt that says so."""
    if says(clue, word):
        return "said_word"
    return "repeated" if given_before(clue, earlier) else ""


async def _guesses(talk: Conversation, options: Options, table: list[Chair], number: int) -> list[Guess]:
    """All who have not found the other group's word guess at once, each for itself."""
    guessing = [chair for chair in table if not chair.found]
    prompts = PROMPTS.chosen(options["prompts"])
    for chair in guessing:
        keys = [f'"{other.key}"' for other in table if other is not chair]
        fields = f"the fields {', '.join(keys)}" if len(keys) > 1 else f"the field {keys[0]}"
        question = prompts.fill(
            "guess", me=chair.label, round=str(number), rounds=options["rounds"], fields=fields
        )
        talk.tell([chair.seat], question)
    forms = [_guess_form(table, chair) for chair in guessing]
    answers = await talk.ask_all([chair.seat for chair in guessing], forms)
    found: list[Guess] = []
    for chair, answer in zip(guessing, answers, strict=True):
        for other in table:
            if other is not chair:
                word = " ".join(answer[other.key].split())
                right = other.group != chair.group and _is_named(word, other.word, chair.word, options)
                chair.found = chair.found or (number if right else 0)
                found.append(Guess(chair.seat.name, other.seat.name, word, right))
    return found


def _guess_form(table: list[Chair], chair: Chair) -> JsonForm[dict[str, Any]]:
    word = {"type": "string", "maxLength": LONGEST_GUESS}
    return JsonForm(object_schema({other.key: word for other in table if other is not chair}), dict)


def _is_named(guess: str, target: Word, own: Word, options: Options) -> bool:
    if options["rules"] == PAPER:
        return names_by_jaro(guess, target)
    return names(guess, target, own)
