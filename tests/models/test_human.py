"""A person as the engine meets one: free, known by one name, and never called."""

import asyncio

import pytest

from interplay.core.failures import Mistake
from interplay.core.wire import Message, Request, Sampling, Thread
from interplay.models.connecting import Directory
from interplay.models.entries import Entry
from interplay.models.human import Person
from interplay.models.prices import FREE
from interplay.models.scripted import Scripted

HUMAN = "human/ada"
EMPTY: dict[str, str] = {}


async def test_a_person_is_found_by_its_name_costs_nothing_and_needs_no_network() -> None:
    directory = Directory(environment=EMPTY)
    directory.check(HUMAN)
    person = directory.connect(HUMAN)
    assert isinstance(person, Person)
    await person.check()
    assert (person.name, person.price, directory.price_of(HUMAN)) == (HUMAN, FREE, FREE)
    assert directory.open_weights(HUMAN) is None
    assert directory.sampling_of(HUMAN) == {}
    await person.close()


def test_nobody_calls_a_person() -> None:
    request = Request(HUMAN, Thread.start(Message("user", "Hello?")), Sampling())
    with pytest.raises(RuntimeError, match="asked through the record"):
        asyncio.run(Person(HUMAN).reply(request))


@pytest.mark.parametrize("name", ["human/", "human/a b", "human/a/b", f"human/{'x' * 41}"])
def test_what_is_no_person_s_name_is_a_mistake(name: str) -> None:
    for look in (Directory(environment=EMPTY).check, Directory(environment=EMPTY).connect):
        with pytest.raises(Mistake, match="a person's name is up to 40 letters"):
            look(name)


def test_a_person_may_be_called_as_a_file_is() -> None:
    Directory(environment=EMPTY).check("human/ada.toml")


@pytest.mark.parametrize(
    "directory, name",
    [
        (Directory({HUMAN: Entry("openai/m")}, environment=EMPTY), HUMAN),
        (Directory({"me": Entry(HUMAN)}, environment=EMPTY), "me"),
        (Directory({HUMAN: Entry(HUMAN)}, environment=EMPTY), HUMAN),
        (Directory(made={HUMAN: Scripted(HUMAN, lambda _: "x")}, environment=EMPTY), HUMAN),
    ],
)
def test_no_model_passes_for_a_person_and_no_person_for_a_model(directory: Directory, name: str) -> None:
    with pytest.raises(Mistake, match="human/NAME is a person, who is no model"):
        directory.connect(name)


def test_a_person_cannot_be_fine_tuned_or_be_called_otherwise() -> None:
    with pytest.raises(Mistake, match="has no fine-tuning API"):
        Directory(environment=EMPTY).fine_tuning(HUMAN)
    with pytest.raises(Mistake, match="is a person, who is no model"):
        Directory(environment=EMPTY).called("reader", HUMAN)


@pytest.mark.parametrize("wrong", ["humn/ada", "human"])
def test_a_wrong_name_comes_with_the_right_one(wrong: str) -> None:
    with pytest.raises(Mistake, match="did you mean 'human/NAME'"):
        Directory(environment=EMPTY).check(wrong)
