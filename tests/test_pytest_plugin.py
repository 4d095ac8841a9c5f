"""The plugin of pytest: bots with a planted ability behind real HTTP, in sessions as a team's CI has them."""

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
import scipy.special  # noqa: F401  # loaded here: what a session inside loads is taken out again, and numpy minds

import interplay.api
import interplay.cli.terminal
from interplay import pytest_plugin
from interplay.benchmarks.task_dialogue.bots import judge
from interplay.benchmarks.task_dialogue.city import own_city
from interplay.benchmarks.task_dialogue.faulty_users import script
from interplay.core.wire import Message
from interplay.models.loopback import Loopback, serving
from interplay.running.budget import Limits
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


BY_RULE = """
    def test_by_rule(interplay_run):
        run = interplay_run("task_dialogue", system="rules", simulator="agenda", limit=1)
        assert run.expect("inform").n == 1
"""
# a bot that is a function, its words in another file, and a file that counts how often it was asked
OF_FUNCTIONS = """
    import words

    def test_a_function(interplay_run):
        def bot(messages):
            with open("asked.txt", "a") as file:
                file.write(".")
            return words.said()

        run = interplay_run("task_dialogue", bot, system="bot", simulator="agenda", limit=1)
        run.expect("success").of("python/test_a_function.<locals>.bot")
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


def echo(messages: Sequence[Message]) -> str:
    return messages[-1].text


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
    pytester.makepyfile(BY_RULE)
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
    assert stores[1:] == ["runs-v1.db"]
    assert re.fullmatch(r"runs-feature-a-b-[0-9a-f]{8}\.db", stores[0])


def test_every_version_has_a_name_of_its_own_in_every_file_system() -> None:
    versions = ("a/b", "a-b", "a b", "a:b", "A-b", "ä", "ö", "x" * 300, "x" * 301, "\udcff", "..", "a\0b")
    names = [pytest_plugin._as_name(version) for version in versions]
    assert len({name.lower() for name in names}) == len(versions)
    assert all(re.fullmatch(r"[a-z0-9_.-]{1,64}", name) for name in names)
    assert (names[1], names[10]) == ("a-b", "..")


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
    result.stdout.fnmatch_lines(["*interplay_budget is a number of dollars from 0, not 'five'"])


@pytest.mark.parametrize(
    ("flag", "value", "said"),
    [
        *(("--interplay-budget", value, "dollars") for value in ("-1", "nan", "inf", "1e10", "five")),
        *(("--interplay-budget-calls", value, "calls") for value in ("-1", "2.5", "²", "many")),
    ],
)
def test_a_flag_of_a_budget_that_is_none_ends_the_session(
    pytester: pytest.Pytester, flag: str, value: str, said: str
) -> None:
    pytester.makepyfile("def test_nothing(): pass")
    result = pytester.runpytest_inprocess(*QUIET, f"{flag}={value}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*argument {flag}: a number of {said} from 0, not '{value}'"])


@pytest.mark.parametrize(
    ("own", "flag", "most"), [(3, 9, 3), (9, 3, 3), (0, 9, 0), (9, 0, 0), (None, 3, 3), (3, None, 3)]
)
def test_a_session_s_budget_loosens_no_test_s_own(
    pytester: pytest.Pytester, own: int | None, flag: int | None, most: int
) -> None:
    flags = ("--interplay-budget", "--interplay-budget-calls")
    config = pytester.parseconfig(*(f"{name}={flag}" for name in flags if flag is not None))
    how = interplay.setup(budget=own, budget_calls=own, budget_tokens=7)
    within = pytest_plugin._within(config, how, Path("runs.db"))
    assert (within.limits, within.store) == (Limits(most, 7, most), Path("runs.db"))


def test_a_store_of_a_test_s_own_is_refused_and_not_dropped(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import interplay

        def test_mine(interplay_run):
            how = interplay.setup(store="mine.db")
            interplay_run("task_dialogue", system="rules", simulator="agenda", limit=1, how=how)
        """
    )
    result = pytester.runpytest_inprocess(*QUIET, "--tb=short")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["E   *the runs of a session are in one store, not in mine.db: name it with --interplay-store or *"]
    )
    assert not list(pytester.path.rglob("*.db"))


def test_a_store_that_cannot_be_made_is_a_mistake_of_usage(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(BY_RULE)
    (pytester.path / "file").write_text("")
    result = pytester.runpytest_inprocess(*QUIET, "--tb=line", "--interplay-store", "file/below/runs.db")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*UsageError: no store can be made in */file/below (Not a directory); name *"]
    )


# Functions


