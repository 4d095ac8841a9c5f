"""A furnished store in which every text that somebody else could have written would do harm on a careless page."""

import asyncio
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from interplay import api
from interplay.benchmarks import find
from interplay.models.loopback import Asked, Loopback, Said, rehearse, serving
from interplay.reporting.pages.questions import questions_of
from interplay.store.journal import Journal
from interplay.store.labels import Labels
from interplay.store.passes import LONGEST_NAME, Passes
from interplay.store.records import Records
from interplay.store.rounds import Rounds
from interplay.store.writer import Writer
from tests.browser.payloads import PAYLOADS
from tests.web.furnished import Furnished, furnished

AT_ONCE = 60  # payloads in one reply
NAMES = [one for one in PAYLOADS if one.isprintable() and one == " ".join(one.split())]  # that can be names
SHORT = [one for one in NAMES if len(one) <= LONGEST_NAME]


@dataclass(frozen=True)
class Poisoned:
    """The store, and the runs in which names and a user's own file are poisoned too."""

    furnished: Furnished
    named: str  # a run whose models, judges, characters and situations are payloads; and it is called by one
    models: tuple[str, ...]
    round: str
    raters: tuple[str, ...]  # the secrets of raters who are called by payloads


def bundle(number: int, count: int = AT_ONCE) -> str:
    """Some payloads, others each time."""
    start = number * AT_ONCE % len(PAYLOADS)
    return "\n\n".join([*PAYLOADS[start:], *PAYLOADS[:start]][:count])


def poison(asked: Asked, said: str) -> Said:
    """What a model says that wants to do harm, in whatever form it is asked for."""
    text = (
        json.dumps(_filled(json.loads(said), asked.schema, asked.number))
        if asked.schema
        else bundle(asked.number)
    )
    return Said(text, reasoning=bundle(asked.number + 1), version=f"{asked.model} {SHORT[0]}")


def _filled(value: Any, schema: Mapping[str, Any], number: int) -> Any:
    """The same value with payloads in every text that may hold anything."""
    if isinstance(value, dict):
        known = schema.get("properties", {})
        return {key: _filled(one, known.get(key, {}), number) for key, one in value.items()}
    if isinstance(value, list):
        items = schema.get("items", {})
        return [_filled(one, items if isinstance(items, dict) else {}, number) for one in value]
    if isinstance(value, str) and not {"enum", "const", "pattern", "$ref", "anyOf"} & set(schema):
        return bundle(number)[: schema.get("maxLength")]
    return value


def poisoned(folder: Path) -> Poisoned:
    found = furnished(folder, poison)
    with ThreadPoolExecutor(1) as pool:  # the caller's thread may have an event loop under way
        return pool.submit(_with_names, found, folder).result()


def _with_names(found: Furnished, folder: Path) -> Poisoned:
    store, data = found.store_path, folder / "cards.json"
    data.write_text(json.dumps(_cards()), encoding="utf-8")
    models = tuple(f"openai/{one}" for one in (" ".join(NAMES[0:3]), NAMES[40]))
    judges = [f"openai/{NAMES[80]}", f"openai/{NAMES[81]}"]
    with serving(Loopback({"*": lambda asked: poison(asked, rehearse(asked))})) as url:
        how = api.setup(store, base_url=url)
        roles = {"interrogator": f"openai/{NAMES[82]}", "judge": judges}
        named = api.run("role_play", list(models), roles=roles, data=data, how=how, limit=4).id
    with Records(store) as records, Labels(store) as labels, Rounds(store) as rounds, Passes(store) as passes:
        run = records.find(named)
        draw = labels.draw(run, rounds.can_be_drawn(run), 4, seed=1)
        made = rounds.begin(run, draw, questions_of(run, find("role_play")), people=2)
        raters = tuple(passes.issue("rater", made.id, name) for name in SHORT[10:14])
        for place, rater in enumerate((*raters, *raters), 1):
            values = {one.name: one.scale.low for one in made.questions}
            rounds.say(made, rater.name, (place + 1) // 2, values)
        asyncio.run(_rename(store, run.number, SHORT[20]))
        asyncio.run(_rename(store, records.find(found.runs["simulation"]).number, SHORT[21]))
    return Poisoned(found, named, models, made.id, tuple(one.secret for one in raters))


def _cards() -> dict[str, Any]:
    texts = [
        bundle(number, len(PAYLOADS)) for number in range(8)
    ]  # each has all, so that all are seen for certain
    return {
        "language": "en",
        "characters": [
            {"name": name, "summary": text, "persona": text, "greeting": text, "tags": [NAMES[30]]}
            for name, text in zip(NAMES[100:104], texts, strict=False)
        ],
        "situations": [{"text": text, "turns": 2} for text in texts[4:]],
    }


async def _rename(store: Path, run: int, name: str) -> None:
    writer = Writer(store)
    try:
        await Journal(writer, run).rename(name)
    finally:
        await writer.close()
