"""The verbs, each a thin layer over the engine and the records."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from interplay.benchmarks import ALL, find
from interplay.cli import examine, terminal
from interplay.cli.carry_out import carry_out
from interplay.cli.edge import DONE, STOPPED
from interplay.core.benchmark import Benchmark
from interplay.core.board import Board
from interplay.core.failures import Mistake
from interplay.models.connecting import Directory, directory_of
from interplay.reporting.html import check_path, write_report
from interplay.running.engine import DEFAULT_CONNECTIONS, How
from interplay.running.results import board_of, remarks_of, rescore
from interplay.running.spec import make_spec, spec_of
from interplay.store.journal import Journal
from interplay.store.lock import run_lock
from interplay.store.records import Records, Run
from interplay.store.writer import Writer

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def flag(*names: str, **settings: Any) -> Decorator:
    """A flag that an environment variable can set too."""
    variable = "INTERPLAY_" + names[0].lstrip("-").replace("-", "_").upper()
    return click.option(*names, envvar=variable, show_envvar=True, **settings)


STORE = flag("--store", type=click.Path(path_type=Path), default=Path("interplay.db"), show_default=True,
             help="The store: one file for all runs of a project.")  # fmt: skip
JSON = flag("--json", is_flag=True, help="Print the result as JSON.")
HTML = flag(
    "--html", type=click.Path(path_type=Path, dir_okay=False), help="Also write a self-contained HTML report."
)
ROLE = flag("--model-role", "model_roles", multiple=True, metavar="ROLE=NAME",
            help="Who plays another role, as in judge=openai/gpt-4o; may be repeated.")  # fmt: skip
HOW = (
    flag("--base-url", default="", metavar="URL", help="Where openai/NAME is: vLLM, Ollama, LM Studio, OpenRouter."),
    flag("--models", type=click.Path(path_type=Path), help="Names for models and endpoints.  [default: models.toml]"),
    flag("--max-connections", type=click.IntRange(1), default=DEFAULT_CONNECTIONS, show_default=True,
         help="The most calls at once to one endpoint."),
    flag("--timeout", type=click.FloatRange(1), default=None, metavar="SECONDS",
         help="How long to wait for an answer to begin.  [default: 60]"),
    flag("--new", is_flag=True, help="Play conversations anew whose record no longer fits what is asked."),
)  # fmt: skip


def with_flags(*flags: Decorator) -> Decorator:
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for one in reversed(flags):
            function = one(function)
        return function

    return decorate


class Benchmarks(click.Group):
    """run's sub-commands: one for each benchmark, with the flags of its own options."""

    def list_commands(self, context: click.Context) -> list[str]:
        return [benchmark.name for benchmark in ALL]

    def get_command(self, context: click.Context, name: str) -> click.Command:
        return _run_command(find(name))


@click.command("run", cls=Benchmarks, subcommand_metavar="BENCHMARK [FLAGS]")
def run_verb() -> None:
    """Play, judge and score a benchmark.

    The same command again goes on where it stopped; a larger --limit or more --epochs extends the run. With no
    model named, it is a tryout: the small embedded model plays every role of a few short conversations, with no key.
    """


def _run_command(benchmark: Benchmark) -> click.Command:
    flags = [
        flag("--model", "models_", multiple=True, metavar="NAME", help="A model to measure; may be repeated."),
        ROLE,
        flag("--limit", type=int, help="Only so many scenarios."),
        flag("--epochs", type=int, default=1, show_default=True, help="How often each scenario is played."),
        flag("--seed", type=int, default=0, show_default=True, help="For all that is drawn."),
        flag("--sampling", multiple=True, metavar="ROLE.KEY=VALUE",
             help="Change sampling, as in player.temperature=0; none leaves it to the endpoint."),
    ]  # fmt: skip
    for option in benchmark.options:
        kind = click.Choice(option.choices) if option.choices else str
        name = f"--{option.name.replace('_', '-')}"
        meaning = option.meaning[0].upper() + option.meaning[1:] + "."
        meaning += f"  [default: {option.default}]" if option.default else ""
        flags.append(flag(name, f"option_{option.name}", type=kind, default=None, help=meaning))

    @click.command(benchmark.name, help=_help_of(benchmark))
    @with_flags(*flags, *HOW, STORE, HTML, JSON)
    def run_one(**given: Any) -> int:
        spec = make_spec(
            benchmark,
            models=given["models_"],
            roles=_roles(given["model_roles"]),
            options={
                key.removeprefix("option_"): value
                for key, value in given.items()
                if key.startswith("option_") and value is not None
            },
            sampling=_sampling(given["sampling"]),
            seed=given["seed"],
            limit=given["limit"],
            epochs=given["epochs"],
        )
        _check_html(given)
        code, run = carry_out(benchmark, spec, _how(given))
        if code != STOPPED:
            _show_run(given, run, benchmark, spec.table)
        return code

    return run_one


def _help_of(benchmark: Benchmark) -> str:
    roles = "\n".join(f"  {role.name}: {role.meaning}" for role in benchmark.roles)
    return f"{benchmark.paper}: {benchmark.meaning}.\n\n\b\nRoles:\n{roles}"


