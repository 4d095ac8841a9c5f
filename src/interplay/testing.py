"""One suite of tests for any benchmark: subclass BenchmarkSuite, name the benchmark, and let pytest run it.

    class TestMyBenchmark(BenchmarkSuite):
        benchmark = benchmark
        readme = Path("README.md")

Conversations are played over HTTP against scripted models on this machine, into stores in pytest's own folders.
"""
# ruff: noqa: S101  # these are tests

import asyncio
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar
from unittest import SkipTest

from interplay.core.benchmark import Benchmark, Scenario, Unjudged, Verdict
from interplay.core.benchmark_checks import check_benchmark
from interplay.core.board import Board, Estimate
from interplay.core.wire import canonical, digest_of
from interplay.models.connecting import Directory
from interplay.models.loopback import Asked, Fault, Loopback, Said, Script, rehearse, serving
from interplay.running.engine import Engine
from interplay.running.forecast import forecast
from interplay.running.how import How
from interplay.running.looping import carried_out
from interplay.running.results import board_of
from interplay.running.spec import RunSpec, make_spec
from interplay.running.tally import Tally
from interplay.store.records import ConversationRow, Records

JUDGE, SUBJECT = "judge", "subject"  # under these names models of the suite are asked
REFUSED = Fault("status", status=418)  # an answer that no endpoint gives, and that nobody asks for again
JITTER = 0.02  # seconds
_MARK = re.compile(r"<<([0-9a-f]{12})\b")


def steady(asked: Asked) -> str:
    """Any role, by a script that says the same in every store: the marks of fences, which are secret, go unread."""
    text = json.dumps(list(asked.messages))
    for mark in set(_MARK.findall(text)):
        text = text.replace(mark, "")
    return rehearse(replace(asked, messages=tuple(json.loads(text))))


@dataclass(frozen=True)
class Record:
    """What a start of a run left in its store, and what it asked the provider for."""

    rows: tuple[ConversationRow, ...]
    verdicts: tuple[Verdict, ...]
    scores: tuple[tuple[int, str, str, float], ...]
    board: Board
    calls: Mapping[str, int]  # of this start, by the name that the endpoint knows a model by

    @property
    def table(self) -> str:
        return canonical(self.board.as_json())

    def said(self) -> list[Any]:
        """All that was said, came of it and was scored, in an order that no clock has a hand in."""
        scores: dict[int, list[tuple[str, str, float]]] = {}
        for number, name, source, value in self.scores:
            scores.setdefault(number, []).append((name, source, value))
        found = [
            [one.scenario.id, one.subject, one.repeat, one.state, one.outcome, [asdict(line) for line in one.lines],
             sorted(scores.get(one.number, ()))]
            for one in self.rows
        ]  # fmt: skip
        return sorted(found, key=lambda one: (one[0], one[1], one[2]))


