"""Planted defects: the loader's one-line errors, and what the files that ship must keep to."""

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from interplay.benchmarks.judge_probe.defects import KINDS, Pair, read_defects, shipped_defects
from interplay.core.failures import Mistake
from tests.benchmarks.judge_probe.judged import OWN

PAIR = """
[[pair]]
id = "rudeness-x"
brief = "You are a baker."
turn = 2
bad = "Bake it yourself, you fool."
why = "It insults."
exchanges = [ { user = "a", assistant = "b" }, { user = "c", assistant = "d" }, { user = "e", assistant = "f" } ]
"""
MEANING = 'meaning = "It insults."\n'
LENGTHS = (0.5, 1.6)


def write(folder: Path, text: str, name: str = "rudeness.toml") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_a_pair_ends_with_the_exchange_that_is_spoiled(tmp_path: Path) -> None:
    (kind,) = read_defects(write(tmp_path, MEANING + PAIR))
    (pair,) = kind.pairs
    assert (kind.name, kind.meaning, pair.kind) == ("rudeness", "It insults.", "rudeness")
    assert [one.user for one in pair.before] == ["a"]
    assert (pair.last.user, pair.last.assistant, pair.bad) == ("c", "d", "Bake it yourself, you fool.")


def test_all_files_of_a_folder_are_read_in_order_of_their_names() -> None:
    kinds = read_defects(OWN)
    assert [kind.name for kind in kinds] == ["contradiction", "rudeness"]
    assert [len(kind.pairs) for kind in kinds] == [2, 2]


@pytest.mark.parametrize(
    "old, new, what",
    [
        ("turn = 2", "turn = 4", "turn is the number of an exchange, from 1 to 3, not 4"),
        ("turn = 2", "turn = 0", "from 1 to 3, not 0"),
        ("turn = 2", "turn = true", "from 1 to 3, not True"),
        ("turn = 2", 'turn = "2"', "from 1 to 3, not '2'"),
        ("turn = 2\n", "", "from 1 to 3, not None"),
        ('bad = "Bake it yourself, you fool."', 'bad = "d"', "bad is the very reply of exchange 2"),
        ('why = "It insults."', 'why = " "', "(rudeness-x): why must be a text, not ' '"),
        ('why = "It insults."', 'wyh = "It insults."', "has 'wyh'; did you mean 'why'?"),
        ('id = "rudeness-x"\n', "", "rudeness.toml, pair 1: id must be a text, not nothing"),
        ('brief = "You are a baker."', "brief = 3", "brief must be a text, not 3"),
        (
            'user = "c", assistant',
            'user = "c", asistant',
            "exchange 2 must have user and assistant, and nothing else",
        ),
        ('{ user = "c", assistant = "d" }', '"c"', "exchange 2 must have user and assistant"),
        ('assistant = "d"', 'assistant = ""', "exchange 2: assistant must be a text, not ''"),
        ("exchanges = [", "exchanges = [] #", "exchanges is a list of 1 to 50 tables"),
        ("[[pair]]", "[[pairs]]", "has 'pairs'; did you mean 'pair'?"),
        (PAIR, "", "pairs are written as [[pair]] tables, and there is none"),
        (PAIR, "pair = [3]", "pair 1 is written as a [[pair]] table"),
        (MEANING, "", "meaning must be a text, not nothing"),
        ("turn = 2", "turn = ", "is no TOML"),
        ("Bake it yourself", "x" * 20_001, "characters, and 20,000 are the most"),
    ],
)
def test_a_mistake_in_a_file_is_one_line(old: str, new: str, what: str, tmp_path: Path) -> None:
    assert old in MEANING + PAIR
    with pytest.raises(Mistake) as found:
        read_defects(write(tmp_path, (MEANING + PAIR).replace(old, new, 1)))
    assert what in str(found.value)
    assert str(tmp_path) in str(found.value)
    assert "\n" not in str(found.value)


def test_a_folder_without_files_and_a_file_with_an_odd_name_are_mistakes(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(Mistake, match=r"holds no defects; it is a folder with a file KIND\.toml"):
            read_defects(folder)
    with pytest.raises(Mistake, match="must be named after its kind"):
        read_defects(write(tmp_path, MEANING + PAIR, "Rude-ness.toml"))


def test_an_id_that_is_there_twice_is_named_with_both_places(tmp_path: Path) -> None:
    write(tmp_path, MEANING + PAIR)
    write(tmp_path, MEANING + PAIR, "off_topic.toml")
    with pytest.raises(Mistake, match="'rudeness-x' is there twice, in off_topic and rudeness"):
        read_defects(tmp_path)


def texts_of(pair: Pair) -> set[str]:
    said = (text for one in pair.exchanges for text in (one.user, one.assistant))
    return {text.casefold() for text in (pair.brief, pair.bad, *said)}


def test_what_ships_has_twelve_pairs_of_each_kind() -> None:
    kinds = shipped_defects()
    assert sorted(kind.name for kind in kinds) == sorted(KINDS)
    assert {kind.name: len(kind.pairs) for kind in kinds} == dict.fromkeys(KINDS, 12)
    pairs = [pair for kind in kinds for pair in kind.pairs]
    assert all(
        pair.id.startswith(f"{pair.kind}-") or pair.id.startswith(pair.kind.replace("_", "-"))
        for pair in pairs
    )
    assert len({pair.id for pair in pairs}) == len(pairs)


def test_what_ships_differs_in_the_defect_and_not_in_length() -> None:
    wrong = {}
    for kind in shipped_defects():
        for pair in kind.pairs:
            assert 3 <= len(pair.exchanges) <= 5, pair.id
            ratio = len(pair.bad) / len(pair.last.assistant)
            if not LENGTHS[0] <= ratio <= LENGTHS[1] and kind.name != "needless_refusal":
                wrong[pair.id] = round(ratio, 2)
    assert wrong == {}


def test_no_two_pairs_that_ship_share_a_text() -> None:
    pairs = [pair for kind in shipped_defects() for pair in kind.pairs]
    shared = {
        (one.id, other.id): both
        for one, other in combinations(pairs, 2)
        if (both := texts_of(one) & texts_of(other))
    }
    assert shared == {}
    assert max(Counter(pair.why for pair in pairs).values()) == 1
