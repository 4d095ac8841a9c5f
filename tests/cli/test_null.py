"""The null model as it is typed: beside others in every benchmark, free, recorded, noted, and measured alone."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import interplay
from interplay.api import setup
from interplay.benchmarks.word_guessing.matching import names, names_by_jaro, says
from interplay.benchmarks.word_guessing.words import GENERAL, TOPICS, Word, shipped
from interplay.core.failures import Mistake
from interplay.models.loopback import Asked, Loopback, rehearse, serving
from interplay.models.null import NULL, SENTENCE
from interplay.running.null_note import WHAT_IT_IS
from interplay.store.records import ConversationRow, Records
from tests.benchmarks.task_bots import scripts
from tests.cli.provider import Account, Typist, write_prices
from tests.cli.sessions import gaps, intentions, serving_tables
from tests.running.typed import provider, steady

NOWHERE = "http://127.0.0.1:9/v1"  # nothing listens there, and nothing is to be asked
ROLES: Mapping[str, tuple[str, ...]] = {
    "role_play": ("interrogator", "judge"),
    "simulation": ("judge",),
    "word_guessing": ("opponent",),
    "task_dialogue": ("user", "judge"),
    "social_interaction": ("judge",),
}
EXTENT = {
    "role_play": ("--turns", "2"),
    "simulation": (),
    "word_guessing": ("--rounds", "2", "--epochs", "1"),
    "task_dialogue": ("--exchanges", "3"),
    "social_interaction": ("--moves", "8"),
}
AHEAD = f"By the ranks here, {NULL} is ahead of "


@pytest.fixture
def typist(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Typist:
    monkeypatch.chdir(tmp_path)
    return Typist(tmp_path / "interplay.db", capsys)


def cast(benchmark: str, **others: str) -> list[str]:
    named = {role: f"openai/{role}" for role in ROLES[benchmark]} | others
    return [word for role, name in named.items() for word in ("--model-role", f"{role}={name}")]


def line(benchmark: str, url: str, *more: str, limit: int = 2) -> list[str]:
    """The words of a short run of one model."""
    words = ["run", benchmark, "--base-url", url, "--model", "openai/m", "--limit", str(limit)]
    return [*words, *cast(benchmark), *EXTENT[benchmark], *more]


def played(store: Path) -> list[ConversationRow]:
    with Records(store) as records:
        return records.conversations(records.find("last"))


def replies(store: Path) -> list[tuple[str, int, int, float]]:
    """What the null model said in the last run, with its tokens and cost."""
    with Records(store) as records:
        asked = "SELECT text, tokens_in, tokens_out, cost FROM calls WHERE model = ? ORDER BY number"
        found = records.db.execute(asked, (NULL,))
        return [(str(text), int(read), int(written), float(cost)) for text, read, written, cost in found]


def row_of(board: Any, model: str = NULL) -> Any:
    return next(row for row in board["rows"] if row["model"] == model)


# On every board


@pytest.mark.parametrize("benchmark", ROLES)
def test_it_stands_on_the_board_of_every_benchmark_and_replays_for_nothing(
    benchmark: str, typist: Typist
) -> None:
    with provider({"*": steady, **(scripts() if benchmark == "task_dialogue" else {})}) as (loopback, url):
        board = typist.reads(*line(benchmark, url, "--null"))
        assert set(loopback.calls_by_model()) == {"m", *ROLES[benchmark]}  # of the null model nobody hears
        calls, said = loopback.calls, replies(typist.store)
        assert typist.reads(*line(benchmark, url, "--null")) == board
        assert loopback.calls == calls
        assert typist.said.startswith("0 model calls")
    assert replies(typist.store) == said
    assert {row["model"] for row in board["rows"]} == {"openai/m", NULL}
    assert board["notes"].count(WHAT_IT_IS) == 1
    assert said
    assert all(SENTENCE in text or json.loads(text) for text, *_ in said)
    assert row_of(board)["n"] >= 1
    assert all(read > 0 and written > 0 and cost == 0 for _, read, written, cost in said)


@pytest.mark.parametrize("benchmark", ROLES)
def test_the_flag_is_its_name_among_the_models(benchmark: str, typist: Typist) -> None:
    by_flag = typist.reads(*line(benchmark, NOWHERE, "--null", "--plan"))
    assert typist.reads(*line(benchmark, NOWHERE, "--model", NULL, "--plan")) == by_flag
    assert typist.reads(*line(benchmark, NOWHERE, "--model", NULL, "--null", "--plan")) == by_flag
    assert typist.reads(*line(benchmark, NOWHERE, "--plan"))["run"] != by_flag["run"]


@pytest.mark.parametrize("system", ["pipeline", "agent", "prompt", "bot"])
def test_every_kind_of_system_takes_it(system: str, typist: Typist) -> None:
    words = ["--simulator", "agenda", "--system", system, "--exchanges", "4", "--model", NULL, "--limit", "3"]
    board = typist.reads("run", "task_dialogue", *words)
    row = row_of(board)
    assert (row["n"], row["void"]) == (3, 0)
    assert row["cost"] == 0
    assert row["inform"]["value"] == 0


def test_it_joins_a_table_like_another_model(typist: Typist) -> None:
    with provider() as (_, url):
        words = ["--experiment", "table", "--split", "1-2", "--rounds", "1", "--epochs", "1", "--limit", "1"]
        models = ["--model", "openai/a", "--model", "openai/b"]
        board = typist.reads("run", "word_guessing", "--base-url", url, *words, *models, "--null")
    assert {row["model"] for row in board["rows"]} == {NULL, "openai/a", "openai/b"}
    (game,) = played(typist.store)
    assert sorted(game.cast.values()) == [NULL, "openai/a", "openai/b"]
    assert WHAT_IT_IS in board["notes"]


def test_it_plays_beside_rules_that_need_no_model(typist: Typist) -> None:
    words = ["--system", "rules", "--simulator", "agenda", "--limit", "4", "--null"]
    board = typist.reads("run", "task_dialogue", *words)
    assert [row["model"] for row in board["rows"]] == ["rule/baseline", NULL]
    assert board["notes"].count(WHAT_IT_IS) == 1
    assert not any(note.startswith("By the ranks here") for note in board["notes"])


def test_it_plays_the_character_beside_its_own_players_where_nobody_is_named(typist: Typist) -> None:
    with provider() as (_, url):
        typist.types(*line("social_interaction", url, "--null"))
    casts = {row.subject: row.cast for row in played(typist.store)}
    assert casts[NULL] == {"player": NULL, "npc": NULL}


def test_game_masters_learn_from_its_play_and_their_board_says_what_it_is(typist: Typist) -> None:
    with serving(serving_tables()) as url:
        board = typist.reads(*intentions(url, typist.store.parent, "--null", limit=4))
    (gap,) = gaps(board)
    assert NULL in {row["model"] for row in gap["rows"]}
    assert gap["notes"].count(WHAT_IT_IS) == 1


def test_it_finds_no_secret_word_and_gives_none_away_by_luck() -> None:
    words = [word for topic in (*TOPICS, GENERAL) for pair in shipped(topic) for word in pair.words]
    assert len(words) > 100
    for word in words:
        assert not says(SENTENCE, word)
        assert not names(SENTENCE, word, Word("nothing at all", ()))
        assert not names_by_jaro(SENTENCE, word)


# The note


def liking(null: int, others: int) -> Any:
    """A judge with one rating for the null model's answer and one for all others."""

    def judge(asked: Asked) -> str:
        if asked.model != "judge":
            return rehearse(asked)
        told = "\n".join(str(message["content"]) for message in asked.messages)
        found = json.loads(steady(asked))
        return json.dumps(
            {key: _rated(value, null if SENTENCE in told else others) for key, value in found.items()}
        )

    return judge


