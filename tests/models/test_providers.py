"""Providers by their names: where they are, what is sent there, what it costs, and that keys stay out of records."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from interplay.cli import main
from interplay.core.failures import Mistake
from interplay.core.wire import Request, Sampling
from interplay.models.calling import CallFailed, Unreachable
from interplay.models.connecting import PROVIDERS, Directory, directory_of
from interplay.models.entries import Entry
from interplay.models.loopback import Asked, Fault, Loopback, serving
from interplay.models.prices import FREE, Price
from interplay.models.providers import HOSTED, is_on_this_machine, place_named
from interplay.running.setup import carried
from tests.cli.provider import Typist
from tests.models.asking import KEY, REQUEST, SCHEMA, assert_hidden
from tests.running.job import answer

OF_OPENAI_SHAPE = [name for name in HOSTED if name not in ("openai", "anthropic")]
HERE = ["ollama", "lmstudio", "vllm"]
KEYED = [name for name in OF_OPENAI_SHAPE if name not in HERE]
NAME = "meta-llama/llama-3.1-8b:free"  # with slashes of its own
SHAPED = replace(REQUEST, schema=SCHEMA)


def environment(provider: str, url: str, key: str = KEY) -> dict[str, str]:
    return {HOSTED[provider].place: url, HOSTED[provider].key: key}


async def asked_of(
    provider: str, request: Request = REQUEST, entry: Entry | None = None, **server: Any
) -> dict[str, Any]:
    """The body of a request that was answered."""
    seen: list[Asked] = []
    loopback = Loopback(lambda asked: seen.append(asked) or "{}", **server)
    async with loopback as url:
        entries = {"mine": entry} if entry else {}
        directory = Directory(entries, environment=environment(provider, url))
        model = directory.connect("mine" if entry else f"{provider}/{NAME}")
        try:
            await model.check()
            assert_hidden((await model.reply(request)).raw)
        finally:
            await model.close()
    assert [(event.route, event.model) for event in loopback.events if event.kind == "request"] == [
        ("POST /v1/chat/completions", NAME)
    ]
    return dict(seen[0].body)


# Where, and with which key


@pytest.mark.parametrize("provider", OF_OPENAI_SHAPE)
async def test_a_name_goes_whole_to_its_provider_s_place_with_its_key(provider: str) -> None:
    body = await asked_of(provider, keys=frozenset({KEY}))
    length = "max_completion_tokens" if provider == "groq" else "max_tokens"
    assert body == {
        "model": NAME,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}],
        "temperature": 0.5,
        length: 20,
    }


@pytest.mark.parametrize("provider", HERE)
async def test_a_server_on_this_machine_needs_no_key_and_is_sent_none(provider: str) -> None:
    async with Loopback(lambda _: "fine", keys=frozenset({""})) as url:
        model = Directory(environment={HOSTED[provider].place: url}).connect(f"{provider}/m")
        await model.check()
        assert (await model.reply(REQUEST)).cost == 0.0
        await model.close()


@pytest.mark.parametrize("provider", KEYED)
async def test_at_home_a_key_is_needed_and_nothing_is_sent_without_it(provider: str) -> None:
    model = Directory(environment={}).connect(f"{provider}/{NAME}")
    assert model.endpoint == HOSTED[provider].home
    variable = f"{provider.upper()}_API_KEY"
    with pytest.raises(Unreachable, match=f"needs a key: set {variable}, or name another place"):
        await model.check()


@pytest.mark.parametrize("provider", OF_OPENAI_SHAPE)
def test_the_nearest_place_counts_and_a_base_url_is_for_openai_alone(provider: str) -> None:
    entries = {"mine": Entry(f"{provider}/m", base_url="http://entry/v1/", key="MY_KEY")}
    directory = Directory(entries, base_url="http://flag/v1", environment={"MY_KEY": "k"})
    assert directory.connect(f"{provider}/m").endpoint == HOSTED[provider].home
    assert directory.connect("mine").endpoint == "http://entry/v1"
    there = {**environment(provider, "http://there:1/v1/"), "MY_KEY": "k"}
    assert Directory(entries, environment=there).connect(f"{provider}/m").endpoint == "http://there:1/v1"
    assert Directory(entries, environment=there).connect("mine").endpoint == "http://entry/v1"


@pytest.mark.parametrize(
    ("host", "place"),
    [
        ("", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        (":11500", "http://127.0.0.1:11500/v1"),
        ("127.0.0.1:11500", "http://127.0.0.1:11500/v1"),
        ("[::]:11500", "http://127.0.0.1:11500/v1"),
        ("[::1]", "http://[::1]:11434/v1"),
        ("gpu.lan", "http://gpu.lan:11434/v1"),
        (" http://gpu.lan:9/ ", "http://gpu.lan:9/v1"),
        ("https://gpu.lan", "https://gpu.lan/v1"),
        ("http://gpu.lan:9/ollama", "http://gpu.lan:9/ollama/v1"),
        ("http://gpu.lan:9/v1", "http://gpu.lan:9/v1"),
        ('"127.0.0.1:11500"', "http://127.0.0.1:11500/v1"),
        (" ' gpu.lan ' ", "http://gpu.lan:11434/v1"),
        ("::1", "http://[::1]:11434/v1"),
        ("::", "http://127.0.0.1:11434/v1"),
        ("http://fd00::7", "http://[fd00::7]/v1"),
        ("[fd00::7]:9", "http://[fd00::7]:9/v1"),
        ("gpu.lan:port", "http://gpu.lan:11434/v1"),
        ("gpu.lan:", "http://gpu.lan:11434/v1"),
        ("gpu.lan:0", "http://gpu.lan:11434/v1"),
        ("gpu.lan:-1", "http://gpu.lan:11434/v1"),
        ("gpu.lan:65536", "http://gpu.lan:11434/v1"),
        ("https://gpu.lan:99999999", "https://gpu.lan/v1"),
        ("HTTP://gpu.lan:9", "http://gpu.lan:9/v1"),
    ],
)
def test_ollama_s_own_variable_is_read_as_ollama_reads_it(host: str, place: str) -> None:
    assert place_named("ollama", {"OLLAMA_HOST": host}) == place


@pytest.mark.parametrize(
    "host", ["http://me:secret@h", "me:secret@h:1", "http://h/?key=secret", "ftp://h", "http://[", "a:b:c"]
)
async def test_a_host_that_is_none_is_a_mistake_that_repeats_no_secret(host: str) -> None:
    with pytest.raises(Mistake, match="base URL") as raised:
        await Directory(environment={"OLLAMA_HOST": host}).connect("ollama/m").check()
    assert "secret" not in str(raised.value)


# What may be sent where


OUTSIDE = {"openai": "http://collect.example/v1", **dict.fromkeys(OF_OPENAI_SHAPE, "http://10.0.0.7:9/v1")}
OUTSIDE["ollama"] = "10.0.0.7:9"
SEPARATE = pytest.mark.parametrize("provider", ["openai", "anthropic", *OF_OPENAI_SHAPE])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of somebody else's, in which the user works with a key of their own."""
    monkeypatch.chdir(tmp_path)
    for hosted in HOSTED.values():
        monkeypatch.delenv(hosted.place, raising=False)
        monkeypatch.setenv(hosted.key, KEY)
    return tmp_path


