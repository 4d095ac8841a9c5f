"""Scores of a lesson: two by the judges, and one by rule, which needs nobody's opinion."""

from collections.abc import Sequence

from interplay.authoring import Measure, Options, Scale, Score, Verdict, judged

from .protocol import Lesson

MEASURES = (
    Measure("clarity", "how well a beginner could follow, 1 to 5", Scale(1, 5)),
    Measure("accuracy", "how right what was said is, 1 to 5", Scale(1, 5)),
    Measure("brevity", "share of answers of at most 80 words", Scale(0, 1, whole=False), "rule"),
)
MOST_WORDS = 80


def score(lesson: Lesson, verdicts: Sequence[Verdict], options: Options) -> list[Score]:
    """A judge who gave no verdict gives no score: what is missing is counted apart, and never a zero."""
    short = [len(one.answer.split()) <= MOST_WORDS for one in lesson.exchanges]
    by_rule = Score("brevity", sum(short) / len(short), "rule: words of each answer")
    return [by_rule, *judged(verdicts, "clarity", "accuracy")]
