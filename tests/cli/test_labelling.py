"""interplay labels as it is typed: what is drawn, comes in, is listed and goes out again."""

import json
import shutil
from typing import Any

import pytest

from interplay.core.measures import YES_OR_NO, Scale
from interplay.judging.labels import labels_of_file
from interplay.store.records import Records
from tests.analysis.planted import (
    Office,
    acted,
    numbers,
    office,
    rated,
    record,
    script,
    sheet,
    void,
    write_csv,
)
from tests.cli.labelled import MODELS, SCRIPTS, bytes_of, filled, given, played, run

__all__ = ["office", "played", "run"]  # fixtures


class TestDrawing:
    def test_the_sheet_is_a_random_part_of_what_was_played_to_its_end(self, office: Office, run: str) -> None:
        rows = office.draws(8)
        drawn = [int(row["conversation"]) for row in rows]
        assert len(set(drawn)) == 8
        assert drawn != sorted(drawn)
        voided = {
            number for (label, _), number in numbers(office.store).items() if label == f"script {SCRIPTS}"
        }
        assert len(voided) == 2
        every = [int(row["conversation"]) for row in office.draws(20, "--seed", "1")]
        assert len(set(every)) == 20
        assert not voided & set(every)
        assert f"interplay labels import {run} " in office.said

    def test_it_is_blind(self, office: Office, run: str) -> None:
        for name in ("sheet.csv", "sheet.jsonl"):
            office.draws(20, name=name)
            text = (office.folder / name).read_text(encoding="utf-8")
            assert "number 3" in text  # what was asked for
            assert not any(word in text for word in ("alpha", "beta", "openai"))

    def test_a_larger_count_goes_on_where_the_first_ended(self, office: Office, run: str) -> None:
        first, whole = office.draws(5), office.draws(20, "--seed", "0", name="whole.csv")
        assert "15 conversations of 20" in office.said
        assert "after the first 5" in office.said
        assert not {row["conversation"] for row in first} & {row["conversation"] for row in whole}
        again = office.draws(20)
        assert [row["conversation"] for row in again] == [row["conversation"] for row in (*first, *whole)]
        fewer = office.draws(3)
        assert fewer == first[:3]
        [draw] = office.reads("labels", "list", "last")["draws"]
        assert (draw["of"], draw["drawn"], draw["labelled"], draw["seed"]) == (20, 20, 0, 0)

    def test_what_was_played_since_is_another_draw(self, office: Office, run: str) -> None:
        before = office.draws(5)
        more = [rated(SCRIPTS + 1, model, j=5) for model in MODELS]
        assert record(office.store, "simulation", more).id == run
        after = office.draws(5)
        assert before[0]["drawn"] != after[0]["drawn"]
        assert {draw["of"] for draw in office.reads("labels", "list", "last")["draws"]} == {20, 22}

    def test_criteria_are_all_or_those_that_are_named(self, office: Office) -> None:
        record(office.store, "role_play", [acted(number, j=(3, 3, 3)) for number in range(4)])
        rows = office.draws(2)
        assert [row["criterion"] for row in rows[:4]] == [
            "in_character",
            "entertaining",
            "fluency",
            "refused",
        ]
        assert [row["scale"] for row in rows[2:4]] == ["a whole number from 1 to 5", "yes or no"]
        some = office.draws(2, "--criterion", "fluency", "--criterion", "refused")
        assert [row["criterion"] for row in some] == ["fluency", "refused"] * 2
        assert "situation" in some[0]["text"]

    def test_a_file_that_is_there_is_never_written_over(self, office: Office, run: str) -> None:
        path = office.folder / "mine.csv"
        path.write_text("what I have filled in")
        assert "is there already" in office.mistakes("labels", "draw", "last", str(path), "--count", "3")
        assert path.read_text() == "what I have filled in"
        assert office.reads("labels", "list", "last")["draws"] == []

    @pytest.mark.parametrize(
        ("words", "told"),
        [
            (["sheet.csv", "--count", "21"], "from 1 to 20 conversations can be drawn"),
            (["sheet.csv", "--count", "0"], "0 is not in the range"),
            (["sheet.csv", "--criterion", "ratin"], "no criterion 'ratin'; did you mean 'rating'?"),
            (["sheet.txt", "--count", "3"], "to a .csv or a .jsonl file"),
            (["none/sheet.csv", "--count", "3"], "its folder does not exist"),
            (["sheet.csv", "--seed", "x"], "'x' is not a valid integer"),
        ],
    )
    def test_mistakes_write_nothing(self, office: Office, run: str, words: list[str], told: str) -> None:
        before = bytes_of(office)
        file, *more = words
        assert told in office.mistakes("labels", "draw", "last", str(office.folder / file), *more)
        assert bytes_of(office) == before
        assert office.reads("labels", "list", "last")["draws"] == []

    def test_what_has_nothing_to_label_says_so(self, office: Office) -> None:
        path = str(office.folder / "sheet.csv")
        assert "there is no store" in office.mistakes("labels", "draw", "last", path)
        record(office.store, "simulation", [void(1)])
        assert "no conversation that was played to its end" in office.mistakes("labels", "draw", "last", path)
        assert "there is no run 'nobody'" in office.mistakes("labels", "draw", "nobody", path)
        with Records(office.store) as records:
            extent = {"judges": [], "rubric": ""}
            records.begin("word_guessing-1", "word_guessing", {"options": {}, "models": []}, extent)
        told = office.mistakes("labels", "draw", "word_guessing-1", path)
        assert "word_guessing is scored by rule" in told


