"""From names to models: what is a name, what is near one, what it costs, and where its key comes from."""

from pathlib import Path
from typing import Any

import pytest

from interplay.core.failures import Mistake
from interplay.models.anthropic import ANTHROPIC, Anthropic
from interplay.models.connecting import Directory, directory_of, environment_with
from interplay.models.entries import Entry
from interplay.models.http import BotMapping, HttpBot
from interplay.models.local import EMBEDDED_SLOTS, Local
from interplay.models.openai_compatible import OPENAI, OpenAICompatible
from interplay.models.posting import Patience
from interplay.models.prices import FREE, Price, list_price
from interplay.models.scripted import Scripted

EMPTY: dict[str, str] = {}


def openai(directory: Directory, name: str) -> OpenAICompatible:
    model = directory.connect(name)
    assert isinstance(model, OpenAICompatible)
    return model


def test_a_plain_name_is_at_openai() -> None:
    model = openai(Directory(environment={"OPENAI_API_KEY": "k"}), "openai/gpt-4o")
    assert (model.name, model.endpoint, model._remote_name) == ("openai/gpt-4o", OPENAI, "gpt-4o")
    assert model._at.key == "k"
    assert model._at.patience == Patience()


def test_a_name_may_have_slashes_of_its_own() -> None:
    model = openai(Directory(base_url="http://127.0.0.1:1/v1/", environment=EMPTY), "openai/meta/llama-3")
    assert (model._remote_name, model.endpoint) == ("meta/llama-3", "http://127.0.0.1:1/v1")


def test_the_nearest_base_url_counts() -> None:
    environment = {"OPENAI_BASE_URL": "http://environment/v1"}
    entries = {"mine": Entry("openai/m", base_url="http://entry/v1"), "other": Entry("openai/m")}
    assert openai(Directory(environment=environment), "openai/m").endpoint == "http://environment/v1"
    named = Directory(entries, base_url="http://flag/v1", environment=environment)
    assert openai(named, "openai/m").endpoint == "http://flag/v1"
    assert openai(named, "other").endpoint == "http://flag/v1"
    assert openai(named, "mine").endpoint == "http://entry/v1"


def test_a_timeout_is_how_long_an_answer_may_take_to_begin() -> None:
    entries = {"mine": Entry("openai/m", timeout=900)}
    directory = Directory(entries, timeout=5, environment=EMPTY)
    assert openai(directory, "openai/m")._at.patience == Patience(first_byte=5, total=300)
    assert openai(directory, "mine")._at.patience == Patience(first_byte=900, total=900)


async def test_the_embedded_model_is_not_loaded_by_being_named() -> None:
    model = Directory(environment=EMPTY).connect("local/smollm2")
    assert isinstance(model, Local)
    assert (model.endpoint, model.most_connections) == ("local/smollm2", EMBEDDED_SLOTS)
    await model.close()


async def test_a_local_file_must_be_there_and_be_gguf(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="there is no GGUF file"):
        await Directory().connect(f"local/{tmp_path / 'no.gguf'}").check()
    file = tmp_path / "bad.gguf"
    file.write_bytes(b"no gguf")
    with pytest.raises(Mistake, match="is not a GGUF file"):
        await Directory().connect(f"local/{file}").check()


def test_models_made_in_python_go_first() -> None:
    bot = Scripted("openai/m", lambda _: "x")
    assert Directory(made={"openai/m": bot}).connect("openai/m") is bot


@pytest.mark.parametrize(
    "name, near",
    [
        ("opnai/x", "openai/NAME"),
        ("locl/x", "local/NAME"),
        ("openai/", "openai/NAME"),
        ("openai", "openai/NAME"),
        ("my-modl", "my-model"),
        ("antropic/claude", "anthropic/NAME"),
        ("pyton/bot.py:answer", "python/NAME"),
        ("http", "there is anthropic/NAME, "),
        ("ftp://host/bot", "there is anthropic/NAME, "),
        ("", "openai/NAME"),
    ],
)
def test_a_wrong_name_comes_with_what_would_be_right(name: str, near: str) -> None:
    directory = Directory({"my-model": Entry("openai/m")}, environment=EMPTY)
    for look in (directory.check, directory.connect):
        with pytest.raises(Mistake, match="is no model") as raised:
            look(name)
        assert near in str(raised.value)


