"""The page behind a number: what it means, what it was made of, and the conversations themselves."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from interplay.benchmarks import find
from interplay.core.board import Board, Column, Estimate
from interplay.core.measures import YES_OR_NO, Scale
from interplay.reporting.pages import numbers
from interplay.reporting.pages.drawing import draw
from interplay.reporting.pages.links import Links
from interplay.reporting.pages.numbers import Question, Seen
from interplay.reporting.pages.ranks import Place
from interplay.running.comparing import Group
from interplay.running.results import board_of
from interplay.store.behind import Behind
from interplay.store.browsing import PAGE
from interplay.store.records import Records, Run
from tests.reporting.test_html import Page
from tests.web.big_store import make_store
from tests.web.stocked import stock

MODEL = "openai/player-a"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("numbers") / "a.db"
    stock(path)
    make_store(path, 400)
    return path


@pytest.fixture
def records(store: Path) -> Iterator[Records]:
    with Records(store) as found:
        yield found


@pytest.fixture(scope="module")
def boards(store: Path) -> dict[str, Board]:
    with Records(store) as found:
        return {run.id: board_of(found, run, find(run.benchmark)) for run in found.runs()}


def large(records: Records) -> Run:
    return records.runs()[-1]


def asked_of(
    records: Records, boards: dict[str, Board], key: str, run: Run | None = None, model: str = MODEL
) -> Question:
    run = run or large(records)
    found = numbers.question(run, find(run.benchmark), boards[run.id], model, key)
    assert found is not None
    return found


def page_of(records: Records, asked: Question, seen: Seen = Seen(), place: Place | None = None) -> str:  # noqa: B008  # frozen
    behind = Behind(records, asked.run, asked.model)
    listed = numbers.list_behind(asked.column, asked.benchmark, behind, seen)
    return draw("number", Links(), {**numbers.page(asked, behind, listed, seen, place), "elsewhere": None})


def test_every_number_of_every_board_has_a_page(records: Records, boards: dict[str, Board]) -> None:
    pages = 0
    for run in records.runs():
        for row in boards[run.id].rows:
            for column in boards[run.id].columns:
                asked = numbers.question(
                    run, find(run.benchmark), boards[run.id], str(row["model"]), column.key
                )
                if asked is None:
                    assert column.kind == "text"
                    continue
                page = Page(page_of(records, asked))
                assert [tag for tag, _ in page.tags].count("h1") == 1
                assert column.meaning[1:] in page.text
                pages += 1
    assert pages > 100


@pytest.mark.parametrize(
    ("key", "kind", "measure"),
    [
        ("ln_score", "made of", "final"),
        ("aggregate", "measure", "final"),
        ("fluency", "measure", "fluency"),
        ("refusal_ratio", "measure", "refused"),
        ("length", "measure", "length"),
        ("rank", "rank", "final"),
        ("n", "count", "final"),
        ("void", "void", None),
        ("unscored", "unscored", None),
        ("cost", "usage", None),
        ("tokens", "usage", None),
    ],
)
def test_a_column_is_explained_by_what_it_is(
    records: Records, boards: dict[str, Board], key: str, kind: str, measure: str | None
) -> None:
    asked = asked_of(records, boards, key)
    behind = Behind(records, asked.run, MODEL)
    found = numbers.page(
        asked, behind, numbers.list_behind(asked.column, asked.benchmark, behind, Seen()), Seen()
    )
    assert found["kind"] == kind
    assert (found["measure"].name if found["measure"] else None) == measure


def test_conversations_are_listed_judge_by_judge_and_linked(
    records: Records, boards: dict[str, Board]
) -> None:
    asked = asked_of(records, boards, "aggregate")
    behind = Behind(records, asked.run, MODEL)
    lowest = numbers.list_behind(asked.column, asked.benchmark, behind, Seen())
    assert lowest.head == ("final", "openai/judge-1", "openai/judge-2")
    assert len(lowest.rows) == PAGE
    assert lowest.has_more
    values = [float(one.cells[0]) for one in lowest.rows]
    assert values == sorted(values)
    highest = numbers.list_behind(asked.column, asked.benchmark, behind, Seen(highest=True))
    assert float(highest.rows[0].cells[0]) > values[-1]
    page = Page(page_of(records, asked))
    links = [attributes.get("href") for tag, attributes in page.tags if tag == "a"]
    assert f"/runs/{asked.run.id}/conversations/{lowest.rows[0].number}/" in links
    address = f"/runs/{asked.run.id}/numbers/openai%2Fplayer-a/aggregate/"
    assert f"{address}?skip={PAGE}" in links
    assert f"{address}?order=highest" in links
    last = Page(page_of(records, asked, Seen(highest=True, skip=PAGE)))
    links = [attributes.get("href") for tag, attributes in last.tags if tag == "a"]
    assert f"{address}?order=highest" in links
    assert f"{address}?order=highest&skip={2 * PAGE}" not in links


def test_the_estimate_is_laid_open(records: Records, boards: dict[str, Board]) -> None:
    asked = asked_of(records, boards, "aggregate")
    assert isinstance(asked.cell, Estimate)
    text = " ".join(Page(page_of(records, asked)).text.split())
    assert f"{asked.cell.n} values" in text
    assert "clustered in two ways" in text
    assert "judged by openai/judge-1, openai/judge-2" in text
    assert "void" in dict(numbers.facts_of(asked))


def test_bounds_of_what_is_missing_are_told(records: Records, boards: dict[str, Board]) -> None:
    place = Place("1–3", 0.125, 2.5, 3.25)
    text = " ".join(Page(page_of(records, asked_of(records, boards, "aggregate"), place=place)).text.split())
    assert "12.5% of the conversations are void or without a verdict" in text
    assert "would be 2.50; if all were as good as can be, 3.25" in text
    assert "1–3" in text
    other = Page(page_of(records, asked_of(records, boards, "fluency"), place=place)).text
    assert "12.5%" not in other, "the bounds are of another measure"


def test_void_ones_are_listed_with_their_failure(records: Records, boards: dict[str, Board]) -> None:
    page = Page(page_of(records, asked_of(records, boards, "void")))
    behind = Behind(records, large(records), MODEL)
    for failure, count in behind.failures().items():
        assert f"{failure} {count}" in page.text
    links = [str(attributes.get("href")) for tag, attributes in page.tags if tag == "a"]
    assert any("state=void&failure=" in link for link in links)
    none = next(run for run in records.runs() if run.benchmark == "role_play")
    alder = asked_of(records, boards, "void", none, "openai/alder")
    assert "No conversation of this model is void" in page_of(records, alder)


def test_what_is_not_on_the_board_has_no_page(records: Records, boards: dict[str, Board]) -> None:
    run = large(records)
    for model, key in ((MODEL, "nothing"), ("openai/nobody", "rank"), (MODEL, "model"), ("", "")):
        assert numbers.question(run, find(run.benchmark), boards[run.id], model, key) is None


def test_the_same_number_on_a_board_of_several_runs_is_told(
    records: Records, boards: dict[str, Board]
) -> None:
    asked = asked_of(records, boards, "aggregate")
    other = replace(asked.run, number=99, id="another")
    assert numbers.elsewhere(asked, [Group((asked.run,), asked.board)]) is None
    assert numbers.elsewhere(asked, []) is None
    found = numbers.elsewhere(asked, [Group((asked.run, other), asked.board)])
    assert found is not None
    assert found.id == asked.run.id
    assert found.others == (other,)
    behind = Behind(records, asked.run, MODEL)
    listed = numbers.list_behind(asked.column, asked.benchmark, behind, Seen())
    page = draw("number", Links(), {**numbers.page(asked, behind, listed, Seen()), "elsewhere": found})
    assert "/runs/another/numbers/openai%2Fplayer-a/aggregate/" in page


@pytest.mark.parametrize(("model", "link"), [(MODEL, "?model=openai%2Fplayer-a"), ("read by others", "")])
def test_a_board_without_measures_says_that_conversations_have_none(
    records: Records, model: str, link: str
) -> None:
    run = replace(large(records), benchmark="role_play_writing")
    nothing = replace(find("role_play"), measures=lambda options: ())
    column = Column("strange", "strange", "something else", "score")
    asked = Question(
        run, nothing, Board("b", (column,), ({"model": model, "strange": 2.0},)), model, column, 2.0
    )
    page = page_of(records, asked)
    assert "Single conversations have no score of their own here" in page
    assert "Below" not in page
    assert f'href="/runs/{run.id}/conversations/{link}"' in page


@pytest.mark.parametrize(
    ("value", "scale", "told"),
    [
        (None, Scale(1, 5), "–"),
        (1.0, YES_OR_NO, "yes"),
        (0.0, YES_OR_NO, "no"),
        (0.5, YES_OR_NO, "0.50"),
        (3.0, Scale(1, 5), "3.00"),
        (1234.0, Scale(0, float("inf"), whole=False), "1,234"),
        (72.5, Scale(0, float("inf"), whole=False), "72.50"),
    ],
)
def test_values_are_written_as_their_scale_is(value: float | None, scale: Scale, told: str) -> None:
    assert numbers.figure(value, scale) == told
