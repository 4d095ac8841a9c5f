"""The sequel of sessions with intentions: game masters learn from what was played, then read real play."""

from collections.abc import Mapping, Sequence
from functools import partial
from random import Random
from threading import Lock
from typing import Any

from interplay.benchmarks.social_interaction.foretelling import foretell
from interplay.benchmarks.social_interaction.gap import UNTRAINED
from interplay.benchmarks.social_interaction.light import LightReader
from interplay.benchmarks.social_interaction.masters import API, EXAMPLES, LIGHT, LOCAL, Master, masters_in
from interplay.benchmarks.social_interaction.reading import Reader, Trained, example_of, reading, reading_by
from interplay.benchmarks.social_interaction.scenarios import INTENTIONS
from interplay.benchmarks.social_interaction.study import Pupil, Study, play_of, study_of
from interplay.benchmarks.social_interaction.teachers import check_local, teacher_of, tuned_model
from interplay.benchmarks.social_interaction.training import Lesson, Tuned, rule_name, training, training_by
from interplay.benchmarks.social_interaction.windows import Window, split
from interplay.core.benchmark import RULE, Options
from interplay.core.failures import Mistake
from interplay.core.making import Errand, Finished, RunErrand, Sequel
from interplay.core.wire import canonical
from interplay.models import sentences
from interplay.models.connecting import Directory
from interplay.models.sentences import Encoder


def wanted(options: Options) -> bool:
    return options["scene"] == INTENTIONS and bool(masters_in(options["dm"]))


def check(options: Options, directory: Directory, on_a_budget: bool) -> None:
    """Raise a Mistake before anything is played if the reading could not be done."""
    split(play_of(options), int(options["held_out"]) / 100, 0)  # of one session alone there is no half
    for master in masters_in(options["dm"]):
        if master.kind == API and on_a_budget:
            raise Mistake(
                f"--dm {master}: what fine-tuning at an endpoint costs is not known before, so it takes no budget; "
                "play with --dm none, and read without one: interplay read"
            )
        if master.kind == LIGHT:
            sentences.fetch()
        if master.kind == EXAMPLES:
            directory.check(master.model)
        if master.kind == API:
            directory.fine_tuning(master.model)
        if master.kind == LOCAL:
            check_local(master, options)


def follow(finished: Finished, run: RunErrand) -> bool:
    """Teach every game master, let all of them read, and leave a record of both."""
    study = study_of(finished)
    tuned: dict[str, Tuned] = {}
    for master in dict.fromkeys(pupil.master for pupil in study.pupils):
        if master.kind in (API, LOCAL):
            taught = _teach(master, study, finished, run)
            if taught is None:
                return False
            tuned |= taught
    readers, made = _readers(study, tuned, finished)
    played = run(_reading(study, readers, made, finished))
    return played is not None


def _teach(master: Master, study: Study, finished: Finished, run: RunErrand) -> dict[str, Tuned] | None:
    """Fine-tune a game master for each of its lessons; by pupil's name, without those whose training failed."""
    pupils = [pupil for pupil in study.pupils if pupil.master == master and pupil.windows]
    lessons = {
        pupil.name: Lesson(str(master), pupil.source, tuple(example_of(window) for window in pupil.windows))
        for pupil in pupils
    }
    teacher = teacher_of(master, finished)
    errand = Errand(
        training_by(str(master), teacher.teach, list(lessons.values())),
        (rule_name(str(master)),),
        {"of": finished.run, "settings": teacher.settings},
    )
    played = run(errand)
    if played is None:
        return None
    came_to = {one.scenario.content["examples"]: one for one in played}
    found = {}
    for name, lesson in lessons.items():
        one = came_to.get(lesson.digest)
        if one is not None and one.outcome is not None:
            found[name] = one.outcome
        else:
            finished.tell(f"Note: {name} could not be trained: {one.detail if one else 'it was not begun'}")
    return found


def _readers(
    study: Study, tuned: Mapping[str, Tuned], finished: Finished
) -> tuple[dict[str, tuple[Pupil, Reader]], dict[str, Any]]:
    """Everybody who can read, by name, and the models that were made for that."""
    encoder = _Encoder()
    readers: dict[str, tuple[Pupil, Reader]] = {}
    made: dict[str, Any] = {}
    for pupil in study.pupils:
        name = pupil.name
        if pupil.master.kind == LIGHT:
            learn = partial(_light, pupil.windows, encoder)
            readers[RULE + name] = pupil, Reader(RULE + name, trained=Trained(learn))
            continue
        if pupil.master.kind == EXAMPLES:
            shown = _shown(pupil.windows, int(finished.options["shots"]), f"{finished.seed}/{pupil.source}")
            readers[name] = pupil, Reader(name, tuple(example_of(window) for window in shown))
            made[name] = finished.directory.called(name, pupil.master.model)
        elif pupil.source == UNTRAINED or name in tuned:
            readers[name] = pupil, Reader(name)
            made[name] = tuned_model(name, pupil.master, tuned.get(name), finished)
    return readers, made


class _Encoder:
    """The sentence encoder, loaded once, whichever reader asks for it first."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._loaded: Encoder | None = None

    def __call__(self) -> Encoder:
        with self._lock:
            self._loaded = self._loaded or sentences.load()
            return self._loaded


def _light(windows: Sequence[Window], encoder: _Encoder) -> LightReader:
    return LightReader.train(windows, encoder()) if windows else LightReader.untrained(encoder())


def _shown(windows: Sequence[Window], most: int, draw: str) -> list[Window]:
    """Examples for a model's eyes: so many of what it learns from."""
    return Random(draw).sample(list(windows), min(most, len(windows)))  # noqa: S311  # draws examples


def _reading(
    study: Study,
    readers: Mapping[str, tuple[Pupil, Reader]],
    made: Mapping[str, Any],
    finished: Finished,
) -> Errand:
    masters = dict.fromkeys(pupil.master for pupil, _ in readers.values())
    trained = {one: teacher_of(one, finished).settings for one in masters if one.kind in (API, LOCAL)}
    told: dict[str, dict[str, Any]] = {}
    for name, (pupil, reader) in readers.items():
        told[name] = {"dm": str(pupil.master), "source": pupil.source, "size": len(pupil.windows)}
        # whoever saw more examples, or was trained in another way, is another reader under the same name
        if reader.examples:
            told[name]["shots"] = len(reader.examples)
        if pupil.master in trained and pupil.windows:
            told[name]["trained"] = trained[pupil.master]
    options = {
        "of": finished.run,
        "readers": canonical(told),
        "told": canonical(study.told),
        "learned": study.learned,
    }
    benchmark = reading_by({name: reader for name, (_, reader) in readers.items()}, study.held_out)
    return Errand(benchmark, tuple(readers), options, made)


sequel = Sequel((training, reading), wanted, check, follow, foretell)
