"""Prompts of one's own through the command line: they are what is said, part of what a run is, and in its record."""

from pathlib import Path
from shutil import rmtree

import pytest

from interplay.benchmarks.role_play.protocol import PROMPTS, digest
from interplay.core.prompts import LARGEST_FILE
from interplay.models.loopback import Asked
from tests.benchmarks.stage import BENCHMARK
from tests.running.job import JUDGES, command
from tests.running.typed import judge_again, overheard, provider, refused, run, text_of

Capsys = pytest.CaptureFixture[str]


def folder_of(folder: Path, **texts: str | bytes) -> str:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(folder)


def edited(name: str) -> str:
    """A prompt that ships, with a line of one's own before it."""
    return f"A line of my own for {name}.\n\n{PROMPTS.texts[name]}"


def lines_in(asked: Asked) -> set[str]:
    text = text_of(asked)
    return {name for name in PROMPTS.texts if f"A line of my own for {name}." in text}


@pytest.mark.parametrize(
    ("version", "of_user", "of_player", "of_judge"),
    [
        ("v2", {"interrogator", "interrogator_opening"}, {"player"}, {"judge", "judge_material", "player"}),
        (
            "v1",
            {"examiner", "examiner_opening", "examiner_turn", "player"},
            {"player"},
            {"judge_by_turns", "judge_turn", "player"},
        ),
    ],
)
def test_every_prompt_can_be_replaced_and_reaches_whom_it_is_for(
    version: str,
    of_user: set[str],
    of_player: set[str],
    of_judge: set[str],
    tmp_path: Path,
    capsys: Capsys,
) -> None:
    seen: list[Asked] = []
    prompts = folder_of(tmp_path / "mine", **{name: edited(name) for name in PROMPTS.texts})
    with provider(overheard(seen)) as (_, url):
        more = ("--version", version, "--prompts", prompts)
        run(command(url, tmp_path / "a.db", limit=1, judges=JUDGES[:1], more=more), capsys)
    last = {asked.model: lines_in(asked) for asked in seen}
    assert last == {"user": of_user, "player": of_player, "judge-1": of_judge}


def test_prompts_are_part_of_what_a_run_is_wherever_they_lie(tmp_path: Path, capsys: Capsys) -> None:
    store = tmp_path / "interplay.db"
    with provider() as (loopback, url):

        def start(*more: str) -> str:
            return str(run(command(url, store, limit=1, judges=JUDGES[:1], more=more), capsys)["run"])

        plain = start()
        mine = start("--prompts", folder_of(tmp_path / "a", interrogator_opening="Now begin, please."))
        calls = loopback.calls
        same = start("--prompts", folder_of(tmp_path / "b", interrogator_opening="Now begin, please."))
        assert loopback.calls == calls
        other = start("--prompts", folder_of(tmp_path / "b", interrogator_opening="Now begin."))
        assert mine == same
        assert len({plain, mine, other}) == 3


def test_a_judge_joins_such_a_run_without_the_folder(tmp_path: Path, capsys: Capsys) -> None:
    store, seen = tmp_path / "interplay.db", list[Asked]()
    prompts = folder_of(tmp_path / "mine", judge=edited("judge"), player=edited("player"))
    with provider(overheard(seen)) as (loopback, url):
        before = run(command(url, store, limit=2, judges=JUDGES[:1], more=("--prompts", prompts)), capsys)
        rmtree(prompts)
        after = run(judge_again(url, store, "last", "--model-role", "judge=openai/judge-2"), capsys)
        assert loopback.calls_by_model()["judge-2"] == 2
        assert after["run"] == before["run"]
        assert after["rows"][0]["n"] == 2
        by_turns = run(judge_again(url, store, "last", "--rubric", "v1"), capsys)
        assert by_turns["rows"][0]["n"] == 2
    judges = [asked for asked in seen if asked.model.startswith("judge")]
    assert all("player" in lines_in(asked) for asked in judges)
    assert [lines_in(asked) for asked in judges if asked.model == "judge-2"][:2] == [{"judge", "player"}] * 2