class BenchmarkSuite:
    """What every benchmark must hold; see the names of the tests."""

    benchmark: ClassVar[Benchmark]
    options: ClassVar[Mapping[str, str]] = {}  # beside those of its tryout, which make it short
    limit: ClassVar[int] = 2  # scenarios
    readme: ClassVar[Path | None] = None  # that tells what is measured
    rare: ClassVar[Collection[str]] = ()  # measures that a short run may have no value of
    script: ClassVar[Script] = staticmethod(steady)  # what models say; the same to the same request

    def test_it_holds_together(self) -> None:
        check_benchmark(self.benchmark)

    def test_scenarios_have_ids_of_their_own_that_stay(self) -> None:
        first, second = self._scenarios(), self._scenarios()
        assert first, "there is no scenario"
        ids = [one.id for one in first]
        assert len(set(ids)) == len(ids), "two scenarios have the same content"
        assert [one.id for one in second] == ids, "read again, the scenarios are others, or in another order"
        assert all(one.label.strip() for one in first), "a scenario has no label"

    def test_it_plays_and_scores_and_the_same_again_costs_nothing(self, tmp_path: Path) -> None:
        first = self._play(tmp_path / "run.db")
        assert [one.state for one in first.rows] == ["done"] * len(first.rows), _why_void(first)
        assert len(first.rows) >= min(self.limit, len(self._scenarios()))
        assert first.scores, "nothing was scored"
        assert sum(first.calls.values()) > 0, "no model was asked"
        self._check_measures(first)
        again = self._play(tmp_path / "run.db")
        assert again.calls == {}, "the same run again asked models"
        assert again.table == first.table, "the same run again shows another table"

    def test_it_goes_on_where_it_was_stopped_and_pays_nothing_twice(self, tmp_path: Path) -> None:
        whole = self._play(tmp_path / "whole.db")
        most = sum(whole.calls.values())
        stopped = self._play(tmp_path / "stopped.db", stop_after=max(1, most // 2))
        rest = self._play(tmp_path / "stopped.db")
        paid = {name: stopped.calls.get(name, 0) + rest.calls.get(name, 0) for name in whole.calls}
        assert paid == dict(whole.calls), "stopped and begun again, it asked models otherwise than in one go"
        assert rest.said() == whole.said(), "stopped and begun again, something else was said"

    def test_neither_clocks_nor_dice_change_what_is_recorded(self, tmp_path: Path) -> None:
        calm = self._play(tmp_path / "calm.db")
        shaken = self._play(tmp_path / "shaken.db", jitter=JITTER)
        assert shaken.said() == calm.said(), (
            "something is drawn outside of talk.rng, or hangs on who answers first"
        )
        assert shaken.table == calm.table

    def test_scenarios_are_not_changed_by_play(self, tmp_path: Path) -> None:
        spec = self._spec()
        before = [canonical(dict(one.content)) for one in spec.material.scenarios]
        self._play(tmp_path / "run.db", spec=spec)
        after = [canonical(dict(one.content)) for one in spec.material.scenarios]
        assert after == before, "a scenario is not what it was before it was played"
        assert all(digest_of(one.content) == one.id for one in spec.material.scenarios)

    def test_a_judge_out_of_form_leaves_it_unscored_and_not_zero(self, tmp_path: Path) -> None:
        if isinstance(self._benchmark.judging(self._settled()), Unjudged):
            raise SkipTest("it has no judge who could be out of form")
        found = self._play(tmp_path / "run.db", script=self._but(JUDGE, "I would rather not say."))
        assert found.verdicts, "no judge was asked"
        assert all(one.data is None and one.failure for one in found.verdicts), (
            "a verdict without a form counts"
        )
        given = [score for score in found.scores if score[2] == f"openai/{JUDGE}"]
        assert not given, f"a judge who said nothing gave scores: {given}"
        self._check_empty(found.board, [one.name for one in self._measures() if one.by == "judges"])

    def test_a_subject_that_fails_is_void_and_not_zero(self, tmp_path: Path) -> None:
        found = self._play(tmp_path / "run.db", script=self._but(SUBJECT, REFUSED))
        assert {one.state for one in found.rows} == {"void"}, "what was not played to its end counts"
        assert all(one.failure for one in found.rows), "a failure has no name"
        assert not found.scores, f"what was not played is scored: {found.scores}"
        self._check_empty(found.board, [one.name for one in self._measures()])

    def test_the_forecast_covers_what_was_called(self, tmp_path: Path) -> None:
        with serving(Loopback(self._script)) as url:
            planned = asyncio.run(forecast(self._engine(self._spec(), tmp_path / "run.db", url)))
        spans: dict[str, tuple[int, int]] = {}
        for share in planned.shares:
            least, most = spans.get(share.model, (0, 0))
            spans[share.model] = least + share.calls[0], most + share.calls[1]
        called = self._play(tmp_path / "run.db").calls
        for name, count in called.items():
            least, most = spans.get(f"openai/{name}", (0, 0))
            assert least <= count <= most, f"{name}: {count} calls, where {least} to {most} were foretold"
        assert {f"openai/{name}" for name in called} >= {name for name, span in spans.items() if span[0]}

    def test_what_it_measures_is_explained(self, tmp_path: Path) -> None:
        found = self._play(tmp_path / "run.db")
        for board in (found.board, *found.board.parts):
            for column in board.columns:
                assert column.meaning.strip(), f"the column {column.key!r} of {board.title!r} has no meaning"
            keys = {column.key for column in board.columns}
            assert all(keys <= row.keys() for row in board.rows), f"a row of {board.title!r} lacks a column"
        if self.readme is None:
            return
        text = self.readme.read_text(encoding="utf-8")
        names = {name for _, name, _, _ in found.scores}
        names |= {name for measure in self._measures() for name in (measure.name, *measure.of)}
        names |= {option.name for option in self._benchmark.options}
        names |= {role.name for role in self._benchmark.roles(self._settled())}
        silent = sorted(name for name in names if not _tells_of(text, name))
        assert not silent, f"{self.readme} does not tell of {', '.join(silent)}"

    # what the tests are made of

    @property
    def _benchmark(self) -> Benchmark:
        return type(self).benchmark

    @property
    def _script(self) -> Script:
        return type(self).script

    def _given(self) -> dict[str, str]:
        return {**self._benchmark.tryout.options, **self.options}

    def _settled(self) -> dict[str, str]:
        return self._benchmark.settle(self._benchmark.read(self._given()))

    def _scenarios(self) -> tuple[Scenario, ...]:
        return self._benchmark.scenarios(self._settled(), None).scenarios

    def _measures(self) -> list[Any]:
        return list(self._benchmark.measures(self._settled()))

    def _spec(self) -> RunSpec:
        """The benchmark with a model of its own for every role, so that each can be told from the others."""
        roles = self._benchmark.roles(self._settled())
        subjects = [role for role in roles if role.kind == "subject"]
        return make_spec(
            self._benchmark,
            models=[f"openai/{SUBJECT}-{number}" for number in range(1, max(2, len(subjects)) + 1)],
            roles={role.name: [f"openai/{role.name}"] for role in roles if role.kind != "subject"},
            options=self._given(),
            limit=self.limit,
            epochs=1,
        )

    def _engine(self, spec: RunSpec, store: Path, url: str, tally: Tally | None = None) -> Engine:
        how = How(store, Directory(base_url=url, environment={}))
        return Engine(self._benchmark, spec, how, tally or Tally())

    def _play(
        self,
        store: Path,
        *,
        spec: RunSpec | None = None,
        script: Script | None = None,
        jitter: float = 0.0,
        stop_after: int = 0,
    ) -> Record:
        """Carry a run out as far as it goes, or stop it after so many calls, and read what is in the record."""
        tally, spec = Tally(), spec or self._spec()
        loopback = Loopback(_stopping(script or self._script, tally, stop_after), jitter=jitter)
        with serving(loopback) as url:
            run = carried_out(self._engine(spec, store, url, tally).carry_out())
        with Records(store) as records:
            return Record(
                tuple(records.conversations(run)),
                tuple(one for each in records.verdicts(run).values() for one in each),
                tuple(records.scores(run)),
                board_of(records, run, self._benchmark),
                loopback.calls_by_model(),
            )

    def _but(self, name: str, said: str | Fault) -> Script:
        """The script in which models of this name, and no others, say this."""
        usual = self._script

        def script(asked: Asked) -> str | Said | Fault:
            return said if asked.model.startswith(name) else usual(asked)

        return script

    def _check_measures(self, found: Record) -> None:
        """Every measure has a value somewhere, within its scale."""
        names = {name for _, name, _, _ in found.scores}
        for measure in self._measures():
            if measure.name not in self.rare:
                assert set(measure.names) <= names, f"nothing is scored as {measure.name!r}"
            for _, name, _, value in found.scores:
                if name == measure.name:
                    low, high = measure.scale.low, measure.scale.high
                    assert low <= value <= high, f"{name} is {value}, off its scale from {low:g} to {high:g}"

    def _check_empty(self, board: Board, names: list[str]) -> None:
        """Where nothing was measured, the board says so."""
        for row in board.rows:
            for name in names:
                cell = row.get(name)
                value = cell.value if isinstance(cell, Estimate) else cell
                assert value is None, f"the board says {value} of {name!r}, which nobody measured"


def _stopping(script: Script, tally: Tally, after: int) -> Script:
    """The script that stops the run once so many calls were made, as Ctrl-C would."""

    def stopping(asked: Asked) -> str | Said | Fault:
        if after and asked.number >= after:
            tally.stopping = True
        return script(asked)

    return stopping


def _why_void(found: Record) -> str:
    return "; ".join(f"{one.failure}: {one.detail}" for one in found.rows if one.failure)


def _tells_of(text: str, name: str) -> bool:
    """Is a name in a text, in whatever letters, as words or in one? The number of a seat need not be."""
    parts = [re.escape(part).replace("_", "[ _-]") for part in name.split() if not part.isdecimal()]
    return all(re.search(rf"\b{part}\b", text, re.IGNORECASE) for part in parts)
