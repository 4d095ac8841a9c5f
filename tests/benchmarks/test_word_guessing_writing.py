"""New pairs of words: what is gathered from a record, what a board says of it, what the file holds."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interplay.benchmarks import ALL, WRITERS, find
from interplay.benchmarks.word_guessing.drafting import Drafts, all_shipped, entry_of, pair_of
from interplay.benchmarks.word_guessing.words import Pair, read_pairs
from interplay.benchmarks.word_guessing.writing import (
    gather,
    generator,
    lacking,
    score,
    summarize,
    write,
    writing,
)
from interplay.core.benchmark import Played, Scenario
from interplay.core.making import Origin, Piece
from tests.benchmarks.new_pairs import BAD, TOPIC, Entry, entry, good

OPTIONS = writing.settle({"topic": TOPIC, "n": "6"})
SCENARIOS = writing.scenarios(OPTIONS, None).scenarios
ORIGIN = Origin("word_guessing_writing-1", "openai/m", "2026-01-02T03:04:05+00:00", "u-u-i-d", OPTIONS, False)
BENCHMARK = find("word_guessing")


def tried(number: int, *candidates: Entry, repeat: int = 0, failure: str = "") -> Played:
    drafts = Drafts(tuple(pair_of(one, TOPIC) for one in candidates)) if candidates else None
    return Played(SCENARIOS[number - 1], "openai/m", repeat, drafts, failure)


def bad(kind: str) -> Entry:
    return BAD[kind][0]


def words(pieces: list[Piece]) -> list[str]:
    return [piece.entry["a"] if piece.entry else "" for piece in pieces]


def test_the_writing_is_found_but_is_no_benchmark_to_run() -> None:
    assert find("word_guessing_writing") is writing
    assert writing in WRITERS
    assert writing not in ALL
    assert BENCHMARK.generator is generator


def test_what_passes_is_gathered_in_order() -> None:
    aliased = entry("hinge", "cobweb", ["door hinge"])
    pieces = gather([tried(2, good(2)), tried(3, aliased), tried(1, good(1))], OPTIONS)
    assert [piece.label for piece in pieces] == ["pair 1", "pair 2", "pair 3"]
    assert [piece.text for piece in pieces] == [
        "kimono / poncho",
        "thimble / bottle cap",
        "hinge (also door hinge) / cobweb",
    ]
    assert pieces[2].entry == aliased
    assert not any(piece.complaints for piece in pieces)


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_candidate_is_complained_of_and_a_good_one_after_it_is_taken(kind: str) -> None:
    [alone] = gather([tried(1, bad(kind))], OPTIONS)
    assert any(BAD[kind][1] in complaint for complaint in alone.complaints), alone.complaints
    [better] = gather([tried(1, bad(kind), good(1))], OPTIONS)
    assert (better.entry, better.complaints) == (good(1), ())


def test_of_good_candidates_the_first_is_taken_and_of_bad_ones_the_least_bad() -> None:
    assert words(gather([tried(1, good(3), good(2))], OPTIONS)) == ["chandelier"]
    worse, less = entry("Area 51", "idiot"), entry("hinge", "Cobweb")
    assert words(gather([tried(1, worse, less, entry("Hinge", "cobweb"))], OPTIONS)) == ["hinge"]


def test_what_a_person_could_keep_goes_before_what_nobody_may_play() -> None:
    playable, unplayable = entry("Hinge", "idiot"), entry("marten", "martin")
    [piece] = gather([tried(1, unplayable, bad("one alias twice"), playable)], OPTIONS)
    assert (len(piece.complaints), piece.entry["a"]) == (2, "Hinge")
    [first] = gather([tried(1, playable), tried(1, unplayable, repeat=1)], OPTIONS)
    assert first == piece


def test_a_word_goes_to_the_first_pair_that_has_it() -> None:
    first, second = gather([tried(1, good(1)), tried(2, entry("robe", "kimono"), good(2))], OPTIONS)
    assert words([first, second]) == ["kimono", "thimble"]
    _, taken = gather([tried(1, good(1)), tried(2, entry("robe", "kimonos"))], OPTIONS)
    assert taken.complaints == (f"'kimonos' is in the lists already: 'kimono' of kimono / poncho ({TOPIC})",)


def test_a_later_try_never_changes_what_has_passed() -> None:
    twice = [tried(1, bad("an insult")), tried(2, good(1))]
    found = gather([*twice, tried(1, good(1), repeat=1)], OPTIONS)
    assert [bool(piece.complaints) for piece in found] == [True, False]
    found = gather([*twice, tried(1, good(1), good(5), repeat=1), tried(2, good(6), repeat=1)], OPTIONS)
    assert words(found) == ["anvil", "kimono"]
    found = gather([tried(1, failure="unreadable"), tried(1, good(4), repeat=2)], OPTIONS)
    assert words(found) == ["beret"]


def test_the_order_of_the_record_does_not_matter() -> None:
    played = [
        tried(1, bad("an insult"), bad("a capital")),
        tried(1, good(1), repeat=1),
        tried(2, good(1), good(2)),
        tried(3, failure="unreadable"),
    ]
    assert gather(played, OPTIONS) == gather(played[::-1], OPTIONS)


def test_an_alias_that_repeats_its_word_is_left_out_and_costs_nothing() -> None:
    [piece] = gather(
        [tried(1, entry("hinge", "cobweb", ["Hinges", "door hinge", "the door-hinge"], ["cob web"]))], OPTIONS
    )
    assert (piece.entry, piece.complaints) == (entry("hinge", "cobweb", ["door hinge"]), ())


def test_our_own_lists_would_pass() -> None:
    for pair in all_shipped():
        [made] = score(Drafts((pair,)), (), OPTIONS)
        assert made.value == 0, pair


def test_the_score_of_a_try_is_how_many_checks_its_best_pair_fails() -> None:
    def value(*candidates: Entry) -> float:
        [made] = score(tried(1, *candidates).outcome, (), OPTIONS)
        assert made.name == "complaints"
        return made.value

    assert value(good(1)) == 0.0
    assert value(bad("a capital")) == 1.0
    assert value(bad("a capital"), good(1)) == 0.0
    assert value(bad("a shipped word")) == 0.0  # only the whole can tell


def test_a_board_counts_pairs_and_tries() -> None:
    board = summarize(
        [
            tried(1, bad("an insult")),
            tried(1, good(1), repeat=1),
            tried(2, failure="unreadable"),
            replace(tried(3, failure="budget"), subject="openai/poor"),
        ],
        OPTIONS,
    )
    first, second = board.rows
    assert first == {
        "model": "openai/m", "written": 1, "pieces": 2, "rejected": 1, "unreadable": 1, "unanswered": 0
    }  # fmt: skip
    assert (second["model"], second["written"], second["unanswered"]) == ("openai/poor", 0, 1)
    assert board.title == "word_guessing_writing (old houses, seed 0)"
    assert board.notes == ("pair 2: the writer never answered in form.", "pair 3: budget.")


def test_a_file_lacks_a_pair_if_it_has_none() -> None:
    assert lacking([]) == "a pair"
    assert lacking(gather([tried(1, good(1))], OPTIONS)) == ""


def test_the_file_is_what_run_reads_and_says_where_it_comes_from(tmp_path: Path) -> None:
    made = [good(1), entry("hinge", "cobweb", ["door hinge"], ["spider's web", "SPW"])]
    pieces = gather([tried(1, made[0]), tried(2, made[1])], OPTIONS)
    text = write(pieces, ORIGIN)
    path = tmp_path / "new.toml"
    path.write_text(text, encoding="utf-8")
    assert read_pairs(path) == [pair_of(one, TOPIC) for one in made]
    data = tomllib.loads(text)
    assert list(data) == [
        "topic", "meaning", "canary", "written_by", "run", "started", "seed", "reviewed", "pairs"
    ]  # fmt: skip
    assert data["canary"].startswith("INTERPLAY CANARY word_guessing u-u-i-d: ")
    assert (data["written_by"], data["seed"], data["reviewed"]) == ("openai/m", 0, False)
    assert text.endswith(
        'pairs = [\n    { a = "kimono", b = "poncho" },\n'
        '    { a = "hinge", b = "cobweb", a_also = ["door hinge"], b_also = ["spider\'s web", "SPW"] },\n]\n'
    )


def test_our_lists_could_have_been_written_so(tmp_path: Path) -> None:
    path = tmp_path / "new.toml"
    pieces = [Piece("s", "p", "t", entry_of(pair)) for pair in all_shipped()]
    path.write_text(write(pieces, ORIGIN), encoding="utf-8")
    assert read_pairs(path) == [Pair(TOPIC, pair.a, pair.b) for pair in all_shipped()]


def offered(played: list[Played]) -> list[Piece]:
    return [piece for piece in gather(played, OPTIONS) if piece.text]


@pytest.mark.parametrize(
    "kind",
    ["alike as strings", "one word twice", "the other word as an alias", "one alias twice", "nothing"],
)
def test_a_pair_that_nobody_may_play_is_told_of_and_not_offered(kind: str) -> None:
    [piece] = gather([tried(1, bad(kind))], OPTIONS)
    assert (piece.text, bool(piece.complaints)) == ("", True)


def test_of_two_pairs_with_one_word_a_person_is_offered_one() -> None:
    passed, other = good(1), entry("Robe", "kimono")
    assert words(offered([tried(1, other), tried(2, passed)])) == ["kimono"]
    assert words(offered([tried(1, other), tried(2, entry("Cloak", "kimonos"))])) == ["Robe"]


NAMES = st.sampled_from(
    ["kimono", "kimonos", "Poncho", "cob web", "cobweb", "umbrella", "idiot", "marten", "martin", "---", "",
     "field mice", "fieldmouse", "\x1b[1m", "tab\there",
     'quo"te', "back\\slash", "\x7f", "café", "\u202eolleh", "x" * 60, "7", "ﬁ"]
)  # fmt: skip
ENTRIES = st.builds(entry, NAMES, NAMES, st.lists(NAMES, max_size=2), st.lists(NAMES, max_size=2))
TRIES = st.lists(
    st.tuples(st.integers(1, 6), st.integers(0, 2), st.lists(ENTRIES, min_size=1, max_size=3)), max_size=12
)


@settings(deadline=None)
@given(tries=TRIES, chosen=st.lists(st.booleans(), min_size=6, max_size=6))
def test_whatever_a_person_keeps_of_what_is_offered_can_be_played(
    tmp_path_factory: pytest.TempPathFactory,
    tries: list[tuple[int, int, list[Entry]]],
    chosen: list[bool],
) -> None:
    pieces = offered([tried(number, *made, repeat=repeat) for number, repeat, made in tries])
    kept = [piece for piece, wanted in zip(pieces, chosen, strict=False) if wanted]
    if kept:
        path = tmp_path_factory.mktemp("files") / "new.toml"
        path.write_text(write(kept, ORIGIN), encoding="utf-8")
        found = BENCHMARK.scenarios(BENCHMARK.settle({}), path).scenarios
        assert len(found) == 2 * len(kept)


# What is not printable is never offered, and a text is in one line.
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=60).filter(
    lambda text: " ".join(text.split()) == text and text.isprintable() and any(map(str.isalnum, text))
)  # fmt: skip


@settings(deadline=None)
@given(a=TEXT, also=TEXT, topic=TEXT)
def test_any_text_comes_back_from_the_file_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, a: str, also: str, topic: str
) -> None:
    path = tmp_path_factory.mktemp("files") / "new.toml"
    origin = replace(ORIGIN, options={**OPTIONS, "topic": topic}, model=also)
    path.write_text(write([Piece("s", "p", "t", entry(a, "b", [also]))], origin), encoding="utf-8")
    assert read_pairs(path) == [pair_of(entry(a, "b", [also]), topic)]


def test_nobody_judges_what_was_written() -> None:
    assert [role.kind for role in writing.roles(OPTIONS)] == ["subject"]
    assert writing.judging(OPTIONS).calls(Scenario({}, "x"), {}, "j") == (0, 0)
    assert generator.tries == 3
