"""A small store for labelling, whose models' names and conversations' numbers would be noticed wherever they leak."""

import os
import re
from dataclasses import replace
from pathlib import Path

import apsw

from interplay.benchmarks import find
from interplay.core.conversation import Line
from interplay.reporting.pages.questions import questions_of
from interplay.store.passes import Passes
from interplay.store.records import Records, Run
from interplay.store.rounds import Round, Rounds
from tests.analysis.planted import acted, record
from tests.web.served import Answer, Served

MODELS = ("openai/gpt-zeta-4", "anthropic/omicron.7b")
JUDGES = ("openai/judge-xq1", "mistral/verdict-9")
SECOND_NAMES = ("gpt-zeta-4", "omicron.7b", "judge-xq1", "verdict-9")
FIRST_NUMBER = 918_000
EACH = 5  # conversations of a model
FILL = {"answer_1": "4", "answer_2": "3", "answer_3": "5", "answer_4": "0"}
CRITERIA = ("in_character", "entertaining", "fluency", "refused")


def store_to_label(path: Path) -> Run:
    """A judged run of role play in which models call each other and the judges by name."""
    talks = []
    for model in MODELS:
        for number in range(EACH):
            talk = acted(number, model, **dict.fromkeys(JUDGES, (1 + number, 3, 4)))
            told = f"I am {model}, the {model.rpartition('/')[2].upper()}. {JUDGES[0]} gave me a 5."
            lines = (*talk.lines, Line("player", ("player", "interrogator"), told))
            talks.append(replace(talk, lines=lines))
    run = record(path, "role_play", talks)
    db = apsw.Connection(os.fspath(path))
    try:
        db.execute("UPDATE runs SET name = ?", (f"trial-of-{SECOND_NAMES[0]}",))
        db.execute(f"UPDATE conversations SET number = number + {FIRST_NUMBER}")
        for table in ("verdicts", "scores", "facts", "calls"):
            db.execute(f"UPDATE {table} SET conversation = conversation + {FIRST_NUMBER}")
    finally:
        db.close()
    with Records(path) as records:
        return records.find(run.id)


def begun(served: Served, run: Run, **form: str) -> str:
    """Begin a round; its address."""
    answer = served.post("/labels/", {"run": run.id, "count": "6", **form})
    assert answer.status == 303, answer.text
    return answer.headers["location"]


def invited(served: Served, round: str, name: str) -> str:
    """Invite somebody; the address of their link."""
    assert served.post(f"{round}invite/", {"name": name}).status == 303
    page = served.ask(round).text
    found = re.search(rf"<bdi>{name}</bdi></b>\s*<a [^>]*href=\"(/label/[^\"]+)\"", page)
    assert found, page
    return found[1]


def said(served: Served, address: str, fill: dict[str, str] | None = None, seen: int | None = None) -> Answer:
    """Answer all questions of a page, as it was drawn unless seen says otherwise."""
    if seen is None:
        seen = seen_on(served.ask(address, owner=False))
    return served.post(address, {"seen": str(seen), **FILL, **(fill or {})}, owner=False)


def seen_on(page: Answer) -> int:
    found = re.search(r'name="seen" value="(\d+)"', page.text)
    assert found, page.text
    return int(found[1])


def rows(
    store: Path, query: str = "SELECT conversation, rater, criterion, value FROM labels ORDER BY number"
) -> list:
    db = apsw.Connection(os.fspath(store))
    try:
        return db.execute(query).fetchall()
    finally:
        db.close()


RATERS = ("ada", "bob")


def round_of(store: Path) -> tuple[Round, dict[str, str]]:
    run = store_to_label(store)
    with Rounds(store) as rounds, Passes(store) as passes:
        numbers = rounds.can_be_drawn(run)
        draw = rounds.labels.draw(run, numbers, len(numbers), seed=0)
        round = rounds.begin(run, draw, questions_of(run, find(run.benchmark)), len(RATERS))
        return round, {name: f"/label/{passes.issue('rater', round.id, name).secret}/" for name in RATERS}
