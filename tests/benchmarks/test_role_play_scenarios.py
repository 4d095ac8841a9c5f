"""Scenarios of role play: every character in every situation, balanced from the beginning; data is never a template."""

from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import given, settings
from hypothesis import strategies as st

from interplay.benchmarks.role_play.cards import scene_of
from interplay.benchmarks.role_play.protocol import card_of
from interplay.core.benchmark import Scenario
from interplay.models.loopback import Asked
from interplay.store.records import Records
from tests.benchmarks.card_mistakes import CHARACTER, SITUATION
from tests.benchmarks.stage import BENCHMARK, SCENARIOS, secrets_of
from tests.running.job import JUDGES, command
from tests.running.typed import overheard, provider, run, text_of

Capsys = pytest.CaptureFixture[str]
SHIPPED = Path(str(files("interplay") / "benchmarks/role_play/data/en.toml"))


def file_of(folder: Path, characters: int, situations: int, **character: Any) -> Path:
    path = folder / "cards.toml"
    data = {
        "characters": [{**CHARACTER, "name": f"Odo {n}", **character} for n in range(characters)],
        "situations": [{**SITUATION, "text": f"Ask for way number {n}, in vain."} for n in range(situations)],
    }
    path.write_text(tomli_w.dumps(data), encoding="utf-8")
    return path


def scenarios_of(path: Path | None, **options: str) -> tuple[Scenario, ...]:
    return BENCHMARK.scenarios(BENCHMARK.settle(options), path).scenarios


def pairs(scenarios: tuple[Scenario, ...]) -> list[tuple[str, str]]:
    return [(one.content["character"]["id"], one.content["situation"]["id"]) for one in scenarios]


def assert_balanced(found: list[tuple[str, str]], characters: int, situations: int) -> None:
    """Every pair is there once, and in every beginning none of either kind is more than one ahead of another."""
    assert len(set(found)) == len(found) == characters * situations
    for side, size in ((0, characters), (1, situations)):
        counts: Counter[str] = Counter()
        for pair in found:
            counts[pair[side]] += 1
            most, least = max(counts.values()), min(counts.values()) if len(counts) == size else 0
            assert most - least <= 1


def test_three_characters_in_two_situations_are_six_balanced_scenarios(tmp_path: Path) -> None:
    found = pairs(scenarios_of(file_of(tmp_path, 3, 2)))

    assert found == [
        ("odo-0", "situation-1"),
        ("odo-1", "situation-2"),
        ("odo-2", "situation-1"),
        ("odo-0", "situation-2"),
        ("odo-1", "situation-1"),
        ("odo-2", "situation-2"),
    ]
    assert_balanced(found, 3, 2)


@settings(max_examples=60)
@given(st.integers(1, 9), st.integers(1, 9))
def test_every_beginning_is_balanced_whatever_the_numbers(
    tmp_path_factory: pytest.TempPathFactory, characters: int, situations: int
) -> None:
    path = file_of(tmp_path_factory.mktemp("cards"), characters, situations)

    assert_balanced(pairs(scenarios_of(path)), characters, situations)


def test_the_first_eight_that_ship_have_each_character_and_each_situation_once() -> None:
    assert_balanced(pairs(SCENARIOS), 8, 8)
    first = pairs(SCENARIOS)[:8]
    assert len({character for character, _ in first}) == len({situation for _, situation in first}) == 8


def test_our_own_file_by_its_path_is_the_same_as_without_one() -> None:
    assert scenarios_of(SHIPPED) == scenarios_of(None)
    assert scenarios_of(SHIPPED, version="v1") == scenarios_of(None)


def test_a_run_with_a_file_of_ones_own_has_the_files_scenarios(tmp_path: Path, capsys: Capsys) -> None:
    store, path = tmp_path / "interplay.db", file_of(tmp_path, 3, 2)
    with provider() as (loopback, url):
        line = command(url, store, judges=JUDGES[:1], more=("--data", str(path)))
        board = run(line, capsys)
        assert loopback.calls_by_model() == {"player": 12, "user": 12, "judge-1": 6}
        assert board["rows"][0]["n"] == 6
        assert board["rows"][0]["aggregate"]["clusters"] == [3, 2]
        assert run(line, capsys) == board
        assert loopback.calls == 30
    with Records(store) as records:
        labels = {row.scenario.label for row in records.conversations(records.find("last"))}
    assert labels == {f"odo-{n} / situation-{m}" for n in range(3) for m in (1, 2)}


