"""What pages of labelling show: rounds to their owner, conversations and questions to raters."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from interplay.core.benchmark import Benchmark
from interplay.core.measures import Scale
from interplay.reporting.pages.blind import blind
from interplay.reporting.pages.questions import guide_of
from interplay.running.results import options_of
from interplay.store.passes import Pass
from interplay.store.records import ConversationRow, Run
from interplay.store.rounds import Changed, Question, Round, Said, Standing

MOST_CHOICES = 11  # on a scale with more steps one types a number
MOST_CHANGES = 50  # that are listed
SHORT = 30  # characters: words for a step that can be told beside the others
OPEN = 3_000  # characters: a longer part of a scenario is folded


@dataclass(frozen=True)
class Choice:
    """One step of a scale that can be chosen."""

    value: str
    title: str
    words: str = ""


@dataclass(frozen=True)
class Asked:
    """A question as a form has it."""

    field: str
    title: str
    text: str
    choices: tuple[Choice, ...]  # none where a number is typed
    bands: tuple[tuple[str, str], ...]  # the words for several steps at once
    low: str
    high: str
    step: str
    answer: str  # what is chosen or typed already

    @property
    def is_yes_or_no(self) -> bool:
        return [choice.title for choice in self.choices] == ["yes", "no"]

    @property
    def is_list(self) -> bool:
        """Has a step so many words that it wants a line of its own?"""
        return any(len(choice.words) > SHORT for choice in self.choices)

    @property
    def ends(self) -> tuple[str, str] | None:
        """The words for both ends of a scale whose steps stand side by side."""
        if self.is_list or not self.choices or not self.choices[0].words:
            return None
        return self.choices[0].words, self.choices[-1].words


def asked(questions: Sequence[Question], answers: Mapping[str, str]) -> list[Asked]:
    """Questions with the answers that are there already, by criterion."""
    return [
        Asked(
            field_of(number),
            question.title,
            question.text,
            _choices(question),
            tuple((_span(low, high), words) for low, high, words in question.steps if low < high),
            *(written(question.scale.low), written(question.scale.high)),
            "1" if question.scale.whole else "any",
            answers.get(question.name, ""),
        )
        for number, question in enumerate(questions, 1)
    ]


def field_of(number: int) -> str:
    """The name of the field for the answer to a question, from 1."""
    return f"answer_{number}"


def _choices(question: Question) -> tuple[Choice, ...]:
    if question.scale.is_yes_or_no:
        return Choice("1", "yes"), Choice("0", "no")
    levels = question.scale.levels
    words = {low: told for low, high, told in question.steps if low == high}
    if len(levels) > MOST_CHOICES:
        return ()
    return tuple(Choice(written(level), written(level), words.get(level, "")) for level in levels)


def _span(low: float, high: float) -> str:
    return f"{written(low)} to {written(high)}" if high > low + 1 else f"{written(low)} or {written(high)}"


def written(value: float) -> str:
    return f"{value:.15g}"


def told(value: float, scale: Scale) -> str:
    """A value as people say it."""
    return ("yes" if value else "no") if scale.is_yes_or_no else written(value)


@dataclass(frozen=True)
class Rater:
    """Who labels, and where in the round that is."""

    guest: Pass
    standing: Standing

    @property
    def mine(self) -> list[int]:
        return self.standing.open_to(self.guest.name)

    @property
    def finished(self) -> list[int]:
        return sorted(self.standing.finished.get(self.guest.name, ()))

    @property
    def next(self) -> int:
        return self.standing.next(self.guest.name)

    def known(self) -> dict[str, Any]:
        """What all pages of a rater need."""
        return {
            "secret": self.guest.secret,
            "rater": self.guest.name,
            "done": len(self.finished),
            "next": self.next,
        }


def welcome(rater: Rater, benchmark: str) -> dict[str, Any]:
    """The page that a rater begins with, comes back to, and ends with."""
    return {
        **rater.known(),
        "title": "Label conversations",
        "task": guide_of(benchmark).task,
        "questions": asked(rater.standing.round.questions, {}),
        "finished": rater.finished,
        "total": len(rater.mine),
    }


def item(
    rater: Rater,
    place: int,
    run: Run,
    row: ConversationRow,
    benchmark: Benchmark,
    *,
    answers: Mapping[str, str],
    seen: int,
    problem: str = "",
) -> dict[str, Any]:
    """One conversation, blind, and what is asked about it."""
    covers, guide = blind(run, row), guide_of(benchmark.name)
    mine = rater.mine
    ordinal = mine.index(place) + 1 if place in mine else 0
    subjects = {role.name for role in benchmark.subjects(options_of(run, benchmark))}
    lines = covers.lines(row.lines)
    seats = {line.source for line in lines if line.source.partition(" ")[0] in subjects}
    before = [one for one in rater.finished if one < place]
    return {
        **rater.known(),
        "title": f"Conversation {ordinal} of {len(mine)}" if ordinal else f"Conversation {place}",
        "place": place,
        "ordinal": ordinal,
        "total": len(mine),
        "task": guide.task,
        "scenario": _parts(covers.data(row.scenario.content), guide.first),
        "lines": lines,
        "subjects": sorted(seats),
        "questions": asked(rater.standing.round.questions, answers),
        "seen": seen,
        "problem": problem,
        "is_finished": place in rater.finished,
        "back": max(before, default=0),
    }


def _parts(content: Mapping[str, Any], first: Mapping[str, str]) -> list[dict[str, Any]]:
    """The parts of a scenario that raters read first, open where they are not too long; the others folded."""
    shown = [name for name in (first or content) if content.get(name) not in (None, "", [], {})]
    parts = [
        {
            "title": first.get(name) or name.replace("_", " ").capitalize(),
            "data": _shortest_first(content[name]),
            "open": _size(content[name]) <= OPEN,
        }
        for name in shown
    ]
    rest = {
        name: part for name, part in content.items() if name not in shown and part not in (None, "", [], {})
    }
    return [*parts, {"title": "More about the scenario", "data": rest, "open": False}] if rest else parts


def _shortest_first(part: Any) -> Any:
    """Names and such before long texts: the record has fields by the alphabet."""
    return dict(sorted(part.items(), key=lambda field: _size(field[1]))) if isinstance(part, dict) else part


def _size(part: Any) -> int:
    return len(str(part))


def twice(rater: Rater, place: int, said: Mapping[str, Sequence[Said]], seen: int) -> dict[str, Any] | None:
    """That somebody said two things of one conversation in two places at once; None where it was one thing.

    Said is all that was said since the page was drawn on which it was answered last, by criterion, oldest first.
    """
    told_of, answers, newest = [], {}, seen
    for number, question in enumerate(rater.standing.round.questions, 1):
        rows = said.get(question.name, ())
        if not rows:
            continue
        now = rows[-1]
        before = next((row for row in reversed(rows) if row.value != now.value), None)
        newest = max(newest, now.number)
        answers[field_of(number)] = written((before or now).value)
        if before is not None:
            told_of.append(
                {
                    "title": question.title,
                    **{"before": told(before.value, question.scale), "before_at": before.made},
                    **{"now": told(now.value, question.scale), "now_at": now.made},
                }
            )
    if not told_of:
        return None
    return {
        **rater.known(),
        "title": "You said two things",
        "place": place,
        "told": told_of,
        "answers": answers,
        "newest": newest,
    }


def rounds(
    found: Sequence[tuple[Round, Run, Standing]], runs: Sequence[Run], chosen: Mapping[str, Any] | None
) -> dict[str, Any]:
    """All rounds, and the form by which one begins."""
    return {
        "title": "Label",
        "here": "labels",
        "rounds": [
            {
                "id": round.id,
                "run": run,
                "criteria": [question.title for question in round.questions],
                "raters": list(standing.finished),
                **_counts(standing),
                "made": round.made,
            }
            for round, run, standing in found
        ],
        "runs": runs[::-1],
        "chosen": chosen,
    }


def _counts(standing: Standing) -> dict[str, Any]:
    """How many labels of conversations are there, of how many that are wanted."""
    round = standing.round
    finished = sum(min(count, round.people) for count in standing.counts())
    return {"conversations": len(round.items), "people": round.people, "finished": finished,
            "wanted": len(round.items) * round.people}  # fmt: skip


def one_round(round: Round, run: Run, invited: Sequence[Pass], scales: Mapping[str, Scale]) -> dict[str, Any]:
    """The page of a round, but for what changes while raters are at work; scales are what judges go by now."""
    return {
        "outdated": [one.title for one in round.questions if scales.get(one.name) != one.scale],
        "title": f"Labels of {run.name or run.id}",
        "here": "labels",
        "round": round,
        "run": run,
        "questions": asked(round.questions, {}),
        "invited": [one for one in invited if not one.revoked],
        "revoked": [one for one in invited if one.revoked],
    }


def progress(
    round: Round, run: Run, standing: Standing, invited: Sequence[Pass], changes: Sequence[Changed]
) -> dict[str, Any]:
    """How far raters have come, and which answers they changed."""
    names = list(dict.fromkeys([*(one.name for one in invited if not one.revoked), *standing.finished]))
    scales = {question.name: question.scale for question in round.questions}
    by_count = Counter(min(count, round.people) for count in standing.counts())
    return {
        "round": round,
        "run": run,
        **_counts(standing),
        "raters": [
            {
                "name": name,
                "finished": len(standing.finished.get(name, ())),
                "total": len(standing.open_to(name)),
            }
            for name in names
        ],
        "by_count": [(count, by_count[count]) for count in range(round.people, -1, -1)],
        "changes": [
            {
                "rater": one.rater,
                "place": one.place,
                "conversation": round.conversation(one.place),
                "criterion": one.criterion.replace("_", " "),
                **{"before": told(one.before.value, scales[one.criterion]), "before_at": one.before.made},
                **{"now": told(one.after.value, scales[one.criterion]), "now_at": one.after.made},
            }
            for one in changes[:MOST_CHANGES]
        ],
        "more_changes": max(0, len(changes) - MOST_CHANGES),
    }
