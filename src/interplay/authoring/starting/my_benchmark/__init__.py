"""Explain it simply: a model explains something to a beginner who asks back; a judge says how well."""

from pathlib import Path

from interplay.authoring import Option, Role, Sampling, compose, scenarios_in

from .judging import judge
from .protocol import EXPLAINER, LEARNER, PROMPTS, Lesson, calls, play
from .scoring import MEASURES, score

FIELDS = {"concept": str, "fact": str, "jargon": list}
ROLES = (
    Role(EXPLAINER, "subject", Sampling(0.7, 0.95, 512), "explains; the model that is measured"),
    Role(LEARNER, "simulator", Sampling(0.7, 0.95, 128), "knows nothing of it yet, and asks back"),
    Role("judge", "judge", Sampling(0.0, None, 512), "rates the whole lesson; there may be several"),
)

benchmark = compose(
    name="my_benchmark",
    meaning="how simply, and how rightly, a model explains something to a beginner",
    roles=ROLES,
    scenarios=scenarios_in(Path(__file__).parent / "data" / "concepts.toml", "concepts", FIELDS, "concept"),
    options=(Option("questions", "2", "how often the learner asks back", number=(0, 5)),),
    prompts=PROMPTS,
    outcome=Lesson,
    play=play,
    calls=calls,
    judging=judge,
    score=score,
    measures=MEASURES,
)
