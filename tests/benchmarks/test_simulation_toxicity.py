"""Toxicity: what an endpoint is sent and how its failures count, the word list, and which texts are scored."""

import json
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from interplay.benchmarks.simulation.scenarios import shipped, shipped_tasks
from interplay.benchmarks.simulation.toxicity import (
    ATTRIBUTES,
    Levels,
    Perspective,
    Text,
    WordList,
    levels_of,
    texts_of,
)
from interplay.core.failures import Mistake
from interplay.models.calling import CallFailed
from interplay.models.posting import Patience
from tests.benchmarks.perspective import Endpoint, error, fine, scores, serving_scores

KEY = "AIza-planted-canary-0123456789"
QUICK: dict[str, Any] = {"per_second": 1000.0, "pause": 0.001}


def texts(*said: str) -> list[Text]:
    return [Text(f"label {text}", f"task {n // 2}", text) for n, text in enumerate(said)]


async def levels(endpoint: Endpoint, *said: str) -> Levels:
    with serving_scores(endpoint) as url:
        scorer = Perspective(url, key=KEY, **QUICK)
        try:
            return await levels_of(texts(*said), scorer, lambda: None)
        finally:
            await scorer.close()


def by_text(**answers: Callable[[], web.Response]) -> Endpoint:
    """Answers each of these texts as said, all others well."""
    return Endpoint(lambda text, number: answers[text]() if text in answers else fine(text, number))


# The endpoint


async def test_an_endpoint_is_sent_what_perspective_takes_and_its_scores_are_read() -> None:
    endpoint = Endpoint()
    with serving_scores(endpoint) as url:
        scorer = Perspective(f"{url}/comments:analyze", key=KEY, **QUICK)
        await scorer.check()
        found = await scorer.score("Ünder the hood\n{{text}}")
        await scorer.close()
    assert found == {attribute: pytest.approx(n / 10) for n, attribute in enumerate(ATTRIBUTES, 1)}
    assert endpoint.bodies == [
        {
            "comment": {"text": "Ünder the hood\n{{text}}"},
            "requestedAttributes": {attribute.upper(): {} for attribute in ATTRIBUTES},
            "languages": ["en"],
            "doNotStore": True,
        }
    ]
    assert endpoint.headers[0]["X-Goog-Api-Key"] == KEY


async def test_without_a_key_none_is_sent() -> None:
    endpoint = Endpoint()
    with serving_scores(endpoint) as url:
        scorer = Perspective(url, **QUICK)
        await scorer.score("a")
        await scorer.close()
    assert "X-Goog-Api-Key" not in endpoint.headers[0]


async def test_requests_keep_their_distance() -> None:
    endpoint = Endpoint()
    with serving_scores(endpoint) as url:
        scorer = Perspective(url, per_second=20)
        for text in "abc":
            await scorer.score(text)
        await scorer.close()
    first, _, third = endpoint.moments
    assert third - first > 0.09  # two times a twentieth of a second, less what the way there may differ by
    assert signature(Perspective).parameters["per_second"].default == 1.0  # as the API itself allows


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_what_passes_is_tried_again(status: int) -> None:
    endpoint = Endpoint(lambda text, number: error(status) if number < 3 else fine(text, number))
    found = await levels(endpoint, "a")
    assert (found.scored, found.failures, len(endpoint.bodies)) == (1, {}, 3)


async def test_what_does_not_pass_is_counted_by_cause_and_in_no_mean() -> None:
    endpoint = by_text(
        b=lambda: error(429, **{"Retry-After": "0"}),
        c=lambda: error(500),
        d=lambda: web.Response(text="<html>", content_type="text/html"),
        e=lambda: error(400, "COMMENT_TOO_LONG"),
        f=lambda: web.json_response(scores(TOXICITY=0.9)),
    )
    found = await levels(endpoint, *"abcdef")
    assert (found.texts, found.scored) == (6, 2)
    assert found.failures == {"malformed": 1, "rate limit": 1, "rejected": 1, "server": 1}
    toxicity = found.levels[0]
    assert toxicity.mean.value == pytest.approx((0.1 + 0.9) / 2)
    assert (toxicity.mean.n, toxicity.mean.clusters) == (2, (2,))
    assert (toxicity.highest, toxicity.where) == (0.9, "label f")
    sent = [body["comment"]["text"] for body in endpoint.bodies]
    assert [sent.count(text) for text in "abcdef"] == [
        1,
        3,
        3,
        3,
        1,
        1,
    ]  # a text that is refused stays refused


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"attributeScores": None},
        {"attributeScores": {"TOXICITY": {"summaryScore": 0.5}}},
        scores(THREAT=None),
        scores(THREAT="0.5"),
        scores(THREAT=True),
        scores(THREAT=1.01),
        scores(THREAT=-0.1),
        scores(THREAT=float("nan")),
    ],
)
async def test_an_answer_without_all_six_scores_is_malformed(body: Any) -> None:
    said = json.dumps(body)
    with serving_scores(Endpoint(lambda text, number: web.json_response(text=said))) as url:
        scorer = Perspective(url, **QUICK)
        with pytest.raises(CallFailed) as failed:
            await scorer.score("a")
        await scorer.close()
    assert failed.value.cause == "malformed"


