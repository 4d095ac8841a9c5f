"""Looking at things: conversations, the list of runs, the loopback provider."""

import asyncio
from dataclasses import asdict
from operator import itemgetter
from pathlib import Path
from random import Random
from typing import Any

from interplay.benchmarks import ALL, others
from interplay.benchmarks.finding import Other
from interplay.cli import terminal
from interplay.core.failures import Mistake, nearest
from interplay.models.loopback import ROUTES, Asked, Fault, Loopback, Said, Script, rehearse
from interplay.reporting.transcript import is_private, shown_lines
from interplay.store.places import Store
from interplay.store.records import ConversationRow, Records, Run

MOST_NAMES = 4  # in a cell; --json has them all
VIEWED_AS = {"system": "its brief", "user": "it heard", "assistant": "it said"}


def show_conversation(records: Records, run: Run, number: int, *, as_json: bool) -> None:
    """Print what was said and what the judges made of it."""
    row = _conversation_of(records, run, number)
    verdicts = [verdict for item, verdict in records.verdicts_of(number) if not item]
    verdicts.sort(key=lambda verdict: verdict.rubric != run.extent["rubric"])  # the board's first
    if as_json:
        terminal.say_json(
            {
                "number": row.number,
                "scenario": row.scenario.content,
                "model": row.subject,
                "cast": row.cast,
                "repeat": row.repeat + 1,
                "state": row.state,
                "failure": row.failure,
                "detail": row.detail,
                "outcome": row.outcome,
                "lines": [asdict(line) for line in row.lines],
                "verdicts": [asdict(one) for one in verdicts],
            }
        )
        return
    terminal.say(
        f"Conversation {number}: {row.scenario.label}, {row.subject}, {row.state} {row.failure}".rstrip()
    )
    if row.detail:
        terminal.say(row.detail)
    for line in shown_lines(row.lines):
        heard_by = (
            " in private" if is_private(line) else f" -> {', '.join(line.heard_by)}" if line.heard_by else ""
        )
        terminal.say(f"\n[{line.source or 'narrator'}{heard_by}]\n{line.text}")
    for verdict in verdicts:
        came_to = f" {verdict.failure}: {verdict.detail}" if verdict.failure else ""
        by = (
            "the board's rubric" if verdict.rubric == run.extent["rubric"] else f"rubric {verdict.rubric[:8]}"
        )
        terminal.say(f"\n[verdict of {verdict.judge}, {by}]{came_to}")
        for key, value in (verdict.data or {}).items():
            if key != "turns":
                terminal.say(f"{key}: {value}")
        for turn, entry in enumerate((verdict.data or {}).get("turns", ()), 1):
            terminal.say(f"turn {turn}")
            for key, value in entry.items():
                terminal.say(f"  {key}: {value}")


def _conversation_of(records: Records, run: Run, number: int) -> ConversationRow:
    numbers = records.numbers(run)
    if number not in numbers:
        known = f"{min(numbers)} to {max(numbers)}" if numbers else "none"
        raise Mistake(f"run {run.id} has no conversation {number}; its numbers are {known}")
    return records.conversation(number)


def show_view(records: Records, run: Run, number: int, seat: str, *, as_json: bool) -> None:
    """Print a conversation as one seat saw it: its brief, what it heard, what it said."""
    row = _conversation_of(records, run, number)
    seats = records.seats(number)
    if seat not in seats:
        raise Mistake(f"nobody sat as {seat!r} in conversation {number}; {nearest(seat, seats)}")
    messages = records.view(number, seat)
    if as_json:
        terminal.say_json({"number": number, "seat": seat, "messages": [asdict(one) for one in messages]})
        return
    terminal.say(f"Conversation {number}: {row.scenario.label}, as seen by {seat}")
    for message in messages:
        terminal.say(f"\n[{VIEWED_AS[message.role]}]\n{message.text}")


def show_conversations(records: Records, run: Run, *, as_json: bool) -> None:
    """Print the conversations of a run, with the numbers that show takes."""
    rows = [
        {
            "number": row.number,
            "scenario": row.scenario.label,
            "model": row.subject,
            "repeat": row.repeat + 1,
            "state": row.state,
            "failure": f"{row.failure}: {row.detail}" if row.failure else "",
        }
        for row in records.each(run)
    ]
    rows.sort(key=itemgetter("number"))
    if as_json:
        terminal.say_json(rows)
    elif rows:
        terminal.show_table(list(rows[0]), [[str(value) for value in row.values()] for row in rows])
        terminal.say(f"Look at one: interplay show {run.id} --conversation NUMBER")
    else:
        terminal.say(f"Run {run.id} has no conversations yet.")


