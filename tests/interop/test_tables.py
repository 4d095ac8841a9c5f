"""Tables for data people: what is documented is what is written, whole or not at all, and over nobody's files."""

import stat
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from pyarrow import parquet

from interplay.benchmarks import find
from interplay.core.benchmark import Verdict
from interplay.core.failures import Mistake
from interplay.core.wire import Message, Reply, Request, Sampling, Step, Thread
from interplay.interop.table_cells import MOST_CHARACTERS, MOST_ROWS, pieces, strict
from interplay.interop.table_columns import RUN, SCORES, TABLES, Kind, table_called
from interplay.interop.table_folders import MARK
from interplay.interop.table_rows import READERS
from interplay.interop.tables import write_tables
from interplay.store.journal import Journal
from interplay.store.labels import Given, Labels
from interplay.store.records import Records
from tests.analysis.planted import Office, office, rated, record, void
from tests.interop.tabled import LEFT_OUT, RENAMED, columns_of, in_order, read, read_all
from tests.reporting.conftest import played
from tests.reporting.exported import BENCHMARK, Played, begin, place, write

__all__ = ["office", "played"]  # fixtures

TYPES = {
    "text": "string",
    "texts": "list<element: string>",
    "JSON": "string",
    "whole number": "int64",
    "number": "double",
    "yes or no": "bool",
    "time": "timestamp[ms, tz=UTC]",
}


@pytest.fixture
def simulation(office: Office) -> Office:
    """A run of two models, of which one failed once, in the store of somebody who types commands."""
    record(
        office.store, "simulation", [rated(1, "a", j=5), rated(2, "a", j=4), rated(1, "b", j=3), void(2, "b")]
    )
    return office


def out(played: Played, path: Path, **how: Any) -> str:
    return write_tables(*played, BENCHMARK, path, **how)


# Documentation


def test_every_column_is_documented_and_every_table_is_read() -> None:
    assert list(READERS) == [table.name for table in TABLES]
    for table in TABLES:
        names = [column.name for column in (RUN, *table.columns)]
        assert len(set(names)) == len(names), table.name
        for column in (*table.columns, table):
            assert len(column.meaning.split()) >= 2, column
            assert "|" not in column.meaning and "\n" not in column.meaning
        assert all(column.kind in get_args(Kind) for column in table.columns)


def test_every_column_of_the_store_is_in_a_table_or_left_out_on_purpose() -> None:
    for name in ("runs", "conversations", "calls", "messages", "facts", "verdicts", "labels", "scenarios"):
        here = {column.name for column in table_called(name).columns} | {RUN.name}
        renamed = {"messages": {"digest": "message"}, **RENAMED}.get(name, {})
        known = {renamed.get(column, column) for column in columns_of(name)}
        left_out = LEFT_OUT.get(name, set()) | ({"number"} if name == "messages" else set())
        assert known - here == left_out - here, name


def test_a_file_says_of_itself_what_it_is_and_what_its_columns_mean(played: Played, tmp_path: Path) -> None:
    out(played, tmp_path / "out")
    for table in TABLES:
        schema = parquet.read_schema(tmp_path / "out" / f"{table.name}.parquet")
        told = schema.metadata
        assert (told[b"run"], told[b"benchmark"], told[b"table"]) == (
            *(b"role_play-1", b"role_play", table.name.encode()),
        )
        assert told[b"interplay"] and table.meaning in told[b"meaning"].decode()
        assert schema.names == [column.name for column in (RUN, *table.columns)]
        for column, field in zip((RUN, *table.columns), schema, strict=True):
            assert str(field.type) == TYPES[column.kind]
            assert field.metadata[b"meaning"].decode() == column.meaning
    page = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    for table in TABLES:
        part = page.partition(f"### {table.name}\n")[2].partition("\n### ")[0]
        assert table.meaning in part
        assert all(f"| `{one.name}` |" in part and one.meaning in part for one in (RUN, *table.columns))


def test_what_may_be_missing_is_said_to_be(played: Played, tmp_path: Path) -> None:
    out(played, tmp_path / "out")
    found = read_all(tmp_path / "out")
    assert found["conversations"][0].keys() >= {"outcome"}
    for table in TABLES:
        for column in table.columns:
            missing = any(row[column.name] is None for row in found[table.name])
            assert column.may_be_missing or not missing, (table.name, column.name)


# What a run comes to


def test_a_run_without_conversations_has_all_tables(tmp_path: Path) -> None:
    with Records(tmp_path / "a.db", create=True) as records:
        told = out((records, begin(records)), tmp_path / "out")
    assert "10 tables of role_play-1 with 1 rows" in told
    found = read_all(tmp_path / "out")
    assert {name: len(rows) for name, rows in found.items() if rows} == {"runs": 1}


