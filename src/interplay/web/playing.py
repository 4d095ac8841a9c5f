"""Playing: games, the form of a new one, and the pages where people speak."""

import asyncio
import secrets
from collections.abc import Mapping
from http import HTTPStatus
from random import Random

from starlette.responses import Response

from interplay.benchmarks import OTHERS, find
from interplay.core.benchmark import Benchmark
from interplay.core.failures import Mistake, RunLocked, nearest
from interplay.core.forms import LONGEST_TEXT
from interplay.core.people import seated
from interplay.core.wire import clean
from interplay.reporting.pages import playing as pages
from interplay.reporting.pages.forms import PREFIX, text_of
from interplay.running.games import Wish, begin_game, complaint, game_of, has_person, is_over, spec_of_game
from interplay.store.gaming import Question, players_of, question_of
from interplay.store.moves import Move, Moves
from interplay.store.passes import Passes
from interplay.store.records import Records, Run
from interplay.web.entries import OWNER, PLAYER, Entry, Field, NotThere, Visit
from interplay.web.site import go_to

OPTION, MODEL = "option.", "model."
ANSWERED = "This was answered already, perhaps in another tab; here is where the game is now."
GONE = "The game was broken off before this came; what you wrote is below, to be said when the game goes on."
LOOK_AGAIN = 1.5  # seconds, while others speak
LOOK_AFTER_TROUBLE = 5.0  # for who can only wait until somebody else has tried again


def show_games(visit: Visit) -> Response:
    with Records(visit.site.store) as records:
        busy = [run.id for run in records.runs() if visit.site.host.is_busy(run.id)]
        found, left_out = pages.games(records, busy)
    return visit.site.page(
        "games", title="Play", here="games", games=found, left_out=left_out, benchmarks=pages.playable()
    )


def show_new(visit: Visit) -> Response:
    return _form(visit, visit.query)


def _benchmark(name: str) -> Benchmark:
    if name in OTHERS.names():
        find(
            name
        )  # loaded where its very name is asked for; what comes with an address is never taken for a path
    known = {one.name: one for one in pages.playable()}
    if name not in known:
        raise Mistake(f"there is no benchmark {name[:60]!r}; {nearest(name, known)}")
    return known[name]


def _form(visit: Visit, given: Mapping[str, str], problem: str = "") -> Response:
    """The form of a new game with what was typed so far; options that cannot be are told, and as usual again."""
    benchmark, models = _benchmark(given.get("benchmark", "")), list(visit.site.directory.entries)
    with Records(visit.site.store) as records:
        try:
            new = pages.new_game(records, benchmark, _options(benchmark, given), given, models)
        except Mistake as mistake:
            problem = problem or str(mistake)
            new = pages.new_game(records, benchmark, {}, given, models)
    return visit.site.page(
        "new_game",
        HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK,
        title=f"Play {benchmark.name}",
        here="games",
        new=new,
        problem=problem,
        given=given,
        draw=secrets.token_hex(8),
    )


def _options(benchmark: Benchmark, given: Mapping[str, str]) -> dict[str, str]:
    typed = {one.name: given.get(OPTION + one.name, "").strip() for one in pages.options_to_choose(benchmark)}
    return {name: value for name, value in typed.items() if value}


def begin(visit: Visit) -> Response:
    """Write a game down, let the others begin, and go to its page."""
    given = {name: values[0] for name, values in visit.form.items()}
    benchmark, how = _benchmark(given.get("benchmark", "")), visit.site.host.how
    try:
        wish = _wish(benchmark, given)
        run = spec_of_game(wish, how).run_id
    except Mistake as mistake:
        return _form(visit, given, str(mistake))
    try:
        asyncio.run(begin_game(wish, how))
    except Mistake as mistake:
        return _form(visit, given, str(mistake))
    except RunLocked:  # this very game is under way, as after a second click
        with Records(visit.site.store) as records:
            if all(one.id != run for one in records.runs()):
                raise
    visit.site.host.go_on(run)
    return go_to(visit.site.links.game(run, person=wish.person))


def _wish(benchmark: Benchmark, given: Mapping[str, str]) -> Wish:
    options = _options(benchmark, given)
    settled = benchmark.settle(options)
    seat, person = given.get("seat", ""), given.get("person", "").strip()
    roles = benchmark.roles(settled)
    wanted = given.get("scenario", "") or pages.ANY
    if wanted == pages.ANY:  # the same form draws the same: a second click is no second game
        draw = Random(given.get("draw") or secrets.token_hex(8))  # noqa: S311  # draws, guards nothing
        wanted = draw.choice(benchmark.scenarios(settled, None).scenarios).id
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
    person = visit.query.get("person", "") or _who_waits(visit, run)
    return _game(visit, run.id, person, _for_owner(visit, run, person))


def _run(records: Records, id: str) -> Run:
    run = next((one for one in records.runs() if one.id == id), None)
    if run is None or not has_person(run):
        raise NotThere("there is no such game in this store")
    return run


def _who_waits(visit: Visit, run: Run) -> str:
    with Moves(visit.site.store) as moves:
        waiting = [move.person for move in moves.waiting(run)]
    return waiting[0] if waiting else players_of(run)[0]


def _for_owner(visit: Visit, run: Run, person: str) -> dict[str, object]:
    """What only the owner's page has."""
    people = players_of(run)
    if person not in people:
        raise NotThere("nobody of that name plays in this game")
    with Passes(visit.site.store) as passes:
        invited = {one.name: one.secret for one in passes.of("player", run.id) if not one.revoked}
    return {"people": people, "invited": invited, "is_owner": True}


def _for_guest(person: str) -> dict[str, object]:
    return {"people": [person], "invited": {}, "is_owner": False}


