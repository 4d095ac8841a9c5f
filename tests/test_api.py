"""The way in for Python: names, functions as models, notebooks, frames."""

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import interplay
from interplay.api import setup
from interplay.core.failures import Mistake
from interplay.core.wire import Message
from interplay.interop.table_columns import TABLES
from interplay.models.loopback import Asked, Loopback, serving
from tests.analysis.planted import Office, acted, office, rated, record
from tests.running.job import answer

__all__ = ["office"]  # a fixture

ROLES = {"interrogator": "openai/user", "judge": ["openai/judge-1", "openai/judge-2"]}


def parrot(messages: Sequence[Message]) -> str:
    return f"You said: {messages[-1].text}"


def curious(messages: Sequence[Message]) -> str:
    return json.dumps({"next_utterance": "And <b>then</b>?"})


def kind(messages: Sequence[Message]) -> str:
    turn = {"is_refusal_explanation": "no", "is_refusal": False}
    for name in ("in_character", "entertaining", "fluency"):
        turn |= {f"{name}_explanation": "'You said' fits, I agree", f"{name}_score": 4}
    return json.dumps({f"turn_{number}": turn for number in range(1, 3)})


def test_the_public_names_are_these() -> None:
    assert interplay.__all__ == ["Run", "load", "run", "setup"]
    assert all(callable(getattr(interplay, name)) for name in interplay.__all__)
    with pytest.raises(AttributeError, match="interplay has no 'runn'"):
        interplay.runn  # noqa: B018  # the point is that it fails


def test_a_run_over_http_is_the_command_line_s_run(tmp_path: Path) -> None:
    loopback = Loopback(answer)
    with serving(loopback) as url:
        how = setup(tmp_path / "interplay.db", base_url=url)
        done = interplay.run("pingpong", "openai/player", roles=ROLES, limit=2, how=how)
        calls = loopback.calls
        again = interplay.run("role_play", "openai/player", roles=ROLES, limit=2, how=how)
        assert loopback.calls == calls == 20
    assert again.id == done.id
    assert done.leaderboard() == interplay.load("last", tmp_path / "interplay.db").leaderboard()
    row = done.leaderboard().rows[0]
    assert (row["model"], row["n"]) == ("openai/player", 2)
    assert f"{done.id} in " in str(done)
    assert "openai/player: ln_score" in str(done)


def test_functions_play_every_role_and_their_words_stay_text(tmp_path: Path) -> None:
    how = setup(tmp_path / "interplay.db")
    done = interplay.run(
        "role_play", parrot, roles={"interrogator": curious, "judge": kind}, limit=3, turns=2, how=how
    )
    talks = done.conversations()
    assert len(talks) == 3
    assert talks[0]["outcome"]["turns"][0] == {
        "player": "You said: And <b>then</b>?",
        "user": "And <b>then</b>?",
    }
    assert talks[0]["verdicts"]["python/kind"]["turns"][0]["fluency_score"] == 4
    row = done.leaderboard().rows[0]
    assert row["aggregate"].value == 4.0
    assert row["cost"] == 0.0
    done.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "And &lt;b&gt;then&lt;/b&gt;?" in page
    assert "<b>then" not in page


async def test_it_works_where_a_loop_is_running_as_in_a_notebook(tmp_path: Path) -> None:
    roles = {"interrogator": curious, "judge": kind}
    done = interplay.run("role_play", parrot, roles=roles, limit=1, turns=2, how=setup(tmp_path / "i.db"))
    shown = done._repr_html_()
    assert "<table>" in shown
    assert "python/parrot" in shown


