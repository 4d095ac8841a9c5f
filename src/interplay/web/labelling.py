"""Labelling, for its owner: rounds, the links that let raters in, how far they have come and agree, what they said."""

from typing import Any

from starlette.responses import Response

from interplay.benchmarks import find
from interplay.core.failures import Mistake
from interplay.core.measures import criteria_of
from interplay.judging.labels import PANEL, SETTLED
from interplay.reporting.pages import labelling as pages
from interplay.reporting.pages.questions import questions_of
from interplay.reporting.sheets import labels_in_words
from interplay.running.results import options_of
from interplay.store.passes import LONGEST_NAME, Pass, Passes
from interplay.store.records import Records, Run
from interplay.store.rounds import MOST_PEOPLE, Round, Rounds
from interplay.web import rating
from interplay.web.agreeing import Agreements
from interplay.web.entries import OWNER, Entry, Field, NotThere, Visit
from interplay.web.site import go_to

COUNT, PEOPLE = 40, 2  # of a round, unless its owner says
AGREEMENTS = Agreements()


def show_rounds(visit: Visit) -> Response:
    """All rounds, and the form of a new one where a run is chosen."""
    with Records(visit.site.store) as records, Rounds(visit.site.store) as rounds:
        runs = [run for run in records.runs() if not run.made_of]
        by_number = {run.number: run for run in records.runs()}
        found = [
            (one, by_number[one.run], rounds.standing(one)) for one in rounds.of() if one.run in by_number
        ]
        wanted = visit.query.get("run", "")
        chosen = _form_of(records.find(wanted), rounds) if wanted.strip() else None
    return visit.site.page("rounds", **pages.rounds(found, runs, chosen))


def _form_of(run: Run, rounds: Rounds) -> dict[str, object]:
    """What can be asked of a run, and of how many conversations; or why nothing can."""
    there = len(rounds.can_be_drawn(run))
    try:
        questions, nothing = questions_of(run, find(run.benchmark)), ""
    except Mistake as mistake:
        questions, nothing = (), str(mistake)
    if not there and not nothing:
        nothing = f"{run.id} has no conversation that was played to its end"
    return {"run": run, "questions": questions, "there": there, "nothing": nothing,
            "count": min(COUNT, there), "people": PEOPLE, "most_people": MOST_PEOPLE}  # fmt: skip


def begin(visit: Visit) -> Response:
    """Draw conversations at random, write the draw down, and begin a round over them."""
    with Records(visit.site.store) as records, Rounds(visit.site.store) as rounds:
        run = records.find(visit.said("run"))
        questions = questions_of(
            run, find(run.benchmark), [one for one in visit.form.get("criterion", ()) if one]
        )
        numbers = rounds.can_be_drawn(run)
        if not numbers:
            raise Mistake(f"{run.id} has no conversation that was played to its end")
        count = int(visit.said("count") or min(COUNT, len(numbers)))
        draw = rounds.labels.draw(run, numbers, count, int(visit.said("seed") or 0))
        round = rounds.begin(run, draw, questions, int(visit.said("people") or PEOPLE), count)
    return go_to(visit.site.links.round(round.id))


def _found(visit: Visit, records: Records, rounds: Rounds) -> tuple[Round, Run]:
    round = rounds.find(visit.path["round"])
    run = next((one for one in records.runs() if round and one.number == round.run), None)
    if round is None or run is None:
        raise NotThere("there is no such round of labels")
    return round, run


def _progress(visit: Visit) -> tuple[Round, Run, list[Pass], dict[str, Any]]:
    """A round, who was invited, and how far they have come."""
    with (
        Records(visit.site.store) as records,
        Rounds(visit.site.store) as rounds,
        Passes(visit.site.store) as passes,
    ):
        round, run = _found(visit, records, rounds)
        invited = passes.of("rater", round.id)
        live = pages.progress(round, run, rounds.standing(round), invited, rounds.changes(round))
    return round, run, invited, live


def show_round(visit: Visit) -> Response:
    round, run, invited, live = _progress(visit)
    benchmark = find(run.benchmark)
    scales = criteria_of(benchmark.measures(options_of(run, benchmark)))
    return visit.site.page("round", **pages.one_round(round, run, invited, scales), live=live)


def show_progress(visit: Visit) -> Response:
    """The part of the page that changes while raters are at work."""
    *_, live = _progress(visit)
    return visit.site.page("round_progress", live=live)


