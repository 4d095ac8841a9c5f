"""The way in for Python: the same runs, records and boards as the command line's."""

import asyncio
import inspect
import os
import warnings
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interplay.analysis.agreement import agreement_of
from interplay.analysis.biases import bias_board, measure_of_judges
from interplay.analysis.comparison import compare, comparison_board
from interplay.analysis.correction import correction_board
from interplay.analysis.expecting import Expectation, expect
from interplay.analysis.sources import variance_board
from interplay.benchmarks import find, find_playable
from interplay.core.benchmark import Benchmark
from interplay.core.board import Board, Estimate
from interplay.core.failures import Mistake, nearest
from interplay.core.measures import Measure, measure_called
from interplay.models.calling import Model
from interplay.models.connecting import directory_of
from interplay.models.scripted import Script, Scripted
from interplay.reporting.export import FORMATS, format_of, needs_board, write_export
from interplay.reporting.html import board_as_html, write_report
from interplay.running.budget import Limits
from interplay.running.engine import Engine
from interplay.running.following import check_sequel, follow, follows, sharing_budget
from interplay.running.how import DEFAULT_CONNECTIONS, How, workers_of
from interplay.running.looping import carried_out
from interplay.running.plan import read_anew
from interplay.running.results import board_of, options_of
from interplay.running.spec import SamplingChange, make_spec
from interplay.running.tally import Tally
from interplay.store.labels import Labels
from interplay.store.places import Store, place_of
from interplay.store.records import Records
from interplay.store.records import Run as RunRow

if TYPE_CHECKING:
    import pandas

STORE = "interplay.db"
NOTE = "Note: "
_OF_SETUP = (
    "store",
    "base_url",
    "models",
    "max_connections",
    "new",
    "budget",
    "budget_tokens",
    "budget_calls",
    "until_decided",
    "workers",
    "on",
    "ray_address",
)
_BY_OTHERS = ("inspect", "parquet", "huggingface")  # formats that other packages write
_ENDINGS = {".eval": "inspect", ".parquet": "parquet"}
Speaker = str | Model | Script  # a name, a model made in Python, or a function of the messages


def run(
    benchmark: str,
    model: Speaker | Sequence[Speaker] = (),
    *,
    roles: Mapping[str, Speaker | Sequence[Speaker]] | None = None,
    limit: int | None = None,
    epochs: int | None = None,
    seed: int = 0,
    sampling: Mapping[str, SamplingChange] | None = None,
    preset: str = "",
    data: str | os.PathLike[str] | None = None,
    null: bool = False,
    how: How | None = None,
    **options: str | int,
) -> "Run":
    """Play, judge and score; the same call again goes on where it stopped. With no model, it is a tryout.

    With null, the null model, which says the same to everything, is measured too: a floor for every score.
    """
    found = find_playable(benchmark)
    made: dict[str, Model] = {}
    how = how or setup()
    if roles is not None and not isinstance(roles, Mapping):
        raise Mistake(
            f"roles is a mapping from role to model, as in {{'judge': 'openai/NAME'}}, not {roles!r}"
        )
    for name in options:
        if name not in {option.name for option in found.options}:
            known = [option.name for option in found.options] + list(inspect.signature(run).parameters)
            place = "; it belongs into how=interplay.setup(...)" if name in _OF_SETUP else ""
            raise Mistake(f"{benchmark} has no option {name!r}; {nearest(name, known)}{place}")
    spec = make_spec(
        found,
        models=_names(model, made),
        roles={role: _names(speakers, made) for role, speakers in (roles or {}).items()},
        options={name: str(value) for name, value in options.items()},
        preset=preset,
        data=Path(data) if data else None,
        sampling=sampling,
        sampling_of=how.directory.sampling_of,
        seed=seed,
        limit=limit,
        epochs=epochs,
        null=null,
    )
    for remark in spec.material.remarks:
        warnings.warn(remark, stacklevel=2)
    how = replace(how, directory=replace(how.directory, made={**how.directory.made, **made}))
    check_sequel(found, spec, how)
    tally = Tally()
    row = _wait_for(Engine(found, spec, sharing_budget(how, spec.run_id), tally).carry_out())
    if tally.is_finished and follows(found, {**spec.options, **spec.sequel}):
        follow(found, row.id, spec.sequel, how, _carry_out, _warn)
    return Run(row.id, how.store, spec.table)


def _carry_out(engine: Engine) -> bool:
    _wait_for(engine.carry_out())
    return not engine.tally.stopping


def _warn(remark: str) -> None:
    """A note for people is a warning; how far something is, nobody needs to be warned of."""
    if remark.startswith(NOTE):
        warnings.warn(remark.removeprefix(NOTE), stacklevel=2)


