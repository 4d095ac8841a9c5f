"""Models in this process: real llama.cpp with the embedded model, where it was fetched."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from interplay.core.failures import Mistake
from interplay.core.forms import check, object_schema
from interplay.core.wire import Message, Request, Sampling, Thread
from interplay.models import embedded
from interplay.models.local import EMBEDDED_SLOTS, Local

NAME = f"local/{embedded.NAME}"
ASKED = Thread.start(Message("system", "Be brief.")).then("user", "Name a colour.")
SCHEMA = object_schema(
    {
        "why": {"type": "string", "maxLength": 20},
        "colour": {"type": "string", "enum": ["red", "blue"]},
        "score": {"type": "integer", "minimum": 1, "maximum": 5},
    }
)


@pytest.fixture
async def small() -> AsyncIterator[Local]:
    if embedded.weights() is None:
        pytest.skip(
            f"the embedded model is not in {embedded.cache_folder()}; a run of local/smollm2 fetches it"
        )
    model = Local(NAME, embedded.NAME)
    yield model
    await model.close()


async def test_the_embedded_model_answers_in_text_and_by_a_schema(small: Local) -> None:
    assert (small.name, small.endpoint, small.most_connections) == (NAME, NAME, EMBEDDED_SLOTS)
    await small.check()
    assert small._server is None  # nothing is loaded before it is asked

    plain = await small.reply(Request(NAME, ASKED, Sampling(temperature=0.0, max_tokens=8)))
    assert plain.text.strip()
    assert plain.tokens_out is not None
    assert 0 < plain.tokens_out <= 8
    assert (plain.cost, plain.tokens_estimated) == (0.0, False)

    formed = await small.reply(Request(NAME, ASKED, Sampling(temperature=0.0, max_tokens=80), SCHEMA))
    said = json.loads(formed.text)
    assert check(SCHEMA, said, exact=True) == said  # nothing had to be cut or converted
    assert list(said) == ["why", "colour", "score"]
    assert "\n" not in formed.text
    assert formed.stop == "stop"

    await small.close()
    assert (small._client, small._server) == (None, None)


async def test_a_model_that_was_never_asked_can_be_closed() -> None:
    model = Local("local/x", "missing.gguf")
    await model.close()
    await model.close()
    assert model._server is None


async def test_a_missing_file_is_a_mistake() -> None:
    with pytest.raises(Mistake, match=r"local/x: there is no GGUF file missing\.gguf; local/smollm2"):
        await Local("local/x", "missing.gguf").check()


@pytest.mark.parametrize("content", [b"", b"GG", b"dear diary, " * 100])
async def test_a_file_that_is_no_gguf_is_a_mistake(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(content)
    model = Local("local/x", str(path))
    with pytest.raises(Mistake, match="is not a GGUF file") as raised:
        await model.check()
    assert str(path) in str(raised.value)
    with pytest.raises(Mistake, match="is not a GGUF file"):
        await model.reply(Request("local/x", ASKED, Sampling()))
    await model.close()
