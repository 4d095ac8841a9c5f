"""The protocol of PingPong, version 2: the emulated user speaks first; judges see the card and the whole dialogue."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from interplay.benchmarks.role_play.scenarios import Character, Scene, scene_of
from interplay.core.benchmark import Options, Role
from interplay.core.conversation import Conversation
from interplay.core.forms import Longest
from interplay.core.prompts import Prompts
from interplay.core.wire import Sampling, digest_of
from interplay.judging.fence import fenced, mark_of
from interplay.judging.rubric import Criterion, Flag, Rubric

PROMPTS = Prompts.read(Path(str(files(__package__) / "prompts")))
LANGUAGE_NAMES = {"en": "English", "ru": "Russian"}
PROTOCOL_VERSION = 1
PROMPTS_OF_PLAY = ("interrogator", "interrogator_opening", "player")

ROLES = (
    Role("player", "subject", Sampling(0.6, 0.9, 1536), "plays the character; the model that is measured"),
    Role("interrogator", "simulator", Sampling(0.8, 0.95, 1024), "the emulated user"),
    Role(
        "judge", "judge", Sampling(0.1, 0.95, 4096), "scores every turn of the player; there may be several"
    ),
)
JUDGE = "judge"
CRITERIA = (
    Criterion("in_character", "The reply fits the character: nothing in it contradicts the card."),
    Criterion(
        "entertaining", "The reply is engaging and fun to read, and does not repeat what was said before."
    ),
    Criterion(
        "fluency",
        "The language is flawless: no awkward phrase, no wrong form or spelling, no word of another language.",
    ),
)
REFUSAL = Flag("is_refusal", "The player declines to play on, or says that it cannot.")
AGREEMENT = ("strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree")


@dataclass(frozen=True)
class Utterance:
    """What the emulated user says next."""

    next_utterance: Annotated[str, Longest(600, least=1)]


@dataclass(frozen=True)
class Turn:
    """One exchange."""

    user: str
    player: str


@dataclass(frozen=True)
class Dialogue:
    """A conversation that was played to its end."""

    turns: tuple[Turn, ...]


def digest(options: Options) -> str:
    """What shapes play: the prompts, and this file where it changes what is said."""
    return digest_of([PROTOCOL_VERSION, [PROMPTS.texts[name] for name in PROMPTS_OF_PLAY]])


async def play(talk: Conversation, options: Options) -> Dialogue:
    """The emulated user, who knows only the summary, talks to the player, who has the card."""
    scene = scene_of(talk.scenario)
    interrogator = talk.seat("interrogator", brief=_user_brief(scene))
    player = talk.seat("player", brief=card_of(scene.character))
    talk.tell([interrogator], PROMPTS.fill("interrogator_opening"))
    turns = []
    for _ in range(_turns(scene, options)):
        said = (await talk.ask(interrogator, Utterance)).next_utterance.strip()
        talk.tell([player], said, source=interrogator)
        answer = await talk.ask(player)
        talk.tell([interrogator], answer, source=player)
        turns.append(Turn(said, answer))
    return Dialogue(tuple(turns))


def _turns(scene: Scene, options: Options) -> int:
    return min(int(options["turns"] or scene.situation.turns), scene.situation.turns)


def card_of(character: Character) -> str:
    """The card as the player gets it, and as judges see it."""
    return PROMPTS.fill(
        "player",
        name=character.name,
        persona=character.persona,
        example=character.example,
        greeting=character.greeting,
    )


def _user_brief(scene: Scene) -> str:
    return PROMPTS.fill(
        "interrogator",
        name=scene.character.name,
        summary=scene.character.summary,
        situation=scene.situation.text,
        language=LANGUAGE_NAMES[scene.language],
    )


def rubric(options: Options) -> Rubric:
    """The rubric of version 2: three criteria on a Likert scale, and refusal."""
    return Rubric("v2", CRITERIA, (REFUSAL,), (1, 5), AGREEMENT, int(options["explanation"]))


@dataclass(frozen=True)
class TurnJudging:
    """One judge reads the card and the whole dialogue and scores every turn."""

    rubric: Rubric

    @property
    def name(self) -> str:
        return self.rubric.name

    @property
    def digest(self) -> str:
        texts = [PROMPTS.texts["judge"], PROMPTS.texts["judge_material"], PROMPTS.texts["player"]]
        return digest_of([self.rubric.digest, texts])

    async def __call__(self, talk: Conversation, outcome: Dialogue) -> Mapping[str, Any]:
        mark = mark_of(talk.secret, talk.stage, talk.item)
        judge = talk.seat(talk.cast[JUDGE].model, role=JUDGE, brief=self._brief())
        talk.tell([judge], self._material(scene_of(talk.scenario), outcome, mark))
        return await talk.ask(judge, self.rubric.form(len(outcome.turns)))

    def _brief(self) -> str:
        """The same for all conversations, so that endpoints can keep it in their prompt cache."""
        low, high = self.rubric.scale
        labels = [
            f"{number}: {label}"
            for number, label in zip(range(low, high + 1), self.rubric.labels, strict=True)
        ]
        return PROMPTS.fill(
            "judge",
            criteria="\n".join(f"- {one.name}: {one.statement}" for one in self.rubric.criteria),
            scale="\n".join(labels),
            flags="\n".join(f"- {flag.name}: {flag.meaning}" for flag in self.rubric.flags),
            limit=str(self.rubric.explanation),
            form=self._example(),
        )

    def _material(self, scene: Scene, dialogue: Dialogue, mark: str) -> str:
        words = self.rubric.words()
        turns = [
            f"Turn {number}\nuser:\n{fenced(turn.user, mark, words)}\nplayer:\n{fenced(turn.player, mark, words)}"
            for number, turn in enumerate(dialogue.turns, 1)
        ]
        return PROMPTS.fill(
            "judge_material",
            mark=mark,
            card=fenced(card_of(scene.character), mark, words),
            dialogue="\n\n".join(turns),
            count=str(len(turns)),
        )

    def _example(self) -> str:
        """The form, with no score in it that a judge might lean on."""
        parts = []
        for flag in self.rubric.flags:
            parts += [f'"{flag.name}_explanation": "..."', f'"{flag.name}": false']
        for one in self.rubric.criteria:
            parts += [f'"{one.name}_explanation": "..."', f'"{one.name}_score": <score>']
        return '{"turn_1": {' + ", ".join(parts) + '}, "turn_2": ...}'
