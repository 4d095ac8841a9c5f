"""A reference job against the loopback provider, and the scripts that answer it the same in any order."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from interplay.models.loopback import Asked, Fault, Said, Script, rehearse

JUDGES = ("openai/judge-1", "openai/judge-2")
_MARK = re.compile(r"<<([0-9a-f]{12})")


def judge(asked: Asked) -> str:
    """A judge whose verdict does not depend on the fence's mark, which is secret and differs from store to store."""
    found = _MARK.search(str(asked.messages[-1]["content"])) or _MARK.search(
        str(asked.messages[1]["content"])
    )
    assert found is not None
    mark = found.group(1)
    plain = tuple(
        {**message, "content": str(message["content"]).replace(mark, "")} for message in asked.messages
    )
    return rehearse(replace(asked, messages=plain))


def answer(asked: Asked) -> str:
    """Any role, by the model's name."""
    return judge(asked) if asked.model.startswith("judge") else rehearse(asked)


def first_time(fault: Callable[[int], Fault | Said | None], usual: Script = answer) -> Script:
    """A script that gives a fault in place of some answers, by the number of the request."""

    def script(asked: Asked) -> str | Said | Fault:
        return fault(asked.number) or usual(asked)

    return script


def command(
    url: str,
    store: Path,
    *,
    limit: int | None = None,
    models: tuple[str, ...] = ("openai/player",),
    judges: tuple[str, ...] = JUDGES,
    more: tuple[str, ...] = (),
) -> list[str]:
    """The command line of the job."""
    line = ["run", "role_play", "--base-url", url, "--store", str(store), "--json"]
    for model in models:
        line += ["--model", model]
    line += ["--model-role", "interrogator=openai/user"]
    for name in judges:
        line += ["--model-role", f"judge={name}"]
    return line + (["--limit", str(limit)] if limit else []) + list(more)
