"""A store on a server: what can be wrong with it is told in one line, and what is good is left as it is."""

import subprocess
import sys
import threading
from collections.abc import Iterator

import psycopg
import pytest

from interplay.cli import main
from interplay.core.failures import Mistake, StoreTrouble
from interplay.store import postgres, postgres_connection
from interplay.store.database import connect, snapshot, trouble_in_words, writing
from interplay.store.labels import Given, Labels
from interplay.store.places import Server, place_of
from interplay.store.records import Records
from interplay.store.schema import MIGRATIONS
from tests.store.databases import Databases, rows

EXTENT = {"limit": 1, "epochs": 1, "judges": []}


@pytest.fixture
def guarded(databases: Databases) -> Iterator[str]:
    """A user who needs a password: s3cret."""
    rules = databases.folder / "data" / "pg_hba.conf"
    before = rules.read_text()
    with databases.administer() as db:
        db.execute("DROP ROLE IF EXISTS guarded")
        db.execute("CREATE ROLE guarded LOGIN SUPERUSER PASSWORD 's3cret'")
        rules.write_text(f"local all guarded scram-sha-256\n{before}")
        db.execute("SELECT pg_reload_conf()")
    yield "guarded"
    rules.write_text(before)
    with databases.administer() as db:
        db.execute("SELECT pg_reload_conf()")


def told(capsys: pytest.CaptureFixture[str], url: str, code: int = 2) -> str:
    """What the program says of a store that is wrong."""
    assert main(["show", "last", "--store", url]) == code
    out, err = capsys.readouterr()
    assert not out and err.count("\n") == 1 and "Traceback" not in err
    return err


