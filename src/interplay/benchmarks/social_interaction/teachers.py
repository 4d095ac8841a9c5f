"""Teachers: who fine-tunes a virtual game master, at an endpoint or on this machine."""

import asyncio
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from interplay.benchmarks.social_interaction.masters import API, Master
from interplay.benchmarks.social_interaction.training import Lesson, Tuned
from interplay.core.benchmark import Finished, Options
from interplay.core.conversation import Conversation
from interplay.core.failures import Mistake, ProviderFailure
from interplay.core.wire import canonical, digest_of
from interplay.models import embedded, tuned, tuning
from interplay.models.calling import CallFailed, Model
from interplay.models.connecting import Directory
from interplay.models.training import Method

Tell = Callable[[str], None]
LENGTH = 2048  # tokens of a window with its question: nearly all of 30 turns, and as much as the embedded model reads


class Teacher(Protocol):
    """Trains a game master by a lesson; what must not be done twice goes through the conversation."""

    @property
    def settings(self) -> str:
        """How it trains, as JSON: another way is another run."""

    async def teach(self, talk: Conversation, lesson: Lesson) -> Tuned: ...


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
        digest = digest_of([lesson.digest, self.settings])
        try:
            file = await talk.once("file", lambda: client.upload(lesson.examples, digest))
            job = await talk.once(
                "job", lambda: client.create(file, digest, epochs=self.epochs, seed=self.seed)
            )
            self.tell(
                f"Training {self.model} on {len(lesson.examples)} windows of {lesson.source}: job {job}."
            )
            name = await client.finished(job, lambda state: None)
        except CallFailed as failure:
            raise ProviderFailure(f"{self.model}: {failure}") from failure
        finally:
            await client.close()
        return Tuned(name, f"fine-tuned at its endpoint, job {job}")


@dataclass(frozen=True)
class OnThisMachine:
    """Fine-tuning here, by transformers; what was trained before is found in the cache."""

    base: Path
    how: tuning.Settings
    tell: Tell

    @property
    def settings(self) -> str:
        return canonical({"base": self.base.name, **asdict(self.how)})

    async def teach(self, talk: Conversation, lesson: Lesson) -> Tuned:
        folder = embedded.cache_folder() / "tuned" / digest_of([lesson.digest, self.settings])
        self.tell(
            f"Training {self.base.name} on {len(lesson.examples)} windows of {lesson.source}, into {folder}."
        )
        told = _Throttled(self.tell)
        found = await asyncio.to_thread(tuning.tune, self.base, lesson.examples, self.how, folder, told)
        return Tuned(str(found), _manifest_told(found))


class _Throttled:
    """Tells how far a training is, now and then."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._next = 0.0

    def __call__(self, progress: Any) -> None:
        if progress.step >= progress.steps * self._next:
            self._tell(str(progress))
            self._next += 0.1


def _manifest_told(folder: Path) -> str:
    return tuning.told(folder)


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
    return path


def tuned_model(name: str, master: Master, found: Tuned | None, finished: Finished) -> Model:
    """The game master as a model that reads: as it was trained, or the model that it was before."""
    directory: Directory = finished.directory
    if master.kind == API:
        provider, _, _ = directory.entry(master.model).model.partition("/")
        return directory.called(name, master.model, f"{provider}/{found.place}" if found else "")
    base = weights_of(master.model)
    return tuned.Tuned(
        name, base, Path(found.place) if found else None, _how(finished.options, finished.seed)
    )
