"""Scenarios of word guessing: every pair with every split, balanced from the beginning; a user's own pairs."""

from collections import Counter
from pathlib import Path

import pytest

from interplay.benchmarks.word_guessing.words import GENERAL, TOPICS, shipped
from interplay.core.benchmark import Scenario
from interplay.core.failures import Mistake
from tests.benchmarks.word_table import BENCHMARK


def made(data: Path | None = None, **options: str) -> tuple[Scenario, ...]:
    settled = BENCHMARK.settle(BENCHMARK.read(options))
    return BENCHMARK.scenarios(settled, data).scenarios


def _pair(one: Scenario) -> tuple[str, str]:
    return one.content["a"]["text"], one.content["b"]["text"]


def test_versus_plays_ten_topics_with_either_word() -> None:
    found = made()
    pairs = [pair for topic in TOPICS for pair in shipped(topic)]
    assert len(found) == 2 * len(pairs) == len({one.id for one in found})
    assert Counter(map(_pair, found)) == Counter({(p.a.text, p.b.text): 2 for p in pairs})
    assert {tuple(one.content["with_a"]) for one in found} == {(1,), (2,)}
    assert BENCHMARK.epochs == 3


def test_four_plays_the_general_list_in_all_six_splits() -> None:
    found = made(experiment="four")
    assert len(found) == 6 * len(shipped(GENERAL)) == 270
    for pair in shipped(GENERAL):
        splits = [tuple(one.content["with_a"]) for one in found if _pair(one) == (pair.a.text, pair.b.text)]
        assert sorted(splits) == [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]


@pytest.mark.parametrize(("split", "splits"), [("1-1", 2), ("1-2", 6), ("1-3", 8), ("2-3", 20), ("3-3", 20)])
def test_a_table_of_any_split_gives_either_word_to_either_group(split: str, splits: int) -> None:
    found = made(experiment="table", split=split)
    assert len(found) == splits * len(shipped(GENERAL))
    sizes = {int(size) for size in split.split("-")}
    assert {len(one.content["with_a"]) for one in found} == sizes


def test_teams_of_versus_have_either_word() -> None:
    found = made(split="1-2", topics="food")
    assert {tuple(one.content["with_a"]) for one in found} == {(1,), (2, 3)}


@pytest.mark.parametrize("limit", [10, 40, 100])
def test_every_beginning_is_balanced_over_topics_and_has_as_many_pairs_as_it_can(limit: int) -> None:
    beginning = made()[:limit]
    topics = Counter(one.content["topic"] for one in beginning)
    assert set(topics.values()) == {limit // 10}
    assert len({_pair(one) for one in beginning}) == limit
    sides = Counter(tuple(one.content["with_a"]) for one in made(experiment="four")[:limit])
    assert max(sides.values()) - min(sides.values()) <= 1 or limit < 6


def test_labels_say_who_has_which_word() -> None:
    first, second = made(topics="food")[0], made(topics="food")[len(shipped("food"))]
    pair = shipped("food")[0]
    assert {first.label, second.label} == {
        f"food: {pair.a.text} v {pair.b.text}",
        f"food: {pair.b.text} v {pair.a.text}",
    }
    assert made(experiment="four")[0].label.endswith("(c, d)")


def test_topics_are_chosen_by_name() -> None:
    assert {one.content["topic"] for one in made(topics="food, General")} == {"food", "general"}


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"topics": "foot"}, "there is no word list 'foot'; did you mean 'food'?"),
        ({"split": "2"}, "two group sizes as in 2-2, not '2'"),
        ({"split": "0-2"}, "two group sizes"),
        ({"split": "2-x"}, "two group sizes"),
        ({"split": "7-6"}, "at most 12 players"),
        ({"experiment": "four", "split": "1-3"}, "--experiment table"),
        ({"experiment": "table"}, "--split as in 2-2 or 1-3"),
        ({"experiment": "three"}, "there is no experiment 'three'"),
        ({"rounds": "0"}, "from 1 to 20"),
        ({"rules": "papers"}, "did you mean 'paper'?"),
        ({"rules": "paper", "rounds": "2"}, "--rounds 2 leaves none"),
        ({"topics": ","}, "--topics names word lists"),
        ({"split": "1" * 5000 + "-1"}, "two group sizes"),
    ],
)
def test_mistakes_in_options(options: dict[str, str], complaint: str) -> None:
    with pytest.raises(Mistake) as caught:
        made(**options)
    assert complaint in str(caught.value)


