"""What tokens cost: the table of list prices and the arithmetic."""

import pytest

from interplay.models.prices import FREE, Price, list_price


def test_a_call_costs_its_tokens() -> None:
    price = Price(2.5, 10.0)
    assert price.of(1_000_000, 0) == 2.5
    assert price.of(0, 1_000_000) == 10.0
    assert price.of(400, 100) == pytest.approx(0.002)
    assert price.of(0, 0) == 0.0


def test_tokens_from_the_cache_cost_what_the_table_says() -> None:
    price = Price(2.5, 10.0, cached=1.25)
    assert price.of(1_000_000, 0, 1_000_000) == 1.25
    assert price.of(1_000_000, 500_000, 400_000) == pytest.approx(0.6 * 2.5 + 0.4 * 1.25 + 5.0)
    assert Price(2.5, 10.0).of(1_000_000, 0, 1_000_000) == 2.5  # no price of their own
    assert Price(2.5, 10.0, cached=0.0).of(1_000_000, 0, 1_000_000) == 0.0


def test_no_cost_is_negative_whatever_the_cache_is_said_to_hold() -> None:
    price = Price(2.5, 10.0, cached=1.25)
    assert price.of(10, 0, 1_000_000) == price.of(10, 0, 10)
    assert price.of(10, 0, -5) == price.of(10, 0, 0)


def test_free_is_free() -> None:
    assert FREE.of(10**9, 10**9, 10**9) == 0.0


@pytest.mark.parametrize(
    "name, like",
    [
        ("openai/gpt-4o-2024-08-06", "openai/gpt-4o"),
        ("openai/gpt-4o-mini-2024-07-18", "openai/gpt-4o-mini"),
        ("anthropic/claude-3-5-sonnet-20241022", "anthropic/claude-3-5-sonnet"),
        ("anthropic/claude-3-5-haiku-latest", "anthropic/claude-3-5-haiku"),
        ("anthropic/claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5"),
        ("anthropic/claude-opus-4-1-20250805", "anthropic/claude-opus-4-1"),
    ],
)
def test_a_snapshot_costs_what_its_model_costs(name: str, like: str) -> None:
    found = list_price(name)
    assert found is not None
    assert found == list_price(like)


def test_a_snapshot_with_a_line_of_its_own_has_its_own_price() -> None:
    assert list_price("openai/gpt-4o-2024-05-13") == Price(5.0, 15.0)
    assert list_price("openai/gpt-4o") == Price(2.5, 10.0, cached=1.25)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "gpt-4o",
        "openai/",
        "openai/gpt-4o-audio",
        "openai/gpt-4o-2024",
        "openai/claude-sonnet-4",
        "anthropic/gpt-4o",
        "openai/meta/gpt-4o",
        "openai/my-model-latest",
        "local/smollm2",
    ],
)
def test_what_the_table_does_not_have_is_unknown_and_not_free(name: str) -> None:
    assert list_price(name) is None


def test_cached_tokens_are_nowhere_dearer_than_others() -> None:
    for name in ("openai/gpt-5", "openai/o4-mini", "anthropic/claude-haiku-4-5", "anthropic/claude-3-haiku"):
        price = list_price(name)
        assert price is not None
        assert price.cached is not None
        assert 0 < price.cached < price.input < price.output
