"""For everything that can be asked of the server, addresses in a furnished store where there is something to see."""

from collections.abc import Callable, Sequence
from urllib.parse import quote, urlencode

from interplay.web.entries import Entry, Field
from tests.web.furnished import Furnished

Addresses = Callable[[Furnished], Sequence[str]]


def _runs(f: Furnished) -> list[str]:
    return [*f.runs.values(), f.faulty, f.games["simulation"]]


def _compared(f: Furnished) -> list[str]:
    found = []
    for run in (f.runs["role_play"], f.runs["word_guessing"]):
        two = {"a": f.models[0], "b": f.models[1]}
        found.append(f"/runs/{run}/compare/?{urlencode(two)}")
        found.append(f"/runs/{run}/compare/?{urlencode({**two, 'scenario': f.scenarios[run]})}")
    return found


def _conversations(f: Furnished) -> list[str]:
    found = [f"/runs/{run}/conversations/{f.conversations[run][0]}/" for run in _runs(f)]
    first = found[0]
    return [*found, f"{first}?seat=player", f"{first}?text=markdown", f"{first}?step=2"]


def _numbers(f: Furnished) -> list[str]:
    columns = {
        "role_play": ("aggregate", "rank", "void", "n"),
        "word_guessing": ("age",),
        "task_dialogue": ("success",),
    }
    return [
        f"/runs/{f.runs[benchmark]}/numbers/{quote(f.models[0], safe='')}/{column}/"
        for benchmark, of_benchmark in columns.items()
        for column in of_benchmark
    ]


EXAMPLES: dict[str, Addresses] = {
    "/enter/{key}": lambda f: [f"/enter/{f.passes['owner']}"],
    "/assets/{name}": lambda f: ["/assets/style.css", "/assets/mark.svg"],
    "/api/openapi.json": lambda f: ["/api/openapi.json"],
    "/": lambda f: ["/", "/?all=1"],
    "/boards/{benchmark}/": lambda f: [f"/boards/{benchmark}/" for benchmark in f.runs],
    "/boards/{benchmark}/{group}/charts/{file}": lambda f: [
        f"/boards/role_play/{f.runs['role_play']}/charts/score-{scheme}.svg" for scheme in ("light", "dark")
    ],
    "/runs/{run}/charts/{file}": lambda f: [
        f"/runs/{f.runs['role_play']}/charts/{name}-light.svg" for name in ("score", "criteria", "judges")
    ],
    "/runs/{run}/numbers/{model:path}/{column}/": _numbers,
    "/runs/{run}/": lambda f: [f"/runs/{run}/" for run in _runs(f)],
    "/runs/{run}/progress/": lambda f: [f"/runs/{f.runs['role_play']}/progress/"],
    "/runs/{run}/conversations/": lambda f: [
        *(f"/runs/{run}/conversations/" for run in (f.runs["role_play"], f.runs["word_guessing"], f.faulty)),
        f"/runs/{f.runs['role_play']}/conversations/?{urlencode({'model': f.models[0], 'search': 'nowhere at all'})}",
    ],
    "/runs/{run}/faults/": lambda f: [f"/runs/{f.faulty}/faults/", f"/runs/{f.faulty}/faults/?of=verdicts"],
    "/runs/{run}/compare/": _compared,
    "/runs/{run}/conversations/{number:int}/": _conversations,
    "/calls/{number:int}/": lambda f: [
        f"/calls/{number}/"
        for run in (f.runs["role_play"], f.faulty, f.games["word_guessing"])
        for number in (f.calls[run][0], f.calls[run][-1])
    ],
    "/labels/": lambda f: [
        "/labels/",
        *(f"/labels/?run={f.runs[name]}" for name in ("role_play", "word_guessing")),
    ],
    "/labels/{round}/": lambda f: [f"/labels/{one}/" for one in f.rounds],
    "/labels/{round}/progress/": lambda f: [f"/labels/{f.rounds[0]}/progress/"],
    "/labels/{round}/agreement/": lambda f: [f"/labels/{f.rounds[0]}/agreement/"],
    "/labels/{round}/invite/": lambda f: [f"/labels/{f.rounds[0]}/invite/"],
    "/labels/{round}/revoke/": lambda f: [f"/labels/{f.rounds[0]}/revoke/"],
    "/labels/{round}/labels.csv": lambda f: [f"/labels/{f.rounds[0]}/labels.csv"],
    "/labels/{round}/labels.jsonl": lambda f: [f"/labels/{f.rounds[0]}/labels.jsonl"],
    "/label/{secret}/": lambda f: [f"/label/{f.passes[name]}/" for name in ("rater", "rater elsewhere")],
    "/label/{secret}/{place:int}/": lambda f: [
        f"/label/{f.passes[name]}/{place}/"
        for name, place in (("rater", 1), ("rater", 2), ("rater elsewhere", 1))
    ],
    "/games/": lambda f: ["/games/"],
    "/games/new/": lambda f: [f"/games/new/?benchmark={benchmark}" for benchmark in f.runs],
    "/games/{run}/": lambda f: [f"/games/{run}/" for run in f.games.values()],
    "/games/{run}/invite/": lambda f: [f"/games/{f.games['role_play']}/invite/"],
    "/games/{run}/go-on/": lambda f: [f"/games/{f.games['role_play']}/go-on/"],
    "/play/{secret}/": lambda f: [f"/play/{f.passes[name]}/" for name in ("player", "player elsewhere")],
    "/api/runs": lambda f: ["/api/runs"],
    "/api/runs/{run}": lambda f: [f"/api/runs/{f.runs['role_play']}"],
    "/api/runs/{run}/board": lambda f: [f"/api/runs/{f.runs['role_play']}/board"],
    "/api/runs/{run}/progress": lambda f: [f"/api/runs/{f.runs['role_play']}/progress"],
    "/api/runs/{run}/conversations": lambda f: [f"/api/runs/{f.runs['role_play']}/conversations"],
    "/api/conversations/{number:int}": lambda f: ["/api/conversations/1"],
    "/api/calls/{number:int}": lambda f: ["/api/calls/1"],
}
PARTS = {"/runs/{run}/progress/", "/labels/{round}/progress/"}  # of pages, fetched by scripts


def address_of(entry: Entry, f: Furnished, secret: str = "") -> str:
    """One address of an entry; where the link itself says who somebody is, with this secret in it."""
    found = EXAMPLES[entry.path](f)[0]
    if secret:
        for one in f.passes.values():
            found = found.replace(one, quote(secret, safe=""))
    return found


def form_of(fields: Sequence[Field]) -> dict[str, str]:
    """A form that is filled in with anything that its fields take."""
    return {one.name: _anything(one) for one in fields if one.required}


def _anything(one: Field) -> str:
    if one.choices:
        return one.choices[0]
    return str(one.number[0]) if one.number else "x"
