"""Seed every bug of the list, one at a time, and tell which test catches it: `python -m tests.seeded_bugs [ID ...]`."""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

import click

from interplay.core.failures import nearest
from tests.seeded_bugs.listing import MAY_BE_MISSED, Bug, bugs
from tests.seeded_bugs.trying import Copy, Outcome, State, in_a_line

AT_ONCE = 2
SHOWN = 10  # tests that fail without a bug
Given = TypeVar("Given")


class Workshop:
    """Copies of the package that are worked on at the same time."""

    def __init__(self, folder: Path) -> None:
        self._copies = [Copy(folder / str(number)) for number in range(AT_ONCE)]
        self._free: SimpleQueue[Copy] = SimpleQueue()
        for copy in self._copies:
            self._free.put(copy)

    def check(self, chosen: Sequence[Bug]) -> None:
        """Raise a ValueError where one of these bugs cannot be planted."""
        for bug in chosen:
            with self._copies[0].planted(bug):
                pass

    def without_bug(self, tests: Sequence[str]) -> list[Outcome]:
        """What comes of these tests, of a part of them on each copy, where no bug is planted."""
        parts = [part for number in range(AT_ONCE) if (part := tests[number::AT_ONCE])]
        return list(self._each(parts, lambda copy, part: copy.tested_to_the_end(part)))

    def with_bugs(self, chosen: Sequence[Bug], without: Sequence[str]) -> Iterator[tuple[Bug, Outcome]]:
        """What comes of each bug, in the order of the list; without tests that fail anyway."""

        def tested(copy: Copy, bug: Bug) -> Outcome:
            with copy.planted(bug):
                return copy.tested(bug.tests, without)

        yield from zip(chosen, self._each(chosen, tested), strict=True)

    def _each(self, given: Sequence[Given], work: Callable[[Copy, Given], Outcome]) -> Iterator[Outcome]:
        def on_a_copy(one: Given) -> Outcome:
            copy = self._free.get()
            try:
                return work(copy, one)
            finally:
                self._free.put(copy)

        with ThreadPoolExecutor(AT_ONCE) as pool:
            yield from pool.map(on_a_copy, given)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.seeded_bugs", description=__doc__)
    parser.add_argument("ids", nargs="*", metavar="ID", help="bugs to seed; all of them by default")
    wanted = parser.parse_args().ids
    known = {bug.id: bug for bug in bugs()}
    for id in wanted:
        if id not in known:
            parser.error(f"there is no bug {id!r}; {nearest(id, known)}")
    chosen = [known[id] for id in dict.fromkeys(wanted)] or list(known.values())
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="interplay-bugs-") as name:
        try:
            workshop = Workshop(Path(name))
            workshop.check(chosen)
        except ValueError as error:
            parser.error(str(error))
        sound, states = show(workshop, chosen)
    counted = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
    click.echo(f"\nOf {len(states)} bugs: {counted}; in {time.monotonic() - started:.0f} s.")
    may_be_missed = MAY_BE_MISSED if len(chosen) == len(known) else 0
    enough = states.count("caught") >= len(states) - may_be_missed
    return 0 if sound and enough and "broken" not in states else 1


def show(workshop: Workshop, chosen: Sequence[Bug]) -> tuple[bool, list[State]]:
    """Print a row for each bug as soon as it is tried; whether the tests pass without one, and what came of each."""
    tests = sorted({one for bug in chosen for one in bug.tests})
    outcomes = workshop.without_bug(tests)
    failing = [failure for outcome in outcomes for failure in outcome.failures]
    sound = all(outcome.code == 0 for outcome in outcomes)
    click.echo(f"Without a bug the {len(tests)} test modules {'pass' if sound else 'DO NOT PASS'}.")
    for failure in failing[:SHOWN]:
        click.echo(f"Fails without a bug, and is left out: {failure.test}: {in_a_line(failure.said)}")
    if len(failing) > SHOWN:
        click.echo(f"So do {len(failing) - SHOWN} more.")
    for outcome in outcomes:
        if outcome.code != 0 and not outcome.failures:
            click.echo(outcome.told)
    click.echo("\nid | what | caught by | seconds")
    states = []
    for bug, outcome in workshop.with_bugs(chosen, [failure.test for failure in failing]):
        click.echo(f"{bug.id} | {bug.what} | {outcome.told} | {outcome.seconds:.1f}")
        states.append(outcome.state)
    return sound, states


if __name__ == "__main__":
    sys.exit(main())