def test_a_mistake_in_the_place_is_one_line(
    databases: Databases, guarded: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("PGPASSWORD", raising=False)
    socket = f"host={databases.folder / 'data'}"
    assert "does not exist" in told(capsys, f"postgresql://postgres@/nowhere?{socket}")
    assert "no password" in told(capsys, f"postgresql://guarded@/postgres?{socket}")
    wrong = told(capsys, f"postgresql://guarded:wr0ng@/postgres?{socket}")
    assert "password authentication failed" in wrong and "wr0ng" not in wrong
    assert "cannot be reached" in told(capsys, "postgresql://ada:s3cret@127.0.0.1:1/runs")
    assert "cannot be reached" in told(capsys, "postgresql://ada@no-such-host.invalid/runs")
    assert "cannot be read" in told(capsys, "postgresql://ada:s3cret@127.0.0.1:port/runs")
    assert "cannot be read" in told(capsys, "postgresql://127.0.0.1/runs?no_such_setting=s3cret")
    assert "there is no store" in told(capsys, f"postgresql://postgres@/template1?{socket}")


def test_a_password_comes_from_the_url_or_from_where_the_driver_looks(
    databases: Databases, server: Server, guarded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_to_all = server.url.replace("postgres@", "guarded@")
    connect(Server(open_to_all.replace("guarded@", "guarded:s3cret@")), create=True).close()
    monkeypatch.setenv("PGPASSWORD", "s3cret")
    connect(Server(open_to_all), create=False).close()


def test_without_the_driver_it_is_said_how_to_get_it() -> None:
    script = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from interplay.cli import main; main(['show', 'last', '--store', 'postgresql://localhost/x'])"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert 'pip install "interplay[postgres]"' in found.stderr
    assert "Traceback" not in found.stderr


def test_the_driver_is_not_loaded_for_a_file() -> None:
    script = (
        "import sys, interplay.api, interplay.web.app, interplay.cli.verbs; print('psycopg' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


def test_an_old_server_and_one_without_utf8_are_refused(
    databases: Databases, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with databases.administer() as db:
        db.execute("CREATE DATABASE narrow ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
    with pytest.raises(Mistake, match="no UTF-8 database"):
        connect(databases.named("narrow"), create=True)
    monkeypatch.setattr(postgres_connection, "OLDEST", 990_000)  # no server is as old as that
    with pytest.raises(Mistake, match="needs 99 or newer"):
        connect(server, create=True)


def test_a_newer_store_and_another_program_s_are_refused_and_left_as_they_were(server: Server) -> None:
    connect(server, create=True).close()
    with psycopg.connect(server.url, autocommit=True) as db:
        db.execute("UPDATE interplay.meta SET version = version + 1")
        with pytest.raises(Mistake, match="newer Interplay"):
            connect(server, create=True)
        db.execute("DROP SCHEMA interplay CASCADE")
        db.execute("CREATE SCHEMA interplay CREATE TABLE runs (mine int)")
        for create in (True, False):
            with pytest.raises(Mistake, match="another program"):
                connect(server, create=create)
        with pytest.raises(Mistake, match="another program"):
            server.exists()
        found = db.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'interplay'").fetchall()
        assert found == [("runs",)]


def test_other_tables_of_the_database_are_not_touched(server: Server) -> None:
    with psycopg.connect(server.url, autocommit=True) as db:
        db.execute("CREATE TABLE public.runs (mine int); INSERT INTO public.runs VALUES (7)")
        with Records(server, create=True) as records:
            records.begin("a", "role_play", {"models": []}, EXTENT)
        assert db.execute("SELECT mine FROM public.runs").fetchall() == [(7,)]
        db.execute("DROP TABLE public.runs")


def test_an_older_store_is_brought_up_to_date(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "MIGRATIONS", MIGRATIONS[:2])
    with Records(server, create=True) as records:
        run = records.begin("a", "role_play", {"models": []}, EXTENT)
    monkeypatch.undo()
    with Labels(server) as labels:
        assert labels.draws(run) == []
    assert rows(server, "SELECT version FROM meta") == [(len(MIGRATIONS),)]


def test_threads_that_open_a_new_store_at_once_all_get_it(server: Server) -> None:
    together, found = threading.Barrier(6), []

    def opening() -> None:
        together.wait()
        with Records(server, create=True) as records:
            found.append(records.runs())

    threads = [threading.Thread(target=opening) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[]] * 6


def test_text_is_ordered_by_its_bytes_and_nul_is_taken_off(server: Server) -> None:
    names = ["b", "a", "B", "é", "z", "_", "a b", "a\0b", "a\ud800b"]
    with Records(server, create=True) as records:
        insert = "INSERT INTO scenarios (id, label, content) VALUES (?, ?, '{}')"
        records.db.executemany(insert, [(name, name) for name in names])
        found = [row[0] for row in records.rows("SELECT id FROM scenarios ORDER BY label")]
    assert found == ["B", "_", "a", "a b", "a?b", "a\N{REPLACEMENT CHARACTER}b", "b", "z", "é"]


def test_every_text_that_people_give_can_hold_a_nul(server: Server) -> None:
    with Records(server, create=True) as records:
        run = records.begin("a", "role_play", {"models": []}, EXTENT)
        insert = (
            "INSERT INTO conversations (run, scenario, subject, cast_digest, cast_roles, repeat, take, state, protocol)"
            " VALUES (?, 's', 'm', 'd', '{}', 0, 0, 'open', 'p') RETURNING number"
        )
        records.db.execute("INSERT INTO scenarios VALUES ('s', ?, ?)", ("label\0", '{"a": "\0"}'))
        number = records.db.execute(insert, (run.number,)).get
        with Labels(server) as labels:
            given = [Given(number, "an\0n", "crit\0", 1.0, drawn="by\0hand", came_from="a\0.csv")]
            assert labels.add(given).new == 1
            assert labels.of(run)[0].rater == "an\N{REPLACEMENT CHARACTER}n"


def test_a_reader_whose_connection_was_lost_asks_again(databases: Databases, server: Server) -> None:
    with Records(server, create=True) as records:
        run = records.begin("a", "role_play", {"models": []}, EXTENT)
        for look in (records.runs, lambda: list(records.each(run))):
            with databases.administer() as db:
                db.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname <> current_database() AND application_name = 'interplay'"
                )
            assert look() in ([run], [])


def test_a_transaction_is_not_begun_again_in_its_middle(databases: Databases, server: Server) -> None:
    with Records(server, create=True) as records:
        with pytest.raises(StoreTrouble, match="was lost"), snapshot(records.db, server):
            records.rows("SELECT pg_terminate_backend(pg_backend_pid())")
        with pytest.raises(StoreTrouble, match="was lost"), writing(records.db, server) as db:
            db.execute("UPDATE runs SET name = 'x'")
            db.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        assert records.runs() == []


def test_large_results_come_a_part_at_a_time_and_others_may_be_read_meanwhile(server: Server) -> None:
    with Records(server, create=True) as records:
        many = "SELECT n, (SELECT count(*) FROM runs) FROM generate_series(1, ?) AS n ORDER BY n"
        streams = [records.stream(many, 5000), records.stream(many, 5000)]
        for number in range(1, 3000):
            assert [next(one)[0] for one in streams] == [number, number]
            if number % 500 == 0:
                assert records.runs() == []
        with snapshot(records.db, server):
            assert sum(1 for _ in records.stream(many, 5000)) == 5000


@pytest.mark.parametrize(
    "error, words",
    [
        (psycopg.errors.DiskFull, "no room"),
        (psycopg.errors.LockNotAvailable, "holds .* locked"),
        (psycopg.errors.ReadOnlySqlTransaction, "cannot be written"),
        (psycopg.errors.UndefinedTable, "was deleted"),
        (psycopg.OperationalError, "was lost"),
        (psycopg.errors.UniqueViolation, "cannot be written or read"),
    ],
)
def test_every_error_of_the_server_becomes_one_line(error: type[psycopg.Error], words: str) -> None:
    place = place_of("postgresql://ada:s3cret@db/runs")
    with pytest.raises(StoreTrouble, match=words) as raised, trouble_in_words(place):
        raise error("because of s3cret\nand more")
    assert "s3cret" not in str(raised.value) and "\n" not in str(raised.value)
    assert str(raised.value).count("postgresql://ada@db/runs") == 1
