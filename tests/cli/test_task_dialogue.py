"""Task dialogue as it is typed: bots of one's own, mistakes, plans, budgets, judging later, and people's labels."""

import json
from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.task_dialogue.agenda import Agenda
from interplay.cli import main
from interplay.cli.edge import UNANSWERED
from interplay.models.loopback import Asked, Loopback, serving
from tests.benchmarks.task_bots import (
    AGENT,
    JUDGE,
    SYSTEM,
    Answer,
    books,
    by_rules,
    dialogues,
    goals_file,
    line,
    outcomes,
    part,
    scripts,
    some,
    texts,
    turn_of,
    user_says,
)
from tests.cli.provider import Typist
from tests.faults.rasa_bot import Bot, Sender, broken, serving_rasa

NOWHERE = "http://127.0.0.1:9/v1"  # nothing listens there, and nothing is to be asked
MISTAKES: list[tuple[list[str], str]] = [
    (["--system", "pipline"], "there is no system 'pipline'; did you mean 'pipeline'?"),
    (["--system", "rulez"], "there is no system 'rulez'; did you mean 'rules'?"),
    (["--system", "https://bot.test/x", "--model", "openai/m"], "--system names what is measured, and so does"),
    (["--system", "rules", "--model", "openai/m"], "leave one of them out"),
    (["--system", "bot"], "no model to measure; name one with --model"),
    (["--system", "nobody"], "'nobody' is no model"),
    (["--system", "none.toml"], "none.toml cannot be read: no such file"),
    (["--simulator", "agenda", "--model", "openai/m"], "needs no model for the user; leave --model-role user out"),
    (["--simulator", "agend", "--model", "openai/m"], "there is no simulator 'agend'; did you mean 'agenda'?"),
    (["--simulator", "vanila", "--model", "openai/m"], "did you mean 'vanilla'?"),
    (["--model", "rule/agenda"], "has no rule/agenda for the role system; did you mean 'rule/baseline'?"),
    (["--model", "rule/base"], "has no rule/base for the role system; did you mean 'rule/baseline'?"),
    (["--model", "openai/m", "--model-role", "judge=rule/agenda"], "has no rule/agenda for the role judge"),
    (["--model", "openai/m", "--goals", "none.jsonl"], "none.jsonl cannot be read: no such file"),
    (["--model", "openai/m", "--goals", "broken.jsonl"], "broken.jsonl, line 2 is no JSON"),
    (["--model", "openai/m", "--goals", "slot.jsonl"], "slot.jsonl, line 1, hotel has 'inf'; did you mean 'info'?"),
    (["--model", "openai/m", "--goals", "empty.jsonl"], "empty.jsonl holds no goal"),
    (["--model", "openai/m", "--goals", "twice.jsonl"], "two goals have the id"),
    (["--model", "openai/m", "--goals", "folder"], "folder holds no goals; they are in a file as in goals.jsonl"),
    (["--model", "openai/m", "--human", "criterion.csv"], "there is no criterion 'complet'; did you mean 'completed'?"),
    (["--model", "openai/m", "--human", "scale.csv"], "coherence_user is a whole number from 1 to 3, not '4'"),
    (["--model", "openai/m", "--human", "none.csv"], "none.csv cannot be read"),
    (["--model", "openai/m", "--exchanges", "0"], "exchanges is a whole number from 1 to 100"),
    (["--model", "openai/m", "--goal-shown", "maybe"], "'maybe' is not one of"),
]  # fmt: skip


