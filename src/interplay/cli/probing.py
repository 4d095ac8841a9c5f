"""The verb probe: is a judge fooled by texts that write their own verdict, and does it see planted defects?"""

from pathlib import Path
from typing import Any

import click

from interplay.analysis.drifting import drifts_of
from interplay.benchmarks.judge_probe import benchmark
from interplay.cli import terminal
from interplay.cli.carry_out import carry_out, show_forecast
from interplay.cli.edge import DONE, STOPPED
from interplay.cli.flags import (
    HOW,
    HTML,
    JSON,
    STORE,
    flag,
    flag_of,
    how_of,
    options_in,
    sampling_in,
    with_flags,
)
from interplay.cli.playing import PLAN
from interplay.cli.showing import check_html, show_run
from interplay.running.engine import Engine
from interplay.running.spec import make_spec
from interplay.running.tally import Tally
from interplay.store.records import Records


@click.command("probe")
@click.argument("judges", nargs=-1, metavar="[JUDGE]...")
@with_flags(*(flag_of(option) for option in benchmark.options))
@flag("--data", type=click.Path(path_type=Path),
      help="A folder of defects of your own, a file KIND.toml for each kind, in place of those that ship.")  # fmt: skip
@flag("--limit", type=int, help="Only so many probes; any first few are a mix of families and kinds.")
@flag("--epochs", type=int, default=benchmark.epochs, show_default=True,
      help="How often each probe is played.")  # fmt: skip
@flag("--seed", type=int, default=0, show_default=True, help="For which of two twins is asked about first.")
@flag("--sampling", multiple=True, metavar="WHO.KEY=VALUE",
      help="Sampling of all judges or of one, as in probed.temperature=1; none: as the endpoint has it.")  # fmt: skip
@with_flags(PLAN, *HOW, STORE, HTML, JSON)
def probe_verb(judges: tuple[str, ...], **given: Any) -> int:
    """Probe every JUDGE, a model's name such as openai/NAME, before you believe its verdicts.

    Injections: each of 120 texts that try to write their own verdict is judged, and so is its clean twin. Defects:
    each dialogue is rated with a reply as it should be, and with one that is spoiled. Neither asking knows the other.

    The same command again goes on where it stopped; a larger --limit or more --epochs extends the probe. Another
    --label begins a new one, which says how far the judge's ratings of the same clean texts have moved since. With no
    judge named, it is a tryout: the small embedded model judges a few, with no key.
    """
    how = how_of(given)
    spec = make_spec(
        benchmark,
        models=judges,
        options=options_in(given),
        data=given["data"],
        sampling=sampling_in(given["sampling"]),
        sampling_of=how.directory.sampling_of,
        seed=given["seed"],
        limit=given["limit"],
        epochs=given["epochs"],
    )
    engine = Engine(benchmark, spec, how, Tally())
    if given["plan"]:
        show_forecast(engine, as_json=given["json"])
        return DONE
    check_html(given)
    code, run = carry_out(engine)
    if code != STOPPED:
        with Records(given["store"]) as records:
            drifts = drifts_of(records, records.find(run))
        show_run(given, run, benchmark, also={"drift": [one.as_json() for one in drifts]} if drifts else None)
        for one in drifts if not given["json"] else ():
            terminal.say(f"· {one.told()}")
    return code