@SEPARATE
def test_a_place_that_only_env_names_gets_no_key_from_outside_of_it(
    provider: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosted, place = HOSTED[provider], OUTSIDE.get(provider, "http://collect.example")
    (folder / ".env").write_text(f"{hosted.place}={place}\n")
    with pytest.raises(Mistake) as raised:
        directory_of(None).connect(f"{provider}/m")
    host = "10.0.0.7:9" if "10.0.0.7" in place else "collect.example"
    assert str(raised.value) == (
        f"{hosted.place} in .env names {host}, and {hosted.key} is set outside of it: put the key into .env as well, "
        "or set the place in the environment"
    )
    monkeypatch.delenv(hosted.key)
    assert directory_of(None).connect(f"{provider}/m").endpoint != hosted.home  # with no key to lose
    (folder / ".env").write_text(f"{hosted.place}={place}\n{hosted.key}=theirs\n")
    assert directory_of(None)._endpoint(f"{provider}/m", Entry(f"{provider}/m")).key == "theirs"
    monkeypatch.setenv(hosted.key, KEY)
    monkeypatch.setenv(hosted.place, place)
    assert directory_of(None)._endpoint(f"{provider}/m", Entry(f"{provider}/m")).key == KEY


def test_a_key_that_an_entry_names_is_not_lent_to_a_place_of_env_either(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    (folder / ".env").write_text("GROQ_BASE_URL=http://collect.example/v1\n")
    (folder / "models.toml").write_text('[models.mine]\nmodel = "groq/m"\nkey = "MY_KEY"\n')
    with pytest.raises(
        Mistake, match=r"GROQ_BASE_URL in \.env names collect\.example, and MY_KEY is set outside"
    ):
        directory_of(None).connect("mine")


def test_what_the_user_typed_and_what_is_here_may_have_the_key(folder: Path) -> None:
    (folder / ".env").write_text(
        "OPENAI_BASE_URL=http://collect.example/v1\nGROQ_BASE_URL=http://127.0.0.1:9/v1\n"
        "MISTRAL_BASE_URL=https://api.mistral.ai/v2\n"
    )
    typed = directory_of(None, "http://typed.example/v1")
    for model in ("openai/m", "groq/m", "mistral/m"):
        assert typed._endpoint(model, Entry(model)).key == KEY


@SEPARATE
def test_an_entry_at_a_foreign_place_says_which_key_goes_there(provider: str) -> None:
    hosted = HOSTED[provider]

    def key_at(place: str, key: str = "", **others: str) -> str:
        entry = Entry(f"{provider}/m", base_url=place, key=key)
        return Directory({"mine": entry}, environment=others)._endpoint("mine", entry).key

    there = {hosted.key: KEY}
    with pytest.raises(Mistake) as raised:
        key_at("https://gateway.example/v1", **there)
    assert str(raised.value) == (
        f"mine is at gateway.example by models.toml, and {hosted.key} is the key of {hosted.title}: say which key may "
        'be sent there, as in key = "VARIABLE"'
    )
    assert key_at("https://gateway.example/v1", hosted.key, **there) == KEY
    assert key_at("https://gateway.example/v1") == ""  # with nothing to lose
    assert key_at("http://127.0.0.1:9/v1", **there) == key_at(hosted.home + "/", **there) == KEY


def test_no_call_is_made_to_a_place_that_may_not_have_the_key(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / ".env").write_text("OPENROUTER_BASE_URL=http://collect.example/v1\n")
    words = ("run", "role_play", "--limit", "1", "--turns", "1", "--model", "openrouter/a")
    words += ("--model-role", "interrogator=openrouter/a", "--model-role", "judge=openrouter/a")
    assert main(words) == 2
    said = capsys.readouterr().err
    assert "OPENROUTER_BASE_URL in .env names collect.example, and OPENROUTER_API_KEY is set outside" in said
    assert len(said.splitlines()) == 1
    assert KEY not in said
    assert [path.name for path in folder.iterdir()] == [".env"]


# What is particular


async def test_deepseek_is_asked_for_no_schema_unless_the_user_says_so() -> None:
    assert "response_format" not in await asked_of("deepseek", SHAPED)
    assert "response_format" in await asked_of("deepseek", SHAPED, Entry(f"deepseek/{NAME}", schemas=True))
    assert "response_format" in await asked_of("openrouter", SHAPED)
    assert "response_format" not in await asked_of("groq", SHAPED, Entry(f"groq/{NAME}", schemas=False))


async def test_gemini_is_not_sent_the_penalty_that_it_refuses() -> None:
    drawn = replace(REQUEST, sampling=Sampling(temperature=0.5, frequency_penalty=0.3))
    assert "frequency_penalty" not in await asked_of("gemini", drawn)
    assert (await asked_of("mistral", drawn))["frequency_penalty"] == 0.3
    model = Directory(environment={}).connect("gemini/m")
    assert model.ignores == {"frequency_penalty"}  # by which a run refuses it where a user asks for it


@pytest.mark.parametrize("provider", OF_OPENAI_SHAPE)
async def test_an_endpoint_that_refuses_a_schema_is_asked_without_one(provider: str) -> None:
    error = {"code": 400, "message": "This model does not support response format `json_schema`"}
    body = json.dumps([{"error": error}] if provider == "gemini" else {"error": error}).encode()
    refuse = Fault("raw", 400, body=body)
    async with Loopback(lambda asked: refuse if asked.schema is not None else "{}") as url:
        entries = {"mine": Entry(f"{provider}/m", schemas=True)}
        model = Directory(entries, environment=environment(provider, url)).connect("mine")
        with pytest.raises(CallFailed) as raised:
            await model.reply(SHAPED)
        assert (raised.value.cause, "does not support" in raised.value.detail) == ("unsupported", True)
        assert (await model.reply(SHAPED)).text == "{}"
        await model.close()


# Price and weights


@pytest.mark.parametrize(
    ("model", "settings", "price"),
    [
        *((f"{provider}/gpt-4o", {}, None) for provider in KEYED),
        *((f"{provider}/m", {}, FREE) for provider in HERE),
        ("ollama/gpt-oss:120b-cloud", {}, None),
        ("ollama/kimi-k2:cloud", {}, None),
        ("ollama/kimi-k2:Cloud", {}, None),
        ("ollama/m", {"OLLAMA_HOST": "gpu.lan"}, None),
        ("ollama/m", {"OLLAMA_HOST": "0.0.0.0"}, FREE),
        ("ollama/m", {"OLLAMA_HOST": "::1"}, FREE),
        ("vllm/m", {"VLLM_BASE_URL": "http://localhost:8001/v1"}, FREE),
        ("vllm/m", {"VLLM_BASE_URL": "http://[::1]:8001/v1"}, FREE),
        ("vllm/m", {"VLLM_BASE_URL": "https://vllm.example/v1"}, None),
        ("groq/m", {"GROQ_BASE_URL": "http://127.0.0.1:1/v1"}, None),
        ("openai/m", {"OPENAI_BASE_URL": "http://127.0.0.1:11434/v1"}, None),
    ],
)
def test_only_servers_on_this_machine_take_no_money(
    model: str, settings: dict[str, str], price: Price | None
) -> None:
    directory = Directory(environment=settings)
    assert directory.price_of(model) == directory.connect(model).price == price
    own = Price(1.0, 2.0)
    assert Directory(prices={model: own}, environment=settings).price_of(model) == own


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("openrouter/openai/gpt-4o", None),
        ("together/meta-llama/llama-3", None),
        ("mistral/mistral-large", None),
        ("deepseek/deepseek-chat", None),
        ("ollama/llama3.2", None),
        ("gemini/gemini-2.5-pro", False),
        ("gemini/gemma-3-27b-it", None),
    ],
)
def test_weights_are_open_or_closed_only_where_that_is_known(model: str, known: bool | None) -> None:
    assert Directory(environment={}).open_weights(model) is known


