"""Teachers: who fine-tunes a virtual game master, at an endpoint or on this machine."""

import asyncio
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any, Protocol

from interplay.benchmarks.social_interaction.masters import API, Master
from interplay.benchmarks.social_interaction.training import Lesson, Tuned
from interplay.core.benchmark import Options
from interplay.core.conversation import Conversation
from interplay.core.failures import Cancelled, Mistake, ProviderFailure
from interplay.core.making import Finished
from interplay.core.wire import canonical, digest_of
from interplay.models import causal, embedded, tuned, tuning
from interplay.models.calling import CallFailed, Model
from interplay.models.connecting import Directory
from interplay.models.fine_tuning import FineTuning
from interplay.models.training import Method

Tell = Callable[[str], None]
OVER = ("rejected", "not found")  # by these an endpoint tells that nothing will come of a job
LENGTH = 2048  # tokens of a window with its question: nearly all of 30 turns, and as much as the embedded model reads


class Teacher(Protocol):
    """Trains a game master by a lesson; what must not be done twice goes through the conversation."""

    @property
    def settings(self) -> str:
        """How it trains, as JSON: another way is another run."""

    async def teach(self, talk: Conversation, lesson: Lesson) -> Tuned: ...


@dataclass
class _End:
    """How a job came to nothing, and whether the record did not know it yet."""

    why: str
    is_news: bool = False

    def told(self) -> str:
        self.is_news = True
        return self.why


@dataclass(frozen=True)
class AtEndpoint:
    """Fine-tuning at an endpoint of the OpenAI shape: upload, create, poll."""

    model: str
    directory: Directory
    epochs: int
    seed: int
    tell: Tell

    @property
    def settings(self) -> str:
        return canonical({"epochs": self.epochs, "seed": self.seed})

    async def teach(self, talk: Conversation, lesson: Lesson) -> Tuned:
        client = self.directory.fine_tuning(self.model)
        try:
            for number in count(1):
                found = await self._job(talk, client, lesson, "" if number == 1 else f" {number}")
                if found is not None:
                    return found
            raise AssertionError("unreachable: there is always another number")
        except CallFailed as failure:
            raise ProviderFailure(f"{self.model}: {failure}") from failure
        finally:
            await client.close()

    async def _job(self, talk: Conversation, client: FineTuning, lesson: Lesson, number: str) -> Tuned | None:
        """One job, made now or recorded, and waited for; None if it came to nothing before this start."""
        digest = digest_of([lesson.digest, self.settings])
        file = await talk.once(f"file{number}", lambda: client.upload(lesson.examples, digest))
        job = await talk.once(
            f"job{number}", lambda: client.create(file, digest, epochs=self.epochs, seed=self.seed)
        )
        self.tell(f"Training {self.model} on {len(lesson.examples)} windows of {lesson.source}: job {job}.")
        try:
            return Tuned(
                await client.finished(job, lambda state: None), f"fine-tuned at its endpoint, job {job}"
            )
        except CallFailed as failure:
            if failure.cause not in OVER:
                raise
            end = _End(str(failure))
            await talk.once(f"end{number}", end.told)
            if end.is_news:  # whoever starts again makes another job, nobody makes two in one start
                raise
            return None


@dataclass(frozen=True)
class OnThisMachine:
    """Fine-tuning here, by transformers; what was trained before is found in the cache."""

    base: Path
    how: tuning.Settings
    tell: Tell
    # a machine has room for one training
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock, compare=False, repr=False)

    @cached_property
    def settings(self) -> str:
        # two folders of one name may hold other weights
        weights = causal.digest_of_weights(self.base)
        return canonical({"base": self.base.name, "weights": weights, **asdict(self.how)})

    async def teach(self, talk: Conversation, lesson: Lesson) -> Tuned:
        folder = embedded.cache_folder() / "tuned" / digest_of([lesson.digest, self.settings])
        async with self._one_at_a_time:
            self.tell(
                f"Training {self.base.name} on {len(lesson.examples)} windows of {lesson.source}, into {folder}."
            )
            told = _Throttled(self.tell)
            try:
                await asyncio.to_thread(tuning.tune, self.base, lesson.examples, self.how, folder, told)
            finally:
                told.stopped = True  # a thread is not cancelled with who waits for it
        return Tuned(str(folder), tuning.told(folder))


class _Throttled:
    """Tells how far a training is, now and then, and ends one that nobody waits for any more."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._next = 0.0
        self.stopped = False

    def __call__(self, progress: Any) -> None:
        if self.stopped:
            raise Cancelled("the training was stopped")
        if progress.step >= progress.steps * self._next:
            self._tell(str(progress))
            self._next += 0.1


def teacher_of(master: Master, finished: Finished) -> Teacher:
    """Who trains this game master."""
    options = finished.options
    epochs = int(options["dm_epochs"])
    if master.kind == API:
        return AtEndpoint(master.model, finished.directory, epochs, finished.seed, finished.tell)
    return OnThisMachine(weights_of(master.model), _how(options, finished.seed), finished.tell)


def _how(options: Options, seed: int) -> tuning.Settings:
    method: Method = "lora" if options["dm_method"] == "lora" else "full"
    return tuning.Settings(method=method, epochs=int(options["dm_epochs"]), length=LENGTH, seed=seed)


def weights_of(named: str) -> Path:
    """The weights that are fine-tuned here: the embedded model's, a .gguf file, or a folder."""
    if named == embedded.NAME:
        return embedded.fetch()
    path = Path(named)
    if not path.exists():
        raise Mistake(
            f"--dm local:{named}: there is no such file or folder; {embedded.NAME} is the embedded model"
        )
    causal.check_base(path)
    return path


def check_local(master: Master, options: Options) -> None:
    """Raise a Mistake if it is plain that nothing can be fine-tuned here; imports nothing."""
    needed = ("torch", "transformers", *(("peft",) if options["dm_method"] == "lora" else ()))
    if any(find_spec(name) is None for name in needed):
        raise Mistake(f"--dm {master}: {causal.NEEDS_MORE}")
    weights_of(master.model)


def tuned_model(name: str, master: Master, found: Tuned | None, finished: Finished) -> Model:
    """The game master as a model that reads: as it was trained, or the model that it was before."""
    directory: Directory = finished.directory
    if master.kind == API:
        provider, _, _ = directory.entry(master.model).model.partition("/")
        return directory.called(name, master.model, f"{provider}/{found.place}" if found else "")
    place = Path(found.place) if found else None
    return tuned.Tuned(name, weights_of(master.model), place, _how(finished.options, finished.seed))