def test_rows_are_written_as_they_are_read(tmp_path: Path) -> None:
    """A group of rows ends where the texts in it are many: no more than that is in memory."""
    texts = [letter * (MOST_CHARACTERS // 2 + 1) for letter in "abc"]

    async def talk(journal: Journal) -> None:
        for number, text in enumerate(texts):
            conversation = await journal.open_conversation(place(number), "p", anew=False)
            request = Request("openai/a", Thread.start(Message("user", "?")), Sampling())
            call = await journal.intend(conversation, Step("play", "", "player", 0), 0, request)
            await journal.settle(call, Reply(text))

    with Records(tmp_path / "a.db", create=True) as records:
        run = begin(records)
        write(records, run, talk)
        out((records, run), tmp_path / "out")
    file = parquet.ParquetFile(tmp_path / "out" / "calls.parquet")
    assert [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)] == [2, 1]
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"
    assert sorted(row["text"][0] for row in read(tmp_path / "out" / "calls.parquet")) == list("abc")


def test_a_piece_has_a_limit_of_rows_too() -> None:
    rows: list[tuple[Any, ...]] = [(number, None, ["x"]) for number in range(MOST_ROWS + 1)]
    assert [len(piece) for piece in pieces(rows)] == [MOST_ROWS, 1]
    assert list(pieces([])) == []


@pytest.mark.parametrize(
    "text, wanted",
    [
        ('{"b":1,"a":"é"}', '{"b":1,"a":"é"}'),
        ('{"a": NaN, "b": [Infinity, -Infinity, 1e3]}', '{"a": null, "b": [null, null, 1000.0]}'),
        ('{"NaN": "NaN"}', '{"NaN": "NaN"}'),
        (r'["\u0000", "\ud800", "\u00e9"]', '["\N{REPLACEMENT CHARACTER}", "?", "é"]'),
        (r'{"\u0000": {"x": true}}', '{"\N{REPLACEMENT CHARACTER}": {"x": true}}'),
        ('["\ud800"]', '["?"]'),
    ],
)
def test_json_is_strict(text: str, wanted: str) -> None:
    assert strict(text) == wanted


# People


def seated(office: Office) -> None:
    """Two people in seats, of whom one's name begins with the other's, and two raters."""
    record(
        office.store,
        "simulation",
        [rated(1, "human/ada", j=5), rated(1, "human/adam", j=4), rated(1, "m", j=2)],
    )
    with Records(office.store) as records, Labels(office.store) as labels:
        numbers = records.numbers(records.find("last"))
        labels.add([Given(numbers[0], "zoe", "rating", 2.0, came_from="zoe.csv, line 2")])
        labels.add([Given(one, "ann", "rating", 3.0) for one in numbers])


def test_people_have_numbers_in_place_of_names(office: Office, tmp_path: Path) -> None:
    seated(office)
    with Records(office.store) as records:
        run = records.find("last")
        told = write_tables(records, run, find("simulation"), tmp_path / "out")
    assert told.endswith("People have numbers in place of names.")
    found = read_all(tmp_path / "out")
    text = repr(found)
    assert not [name for name in ("ada", "zoe", "ann") if name in text]
    assert {row["model"] for row in found["scores"]} == {"human/person-1", "human/person-2", "m"}
    assert {(row["rater"], row["value"]) for row in found["labels"]} == {("rater 1", 2.0), ("rater 2", 3.0)}
    assert {row["came_from"] for row in found["labels"]} == {""}
    assert "human/person-2" in found["runs"][0]["identity"]


def test_names_are_told_where_they_are_asked_for(office: Office, tmp_path: Path) -> None:
    seated(office)
    with Records(office.store) as records:
        told = write_tables(records, records.find("last"), find("simulation"), tmp_path / "out", names=True)
    assert "numbers" not in told
    found = read_all(tmp_path / "out")
    assert {row["model"] for row in found["conversations"]} == {"human/ada", "human/adam", "m"}
    assert {row["rater"] for row in found["labels"]} == {"ann", "zoe"}
    assert "zoe.csv, line 2" in {row["came_from"] for row in found["labels"]}


# Files


def test_a_name_that_ends_in_parquet_gets_the_scores_alone(played: Played, tmp_path: Path) -> None:
    path = tmp_path / "run.Parquet"
    path.write_text("an older file")
    path.chmod(0o600)
    told = out(played, path)
    assert told == f"Wrote {path}: the 2 scores of role_play-1. A folder gets all tables."
    out(played, tmp_path / "out")
    assert in_order(read(path)) == in_order(read(tmp_path / "out" / "scores.parquet"))
    assert list(read(path)[0]) == [RUN.name, *(column.name for column in SCORES.columns)]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(one.name for one in tmp_path.iterdir()) == ["out", "run.Parquet", "store"]


def test_an_export_is_replaced_by_the_next_and_nothing_of_it_stays(played: Played, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()  # an empty one is as good as none
    out(played, folder)
    (folder / "labels.parquet").write_bytes(b"of an older version")
    out(played, folder)
    assert read(folder / "labels.parquet") == []
    assert sorted(one.name for one in tmp_path.iterdir()) == ["out", "store"]
    assert len(list(folder.iterdir())) == len(TABLES) + 2


def foreign(folder: Path) -> None:
    folder.mkdir()
    (folder / "letter.txt").write_text("dear")


def ours_and_more(folder: Path) -> None:
    folder.mkdir()
    (folder / MARK).touch()
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("ref")


def ours_and_a_link(folder: Path) -> None:
    folder.mkdir()
    (folder / MARK).touch()
    (folder / "elsewhere").symlink_to(folder.parent)


@pytest.mark.parametrize("make", [foreign, ours_and_more, ours_and_a_link])
def test_what_somebody_put_there_is_not_written_over(
    played: Played, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    folder = tmp_path / "out"
    make(folder)
    before = sorted(folder.rglob("*"))
    with pytest.raises(
        Mistake, match="has files that are no export of Interplay's; name a new or an empty folder"
    ):
        out(played, folder)
    assert sorted(folder.rglob("*")) == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["out", "store"]


def test_mistakes_of_places(played: Played, tmp_path: Path) -> None:
    records, _ = played
    (tmp_path / "file").write_text("x")
    (tmp_path / "dir.parquet").mkdir()
    for path, words in (
        (tmp_path / "file", "is a file; the tables of a run are a folder"),
        (tmp_path / "no" / "out", "does not exist"),
        (tmp_path / "no" / "out.parquet", "its folder does not exist"),
        (tmp_path / "dir.parquet", "it is a folder"),
        (tmp_path / "store", "has files that are no export"),
        (Path(str(records.path)), "is a file"),
    ):
        with pytest.raises(Mistake, match=words):
            out(played, path)
    link = tmp_path / "link.parquet"
    link.symlink_to(str(records.path))
    with pytest.raises(Mistake, match="is the store; write to another file"):
        out(played, link)
    assert (tmp_path / "file").read_text() == "x"
    assert records.integrity() == "ok"


@pytest.mark.parametrize("name", ["x" * 300, "x" * 250, "x" * 300 + ".parquet", "x" * 240 + ".parquet/out"])
def test_a_place_that_cannot_be_written_is_said_in_a_line(played: Played, tmp_path: Path, name: str) -> None:
    """250 characters are a name; what is written beside it has more."""
    with pytest.raises(Mistake, match=r"the export cannot be written to|does not exist"):
        out(played, tmp_path / name)
    assert [one.name for one in tmp_path.iterdir()] == ["store"]


class Broken(Exception):
    pass


def broken(outcome: Any, verdicts: Sequence[Verdict], *_: Any) -> Any:
    raise Broken


@pytest.mark.parametrize("name", ["out", "out.parquet"])
def test_an_export_that_cannot_end_leaves_the_older_one(played: Played, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    out(played, path)
    before = {one: one.read_bytes() for one in ([path] if path.is_file() else path.iterdir())}
    with pytest.raises(Broken):
        write_tables(*played, replace(BENCHMARK, score=broken), path)
    assert {one: one.read_bytes() for one in before} == before
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted([name, "store"])


def test_what_is_played_meanwhile_is_not_half_in_it(played: Played, tmp_path: Path) -> None:
    """All tables are of one moment: a conversation that begins while they are written is in none of them."""
    records, run = played
    grown: list[int] = []

    def score(outcome: Any, verdicts: Sequence[Verdict], *more: Any) -> Any:
        with Records(records.path) as other:
            other.db.execute(
                "INSERT INTO verdicts (conversation, judge, rubric, item) VALUES (2, ?, 'r', '')",
                (f"late {len(grown)}",),
            )
        grown.append(1)
        return BENCHMARK.score(outcome, verdicts, *more)

    before = len(records.verdicts_of(2))
    write_tables(records, run, replace(BENCHMARK, score=score), tmp_path / "out")  # scores before verdicts
    assert grown and len(records.verdicts_of(2)) == before + len(grown)
    assert len(read(tmp_path / "out" / "verdicts.parquet")) == before


# As it is typed


def test_it_is_typed(simulation: Office, tmp_path: Path) -> None:
    folder, file = tmp_path / "tables", tmp_path / "scores.parquet"
    assert simulation.types("export", "last", str(folder), "--to", "parquet") == ""
    assert simulation.said.startswith(f"Wrote {folder}: 10 tables of simulation-")
    assert {path.stem for path in folder.glob("*.parquet")} == {table.name for table in TABLES}
    assert simulation.types("export", "last", str(file)) == ""
    assert "A folder gets all tables" in simulation.said
    assert [row["value"] for row in read(file) if row["score"] == "rating"] == [5.0, 4.0, 3.0]
    (folder / "mine.txt").write_text("x")
    assert "name a new or an empty folder" in simulation.mistakes(
        "export", "last", str(folder), "--to", "parquet"
    )


def test_without_pyarrow_a_line_says_what_to_install(
    simulation: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("interplay.interop.table")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    told = simulation.mistakes("export", "last", str(tmp_path / "out"), "--to", "parquet")
    assert "Parquet needs pyarrow" in told and "pip install 'interplay[parquet]'" in told
    assert not (tmp_path / "out").exists()
