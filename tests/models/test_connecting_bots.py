"""From names to bots: shapes that are known by a URL or a name, and files of bots, named as they are typed."""

from pathlib import Path

import pytest

from interplay.core.failures import Mistake
from interplay.models.connecting import Directory
from interplay.models.entries import Entry
from interplay.models.http import BotMapping, HttpBot
from interplay.models.openai_compatible import OpenAICompatible
from interplay.models.posting import Patience
from interplay.models.prices import Price
from interplay.models.scripted import Scripted

EMPTY: dict[str, str] = {}
TABLE = Price(8.0, 8.0)
CHAT = "url = 'http://127.0.0.1:5005/chat'\n"


def bot(directory: Directory, name: str) -> BotMapping:
    model = directory.connect(name)
    assert isinstance(model, HttpBot)
    return model._mapping


def remote_name(directory: Directory, name: str) -> str:
    model = directory.connect(name)
    assert isinstance(model, OpenAICompatible)
    return model._remote_name


def written(path: str, text: str) -> str:
    Path(path).parent.mkdir(exist_ok=True, parents=True)
    Path(path).write_text(text)
    return path


def test_rasa_s_path_and_the_name_of_a_shape_are_known() -> None:
    rasa = "http://127.0.0.1:5005/webhooks/rest/webhook"
    assert bot(Directory(environment=EMPTY), rasa).sent == {"sender": "{{session}}", "message": "{{text}}"}
    entry = {"mine": Entry("http", url="http://127.0.0.1:5005/chat", shape="rasa")}
    assert (
        bot(Directory(entry, environment=EMPTY), "mine").sent == bot(Directory(environment=EMPTY), rasa).sent
    )


def test_a_bot_s_file_is_a_name_as_it_is_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = written("bots/shop.toml", CHAT + "key = 'K'\ntimeout = 7\nheaders = { X-Token = 'hidden' }\n")
    directory = Directory(timeout=5, environment={"K": "secret"})
    directory.check(name)
    assert directory.connect(name).name == "bots/shop.toml"
    assert bot(directory, name) == BotMapping(
        "http://127.0.0.1:5005/chat",
        headers={"X-Token": "hidden"},
        key="secret",
        patience=Patience(first_byte=7, total=300),
    )
    assert bot(directory, str(tmp_path / name)) == bot(directory, "./bots/shop.toml") == bot(directory, name)
    assert (directory.price_of(name), directory.open_weights(name), directory.sampling_of(name)) == (
        None,
        None,
        {},
    )
    priced = Directory(prices={name: TABLE}, environment={"K": "secret"})
    assert priced.price_of(name) == bot(priced, name).price == TABLE


def test_other_names_may_end_as_a_bot_s_file_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = Scripted("made.toml", lambda _: "x")
    directory = Directory({"mine.toml": Entry("openai/m")}, made={"made.toml": made}, environment=EMPTY)
    assert remote_name(directory, "mine.toml") == "m"
    assert directory.connect("made.toml") is made
    assert directory.open_weights("made.toml") is None
    assert remote_name(directory, "openai/odd.toml") == "odd.toml"
    assert bot(directory, "http://127.0.0.1:1/bot.toml").url == "http://127.0.0.1:1/bot.toml"
    assert directory.sampling_of("http://127.0.0.1:1/bot.toml") == {}
    assert bot(directory, written("local/bot.toml", CHAT)).url == "http://127.0.0.1:5005/chat"


@pytest.mark.parametrize(
    "text, words",
    [
        (None, "shop.toml cannot be read: no such file or directory"),
        ("", "shop.toml lacks url"),
        (CHAT + "shape = 'raza'", "shop.toml: there is no shape 'raza'; did you mean 'rasa'?"),
        (CHAT + "request = { a = '{{txt}}' }", "shop.toml: its request has {{txt}}; did you mean 'text'?"),
        (CHAT + "reply = 'a..b'", "shop.toml: its reply 'a..b' has an empty step"),
        (CHAT + "headers = { 'X Y' = 'z' }", "shop.toml: 'X Y' is no name of a header"),
    ],
)
def test_a_mistake_in_a_bot_s_file_is_found_without_connecting(
    text: str | None, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if text is not None:
        written("shop.toml", text)
    for look in (Directory(environment=EMPTY).check, Directory(environment=EMPTY).connect):
        with pytest.raises(Mistake) as raised:
            look("shop.toml")
        assert str(raised.value).startswith(words)
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "key, words", [("sk-canary-1", "never the key itself"), ("UNSET", "UNSET, which is not set")]
)
def test_the_key_of_a_bot_s_file_is_the_name_of_a_variable(
    key: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written("shop.toml", CHAT + f"key = '{key}'")
    with pytest.raises(Mistake, match=words) as raised:
        Directory(environment=EMPTY).connect("shop.toml")
    assert "sk-canary" not in str(raised.value)
