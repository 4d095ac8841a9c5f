"""models.toml: what it may say, and every mistake in it by its file, its entry and what would be right."""

from pathlib import Path

import pytest

from interplay.core.failures import Mistake
from interplay.models.entries import Entries, Entry, mapping_of, read_entries
from interplay.models.prices import Price

A = "[models.a]\nmodel = 'openai/m'\n"
BOT = "[models.a]\nmodel = 'http'\nurl = 'http://127.0.0.1:1/'\n"


def toml(folder: Path, text: str) -> Path:
    path = folder / "models.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_entries_are_read_whole(tmp_path: Path) -> None:
    path = toml(
        tmp_path,
        """
        [models.small]
        model = "openai/qwen"
        base_url = "http://127.0.0.1:8000/v1"
        key = "QWEN_KEY"
        system_role = false
        schemas = false
        max_connections = 4
        timeout = 90
        open_weights = true
        price = { input = 1, output = 2.5, cached = 0.5 }
        sampling = { temperature = 0.9, max_tokens = 300 }

        [models."with space"]
        model = "local/smollm2"

        [models.bot]
        model = "http"
        url = "http://127.0.0.1:5005/chat"
        reply = "0.text"
        [models.bot.request]
        sender = "{{session}}"
        message = "{{text}}"
        metadata = { turns = 3, nested = [true, "{{model}}"] }
        [models.bot.headers]
        X-Channel = "test"

        [prices."openai/gpt-4o"]
        input = 2
        output = 8
        """,
    )
    bot = Entry(
        "http",
        url="http://127.0.0.1:5005/chat",
        reply="0.text",
        request={
            "sender": "{{session}}",
            "message": "{{text}}",
            "metadata": {"turns": 3, "nested": [True, "{{model}}"]},
        },
        headers={"X-Channel": "test"},
    )
    small = Entry(
        "openai/qwen",
        "http://127.0.0.1:8000/v1",
        "QWEN_KEY",
        system_role=False,
        schemas=False,
        max_connections=4,
        timeout=90,
        open_weights=True,
        price=Price(1.0, 2.5, 0.5),
        sampling={"temperature": 0.9, "max_tokens": 300},
    )
    assert read_entries(path) == Entries(
        models={"small": small, "with space": Entry("local/smollm2"), "bot": bot},
        prices={"openai/gpt-4o": Price(2.0, 8.0)},
    )


def test_an_empty_file_names_no_models(tmp_path: Path) -> None:
    assert read_entries(toml(tmp_path, "")) == Entries({}, {})


@pytest.mark.parametrize(
    "text, words",
    [
        ("[model.a]\nmodel = 'openai/m'", "did you mean 'models'"),
        ("[price.a]\ninput = 1\noutput = 1", "did you mean 'prices'"),
        ("[models.a]\nmodl = 'openai/m'", "lacks model"),
        ("models.a = 'openai/m'", "lacks model"),
        ("models = 3", r"written as \[models.NAME\]"),
        ("models = []", r"written as \[models.NAME\]"),
        ("[[models]]\nmodel = 'openai/m'", r"written as \[models.NAME\]"),
        ("prices = 3", r"written as \[prices.NAME\]"),
        (A + "base_ur = 'x'", "did you mean 'base_url'"),
        (A + "api_key = 'sk-1'", "did you mean 'key'|there is"),
        ("[models.a]\nmodel = 3", "model must be str, not int"),
        (A + "base_url = 3", "base_url must be str"),
        (A + "key = ['K']", "key must be str"),
        (A + "max_connections = '4'", "max_connections must be int"),
        (A + "max_connections = true", "max_connections must be int"),
        (A + "max_connections = 1.5", "max_connections must be int"),
        (A + "max_connections = -3", "max_connections must be a number from 0, not -3"),
        (A + "schemas = 1", "schemas must be bool"),
        (A + "system_role = 'no'", "system_role must be bool"),
        (A + "open_weights = 'yes'", "open_weights must be bool"),
        (A + "timeout = 'long'", "timeout must be float"),
        (A + "timeout = -1.0", "timeout must be a number from 0"),
        (A + "timeout = nan", "timeout must be a number from 0"),
        (A + "timeout = inf", "timeout must be a number from 0"),
        ("[models.a", "cannot be read"),
        ("[models.a]\nmodel = 'x'\nmodel = 'y'", "cannot be read"),
        # prices
        (A + "price = 3", "price needs input and output, in dollars for a million tokens"),
        (A + "price = { input = 3 }", "price needs input and output"),
        (A + "price = { input = 3, outptu = 4 }", "price needs input and output"),
        (A + "price = { input = 3, output = 4, cahced = 1 }", "did you mean 'cached'"),
        (A + "price = { input = -3, output = 4 }", "input must be dollars for a million tokens, not -3"),
        (A + "price = { input = '3', output = 4 }", "input must be dollars"),
        (A + "price = { input = true, output = 4 }", "input must be dollars"),
        (A + "price = { input = nan, output = 4 }", "input must be dollars"),
        (A + "price = { input = 1, output = inf }", "output must be dollars"),
        ("[prices.a]\ninput = 1", r"\[prices.a\] needs input and output"),
        ("[prices]\na = 1", r"\[prices.a\] needs input and output"),
        ("[prices]\ninput = 1\noutput = 2", r"\[prices.input\] needs input and output"),
        # sampling
        (A + "sampling = 0.5", "sampling must be a table, as in sampling = { temperature = 0.9 }"),
        (A + "sampling = { temprature = 0.5 }", "did you mean 'temperature'"),
        (A + "sampling = { temperature = 11 }", "temperature is a number from 0 to 10, not 11"),
        (A + "sampling = { temperature = 'hot' }", "temperature is a number from 0 to 10"),
        (A + "sampling = { temperature = true }", "temperature is a number from 0 to 10"),
        (A + "sampling = { temperature = nan }", "temperature is a number from 0 to 10"),
        (A + "sampling = { max_tokens = 0 }", "max_tokens is a number from 1 to 10,000,000"),
        (A + "sampling = { top_p = 1.5 }", "top_p is a number from 0 to 1"),
        (A + "sampling = { frequency_penalty = -3 }", "frequency_penalty is a number from -2 to 2"),
        # bots
        (BOT + "request = 'text'", "request must be a table"),
        (BOT + "headers = 'X: y'", "headers must be a table of texts"),
        (BOT + "headers = { X = 3 }", "headers must be a table of texts"),
        (BOT + "reply = 3", "reply must be str"),
        (BOT + "shape = 'raza'", "there is no shape 'raza'; did you mean 'rasa'?"),
        (BOT + "shape = ''", "there is no shape ''; there is plain, rasa"),
        (BOT + "shape = ['rasa']", "shape must be str"),
        (BOT + "url = 3", "cannot be read|url must be str"),
    ],
)
def test_every_mistake_in_models_toml_is_named(tmp_path: Path, text: str, words: str) -> None:
    path = toml(tmp_path, text)
    with pytest.raises(Mistake, match=words) as raised:
        read_entries(path)
    assert str(path) in str(raised.value)


