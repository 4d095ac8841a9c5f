"""The first page: a card for each benchmark, its newest runs, and how far each has come."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from interplay.benchmarks import find
from interplay.core.benchmark import Benchmark
from interplay.reporting.pages.drawing import draw
from interplay.reporting.pages.homes import SHOWN, home, played_in_words
from interplay.reporting.pages.links import Links
from interplay.running.spec import make_spec
from interplay.store.records import Records, Run
from tests.reporting.test_html import Page

ROLE_PLAY = find("role_play")


def begin(
    records: Records, benchmark: Benchmark, seed: int = 0, models: tuple[str, ...] = ("openai/a",)
) -> Run:
    roles = (
        {"interrogator": ["openai/u"], "judge": ["openai/j"]}
        if benchmark is ROLE_PLAY
        else {"judge": ["openai/j"]}
    )
    spec = make_spec(benchmark, models=models, roles=roles, seed=seed)
    extent = {"limit": 4, "epochs": 2, "judges": ["openai/j"], "rubric": "r"}
    return records.begin(spec.run_id, benchmark.name, spec.identity(), extent)


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Records]:
    with Records(tmp_path / "a.db", create=True) as found:
        yield found


def page_of(records: Records, states: Mapping[str, int] | None, **given: bool) -> str:
    return draw("home", Links(), home(records, lambda run: states, **given))


def test_a_store_without_runs_says_how_to_start(records: Records) -> None:
    page = Page(page_of(records, {}))
    assert "interplay run role_play" in page.text
    for name in ("simulation", "word_guessing"):
        assert f"interplay run {name}" in page.text


def test_newest_runs_come_first_and_the_rest_is_a_link_away(records: Records) -> None:
    runs = [begin(records, ROLE_PLAY, seed) for seed in range(SHOWN + 3)]
    newest = home(records, lambda run: {})["cards"][0]
    assert [line.run.id for line in newest["lines"]] == [run.id for run in reversed(runs)][:SHOWN]
    assert newest["left_out"] == 3
    page = Page(page_of(records, {}))
    addresses = [attributes.get("href") for tag, attributes in page.tags if tag == "a"]
    assert "/?all=1#role_play" in addresses
    assert f"/runs/{runs[0].id}/" not in addresses
    whole = Page(page_of(records, {}, everything=True))
    shown = [attributes.get("href") for tag, attributes in whole.tags if tag == "a"]
    assert {f"/runs/{run.id}/" for run in runs} <= set(shown)


def test_the_benchmark_played_last_comes_first_and_writers_stand_below(records: Records) -> None:
    begin(records, ROLE_PLAY)
    begin(records, find("simulation"))
    identity = {"benchmark": "role_play_writing", "models": ["openai/w"], "scenarios": "x", "seed": 0}
    identity |= {"roles": {}, "options": {}, "sampling": {}}
    extent = {"limit": 1, "epochs": 1, "judges": [], "rubric": "none"}
    records.begin("role_play_writing-1", "role_play_writing", identity, extent)
    found = home(records, lambda run: {"done": 1})
    assert [card["name"] for card in found["cards"]] == ["simulation", "role_play"]
    assert [card["name"] for card in found["others"]] == ["role_play_writing"]
    page = Page(page_of(records, {"done": 1}))
    assert [tag for tag, _ in page.tags].count("h1") == 1


def test_a_benchmark_that_nobody_knows_is_shown_as_such(records: Records) -> None:
    identity = {
        "benchmark": "chess",
        "models": ["openai/a"],
        "roles": {},
        "options": {},
        "sampling": {},
        "seed": 0,
    }
    records.begin("chess-1", "chess", identity, {"limit": 1, "epochs": 1, "judges": [], "rubric": "none"})
    page = Page(page_of(records, {"done": 1}))
    assert "does not know this benchmark" in page.text
    assert "/boards/chess/" not in [attributes.get("href") for _, attributes in page.tags]


@pytest.mark.parametrize(
    ("states", "told"),
    [
        (None, "8 planned; being counted"),
        ({}, "0 done of 8"),
        ({"done": 5, "void": 1, "open": 2}, "5 done, 1 void, 2 open of 8"),
        ({"done": 9_000}, "9,000 done of 9,000"),
    ],
)
def test_how_far_a_run_has_come_is_told(states: Mapping[str, int] | None, told: str) -> None:
    assert played_in_words(states, 8) == told


def test_a_run_that_is_not_finished_is_marked(records: Records) -> None:
    begin(records, ROLE_PLAY)
    assert "not finished" in page_of(records, {"done": 7})
    assert "not finished" in page_of(records, {"done": 7, "open": 1})
    assert "not finished" not in page_of(records, {"done": 7, "void": 1})


def test_names_are_text_and_many_models_are_counted(records: Records) -> None:
    begin(records, ROLE_PLAY, models=("openai/<b>bold</b>", "openai/b", "openai/c", "openai/d", "openai/e"))
    text = page_of(records, {})
    assert "<b>bold" not in text
    assert "openai/<b>bold</b>" in Page(text).text
    assert "and 2 more" in text
