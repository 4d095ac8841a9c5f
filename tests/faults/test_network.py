"""Answers that are broken or odd, in every role: named, kept, and the run comes to the same end."""

import hashlib
import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, get_args, get_type_hints

import pytest

from interplay.models.loopback import Asked, Fault, Loopback, Said, serving
from interplay.models.loopback.faults import HUGE, NOT_UTF8, PAGE, SPOILED
from tests.faults.harness import finished_rows
from tests.faults.network import (
    PROVIDERS,
    ROLES,
    Planted,
    calm_run,
    carried_out,
    check_every_call_is_a_row,
    command,
    drawn_places,
    hurried,
    models_file,
    scores,
    steady,
    tries,
    undisturbed,
    without_tokens,
)

BROKEN_BODY = b'{"id": "broken-off", "choices": [{"index": 0, "message": {"role": "assistant", "content": "H'
KEPT_OF_A_HUGE_REPLY = 1_000_000
CUT = re.compile(rb"\n\[cut: (\d+) bytes in all, sha256 ([0-9a-f]{64})\]\Z")


@dataclass(frozen=True)
class Broken:
    """A fault that no reader can take for an answer: what it is called in the record, and what is kept of it."""

    fault: Fault
    cause: str
    kept: bytes  # stands in the raw bytes of the record


BROKEN = {
    "status": Broken(Fault("status", status=502), "server", b"told to answer with status 502"),
    "reset": Broken(Fault("reset"), "connection", b""),
    "truncated": Broken(Fault("truncated", body=2 * BROKEN_BODY), "malformed", BROKEN_BODY),
    "html": Broken(Fault("html"), "malformed", PAGE),
    "wrong_length": Broken(Fault("wrong_length", body=BROKEN_BODY), "connection", BROKEN_BODY),
    "empty_choices": Broken(Fault("empty_choices"), "malformed", b"loopback"),
    "null_content": Broken(Fault("null_content"), "malformed", b'"content": null'),
    "not_utf8": Broken(Fault("not_utf8"), "malformed", NOT_UTF8),
    "huge": Broken(
        Fault("huge", body=b"[" + b"9" * 9_000_000), "malformed", b"[" + b"9" * 999_999 + b"\n[cut: "
    ),
    "raw": Broken(Fault("raw", status=200, body=b"[1, 2]"), "malformed", b"[1, 2]"),
}
# Answers all the same; what they say is recorded like this.
ODD = {
    "missing_usage": SPOILED,
    "negative_usage": SPOILED,
    "nul": "before\N{REPLACEMENT CHARACTER}after",
    "surrogate": "before?after",
    "bidi": "before\u202eretfa\u202c \u2066after\u2069",
}
LATE = {"hang", "drip"}  # see test_limits.py
KINDS = get_args(get_type_hints(Fault)["kind"])


def test_every_kind_of_fault_is_tried_here_or_with_the_limits() -> None:
    left = set(KINDS) - set(BROKEN) - set(ODD) - LATE
    assert not left, f"the loopback server knows faults that no run was tried with: {sorted(left)}"


def check_the_failed(store: Path, wanted: list[tuple[str, str]]) -> None:
    """One failed row for each fault, by the model that it hit and its kind."""
    failed = tries(store, "failed")
    found = Counter((row["model"], row["cause"]) for row in failed)
    expected = Counter((model, BROKEN[kind].cause) for model, kind in wanted)
    assert found == expected, f"failed calls by model and cause should be {expected}, and are {found}"
    for model, kind in wanted:
        broken = BROKEN[kind]
        fitting = [row for row in failed if (row["model"], row["cause"]) == (model, broken.cause)]
        assert any(broken.kept in row["raw"] for row in fitting), (
            f"of {kind} to {model} the record should keep {broken.kept[:60]!r}"
        )


@pytest.mark.fault("malformed body", times=3)
@pytest.mark.soak
@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_broken_answer_to_each_role_is_named_kept_and_asked_for_again(
    kind: str, provider: str, tmp_path: Path
) -> None:
    calm = calm_run(provider)
    places = drawn_places(f"{provider} {kind}", calm.by_model)
    loopback = Loopback(Planted({place: lambda _: BROKEN[kind].fault for place in places}))
    store = tmp_path / "interplay.db"
    with serving(loopback) as url:
        line = command(models_file(tmp_path, url, provider), store)
        ended = carried_out(line)
        check_every_call_is_a_row(loopback, store)
        check_the_failed(store, [(model, kind) for model, _ in places])
        assert ended.board == calm.board, f"after {kind} the board should equal an undisturbed run's"
        assert scores(store) == calm.scores, f"after {kind} the scores should equal an undisturbed run's"
        assert "3 calls failed; each is in the record with its cause." in ended.err, (
            "the person should be told of the calls that failed"
        )
        assert loopback.calls == calm.calls + len(places), "only what failed may be asked for again"
        kept = finished_rows(store)
        assert carried_out(line).board == calm.board, "the same command should print the same board"
        assert (loopback.calls, finished_rows(store)) == (calm.calls + len(places), kept), (
            "the same command again should cost nothing and change nothing"
        )