class TestImporting:
    @pytest.mark.parametrize("name", ["sheet.csv", "sheet.jsonl"])
    def test_a_sheet_that_is_filled_in_comes_in_once(self, office: Office, run: str, name: str) -> None:
        rows = office.draws(6, name=name)
        done = [*filled(rows[:4]), *rows[4:]]
        path = office.folder / name
        if name.endswith("csv"):
            write_csv(path, done)
        else:
            path.write_text("\n".join(json.dumps(row) for row in done))
        told = office.reads("labels", "import", "last", str(path))
        assert told == {"run": run, "new": 4, "changed": 0, "known": 0, "waiting": 2, "left_out": []}
        assert office.reads("labels", "import", "last", str(path)) == {**told, "new": 0, "known": 4}
        assert [one.value for one in given(office)] == [7.0] * 4
        assert {one.drawn for one in given(office)} == {rows[0]["drawn"]}
        assert all(one.came_from.startswith(f"{name}, line ") for one in given(office))
        office.types("labels", "import", "last", str(path))
        assert "0 new, 0 changed, 4 known before; 2 rows have no value yet" in office.said

    def test_a_rater_may_be_named_once_for_all(self, office: Office, run: str) -> None:
        rows = [{**row, "value": "5"} for row in office.draws(3)]
        path = write_csv(office.folder / "filled.csv", rows)
        assert "line" in office.mistakes("labels", "import", "last", path)
        assert "rater is empty" in office.said
        office.types("labels", "import", "last", path, "--rater", "bea")
        assert {one.rater for one in given(office)} == {"bea"}

    def test_by_scenario_model_and_repeat(self, office: Office, run: str) -> None:
        named = {"scenario": "script 3", "model": MODELS[1], "repeat": "1"}
        by_id = {"scenario": script(4).id[:8], "model": MODELS[0], "repeat": ""}
        said = {"rater": "ann", "criterion": "rating", "value": "5.0"}
        assert office.takes_in([{**named, **said}, {**by_id, **said}])["new"] == 2
        places = numbers(office.store)
        found = {places["script 3", MODELS[1]], places["script 4", MODELS[0]]}
        assert {one.conversation for one in given(office)} == found

    def test_numbers_of_json_are_numbers_however_a_program_writes_them(self, office: Office) -> None:
        values = (7.0, 2 / 3, 1e-05, True)
        rows = [{"conversation": number, "value": value} for number, value in enumerate(values, 1)]
        path = office.folder / "labels.jsonl"
        path.write_text("\n".join(json.dumps({"rater": "a", "criterion": "c", **row}) for row in rows[:3]))
        found, _ = labels_of_file(str(path), {"c": Scale(0, 10, whole=False)})
        assert [one.value for one in found] == [7.0, 2 / 3, 1e-05]
        path.write_text(json.dumps({"rater": "a", "criterion": "c", **rows[3]}))
        assert labels_of_file(str(path), {"c": YES_OR_NO})[0][0].value == 1.0

    def test_another_value_is_refused_and_all_with_it(self, office: Office, run: str) -> None:
        rows = office.draws(4)
        office.takes_in(filled(rows[:2]))
        path = write_csv(office.folder / "again.csv", filled(rows, "8"))
        before = given(office)
        told = office.mistakes("labels", "import", "last", path)
        assert "again.csv, line" in told
        assert "'ann' gave conversation" in told
        assert "before (filled.csv, line" in told
        assert "--replace takes the new one" in told
        assert given(office) == before

    def test_replacing_keeps_the_history(self, office: Office, run: str) -> None:
        rows = office.draws(2)
        office.takes_in(filled(rows))
        told = office.takes_in(filled(rows, "8"), "--replace")
        assert (told["new"], told["changed"], told["known"]) == (0, 2, 0)
        assert [one.value for one in given(office)] == [8.0, 8.0]
        with Records(office.store) as records:
            kept = records.db.execute("SELECT value, count(*) FROM labels GROUP BY 1 ORDER BY 1").fetchall()
        assert kept == [(7.0, 2), (8.0, 2)]
        assert office.takes_in(filled(rows, "8"), "--replace")["known"] == 2

    def test_one_said_twice_is_refused_under_whatever_name(self, office: Office, run: str) -> None:
        first = numbers(office.store)["script 1", MODELS[0]]
        said = {"rater": "ann", "criterion": "rating", "value": "5"}
        by_number = {"conversation": first, "scenario": "", "model": "", **said}
        by_name = {"conversation": "", "scenario": "script 1", "model": MODELS[0], **said}
        for rows in ([by_number, by_number], [by_number, by_name]):
            path = write_csv(office.folder / "twice.csv", rows)
            told = office.mistakes("labels", "import", "last", path)
            assert "'ann' has said 'rating' of this conversation on line 2 already" in told

    def test_a_label_of_a_draw_that_it_is_not_in_is_refused(self, office: Office, run: str) -> None:
        rows = filled(office.draws(3))
        drawn = {row["conversation"] for row in rows}
        other = next(number for number in numbers(office.store).values() if str(number) not in drawn)
        path = write_csv(
            office.folder / "bad.csv", [rows[0], {**rows[1], "conversation": other, "scenario": ""}]
        )
        told = office.mistakes("labels", "import", "last", path)
        assert f"conversation {other} was not drawn in {rows[0]['drawn']}" in told
        assert given(office) == []

    def test_words_of_one_s_own_about_the_choice_are_kept(self, office: Office, run: str) -> None:
        office.labels({1: 5, 2: 6}, "rating", drawn="the odd ones")
        assert {one.drawn for one in given(office)} == {"the odd ones"}
        told = office.types("labels", "list", "last")
        assert "2 labels are of conversations that were not drawn here" in told

    def test_strays_are_listed_and_left_out(self, office: Office, run: str) -> None:
        said = {"rater": "ann", "criterion": "rating", "value": "5"}
        rows = [
            {"conversation": "1", "scenario": "", "model": "", **said},
            {"conversation": "999", "scenario": "", "model": "", **said},
            {"conversation": "", "scenario": "script 2", "model": "openai/alfa", **said},
            {"conversation": "", "scenario": "nowhere", "model": MODELS[0], **said},
        ]
        told = office.takes_in(rows)
        assert told["new"] == 1
        assert told["left_out"] == [
            "filled.csv, line 3: no conversation 999 is here",
            "filled.csv, line 4: there is no model 'openai/alfa' here; did you mean 'openai/alpha'?",
            "filled.csv, line 5: there is no scenario 'nowhere' here",
        ]
        many = [{"conversation": 900 + number, **said} for number in range(12)]
        office.types("labels", "import", "last", write_csv(office.folder / "many.csv", many))
        assert office.said.count("Left out, many.csv, line") == 10
        assert "Left out, 2 more." in office.said

    def test_a_number_beside_the_names_of_another_conversation_is_a_stray(
        self, office: Office, run: str
    ) -> None:
        said = {"rater": "ann", "criterion": "rating", "value": "5"}
        first = numbers(office.store)["script 1", MODELS[0]]
        names = {"scenario": "script 1", "model": MODELS[0], "repeat": "1"}
        wrong = [{"scenario": "script 2"}, {"model": MODELS[1]}, {"repeat": "2"}]
        told = office.takes_in([{"conversation": first, **names, **change, **said} for change in wrong])
        assert told["new"] == 0
        assert [line.partition(": ")[2] for line in told["left_out"]] == [
            f"conversation {first} has the scenario 'script 1' here, not 'script 2'",
            f"conversation {first} has the model '{MODELS[0]}' here, not '{MODELS[1]}'",
            f"conversation {first} has the repeat '1' here, not '2'",
        ]
        assert (
            office.takes_in([{"conversation": first, **names, "scenario": script(1).id[:8], **said}])["new"]
            == 1
        )

    def test_a_label_of_an_older_take_is_not_moved_to_the_newer(self, office: Office, run: str) -> None:
        office.takes_in(filled(office.draws(20)))
        exported = office.folder / "labels.csv"
        office.types("labels", "export", "last", str(exported))
        old = numbers(office.store)["script 1", MODELS[0]]
        played = rated(1, MODELS[0], j=5)
        record(
            office.store,
            "simulation",
            [type(played)(**{**vars(played), "anew": True}), rated(2, MODELS[1], j=5)],
        )
        assert numbers(office.store)["script 1", MODELS[0]] != old
        told = office.reads("labels", "import", run, str(exported))
        assert (told["new"], told["known"]) == (0, 19)
        assert f"no conversation {old} is here" in told["left_out"][0]


