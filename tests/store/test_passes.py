"""Passes: who has one comes in, who lost it does not, and nobody guesses one."""

import pytest

from interplay.core.failures import Mistake
from interplay.store.passes import Passes
from interplay.store.places import Store
from interplay.store.records import Records


@pytest.fixture
def store(place: Store) -> Store:
    Records(place, create=True).close()
    return place


def test_the_owner_has_one_pass_however_often_the_server_starts(store: Store) -> None:
    with Passes(store) as passes:
        first = passes.owner()
    with Passes(store) as passes:
        assert passes.owner() == first
        assert passes.find(first.secret) == first
        assert (first.role, first.place) == ("owner", "")
        assert len(first.secret) >= 32


def test_a_pass_is_for_one_role_and_one_place(store: Store) -> None:
    with Passes(store) as passes:
        mine, other = passes.issue("rater", "round-1", "Ada"), passes.issue("rater", "round-2", "Ada")
        playing = passes.issue("player", "round-1", "Ada")
        assert len({mine.secret, other.secret, playing.secret}) == 3
        assert [one.secret for one in passes.of("rater", "round-1")] == [mine.secret]
        assert passes.issue("rater", "round-1", "  Ada ") == mine


def test_who_lost_a_pass_does_not_come_in_until_it_is_given_again(store: Store) -> None:
    with Passes(store) as passes:
        mine = passes.issue("rater", "round-1", "Ada")
        assert passes.revoke("rater", "round-1", "Ada")
        assert passes.find(mine.secret) is None
        assert not passes.revoke("rater", "round-1", "Ada")
        assert [bool(one.revoked) for one in passes.of("rater", "round-1")] == [True]
        assert passes.issue("rater", "round-1", "Ada").secret == mine.secret
        assert passes.find(mine.secret) is not None


def test_nothing_near_a_secret_is_one(store: Store) -> None:
    with Passes(store) as passes:
        secret = passes.owner().secret
        for near in ("", secret[:-1], secret.upper(), secret + "x", "%", "_" * len(secret)):
            assert passes.find(near) is None


@pytest.mark.parametrize("name", ["", "   ", "x" * 61, "a\x1b[31mb", "a\u202eb"])
def test_a_name_that_cannot_be_shown_is_a_mistake(store: Store, name: str) -> None:
    with Passes(store) as passes, pytest.raises(Mistake, match="a name has from 1 to 60 characters"):
        passes.issue("rater", "round-1", name)
