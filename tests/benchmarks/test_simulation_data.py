"""The tasks and dialogues that ship: how many of what, in what shape, and which interfaces of the paper are there."""

import re
import tomllib
from collections import Counter
from typing import Any

import pytest

from interplay.benchmarks.simulation.scenarios import shipped, shipped_tasks
from interplay.benchmarks.simulation.scripts import FIRST_CHAN, LAST_ONLY, SUBSEQ_CHAN
from interplay.benchmarks.simulation.task_checks import Shelf, about_task, words_of
from interplay.benchmarks.simulation.tasks import FOLDER

TASKS = {task.id: task for task in shipped_tasks()}
KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
CANARY = re.compile(
    r"INTERPLAY CANARY simulation (tasks|dialogues) [0-9a-f-]{36}: benchmark data, keep out of .+"
)
STRATEGIES = ("improvement", "next_step", "new_request", "other")

# What the paper names, in its text and in its table of the simplest and hardest tasks, and which of ours is like it.
# Not there: its writers of prompts (prompt enhancer, prompt generator), and its veterinarian: no advice on health.
COVERED = {
    "Linux terminal": "posix-shell",
    "SQL executor": "bike-shop-sql",
    "Python interpreter": "python-repl",
    "JavaScript console": "javascript-console",
    "PHP interpreter": "php-shell",
    "R interpreter": "r-console",
    "Excel sheet": "little-spreadsheet",
    "JSON data store": "json-document-store",
    "Redux state manager": "playlist-state-store",
    "to-do list manager": "todo-keeper",
    "expense tracker": "expense-tracker",
    "web browser": "text-web-browser",
    "search engine": "bakery-search-index",
    "chess player": "chess-opponent",
    "chess game simulator": "chess-recorder",
    "tic-tac-toe": "pier-noughts",
    "gomoku player": "gomoku-nine",
    "text based adventure game": "lantern-house",
    "dungeon master": "tape-dungeon",
    "escape the room game": "weather-station-escape",
    "virtual detective": "gull-guesthouse-case",
    "interactive story creator": "last-ferry-story",
    "Japanese kanji quiz machine": "kanji-card-box",
    "quiz machine": "staircase-trivia",
    "city planner": "larkmouth-city-ledger",
    "Mars rover simulator": "mars-rover-grid",
    "space station simulation": "orbital-life-support",
    "Mars colony simulator": "dust-valley-colony",
    "historical debate simulator": "council-chamber-debate",
    "inventor's workshop": "tinkers-bench",
    "prompt enhancer": "prompt-polisher",
    "prompt generator": "picture-brief-maker",
    "virtual veterinarian": "paddock-triage-card",
    "virtual space mission commander": "tug-wren-commander",
    "car navigation system": "small-town-navigator",
    "project manager simulator": "project-day-planner",
    "race strategist": "pit-wall-strategist",
    "stock broker": "six-day-stock-broker",
    "investment manager": "fund-portfolio-desk",
    "real estate market": "house-market-weeks",
    "galactic trader": "galactic-spice-trader",
    "ecosystem simulator": "meadow-ecosystem",
    "disease outbreak simulator": "hiccup-outbreak",
    "chemical reactor": "batch-reactor-console",
    "quantum computation simulator": "qubit-circuit-console",
    "gene splicer": "symbol-strand-splicer",
    "chemical equation balancer": "equation-balancer",
    "predictor of chemical reactions": "batch-reactor-console",
    "cryptographer": "shift-cipher-box",
    "cryptographic system": "transposition-bench",
    "password generator": "password-generator",
    "smart domain name generator": "domain-name-ideas",
    "ASCII artist": "ascii-grid-artist",
    "SVG designer": "svg-designer",
    "diagram generator": "dot-diagram-generator",
    "plagiarism checker": "overlap-meter",
    "English pronunciation helper": "say-it-plain",
    "new language creator": "tavi-translator",
    "regex generator": "regex-writer",
    "commit message generator": "commit-message-writer",
    "language detector": "tongue-detector",
    "emoji translator": "emoji-grammar",
    "fancy title generator": "title-atelier",
    "educational content creator": "gap-worksheet-press",
    "Wikipedia page": "encyclopedia-stub",
    "urban myth debunker": "myth-debunking-card",
    "historical error corrector": "history-error-corrector",
    "etiquette expert": "heron-house-etiquette",
    "startup idea generator": "frugal-startup-ideas",
    "artificial sommelier": "tea-pairing-desk",
    "song recommender": "set-list-maker",
    "fallacy finder": "fallacy-bench",
    "riddle solver": "riddle-oracle",
    "physics solver": "physics-answer-slip",
}


