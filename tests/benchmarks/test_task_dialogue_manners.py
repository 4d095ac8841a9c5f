"""Users of many manners, written by hand: none of them is flagged, and each is found when it is spoiled."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.task_dialogue.dialogue import CAP, COMPLETED, Dialogue, Exchange
from interplay.benchmarks.task_dialogue.office import Booking, LookUp
from interplay.benchmarks.task_dialogue.quality import FAULTS, faults
from tests.benchmarks.hand_written import dialogue_of

ENTRIES: list[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("more_users.toml").read_text(encoding="utf-8")
)["dialogue"]


def written(entry: Mapping[str, Any]) -> Dialogue:
    return dialogue_of(
        entry["goal"],
        entry["turns"],
        ended=entry.get("ended", COMPLETED),
        closing=entry["closing"],
        message=entry["message"],
    )


def spoiled(dialogue: Dialogue, how: Mapping[str, Any]) -> Dialogue:
    """The dialogue with another turn in one place, with the same turn several times, or ended early."""
    exchanges = list(dialogue.exchanges)
    if "after" in how:
        return replace(dialogue, exchanges=tuple(exchanges[: how["after"]]))
    at = how["turn"] - 1
    said = Exchange(how["says"], exchanges[at].system)
    if "times" in how:
        return replace(dialogue, exchanges=(*exchanges[:at], *[said] * how["times"]), ended=CAP)
    return replace(dialogue, exchanges=(*exchanges[:at], said, *exchanges[at + 1 :]))


def all_spoiled() -> Iterator[tuple[str, str, Dialogue]]:
    for entry in ENTRIES:
        for how in entry["spoiled"]:
            yield entry["manner"], how["fault"], spoiled(written(entry), how)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["manner"])
def test_a_user_who_does_nothing_wrong_is_not_flagged(entry: Mapping[str, Any]) -> None:
    assert faults(written(entry)) == []


def test_spoiled_users_are_found() -> None:
    cases = list(all_spoiled())
    missed = [(manner, fault) for manner, fault, one in cases if fault not in faults(one)]
    assert len(cases) >= 80
    assert {fault for _, fault, _ in cases} == set(FAULTS)
    assert missed == [
        ("parent with children, interruptions", "drifted")
    ]  # "is there a museum" may be curiosity


def test_a_bare_number_answers_the_question_before_it() -> None:
    entry = next(one for one in ENTRIES if one["manner"] == "minimalist with numbers only")
    other = {**entry, "turns": [turn.replace("how many", "which number of") for turn in entry["turns"]]}
    assert faults(written(other)) == ["ended early"]  # nobody can tell what 6 is


def test_what_the_system_looked_up_or_booked_was_said_in_whatever_words() -> None:
    entry = next(one for one in ENTRIES if one["manner"] == "business, long sentences")
    asked = [turn.replace("A single room", "A bed for your humble servant") for turn in entry["turns"]]
    odd = written({**entry, "turns": asked})
    assert faults(odd) == ["ended early"]
    booked = Booking("hotel", "the pemberton", {"people": "1", "day": "tuesday", "stay": "4"}, "L2N5Q8V3")
    assert faults(replace(odd, bookings=(booked,))) == []
    sought = LookUp("hotel", {"people": "1"}, 1)
    assert faults(replace(odd, lookups=(sought,))) == []
    assert faults(replace(odd, lookups=(replace(sought, domain="train"),))) == ["ended early"]
