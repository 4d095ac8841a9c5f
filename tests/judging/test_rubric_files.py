"""A rubric of one's own: read as it was written, refused with one line that says what would be right."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interplay.core.failures import Mistake
from interplay.core.wire import Reply, canonical
from interplay.judging.rubric import Criterion, Flag, Rubric
from interplay.judging.rubric_files import LARGEST_STEP, read_rubric, rubric_of
from tests.judging.rubric_mistakes import GOOD, MISTAKES, as_file, without

NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,39}", fullmatch=True).filter(
    lambda name: not name.endswith(("_score", "_explanation")) and not name.startswith("turn_")
)
TEXTS = st.text(min_size=1, max_size=40).map(str.strip).filter(bool)


@st.composite
def rubrics(draw: st.DrawFn) -> Rubric:
    low = draw(st.integers(0, LARGEST_STEP - 1))
    high = draw(st.integers(low + 1, LARGEST_STEP))
    names = draw(st.lists(NAMES, min_size=1, max_size=6, unique=True))
    criteria = draw(st.integers(1, len(names)))
    return Rubric(
        name=draw(TEXTS),
        criteria=tuple(Criterion(name, draw(TEXTS)) for name in names[:criteria]),
        flags=tuple(Flag(name, draw(TEXTS)) for name in names[criteria:]),
        scale=(low, high),
        labels=draw(st.dictionaries(st.integers(low, high), TEXTS, max_size=5)),
        explanation=draw(st.integers(20, 5_000)),
    )


def written(folder: Path, content: Any, name: str = "mine.toml") -> Path:
    path = folder / name
    path.write_bytes(as_file(content))
    return path


def test_a_rubric_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert read_rubric(written(tmp_path, GOOD)) == Rubric(
        name="warmth",
        criteria=(
            Criterion("warm", "The reply is kind."),
            Criterion("witty", "The reply made me smile."),
        ),
        flags=(Flag("breaks_frame", "The player speaks of itself as a program."),),
        scale=(1, 4),
        labels={1: "cold", 4: "warm"},
        explanation=80,
    )


def test_what_can_be_left_out_is_left_to_the_file_name_and_the_benchmark(tmp_path: Path) -> None:
    bare = {"scale": [0, 100], "criteria": [{"name": "c", "statement": " So. "}]}
    found = read_rubric(written(tmp_path, bare, "my own.toml"))

    assert (found.name, found.flags, found.labels, found.explanation) == ("my own", (), {}, 0)
    assert found.criteria == (Criterion("c", "So."),)


def test_labels_can_be_a_list_with_a_word_for_every_step(tmp_path: Path) -> None:
    labels = ["cold", "cool", "mild", "warm"]
    found = read_rubric(written(tmp_path, {**GOOD, "labels": labels}))

    assert found.labels == {1: "cold", 2: "cool", 3: "mild", 4: "warm"}
    assert found.scale_in_words() == "1: cold\n2: cool\n3: mild\n4: warm"


def test_a_scale_with_words_for_some_steps_says_where_it_begins_and_ends(tmp_path: Path) -> None:
    assert read_rubric(written(tmp_path, GOOD)).scale_in_words() == (
        "a whole number from 1 to 4, where\n1: cold\n4: warm"
    )
    assert read_rubric(written(tmp_path, without("labels"))).scale_in_words() == "a whole number from 1 to 4"


@pytest.mark.parametrize("slip", MISTAKES)
def test_a_slip_is_named_with_the_file_and_what_would_be_right(slip: str, tmp_path: Path) -> None:
    content, complaint = MISTAKES[slip]
    path = written(tmp_path, content)

    with pytest.raises(Mistake) as raised:
        read_rubric(path)
    assert complaint in str(raised.value)
    assert str(path) in str(raised.value)


@pytest.mark.parametrize("what", ["nothing", "a folder", "a long file name"])
def test_a_file_that_is_not_there_or_has_no_name_to_go_by_is_a_mistake(what: str, tmp_path: Path) -> None:
    path = tmp_path / ("x" * 41 + ".toml")
    if what == "a folder":
        path.mkdir()
    elif what == "a long file name":
        written(tmp_path, without("name"), path.name)

    with pytest.raises(
        Mistake, match="name must be a text" if "long" in what else "cannot be read"
    ) as raised:
        read_rubric(path)
    assert str(path) in str(raised.value)


@given(rubrics())
def test_a_rubric_comes_back_from_the_record_as_it_was(rubric: Rubric) -> None:
    kept = json.loads(canonical(rubric.as_json()))

    assert rubric_of(kept) == rubric
    assert rubric_of(kept).digest == rubric.digest
    assert rubric_of(kept).as_json() == rubric.as_json()


@settings(max_examples=50)
@given(rubrics())
def test_any_rubric_that_is_written_to_a_file_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rubric: Rubric
) -> None:
    path = written(tmp_path_factory.mktemp("rubrics"), rubric.as_json() | {"scale": list(rubric.scale)})

    assert read_rubric(path) == rubric


@settings(max_examples=50)
@given(rubrics(), st.data())
def test_a_rubric_that_differs_in_anything_has_another_digest(rubric: Rubric, data: st.DataObject) -> None:
    first, *others = rubric.criteria
    low, high = rubric.scale
    changed = data.draw(
        st.sampled_from(
            [
                replace(rubric, name=rubric.name + "x"),
                replace(rubric, criteria=(Criterion(first.name, first.statement + "."), *others)),
                replace(rubric, criteria=(Criterion("another_name_of_no_one", first.statement), *others)),
                replace(rubric, flags=(*rubric.flags, Flag("another_name_of_no_one", "So."))),
                replace(rubric, scale=(low, high + 1)),
                replace(rubric, labels={**rubric.labels, low: rubric.labels.get(low, "") + "x"}),
                replace(rubric, explanation=rubric.explanation + 1),
            ]
        )
    )

    assert changed.digest != rubric.digest


@settings(max_examples=50)
@given(rubrics(), st.integers(1, 4), st.data())
def test_any_rubric_reads_the_verdicts_that_fit_its_form(
    rubric: Rubric, turns: int, data: st.DataObject
) -> None:
    low, high = rubric.scale
    scores = {f"turn_{n}": data.draw(st.integers(low, high)) for n in range(1, turns + 1)}
    said = {}
    for turn, score in scores.items():
        said[turn] = {
            f"{name}_explanation": "so" for name in [*rubric.names, *(f.name for f in rubric.flags)]
        }
        said[turn] |= {f"{name}_score": score for name in rubric.names}
        said[turn] |= {flag.name: False for flag in rubric.flags}
    read = rubric.form(turns).read(Reply(json.dumps(said), stop="stop")).value

    assert [entry[f"{rubric.names[0]}_score"] for entry in read["turns"]] == list(scores.values())
    assert {word for turn in said.values() for word in turn} <= rubric.words()
