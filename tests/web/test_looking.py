"""The first page, boards, charts and the pages behind numbers, over HTTP."""

import asyncio
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from interplay.benchmarks import find
from interplay.core.benchmark import Score
from interplay.reporting.pages.pictures import judges_and_people
from interplay.store.journal import Journal
from interplay.store.labels import Given, Labels
from interplay.store.records import Records
from interplay.store.writer import Writer
from tests.reporting.test_html import Page
from tests.web.served import Answer, Served, serving
from tests.web.stocked import MODELS, stock

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, dict[str, str]]]:
    """A store with a run of each benchmark; people have labelled the role-play."""
    store = tmp_path_factory.mktemp("looking") / "a.db"
    runs = stock(store)
    with Records(store) as records, Labels(store) as labels:
        names = ("in_character", "entertaining", "fluency")
        numbers = records.numbers(records.find(runs["role_play"]))[:4]
        labels.add([Given(number, "ruth", name, 4.0) for number in numbers for name in names])
    with serving(store) as server:
        yield server, runs


def read(server: Served, path: str, status: int = 200) -> Answer:
    answer = server.ask(path)
    assert answer.status == status, (path, answer.text[:500])
    return answer


def hrefs(text: str) -> list[str]:
    return [
        str(attributes["href"]) for tag, attributes in Page(text).tags if tag == "a" and "href" in attributes
    ]


def pictures_in(text: str) -> list[str]:
    found = []
    for tag, attributes in Page(text).tags:
        if tag == "img" and "/charts/" in str(attributes["src"]):
            assert attributes["alt"], "whoever cannot see the chart is told what it shows"
            found.append(str(attributes["src"]))
        elif tag == "source":
            found.append(str(attributes["srcset"]))
    return found


def test_the_first_page_leads_to_every_board_and_run(served: tuple[Served, dict[str, str]]) -> None:
    server, runs = served
    page = read(server, "/")
    for benchmark, run in runs.items():
        assert f"/boards/{benchmark}/" in hrefs(page.text)
        assert f"/runs/{run}/" in hrefs(page.text)
    assert "12 done of 12" in page.text
    with Records(server.site.store) as records:
        states = records.states(records.find(runs["task_dialogue"]))
    assert f"{states.get('done', 0)} done" in page.text
    assert f"{states.get('void', 0)} void of 6" in page.text or "void" not in states
    assert read(server, "/?all=1").text.count('<li class="card"') == len(runs)


def test_every_board_shows_its_models_with_charts_that_can_be_seen(
    served: tuple[Served, dict[str, str]],
) -> None:
    server, runs = served
    for benchmark in runs:
        page = read(server, f"/boards/{benchmark}/").text
        assert MODELS[0] in page
        assert "rank set" in page or benchmark != "role_play"  # elsewhere it hangs on what was played
        charts = pictures_in(page)
        assert charts, benchmark
        assert {one.rpartition("-")[2] for one in charts} == {"light.svg", "dark.svg"}
        for one in charts:
            picture = read(server, one)
            assert picture.headers["content-type"].startswith("image/svg+xml")
            assert picture.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
            assert picture.headers["x-content-type-options"] == "nosniff"
            drawn = ET.fromstring(picture.body)  # our own server's
            assert drawn.tag == f"{SVG}svg"
            assert not {node.tag for node in drawn.iter()} & {
                f"{SVG}{name}" for name in ("script", "style", "a", "image")
            }
            assert not [
                name
                for node in drawn.iter()
                for name in node.attrib
                if name.startswith("on") or name == "style"
            ]


def test_every_number_on_a_board_is_a_link_to_what_is_behind_it(
    served: tuple[Served, dict[str, str]],
) -> None:
    server, runs = served
    for benchmark, run in runs.items():
        links = {one for one in hrefs(read(server, f"/boards/{benchmark}/").text) if "/numbers/" in one}
        assert len(links) > 10
        assert all(one.startswith(f"/runs/{run}/numbers/openai%2F") for one in links)
        for one in sorted(links)[::4]:  # tests of the pure part look at all
            assert "What it was made of" in read(server, one).text


def test_a_number_leads_down_to_the_conversations(served: tuple[Served, dict[str, str]]) -> None:
    server, runs = served
    address = f"/runs/{runs['role_play']}/numbers/{quote(MODELS[0], safe='')}/fluency/"
    lowest, highest = read(server, address).text, read(server, f"{address}?order=highest").text
    found = [re.findall(r"/conversations/(\d+)/", text) for text in (lowest, highest)]
    assert sorted(found[0]) == sorted(found[1])
    assert len(found[0]) == 4
    with Records(server.site.store) as records:
        run = records.find(runs["role_play"])
        values: dict[int, list[float]] = {}
        for number, name, _, value in records.scores(run):
            if name == "fluency":
                values.setdefault(number, []).append(value)
    means = [sum(values[int(number)]) / len(values[int(number)]) for number in found[0]]
    assert means == sorted(means)
    assert "openai/judge-one (judge-one)" in lowest, "who judged, and as which version"
    assert "There is no such conversation beyond these" in read(server, f"{address}?skip=500").text