def test_an_entry_for_no_model_is_not_suggested_for_itself() -> None:
    with pytest.raises(Mistake) as raised:
        Directory({"mine": Entry("opnai/m")}, environment=EMPTY).check("mine")
    assert "did you mean 'mine'" not in str(raised.value)


def test_a_key_comes_from_the_variable_that_the_entry_names() -> None:
    entries = {"mine": Entry("openai/m", key="MY_KEY")}
    both = {"MY_KEY": "secret", "OPENAI_API_KEY": "other"}
    assert openai(Directory(entries, environment=both), "mine")._at.key == "secret"
    for environment in ({"OPENAI_API_KEY": "other"}, {"MY_KEY": ""}):
        with pytest.raises(Mistake, match="takes its key from MY_KEY, which is not set"):
            Directory(entries, environment=environment).connect("mine")


# Anthropic, bots, functions


def test_an_anthropic_name_is_at_anthropic_and_a_base_url_is_for_openai_alone() -> None:
    directory = Directory(base_url="http://flag/v1", environment={"ANTHROPIC_API_KEY": "k"})
    model = directory.connect("anthropic/claude-x")
    assert isinstance(model, Anthropic)
    assert model.endpoint == ANTHROPIC
    elsewhere = Directory(environment={"ANTHROPIC_BASE_URL": "http://environment/"})
    assert elsewhere.connect("anthropic/claude-x").endpoint == "http://environment"
    entry = {"mine": Entry("anthropic/claude-x", base_url="http://entry")}
    assert Directory(entry, environment=EMPTY).connect("mine").endpoint == "http://entry"


def bot(directory: Directory, name: str) -> BotMapping:
    model = directory.connect(name)
    assert isinstance(model, HttpBot)
    return model._mapping


def test_a_bot_is_named_by_its_url_or_by_an_entry() -> None:
    url = "http://127.0.0.1:5005/chat"
    assert bot(Directory(environment=EMPTY), url) == BotMapping(url)
    entry = Entry(
        "http",
        url=url,
        key="BOT_KEY",
        request={"say": "{{text}}"},
        reply="0.say",
        headers={"X-Channel": "test"},
        max_connections=3,
        timeout=7,
        price=Price(1.0, 2.0),
    )
    directory = Directory({"mine": entry}, timeout=5, environment={"BOT_KEY": "secret"})
    assert bot(directory, "mine") == BotMapping(
        url=url,
        request={"say": "{{text}}"},
        reply="0.say",
        headers={"X-Channel": "test"},
        key="secret",
        patience=Patience(first_byte=7, total=300),
        price=Price(1.0, 2.0),
        most_connections=3,
    )


@pytest.mark.parametrize("url", ["http://host/bot?token=abc", "https://user:pass@host/bot", "http://host/?"])
def test_a_url_that_may_hold_a_secret_is_no_name(url: str) -> None:
    with pytest.raises(Mistake, match="may hold a secret") as raised:
        Directory(environment=EMPTY).connect(url)
    assert "[models.NAME]" in str(raised.value)
    assert "abc" not in str(raised.value)
    assert "pass@" not in str(raised.value)
    entry = {"mine": Entry("http", url=url)}
    if "@" not in url:  # as an entry it is fine: the record has the entry's name
        assert bot(Directory(entry, environment=EMPTY), "mine").url == url


def test_a_bot_s_entry_without_a_url_is_a_mistake() -> None:
    with pytest.raises(Mistake, match=r"\[models.mine\] lacks url"):
        Directory({"mine": Entry("http")}, environment=EMPTY).check("mine")