def _rated(value: Any, rating: int) -> Any:
    return rating if isinstance(value, int) and not isinstance(value, bool) else value


@pytest.mark.parametrize(
    "null, others, told",
    [(9, 2, f"{AHEAD}openai/m."), (4, 4, f"By the ranks here, {NULL} is level with openai/m."), (1, 7, "")],
)
def test_who_is_no_better_is_named_on_the_run_and_on_the_board_of_all_runs(
    null: int, others: int, told: str, typist: Typist
) -> None:
    with provider(liking(null, others)) as (_, url):
        alone = typist.reads(*line("simulation", url))
        assert not any(NULL in note for note in alone["notes"])
        board = typist.reads(*line("simulation", url, "--null"))
        only = ["run", "simulation", "--base-url", url, "--model", NULL, "--limit", "2", *cast("simulation")]
        measured = typist.reads(*only)
        assert [note for note in measured["notes"] if NULL in note] == [WHAT_IT_IS]
    assert row_of(board)["all"]["value"] == null
    said = [note for note in board["notes"] if note.startswith("By the ranks")]
    assert said == ([told] if told else [])
    assert [row["rank"] for row in board["rows"]] == ([1, 1] if null == others else [1, 2])
    (joint,) = typist.reads("board", "simulation")
    assert [note for note in joint["notes"] if note.startswith("By the ranks")] == said
    assert joint["notes"].count(WHAT_IT_IS) == 1


# Money


def test_a_budget_in_money_knows_that_it_is_free(typist: Typist) -> None:
    prices = dict.fromkeys(("m", "interrogator", "judge"), (2, 8))
    account = Account(steady, prices)
    models = write_prices(typist.store.parent, prices)
    with serving(Loopback(account)) as url:
        words = line("role_play", url, "--null", "--models", str(models), "--budget", "1")
        (share,) = (one for one in typist.reads(*words, "--plan")["shares"] if one["model"] == NULL)
        assert share["cost"] == [0, 0]
        board = typist.reads(*words)
    spent = sum(row["cost"] for row in board["rows"])
    assert spent == pytest.approx(account.money)
    assert row_of(board)["n"] == 2


