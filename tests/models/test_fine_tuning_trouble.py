"""Fine-tuning at endpoints that misbehave: what is sat out, what is the end, and what is said of it."""

import json
from typing import Any

import pytest

from interplay.models.calling import CallFailed
from interplay.models.fine_tuning import MOST_UNSURE, TRIES, TRIES_OF_A_POLL, JobState
from interplay.models.loopback import Fault, Loopback, Script, Tuning
from tests.models.asking import IMPATIENT, KEY, assert_hidden, assert_tight, spelled
from tests.models.fine_tuned import (
    BASE,
    CREATE,
    DIGEST,
    EXAMPLES,
    LIST_FILES,
    LIST_JOBS,
    POLL,
    UPLOAD,
    always,
    client,
    count,
    create,
    examples,
    in_turn,
    made,
    tune,
    upload,
)

PASSING: dict[str, Fault] = {
    "429": Fault("status", 429, {"Retry-After": "0.01"}),
    "429 with an odd wait": Fault("status", 429, {"Retry-After": "-5"}),
    "500": Fault("status", 500),
    "503": Fault("status", 503, {"Retry-After": "0.01"}),
    "529": Fault("status", 529),
    "502 after it was done": Fault("raw", 502, body=b"<html>Bad gateway</html>"),
    "reset": Fault("reset"),
    "cut short": Fault("wrong_length"),
    "half of it": Fault("truncated"),
    "a page": Fault("html"),
    "a redirect": Fault("raw", 302, {"Location": "http://127.0.0.1:9/"}),
    "nothing in it": Fault("empty_choices"),
    "too large": Fault("raw", 200, body=b"[" + b"1," * 4_500_000 + b"1]"),
    "no unicode": Fault("not_utf8"),
}
STRANGE: dict[str, bytes] = {
    "nothing": b"",
    "null": b"null",
    "a list": b"[]",
    "a number": b"7",
    "a text": b'"succeeded"',
    "an empty object": b"{}",
    "nested too deep": b"[" * 200_000,
}
AT_ONCE = 0.00001
NAME = f"ft:{BASE}:interplay::loopback-1"


def one_line(failure: CallFailed) -> str:
    assert_tight(failure)
    assert "\n" not in str(failure)
    assert len(str(failure)) < 500
    return str(failure)


async def fails(loopback: Loopback, **more: Any) -> CallFailed:
    async with loopback as url:
        with pytest.raises(CallFailed) as raised:
            await tune(url, key=KEY, interval=AT_ONCE, **more)
    one_line(raised.value)
    return raised.value


# What is sat out


@pytest.mark.parametrize("route", [LIST_FILES, UPLOAD, LIST_JOBS, CREATE, POLL])
@pytest.mark.parametrize("kind", PASSING)
async def test_trouble_that_passes_leaves_one_file_one_job_and_its_model(route: str, kind: str) -> None:
    loopback = Loopback({route: in_turn(PASSING[kind], PASSING[kind])})
    async with loopback as url:
        assert await tune(url) == NAME
    assert made(loopback) == (1, 1)


@pytest.mark.parametrize("route", [LIST_FILES, UPLOAD, LIST_JOBS, CREATE, POLL])
async def test_an_endpoint_that_hangs_is_asked_again(route: str) -> None:
    loopback = Loopback({route: in_turn(Fault("hang"))})
    async with loopback as url:
        tuning = client(url, patience=IMPATIENT)
        file = await tuning.upload(EXAMPLES, DIGEST)
        job = await tuning.create(file, DIGEST, epochs=2, seed=5)
        assert await tuning.finished(job, [].append) == NAME
        await tuning.close()
    assert made(loopback) == (1, 1)


