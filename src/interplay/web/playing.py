"""Playing: games, the form of a new one, and the pages where people speak."""

import asyncio
import secrets
from collections.abc import Mapping
from http import HTTPStatus

from starlette.responses import Response

from interplay.benchmarks import find_playable
from interplay.core.benchmark import Benchmark
from interplay.core.failures import Mistake
from interplay.core.forms import LONGEST_TEXT
from interplay.core.wire import clean
from interplay.reporting.pages import playing as pages
from interplay.reporting.pages.forms import PREFIX, text_of
from interplay.running.games import Wish, begin_game, complaint, game_of, has_person
from interplay.store.gaming import Question, people_of, question_of
from interplay.store.moves import Moves
from interplay.store.passes import Passes
from interplay.store.records import Records, Run
from interplay.web.entries import OWNER, PLAYER, Entry, Field, NotThere, Visit
from interplay.web.site import go_to

OPTION, MODEL = "option.", "model."
ANSWERED = "This was answered already, perhaps in another tab; here is where the game is now."
LOOK_AGAIN = 1.5  # seconds, while others speak


def show_games(visit: Visit) -> Response:
    with Records(visit.site.store) as records:
        runs = [run.id for run in records.runs()]
        found = pages.games(records, [run for run in runs if visit.site.host.is_busy(run)])
    return visit.site.page("games", title="Play", here="games", games=found, benchmarks=pages.playable())


def show_new(visit: Visit) -> Response:
    return _form(visit, visit.query)


def _form(visit: Visit, given: Mapping[str, str], problem: str = "") -> Response:
    benchmark = find_playable(given.get("benchmark", ""))
    chosen = _options(benchmark, given)
    with Records(visit.site.store) as records:
        new = pages.new_game(records, benchmark, chosen, given, list(visit.site.directory.entries))
    status = HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK
    return visit.site.page(
        "new_game",
        status,
        title=f"Play {benchmark.name}",
        here="games",
        new=new,
        problem=problem,
        given=given,
    )


def _options(benchmark: Benchmark, given: Mapping[str, str]) -> dict[str, str]:
    known = {option.name for option in benchmark.options if option.choices}
    found = {name.removeprefix(OPTION): value for name, value in given.items() if name.startswith(OPTION)}
    return {name: value for name, value in found.items() if name in known and value}


def begin(visit: Visit) -> Response:
    """Write a game down, let the others begin, and go to its page."""
    given = {name: values[0] for name, values in visit.form.items()}
    benchmark = find_playable(given.get("benchmark", ""))
    try:
        wish = _wish(benchmark, given)
        run = asyncio.run(begin_game(wish, visit.site.host.how))
    except Mistake as mistake:
        return _form(visit, given, str(mistake))
    visit.site.host.go_on(run)
    return go_to(visit.site.links.game(run, person=wish.person))


def _wish(benchmark: Benchmark, given: Mapping[str, str]) -> Wish:
    options = _options(benchmark, given)
    settled = benchmark.settle(options)
    seat, person = given.get("seat", ""), given.get("person", "").strip()
    roles = benchmark.roles(settled)
    scenarios = benchmark.scenarios(settled, None).scenarios
    wanted = given.get("scenario", "") or pages.ANY
    if wanted == pages.ANY:
        wanted = secrets.choice(scenarios).id
    named = {
        role.name: tuple(name.strip() for name in given.get(MODEL + role.name, "").split(",") if name.strip())
        for role in roles
        if role.name != seat
    }
    measured = [role.name for role in roles if role.kind == "subject" and role.name != seat]
    return Wish(
        benchmark,
        scenario=wanted,
        person=person,
        seat=seat,
        models=tuple(name for role in measured for name in named[role]),
        roles={role: names for role, names in named.items() if names and role not in measured},
        options=options,
    )


def show_game(visit: Visit) -> Response:
    """A game as its owner sees it: through the eyes of one of its people."""
    with Records(visit.site.store) as records:
        run = _run(records, visit.path["run"])
        people = people_of(run)
        person = visit.query.get("person", "") or _who_waits(visit, run, people)
        if person not in people:
            raise NotThere("nobody of that name plays in this game")
    with Passes(visit.site.store) as passes:
        links = {one.name: one.secret for one in passes.of("player", run.id) if not one.revoked}
    return _game(visit, run.id, person, {"people": people, "invited": links, "is_owner": True})


def _run(records: Records, id: str) -> Run:
    run = next((one for one in records.runs() if one.id == id), None)
    if run is None or not has_person(run):
        raise NotThere("there is no such game in this store")
    return run


def _who_waits(visit: Visit, run: Run, people: list[str]) -> str:
    with Moves(visit.site.store) as moves:
        waiting = [move.person for move in moves.waiting(run)]
    return waiting[0] if waiting else people[0]


def play(visit: Visit) -> Response:
    """A game as somebody sees it who was invited."""
    run, person = _invited(visit)
    return _game(visit, run, person, {"people": [person], "invited": {}, "is_owner": False})


def _invited(visit: Visit) -> tuple[str, str]:
    guest = visit.guest
    if guest is None or guest.role != "player":
        raise NotThere("this link is to no game")
    return guest.place, guest.name


