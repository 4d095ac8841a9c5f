"""Local models on a cluster, as the driver asks them: with real channels, and processes that can be lost."""

import asyncio
import json
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from inspect import isawaitable
from pathlib import Path
from typing import Any

import pytest

from interplay.core.failures import Mistake
from interplay.core.wire import Message, Reply, Request, Sampling, Thread
from interplay.models.calling import CallFailed
from interplay.models.connecting import Directory
from interplay.models.entries import Entry
from interplay.models.loopback import Loopback, serving
from interplay.models.scripted import Scripted
from interplay.running.carried import pack_reply, tail_of, unpack_reply
from interplay.running.channel import Channel
from interplay.running.ray_actor import Holder
from interplay.running.ray_models import MOST_STARTS, LocalOnRay, is_local
from interplay.running.setup import carried

NAME = "local/small.gguf"
REPLY = Reply("Four.", reasoning="2 + 2", stop="stop", version="small.gguf", tokens_in=7, raw=b"{}")


def request(name: str = NAME) -> Request:
    thread = Thread.start(Message("system", "Be short.")).then("user", "2 + 2?")
    return Request(name, thread, Sampling(temperature=0.5), {"type": "object"})


@dataclass
class Held:
    """A process that holds the model, in the test's own process; it can be lost."""

    channel: Channel
    theirs: Channel

    async def end(self) -> None:
        self.channel.close()
        await self.channel.closed.wait()

    def how_it_ended(self) -> str:
        return "cut off" if self.theirs.closed.is_set() else ""

    async def lose(self) -> None:
        self.theirs.close()
        await self.channel.closed.wait()


@dataclass
class Cluster:
    """Starts such processes, and answers in their place."""

    says: Callable[[], Any] = lambda: pack_reply(REPLY)
    started: list[Held] = field(default_factory=list)
    heard: list[tuple[str, list[Any]]] = field(default_factory=list)
    refuses: bool = False

    async def serve(self, verb: str, body: list[Any]) -> Any:
        self.heard.append((verb, body))
        said = None if verb == "hold" else self.says()
        return await said if isawaitable(said) else said

    async def start(self, make: Callable[[], Channel]) -> Held:
        if self.refuses:
            raise Mistake("the Ray cluster has no room")
        ours, theirs = socket.socketpair()
        loop = asyncio.get_running_loop()
        _, there = await loop.create_connection(lambda: Channel(self.serve), sock=theirs)
        _, here = await loop.create_connection(make, sock=ours)
        self.started.append(Held(here, there))
        return self.started[-1]

    def model(self) -> LocalOnRay:
        directory = Directory(environment={"OPENAI_API_KEY": "sk-1"})
        return LocalOnRay(directory.connect(NAME), directory, 3, self.start)


async def test_it_is_to_the_engine_what_the_local_model_is_and_its_reply_comes_back_whole() -> None:
    cluster = Cluster()
    model, local = cluster.model(), Directory().connect(NAME)
    for part in ("name", "endpoint", "most_connections", "price", "remembers", "ignores"):
        assert getattr(model, part) == getattr(local, part)
    await model.check()
    assert await model.reply(request()) == REPLY
    (_, (directory, name, threads)), (verb, (settings, messages)) = cluster.heard
    assert (name, threads, verb) == (NAME, 3, "reply")
    assert directory["environment"] == {}, "no key goes where none is needed"
    assert json.loads(settings)["sampling"] == {"temperature": 0.5}
    assert messages == [["system", "Be short."], ["user", "2 + 2?"]]
    assert len(cluster.started) == 1, "it is loaded once"
    await model.close()


async def test_many_calls_at_once_start_one_process() -> None:
    cluster = Cluster()
    model = cluster.model()
    assert await asyncio.gather(*(model.reply(request()) for _ in range(8))) == [REPLY] * 8
    assert len(cluster.started) == 1
    await model.close()


async def test_a_failed_call_is_carried_over_as_what_it_is() -> None:
    def fail() -> Any:
        raise CallFailed("rate limit", "busy", raw=b"no", after=2.0)

    model = Cluster(fail).model()
    with pytest.raises(CallFailed) as caught:
        await model.reply(request())
    failure = caught.value
    assert (failure.cause, failure.detail, failure.raw, failure.after) == ("rate limit", "busy", b"no", 2.0)
    await model.close()


async def test_a_process_that_is_lost_fails_the_call_and_is_started_again_by_the_next() -> None:
    cluster = Cluster()
    model = cluster.model()
    await model.check()
    cluster.says = cluster.started[-1].lose
    with pytest.raises(CallFailed, match="the process that holds it was lost") as caught:
        await model.reply(request())
    assert caught.value.cause == "connection", "such a call is tried again"
    cluster.says = lambda: pack_reply(REPLY)
    assert await model.reply(request()) == REPLY
    assert len(cluster.started) == 2
    await model.close()


async def test_a_process_that_keeps_ending_is_given_up() -> None:
    cluster = Cluster()
    model = cluster.model()
    for _ in range(MOST_STARTS):
        await model.check()
        await cluster.started[-1].lose()
    with pytest.raises(CallFailed, match=r"keeps ending \(cut off\)") as caught:
        await model.reply(request())
    assert caught.value.cause == "rejected", "nothing is gained by trying again"
    assert len(cluster.started) == MOST_STARTS


async def test_where_the_cluster_has_no_room_any_more_the_call_has_failed() -> None:
    cluster = Cluster(refuses=True)
    with pytest.raises(CallFailed, match="no room") as caught:
        await cluster.model().reply(request())
    assert caught.value.cause == "connection"
    with pytest.raises(Mistake, match="no room"):
        await cluster.model().check()


async def test_whoever_holds_a_model_answers_for_it() -> None:
    holder = Holder()
    with serving(Loopback(lambda asked: f"{asked.model} heard {len(asked.messages)}")) as url:
        directory = Directory({"held": Entry("openai/small", base_url=url)})
        await holder.serve("hold", [carried(directory, ["held"]), "held", 2])
        _, messages = tail_of(request().thread, set())
        asked = request("held")
        reply = unpack_reply(await holder.serve("reply", [asked.settings, messages]))
        assert reply.text == "small heard 2"
        await holder.close()
    with pytest.raises(RuntimeError, match="nobody asks"):
        await holder.serve("dance", [])


async def test_weights_that_are_not_there_are_named_with_the_machine(tmp_path: Path) -> None:
    name = f"local/{tmp_path}/none.gguf"
    with pytest.raises(Mistake, match=rf"^on {socket.gethostname()}, .*there is no GGUF file"):
        await Holder().serve("hold", [carried(Directory(), [name]), name, 2])


def test_only_what_this_program_would_load_itself_is_held_there() -> None:
    made = Scripted("local/mine", lambda _: "yes")
    directory = Directory({"small": Entry(NAME), "large": Entry("openai/large")}, made={made.name: made})
    assert [is_local(directory, name) for name in (NAME, "small", "large", made.name)] == [
        True,
        True,
        False,
        False,
    ]
