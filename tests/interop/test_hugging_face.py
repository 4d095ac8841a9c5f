"""A dataset of Hugging Face's: the real package opens every table of it, and nothing in its card is somebody else's."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import yaml
from markdown_it import MarkdownIt

from interplay.benchmarks import find
from interplay.interop.hugging_face import write_dataset
from interplay.interop.table_columns import TABLES
from interplay.interop.tables import write_tables
from interplay.reporting.markdown import board_as_markdown
from interplay.running.results import board_of
from interplay.store.labels import Given, Labels
from interplay.store.records import Records
from tests.analysis.planted import Office, Talk, acted, office, record
from tests.benchmarks.social_interaction.exchanged import intentions, scenario
from tests.benchmarks.stage import SCENARIOS
from tests.interop.tabled import in_form, in_order, read_all
from tests.reporting.exported import HOSTILE, spend, write

__all__ = ["office"]  # a fixture

EVIL = f"{HOSTILE}\n---\nlicense: mit\n---\n# Owned ![x](http://evil.example/x.png) \U0001f642 ${{x}}"


@pytest.fixture
def datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The package, which is to ask nobody for anything."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    import datasets

    datasets.disable_progress_bars()
    yield datasets
    datasets.enable_progress_bars()


def rows_of(datasets: Any, folder: Path, tmp_path: Path, *table: str) -> list[dict[str, Any]]:
    found = datasets.load_dataset(str(folder), *table, split="train", cache_dir=str(tmp_path / "cache"))
    return [in_form(row) for row in found]


def acted_out(office: Office, *models: str) -> None:
    """A run with failures and a label, of these models."""
    talks = [acted(number, model, j=(5, 4, 2 + number)) for model in models for number in range(3)]
    record(office.store, "role_play", [*talks, *(Talk(SCENARIOS[3], model) for model in models)])
    with Records(office.store) as records, Labels(office.store) as labels:
        numbers = records.numbers(records.find("last"))
        labels.add([Given(numbers[0], "ann", "fluency", 2.0)])


def front(folder: Path) -> Any:
    """What the hub reads of a card."""
    from huggingface_hub import DatasetCard

    text = (folder / "README.md").read_text(encoding="utf-8")
    told = DatasetCard.load(folder / "README.md").data.to_dict()
    assert told == yaml.safe_load(text.split("\n---\n")[0].removeprefix("---\n"))
    return told


def test_every_table_is_opened_by_the_real_package(datasets: Any, office: Office, tmp_path: Path) -> None:
    acted_out(office, "openai/a", "openai/b")
    folder = tmp_path / "dataset"
    office.types("export", "last", str(folder), "--to", "huggingface")
    assert office.said.startswith(f"Wrote {folder}: ")
    assert f"datasets.load_dataset({str(folder)!r}, 'scores')" in office.said
    with Records(office.store) as records:
        write_tables(records, records.find("last"), find("role_play"), tmp_path / "flat")
    wanted = read_all(tmp_path / "flat")
    configs = {one["config_name"]: one for one in front(folder)["configs"]}
    assert set(configs) == {name for name, rows in wanted.items() if rows} >= {"scores", "labels", "verdicts"}
    for name in configs:
        found = rows_of(datasets, folder, tmp_path, name)
        assert in_order(found) == in_order([in_form(row) for row in wanted[name]]), name
    assert rows_of(datasets, folder, tmp_path) == rows_of(datasets, folder, tmp_path, "scores")
    assert [name for name, one in configs.items() if one.get("default")] == ["scores"]


def test_the_card_says_what_it_is_and_shows_the_board(office: Office, tmp_path: Path) -> None:
    acted_out(office, "openai/a", "openai/b")
    folder = tmp_path / "dataset"
    with Records(office.store) as records:
        run, benchmark = records.find("last"), find("role_play")
        write_dataset(records, run, benchmark, folder)
        board = board_as_markdown(board_of(records, run, benchmark), run, benchmark)
    told = front(folder)
    assert told["pretty_name"] == f"Interplay: role_play, run {run.id}"
    assert told["tags"] == ["interplay", "evaluation", "role_play"]
    assert "license" not in told  # which only its owner can choose
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert board.rstrip("\n") in card
    for table in TABLES:
        is_there = (folder / "data" / table.name).exists()
        assert (f"\n### {table.name}\n" in card) == is_there
        assert is_there or re.search(rf"This run has nothing for .*\b{table.name}\b", card)
    code = re.findall(r"```python\n(.*?)```", card, re.DOTALL)
    assert len(code) == 2
    for block in code:
        compile(block, "card", "exec")


def test_the_code_in_the_card_finds_the_messages_of_a_call(
    datasets: Any, office: Office, tmp_path: Path
) -> None:
    folder, names = tmp_path / "dataset", dict[str, Any]()
    acted_out(office, "openai/a")
    with Records(office.store) as records:
        run = records.find("last")
        write(records, run, lambda journal: spend(journal, 1.0))
        write_dataset(records, run, find("role_play"), folder)
    card = (folder / "README.md").read_text(encoding="utf-8")
    loading, finding = re.findall(r"```python\n(.*?)```", card, re.DOTALL)
    loading = loading.replace('"path/of/this/folder"', f"{str(folder)!r}")
    loading = loading.replace("split=", f"cache_dir={str(tmp_path / 'cache')!r}, split=")
    exec(loading, names)
    exec(finding, names)
    assert list(names["scores"].columns)[:2] == ["run", "conversation"]
    calls, messages = (rows_of(datasets, folder, tmp_path, name) for name in ("calls", "messages"))
    assert list(names["thread"](messages, calls[0]["message"])) == [("user", "hello")]


def test_nothing_that_others_wrote_is_more_than_text_in_the_card(
    datasets: Any, office: Office, tmp_path: Path
) -> None:
    acted_out(office, EVIL, "--- evil: {}")
    folder = tmp_path / "dataset"
    with Records(office.store) as records:
        write_dataset(records, records.find("last"), find("role_play"), folder)
    told = front(folder)
    assert set(told) == {"pretty_name", "tags", "configs"}
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert card.count("\n---\n") == 1
    drawn = MarkdownIt("gfm-like", {"html": True}).render(card.split("\n---\n")[1])
    assert "evil.example" in drawn  # as text
    assert not re.search(r"<script|<img|<a |<h1>Owned|<li>license", drawn)
    assert EVIL in {row["model"] for row in rows_of(datasets, folder, tmp_path, "scores")}


def test_a_hostile_id_does_not_break_the_first_lines(office: Office, tmp_path: Path) -> None:
    acted_out(office, "openai/a")
    with Records(office.store) as records:
        records.db.execute("UPDATE runs SET id = ?", (f"x\n---\nlicense: mit\n'\"\\ {EVIL}",))
        write_dataset(records, records.runs()[0], find("role_play"), tmp_path / "dataset")
    told = front(tmp_path / "dataset")
    assert set(told) == {"pretty_name", "tags", "configs"}
    assert told["pretty_name"].startswith("Interplay: role_play, run x\n---\nlicense: mit\n'\"\\ =HYPERLINK")


def test_people_are_not_named_in_the_card_unless_they_are_to_be(office: Office, tmp_path: Path) -> None:
    acted_out(office, "human/ada_b", "openai/a")
    texts = []
    for names in (False, True):
        folder = tmp_path / f"dataset-{names}"
        with Records(office.store) as records:
            told = write_dataset(records, records.find("last"), find("role_play"), folder, names=names)
        assert told.endswith("People have numbers in place of names.") is not names
        texts.append((folder / "README.md").read_text(encoding="utf-8"))
    assert "ada" not in texts[0] and "human/person-1" in texts[0]
    assert "ada" in texts[1]


def test_people_are_named_in_no_heading_of_a_table(office: Office, tmp_path: Path) -> None:
    talks = [Talk(scenario(), model, intentions("persuasion")) for model in ("human/zoe", "openai/a")]
    record(office.store, "social_interaction", talks, scene="intentions")
    assert "human/zoe" in office.types("export", "last", "-", "--format", "markdown")  # of their owner
    for kind in ("huggingface", "parquet", "inspect"):
        office.types("export", "last", str(tmp_path / kind), "--to", kind)
    card = (tmp_path / "huggingface" / "README.md").read_text(encoding="utf-8")
    assert "**human/person-1**: how often in the sessions of human/person-1" in card
    logs = [ZipFile(path) for path in (tmp_path / "inspect").iterdir()]
    texts = [log.read(name).decode() for log in logs for name in log.namelist()]
    assert len([text for text in texts if "how often in the sessions of human/person-1" in text]) == 2
    for text in (card, (tmp_path / "parquet" / "README.md").read_text(encoding="utf-8"), *texts):
        assert "zoe" not in text


def test_options_of_the_table_reach_the_board(tmp_path: Path) -> None:
    run = record(tmp_path / "a.db", "role_play", [acted(number, "m", j=(5, 4, 3)) for number in range(3)])
    cards = []
    with Records(tmp_path / "a.db") as records:
        for changes in (None, {"length_median": "1"}):
            write_dataset(records, run, find("role_play"), tmp_path / "out", changes=changes)
            cards.append((tmp_path / "out" / "README.md").read_text(encoding="utf-8"))
    assert cards[0] != cards[1]


def test_a_run_in_which_nothing_came_to_anything_opens_too(
    datasets: Any, office: Office, tmp_path: Path
) -> None:
    record(office.store, "role_play", [Talk(SCENARIOS[3], "m")])
    folder = tmp_path / "dataset"
    office.types("export", "last", str(folder), "--to", "huggingface")
    assert "'conversations')" in office.said
    [row] = rows_of(datasets, folder, tmp_path)
    assert (row["state"], row["failure"]) == ("void", "simulator error")


def test_a_folder_with_something_else_in_it_is_left_alone(office: Office, tmp_path: Path) -> None:
    acted_out(office, "m")
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "README.md").write_text("my own card")
    said = office.mistakes("export", "last", str(mine), "--to", "huggingface")
    assert "name a new or an empty folder" in said
    assert [path.name for path in mine.iterdir()] == ["README.md"]


def test_one_layout_replaces_the_other(office: Office, tmp_path: Path) -> None:
    acted_out(office, "m")
    folder = tmp_path / "out"
    office.types("export", "last", str(folder), "--to", "parquet")
    office.types("export", "last", str(folder), "--to", "huggingface")
    assert sorted(path.name for path in folder.iterdir()) == [".interplay-tables", "README.md", "data"]
    office.types("export", "last", str(folder), "--to", "parquet")
    assert not (folder / "data").exists()