@pytest.mark.parametrize(
    ("place", "here"),
    [
        ("http://127.0.0.1:1/v1", True),
        ("http://127.8.8.8/v1", True),
        ("http://localhost/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://localhost.example/v1", False),
        ("http://10.0.0.1/v1", False),
        ("http://127.0.0.1.example/v1", False),
        ("http://[/v1", False),
        ("", False),
    ],
)
def test_this_machine_is_known_by_its_address(place: str, here: bool) -> None:
    assert is_on_this_machine(place) is here


# Mistakes


@pytest.mark.parametrize(
    ("wrong", "near"),
    [("openroute/x", "openrouter"), ("olama/x", "ollama"), ("lm_studio/x", "lmstudio"), ("grok/x", "groq")],
)
def test_a_wrong_provider_comes_with_the_nearest(wrong: str, near: str) -> None:
    with pytest.raises(Mistake, match=f"{wrong!r} is no model; did you mean '{near}/NAME'"):
        Directory(environment={}).check(wrong)


def test_every_provider_needs_a_name_after_it() -> None:
    for provider in PROVIDERS:
        with pytest.raises(Mistake, match="is no model"):
            Directory(environment={}).check(f"{provider}/")
        Directory(environment={}).check(f"{provider}/a/b")


@pytest.mark.parametrize("provider", OF_OPENAI_SHAPE)
def test_fine_tuning_is_openai_s_alone(provider: str) -> None:
    with pytest.raises(Mistake, match=f"{provider}/m has no fine-tuning API"):
        Directory(environment={}).fine_tuning(f"{provider}/m")


