"""The verb generate: a model writes new data for a benchmark, a person or the checks decide what is kept."""

import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any
from uuid import NAMESPACE_OID, uuid5

import click

from interplay.benchmarks import find_typed, playable
from interplay.cli import terminal
from interplay.cli.carry_out import carry_out
from interplay.cli.edge import DONE, UNANSWERED
from interplay.cli.flags import (
    HOW,
    JSON,
    NEW_ALONE,
    STORE,
    flag,
    flag_of,
    how_of,
    options_in,
    sampling_in,
    with_flags,
)
from interplay.core.benchmark import Benchmark, Material
from interplay.core.failures import Mistake, nearest
from interplay.core.making import Generator, Origin, Piece
from interplay.reporting.writing import check_path, holds, refuse_store, write_whole
from interplay.running.engine import Engine
from interplay.running.forecast import forecast
from interplay.running.how import How
from interplay.running.plan import Anew
from interplay.running.results import board_of, options_of, played_of, remarks_of
from interplay.running.spec import RunSpec, make_spec
from interplay.running.tally import Tally
from interplay.store.records import Records, Run

UNCLEAR_ANSWERS = 10  # in a row, before nobody is taken to be there
KEEP, SKIP, STOP = "keep", "skip", "stop"
ANSWERS = {"k": KEEP, "keep": KEEP, "s": SKIP, "skip": SKIP, "q": STOP, "quit": STOP, "stop": STOP}


class Generators(click.Group):
    """generate's sub-commands: one for each benchmark that a model can write data for."""

    def list_commands(self, context: click.Context) -> list[str]:
        return [benchmark.name for benchmark in playable() if benchmark.generator]

    def get_command(self, context: click.Context, name: str) -> click.Command:
        benchmark = find_typed(name, terminal.remark)
        if benchmark.generator is None:
            raise Mistake(
                f"no model can write data for {benchmark.name}; {nearest(name, self.list_commands(context))}"
            )
        return _generate_command(benchmark, benchmark.generator)


@click.command("generate", cls=Generators, subcommand_metavar="BENCHMARK [FLAGS]")
def generate_verb() -> None:
    """Have a model write new scenarios for a benchmark, against contamination.

    What fails the checks is written again, at most so often; what is left is shown for review, or accepted with
    --yes, and written to a file that can be played; the last line says how. The same command again costs nothing.
    """


def _generate_command(benchmark: Benchmark, generator: Generator) -> click.Command:
    flags = [
        flag("--model", required=True, metavar="NAME", help="The model that writes."),
        flag("--out", type=click.Path(path_type=Path), metavar=f"FILE{generator.ending}",
             help="Where to write what is kept."),
        *(flag_of(option) for option in generator.writing.options),
        flag("--yes", is_flag=True, help="Keep all that passes the checks, unseen."),
        flag("--force", is_flag=True, help="Replace a file that is there."),
        flag("--sampling", multiple=True, metavar="WHO.KEY=VALUE",
             help="Change sampling of the writer, as in writer.temperature=0.7; none leaves it to the endpoint."),
        flag("--plan", is_flag=True, help="Print calls, tokens and cost; send nothing."),
    ]  # fmt: skip

    @click.command(benchmark.name, help=f"Write new data for {benchmark.name}: {generator.writing.meaning}.")
    @with_flags(*flags, *HOW[:-1], NEW_ALONE, STORE, JSON)
    def generate_one(**given: Any) -> int:
        how = _how(given)
        if not given["plan"]:
            _check_out(given, generator)
        spec = make_spec(
            generator.writing,
            models=[given["model"]],
            options=options_in(given),
            sampling=sampling_in(given["sampling"]),
            sampling_of=how.directory.sampling_of,
        )
        job = Job(benchmark, generator, spec, how)
        if given["plan"]:
            return _show_plan(job, as_json=given["json"])
        return _carry_out(job, given)

    return generate_one


def _how(given: Mapping[str, Any]) -> How:
    how = how_of(given)
    if how.anew not in (Anew(), Anew(diverged=True)):
        raise Mistake(f"generate takes --new alone, not --new {given['new']}; another --seed, other pieces")
    return how


def _check_out(given: Mapping[str, Any], generator: Generator) -> None:
    """Refuse what could not be written, or would not be reviewed, before anything is spent."""
    out: Path | None = given["out"]
    if out is None:
        raise Mistake(f"name the file to write with --out, as in --out new{generator.ending}")
    if out.suffix.lower() != generator.ending:
        raise Mistake(f"--out {out} must end in {generator.ending}: that is what the file will be read as")
    check_path(out, "new data")
    refuse_store(out, given["store"])
    if given["yes"]:
        return
    if not sys.stdin.isatty() or not sys.stderr.isatty():
        raise Mistake("nobody is here to review the pieces; --yes keeps all that pass the checks, unseen")
    if out.exists() and not given["force"]:
        raise _taken(out)


def _taken(out: Path) -> Mistake:
    return Mistake(f"{out} is there already; --force replaces it")


