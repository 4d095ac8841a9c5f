"""The verb generate for word pairs: a scripted writer over loopback HTTP, good pairs and bad ones; then the game."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.word_guessing.words import read_pairs
from interplay.cli import main
from interplay.models.loopback import Asked, Fault, Loopback, Script, rehearse, serving
from tests.benchmarks.new_pairs import BAD, TOPIC, Writer, entry, good, said
from tests.cli.writers import Person, new

REFUSAL = "I would rather not."


class Desk:
    """Types the command at a provider and keeps what it said."""

    def __init__(self, url: str, loopback: Loopback, capsys: pytest.CaptureFixture[str]):
        self.url, self.loopback, self.capsys = url, loopback, capsys
        self.err = ""

    def line(self, *more: str, n: int = 4, yes: bool = True) -> list[str]:
        line = ["generate", "word_guessing", "--model", "openai/writer", "--base-url", self.url]
        line += ["--topic", TOPIC, "--n", str(n), "--out", "new.toml"]
        return [*line, *(["--yes"] if yes else []), *more]

    def type(self, *more: str, code: int = 0, **how: Any) -> Any:
        """The JSON that the command prints, where it prints any."""
        found = main(self.line(*more, "--json", **how))
        out, self.err = self.capsys.readouterr()
        assert found == code, self.err
        assert "Traceback" not in self.err
        return json.loads(out) if out else None

    def text(self, *line: str, code: int = 0) -> str:
        """All that another command says."""
        assert main(list(line)) == code
        out, err = self.capsys.readouterr()
        return out + err


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def served(capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[..., Desk]]:
    """Serves a scripted writer; all other models answer as in a rehearsal."""
    with ExitStack() as stack:

        def serve(script: Script | None = None) -> Desk:
            loopback = Loopback({"writer": script or Writer(), "*": rehearse})
            return Desk(stack.enter_context(serving(loopback)), loopback, capsys)

        yield serve


def words() -> list[str]:
    return [str(pair) for pair in read_pairs(Path("new.toml"))]


def play_the_file(desk: Desk) -> list[dict[str, Any]]:
    """The rows of the board, after one round of every game."""
    line = ["run", "word_guessing", "--data", "new.toml", "--base-url", desk.url, "--rounds", "1"]
    cast = ["--model", "openai/a", "--model-role", "opponent=openai/b", "--epochs", "1"]
    assert main([*line, *cast, "--json"]) == 0
    out, err = desk.capsys.readouterr()
    assert "Note" not in err
    rows: list[dict[str, Any]] = json.loads(out)["rows"]
    return rows


def test_good_and_bad_pairs_are_written_and_what_is_kept_is_played(served: Callable[..., Desk]) -> None:
    shipped, alike, insult = (BAD[kind][0] for kind in ("a shipped word", "alike as strings", "an insult"))
    desk = served(
        Writer(
            {
                1: [said(shipped, alike, good(1))],  # the third of its candidates is good
                2: [said(alike), said(shipped)],  # the third try is
                3: [said(insult)] * 3,
                4: [REFUSAL] * 9,
                5: [REFUSAL, "{}"],  # the third answer can be read
            }
        )
    )
    told = desk.type(n=6)
    assert told["kept"] == ["pair 1", "pair 2", "pair 5", "pair 6"]
    assert told["left_out"] == {
        "pair 3": ["'idiot' may offend"],
        "pair 4": ["the writer never answered in form"],
    }
    [row] = told["rows"]
    assert [row[key] for key in ("written", "pieces", "rejected", "unreadable")] == [4, 6, 5, 3]
    assert desk.loopback.calls == 1 + 3 + 3 + 9 + 3 + 1
    kept = ["kimono / poncho", "thimble / bottle cap", "anvil / chopping block", "harpoon / boomerang"]
    assert words() == kept
    data = new()
    assert (data["topic"], data["run"], data["reviewed"]) == (TOPIC, told["run"], False)
    assert "Play them: interplay run word_guessing --data new.toml\n" in desk.err

    [played] = play_the_file(desk)
    assert (played["model"], played["pairs"], played["n"]) == ("openai/a", 4, 2 * 4)
    listed = desk.text("list", "last")
    assert f"{TOPIC}: kimono v poncho" in listed
    assert f"{TOPIC}: boomerang v harpoon" in listed


def test_the_same_command_again_costs_nothing_and_writes_the_same_bytes(served: Callable[..., Desk]) -> None:
    desk = served(Writer({1: [said(BAD["an insult"][0])], 2: [said(BAD["a digit"][0])] * 3}))
    told, before = desk.type(), Path("new.toml").read_bytes()
    assert (len(told["kept"]), desk.loopback.calls) == (3, 4 + 2 + 1)
    assert desk.type()["kept"] == told["kept"]
    Path("new.toml").unlink()
    desk.type("--force")
    assert Path("new.toml").read_bytes() == before
    assert desk.loopback.calls == 4 + 2 + 1  # what failed three times is not tried for ever


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_pair_is_written_again_and_left_out_after_three_tries(
    served: Callable[..., Desk], kind: str
) -> None:
    desk = served(Writer({2: [said(BAD[kind][0])] * 3}))
    told = desk.type(n=3)
    assert (told["kept"], list(told["left_out"])) == (["pair 1", "pair 3"], ["pair 2"])
    assert any(BAD[kind][1] in complaint for complaint in told["left_out"]["pair 2"])
    assert any(note.startswith("pair 2: ") for note in told["notes"])
    assert (desk.loopback.calls, desk.err.count("written again")) == (3 + 2, 2)
    assert words() == ["kimono / poncho", "chandelier / lampshade"]


def test_a_writer_that_repeats_itself_writes_one(served: Callable[..., Desk]) -> None:
    told = served(lambda asked: said(good(1))).type()
    assert told["kept"] == ["pair 1"]
    assert told["left_out"]["pair 3"] == [
        f"{word!r} is in the lists already: {word!r} of kimono / poncho ({TOPIC})"
        for word in ("kimono", "poncho")
    ]


def test_without_a_pair_no_file_is_written(served: Callable[..., Desk]) -> None:
    desk = served(lambda asked: REFUSAL)
    told = desk.type(n=1, code=1)
    assert (told["file"], told["kept"], Path("new.toml").exists()) == (None, [], False)
    assert "of 1 pieces 0 are kept, and it would lack a pair" in desk.err


def test_no_file_is_written_while_pairs_lack_an_answer_and_the_same_command_goes_on(
    served: Callable[..., Desk],
) -> None:
    broken, writer = True, Writer()

    def script(asked: Asked) -> str | Fault:
        return Fault("status", status=400) if broken else writer(asked)

    desk = served(script)
    assert desk.type(code=1) is None
    assert "new.toml is not written yet." in desk.err
    assert not Path("new.toml").exists()
    broken = False
    assert len(desk.type()["kept"]) == 4


def test_a_plan_sends_nothing_and_knows_what_is_left(served: Callable[..., Desk]) -> None:
    desk = served(Writer({1: [said(BAD["an insult"][0])]}))
    planned = desk.type("--plan")
    assert (planned["left"], planned["shares"][0]["calls"]) == (4, [4, 4])
    assert "4 pieces to write in as many calls" in desk.text(*desk.line("--plan"))
    assert (desk.loopback.calls, list(Path().iterdir())) == (0, [])
    desk.type("--budget-calls", "4", code=1)
    assert desk.type("--plan")["left"] == 1  # the second try of what failed
    desk.type()
    assert desk.type("--plan") == {"run": planned["run"], "left": 0}


def test_another_seed_looks_elsewhere_and_has_another_canary(served: Callable[..., Desk]) -> None:
    asked_of: list[str] = []

    def script(asked: Asked) -> str:
        asked_of.append(str(asked.messages[1]["content"]))
        return Writer(seed=len(asked_of) - 1)(asked)

    desk = served(script)
    desk.type(n=1)
    desk.type("--seed", "1", "--out", "other.toml", n=1)
    assert asked_of[0] != asked_of[1]
    one, other = new(), new("other.toml")
    assert (one["seed"], other["seed"]) == (0, 1)
    assert one["canary"] != other["canary"]


def test_a_topic_is_kept_as_it_was_typed_but_for_its_spaces(served: Callable[..., Desk]) -> None:
    asked_of: list[str] = []

    def script(asked: Asked) -> str:
        asked_of.append(str(asked.messages[1]["content"]))
        return said(good(1))

    desk = served(script)
    desk.type("--topic", ' the "old"  sea = {{angle}} ', n=1)
    assert 'topic: the "old" sea = {{angle}}\n' in asked_of[0]
    assert new()["topic"] == 'the "old" sea = {{angle}}'
    assert read_pairs(Path("new.toml"))[0].topic == 'the "old" sea = {{angle}}'


MISTAKES: Mapping[str, tuple[list[str], str]] = {
    "an empty topic": (["--topic", ""], "name the topic of the pairs with --topic, as in --topic gardening"),
    "a blank topic": (["--topic", " "], "name the topic of the pairs with --topic, as in --topic gardening"),
    "a long topic": (["--topic", "x" * 61], "--topic has at most 60 characters, not 61"),
    "a topic without a letter": (["--topic", "???"], "--topic is a few words of plain text, as in gardening"),
    "a topic with an escape": (["--topic", "\x1b[31mred"], "--topic is a few words of plain text"),
    "no pairs": (["--n", "0"], "n is a whole number from 1 to 500, not '0'"),
    "too many pairs": (["--n", "501"], "n is a whole number from 1 to 500, not '501'"),
    "a seed": (["--seed", "x"], "seed is a whole number"),
    "another ending": (["--out", "new.csv"], "must end in .toml"),
    "a folder that is not there": (["--out", "nowhere/new.toml"], "its folder does not exist"),
    "a file that is there": (["--out", "there.toml"], "there.toml is there already; --force replaces it"),
    "a provider": (["--model", "nobody/x"], "nobody"),
    "sampling of a role": (["--sampling", "player.temperature=1"], "there is openai/writer, writer"),
    "anew": (["--new", "all"], "generate takes --new alone"),
    "an option of the game": (["--topics", "food"], "did you mean '--topic'"),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_is_told_before_anything_is_spent(served: Callable[..., Desk], kind: str) -> None:
    desk = served()
    Path("there.toml").write_text("x = 1")
    more, reason = MISTAKES[kind]
    assert desk.type(*more, code=2) is None
    assert desk.err.startswith("interplay: ")
    assert (desk.err.count("\n"), "\x1b" in desk.err) == (1, False)
    assert reason in desk.err
    assert (desk.loopback.calls, list(Path().iterdir())) == (0, [Path("there.toml")])
    assert Path("there.toml").read_text() == "x = 1"


def test_what_is_left_out_of_the_command_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["generate", "word_guessing", "--yes", "--model", "openai/x"]
    for more, reason in (([], "--out"), (["--out", "new.toml"], "as in --topic gardening")):
        assert main([*line, *more]) == 2
        assert reason in capsys.readouterr().err
    assert main(["generate", "word_guesing"]) == 2
    assert "did you mean 'word_guessing'" in capsys.readouterr().err
    assert main(["generate", "age", "--help"]) == 0  # by its paper's name
    assert "--topic TEXT" in capsys.readouterr().out


def test_what_was_written_can_be_looked_at(served: Callable[..., Desk]) -> None:
    desk = served(Writer({1: [said(BAD["a mark in an alias"][0])]}))
    run = desk.type()["run"]
    assert run.startswith("word_guessing_writing-")
    assert "pair 1" in desk.text("list", run)
    assert f"word_guessing_writing ({TOPIC}, seed 0)" in desk.text("show", run)
    shown = "".join(desk.text("show", run, "--conversation", str(number)) for number in range(1, 6))
    assert "thimble / bottle cap" in shown
    assert "\u202e" not in shown
    assert run in desk.text("board", "word_guessing_writing")
    for ending in ("json", "jsonl", "csv", "md", "html"):
        desk.text("export", run, f"run.{ending}")
    assert "complaints" in Path("run.csv").read_text()
    assert "word_guessing_writing" not in desk.text("run", "--help")
    calls = desk.loopback.calls
    desk.type()  # the run is as it was
    assert desk.loopback.calls == calls


def test_a_person_keeps_skips_and_stops(served: Callable[..., Desk]) -> None:
    desk = served()
    person = Person(desk.line(n=5, yes=False), b"k\nwhat?\ns\nkeep\nq\n")
    assert person.code == 0, person.heard
    assert person.heard.count("[k/s/q]") == 5  # one answer was unclear
    assert new()["reviewed"] is True
    assert words() == ["kimono / poncho", "chandelier / lampshade"]
    assert "[4 of 5] pair 4" in person.heard
    assert "beret / turban" in person.heard
    assert "[5 of 5]" not in person.heard
    assert "Wrote 2 of 5 pieces to new.toml" in person.heard
    assert "word_guessing_writing" in person.out


def test_a_person_sees_complaints_and_may_keep_what_can_be_played(served: Callable[..., Desk]) -> None:
    desk = served(
        Writer(
            {
                1: [said(entry("Lisbon", "cobweb", ["old city"]))] * 3,
                2: [said(BAD["alike as strings"][0])] * 3,  # nobody may play it
                3: [said(entry("Madrid", "cobweb"))] * 3,  # not beside the first
            }
        )
    )
    person = Person(desk.line(yes=False), b"k\nk\n")
    assert person.code == 0, person.heard
    assert "[1 of 2] pair 1" in person.heard
    assert "! 'Lisbon' is not written in plain lower-case letters" in person.heard
    assert "[2 of 2] pair 4" in person.heard
    assert "\x1b]0" not in person.heard
    told = " ".join(person.out.split())
    assert "pair 2: 'marten' and 'martin' are alike as strings" in told
    assert f"'cobweb' is in the lists already: 'cobweb' of Lisbon / cobweb ({TOPIC})" in told
    assert words() == ["Lisbon / cobweb", "beret / turban"]
    assert [row["n"] for row in play_the_file(desk)] == [2 * 2]


def test_a_person_who_leaves_writes_nothing_and_pays_nothing_twice(served: Callable[..., Desk]) -> None:
    desk = served()
    line = desk.line(n=2, yes=False)
    gone = Person(line, b"k\n" + b"\x04" * 20)
    assert (gone.code, Path("new.toml").exists()) == (130, False)
    stopped = Person(line, b"s\ns\n")
    assert stopped.code == 1
    assert "it would lack a pair" in " ".join(stopped.heard.split())
    kept = Person(line, b"k\nk\n")
    assert (kept.code, words()) == (0, ["kimono / poncho", "thimble / bottle cap"])
    assert desk.loopback.calls == 2


def test_nobody_to_ask_is_a_mistake_before_anything_is_spent(served: Callable[..., Desk]) -> None:
    desk = served()
    assert desk.type(yes=False, code=2) is None
    assert "nobody is here to review the pieces" in desk.err
    assert (desk.loopback.calls, list(Path().iterdir())) == (0, [])
