"""The questions that raters are asked: each benchmark's own rubric, in words for people."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from interplay.benchmarks import role_play, simulation, social_interaction, task_dialogue, transcripts
from interplay.benchmarks.simulation.judges import BANDS
from interplay.benchmarks.task_dialogue.judges import RATINGS
from interplay.core.benchmark import Benchmark, Options
from interplay.core.failures import Mistake, nearest
from interplay.core.measures import Measure
from interplay.judging.rubric import Rubric
from interplay.running.results import options_of
from interplay.store.records import Run
from interplay.store.rounds import Question, Step


@dataclass(frozen=True)
class Guide:
    """How the conversations of a benchmark are labelled, beyond what its measures say."""

    task: str  # what raters should look at
    texts: Mapping[str, str]  # the question in full, by criterion
    # the parts of a scenario that are read first, with their titles; all of them where nothing is said
    first: Mapping[str, str] = field(default_factory=dict)
    steps: Callable[[Options, Measure], Sequence[Step]] = lambda options, measure: ()


def questions_of(run: Run, benchmark: Benchmark, wanted: Sequence[str] = ()) -> tuple[Question, ...]:
    """What raters can be asked of a run's conversations, or those criteria that are wanted."""
    options = options_of(run, benchmark)
    known = {one.name: one for one in benchmark.measures(options) if one.by == "judges" and not one.of}
    if not known:
        raise Mistake(f"{benchmark.name} is scored by rule: there is nothing for people to label")
    for name in wanted:
        if name not in known:
            raise Mistake(f"{benchmark.name} has no criterion {name[:80]!r}; {nearest(name, known)}")
    guide = guide_of(benchmark.name)
    return tuple(
        Question(
            measure.name,
            guide.texts.get(measure.name, _sentence(measure.meaning)),
            measure.scale,
            tuple(guide.steps(options, measure)),
        )
        for measure in known.values()
        if not wanted or measure.name in wanted
    )


def guide_of(benchmark: str) -> Guide:
    return _GUIDES.get(benchmark, _PLAIN)


def _sentence(meaning: str) -> str:
    return f"{meaning[:1].upper()}{meaning[1:]}{'' if meaning[-1:] in '.?' else '.'}"


def _steps_of(rubric_for: Callable[[Options], Rubric]) -> Callable[[Options, Measure], list[Step]]:
    def steps(options: Options, measure: Measure) -> list[Step]:
        rubric = rubric_for(options)
        if measure.name not in rubric.names:
            return []
        return [(float(step), float(step), words) for step, words in sorted(rubric.labels.items())]

    return steps


def _steps_of_ratings(options: Options, measure: Measure) -> list[Step]:
    bands = RATINGS.get(measure.name, {})
    return [(float(step), float(step), words) for step, words in sorted(bands.items())]


def _steps_of_answers(options: Options, measure: Measure) -> list[Step]:
    return [(float(low), float(high), words) for (low, high), words in BANDS.items()]


_PLAIN = Guide("Read the conversation, then answer what is asked about it.", {})
_NATURAL = "Naturalness of the {}: how much it talks as a person would. Whether the task was done does not matter here."
_COHERENT = (
    "Coherence of the {}. Two conditions: what it says follows from what was said before; and over the whole dialogue "
    "it leads towards the user's goal, step by step."
)
_GUIDES = {
    role_play.benchmark.name: Guide(
        "A player was given the card of a character and talked to somebody. Judge the player's replies, all of them "
        "together, never the other's. A long reply is not better than a short one, and rudeness or violence is no "
        "fault if the card calls for it.",
        {},
        {"character": "The card of the character"},
        _steps_of(role_play.rubrics.rubric_for),
    ),
    transcripts.benchmark.name: Guide(
        "An assistant talked to one or several others. Judge the assistant by the conversation as a whole, never the "
        "others. A long reply is not better than a short one.",
        {},
        {},
        _steps_of(transcripts.rubrics.rubric_for),
    ),
    simulation.benchmark.name: Guide(
        "A model plays an interface, whose rules are in the first request. Judge its last answer alone: what should "
        "the interface have shown, by its rules and by all that has happened before? Content comes first, form second; "
        "an interface may rightly show nothing.",
        {"rating": "How good is the last answer?"},
        {"keeps": "What every right answer of this interface keeps to"},
        _steps_of_answers,
    ),
    task_dialogue.benchmark.name: Guide(
        "A user wants something done, and a system serves the user. Judge what stands there: claims without substance "
        "prove nothing, and neither do thanks.",
        {
            "completed": "Did the system do all that the user asked for in the dialogue? A request is fulfilled by "
            "substance: the very fact, the place by its name, a booking that is confirmed.",
            "user_agent": "Of the key phrases of the goal, which are between **: what share came up in "
            "the dialogue, in any words? A number from 0 to 1, such as 0.75 for three of four.",
            "naturalness_user": _NATURAL.format("user"),
            "naturalness_system": _NATURAL.format("system"),
            "diversity_user": "Diversity of the user: how far it leaves the beaten path of wish, offer, booking and "
            "thanks.",
            "coherence_user": _COHERENT.format("user"),
            "coherence_system": _COHERENT.format("system"),
        },
        {"message": "The user's goal"},
        _steps_of_ratings,
    ),
    social_interaction.benchmark.name: Guide(
        "Players try to learn what somebody at the table knows. The points that there are to learn stand under "
        "knowledge.",
        {
            "iep": "What share of the points did a player learn in the scene, on the mean over the players? A number "
            "from 0 to 1, such as 0.5 for half of them. To ask about a point or to hint at it is not to tell it.",
        },
        {"place": "The place", "knowledge": "What there is to learn"},
    ),
}  # fmt: skip
