"""A scene of a tabletop role-playing game: three players and a non-player character move in turn, all in hearing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from interplay.benchmarks.social_interaction.characters import Character, laid_out
from interplay.benchmarks.social_interaction.scenarios import EXCHANGE, PLAYERS
from interplay.benchmarks.social_interaction.scenes import skills
from interplay.core.benchmark import Options, Scenario, Span
from interplay.core.conversation import Conversation, Seat
from interplay.core.forms import Longest, Text, build
from interplay.core.prompts import Prompts
from interplay.core.wire import digest_of

PROMPTS = Prompts.read(Path(str(files(__package__) / "prompts")))
PROTOCOL_VERSION = 1
PLAYER, NPC = "player", "npc"  # the roles
OF_PLAY = ("player", "npc", "opening", "move", "want", "interview")  # the prompts
LONGEST_PART = 600  # characters of an action, and of a speech
LONGEST_ANSWER = 3_000
ACT, SPEAK, BOTH, PASS = MOVES = ("act", "speak", "both", "pass")


@dataclass(frozen=True)
class Made:
    """The form of a move."""

    move: Literal["act", "speak", "both", "pass"]
    act: Annotated[str, Longest(LONGEST_PART)]
    say: Annotated[str, Longest(LONGEST_PART)]


@dataclass(frozen=True)
class Seated:
    """Who sat in which seat, as whom."""

    seat: str
    role: str
    name: str
    model: str


@dataclass(frozen=True)
class Move:
    """What somebody did and said in their turn; a move that promises words and has none is empty."""

    seat: str
    kind: str
    act: str
    say: str

    @property
    def is_empty(self) -> bool:
        return self.kind != PASS and not (self.act or self.say)


@dataclass(frozen=True)
class Learned:
    """What a player said in the interview that it had learned."""

    seat: str
    answer: str


@dataclass(frozen=True)
class Wanted:
    """What a player was told to want, and in which moves, counted from 0 and without the last, it should show."""

    seat: str
    skill: str
    want: str
    first: int
    after: int


@dataclass(frozen=True)
class Session:
    """A scene that was played to its end."""

    scene: str
    seats: tuple[Seated, ...]  # in the order of their moves
    moves: tuple[Move, ...]
    answers: tuple[Learned, ...] = ()
    wants: tuple[Wanted, ...] = ()

    def named(self, seat: str) -> str:
        return next(one.name for one in self.seats if one.seat == seat)


@dataclass
class Chair:
    """Somebody at the table during play."""

    seat: Seat
    role: str
    name: str


def digest(options: Options) -> str:
    """What shapes play: its prompts, and this file where it changes what is said."""
    texts = PROMPTS.chosen(options["prompts"]).texts
    return digest_of([PROTOCOL_VERSION, [texts[name] for name in OF_PLAY]])


def calls(scenario: Scenario, options: Options) -> Mapping[str, Span]:
    """Everybody moves in turn; after an exchange every player is interviewed."""
    moves = int(options["moves"])
    asked = PLAYERS if options["scene"] == EXCHANGE else 0
    least, most = moves // (PLAYERS + 1), -(-moves // (PLAYERS + 1))
    return {PLAYER: (moves - most + asked, moves - least + asked), NPC: (least, most)}


async def play(talk: Conversation, options: Options) -> Session:
    """So many moves in turn, each heard by all; then, where there was something to learn, the interviews."""
    prompts = PROMPTS.chosen(options["prompts"])
    table = _sit_down(talk, prompts, options)
    by_name = {chair.seat.name: chair for chair in table}
    everyone = [chair.seat for chair in table]
    talk.tell(everyone, prompts.fill("opening", place=talk.scenario["place"]))
    stretches = _stretches(talk.scenario, int(options["moves"]))
    moves: list[Move] = []
    for number in range(int(options["moves"])):
        for wanted in stretches:
            if wanted.first == number:
                _tell_want(talk, prompts, by_name[wanted.seat].seat, wanted, int(options["moves"]))
        moves.append(await _move(talk, prompts, table, table[number % len(table)]))
    return Session(
        scene=talk.scenario["scene"],
        seats=tuple(_seated(talk, chair) for chair in table),
        moves=tuple(moves),
        answers=await _interviews(talk, prompts, table) if talk.scenario["scene"] == EXCHANGE else (),
        wants=tuple(stretches),
    )


def _sit_down(talk: Conversation, prompts: Prompts, options: Options) -> list[Chair]:
    """Everybody with a sheet of their own, in an order that is drawn once."""
    people = [build(Character, entry) for entry in talk.scenario["characters"]]
    names = [one.name for one in people]
    table = []
    for number, character in enumerate(people, 1):
        is_player = number <= PLAYERS
        others = [name for name in names if name != character.name]
        shared = {
            "name": character.name,
            "sheet": laid_out(character),
            "others": ", ".join(others),
            "longest": str(LONGEST_PART),
        }
        if is_player:
            exchange = talk.scenario["scene"] == EXCHANGE
            party = [name for name in names[:PLAYERS] if name != character.name]
            brief = prompts.fill(
                "player",
                **shared,
                party=" and ".join(party),
                npc=names[-1],
                exchange="yes" if exchange else "",
                intentions="" if exchange else "yes",
            )
            name = PLAYER if number == 1 else f"{PLAYER} {number}"
            table.append(Chair(talk.seat(name, role=PLAYER, brief=brief), PLAYER, character.name))
        else:
            known = talk.scenario.get("knowledge", {})
            brief = prompts.fill(
                "npc",
                **shared,
                why=talk.scenario["npc"],
                title=known.get("title", ""),
                knowledge=known.get("text", ""),
                nothing="" if known else "yes",
            )
            table.append(Chair(talk.seat(NPC, role=NPC, brief=brief), NPC, character.name))
    talk.rng.shuffle(table)
    return table


def _stretches(content: Mapping[str, Any], moves: int) -> list[Wanted]:
    """The moves shared out evenly among those who want something: one want at a time."""
    wants = content.get("wants", ())
    ends = [moves * place // len(wants) for place in range(len(wants) + 1)] if wants else []
    return [
        Wanted(
            seat=PLAYER if want["player"] == 1 else f"{PLAYER} {want['player']}",
            skill=want["skill"],
            want=want["want"],
            first=ends[place],
            after=ends[place + 1],
        )
        for place, want in enumerate(wants)
    ]


def _tell_want(talk: Conversation, prompts: Prompts, seat: Seat, wanted: Wanted, moves: int) -> None:
    meaning = skills()[wanted.skill].meaning
    later = "" if wanted.after == moves else "yes"
    talk.tell(
        [seat], prompts.fill("want", skill=wanted.skill, meaning=meaning, want=wanted.want, later=later)
    )


async def _move(talk: Conversation, prompts: Prompts, table: Sequence[Chair], chair: Chair) -> Move:
    """One move, and what the others hear of it."""
    talk.tell([chair.seat], prompts.fill("move", name=chair.name))
    made = await talk.ask(chair.seat, Made)
    kind = made.move
    move = Move(
        seat=chair.seat.name,
        kind=kind,
        act=_in_one_line(made.act) if kind in (ACT, BOTH) else "",
        say=_in_one_line(made.say) if kind in (SPEAK, BOTH) else "",
    )
    others = [other.seat for other in table if other is not chair]
    talk.tell(others, heard(move, chair.name), source=chair.seat)
    return move


def heard(move: Move, name: str) -> str:
    """A move as others hear and see it."""
    done = f"{name} does this: {move.act}" if move.act else ""
    said = f'{name} says: "{move.say}"' if move.say else ""
    return " ".join(part for part in (done, said) if part) or f"{name} lets the moment pass."


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


async def _interviews(talk: Conversation, prompts: Prompts, table: Sequence[Chair]) -> tuple[Learned, ...]:
    """Every player is asked, by itself, what it has learned."""
    npc = next(chair.name for chair in table if chair.role == NPC)
    players = sorted((chair for chair in table if chair.role == PLAYER), key=lambda chair: chair.seat.name)
    for chair in players:
        talk.tell([chair.seat], prompts.fill("interview", npc=npc))
    answers = await talk.ask_all([chair.seat for chair in players], Text(longest=LONGEST_ANSWER))
    return tuple(Learned(chair.seat.name, answer) for chair, answer in zip(players, answers, strict=True))


def _seated(talk: Conversation, chair: Chair) -> Seated:
    return Seated(chair.seat.name, chair.role, chair.name, talk.casting(chair.seat).model)