@dataclass(frozen=True)
class Job:
    """New data that is to be written for a benchmark, by a run of its own."""

    benchmark: Benchmark
    generator: Generator
    spec: RunSpec
    how: How

    def tries(self) -> Iterator[Engine]:
        """One start for each try; after the first, only of what has not passed. Each must be done before the next."""
        wanted = self.spec.material.scenarios
        for epochs in range(1, self.generator.tries + 1):
            if epochs > 1:
                failed = {piece.scenario for piece in self.pieces() if piece.complaints}
                wanted = tuple(scenario for scenario in wanted if scenario.id in failed)
            if wanted:
                spec = replace(self.spec, material=Material(wanted), epochs=epochs)
                yield Engine(self.generator.writing, spec, self.how, Tally())

    def pieces(self) -> Sequence[Piece]:
        """What the record has of the pieces."""
        with Records(self.how.store) as records:
            run = self.run(records)
            played = played_of(records, run, self.generator.writing)
            return self.generator.gather(played, options_of(run, self.generator.writing))

    def run(self, records: Records) -> Run:
        return records.find(self.spec.run_id)

    def origin(self, *, reviewed: bool) -> Origin:
        with Records(self.how.store) as records:
            run = self.run(records)
        canary = str(uuid5(NAMESPACE_OID, f"interplay {run.id} {run.created}"))
        options = options_of(run, self.generator.writing)
        return Origin(run.id, self.spec.models[0], run.created, canary, options, reviewed)


def _left_in(engine: Engine) -> int:
    return engine.look_ahead(engine.scenarios()).to_play


def _show_plan(job: Job, *, as_json: bool) -> int:
    """Print what the next try would take; how much of it will fail the checks cannot be known."""
    engine = next((engine for engine in job.tries() if _left_in(engine)), None)
    found = asyncio.run(forecast(engine)) if engine else None
    if as_json:
        left = (
            {"left": found.conversations, "shares": list(map(asdict, found.shares))} if found else {"left": 0}
        )
        terminal.say_json({"run": job.spec.run_id, **left})
    elif found is None:
        terminal.say(f"{job.spec.run_id}: nothing is left to write")
    else:
        cost = "at a price that is unknown" if found.cost is None else f"${found.cost[1]:,.2f}"
        terminal.say(
            f"{job.spec.run_id}: {found.conversations} pieces to write in as many calls, at most "
            f"{found.tokens[1]:,} tokens, {cost}"
        )
        terminal.say(
            f"· A piece that fails its checks is written again, at most {job.generator.tries} times in all, and an "
            "answer that cannot be read is asked for at most 3 times: calls of their own."
        )
    return DONE


def _carry_out(job: Job, given: Mapping[str, Any]) -> int:
    """Have the pieces written, choose among them, write the file, say what came of it."""
    out: Path = given["out"]
    taken = out.exists() and not given["force"]
    for number, engine in enumerate(job.tries(), 1):
        left = _left_in(engine)
        if taken and left:
            raise _taken(out)  # before anything is spent on what could not be written
        if number > 1 and left:
            terminal.remark(f"Failed the checks, written again (try {number}): {left} pieces.")
        code, _ = carry_out(engine)
        if code != DONE:
            terminal.remark(f"{out} is not written yet.")
            return code
    pieces = job.pieces()
    kept = [piece for piece in pieces if not piece.complaints] if given["yes"] else _review(pieces)
    lacking = job.generator.lacking(kept)
    if not lacking:
        text = job.generator.write(kept, job.origin(reviewed=not given["yes"]))
        _write(out, text, force=given["force"])
    _show(job, pieces, kept, None if lacking else out, as_json=given["json"])
    if lacking:
        terminal.remark(
            f"{out} is not written: of {len(pieces)} pieces {len(kept)} are kept, and it would lack {lacking}."
        )
        return UNANSWERED
    command = (
        f"interplay {job.generator.verb} {job.benchmark.name} --data {quote(str(out))}{_shared_flags(job)}"
    )
    terminal.remark(f"Wrote {len(kept)} of {len(pieces)} pieces to {out}. Play them: {command}")
    return DONE


def _review(pieces: Sequence[Piece]) -> list[Piece]:
    """Show every piece to the person at the terminal; what was kept."""
    kept = []
    shown = [piece for piece in pieces if piece.text]
    for number, piece in enumerate(shown, 1):
        terminal.remark(f"\n[{number} of {len(shown)}] {piece.label}\n\n{piece.text}\n")
        for complaint in piece.complaints:
            terminal.remark(f"! {complaint}")
        answer = _answer()
        if answer == STOP:
            break
        if answer == KEEP:
            kept.append(piece)
    return kept


def _answer() -> str:
    for _ in range(UNCLEAR_ANSWERS):
        typed = terminal.ask("Keep it, skip it, or stop and write what was kept? [k/s/q]").lower()
        if typed in ANSWERS:
            return ANSWERS[typed]
    raise click.Abort  # a terminal that has gone answers nothing, for ever


def _write(out: Path, text: str, *, force: bool) -> None:
    """Write the file whole; one that is there is replaced only on demand, or left if it is the same."""
    if not out.exists() or force:
        write_whole(out, [text], "new data")
    elif not holds(out, text):
        raise _taken(out)


def _show(
    job: Job, pieces: Sequence[Piece], kept: Sequence[Piece], out: Path | None, *, as_json: bool
) -> None:
    """Print the board of the writing; as JSON also what was kept, and why the rest was not."""
    with Records(job.how.store) as records:
        run = job.run(records)
        board, remarks = board_of(records, run, job.generator.writing), remarks_of(records, run)
    if as_json:
        left_out = {piece.label: list(piece.complaints) for piece in pieces if piece not in kept}
        outcome = {
            "file": str(out) if out else None,
            "kept": [piece.label for piece in kept],
            "left_out": left_out,
        }
        terminal.say_json({"run": run.id, **outcome, **board.as_json()})
    else:
        terminal.show_board(board)
    for line in remarks:
        terminal.remark(line)


def _shared_flags(job: Job) -> str:
    """The options that the data was written with and must be played with."""
    own = {option.name for option in job.benchmark.options}
    shared = {name: value for name, value in job.spec.options.items() if name in own}
    return "".join(f" --{name.replace('_', '-')} {value}" for name, value in shared.items())
