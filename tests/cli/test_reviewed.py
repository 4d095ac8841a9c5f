"""Slips that a careful reader found, each with the command that showed it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from interplay.models.loopback import Asked, Fault, Loopback, Said, rehearse, serving
from tests.cli.provider import Typist

CAST = ("--model-role", "interrogator=openai/user", "--model-role", "judge=openai/judge")
PLAYER = ("--model", "openai/player")


@pytest.fixture
def typist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Typist:
    return Typist(tmp_path / "interplay.db", capsys)


def role_play(url: str, *more: str, model: tuple[str, ...] = PLAYER) -> list[str]:
    return ["run", "role_play", "--base-url", url, *model, *CAST, *more]


def test_a_plan_has_tokens_for_every_role_that_makes_calls(typist: Typist) -> None:
    for version in ("v1", "v2"):
        plan = typist.reads(*role_play("http://127.0.0.1:9/v1", "--version", version, "--plan"))
        assert len(plan["shares"]) == 3
        for share in plan["shares"]:
            least, most = share["tokens"]
            assert (0 < least < most) == (share["calls"][1] > 0), share


def test_an_empty_name_is_nobodys(typist: Typist) -> None:
    with serving(Loopback(rehearse)) as url:
        typist.types(*role_play(url, "--limit", "1"))
    for words in (["runs", "delete", "", "--yes"], ["show", ""], ["export", " ", "x.json"]):
        assert "not by nothing" in typist.mistakes(*words)
    assert len(typist.reads("runs")) == 1


def test_a_bot_of_a_price_takes_no_budget_in_money_or_tokens_but_one_in_calls(
    typist: Typist, tmp_path: Path
) -> None:
    loopback = Loopback(rehearse)
    with serving(loopback) as url:
        models = tmp_path / "models.toml"
        bot = f'[models.bot]\nmodel = "http"\nurl = "{url.removesuffix("/v1")}/bot"\n'
        free = "".join(f'[prices."openai/{n}"]\ninput = 0\noutput = 0\n' for n in ("user", "judge"))
        models.write_text(bot + "price = { input = 0, output = 100 }\n" + free)
        words = role_play(url, "--models", str(models), "--limit", "1", model=("--model", "bot"))
        for budget in (("--budget", "1"), ("--budget-tokens", "100000")):
            assert "--budget-calls can" in typist.mistakes(*words, *budget)
        assert (loopback.calls, typist.store.exists()) == (0, False)
        typist.types(*words, "--budget-calls", "100")
        models.write_text(bot + "price = { input = 0, output = 0 }\n" + free)
        typist.types(*words, "--budget", "1")


def test_a_bot_that_remembers_is_no_judge(typist: Typist, tmp_path: Path) -> None:
    loopback = Loopback(rehearse)
    with serving(loopback) as url:
        bot = f"{url.removesuffix('/v1')}/bot"
        words = ["run", "role_play", "--base-url", url, *PLAYER, *CAST[:2], "--model-role", f"judge={bot}"]
        assert "cannot judge" in typist.mistakes(*words)
    assert loopback.calls == 0


def test_conversations_that_use_the_same_end_each_on_its_own(typist: Typist, tmp_path: Path) -> None:
    """Two meters of equal content are two meters."""
    bots = tmp_path / "bots.py"
    bots.write_text(
        "def player(messages):\n"
        "    if len(messages) > 2:\n        raise ValueError('enough')\n    return 'Hello.'\n"
    )
    with serving(Loopback(rehearse)) as url:
        words = role_play(url, "--limit", "6", model=("--model", f"python/{bots}:player"))
        board = typist.reads(*words, "--budget-calls", "5000")
    assert "Void by name: system error 6." in board["notes"]


def test_what_is_on_record_is_not_counted_against_a_budget_twice(typist: Typist) -> None:
    def breaking(asked: Asked) -> str | Said | Fault:
        return Fault("status", status=400) if asked.number > 7 else rehearse(asked)

    words = ["--limit", "1", "--turns", "4", "--max-connections", "1"]
    with serving(Loopback(breaking)) as url:
        typist.types(*role_play(url, *words), code=1)
    loopback = Loopback(rehearse)
    with serving(loopback) as url:
        typist.types(*role_play(url, *words, "--budget-calls", "10"))
    assert loopback.calls == 2  # seven were answered and one failed, of nine


@pytest.mark.parametrize(
    "body",
    [
        "return next(iter([]))",
        "raise GeneratorExit",
        "import asyncio\n    raise asyncio.CancelledError",
        "raise SystemExit(3)",
        "from interplay.core.wire import Reply\n    return Reply('x', reasoning='\\ud800', tokens_in=2**70)",
        "from interplay.core.wire import Reply\n    return Reply(None)",
        "from interplay.core.wire import Reply\n    return Reply('x', cost=float('nan'))",
    ],
)
@pytest.mark.parametrize("kind", ["def", pytest.param("async def", marks=pytest.mark.slow)])
def test_a_function_that_breaks_oddly_breaks_its_own_conversations_alone(
    body: str, kind: str, typist: Typist, tmp_path: Path
) -> None:
    bots = tmp_path / "bots.py"
    bots.write_text(f"{kind} player(messages):\n    {body}\n")
    with serving(Loopback(rehearse)) as url:
        words = role_play(url, "--limit", "2", model=("--model", f"python/{bots}:player"))
        typist.types(*words, code=1 if "Reply" in body else 0)
    assert "a fault in Interplay" not in typist.said
    [run] = typist.reads("runs")
    assert (run["played"], run["void"]) == (0, 2)


def test_after_going_back_the_scores_on_record_are_those_of_the_board(typist: Typist) -> None:
    from interplay.store.records import Records

    def sources() -> set[str]:
        with Records(typist.store) as records:
            return {
                source for _, name, source, _ in records.scores(records.find("last")) if name == "fluency"
            }

    with serving(Loopback(rehearse)) as url:
        typist.types(*role_play(url, "--limit", "1"))
        typist.types(
            "judge", "last", "--base-url", url, "--rubric", "v1", "--model-role", "judge=openai/other"
        )
        assert sources() == {"openai/other"}
        typist.types("judge", "last", "--base-url", url, "--rubric", "v2")
        assert sources() == {"openai/judge"}


def test_a_device_without_room_is_told_in_one_line(typist: Typist) -> None:
    with serving(Loopback(rehearse)) as url:
        typist.types(*role_play(url, "--limit", "1"))
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "interplay", "show", "last", "--store", str(typist.store)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("interplay: the output cannot be written: no space left")


def test_a_terminal_of_few_characters_still_gets_the_board(typist: Typist) -> None:
    with serving(Loopback(rehearse)) as url:
        typist.types(*role_play(url, "--limit", "2"))
    done = subprocess.run(
        [sys.executable, "-m", "interplay", "show", "last", "--store", str(typist.store)],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert b"openai/player" in done.stdout


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--timeout", "nan"), "--timeout"),
        (("--timeout", "inf"), "--timeout"),
        (("--budget", "nan"), "--budget"),
        (("--budget", "inf"), "--budget"),
        (("--epochs", "999999999999"), "--epochs is a number of repeats from 1 to 10,000"),
        (("--rubric", "v3"), "there is no rubric 'v3'; there is v1, v2, or a file"),
    ],
)
def test_a_number_or_name_that_cannot_be_meant_is_a_mistake(
    flags: tuple[str, ...], words: str, typist: Typist
) -> None:
    assert words in typist.mistakes(*role_play("http://127.0.0.1:9/v1", *flags))
    assert not typist.store.exists()


def test_a_report_has_the_verdicts_of_its_board_s_rubric_alone(typist: Typist, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    with serving(Loopback(rehearse)) as url:
        typist.types(*role_play(url, "--limit", "1"))
        again = ["judge", "last", "--base-url", url, "--rubric", "v1", "--model-role", "judge=openai/other"]
        typist.types(*again, "--html", str(report))
    text = report.read_text(encoding="utf-8")
    assert "Verdict of openai/other" in text
    assert "Verdict of openai/judge" not in text


def test_a_summary_that_is_misspelt_is_named_with_the_key_that_was_meant(
    typist: Typist, tmp_path: Path
) -> None:
    data = tmp_path / "data.toml"
    data.write_text(
        '[[characters]]\nname = "O"\nsumary = "x"\npersona = "y"\n[[situations]]\ntext = "z"\nturns = 1\n'
    )
    said = typist.mistakes(*role_play("http://127.0.0.1:9/v1", "--data", str(data)))
    assert "O has no summary" in said
    assert "'sumary' is ignored; did you mean 'summary'?" in said
