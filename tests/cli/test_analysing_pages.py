"""bias, variance and power as they are typed, and what every verb of analysis writes with --html."""

import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from random import Random

import pytest

from tests.analysis.planted import Office, acted, office, part, rated, record, row

__all__ = ["office"]  # a fixture
EVIL = "openai/<script>alert(1)</script>"
MODELS = (EVIL, 'openai/"b"&c')
JUDGES = ("openai/<img src=x onerror=alert(2)>", "openai/k")
UNITS = 20
OF_A_RUN = ("compare", "agreement", "correct", "bias", "variance")
POWER = ("power", "simulation")


class Page(HTMLParser):
    """What a browser would find in a page: its elements, what they would load, and its text."""

    def __init__(self, text: str):
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []
        self.handlers: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loads += [
            f"{tag} {name}" for name, value in attrs if name in ("src", "href", "srcset", "action")
        ]
        self.handlers += [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.text += data


def judged(office: Office, models: Sequence[str] = MODELS, judges: Sequence[str] = JUDGES) -> str:
    """A run that two judges rated and somebody labelled; its id."""
    talks = []
    for number in range(UNITS):
        for model in models:
            rng = Random(f"{number} {model}")
            ratings = {judge: rng.randint(3, 8) for judge in judges}
            talks.append(rated(number, model, text="x" * rng.randint(5, 500), **ratings))
    run = record(office.store, "simulation", talks).id
    drawn = office.draws(UNITS)
    office.takes_in([{**one, "rater": "ann", "value": str(3 + n % 5)} for n, one in enumerate(drawn)])
    return run


def words_of(verb: str) -> tuple[str, ...]:
    return POWER if verb == "power" else (verb, "last")


@pytest.fixture
def page(office: Office) -> Path:
    return office.folder / "page.html"


class TestPages:
    @pytest.mark.parametrize("verb", [*OF_A_RUN, "power"])
    def test_a_page_has_the_numbers_and_needs_nothing_else(
        self, office: Office, page: Path, verb: str
    ) -> None:
        judged(office)
        words = words_of(verb)
        alone = office.reads(*words)
        assert office.reads(*words, "--html", str(page)) == alone
        assert f"Page: {page}" in office.said
        text = page.read_text(encoding="utf-8")
        found = Page(text)
        for table in (alone, *alone["parts"]):
            assert table["title"] in found.text
            for note in table["notes"]:
                assert note in found.text
        assert (found.loads, found.handlers) == ([], [])
        assert not {"script", "img", "link", "iframe", "object"} & set(found.tags)
        assert re.search(r"https?://|url\(|@import", text) is None
        assert "default-src 'none'" in text

    @pytest.mark.parametrize("verb", OF_A_RUN)
    def test_names_are_text(self, office: Office, page: Path, verb: str) -> None:
        judged(office)
        office.types(verb, "last", "--html", str(page))
        text = page.read_text(encoding="utf-8")
        assert "<script" not in text
        assert "<img" not in text
        named = {"compare": EVIL, "correct": EVIL, "bias": JUDGES[0], "agreement": JUDGES[0]}
        if verb in named:
            assert named[verb] in Page(text).text

    @pytest.mark.parametrize("verb", [*OF_A_RUN, "power"])
    def test_the_store_is_never_written_over(self, office: Office, verb: str) -> None:
        judged(office)
        office.types("runs")
        before = office.store.read_bytes()
        link = office.folder / "link.html"
        link.symlink_to(office.store)
        for path in (office.store, link):
            told = office.mistakes(*words_of(verb), "--html", str(path))
            assert f"{path} is the store; write to another file" in told
        assert office.store.read_bytes() == before

    def test_a_page_that_cannot_be_written_is_a_mistake(self, office: Office, page: Path) -> None:
        judged(office)
        nowhere = office.folder / "nowhere" / "page.html"
        for verb in (*OF_A_RUN, "power"):
            told = office.mistakes(*words_of(verb), "--html", str(nowhere))
            assert "cannot be written to" in told
            assert "its folder does not exist" in told
        page.write_text("old")
        office.types("compare", "last", "--html", str(page))
        assert page.read_text(encoding="utf-8").startswith("<!doctype html>")

    def test_a_mistake_writes_no_page(self, office: Office, page: Path) -> None:
        record(office.store, "simulation", [rated(1, "a")])
        for verb in OF_A_RUN:
            office.mistakes(verb, "last", "--html", str(page))
        assert not page.exists()


def printed(text: str) -> str:
    return " ".join(text.split())


class TestBias:
    def test_what_is_printed_is_what_the_numbers_say(self, office: Office) -> None:
        judged(office, judges=("openai/j", "openai/k"))
        board = office.reads("bias", "last")
        assert [(line["judge"], line["against"]) for line in board["rows"]] == [
            ("openai/j", "people"),
            ("openai/j", "the other judges"),
            ("openai/k", "people"),
            ("openai/k", "the other judges"),
        ]
        shown = office.types("bias", "last")
        for line in board["rows"]:
            assert f"{line['length']['value']:.2f}" in shown

    def test_a_family_can_be_said(self, office: Office) -> None:
        judged(office, ("openai/m", "openai/n"), ("openai/j", "openai/k"))
        assert (
            row(office.reads("bias", "last"), judge="openai/j", against="people")["same_family"]["value"]
            is None
        )
        said = ("--family", "openai/j=x", "--family", "openai/m=x")
        found = row(office.reads("bias", "last", *said), judge="openai/j", against="people")
        assert found["same_family"]["value"] is not None

    def test_mistakes(self, office: Office) -> None:
        assert "there is no store" in office.mistakes("bias", "last")
        run = record(office.store, "simulation", [rated(1, "a")]).id
        assert f"{run} was not judged by rating" in office.mistakes("bias", "last")
        assert "there is no run 'nobody'" in office.mistakes("bias", "nobody")
        assert "did you mean 'rating'?" in office.mistakes("bias", "last", "--by", "ratin")
        for wrong in ("gpt", "=gpt", "openai/a="):
            told = office.mistakes("bias", "last", "--family", wrong)
            assert f"--family is NAME=FAMILY, as in openai/gpt-4o=gpt, not {wrong!r}" in told

    def test_a_name_that_the_run_has_not_is_a_mistake(self, office: Office) -> None:
        run = judged(office, ("openai/m", "openai/n"), ("openai/judge", "openai/k"))
        told = office.mistakes("bias", "last", "--family", "openai/jugde=gpt")
        assert f"--family: {run} has no model or judge 'openai/jugde'; did you mean 'openai/judge'?" in told

    def test_what_rules_score_has_no_judge(self, office: Office) -> None:
        run = record(office.store, "word_guessing", []).id
        for by in ((), ("--by", "age")):
            told = office.mistakes("bias", run, *by)
            assert "age is measured by rule: there is no judge to be swayed" in told

    def test_a_measure_by_rule_beside_those_of_judges(self, office: Office) -> None:
        run = record(office.store, "task_dialogue", []).id
        told = office.mistakes("bias", run, "--by", "success")
        assert "measured by rule" in told


class TestVariance:
    def test_what_is_printed_is_what_the_numbers_say(self, office: Office) -> None:
        judged(office)
        board = office.reads("variance", "last")
        shown = printed(office.types("variance", "last"))
        for line in board["rows"]:
            assert line["source"].split()[0] in shown
            assert f"{line['variance']['value']:.2f}" in shown
        assert part(board, "What more of it would do")["rows"][0]["plan"] == "as it is"

    def test_runs_of_different_benchmarks_do_not_mix(self, office: Office) -> None:
        assert "there is no store" in office.mistakes("variance", "last")
        one = record(office.store, "simulation", [rated(1, "a", j=5)]).id
        other = record(office.store, "role_play", [acted(1, "a", j=(3, 3, 3))]).id
        told = office.mistakes("variance", one, other)
        assert f"{other} is a run of role_play, not of simulation as {one}" in told
        assert "Missing argument" in office.mistakes("variance")

    def test_a_run_named_twice_counts_once(self, office: Office) -> None:
        run = judged(office)
        assert office.reads("variance", run, run) == office.reads("variance", run)


def test_none_of_them_writes(office: Office) -> None:
    judged(office)
    office.types("runs")
    before = office.store.read_bytes()
    for verb in ("bias", "variance", "power"):
        assert office.reads(*words_of(verb))["rows"]
    assert office.store.read_bytes() == before