@pytest.mark.fault("malformed body", times=30)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_run_in_which_every_role_meets_every_broken_answer_comes_to_the_same_end(
    provider: str, tmp_path: Path
) -> None:
    calm, rng = calm_run(provider, 12), Random(provider)
    planted = {
        (model, number): kind
        for model in ROLES.values()
        for kind, number in zip(
            BROKEN, rng.sample(range(1, calm.by_model[model] + 1), len(BROKEN)), strict=True
        )
    }
    loopback = Loopback(
        Planted({place: lambda _, kind=kind: BROKEN[kind].fault for place, kind in planted.items()})
    )
    store = tmp_path / "interplay.db"
    with serving(loopback) as url:
        ended = hurried(command(models_file(tmp_path, url, provider), store, limit=12), speed=10)
    assert ended.code == 0, f"all of it should be ridden out: {ended.err}"
    check_every_call_is_a_row(loopback, store)
    check_the_failed(store, [(model, kind) for (model, _), kind in planted.items()])
    assert loopback.calls == calm.calls + len(planted), "only what failed may be asked for again"
    assert (ended.board, scores(store)) == (calm.board, calm.scores), (
        "the results should be those of a calm run"
    )


@pytest.mark.fault("malformed body")
def test_of_a_huge_answer_the_first_megabyte_is_kept_with_the_size_and_hash_of_all(tmp_path: Path) -> None:
    body = b"[" + b"a" * (HUGE - 1)
    loopback = Loopback(Planted({("player", 1): lambda _: Fault("raw", status=200, body=body)}))
    store = tmp_path / "interplay.db"
    with serving(loopback) as url:
        carried_out(command(models_file(tmp_path, url), store, limit=1))
    (failed,) = tries(store, "failed")
    cut = CUT.search(failed["raw"])
    assert cut is not None, f"the record should say what was cut off, and ends in {failed['raw'][-150:]!r}"
    assert failed["raw"][: cut.start()] == body[:KEPT_OF_A_HUGE_REPLY], "the first megabyte should be kept"
    assert int(cut.group(1)) == HUGE, "the size should be that of the whole answer"
    assert cut.group(2).decode() == hashlib.sha256(body).hexdigest(), "the hash should be of the whole answer"


@pytest.mark.fault("awkward text", times=3)
@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_odd_answer_to_each_role_is_played_as_if_it_had_been_said_in_plain_words(
    kind: str, provider: str, tmp_path: Path
) -> None:
    calm = calm_run(provider)
    places = drawn_places(f"{provider} {kind}", calm.by_model)
    in_turn = ("--max-connections", "1")  # so that the n-th request is the same in both runs
    plain = undisturbed(
        tmp_path / "plain", provider, 2, Planted({place: lambda _: ODD[kind] for place in places}), in_turn
    )
    loopback = Loopback(Planted({place: lambda _: Fault(kind) for place in places}))
    store = tmp_path / "interplay.db"
    with serving(loopback) as url:
        line = command(models_file(tmp_path, url, provider), store, more=in_turn)
        ended = carried_out(line)
        check_every_call_is_a_row(loopback, store)
        assert not tries(store, "failed"), f"{kind} is an answer, and no failure"
        assert without_tokens(ended.board) == without_tokens(plain.board), (
            "the board should be as if it had been said plainly"
        )
        assert scores(store) == plain.scores, "the scores should be as if it had been said plainly"
        assert (loopback.calls, plain.calls) == (calm.calls + 2,) * 2, (
            "the player's answer is taken, the others' are not in form and asked for again"
        )
        assert carried_out(line).board == ended.board, "the same command should print the same board"
        assert loopback.calls == plain.calls, "the record should answer the same command again"
    assert sum(row["text"] == ODD[kind] for row in tries(store)) == len(places), (
        "each should be recorded in plain words"
    )


@pytest.mark.fault("odd usage", times=3)
@pytest.mark.parametrize(
    "usage", [None, {"prompt_tokens": -5, "completion_tokens": -1}], ids=["none", "negative"]
)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_usage_that_is_missing_or_negative_is_estimated_and_flagged_on_the_board(
    usage: Any, provider: str, tmp_path: Path
) -> None:
    calm = calm_run(provider)
    places = drawn_places(f"{provider} {usage}", calm.by_model)
    said = {place: lambda asked: Said(steady(asked), usage=usage) for place in places}
    store = tmp_path / "interplay.db"
    with serving(Loopback(Planted(said))) as url:
        board = carried_out(command(models_file(tmp_path, url, provider), store)).board
    note = f"Tokens of {len(ROLES)} calls are estimated: the endpoint did not report them."
    assert note in board["notes"], f"the board should flag the estimate, and says {board['notes']}"
    assert without_tokens(board) == without_tokens(calm.board), (
        "but for tokens, the board should equal an undisturbed run's"
    )
    estimated = [row for row in tries(store, "done") if row["tokens_estimated"]]
    assert sorted(row["model"] for row in estimated) == sorted(ROLES.values()), (
        "one call of each role should be estimated"
    )
    told, known = board["rows"][0]["tokens"], calm.board["rows"][0]["tokens"]
    assert abs(told - known) <= 0.05 * known, f"about {known} tokens were used, the board says {told}"


