"""The verb generate: a scripted writer over loopback HTTP, good pieces and bad ones; what is a mistake."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from interplay.benchmarks.role_play.card_files import read_cards
from interplay.cli import main
from interplay.models.loopback import Asked, Fault
from tests.benchmarks.pieces import SPOILED, character, is_character, situation, writer
from tests.cli.writers import Desk, Once, first_character, new, serving_writer, spoiled


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def served(capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[..., Desk]]:
    with ExitStack() as stack:
        yield lambda script=writer: stack.enter_context(serving_writer(script, capsys))


def test_a_file_is_written_that_run_plays(served: Callable[..., Desk]) -> None:
    desk = served()
    told = desk.type()
    assert told["file"] == "new.toml"
    assert told["kept"] == ["character 1", "character 2", "character 3", "situation 1", "situation 2"]
    assert told["left_out"] == {}
    assert [(row["model"], row["written"], row["rejected"]) for row in told["rows"]] == [
        ("openai/writer", 5, 0)
    ]
    assert desk.loopback.calls == 5
    cards = read_cards(Path("new.toml"), "en")
    assert (len(cards.characters), len(cards.situations), cards.remarks) == (3, 2, ())
    data = new()
    assert data["run"] == told["run"]
    assert (data["written_by"], data["seed"], data["reviewed"]) == ("openai/writer", 0, False)
    assert "Play them: interplay run role_play --data new.toml\n" in desk.err
    roles = ["--model-role", "interrogator=openai/user", "--model-role", "judge=openai/judge"]
    run = ["run", "role_play", "--data", "new.toml", "--base-url", desk.url, "--model", "openai/a", *roles]
    assert main([*run, "--json"]) == 0
    out, err = desk.capsys.readouterr()
    assert json.loads(out)["rows"][0]["n"] == 6
    assert "Note" not in err


def test_the_same_command_again_costs_nothing_and_writes_the_same_bytes(served: Callable[..., Desk]) -> None:
    desk = served()
    told, before = desk.type(), Path("new.toml").read_bytes()
    calls = desk.loopback.calls
    again = desk.type()
    assert (again["kept"], Path("new.toml").read_bytes()) == (told["kept"], before)
    Path("new.toml").unlink()
    desk.type()
    assert Path("new.toml").read_bytes() == before
    desk.type("--force")
    assert Path("new.toml").read_bytes() == before
    assert desk.loopback.calls == calls


def test_another_seed_writes_other_pieces_under_another_canary(served: Callable[..., Desk]) -> None:
    desk = served()
    desk.type()
    desk.type("--seed", "7", "--out", "other.toml")
    one, other = new(), new("other.toml")
    assert (one["seed"], other["seed"]) == (0, 7)
    assert one["canary"] != other["canary"]
    names = [{entry["name"] for entry in data["characters"]} for data in (one, other)]
    assert not names[0] & names[1]


def test_russian_is_written_and_told_how_to_play(served: Callable[..., Desk]) -> None:
    desk = served()
    desk.type("--language", "ru")
    assert "--data new.toml --language ru\n" in desk.err
    assert new()["language"] == "ru"
    assert len(read_cards(Path("new.toml"), "ru").characters) == 3


@pytest.mark.parametrize("kind", SPOILED)
def test_a_spoiled_piece_is_written_again_and_left_out_after_three_tries(
    served: Callable[..., Desk], kind: str
) -> None:
    desk = served(Once(spoiled(kind), first_character))
    told = desk.type()
    [(left_out, complaints)] = told["left_out"].items()
    assert any(SPOILED[kind][1] in complaint for complaint in complaints), complaints
    assert any(note.startswith(f"{left_out}: ") for note in told["notes"])
    assert desk.loopback.calls == 5 + 2
    assert [told["rows"][0][key] for key in ("written", "pieces", "rejected")] == [4, 5, 3]
    assert len(new()["characters"]) == 2
    assert desk.err.count("written again") == 2
    calls = desk.loopback.calls
    desk.type()
    assert desk.loopback.calls == calls  # it is not tried for ever


def test_only_what_failed_is_written_again_and_only_till_it_passes(served: Callable[..., Desk]) -> None:
    script = Once(spoiled("a control character"), is_character, times=1)
    desk = served(script)
    told = desk.type()
    assert told["left_out"] == {}
    assert desk.loopback.calls == 3 + 3 + 2
    assert "\x1b" not in Path("new.toml").read_text(encoding="utf-8")


def test_an_answer_out_of_form_is_asked_for_again_then_tried_anew_then_left_out(
    served: Callable[..., Desk],
) -> None:
    desk = served(Once(lambda asked, draft: "I would rather not.", first_character))
    told = desk.type()
    assert list(told["left_out"].values()) == [["the writer never answered in form"]]
    assert desk.loopback.calls == 4 + 3 * 3
    assert told["rows"][0]["unreadable"] == 3


def test_a_writer_that_repeats_itself_writes_one(served: Callable[..., Desk]) -> None:
    def parrot(asked: Asked) -> str:
        return json.dumps(character("always") if is_character(asked) else situation("always"))

    told = served(parrot).type()
    assert told["kept"] == ["character 1", "situation 1"]
    assert any("is the id of another one" in one for one in told["left_out"]["character 2"])
    assert any("it is much like" in one for one in told["left_out"]["situation 2"])


def test_without_one_of_each_no_file_is_written(served: Callable[..., Desk]) -> None:
    told = served(Once(spoiled("short persona"), is_character)).type(code=1)
    assert (told["file"], told["kept"]) == (None, ["situation 1", "situation 2"])
    assert not Path("new.toml").exists()


def test_no_file_is_written_while_pieces_lack_an_answer_and_the_same_command_goes_on(
    served: Callable[..., Desk],
) -> None:
    broken = True

    def script(asked: Asked) -> str | Fault:
        return Fault("status", status=400) if broken and not is_character(asked) else writer(asked)

    desk = served(script)
    assert desk.type(code=1) is None
    assert "new.toml is not written yet." in desk.err
    assert not Path("new.toml").exists()
    calls = desk.loopback.calls
    broken = False
    assert len(desk.type()["kept"]) == 5
    assert desk.loopback.calls == calls + 2


def test_a_budget_stops_between_tries_and_a_larger_one_goes_on(served: Callable[..., Desk]) -> None:
    desk = served(Once(spoiled("nobody speaks"), is_character, times=2))
    assert desk.type("--budget-calls", "6", code=1) is None
    assert desk.loopback.calls == 6
    told = desk.type("--budget-calls", "11")
    assert (len(told["kept"]), desk.loopback.calls) == (5, 11)


def test_a_plan_sends_nothing_and_knows_what_is_left(served: Callable[..., Desk]) -> None:
    desk = served(Once(spoiled("nobody speaks"), is_character, times=1))
    planned = desk.type("--plan")
    assert (planned["left"], planned["shares"][0]["role"], planned["shares"][0]["calls"]) == (
        5,
        "writer",
        [5, 5],
    )
    assert main(desk.line("--plan")) == 0
    assert "5 pieces to write in as many calls" in desk.capsys.readouterr().out
    assert (desk.loopback.calls, list(Path().iterdir())) == (0, [])
    desk.type("--budget-calls", "5", code=1)
    assert desk.type("--plan")["left"] == 3  # the second try of what failed
    desk.type()
    assert desk.type("--plan") == {"run": planned["run"], "left": 0}
    assert main(desk.line("--plan")) == 0
    assert "nothing is left to write" in desk.capsys.readouterr().out


MISTAKES: Mapping[str, tuple[list[str], str]] = {
    "no characters": (["--characters", "0"], "characters is a whole number from 1 to 500, not '0'"),
    "no situations": (["--situations", "0"], "situations is a whole number from 1 to 500, not '0'"),
    "a folder that is not there": (["--out", "nowhere/new.toml"], "its folder does not exist"),
    "a folder": (["--out", "folder.toml"], "it is a folder"),
    "another ending": (["--out", "new.json"], "must end in .toml"),
    "the store": (["--out", "there.toml", "--store", "there.toml", "--force"], "is the store"),
    "a file that is there": (["--out", "there.toml"], "there.toml is there already; --force replaces it"),
    "a language": (["--language", "fr"], "'fr' is not one of 'en', 'ru'"),
    "a seed": (["--seed", "x"], "seed is a whole number"),
    "a provider": (["--model", "nobody/x"], "nobody"),
    "sampling of a role": (["--sampling", "player.temperature=1"], "there is openai/writer, writer"),
    "anew": (["--new", "all"], "generate takes --new alone"),
    "a flag": (["--charakters", "3"], "did you mean '--characters'"),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_is_told_before_anything_is_spent(served: Callable[..., Desk], kind: str) -> None:
    desk = served()
    Path("folder.toml").mkdir()
    Path("there.toml").write_text("x = 1")
    before = sorted(Path().rglob("*"))
    more, said = MISTAKES[kind]
    assert desk.type(*more, code=2) is None
    assert desk.err.startswith("interplay: ")
    assert desk.err.count("\n") == 1
    assert said in desk.err
    assert (desk.loopback.calls, sorted(Path().rglob("*"))) == (0, before)
    assert Path("there.toml").read_text() == "x = 1"


@pytest.mark.parametrize(
    "line, said",
    [
        (["generate", "role_play", "--yes", "--model", "openai/x"], "name the file to write with --out"),
        (["generate", "role_play", "--yes", "--out", "new.toml"], "--model"),
        (["generate", "role_plya", "--yes"], "did you mean 'role_play'"),
        (["generate", "role_play_writing"], "no model can write data for role_play_writing"),
    ],
)
def test_what_is_missing_or_unknown_is_named(
    line: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line) == 2
    assert said in capsys.readouterr().err


def test_nobody_to_ask_is_a_mistake_before_anything_is_spent(served: Callable[..., Desk]) -> None:
    desk = served()
    assert desk.type(yes=False, code=2) is None
    assert "nobody is here to review the pieces; --yes keeps all that pass" in desk.err
    assert (desk.loopback.calls, list(Path().iterdir())) == (0, [])


def test_force_replaces_a_file(served: Callable[..., Desk]) -> None:
    Path("new.toml").write_text("x = 1")
    served().type("--force")
    assert len(new()["characters"]) == 3


def test_a_file_that_was_changed_by_hand_is_not_overwritten(served: Callable[..., Desk]) -> None:
    desk = served()
    desk.type()
    changed = Path("new.toml").read_text(encoding="utf-8") + "# mine\n"
    Path("new.toml").write_text(changed, encoding="utf-8")
    desk.type(code=2)
    assert Path("new.toml").read_text(encoding="utf-8") == changed


def test_what_was_written_can_be_looked_at_and_not_judged(served: Callable[..., Desk]) -> None:
    desk = served()
    run = desk.type()["run"]

    def typed(*line: str, code: int = 0) -> str:
        assert main(list(line)) == code
        out, err = desk.capsys.readouterr()
        return out + err

    assert "character 1" in typed("list", run)
    shown = typed("show", run, "--conversation", "1")
    assert f"name: {new()['characters'][0]['name']}\n" in shown
    assert "written" in typed("show", run)
    assert run in typed("board", "role_play_writing")
    for ending in ("json", "jsonl", "csv", "md", "html"):
        typed("export", run, f"run.{ending}")
    assert "complaints" in Path("run.csv").read_text()
    assert "5 model calls" not in typed("score", run)
    assert "role_play_writing" not in typed("run", "--help")
    listed = json.loads(typed("list", "--json"))
    assert "role_play_writing" not in [one["name"] for one in listed["benchmarks"]]
    refused = typed("judge", run, "--model-role", "judge=openai/j", "--base-url", desk.url, code=2)
    assert "role_play_writing has no role 'judge'" in refused
    calls = desk.loopback.calls
    desk.type()  # the run is as it was
    assert desk.loopback.calls == calls
