"""What somebody does with a new benchmark: `python -m tests.cli.new_session NAME`; what came of it, as JSON."""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from interplay.cli import main
from interplay.models.loopback import Loopback, serving
from interplay.testing import steady
from tests.web.served import serving as viewing

STORE = Path("interplay.db")


def typed(loopback: Loopback, *words: str) -> dict[str, Any]:
    """A command line, what it printed, and how many calls it made."""
    before, out, told = loopback.calls, io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(told):
        code = main(list(words))
    return {"code": code, "out": out.getvalue(), "told": told.getvalue(), "calls": loopback.calls - before}


def session(name: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    loopback = Loopback(steady)
    with serving(loopback) as url:
        there = ("--base-url", url)
        cast = ("--model", "openai/a", "--model-role", "learner=openai/l", "--model-role", "judge=openai/j")
        run = ("run", name, *there, *cast, "--limit", "2", "--json")
        found["listed"] = typed(loopback, "list", "--json")
        found["first"] = typed(loopback, *run)
        found["again"] = typed(loopback, *run)
        found["further"] = typed(loopback, *run[:-2], "3", "--json", "--workers", "2")
        found["judged"] = typed(loopback, "judge", "last", *there, "--model-role", "judge=openai/k", "--json")
        found["shown"] = typed(loopback, "show", "last", "--json")
        found["exported"] = typed(loopback, "export", "last", "run.md")
        found["conversation"] = typed(loopback, "show", "last", "--conversation", "1")
        found["helped"] = typed(loopback, "run", name, "--help")
    with viewing(STORE) as served:
        run_id = json.loads(found["shown"]["out"])["run"]
        pages = {
            "home": "/",
            "board": f"/boards/{name}/",
            "run": f"/runs/{run_id}/",
            "one": f"/runs/{run_id}/conversations/1/",
            "games": "/games/",
            "game": f"/games/new/?benchmark={name}",
        }
        for page, path in pages.items():
            answer = served.ask(path)
            found[page] = {"status": answer.status, "text": answer.text}
    return found


if __name__ == "__main__":
    print(json.dumps(session(sys.argv[1])))  # noqa: T201  # a process of its own, whose output is read