AWKWARD = {
    "nul": ("\0", "\N{REPLACEMENT CHARACTER}"),
    "surrogate": ("\ud800", "?"),
    "bidi": ("\u202e", "\u202e"),
    "escape": ("\x1b[2J", "\x1b[2J"),
}


def marked(asked: Asked, mark: str) -> str:
    """The usual answer with a mark in its text; in a form, in the first text that it has."""
    said = steady(asked)
    if asked.schema is None:
        return mark + said
    first = json.dumps(re.findall(r'": "(.*?)"', said)[0])
    return said.replace(first, json.dumps(mark + json.loads(first)), 1)


@pytest.mark.fault("awkward text")
@pytest.mark.parametrize("kind", AWKWARD)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_awkward_text_in_every_answer_is_recorded_judged_and_shown_without_harm(
    kind: str, provider: str, tmp_path: Path
) -> None:
    mark, recorded = AWKWARD[kind]
    plain = undisturbed(tmp_path / "plain", provider, script=lambda asked: marked(asked, recorded))
    loopback = Loopback(lambda asked: marked(asked, mark))
    store, report = tmp_path / "interplay.db", tmp_path / "report.html"
    with serving(loopback) as url:
        line = command(models_file(tmp_path, url, provider), store, more=("--html", str(report)))
        ended = carried_out(line)
        check_every_call_is_a_row(loopback, store)
        assert without_tokens(ended.board) == without_tokens(plain.board), (
            "the board should be as if it had been said plainly"
        )
        assert scores(store) == plain.scores, "the scores should be as if it had been said plainly"
        assert carried_out(line).board == ended.board, "the same command should print the same board"
        assert loopback.calls == plain.calls, "the record should answer the same command again"
    escaped = json.dumps(mark).strip('"').encode()
    assert all(escaped in row["raw"] for row in tries(store)), "the raw bytes should be kept as they came"
    shown = typed_out(store)
    assert "interrogator" in shown, "the conversation should be shown"
    assert mark[0] not in shown, f"{kind} must not reach a terminal"


def typed_out(store: Path) -> str:
    return carried_out(["show", "last", "--conversation", "1", "--store", str(store)]).out


@pytest.mark.parametrize("role", ROLES)
def test_what_an_endpoint_keeps_refusing_is_shown_and_asked_for_again_by_the_same_command(
    role: str, tmp_path: Path
) -> None:
    def refusing(asked: Asked) -> str | Fault:
        return Fault("status", status=400) if asked.model == ROLES[role] else steady(asked)

    calm, store, refused = calm_run(), tmp_path / "interplay.db", Loopback(refusing)
    with serving(refused) as url:
        ended = carried_out(command(models_file(tmp_path, url), store), code=1)
        check_every_call_is_a_row(refused, store)
    assert "2 conversations or verdicts got no answer" in ended.err, f"how many should be said: {ended.err}"
    (row,) = ended.board["rows"]
    share = ("unscored", 0.5) if role == "judge" else ("void", 1.0)
    assert row[share[0]] == share[1], f"the board should show {share}, and has {row}"
    kept, healthy = finished_rows(store), Loopback(steady)
    with serving(healthy) as url:
        assert carried_out(command(models_file(tmp_path, url), store)).board == calm.board, (
            "the same command should come to an undisturbed run's board"
        )
    assert kept <= finished_rows(store), "a finished row was lost"
    assert scores(store) == calm.scores, "the scores should equal an undisturbed run's"
    assert healthy.calls == calm.calls - len(kept), "what was answered must not be paid for again"


@pytest.mark.parametrize("role", ROLES)
def test_the_line_about_missing_answers_has_the_cause_and_the_next_command(role: str, tmp_path: Path) -> None:
    def refusing(asked: Asked) -> str | Fault:
        return Fault("status", status=400) if asked.model == ROLES[role] else steady(asked)

    with serving(Loopback(refusing)) as url:
        ended = carried_out(command(models_file(tmp_path, url), tmp_path / "interplay.db"), code=1)
    (line,) = [line for line in ended.err.splitlines() if "the same command" in line]
    assert "rejected" in line or "HTTP 400" in line, f"the line should name the cause: {line!r}"
