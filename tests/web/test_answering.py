"""The API over real HTTP: what it answers has the shape that it says it has, and the keys that the commands have."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from click.testing import CliRunner

from interplay.cli import interplay
from interplay.store.records import Records
from interplay.web.answering import ENTRIES, answer
from tests.web.served import Served, serving
from tests.web.stocked import stock

BENCHMARKS = ("role_play", "simulation", "word_guessing", "task_dialogue", "social_interaction")
Stocked = tuple[Served, dict[str, str]]


@pytest.fixture(scope="module")
def stocked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stocked]:
    store = tmp_path_factory.mktemp("answered") / "s.db"
    runs = stock(store)
    with serving(store) as served:
        yield served, runs


@pytest.fixture(scope="module")
def described(stocked: Stocked) -> dict[str, Any]:
    found: dict[str, Any] = asked(stocked[0], "/api/openapi.json")
    return found


def asked(served: Served, address: str, status: int = 200) -> Any:
    found = served.ask(address)
    assert found.status == status, found.text
    assert found.headers["content-type"] == "application/json"
    return json.loads(found.text)


def told(store: Path, *words: str) -> Any:
    """What a command prints as JSON."""
    found = CliRunner().invoke(interplay, [*words, "--store", str(store), "--json"], standalone_mode=False)
    assert found.exception is None, found.exception
    return json.loads(found.stdout)


def check_shape(described: dict[str, Any], path: str, value: Any) -> None:
    """OpenAPI 3.0 has a word of its own for what may be null."""

    def plain(shape: Any) -> Any:
        if isinstance(shape, list):
            return [plain(one) for one in shape]
        if not isinstance(shape, dict):
            return shape
        found = {name: plain(part) for name, part in shape.items() if name != "nullable"}
        return {"anyOf": [found, {"type": "null"}]} if shape.get("nullable") else found

    content = described["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]
    jsonschema_rs.validate(plain(content["schema"]), value)


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_answers_have_the_shape_that_is_described(
    stocked: Stocked, described: dict[str, Any], benchmark: str
) -> None:
    served, runs = stocked
    run = runs[benchmark]
    for part in ("", "/board", "/progress", "/conversations"):
        check_shape(described, f"/api/runs/{{run}}{part}", asked(served, f"/api/runs/{run}{part}"))
    for one in asked(served, f"/api/runs/{run}/conversations")["conversations"][:2]:
        talk = asked(served, f"/api/conversations/{one['number']}")
        check_shape(described, "/api/conversations/{number}", talk)
        assert talk["run"] == run
        for call in (talk["calls"][0], talk["calls"][-1]):
            found = asked(served, f"/api/calls/{call}")
            check_shape(described, "/api/calls/{number}", found)
            assert found["conversation"] == one["number"]


def test_everything_that_can_be_asked_is_described(stocked: Stocked, described: dict[str, Any]) -> None:
    check_shape(described, "/api/runs", asked(stocked[0], "/api/runs"))
    for entry in ENTRIES:
        assert entry.gives is not None
        assert entry.path.replace(":int", "") in described["paths"]


def test_runs_and_boards_are_as_the_commands_print_them(stocked: Stocked) -> None:
    served, runs = stocked
    store = served.site.store
    listed = told(store, "list")["runs"]
    found = asked(served, "/api/runs")["runs"]
    assert [{key: one[key] for key in run} for run, one in zip(listed, found, strict=True)] == listed
    for run in runs.values():
        printed = told(store, "show", run)
        board = asked(served, f"/api/runs/{run}/board")
        assert {key: board[key] for key in printed} == printed


def test_conversations_are_as_the_commands_print_them(stocked: Stocked) -> None:
    served, runs = stocked
    store, run = served.site.store, runs["task_dialogue"]
    listed = told(store, "list", run)
    found = asked(served, f"/api/runs/{run}/conversations")["conversations"]
    keys = ("number", "scenario", "model", "repeat", "state")
    assert [[one[key] for key in keys] for one in found] == [[one[key] for key in keys] for one in listed]
    number = listed[0]["number"]
    printed = told(store, "show", run, "--conversation", str(number))
    one = asked(served, f"/api/conversations/{number}")
    assert {key: one[key] for key in printed} == printed


def test_pages_follow_each_other(stocked: Stocked) -> None:
    served, runs = stocked
    address = f"/api/runs/{runs['role_play']}/conversations?size=5"
    whole = [one["number"] for one in asked(served, address.replace("?size=5", ""))["conversations"]]
    seen, after = [], 0
    while after is not None:
        page = asked(served, f"{address}&after={after}")
        seen += [one["number"] for one in page["conversations"]]
        after = page["after"]
    assert seen == whole
    back = asked(served, f"{address}&before={whole[7]}")
    assert [one["number"] for one in back["conversations"]] == whole[2:7]
    assert back["before"] == whole[2]


def test_scores_are_those_of_the_run(stocked: Stocked) -> None:
    served, runs = stocked
    found = asked(served, f"/api/runs/{runs['simulation']}/conversations")["conversations"]
    with Records(served.site.store) as records:
        given: dict[int, list[float]] = {}
        for number, name, _, value in records.scores(records.find(runs["simulation"])):
            if name == "rating":
                given.setdefault(number, []).append(value)
    for one in found:
        mine = given[one["number"]]
        assert one["scores"] == {one["model"]: {"rating": sum(mine) / len(mine)}}


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/api/runs/none-such", 404),
        ("/api/runs/none-such/board", 404),
        ("/api/conversations/424242", 404),
        ("/api/calls/424242", 404),
        ("/api/runs/last/conversations?size=0", 400),
        ("/api/runs/last/conversations?after=x", 400),
        ("/api/runs/last/conversations?state=lost", 400),
        ("/api/nothing", 404),
    ],
)
def test_what_is_wrong_is_said_in_json(stocked: Stocked, address: str, status: int) -> None:
    found = asked(stocked[0], address, status)
    assert list(found) == ["error"]
    assert found["error"]


def test_nobody_gets_an_answer_but_the_owner(stocked: Stocked) -> None:
    for entry in ENTRIES:
        address = entry.path.replace("{run}", "last").replace("{number:int}", "1")
        assert stocked[0].ask(address, owner=False).status == 403


def test_what_json_has_no_word_for_is_null() -> None:
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    body = answer(
        {"a": float("nan"), "b": [float("inf")], "c": "\ud800", "d": deep, "e": 1e300, "f": True}
    ).body
    found = json.loads(bytes(body))
    assert found["a"] is None and found["b"] == [None] and found["e"] == 1e300 and found["f"] is True
