"""The page of a benchmark: groups by name, their runs, rank sets, and what stands apart."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from interplay import api
from interplay.analysis.comparison import compare, comparison_board
from interplay.benchmarks import find
from interplay.core.board import Board, Column, Estimate
from interplay.models.loopback import Loopback, Said, rehearse, serving
from interplay.reporting.pages import boards
from interplay.reporting.pages.drawing import draw
from interplay.reporting.pages.links import Links
from interplay.reporting.pages.ranks import RANK_SET, main_measure, places_of, with_rank_sets
from interplay.running.comparing import Group, groups_of
from interplay.running.keeping import Kept
from interplay.store.browsing import FEW
from interplay.store.records import Records, Run
from tests.reporting.test_html import Page
from tests.web.big_store import make_store

ROLE_PLAY = find("role_play")
AT = "2026-01-02T03:04:05+00:00"


JUDGES = ["openai/judge-1", "openai/judge-2"]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs that can be compared, the newer with one more model, and one with another judge."""
    path = tmp_path_factory.mktemp("boards") / "a.db"
    with serving(Loopback({"*": lambda asked: Said(rehearse(asked))})) as url:
        how = api.setup(path, base_url=url)
        for models, seed, judges in (
            (("a", "b"), 0, JUDGES),
            (("a", "c"), 1, JUDGES),
            (("a",), 0, JUDGES[:1]),
        ):
            named = [f"openai/{model}" for model in models]
            roles = {"interrogator": "openai/user", "judge": judges}
            api.run("role_play", named, limit=2, roles=roles, turns=2, seed=seed, how=how)
    return path


@pytest.fixture
def records(store: Path) -> Iterator[Records]:
    with Records(store) as found:
        yield found


def russian(run: Run) -> Run:
    """The same run, as if it had been in Russian."""
    return replace(run, id=f"{run.id}-ru", identity={**run.identity, "options": {"language": "ru"}})


def page_of(records: Records, kept: Kept[list[Group]], links: Links = Links()) -> Page:  # noqa: B008  # frozen
    return Page(draw("board", links, boards.page(records, ROLE_PLAY, kept, links)))


def groups(records: Records) -> list[Group]:
    return groups_of(records, records.runs(), ROLE_PLAY)


def hrefs(page: Page) -> list[str]:
    return [str(attributes["href"]) for tag, attributes in page.tags if tag == "a"]


def test_a_group_is_named_in_words(records: Records) -> None:
    run = records.runs()[0]
    assert boards.name_of(run, ROLE_PLAY) == "English, judged by openai/judge-1 and openai/judge-2"
    assert boards.name_of(russian(run), ROLE_PLAY).startswith("Russian, ")
    rules = replace(run, extent={**run.extent, "judges": [], "rubric": "none"}, benchmark="word_guessing")
    assert boards.name_of(
        replace(rules, identity={**run.identity, "options": {}}), find("word_guessing")
    ) == ("Scored by rule")
    unjudged = replace(run, extent={**run.extent, "judges": []})
    assert boards.name_of(unjudged, ROLE_PLAY) == "English, not judged"


def test_facts_name_options_that_differ_and_files_by_their_name(records: Records) -> None:
    run = records.runs()[0]
    facts = dict(boards.facts_of([run], ROLE_PLAY))
    assert facts == {"scenarios": "2", "interrogator": "openai/user", "turns": "2"}
    again = replace(run, extent={**run.extent, "epochs": 3})
    assert dict(boards.facts_of([again, again], ROLE_PLAY))["scenarios"] == "2, each 3 times"
    assert dict(boards.facts_of([run, again], ROLE_PLAY))["scenarios"] == "2", "each run has its own repeats"
    own = replace(run, identity={**run.identity, "options": {"rubric": '{"name": "mine", "criteria": []}'}})
    assert dict(boards.facts_of([own], ROLE_PLAY))["rubric"] == "mine"


def test_each_language_has_its_board_and_others_stand_apart(records: Records) -> None:
    first, *others = groups(records)
    foreign = Group((russian(first.runs[0]),), first.board, "other options (language: ru not en)")
    shown = boards.page(records, ROLE_PLAY, Kept([first, foreign, *others], AT), Links())
    assert [one.language for one in shown["leading"]] == ["en", "ru"]
    assert [one.apart for one in shown["apart"]] == [one.apart for one in others]
    assert all(one.apart for one in shown["apart"])


def test_runs_of_a_group_are_linked_with_what_is_said_of_them(records: Records) -> None:
    found = groups(records)
    page = page_of(records, Kept(found, AT))
    for group in found:
        for run in group.runs:
            assert f"/runs/{run.id}/" in hrefs(page)
    assert "4 conversations, judged by openai/judge-1 (judge-1), openai/judge-2 (judge-2)." in page.text
    assert f"Run {found[0].runs[0].id}:" not in page.text, (
        "it is said beside the run, and not again below the board"
    )


