"""Whole runs against a bot in Rasa's REST shape: a session for each take, and nothing of its secrets in the record."""

from pathlib import Path

import pytest

from interplay.models.loopback import Loopback, serving
from interplay.store.records import Records
from tests.cli.provider import Typist
from tests.faults.rasa_bot import GARBAGE, Bot, Trouble, at, broken, busy, cut, reset, serving_rasa, slow
from tests.models.asking import KEY
from tests.running.job import answer as others

SECRET = "hdr-canary-41c7-9b"
TURNS = 4  # of a role-play


def run_line(url: str, model: str, *more: str) -> list[str]:
    cast = ["--model-role", "interrogator=openai/user", "--model-role", "judge=openai/judge-1"]
    return ["run", "role_play", "--model", model, *cast, "--base-url", url, "--limit", "1", *more]


def bot_file(folder: Path, url: str, *more: str) -> Path:
    path = folder / "shop.toml"
    path.write_text("\n".join([f'url = "{url}"', *more]) + "\n", encoding="utf-8")
    return path


TAKES = {
    "500": ({3: broken()}, 60, [3, TURNS]),
    "garbage": ({2: GARBAGE["an object"]}, 60, [2, TURNS]),
    "cut and reset": ({1: cut(), 4: reset()}, 60, [1, 3, TURNS]),
    "too slow": ({2: slow(60)}, 1, [2, TURNS]),
    "busy": ({2: busy("0")}, 60, [TURNS + 1]),
    "slow": ({2: slow(0.1)}, 60, [TURNS]),
}


@pytest.mark.parametrize("places, timeout, said", TAKES.values(), ids=TAKES)
def test_a_dialogue_that_begins_again_has_another_session(
    places: dict[int, Trouble],
    timeout: float,
    said: list[int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    bot, typist = Bot(plan=at(places)), Typist(tmp_path / "interplay.db", capsys)
    with serving_rasa(bot) as there, serving(Loopback(others)) as url:
        name = str(bot_file(tmp_path, there, f"timeout = {timeout}"))
        board = typist.reads(*run_line(url, name))
        typist.types(*run_line(url, name))  # all is done, and nothing more is said to the bot
    assert list(bot.heard_from().values()) == said
    assert bot.senders[bot.ledger[-1].sender].count == TURNS
    assert (board["rows"][0]["model"], board["rows"][0]["void"]) == (name, 0.0)


def test_a_bot_that_stays_broken_is_void_by_name_and_tried_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = Bot(plan=at(dict.fromkeys((1, 2, 3), broken())))
    typist = Typist(tmp_path / "interplay.db", capsys)
    with serving_rasa(bot) as there, serving(Loopback(others)) as url:
        typist.types(*run_line(url, there), code=1)
        assert list(bot.heard_from().values()) == [1, 1, 1]
        assert "Void by name: provider 1." in typist.reads("show", "last")["notes"]
        typist.types(*run_line(url, there))
    assert list(bot.heard_from().values()) == [1, 1, 1, TURNS]


def test_a_record_has_the_path_of_a_bot_s_file_and_none_of_its_secrets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOT_KEY", KEY)
    monkeypatch.chdir(tmp_path)
    bot = Bot(lambda sender, text: f"{sender.count}: you sent {KEY} and {SECRET}.")
    typist = Typist(tmp_path / "interplay.db", capsys)
    with serving_rasa(bot) as there, serving(Loopback(others)) as url:
        bot_file(
            tmp_path,
            there + "?token=" + SECRET[::-1],
            'key = "BOT_KEY"',
            f'headers = {{ X-Token = "{SECRET}" }}',
        )
        out = typist.types(*run_line(url, "shop.toml", "--json"))
        shown = typist.types("show", "last", "--conversation", "1")
    assert list(bot.heard_from().values()) == [TURNS]
    assert bot.ledger[0].headers["Authorization"] == f"Bearer {KEY}"
    assert "you sent [key] and [key]" in shown
    with Records(typist.store) as records:
        assert records.find("last").identity["models"] == ["shop.toml"]
    files = [path.read_bytes() for path in tmp_path.iterdir() if path.is_file() and path.name != "shop.toml"]
    for found in [out.encode(), shown.encode(), typist.said.encode(), *files]:
        for secret in (KEY, SECRET, SECRET[::-1], "X-Token"):
            assert secret.encode() not in found


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "shop.toml lacks url, as in url = "),
        ("ulr = 'http://127.0.0.1:1/'", "shop.toml has 'ulr'; did you mean 'url'?"),
        ("url = 'http://127.0.0.1:1/'\nshape = 'raza'", "there is no shape 'raza'; did you mean 'rasa'?"),
        ("url = 'http://127.0.0.1:1/'\nrequest = { a = '{{txt}}' }", "did you mean 'text'?"),
    ],
)
def test_a_mistake_in_a_bot_s_file_is_one_line_and_nothing_is_written(
    text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.toml").write_text(text)
    typist = Typist(tmp_path / "interplay.db", capsys)
    assert words in typist.mistakes(*run_line("http://127.0.0.1:1/v1", "shop.toml"))
