"""The same for programs, as JSON."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from http import HTTPStatus
from math import isfinite
from typing import Any

from starlette.responses import Response

from interplay.benchmarks import find
from interplay.core.failures import StoreTrouble
from interplay.reporting.pages import calls, listing
from interplay.reporting.pages.runs import about
from interplay.store.browsing import PAGE, Browsing
from interplay.store.finding import conversation_of, run_of
from interplay.store.records import Records, Run
from interplay.store.sums import Sums
from interplay.web import shapes
from interplay.web.entries import OWNER, Entry, Field, Handler, NotThere, Visit
from interplay.web.looking import run_named
from interplay.web.site import Site
from interplay.web.watching import FILTERS, page_in, stands

SIZE = Field("size", "so many at most", number=(1, 500))
DEEPEST = 200  # values within values


def answer(value: Any, status: HTTPStatus = HTTPStatus.OK) -> Response:
    """A value as JSON; what JSON has no word for, as infinity, is null."""
    return Response(json.dumps(_plain(value)), status, media_type="application/json")


def _plain(value: Any, depth: int = 0) -> Any:
    if depth > DEEPEST:
        return None
    if isinstance(value, Mapping):
        return {str(name): _plain(part, depth + 1) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part, depth + 1) for part in value]
    if value is None or isinstance(value, str | bool | int):
        return value
    number = float(value)  # also numpy's
    return number if isfinite(number) else None


def _later(run: Run) -> Response:
    """A large run is looked through in the background: ask again in a few seconds."""
    return answer({"run": run.id, "state": "being computed"}, HTTPStatus.ACCEPTED)


def list_runs(visit: Visit) -> Response:
    with Records(visit.site.store) as records:
        return answer({"runs": [_summary(visit.site, run) for run in records.runs()]})


def one_run(visit: Visit) -> Response:
    with Records(visit.site.store) as records:
        run = run_named(records, visit.path["run"])
        benchmark = find(run.benchmark)
        more = about(run, benchmark)
        return answer(
            {
                **_summary(visit.site, run),
                "roles": {role: [one["name"] for one in names] for role, names in more["roles"]},
                "options": dict(run.identity["options"]),
                "sampling": dict(run.identity["sampling"]),
                "seed": run.identity["seed"],
                "scenarios": run.extent["limit"],
                "epochs": run.extent["epochs"],
                "rubric": run.extent["rubric"],
                "measures": [
                    {"name": one.name, "meaning": one.meaning, "low": one.scale.low, "high": one.scale.high}
                    for one in listing.all_measures(run, benchmark)
                ],
            }
        )


def _summary(site: Site, run: Run) -> dict[str, Any]:
    """A run in a list, as `interplay list --json` has it; counts are null while they are counted."""
    sums: Sums | None = site.keeper.sums(run).value
    return {
        "run": run.id,
        "name": run.name,
        "of": run.made_of,
        "benchmark": run.benchmark,
        "started": run.created[:16].replace("T", " "),
        "models": list(run.identity["models"]),
        "judges": list(run.extent["judges"]),
        **{
            shown: sums.states.get(state, 0) if sums else None
            for shown, state in (("played", "done"), ("void", "void"), ("open", "open"))
        },
    }


def board(visit: Visit) -> Response:
    with Records(visit.site.store) as records:
        run = run_named(records, visit.path["run"])
    kept = visit.site.keeper.board(run)
    if kept.value is None and kept.trouble:
        raise StoreTrouble(f"the board of {run.id}: {kept.trouble}")
    if kept.value is None:
        return _later(run)
    return answer({"run": run.id, "as_of": kept.as_of, "stale": kept.stale, **kept.value.as_json()})


def progress(visit: Visit) -> Response:
    with Records(visit.site.store) as records:
        run = run_named(records, visit.path["run"])
        found = stands(visit.site, records, run, find(run.benchmark))
    return _later(run) if found is None else answer(found.record())


def list_conversations(visit: Visit) -> Response:
    size = int(visit.query.get("size") or PAGE)
    with Records(visit.site.store) as records:
        run = run_named(records, visit.path["run"])
        benchmark = find(run.benchmark)
        page = page_in(visit, records, run, size)
        measures = listing.all_measures(run, benchmark)
        marks = listing.marks_of(records, run, benchmark, measures, [one.number for one in page.rows])
    rows = [
        {
            "number": one.number,
            "scenario": one.label,
            "scenario_id": one.scenario,
            "model": one.subject,
            "repeat": one.repeat + 1,
            "take": one.take + 1,
            "state": one.state,
            "failure": one.failure,
            "scores": marks.get(one.number, {}),
        }
        for one in page.rows
    ]
    return answer(
        {
            "run": run.id,
            "conversations": rows,
            "before": rows[0]["number"] if rows and page.has_before else None,
            "after": rows[-1]["number"] if rows and page.has_after else None,
        }
    )


def one_conversation(visit: Visit) -> Response:
    """A conversation with its verdicts, as `interplay show RUN --conversation NUMBER --json` has it."""
    with Records(visit.site.store) as records:
        run = run_of(records, visit.path["number"])
        if run is None:
            raise NotThere(f"there is no conversation {visit.path['number']} in this store")
        row = records.conversation(visit.path["number"])
        verdicts = [one for item, one in records.verdicts_of(row.number) if not item]
        verdicts.sort(key=lambda one: one.rubric != run.extent["rubric"])
        listed = Browsing(records).calls_of(row.number)
    return answer(
        {
            "number": row.number,
            "run": run.id,
            "scenario": row.scenario.content,
            "model": row.subject,
            "cast": dict(row.cast),
            "repeat": row.repeat + 1,
            "state": row.state,
            "failure": row.failure,
            "detail": row.detail,
            "outcome": row.outcome,
            "lines": [asdict(line) for line in row.lines],
            "verdicts": [asdict(one) for one in verdicts],
            "calls": [one.number for one in listed],
        }
    )


def one_call(visit: Visit) -> Response:
    with Records(visit.site.store) as records:
        conversation = conversation_of(records, visit.path["number"])
        run = run_of(records, conversation) if conversation is not None else None
        if run is None:
            raise NotThere(f"there is no call {visit.path['number']} in this store")
        return answer(calls.record(run, Browsing(records).call(visit.path["number"])))


def _entry(
    path: str, handler: Handler, meaning: str, gives: shapes.Shape, query: tuple[Field, ...] = ()
) -> Entry:
    return Entry("GET", path, OWNER, handler, meaning, query, answers="application/json", gives=gives)


ENTRIES = (
    _entry("/api/runs", list_runs, "all runs, oldest first", shapes.RUNS),
    _entry("/api/runs/{run}", one_run, "a run: what it is, and how many conversations it has", shapes.RUN),
    _entry("/api/runs/{run}/board", board, "the board of a run", shapes.BOARD),
    _entry("/api/runs/{run}/progress", progress, "where a run stands", shapes.PROGRESS),
    _entry(
        "/api/runs/{run}/conversations",
        list_conversations,
        "conversations of a run in the order of their numbers; before and after lead to the next pages",
        shapes.CONVERSATIONS,
        (*FILTERS, SIZE),
    ),
    _entry(
        "/api/conversations/{number:int}",
        one_conversation,
        "a conversation and its verdicts",
        shapes.CONVERSATION,
    ),
    _entry("/api/calls/{number:int}", one_call, "one call: what was asked and answered", shapes.CALL),
)
