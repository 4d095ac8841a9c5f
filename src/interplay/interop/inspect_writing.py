"""Writing the conversations of one model as a log of Inspect, a few in memory at a time."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from inspect_ai.log import read_eval_log, write_eval_log

from interplay.core.benchmark import Benchmark, Scenario
from interplay.core.board import Board
from interplay.interop.inspect_calls import Calls
from interplay.interop.inspect_file import LogFile
from interplay.interop.inspect_header import Seen, header_of
from interplay.interop.inspect_samples import ids_of, sample_of
from interplay.interop.table_cells import Names
from interplay.interop.table_rows import Reading
from interplay.running.results import judged_in, options_of
from interplay.store.records import Records, Run


class Logs:
    """The logs of a run: what is the same for all of them is read once."""

    def __init__(self, records: Records, run: Run, benchmark: Benchmark, board: Board, *, names: bool):
        self.records, self.run, self.benchmark, self.board = records, run, benchmark, board
        self.options = options_of(run, benchmark)
        self._measured = [role.name for role in benchmark.subjects(self.options)]
        self._waiting = records.waiting(run)
        self._people = Names(Reading(records, run, benchmark), told=names)
        rows = [
            (row.number, row.subject, row.repeat, self._unnamed(row.scenario)) for row in records.each(run)
        ]
        self._ids = ids_of(rows)
        self._numbers: dict[str, list[int]] = {}
        for number, subject, *_ in rows:
            self._numbers.setdefault(subject, []).append(number)
        self._settings: dict[bytes, Mapping[str, Any]] = {}

    def write(self, subject: str, path: Path, *, as_json: bool = False) -> int:
        """Write the log of a model to a new file; how many samples it has."""
        numbers, seen = self._numbers.get(subject, []), Seen()
        with LogFile(path, self._people.of) as log:
            for one in judged_in(
                self.records, self.benchmark, self.options, self.run.extent["rubric"], numbers
            ):
                calls = Calls(self.records, self.run, one.row.number, self._settings)
                id = self._ids[one.row.number]
                seen.look(one.row, calls, id)
                log.add(
                    sample_of(
                        one,
                        calls,
                        id=id,
                        measured=self._measured,
                        rubric=self.run.extent["rubric"],
                        waiting=self._waiting,
                    )
                )
            log.finish(header_of(self.run, subject, self.options, self.board, seen))
        if as_json:  # which Inspect reads and writes as a whole
            write_eval_log(read_eval_log(str(path), format="eval"), str(path), format="json")
        return len(numbers)

    def _unnamed(self, scenario: Scenario) -> Scenario:
        """The scenario with a label that names nobody: samples, and files in a log, are called by it."""
        return replace(scenario, label=self._people.of(scenario.label))

    @property
    def hides_people(self) -> bool:
        """Is somebody in a seat not named?"""
        return self._people.hide_in()