# Text that looks like a template.

TEMPLATE = (
    "{{char}} greets {{user}} by {{name}}; {{#example}}never{{/example}} {{persona}} {{card}} {{mark}} {char}"
)


@pytest.mark.parametrize("version", ["v1", "v2"])
@pytest.mark.parametrize("setup", ["asymmetric", "symmetric"])
def test_text_that_looks_like_a_template_stays_text(
    version: str, setup: str, tmp_path: Path, capsys: Capsys
) -> None:
    seen: list[Asked] = []
    marked = {"summary": TEMPLATE, "persona": TEMPLATE, "example": TEMPLATE, "greeting": TEMPLATE}
    path = file_of(tmp_path, 1, 1, **marked)
    path.write_text(path.read_text().replace("in vain.", f"in vain. {TEMPLATE}"), encoding="utf-8")
    with provider(overheard(seen)) as (_, url):
        more = ("--version", version, "--setup", setup, "--data", str(path))
        board = run(command(url, tmp_path / "a.db", judges=JUDGES[:1], more=more), capsys)
    assert board["rows"][0]["n"] == 1
    times = {
        "player": 3 + (setup == "symmetric"),  # persona, example, greeting; the situation
        "judge-1": 3 + (setup == "symmetric"),
        "user": {"v1": 4, "v2": 2}[version] + {"v1": 1, "v2": 4}[version] * (setup == "symmetric"),
    }
    assert {asked.model: text_of(asked).count(TEMPLATE) for asked in seen} == times


def test_the_authors_templates_stay_text(originals: Path) -> None:
    found = scenarios_of(originals / "pingpong" / "settings_v2.json")
    scenes = [scene_of(one.content) for one in found if "{{" in one.content["character"]["persona"]]

    assert len(scenes) == 8
    for scene in scenes:
        assert scene.character.persona in card_of(scene, BENCHMARK.settle({}))


# Who is told what, over a whole run.


@pytest.mark.parametrize("setup", ["asymmetric", "symmetric"])
@pytest.mark.parametrize("language", ["en", "ru"])
def test_the_secrets_of_the_card_reach_the_user_only_in_the_symmetric_setup(
    setup: str, language: str, tmp_path: Path, capsys: Capsys
) -> None:
    seen: list[Asked] = []
    with provider(overheard(seen)) as (_, url):
        more = ("--setup", setup, "--language", language, "--turns", "1")
        run(command(url, tmp_path / "a.db", judges=JUDGES[:1], more=more), capsys)
    assert len(seen) == 3 * 64
    with Records(tmp_path / "a.db") as records:
        query = "SELECT participant, thread FROM calls WHERE participant IN ('interrogator', 'player')"
        recorded = [
            (who, "\n".join(message.text for message in records.thread(thread)))
            for who, thread in records.db.execute(query).fetchall()
        ]
    assert len(recorded) == 2 * 64
    shipped = scenarios_of(None, language=language)
    secrets = {line for one in shipped for line in secrets_of(one.content)}
    situations = {one.content["situation"]["text"] for one in shipped}
    assert len(secrets) > 40
    told = {"user": [0, 0], "player": [0, 0], "judge-1": [0, 0]}
    for asked in seen:
        text = text_of(asked)
        told[asked.model][0] += any(line in text for line in secrets)
        told[asked.model][1] += any(situation in text for situation in situations)
    for who, text in recorded:
        asymmetric = setup == "asymmetric"
        assert any(line in text for line in secrets) != (asymmetric and who == "interrogator")
        assert any(situation in text for situation in situations) != (asymmetric and who == "player")
    if setup == "asymmetric":
        assert told == {"user": [0, 64], "player": [64, 0], "judge-1": [64, 0]}
    else:
        assert told == {"user": [64, 64], "player": [64, 64], "judge-1": [64, 64]}
