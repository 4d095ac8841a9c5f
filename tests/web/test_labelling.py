"""Labelling over real HTTP: rounds and links for the owner, one conversation after another, blind, for raters."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import copy

import pytest

from interplay.analysis.correction import correction_board, labelled_of
from interplay.benchmarks import find
from interplay.core.measures import criteria_of, measure_called
from interplay.judging.labels import labels_of_file
from interplay.running.results import options_of
from interplay.store.labels import Labels
from interplay.store.records import Records, Run
from interplay.store.rounds import Rounds
from tests.analysis.planted import Talk, record, void
from tests.benchmarks.stage import SCENARIOS
from tests.web.labelled import (
    CRITERIA,
    EACH,
    FILL,
    JUDGES,
    begun,
    invited,
    rows,
    said,
    seen_on,
    store_to_label,
)
from tests.web.served import Answer, Served, serving


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Run]:
    path = tmp_path_factory.mktemp("played") / "a.db"
    return path, store_to_label(path)


@pytest.fixture
def store(played: tuple[Path, Run], tmp_path: Path) -> Path:
    return Path(copy(played[0], tmp_path / "a.db"))


@pytest.fixture
def run(played: tuple[Path, Run]) -> Run:
    return played[1]


@pytest.fixture
def served(store: Path) -> Iterator[Served]:
    with serving(store) as found:
        yield found


def labels_in(store: Path) -> list[tuple[int, str, str, float]]:
    return rows(store)


class TestRounds:
    def test_the_form_asks_by_the_benchmark_s_own_rubric(self, served: Served, run: Run) -> None:
        page = served.ask(f"/labels/?run={run.id}").text
        assert "No round has begun yet" in page
        assert all(f'value="{name}" checked' in page for name in CRITERIA)
        assert "nothing in it contradicts the card" in page
        assert f"{2 * EACH} conversations were played to their end" in page

    def test_what_is_scored_by_rule_has_nothing_to_label(self, store: Path, served: Served) -> None:
        game = record(store, "word_guessing", [Talk(SCENARIOS[0], "m")])
        page = served.ask(f"/labels/?run={game.id}")
        assert (page.status, "scored by rule: there is nothing for people to label" in page.text) == (
            200,
            True,
        )
        refused = served.post("/labels/", {"run": game.id})
        assert (refused.status, "nothing for people to label" in refused.text) == (400, True)

    def test_a_run_without_a_finished_conversation_is_told_so(self, store: Path, served: Served) -> None:
        empty = record(store, "simulation", [void(1)])
        assert "no conversation that was played to its end" in served.ask(f"/labels/?run={empty.id}").text
        assert served.post("/labels/", {"run": empty.id}).status == 400

    def test_the_draw_is_recorded_and_the_same_again_is_the_same_round(
        self, store: Path, served: Served, run: Run
    ) -> None:
        address = begun(served, run, seed="7", people="3", criterion="fluency")
        assert begun(served, run, seed="7", people="3", criterion="fluency") == address
        assert begun(served, run, seed="8", people="3", criterion="fluency") != address
        with Rounds(store) as rounds:
            round = rounds.find(address.strip("/").rpartition("/")[2])
            assert round is not None
            draw = next(one for one in rounds.labels.draws(run) if one.id == round.draw)
            assert (draw.seed, draw.items, len(draw.order)) == (7, round.items, 2 * EACH)
            assert ([one.name for one in round.questions], round.people) == (["fluency"], 3)
        assert served.ask("/labels/").text.count("round-") >= 4

    def test_what_cannot_be_begun_is_refused(self, store: Path, served: Served, run: Run) -> None:
        wrong = [("run", "nothing"), ("run", ""), ("count", "0"), ("count", "999"), ("count", "x"), ("people", "0"),
                 ("people", "21"), ("criterion", "beauty"), ("seed", "1e5")]  # fmt: skip
        for name, value in wrong:
            assert served.post("/labels/", {"run": run.id, "count": "3", name: value}).status == 400, name
        assert rows(store, "SELECT * FROM rounds") == []

    def test_a_round_that_is_not_there(self, served: Served) -> None:
        for part in ("", "progress/", "agreement/", "labels.csv", "labels.jsonl"):
            assert served.ask(f"/labels/round-00000000/{part}").status == 404


class TestLinks:
    def test_somebody_is_let_in_until_revoked_and_again_by_the_same_link(
        self, served: Served, run: Run
    ) -> None:
        round = begun(served, run)
        link = invited(served, round, "ada")
        assert served.ask(link, owner=False).status == 200
        assert served.post(f"{round}revoke/", {"name": "ada"}).status == 303
        for path in (link, f"{link}1/"):
            answer = served.ask(path, owner=False)
            assert (answer.status, "or no longer" in answer.text) == (403, True)
        assert said(served, f"{link}1/", seen=0).status == 403
        assert "No longer let in" in served.ask(round).text
        assert invited(served, round, "ada") == link
        assert served.ask(link, owner=False).status == 200

    def test_who_was_not_invited_cannot_be_revoked(self, served: Served, run: Run) -> None:
        assert served.post(f"{begun(served, run)}revoke/", {"name": "ada"}).status == 404

    def test_names_that_cannot_be(self, served: Served, run: Run) -> None:
        round = begun(served, run)
        for name in ("", "  ", "settled", "Settled", "the panel", "a\x07b", "x" * 61):
            assert served.post(f"{round}invite/", {"name": name}).status == 400, name

    def test_a_name_is_text(self, served: Served, run: Run) -> None:
        round = begun(served, run)
        assert served.post(f"{round}invite/", {"name": "<script>alert(1)</script>"}).status == 303
        assert "<script>alert" not in served.ask(round).text

    def test_a_rater_is_no_owner(self, served: Served, run: Run) -> None:
        round = begun(served, run)
        link = invited(served, round, "ada")
        secret = link.strip("/").rpartition("/")[2]
        cookie = {"Cookie": f"{served.cookie.partition('=')[0]}={secret}"}
        for path in ("/labels/", round, f"{round}labels.csv", f"{round}agreement/"):
            assert served.ask(path, owner=False).status == 403
            assert served.ask(path, owner=False, headers=cookie).status == 403


class TestLabelling:
    def test_one_after_the_other_to_the_end(self, store: Path, served: Served, run: Run) -> None:
        round = begun(served, run)
        link = invited(served, round, "ada")
        assert "Begin" in served.ask(link, owner=False).text
        for place in range(1, 7):
            page = served.ask(f"{link}{place}/", owner=False)
            assert f"Conversation {place} of 6" in page.text
            answer = said(served, f"{link}{place}/")
            assert answer.status == 303
            assert answer.headers["location"] == (f"{link}{place + 1}/" if place < 6 else link)
        assert "Thank you" in served.ask(link, owner=False).text
        with Rounds(store) as rounds:
            (found,) = rounds.of()
        assert labels_in(store) == [
            (number, "ada", criterion, float(value))
            for number in found.items
            for criterion, value in zip(CRITERIA, FILL.values(), strict=True)
        ]

    def test_the_same_sent_twice_is_there_once(self, store: Path, served: Served, run: Run) -> None:
        link = invited(served, begun(served, run), "ada")
        first = said(served, f"{link}1/", seen=0)
        again = said(served, f"{link}1/", seen=0)
        assert (first.status, first.headers["location"]) == (again.status, again.headers["location"])
        assert len(labels_in(store)) == len(CRITERIA)

    def test_an_earlier_answer_is_shown_and_can_be_changed(
        self, store: Path, served: Served, run: Run
    ) -> None:
        link = invited(served, begun(served, run), "ada")
        for place in (1, 2):
            said(served, f"{link}{place}/")
        page = served.ask(f"{link}3/", owner=False).text
        assert f'href="{link}2/" data-go data-back' in page
        earlier = served.ask(f"{link}1/", owner=False)
        assert re.search(r'name="answer_1" value="4"[^>]* checked', earlier.text)
        changed = said(served, f"{link}1/", {"answer_1": "2"})
        assert changed.headers["location"] == f"{link}3/"  # no conflict: the page had shown the first answer
        with Rounds(store) as rounds:
            (round,) = rounds.of()
            assert [one.value for one in rounds.said(round, "ada", 1)["in_character"]] == [4.0, 2.0]

    @pytest.mark.parametrize(
        ("fill", "told"),
        [
            ({"answer_2": ""}, "Entertaining is not answered yet"),
            ({"answer_2": "6"}, "Entertaining is a whole number from 1 to 5"),
            ({"answer_2": "2.5"}, "Entertaining is a whole number from 1 to 5"),
            ({"answer_4": "perhaps"}, "Refused is yes or no"),
        ],
    )
    def test_what_is_no_answer_is_refused_and_the_choices_stay(
        self, store: Path, served: Served, run: Run, fill: dict[str, str], told: str
    ) -> None:
        link = invited(served, begun(served, run), "ada")
        answer = said(served, f"{link}1/", fill)
        assert (answer.status, told in answer.text) == (400, True)
        assert re.search(r'name="answer_3" value="5"[^>]* checked', answer.text)
        assert labels_in(store) == []

    def test_a_place_that_is_not_there(self, served: Served, run: Run) -> None:
        link = invited(served, begun(served, run), "ada")
        for place in ("0", "7", "99999999999999999999", "x"):
            assert served.ask(f"{link}{place}/", owner=False).status == 404

    def test_what_two_have_finished_is_not_given_to_a_third(self, served: Served, run: Run) -> None:
        round = begun(served, run)
        links = {name: invited(served, round, name) for name in ("ada", "bob", "cyd")}
        for name in ("ada", "bob"):
            said(served, f"{links[name]}1/", {"answer_1": "1" if name == "ada" else "5"})
        page = served.ask(links["cyd"], owner=False).text
        assert f'href="{links["cyd"]}2/"' in page
        assert "0 of 5 labelled" in page
        assert "Answers that were changed" in served.ask(round).text
        assert "A second thought" not in served.ask(round).text  # two raters are no conflict


class TestTwoTabs:
    @pytest.fixture
    def round(self, served: Served, run: Run) -> str:
        return begun(served, run)

    @pytest.fixture
    def link(self, served: Served, round: str) -> str:
        return invited(served, round, "ada")

    def test_both_are_kept_and_the_second_is_told_of_the_first(
        self, store: Path, served: Served, round: str, link: str
    ) -> None:
        tabs = [served.ask(f"{link}1/", owner=False) for _ in range(2)]
        assert (
            said(served, f"{link}1/", {"answer_1": "3"}, seen_on(tabs[0])).headers["location"] == f"{link}2/"
        )
        second = said(served, f"{link}1/", {"answer_1": "5"}, seen_on(tabs[1]))
        assert second.status == 303
        page = served.ask(second.headers["location"], owner=False)
        assert page.status == 200
        told = re.sub(r"<[^>]+>|\s+", " ", page.text)
        assert re.search(r"in character\s+3\s+at .* UTC\s+5\s+at .* UTC", told)
        assert "Both are kept; the newer one counts" in told
        assert "entertaining" not in told
        values = [value for _, _, criterion, value in labels_in(store) if criterion == "in_character"]
        assert values == [3.0, 5.0]
        owner = served.ask(round).text
        assert "A second thought, or two tabs at once" in owner
        assert f"/conversations/{labels_in(store)[0][0]}/" in owner

    def test_it_can_be_taken_back(self, store: Path, served: Served, link: str) -> None:
        said(served, f"{link}1/", {"answer_1": "3"}, seen=0)
        page = served.ask(
            said(served, f"{link}1/", {"answer_1": "5"}, seen=0).headers["location"], owner=False
        )
        fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page.text))
        taken = served.post(f"{link}1/", fields, owner=False)
        assert (taken.status, taken.headers["location"]) == (303, f"{link}2/")
        values = [value for _, _, criterion, value in labels_in(store) if criterion == "in_character"]
        assert values == [3.0, 5.0, 3.0]
        assert {value for _, _, criterion, value in labels_in(store) if criterion == "fluency"} == {5.0}

    def test_two_tabs_that_say_the_same_are_no_conflict(self, store: Path, served: Served, link: str) -> None:
        for _ in range(2):
            assert said(served, f"{link}1/", seen=0).headers["location"] == f"{link}2/"
        assert len(labels_in(store)) == len(CRITERIA)

    def test_where_there_are_no_two_answers_it_is_an_ordinary_page(self, served: Served, link: str) -> None:
        for since in ("1", "0", "999999"):
            page = served.ask(f"{link}1/?since={since}", owner=False)
            assert (page.status, "Conversation 1 of 6" in page.text) == (200, True)


class TestUse:
    @pytest.fixture
    def round(self, served: Served, run: Run) -> str:
        """Two raters have labelled all ten conversations."""
        round = begun(served, run, count="10")
        for name in ("ada", "bob"):
            link = invited(served, round, name)
            for place in range(1, 11):
                fill = {"answer_1": str(1 + place % 5), "answer_2": "2" if name == "ada" else "4"}
                assert said(served, f"{link}{place}/", fill, seen=0).status == 303
        return round

    def test_progress_and_agreement_are_there_for_the_owner(self, served: Served, round: str) -> None:
        progress = served.ask(f"{round}progress/").text
        assert "20 of 20 labelled" in progress
        assert "<html" not in progress
        part = await_agreement(served, round).text
        assert "<html" not in part
        told = re.sub(r"<[^>]+>|\s+", " ", part)
        assert re.search(r"in character\s+10\s+100%", told)
        assert re.search(r"entertaining\s+10\s+0%", told)
        assert all(judge in told for judge in JUDGES)
        assert "Krippendorff" in told
        assert "<h1>Agreement on" in served.ask(f"{round}agreement/").text

    @pytest.mark.parametrize("ending", ["csv", "jsonl"])
    def test_labels_come_out_as_they_can_be_read_again(
        self, store: Path, served: Served, run: Run, round: str, tmp_path: Path, ending: str
    ) -> None:
        answer = served.ask(f"{round}labels.{ending}")
        assert answer.headers["content-disposition"].startswith('attachment; filename="round-')
        file = tmp_path / f"out.{ending}"
        file.write_bytes(answer.body)
        benchmark = find(run.benchmark)
        labels, waiting = labels_of_file(
            str(file), criteria_of(benchmark.measures(options_of(run, benchmark)))
        )
        assert waiting == 0
        found = sorted((one.conversation, one.rater, one.criterion, one.value) for one in labels)
        assert found == sorted(labels_in(store))
        assert {one.drawn for one in labels} == {rows(store, "SELECT id FROM draws")[0][0]}

    def test_they_correct_the_judges(self, store: Path, run: Run, round: str) -> None:
        benchmark = find(run.benchmark)
        measure = measure_called(
            "in_character", benchmark.measures(options_of(run, benchmark)), benchmark.name
        )
        with Records(store) as records, Labels(store) as labels:
            found = labelled_of(labels, run, measure)
            assert (len(found.values), found.raters, found.skipped, found.apart) == (10, 2, 0, 0)
            assert correction_board(records, labels, run, benchmark, measure).rows

    def test_a_run_that_is_judged_on_another_scale_since_is_told_of(
        self, store: Path, served: Served, round: str
    ) -> None:
        assert "Judges go by something else now" not in served.ask(round).text
        rows(store, """UPDATE runs SET extent = json_set(extent, '$.judging', json('{"rubric": "v1"}'))""")
        page = served.ask(round).text
        assert (
            "Judges go by something else now than raters are asked here: in character, entertaining, fluency."
            in page
        )
        assert "refused." not in page.partition("asked here:")[2].partition("</p>")[0]
        assert "20 of 20 labelled" in page
        assert (await_agreement(served, round)).status == 200


def await_agreement(served: Served, round: str) -> Answer:
    """The part of the page that tells of agreement, once it is computed."""
    deadline = time.monotonic() + 60
    while "being computed" in (part := served.ask(f"{round}agreement/?part=1")).text:
        assert time.monotonic() < deadline
    return part
