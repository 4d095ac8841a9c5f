"""What verbs show is kept for the pages, and a store that takes no more is still shown."""

from pathlib import Path

import pytest

from interplay.benchmarks import find
from interplay.models.loopback import Loopback, serving
from interplay.running.comparing import groups_of
from interplay.running.depending import beats_of
from interplay.running.kept import Wish, decode, read, wish_for_board, wish_for_groups
from interplay.running.results import board_of
from interplay.store.records import Records
from tests.cli.provider import Typist
from tests.running.job import answer, command

ROLE_PLAY = find("role_play")


@pytest.fixture
def typist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Typist:
    typist = Typist(tmp_path / "interplay.db", capsys)
    with serving(Loopback(answer)) as url:
        words = command(url, typist.store, limit=1)
        words = [word for word in words if word not in ("--json", "--store", str(typist.store))]
        typist.types(*words, "--turns", "1")
    return typist


def is_up_to_date(records: Records, wish: Wish) -> bool:
    kept = read(records, wish)
    return kept is not None and kept.beats == beats_of(records, wish.runs, wish.benchmark)


def test_run_show_and_board_keep_what_they_computed(typist: Typist) -> None:
    with Records(typist.store) as records:
        run = records.find("last")
        board, groups = wish_for_board(run, ROLE_PLAY), wish_for_groups(ROLE_PLAY)
        assert is_up_to_date(records, board)
        assert not is_up_to_date(records, groups)
        records.db.execute("DELETE FROM kept")
        typist.types("show", "last")
        kept = read(records, board)
        assert kept is not None
        assert is_up_to_date(records, board)
        assert decode(board, kept.body, records) == board_of(records, run, ROLE_PLAY)
        typist.types("board", "role_play", run.id)  # some runs: no page shows those
        assert not is_up_to_date(records, groups)
        typist.types("board", "role_play")
        kept = read(records, groups)
        assert kept is not None
        assert decode(groups, kept.body, records) == groups_of(records, [run], ROLE_PLAY)


def test_options_of_the_table_are_kept_apart(typist: Typist) -> None:
    typist.types("show", "last", "--length-median", "10")
    with Records(typist.store) as records:
        run = records.find("last")
        changes = {"length_median": "10"}
        assert is_up_to_date(records, wish_for_board(run, ROLE_PLAY))
        assert is_up_to_date(records, wish_for_board(run, ROLE_PLAY, changes))


def test_where_nothing_can_be_kept_the_board_is_shown_all_the_same(typist: Typist) -> None:
    before = typist.types("show", "last")
    with Records(typist.store) as records:
        records.db.execute("DELETE FROM kept")
        records.db.execute(
            "CREATE TRIGGER none AFTER INSERT ON kept BEGIN SELECT RAISE(ABORT, 'no room is left'); END"
        )
        assert typist.types("show", "last") == before
        assert records.db.execute("SELECT count(*) FROM kept").get == 0
