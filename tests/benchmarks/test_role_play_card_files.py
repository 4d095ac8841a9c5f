"""Files of characters and situations: ours, the authors', and every slip that is named before anything is sent."""

from pathlib import Path

import pytest

from interplay.benchmarks.role_play.card_files import AUTHORS_TURNS, read_cards
from interplay.benchmarks.role_play.cards import LANGUAGES, Cards, Character, Situation
from interplay.cli import main
from interplay.core.benchmark import Material
from interplay.core.failures import Mistake
from tests.benchmarks.card_mistakes import (
    AUTHORS,
    CHARACTER,
    MISTAKES,
    OURS,
    SITUATION,
    Content,
    as_file,
    character,
    theirs,
)
from tests.benchmarks.stage import BENCHMARK
from tests.running.job import command
from tests.running.typed import provider, refused

Capsys = pytest.CaptureFixture[str]


def written(folder: Path, content: Content, kind: str = "toml") -> Path:
    path = folder / f"cards.{kind}"
    path.write_bytes(as_file(content, kind))
    return path


def cards_of(folder: Path, content: Content, kind: str = "toml") -> Cards:
    return read_cards(written(folder, content, kind), "en")


def material(path: Path, **options: str) -> Material:
    return BENCHMARK.scenarios(BENCHMARK.settle(options), path)


@pytest.mark.parametrize("kind", ["toml", "json"])
def test_ours_is_read_as_it_was_written_in_toml_and_in_json(kind: str, tmp_path: Path) -> None:
    full = {"id": "o", "example": "Odo: Hm.", "greeting": "Hm.", "source": "mine", "tags": ["sea"]}
    found = cards_of(
        tmp_path, character(**full) | {"situations": [{**SITUATION, "id": "way", "tags": []}]}, kind
    )

    assert found.characters == (
        Character("o", "Odo", CHARACTER["summary"], CHARACTER["persona"], "Odo: Hm.", "Hm."),
    )
    assert found.situations == (Situation("way", SITUATION["text"], 2),)
    assert found.remarks == ()


def test_what_can_be_left_out_is_empty_and_ids_are_made_from_names(tmp_path: Path) -> None:
    several = [
        {**CHARACTER, "name": name} for name in ("Odo the Keeper!", "Одо", "odo THE keeper", "?!", "Odo_2")
    ]
    found = cards_of(tmp_path, {"characters": several, "situations": [SITUATION, SITUATION]})

    assert [one.id for one in found.characters] == [
        "odo-the-keeper", "одо", "odo-the-keeper-3", "character-4", "odo-2",
    ]  # fmt: skip
    assert [one.id for one in found.situations] == ["situation-1", "situation-2"]
    assert found.characters[0].example == found.characters[0].greeting == ""


def test_the_language_of_a_file_is_the_one_it_says_or_the_one_asked_for(tmp_path: Path) -> None:
    unsaid = written(tmp_path, OURS)
    assert read_cards(unsaid, "ru").characters == read_cards(unsaid, "en").characters
    assert read_cards(written(tmp_path, {**OURS, "language": "ru"}), "ru").characters


def test_text_that_no_store_could_hold_is_made_holdable(tmp_path: Path) -> None:
    found = cards_of(tmp_path, character(persona=" a\0b\ud800c \n", name="O\0do"), "json").characters[0]

    assert (found.persona, found.name) == ("a\N{REPLACEMENT CHARACTER}b?c", "O\N{REPLACEMENT CHARACTER}do")


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("initial_message", "did you mean 'greeting'?"),
        ("system_prompt", "did you mean 'persona'?"),
        ("greting", "did you mean 'greeting'?"),
        ("examples", "did you mean 'example'?"),
        ("zzz", "there is example, greeting, id, name, persona, summary"),
    ],
)
def test_a_key_that_means_nothing_is_named_with_the_one_that_was_meant(
    key: str, hint: str, tmp_path: Path
) -> None:
    found = cards_of(tmp_path, character(**{key: "Hello."}))

    path = tmp_path / "cards.toml"
    assert found.remarks == (f"{path}, characters, number 1: the key {key!r} is ignored; {hint}",)
    assert found.characters[0].greeting == ""


def test_a_key_of_a_situation_that_means_nothing_is_named_too(tmp_path: Path) -> None:
    found = cards_of(tmp_path, {**OURS, "situations": [SITUATION, {**SITUATION, "num_turns": 8}]})

    (remark,) = found.remarks
    assert remark.endswith("situations, number 2: the key 'num_turns' is ignored; did you mean 'turns'?")


