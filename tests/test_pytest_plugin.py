"""The plugin of pytest: bots with a planted ability behind real HTTP, in sessions as a team's CI has them."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import scipy.special  # noqa: F401  # loaded here: what a session inside loads is taken out again, and numpy minds

import interplay.api
import interplay.cli.terminal  # noqa: F401
from interplay.benchmarks.task_dialogue.bots import judge
from interplay.benchmarks.task_dialogue.city import own_city
from interplay.benchmarks.task_dialogue.faulty_users import script
from interplay.models.loopback import Loopback, serving
from interplay.store.records import Records
from tests.benchmarks.task_bots import GOALS, books, by_rules, goals_file, scripts, some
from tests.docs.blocks import DOCS, blocks_of
from tests.faults.rasa_bot import Bot, Sender, serving_rasa
from tests.models.asking import free_port

ALL = 32  # goals, of which a bot that serves 31 well is good enough
PLUGINS = ("-p", "xdist", "-p", "interplay.pytest_plugin")
QUIET = ("-p", "no:asyncio")  # which warns of a setting that these sessions lack
TEST = """
    import pytest

    @pytest.fixture(scope="module")
    def dialogues(interplay_run):
        return interplay_run("task_dialogue", system={url!r}, simulator="agenda", data={goals!r})

    def test_our_bot_completes_its_goals(dialogues):
        dialogues.expect({measure!r}).at_least({bound})
