"""The verbs that call no model, each a thin layer over the records."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from interplay.benchmarks import ALL, OTHERS, find, find_typed, is_path, others
from interplay.cli import HELP, examine, health, terminal
from interplay.cli.edge import DONE
from interplay.cli.flags import (
    BASE_URL,
    HTML,
    JSON,
    MODELS,
    STORE,
    directory_in,
    flag,
    flag_of,
    options_in,
    with_flags,
)
from interplay.cli.showing import check_html, show_run
from interplay.core.benchmark import Benchmark, Option
from interplay.core.failures import InterplayError, Mistake
from interplay.running.comparing import Group, groups_of
from interplay.running.kept import compute_and_keep, wish_for_groups
from interplay.running.results import rescore
from interplay.store.journal import Journal
from interplay.store.lock import run_lock
from interplay.store.places import Store
from interplay.store.records import Records, Run
from interplay.store.writers import Writes, writer_of

TABLE = with_flags(
    *(flag_of(option) for option in {o.name: o for one in ALL for o in one.options if o.of_table}.values())
)  # options that only concern the table


@click.command("score")
@click.argument("run")
@with_flags(STORE, HTML, JSON)
def score_verb(run: str, **given: Any) -> int:
    """Compute the scores of RUN again from its outcomes and verdicts; calls no model."""
    check_html(given)
    with Records(given["store"]) as records:
        found = records.find(run)
        benchmark = find(found.benchmark)
        _change(records, found, lambda journal: rescore(records, journal, found, benchmark))
    show_run(given, found.id, benchmark)
    return DONE


class OfTable(click.Command):
    """A verb with the options that only concern the table; those of others' benchmarks where one of them is typed.

    Those of the benchmark that is meant; where that cannot be told, of all that are installed or named.
    """

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        known = {name for parameter in self.params for name in (*parameter.opts, *HELP)}
        typed = {word.partition("=")[0] for word in args if word.startswith("-")}
        if typed - known:
            for option in _of_table(self._named(context, args) or _of_others()):
                if f"--{option.name.replace('_', '-')}" not in known:
                    flag_of(option)(self)
        return super().parse_args(context, args)

    def _named(self, context: click.Context, args: list[str]) -> list[Benchmark]:
        """The benchmarks that are meant, as far as words can be told from the values of flags not known yet."""
        parser = self.make_parser(context)
        parser.ignore_unknown_options = True
        given, rest, _ = parser.parse_args(list(args))
        words: list[Any] = list(rest)
        for parameter in self.params:
            if isinstance(parameter, click.Argument):
                value = given.get(parameter.name)
                words += value if isinstance(value, tuple) else [value]
        [store] = [one for one in self.params if one.name == "store"]
        place = store.type_cast_value(context, store.consume_value(context, given)[0])
        return self.meant([one for one in words if isinstance(one, str) and one[:1] != "-"], place)

    def meant(self, words: list[str], store: Store) -> list[Benchmark]:
        """The benchmarks that some words name."""
        return [
            find_typed(word, terminal.remark) for word in words if is_path(word) or word in OTHERS.names()
        ]


class OfRun(OfTable):
    """The same of a verb that takes a run."""

    def meant(self, words: list[str], store: Store) -> list[Benchmark]:
        found: list[str] = []
        with suppress(InterplayError), Records(store) as records:
            for word in words:
                with suppress(Mistake):
                    found.append(records.find(word).benchmark)
        return [find(name) for name in found]


def _of_others() -> list[Benchmark]:
    return [one.benchmark for one in others() if one.benchmark]


def _of_table(benchmarks: list[Benchmark]) -> list[Option]:
    found = [option for one in benchmarks for option in one.options if option.of_table]
    return list({option.name: option for option in found}.values())


@click.command("show", cls=OfRun)
@click.argument("run")
@flag("--conversation", type=int, metavar="NUMBER", help="Show one conversation with its verdicts.")
@flag("--as", "seat", default="", metavar="SEAT",
      help="Show that conversation as one seat saw it: its brief, what it heard, what it said.")  # fmt: skip
@with_flags(TABLE, STORE, HTML, JSON)
def show_verb(run: str, conversation: int | None, seat: str, **given: Any) -> int:
    """Show the board of RUN, or one of its conversations."""
    if seat and conversation is None:
        raise Mistake("--as shows one conversation; say which with --conversation NUMBER")
    check_html(given)
    with Records(given["store"]) as records:
        found = records.find(run)
        benchmark = find(found.benchmark)
        if conversation is not None:
            if given["html"]:
                raise Mistake("--html writes the whole run; leave out --conversation")
            if seat:
                examine.show_view(records, found, conversation, seat, as_json=given["json"])
            else:
                examine.show_conversation(records, found, conversation, as_json=given["json"])
            return DONE
    show_run(given, found.id, benchmark, table_in(given, benchmark))
    return DONE


@click.command("board", cls=OfTable)
@click.argument("benchmark")
@click.argument("runs", nargs=-1)
@with_flags(TABLE, STORE, JSON)
def board_verb(benchmark: str, runs: tuple[str, ...], **given: Any) -> int:
    """Show one board of all RUNS of BENCHMARK that can be compared; the others stand apart, with the reason.

    With no RUNS, all that the store has. Runs can be compared that share scenarios, cast, judges, rubric, prompts,
    options and sampling.
    """
    found = find_typed(benchmark, terminal.remark)
    with Records(given["store"]) as records:
        chosen = [records.find(run) for run in runs] or records.runs()
        for run in chosen:
            if runs and run.benchmark != found.name:
                raise Mistake(f"{run.id} is a run of {run.benchmark}, not of {found.name}")
        mine = [run for run in chosen if run.benchmark == found.name]
        changes = table_in(given, found)
        groups: list[Group] = (
            groups_of(records, mine, found, changes)
            if runs
            else compute_and_keep(records, wish_for_groups(found, changes))
        )
    if not groups:
        raise Mistake(f"{given['store']} holds no finished conversation of {found.name} yet")
    if given["json"]:
        boards = [
            {"runs": [run.id for run in one.runs], "apart": one.apart, **one.board.as_json()}
            for one in groups
        ]
        terminal.say_json(boards)
        return DONE
    for number, group in enumerate(groups):
        if number:
            terminal.say(f"\nApart, not to be compared with the first: {group.apart}")
        terminal.show_board(group.board)
    return DONE


def table_in(given: Mapping[str, Any], benchmark: Benchmark) -> dict[str, str]:
    """The options of the table that were typed, checked."""
    typed = benchmark.read(options_in(given))
    benchmark.settle(typed)
    return typed


@click.command("list")
@click.argument("run", required=False)
@with_flags(STORE, JSON)
def list_verb(run: str | None, **given: Any) -> int:
    """List the benchmarks and the runs in the store; or, with RUN, its conversations."""
    if run is None:
        examine.show_list(given["store"], as_json=given["json"])
        return DONE
    with Records(given["store"]) as records:
        examine.show_conversations(records, records.find(run), as_json=given["json"])
    return DONE


@click.group("runs", invoke_without_command=True)
@with_flags(STORE, JSON)
@click.pass_context
def runs_verb(context: click.Context, store: Store, json: bool) -> int:
    """List the runs in the store; rename or delete one."""
    verb = context.invoked_subcommand
    if verb is None:
        examine.show_runs(store, as_json=json)
        return DONE
    for name in ("store", "json"):  # typed here they would not reach the verb, which would take another store
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise Mistake(f"--{name} comes after the verb, as in: interplay runs {verb} --{name}")
    return DONE


@runs_verb.command("list")
@with_flags(STORE, JSON)
def runs_list(store: Store, json: bool) -> int:
    """List the runs in the store."""
    examine.show_runs(store, as_json=json)
    return DONE


@runs_verb.command("rename")
@click.argument("run")
@click.argument("name")
@with_flags(STORE)
def runs_rename(run: str, name: str, store: Store) -> int:
    """Give RUN a NAME of your own; its id stays, and either finds it."""
    name = name.strip()
    if not name.isprintable() or not 1 <= len(name) <= 60 or name == "last":
        raise Mistake("a name has 1 to 60 printable characters and is not 'last'")
    with Records(store) as records:
        found = records.find(run)
        taken = [
            other.id for other in records.runs() if name in (other.id, other.name) and other.id != found.id
        ]
        if taken:
            raise Mistake(f"{taken[0]} is called {name!r} already")
        _change(records, found, lambda journal: journal.rename(name))
    terminal.remark(f"{found.id} is now called {name}.")
    return DONE


@runs_verb.command("delete")
@click.argument("run")
@flag("--yes", is_flag=True, help="Do not ask.")
@with_flags(STORE)
def runs_delete(run: str, yes: bool, store: Store) -> int:
    """Delete RUN with all its conversations and calls; this cannot be undone."""
    with Records(store) as records:
        found = records.find(run)
        totals = records.totals(found)
        cost = "unknown cost" if totals.cost is None else f"${totals.cost:,.2f}"
        what = f"{found.id}: {sum(records.states(found).values())} conversations, {totals.finished:,} calls, {cost}"
        staying = _staying(records, found)
        if not yes:
            if not sys.stdin.isatty():
                raise Mistake(f"nobody is here to be asked about {what}; --yes deletes it without asking")
            if not terminal.ask_yes_or_no(f"Delete {what}? {staying}This cannot be undone."):
                terminal.remark("Nothing was deleted.")
                return DONE
        _change(records, found, lambda journal: journal.forget())
    terminal.remark(f"Deleted {what}. {staying}".rstrip())
    return DONE


def _staying(records: Records, run: Run) -> str:
    """What is said of runs that were made of one that is deleted."""
    made = ", ".join(one.id for one in records.made_of(run.id))
    return f"What was made of it stays, and can be deleted by itself: {made}. " if made else ""


def _same(records: Records, run: Run) -> Run:
    """The run again, now that it is locked: it may have been deleted while we asked."""
    return next((one for one in records.runs() if one.id == run.id), None) or records.find(run.id)


def _change(records: Records, run: Run, change: Callable[[Journal], Awaitable[object]]) -> None:
    """Write something of a run, with its lock in our hands."""
    with run_lock(records.path, run.id) as held:
        same = _same(records, run)
        asyncio.run(_write(writer_of(records.path, held), same, change))


async def _write(writer: Writes, run: Run, change: Callable[[Journal], Awaitable[object]]) -> None:
    try:
        await change(Journal(writer, run.number))
    finally:
        await writer.close()


@click.command("doctor")
@with_flags(STORE, MODELS, BASE_URL, JSON)
def doctor_verb(**given: Any) -> int:
    """Check keys, endpoints, the store, SQLite and the embedded model; calls no model."""
    return health.show_health(given["store"], directory_in(given), as_json=given["json"])


@click.command("loopback")
@flag("--port", type=click.IntRange(0, 65535), default=8399, show_default=True, help="0 picks a free one.")
@flag(
    "--latency", type=click.FloatRange(0), default=0.0, metavar="SECONDS", help="How long each answer takes."
)
@flag("--ledger", type=click.Path(path_type=Path, dir_okay=False), help="Write every request down here.")
@flag(
    "--faults",
    type=click.FloatRange(0, 1),
    default=0.0,
    metavar="SHARE",
    help="The share of requests that fail.",
)
@flag("--seed", type=int, default=0, show_default=True, help="For the faults that are drawn.")
def loopback_verb(port: int, latency: float, ledger: Path | None, faults: float, seed: int) -> int:
    """Serve a scripted provider on 127.0.0.1, in OpenAI's and Anthropic's shape, for dry runs.

    It answers any model name, fits any JSON schema, costs nothing and says the same to the same request.
    """
    examine.serve_loopback(port, latency, ledger, examine.failing(faults, seed))
    return DONE
