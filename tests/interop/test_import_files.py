"""The rows of files from elsewhere, and which conversation each row is of."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interplay.benchmarks.role_play.protocol import Dialogue, Turn
from interplay.core import import_files
from interplay.core.benchmark import Played, Scenario, Verdict
from interplay.core.failures import Mistake
from interplay.core.import_files import Row, Skipped, Unfit, parsed, rows_in
from interplay.core.importing import IMPORTED, Imported, Opinion, name_in, text_in
from interplay.running.import_sorting import Sorting

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


def rows(path: Path, content: bytes | str) -> list[Row | Skipped]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(rows_in(path))


class TestRows:
    @settings(max_examples=25)
    @given(st.lists(st.dictionaries(st.text(), JSON, max_size=3), min_size=1, max_size=4))
    def test_lines_a_list_and_lines_in_a_json_file_are_the_same_rows(
        self, tmp_path_factory: pytest.TempPathFactory, values: list[dict[str, object]]
    ) -> None:
        folder = tmp_path_factory.mktemp("rows")
        lines = "".join(json.dumps(value) + "\n" for value in values)
        by_line = rows(folder / "a.jsonl", lines)
        assert by_line == [Row(f"line {n}", value) for n, value in enumerate(values, 1)]
        assert rows(folder / "a.json", json.dumps(values, indent=1)) == [
            Row(f"entry {n}", value) for n, value in enumerate(values, 1)
        ]
        if len(values) > 1:
            assert rows(folder / "b.json", lines) == by_line

    def test_an_object_is_one_row(self, tmp_path: Path) -> None:
        assert rows(tmp_path / "a.json", '\ufeff{\n"a": 1}') == [Row("the file", {"a": 1})]

    def test_a_broken_line_is_skipped_and_the_others_are_not(self, tmp_path: Path) -> None:
        found = rows(
            tmp_path / "a.jsonl",
            b'{"a": 1}\n\n{"a": \n\xff\n{"a": 1, "a": 2}\n{"a": NaN}\n' + b"[" * 100_000 + b'\n{"a": 2}',
        )
        assert [one.where for one in found] == [f"line {n}" for n in (1, 3, 4, 5, 6, 7, 8)]
        assert [one.why for one in found if isinstance(one, Skipped)] == [
            "it is no JSON (expecting value, line 2 column 1)",
            "it is no UTF-8 text",
            "it is no JSON ('a' is there twice)",
            "it is no JSON (NaN is no number)",
            "its JSON is nested too deeply",
        ]
        assert found[-1] == Row("line 8", {"a": 2})

    def test_a_line_that_is_too_long_is_skipped_to_its_end(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(import_files, "LONGEST_ROW", 20)
        found = rows(tmp_path / "a.jsonl", '{"a": 1}\n{"a": "' + "x" * 90 + '"}\n{"a": 2}\n')
        assert found[0] == Row("line 1", {"a": 1})
        assert found[1:] == [Skipped("line 2", "it is longer than 20 bytes"), Row("line 3", {"a": 2})]

    def test_a_file_that_is_too_large_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(import_files, "LARGEST_WHOLE", 10)
        with pytest.raises(Mistake, match="is one JSON value of more than 10 bytes; with a row on each line"):
            rows(tmp_path / "a.json", '[\n{"a": 1}\n]')
        assert len(rows(tmp_path / "b.json", '{"a": 1}\n{"a": 2}\n')) == 2
        monkeypatch.setattr(import_files, "LARGEST_FILE", 15)
        with pytest.raises(Mistake, match="larger than 15 bytes; import it in parts"):
            rows(tmp_path / "c.jsonl", '{"a": 1}\n{"a": 2}\n')

    @given(st.binary(max_size=40))
    def test_any_bytes_are_read_or_unfit(self, content: bytes) -> None:
        try:
            parsed(content)
        except Unfit as problem:
            assert str(problem).startswith(("it is no ", "its JSON "))


class TestNames:
    @pytest.mark.parametrize(
        "name", ["gpt-4o", "openai/gpt-4o", "Meta Llama 3.1 (70B)", "Юля", "people/wizard"]
    )
    def test_names_as_files_have_them(self, name: str) -> None:
        assert name_in(f" {name} ", "model") == name

    @pytest.mark.parametrize(
        "name",
        [None, 3, "", "  ", "x" * 201, "a\nb", "a\x1bb", "human/ada", "rule/agenda", "http://x/?k", "b.toml", "a + b"],
    )  # fmt: skip
    def test_what_is_no_name(self, name: object) -> None:
        with pytest.raises(Unfit, match=r"^model "):
            name_in(name, "model")

    @given(st.text(st.characters(exclude_categories=[]), max_size=50))
    def test_texts_can_be_stored(self, text: str) -> None:
        found = text_in(text, "text", may_be_empty=True)
        assert found.encode() and "\0" not in found if found else not text.strip()


def imported(
    words: str, *judges: tuple[str, int], people: tuple[tuple[str, float], ...] = (), where: str = "line 1"
) -> Imported:
    verdicts = tuple(Verdict(judge, IMPORTED, {"score": score}) for judge, score in judges)
    outcome = Dialogue((Turn("Well?", words),))
    played = Played(Scenario({"a": 1}, "a"), "m", 0, outcome, verdicts=verdicts, cast={"player": "m"})
    return Imported(where, played, (), tuple(Opinion(rater, "good", value) for rater, value in people))


class TestSorting:
    def test_other_words_are_a_repeat_and_so_are_the_same_that_nobody_judged(self) -> None:
        sorting = Sorting()
        found = [sorting.place("f", imported(words)) for words in ("one", "two", "one")]
        assert [(one.conversation, one.repeat, one.is_new) for one in found] == [
            (0, 0, True), (1, 1, True), (2, 2, True),
        ]  # fmt: skip

    def test_another_judge_adds_to_the_same_words(self) -> None:
        sorting = Sorting()
        sorting.place("f", imported("one", ("j", 1)))
        sorting.place("f", imported("two", ("j", 1)))
        found = sorting.place("g", imported("one", ("j", 1), ("k", 2)))
        assert (found.conversation, found.repeat, found.is_new) == (0, 0, False)
        assert [one.judge for one in found.verdicts] == ["k"]
        assert found.skipped == ()

    def test_who_says_another_thing_later_is_not_heard(self) -> None:
        sorting = Sorting()
        sorting.place("f", imported("one", ("j", 1), people=(("ada", 3),)))
        found = sorting.place("g", imported("one", ("j", 2), people=(("ada", 4), ("bea", 4)), where="line 9"))
        assert found.verdicts == ()
        assert found.opinions == (Opinion("bea", "good", 4),)
        assert [one.why for one in found.skipped] == [
            "j said something else of it in f, line 1",
            "ada gave good another value in f, line 1",
        ]

    def test_the_same_again_is_told(self) -> None:
        sorting = Sorting()
        sorting.place("f", imported("one", ("j", 1)))
        assert sorting.place("f", imported("one", ("j", 1), where="line 2")).skipped == (
            Skipped("line 2", "it is the same as f, line 1"),
        )

    def test_people_without_a_name_are_others_in_another_file(self) -> None:
        sorting = Sorting()
        said = [
            sorting.place(file, imported(words, people=(("", 3),))).opinions[0].rater
            for file, words in (("f", "one"), ("f", "two"), ("g", "one"), ("h", "one"))
        ]
        assert said == ["people", "people", "people 2", "people 3"]
