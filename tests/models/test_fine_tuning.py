"""Fine-tuning over real HTTP: from examples to a model, and never a second file or job, whenever it was cut off."""

import json

import pytest

from interplay.core.failures import Mistake
from interplay.core.wire import Request, Sampling, Thread
from interplay.models.connecting import Directory
from interplay.models.entries import Entry
from interplay.models.fine_tuning import JobState
from interplay.models.fine_tuning_job import MARK, SETTINGS
from interplay.models.loopback import Fault, Loopback, Tuning, rehearse
from interplay.models.openai_compatible import OPENAI
from interplay.models.posting import Patience
from interplay.models.prices import Price
from interplay.models.scripted import Scripted
from tests.models.asking import KEY, free_port
from tests.models.fine_tuned import (
    BASE,
    CREATE,
    DIGEST,
    EXAMPLES,
    LIST_FILES,
    LIST_JOBS,
    POLL,
    UPLOAD,
    client,
    create,
    examples,
    in_turn,
    look_up,
    made,
    routes,
    tune,
    upload,
)

# The whole path


async def test_examples_become_a_model_that_answers_as_they_do() -> None:
    loopback = Loopback({f"ft:{BASE}": look_up, "*": rehearse})
    told: list[JobState] = []
    async with loopback as url:
        name = await tune(url, told=told)
        directory = Directory(
            {"mine": Entry(f"openai/{BASE}", base_url=url, price=Price(1.0, 2.0))}, environment={}
        )
        model = directory.called("the tuned one", "mine", f"openai/{name}")
        first = Thread.start(EXAMPLES[3].messages[0]).then("user", EXAMPLES[3].messages[1].text)
        reply = await model.reply(Request(name, first, Sampling()))
        await model.close()
    assert name == f"ft:{BASE}:interplay::loopback-1"
    assert (reply.text, model.name, model.price) == (
        "Town 3",
        "the tuned one",
        None,
    )  # its base costs otherwise
    assert [state.status for state in told] == ["queued", "running", "succeeded"]
    tokens = loopback.workshop.jobs[0].trained_tokens
    assert told[0] == JobState("ftjob-loopback-1", "queued")
    assert told[-1] == JobState("ftjob-loopback-1", "succeeded", name, tokens)
    assert routes(loopback)[:-1] == [LIST_FILES, UPLOAD, LIST_JOBS, CREATE, POLL, POLL, POLL]


async def test_what_is_uploaded_and_what_is_asked_for() -> None:
    loopback = Loopback()
    async with loopback as url:
        await tune(url)
    (file,), (job,) = loopback.workshop.files, loopback.workshop.jobs
    assert (file.name, file.purpose) == (f"interplay-{DIGEST}.jsonl", "fine-tune")
    assert [json.loads(line) for line in file.content.splitlines()] == [one.as_json() for one in EXAMPLES]
    metadata = job.asked["metadata"]
    assert metadata[MARK] == DIGEST
    assert job.asked == {
        "model": BASE,
        "training_file": file.id,
        "suffix": "interplay",
        "seed": 5,
        "metadata": {MARK: DIGEST, SETTINGS: metadata[SETTINGS]},
        "method": {"type": "supervised", "supervised": {"hyperparameters": {"n_epochs": 2}}},
    }


async def test_the_number_of_epochs_can_be_left_to_the_endpoint() -> None:
    loopback = Loopback()
    async with loopback as url:
        await create(url, await upload(url), epochs=None)
        await create(url, "file-loopback-1", epochs=None)
    assert len(loopback.workshop.jobs) == 1
    assert not {"method", "hyperparameters"} & loopback.workshop.jobs[0].asked.keys()