def read(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / "data" / name).read_text(encoding="utf-8"))


DIALOGUES: list[dict[str, Any]] = read("dialogues.toml")["dialogues"]
CHALLENGING = [one for one in DIALOGUES if one["challenging"]]


def test_there_are_so_many_tasks_of_either_kind() -> None:
    kinds = Counter(task.kind for task in TASKS.values())
    assert kinds == {"stateless": 63, "stateful": 55}
    assert abs(kinds["stateless"] / 118 - 58 / 109) < 0.01  # as in the authors' data


def test_ids_and_names_are_one_each() -> None:
    assert len(shipped_tasks()) == len(TASKS) == 118
    assert all(KEBAB.fullmatch(id) for id in TASKS)
    assert len({" ".join(words_of(task.name)) for task in TASKS.values()}) == 118


def test_every_task_passes_the_checks_of_new_ones() -> None:
    shelf = Shelf()
    for task in TASKS.values():
        assert about_task(task) == [], task.id
        assert shelf.about(task) == [], task.id
        shelf.put(task)


@pytest.mark.parametrize("name", ["tasks.toml", "dialogues.toml"])
def test_a_file_has_a_canary_of_its_own(name: str) -> None:
    found = CANARY.fullmatch(read(name)["canary"])
    assert found is not None
    assert name.startswith(found.group(1))


@pytest.mark.parametrize("interface", COVERED)
def test_an_interface_that_the_paper_names_is_there(interface: str) -> None:
    assert COVERED[interface] in TASKS


def test_no_text_begins_as_the_well_known_prompts_do() -> None:
    assert not any("want you to act as" in task.description.casefold() for task in TASKS.values())


def test_there_are_so_many_dialogues() -> None:
    assert len(DIALOGUES) == 105
    assert Counter(one["challenging"] for one in DIALOGUES) == {0: 75, 1: 9, 2: 12, 3: 9}
    per_task = Counter(one["task"] for one in DIALOGUES)
    assert per_task.keys() <= TASKS.keys()
    assert len(per_task) >= 60
    assert max(per_task.values()) <= 2


def test_scripts_of_all_types_are_cut_from_them() -> None:
    assert Counter(script.type for script in shipped()) == {LAST_ONLY: 75, FIRST_CHAN: 30, SUBSEQ_CHAN: 60}
    assert len({script.task for script in shipped()}) >= 60
    for type_ in (LAST_ONLY, FIRST_CHAN, SUBSEQ_CHAN):
        kinds = Counter(script.kind for script in shipped() if script.type == type_)
        assert min(kinds["stateless"], kinds["stateful"]) >= 10
    asked = [(script.task, script.history, script.request) for script in shipped()]
    assert len(set(asked)) == len(asked)


@pytest.mark.parametrize("number", range(len(DIALOGUES)))
def test_every_dialogue_has_turns_of_the_right_shape(number: int) -> None:
    dialogue = DIALOGUES[number]
    turns = dialogue["turns"]
    assert set(dialogue) == {"task", "challenging", "turns"}
    assert len(turns) == 4 if dialogue["challenging"] else 2 <= len(turns) <= 4
    first, *rest = turns
    assert set(first) <= {"answer", "error"}
    for turn in rest:
        assert (
            {"strategy", "request", "answer"}
            <= set(turn)
            <= {"strategy", "other", "request", "answer", "error"}
        )
        assert turn["strategy"] in STRATEGIES
        assert bool(turn.get("other", "").strip()) == (turn["strategy"] == "other")
        assert turn["request"].strip()


@pytest.mark.parametrize("number", range(len(DIALOGUES)))
def test_answers_are_wrong_from_the_challenging_turn_on_and_not_before(number: int) -> None:
    dialogue = DIALOGUES[number]
    wrong = [place for place, turn in enumerate(dialogue["turns"], 1) if "error" in turn]
    assert min(wrong, default=0) == dialogue["challenging"]
    assert all(len(dialogue["turns"][place - 1]["error"].split()) >= 5 for place in wrong)


def test_all_strategies_occur() -> None:
    used = Counter(turn["strategy"] for one in DIALOGUES for turn in one["turns"][1:])
    assert all(used[strategy] >= 5 for strategy in STRATEGIES), used


def test_errors_are_carried_on() -> None:
    """A history with errors is what makes later turns hard: most challenging dialogues have more than one."""
    wrong = [sum("error" in turn for turn in one["turns"]) for one in CHALLENGING]
    assert sum(count > 1 for count in wrong) > len(wrong) / 2
