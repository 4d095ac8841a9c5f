"""Prompt files are filled strictly, and what is filled in is never read as a template."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interplay.core.failures import Mistake
from interplay.core.prompts import LARGEST_FILE, Prompts, fill, read_replacements


def test_values_stand_in_their_places() -> None:
    assert fill("I am {{name}}, {{age}}; call me {{name}}.", {"name": "Odo", "age": "17"}) == (
        "I am Odo, 17; call me Odo."
    )


def test_a_missing_value_is_named_with_the_nearest_one_given() -> None:
    with pytest.raises(Mistake, match=r"asks for \{\{name\}\}.*did you mean 'nam'"):
        fill("I am {{name}}.", {"nam": "Odo"})


def test_a_missing_value_of_a_section_is_an_error() -> None:
    with pytest.raises(Mistake, match=r"asks for \{\{greeting\}\}"):
        fill("{{#greeting}}Hello{{/greeting}}", {})


def test_an_unused_value_is_an_error() -> None:
    with pytest.raises(Mistake, match=r"no place for \{\{age\}\}"):
        fill("I am {{name}}.", {"name": "Odo", "age": "17"})


@pytest.mark.parametrize(
    "template",
    [
        "{{#name}}never closed {{name}}",
        "{{name}} closed, never opened{{/name}}",
        "{{name}} {{#other}}never closed",
        "{{#name}}closed by another{{/other}} {{name}}",
        "{{name}} {{ name }}",
        "{{name}} {{}}",
        "{{name}} {{first name}}",
    ],
)
def test_a_mark_that_is_neither_a_name_nor_a_closed_section_is_an_error(template: str) -> None:
    with pytest.raises(Mistake, match="neither a name nor a closed section"):
        fill(template, {"name": "Odo"})


def test_an_unclosed_section_is_an_error_even_where_its_name_stands_nowhere_else() -> None:
    with pytest.raises(Mistake):
        fill("{{#name}}never closed", {"name": "Odo"})


def test_a_section_is_kept_with_a_value_and_dropped_without_one() -> None:
    template = "Begin.\n{{#greeting}}\nGreet with: {{greeting}}\n{{/greeting}}\nEnd."

    assert fill(template, {"greeting": "Hello"}) == "Begin.\nGreet with: Hello\nEnd."
    assert fill(template, {"greeting": ""}) == "Begin.\nEnd."


def test_a_name_that_stands_only_in_a_dropped_section_is_still_used() -> None:
    assert fill("{{#a}}{{b}}{{/a}}end", {"a": "", "b": "unseen"}) == "end"


def test_a_section_can_be_used_twice() -> None:
    assert fill("{{#a}}one {{/a}}{{#a}}two{{/a}}", {"a": "x"}) == "one two"


def test_sections_within_sections_are_refused_rather_than_half_read() -> None:
    with pytest.raises(Mistake):
        fill("{{#a}}{{#b}}x{{/b}}{{/a}}", {"a": "1", "b": "1"})


def test_a_value_that_looks_like_a_name_is_never_filled_again() -> None:
    assert fill("{{a}} {{b}}", {"a": "{{b}}", "b": "{{a}}"}) == "{{b}} {{a}}"


def test_a_value_that_looks_like_a_section_opens_none() -> None:
    filled = fill("{{a}} {{b}} {{#c}}kept{{/c}}", {"a": "{{#b}}", "b": "{{/b}}", "c": "x"})

    assert filled == "{{#b}} {{/b}} kept"


@given(
    st.text(alphabet="{}#/ab\\1", max_size=20),
    st.text(alphabet="{}#/ab\\g<0>", max_size=20),
)
def test_any_value_stands_in_the_text_as_it_is(a: str, b: str) -> None:
    assert fill("<{{a}}|{{b}}|{{#a}}{{/a}}{{a}}>", {"a": a, "b": b}) == f"<{a}|{b}|{a}>"


def test_json_in_a_prompt_is_not_a_mark() -> None:
    assert fill('Reply with {"a": {"b": 1}} to {{name}}', {"name": "Odo"}) == (
        'Reply with {"a": {"b": 1}} to Odo'
    )


def test_prompts_are_the_files_of_a_folder_by_name(tmp_path: Path) -> None:
    (tmp_path / "player.md").write_text("You are {{name}}. Ünïcode.\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("not a prompt", encoding="utf-8")
    prompts = Prompts.read(tmp_path)

    assert set(prompts.texts) == {"player"}
    assert prompts.fill("player", name="Odo") == "You are Odo. Ünïcode."


def test_an_error_says_which_file_it_is_in() -> None:
    with pytest.raises(Mistake, match=r"prompt player\.md asks for"):
        Prompts({"player": "{{name}}"}).fill("player")


def test_an_unknown_prompt_is_an_error_that_says_what_there_is() -> None:
    with pytest.raises(Mistake, match="no prompt 'plaier'; did you mean 'player'"):
        Prompts({"player": "", "judge": ""}).fill("plaier")


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "player.md").write_text("x" * (LARGEST_FILE + 1), encoding="utf-8")

    with pytest.raises(Mistake, match="larger than"):
        Prompts.read(tmp_path)


def test_the_digest_follows_names_and_texts_and_not_their_order() -> None:
    digest = Prompts({"a": "1", "b": "2"}).digest

    assert Prompts({"b": "2", "a": "1"}).digest == digest
    assert Prompts({"a": "1", "b": "3"}).digest != digest
    assert Prompts({"a": "1", "c": "2"}).digest != digest


# A folder of one's own.

SHIPPED = Prompts({"player": "You are {{name}}.{{#mood}} You feel {{mood}}.{{/mood}}", "opening": "Begin."})


def folder_of(tmp_path: Path, **texts: str | bytes) -> Path:
    folder = tmp_path / "prompts"
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.md").write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def test_a_folder_replaces_the_prompts_it_has_and_leaves_the_others(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, player="Be {{name}}{{#mood}}, {{mood}}{{/mood}}!")
    (folder / "notes.txt").write_text("not a prompt", encoding="utf-8")
    found = read_replacements(folder, SHIPPED)
    both = SHIPPED.replaced(found)

    assert found == {"player": "Be {{name}}{{#mood}}, {{mood}}{{/mood}}!"}
    assert both.fill("player", name="Odo", mood="sly") == "Be Odo, sly!"
    assert both.fill("opening") == "Begin."
    assert both.digest != SHIPPED.digest
    assert SHIPPED.fill("player", name="Odo", mood="") == "You are Odo."


def test_a_place_may_stand_anywhere_and_as_often_as_one_likes(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, player="{{mood}} {{name}} {{name}} {{#name}}{{mood}}{{/name}}")

    assert list(read_replacements(folder, SHIPPED)) == ["player"]


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("plaier", "You are {{name}}, {{mood}}.", r"plaier\.md replaces no prompt; did you mean 'player'\?"),
        (
            "player",
            "You are {{nam}}, {{mood}}.",
            r"asks for \{\{nam\}\}, which it is not given; did you mean 'name'",
        ),
        ("player", "{{name}} {{mood}} {{#rage}}x{{/rage}}", r"asks for \{\{rage\}\}, which it is not given"),
        ("player", "You are {{mood}}.", r"has no place for \{\{name\}\}, which it is given"),
        ("opening", "Begin, {{name}}.", r"asks for \{\{name\}\}, which it is not given; there is none"),
        ("player", "{{name}} {{mood}} {{#mood}}never closed", "neither a name nor a closed section"),
        ("player", "{{name}} {{mood}} {{ name }}", "neither a name nor a closed section"),
        ("player", b"{{name}} {{mood}} \xff\xfe", "cannot be read: 'utf-8' codec can't decode"),
        ("player", "{{name}} {{mood}}" + "x" * LARGEST_FILE, f"is larger than {LARGEST_FILE:,} bytes"),
    ],
)
def test_a_replacement_that_does_not_fit_is_a_mistake_that_names_the_file(
    name: str, text: str | bytes, complaint: str, tmp_path: Path
) -> None:
    folder = folder_of(tmp_path, **{name: text})

    with pytest.raises(Mistake, match=complaint) as raised:
        read_replacements(folder, SHIPPED)
    assert str(folder / f"{name}.md") in str(raised.value)


def test_a_folder_that_is_not_there_or_holds_no_prompt_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match=r"there is no folder of prompts .*nowhere"):
        read_replacements(tmp_path / "nowhere", SHIPPED)
    (tmp_path / "file.md").write_text("Begin.", encoding="utf-8")
    with pytest.raises(Mistake, match=r"there is no folder of prompts .*file\.md"):
        read_replacements(tmp_path / "file.md", SHIPPED)
    with pytest.raises(Mistake, match=r"holds no prompt; one is named as in opening, player, and \.md"):
        read_replacements(folder_of(tmp_path), SHIPPED)


def test_a_folder_that_is_called_as_a_prompt_is_a_mistake(tmp_path: Path) -> None:
    (folder_of(tmp_path) / "player.md").mkdir()

    with pytest.raises(Mistake, match="cannot be read"):
        read_replacements(tmp_path / "prompts", SHIPPED)