@pytest.fixture
def typist(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Typist:
    monkeypatch.chdir(tmp_path)
    return Typist(tmp_path / "interplay.db", capsys)


@pytest.fixture
def broken_files(typist: Typist) -> None:
    good = json.dumps(some(1)[0].content())
    wrong = {"id": "a", "goal": {"hotel": {"inf": {}}}, "message": ["You want **it**."]}
    head = "scenario,model,rater,criterion,value\nG001,openai/m,ann,"
    files = {
        "broken.jsonl": f"{good}\nnot JSON\n",
        "slot.jsonl": json.dumps(wrong),
        "empty.jsonl": "\n",
        "twice.jsonl": f"{good}\n{good}\n",
        "criterion.csv": f"{head}complet,yes\n",
        "scale.csv": f"{head}coherence_user,4\n",
    }
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")
    Path("folder").mkdir()


@pytest.mark.usefixtures("broken_files")
@pytest.mark.parametrize(("typed", "complaint"), MISTAKES, ids=[" ".join(typed) for typed, _ in MISTAKES])
def test_a_mistake_is_one_line_and_nothing_is_written(
    typed: list[str], complaint: str, typist: Typist
) -> None:
    before = sorted(Path().rglob("*"))
    assert complaint in typist.mistakes(*line(NOWHERE, *typed))
    assert sorted(Path().rglob("*")) == before


def test_the_role_of_the_user_is_asked_for(typist: Typist) -> None:
    told = typist.mistakes("run", "task_dialogue", "--system", "rules")
    assert "needs the role user" in told
    assert "rule/agenda" in told
    wrong = typist.mistakes(*line(NOWHERE, *AGENT, user="rule/baseline"))
    assert "no rule/baseline for the role user; did you mean 'rule/agenda'?" in wrong


def test_multiwoz_is_read_from_its_folder(typist: Typist, originals: Path) -> None:
    words = ("run", "task_dialogue", "--system", "rules", "--simulator", "agenda", "--limit", "8")
    board = typist.reads(*words, "--data", str(originals / "multiwoz"))
    assert (board["rows"][0]["n"], outcomes(board)["all"]) == (8, 8)
    assert any(label.startswith(("SNG", "MUL", "PMUL", "WOZ", "SSNG")) for label in dialogues(typist.store))


# Bots of one's own


def answered(typist: Typist, system: str, *more: str, bots: Mapping[str, Answer] | None = None) -> Any:
    """The board of a run in which a user by rule talks to a bot, and nobody else takes part."""
    file = goals_file(typist.store.parent, some(3, lambda goal: not books(goal)))
    words = ("run", "task_dialogue", "--simulator", "agenda", "--goals", file)
    with serving(Loopback(scripts(**(bots or {})))) as url:
        there = system.replace("URL", url.removesuffix("/v1"))
        for path in (one for one in Path().glob("*.toml") if one.is_file()):
            path.write_text(path.read_text().replace("URL", url.removesuffix("/v1")))
        return typist.reads(*words, "--system", there, *more)


def in_sessions() -> Answer:
    """A bot that is sent a text and a session, and remembers the session."""
    senders: dict[str, Sender] = {}

    def answer(asked: Asked) -> str:
        name = str(asked.body.get("session") or asked.body["who"])
        return by_rules(senders.setdefault(name, Sender(name)), str(asked.messages[-1]["content"]))

    return answer


def is_good(board: Any) -> bool:
    row = board["rows"][0]
    return (row["n"], row["success"]["value"], outcomes(board)) == (3, 1.0, {"completed": 3, "all": 3})


def test_a_bot_by_its_url_needs_no_model_at_all(typist: Typist) -> None:
    assert is_good(answered(typist, "URL/bot", bots={"bot": in_sessions()}))


def test_a_bot_by_a_mapping_of_its_own(typist: Typist) -> None:
    mapping = 'url = "URL/bot"\nrequest = { who = "{{session}}", text = "{{text}}" }\nreply = "text"\n'
    Path("shop.toml").write_text(mapping, encoding="utf-8")
    assert is_good(answered(typist, "shop.toml", bots={"bot": in_sessions()}))


@pytest.mark.parametrize("name", ["mine", "my-bot", "agents"])
def test_a_bot_by_its_name(name: str, typist: Typist) -> None:
    Path("models.toml").write_text(f'[models.{name}]\nmodel = "http"\nurl = "URL/bot"\n', encoding="utf-8")
    if name == "agents":  # too like a kind of system, so it has to be told apart
        assert "did you mean 'agent'?" in typist.mistakes(*line(NOWHERE, "--system", name))
        assert is_good(answered(typist, "bot", "--model", name, bots={"bot": in_sessions()}))
    else:
        assert is_good(answered(typist, name, bots={"bot": in_sessions()}))


FUNCTION = """
from interplay.benchmarks.task_dialogue.city import own_city
from interplay.benchmarks.task_dialogue.office import Office
from interplay.benchmarks.task_dialogue.rules import Rules

def answer(messages):
    rules = Rules(Office(own_city(), "salt"))
    return [rules.reply(one.text) for one in messages if one.role == "user"][-1]
"""


def test_a_bot_that_is_a_function(typist: Typist) -> None:
    Path("bot.py").write_text(FUNCTION, encoding="utf-8")
    assert is_good(answered(typist, "python/bot.py:answer"))
    wrong = typist.mistakes(
        "run", "task_dialogue", "--simulator", "agenda", "--system", "python/bot.py:anser"
    )
    assert "did you mean 'answer'?" in wrong


# Plans, budgets, judging later


def test_a_plan_sends_nothing_and_brackets_what_is_sent(typist: Typist) -> None:
    systems: list[tuple[str, ...]] = [AGENT, ("--system", "prompt", "--model", SYSTEM)]
    for system in systems:
        loopback = Loopback(scripts(system=_plainly if "prompt" in system else scripts()["system"]))
        file = goals_file(typist.store.parent, some(6))
        with serving(loopback) as url:
            words = line(url, *system, "--goals", file)
            plan = typist.reads(*words, "--plan")
            assert loopback.calls == 0
            typist.types(*words)
            left = typist.reads(*words, "--plan")
        made = loopback.calls_by_model()
        for share in plan["shares"]:
            low, high = share["calls"]
            assert low <= made[share["model"].partition("/")[2]] <= high
        assert {share["role"] for share in plan["shares"]} == {"user", "system", "judge"}
        assert plan["calls"][0] < loopback.calls < plan["calls"][1]
        assert (left["shares"], left["calls"]) == ([], [0, 0])


def _plainly(asked: Asked) -> str:
    return f"I have nothing of the kind, for the {len(asked.messages)}. time."


@pytest.mark.parametrize("exchanges", [1, 4])
def test_a_user_who_never_ends_takes_what_the_plan_says_at_most(exchanges: int, typist: Typist) -> None:
    def user(asked: Asked) -> str:
        return user_says(asked, f"And what about the {turn_of(asked)}. of them?")

    loopback, file = Loopback(scripts(user=user, system=_plainly)), goals_file(typist.store.parent, some(2))
    with serving(loopback) as url:
        how = ("--simulator", "vanilla", "--exchanges", str(exchanges), "--goals", file)
        words = line(url, "--system", "prompt", "--model", SYSTEM, *how)
        least, most = typist.reads(*words, "--plan")["calls"]
        assert outcomes(typist.reads(*words)) == {"cap": 2, "all": 2}
    assert least <= loopback.calls == most
    assert loopback.calls_by_model() == {"user": 2 * exchanges, "system": 2 * exchanges, "judge": 2 * 4}


def test_a_plan_without_models_is_of_nothing(typist: Typist) -> None:
    words = ("run", "task_dialogue", "--system", "rules", "--simulator", "agenda", "--limit", "5")
    assert (typist.reads(*words, "--plan")["calls"], typist.store.exists()) == ([0, 0], False)


def test_a_plan_of_what_broke_off_knows_parts_by_rule(typist: Typist) -> None:
    with serving_rasa(Bot(plan=lambda received: broken())) as there:
        words = ("run", "task_dialogue", "--system", there, "--simulator", "agenda", "--limit", "1")
        typist.types(*words, code=UNANSWERED)
        assert typist.reads(*words, "--plan")["calls"] == [1, 15]


def test_a_budget_in_calls_is_kept_and_a_larger_one_goes_on(typist: Typist) -> None:
    calm, loopback, file = Loopback(scripts()), Loopback(scripts()), goals_file(typist.store.parent, some(6))
    with serving(calm) as url:
        other = Typist(typist.store.with_name("calm.db"), typist.capsys)
        undisturbed = other.types(*line(url, *AGENT, "--goals", file, "--json"))
    with serving(loopback) as url:
        words = line(url, *AGENT, "--goals", file, "--json")
        typist.types(*words, "--budget-calls", "5", code=UNANSWERED)
        assert loopback.calls <= 5
        # what one dialogue may take, and a little: nothing is begun that it might not cover
        typist.types(*words, "--budget-calls", "150", code=UNANSWERED)
        assert 5 < loopback.calls < calm.calls
        assert loopback.calls <= 150
        assert "The budget does not cover more" in typist.said
        assert typist.types(*words, "--budget-calls", "5000") == undisturbed
    assert loopback.calls == calm.calls


def test_a_run_without_a_judge_is_judged_later(typist: Typist) -> None:
    loopback, file = Loopback(scripts()), goals_file(typist.store.parent, some(4))
    with serving(loopback) as url:
        board = typist.reads(*line(url, *AGENT, "--goals", file, judges=()))
        assert "completed" not in board["columns"]
        assert any(note.startswith("Nobody judged these dialogues") for note in board["notes"])
        before = loopback.calls_by_model()
        words = ("judge", "last", "--model-role", f"judge={JUDGE}", "--base-url", url)
        judged = typist.reads(*words)
        assert loopback.calls_by_model() == {**before, "judge": 4 * 4}
        assert typist.reads(*words)["rows"] == judged["rows"]
        assert loopback.calls_by_model()["judge"] == 4 * 4
        at_once = Typist(typist.store.with_name("at_once.db"), typist.capsys)
        other = at_once.reads(*line(url, *AGENT, "--goals", file))
    assert not any("Nobody judged" in note for note in judged["notes"])
    assert judged["rows"] == other["rows"]
    assert judged["rows"][0]["success"] == board["rows"][0]["success"]


def test_the_goal_is_shown_to_judges_of_completion_where_it_is_asked_for(typist: Typist) -> None:
    goals, seen = some(2), list[str]()

    def judge(asked: Asked) -> Any:
        seen.append(texts(asked))
        return scripts()["judge"](asked)

    def showing() -> int:
        found = sum(goal.text in text for text in seen for goal in goals)
        seen.clear()
        return found

    file = goals_file(typist.store.parent, goals)
    with serving(Loopback(scripts(judge=judge))) as url:
        words = line(url, *AGENT, "--goals", file)
        hidden = typist.reads(*words)
        assert showing() == 2 * 1  # of coherence alone
        said = typist.mistakes("judge", hidden["run"], "--base-url", url, "--set", "goals_shown=yes")
        assert "did you mean 'goal_shown'?" in said
        assert "there is no goal_shown 'maybe'" in typist.mistakes(
            "judge", hidden["run"], "--set", "goal_shown=maybe"
        )
        typist.types("judge", hidden["run"], "--base-url", url, "--set", "goal_shown=yes")
        assert showing() == 2 * 2  # nothing was played again
        shown = typist.reads(*words, "--goal-shown", "yes")
        assert showing() == 2 * 2
    assert hidden["run"] != shown["run"]
    assert len(typist.reads("board", "task_dialogue")) == 1  # both are judged with the goal shown now


# People


GOALS = some(10)
FIRST = [Agenda(goal).say(None).text for goal in GOALS]
JUDGED = {"strict": (0, 1, 2, 5), "kind": (0, 1, 2, 3, 4, 5, 8)}  # the goals that each calls complete
PEOPLE = {0: "yyy", 1: "yyn", 2: "nyn", 3: "yny", 4: "nnn", 5: "yyy", 6: "nny", 7: "yn", 8: "yn", 9: "nnn"}
SETTLED = {6: "y", 8: "y"}  # one against what most said, one a tie; 7 stays one
SAID = {**{at: votes.count("y") > 1 for at, votes in PEOPLE.items() if at != 7}, 6: True, 8: True}


def judging(complete: Sequence[int]) -> Answer:
    def judge(asked: Asked) -> str:
        verdict = json.loads(str(scripts()["judge"](asked)))
        if "completed" in verdict:
            verdict["completed"] = int(any(FIRST[at] in texts(asked) for at in complete))
        return json.dumps(verdict)

    return judge


def labels() -> list[dict[str, str]]:
    """What three people said of each dialogue, and what came of talking about two of them."""
    said = [
        (at, rater, vote) for at, votes in PEOPLE.items() for rater, vote in zip("abc", votes, strict=False)
    ]
    said += [(at, "settled", vote) for at, vote in SETTLED.items()]
    return [
        {"scenario": GOALS[at].id, "model": SYSTEM, "rater": rater, "criterion": "completed",
         "value": {"y": "yes", "n": "no"}[vote]}
        for at, rater, vote in said
    ]  # fmt: skip


def written_as_csv(rows: list[dict[str, str]]) -> str:
    return "\n".join([",".join(rows[0]), *(",".join(row.values()) for row in rows)])


def written_as_jsonl(rows: list[dict[str, str]]) -> str:
    return "\n".join(map(json.dumps, rows))


def agreement(complete: Sequence[int]) -> dict[str, float]:
    """Accuracy, F1, kappa and Matthews correlation of a judge with people, from the four counts."""
    pairs = [(at in complete, yes) for at, yes in SAID.items()]
    tp, fp, fn, tn = (
        pairs.count(pair) for pair in ((True, True), (True, False), (False, True), (False, False))
    )
    n = len(pairs)
    by_chance = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / n**2
    same = (tp + tn) / n
    return {
        "accuracy": same,
        "f1": 2 * tp / (2 * tp + fp + fn),
        "kappa": (same - by_chance) / (1 - by_chance),
        "mcc": (tp * tn - fp * fn) / sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)),
    }


