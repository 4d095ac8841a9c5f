"""The simulated users that models play: by a plain prompt, with a thought first, or with a state of their goal."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

from interplay.benchmarks.task_dialogue.dialogue import FLAGS, GOING_ON, SATISFIED, STATES, Flag, Said
from interplay.benchmarks.task_dialogue.goals import Goal
from interplay.benchmarks.task_dialogue.prompt_files import PROMPTS
from interplay.benchmarks.task_dialogue.subgoals import Progress, sub_goals
from interplay.core.benchmark import Options
from interplay.core.conversation import Conversation
from interplay.core.failures import Unreadable
from interplay.core.forms import JsonForm, Longest, object_schema, schema_of
from interplay.core.wire import clean
from interplay.judging.fence import fenced, mark_of

USER = "user"
VANILLA, THOUGHT, TRACKING = SIMULATORS = ("vanilla", "thought", "tracking")
LONGEST_UTTERANCE = 600  # characters, unless a run says otherwise; what is longer is cut
MOST_UPDATES = 30  # in one reply
SHOWN_OF_AN_ANSWER = 4_000  # characters, to the simulated user; judges see all of it
# A reply in form that a system writes is only quoted: the names of the form's fields are not there.
WORDS = frozenset(("utterance", "status", "thought", "updates", "sub_goal"))
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


@dataclass(frozen=True)
class Turn:
    """What a reply holds, read and checked."""

    utterance: str
    flag: Flag
    thought: str
    progress: Progress


def calls(options: Options) -> tuple[int, int]:
    """The least and the most replies that are asked of the model for one turn of the user."""
    return (1, 2) if options["simulator"] == TRACKING else (1, 1)


class Simulated:
    """A user that a model plays. It hears the system between marks, and only its own flag ends the dialogue."""

    def __init__(self, talk: Conversation, goal: Goal, options: Options):
        self._talk = talk
        self._kind, self._longest = options["simulator"], int(options["utterance"])
        self._prompts = PROMPTS.chosen(options["prompts"])
        self._mark = mark_of(talk.secret, talk.stage, USER)
        self._progress = Progress(sub_goals(goal) if self._kind == TRACKING else ())
        self._seat = talk.seat(USER, brief=self._brief(goal))

    def _brief(self, goal: Goal) -> str:
        return self._prompts.fill(
            f"user_{self._kind}",
            rules=self._prompts.fill("user_rules", limit=str(self._longest), mark=self._mark),
            goal=goal.text,
            mark=self._mark,
        )

    async def speak(self, heard: str | None) -> Said:
        """What it says to what it heard; None is the beginning."""
        shown = self._handed_over(heard)
        self._talk.tell([self._seat], shown if heard is None else heard, heard_as=shown)
        turn = await self._talk.ask(self._seat, self._form())
        self._progress = turn.progress
        if turn.flag == SATISFIED and self._progress.open:
            self._talk.tell([self._seat], self._what_is_open())
            turn = await self._talk.ask(self._seat, self._form())
            self._progress = turn.progress
        return Said(turn.utterance, turn.flag, turn.thought, self._progress.kept)

    def _handed_over(self, heard: str | None) -> str:
        """An answer of the system as the user gets it, and how far it has come."""
        said = clean(heard or "").strip()
        cut = len(said) - SHOWN_OF_AN_ANSWER
        return self._prompts.fill(
            "user_turn",
            beginning="yes" if heard is None else "",
            answer=fenced(said[:SHOWN_OF_AN_ANSWER], self._mark, WORDS) if said else "",
            cut=f"{cut:,}" if cut > 0 else "",
            silence="yes" if heard is not None and not said else "",
            sub_goals=self._progress.shown,
        )

    def _what_is_open(self) -> str:
        left = "\n".join(f"{one.number}. {one.text}" for one in self._progress.open)
        return self._prompts.fill("user_open", sub_goals=left)

    def _form(self) -> JsonForm[Turn]:
        return JsonForm(_schema(self._kind, len(self._progress.sub_goals), self._longest), self._turn)

    def _turn(self, data: dict[str, Any]) -> Turn:
        utterance = spoken(data["utterance"])
        if data["status"] == GOING_ON and not utterance:
            raise Unreadable("Your reply does not fit the form: utterance must not be empty while you go on.")
        thought = spoken(data.get("thought", ""))
        return Turn(utterance, data["status"], thought, self._progress.updated(data.get("updates", ())))


def spoken(text: str) -> str:
    """A text as somebody would type it: no control characters, and nothing that turns its direction."""
    text = unicodedata.normalize("NFC", clean(text)).replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", text).strip()


@cache
def _schema(kind: str, count: int, longest: int) -> Mapping[str, Any]:
    """The schema of a reply, where there are so many sub-goals; a thought may be twice as long as what is said."""
    thought = schema_of(Annotated[str, Longest(2 * longest)])
    number = {"type": "integer", "minimum": 1, "maximum": count}
    update = object_schema({"sub_goal": number, "state": {"type": "string", "enum": list(STATES)}})
    updates = {"type": "array", "items": update, "minItems": 0, "maxItems": MOST_UPDATES}
    return object_schema(
        {
            **({} if kind == VANILLA else {"thought": thought}),
            **({"updates": updates} if kind == TRACKING else {}),
            "utterance": schema_of(Annotated[str, Longest(longest)]),
            "status": {"type": "string", "enum": list(FLAGS)},
        }
    )