def test_a_function_is_played_again_when_its_code_changed_and_only_then(pytester: pytest.Pytester) -> None:
    test = pytester.makepyfile(test_function=OF_FUNCTIONS)
    asked, heard = pytester.path / "asked.txt", []

    def play(said: str, *flags: str) -> None:
        (pytester.path / "words.py").write_text(f"def said():\n    return {said!r}\n")
        shutil.rmtree(pytester.path / "__pycache__", ignore_errors=True)  # its times are too coarse for this
        pytester.runpytest_inprocess(*QUIET, *flags).assert_outcomes(passed=1)
        heard.append(len(asked.read_text()))

    play("I do not know.")
    play("I do not know.")
    test.write_text(test.read_text() + "\n# nothing that it depends on\n")
    play("I do not know.")
    assert heard[0] == heard[1] == heard[2] > 0
    play("I do not care.")
    assert heard[3] > heard[2]
    play("I do not know.")
    assert heard[4] == heard[3]
    play("I do not know.", "--interplay-version", "v1")
    play("I do not care.", "--interplay-version", "v1")  # which the user says is the same
    assert heard[6] == heard[5] > heard[4]


def test_a_function_in_a_file_is_played_again_when_its_code_changed(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_a_file(interplay_run):
            run = interplay_run("task_dialogue", system="python/bot.py:answer", simulator="agenda", limit=1)
            run.expect("success").of("python/bot.py:answer")
        """
    )
    ids = []
    for said in ("one", "one", "two"):
        (pytester.path / "bot.py").write_text(f"def answer(messages):\n    return {said!r}\n")
        shutil.rmtree(pytester.path / "__pycache__", ignore_errors=True)
        result = pytester.runpytest_inprocess(*QUIET)
        result.assert_outcomes(passed=1)
        ids.append(re.search(r"task_dialogue-\w+ in", result.stdout.str()))
    first, again, other = (found[0] for found in ids if found)
    assert first == again != other


def test_what_has_no_code_to_be_read_needs_a_version(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_of_c(interplay_run):
            interplay_run("task_dialogue", repr, system="bot", simulator="agenda", limit=1)
        """
    )
    result = pytester.runpytest_inprocess(*QUIET, "--tb=short")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "E   *Mistake: the code of python/repr cannot be read; say which version is tested with --interplay-v*"
        ]
    )
    for flags in (("--interplay-version", "v1"), ("--interplay-store", "tmp")):
        pytester.runpytest_inprocess(*QUIET, *flags).assert_outcomes(passed=1)


# Workers


@pytest.mark.parametrize("store", ["", pytest.param("tmp", marks=pytest.mark.slow)])
def test_workers_of_xdist_play_a_run_once_and_it_is_told_once(
    pytester: pytest.Pytester, write: Callable[..., None], monkeypatch: pytest.MonkeyPatch, store: str
) -> None:
    monkeypatch.setenv(
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1"
    )  # those of others take longer than all else here
    with serving_bot(well=4) as (bot, url):
        write(url, 4, bound=0.1)
        first = (pytester.path / "test_bot.py").read_text()
        (pytester.path / "test_again.py").write_text(first, encoding="utf-8")
        flags = ("--interplay-store", store) if store else ()
        result = pytester.runpytest_subprocess(*PLUGINS, "-n", "2", "--dist", "loadfile", *flags)
        result.assert_outcomes(passed=2)
        assert len(bot.senders) == 4  # no dialogue was begun twice
    assert result.stdout.str().count(f"  {url}: success 1.00 ") == 1
    if store:
        assert not list(pytester.path.glob(".interplay"))
        return
    with Records(pytester.path / ".interplay" / "runs.db") as records:
        assert len(records.runs()) == 1


def test_nobody_waits_for_a_worker_that_makes_no_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pytest_plugin, "MOST_WAITED", 0.01)
    waiting = pytest_plugin._Waiting(tmp_path / "runs.db")
    looks = [waiting.is_in_vain()]
    how = interplay.setup(tmp_path / "runs.db")
    for limit in (0, 0, 1, 1, 2, 2):
        if limit:
            interplay.run(
                "role_play", echo, roles={"interrogator": echo, "judge": echo}, limit=limit, how=how
            )
        time.sleep(0.02)
        looks.append(waiting.is_in_vain())
    assert looks == [False, False, True, False, True, False, True]


def test_a_test_that_asks_for_the_fixture_as_it_runs_is_skipped_too(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("time", [1, 2])
        def test_late(request, time):
            request.getfixturevalue("interplay_run")
            assert False
        """
    )
    result = pytester.runpytest_inprocess(*QUIET, "-rs", "--interplay-skip")
    result.assert_outcomes(skipped=2)
    result.stdout.fnmatch_lines(["SKIPPED * --interplay-skip"])
    assert not (pytester.path / ".interplay").exists()


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
