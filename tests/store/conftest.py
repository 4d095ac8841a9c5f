"""The same tests on both kinds of store."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from interplay.store.places import Server, Store
from tests.store.databases import KINDS, Databases


@pytest.fixture(scope="session")
def databases() -> Iterator[Databases]:
    """The server of this process; started when the first test asks for it."""
    made = Databases()
    yield made
    made.stop()


@pytest.fixture
def server(databases: Databases) -> Iterator[Server]:
    """A database without a store."""
    made = databases.take()
    yield made
    databases.give_back(made)


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """Where a new store can be: a file, and then a server."""
    found: Store = tmp_path / "a.db" if request.param == "file" else request.getfixturevalue("server")
    return found