async def test_a_long_trouble_while_a_job_runs_is_told_and_sat_out() -> None:
    told: list[JobState] = []
    # A reset of a kept connection is sat out by the client beneath, where nothing can be done twice.
    storm = [fault for _ in range(4) for kind, fault in PASSING.items() if kind not in ("too large", "reset")]
    assert TRIES < len(storm) < TRIES_OF_A_POLL
    loopback = Loopback({POLL: in_turn(None, *storm)}, tuning=Tuning(polls=len(storm) + 3))
    async with loopback as url:
        file = await upload(url)
        job = await create(url, file)
        tuning = client(url, interval=AT_ONCE)
        assert await tuning.finished(job, told.append) == NAME
        await tuning.close()
    assert [bool(state.trouble) for state in told] == [
        False,
        *([True] * len(storm)),
        *([False] * (len(told) - 1 - len(storm))),
    ]
    assert told[1] == JobState(job, "queued", trouble=told[1].trouble)
    assert told[1].trouble.startswith("rate limit: HTTP 429")


async def test_trouble_counts_in_a_row() -> None:
    faults = [fault for _ in range(3) for fault in (*[Fault("status", 503)] * (TRIES_OF_A_POLL - 1), None)]
    loopback = Loopback({POLL: in_turn(*faults)})
    async with loopback as url:
        job = await create(url, await upload(url))
        tuning = client(url, interval=AT_ONCE)
        assert await tuning.finished(job, [].append) == NAME
        await tuning.close()
    assert count(loopback.events, POLL) == len(faults)


async def test_trouble_that_does_not_pass_is_the_end_but_not_of_the_job() -> None:
    loopback = Loopback({POLL: always(Fault("status", 503))})
    async with loopback as url:
        job = await create(url, await upload(url))
        tuning = client(url, interval=AT_ONCE)
        with pytest.raises(CallFailed, match="server: HTTP 503"):
            await tuning.finished(job, [].append)
        await tuning.close()
    assert count(loopback.events, POLL) == TRIES_OF_A_POLL
    assert made(loopback) == (1, 1)


@pytest.mark.parametrize("route", [LIST_FILES, UPLOAD, LIST_JOBS, CREATE])
async def test_a_request_that_never_succeeds_is_given_up(route: str) -> None:
    loopback = Loopback({route: always(Fault("status", 429))})
    failure = await fails(loopback)
    assert failure.cause == "rate limit"
    assert count(loopback.events, route) == TRIES
    assert made(loopback) == (int(route in (LIST_JOBS, CREATE)), 0)


# What is unknown


EMPTY = Fault("raw", 200, body=b'{"data": [], "has_more": false}')


@pytest.mark.parametrize("route, listed", [(UPLOAD, LIST_FILES), (CREATE, LIST_JOBS)])
async def test_what_was_taken_on_is_not_sent_again_even_if_no_list_shows_it(route: str, listed: str) -> None:
    loopback = Loopback({route: always(Fault("empty_choices")), listed: always(EMPTY)})
    failure = await fails(loopback)
    assert str(failure) == "malformed: the answer has no id"
    assert count(loopback.events, route) == 1
    assert count(loopback.events, listed) == TRIES + 1


@pytest.mark.parametrize("kind", ["reset", "html", "truncated"])
async def test_what_may_have_been_made_is_not_sent_for_ever(kind: Any) -> None:
    loopback = Loopback({CREATE: always(Fault(kind)), LIST_JOBS: always(EMPTY)})
    failure = await fails(loopback)
    assert failure.cause in ("connection", "malformed")
    assert count(loopback.events, CREATE) == MOST_UNSURE


async def test_what_a_list_shows_late_is_found() -> None:
    loopback = Loopback({CREATE: always(Fault("empty_choices")), LIST_JOBS: in_turn(*[EMPTY] * 6)})
    async with loopback as url:
        assert await tune(url) == NAME
    assert made(loopback) == (1, 1)


# Jobs that come to nothing


async def test_a_job_that_failed_is_told_in_one_line() -> None:
    loopback = Loopback()
    failure = await fails(loopback, taught=examples(3))
    assert str(failure) == (
        "rejected: the fine-tuning job ftjob-loopback-1 failed: invalid_n_examples "
        "The training file has 3 examples, but at least 10 are needed."
    )
    assert count(loopback.events, POLL) == 1


