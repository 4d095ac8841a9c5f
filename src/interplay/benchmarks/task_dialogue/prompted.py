"""Systems that are one participant: a model with a prompt, and whatever else answers text."""

from interplay.benchmarks.task_dialogue.office import Office
from interplay.benchmarks.task_dialogue.prompt_files import PROMPTS
from interplay.core.benchmark import Options, Span
from interplay.core.conversation import Conversation
from interplay.core.failures import BotFailure, ProviderFailure
from interplay.core.forms import Text

SYSTEM = "system"
LONGEST_ANSWER = 2_000  # characters, of a model; a bot says what it says


def calls(options: Options) -> Span:
    """The least and the most calls per exchange."""
    return 1, 1


class Prompted:
    """A model with a prompt and no database: what a team has before it builds anything around the model."""

    def __init__(self, talk: Conversation, office: Office, options: Options):
        brief = PROMPTS.chosen(options["prompts"]).fill(
            "system_prompt", domains=", ".join(office.city.domains)
        )
        self._talk = talk
        self._seat = talk.seat(SYSTEM, brief=brief)

    async def answer(self, said: str) -> str:
        self._talk.tell([self._seat], said)
        return await self._talk.ask(self._seat, Text(longest=LONGEST_ANSWER))


class Bot:
    """Anything that answers text: it is told the user's words and nothing of ours, and may say nothing."""

    def __init__(self, talk: Conversation):
        self._talk = talk
        self._seat = talk.seat(SYSTEM, brief="")

    async def answer(self, said: str) -> str:
        self._talk.tell([self._seat], said)
        try:
            return await self._talk.ask(self._seat, Text(may_be_empty=True))
        except ProviderFailure as failure:
            raise BotFailure(str(failure)) from failure