def play(visit: Visit) -> Response:
    """A game as somebody sees it who was invited."""
    run, person = _invited(visit)
    return _game(visit, run, person, _for_guest(person))


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
    **what_was_said: object,
) -> Response:
    """The page of a game; where nothing keeps its models from speaking, they do from now on."""
    host = visit.site.host
    with Records(visit.site.store) as records, Moves(visit.site.store) as moves:
        run = _run(records, id)
        standing = game_of(records, run)
        wanted = int(visit.query.get("conversation") or 0)
        sight = pages.sight_of(records, run, person, moves.waiting(run), wanted)
        over = sight.move is None and sight.row is not None and is_over(records, run, sight.row)
        judged = pages.judged(records, run, sight.row) if over and sight.row and sight.row.outcome else None
    goes_on = standing.state == "to be continued"
    trouble, elsewhere = (host.trouble(run.id), host.elsewhere(run.id)) if goes_on else ("", "")
    if goes_on and not trouble:
        host.go_on(run.id)
    look_again = LOOK_AGAIN if not trouble else 0 if more["is_owner"] else LOOK_AFTER_TROUBLE
    benchmark = find(run.benchmark)
    values = {"said": {}, "problem": "", "unsent": None, **what_was_said}
    return visit.site.page(
        "game",
        HTTPStatus.BAD_REQUEST if values["problem"] else HTTPStatus.OK,
        title=f"{benchmark.name}: your turn" if sight.move else benchmark.name,
        here="games",
        run=run,
        standing=standing,
        sight=sight,
        judged=judged,
        is_over=over,
        trouble=trouble,
        elsewhere=elsewhere,
        look_again=0 if over or sight.move else look_again,
        again=_again(run, sight),
        address=_address(visit, run.id, person, wanted),
        here_at=lambda number: _address(visit, run.id, person, number),
        **values,
        **more,
    )


def _again(run: Run, sight: pages.Sight) -> dict[str, str]:
    """What the form of a new game begins with that is to be like this one."""
    known = {one.name for one in pages.options_to_choose(find(run.benchmark))}
    options = {OPTION + name: value for name, value in run.identity["options"].items() if name in known}
    cast = sight.row.cast if sight.row else {}
    seat = next((seat for seat, name in cast.items() if name == seated(sight.person)), "")
    return {"benchmark": run.benchmark, "seat": seat, "person": sight.person, **options}


def _address(visit: Visit, run: str, person: str, conversation: int) -> str:
    """Where this page is, for who has it open."""
    view = {"conversation": conversation} if conversation else {}
    if "secret" in visit.path:
        return visit.site.links.play(visit.path["secret"], **view)
    return visit.site.links.game(run, person=person, **view)


def say(visit: Visit) -> Response:
    """A move of the owner's, in the name of one of the game's people."""
    with Records(visit.site.store) as records:
        run = _run(records, visit.path["run"])
    person = visit.said("person")
    return _say(visit, run.id, person, _for_owner(visit, run, person))


def say_as_invited(visit: Visit) -> Response:
    """A move of somebody who was invited."""
    run, person = _invited(visit)
    return _say(visit, run, person, _for_guest(person))


def _say(visit: Visit, run: str, person: str, more: Mapping[str, object]) -> Response:
    """Write a move down; only then is it answered. The same move sent twice is one move."""
    call = int(visit.said("call") or 0)
    with Records(visit.site.store) as records, Moves(visit.site.store) as moves:
        question = question_of(records, run, person, call)
        if question is None:
            raise NotThere("nobody was asked that")
        text = _text(visit, question)
        move = next((one for one in moves.waiting(None, person) if one.call == call), None)
        problem = _complaint(move, text) if move else ""
        if problem:
            said = {name: values[0] for name, values in visit.form.items()}
            return _game(visit, run, person, more, said=said, problem=problem)
        if move:
            moves.answer(call, text)
        question = question_of(records, run, person, call)  # as it is on disk, whoever was first
    answer = question.answer if question else None
    if answer != clean(text):
        problem = GONE if answer is None else ANSWERED
        return _game(visit, run, person, more, problem=problem, unsent=pages.said_as(text))
    visit.site.host.go_on(run)
    return go_to(_address(visit, run, person, 0))


def _complaint(move: Move, text: str) -> str:
    if len(text) > LONGEST_TEXT:
        return f"At most {LONGEST_TEXT:,} characters can be said at once; these are {len(text):,}."
    return complaint(move, text)


def _text(visit: Visit, question: Question) -> str:
    """What was said: the text, or the JSON of the fields that were filled in."""
    filled = {name: values[0].replace("\r\n", "\n") for name, values in visit.form.items()}
    if question.schema is None:
        return filled.get("text", "")
    return text_of(question.schema, {name: one for name, one in filled.items() if name.startswith(PREFIX)})


def invite(visit: Visit) -> Response:
    """A link for somebody who has a seat."""
    with Records(visit.site.store) as records:
        run = _run(records, visit.path["run"])
        if visit.said("person") not in players_of(run):
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
    Entry(
        "POST",
        "/games/{run}/",
        OWNER,
        say,
        "say something in a game",
        form=(_PERSON, *_MOVE),
        query=(_CONVERSATION,),
    ),
    Entry("POST", "/games/{run}/invite/", OWNER, invite, "a link for a player", form=(_PERSON,)),
    Entry("POST", "/games/{run}/go-on/", OWNER, go_on, "try again what did not go on"),
    Entry("GET", "/play/{secret}/", PLAYER, play, "a game, for who was invited", query=(_CONVERSATION,)),
    Entry(
        "POST",
        "/play/{secret}/",
        PLAYER,
        say_as_invited,
        "say something in a game",
        form=_MOVE,
        query=(_CONVERSATION,),
    ),
)
