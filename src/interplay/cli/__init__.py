"""What you type: one command with a few verbs; every error is one line that says what to do."""

import sys
from collections.abc import Sequence
from importlib import import_module

import click

EXIT_CODES = """\b
Exit codes:
  0  done
  1  done as far as possible; some calls got no answer or a person is to speak, the same command goes on
  2  a mistake in what was typed, in a file, in a key or endpoint: one line says what would be right
  3  the run is being written by another process
  4  the store cannot be written or read
  70  a fault in Interplay itself
  130  stopped by Ctrl-C; the same command goes on"""


def main(arguments: Sequence[str] | None = None) -> int:
    """The command interplay."""
    from interplay.cli.edge import run_command

    code = run_command(list(sys.argv[1:] if arguments is None else arguments))
    if arguments is None:
        sys.exit(code)
    return code


HELP = ["-h", "--help"]
MEANINGS = {
    "run": "Play, judge and score a benchmark; the same command again goes on where it stopped.",
    "judge": "Let another judge, or another rubric, score a finished run.",
    "pair": "Let judges compare what two models of a run answered, side by side in both orders.",
    "read": "Let virtual game masters learn from what a run played, and read real play.",
    "score": "Compute a run's scores again from its verdicts; calls no model.",
    "show": "Show a run's board, or one of its conversations.",
    "board": "Show one board of all runs of a benchmark that can be compared.",
    "list": "List the benchmarks and the runs in the store, or a run's conversations.",
    "runs": "List, rename or delete runs.",
    "export": "Write a run to a file (json, csv, html, Inspect log, parquet ...), or runs as a static site.",
    "import": "Make conversations that were made elsewhere a run, to be judged and analysed.",
    "copy": "Copy a run from one store to another: a file, or a PostgreSQL server.",
    "new": "Write a benchmark of your own to start from: a folder or a file that runs at once.",
    "generate": "Have a model write new scenarios for a benchmark.",
    "collect": "Let models talk to each other, to collect what new data is cut from.",
    "extract": "Let judges go through what was collected, and write the data that comes of it.",
    "toxicity": "Score a benchmark's data for toxicity, by a word list or an endpoint in Perspective's shape.",
    "pipeline": "From tasks to scores in one command: collect, extract, run.",
    "labels": "Draw conversations for people to label, and take in what they say.",
    "compare": "Compare models on the same scenarios, with what may be claimed when many are looked at.",
    "bias": "Say what sways a run's judges besides merit: length, place, own family, refusals.",
    "variance": "Say which share of what scores differ by comes from models, simulators, judges and scenarios.",
    "power": "Say what n scenarios cost and can show, before anything is spent.",
    "correct": "Correct a judge's numbers by people's labels of a few conversations drawn at random.",
    "agreement": "Hold a run's judges against people, and against each other.",
    "probe": "Find out whether a judge is fooled by injections, and whether it sees planted defects.",
    "validate": "Prove a benchmark's scores on bots whose abilities are known; needs no key.",
    "view": "Look at the store in a browser: boards, runs, conversations; label and play.",
    "doctor": "Check keys, endpoints, store and the embedded model.",
    "loopback": "Serve a scripted provider on 127.0.0.1, in OpenAI's and Anthropic's shape, for dry runs.",
}

_MODULES = {
    "run": "playing",
    "judge": "playing",
    "pair": "playing",
    "read": "reading",
    "export": "exporting",
    "import": "importing",
    "copy": "copying",
    "new": "new",
    "generate": "generating",
    "collect": "collecting",
    "extract": "collecting",
    "toxicity": "toxicity",
    "pipeline": "pipeline",
    "labels": "labelling",
    "agreement": "analysing",
    "compare": "analysing",
    "correct": "analysing",
    "variance": "analysing",
    "bias": "analysing",
    "power": "analysing",
    "probe": "probing",
    "validate": "validating",
    "view": "viewing",
}


class Verbs(click.Group):
    """Verbs that are imported when they are typed, so that help is quick."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(MEANINGS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in MEANINGS:
            from interplay.core.failures import Mistake, nearest

            raise Mistake(f"there is no verb {name!r}; {nearest(name, MEANINGS)}")
        module = import_module(f"interplay.cli.{_MODULES.get(name, 'verbs')}")
        command: click.Command = getattr(module, f"{name}_verb")
        command.context_settings.setdefault("help_option_names", HELP)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl(list(MEANINGS.items()))


@click.command(cls=Verbs, epilog=EXIT_CODES, context_settings={"help_option_names": HELP})
@click.version_option(package_name="interplay", message="%(version)s")
def interplay() -> None:
    """Evaluate language models by letting them interact.

    \b
    Try it on this machine, with no key:
      interplay run role_play
    Compare two models:
      interplay run role_play --model openai/A --model openai/B \\
        --model-role interrogator=openai/C --model-role judge=openai/D

    Every flag can also be set by the environment variable shown beside it.
    """
