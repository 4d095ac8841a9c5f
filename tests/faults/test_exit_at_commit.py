"""An exit at any commit of a small run: the record is whole, and the run goes on to the same table."""

from pathlib import Path

import pytest

from interplay.models.loopback import Loopback, serving
from tests.faults.harness import Recorded, check_record, finish, finished_rows, in_flight, start, start_anew
from tests.running.job import JUDGES, answer, command

SCRIPT = Path(__file__).parent / "exit_at_commit.py"
MOST_COMMITS = 40


@pytest.mark.fault("exit at the n-th commit")
@pytest.mark.parametrize("sign", [pytest.param("", marks=pytest.mark.soak), "-"], ids=["before", "after"])
def test_an_exit_at_every_commit(sign: str, tmp_path: Path, record_property: Recorded) -> None:
    with serving(Loopback(answer)) as url:
        code, table, _ = finish(start_anew(command(url, tmp_path / "calm.db", limit=1, judges=JUDGES[:1])))
    assert code == 0
    for number in range(1, MOST_COMMITS + 1):
        store = tmp_path / f"{number}.db"
        loopback = Loopback(answer)
        with serving(loopback) as url:
            line = command(url, store, limit=1, judges=JUDGES[:1])
            code, out, _ = finish(start([sign + str(number), *line], SCRIPT))
            kept = finished_rows(store)
            if code == 0:
                assert out == table
                assert number > 20, "a run has more commits than that"
                record_property("times", number - 1)
                return
            assert code == 9
            code, out, err = finish(start(line))
            assert code == 0, err
        assert out == table
        assert kept <= finished_rows(store)
        assert loopback.calls - 9 <= in_flight(store)
        check_record(store)
    pytest.fail(f"the run has more than {MOST_COMMITS} commits")