def test_pairs_of_ones_own(tmp_path: Path) -> None:
    table = tmp_path / "mine.toml"
    table.write_text(
        'topic = "weather"\npairs = [\n{ a = "fog", b = "smoke", b_also = ["fumes"] },\n'
        '{ a = "hail", b = "sleet", topic = "ice" },\n]'
    )
    found = made(table)
    assert {(one.content["topic"], *_pair(one)) for one in found} == {
        ("weather", "fog", "smoke"),
        ("ice", "hail", "sleet"),
    }
    rows = tmp_path / "mine.csv"
    rows.write_text(
        "\ufeffa,b,a_also,topic\nfog,smoke,mist; haze ,weather\n hail ,sleet,,\n", encoding="utf-8"
    )
    by_topic = {one.content["topic"]: one.content for one in made(rows)}
    assert by_topic["weather"]["a"] == {"text": "fog", "also": ["mist", "haze"]}
    assert by_topic["mine"]["a"] == {"text": "hail", "also": []}


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("x.toml", "pairs = 3", "has no pairs"),
        ("x.toml", "pairs = [3]", "pair 1 is written as"),
        ("x.toml", "pairs = [", "is no TOML"),
        ("x.toml", 'pairs = [{ a = "fog" }]', "pair 1: b must be a text, not nothing"),
        ("x.toml", 'pairs = [{ a = "fog", b = "" }]', "a letter among them"),
        ("x.toml", 'pairs = [{ a = "fog", c = "smoke" }]', "pair 1 has 'c'"),
        ("x.toml", 'pairs = [{ a = "fog", b = "smoke", a_also = "mist" }]', "aliases are a list"),
        ("x.toml", 'pairs = [{ a = "tomato", b = "potato" }]', "Jaro 0.822"),
        ("x.toml", 'pairs = [{ a = "fog", b = "fogs" }]', "are the same word"),
        (
            "x.toml",
            'pairs = [{ a = "fog", b = "smoke" }, { a = "The Smoke", b = "fog" }]',
            "pair 2 (The Smoke / fog) is there already as pair 1",
        ),
        ("x.csv", "a,b\n", "has no pairs"),
        ("x.csv", "a,bee\nfog,smoke\n", "has a column 'bee'; did you mean 'b'?"),
        ("x.csv", "a,b\nfog,smoke,steam\n", "line 2 has more cells"),
        ("x.csv", 'a,b\n"fog,smoke\n', "is no CSV"),
        ("x.json", "{}", ".toml or a .csv file"),
        ("x.toml", "\udcff", "cannot be read"),
        ("x.toml", "pairs = " + "[" * 100_000, "is no TOML"),
        ("x.toml", "pairs = " + "1" * 5_000, "is no TOML"),
        ("x.toml", 'topic = "\\u001b[31m"\npairs = [{ a = "fog", b = "smoke" }]', "printable characters"),
        ("x.csv", "a,b\nfog\u202e,smoke\n", "printable characters"),
    ],
)
def test_mistakes_in_a_file_of_ones_own(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(Mistake) as caught:
        made(path)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_and_topics_beside_a_file(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="cannot be read"):
        made(tmp_path / "none.toml")
    with pytest.raises(Mistake, match="--topics chooses among the lists that ship"):
        made(tmp_path / "none.toml", topics="food")


def test_a_word_may_be_in_several_pairs_of_ones_own(tmp_path: Path) -> None:
    rows = tmp_path / "mine.csv"
    rows.write_text("a,b,a_also\nbread,cake,breads\nbread,toast,\nrose,tulip,\nrise,fall,\n")
    assert len(made(rows)) == 8


@pytest.mark.parametrize(
    "options",
    [
        {"split": "1-1"},
        {"topics": ",".join(reversed(TOPICS))},
        {"rounds": "05"},
        {"experiment": "four", "split": "2-2", "topics": "general"},
        {"experiment": "table", "split": "3-1"},
    ],
)
def test_what_means_the_same_is_the_same_run(options: dict[str, str]) -> None:
    plain = {"experiment": options.get("experiment", "versus")}
    plain |= {"split": "1-3"} if plain["experiment"] == "table" else {}
    assert BENCHMARK.settle(BENCHMARK.read(options)) == BENCHMARK.settle(BENCHMARK.read(plain))
