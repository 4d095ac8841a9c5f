"""What is computed of a store on a server is kept there, also where a process of its own computes it."""

import time
from pathlib import Path

from interplay.running.keeping import Keeper
from tests.store.databases import Databases, rows
from tests.web.big_store import make_store


def test_boards_and_sums_are_computed_apart_and_kept(databases: Databases, tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    run = make_store(file, 40, scenarios=10)
    store = databases.like(file)
    with Keeper(file) as here, Keeper(store, few=1) as there:
        expected = here.board(run).value
        deadline = time.monotonic() + 60
        while (found := there.board(run)).is_being_computed and time.monotonic() < deadline:
            time.sleep(0.05)
        assert found.value is not None and expected is not None and not found.trouble
        assert found.value.record() == expected.record()
        assert len(rows(store, "SELECT key FROM kept")) == 1
        with Keeper(store) as again:
            assert again.board(run).value == found.value
            assert again.sums(run).value == here.sums(run).value is not None
    databases.give_back(store)