def test_a_bot_s_entry_that_nobody_could_be_heard_by_is_a_mistake() -> None:
    entry = {"mine": Entry("http", url="http://127.0.0.1:1/", request={"x": "{{txt}}"})}
    for look in (Directory(entry, environment=EMPTY).check, Directory(entry, environment=EMPTY).connect):
        with pytest.raises(Mistake, match="did you mean 'text'"):
            look("mine")


def test_a_function_in_a_file_may_have_an_entry_too(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text("def answer(messages):\n    return 'x'\n")
    directory = Directory({"mine": Entry(f"python/{file}:answer")}, environment=EMPTY)
    assert directory.connect("mine").name == "mine"
    assert directory.connect(f"python/{file}:answer").name == f"python/{file}:answer"


# Prices


ENTRY, TABLE, LIST = Price(9.0, 9.0), Price(8.0, 8.0), list_price("openai/gpt-4o")


@pytest.mark.parametrize(
    "entry, prices, settings, expected",
    [
        (Entry("openai/gpt-4o", price=ENTRY), {"mine": TABLE, "openai/gpt-4o": TABLE}, {}, ENTRY),
        (Entry("openai/gpt-4o"), {"mine": TABLE}, {}, TABLE),
        (Entry("openai/gpt-4o"), {"openai/gpt-4o": TABLE}, {}, TABLE),
        (Entry("openai/gpt-4o"), {"mine": TABLE, "openai/gpt-4o": ENTRY}, {}, TABLE),
        (Entry("openai/gpt-4o"), {"openai/other": TABLE}, {}, LIST),
        (Entry("openai/gpt-4o"), {}, {}, LIST),
        (Entry("openai/gpt-4o"), {}, {"base_url": "http://127.0.0.1:1/v1"}, None),
        (Entry("openai/gpt-4o"), {}, {"environment": {"OPENAI_BASE_URL": "http://h/v1"}}, None),
        (Entry("openai/gpt-4o", base_url="http://127.0.0.1:1/v1"), {}, {}, None),
        (Entry("openai/gpt-4o", base_url=OPENAI + "/"), {}, {"base_url": "http://h/v1"}, LIST),
        (Entry("openai/gpt-4o"), {"mine": TABLE}, {"base_url": "http://127.0.0.1:1/v1"}, TABLE),
        (Entry("openai/no-such-model"), {}, {}, None),
        (Entry("openai/no-such-model"), {"mine": FREE}, {}, FREE),
        (Entry("openai/no-such-model", price=FREE), {"mine": TABLE}, {}, FREE),
        (Entry("local/smollm2"), {}, {}, FREE),
        (Entry("local/smollm2"), {"mine": TABLE}, {}, TABLE),
        (Entry("python/bot.py:answer"), {}, {}, FREE),
        (Entry("http", url="http://127.0.0.1:1/"), {}, {}, None),
        (Entry("http", url="http://127.0.0.1:1/", price=ENTRY), {}, {}, ENTRY),
    ],
)
def test_the_user_s_price_goes_before_the_list_which_holds_at_the_provider_alone(
    entry: Entry, prices: dict[str, Price], settings: dict[str, Any], expected: Price | None
) -> None:
    settings = {"environment": EMPTY, **settings}
    assert LIST is not None
    assert Directory({"mine": entry}, prices, **settings).price_of("mine") == expected


def test_a_plain_name_has_its_price_too_and_the_model_gets_it() -> None:
    directory = Directory(prices={"openai/x": TABLE}, environment=EMPTY)
    assert directory.price_of("openai/x") == openai(directory, "openai/x").price == TABLE
    assert directory.price_of("openai/gpt-4o") == openai(directory, "openai/gpt-4o").price == LIST
    sonnet = "anthropic/claude-3-5-sonnet-20240620"
    assert directory.price_of(sonnet) == directory.connect(sonnet).price == list_price(sonnet)
    made = Scripted("openai/x", lambda _: "x")
    assert Directory(prices={"openai/x": TABLE}, made={"openai/x": made}).price_of("openai/x") == FREE


def test_a_bot_named_by_its_url_costs_what_the_table_of_prices_says() -> None:
    url = "http://127.0.0.1:5005/chat"
    assert Directory(environment=EMPTY).price_of(url) is None
    directory = Directory(prices={url: TABLE}, environment=EMPTY)
    assert directory.price_of(url) == bot(directory, url).price == TABLE


# Weights, sampling


@pytest.mark.parametrize(
    "entry, settings, expected",
    [
        (Entry("openai/gpt-4o"), {}, False),
        (Entry("openai/gpt-oss-120b"), {}, None),
        (Entry("anthropic/claude-x"), {}, False),
        (Entry("openai/gpt-4o"), {"base_url": "http://127.0.0.1:1/v1"}, None),
        (Entry("openai/llama", open_weights=True), {"base_url": "http://127.0.0.1:1/v1"}, True),
        (Entry("openai/gpt-4o", open_weights=True), {}, True),
        (Entry("local/smollm2"), {}, True),
        (Entry("local/smollm2", open_weights=False), {}, False),
        (Entry("http", url="http://127.0.0.1:1/"), {}, None),
        (Entry("python/bot.py:answer"), {}, None),
    ],
)
def test_whether_weights_are_open_is_known_or_unknown_and_never_guessed(
    entry: Entry, settings: dict[str, Any], expected: bool | None
) -> None:
    assert Directory({"mine": entry}, environment=EMPTY, **settings).open_weights("mine") is expected


def test_sampling_of_an_entry_is_its_model_s_own() -> None:
    directory = Directory({"mine": Entry("openai/m", sampling={"temperature": 0.2})}, environment=EMPTY)
    assert directory.sampling_of("mine") == {"temperature": 0.2}
    assert directory.sampling_of("openai/m") == {}


# Keys of .env


def test_keys_come_from_env_and_the_environment_goes_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OTHER_KEY", "from outside")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    Path(".env").write_text(
        "# keys\nOPENAI_API_KEY='sk-from-file'\nexport OTHER_KEY=from-file\nEMPTY\nLITERAL=a${HOME}b\n"
    )
    environment = directory_of(None).environment
    assert environment["OPENAI_API_KEY"] == "sk-from-file"
    assert environment["OTHER_KEY"] == "from outside"
    assert environment["LITERAL"] == "a${HOME}b"
    assert "EMPTY" not in environment
    assert openai(directory_of(None), "openai/gpt-4o")._at.key == "sk-from-file"
    assert "sk-from-file" not in repr(directory_of(None))


