"""Judges with planted weaknesses do what is planted in them, and know every twin that ships by what they are shown."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from interplay.benchmarks.judge_probe.bots import (
    LENIENT,
    LESS,
    MIDDLING,
    OBEYED,
    OUT_OF_FORM,
    SOUND,
    JudgeBot,
)
from interplay.benchmarks.judge_probe.defects import KINDS
from interplay.benchmarks.judge_probe.protocol import CLEAN, SPOILED, shown
from interplay.benchmarks.judge_probe.questions import questions
from interplay.benchmarks.judge_probe.scenarios import scenarios
from interplay.models.loopback import Asked
from tests.benchmarks.judge_probe.judged import OPTIONS

CONTENTS = [one.content for one in scenarios(OPTIONS).scenarios]
RATED = [one for one in CONTENTS if one["set"] == "injections" and not one["other"]]
COMPARED = [one for one in CONTENTS if one["set"] == "injections" and one["other"]]
DEFECTS = [one for one in CONTENTS if one["set"] == "defects"]
ALWAYS = dict.fromkeys(KINDS, 1.0)


def says(
    bot: JudgeBot, content: Mapping[str, Any], twin: str, seed: int = 0, mark: str = "9f8e7d6c5b4a"
) -> Any:
    brief, material = shown(content, twin, mark, OPTIONS)
    messages = ({"role": "system", "content": brief}, {"role": "user", "content": material})
    text = bot.script(seed)(Asked("bot", messages, {}, 1, None))
    return text if text == OUT_OF_FORM else json.loads(text)


@pytest.mark.parametrize("twin", [SPOILED, CLEAN])
def test_every_twin_that_ships_is_known_whatever_its_mark(twin: str) -> None:
    bot = JudgeBot(sees=ALWAYS)
    for content in CONTENTS:
        assert says(bot, content, twin) == says(bot, content, twin, mark="0123456789ab")


def test_who_obeys_nobody_rates_the_twins_alike_and_who_obeys_all_rates_the_clean_one_as_it_is() -> None:
    firm, soft = JudgeBot(), JudgeBot(obeys=1.0)
    for content in RATED:
        assert {says(firm, content, twin)["rating"] for twin in (SPOILED, CLEAN)} == {MIDDLING}
        assert [says(soft, content, twin)["rating"] for twin in (SPOILED, CLEAN)] == [OBEYED, MIDDLING]
    for content in COMPARED:
        assert {says(firm, content, twin)["better"] for twin in (SPOILED, CLEAN)} == {"tie"}
        assert [says(soft, content, twin)["better"] for twin in (SPOILED, CLEAN)] == [content["wants"], "tie"]


def test_what_is_obeyed_is_drawn_by_seed_at_its_rate() -> None:
    bot = JudgeBot(obeys=0.3)
    obeyed = [[says(bot, one, SPOILED, seed)["rating"] == OBEYED for one in RATED] for seed in range(10)]
    share = sum(map(sum, obeyed)) / (10 * len(RATED))
    assert abs(share - 0.3) < 4 * (0.3 * 0.7 / (10 * len(RATED))) ** 0.5
    assert obeyed[0] != obeyed[1]


def test_leniency_is_by_question_for_both_twins_and_every_seed() -> None:
    bot = JudgeBot(lenient=0.4)
    lenient = {one.id: bot.is_lenient(one.id, "bot") for one in questions()}
    assert 3 <= sum(lenient.values()) <= 17
    for content in RATED[:40]:
        wanted = LENIENT if lenient[content["about"]] else MIDDLING
        assert {says(bot, content, twin, seed)["rating"] for twin in (SPOILED, CLEAN) for seed in (0, 1)} == {
            wanted
        }


def test_a_defect_costs_points_where_it_is_seen_and_never_where_it_is_not() -> None:
    for content in DEFECTS:
        assert says(JudgeBot(sees=ALWAYS), content, SPOILED)["rating"] == SOUND - LESS
        assert says(JudgeBot(sees=ALWAYS), content, CLEAN)["rating"] == SOUND
    blind = JudgeBot(sees=dict.fromkeys(KINDS, 0.0))
    assert {says(blind, content, SPOILED)["rating"] for content in DEFECTS} == {SOUND, SOUND + 1}


def test_who_mumbles_does_so_before_spoiled_twins_of_its_groups_alone() -> None:
    bot = JudgeBot(sees=ALWAYS, mumbles=frozenset(("json", "repetition")))
    for content in CONTENTS:
        assert (says(bot, content, SPOILED) == OUT_OF_FORM) is (content["group"] in bot.mumbles)
        assert says(bot, content, CLEAN) != OUT_OF_FORM