def test_void_conversations_are_behind_their_share(served: tuple[Served, dict[str, str]]) -> None:
    server, runs = served
    page = read(server, f"/runs/{runs['task_dialogue']}/numbers/{quote(MODELS[0], safe='')}/void/").text
    with Records(server.site.store) as records:
        rows = records.conversations(records.find(runs["task_dialogue"]))
    void = [row for row in rows if row.state == "void" and row.subject == MODELS[0]]
    assert sorted(map(int, re.findall(r"/conversations/(\d+)/", page))) == sorted(row.number for row in void)
    assert all(row.failure in page for row in void)


def test_judges_are_held_against_people_where_there_are_labels(served: tuple[Served, dict[str, str]]) -> None:
    server, runs = served
    read(server, f"/runs/{runs['role_play']}/charts/judges-light.svg")
    read(server, f"/runs/{runs['simulation']}/charts/judges-light.svg", 404)
    with Records(server.site.store) as records:
        chart = judges_and_people(records, records.find(runs["role_play"]), find("role_play"))
    assert chart is not None
    assert "openai/judge-one" in chart.alt
    assert "over 4" in chart.alt
    assert judged_by_rule(server, runs) is None


def judged_by_rule(server: Served, runs: dict[str, str]) -> object:
    with Records(server.site.store) as records:
        return judges_and_people(records, records.find(runs["word_guessing"]), find("word_guessing"))


def test_a_board_is_found_by_its_paper_s_name(served: tuple[Served, dict[str, str]]) -> None:
    server, _ = served
    answer = read(server, "/boards/pingpong/", 303)
    assert answer.headers["location"] == "/boards/role_play/"
    empty = read(server, "/boards/judge_probe/")
    assert "No conversation of judge_probe was played to its end yet" in empty.text


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/boards/chess/", 404),
        ("/boards/role_play/nothing/charts/score-light.svg", 404),
        ("/boards/role_play/{role_play}/charts/score-pink.svg", 404),
        ("/boards/role_play/{role_play}/charts/nothing-dark.svg", 404),
        ("/boards/chess/x/charts/score-light.svg", 404),
        ("/runs/nothing/charts/score-light.svg", 404),
        ("/runs/{role_play}/charts/-light.svg", 404),
        ("/runs/{role_play}/numbers/openai%2Falder/nothing/", 404),
        ("/runs/{role_play}/numbers/openai%2Fnobody/rank/", 404),
        ("/runs/{role_play}/numbers/openai%2Falder/model/", 404),
        ("/runs/{role_play}/numbers//rank/", 404),
        ("/runs/{role_play}/numbers/%2E%2E%2F%2E%2E/rank/", 404),
        ("/runs/nothing/numbers/openai%2Falder/rank/", 404),
        ("/runs/{role_play}/numbers/openai%2Falder/rank/?order=sideways", 400),
        ("/runs/{role_play}/numbers/openai%2Falder/rank/?skip=-1", 400),
        ("/runs/{role_play}/numbers/openai%2Falder/rank/?skip=99999999999", 400),
        ("/?all=2", 400),
    ],
)
def test_what_is_not_there_or_not_meant_is_told(
    served: tuple[Served, dict[str, str]], path: str, status: int
) -> None:
    server, runs = served
    read(server, path.format(**runs), status)


def test_pages_have_no_script_or_style_within_them(served: tuple[Served, dict[str, str]]) -> None:
    server, runs = served
    number = f"/runs/{runs['role_play']}/numbers/{quote(MODELS[0], safe='')}/rank/"
    for path in ("/", "/boards/role_play/", "/boards/word_guessing/", number):
        page = Page(read(server, path).text)
        tags = [tag for tag, _ in page.tags]
        assert tags.count("h1") == 1
        assert "style" not in tags
        for tag, attributes in page.tags:
            assert "style" not in attributes
            assert not [name for name in attributes if name.startswith("on")]
            if tag == "script":
                read(server, str(attributes["src"]))


def test_a_page_behind_a_number_is_new_once_something_is_scored(
    served: tuple[Served, dict[str, str]],
) -> None:
    server, runs = served
    with Records(server.site.store) as records:
        run = records.find(runs["simulation"])
        number = next(row.number for row in records.conversations(run) if row.subject == MODELS[1])

    async def rate(value: float) -> None:
        writer = Writer(server.site.store)
        judges = ("openai/judge-one", "openai/judge-two")
        await Journal(writer, run.number).scored(number, [Score("rating", value, judge) for judge in judges])
        await writer.close()

    address = f"/runs/{run.id}/numbers/{quote(MODELS[1], safe='')}/all/?order=highest"
    shown = []
    for value in (9.25, 9.75):
        asyncio.run(rate(value))
        shown.append(read(server, address).text)
    assert "9.25" in shown[0]
    assert "9.75" in shown[1]
    assert "9.25" not in shown[1]