def show_list(store: Store, *, as_json: bool) -> None:
    """Print the benchmarks and the runs."""
    runs = _summaries(store)
    benchmarks = [{"name": one.name, "paper": one.paper, "meaning": one.meaning} for one in ALL]
    found = others()
    benchmarks += [_told_of(one) for one in found]
    if as_json:
        terminal.say_json({"benchmarks": benchmarks, "runs": runs})
        return
    shown = [[one.name, one.paper, one.meaning] for one in ALL]
    shown += [[one.name, one.benchmark.paper if one.benchmark else "", one.told] for one in found]
    terminal.show_table(["benchmark", "paper", "what it is"], shown)
    _print_runs(store, runs)


def _told_of(other: Other) -> dict[str, str]:
    """A benchmark of somebody else's; one that is not loaded to be listed has its place."""
    one = other.benchmark
    if one:
        return {"name": other.name, "paper": one.paper, "meaning": one.meaning}
    told = {"problem": other.problem} if other.problem else {"place": other.where}
    return {"name": other.name, "paper": "", "meaning": "", **told}


def show_runs(store: Store, *, as_json: bool) -> None:
    """Print the runs."""
    runs = _summaries(store)
    if as_json:
        terminal.say_json(runs)
    else:
        _print_runs(store, runs)


def _print_runs(store: Store, runs: list[dict[str, Any]]) -> None:
    if not runs:
        terminal.say(f"No runs in {store} yet. Start one: interplay run {ALL[0].name}")
        return
    shown = [key for key in runs[0] if key != "of"]
    rows = [{**run, "models": f"made of {run['of']}" if "of" in run else run["models"]} for run in runs]
    terminal.show_table(shown, [[_plain(row[key]) for key in shown] for row in rows])


def _summaries(store: Store) -> list[dict[str, Any]]:
    if not store.exists():
        return []
    with Records(store) as records:
        return [_summary(records, run) for run in records.runs()]


def _summary(records: Records, run: Run) -> dict[str, Any]:
    states = records.states(run)
    return {
        "run": run.id,
        "name": run.name,
        **({"of": run.made_of} if run.made_of else {}),
        "started": run.created[:16].replace("T", " "),
        "models": run.identity["models"],
        "judges": run.extent["judges"],
        **{
            shown: states.get(state, 0)
            for shown, state in (("played", "done"), ("void", "void"), ("open", "open"))
        },
    }


def _plain(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    rest = len(value) - MOST_NAMES
    return f"{', '.join(value[:MOST_NAMES])} and {rest} more" if rest > 1 else ", ".join(value)


def failing(share: float, seed: int) -> Script:
    """The rehearsal's script, with a share of requests answered by an error or not at all."""
    faults = (
        Fault("status", status=429, headers={"Retry-After": "1"}),
        Fault("status", status=503),
        Fault("reset"),
    )

    def script(asked: Asked) -> str | Said | Fault:
        drawn = Random(f"{seed}/{asked.number}")  # noqa: S311  # draws faults, guards nothing
        return drawn.choice(faults) if drawn.random() < share else rehearse(asked)

    return script


def serve_loopback(port: int, latency: float, ledger: Path | None, script: Script) -> None:
    """Serve until stopped."""
    if ledger is not None and not ledger.parent.is_dir():
        raise Mistake(f"the ledger cannot be written to {ledger}: its folder does not exist")

    async def serve() -> None:
        scripts = {"*": script, **dict.fromkeys(ROUTES, script)}  # what fails, fails on every route
        provider = Loopback(scripts, latency=latency, ledger=ledger)
        try:
            url = await provider.start(port)
        except OSError as error:
            raise Mistake(
                f"port {port} cannot be used ({error.strerror}); --port 0 picks a free one"
            ) from error
        terminal.say(f"{url}\nUse it with: interplay run BENCHMARK --base-url {url} --model openai/any ...")
        terminal.remark("Ctrl-C stops it.")
        try:
            await asyncio.Event().wait()
        finally:
            await provider.stop()

    asyncio.run(serve())
