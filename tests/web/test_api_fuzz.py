"""Whatever is sent to whatever can be asked for, the server does not fail, and answers as it says it does."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance

from tests.web.furnished import Furnished, furnished_once
from tests.web.served import Served, serving_apart

OF_OWNER, OF_NOBODY = 8, 2  # requests for each entry, of each kind
CAREFUL = settings(
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Furnished:
    return furnished_once(tmp_path_factory)


@pytest.fixture(scope="module")
def served(furnished: Furnished) -> Iterator[Served]:
    with serving_apart(furnished.store_path) as found:
        yield found


def things_of(f: Furnished) -> dict[str, list[Any]]:
    """What parameters of these names are called in this store; with these alone, fuzzing gets past the door."""
    numbers = [*f.conversations[f.runs["role_play"]][:3], *f.calls[f.runs["role_play"]][:3], 0, 2**63]
    return {
        "run": [*f.runs.values(), f.faulty, *f.games.values()],
        "benchmark": [*f.runs],
        "number": numbers,
        "conversation": numbers,
        "model": [*f.models],
        "a": [f.models[0]],
        "b": [f.models[1]],
        "column": ["aggregate", "rank", "n", "void", "c"],
        "group": [f.runs["role_play"]],
        "file": ["score-light.svg", "criteria-dark.svg"],
        "scenario": [*f.scenarios.values()],
        "round": [*f.rounds],
        "secret": [*f.passes.values()],
        "key": [*f.passes.values()],
        "place": [1, 2, 3],
        "seat": ["player", "interrogator", "narrator"],
        "name": ["style.css", "ruth", "ada"],
    }


def with_things(document: dict[str, Any], things: dict[str, list[Any]]) -> dict[str, Any]:
    """The document, in which parameters are also what there is."""

    def widened(name: str, schema: dict[str, Any]) -> dict[str, Any]:
        return (
            {"anyOf": [{"enum": things[name]}, schema]} if name in things and "enum" not in schema else schema
        )

    for operations in document["paths"].values():
        for operation in operations.values():
            for one in operation["parameters"]:
                one["schema"] = widened(one["name"], one["schema"])
            for content in operation.get("requestBody", {}).get("content", {}).values():
                fields = content["schema"]["properties"]
                content["schema"]["properties"] = {name: widened(name, fields[name]) for name in fields}
    return document


def ask_everything(
    served: Served,
    furnished: Furnished,
    headers: dict[str, str],
    count: int,
    check: Callable[[Any, requests.Response], None],
) -> int:
    """Send to every entry what fits its description and what does not; how many requests that were."""
    document = with_things(json.loads(served.ask("/api/openapi.json").text), things_of(furnished))
    sent = 0
    with requests.Session() as session:

        def ask(case: Any) -> None:
            nonlocal sent
            sent += 1
            answer = case.call(
                base_url=served.address, session=session, headers=headers, allow_redirects=False, timeout=20
            )
            check(case, answer)

        for result in schemathesis.openapi.from_dict(document).get_all_operations():
            operation = result.ok()
            for mode in GenerationMode:
                if mode is GenerationMode.NEGATIVE and not (len(operation.query) or operation.body):
                    continue  # a path takes any text: it cannot be asked for wrongly
                asked = given(case=operation.as_strategy(generation_mode=mode))(ask)
                settings(CAREFUL, max_examples=count)(asked)()
    return sent


def test_the_owner_cannot_make_the_server_fail(served: Served, furnished: Furnished) -> None:
    def check(case: Any, answer: Any) -> None:
        checks = [not_a_server_error]
        if answer.status_code == 200 and case.path.startswith("/api/"):
            checks.append(content_type_conformance)
        case.validate_response(answer, checks=checks)

    headers = {"Cookie": served.cookie, "Origin": served.address}
    assert ask_everything(served, furnished, headers, OF_OWNER, check) > 100
    assert served.ask("/").status == 200


def test_nobody_can_make_the_server_fail_nor_see_anything(served: Served, furnished: Furnished) -> None:
    seen: set[int] = set()

    def check(case: Any, answer: Any) -> None:
        case.validate_response(answer, checks=[not_a_server_error])
        if not case.path.startswith(("/enter/", "/assets/", "/label/", "/play/")):
            seen.add(answer.status_code)

    assert ask_everything(served, furnished, {"Origin": served.address}, OF_NOBODY, check) > 100
    assert seen <= {400, 403, 404, 405}
