"""The protocols of PingPong: version 2, whose emulated user only talks, and version 1, whose user judges as well."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from interplay.benchmarks.role_play.cards import LANGUAGE_NAMES, Scene, scene_of
from interplay.benchmarks.role_play.rubrics import form_shown, marks_form, v1_rubric
from interplay.core.benchmark import Options, Scenario, Span
from interplay.core.conversation import Conversation
from interplay.core.forms import Longest
from interplay.core.loops import LoopWatch
from interplay.core.prompts import Prompts
from interplay.core.wire import digest_of
from interplay.judging.fence import fenced, mark_of
from interplay.judging.rubric import Rubric

PROMPTS = Prompts.read(Path(str(files(__package__) / "prompts")))
PROTOCOL_VERSION = 1
LONGEST_UTTERANCE = 600
_PROMPTS_OF = {
    "v1": ("examiner", "examiner_opening", "examiner_turn", "player"),
    "v2": ("interrogator", "interrogator_opening", "player"),
}


@dataclass(frozen=True)
class Utterance:
    """What the emulated user says next."""

    next_utterance: Annotated[str, Longest(LONGEST_UTTERANCE, least=1)]


@dataclass(frozen=True)
class Turn:
    """One exchange."""

    user: str
    player: str


@dataclass(frozen=True)
class Dialogue:
    """A conversation that was played to its end; under version 1 also what its user made of every reply."""

    turns: tuple[Turn, ...]
    marks: tuple[dict[str, Any], ...] = ()
    marked_by: str = ""


def prompts_of(options: Options) -> Prompts:
    """The prompts of a run: ours, or the user's in their place."""
    return PROMPTS.chosen(options["prompts"])


def digest(options: Options) -> str:
    """What shapes play: the prompts, and this file where it changes what is said."""
    texts = prompts_of(options).texts
    return digest_of([PROTOCOL_VERSION, [texts[name] for name in _PROMPTS_OF[options["version"]]]])


async def play(talk: Conversation, options: Options) -> Dialogue:
    """The emulated user talks to the player, who has the card."""
    return await (_play_examined(talk, options) if options["version"] == "v1" else _play(talk, options))


def calls(scenario: Scenario, options: Options) -> Mapping[str, Span]:
    """Each turn costs a call of either side; the user of version 1 has the last word, or stops at a refusal."""
    turns = turns_of(scene_of(scenario.content), options)
    if options["version"] == "v1":
        return {"player": (1, turns), "interrogator": (2, turns + 1)}
    return {"player": (turns, turns), "interrogator": (turns, turns)}


async def _play(talk: Conversation, options: Options) -> Dialogue:
    """Version 2: the emulated user knows only the summary."""
    scene, prompts = scene_of(talk.scenario), prompts_of(options)
    interrogator = talk.seat("interrogator", brief=_user_brief(scene, options))
    player = talk.seat("player", brief=card_of(scene, options))
    talk.tell([interrogator], prompts.fill("interrogator_opening"))
    turns: list[Turn] = []
    watch = LoopWatch("the emulated user")
    for _ in range(turns_of(scene, options)):
        said = (await talk.ask(interrogator, Utterance)).next_utterance.strip()
        watch.said(said, turns[-1].player if turns else "")
        talk.tell([player], said, source=interrogator)
        answer = await talk.ask(player)
        talk.tell([interrogator], answer, source=player)
        turns.append(Turn(said, answer))
    return Dialogue(tuple(turns))


async def _play_examined(talk: Conversation, options: Options) -> Dialogue:
    """Version 1: the user knows the card, scores each reply before saying more, and stops at a refusal."""
    scene, prompts, rubric = scene_of(talk.scenario), prompts_of(options), v1_rubric(options)
    mark = mark_of(talk.secret, "play")
    examiner = talk.seat("interrogator", brief=_examiner_brief(scene, options, rubric, mark))
    player = talk.seat("player", brief=card_of(scene, options))
    talk.tell([examiner], prompts.fill("examiner_opening"))
    said = (await talk.ask(examiner, Utterance)).next_utterance.strip()
    turns: list[Turn] = []
    marks: list[dict[str, Any]] = []
    watch = LoopWatch("the emulated user")
    last = turns_of(scene, options)
    while True:
        watch.said(said, turns[-1].player if turns else "")
        talk.tell([player], said, source=examiner)
        answer = await talk.ask(player)
        turns.append(Turn(said, answer))
        reply = fenced(answer, mark, {*rubric.words(), "next_utterance"})
        heard = _handed_over(prompts, rubric, reply, goes_on=len(turns) < last)
        talk.tell([examiner], answer, source=player, heard_as=heard)
        entry = await talk.ask(examiner, marks_form(rubric, LONGEST_UTTERANCE if len(turns) < last else 0))
        said = entry.pop("next_utterance", "").strip()
        marks.append(entry)
        if entry["is_refusal"] or len(turns) == last:
            return Dialogue(tuple(turns), tuple(marks), talk.cast["interrogator"].model)


def _handed_over(prompts: Prompts, rubric: Rubric, reply: str, *, goes_on: bool) -> str:
    return prompts.fill(
        "examiner_turn",
        reply=reply,
        goes_on="yes" if goes_on else "",
        ends="" if goes_on else "yes",
        form=form_shown(rubric, utterance=goes_on),
    )


def turns_of(scene: Scene, options: Options) -> int:
    return min(int(options["turns"] or scene.situation.turns), scene.situation.turns)


def card_of(scene: Scene, options: Options) -> str:
    """The card as the player gets it, and as judges see it."""
    return prompts_of(options).fill(
        "player",
        name=scene.character.name,
        persona=scene.character.persona,
        example=scene.character.example,
        greeting=scene.character.greeting,
        situation=scene.situation.text if _symmetric(options) else "",
    )


def _user_brief(scene: Scene, options: Options) -> str:
    return prompts_of(options).fill(
        "interrogator",
        name=scene.character.name,
        summary=scene.character.summary,
        card=card_of(scene, options) if _symmetric(options) else "",
        situation=scene.situation.text,
        language=LANGUAGE_NAMES[scene.language],
    )


def _symmetric(options: Options) -> bool:
    return options["setup"] == "symmetric"


def _examiner_brief(scene: Scene, options: Options, rubric: Rubric, mark: str) -> str:
    return prompts_of(options).fill(
        "examiner",
        name=scene.character.name,
        card=fenced(card_of(scene, options), mark, rubric.words()),
        situation=scene.situation.text,
        language=LANGUAGE_NAMES[scene.language],
        criteria=rubric.criteria_in_words(),
        scale=rubric.scale_in_words(),
        flags=rubric.flags_in_words(),
        limit=str(rubric.explanation),
        mark=mark,
    )
