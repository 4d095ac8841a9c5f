"""The sequel of sessions with intentions: game masters learn from what was played, then read real play."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from random import Random
from typing import Any

from interplay.benchmarks.social_interaction.gap import UNTRAINED
from interplay.benchmarks.social_interaction.light import LightReader
from interplay.benchmarks.social_interaction.masters import API, EXAMPLES, LIGHT, LOCAL, Master, masters_in
from interplay.benchmarks.social_interaction.reading import Reader, Trained, example_of, reading, reading_by
from interplay.benchmarks.social_interaction.scenarios import INTENTIONS
from interplay.benchmarks.social_interaction.study import Pupil, Study, play_of, study_of
from interplay.benchmarks.social_interaction.teachers import teacher_of, tuned_model, weights_of
from interplay.benchmarks.social_interaction.training import Lesson, Tuned, rule_name, training, training_by
from interplay.benchmarks.social_interaction.windows import Window
from interplay.core.benchmark import RULE, Errand, Finished, Options, RunErrand, Sequel
from interplay.core.failures import Mistake
from interplay.core.wire import canonical
from interplay.models import sentences
from interplay.models.connecting import Directory
from interplay.models.sentences import Encoder


def wanted(options: Options) -> bool:
    return options["scene"] == INTENTIONS and bool(masters_in(options["dm"]))


def check(options: Options, directory: Directory, on_a_budget: bool) -> None:
    """Raise a Mistake before anything is played if the reading could not be done."""
    play_of(options)
    for master in masters_in(options["dm"]):
        if master.kind == API and on_a_budget:
            raise Mistake(
                f"--dm {master}: what fine-tuning at an endpoint costs is not known before, so it takes no budget; "
                "play with --dm none, and read without one: interplay read"
            )
        if master.kind == EXAMPLES:
            directory.check(master.model)
        if master.kind == API:
            directory.fine_tuning(master.model)
        if master.kind == LOCAL:
            weights_of(master.model)


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
        {"settings": teacher.settings},
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
    encoder = cache(sentences.load)
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


def _light(windows: Sequence[Window], encoder: Callable[[], Encoder]) -> LightReader:
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
    told = {
        name: {"dm": str(pupil.master), "source": pupil.source, "size": len(pupil.windows)}
        for name, (pupil, _) in readers.items()
    }
    options = {
        "of": finished.run,
        "readers": canonical(told),
        "told": canonical(study.told),
        "learned": study.learned,
    }
    benchmark = reading_by({name: reader for name, (_, reader) in readers.items()}, study.held_out)
    return Errand(benchmark, tuple(readers), options, made)


sequel = Sequel((training, reading), wanted, check, follow)
