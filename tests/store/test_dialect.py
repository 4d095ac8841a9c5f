"""What SQLite understands, PostgreSQL is told in its own words."""

import pytest

from interplay.store.dialect import (
    SEATED,
    by_a_person,
    for_postgres,
    tables_for_postgres,
    values_for_postgres,
)
from interplay.store.schema import MIGRATIONS


@pytest.mark.parametrize(
    "ours, theirs",
    [
        ("SELECT ? FROM t WHERE a = ?", "SELECT %s FROM t WHERE a = %s"),
        ("a = ?1 AND b = ?12", "a = %(v1)s AND b = %(v12)s"),
        ("a > :edge AND b = CAST(c AS x)", "a > %(edge)s AND b = CAST(c AS x)"),
        ("a::text = ?", "a::text = %s"),
        ("a LIKE 'rule: %' AND b = 'who? :me'", "a LIKE 'rule: %%' AND b = 'who? :me'"),
        ("a IN (SELECT value FROM json_each(?))", None),
        ("FROM c INDEXED BY some_index CROSS JOIN s ON s.a = c.b", "FROM c JOIN s ON s.a = c.b"),
        ("FROM c NOT INDEXED WHERE +a = ? AND +b = 1", "FROM c WHERE a = %s AND b = 1"),
        ("a + b", "a + b"),
        ("subtotal(x)", "subtotal(x)"),
        ("count(CASE WHEN a THEN 1 END)", "count(CASE WHEN a THEN 1 END)"),
    ],
)
def test_words(ours: str, theirs: str | None) -> None:
    expected = theirs or "a IN (SELECT value FROM json_array_elements_text(CAST(%s AS JSON)))"
    assert for_postgres(ours) == expected


def test_functions_are_told_with_whatever_is_within_their_brackets() -> None:
    found = for_postgres("SELECT total(CASE WHEN (a = ')') THEN b ELSE 0.0 END), sum(c), avg(d)")
    assert found.count("AS NUMERIC") == 3
    assert "CASE WHEN (a = ')') THEN b ELSE 0.0 END AS TEXT" in found


def test_lists_within_a_column_are_found_by_their_path() -> None:
    found = for_postgres("SELECT value FROM runs, json_each(runs.extent, '$.pairs.judges')")
    assert "json_array_elements_text(CAST(runs.extent AS JSON) #> '{pairs,judges}')" in found
    assert for_postgres("json_extract(a.b, '$.options.of')") == "CAST(a.b AS JSON) #>> '{options,of}'"
    assert "json_extract" not in for_postgres(f"coalesce({SEATED}, ?)")


def test_values_by_number_are_handed_over_by_number() -> None:
    assert values_for_postgres("a = ?1 OR b = ?1", (7,)) == {"v1": 7}
    assert values_for_postgres("a = ?", (7,)) == (7,)
    assert values_for_postgres("a = :a", {"a": 7}) == {"a": 7}


def test_a_person_is_a_range_that_no_other_name_is_in() -> None:
    assert by_a_person("m") == "(m >= 'human/' AND m < 'human0')"
    assert "human/" <= "human/ada" < "human0" <= "human0" < "humans"


def test_every_step_of_the_schema_is_told_without_sqlite_s_words() -> None:
    for step in MIGRATIONS:
        told = tables_for_postgres(step)
        for word in ("INTEGER", "BLOB", "REAL", "WITHOUT ROWID", "REFERENCES messages"):
            assert word not in told
