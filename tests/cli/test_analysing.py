"""compare, agreement and correct as they are typed, over runs that were played over HTTP with planted abilities."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from interplay.models.loopback import Asked, Fault, Loopback, Said, Script, serving
from interplay.store.records import Records
from tests.analysis.planted import Office, acted, numbers, office, part, rated, record, row
from tests.benchmarks.task_bots import JUDGE
from tests.cli.duelists import write_scripts
from tests.cli.test_word_guessing import SCRIPTS as WORD_GUESSERS
from tests.cli.test_word_guessing import four, versus

__all__ = ["office"]  # a fixture
UNITS = 30
SENSITIVITY, SPECIFICITY, YES = 0.98, 0.6, 0.5  # of the lenient judge; and how much is done in truth
DIALOGUES, LABELS = 120, 60
_SYSTEM = re.compile(r"Turn \d+, system:\n<<([0-9a-f]{12})\n(.*?)\n\1>>", re.DOTALL)


def quality(model: str, number: int) -> int:
    """One model is better by two points; the others differ by chance alone."""
    return Random(f"{model}/{number}").randint(3, 5) + 2 * (model == "good")


def simulates(asked: Asked) -> str | Said | Fault:
    """Models that say how good they are, judges who see it, and one who sees a point more."""
    told = str(asked.messages[1 if asked.schema else -1]["content"])
    if asked.schema is None:
        found = re.search(r"request number (\d+)", told)
        assert found is not None
        if asked.model == "frail" and int(found[1]) < 3:
            return Fault("status", status=400)
        return f"quality {quality(asked.model, int(found[1]))}"
    seen = int(re.findall(r"quality (\d+)", told)[-1])
    return json.dumps({"explanation": "seen", "rating": seen + (asked.model == "kind")})


@contextmanager
def provider(script: Script | dict[str, Script]) -> Iterator[str]:
    with serving(Loopback(script)) as url:
        yield url


def simulate(office: Office, *models: str, judges: tuple[str, ...] = ("fair",), code: int = 0) -> str:
    """Play a simulation; the id of the run."""
    scripts = write_scripts(office.folder, UNITS)
    cast = [part for name in models for part in ("--model", f"openai/{name}")]
    cast += [part for name in judges for part in ("--model-role", f"judge=openai/{name}")]
    with provider(simulates) as url:
        words = ("run", "simulation", "--data", str(scripts), *cast, "--base-url", url)
        return str(office.reads(*words, code=code)["run"])


def shown_as(cell: Any) -> list[str]:
    """How the numbers of a cell are printed."""
    if isinstance(cell, dict) and cell["value"] is not None:
        return [f"{cell['value']:.2f}"]
    return [str(cell)] if isinstance(cell, str | int) and not isinstance(cell, bool) else []


def assert_printed(office: Office, *words: str) -> Any:
    """What is printed for people has the numbers of the JSON; the board."""
    board = office.reads(*words)
    shown = office.types(*words)
    for table in (board, *board["parts"]):
        assert table["title"] in shown
        for line in table["rows"]:
            for key in set(table["columns"]) & {
                "model",
                "value",
                "rating",
                "difference",
                "n",
                "first",
                "ranks",
            }:
                assert all(text in shown for text in shown_as(line[key])), (key, line[key])
    return board


class TestCompare:
    def test_a_planted_better_bot_is_claimed_and_equal_ones_are_not(self, office: Office) -> None:
        simulate(office, "good", "one", "other")
        board = assert_printed(office, "compare", "last")
        assert board["title"] == "simulation by rating"
        assert next(line["model"] for line in board["rows"]) == "openai/good"
        assert {line["model"]: line["ranks"] for line in board["rows"]} == {
            "openai/good": "1",
            "openai/one": "2–3",
            "openai/other": "2–3",
        }
        pairs = board["parts"][0]["rows"]
        claimed = {(line["first"], line["second"]) for line in pairs if line["claim"]}
        assert claimed == {("openai/good", "openai/one"), ("openai/good", "openai/other")}
        truth = sum(quality("good", n) - quality("one", n) for n in range(UNITS)) / UNITS
        found = row(board["parts"][0], first="openai/good", second="openai/one")
        assert found["difference"]["value"] == pytest.approx(truth)
        assert found["difference"]["clusters"] == [5]  # tasks
        assert found["n"] == UNITS

    def test_runs_meet_and_others_stand_apart(self, office: Office) -> None:
        first, second = simulate(office, "good"), simulate(office, "one")
        other = simulate(office, "other", judges=("kind",))
        board = office.reads("compare", first, second, other)
        assert {line["model"] for line in board["rows"]} == {"openai/good", "openai/one"}
        assert f"Apart, not compared: {other}: other judges (openai/kind not openai/fair)." in board["notes"]
        told = office.mistakes("compare", other, first)
        assert "only openai/other is there: a comparison needs two models; apart: " in told
        assert first in told

    def test_what_is_missing_is_bounded(self, office: Office) -> None:
        simulate(office, "one", "frail", code=1)
        board = office.reads("compare", "last")
        frail = row(board, model="openai/frail")
        assert (frail["n"], frail["missing"]) == (UNITS - 3, pytest.approx(0.1))
        total = sum(quality("frail", n) for n in range(3, UNITS))
        assert frail["worst"]["value"] == pytest.approx((total + 3) / UNITS)
        assert frail["best"]["value"] == pytest.approx((total + 30) / UNITS)
        assert row(board, model="openai/one")["missing"] == 0.0
        assert {"worst", "best"} <= set(board["columns"])
        assert board["parts"][0]["rows"][0]["n"] == UNITS - 3
        assert "Left out, of 60 conversations: 3 not played to the end." in board["notes"]

    def test_models_at_one_table_are_compared_each_by_its_own_score(self, office: Office) -> None:
        with provider(WORD_GUESSERS) as url:
            for line in (four, versus):
                words = line(url, office.store, "--limit", "6")
                at = words.index("--store")
                del words[at : at + 2]
                words.remove("--json")
                office.types(*words)
        table = next(one["run"] for one in office.reads("runs") if len(one["models"]) == 4)
        board = assert_printed(office, "compare", table)
        assert board["title"] == "word_guessing by age"
        by_model = {line["model"]: line["value"]["value"] for line in board["rows"]}
        assert set(by_model) == {f"openai/{name}" for name in WORD_GUESSERS}
        assert by_model["openai/silent"] == 0.0
        assert min(by_model["openai/quick"], by_model["openai/slow"]) > 0.0
        assert len(board["parts"][0]["rows"]) == 6
        apart = office.reads("compare", "last")
        assert {line["model"] for line in apart["rows"]} == {"openai/quick", "openai/slow"}
        same = office.reads("compare", "last", "--by", "comprehension")
        assert same["title"] == "word_guessing by comprehension"
        assert same["rows"] != apart["rows"]

    def test_mistakes(self, office: Office) -> None:
        assert "there is no store" in office.mistakes("compare", "last")
        assert "Missing argument" in office.mistakes("compare")
        record(office.store, "simulation", [rated(n, "a", j=5) for n in range(3)])
        assert "only a is there: a comparison needs two models" in office.mistakes("compare", "last")
        assert "there is no run 'nobody'" in office.mistakes("compare", "last", "nobody")
        told = office.mistakes("compare", "last", "--by", "ratin")
        assert "simulation has no measure 'ratin'; did you mean 'rating'?" in told
        acting = record(office.store, "role_play", [acted(n, j=(3, 3, 3)) for n in range(3)]).id
        assert f"{acting} is a run of role_play, not of simulation as " in office.mistakes(
            "compare", "sim", acting
        )


class TestAgreement:
    def test_judges_are_held_against_people_and_each_other(self, office: Office) -> None:
        simulate(office, "good", "one", judges=("fair", "kind"))
        drawn = office.draws(40)
        with Records(office.store) as records:
            text = {
                one["conversation"]: records.conversation(int(one["conversation"])).outcome for one in drawn
            }
        said = {number: re.findall(r"\d+", str(outcome))[-1] for number, outcome in text.items()}
        office.takes_in([{**one, "rater": "ann", "value": said[one["conversation"]]} for one in drawn])
        board = assert_printed(office, "agreement", "last")
        assert [line["judge"] for line in board["rows"]] == ["openai/fair", "openai/kind", "the panel"]
        assert [line["rating"]["value"] for line in board["rows"]] == pytest.approx([1.0, 1.0, 1.0])
        full = part(board, "Judges and people in full")
        assert row(full, judge="openai/fair")["difference"]["value"] == 0.0
        assert row(full, judge="openai/kind")["difference"]["value"] == 1.0
        assert row(full, judge="openai/kind")["accuracy"]["value"] == 0.0
        [both] = part(board, "Judges among themselves")["rows"]
        assert (both["judge"], both["other"], both["n"]) == ("openai/fair", "openai/kind", 60)
        assert both["rating"]["value"] == pytest.approx(1.0)

    def test_mistakes(self, office: Office) -> None:
        assert "there is no store" in office.mistakes("agreement", "last")
        run = record(office.store, "simulation", [rated(1, "a", j=5)]).id
        told = office.mistakes("agreement", "last")
        assert f"{run} has one judge and no labels of people" in told
        assert "there is no run 'nobody'" in office.mistakes("agreement", "nobody")
        record(office.store, "simulation", [rated(1, "b")])
        assert "was not judged" in office.mistakes("agreement", "last")


class Lenient:
    """A judge of task dialogues who sees what was done in truth, and calls much complete that is not."""

    def __call__(self, asked: Asked) -> str:
        properties = (asked.schema or {}).get("properties", {})
        said = {
            name: "so" if one.get("type") == "string" else one.get("minimum", 1)
            for name, one in properties.items()
        }
        said |= {name: one["enum"][0] for name, one in properties.items() if "enum" in one}
        if "completed" in properties:
            served = tuple(inner for _, inner in _SYSTEM.findall(str(asked.messages[1]["content"])))
            chance = Random(f"judge {served}").random()
            said["completed"] = int(chance < (SENSITIVITY if done(served) else 1 - SPECIFICITY))
        return json.dumps(said)


def done(served: tuple[str, ...]) -> bool:
    """Whether a task was completed in truth, by what the system said."""
    return Random(f"truth {served}").random() < YES


class TestCorrect:
    @pytest.fixture
    def truth(self, office: Office) -> dict[int, bool]:
        """A run that a lenient judge has judged; what was done in each of its dialogues."""
        words = (
            "run",
            "task_dialogue",
            "--system",
            "rules",
            "--simulator",
            "agenda",
            "--limit",
            str(DIALOGUES),
        )
        with provider({"judge": Lenient()}) as url:
            office.types(*words, "--model-role", f"judge={JUDGE}", "--base-url", url)
        with Records(office.store) as records:
            rows = records.conversations(records.find("last"))
        found = {}
        for one in rows:
            heard = [line.text for line in one.lines if line.source == "system"]
            found[one.number] = done(tuple(heard))
        return found

    def test_a_lenient_judge_is_flagged_and_brought_towards_the_truth(
        self, office: Office, truth: dict[int, bool]
    ) -> None:
        rows = office.draws(LABELS, "--criterion", "completed")
        filled = [
            {**one, "rater": "ann", "value": "yes" if truth[int(one["conversation"])] else "no"}
            for one in rows
        ]
        office.takes_in(filled)
        board = office.reads("correct", "last", "--by", "completed")
        assert board["title"] == f"task_dialogue by completed, {JUDGE} corrected by people"
        [only] = board["rows"]
        share = sum(truth.values()) / len(truth)
        judge, together, people = (only[key] for key in ("judge", "together", "people"))
        assert judge["value"] > share + 0.1
        assert not judge["low"] <= share <= judge["high"]
        assert abs(together["value"] - share) < abs(judge["value"] - share) / 2
        assert together["low"] <= share <= together["high"]
        assert together["high"] - together["low"] < people["high"] - people["low"]
        assert only["rates"]["low"] <= share <= only["rates"]["high"]
        assert (only["flag"], only["labels"], only["n"]) == ("differs from people", LABELS, DIALOGUES)
        assert only["worth"] > LABELS
        assert only["sees_yes"]["value"] == pytest.approx(SENSITIVITY, abs=0.08)
        assert only["sees_no"]["value"] == pytest.approx(SPECIFICITY, abs=0.2)
        shown = office.types("correct", "last", "--by", "completed")
        for key in ("judge", "together", "people"):
            assert f"{only[key]['value']:.0%}" in shown
        assert "differs from people" in " ".join(shown.split())

    def test_mistakes(self, office: Office) -> None:
        assert "there is no store" in office.mistakes("correct", "last")
        record(office.store, "simulation", [rated(n, "a", j=5) for n in range(20)])
        told = office.mistakes("correct", "last")
        assert "has no labels by rating; draw some with: interplay labels draw" in told
        office.labels(dict.fromkeys(numbers(office.store).values(), 5), "rating")
        assert "were not drawn at random" in office.mistakes("correct", "last")
        assert "did you mean 'rating'?" in office.mistakes("correct", "last", "--by", "raiting")
        record(office.store, "simulation", [rated(n, "b", j=5) for n in range(20)])
        rows = office.draws(20)
        skipped = [{**one, "rater": "bea", "value": "6"} for place, one in enumerate(rows) if place % 4]
        office.takes_in(skipped)
        told = office.mistakes("correct", "last")
        assert "of the first 20 conversations of draw-" in told
        assert "5 have no label" in told
        office.takes_in([{**one, "rater": "bea", "value": "6"} for one in rows])
        assert office.reads("correct", "last")["rows"][0]["labels"] == 20
        assert "'k' did not judge" in office.mistakes("correct", "last", "--judge", "k")


def test_none_of_them_writes(office: Office, tmp_path: Path) -> None:
    record(office.store, "simulation", [rated(n, m, j=5 + n % 3) for n in range(20) for m in "ab"])
    office.takes_in([{**one, "rater": "ann", "value": "6"} for one in office.draws(20)])
    office.types("runs")
    before = office.store.read_bytes()
    for words in (("compare", "last"), ("agreement", "last"), ("correct", "last")):
        office.types(*words)
        assert office.reads(*words)["rows"]
    assert office.store.read_bytes() == before