@click.command("judge")
@click.argument("run")
@with_flags(ROLE, *HOW, STORE, HTML, JSON)
def judge_verb(run: str, **given: Any) -> int:
    """Let another judge score RUN; what was played and judged before costs nothing.

    RUN is an id, the beginning of one, or last.
    """
    roles = _roles(given["model_roles"])
    if set(roles) != {"judge"}:
        raise Mistake("name the judges to add with --model-role judge=NAME, and no other role")
    with Records(given["store"]) as records:
        found = records.find(run)
    benchmark = find(found.benchmark)
    spec = spec_of(found.identity, found.extent)
    _check_html(given)
    code, _ = carry_out(benchmark, spec, _how(given), recorded=found, more_judges=tuple(roles["judge"]))
    if code != STOPPED:
        _show_run(given, found.id, benchmark)
    return code


@click.command("score")
@click.argument("run")
@with_flags(STORE, HTML, JSON)
def score_verb(run: str, **given: Any) -> int:
    """Compute the scores of RUN again from its outcomes and verdicts; calls no model."""
    _check_html(given)
    with Records(given["store"]) as records:
        found = records.find(run)
        benchmark = find(found.benchmark)
        with run_lock(given["store"], found.id):
            asyncio.run(_rescore(given["store"], records, found, benchmark))
    _show_run(given, found.id, benchmark)
    return DONE


async def _rescore(store: Path, records: Records, run: Run, benchmark: Benchmark) -> None:
    writer = Writer(store)
    try:
        await rescore(records, Journal(writer, run.number), run, benchmark)
    finally:
        await writer.close()


@click.command("show")
@click.argument("run")
@flag("--conversation", type=int, metavar="NUMBER", help="Show one conversation with its verdicts.")
@flag("--length-median", default="", metavar="N", help="Fix M of the length normalisation.")
@with_flags(STORE, HTML, JSON)
def show_verb(run: str, conversation: int | None, length_median: str, **given: Any) -> int:
    """Show the board of RUN, or one of its conversations."""
    _check_html(given)
    with Records(given["store"]) as records:
        found = records.find(run)
        benchmark = find(found.benchmark)
        if conversation is not None:
            if given["html"]:
                raise Mistake("--html writes the whole run; leave out --conversation")
            examine.show_conversation(records, found, conversation, as_json=given["json"])
            return DONE
    _show_run(given, found.id, benchmark, {"length_median": length_median} if length_median else {})
    return DONE


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


@click.command("doctor")
@with_flags(STORE, HOW[1], HOW[0], JSON)
def doctor_verb(**given: Any) -> int:
    """Check keys, endpoints, the store, SQLite and the embedded model; calls no model."""
    return examine.show_health(given["store"], _directory(given), as_json=given["json"])


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
    """Serve a scripted OpenAI-shaped provider on 127.0.0.1, for dry runs.

    It answers any model name, fits any JSON schema, costs nothing and says the same to the same request.
    """
    examine.serve_loopback(port, latency, ledger, examine.failing(faults, seed))
    return DONE


def _show_run(
    given: Mapping[str, Any], run: str, benchmark: Benchmark, changes: Mapping[str, str] | None = None
) -> None:
    with Records(given["store"]) as records:
        found = records.find(run)
        board = board_of(records, found, benchmark, changes)
        remarks = remarks_of(records, found)
        if given["html"]:
            write_report(given["html"], board, records, found, benchmark)
    _print_board(board, found, as_json=given["json"])
    for line in remarks:
        terminal.remark(line)
    if given["html"]:
        terminal.remark(f"Report: {given['html']}")


def _check_html(given: Mapping[str, Any]) -> None:
    if given["html"]:
        check_path(given["html"])


def _print_board(board: Board, run: Run, *, as_json: bool) -> None:
    if as_json:
        terminal.say_json({"run": run.id, **board.as_json()})
    else:
        terminal.show_board(board)


def _roles(given: tuple[str, ...]) -> dict[str, list[str]]:
    roles: dict[str, list[str]] = {}
    for pair in given:
        role, equals, name = pair.partition("=")
        if not equals or not role or not name:
            raise Mistake(f"--model-role is ROLE=NAME, as in judge=openai/gpt-4o, not {pair!r}")
        roles.setdefault(role, []).append(name)
    return roles


def _sampling(given: tuple[str, ...]) -> dict[str, dict[str, float | int | None]]:
    changes: dict[str, dict[str, float | int | None]] = {}
    for pair in given:
        place, equals, value = pair.partition("=")
        role, dot, key = place.partition(".")
        if not equals or not dot:
            raise Mistake(f"--sampling is ROLE.KEY=VALUE, as in player.temperature=0, not {pair!r}")
        changes.setdefault(role, {})[key] = _number(pair, key, value)
    return changes


def _number(pair: str, key: str, value: str) -> float | int | None:
    if value.lower() == "none":
        return None
    try:
        return int(value) if key == "max_tokens" else float(value)
    except ValueError:
        raise Mistake(f"--sampling {pair}: {value!r} is no number") from None


def _how(given: Mapping[str, Any]) -> How:
    return How(
        store=given["store"],
        directory=_directory(given),
        max_connections=given["max_connections"],
        play_anew=given["new"],
    )


def _directory(given: Mapping[str, Any]) -> Directory:
    return directory_of(given["models"], given["base_url"], given.get("timeout") or 0.0)