def test_a_place_may_come_from_env_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    Path(".env").write_text("OPENAI_BASE_URL=http://127.0.0.1:1/v1\n")
    assert openai(directory_of(None), "openai/m").endpoint == "http://127.0.0.1:1/v1"
    assert directory_of(None).price_of("openai/gpt-4o") is None


def test_only_the_env_of_the_working_folder_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text("ABOVE_KEY=above\n")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert "ABOVE_KEY" not in directory_of(None).environment


def test_a_broken_env_is_a_mistake_and_a_folder_of_that_name_is_none(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"KEY=caf\xe9\n")
    with pytest.raises(Mistake, match="cannot be read") as raised:
        environment_with(tmp_path / "latin")
    assert str(tmp_path / "latin") in str(raised.value)
    assert "KEY" not in environment_with(tmp_path)


def test_a_models_file_is_used_where_there_is_one_or_where_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert directory_of(None).entries == {}
    with pytest.raises(Mistake, match=r"no\.toml cannot be read"):
        directory_of(Path("no.toml"))
    Path("models.toml").write_text("[models.a]\nmodel = 'openai/a'\n[prices.b]\ninput = 1\noutput = 2\n")
    found = directory_of(None, "http://h/v1", 9.0)
    assert (found.entries, found.prices) == ({"a": Entry("openai/a")}, {"b": Price(1.0, 2.0)})
    assert (found.base_url, found.timeout) == ("http://h/v1", 9.0)
    Path("other.toml").write_text("")
    assert directory_of(Path("other.toml")).entries == {}
