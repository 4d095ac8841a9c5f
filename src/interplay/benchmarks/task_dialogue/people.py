"""What people say of task dialogues, held against judges."""

from collections.abc import Mapping, Sequence

from interplay.benchmarks.task_dialogue.judges import scores_of
from interplay.benchmarks.task_dialogue.scoring import measures
from interplay.core.benchmark import Options, Played
from interplay.core.board import Board
from interplay.core.measures import criteria_of
from interplay.judging.agreeing import agreement_board
from interplay.judging.labels import labels_in, matched, read_labels

CRITERIA = criteria_of(measures({}))


def read_human(path: str) -> str:
    """A user's file of labels, checked, as a board takes it."""
    return read_labels(path, CRITERIA)


def people_tables(played: Sequence[Played], options: Options) -> list[Board]:
    """The agreement of judges and people, where people said something."""
    labels = labels_in(options["human"])
    if not labels:
        return []
    return [agreement_board("Judges and people", matched(labels, played), CRITERIA, _opinions)]


def _opinions(one: Played) -> Mapping[str, Mapping[str, float]]:
    return {verdict.judge: scores_of(verdict.data) for verdict in one.verdicts if verdict.data is not None}
