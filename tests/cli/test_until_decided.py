"""--until-decided as it is typed: what it saves and says, pairs, starts that were ended from outside, and mistakes."""

import json
import re
import signal
from collections import Counter
from collections.abc import Iterator
from math import fsum
from pathlib import Path
from typing import Any

import pytest

import interplay
from interplay.benchmarks import find
from interplay.benchmarks.word_guessing.bots import Bot
from interplay.cli.carry_out import carry_out
from interplay.models.loopback import Asked, Event, Fault, Loopback, Said, serving
from interplay.running.results import judged_of
from interplay.statistics.sequences import WinSequence
from interplay.store.records import Records
from tests.cli.duelists import answers, shown_in, write_scripts
from tests.cli.provider import Typist, job
from tests.faults.harness import Killer, check_record, finish, finished_rows, in_flight, start
from tests.running.job import answer
from tests.running.planted import House, number_in, rating

SCRIPTS = 50
MEANS = {"good": 7.5, "poor": 5.0, "other": 5.0}
SAVED = re.compile(r"Decided after (\d+) of (\d+) scenarios; saved: (\d+) conversations, (\d+) verdicts\.")
BETTER = re.compile(
    r"By rating, openai/good is better than openai/poor \((\S+) to (\S+) at any time of looking\), n (\d+)\."
)
NOTE = "Looked at all the while"


def says(asked: Asked) -> str | Said | Fault:
    """Simulators answer as well as is planted, with noise; judges see it."""
    if asked.schema is None:
        number = number_in(str(asked.messages[-1]["content"]))
        return f"quality {rating(asked.model, number, MEANS[asked.model])}, says {asked.model}"
    return answers(asked)