def test_rank_sets_are_those_of_the_comparison_and_are_kept(records: Records) -> None:
    first = groups(records)[0]
    measure = main_measure(first.runs[0], ROLE_PLAY)
    assert measure is not None
    told = comparison_board(compare(records, first.runs, ROLE_PLAY, measure))
    board = with_rank_sets(first.board, places_of(records, first.runs, ROLE_PLAY), measure)
    assert {row["model"]: row[RANK_SET] for row in board.rows} == {
        row["model"]: row["ranks"] for row in told.rows
    }
    assert [column.key for column in board.columns[:3]] == ["model", "rank", RANK_SET]
    query = "SELECT key, body, made FROM kept WHERE key LIKE '%\"ranks\"%'"
    kept = records.db.execute(query).fetchall()
    assert kept
    assert places_of(records, first.runs, ROLE_PLAY) == places_of(records, first.runs[::-1], ROLE_PLAY)
    assert records.db.execute(query).fetchall() == kept


def test_very_many_conversations_are_not_compared_while_somebody_waits(tmp_path: Path) -> None:
    run = make_store(tmp_path / "a.db", FEW + 200, scenarios=50)
    with Records(tmp_path / "a.db") as records:
        assert places_of(records, [run], ROLE_PLAY) is None
        columns = (Column("model", "model", "who", "text"), Column("n", "n", "n", "count"))
        group = Group((run,), Board("b", columns, ({"model": "openai/player-a", "n": 7},)))
        page = page_of(records, Kept([group], AT))
    assert f"interplay compare {run.id}" in page.text
    assert RANK_SET not in str(page.tags)


def test_one_model_or_no_measure_has_no_rank_set(records: Records) -> None:
    board = groups(records)[0].board
    assert with_rank_sets(board, {}, None) is board
    assert with_rank_sets(board, None, main_measure(records.runs()[0], ROLE_PLAY)) is board


def test_numbers_lead_to_the_newest_run_that_measured_the_model(records: Records) -> None:
    old, new = groups(records)[0].runs
    assert old.number < new.number
    column, text = Column("ln_score", "LN", "m", "score"), Column("sampling", "s", "m", "text")
    row = {"model": "openai/a", "ln_score": 3.0, "sampling": "x", "n": None, RANK_SET: "1–2"}
    explain = boards.explainer(Links(), [old, new])
    assert explain(row, column) == f"/runs/{new.id}/numbers/openai%2Fa/ln_score/"
    assert explain(row, text) == ""
    assert explain({**row, "ln_score": Estimate(None, None, None, 0)}, column) == ""
    assert explain(row, Column("n", "n", "m", "count")) == ""
    assert explain(row, Column(RANK_SET, "r", "m", "count")) == ""
    assert explain({**row, "model": "openai/elsewhere"}, column) == ""
    assert boards.explainer(Links("../../", is_static=True), [old])(row, column) == ""


@pytest.mark.parametrize(
    ("kept", "told", "again"),
    [
        (Kept(None), "being computed for the first time", ["3"]),
        (Kept([], AT), "was played to its end yet", []),
        (Kept(None, trouble="no memory"), "The board of now is not to be had: no memory.", []),
        (Kept([], AT, stale=True, trouble="no memory"), "Below is the one of 2026-01-02 03:04 UTC.", []),
    ],
)
def test_a_board_that_is_not_there_is_told(
    records: Records, kept: Kept[list[Group]], told: str, again: list[str]
) -> None:
    page = page_of(records, kept)
    assert told in " ".join(page.text.split())
    assert [attributes["data-reload"] for _, attributes in page.tags if "data-reload" in attributes] == again


def test_an_older_board_is_shown_with_its_time_while_a_newer_is_computed(records: Records) -> None:
    page = page_of(records, Kept(groups(records), AT, stale=True))
    assert "Something changed since 2026-01-02 03:04 UTC" in page.text
    assert [a["data-reload"] for _, a in page.tags if "data-reload" in a] == ["10"]
    assert "openai/c" in page.text
    fresh = page_of(records, Kept(groups(records), AT))
    assert not [a for _, a in fresh.tags if "data-reload" in a or a.get("http-equiv") == "refresh"]


def test_a_folder_of_files_has_no_number_pages_and_never_looks_again(records: Records) -> None:
    page = page_of(records, Kept(groups(records), AT, stale=True), Links("../../", is_static=True))
    assert not [one for one in hrefs(page) if "numbers" in one or one.startswith("/")]
    assert not [a for _, a in page.tags if "data-reload" in a or a.get("http-equiv") == "refresh"]
    pictures = [str(a["src"]) for tag, a in page.tags if tag == "img" and "charts" in str(a["src"])]
    assert pictures
    assert all(one.startswith("../../boards/role_play/") for one in pictures)
