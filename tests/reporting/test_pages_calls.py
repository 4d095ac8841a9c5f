"""The page of a call: all of it is there, and what is long is cut with a word."""

from dataclasses import replace

import pytest

from interplay.core.wire import Message
from interplay.reporting.pages import calls
from interplay.reporting.pages.calls import stage_in_words
from interplay.reporting.pages.drawing import draw
from interplay.reporting.pages.links import Links
from interplay.store.browsing import ListedCall, WholeCall
from interplay.store.records import Run

RUN = Run(1, "simulation-1", "simulation", {}, {}, b"", "2026-05-04T12:00:00+00:00")
LISTED = ListedCall(
    number=7, conversation=3, stage="play", item="", participant="player", step=0, attempt=0, model="openai/a",
    state="done", cause="", detail="", latency=1.25, tokens_in=10, tokens_out=20, cost=0.001,
    sent="2026-05-04T12:00:00.000+00:00",
)  # fmt: skip
CALL = WholeCall(
    listed=LISTED,
    messages=(Message("system", "be brief"), Message("user", "hello")),
    settings={"model": "openai/a", "sampling": {"temperature": 0.5}, "schema": {"type": "object"}},
    text="hi",
    reasoning="",
    stop="stop",
    version="a-1",
    tokens_estimated=False,
    raw='{"raw": true}',
    raw_size=13,
)


def drawn(call: WholeCall, others: tuple[int, ...] = (7,)) -> str:
    return draw(
        "call", Links(), calls.call(RUN, "a label", call, [replace(call.listed, number=n) for n in others])
    )


def test_it_leads_to_those_before_and_after() -> None:
    page = drawn(CALL, (5, 7, 9))
    assert 'rel="prev" href="/calls/5/"' in page
    assert 'rel="next" href="/calls/9/"' in page
    assert "2 of 3 of this conversation" in page


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            replace(CALL, listed=replace(LISTED, state="failed", cause="timeout", detail="60 s"), text=None),
            "timeout",
        ),
        (replace(CALL, listed=replace(LISTED, state="sent"), text=None, raw=""), "sent, answer unknown"),
        (
            replace(CALL, listed=replace(LISTED, state="sent", model="human/ada"), text=None),
            "not answered yet",
        ),
        (replace(CALL, text=""), "It is empty."),
        (replace(CALL, raw_size=5_000), "4,987 further bytes are left out here."),
        (replace(CALL, tokens_estimated=True), "estimated"),
        (
            replace(CALL, settings={"model": "openai/a", "sampling": {}, "schema": None}),
            "sampling left to the endpoint",
        ),
        (replace(CALL, reasoning="deep thoughts"), "Reasoning (13 characters)"),
        (replace(CALL, text="x" * 500_000), "100,000 further characters are left out here."),
        (replace(CALL, listed=replace(LISTED, cost=None)), "unknown"),
    ],
)
def test_what_became_of_it(call: WholeCall, words: str) -> None:
    assert words in drawn(call)


def test_what_a_model_said_is_text() -> None:
    bad = "<script>alert(1)</script>\u202e"
    page = drawn(
        replace(
            CALL, text=bad, reasoning=bad, raw=bad, messages=(Message("user", bad),), version=bad, stop=bad
        )
    )
    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert page.count("U+202E") == 6


@pytest.mark.parametrize(
    ("stage", "words"),
    [
        ("play", "playing"),
        ("judge rating 8299bfe7035a", "judging by the rubric rating"),
        ("pair which is better 8299bfe7035a", "comparing two models by which is better"),
        ("something else", "something else"),
    ],
)
def test_what_a_call_was_for(stage: str, words: str) -> None:
    assert stage_in_words(stage) == words
