"""Virtual game masters as they are typed, and what is no such thing."""

import pytest

from interplay.benchmarks.social_interaction import benchmark
from interplay.benchmarks.social_interaction.masters import KINDS, Master, masters_in, read_dm
from interplay.core.failures import Mistake


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("light", [Master("light")]),
        ("examples:openai/a", [Master("examples", "openai/a")]),
        ("api:openai/ft:a:b", [Master("api", "openai/ft:a:b")]),
        ("local:smollm2", [Master("local", "smollm2")]),
        ("local:/a folder/of:mine", [Master("local", "/a folder/of:mine")]),
        (" light , examples: openai/a ", [Master("light"), Master("examples", "openai/a")]),
        ("light,light,api:openai/a,light", [Master("light"), Master("api", "openai/a")]),
        ("none", []),
        ("none,none", []),
    ],
)
def test_what_is_typed(typed: str, found: list[Master]) -> None:
    assert masters_in(typed) == tuple(found)
    kept = read_dm(typed)
    assert masters_in(kept) == tuple(found)
    assert read_dm(kept) == kept


def test_two_ways_to_type_it_are_kept_as_one() -> None:
    assert read_dm(" light ,api: openai/a,light") == "light,api:openai/a"
    assert read_dm("none") == "none"


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("lihgt", "there is no virtual game master 'lihgt'; did you mean 'light'?"),
        (
            "example:openai/a",
            "there is no virtual game master 'example:openai/a'; did you mean 'examples:MODEL'?",
        ),
        ("", "there is no virtual game master ''; "),
        ("light,", "there is no virtual game master ''; "),
        ("LIGHT", "there is no virtual game master 'LIGHT'; "),
        ("openai/a", "there is no virtual game master 'openai/a'; "),
        ("light:openai/a", "--dm light:openai/a: write light"),
        ("none:x", "--dm none:x: write none"),
        ("examples", "--dm examples: write examples:NAME, as in examples:openai/NAME"),
        ("api:", "--dm api:: write api:NAME, as in api:openai/NAME"),
        ("api: ", "--dm api:: write api:NAME, as in api:openai/NAME"),
        ("local", "--dm local: write local:NAME, as in local:smollm2"),
        ("light,none", "--dm none stands alone"),
    ],
)
def test_what_is_no_game_master(typed: str, told: str) -> None:
    with pytest.raises(Mistake) as raised:
        read_dm(typed)
    assert str(raised.value).startswith(told)
    assert "\n" not in str(raised.value)


def test_a_long_list_of_nonsense_is_told_in_one_line() -> None:
    with pytest.raises(Mistake) as raised:
        read_dm("x" * 10_000 + "\n")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_named_by_the_help_and_can_be_typed(kind: str) -> None:
    meaning = next(option.meaning for option in benchmark.options if option.name == "dm")
    assert f"{kind}, {KINDS[kind]}" in meaning
    masters_in(kind)


def test_a_run_keeps_what_was_read() -> None:
    for typed in ("none", "light", "examples:openai/a"):
        options = benchmark.settle(benchmark.read({"scene": "intentions", "dm": typed}))
        assert benchmark.sequel is not None
        assert benchmark.sequel.wanted(options) == (typed != "none")
    assert not benchmark.sequel.wanted(benchmark.settle({"scene": "exchange"}))  # type: ignore[union-attr]