def test_the_frame_has_a_row_for_every_score(tmp_path: Path) -> None:
    roles = {"interrogator": curious, "judge": kind}
    done = interplay.run("role_play", parrot, roles=roles, limit=2, turns=2, how=setup(tmp_path / "i.db"))
    frame = done.frame()
    assert len(frame) == 2 * (1 + 1 + 3)  # length, refused, three criteria
    assert set(frame["score"]) == {"length", "refused", "in_character", "entertaining", "fluency"}
    assert frame[frame["score"] == "fluency"]["value"].tolist() == [4.0, 4.0]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> interplay.Run:
    """A run that functions played."""
    store = tmp_path_factory.mktemp("played") / "i.db"
    roles = {"interrogator": curious, "judge": kind}
    return interplay.run("role_play", parrot, roles=roles, limit=2, turns=2, how=setup(store))


def test_the_columns_of_the_frame_are_as_they_were(played: interplay.Run) -> None:
    frame = played.frame()
    columns = ["conversation", "scenario", "model", "repeat", "score", "source", "value"]
    assert list(frame.columns) == columns
    kinds = [str(frame[name].dtype) for name in ("conversation", "repeat", "value")]
    assert kinds == ["int64", "int64", "float64"]
    assert frame.equals(played.frame("scores"))


@pytest.mark.parametrize("table", [table.name for table in TABLES])
def test_every_table_is_a_frame_with_columns_of_their_types(played: interplay.Run, table: str) -> None:
    frame = played.frame(table)
    columns = next(one for one in TABLES if one.name == table).columns
    assert list(frame.columns) == [column.name for column in columns]
    types = {"number": "float64", "yes or no": "bool", "time": "datetime64[ms, UTC]"}
    for column in columns:
        whole = "Int64" if column.may_be_missing else "int64"
        found = str(frame[column.name].dtype)
        assert found == {**types, "whole number": whole}.get(column.kind, found), column
    assert bool(len(frame)) == (table not in ("facts", "labels"))


def test_frames_go_together_by_the_number_of_a_conversation(played: interplay.Run) -> None:
    talks, lines, calls = (played.frame(table) for table in ("conversations", "lines", "calls"))
    assert talks["state"].tolist() == ["done", "done"]
    told = lines[(lines["source"] == "player") & lines["heard_by"].map(lambda seats: "interrogator" in seats)]
    said = told.merge(talks, on="conversation")
    assert said["text"].tolist() == ["You said: And <b>then</b>?"] * 4
    assert calls.groupby("conversation").size().tolist() == [2 * 2 + 1] * 2
    assert calls["sent"].notna().all()
    assert played.frame("runs")["benchmark"].tolist() == ["role_play"]
    assert json.loads(talks["cast"][0])["player"] == "python/parrot"


def test_a_table_that_is_not_there(played: interplay.Run) -> None:
    with pytest.raises(Mistake, match="there is no table 'score'; did you mean 'scores'"):
        played.frame("score")


