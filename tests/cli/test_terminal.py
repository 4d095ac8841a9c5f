"""The one exit to the terminal: what passes it is harmless, and nothing passes by it."""

import ast
import io
import json
import re
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import interplay
from interplay.cli import terminal
from interplay.core.board import Board, Column, Estimate
from interplay.running.tally import Tally

SOURCES = Path(interplay.__file__).parent
MODULES = sorted(SOURCES.rglob("*.py"))
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
DRAWING = {
    "random",
    "choice",
    "choices",
    "shuffle",
    "sample",
    "randint",
    "uniform",
    "gauss",
    "seed",
    "randrange",
}

SEEDED = {"default_rng", "Generator", "SeedSequence", "PCG64"}
CATCHING = {
    "cli/edge.py": "the edge, where every error becomes a line",
    "running/channel.py": "hands the error on to the process that called",
    "store/gathering.py": "hands the error on to everyone who waits for the same commit",
    "models/python.py": "loads the user's own file, which may raise anything",
    "benchmarks/loading.py": "loads other people's benchmarks, which may raise anything",
    "models/scripted.py": "calls the user's own function, which may raise anything",
}


@given(st.text())
@example("\x1b[31mred\x1b[0m \x9b31m \x1b]0;title\x07")
@example(BIDI)
@example("a\r\nb\rc\x0bd\x0ce\x00f\x7fg\x85h")
@example("tab\tand\nline")
def test_what_is_printed_can_only_be_read(text: str) -> None:
    shown = terminal.harmless(text)
    for character in shown:
        assert character in "\n\t" or unicodedata.category(character) != "Cc"
        assert character not in BIDI
    kept = [one for one in text if unicodedata.category(one) != "Cc" and one not in BIDI]
    assert [one for one in shown if one not in "\n\t"] == kept
    assert shown.count("\n") == text.count("\n")
    assert shown.count("\t") == text.count("\t")
    assert terminal.harmless(shown) == shown