def test_runs_with_other_prompts_stand_apart(tmp_path: Path, capsys: Capsys) -> None:
    store = tmp_path / "interplay.db"
    with provider() as (_, url):
        run(command(url, store, limit=1), capsys)
        prompts = folder_of(tmp_path / "mine", interrogator_opening="Now begin, please.")
        run(command(url, store, limit=1, models=("openai/b",), more=("--prompts", prompts)), capsys)
    boards = run(["board", "role_play", "--store", str(store), "--json"], capsys)
    assert len(boards) == 2
    assert "other options (prompts" in boards[1]["apart"]


MISTAKES = {
    "unknown file": ({"plaier": PROMPTS.texts["player"]}, "plaier.md replaces no prompt; did you mean 'player'?"),
    "unknown place": (
        {"player": PROMPTS.texts["player"].replace("{{persona}}", "{{persona}} {{personna}}")},
        "player.md asks for {{personna}}, which it is not given; did you mean 'persona'?",
    ),
    "missing place": (
        {"interrogator": PROMPTS.texts["interrogator"].replace("{{situation}}", "")},
        "interrogator.md has no place for {{situation}}, which it is given",
    ),
    "missing section": ({"judge": "{{criteria}}"}, "judge.md has no place for {{flags}}, which it is given"),
    "place where there is none": (
        {"interrogator_opening": "Begin, {{name}}."},
        "interrogator_opening.md asks for {{name}}, which it is not given; there is none",
    ),
    "too large": (
        {"interrogator_opening": "x" * (LARGEST_FILE + 1)},
        f"interrogator_opening.md is larger than {LARGEST_FILE:,} bytes",
    ),
    "not UTF-8": ({"interrogator_opening": b"\xff\xfe"}, "interrogator_opening.md cannot be read: 'utf-8' codec"),
    "unclosed section": (
        {"player": PROMPTS.texts["player"] + "{{#greeting}}"},
        "player.md has {{#greeting}}, which is neither a name nor a closed section",
    ),
    "no prompt": ({}, "holds no prompt; one is named as in examiner, "),
}  # fmt: skip


@pytest.mark.parametrize("slip", MISTAKES)
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_a_slip_in_the_folder_stops_the_run_before_anything_is_sent_or_written(
    slip: str, version: str, tmp_path: Path, capsys: Capsys
) -> None:
    texts, complaint = MISTAKES[slip]
    prompts = folder_of(tmp_path / "mine", **texts)
    with provider() as (loopback, url):
        more = ("--version", version, "--prompts", prompts)
        error = refused(command(url, tmp_path / "a.db", limit=1, more=more), capsys)
        assert loopback.calls == 0
    assert complaint in error
    assert prompts in error
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_folder_that_is_not_there_is_a_mistake(tmp_path: Path, capsys: Capsys) -> None:
    line = command("http://127.0.0.1:9/v1", tmp_path / "a.db", more=("--prompts", str(tmp_path / "none")))

    assert f"there is no folder of prompts {tmp_path / 'none'}" in refused(line, capsys)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", sorted(PROMPTS.texts))
def test_play_is_another_protocol_exactly_where_a_prompt_of_play_is_replaced(
    name: str, tmp_path: Path
) -> None:
    options = BENCHMARK.read({"prompts": folder_of(tmp_path / "mine", **{name: edited(name)})})
    of_play = {
        "v1": {"examiner", "examiner_opening", "examiner_turn", "player"},
        "v2": {"interrogator", "interrogator_opening", "player"},
    }
    for version, names in of_play.items():
        plain, mine = (BENCHMARK.settle({**one, "version": version}) for one in ({}, options))
        assert (digest(plain) != digest(mine)) == (name in names)