def test_judges_are_held_against_people(typist: Typist) -> None:
    bots = {name: judging(complete) for name, complete in JUDGED.items()}
    ways: dict[str, Callable[[list[dict[str, str]]], str]] = {
        "csv": written_as_csv,
        "jsonl": written_as_jsonl,
    }
    for way, write in ways.items():
        Path(f"people.{way}").write_text(write(labels()), encoding="utf-8")
    judges = [f"openai/{name}" for name in JUDGED]
    with serving(Loopback(scripts(**bots))) as url:
        file = goals_file(typist.store.parent, GOALS)
        at_once = typist.reads(*line(url, *AGENT, "--goals", file, "--human", "people.csv", judges=judges))
    tables = [
        part(typist.reads("show", "last", "--human", f"people.{way}"), "Judges and people") for way in ways
    ]
    assert tables[0] == tables[1] == part(at_once, "Judges and people")
    rows = {row["judge"]: row for row in tables[0]["rows"]}
    assert set(rows) == {*judges, "the panel"}
    for name, complete in JUDGED.items():
        row = rows[f"openai/{name}"]
        assert {key: row[key]["value"] for key in agreement(complete)} == pytest.approx(agreement(complete))
        assert row["n"] == 9
        assert row["kappa"]["low"] < row["kappa"]["value"] < row["kappa"]["high"]
    notes = " ".join(tables[0]["notes"])
    assert "raters 3, conversations 10" in notes
    assert "Settled by discussion: 2." in notes
    assert f"Tied and left out 1: {GOALS[7].id} ({SYSTEM}, time 1) on completed." in notes
    assert "Judges and people" not in [one["title"] for one in typist.reads("show", "last")["parts"]]
    assert main(["show", "last", "--store", str(typist.store), "--human", "people.csv"]) == 0
    shown = typist.capsys.readouterr().out
    assert all(
        word in shown for word in ("kappa", "MCC", "F1", f"{agreement(JUDGED['strict'])['kappa']:.2f}")
    )
