"""A local causal model as one who answers."""

import asyncio
import json
import shutil
import threading
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from interplay.core.failures import Mistake
from interplay.core.wire import Message, Request, Sampling, Thread
from interplay.models.calling import CallFailed, Model
from interplay.models.chat_tokens import ChatTokens
from interplay.models.lessons import lessons_of
from interplay.models.tuned import Tuned
from interplay.models.tuning import tune
from tests.models.tiny_model import EXAMPLES, OFTEN, QUICK, SHORT, asked, build, build_tokenizer, silent


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def folder(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tune(base, OFTEN, QUICK, tmp_path_factory.mktemp("tuned"), silent)


@pytest.fixture
async def model(base: Path, folder: Path) -> AsyncIterator[Tuned]:
    made = Tuned("mine", base, folder, QUICK)
    yield made
    await made.close()


async def test_a_request_is_answered(model: Tuned) -> None:
    as_model: Model = model
    await as_model.check()
    assert model._writer is None  # nothing is loaded before it is asked

    reply = await as_model.reply(asked("amber"))
    assert (reply.text, reply.stop, reply.cost) == ("wait", "stop", 0.0)
    prompt = "<|system|>Say it.<|end|>\n<|user|>amber<|end|>\n<|assistant|>"
    assert reply.tokens_in == len(build_tokenizer()(prompt)["input_ids"])
    assert reply.tokens_out == len("wait") + 1  # and the token that ends it
    assert reply.latency > 0
    assert not reply.tokens_estimated


async def test_an_answer_ends_at_its_limit(model: Tuned) -> None:
    reply = await model.reply(asked("amber", most=2))
    assert (reply.text, reply.stop, reply.tokens_out) == ("wa", "length", 2)


async def test_an_answer_ends_where_the_model_can_read_no_more(base: Path) -> None:
    untrained = Tuned("mine", base, None, replace(QUICK, length=1000))
    reply = await untrained.reply(asked("x" * 500, most=100_000))
    await untrained.close()
    assert reply.tokens_in == 127
    assert reply.tokens_out == 1


async def test_a_schema_is_left_aside(model: Tuned) -> None:
    request = asked("red")
    formed = Request("mine", request.thread, request.sampling, {"type": "object"})
    assert (await model.reply(formed)).text == "stop"


async def test_the_version_is_that_of_the_weights(base: Path, folder: Path, tmp_path: Path) -> None:
    again = tune(base, OFTEN, QUICK, tmp_path / "again", silent)
    versions = []
    for place in (folder, again, None):
        model = Tuned("mine", base, place, QUICK)
        versions.append((await model.reply(asked("red"))).version)
        await model.close()
    assert versions[0] == versions[1] != versions[2]
    assert all(versions)


async def test_a_prompt_is_cut_as_in_training(base: Path, tmp_path: Path) -> None:
    settings = replace(SHORT, length=40)
    folder = tune(base, EXAMPLES, settings, tmp_path, silent)
    room = lessons_of(ChatTokens(build_tokenizer()), EXAMPLES, 40).room
    for place, expected in ((folder, room), (None, 40 - 10)):
        model = Tuned("mine", base, place, settings)
        reply = await model.reply(asked("a long question " * 9, most=10))
        await model.close()
        assert reply.tokens_in == expected


async def test_a_brief_that_leaves_no_room_is_rejected(model: Tuned) -> None:
    thread = Thread.start(Message("system", "long " * 99)).then("user", "?")
    with pytest.raises(CallFailed) as raised:
        await model.reply(Request("mine", thread, Sampling()))
    assert raised.value.cause == "rejected"


async def test_many_who_ask_at_once_get_the_same_as_one(model: Tuned) -> None:
    assert model.most_connections == 1
    replies = await asyncio.gather(*(model.reply(asked(colour)) for colour in ("red", "green", "blue") * 3))
    assert [one.text for one in replies] == ["stop", "go", "swim"] * 3


async def test_a_question_that_is_withdrawn_ends_soon(base: Path) -> None:
    import torch

    model = Tuned("mine", base, None, replace(QUICK, length=100))
    await model.reply(asked("red", most=1))
    assert model._writer is not None
    writing = threading.Event()
    withdrawn = threading.Event()
    ended: list[object] = []

    def write() -> None:
        writer = model._writer
        assert writer is not None
        writer._model.register_forward_hook(lambda *_: (writing.set(), withdrawn.wait(10))[0])
        try:
            writer._write([5], 100, withdrawn)
        except CallFailed as failure:
            ended.append(failure.cause)

    thread = threading.Thread(target=write)
    thread.start()
    assert writing.wait(10)
    withdrawn.set()
    thread.join(10)
    assert ended == ["timeout"]
    assert torch.is_grad_enabled()
    await model.close()


async def test_a_call_that_is_cancelled_leaves_the_model_usable(model: Tuned) -> None:
    await model.reply(asked("red"))
    task = asyncio.create_task(model.reply(asked("red", most=10_000)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await model.reply(asked("blue"))).text == "swim"


async def test_closing_frees_the_model_and_it_can_be_asked_again(model: Tuned) -> None:
    first = await model.reply(asked("red"))
    await model.close()
    assert model._writer is None
    await model.close()
    assert replace(await model.reply(asked("red")), latency=0.0) == replace(first, latency=0.0)


async def test_what_cannot_answer_is_a_mistake(base: Path, folder: Path, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    shutil.copytree(folder, begun)
    manifest = json.loads((begun / "manifest.json").read_text())
    (begun / "manifest.json").write_text(json.dumps(manifest | {"done": False}))
    (tmp_path / "empty").mkdir()
    for place, trained, said in (
        (base, begun, "is not done; go on with it first"),
        (base, tmp_path / "empty", "is not the folder of a training"),
        (base, tmp_path / "none", "is not the folder of a training"),
        (tmp_path / "none.gguf", None, "cannot be read: no such file"),
        (tmp_path / "empty", None, "no folder of weights"),
    ):
        with pytest.raises(Mistake, match=said):
            await Tuned("mine", place, trained, QUICK).check()
        with pytest.raises(Mistake, match=said):
            await Tuned("mine", place, trained, QUICK).reply(asked("red"))