def setup(
    store: str | os.PathLike[str] = STORE,
    *,
    base_url: str = "",
    models: str | os.PathLike[str] | None = None,
    max_connections: int = DEFAULT_CONNECTIONS,
    new: str = "",
    budget: float | None = None,
    budget_tokens: int | None = None,
    budget_calls: int | None = None,
    until_decided: bool = False,
    workers: int = 0,
    on: str = "",
    ray_address: str = "",
) -> How:
    """How runs are carried out: where they are written, where models are, how many calls at once, for how much."""
    directory = directory_of(Path(models) if models else None, base_url)
    limits = Limits(budget, budget_tokens, budget_calls)
    return How(
        *(place_of(store), directory, max_connections, read_anew(new), limits),
        until_decided=until_decided,
        workers=workers_of(workers, on, ray_address),
        on=on,
        ray_address=ray_address,
    )


def load(run: str = "last", store: str | os.PathLike[str] = STORE) -> "Run":
    """A run that was recorded before: its id, the beginning of one, or last."""
    place = place_of(store)
    with Records(place) as records:
        return Run(records.find(run).id, place)


class Leaderboard(Board):
    """A board that shows itself."""

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return board_as_html(self)

    def __str__(self) -> str:
        lines = [self.title]
        for row in self.rows:
            found = [(key, cell.value) for key, cell in row.items() if isinstance(cell, Estimate)]
            cells = [f"{key} {value:.2f}" for key, value in found if value is not None]
            lines.append(f"{next(iter(row.values()))}: {', '.join(cells)}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Run:
    """A recorded run. Everything is read from the record when it is asked for."""

    id: str
    store: Store
    table: Mapping[str, str] | None = None

    def leaderboard(self) -> "Leaderboard":
        """The board, with an interval for every mean; a notebook shows it as a table."""
        with Records(self.store) as records:
            return _shown(self._board(records, records.find(self.id)))

    def compare(self, *others: "Run", by: str = "") -> "Leaderboard":
        """Models two by two on the scenarios they have in common, with those of other runs that can be compared."""

        def board(records: Records, row: RunRow, benchmark: Benchmark, measure: Measure) -> Board:
            runs = self._with_others(records, row, others)
            return comparison_board(compare(records, runs, benchmark, measure))

        return self._analysed(board, by)

    def agreement(self) -> "Leaderboard":
        """Judges against people, and against each other."""
        with Records(self.store) as records, Labels(self.store) as labels:
            row = records.find(self.id)
            return _shown(agreement_of(records, labels, row, find(row.benchmark)))

    def correct(self, by: str = "", judge: str = "") -> "Leaderboard":
        """The judge alone, corrected by people's labels, and people alone."""
        with Labels(self.store) as labels:

            def board(records: Records, row: RunRow, benchmark: Benchmark, measure: Measure) -> Board:
                return correction_board(records, labels, row, benchmark, measure, judge)

            return self._analysed(board, by)

    def bias(self, by: str = "", families: Mapping[str, str] | None = None) -> "Leaderboard":
        """What sways the judges besides merit; families says of which a model or judge is, by name."""
        with Records(self.store) as records, Labels(self.store) as labels:
            row = records.find(self.id)
            benchmark = find(row.benchmark)
            measure = measure_of_judges(row, benchmark, by)
            return _shown(bias_board(records, labels, row, benchmark, measure, families or {}))

    def variance(self, *others: "Run", by: str = "") -> "Leaderboard":
        """Where scores differ: subject, simulator, judge, scenario, repeat; with other runs, what theirs add."""

        def board(records: Records, row: RunRow, benchmark: Benchmark, measure: Measure) -> Board:
            return variance_board(records, self._with_others(records, row, others), benchmark, measure)

        return self._analysed(board, by)

    def expect(self, measure: str) -> Expectation:
        """What is asked of a measure: run.expect("success").at_least(0.8) fails unless its interval begins there."""
        return expect(self, measure)

    def _with_others(self, records: Records, row: RunRow, others: "Sequence[Run]") -> list[RunRow]:
        """This run and others of its store and benchmark, each once."""
        found = {row.id: row}
        for other in others:
            if other.store != self.store:
                raise Mistake(
                    f"{other.id} is in {other.store}, not in {self.store}: runs of one store are compared"
                )
            one = found[other.id] = records.find(other.id)
            if one.benchmark != row.benchmark:
                raise Mistake(f"{one.id} is a run of {one.benchmark}, not of {row.benchmark} as {row.id}")
        return list(found.values())

    def _analysed(
        self, board: Callable[[Records, RunRow, Benchmark, Measure], Board], by: str
    ) -> "Leaderboard":
        with Records(self.store) as records:
            row = records.find(self.id)
            benchmark = find(row.benchmark)
            measure = measure_called(by, benchmark.measures(options_of(row, benchmark)), benchmark.name)
            return _shown(board(records, row, benchmark, measure))

    def conversations(self) -> list[dict[str, Any]]:
        """Every conversation: who, what came of it, what was said, and every verdict."""
        with Records(self.store) as records:
            row = records.find(self.id)
            verdicts = records.verdicts(row)
            return [
                {
                    "number": one.number,
                    "scenario": one.scenario.label,
                    "model": one.subject,
                    "repeat": one.repeat + 1,
                    "state": one.state,
                    "failure": one.failure,
                    "outcome": one.outcome,
                    "verdicts": {
                        verdict.judge: verdict.data
                        for verdict in verdicts.get((one.number, ""), ())
                        if verdict.rubric == row.extent["rubric"]
                    },
                }
                for one in records.conversations(row)
            ]

    def frame(self, table: str = "scores") -> "pandas.DataFrame":
        """A table for pandas: scores, conversations, scenarios, lines, calls, messages, facts, verdicts, labels, runs.

        The scores have the columns conversation, scenario, model, repeat, score, source and value.
        """
        from interplay.interop.table_frames import frame_of

        with Records(self.store) as records:
            row = records.find(self.id)
            return frame_of(records, row, find(row.benchmark), table)

    def export(self, path: str | os.PathLike[str], to: str = "", *, with_names: bool = False) -> str:
        """Write the run for others, in the format that the name ends in or that is named; what was written, in words.

        A file: json, jsonl, csv, markdown, html, inspect (.eval), parquet (the scores). With to=, a folder: parquet
        (every table), huggingface (a dataset). In inspect and these, people are named only if wanted.
        """
        place = Path(path)
        format = to or format_of(place, _ENDINGS)
        if format not in (*FORMATS, *_BY_OTHERS):
            raise Mistake(f"there is no format {format!r}; {nearest(format, (*FORMATS, *_BY_OTHERS))}")
        with Records(self.store) as records:
            row = records.find(self.id)
            benchmark = find(row.benchmark)
            if format in _BY_OTHERS:
                return _written(format, records, row, benchmark, place, self.table, names=with_names)
            board = self._board(records, row) if needs_board(format) else None
            write_export(place, records, row, benchmark, board, format)
            return f"Wrote {place}."

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the board and the conversations as one HTML file."""
        with Records(self.store) as records:
            row = records.find(self.id)
            write_report(Path(path), self._board(records, row), records, row, find(row.benchmark))

    def _board(self, records: Records, row: RunRow) -> Board:
        return board_of(records, row, find(row.benchmark), self.table)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return board_as_html(self.leaderboard())

    def __str__(self) -> str:
        return f"{self.id} in {self.store}\n{self.leaderboard()}"


def _written(
    format: str,
    records: Records,
    run: RunRow,
    benchmark: Benchmark,
    place: Path,
    table: Mapping[str, str] | None,
    *,
    names: bool,
) -> str:
    """Write a run by means of another package, which is imported now; what is said of it."""
    if format == "inspect":
        from interplay.interop.inspect_log import write_logs

        return write_logs(records, run, benchmark, place, names=names, changes=table)
    if format == "parquet":
        from interplay.interop.tables import write_tables

        return write_tables(records, run, benchmark, place, names=names)
    from interplay.interop.hugging_face import write_dataset

    return write_dataset(records, run, benchmark, place, names=names, changes=table)


def _shown(board: Board) -> Leaderboard:
    return Leaderboard(board.title, board.columns, board.rows, board.notes, board.parts)


def _names(speakers: Speaker | Sequence[Speaker], made: dict[str, Model]) -> list[str]:
    """The names of speakers; models and functions are kept under theirs."""
    several = speakers if isinstance(speakers, list | tuple) else [speakers]
    return [_name(speaker, made) for speaker in several]


def _name(speaker: Any, made: dict[str, Model]) -> str:
    if isinstance(speaker, str):
        return speaker
    model: Model = speaker if hasattr(speaker, "reply") else Scripted(_function_name(speaker), speaker)
    known = made.setdefault(model.name, model)
    same = isinstance(known, Scripted) and isinstance(model, Scripted) and known.script is model.script
    if known is not model and not same:
        raise Mistake(f"two models are called {model.name}; a record could not tell them apart")
    return model.name


def _function_name(function: Callable[..., Any]) -> str:
    if not callable(function):
        raise Mistake(f"a model is a name, a model or a function of the messages, not {function!r}")
    return f"python/{getattr(function, '__qualname__', type(function).__name__)}"


def _wait_for(work: Coroutine[Any, Any, RunRow]) -> RunRow:
    """Run to the end, also where a loop is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return carried_out(work)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
