"""Servers of models on this machine: who answers at their usual ports, and with which models."""

import asyncio
from dataclasses import dataclass
from typing import Any, Literal

from interplay.core.failures import Mistake
from interplay.core.wire import clean
from interplay.models.calling import CallFailed, Unreachable
from interplay.models.connecting import Directory
from interplay.models.posting import Answer, Patience, Post
from interplay.models.providers import HOSTED

HASTE = Patience(connect=0.3, first_byte=0.3, idle=0.3, total=0.6)  # on this machine that is long
LIST = "/models"
MOST_MODELS = 1_000
LONGEST_NAME = 200


@dataclass(frozen=True)
class Server:
    """What was found where a server of models usually is."""

    provider: str
    title: str
    place: str
    state: Literal["found", "locked", "other", "absent", "wrong"]  # wrong: its place cannot be one
    models: tuple[str, ...] = ()
    why: str = ""


async def servers_nearby(directory: Directory) -> list[Server]:
    """Look at the place of every such server, all at once; no key is sent, since anybody may listen there."""
    return await asyncio.gather(*(_look(name, directory) for name, one in HOSTED.items() if one.here))


async def _look(provider: str, directory: Directory) -> Server:
    title, place = HOSTED[provider].title, directory.place_of(provider)
    post = Post(title, place, LIST, headers={}, secrets=[], patience=HASTE)
    try:
        await post.check()
        answer = await post.get(LIST)
    except Unreachable as error:
        return Server(provider, title, place, "absent", why=str(error))
    except Mistake as error:
        return Server(provider, title, "", "wrong", why=str(error))
    except CallFailed as error:
        return Server(provider, title, place, "other", why=error.detail)
    finally:
        await post.close()
    if answer.status in (401, 403):
        return Server(provider, title, place, "locked")
    names = _names_in(answer)
    if names is None:
        return Server(provider, title, place, "other", why=f"HTTP {answer.status}")
    return Server(provider, title, place, "found", names)


def _names_in(answer: Answer) -> tuple[str, ...] | None:
    """The models of a list in OpenAI's shape; None where it is not one."""
    try:
        body = answer.json()
    except CallFailed:
        return None
    if answer.status != 200 or not isinstance(body, dict) or body.get("object") != "list":
        return None
    listed: Any = body.get("data") or []  # null is how some say that they have none
    if not isinstance(listed, list):
        return None
    names = [one.get("id") for one in listed[:MOST_MODELS] if isinstance(one, dict)]
    return tuple(_in_a_line(name) for name in names if isinstance(name, str) and name)


def _in_a_line(name: str) -> str:
    name = " ".join(clean(name[: LONGEST_NAME + 1]).split())
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
