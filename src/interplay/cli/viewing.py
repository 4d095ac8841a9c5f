"""The verb view: a local site over the store."""

import webbrowser
from contextlib import suppress
from pathlib import Path

import click

from interplay.cli import terminal
from interplay.cli.edge import DONE
from interplay.cli.flags import BASE_URL, MODELS, STORE, flag, with_flags
from interplay.models.connecting import directory_of
from interplay.store.places import Store
from interplay.store.records import Records


@click.command("view")
@flag("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS",
      help="Where to listen; others than this machine reach it only if you say so here.")  # fmt: skip
@flag(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8765,
    show_default=True,
    help="0 takes any that is free.",
)
@flag("--allow-host", "allowed", multiple=True, metavar="NAME",
      help="A name that browsers call the server by, where it is not the address; may be repeated.")  # fmt: skip
@flag("--open/--no-open", "opens", default=True, help="Open a browser.  [default: open]")
@with_flags(STORE, BASE_URL, MODELS)
def view_verb(
    host: str,
    port: int,
    allowed: tuple[str, ...],
    opens: bool,
    store: Store,
    base_url: str,
    models: Path | None,
) -> int:
    """Look at the store in a browser: boards, charts, runs as they go on, conversations; label and play.

    Whoever has the link that is printed can see everything and start games with your models; raters and players get
    links of their own from its pages. Ctrl-C ends it; nothing is lost by that.
    """
    from interplay.web.serving import listen, serve  # the server takes a moment to import
    from interplay.web.site import Site

    Records(store).close()
    site = Site(store, directory_of(models, base_url), terminal.remark)
    listening = listen(site, host, port)
    terminal.remark(f"Look at {store} here: {listening.link}")
    terminal.remark("Ctrl-C ends it.")
    if opens:
        webbrowser.open(listening.link)
    with suppress(KeyboardInterrupt):  # the way to end it
        serve(site, listening, allowed)
    return DONE
