"""A place is read as it was typed, and its password is shown to nobody."""

from pathlib import Path

import pytest

from interplay.core.failures import Mistake
from interplay.store.places import Server, place_of, typed_again


@pytest.mark.parametrize("typed", ["interplay.db", "a b/ü.db", "/tmp/x", "postgresql:/x", "C:/x.db"])
def test_what_is_no_url_is_a_path(typed: str) -> None:
    assert place_of(typed) == Path(typed)
    assert place_of(Path(typed)) == Path(typed)


@pytest.mark.parametrize(
    "typed, named",
    [
        ("postgresql://ada:s3cret@db.example/runs", "postgresql://ada@db.example/runs"),
        ("postgres://ada:s3cret@db:5433/runs?sslmode=require", "postgres://ada@db:5433/runs?sslmode=require"),
        ("postgresql://db/runs?user=ada&password=s3cret", "postgresql://db/runs?user=ada"),
        ("postgresql://:s3cret@db/runs", "postgresql://db/runs"),
        ("postgresql:///runs?host=/tmp/x&sslpassword=s3cret", "postgresql:///runs?host=/tmp/x"),
        ("postgresql://ada:s3cret%40x@[::1]:5433/runs", "postgresql://ada@[::1]:5433/runs"),
    ],
)
def test_a_server_is_named_without_its_password(typed: str, named: str) -> None:
    place = place_of(typed)
    assert isinstance(place, Server)
    assert str(place) == place.named == f"{place}" == named
    assert "s3cret" not in repr(place)
    assert any("s3cret" in one for one in place.secrets)
    assert typed_again(place) == typed
    assert place_of(named) == Server(named)
    assert place_of(place) is place


@pytest.mark.parametrize(
    "typed",
    [
        "postgresql://ada:s3c@ret@db/runs",
        "postgresql://ada:s3c/ret@db/runs",
        "postgresql://ada:12/s3cret@db/runs",
        "postgresql://ada:s3#cret@db/runs",
        "postgresql://ada:s3 cret@db/runs",
        "postgresql://ada:s3cret@[db/runs",
    ],
)
def test_a_url_that_could_be_read_in_two_ways_is_refused_without_a_word_of_it(typed: str) -> None:
    with pytest.raises(Mistake, match="cannot be read") as raised:
        place_of(typed)
    assert "s3" not in str(raised.value) and "cret" not in str(raised.value)


def test_another_kind_of_server_is_a_mistake_that_shows_no_secret() -> None:
    with pytest.raises(Mistake, match="begins with mysql://") as raised:
        place_of("mysql://ada:s3cret@db/runs")
    assert "s3cret" not in str(raised.value)