def test_frames_need_pandas_and_nothing_else(played: interplay.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("interplay.interop.table")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert len(played.frame("conversations")) == 2
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(Mistake, match=r"a frame needs pandas: pip install interplay\[frames\]"):
        played.frame()


@pytest.mark.parametrize(
    "name, to, there",
    [
        ("a.csv", "", "a.csv"),
        ("a.txt", "jsonl", "a.txt"),
        ("a.md", "", "a.md"),
        ("a.parquet", "", "a.parquet"),
        ("a.eval", "", "a.eval"),
        ("tables", "parquet", "tables/calls.parquet"),
        ("dataset", "huggingface", "dataset/data/scores"),
    ],
)
def test_a_run_is_written_for_others(
    played: interplay.Run, tmp_path: Path, name: str, to: str, there: str
) -> None:
    assert played.export(tmp_path / name, to).startswith(f"Wrote {tmp_path / name}")
    assert (tmp_path / there).exists()
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_format_that_is_not_there(played: interplay.Run, tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="there is no format 'parket'; did you mean 'parquet'"):
        played.export(tmp_path / "a", "parket")
    with pytest.raises(Mistake, match="has no ending that says the format"):
        played.export(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


def test_a_frame_shows_people_by_name_and_an_export_when_asked(office: Office, tmp_path: Path) -> None:
    record(office.store, "role_play", [acted(1, "human/ada", j=(5, 4, 3)), acted(1, "m", j=(1, 2, 3))])
    done = interplay.load("last", office.store)
    assert set(done.frame()["model"]) == {"human/ada", "m"}
    cards = []
    for with_names in (False, True):
        done.export(tmp_path / "out", "huggingface", with_names=with_names)
        cards.append((tmp_path / "out" / "README.md").read_text(encoding="utf-8"))
    assert ["human/ada" in card for card in cards] == [False, True]


def test_two_models_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="two models are called python/"):
        interplay.run("role_play", [lambda _: "a", lambda _: "b"], roles=ROLES, how=setup(tmp_path / "i.db"))
    with pytest.raises(Mistake, match="not 7"):
        interplay.run("role_play", 7, roles=ROLES, how=setup(tmp_path / "i.db"))  # type: ignore[arg-type]
    assert not (tmp_path / "i.db").exists()


# What is new in the spec is there for Python as well


async def thoughtful(messages: Sequence[Message]) -> str:
    await asyncio.sleep(0)
    return f"After some thought: {messages[-1].text}"


class Critic:
    """A callable object whose judging is async."""

    async def __call__(self, messages: Sequence[Message]) -> str:
        await asyncio.sleep(0)
        return kind(messages)


def test_async_functions_and_callable_objects_are_models_too(tmp_path: Path) -> None:
    done = interplay.run(
        "role_play",
        [thoughtful, parrot],
        roles={"interrogator": curious, "judge": Critic()},
        limit=2,
        turns=2,
        how=setup(tmp_path / "i.db"),
    )
    rows = {str(row["model"]): row for row in done.leaderboard().rows}
    assert set(rows) == {"python/thoughtful", "python/parrot"}
    assert [row["n"] for row in rows.values()] == [2, 2]
    said = {
        talk["outcome"]["turns"][0]["player"] for talk in done.conversations() if "thought" in talk["model"]
    }
    assert said == {"After some thought: And <b>then</b>?"}


def test_a_function_that_raises_is_void_and_the_rest_goes_on(tmp_path: Path) -> None:
    def broken(messages: Sequence[Message]) -> str:
        raise LookupError("mine")

    roles = {"interrogator": curious, "judge": kind}
    done = interplay.run(
        "role_play", [broken, parrot], roles=roles, limit=2, turns=2, how=setup(tmp_path / "i.db")
    )
    failures = {talk["model"]: talk["failure"] for talk in done.conversations()}
    name = f"python/{broken.__qualname__}"
    assert failures == {name: "system error", "python/parrot": ""}
    assert [row["void"] for row in done.leaderboard().rows if row["model"] == name] == [1.0]


CARDS = """
[[characters]]
name = "Ada"
summary = "A counter of things."
persona = "You count."
initial_message = "Hello"
[[situations]]
text = "Ask for a number."
turns = 2
"""


def test_data_of_one_s_own_comes_with_warnings_of_what_is_odd_in_it(tmp_path: Path) -> None:
    cards = tmp_path / "cards.toml"
    cards.write_text(CARDS)
    roles = {"interrogator": curious, "judge": kind}
    with pytest.warns(
        UserWarning, match="the key 'initial_message' is ignored; did you mean 'greeting'"
    ) as told:
        done = interplay.run("role_play", parrot, roles=roles, data=cards, how=setup(tmp_path / "i.db"))
    assert [Path(one.filename).name for one in told] == ["test_api.py"]  # where the call stands
    [talk] = done.conversations()
    assert talk["scenario"] == "ada / situation-1"
    cards.write_text(CARDS.replace("initial_message", "greeting"))
    interplay.run(
        "role_play", parrot, roles=roles, data=str(cards), how=setup(tmp_path / "i.db")
    )  # no warning


def test_a_preset_casts_the_roles_and_names_go_before_it(tmp_path: Path) -> None:
    how = setup(tmp_path / "i.db")
    done = interplay.run(
        "role_play",
        parrot,
        preset="paper",
        roles={"interrogator": curious, "judge": kind},
        limit=1,
        turns=2,
        how=how,
    )
    assert list(done.conversations()[0]["verdicts"]) == ["python/kind"]
    with pytest.raises(Mistake, match="did you mean 'paper'"):
        interplay.run("role_play", parrot, preset="papr", how=how)
    with pytest.raises(Mistake, match="needs a key"):  # the paper's own judges are real ones
        interplay.run("role_play", parrot, preset="paper", roles={"interrogator": curious}, limit=1, how=how)


def test_a_budget_is_kept_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    loopback = Loopback(answer)
    with serving(loopback) as url:

        def play(calls: int | None) -> interplay.Run:
            how = setup(tmp_path / "interplay.db", base_url=url, budget_calls=calls)
            return interplay.run("role_play", "openai/player", roles=ROLES, limit=4, how=how)

        assert play(25).leaderboard().rows[0]["n"] == 2
        assert loopback.calls <= 25
        assert play(None).leaderboard().rows[0]["n"] == 4
        assert loopback.calls == 40
        with pytest.raises(Mistake, match="--budget needs the price of openai/"):
            how = setup(tmp_path / "interplay.db", base_url=url, budget=5.0)
            interplay.run("role_play", "openai/player", roles=ROLES, limit=5, how=how)
        assert loopback.calls == 40


def test_conversations_can_be_played_anew(tmp_path: Path) -> None:
    roles = {"interrogator": curious, "judge": kind}
    for new in ("", "2", "all"):
        how = setup(tmp_path / "i.db", new=new)
        done = interplay.run("role_play", parrot, roles=roles, limit=3, turns=2, how=how)
    assert sorted(talk["number"] for talk in done.conversations()) == [5, 6, 7]
    with pytest.raises(Mistake, match="--new takes numbers"):
        setup(tmp_path / "i.db", new="some")


def test_a_models_file_and_sampling_reach_a_run_from_python(tmp_path: Path) -> None:
    models = tmp_path / "names.toml"
    seen: list[Asked] = []

    def script(asked: Asked) -> str:
        seen.append(asked)
        return answer(asked)

    with serving(Loopback(script)) as url:
        models.write_text(
            f'[models.mine]\nmodel = "openai/player"\nbase_url = "{url}"\nsampling = {{ top_p = 0.5 }}\n'
        )
        how = setup(tmp_path / "i.db", base_url=url, models=models)
        sampling = {"player": {"temperature": 0.25}}
        done = interplay.run("role_play", "mine", roles=ROLES, limit=1, turns=1, sampling=sampling, how=how)
    bodies = [asked.body for asked in seen if asked.model == "player"]
    assert {(body["temperature"], body["top_p"]) for body in bodies} == {(0.25, 0.5)}
    assert done.leaderboard().rows[0]["sampling"] == "top_p 0.5"


def test_a_leaderboard_shows_itself_and_wrong_arguments_are_mistakes(tmp_path: Path) -> None:
    how = interplay.setup(tmp_path / "a.db")

    def user(messages: object) -> str:
        return f'{{"next_utterance": "Hello {len(list(messages))}"}}'  # type: ignore[call-overload]

    def player(messages: object) -> str:
        return "Good evening."

    roles = {"interrogator": user, "judge": player}
    done = interplay.run("role_play", player, roles=roles, limit=1, turns=1, how=how)
    board = done.leaderboard()
    assert "<table>" in board._repr_html_()
    assert str(board).startswith("role_play (PingPong v2)")
    assert "setup" in dir(interplay)
    wrong: list[tuple[dict[str, object], str]] = [
        ({"limit": "x"}, "--limit is a number"),
        ({"epochs": 1.5}, "--epochs is a number"),
        ({"seed": "x"}, "--seed is a whole number"),
        ({"roles": "judge"}, "roles is a mapping"),
        ({"sampling": {"player": {"temperature": "x"}}}, "temperature is a number"),
        ({"base_url": "http://127.0.0.1"}, "belongs into how=interplay.setup"),
        ({"rolls": {}}, "did you mean 'roles'"),
    ]
    for arguments, words in wrong:
        with pytest.raises(Mistake, match=words):
            interplay.run("role_play", player, **{"roles": roles, "how": how, **arguments})  # type: ignore[arg-type]


UNITS = 12


def judged_run(store: Path, models: Sequence[str] = ("a", "b"), **ratings: int) -> interplay.Run:
    """A recorded run of a simulation whose second model is better by two points."""
    talks = [
        rated(number, model, **{judge: level + number % 3 + 2 * place for judge, level in ratings.items()})
        for number in range(UNITS)
        for place, model in enumerate(models)
    ]
    return interplay.load(record(store, "simulation", talks).id, store)


class TestAnalysis:
    def test_models_are_compared_as_the_command_line_does(self, office: Office) -> None:
        run = judged_run(office.store, j=4)
        board = run.compare()
        assert board.as_json() == office.reads("compare", run.id)
        assert [row["model"] for row in board.rows] == ["b", "a"]
        assert run.compare(by="rating") == board
        other = judged_run(office.store, ("c",), j=3)
        assert {row["model"] for row in run.compare(other).rows} == {"a", "b", "c"}
        assert "<table>" in board._repr_html_()
        with pytest.raises(Mistake, match="did you mean 'rating'"):
            run.compare(by="ratin")

    def test_runs_of_two_stores_are_not_compared(self, office: Office, tmp_path: Path) -> None:
        run, far = judged_run(office.store, j=4), judged_run(tmp_path / "far.db", ("c",), j=4)
        with pytest.raises(Mistake, match="runs of one store are compared"):
            run.compare(far)

    def test_judges_are_held_against_each_other_and_people(self, office: Office) -> None:
        run = judged_run(office.store, j=4, k=5)
        assert run.agreement().as_json() == office.reads("agreement", run.id)
        with pytest.raises(Mistake, match="has no labels by rating"):
            run.correct()
        drawn = office.draws(20)
        office.takes_in({**one, "rater": "ann", "value": str(4 + n % 4)} for n, one in enumerate(drawn))
        assert run.agreement().as_json() == office.reads("agreement", run.id)
        assert run.correct().as_json() == office.reads("correct", run.id)
        assert run.correct(judge="k").as_json() == office.reads("correct", run.id, "--judge", "k")
        assert run.correct(judge="k") != run.correct(judge="j")
        with pytest.raises(Mistake, match="'nobody' did not judge"):
            run.correct(judge="nobody")

    def test_variance_and_bias(self, office: Office) -> None:
        run = judged_run(office.store, j=4, k=5)
        found = run.variance()
        assert found.as_json() == office.reads("variance", run.id)
        assert {"subject", "judge", "scenario"} <= {str(row["source"]) for row in found.rows}
        other = judged_run(office.store, ("c",), j=3, k=3)
        assert run.variance(other).as_json() == office.reads("variance", run.id, other.id)
        assert run.bias().as_json() == office.reads("bias", run.id)
        said = run.bias(families={"j": "x", "a": "x"})
        assert said.as_json() == office.reads("bias", run.id, "--family", "j=x", "--family", "a=x")
        assert said != run.bias()
        acting = interplay.load(
            record(office.store, "role_play", [acted(1, "a", j=(3, 3, 3))]).id, office.store
        )
        with pytest.raises(Mistake, match="is a run of role_play, not of simulation as"):
            run.variance(acting)
        with pytest.raises(Mistake, match="is a run of role_play, not of simulation as"):
            run.compare(acting)