def test_max_tokens_of_an_entry_is_a_whole_number(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="max_tokens"):
        read_entries(toml(tmp_path, A + "sampling = { max_tokens = 30.5 }"))


def test_a_file_that_cannot_be_read_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"[models.\xe9]")
    for name in ("missing", "latin", "."):
        with pytest.raises(Mistake, match="cannot be read"):
            read_entries(tmp_path / name)


def test_what_may_hold_a_secret_is_not_shown() -> None:
    bot = Entry("http", url="http://127.0.0.1:1/?token=sk-1", headers={"X-Token": "sk-2"})
    assert "sk-" not in repr(Entries({"a": bot}))


# The file of a bot


def test_the_file_of_a_bot_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "bot.toml"
    path.write_text(
        """
        url = "http://127.0.0.1:5005/chat"
        shape = "rasa"
        request = { sender = "{{session}}", message = "{{text}}", lang = "de" }
        reply = "*.text"
        key = "BOT_KEY"
        timeout = 90
        max_connections = 4
        price = { input = 1, output = 2 }

        [headers]
        X-Channel = "test"
        """
    )
    assert mapping_of(path) == Entry(
        "http",
        url="http://127.0.0.1:5005/chat",
        shape="rasa",
        request={"sender": "{{session}}", "message": "{{text}}", "lang": "de"},
        reply="*.text",
        headers={"X-Channel": "test"},
        key="BOT_KEY",
        timeout=90,
        max_connections=4,
        price=Price(1.0, 2.0),
    )
    path.write_text("url = 'http://127.0.0.1:5005/chat'")
    assert mapping_of(path) == Entry("http", url="http://127.0.0.1:5005/chat")


URL = "url = 'http://127.0.0.1:1/'\n"


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "lacks url, as in url = "),
        ("url = ''", "lacks url, as in url = "),
        ("shape = 'rasa'", "lacks url"),
        ("ulr = 'http://127.0.0.1:1/'", "has 'ulr'; did you mean 'url'?"),
        (URL + "header = { X = 'y' }", "has 'header'; did you mean 'headers'?"),
        (URL + "model = 'http'", "has 'model'; "),
        (URL + "temperature = 0.5", "has 'temperature'; "),
        ("[models.a]\nmodel = 'http'", "has 'models'; there is headers, key, max_connections, price, reply"),
        ("benchmark = 'role_play'", "has 'benchmark'; there is headers, key"),
        ("url = 3", "url must be str, not int"),
        (URL + "shape = 'rassa'", "there is no shape 'rassa'; did you mean 'rasa'?"),
        (URL + "timeout = '5'", "timeout must be float, not str"),
        (URL + "timeout = -1", "timeout must be a number from 0"),
        (URL + "key = 3", "key must be str"),
        (URL + "request = 'text'", "request must be a table"),
        (URL + "headers = { X = 3 }", "headers must be a table of texts"),
        (URL + "price = 3", "price needs input and output"),
        ("url = ", "cannot be read"),
        ("[" * 100_000, "cannot be read"),
    ],
)
def test_every_mistake_in_the_file_of_a_bot_is_one_line_that_names_it(
    tmp_path: Path, text: str, words: str
) -> None:
    path = tmp_path / "bot.toml"
    path.write_text(text)
    with pytest.raises(Mistake) as raised:
        mapping_of(path)
    assert words in str(raised.value)
    assert str(raised.value).startswith(str(path))
    assert "\n" not in str(raised.value)


def test_the_file_of_a_bot_that_cannot_be_read_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b"url = '\xe9'")
    for name in ("missing.toml", "latin.toml", "."):
        with pytest.raises(Mistake, match="cannot be read"):
            mapping_of(tmp_path / name)