# Runs


def test_what_travels_to_workers_is_what_their_models_need() -> None:
    every = {variable: "x" for hosted in HOSTED.values() for variable in (hosted.place, hosted.key)}
    directory = Directory({"mine": Entry("groq/m")}, environment={**every, "HOME": "/x"})
    there = carried(directory, ["mine", "ollama/m", "local/smollm2"])["environment"]
    assert set(there) == {"GROQ_BASE_URL", "GROQ_API_KEY", "OLLAMA_HOST", "OLLAMA_API_KEY"}


def test_a_run_over_three_providers_keeps_their_keys_out_of_its_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    typist = Typist(tmp_path / "interplay.db", capsys)
    loopback = Loopback(answer, keys=frozenset({KEY}))
    with serving(loopback) as url:
        for provider in ("openrouter", "groq", "vllm"):
            for variable, value in environment(provider, url).items():
                monkeypatch.setenv(variable, value)
        words = ("run", "role_play", "--limit", "1", "--turns", "1", "--model", "openrouter/some/player")
        words += ("--model-role", "interrogator=vllm/user", "--model-role", "judge=groq/judge-1")
        board = typist.reads(*words)
    assert loopback.calls_by_model() == {"user": 1, "some/player": 1, "judge-1": 1}
    row = board["rows"][0]
    assert (row["model"], row["n"], row["cost"], row["open"]) == ("openrouter/some/player", 1, None, "")
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert_hidden(path.read_bytes())