@pytest.mark.parametrize(
    "answer",
    [
        lambda: error(403, f"the key {KEY} may not"),
        lambda: error(400, f"API key not valid. Please pass a valid API key: {KEY}"),
        lambda: error(404),
    ],
)
async def test_where_no_text_can_be_scored_it_stops_at_once_without_naming_the_key(
    answer: Callable[[], web.Response],
) -> None:
    endpoint = Endpoint(lambda text, number: answer())
    with pytest.raises(Mistake, match=r"does not score.*PERSPECTIVE_API_KEY") as found:
        await levels(endpoint, *"abcdefgh")
    assert len(endpoint.bodies) == 1
    assert KEY not in str(found.value)
    assert found.value.__cause__ is None


async def test_an_endpoint_that_fails_text_after_text_is_given_up() -> None:
    endpoint = Endpoint(lambda text, number: error(503))
    with pytest.raises(Mistake, match="does not score: server: HTTP 503"):
        await levels(endpoint, *"abcdefgh")
    assert len(endpoint.bodies) == 5 * 3


async def test_a_hung_endpoint_is_not_waited_for() -> None:
    endpoint = Endpoint(latency=30)
    with serving_scores(endpoint) as url:
        scorer = Perspective(url, **QUICK, patience=Patience(first_byte=0.1))
        with pytest.raises(CallFailed) as failed:
            await scorer.score("a")
        await scorer.close()
    assert (failed.value.cause, len(endpoint.bodies)) == ("timeout", 3)


async def test_the_key_is_nowhere_to_be_seen() -> None:
    scorer = Perspective("http://127.0.0.1:9", key=KEY)
    assert KEY not in repr(scorer) + scorer.name + "".join(scorer.told())


# The word list


async def test_the_word_list_gives_the_share_of_words_and_measures_two_attributes() -> None:
    scorer = WordList()
    assert await scorer.score("You idiots are BASTARDS") == {"insult": 0.5, "profanity": 0.5}
    assert await scorer.score("a classic assassin of Scunthorpe") == {"insult": 0.0, "profanity": 0.0}
    assert await scorer.score("") == {"insult": 0.0, "profanity": 0.0}
    assert (scorer.hits, scorer.words) == (2, 9)
    told = " ".join(scorer.told())
    assert "2 of 9 words" in told
    assert "sees words and not what is meant" in told


async def test_what_the_word_list_does_not_measure_is_no_0() -> None:
    found = await levels_of(texts("quite fine", "you idiot"), WordList(), lambda: None)
    measured = {one.attribute: one for one in found.levels}
    assert tuple(measured) == ATTRIBUTES
    for attribute in ("toxicity", "severe_toxicity", "identity_attack", "threat"):
        one = measured[attribute]
        assert (one.measured, one.mean.value, one.mean.n, one.highest) == (False, None, 0, None)
    assert (measured["insult"].mean.value, measured["insult"].highest) == (0.25, 0.5)
    assert measured["insult"].where == "label you idiot"


async def test_equal_scores_claim_no_certainty() -> None:
    found = await levels_of(texts("one", "two", "three"), WordList(), lambda: None)
    (insult,) = [one for one in found.levels if one.attribute == "insult"]
    assert (insult.mean.value, insult.mean.low, insult.mean.high) == (0.0, None, None)
    assert (insult.highest, insult.where) == (0.0, "")


async def test_what_ships_has_no_word_of_the_list() -> None:
    scorer = WordList()
    for name, some in texts_of().items():
        found = await levels_of(some, scorer, lambda: None)
        assert found.scored == found.texts == len(some), name
    assert scorer.hits == 0
    assert scorer.words > 50_000


# The texts


def test_tasks_are_their_descriptions_and_scripts_all_that_is_said_in_them() -> None:
    found = texts_of()
    assert [one.text for one in found["tasks"]] == [task.description for task in shipped_tasks()]
    assert len(found["scripts"]) == len(shipped())
    for one, script in zip(found["scripts"], shipped(), strict=True):
        assert one.task == script.task
        assert one.text.endswith(script.request)
        assert all(turn.request in one.text and turn.answer in one.text for turn in script.history)


def test_a_file_holds_tasks_or_scripts(tmp_path: Path) -> None:
    script = {
        **{"task": "t", "name": "Till", "kind": "stateful", "type": "LastOnly", "request": "two"},
        "history": [{"request": "one", "answer": ""}],
    }
    task = {
        "id": 1,
        "act": "Till",
        "type": "stateful",
        "request_type": "sum",
        "task_description": "Be a till.",
    }
    path = tmp_path / "data.jsonl"
    path.write_text(json.dumps(script))
    assert texts_of(path) == {"scripts": [Text("Till, turn 2 (LastOnly)", "t", "one\n\ntwo")]}
    path.write_text(json.dumps({**task, "id": "1"}))
    assert texts_of(path) == {"tasks": [Text("Till", "1", "Be a till.")]}
    with pytest.raises(Mistake, match=r"\.toml or a \.jsonl"):
        texts_of(tmp_path / "data.csv")


def test_the_authors_files_are_read(originals: Path) -> None:
    assert {
        name: len(some) for name, some in texts_of(originals / "simulbench/simulbench_all.jsonl").items()
    } == {"scripts": 500}
    tasks = texts_of(originals / "simulbench/simulbench_tasks.jsonl")
    assert {name: len(some) for name, some in tasks.items()} == {"tasks": 109}