def test_the_authors_shape_is_read_with_its_names_tags_and_turns(tmp_path: Path) -> None:
    found = cards_of(tmp_path, AUTHORS, "json")

    assert found.characters == (Character("odo", "Odo", "A keeper.", "You keep a light.", "", ""),)
    assert found.situations == (Situation("lost", "Ask for the way.", 2),)
    unsaid = cards_of(tmp_path, theirs("situations", num_turns=None, tags=None), "json").situations
    assert unsaid == (Situation("situation-1", "Ask for the way.", AUTHORS_TURNS),)


@pytest.mark.parametrize("slip", MISTAKES)
def test_a_slip_is_named_with_the_file_before_anything_is_sent_or_written(
    slip: str, tmp_path: Path, capsys: Capsys
) -> None:
    kind, content, complaint = MISTAKES[slip]
    path = written(tmp_path, content, kind)
    with provider() as (loopback, url):
        error = refused(command(url, tmp_path / "a.db", more=("--data", str(path))), capsys)
        assert loopback.calls == 0
    assert complaint in error
    assert str(path) in error
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_a_file_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path / "none.json", tmp_path):
        with pytest.raises(Mistake, match="cannot be read") as raised:
            read_cards(path, "en")
        assert str(path) in str(raised.value)


def test_version_1_needs_no_summary(tmp_path: Path) -> None:
    path = written(tmp_path, character(summary=None))

    assert len(material(path, version="v1").scenarios) == 1
    with pytest.raises(Mistake, match=r"Odo has no summary.*write one, or play --version v1"):
        material(path, version="v2")


def test_what_ships_has_nothing_to_be_remarked_on() -> None:
    for language in LANGUAGES:
        found = BENCHMARK.scenarios(BENCHMARK.settle({"language": language}), None)
        assert (len(found.scenarios), found.remarks) == (64, ())


# The authors' own files.


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("file", "version"), [("v1", "v1"), ("v2", "v1"), ("v2", "v2")])
def test_the_authors_files_load(file: str, version: str, language: str, originals: Path) -> None:
    path = originals / "pingpong" / f"settings_{file}.json"
    found = material(path, version=version, language=language)

    assert len({one.id for one in found.scenarios}) == len({one.label for one in found.scenarios}) == 64
    turns = [one.content["situation"]["turns"] for one in found.scenarios]
    assert sorted(turns) == [4] * 56 + [8] * 8
    assert all(one.content["character"]["persona"] for one in found.scenarios)
    assert all(one.content["language"] == language for one in found.scenarios)
    assert all(one.content["character"]["summary"] for one in found.scenarios) == (file == "v2")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_authors_version_1_has_no_summaries_for_version_2(language: str, originals: Path) -> None:
    path = originals / "pingpong" / "settings_v1.json"
    first = read_cards(path, language).characters[0].name

    with pytest.raises(Mistake, match=f"settings_v1.json: {first} has no summary, .* or play --version v1"):
        material(path, version="v2", language=language)


@pytest.mark.parametrize("file", ["v1", "v2"])
def test_exactly_the_five_misspelt_greetings_are_named_with_the_key_that_was_meant(
    file: str, originals: Path
) -> None:
    path = originals / "pingpong" / f"settings_{file}.json"
    found = read_cards(path, "en")

    def remark(place: int, key: str) -> str:
        return (
            f"{path}, characters, number {place}: the key {key!r} is ignored; did you mean 'initial_message'?"
        )

    assert found.remarks == (
        remark(1, "greeting"),
        *(remark(place, "inital_message") for place in (5, 6, 7, 8)),
    )
    without = [place for place, one in enumerate(found.characters, 1) if not one.greeting]
    assert without == [1, 5, 6, 7, 8]
    assert read_cards(path, "ru").remarks == ()


def test_a_note_about_the_file_is_printed_and_the_run_goes_on(
    tmp_path: Path, capsys: Capsys, originals: Path
) -> None:
    path = originals / "pingpong" / "settings_v2.json"
    with provider() as (loopback, url):
        line = command(
            url, tmp_path / "a.db", limit=8, judges=("openai/judge-1",), more=("--data", str(path))
        )
        assert main(line) == 0
    said = capsys.readouterr()
    assert said.err.count("Note: ") == 5
    assert said.err.count("the key 'inital_message' is ignored; did you mean 'initial_message'?") == 4
    assert loopback.calls_by_model()["judge-1"] == 8