def _game(
    visit: Visit,
    id: str,
    person: str,
    more: Mapping[str, object],
    said: Mapping[str, str] | None = None,
    problem: str = "",
) -> Response:
    host = visit.site.host
    with Records(visit.site.store) as records, Moves(visit.site.store) as moves:
        run = _run(records, id)
        standing = game_of(records, run)
        wanted = int(visit.query.get("conversation") or 0)
        sight = pages.sight_of(records, run, person, moves.waiting(run), wanted)
        trouble = host.trouble(run.id)
        if standing.state == "to be continued" and not host.is_busy(run.id) and not trouble:
            host.go_on(run.id)
        is_over = standing.state == "over" or bool(sight.row and sight.row.state == "void" and not sight.move)
        judged = pages.judged(records, run, sight.row) if sight.row and sight.row.state == "done" else None
        label = sight.row.scenario.label if sight.row else ""
    waits = not is_over and not trouble and sight.move is None
    return visit.site.page(
        "game",
        HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK,
        title=f"{find_playable(run.benchmark).name}: your turn"
        if sight.move
        else find_playable(run.benchmark).name,
        here="games",
        run=run,
        label=label,
        standing=standing,
        sight=sight,
        judged=judged,
        is_over=is_over,
        trouble=trouble,
        look_again=LOOK_AGAIN if waits else 0,
        said=said or {},
        problem=problem,
        address=_address(visit, run.id, person, wanted),
        **more,
    )


def _address(visit: Visit, run: str, person: str, conversation: int) -> str:
    """Where this page is, for who has it open."""
    if "secret" in visit.path:
        return visit.site.links.play(visit.path["secret"], conversation=conversation)
    return visit.site.links.game(run, person=person, conversation=conversation)


def say(visit: Visit) -> Response:
    """A move of the owner's, in the name of one of the game's people."""
    with Records(visit.site.store) as records:
        people = people_of(_run(records, visit.path["run"]))
    person = visit.said("person")
    if person not in people:
        raise NotThere("nobody of that name plays in this game")
    more = {"people": people, "invited": {}, "is_owner": True}
    return _say(
        visit, visit.path["run"], person, more, visit.site.links.game(visit.path["run"], person=person)
    )


def say_as_invited(visit: Visit) -> Response:
    """A move of somebody who was invited."""
    run, person = _invited(visit)
    more = {"people": [person], "invited": {}, "is_owner": False}
    return _say(visit, run, person, more, visit.site.links.play(visit.path["secret"]))


def _say(visit: Visit, run: str, person: str, more: Mapping[str, object], after: str) -> Response:
    """Write a move down; only then is it answered. The same move sent twice is one move."""
    call = int(visit.said("call") or 0)
    with Records(visit.site.store) as records:
        question = question_of(records, run, person, call)
    if question is None:
        raise NotThere("nobody was asked that")
    text = _text(visit, question)
    with Moves(visit.site.store) as moves:
        move = next((one for one in moves.waiting(None, person) if one.call == call), None)
        problem = complaint(move, text) if move else ""
        if problem:
            said = {name: values[0] for name, values in visit.form.items()}
            return _game(visit, run, person, more, said, problem)
        answered = moves.answer(call, text)
    if not answered and question.answer != clean(text[:LONGEST_TEXT]):
        return _game(visit, run, person, more, problem=ANSWERED)
    visit.site.host.go_on(run)
    return go_to(after)


def _text(visit: Visit, question: Question) -> str:
    """What was said: the text, or the JSON of the fields that were filled in."""
    if question.schema is None:
        return visit.said("text")
    filled = {name: values[0] for name, values in visit.form.items() if name.startswith(PREFIX)}
    return text_of(question.schema, filled)


def invite(visit: Visit) -> Response:
    """A link for somebody who has a seat."""
    with Records(visit.site.store) as records:
        run = _run(records, visit.path["run"])
        if visit.said("person") not in people_of(run):
            raise Mistake(f"{visit.said('person')[:60]!r} has no seat in this game")
    with Passes(visit.site.store) as passes:
        passes.issue("player", run.id, visit.said("person"))
    return go_to(visit.site.links.game(run.id, person=visit.said("person")))


def go_on(visit: Visit) -> Response:
    """Try again what did not go on."""
    with Records(visit.site.store) as records:
        run = _run(records, visit.path["run"])
    visit.site.host.go_on(run.id)
    return go_to(visit.site.links.game(run.id))


_MOVE = (
    Field("call", "which question is answered", number=(0, 2**62), required=True),
    Field("text", "what is said", most=LONGEST_TEXT),
)
_PERSON = Field("person", "who speaks", required=True)
_CONVERSATION = Field("conversation", "which of several", number=(0, 2**62))
_NEW = (
    Field("benchmark", "what is played", required=True),
    Field("seat", "where the person sits"),
    Field("person", "the person's name"),
    Field("scenario", "its id, or any"),
)

ENTRIES: tuple[Entry, ...] = (
    Entry("GET", "/games/", OWNER, show_games, "games that people play"),
    Entry("GET", "/games/new/", OWNER, show_new, "the form of a new game", query=_NEW),
    Entry("POST", "/games/", OWNER, begin, "begin a game", form=_NEW),
    Entry(
        "GET", "/games/{run}/", OWNER, show_game, "a game", query=(Field("person", "as whom"), _CONVERSATION)
    ),
    Entry("POST", "/games/{run}/", OWNER, say, "say something in a game", form=(_PERSON, *_MOVE)),
    Entry("POST", "/games/{run}/invite/", OWNER, invite, "a link for a player", form=(_PERSON,)),
    Entry("POST", "/games/{run}/go-on/", OWNER, go_on, "try again what did not go on"),
    Entry("GET", "/play/{secret}/", PLAYER, play, "a game, for who was invited", query=(_CONVERSATION,)),
    Entry("POST", "/play/{secret}/", PLAYER, say_as_invited, "say something in a game", form=_MOVE),
)
