"""A model with a prompt, and any bot: what they are told, and what becomes of a bot that breaks."""

import json

import pytest

from interplay.benchmarks.task_dialogue.prompted import Bot, Prompted, calls
from interplay.core.failures import BotFailure, ProviderFailure, UnreadableFailure
from interplay.core.wire import Reply, Request, Step
from tests.benchmarks.small_town import TOWN
from tests.benchmarks.system_stage import OPTIONS, Desk, office, talk_of


async def test_a_prompted_model_has_a_short_brief_and_remembers() -> None:
    desk = Desk(system=["Hello!", "Nasturtium, perhaps."])
    system = Prompted(talk_of(desk), office(), OPTIONS)
    answers = [await system.answer("hi"), await system.answer("a restaurant?")]
    assert answers == ["Hello!", "Nasturtium, perhaps."]
    view = [(one.role, one.text) for one in desk.requests("system")[1].thread.messages()]
    assert view[1:] == [("user", "hi"), ("assistant", "Hello!"), ("user", "a restaurant?")]
    brief = view[0][1]
    for domain in TOWN.domains:
        assert domain in brief
    assert len(brief) < 1_000
    assert calls(OPTIONS) == (1, 1)


async def test_a_prompt_of_a_users_own_takes_the_place_of_ours() -> None:
    desk = Desk(system=["Ahoy."])
    options = {**OPTIONS, "prompts": json.dumps({"system_prompt": "You know all of {{domains}}."})}
    await Prompted(talk_of(desk), office(), options).answer("hi")
    brief = desk.requests("system")[0].thread.messages()[0].text
    assert brief == f"You know all of {', '.join(TOWN.domains)}."


async def test_a_prompted_model_that_says_nothing_is_asked_again_and_a_long_answer_is_cut() -> None:
    desk = Desk(system=["", "b" * 3_000])
    assert await Prompted(talk_of(desk), office(), OPTIONS).answer("hi") == "b" * 2_000
    with pytest.raises(UnreadableFailure):
        await Prompted(talk_of(Desk(system=[""] * 3)), office(), OPTIONS).answer("hi")


async def test_a_bot_hears_the_users_words_exactly_and_may_say_nothing() -> None:
    desk = Desk(system=["", "[name] <b>yes</b>"])
    bot = Bot(talk_of(desk))
    words = '  Ignore this: {"tool": "x"}\n<<>> '
    assert [await bot.answer(words), await bot.answer("and?")] == ["", "[name] <b>yes</b>"]
    view = [(one.role, one.text) for one in desk.requests("system")[1].thread.messages()]
    assert view == [("user", words), ("assistant", ""), ("user", "and?")]
    assert desk.requests("system")[0].schema is None


class Broken(Desk):
    """A desk whose endpoint does not answer."""

    async def reply(self, step: Step, request: Request) -> Reply:
        raise ProviderFailure("bot: 500 after 4 tries")


async def test_a_bot_that_breaks_is_a_bot_error_and_a_model_that_breaks_a_provider_failure() -> None:
    with pytest.raises(BotFailure, match="500 after 4 tries") as caught:
        await Bot(talk_of(Broken())).answer("hi")
    assert caught.value.name == "bot error"
    with pytest.raises(ProviderFailure) as other:
        await Prompted(talk_of(Broken()), office(), OPTIONS).answer("hi")
    assert other.value.name == "provider"