async def test_a_job_that_was_cancelled_is_told_in_one_line() -> None:
    loopback = Loopback(tuning=Tuning(polls=10**6))
    async with loopback as url:
        job = await create(url, await upload(url))
        tuning = client(url)

        def cancel(state: JobState) -> None:
            loopback.workshop.jobs[0].cancelled = True

        with pytest.raises(CallFailed) as raised:
            await tuning.finished(job, cancel)
        await tuning.close()
    assert one_line(raised.value) == f"rejected: the fine-tuning job {job} was cancelled: no reason is told"


@pytest.mark.parametrize(
    "error, said",
    [
        ({"code": "x", "message": "one\ntwo\r\n\tthree"}, "x one two three"),
        ({"message": "z" * 10_000}, "z" * 300),
        ("plain words", "plain words"),
        ({"message": ["odd"]}, "['odd']"),
        (None, "no reason is told"),
        ([1], "no reason is told"),
        ({"message": "nul \0, lone \ud800"}, "nul \N{REPLACEMENT CHARACTER}, lone ?"),
    ],
)
@pytest.mark.parametrize("status", ["failed", "FAILED"])
async def test_a_reason_is_cleaned_and_capped(error: Any, said: str, status: str) -> None:
    body = json.dumps({"id": "j", "status": status, "error": error}).encode()
    failure = await fails(Loopback({POLL: always(Fault("raw", 200, body=body))}))
    assert str(failure) == f"rejected: the fine-tuning job ftjob-loopback-1 failed: {said}"


@pytest.mark.parametrize("status, cause", [(401, "key"), (403, "key"), (404, "not found"), (400, "rejected")])
@pytest.mark.parametrize("route", [LIST_FILES, UPLOAD, LIST_JOBS, CREATE, POLL])
async def test_what_cannot_get_better_is_not_tried_again(route: str, status: int, cause: str) -> None:
    loopback = Loopback({route: always(Fault("status", status))})
    failure = await fails(loopback)
    assert failure.cause == cause
    assert count(loopback.events, route) == 1


# Strange answers


@pytest.mark.parametrize("route", [LIST_FILES, UPLOAD, LIST_JOBS, CREATE, POLL])
@pytest.mark.parametrize("kind", STRANGE)
async def test_a_strange_answer_is_malformed(route: str, kind: str) -> None:
    script = {route: always(Fault("raw", 200, body=STRANGE[kind]))}
    if route in (UPLOAD, CREATE):
        script[LIST_FILES if route == UPLOAD else LIST_JOBS] = always(EMPTY)
    assert (await fails(Loopback(script))).cause == "malformed"


@pytest.mark.parametrize(
    "body",
    [
        {"data": {}},
        {"data": "none"},
        {"data": None},
        {"data": [7]},
        {"data": [{}]},
        {"data": [{"id": 7}]},
        {"data": [{"id": ".."}]},
        {"data": [], "has_more": "no"},
    ],
)
@pytest.mark.parametrize("route", [LIST_FILES, LIST_JOBS])
async def test_a_list_that_is_none_leads_to_nothing_new(route: str, body: Any) -> None:
    loopback = Loopback({route: always(Fault("raw", 200, body=json.dumps(body).encode()))})
    failure = await fails(loopback)
    assert failure.cause == "malformed"
    assert made(loopback) == (int(route == LIST_JOBS), 0)


@pytest.mark.parametrize("route", [LIST_FILES, LIST_JOBS])
async def test_a_list_without_an_end_leads_to_nothing_new(route: str) -> None:
    body = json.dumps({"data": [{"id": "a"}], "has_more": True}).encode()
    loopback = Loopback({route: always(Fault("raw", 200, body=body))})
    failure = await fails(loopback)
    assert "has no end" in str(failure)
    assert count(loopback.events, route) == 2
    assert made(loopback) == (int(route == LIST_JOBS), 0)


@pytest.mark.parametrize("length", [3, 300])
async def test_a_list_that_comes_whole_every_time_has_an_end(length: int) -> None:
    body = json.dumps({"data": [{"id": f"a{number}"} for number in range(length)]}).encode()
    loopback = Loopback({LIST_JOBS: always(Fault("raw", 200, body=body))})
    async with loopback as url:
        assert await tune(url) == NAME