class TestExporting:
    @pytest.mark.parametrize("ending", [".csv", ".jsonl"])
    def test_another_copy_of_the_store_takes_the_same_labels(
        self, office: Office, run: str, ending: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        rows = office.draws(5)
        twin = Office(office.folder / "twin.db", capsys, folder=office.folder)
        bytes_of(office)
        shutil.copyfile(office.store, twin.store)
        office.takes_in([*filled(rows), *filled(rows[:3], "4", rater="@bob")])
        path = str(office.folder / f"labels{ending}")
        office.types("labels", "export", "last", path)
        assert "Wrote 8 labels" in office.said
        assert twin.reads("labels", "import", "last", path)["new"] == 8

        def said(of: Office) -> list[Any]:
            return [(*one.key, one.value, one.made, one.drawn) for one in given(of)]

        assert said(twin) == said(office)
        assert office.reads("labels", "import", "last", path)["known"] == 8  # and nothing new at home

    def test_nothing_to_export_and_nowhere_to(self, office: Office, run: str) -> None:
        assert "has no labels; draw some with" in office.mistakes(
            "labels", "export", "last", str(office.folder / "a.csv")
        )
        office.labels({1: 5}, "rating")
        for name, told in (("a.xls", "to a .csv or a .jsonl"), ("no/a.csv", "folder does not exist")):
            assert told in office.mistakes("labels", "export", "last", str(office.folder / name))
        assert "is there already, perhaps filled in" in self._to_the_store(office)

    @staticmethod
    def _to_the_store(office: Office) -> str:
        link = office.folder / "link.csv"
        link.symlink_to(office.store)
        return office.mistakes("labels", "export", "last", str(link))


class TestListing:
    def test_both_ways_of_telling_say_the_same(self, office: Office, run: str) -> None:
        rows = office.draws(6)
        office.takes_in([*filled(rows[:4]), *filled(rows[:2], rater="bob")])
        told = office.reads("labels", "list", "last")
        assert told["run"] == run
        [draw] = told["draws"]
        assert (draw["id"], draw["of"], draw["drawn"], draw["labelled"]) == (rows[0]["drawn"], 20, 6, 4)
        assert told["labels"] == [
            {"rater": "ann", "criterion": "rating", "labels": 4},
            {"rater": "bob", "criterion": "rating", "labels": 2},
        ]
        shown = office.types("labels", "list", "last")
        lines = [line.split() for line in shown.splitlines()]
        assert [draw["id"], "20", "6", "4", "0", draw["made"]] in lines
        assert ["ann", "rating", "4"] in lines
        assert "not drawn here" not in shown

    def test_a_run_without_any(self, office: Office, run: str) -> None:
        assert office.reads("labels", "list", "last") == {"run": run, "draws": [], "labels": []}
        shown = office.types("labels", "list", "last")
        assert shown == f"Nothing was drawn from {run} or labelled yet: interplay labels draw {run} FILE\n"


def test_labels_go_with_their_run(office: Office, run: str) -> None:
    office.takes_in(filled(office.draws(3)))
    office.types("runs", "delete", run, "--yes")
    with Records(office.store) as records:
        for table in ("labels", "draws"):
            assert records.db.execute(f"SELECT count(*) FROM {table}").get == 0


def test_the_sheets_of_a_folder_are_left_alone(office: Office, run: str) -> None:
    """Nothing but the sheet is left in its folder."""
    before = {path.name for path in office.folder.iterdir()}
    office.draws(2)
    assert {path.name for path in office.folder.iterdir()} - before == {"sheet.csv"}
    assert sheet(office.folder / "sheet.csv")
