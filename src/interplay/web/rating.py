"""Labelling, for raters: one conversation after another, blind, by a link of one's own."""

from collections.abc import Mapping
from http import HTTPStatus

from starlette.responses import Response

from interplay.benchmarks import find
from interplay.core.benchmark import Benchmark
from interplay.core.failures import Mistake
from interplay.reporting.pages import labelling as pages
from interplay.reporting.pages.labelling import Rater
from interplay.store.passes import Pass
from interplay.store.records import Records
from interplay.store.rounds import Question, Rounds
from interplay.web.entries import RATER, Entry, Field, NotThere, Visit
from interplay.web.site import go_to

LARGEST_ROW = 2**62
NAMED_FIELDS = 8  # that programs are told of; a rubric may ask more


class _Room:
    """The round that a link lets somebody into."""

    def __init__(self, visit: Visit, records: Records, rounds: Rounds):
        self.site, self.records, self.rounds = visit.site, records, rounds
        self.guest: Pass = _known(visit)
        round = rounds.find(self.guest.place)
        run = next((one for one in records.runs() if round and one.number == round.run), None)
        if round is None or run is None:
            raise NotThere("what this link led to is no longer there; ask who invited you")
        self.round, self.run = round, run

    @property
    def benchmark(self) -> Benchmark:
        return find(self.run.benchmark)

    @property
    def rater(self) -> Rater:
        return Rater(self.guest, self.rounds.standing(self.round))

    def place(self, visit: Visit) -> int:
        place: int = visit.path["place"]
        if self.round.conversation(place) is None:
            raise NotThere(f"there is no conversation {place} here; there are {len(self.round.items)}")
        return place

    def go_on(self) -> Response:
        """To the first conversation that is not finished, or to the page that says there is none."""
        return go_to(self.site.links.label(self.guest.secret, self.rater.next))

    def item(self, place: int, answers: Mapping[str, str], seen: int, problem: str = "") -> Response:
        number = self.round.conversation(place)
        row = self.records.conversation(number or 0)
        shown = pages.item(
            self.rater, place, self.run, row, self.benchmark, answers=answers, seen=seen, problem=problem
        )
        return self.site.page("label", HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK, **shown)


def _known(visit: Visit) -> Pass:
    if visit.guest is None:
        raise NotThere("this link lets nobody in")
    return visit.guest


def welcome(visit: Visit) -> Response:
    with Records(visit.site.store) as records, Rounds(visit.site.store) as rounds:
        room = _Room(visit, records, rounds)
        return visit.site.page("label_welcome", **pages.welcome(room.rater, room.benchmark.name))


def show_item(visit: Visit) -> Response:
    """One conversation with its questions; or, right after two different answers, that there are two."""
    with Records(visit.site.store) as records, Rounds(visit.site.store) as rounds:
        room = _Room(visit, records, rounds)
        place = room.place(visit)
        if visit.query.get("since"):
            seen = int(visit.query["since"]) - 1
            said = rounds.said(room.round, room.guest.name, place, after=seen)
            both = pages.twice(room.rater, place, said, seen)
            if both is not None:
                return visit.site.page("label_twice", **both)
        said = rounds.said(room.round, room.guest.name, place)
        answers = {name: pages.written(rows[-1].value) for name, rows in said.items()}
        return room.item(place, answers, seen=max((rows[-1].number for rows in said.values()), default=0))


def take_answers(visit: Visit) -> Response:
    """Write down what a rater says; the answer goes out when it is on disk."""
    with Records(visit.site.store) as records, Rounds(visit.site.store) as rounds:
        room = _Room(visit, records, rounds)
        place, seen = room.place(visit), int(visit.said("seen") or 0)
        typed = {
            question.name: visit.said(pages.field_of(number)).strip()
            for number, question in enumerate(room.round.questions, 1)
        }
        try:
            values = {
                question.name: _read(question, typed[question.name]) for question in room.round.questions
            }
        except Mistake as mistake:
            return room.item(place, typed, seen, problem=str(mistake))
        rounds.say(room.round, room.guest.name, place, values)
        since = rounds.said(room.round, room.guest.name, place, after=seen)
        if pages.twice(room.rater, place, since, seen) is not None:
            return go_to(visit.site.links.label(room.guest.secret, place, since=seen + 1))
        return room.go_on()


def _read(question: Question, text: str) -> float:
    if not text:
        raise Mistake(f"{question.title} is not answered yet")
    value = question.scale.read(text)
    if value is None:
        raise Mistake(f"{question.title} is {question.scale}, not {text[:40]!r}")
    return value


_ANSWERS = tuple(
    Field(pages.field_of(number), f"the answer to question {number}", most=40)
    for number in range(1, NAMED_FIELDS + 1)
)
_SEEN = Field(
    "seen",
    "the newest row of one's own that the page was drawn from; 0 where there was none",
    number=(0, LARGEST_ROW),
)
ENTRIES = (
    Entry("GET", "/label/{secret}/", RATER, welcome, "what a rater is to do, and how far that is done"),
    Entry(
        "GET",
        "/label/{secret}/{place:int}/",
        RATER,
        show_item,
        "one conversation to label",
        query=(Field("since", "tell of two answers since this row", number=(0, LARGEST_ROW)),),
    ),
    Entry(
        "POST",
        "/label/{secret}/{place:int}/",
        RATER,
        take_answers,
        "say something of a conversation",
        form=(_SEEN, *_ANSWERS),
    ),
)