def test_say_and_remark_are_harmless_and_keep_apart(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.say("a\x1b[2Jb\u202e")
    terminal.remark("c\x9bd")
    assert capsys.readouterr() == ("a[2Jb\n", "cd\n")


def test_a_piece_of_a_file_is_passed_on_harmless_and_with_nothing_added(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for piece in ("a\x1b[2J", "b\n", "\u202ec"):
        terminal.pass_on(piece)
    assert capsys.readouterr() == ("a[2Jb\nc", "")


@pytest.mark.parametrize(
    "typed, meant",
    [("y\n", True), (" YES \n", True), ("", False), ("\n", False), ("no\n", False), ("yy\n", False)],
)
def test_a_question_is_harmless_and_only_yes_means_yes(
    typed: str, meant: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    assert terminal.ask_yes_or_no("Delete \x1b[31mit?") is meant
    assert capsys.readouterr() == ("", "Delete [31mit? [y/N] ")


def test_json_is_ascii_and_comes_back(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"text": "\x1b[31m \u202e 🙂 \ud800", "n": [1, None]}
    terminal.say_json(value)
    out = capsys.readouterr().out
    assert out.isascii()
    assert "\x1b" not in out
    assert json.loads(out) == value


BOARD = Board(
    "a \x1b[31mtitle",
    (
        Column("model", "model", "who", "text"),
        Column("score", "LN score", "how good", "score", (1.0, 5.0)),
        Column("fluency", "fluency", "in detail", "score", (1.0, 5.0), True),
        Column("refused", "refused", "share", "share"),
    ),
    (
        {
            "model": "evil\x1b]0;x\x07\u202e [bold]name[/bold]",
            "score": Estimate(4.0, 3.5, 4.5, 9),
            "fluency": Estimate(2.0, 1.5, 2.5, 9),
            "refused": None,
        },
    ),
    ("a note\x9b with [red]markup[/red] :smile:",),
)


def shown_in(width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    monkeypatch.setattr(terminal, "_WIDTH_OF_A_PIPE", width)
    terminal.show_board(BOARD)
    out = capsys.readouterr().out
    assert max(len(line) for line in out.splitlines()) <= width
    return out


def test_a_wide_console_has_all_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = shown_in(120, monkeypatch, capsys)
    assert "fluency" in out
    assert "2.00" in out
    assert "left out" not in out


def test_a_narrow_console_leaves_details_out_and_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # taken for a terminal
    monkeypatch.setenv("COLUMNS", "36")
    terminal.show_board(BOARD)
    out = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    assert max(len(line) for line in out.splitlines()) <= 36
    assert "fluency" not in out
    assert "2.00" not in out
    assert "4.00" in out
    assert "±0.50" in out
    assert "Columns are left out for want of room" in " ".join(out.split())


def test_a_pipe_is_as_wide_as_the_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(terminal, "_WIDTH_OF_A_PIPE", 20)
    terminal.show_board(BOARD)
    assert "fluency" in capsys.readouterr().out


def test_nothing_in_a_board_is_markup_or_an_escape(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = shown_in(120, monkeypatch, capsys)
    assert "[bold]name[/bold]" in out
    assert "[red]markup[/red] :smile:" in out
    assert not set(out) & set("\x1b\x07\x9b\u202e")


def test_further_tables_follow_the_first_and_are_shaded_in_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = (
        Column("model", "model", "who", "text"),
        *(Column(topic, topic, "how good", "score", heat=True) for topic in ("food", "travel")),
    )
    columns = (*columns, Column("bad", "\x1b]0;x\x07bad\u202e", "a heading from data", "score", heat=True))
    part = Board(
        "by topic \x1b[31m", columns, ({"model": "a", "food": 0.0, "travel": 1.0, "bad": None},), ("a note",)
    )
    whole = replace(BOARD, parts=(part,))
    terminal.show_board(whole)
    plain = capsys.readouterr().out
    assert plain.index("LN") < plain.index("by topic") < plain.index("travel") < plain.index("· a note", 400)
    assert not set(plain) & set("\x1b\x07\u202e")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("COLUMNS", "100")
    terminal.show_board(part)
    coloured = capsys.readouterr().out
    assert coloured.index("48;2;95;135;175m0.00") < coloured.index("48;2;255;215;135m1.00")


def test_a_table_is_harmless_too(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.show_table(["what"], [["evil\x1b[31m [bold]x[/bold]"]])
    out = capsys.readouterr().out
    assert "[31m [bold]x[/bold]" in out
    assert "\x1b" not in out


def test_where_nobody_watches_progress_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with terminal.progress(Tally(conversations=3), "title"):
        pass
    assert capsys.readouterr() == ("", "")


def test_progress_is_drawn_from_the_tally(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tally = Tally(conversations=4, conversations_done=1, verdicts=4, calls=7, tokens_in=900, tokens_out=334)
    tally.failed_calls["server\x1b[31m"] += 2
    tally.failures["judge error"] += 1
    drawn = terminal._Progress(tally, "role_play \x1b[31m")
    terminal._console(sys.stdout).print(drawn)
    out = capsys.readouterr().out
    assert "1 of 4 conversations, 0 of 4 verdicts" in out
    assert "1,234 tokens" in out
    assert "call: server[31m 2, judge error 1" in out
    assert "no cost" in out
    assert "\x1b" not in out
    tally.stopping, tally.cost_unknown = True, True
    terminal._console(sys.stdout).print(drawn)
    out = capsys.readouterr().out
    assert "Ctrl-C again" in out
    assert "cost unknown" in out


@pytest.mark.parametrize(
    "seconds, words",
    [
        (None, "time left unknown"),
        (0, "about 0:00 left"),
        (61, "about 1:01 left"),
        (3725, "about 1:02:05 left"),
    ],
)
def test_time_left_in_words(seconds: float | None, words: str) -> None:
    assert terminal._time_left(seconds) == words


# What no module may do


def dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return f"{dotted(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else ""


def raises_again(handler: ast.ExceptHandler) -> bool:
    """Does whoever catches it only clean up?"""
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def faults_in(name: str, source: str) -> Iterator[str]:
    """Each thing in a module that the house forbids."""
    for node in ast.walk(ast.parse(source)):
        where = f"{name}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", None) or ""
            names = {alias.name for alias in node.names}
            roots = {one.partition(".")[0] for one in ({module} if module else names)}
            if roots & {"pickle", "yaml", "marshal", "shelve", "dill", "cloudpickle"}:
                yield f"{where} imports {sorted(roots)}"
            if "rich" in roots and name != "cli/terminal.py":
                yield f"{where} imports rich"
            if module == "click" and names & {"echo", "secho"}:
                yield f"{where} imports click.echo"
            if module == "random" and names & DRAWING:
                yield f"{where} imports module-level randomness"
        if isinstance(node, ast.Call):
            called = dotted(node.func)
            if called in ("eval", "exec", "compile", "__import__"):
                yield f"{where} calls {called}"
            if name != "cli/terminal.py" and (
                called in ("print", "click.echo", "click.secho", "Console", "pprint.pprint", "os.write")
                or called.startswith(("sys.stdout.write", "sys.stderr.write", "sys.__std"))
            ):
                yield f"{where} calls {called}"
            module, _, function = called.rpartition(".")
            drawn = module in ("numpy.random", "np.random") and (function not in SEEDED or not node.args)
            if drawn or (module == "random" and function in DRAWING):
                yield f"{where} draws from {called}"
        if isinstance(node, ast.ExceptHandler) and name not in CATCHING and not raises_again(node):
            caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            for one in caught:
                if one is None or dotted(one) in ("Exception", "BaseException"):
                    yield f"{where} catches everything"


def test_those_that_may_catch_everything_are_still_there_and_do() -> None:
    for name in CATCHING:
        source = (SOURCES / name).read_text(encoding="utf-8")
        assert any("catches everything" in fault for fault in faults_in("core/x.py", source)), name


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCES)))
def test_no_module_prints_by_itself_or_does_what_is_forbidden(path: Path) -> None:
    name = path.relative_to(SOURCES).as_posix()
    assert list(faults_in(name, path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "source",
    [
        "print(1)",
        "import sys\nsys.stdout.write('x')",
        "import sys\nsys.stderr.write('x')",
        "from rich.console import Console",
        "import click\nclick.echo('x')",
        "from click import echo",
        "eval('1')",
        "exec('1')",
        "import pickle",
        "from yaml import safe_load",
        "import random\nrandom.random()",
        "import random\nrandom.choice([1])",
        "from random import shuffle",
        "import numpy as np\nnp.random.rand(3)",
        "import numpy as np\nnp.random.default_rng()",
        "try:\n    pass\nexcept Exception:\n    pass",
        "try:\n    pass\nexcept:\n    pass",
        "try:\n    pass\nexcept (OSError, BaseException):\n    pass",
    ],
)
def test_the_watch_sees_what_is_forbidden(source: str) -> None:
    assert len(list(faults_in("core/x.py", source))) == 1


@pytest.mark.parametrize(
    "source",
    [
        "from random import Random\nRandom(3).choice([1])",
        "import random\nrandom.Random('seed').random()",
        "import numpy as np\nnp.random.default_rng(3)",
        "import subprocess, sys\nsubprocess.run(['x'], stdout=sys.stderr)",
        "try:\n    pass\nexcept OSError:\n    pass",
    ],
)
def test_the_watch_lets_pass_what_is_fine(source: str) -> None:
    assert list(faults_in("core/x.py", source)) == []
