"""A rubric of one's own through the command line: judged by it from end to end, or refused before anything is sent."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.role_play.rubrics import TAKEN, VERSIONS, read_rubric_option, rubric_for
from interplay.core.failures import Mistake
from interplay.models.loopback import Asked
from interplay.running.results import OPEN, SAMPLING, USAGE
from interplay.store.records import Records
from tests.benchmarks.stage import BENCHMARK, OPTIONS
from tests.benchmarks.verdicts import board, played, verdict
from tests.judging.rubric_mistakes import GOOD, MISTAKES, as_file, criterion, flag, without
from tests.running.job import JUDGES, command
from tests.running.typed import judge_again, overheard, provider, refused, run, show, steady, text_of

Capsys = pytest.CaptureFixture[str]
REFUSAL = {"name": "is_refusal", "meaning": "The player will not play."}


def written(folder: Path, content: Mapping[str, Any] | bytes = GOOD, name: str = "mine.toml") -> str:
    path = folder / name
    path.write_bytes(as_file(content))
    return str(path)


def test_a_rubric_of_ones_own_is_asked_read_and_shown(tmp_path: Path, capsys: Capsys) -> None:
    store, seen = tmp_path / "interplay.db", list[Asked]()
    with provider(overheard(seen)) as (loopback, url):
        line = command(url, store, limit=4, judges=JUDGES[:1], more=("--rubric", written(tmp_path)))
        found = run(line, capsys)
        assert loopback.calls_by_model() == {"player": 16, "user": 16, "judge-1": 4}
    assert found["title"] == "role_play (PingPong v2, rubric warmth)"
    row = found["rows"][0]
    assert row["n"] == 4
    assert not {"in_character", "fluency", "entertaining", "refusal_ratio"} & row.keys()
    assert all(1 <= row[name]["value"] <= 4 for name in ("warm", "witty", "aggregate"))
    assert row["aggregate"]["value"] == pytest.approx((row["warm"]["value"] + row["witty"]["value"]) / 2)
    assert found["columns"]["warm"] == "The reply is kind. 1 to 4"
    assert "The player speaks of itself as a program" in found["columns"]["breaks_frame"]

    said = [json.loads(steady(asked)) for asked in seen if asked.model == "judge-1"]
    flags = [any(turn["breaks_frame"] for turn in one.values()) for one in said]
    assert row["breaks_frame"]["value"] == sum(flags) / 4
    means = [sum(turn["warm_score"] for turn in one.values()) / len(one) for one in said]
    assert row["warm"]["value"] == pytest.approx(sum(means) / 4)

    (asked, *_) = [one for one in seen if one.model == "judge-1"]
    for part in ("- warm: The reply is kind.", "- witty: ", "- breaks_frame: ", "4: warm", "at most 80 char"):
        assert part in text_of(asked)
    assert "in_character" not in text_of(asked)
    assert list(asked.schema["properties"]["turn_1"]["properties"]) == [
        "breaks_frame_explanation", "breaks_frame",
        "warm_explanation", "warm_score", "witty_explanation", "witty_score",
    ]  # fmt: skip


def test_a_version_1_conversation_is_judged_by_ones_own_rubric_as_a_whole(
    tmp_path: Path, capsys: Capsys
) -> None:
    with provider() as (loopback, url):
        more = ("--version", "v1", "--rubric", written(tmp_path))
        found = run(command(url, tmp_path / "a.db", limit=2, judges=JUDGES[:1], more=more), capsys)
        assert loopback.calls_by_model() == {"player": 8, "user": 10, "judge-1": 2}
    assert found["title"] == "role_play (PingPong v1, rubric warmth)"
    assert found["rows"][0]["n"] == 2
    assert "clip" in found["columns"]["ln_score"]


def test_a_finished_run_is_judged_by_a_file_and_by_more_judges_when_the_file_is_gone(
    tmp_path: Path, capsys: Capsys
) -> None:
    store, rubric = tmp_path / "interplay.db", written(tmp_path)
    seen: list[Asked] = []
    with provider(overheard(seen)) as (loopback, url):
        before = run(command(url, store, limit=2, judges=JUDGES[:1]), capsys)
        mine = run(judge_again(url, store, "last", "--rubric", rubric), capsys)
        assert loopback.calls_by_model()["judge-1"] == 2 + 2
        assert mine["title"] == "role_play (PingPong v2, rubric warmth)"
        Path(rubric).unlink()
        joined = run(judge_again(url, store, "last", "--model-role", "judge=openai/judge-2"), capsys)
        assert loopback.calls_by_model()["judge-2"] == 2
        assert joined["title"] == mine["title"]
        assert all("The reply is kind." in text_of(one) for one in seen if one.model == "judge-2")
        assert run(show(store), capsys) == joined
        back = run(judge_again(url, store, "last", "--rubric", "v2"), capsys)
        assert back["rows"][0]["aggregate"] == before["rows"][0]["aggregate"]
        calls = loopback.calls

        written(tmp_path)  # the same rubric again, and both its verdicts are there
        assert run(judge_again(url, store, "last", "--rubric", rubric), capsys) == joined
        assert loopback.calls == calls
        written(tmp_path, criterion(statement="The reply made me laugh."))
        run(judge_again(url, store, "last", "--rubric", rubric), capsys)
        assert loopback.calls == calls + 4  # an edited rubric is another one, for both judges of the last


def test_a_rubric_is_part_of_what_a_run_is(tmp_path: Path, capsys: Capsys) -> None:
    store = tmp_path / "interplay.db"
    with provider() as (_, url):
        names = [
            run(command(url, store, limit=1, judges=JUDGES[:1], more=more), capsys)["run"]
            for more in (
                (),
                ("--rubric", written(tmp_path)),
                ("--rubric", written(tmp_path, name="another name.toml")),
                ("--rubric", written(tmp_path, criterion(statement="Ha."), "edited.toml")),
            )
        ]
    assert len(set(names)) == 3
    assert names[1] == names[2]  # what is in the file counts, not where it lies


def test_a_refusal_flag_of_ones_own_rubric_counts_as_one(tmp_path: Path, capsys: Capsys) -> None:
    def script(asked: Asked) -> str:
        said = steady(asked)
        return said.replace('"is_refusal": false', '"is_refusal": true') if asked.model == "judge-1" else said

    rubric = written(tmp_path, {**GOOD, "flags": [REFUSAL]})
    with provider(script) as (_, url):
        line = command(url, tmp_path / "a.db", limit=2, judges=JUDGES[:1], more=("--rubric", rubric))
        row = run(line, capsys)["rows"][0]
    assert (row["n"], row["refusal_ratio"]["value"], row["aggregate"]["value"]) == (0, 1.0, None)


def test_explanations_are_as_long_as_the_file_says_and_else_as_the_option(tmp_path: Path) -> None:
    said, unsaid = (
        BENCHMARK.read({"rubric": written(tmp_path, content), "explanation": "123"})
        for content in (GOOD, without("explanation"))
    )

    assert rubric_for(BENCHMARK.settle(said)).explanation == 80
    assert rubric_for(BENCHMARK.settle(unsaid)).explanation == 123


@pytest.mark.parametrize("slip", MISTAKES)
def test_a_slip_in_the_file_stops_the_run_before_anything_is_sent_or_written(
    slip: str, tmp_path: Path, capsys: Capsys
) -> None:
    content, complaint = MISTAKES[slip]
    rubric, store = written(tmp_path, content), tmp_path / "interplay.db"
    with provider() as (loopback, url):
        error = refused(command(url, store, limit=1, more=("--rubric", rubric)), capsys)
        assert loopback.calls == 0
    assert " ".join(complaint.split()) in error
    assert rubric in error
    assert [path.name for path in tmp_path.iterdir()] == ["mine.toml"]


@pytest.mark.parametrize("slip", ["not TOML", "no scale", "two criteria of a name", "short explanation"])
def test_a_slip_in_the_file_leaves_a_finished_run_as_it_was(
    slip: str, tmp_path: Path, capsys: Capsys
) -> None:
    store = tmp_path / "interplay.db"
    with provider() as (loopback, url):
        before = run(command(url, store, limit=1), capsys)
        calls = loopback.calls
        rubric = written(tmp_path, MISTAKES[slip][0])
        assert MISTAKES[slip][1] in refused(judge_again(url, store, "last", "--rubric", rubric), capsys)
        assert MISTAKES[slip][1] in refused(
            judge_again(url, store, "last", "--rubric", rubric, "--model-role", "judge=openai/judge-3"),
            capsys,
        )
        assert loopback.calls == calls
    assert run(show(store), capsys) == before


def test_a_misspelt_version_is_no_file_and_says_so(tmp_path: Path, capsys: Capsys) -> None:
    error = refused(command("http://127.0.0.1:9/v1", tmp_path / "a.db", more=("--rubric", "v3")), capsys)

    assert "there is no rubric 'v3'; there is v1, v2, or a file" in error
    assert list(tmp_path.iterdir()) == []


# Names that would stand for something else.


@pytest.mark.parametrize("name", VERSIONS)
def test_the_name_of_a_version_is_not_to_be_had(name: str, tmp_path: Path) -> None:
    for rubric in (
        written(tmp_path, {**GOOD, "name": name}),
        written(tmp_path, without("name"), f"{name}.toml"),
    ):
        with pytest.raises(Mistake, match=f"{name} is a rubric of PingPong's; give it another name"):
            read_rubric_option(rubric)


@pytest.mark.parametrize("name", sorted(TAKEN))
def test_a_name_that_stands_on_every_board_is_not_to_be_had(name: str, tmp_path: Path) -> None:
    complaint = "not end in _score" if name.endswith("_score") else f"'{name}' stands on every board already"
    for content in (criterion(name=name), flag(name=name)):
        with pytest.raises(Mistake, match=complaint):
            read_rubric_option(written(tmp_path, content))


def test_the_names_that_are_taken_are_those_of_the_board_and_of_the_scores() -> None:
    conversation = played(0, verdict("j", (4, 4, 4)))
    columns = {*board(conversation).rows[0], OPEN.key, SAMPLING.key, *(column.key for column in USAGE)}
    scores = {one.name for one in BENCHMARK.score(conversation.outcome, conversation.verdicts, OPTIONS)}

    assert (columns | scores) - set(rubric_for(OPTIONS).names) == TAKEN


def test_verdicts_of_ones_own_rubric_stay_beside_those_of_the_versions(
    tmp_path: Path, capsys: Capsys
) -> None:
    store = tmp_path / "interplay.db"
    with provider() as (_, url):
        run(command(url, store, limit=1, judges=JUDGES[:1]), capsys)
        for rubric in (written(tmp_path), "v1"):
            run(judge_again(url, store, "last", "--rubric", rubric), capsys)
    with Records(store) as records:
        found = records.find("last")
        (given,) = records.verdicts(found).values()
    assert len({one.rubric for one in given}) == len(given) == 3
    assert set(found.extent["panels"]) == {one.rubric for one in given}