def test_a_budget_in_tokens_takes_off_what_it_said_and_no_more(typist: Typist) -> None:
    words = ["run", "task_dialogue", "--simulator", "agenda", "--system", "bot", "--model", NULL]
    words += ["--limit", "2", "--exchanges", "3", "--budget-tokens", "100000"]
    board = typist.reads(*words)
    assert row_of(board)["tokens"] == sum(read + written for _, read, written, _ in replies(typist.store))
    assert not any("estimated" in note for note in board["notes"])


# A tryout, a study, Python


@pytest.mark.parametrize("benchmark", ROLES)
def test_a_tryout_has_it_beside_the_embedded_model(benchmark: str, typist: Typist) -> None:
    found = typist.reads("run", benchmark, "--null", "--plan")
    usual = typist.reads("run", benchmark, "--plan")
    models = {share["model"] for share in found["shares"]}
    assert models == {NULL} | {share["model"] for share in usual["shares"]}
    assert found["conversations"] == 2 * usual["conversations"]


def test_a_study_may_ask_for_it(typist: Typist) -> None:
    study = Path("study.toml")
    text = 'benchmark = "simulation"\nmodels = "openai/m"\nlimit = 2\nroles.judge = "openai/judge"\n'
    study.write_text(f"null = true\n{text}")
    by_flag = typist.reads(*line("simulation", NOWHERE, "--null", "--plan"))
    assert typist.reads("run", str(study), "--plan") == by_flag
    study.write_text(f"null = false\n{text}")
    assert typist.reads("run", str(study), "--plan") == typist.reads(*line("simulation", NOWHERE, "--plan"))
    assert typist.reads("run", str(study), "--null", "--plan") == by_flag
    for wrong in ("1", "'yes'"):
        study.write_text(f"null = {wrong}\n{text}")
        assert "study.toml: null must be bool, not" in typist.mistakes("run", str(study))


def test_python_has_it_too(typist: Typist) -> None:
    with provider() as (_, url):
        how = setup(typist.store, base_url=url)
        roles = {"judge": "openai/judge"}
        done = interplay.run("simulation", "openai/m", roles=roles, limit=2, null=True, how=how)
        assert done.id == typist.reads(*line("simulation", url, "--null"))["run"]
        with pytest.raises(Mistake, match="can only be measured"):
            interplay.run("simulation", "openai/m", roles={"judge": NULL}, limit=2, how=how)
    assert {row["model"] for row in done.leaderboard().rows} == {"openai/m", NULL}


# Mistakes


@pytest.mark.parametrize("benchmark, role", [(name, role) for name, roles in ROLES.items() for role in roles])
@pytest.mark.parametrize("more", [[], ["--plan"]], ids=["run", "plan"])
def test_it_neither_judges_nor_plays_a_part_for_others(
    benchmark: str, role: str, more: list[str], typist: Typist
) -> None:
    words = [
        "run",
        benchmark,
        "--base-url",
        NOWHERE,
        "--model",
        "openai/m",
        *cast(benchmark, **{role: NULL}),
        *more,
    ]
    assert (
        f"{NULL} can only be measured; name another {role} with --model-role {role}=NAME"
        in typist.mistakes(*words)
    )


def test_it_judges_and_compares_no_run_that_is_there(typist: Typist) -> None:
    with provider() as (loopback, url):
        typist.types(*line("simulation", url, "--null"))
        calls = loopback.calls
        for verb in ("judge", "pair"):
            for more in ([], ["--plan"]):
                said = typist.mistakes(
                    verb, "last", "--base-url", url, "--model-role", f"judge={NULL}", *more
                )
                assert f"{NULL} can only be measured; name another judge" in said
        assert loopback.calls == calls
    with Records(typist.store) as records:
        assert NULL not in records.find("last").extent["judges"]


MISTAKES: list[tuple[list[str], str]] = [
    (["--null", "--model-role", "judge=openai/j"], "no model to measure; name one with --model"),
    (["--model", "null/constnt", "--model-role", "judge=openai/j"], f"did you mean '{NULL}'"),
    (["--model", "openai/m", "--null", "--model-role", "judge=openai/j", "--sampling", f"{NULL}.temperature=1"],
     f"{NULL} does not take temperature; leave it out of its sampling"),
    (["--model", "floor", "--models", "names.toml", "--model-role", "judge=openai/j"],
     f"floor: {NULL} is the null model, which has this name alone"),
]  # fmt: skip


@pytest.mark.parametrize("words, told", MISTAKES)
def test_mistakes_are_told_in_one_line(words: list[str], told: str, typist: Typist) -> None:
    Path("names.toml").write_text(f'[models.floor]\nmodel = "{NULL}"\n')
    with provider() as (loopback, url):
        assert told in typist.mistakes("run", "simulation", "--base-url", url, *words)
        assert loopback.calls == 0


def test_with_it_alone_no_table_is_full(typist: Typist) -> None:
    words = ["run", "word_guessing", "--experiment", "table", "--split", "1-1"]
    told = "2 different models sit down together here, and 1 is named"
    assert told in typist.mistakes(*words, "--null")
    assert told in typist.mistakes(*words, "--model", NULL, "--null")
