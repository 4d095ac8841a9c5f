"""Labels of people: files and their mistakes, whom a row names, and who wins among raters."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from interplay.core.benchmark import Played
from interplay.core.failures import Mistake
from interplay.judging.labels import (
    Label,
    Settled,
    labels_in,
    matched,
    read_labels,
    settled,
)
from tests.judging.labelled import (
    CRITERIA,
    HEAD,
    Written,
    known_of,
    labels_of,
    played,
    written,
)

__all__ = ["written"]  # a fixture


class TestReading:
    def test_both_kinds_of_file_say_the_same(self, written: Written) -> None:
        from_csv = labels_of(
            written(
                "Inn,m,ann,complete,yes,2,2025-01-31,random",
                "",
                'Inn,m,bob,natural,4,2,,""',
                head="Scenario, Model,rater,criterion,value,repeat,when,drawn",
            )
        )
        item = {"scenario": "Inn", "model": "m", "repeat": 2}
        from_json = labels_of(
            written(
                {
                    **item,
                    **{"rater": "ann", "criterion": "complete", "value": True},
                    **{"when": "2025-01-31", "drawn": "random"},
                },
                {**item, "rater": "bob", "criterion": "natural", "value": 4.0, "when": None},
            )
        )
        assert [one.value for one in from_csv] == [1.0, 4.0]
        assert [(one.file, one.line) for one in from_csv] == [("people.csv", 2), ("people.csv", 4)]
        assert (from_csv[0].repeat, from_csv[0].when, from_csv[0].drawn) == (2, "2025-01-31", "random")

        def said(labels: list[Label]) -> list[Any]:
            return [(one.item, one.rater, one.criterion, one.value, one.when, one.drawn) for one in labels]

        assert said(from_csv) == said(from_json)

    @pytest.mark.parametrize(
        "text, value",
        [("yes", 1.0), ("No", 0.0), ("TRUE", 1.0), ("false", 0.0), ("1", 1.0), ("0", 0.0)],
    )
    def test_yes_and_no_are_spelled_in_several_ways(self, written: Written, text: str, value: float) -> None:
        (label,) = labels_of(written(f"Inn,m,ann,complete,{text}"))
        assert label.value == value

    def test_a_share_may_lie_between_whole_numbers(self, written: Written) -> None:
        (label,) = labels_of(written("Inn,m,ann,coverage,0.75"))
        assert label.value == 0.75

    def test_what_is_kept_is_one_text_for_one_content(self, written: Written) -> None:
        path = written("Inn,m,ann,complete,yes")
        kept = read_labels(str(path), CRITERIA)
        assert kept == read_labels(str(path), CRITERIA)
        assert json.loads(kept)["file"] == "people.csv"
        assert str(path.parent) not in kept
        assert labels_in("") == []

    def test_a_conversation_alone_names_an_item(self, written: Written) -> None:
        (label,) = labels_of(written("12,ann,complete,yes", head="conversation,rater,criterion,value"))
        assert (label.conversation, label.scenario) == (12, "")

    @pytest.mark.parametrize(
        "head, lines, what",
        [
            (HEAD, ["Inn,m,ann,complte,yes"], "line 2: there is no criterion 'complte'; did you mean 'complete'"),
            (HEAD, ["Inn,m,ann,xyz,yes"], "line 2: .*'xyz'; there is complete, coverage, natural"),
            (HEAD, ["Inn,m,ann,complete,maybe"], "line 2: complete is yes or no, not 'maybe'"),
            (HEAD, ["Inn,m,ann,natural,6"], "line 2: natural is a whole number from 1 to 5, not '6'"),
            (HEAD, ["Inn,m,ann,natural,3.5"], "from 1 to 5, not '3.5'"),
            (HEAD, ["Inn,m,ann,natural,nan"], "from 1 to 5, not 'nan'"),
            (HEAD, ["Inn,m,ann,natural,1_0"], "not '1_0'"),
            (HEAD, ["Inn,m,ann,coverage,1.5"], "coverage is a number from 0 to 1, not '1.5'"),
            (HEAD, ["Inn,m,ann,complete,"], "line 2: value is empty"),
            (HEAD, ["Inn,m,,complete,yes"], "line 2: rater is empty"),
            (HEAD, [",m,ann,complete,yes"], "line 2 names neither a conversation nor a scenario"),
            (HEAD, ["Inn,,ann,complete,yes"], "line 2: model is empty"),
            (HEAD, ["Inn,m,ann,complete,yes", "Inn,m,ann,complete,no"], "line 3: 'ann' has said .* on line 2 already"),
            (HEAD, ["Inn,m,ann,complete,yes", "Inn,m,ann,complete,yes"], "line 3: .* on line 2 already"),
            (HEAD, ["Inn,m,ann,complete"], "line 2 has 4 cells, not 5"),
            (HEAD, ['Inn,m,"ann,complete,yes'], "line 2 is no line of a .csv file"),
            (HEAD, [], "has no labels"),
            ("scenario,model,rater,value", ["Inn,m,ann,yes"], "line 1 lacks the column criterion"),
            ("model,rater,criterion,value", ["m,ann,complete,yes"], "lacks a column conversation or scenario"),
            ("scenari,model,rater,criterion,value", [], "column 'scenari'; did you mean 'scenario'"),
            (HEAD + ",value", [], "the column value twice"),
            (HEAD + ",repeat", ["Inn,m,ann,complete,yes,0"], "line 2: repeat is a whole number from 1, not '0'"),
            (HEAD + ",conversation", ["Inn,m,ann,complete,yes,x"], "line 2: conversation is a whole number"),
            ("", [], "is empty; its first line must be scenario,model,rater,criterion,value"),
        ],
    )  # fmt: skip
    def test_a_mistake_in_a_csv_is_one_line(
        self, written: Written, head: str, lines: list[str], what: str
    ) -> None:
        with pytest.raises(Mistake, match=what) as found:
            labels_of(written(*lines, head=head))
        assert "\n" not in str(found.value)
        assert "people.csv" in str(found.value)

    @pytest.mark.parametrize(
        "text, what",
        [
            (
                '{"scenario": "Inn", "model": "m", "rater": "ann", "criterio": "complete"}',
                "did you mean 'criterion'",
            ),
            ('{"scenario": {"id": "x"}, "model": "m"}', "scenario is a text or a number, not a dict"),
            ('{"scenario": "Inn", "model": "m", "rater": "ann", "value": true}', "criterion is empty"),
            ('{"scenario": "Inn",', "line 1 is no JSON"),
            ('["Inn"]', "line 1 is no JSON object"),
            ("", "has no labels"),
        ],
    )
    def test_a_mistake_in_a_jsonl_is_one_line(self, tmp_path: Path, text: str, what: str) -> None:
        path = tmp_path / "people.jsonl"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(Mistake, match=what) as found:
            labels_of(path)
        assert "\n" not in str(found.value)

    def test_a_file_that_cannot_be_read(self, tmp_path: Path) -> None:
        with pytest.raises(Mistake, match=r"nowhere\.csv cannot be read"):
            labels_of(tmp_path / "nowhere.csv")
        with pytest.raises(Mistake, match=r"from a \.csv or a \.jsonl file, not .*people\.txt"):
            labels_of(tmp_path / "people.txt")
        (tmp_path / "people.csv").write_bytes(b"\xff\xfe\x00")
        with pytest.raises(Mistake, match="cannot be read"):
            labels_of(tmp_path / "people.csv")


class TestMatching:
    def test_by_label_by_id_and_by_the_beginning_of_it(self, written: Written) -> None:
        inn, pier = played("Inn"), played("Pier", "n", 1)
        id = pier.scenario.id
        path = written(
            "Inn,m,ann,complete,yes", f"{id},n,ann,complete,no", f"{id[:6].upper()},n,bob,complete,no"
        )
        found = matched(labels_of(path), [inn, pier])
        assert known_of(found) == [("Inn", "m", 0), ("Pier", "n", 1), ("Pier", "n", 1)]
        assert found.strays == ()
        assert {label.item for label, _ in found.pairs} == {
            (0, inn.scenario.id, "m", 1),
            (0, id, "n", 2),
        }

    def test_by_the_number_of_a_conversation(self, written: Written) -> None:
        path = written("31,ann,complete,yes", "99,ann,complete,no", head="conversation,rater,criterion,value")
        labels, both = labels_of(path), [played("Inn"), played("Pier")]
        found = matched(labels, both, numbers=[30, 31])
        assert known_of(found) == [("Pier", "m", 0)]
        assert [reason for _, reason in found.strays] == ["no conversation 99 is here"]
        unknown = matched(labels, both)
        assert unknown.pairs == ()
        assert "known here by its number; name its scenario and model" in unknown.strays[0][1]

    def test_what_is_not_here_is_a_stray_with_its_reason(self, written: Written) -> None:
        path = written(
            "Inns,m,ann,complete,yes,",
            "Inn,mm,ann,complete,yes,",
            "zzz,m,ann,complete,yes,",
            "Inn,m,ann,complete,yes,4",
            "Pier,n,ann,complete,yes,",
            head=HEAD + ",repeat",
        )
        found = matched(labels_of(path), [played("Inn"), played("Pier"), played("Inn", "n")])
        assert [reason for _, reason in found.strays] == [
            "there is no scenario 'Inns' here; did you mean 'Inn'?",
            "there is no model 'mm' here; did you mean 'm'?",
            "there is no scenario 'zzz' here",
            "m has no such conversation of 'Inn'",
            "n has no such conversation of 'Pier'",
        ]

    def test_too_little_of_an_id_is_none(self, written: Written) -> None:
        one = played("Inn")
        found = matched(labels_of(written(f"{one.scenario.id[:5]},m,ann,complete,yes")), [one])
        assert len(found.strays) == 1

    @pytest.mark.parametrize(
        "name, conversations, what",
        [
            ("Inn", [played("Inn"), played("Inn", content="other")], "2 scenarios are called 'Inn'; write"),
            ("Inn", [played("Inn"), played("Inn", repeat=1)], "several times; a column repeat must say which"),
            ("Inn", [played("Inn"), played("Inn")], "several runs have this conversation"),
        ],
    )  # fmt: skip
    def test_what_might_be_several_is_refused(
        self, written: Written, name: str, conversations: list[Played], what: str
    ) -> None:
        with pytest.raises(Mistake, match=rf"people\.csv, line 2: .*{what}"):
            matched(labels_of(written(f"{name},m,ann,complete,yes")), conversations)

    def test_a_beginning_of_two_ids_is_refused(self, written: Written) -> None:
        both = [played("Inn"), played("Pier")]
        for one, end in zip(both, "ab", strict=True):
            vars(one.scenario)["id"] = "0123456789" + end  # where the hash of its content would be kept
        with pytest.raises(Mistake, match="line 2: 2 scenarios begin with '012345'; write more of the id"):
            matched(labels_of(written("012345,m,ann,complete,yes")), both)

    def test_one_conversation_under_two_names_is_one(self, written: Written) -> None:
        one = played("Inn")
        path = written("Inn,m,ann,complete,yes", f"{one.scenario.id[:8]},m,ann,complete,no")
        with pytest.raises(Mistake, match=r"people\.csv, line 3: 'ann' has said 'complete' .* on line 2"):
            matched(labels_of(path), [one])


def settle(written: Written, criterion: str, *values: str, more: Sequence[str] = ()) -> Settled:
    lines = [f"Inn,m,rater {n},{criterion},{value}" for n, value in enumerate(values)]
    return settled(labels_of(written(*lines, *more)), graded={"natural"})


class TestSettling:
    @pytest.mark.parametrize(
        "criterion, values, expected",
        [
            ("complete", ["yes"], 1.0),
            ("complete", ["yes", "no", "no"], 0.0),
            ("complete", ["yes", "yes", "yes", "no"], 1.0),
            ("natural", ["2", "2", "5"], 2.0),  # more than half, though the median says the same
            ("natural", ["1", "3", "5"], 3.0),
            ("natural", ["1", "1", "4", "4", "5"], 4.0),  # the median: nobody has more than half
            ("natural", ["4", "4", "4", "1"], 4.0),
            ("natural", ["3", "4"], 3.5),
            ("natural", ["3", "3", "4", "5"], 3.5),
        ],
    )
    def test_majority_or_median(
        self, written: Written, criterion: str, values: list[str], expected: float
    ) -> None:
        found = settle(written, criterion, *values)
        assert list(found.values.values()) == [expected]
        assert (found.tied, found.discussed) == ((), 0)

    @pytest.mark.parametrize("values", [["yes", "no"], ["no", "yes", "yes", "no"]])
    def test_a_tie_is_left_out_and_listed(self, written: Written, values: list[str]) -> None:
        found = settle(written, "complete", *values)
        assert found.values == {}
        assert found.tied == (((0, "Inn", "m", 0), "complete"),)

    def test_what_a_discussion_came_to_goes_before_all(self, written: Written) -> None:
        tie = settle(written, "complete", "yes", "no", more=["Inn,m,settled,complete,no"])
        assert list(tie.values.values()) == [0.0]
        overruled = settle(written, "natural", "5", "5", "5", more=["Inn,m,settled,natural,2"])
        assert list(overruled.values.values()) == [2.0]
        assert (tie.tied, tie.discussed, overruled.discussed) == ((), 1, 1)

    def test_the_order_of_rows_does_not_decide(self, written: Written) -> None:
        one = settle(written, "complete", "no", "yes", "yes", "no")
        other = settle(written, "complete", "yes", "no", "no", "yes")
        assert one == other
        assert len(one.tied) == 1
