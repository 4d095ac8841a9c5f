"""The verb generate for simulation tasks: a scripted writer over loopback HTTP, good tasks, bad ones and copies."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.simulation.tasks import read_tasks
from interplay.cli import main
from interplay.models.loopback import Asked, Fault, Loopback, Script, rehearse, serving
from tests.benchmarks.new_tasks import BAD, Writer, asked_for, good, said
from tests.cli.writers import Person, new

REFUSAL = "I would rather not."


class Desk:
    """Types the command at a provider and keeps what it said."""

    def __init__(self, url: str, loopback: Loopback, capsys: pytest.CaptureFixture[str]):
        self.url, self.loopback, self.capsys = url, loopback, capsys
        self.err = ""

    def line(self, *more: str, n: int = 4, yes: bool = True) -> list[str]:
        line = ["generate", "simulation", "--model", "openai/writer", "--base-url", self.url]
        line += ["--n", str(n), "--out", "new.toml"]
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


def names(path: str = "new.toml") -> list[str]:
    return [task.name for task in read_tasks(Path(path))]


def bad(kind: str) -> str:
    return said(BAD[kind][0])


def test_good_bad_copied_and_unreadable_drafts(served: Callable[..., Desk]) -> None:
    desk = served(
        Writer(
            {
                2: [bad("something after the first request"), bad("a placeholder")],  # the third try passes
                3: [bad("a shipped task lightly reworded")] * 3,
                4: [REFUSAL] * 9,
                5: [REFUSAL, "{}"],  # the third answer can be read
                6: [said(good(1))] * 3,  # as the first one
            }
        )
    )
    told = desk.type(n=6)
    assert told["kept"] == ["task 1", "task 2", "task 5"]
    left_out = told["left_out"]
    assert list(left_out) == ["task 3", "task 4", "task 6"]
    assert "too much like that of 'Three-jug puzzle'" in left_out["task 3"][0]
    assert left_out["task 4"] == ["the writer never answered in form"]
    assert left_out["task 6"][0] == "its name is too much like 'Knot log clerk'"
    assert "share 1.00 of their word pairs" in left_out["task 6"][1]
    [row] = told["rows"]
    assert [row[key] for key in ("written", "pieces", "rejected", "unreadable")] == [3, 6, 8, 3]
    assert desk.loopback.calls == 1 + 3 + 3 + 9 + 3 + 3
    assert names() == ["Knot log clerk", "Bell tower pealer", "Stitch chart reader"]
    data = new()
    assert (data["run"], data["written_by"], data["reviewed"]) == (told["run"], "openai/writer", False)
    assert data["canary"].startswith("INTERPLAY CANARY simulation tasks ")
    assert "Play them: interplay collect simulation --data new.toml\n" in desk.err


def test_dialogues_are_collected_on_what_was_written(served: Callable[..., Desk]) -> None:
    desk = served()
    desk.type(n=2)
    line = ["collect", "simulation", "--data", "new.toml", "--base-url", desk.url, "--model", "openai/a"]
    desk.text(*line, "--model-role", "user=openai/b", "--epochs", "1", "--turns", "2")
    assert desk.loopback.calls_by_model() == {"writer": 2, "a": 2 * 2, "b": 2}
    listed = desk.text("list", "last")
    assert "Knot log clerk" in listed
    assert "Bell tower pealer" in listed


@pytest.mark.parametrize("kind", ["stateless", "stateful"])
def test_tasks_of_either_kind_are_written_by_a_prompt_of_its_own(
    served: Callable[..., Desk], kind: str
) -> None:
    asked_of: list[Asked] = []
    writer = Writer(kind=kind)

    def script(asked: Asked) -> str:
        asked_of.append(asked)
        return writer(asked)

    desk = served(script)
    told = desk.type("--kind", kind, n=2)
    assert told["title"] == f"simulation_writing ({kind}, seed 0)"
    assert [task.kind for task in read_tasks(Path("new.toml"))] == [kind, kind]
    assert [task.id for task in read_tasks(Path("new.toml"))] == ["knot-log-clerk", "bell-tower-pealer"]
    for asked in asked_of:
        assert f"The interfaces here are {kind}:" in str(asked.messages[0]["content"])
        assert asked_for(asked).count('\n{"name": ') == 5


def test_the_same_command_again_costs_nothing_and_writes_the_same_bytes(served: Callable[..., Desk]) -> None:
    desk = served(Writer({1: [bad("an insult")], 2: [bad("a short point")] * 3}))
    told, before = desk.type(), Path("new.toml").read_bytes()
    assert (len(told["kept"]), desk.loopback.calls) == (3, 4 + 2 + 1)
    assert desk.type()["kept"] == told["kept"]
    Path("new.toml").unlink()
    desk.type("--force")
    assert Path("new.toml").read_bytes() == before
    assert desk.loopback.calls == 4 + 2 + 1  # what failed three times is not tried for ever


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_task_is_written_again_and_left_out_after_three_tries(
    served: Callable[..., Desk], kind: str
) -> None:
    desk = served(Writer({2: [bad(kind)] * 3}))
    told = desk.type(n=3)
    assert (told["kept"], list(told["left_out"])) == (["task 1", "task 3"], ["task 2"])
    assert any(BAD[kind][1] in complaint for complaint in told["left_out"]["task 2"])
    assert any(note.startswith("task 2: ") for note in told["notes"])
    assert (desk.loopback.calls, desk.err.count("written again")) == (3 + 2, 2)
    assert names() == ["Knot log clerk", "Seed packet sorter"]


def test_a_writer_that_repeats_itself_writes_one(served: Callable[..., Desk]) -> None:
    told = served(lambda asked: said(good(1))).type()
    assert told["kept"] == ["task 1"]
    assert told["left_out"]["task 3"][0] == "its name is too much like 'Knot log clerk'"


def test_without_a_task_no_file_is_written(served: Callable[..., Desk]) -> None:
    desk = served(lambda asked: REFUSAL)
    told = desk.type(n=1, code=1)
    assert (told["file"], told["kept"], Path("new.toml").exists()) == (None, [], False)
    assert "of 1 pieces 0 are kept, and it would lack a task" in desk.err


def test_no_file_is_written_while_tasks_lack_an_answer_and_the_same_command_goes_on(
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
    desk = served(Writer({1: [bad("an insult")]}))
    planned = desk.type("--plan")
    assert (planned["left"], planned["shares"][0]["calls"]) == (4, [4, 4])
    assert "4 pieces to write in as many calls" in desk.text(*desk.line("--plan"))
    assert (desk.loopback.calls, list(Path().iterdir())) == (0, [])
    desk.type("--budget-calls", "4", code=1)
    assert desk.type("--plan")["left"] == 1  # the second try of what failed
    desk.type()
    assert desk.type("--plan") == {"run": planned["run"], "left": 0}


def test_a_plan_is_what_is_called_where_all_pass(served: Callable[..., Desk]) -> None:
    desk = served()
    [share] = desk.type("--plan", n=6)["shares"]
    desk.type(n=6)
    assert desk.loopback.calls_by_model() == {"writer": 6}
    assert share["calls"] == [6, 6]


def test_another_seed_draws_other_angles_and_examples_and_has_another_canary(
    served: Callable[..., Desk],
) -> None:
    asked_of: list[str] = []

    def script(asked: Asked) -> str:
        asked_of.append(asked_for(asked))
        return Writer(seed=str(len(asked_of) - 1))(asked)

    desk = served(script)
    desk.type(n=1)
    desk.type("--seed", "1", "--out", "other.toml", n=1)
    one, other = (text.partition("\n{")[0] for text in asked_of)
    assert one != other
    assert asked_of[0].partition("\n{")[2] != asked_of[1].partition("\n{")[2]
    found, elsewhere = new(), new("other.toml")
    assert (found["seed"], elsewhere["seed"]) == (0, 1)
    assert found["canary"] != elsewhere["canary"]


def test_examples_come_from_a_file_that_the_record_keeps(served: Callable[..., Desk]) -> None:
    asked_of: list[str] = []

    def script(asked: Asked) -> str:
        asked_of.append(asked_for(asked))
        return said(good(len(asked_of)))

    desk = served(script)
    desk.type(n=1)
    Path("new.toml").rename("mine.toml")
    desk.type("--examples", "mine.toml", n=1)
    assert "Knot log clerk" in asked_of[1]
    assert "Here is 1 task, to show" in asked_of[1]
    assert names() == ["Bell tower pealer"]
    desk.type("--examples", "mine.toml", n=1)
    assert len(asked_of) == 2  # the same run, which costs nothing
    Path("mine.toml").write_text(Path("mine.toml").read_text().replace("Knot log clerk", "Log line clerk"))
    desk.type("--examples", "mine.toml", "--out", "third.toml", n=1)
    assert len(asked_of) == 3  # other examples, another run
    assert "Log line clerk" in asked_of[2]


def test_a_copy_of_an_example_is_refused(served: Callable[..., Desk]) -> None:
    desk = served(lambda asked: said(good(1)))
    desk.type(n=1)
    Path("new.toml").rename("mine.toml")
    told = desk.type("--examples", "mine.toml", n=1, code=1)
    assert told["left_out"]["task 1"][0] == "its name is too much like 'Knot log clerk'"


MISTAKES: Mapping[str, tuple[list[str], str]] = {
    "a kind": (["--kind", "stateles"], "stateles"),
    "no tasks": (["--n", "0"], "n is a whole number from 1 to 500, not '0'"),
    "too many tasks": (["--n", "501"], "n is a whole number from 1 to 500, not '501'"),
    "a seed": (["--seed", "x"], "seed is a whole number"),
    "examples that are not there": (["--examples", "nowhere.toml"], "nowhere.toml cannot be read"),
    "examples in another form": (["--examples", "there.csv"], "tasks are read from a .toml or a .jsonl file"),
    "examples that are no tasks": (["--examples", "there.toml"], "there.toml has no tasks"),
    "examples of another kind": (
        ["--examples", "mine.toml", "--kind", "stateful"],
        "the file of --examples has no stateful task; --kind names the kind to write",
    ),
    "data": (["--data", "mine.toml"], "--data"),
    "another ending": (["--out", "new.jsonl"], "must end in .toml"),
    "a folder that is not there": (["--out", "nowhere/new.toml"], "its folder does not exist"),
    "a file that is there": (["--out", "there.toml"], "there.toml is there already; --force replaces it"),
    "a provider": (["--model", "nobody/x"], "nobody"),
    "sampling of a role": (["--sampling", "judge.temperature=1"], "there is openai/writer, writer"),
    "anew": (["--new", "all"], "generate takes --new alone"),
    "an option of the benchmark": (["--set", "hard"], "--set"),
}
MINE = """
[[tasks]]
id = "a"
name = "Abacus"
kind = "stateless"
request = "a sum"
description = "Be an abacus. My first sum is `1 + 1`."
"""


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_is_told_before_anything_is_spent(served: Callable[..., Desk], kind: str) -> None:
    desk = served()
    there = {"there.toml": "x = 1", "there.csv": "x", "mine.toml": MINE}
    for name, text in there.items():
        Path(name).write_text(text)
    more, reason = MISTAKES[kind]
    assert desk.type(*more, code=2) is None
    assert desk.err.startswith("interplay: ")
    assert (desk.err.count("\n"), "\x1b" in desk.err) == (1, False)
    assert reason in desk.err
    assert desk.loopback.calls == 0
    assert {path.name: path.read_text() for path in Path().iterdir()} == there


def test_what_is_left_out_of_the_command_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["generate", "simulation", "--yes"]
    for more, reason in (([], "--model"), (["--model", "openai/x"], "--out")):
        assert main([*line, *more]) == 2
        assert reason in capsys.readouterr().err
    assert main(["generate", "simulatoin"]) == 2
    assert "did you mean 'simulation'" in capsys.readouterr().err
    assert main(["generate", "simulbench", "--help"]) == 0  # by its paper's name
    shown = capsys.readouterr().out
    assert "--kind [stateless|stateful]" in shown
    assert "--examples FILE" in shown
    assert main(["generate", "--help"]) == 0
    assert "simulation" in capsys.readouterr().out


def test_what_was_written_can_be_looked_at(served: Callable[..., Desk]) -> None:
    desk = served(Writer({1: [bad("text that runs backwards")]}))
    run = desk.type()["run"]
    assert run.startswith("simulation_writing-")
    assert "task 1" in desk.text("list", run)
    assert "simulation_writing (stateless, seed 0)" in desk.text("show", run)
    shown = "".join(desk.text("show", run, "--conversation", str(number)) for number in range(1, 6))
    assert "Bell tower pealer" in shown
    assert "\u202e" not in shown
    assert run in desk.text("board", "simulation_writing")
    for ending in ("json", "jsonl", "csv", "md", "html"):
        desk.text("export", run, f"run.{ending}")
    assert "complaints" in Path("run.csv").read_text()
    assert "simulation_writing" not in desk.text("run", "--help")
    calls = desk.loopback.calls
    desk.type()  # the run is as it was
    assert desk.loopback.calls == calls


def test_a_person_keeps_skips_and_stops(served: Callable[..., Desk]) -> None:
    desk = served()
    person = Person(desk.line(n=5, yes=False), b"k\nwhat?\ns\nkeep\nq\n")
    assert person.code == 0, person.heard
    assert person.heard.count("[k/s/q]") == 5  # one answer was unclear
    assert new()["reviewed"] is True
    assert names() == ["Knot log clerk", "Seed packet sorter"]
    assert "[4 of 5] task 4" in person.heard
    assert "The user sends a vehicle with its length and weight, or `sail`." in " ".join(person.heard.split())
    assert "[5 of 5]" not in person.heard
    assert "Wrote 2 of 5 pieces to new.toml" in person.heard
    assert "simulation_writing" in person.out


def test_a_person_sees_complaints_and_may_keep_a_task_all_the_same(served: Callable[..., Desk]) -> None:
    desk = served(
        Writer({1: [bad("an escape")] * 3, 2: [bad("a shipped task lightly reworded")] * 3, 3: [REFUSAL] * 9})
    )
    person = Person(desk.line(yes=False), b"k\nk\nk\n")
    assert person.code == 0, person.heard
    heard = " ".join(person.heard.split())
    assert "[1 of 3] task 1" in heard
    assert "! the request holds control characters" in heard
    assert "! its description is too much like that of 'Three-jug puzzle'" in heard
    assert "[3 of 3] task 4" in heard
    assert "\x1b[31m" not in person.heard
    assert "task 3: the writer never answered in form" in " ".join(person.out.split())
    panel = "Observatory shutter panel"
    assert names() == [panel, panel, "Ferry deck loader"]
    ids = [task.id for task in read_tasks(Path("new.toml"))]
    assert ids == ["observatory-shutter-panel", "observatory-shutter-panel-2", "ferry-deck-loader"]


def test_a_person_who_leaves_writes_nothing_and_pays_nothing_twice(served: Callable[..., Desk]) -> None:
    desk = served()
    line = desk.line(n=2, yes=False)
    gone = Person(line, b"k\n" + b"\x04" * 20)
    assert (gone.code, Path("new.toml").exists()) == (130, False)
    stopped = Person(line, b"s\ns\n")
    assert stopped.code == 1
    assert "it would lack a task" in " ".join(stopped.heard.split())
    kept = Person(line, b"k\nk\n")
    assert (kept.code, names()) == (0, ["Knot log clerk", "Bell tower pealer"])
    assert desk.loopback.calls == 2


def test_nobody_to_ask_is_a_mistake_before_anything_is_spent(served: Callable[..., Desk]) -> None:
    desk = served()
    assert desk.type(yes=False, code=2) is None
    assert "nobody is here to review the pieces" in desk.err
    assert (desk.loopback.calls, list(Path().iterdir())) == (0, [])