@pytest.mark.parametrize(
    "body, said",
    [
        ({"status": 7}, "tells no status"),
        ({"status": ""}, "tells no status"),
        ({"id": "x"}, "tells no status"),
        ({"status": "succeeded"}, "names no model"),
        ({"status": "succeeded", "fine_tuned_model": None}, "names no model"),
        ({"status": "succeeded", "fine_tuned_model": 7}, "names no model"),
        ({"status": "succeeded", "fine_tuned_model": "two words"}, "names no model"),
        ({"status": "succeeded", "fine_tuned_model": "x\u202ey"}, "names no model"),
        ({"status": "succeeded", "fine_tuned_model": "x" * 301}, "names no model"),
    ],
)
async def test_a_job_that_tells_nonsense_is_malformed(body: Any, said: str) -> None:
    loopback = Loopback({POLL: always(Fault("raw", 200, body=json.dumps(body).encode()))})
    async with loopback as url:
        job = await create(url, await upload(url))
        tuning = client(url, interval=AT_ONCE)
        with pytest.raises(CallFailed, match=said) as raised:
            await tuning.finished(job, [].append)
        await tuning.close()
    assert raised.value.cause == "malformed"


@pytest.mark.parametrize("tokens", [None, -1, "many", 1.5, True, 10**30])
@pytest.mark.parametrize("status", ["succeeded", "SUCCESS", "completed"])
async def test_odd_counts_are_no_counts_and_words_for_success_differ(tokens: Any, status: str) -> None:
    told: list[JobState] = []
    going = {"status": "paused", "fine_tuned_model": None, "error": None}
    done = {"status": status, "fine_tuned_model": "ft:x", "trained_tokens": tokens, "error": {}}
    answers = (Fault("raw", 200, body=json.dumps(body).encode()) for body in (going, done))
    loopback = Loopback({POLL: in_turn(*answers)})
    async with loopback as url:
        assert await tune(url, told=told) == "ft:x"
    assert told == [
        JobState("ftjob-loopback-1", "paused"),
        JobState("ftjob-loopback-1", status.lower(), "ft:x"),
    ]


# Keys


@pytest.mark.parametrize("route", [LIST_FILES, UPLOAD, LIST_JOBS, CREATE, POLL])
async def test_nobody_is_sent_elsewhere_with_a_key(route: str) -> None:
    elsewhere = Loopback()
    async with elsewhere as other:
        away = Fault(
            "raw", 307, {"Location": other.removesuffix("/v1") + route.split()[1].replace("{job}", "x")}
        )
        loopback = Loopback({route: in_turn(away)})
        async with loopback as url:
            assert await tune(url, key=KEY) == NAME
    assert elsewhere.events == []


def repeating(status: int, spelling: str) -> Script:
    body = json.dumps({"id": ".", "status": "failed", "error": {"message": "no such key: @@"}})
    return always(Fault("raw", status, body=body.replace("@@", spelling).encode()))


@pytest.mark.parametrize("way", spelled())
@pytest.mark.parametrize("route", [LIST_FILES, UPLOAD, LIST_JOBS, CREATE, POLL])
@pytest.mark.parametrize("status", [200, 400, 401, 503])
async def test_a_key_goes_no_further(route: str, status: int, way: str) -> None:
    script = {route: repeating(status, spelled()[way])}
    if route in (UPLOAD, CREATE):
        script[LIST_FILES if route == UPLOAD else LIST_JOBS] = always(EMPTY)
    told: list[JobState] = []
    loopback = Loopback(script, keys=frozenset({KEY}))
    async with loopback as url:
        tuning = client(url, key=KEY, interval=AT_ONCE)
        with pytest.raises(CallFailed) as raised:
            file = await tuning.upload(EXAMPLES, DIGEST)
            job = await tuning.create(file, DIGEST, epochs=2, seed=5)
            await tuning.finished(job, told.append)
        await tuning.close()
    one_line(raised.value)
    assert_hidden(f"{told!r} {tuning._at!r}")