"""


@contextmanager
def serving_bot(well: int) -> Iterator[tuple[Bot, str]]:
    """A bot that serves so many of those who talk to it well, and the others not at all."""
    order: dict[str, int] = {}

    def answer(sender: Sender, text: str) -> str:
        if order.setdefault(sender.name, len(order)) < well:
            return by_rules(sender, text)
        return "I am afraid that I cannot help you with this."

    bot = Bot(answer)
    with serving_rasa(bot) as url:
        yield bot, url


@pytest.fixture
def write(pytester: pytest.Pytester) -> Callable[..., None]:
    """Write the test of a team, about a bot at a URL and so many goals."""

    def write(url: str, goals: int, measure: str = "success", bound: float = 0.8) -> None:
        file = goals_file(pytester.path, some(goals, lambda goal: not books(goal)))
        pytester.makepyfile(test_bot=TEST.format(url=url, goals=file, measure=measure, bound=bound))

    return write


def test_a_bot_that_is_good_enough_passes_and_a_second_session_is_free(
    pytester: pytest.Pytester, write: Callable[..., None]
) -> None:
    with serving_bot(well=31) as (bot, url):
        write(url, ALL)
        result = pytester.runpytest_inprocess(*QUIET)
        heard = len(bot.ledger)
        again = pytester.runpytest_inprocess(*QUIET)
        assert len(bot.ledger) == heard > ALL
    for one, calls in ((result, heard), (again, 0)):
        one.assert_outcomes(passed=1)
        one.stdout.fnmatch_lines(
            [
                "*== interplay ==*",
                f"task_dialogue (TOD): task_dialogue-* in {pytester.path}/.interplay/runs.db, {calls} calls in this *",
                f"  {url}: success 0.97 (0.8?–0.9?), inform *, n {ALL}, void 0%, cost unknown",
            ]
        )
    assert (pytester.path / ".interplay" / ".gitignore").read_text() == "*\n"


def test_a_bot_that_is_not_fails_with_the_numbers_and_where_to_look(
    pytester: pytest.Pytester, write: Callable[..., None]
) -> None:
    with serving_bot(well=12) as (_, url):
        write(url, 20)
        result = pytester.runpytest_inprocess(*QUIET, "--tb=short")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "test_bot.py:8: in test_our_bot_completes_its_goals",
            '    dialogues.expect("success").at_least(0.8)'.replace('"', "'"),
            f"E   AssertionError: success of {url} should be at least 0.8 (run task_dialogue-*)",
            "E     estimate 0.600, n = 20; the 95% interval, 0.3* to 0.7*, begins below 0.8",
            "E     worst conversations: * (0), * (0), * (0), * (0), * (0) and 3 more",
            "E     look at one: interplay show task_dialogue-* --conversation * --store */.interplay/runs.db",
            "*== interplay ==*",
        ]
    )
    assert "expecting.py" not in result.stdout.str()  # the traceback ends in the test


def test_a_mistake_in_a_name_says_what_would_be_right(
    pytester: pytest.Pytester, write: Callable[..., None]
) -> None:
    with serving_bot(well=3) as (_, url):
        write(url, 3, measure="completion")
        result = pytester.runpytest_inprocess(*QUIET, "--tb=short", "--interplay-budget-calls", "5")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["E   *Mistake: task_dialogue has no measure 'completion'; did you mean 'completed'?"]
    )


def test_what_a_budget_left_unplayed_is_not_left_out_in_silence(
    pytester: pytest.Pytester, write: Callable[..., None]
) -> None:
    with serving_bot(well=8) as (bot, url):
        write(url, 8, bound=0.01)
        result = pytester.runpytest_inprocess(*QUIET, "--tb=short", "--interplay-budget-calls", "12")
        assert len(bot.ledger) <= 12
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(
            ["E     unscored: * of 8 (*%, more than the 10% that may be): *not played*"]
        )
        pytester.runpytest_inprocess(*QUIET).assert_outcomes(passed=1)  # goes on where the budget ended


@pytest.mark.parametrize("flags", [(), ("--interplay-skip-unreachable",), ("--interplay-skip",)])
def test_a_bot_that_is_not_there_is_an_error_unless_it_may_be_skipped(
    pytester: pytest.Pytester, write: Callable[..., None], flags: tuple[str, ...]
) -> None:
    write(f"http://127.0.0.1:{free_port()}/webhooks/rest/webhook", 3)
    result = pytester.runpytest_inprocess(*QUIET, "-rs", "--tb=short", *flags)
    result.assert_outcomes(**({"skipped": 1} if flags else {"errors": 1}))
    said = {
        (): "E   *Unreachable: http://127.0.0.1:*: nothing answers at 127.0.0.1:* is it running?",
        ("--interplay-skip-unreachable",): "SKIPPED * http://127.0.0.1:*: nothing answers at 127.0.0.1:*",
        ("--interplay-skip",): "SKIPPED * --interplay-skip",
    }
    result.stdout.fnmatch_lines([said[flags]])
    assert not list(pytester.path.rglob("*.db"))


@pytest.mark.parametrize("at", ["flag", "ini", "tmp"])
def test_a_store_is_where_the_user_wants_it(pytester: pytest.Pytester, at: str) -> None:
    pytester.makepyfile(
        """
        def test_by_rule(interplay_run):
            run = interplay_run("task_dialogue", system="rules", simulator="agenda", limit=1)
            assert run.expect("inform").n == 1
        """
    )
    pytester.makeini(f"[pytest]\ninterplay_store = {'tmp' if at == 'tmp' else 'kept/here.db'}\n")
    flags = ["--interplay-store", "mine.db"] if at == "flag" else []
    pytester.runpytest_inprocess(*QUIET, *flags).assert_outcomes(passed=1)
    stores = [path.relative_to(pytester.path) for path in pytester.path.rglob("*.db")]
    assert stores == {"flag": [Path("mine.db")], "ini": [Path("kept/here.db")], "tmp": []}[at]


def test_another_version_of_a_bot_is_played_anew_and_the_same_one_goes_on(
    pytester: pytest.Pytester, write: Callable[..., None]
) -> None:
    with serving_bot(well=99) as (bot, url):
        write(url, 3, bound=0.1)
        heard = []
        for version in ("v1", "feature/a b", "v1"):
            pytester.runpytest_inprocess(*QUIET, "--interplay-version", version).assert_outcomes(passed=1)
            heard.append(len(bot.senders))
    assert heard == [3, 6, 6]
    stores = sorted(path.name for path in pytester.path.rglob("*.db"))
    assert stores == ["runs-feature-a-b.db", "runs-v1.db"]


def test_the_test_in_the_documentation_is_one(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = next(block.text for block in blocks_of(DOCS / "pytest.md") if block.language == "python")
    goals_file(pytester.path, some(20, lambda goal: not books(goal)))
    models = scripts(**{"gpt-4o-mini": script(GOALS, own_city()), "gpt-4.1": judge(1.0, 0)})
    with serving_bot(well=20) as (_, url), serving(Loopback(models)) as place:
        monkeypatch.setenv("OPENAI_BASE_URL", place)
        pytester.makepyfile(test_bot=text.replace("http://127.0.0.1:5005/webhooks/rest/webhook", url))
        pytester.runpytest_inprocess(*QUIET).assert_outcomes(passed=1)


def test_a_budget_that_is_no_number_is_a_mistake_of_usage(
    pytester: pytest.Pytester, write: Callable[..., None]
) -> None:
    pytester.makeini("[pytest]\ninterplay_budget = five\n")
    write("http://127.0.0.1:9/webhooks/rest/webhook", 3)
    result = pytester.runpytest_inprocess(*QUIET, "--tb=short")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*interplay_budget is a number of dollars, not 'five'"])


def test_workers_of_xdist_play_a_run_once_and_it_is_told_once(
    pytester: pytest.Pytester, write: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1"
    )  # those of others take longer than all else here
    with serving_bot(well=4) as (bot, url):
        write(url, 4, bound=0.1)
        first = (pytester.path / "test_bot.py").read_text()
        (pytester.path / "test_again.py").write_text(first, encoding="utf-8")
        result = pytester.runpytest_subprocess(*PLUGINS, "-n", "2", "--dist", "loadfile")
        result.assert_outcomes(passed=2)
        assert len(bot.senders) == 4  # no dialogue was begun twice
    assert result.stdout.str().count(f"  {url}: success 1.00 ") == 1
    with Records(pytester.path / ".interplay" / "runs.db") as records:
        assert len(records.runs()) == 1


def test_whoever_does_not_play_is_not_troubled(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_nothing(): pass")
    result = pytester.runpytest_inprocess(*QUIET, "--interplay-skip")
    result.assert_outcomes(passed=1)
    assert "interplay" not in result.stdout.str().split("collected", 1)[1]
    assert not (pytester.path / ".interplay").exists()


def test_loading_the_plugin_loads_nothing_else() -> None:
    code = (
        "import pytest, sys; before = set(sys.modules); import interplay.pytest_plugin; "
        "print(*set(sys.modules) - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"interplay", "interplay.pytest_plugin"}
