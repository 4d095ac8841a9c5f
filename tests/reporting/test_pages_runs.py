"""Where a run stands, what it is, and the command that goes on with it: pure functions of what is recorded."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from interplay.benchmarks import ALL, find
from interplay.cli import interplay
from interplay.core.benchmark import Benchmark
from interplay.reporting.pages.commands import Command, going_on
from interplay.reporting.pages.progress import Standing, in_words, standing_of
from interplay.reporting.pages.runs import about, progress
from interplay.running.progress import Progress
from interplay.running.spec import RunSpec, make_spec
from interplay.store.records import Run
from interplay.store.sums import Sums

RUN = Run(
    number=1,
    id="simulation-1",
    benchmark="simulation",
    identity={"models": ["openai/a"], "roles": {"judge": ["openai/j"]}, "options": {}, "sampling": {}, "seed": 0,
              "scenarios": "x" * 32},
    extent={"limit": 10, "epochs": 1, "judges": ["openai/j"], "rubric": "r", "judging": {}},
    secret=b"",
    created="2026-05-04T12:00:00+00:00",
)  # fmt: skip
NOBODY = Progress(planned=10, judges=1, waiting={}, calls_in_last_minute=0, last_written=None, written_by="")
SOMEBODY = replace(NOBODY, written_by="process 7", calls_in_last_minute=60)
EMPTY = Sums({}, {}, {}, 0, {}, 0, 0, {}, 0, 0, 0, 0, 0.0, (), ())


def sums(done: int = 0, void: int = 0, open: int = 0, **more: Any) -> Sums:
    return replace(EMPTY, states={"done": done, "void": void, "open": open}, **more)


class TestStanding:
    @pytest.mark.parametrize(
        ("seen", "counted", "state"),
        [
            (SOMEBODY, sums(3), "written"),
            (NOBODY, sums(10, verdicts=10), "finished"),
            (NOBODY, sums(10, verdicts=9), "stopped"),
            (
                NOBODY,
                sums(10, verdicts=9, judge_failures={"judge error": 1}),
                "finished",
            ),  # it is not asked again
            (NOBODY, sums(10, verdicts=9, judge_failures={"provider": 1}), "stopped"),  # it is
            (NOBODY, sums(8, 2, verdicts=8, failures={"loop": 2}), "finished"),
            (NOBODY, sums(8, 2, verdicts=8, failures={"provider": 2}), "stopped"),
            (NOBODY, sums(3, verdicts=3), "stopped"),
            (replace(NOBODY, waiting={"ada": 1}), sums(9, open=1, verdicts=9), "waiting"),
            (replace(SOMEBODY, waiting={"ada": 1}), sums(9, open=1, verdicts=9), "written"),
        ],
    )
    def test_its_state(self, seen: Progress, counted: Sums, state: str) -> None:
        assert standing_of(RUN, seen, counted).state == state

    def test_a_run_that_was_decided_early_is_not_called_stopped(self) -> None:
        run = replace(RUN, extent={**RUN.extent, "until_decided": {"decided": True}})
        assert standing_of(run, NOBODY, sums(4, verdicts=4)).state == "decided"

    def test_what_is_left(self) -> None:
        found = standing_of(RUN, NOBODY, sums(5, 2, 1, verdicts=4, failures={"provider": 1, "loop": 1}))
        assert (found.planned, found.left, found.again) == (10, 4, 1)
        assert (found.verdicts_wanted, found.verdicts_left) == (9, 5)

    def test_more_than_was_planned_is_planned_too(self) -> None:
        assert standing_of(RUN, NOBODY, sums(12, verdicts=12)).planned == 12

    def test_the_time_that_is_left_goes_by_calls(self) -> None:
        found = standing_of(RUN, SOMEBODY, sums(5, verdicts=5, finished=100), pace=2.0)
        assert found.seconds_left == pytest.approx(50.0)  # as much again as there is, at two a second

    def test_what_is_open_is_half_played(self) -> None:
        found = standing_of(RUN, SOMEBODY, sums(4, open=2, verdicts=4, finished=100), pace=2.0)
        assert found.seconds_left == pytest.approx(50.0)

    @pytest.mark.parametrize(
        ("seen", "counted", "pace"),
        [
            (NOBODY, sums(5, finished=100), 2.0),  # nobody writes it
            (SOMEBODY, sums(5, finished=100), None),  # no pace
            (SOMEBODY, sums(2, finished=100), 2.0),  # too little is there
            (SOMEBODY, sums(10, verdicts=2, finished=100), 2.0),  # verdicts alone
            (replace(SOMEBODY, waiting={"ada": 1}), sums(5, open=1, finished=100), 2.0),  # people
            (SOMEBODY, sums(2, 3, finished=100, failures={"provider": 3}), 2.0),  # void ones are played again
        ],
    )
    def test_no_time_is_told_where_nobody_knows(
        self, seen: Progress, counted: Sums, pace: float | None
    ) -> None:
        assert standing_of(RUN, seen, counted, pace=pace).seconds_left is None

    @pytest.mark.parametrize(
        ("seconds", "words"),
        [(3, "less than a minute"), (70, "about 1 minute"), (200, "about 3 minutes"), (5_300, "about 88 minutes"),
         (5_400, "about 2 hours"), (100_000, "about 28 hours"), (400_000, "about 5 days")],
    )  # fmt: skip
    def test_time_in_words(self, seconds: float, words: str) -> None:
        assert in_words(seconds) == words

    def test_the_part_is_fetched_again_only_while_something_may_change(self) -> None:
        def again(seen: Progress, counted: Sums) -> int:
            found: int = progress(standing_of(RUN, seen, counted), Command(""))["look_again"]
            return found

        assert again(SOMEBODY, sums(3)) == 2
        assert again(NOBODY, sums(3)) > 2
        assert again(NOBODY, sums(10, verdicts=10)) == 0

    def test_the_record_can_be_written_as_json(self) -> None:
        found = standing_of(RUN, SOMEBODY, sums(5, verdicts=5, finished=100), pace=2.0).record()
        assert json.loads(json.dumps(found)) == found
        assert isinstance(standing_of(RUN, NOBODY, EMPTY), Standing)


def recorded(spec: RunSpec, benchmark: Benchmark) -> Run:
    """A run as the store has it once it began."""
    judges = sorted(spec.judges())
    limit = spec.limit or len(spec.material.scenarios)
    extent = {"limit": limit, "epochs": spec.epochs, "judges": judges, "rubric": "r", "judging": {}}
    return replace(RUN, id=spec.run_id, benchmark=benchmark.name, identity=spec.identity(), extent=extent)


CASTS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "role_play": {"interrogator": ["openai/asker"], "judge": ["openai/j", "openai/i"]},
    "simulation": {"judge": ["openai/j"]},
    "word_guessing": {"opponent": ["openai/o"]},
    "task_dialogue": {"user": ["openai/u"], "judge": ["openai/j"]},
    "social_interaction": {"judge": ["openai/j"]},
}


class TestCommand:
    def planned(self, command: str) -> str:
        """The run that a command would carry out."""
        words = [*shlex.split(command)[1:], "--base-url", "http://127.0.0.1:9/v1", "--plan", "--json"]
        found = CliRunner().invoke(interplay, words, standalone_mode=False)
        assert found.exception is None, found.exception
        return str(json.loads(found.stdout)["run"])

    @pytest.mark.parametrize("benchmark", ALL, ids=[one.name for one in ALL])
    def test_it_is_the_same_run(self, benchmark: Benchmark, tmp_path: Path) -> None:
        spec = make_spec(
            benchmark,
            models=["openai/it's me", "openai/b"],
            roles=CASTS[benchmark.name],
            sampling={"openai/b": {"temperature": 0.25, "top_p": None}},
            seed=5,
            limit=1,
            null=True,
        )
        found = going_on(recorded(spec, benchmark), tmp_path / "a store.db")
        assert found.to_fill_in == ()
        assert self.planned(found.text) == spec.run_id

    def test_options_epochs_and_a_cast_of_seats(self, tmp_path: Path) -> None:
        benchmark = find("word_guessing")
        spec = make_spec(benchmark, models=["openai/a", "openai/b"], options={"experiment": "table", "split": "1-1"},
                         limit=2, epochs=2)  # fmt: skip
        found = going_on(recorded(spec, benchmark), tmp_path / "s.db")
        assert "--epochs 2" in found.text
        assert self.planned(found.text) == spec.run_id

    def test_a_tryout(self, tmp_path: Path) -> None:
        benchmark = find("role_play")
        spec = make_spec(benchmark)
        assert self.planned(going_on(recorded(spec, benchmark), tmp_path / "s.db").text) == spec.run_id

    def test_what_the_record_does_not_tell_is_to_be_filled_in(self) -> None:
        run = replace(RUN, identity={**RUN.identity, "options": {"prompts": '{"name":"mine","files":{}}'}})
        found = going_on(run, Path("interplay.db"))
        assert found.to_fill_in == ("PROMPTS", "DATA")
        assert "--prompts PROMPTS" in found.text and "--data DATA" in found.text
        assert "--store" not in found.text  # it is the one that every verb takes

    def test_what_was_made_of_a_run_is_read_again(self) -> None:
        run = replace(RUN, identity={**RUN.identity, "options": {"of": "social_interaction-1"}})
        assert going_on(run, Path("interplay.db")).text == "interplay read social_interaction-1"

    def test_what_other_verbs_made_has_none(self) -> None:
        assert going_on(replace(RUN, benchmark="judge_probe"), Path("interplay.db")) == Command("")


class TestAbout:
    def test_versions_are_told_where_they_say_more_than_the_name(self) -> None:
        found = about(RUN, find("simulation"), {"openai/a": ("a",), "openai/j": ("j-2026-05", "openai/j")})
        assert found["models"][0]["versions"] == []
        assert found["judges"][0]["versions"] == ["j-2026-05"]

    def test_a_person_is_marked(self) -> None:
        run = replace(RUN, identity={**RUN.identity, "models": ["human/ada"]})
        assert about(run, find("simulation"))["models"][0]["is_person"]

    def test_a_file_is_named_and_a_default_is_not_told(self) -> None:
        benchmark = find("role_play")
        options = {"prompts": '{"name":"mine"}', "language": "en", "turns": "9"}
        run = replace(RUN, benchmark="role_play", identity={**RUN.identity, "options": options})
        told = dict(about(run, benchmark)["options"])
        assert told["prompts"] == "mine"
        assert told["turns"] == "9"
        assert "language" not in told
