"""Every mistake on the command line: one line that says what would be right, exit code 2, nothing changed."""

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

import interplay.cli
from interplay.benchmarks import OTHERS, find
from interplay.cli import MEANINGS, main
from interplay.models.loopback import Loopback, serving
from interplay.running.spec import make_spec
from interplay.store.lock import run_lock
from interplay.store.records import Records

CAST = ["--model", "openai/a", "--model-role", "interrogator=openai/u", "--model-role", "judge=openai/j"]
RUN = ["run", "role_play"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to stand in, and no settings from outside."""
    for name in list(os.environ):
        if name.startswith(("INTERPLAY_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def mistaken(folder: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Types a command that must be refused, and gives back the line that says why."""

    def typed(*arguments: str, code: int = 2) -> str:
        before = files(folder)
        found = main(list(arguments))
        out, err = capsys.readouterr()
        assert (found, out) == (code, ""), err
        assert err.startswith("interplay: ")
        assert (err.count("\n"), err[-1]) == (1, "\n")
        assert "Traceback" not in err
        assert files(folder) == before
        return err

    return typed


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def begin_runs(store: str = "interplay.db") -> list[str]:
    """Two runs without a conversation."""
    benchmark, ids = find("role_play"), []
    with Records(Path(store), create=True) as records:
        for seed in (1, 2):
            roles = {"interrogator": ["openai/u"], "judge": ["openai/j"]}
            spec = make_spec(benchmark, models=["openai/a"], roles=roles, seed=seed)
            extent = {"limit": 1, "epochs": 1, "judges": ["openai/j"], "rubric": "r"}
            ids.append(records.begin(spec.run_id, benchmark.name, spec.identity(), extent).id)
    return ids


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@pytest.mark.parametrize(
    "arguments, near",
    [
        (["shw"], "did you mean 'show'"),
        (["rnu"], "did you mean 'run'"),
        (["xyzzy"], "there is agreement, bias, board"),
        (["--versoin"], "did you mean '--version'"),
        (["list", "--stroe", "x"], "did you mean '--store'"),
        (["list", "one", "two"], "interplay list --help"),
        (["show"], "interplay show --help"),
        (["run", "rol_play"], "did you mean 'role_play'"),
        (["run", "ping_pong"], "did you mean 'pingpong'"),
        ([*RUN, "--modle", "x"], "did you mean '--model'"),
        ([*RUN, "--limit", "many"], "--limit"),
        ([*RUN, "--limit", "0"], "--limit is a number of scenarios from 1"),
        ([*RUN, "--limit"], "--limit"),
        ([*RUN, "--epochs", "-1"], "--epochs"),
        ([*RUN, "--max-connections", "0"], "--max-connections"),
        ([*RUN, "--timeout", "0"], "--timeout"),
        ([*RUN, "--model-role", "judge"], "judge=openai/gpt-4o"),
        ([*RUN, "--model-role", "judge="], "judge=openai/gpt-4o"),
        ([*RUN, "--model-role", "juge=openai/x"], "did you mean 'judge'"),
        ([*RUN, "--model-role", "player=openai/x"], "--model"),
        ([*RUN, "--model-role", "judge=openai/x"], "no model to measure"),
        ([*RUN, "--model", "openai/x"], "--model-role interrogator=NAME"),
        ([*RUN, *CAST, "--model-role", "interrogator=openai/v"], "played by one model"),
        ([*RUN, *CAST, "--model", "opnai/x"], "did you mean 'openai/NAME'"),
        ([*RUN, *CAST, "--model-role", "judge=locl/x"], "did you mean 'local/NAME'"),
        ([*RUN, "--sampling", "player.temprature=1"], "did you mean 'temperature'"),
        ([*RUN, "--sampling", "playr.temperature=1"], "did you mean 'player'"),
        ([*RUN, "--sampling", "player.temperature=hot"], "'hot' is no number"),
        ([*RUN, "--sampling", "player.max_tokens=1.5"], "'1.5' is no number"),
        ([*RUN, "--sampling", "temperature=1"], "player.temperature=0"),
        ([*RUN, "--sampling", "player.temperature"], "player.temperature=0"),
        ([*RUN, "--language", "english"], "'en'"),
        ([*RUN, "--explanation", "abc"], "explanation is a whole number from 20 to"),
        ([*RUN, "--explanation", "6"], "explanation is a whole number from 20 to"),
        ([*RUN, "--explanation", "1_00"], "explanation is a whole number from 20 to"),
        ([*RUN, "--explanation", "+100"], "explanation is a whole number from 20 to"),
        ([*RUN, "--explanation", "١٠٠"], "explanation is a whole number from 20 to"),
        ([*RUN, *CAST, "--store", "no/x.db"], "does not exist"),
        (["show", "last", "--store", "no.db"], "there is no store at no.db"),
        (["score", "last"], "there is no store at interplay.db"),
        (["judge", "last", "--model-role", "judge=openai/j"], "there is no store"),
        (["judge", "last"], "--model-role judge=NAME"),
        (["judge", "last", "--model-role", "player=openai/j"], "and no other role"),
        ([*RUN, *CAST, "--models", "no.toml"], "no.toml cannot be read"),
        (["doctor", "--models", "no.toml"], "no.toml cannot be read"),
        (["loopback", "--port", "99999"], "--port"),
        (["loopback", "--ledger", "."], "is a directory"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistake_is_one_line_with_what_would_be_right(
    mistaken: Callable[..., str], folder: Path, arguments: list[str], near: str
) -> None:
    assert near in mistaken(*arguments)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("verb", ["show", "score", "judge"])
def test_a_wrong_run_comes_with_the_nearest(mistaken: Callable[..., str], verb: str) -> None:
    first, second = begin_runs()
    more = ["--model-role", "judge=openai/j"] if verb == "judge" else []
    assert f"did you mean '{first}'" in mistaken(verb, first[:-1] + "?", *more)
    line = mistaken(verb, "role_play-", *more)
    assert first in line
    assert second in line


def test_an_empty_store_says_how_to_begin(mistaken: Callable[..., str]) -> None:
    Records(Path("interplay.db"), create=True).db.close()
    assert "interplay run BENCHMARK" in mistaken("show", "last")


def test_a_wrong_conversation_or_table_option_or_report(mistaken: Callable[..., str]) -> None:
    begin_runs()
    assert "no conversation 7" in mistaken("show", "last", "--conversation", "7")
    assert "length_median is a whole number from 1 to" in mistaken("show", "last", "--length-median", "abc")
    assert "is a directory" in mistaken("show", "last", "--html", ".")
    assert "cannot be written to no/r.html" in mistaken("show", "last", "--html", "no/r.html")


@pytest.mark.parametrize(
    "text, near",
    [
        ("[models.a", "cannot be read"),
        ("[modls.a]\nmodel = 'openai/m'", "did you mean 'models'"),
        ("[models.a]\nmodel = 'openai/m'\nbase_ur = 'x'", "did you mean 'base_url'"),
        ("[models.a]\nbase_url = 'x'", "lacks model"),
        ("[models.a]\nmodel = 'openai/m'\nmax_connections = 'x'", "must be int"),
    ],
)
@pytest.mark.parametrize("command", [[*RUN, *CAST], ["doctor"]], ids=" ".join)
def test_a_broken_models_toml(mistaken: Callable[..., str], command: list[str], text: str, near: str) -> None:
    Path("models.toml").write_text(text)
    assert near in mistaken(*command)


def test_a_mistyped_entry_comes_with_the_nearest(mistaken: Callable[..., str]) -> None:
    Path("models.toml").write_text("[models.my-model]\nmodel = 'openai/m'")
    assert "did you mean 'my-model'" in mistaken(*RUN, *CAST, "--model", "my-modle")


def test_a_store_of_another_program_is_left_alone(mistaken: Callable[..., str]) -> None:
    import sqlite3

    other = sqlite3.connect("songs.db")
    other.execute("CREATE TABLE songs (title)")
    other.commit()
    other.close()
    assert "another program" in mistaken("show", "last", "--store", "songs.db")
    assert "another program" in mistaken(*RUN, *CAST, "--store", "songs.db")


def test_a_file_that_is_no_store_is_left_alone(mistaken: Callable[..., str]) -> None:
    Path("notes.txt").write_text("dear diary " * 100)
    Path("short.txt").write_text("dear diary")
    with serving(Loopback()) as url:
        for command in (["show", "last"], [*RUN, *CAST, "--base-url", url]):
            line = mistaken(*command, "--store", "notes.txt")
            assert "notes.txt is no Interplay store; name another file with --store" in line
            line = mistaken(*command, "--store", "short.txt")
            assert "short.txt is no database; name another file with --store" in line


def test_a_run_that_another_writes_is_refused(mistaken: Callable[..., str]) -> None:
    first, _ = begin_runs()
    with run_lock(Path("interplay.db"), first):
        line = mistaken("score", first, code=3)
    assert f"process {os.getpid()}" in line


# Flags and help


def commands(
    command: click.Command, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        ours = set(command.list_commands(context)) - set(
            OTHERS.names()
        )  # what is known on this machine may be more
        for name in sorted(ours):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from commands(inner, (*path, name))


COMMANDS = dict(commands(interplay.cli.interplay))
FLAGS = [
    pytest.param(path, option, id=" ".join([*path, option.opts[0]]))
    for path, command in COMMANDS.items()
    for option in command.params
    if isinstance(option, click.Option) and option.opts[0] not in ("--help", "--version")
]


def test_every_verb_is_there() -> None:
    assert {path[0] for path in COMMANDS if path} == set(MEANINGS)
    assert ("run", "role_play") in COMMANDS
    assert len(FLAGS) > 30


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: " ".join(path) or "interplay")
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_every_verb_has_help(
    path: tuple[str, ...], flag: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = COMMANDS[path]
    assert command.help
    assert main([*path, flag]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.opts[0] in out
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("path, option", FLAGS)
def test_every_flag_says_what_it_does(path: tuple[str, ...], option: click.Option) -> None:
    assert option.help
    assert option.help[0].isupper() or option.help[0].isdigit()


@pytest.mark.parametrize("path, option", FLAGS)
def test_every_flag_has_a_variable_that_is_shown_beside_it(
    path: tuple[str, ...], option: click.Option
) -> None:
    assert option.envvar == "INTERPLAY_" + option.opts[0].lstrip("-").replace("-", "_").upper()
    assert option.show_envvar


def test_a_variable_is_as_good_as_its_flag(
    mistaken: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTERPLAY_LIMIT", "0")
    assert "--limit is a number of scenarios from 1, not 0" in mistaken(*RUN)
    monkeypatch.setenv("INTERPLAY_LIMIT", "few")
    assert "INTERPLAY_LIMIT" in mistaken(*RUN)
    monkeypatch.delenv("INTERPLAY_LIMIT")
    monkeypatch.setenv("INTERPLAY_STORE", "elsewhere.db")
    assert "elsewhere.db" in mistaken("show", "last")


def test_the_version_is_one_word(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert len(out.split()) == 1


# Mistakes that are noticed before anything is made or paid for


@pytest.mark.parametrize("what", ["nothing listens", "no base url", "no key", "no key variable", "no gguf"])
def test_a_model_that_cannot_answer_leaves_no_store_behind(mistaken: Callable[..., str], what: str) -> None:
    more = {
        "nothing listens": ["--base-url", f"http://127.0.0.1:{free_port()}/v1"],
        "no base url": ["--base-url", "localhost:8000"],
        "no key": [],
        "no key variable": ["--model", "mine"],
        "no gguf": ["--model", "local/no.gguf"],
    }
    Path("models.toml").write_text("[models.mine]\nmodel = 'openai/m'\nkey = 'NO_SUCH_VARIABLE'")
    assert mistaken(*RUN, *CAST, *more[what])


@pytest.mark.parametrize("base_url", ["http://127.0.0.1:99999/v1", "http://[::1/v1"])
def test_a_base_url_that_cannot_be_read(mistaken: Callable[..., str], base_url: str) -> None:
    assert mistaken(*RUN, *CAST, "--base-url", base_url)


def test_models_that_are_no_table(mistaken: Callable[..., str]) -> None:
    Path("models.toml").write_text("models = 3")
    assert mistaken("doctor")


@pytest.mark.parametrize(
    "more",
    [
        ["--length-median", "abc"],
        ["--html", "no/report.html"],
    ],
    ids=" ".join,
)
def test_what_only_concerns_the_end_is_checked_at_the_start(
    mistaken: Callable[..., str], more: list[str]
) -> None:
    loopback = Loopback()
    with serving(loopback) as url:
        try:
            mistaken(*RUN, *CAST, "--base-url", url, "--limit", "1", *more)
        finally:
            assert loopback.calls == 0


@pytest.mark.parametrize("arguments", [[], ["run"]], ids=" ".join)
def test_a_command_that_stops_short_is_helped(
    arguments: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith(" ".join(["Usage: interplay", *arguments]))
    assert out.count("\n") > 5
    assert list(folder.iterdir()) == []


def test_a_flag_before_the_benchmark_is_told_where_it_belongs(mistaken: Callable[..., str]) -> None:
    line = mistaken("run", "--limit", "3", "role_play")
    assert line == "interplay: --limit comes after the name, as in: interplay run NAME --limit\n"