def show_agreement(visit: Visit) -> Response:
    """How far raters agree, and judges with them: a page of its own, or the part of it that changes."""
    with Records(visit.site.store) as records, Rounds(visit.site.store) as rounds:
        round, run = _found(visit, records, rounds)
    agreed = AGREEMENTS.of(visit.site.store, round, run)
    template = "round_agreement_part" if visit.query.get("part") else "round_agreement"
    title = f"Agreement on {run.name or run.id}"
    return visit.site.page(template, title=title, here="labels", round=round, run=run, agreed=agreed)


def invite(visit: Visit) -> Response:
    """A link for somebody; who was invited before gets the same."""
    name = " ".join(visit.said("name").split())
    if name.lower() in (SETTLED, PANEL):
        raise Mistake(f"nobody can be called {name!r} here: rows of that name mean something else")
    with (
        Records(visit.site.store) as records,
        Rounds(visit.site.store) as rounds,
        Passes(visit.site.store) as passes,
    ):
        round, _ = _found(visit, records, rounds)
        passes.issue("rater", round.id, name)
    return go_to(f"{visit.site.links.round(round.id)}#raters")


def revoke(visit: Visit) -> Response:
    """Let somebody in no longer; what they said stays."""
    with (
        Records(visit.site.store) as records,
        Rounds(visit.site.store) as rounds,
        Passes(visit.site.store) as passes,
    ):
        round, _ = _found(visit, records, rounds)
        if not passes.revoke("rater", round.id, visit.said("name")):
            raise NotThere("nobody of this name has a link to this round")
    return go_to(f"{visit.site.links.round(round.id)}#raters")


def export_csv(visit: Visit) -> Response:
    return _export(visit, "csv", "text/csv")


def export_jsonl(visit: Visit) -> Response:
    return _export(visit, "jsonl", "application/jsonl")


def _export(visit: Visit, ending: str, kind: str) -> Response:
    """The labels of the round's conversations as a file that interplay labels import reads again."""
    with Records(visit.site.store) as records, Rounds(visit.site.store) as rounds:
        round, _ = _found(visit, records, rounds)
        text = labels_in_words(records, rounds.given(round), as_csv=ending == "csv")
    headers = {"Content-Disposition": f'attachment; filename="{round.id}.{ending}"'}
    return Response(text, headers=headers, media_type=kind)


_RUN = Field("run", "the run, by its id or name")
_NAME = Field("name", "what the rater is called", most=LONGEST_NAME, required=True)
ENTRIES = (
    Entry(
        "GET", "/labels/", OWNER, show_rounds, "rounds of labels, and the form of a new one", query=(_RUN,)
    ),
    Entry(
        "POST",
        "/labels/",
        OWNER,
        begin,
        "draw conversations at random and begin a round",
        form=(
            Field("run", _RUN.meaning, required=True),
            Field("count", "how many conversations", number=(1, 10_000_000)),
            Field("criterion", "what to ask for; all that judges go by unless some are named", many=True),
            Field("people", "how many label each conversation", number=(1, MOST_PEOPLE)),
            Field("seed", "for the draw", number=(-(2**62), 2**62)),
        ),
    ),
    Entry(
        "GET", "/labels/{round}/", OWNER, show_round, "a round: who labels, how far they are, what they said"
    ),
    Entry("GET", "/labels/{round}/progress/", OWNER, show_progress, "how far the raters of a round are"),
    Entry(
        "GET",
        "/labels/{round}/agreement/",
        OWNER,
        show_agreement,
        "how far raters agree, and judges with them",
        query=(Field("part", "only the part that changes", choices=("1",)),),
    ),
    Entry("POST", "/labels/{round}/invite/", OWNER, invite, "make a link for a rater", form=(_NAME,)),
    Entry("POST", "/labels/{round}/revoke/", OWNER, revoke, "let a rater in no longer", form=(_NAME,)),
    Entry(
        "GET", "/labels/{round}/labels.csv", OWNER, export_csv, "the labels of a round", answers="text/csv"
    ),
    Entry(
        "GET",
        "/labels/{round}/labels.jsonl",
        OWNER,
        export_jsonl,
        "the labels of a round",
        answers="application/jsonl",
    ),
    *rating.ENTRIES,
)
