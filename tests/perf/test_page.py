"""The page of results: every number with its target, its judgement and its meaning."""

from perf.measures import Measure, Part, microseconds, times
from perf.page import page_of

PART = Part(
    "cpu",
    "this was run",
    (0.5, 1.25),
    (
        Measure("first", "1.50 x", "what it means", "at most 2 x", True),
        Measure("second", "2.50 x", "what that means", "at most 2 x", False),
        Measure("third", "7 µs", "no target"),
        Measure("fourth", "not run", "left out", "at least 20 x"),
        Measure("fifth", "8 µs", "no target"),
    ),
)


def test_a_part_is_a_table_with_targets_and_meanings() -> None:
    page = page_of([PART], ["cpu", "grid"], 12.4)
    assert "## cpu\n\nThis was run. Load before 0.5, after 1.2." in page
    assert "| first | 1.50 x | at most 2 x | met |" in page
    assert "| second | 2.50 x | at most 2 x | MISSED |" in page
    assert "| third | 7 µs |  |  |" in page
    assert "| fourth | not run | at least 20 x |  |" in page
    assert "- second: what that means." in page
    assert "- third; fifth: no target." in page


def test_the_page_says_when_where_and_how_to_run_it_again() -> None:
    page = page_of([PART], ["cpu", "grid"], 12.4)
    assert "about 12 minutes" in page
    assert "cpu, grid" in page
    assert "aiohttp 3." in page
    assert "SQLite 3." in page
    assert "{" not in page.replace("${", "")


def test_several_rounds_show_their_spread_and_one_does_not() -> None:
    assert times([1.0, 3.0, 2.0]) == "2.00 x (1.00 to 3.00)"
    assert times([2.0]) == "2.00 x"
    assert microseconds([0.0001, 0.0003, 0.002]) == "300 µs (100 to 2,000)"
