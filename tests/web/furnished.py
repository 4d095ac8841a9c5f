"""A stocked store with something on every page: games, rounds, people with their links, and things that went wrong."""

import asyncio
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from interplay import api
from interplay.benchmarks import find
from interplay.models.loopback import Asked, Fault, Loopback, Said, rehearse, serving
from interplay.reporting.pages.questions import questions_of
from interplay.running.games import Wish, begin_game, play_on
from interplay.running.how import How
from interplay.store.labels import Labels
from interplay.store.moves import Moves
from interplay.store.passes import Passes, PassRole
from interplay.store.records import Records
from interplay.store.rounds import Rounds
from tests.running.people import as_model
from tests.web.stocked import MODELS, Wording, stock

FAULTY = "openai/faulty"
JUDGES = ("openai/judge-one", "openai/judge-two")
PERSON = "ada"


@dataclass(frozen=True)
class Furnished:
    """What the pages of a furnished store are addressed by."""

    store: str
    models: tuple[str, ...]
    runs: Mapping[str, str]  # by benchmark
    faulty: str  # a run in which a model failed
    games: Mapping[str, str]  # runs by benchmark: two in which ada is to speak, one that is over
    rounds: tuple[str, str]
    conversations: Mapping[str, tuple[int, ...]]  # by run
    calls: Mapping[str, tuple[int, ...]]  # by run: some of each kind
    scenarios: Mapping[str, str]  # one by run
    passes: Mapping[str, str]  # secrets: owner, and rater or player, each here, elsewhere and revoked

    @property
    def store_path(self) -> Path:
        return Path(self.store)


def furnished(folder: Path, wording: Wording = lambda asked, said: said) -> Furnished:
    """Make one. It is made in a thread of its own, because the caller's may have an event loop under way."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(_furnish, folder / "interplay.db", wording).result()


def furnished_once(folders: pytest.TempPathFactory) -> Furnished:
    """A copy of the one that all workers share."""
    shared = folders.getbasetemp()
    shared = (shared.parent if shared.name.startswith("popen-") else shared) / "furnished"
    with FileLock(f"{shared}.lock"):
        kept = shared / "furnished.json"
        if not kept.exists():
            shared.mkdir()
            kept.write_text(json.dumps(asdict(furnished(shared))), encoding="utf-8")
    found = json.loads(kept.read_text(encoding="utf-8"))
    store = folders.mktemp("furnished") / "interplay.db"
    with Passes(Path(found["store"])) as passes:
        passes.db.execute("VACUUM INTO ?", (str(store),))
    return Furnished(**{**found, "store": str(store)})


def _furnish(store: Path, wording: Wording) -> Furnished:
    runs = stock(store, wording)

    def script(asked: Asked) -> Said | Fault:
        said = wording(asked, rehearse(asked))
        said = said if isinstance(said, Said) else Said(said)
        if asked.model == FAULTY.partition("/")[2]:
            return Fault("status", 400, body=json.dumps({"error": {"message": said.text}}).encode())
        return said

    with serving(Loopback({"*": script})) as url:
        how = api.setup(store, base_url=url)
        judge = {"judge": JUDGES[0]}
        faulty = api.run("simulation", ["openai/alder", FAULTY], limit=2, roles=judge, how=how).id
        games = asyncio.run(_games(store, how, wording))
    rounds = tuple(_round(store, runs[name]) for name in ("role_play", "social_interaction"))
    passes = _passes(store, rounds, [games["role_play"], games["word_guessing"]])
    return _described(store, runs, faulty, games, rounds, passes)


async def _games(store: Path, how: How, wording: Wording) -> dict[str, str]:
    """A role-play and a word guessing that wait for ada, and a simulation that ada has played to its end."""
    judged = {"judge": (JUDGES[0],)}
    wishes = [
        Wish(find("role_play"), _scenario("role_play"), PERSON, "interrogator", ("openai/alder",), judged),
        Wish(
            find("word_guessing"),
            _scenario("word_guessing"),
            PERSON,
            "player",
            (),
            {"opponent": ("openai/birch",)},
        ),
        Wish(find("simulation"), _scenario("simulation"), PERSON, "simulator", (), judged),
    ]
    found = {}
    for wish in wishes:
        run = found[wish.benchmark.name] = await begin_game(wish, how)
        await play_on(run, how)
    with Records(store) as records, Moves(store) as moves:
        while waiting := moves.waiting(records.find(found["simulation"])):
            for move in waiting:
                said = wording(Asked(PERSON, (), {}, move.call, move.schema), as_model(PERSON)(move))
                assert moves.answer(move.call, said.text or "" if isinstance(said, Said) else said)
            await play_on(found["simulation"], how)
    return found


def _scenario(benchmark: str) -> str:
    known = find(benchmark)
    return known.scenarios(known.settle(known.read({})), None).scenarios[0].id


def _round(store: Path, run: str) -> str:
    """Three conversations of a run to be labelled; ruth has labelled the first."""
    with Records(store) as records, Labels(store) as labels, Rounds(store) as rounds:
        row = records.find(run)
        draw = labels.draw(row, rounds.can_be_drawn(row), 3, seed=1)
        made = rounds.begin(row, draw, questions_of(row, find(row.benchmark)), people=2)
        rounds.say(made, "ruth", 1, {one.name: one.scale.high for one in made.questions})
        return made.id


def _passes(store: Path, rounds: tuple[str, ...], games: list[str]) -> dict[str, str]:
    people: dict[str, tuple[PassRole, str, str]] = {
        "rater": ("rater", rounds[0], "ruth"),
        "rater elsewhere": ("rater", rounds[1], "sam"),
        "rater revoked": ("rater", rounds[0], "rex"),
        "player": ("player", games[0], PERSON),
        "player elsewhere": ("player", games[1], PERSON),
        "player revoked": ("player", games[0], "rex"),
    }
    with Passes(store) as passes:
        found = {"owner": passes.owner().secret}
        for name, (role, place, person) in people.items():
            found[name] = passes.issue(role, place, person).secret
            if name.endswith("revoked"):
                passes.revoke(role, place, person)
    return found


def _described(
    store: Path,
    runs: Mapping[str, str],
    faulty: str,
    games: Mapping[str, str],
    rounds: tuple[str, ...],
    passes: Mapping[str, str],
) -> Furnished:
    with Records(store) as records:
        rows = {run.id: records.conversations(run) for run in records.runs()}
        calls: dict[str, Any] = {}
        for run, of_run in rows.items():
            found = records.db.execute(
                "SELECT min(number) FROM calls WHERE conversation IN (SELECT value FROM json_each(?))"
                " GROUP BY stage, state, participant ORDER BY 1",
                (json.dumps([row.number for row in of_run]),),
            )
            calls[run] = tuple(row[0] for row in found.fetchall())
    return Furnished(
        str(store),
        MODELS,
        dict(runs),
        faulty,
        dict(games),
        (rounds[0], rounds[1]),
        {run: tuple(row.number for row in of_run) for run, of_run in rows.items()},
        calls,
        {run: of_run[0].scenario.id for run, of_run in rows.items() if of_run},
        dict(passes),
    )