async def test_a_large_file_and_text_that_is_no_unicode_are_uploaded() -> None:
    loopback = Loopback()
    async with loopback as url:
        tuning = client(url)
        await tuning.upload(examples(30_000), "large")
        lone = [
            type(one)((*one.messages[:-1], type(one.messages[0])("assistant", "\ud800"))) for one in EXAMPLES
        ]
        await tuning.upload(lone, "lone")
        await tuning.close()
    large, odd = loopback.workshop.files
    assert len(large.content) > 3_000_000
    assert len(large.content.split(b"\n")) == 30_001
    assert json.loads(odd.content.split(b"\n")[0])["messages"][-1]["content"] == "?"


@pytest.mark.parametrize("seed", [-1, 2**31, 2**70])
async def test_any_seed_can_be_asked_for(seed: int) -> None:
    loopback = Loopback(tuning=Tuning(metadata="ignored"))
    async with loopback as url:
        file = await upload(url)
        assert await create(url, file, seed=seed) == await create(url, file, seed=seed)
    assert loopback.workshop.jobs[0].asked["seed"] == seed % 2**31


# Before anything is begun


async def checked(url: str, key: str = "") -> None:
    tuning = client(url, key=key)
    try:
        await tuning.check()
    finally:
        await tuning.close()


async def test_a_check_makes_nothing() -> None:
    loopback = Loopback(keys=frozenset({KEY}))
    async with loopback as url:
        await checked(url, KEY)
    assert made(loopback) == (0, 0)
    assert routes(loopback) == [LIST_JOBS]


async def test_a_check_does_not_mind_trouble_that_may_pass() -> None:
    async with Loopback({LIST_JOBS: in_turn(Fault("status", 503))}) as url:
        await checked(url)


async def test_a_check_finds_what_no_job_could_survive() -> None:
    with pytest.raises(Mistake, match="mine needs a key: set OPENAI_API_KEY"):
        await checked(OPENAI)
    with pytest.raises(Mistake, match="nothing answers at 127"):
        await checked(f"http://127.0.0.1:{free_port()}/v1")
    async with Loopback(keys=frozenset({KEY})) as url:
        with pytest.raises(Mistake, match=f"mine cannot be fine-tuned at {url}: key: HTTP 401"):
            await checked(url, "another-key-77")
    async with Loopback() as url:
        with pytest.raises(Mistake, match=r"cannot be fine-tuned at .*: not found: HTTP 404"):
            await checked(url + "/elsewhere")


async def test_names_are_those_of_the_directory() -> None:
    entry = Entry("openai/gpt-x", base_url="http://127.0.0.1:9/v1/", key="MY_KEY", timeout=7)
    directory = Directory({"mine": entry}, environment={"MY_KEY": KEY, "OPENAI_API_KEY": "k"})
    tuning = directory.fine_tuning("mine")
    assert (tuning.name, tuning._remote_name, tuning._interval) == ("mine", "gpt-x", 1.0)
    assert (tuning._at.base_url, tuning._at.key) == ("http://127.0.0.1:9/v1", KEY)
    assert tuning._at.patience == Patience(first_byte=7)
    plain = directory.fine_tuning("openai/gpt-4o", interval=0.1)
    assert (plain._at.base_url, plain._remote_name, plain._interval) == (OPENAI, "gpt-4o", 0.1)


@pytest.mark.parametrize(
    "name", ["anthropic/claude", "local/smollm2", "python/a:b", "http://127.0.0.1:9/chat", "bot", "made"]
)
def test_other_models_have_no_fine_tuning(name: str) -> None:
    bot = Entry("http", url="http://127.0.0.1:9/chat")
    made_here = {"made": Scripted("made", lambda request: "yes")}
    directory = Directory({"bot": bot}, made=made_here, environment={"ANTHROPIC_API_KEY": "k"})
    with pytest.raises(
        Mistake, match=f"^{name} has no fine-tuning API; a model that may have one is openai/NAME$"
    ):
        directory.fine_tuning(name)


def test_a_name_that_is_none_is_told_as_such() -> None:
    with pytest.raises(Mistake, match="is no model"):
        Directory(environment={}).fine_tuning("gpt-4o")