class Provider(Typist):
    """A typist with a provider beside it, whose ledger says what was asked."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]):
        super().__init__(folder / "interplay.db", capsys)
        self.data = write_scripts(folder, SCRIPTS)
        self.heard: list[Asked] = []
        self.loopback = Loopback(self.hear)
        self.url = ""

    def hear(self, asked: Asked) -> str | Said | Fault:
        self.heard.append(asked)
        return says(asked)

    def line(self, *more: str, models: tuple[str, ...] = ("good", "poor")) -> list[str]:
        cast = [part for name in models for part in ("--model", f"openai/{name}")]
        line = ["run", "simulation", "--data", str(self.data), *cast, "--model-role", "judge=openai/fair"]
        return [*line, "--base-url", self.url, "--max-connections", "4", *more]

    def pairing(self, *more: str, judge: str = "fair") -> list[str]:
        by = ("--model-role", f"judge=openai/{judge}", "--base-url", self.url, "--max-connections", "4")
        return ["pair", "last", *by, *more]

    def remarks(self) -> list[str]:
        """What was said, but for how much this start took."""
        return [line for line in self.said.splitlines() if "model calls" not in line]

    def order(self) -> list[int]:
        """The scripts in the order in which they count, as the record keeps it."""
        with Records(self.store) as records:
            run = records.find("last")
            scripts = {one.id[:12]: number_in(one.content["request"]) for one in records.scenarios(run)}
        return [scripts[short] for short in run.extent["drawn"]]


@pytest.fixture
def provider(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Provider]:
    found = Provider(tmp_path, capsys)
    with serving(found.loopback) as url:
        found.url = url
        yield found


def notes_of(board: Any) -> list[str]:
    """The notes about looking all the while: how it was, and one line for each pair of models."""
    notes: list[str] = board["notes"]
    at = next((number for number, note in enumerate(notes) if note.startswith(NOTE)), None)
    return [] if at is None else [notes[at], *(note for note in notes[at + 1 :] if " against " in note)]


# Runs


def test_it_stops_when_it_is_decided_says_what_that_saved_and_goes_on_without_the_flag(
    provider: Provider,
) -> None:
    board = provider.reads(*provider.line("--until-decided"))
    saved, better = SAVED.search(provider.said), BETTER.search(provider.said)
    assert saved is not None, provider.said
    assert better is not None, provider.said
    seen, of, plays, verdicts = map(int, saved.groups())
    asked = provider.loopback.calls_by_model()
    assert of == SCRIPTS
    assert (plays, verdicts) == (2 * SCRIPTS - asked["good"] - asked["poor"], 2 * SCRIPTS - asked["fair"])
    assert plays > SCRIPTS // 2
    assert 2 * seen <= asked["fair"]
    low, high = float(better[1]), float(better[2])
    assert 0 <= low < 2.5 < high  # what is planted
    assert int(better[3]) == seen
    first, pair = notes_of(board)
    assert (
        f"by rating (--until-decided), {seen} of {SCRIPTS} scenarios, and stopped when all was decided"
        in first
    )
    assert f"({low:.3f} to {high:.3f}, n {seen}), decided (p 0.0" in pair
    assert board["rows"][0]["model"] == "openai/good"

    calls, said = provider.loopback.calls, provider.remarks()
    assert provider.reads(*provider.line("--until-decided")) == board
    assert provider.remarks() == said
    assert provider.loopback.calls == calls
    assert provider.reads("show", "last") == board

    whole = provider.reads(*provider.line())
    assert provider.loopback.calls == 4 * SCRIPTS
    assert notes_of(whole) == []
    assert {row["n"] for row in whole["rows"]} == {SCRIPTS}


def test_the_better_model_is_named_whichever_was_typed_first(provider: Provider) -> None:
    provider.types(*provider.line("--until-decided", models=("poor", "good")))
    first = BETTER.search(provider.said)
    assert first is not None
    provider.types(*provider.line("--until-decided"))
    assert provider.remarks()[0] == first[0]


def test_two_of_three_models_that_are_alike_are_not_decided_and_all_is_played(provider: Provider) -> None:
    models = ("good", "other", "poor")
    board = provider.reads(*provider.line("--until-decided", models=models))
    assert provider.loopback.calls == 6 * SCRIPTS
    first, *pairs = notes_of(board)
    assert "50 of 50 scenarios, and not all is decided" in first
    names = [("good", "other"), ("good", "poor"), ("other", "poor")]
    assert [pair.partition(":")[0] for pair in pairs] == [f"openai/{a} against openai/{b}" for a, b in names]
    assert [", decided" in pair for pair in pairs] == [True, True, False]
    assert "openai/other is not decided" in provider.said or "openai/poor is not decided" in provider.said
    assert SAVED.search(provider.said) is None


def test_a_budget_that_suffices_for_the_decision_is_enough(provider: Provider) -> None:
    provider.types(*provider.line("--until-decided", "--budget-calls", "20"), code=1)
    assert provider.loopback.calls <= 20
    assert "is not decided" in provider.said
    assert "The same command with a larger budget goes on" in provider.said
    provider.types(*provider.line("--until-decided"))
    needed = provider.loopback.calls
    provider.store = provider.store.with_name("other.db")
    provider.types(*provider.line("--until-decided", "--budget-calls", str(needed)))
    assert SAVED.search(provider.said)
    assert "budget" not in provider.said


def test_a_budget_that_ran_out_beside_the_decision_is_no_matter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    house = House(tmp_path / "house", {"alpha": 5.0, "beta": 8.0})
    house.carry_out()
    engine = house.engine()
    engine.budget.used_up = True
    assert carry_out(engine)[0] == 0
    said = capsys.readouterr().err
    assert SAVED.search(said)
    assert "budget" not in said


# Starts that were ended from outside


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_ended_in_the_middle_it_goes_on_to_the_same_decision(
    how: signal.Signals, provider: Provider, tmp_path: Path
) -> None:
    calm = provider.reads(*provider.line("--until-decided"))
    (tmp_path / "disturbed").mkdir()
    disturbed = Provider(tmp_path / "disturbed", provider.capsys)
    ender = Killer()

    def watch(event: Event) -> None:
        if how == signal.SIGKILL:
            ender(event)
        elif event.number == 45 and ender.process is not None:
            ender.process.send_signal(how)

    disturbed.loopback = Loopback(disturbed.hear, latency=0.005, jitter=0.01, watch=watch)
    with serving(disturbed.loopback) as disturbed.url:
        line = [*disturbed.line("--until-decided"), "--store", str(disturbed.store)]
        ender.aim(45)
        ender.process = start(line)
        ender.started.set()
        code, _, err = finish(ender.process)
        assert code == (-signal.SIGKILL if how == signal.SIGKILL else 130), err
        kept, answered = disturbed.reads("show", "last"), finished_rows(disturbed.store)
        (first, *_), told = notes_of(kept), notes_of(calm)
        assert "not all is decided" in first  # but that it was looked at all the while is told
        ender.at, ender.process = 0, None
        board = disturbed.reads(*disturbed.line("--until-decided"))
    assert notes_of(board) == told
    assert answered <= finished_rows(disturbed.store)
    check_record(disturbed.store)
    digests = Counter(event.digest for event in disturbed.loopback.events if event.kind == "request")
    assert disturbed.loopback.calls - len(digests) <= in_flight(disturbed.store)


# Pairs


def test_pairs_stop_when_they_are_decided_and_both_orders_count_together(provider: Provider) -> None:
    provider.types(*provider.line())
    before = provider.loopback.calls
    provider.heard.clear()
    board = provider.reads(*provider.pairing("--until-decided"))
    saved = SAVED.search(provider.said)
    assert saved is not None, provider.said
    seen, of, plays, verdicts = map(int, saved.groups())
    assert (of, plays, verdicts) == (SCRIPTS, 0, 2 * SCRIPTS - len(provider.heard))
    assert "By which of two is better, openai/good is better than openai/poor (0." in provider.said
    orders = Counter(
        (number_in(str(asked.messages[1]["content"])), shown_in(asked)) for asked in provider.heard
    )
    assert set(orders.values()) == {1}
    whole = [
        number for (number, shown) in orders if shown == ("good", "poor") and (number, shown[::-1]) in orders
    ]
    assert seen <= len(whole) < SCRIPTS
    first, pair = notes_of(board)
    assert f"by which of two is better (--until-decided), {seen} of {SCRIPTS}" in first
    by_hand = WinSequence()
    for number in provider.order()[:seen]:
        assert not by_hand.decided
        won = rating("good", number, 7.5) - rating("poor", number, 5.0)
        by_hand.add(0.5 if won == 0 else float(won > 0))
    found = by_hand.estimate
    assert by_hand.decided
    assert f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f}, n {found.n}), decided" in pair

    said = provider.remarks()
    assert provider.reads(*provider.pairing("--until-decided")) == board
    assert provider.remarks() == said
    assert provider.loopback.calls == before + len(provider.heard)
    rest = provider.reads(*provider.pairing())
    assert provider.loopback.calls == before + 2 * SCRIPTS
    assert notes_of(rest) == []


def test_a_judge_that_prefers_what_stands_first_decides_nothing(provider: Provider) -> None:
    provider.types(*provider.line())
    provider.heard.clear()
    board = provider.reads(*provider.pairing("--until-decided", judge="first"))
    assert len(provider.heard) == 2 * SCRIPTS
    first, pair = notes_of(board)
    assert "50 of 50 scenarios, and not all is decided" in first
    assert "nothing was seen, not decided" in pair
    assert "openai/good v openai/poor is not decided, n 0." in provider.said


def test_pairs_that_no_judge_can_be_read_of_are_passed_over(provider: Provider) -> None:
    provider.types(*provider.line("--limit", "6"))
    board = provider.reads(*provider.pairing("--until-decided", judge="mute"))
    first, pair = notes_of(board)
    assert "6 of 6 scenarios" in first
    assert "nothing was seen" in pair
    both = provider.reads(*provider.pairing("--until-decided"))  # one of the two can be read
    assert "nothing was seen" not in notes_of(both)[1]


def test_a_few_of_the_models_that_were_decided_leave_the_note(provider: Provider) -> None:
    provider.types(*provider.line("--limit", "12", models=("good", "other", "poor")))
    told = notes_of(provider.reads(*provider.pairing("--until-decided")))
    assert len(told) == 4
    two = ("--model", "openai/good", "--model", "openai/poor")
    assert notes_of(provider.reads(*provider.pairing(*two))) == told
    assert notes_of(provider.reads(*provider.pairing())) == []


# Other benchmarks


def differences(store: Path, names: tuple[str, ...], first: str, second: str) -> list[float]:
    """Of two models, scenario by scenario: of the mean over conversations, of the mean over judges."""
    found: dict[tuple[str, str], list[float]] = {}
    with Records(store) as records:
        run = records.find("last")
        for one in judged_of(records, run, find(run.benchmark)):
            for model in (first, second):
                mine = [score for score in one.scores if (score.model or one.row.subject) == model]
                by: dict[str, list[float]] = {}
                for score in mine:
                    if score.name in names:
                        by.setdefault(score.source, []).append(score.value)
                if by:
                    means = [fsum(values) / len(values) for values in by.values()]
                    found.setdefault((one.row.scenario.id, model), []).append(fsum(means) / len(means))
    value = {place: fsum(values) / len(values) for place, values in found.items()}
    return [value[one, first] - value[one, second] for one in {scenario for scenario, _ in value}]


def test_repeats_of_a_role_play_are_one_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    typist = Typist(tmp_path / "interplay.db", capsys)
    with serving(Loopback(answer)) as url:
        more = ("--epochs", "2", "--turns", "1", "--until-decided")
        board = typist.reads(*job(url, *more, limit=6, models=("openai/a", "openai/b")))
        assert {row["n"] for row in board["rows"]} == {12}
    with Records(typist.store) as records:
        kept = records.find("last").extent["until_decided"]
    (pair,) = kept["pairs"]
    found = differences(typist.store, ("in_character", "entertaining", "fluency"), "openai/a", "openai/b")
    assert (kept["by"], kept["seen"], pair["n"], len(found)) == ("final", 6, 6, 6)
    assert pair["value"] == pytest.approx(fsum(found) / 6)


def test_models_at_one_table_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bots = {
        "a": Bot(hazard=0.9),
        "b": Bot(hazard=0.5),
        "c": Bot(hazard=0.2),
        "d": Bot(),
        "e": Bot(hazard=0.7),
    }
    typist = Typist(tmp_path / "interplay.db", capsys)
    names = [f"openai/{name}" for name in bots]
    cast = [part for name in names for part in ("--model", name)]
    line = ["run", "word_guessing", "--experiment", "four", *cast, "--limit", "3", "--until-decided"]
    with serving(Loopback({name: bot.script(0) for name, bot in bots.items()})) as url:
        typist.types(*line, "--base-url", url)
    with Records(typist.store) as records:
        kept = records.find("last").extent["until_decided"]
    assert (kept["by"], kept["seen"], len(kept["pairs"])) == ("age", 3, 10)
    for pair in kept["pairs"]:
        found = differences(typist.store, ("age",), *pair["models"])
        assert (pair["n"], len(found)) == (3, 3)  # five tables of a scenario, of which each sits at four
        assert pair["value"] == pytest.approx(fsum(found) / 3)


# Other ways in, and mistakes


def test_a_study_and_python_ask_for_it_too(provider: Provider, tmp_path: Path) -> None:
    board = provider.reads(*provider.line("--until-decided"))
    study = tmp_path / "study.toml"
    study.write_text(
        'benchmark = "simulation"\nmodels = ["openai/good", "openai/poor"]\nuntil_decided = true\n'
        f'data = {json.dumps(str(provider.data))}\n[roles]\njudge = "openai/fair"\n'
        f'[how]\nbase_url = "{provider.url}"\nmax_connections = 4\n'
    )
    provider.store = tmp_path / "study.db"
    assert notes_of(provider.reads("run", str(study))) == notes_of(board)
    assert SAVED.search(provider.said)
    how = interplay.setup(
        tmp_path / "python.db", base_url=provider.url, max_connections=4, until_decided=True
    )
    cast = {"roles": {"judge": "openai/fair"}, "data": provider.data}
    found = interplay.run("simulation", ["openai/good", "openai/poor"], how=how, **cast)  # type: ignore[arg-type]
    told = [note for note in found.leaderboard().notes if NOTE in note or " against " in note]
    assert told == notes_of(board)
    study.write_text('benchmark = "simulation"\nuntil_decided = 1\n')
    assert "until_decided must be bool, not 1" in provider.mistakes("run", str(study))


def test_what_cannot_be_decided_is_refused_before_anything_is_asked(provider: Provider) -> None:
    told = provider.mistakes(*provider.line("--until-decided", models=("good",)))
    assert "name two or more with --model" in told
    line = [
        "run",
        "social_interaction",
        "--scene",
        "intentions",
        "--model",
        "openai/a",
        "--model",
        "openai/b",
    ]
    told = provider.mistakes(*line, "--limit", "2", "--base-url", provider.url, "--until-decided")
    assert "social_interaction gives no score to single conversations here" in told
    provider.types(*provider.line("--limit", "2", models=("good",)))
    calls = provider.loopback.calls
    assert "has only openai/good" in provider.mistakes(*provider.pairing("--until-decided"))
    assert provider.loopback.calls == calls


def test_a_plan_is_of_all_there_is(provider: Provider) -> None:
    planned = provider.reads(*provider.line("--until-decided", "--plan"))
    assert planned == provider.reads(*provider.line("--plan"))
    assert (planned["conversations"], planned["verdicts"]) == (2 * SCRIPTS, 2 * SCRIPTS)
    provider.types(*provider.line())
    assert provider.reads(*provider.pairing("--until-decided", "--plan"))["verdicts"] == 2 * SCRIPTS
